//! Requests and notifications by method. A request that only looks something up is answered at once; commands are answered when they are accepted.

use super::arguments::{self, Message};
use super::commands::{self, SessionCommand};
use super::driver::{Driver, Stage};
use super::effects::Outcome;
use super::review::{self, Verb};
use super::start::{self, Hello};
use super::wire;
use super::{actions, hunks};
use crate::connection::Ended;
use crate::rpc::HandlerResult;
use crate::rpc::{self, error_object, invalid_params, unknown_method};
use futures_util::future::FutureExt;
use ls_types as lsp;
use pintle_base::transport::envelope::Id;
use pintle_protocol::content::Input;
use pintle_protocol::error;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// The requests that are answered.
const METHODS: [&str; 5] = [
    "initialize",
    "shutdown",
    "workspace/executeCommand",
    "textDocument/codeAction",
    "textDocument/codeLens",
];

impl Driver {
    pub(super) fn request(&mut self, id: &Id, method: &str, params: Option<&RawValue>) {
        if let Some(refusal) = self.refusal(id, method) {
            // The id may be that of another request, which stays.
            return self.outbox.push(rpc::error_response(id, &refusal));
        }
        self.in_flight.insert(id.clone());
        let result = match method {
            "initialize" => self.initialize(params).and_then(to_value),
            "shutdown" => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            "textDocument/codeAction" => {
                wire::read(params).and_then(|params| to_value(self.actions(&params)))
            }
            "textDocument/codeLens" => {
                wire::read(params).and_then(|params| to_value(self.lenses(&params)))
            }
            "workspace/executeCommand" => match self.execute(id, params) {
                Ok(Some(result)) => Ok(result),
                // The outcome is the response.
                Ok(None) => return,
                Err(error) => Err(error),
            },
            _ => {
                let message = unknown_method(method, METHODS.into_iter());
                Err(error_object(error::METHOD_NOT_FOUND, &message, "methodNotFound", None))
            }
        };
        self.respond(id, result);
    }

    fn initialize(&mut self, params: Option<&RawValue>) -> HandlerResult<lsp::InitializeResult> {
        let hello: Hello = wire::read(params)?;
        if let Some(client) = &hello.client_info {
            tracing::info!("client {} {}", client.name, client.version.as_deref().unwrap_or("-"));
            self.opener.name = Some(client.name.clone()).filter(|name| !name.is_empty());
        }
        if let Some(folder) = hello.folder() {
            self.opener.folder = folder;
        }
        self.offers = hello.offers();
        self.questions.can_show = self.offers.show_document;
        self.views.can_show = self.offers.show_document;
        self.changes.can_refresh = self.offers.lens_refresh;
        self.progress.is_shown = self.offers.progress;
        self.stage = Stage::Ready;
        // Only edits that the client applies to the version that they were made for.
        if self.offers.edits {
            self.edits.connect();
        }
        Ok(start::capabilities(self.opener.client.engine.editors().is_some()))
    }

    fn actions(&self, params: &lsp::CodeActionParams) -> lsp::CodeActionResponse {
        let uri = &params.text_document.uri;
        let mut found = actions::Found::new(&params.context, self.offers.action_literals);
        if self.views.draft(uri).is_some() {
            found.add_send(uri);
            return found.into_response();
        }
        let text = self.documents.text(uri);
        let hunks = self.changes.in_document(uri, &self.documents);
        let text = text.as_deref().map(String::as_str);
        for (command, diagnostics) in hunks::actions(params, &hunks, text) {
            found.add(Some(hunks::KIND), command, Some(diagnostics));
        }
        found.add_messages(params, self.offers.show_document);
        found.into_response()
    }

    fn lenses(&self, params: &lsp::CodeLensParams) -> Vec<lsp::CodeLens> {
        let uri = &params.text_document.uri;
        if self.views.draft(uri).is_some() {
            return vec![lsp::CodeLens {
                range: lsp::Range::default(),
                command: Some(actions::send(uri)),
                data: None,
            }];
        }
        let text = self.documents.text(uri);
        let hunks = self.changes.in_document(uri, &self.documents);
        hunks::lenses(&hunks, text.as_deref().map(String::as_str))
    }

    /// Begins a command, or returns its result.
    fn execute(&mut self, id: &Id, params: Option<&RawValue>) -> HandlerResult<Option<Value>> {
        let lsp::ExecuteCommandParams { command, arguments, .. } = wire::read(params)?;
        let message = |driver: &Self| -> HandlerResult<Vec<Input>> {
            Ok(driver.input(arguments::message(&command, &arguments)?))
        };
        let command = match command.as_str() {
            arguments::PROMPT => SessionCommand::Prompt(message(self)?),
            arguments::STEER => SessionCommand::Steer(message(self)?),
            arguments::QUEUE => SessionCommand::Queue(message(self)?),
            arguments::STOP => SessionCommand::Stop,
            arguments::NEW => SessionCommand::New,
            arguments::KEEP => self.decision(Verb::Keep, &command, &arguments)?,
            arguments::UNDO => self.decision(Verb::Undo, &command, &arguments)?,
            arguments::REVERT => {
                let named = arguments::number(&command, "a decision number", &arguments)?;
                SessionCommand::Revert(named)
            }
            arguments::REWIND => {
                let count = arguments::number(&command, "a number of messages", &arguments)?;
                let count = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
                SessionCommand::Rewind(count)
            }
            arguments::ANSWER => {
                let text = arguments::message(&command, &arguments)?.text;
                let (session, answer, withdrawal) =
                    self.questions.answer(text).ok_or_else(|| {
                        wire::failed(
                            "no question is open",
                            "send a message with the command `pintle.prompt`",
                        )
                    })?;
                self.tell(session, answer);
                self.send_all([withdrawal]);
                return Ok(Some(Value::Null));
            }
            arguments::SESSIONS => {
                if let Some(session) = arguments::named_session(&arguments)? {
                    SessionCommand::Open(session)
                } else {
                    let current = self.current.session.as_ref().map(|session| session.id.clone());
                    let (id, listed) = (id.clone(), commands::list(self.opener.clone(), current));
                    self.running.push(listed.map(|list| Outcome::Response(id, list)).boxed());
                    return Ok(None);
                }
            }
            arguments::TRANSCRIPT => {
                let session = self.current.session.as_ref().ok_or_else(commands::no_session)?;
                let effects = self.views.show_transcript(id, &session.id)?;
                self.apply(effects);
                return Ok(None);
            }
            arguments::ASK => {
                let place = arguments::place(&command, &arguments)?;
                let about = place.map(|place| (place.uri, place.range));
                let effects = self.views.begin_draft(Some(id.clone()), about, "")?;
                self.apply(effects);
                return Ok(None);
            }
            arguments::SEND => {
                let place = arguments::place(&command, &arguments)?;
                let uri = place.map(|place| place.uri);
                let effects = self.views.read_draft(id, uri.as_ref(), &self.documents)?;
                self.apply(effects);
                return Ok(None);
            }
            _ => {
                let known = arguments::NAMES.join(", ");
                let message = format!("unknown command `{command}`; expected one of {known}");
                return Err(invalid_params(&message));
            }
        };
        self.carry_out(id.clone(), command);
        Ok(None)
    }

    fn decision(
        &self,
        verb: Verb,
        command: &str,
        arguments: &[Value],
    ) -> HandlerResult<SessionCommand> {
        let target = arguments::target(command, arguments)?;
        let path = |uri: &lsp::Uri| self.documents.real_path(uri);
        Ok(SessionCommand::Decide(review::action(verb, target, path)?))
    }

    /// Returns a message's blocks.
    pub(super) fn input(&self, message: Message) -> Vec<Input> {
        let uri = message.uri.as_ref();
        let path = uri.and_then(wire::file_path).map(|path| path.to_string_lossy().into_owned());
        let shown = uri.and_then(|uri| self.documents.text(uri));
        actions::input(message, path, shown.as_deref().map(String::as_str))
    }

    /// Handles a notification. Returns the reason if it ends the connection.
    pub(super) async fn notified(
        &mut self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Ended> {
        match method {
            "exit" if self.stage == Stage::ShutDown => return Some(Ended::Exit),
            "exit" => return Some(Ended::ExitInHaste),
            // Before the handshake and after the end nothing is taken note of.
            _ if self.stage != Stage::Ready => return None,
            "$/cancelRequest" => self.cancel(params),
            "window/workDoneProgress/cancel" => {
                let cancelled = noted::<lsp::WorkDoneProgressCancelParams>(method, params);
                if let Some(turn) =
                    cancelled.and_then(|params| self.progress.turn_of(&params.token))
                {
                    self.stop(turn);
                }
            }
            "textDocument/didOpen" => {
                if let Some(params) = noted::<lsp::DidOpenTextDocumentParams>(method, params) {
                    let uri = params.text_document.uri.clone();
                    let message = self.documents.open(params).await;
                    let shown = self.changes.show_in(&uri, &self.documents);
                    self.send_all(message.into_iter().chain(shown));
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = noted::<lsp::DidChangeTextDocumentParams>(method, params) {
                    let uri = params.text_document.uri.clone();
                    let message = self.documents.change(params).await;
                    let shown = self.changes.show_in(&uri, &self.documents);
                    self.send_all(message.into_iter().chain(shown));
                }
            }
            "textDocument/didSave" => {
                if let Some(params) = noted(method, params) {
                    self.documents.save(&params);
                    self.read_changes();
                }
            }
            "textDocument/didClose" => {
                if let Some(params) = noted(method, params) {
                    self.documents.close(&params);
                }
            }
            _ => tracing::debug!("unknown notification {method}"),
        }
        None
    }
}

/// Reads a notification's params. Errors cannot be reported, since a notification has no response.
fn noted<P: DeserializeOwned>(method: &str, params: Option<&RawValue>) -> Option<P> {
    match wire::read(params) {
        Ok(params) => Some(params),
        Err(error) => {
            tracing::warn!("{method} was ignored: {}", error.message());
            None
        }
    }
}

fn to_value(result: impl serde::Serialize) -> HandlerResult<Value> {
    serde_json::to_value(result)
        .map_err(|error| error_object(error::INTERNAL_ERROR, &error.to_string(), "internal", None))
}
