//! The methods of this protocol, each with the handler that answers it.

use super::driver::{Driver, Stage};
use super::handlers::{
    self, HandlerResult, Opened, Opening, Outcome, RequestContext, Setting, Steered,
};
use super::queue::Incoming;
use super::session::OpenSession;
use super::{content, settings, start, wire};
use crate::native::dispatch::{error_object, unknown_method};
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_base::transport::envelope::Id;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use serde_json::json;
use serde_json::value::RawValue;

/// The methods of this protocol that are answered, for the message about another one.
const METHODS: [&str; 13] = [
    "initialize",
    "authenticate",
    "logout",
    "session/new",
    "session/load",
    "session/resume",
    "session/list",
    "session/close",
    "session/delete",
    "session/prompt",
    "session/set_mode",
    "session/set_config_option",
    "_session/steering",
];

impl Driver {
    pub(super) fn begin_next(&mut self) {
        while let Some(incoming) = self.queue.next() {
            match incoming {
                Incoming::Cancel(session) => {
                    if let Some(open) = self.sessions.get(&session) {
                        let stopped =
                            handlers::interrupt(open.handle.clone()).map(|()| Outcome::NoResponse);
                        self.running.push(stopped.boxed());
                    }
                }
                Incoming::Request { id, method, params } => {
                    match self.begin(&id, &method, params) {
                        Ok(Some(done)) => {
                            self.queue.begun(id);
                            self.running.push(done);
                        }
                        Ok(None) => {}
                        Err(error) => self.refuse(&id, &error),
                    }
                }
            }
        }
    }

    /// Starts the handler of a request, or answers it at once.
    fn begin(
        &mut self,
        id: &Id,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> HandlerResult<Option<BoxFuture<'static, Outcome>>> {
        let ctx = self.ctx.clone();
        let request = id.clone();
        let future = match method {
            "initialize" => {
                self.initialize(id, params.as_deref())?;
                return Ok(None);
            }
            "authenticate" => {
                let answer = ctx.authenticate(
                    params.as_deref(),
                    self.sessions.iter().map(|open| open.settings.model()),
                )?;
                self.stage = Stage::Ready;
                self.respond(id, wire::response(id, &answer));
                return Ok(None);
            }
            "logout" => {
                let _: acp::LogoutRequest = handlers::read(params.as_deref())?;
                self.stage = Stage::LoggedOut;
                self.respond(id, wire::response(id, &acp::LogoutResponse::new()));
                return Ok(None);
            }
            "session/new" | "session/load" | "session/resume" if self.stage == Stage::LoggedOut => {
                return Err(handlers::auth_required(
                    "the client is logged out",
                    "send `authenticate` first",
                ));
            }
            "session/new" => opened(request, Opening::New, ctx.new_session(params)),
            "session/load" => {
                self.queue.is_loading = true;
                opened(request, Opening::Loaded, ctx.load_session(params))
            }
            "session/resume" => opened(request, Opening::Resumed, ctx.resume_session(params)),
            "session/list" => answered(request, ctx.list(params)),
            "session/close" => {
                let params: acp::CloseSessionRequest = handlers::read(params.as_deref())?;
                let open = self.open(&params.session_id)?;
                let session = open.handle.id.clone();
                let closing = handlers::close(open.handle.clone(), ctx.id, ctx.scope);
                closed(request, session, closing, &acp::CloseSessionResponse::new())
            }
            "session/delete" => {
                let params: acp::DeleteSessionRequest = handlers::read(params.as_deref())?;
                let session = SessionId::new(&*params.session_id.0);
                let open = self.sessions.get(&session).map(|open| open.handle.clone());
                let deleting = ctx.delete(session.clone(), open);
                closed(request, session, deleting, &acp::DeleteSessionResponse::new())
            }
            "session/prompt" => self.prompt(request, params.as_deref())?,
            "session/set_mode" => {
                let params: acp::SetSessionModeRequest = handlers::read(params.as_deref())?;
                self.set(
                    request,
                    &params.session_id,
                    settings::MODE,
                    &params.mode_id.0,
                    Setting::Other,
                )?
            }
            "session/set_model" => {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Params {
                    session_id: acp::SessionId,
                    model_id: String,
                }
                let params: Params = handlers::read(params.as_deref())?;
                self.set(request, &params.session_id, "model", &params.model_id, Setting::Other)?
            }
            "session/set_config_option" => {
                let params: acp::SetSessionConfigOptionRequest = handlers::read(params.as_deref())?;
                let Some(value) = params.value.as_value_id() else {
                    return Err(handlers::invalid(
                        "options are not boolean; send one of the option's values",
                    ));
                };
                let value = value.0.to_string();
                self.set(request, &params.session_id, &params.config_id.0, &value, Setting::Option)?
            }
            "_session/steering" => {
                let target: SessionParams = handlers::read(params.as_deref())?;
                let handle = self.open(&target.session_id)?.handle.clone();
                steered(request, handlers::steer(handle, params))
            }
            _ => self.engine_method(request, method, params.as_deref())?,
        };
        Ok(Some(future))
    }

    fn initialize(&mut self, id: &Id, params: Option<&RawValue>) -> HandlerResult<()> {
        if self.stage != Stage::New {
            let message = "the connection is already initialized";
            return Err(error_object(error::INVALID_REQUEST, message, "alreadyInitialized", None));
        }
        let params: acp::InitializeRequest = handlers::read(params)?;
        if let Some(client) = &params.client_info {
            tracing::info!("client {} {}", client.name, client.version);
            self.engine_methods.name_client(&client.name);
        }
        self.ctx.offers = start::offers(&params.client_capabilities);
        self.questions.has_forms = self.ctx.offers.form;
        let RequestContext { engine, id: subscriber, offers, .. } = &self.ctx;
        self.editor.connect(engine.editors(), *subscriber, &params.client_capabilities, *offers);
        self.stage = Stage::Ready;
        self.respond(id, wire::response(id, &start::hello()));
        Ok(())
    }

    fn open(&self, id: &acp::SessionId) -> HandlerResult<&OpenSession> {
        self.sessions.get(&SessionId::new(&*id.0)).ok_or_else(|| {
            let message = format!("session {id} is not open on this connection");
            let hint = "open it with session/load or session/resume";
            handlers::refusal(error::NOT_FOUND, &message, "notFound", hint)
        })
    }

    fn prompt(
        &self,
        id: Id,
        params: Option<&RawValue>,
    ) -> HandlerResult<BoxFuture<'static, Outcome>> {
        let params: acp::PromptRequest = handlers::read(params)?;
        let open = self.open(&params.session_id)?;
        let (handle, session) = (open.handle.clone(), open.handle.id.clone());
        let trace = handlers::trace(params.meta.as_ref());
        let input = content::input(params.prompt).map_err(|why| handlers::invalid(&why))?;
        if let Some(instructions) = content::compaction(&input) {
            let instructions = Some(instructions).filter(|text| !text.is_empty());
            let begun = handlers::compact(handle, instructions);
            return Ok(begun
                .map(move |begun| match begun {
                    Ok(turn) => Outcome::Compacting(id, session, turn),
                    Err(error) => Outcome::Refused(id, error),
                })
                .boxed());
        }
        let accepted = handlers::prompt(handle, input, trace);
        Ok(accepted
            .map(move |accepted| match accepted {
                Ok(accepted) => Outcome::Prompted(id, session, accepted),
                Err(error) => Outcome::Refused(id, error),
            })
            .boxed())
    }

    fn set(
        &self,
        id: Id,
        session: &acp::SessionId,
        option: &str,
        value: &str,
        setting: Setting,
    ) -> HandlerResult<BoxFuture<'static, Outcome>> {
        let handle = self.open(session)?.handle.clone();
        let values =
            settings::engine_options(option, value).map_err(|why| handlers::invalid(&why))?;
        Ok(async move {
            match handlers::set(&handle, values).await {
                Ok(result) => Outcome::Configured(id, handle.id.clone(), setting, result),
                Err(error) => Outcome::Refused(id, error),
            }
        }
        .boxed())
    }

    /// Answers one of the engine's own methods from the native protocol's table.
    fn engine_method(
        &self,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
    ) -> HandlerResult<BoxFuture<'static, Outcome>> {
        let name =
            method.strip_prefix("_pintle/").filter(|name| start::ENGINE_METHODS.contains(name));
        let Some(name) = name else {
            let own: Vec<String> =
                start::ENGINE_METHODS.iter().map(|name| format!("_pintle/{name}")).collect();
            let known = METHODS.into_iter().chain(own.iter().map(String::as_str));
            let message = unknown_method(method, known);
            let hint =
                "`initialize` lists pintle's extensions under agentCapabilities._meta.pintle";
            return Err(handlers::refusal(
                error::METHOD_NOT_FOUND,
                &message,
                "methodNotFound",
                hint,
            ));
        };
        let response = self.engine_methods.call(id.clone(), name, params);
        Ok(response.map(move |response| Outcome::Response(id, response)).boxed())
    }
}

/// Params that name a session.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionParams {
    session_id: acp::SessionId,
}

fn opened(
    id: Id,
    kind: Opening,
    opening: impl Future<Output = HandlerResult<Box<Opened>>> + Send + 'static,
) -> BoxFuture<'static, Outcome> {
    opening
        .map(move |opened| match opened {
            Ok(opened) => Outcome::Opened(id, kind, opened),
            Err(error) => Outcome::Refused(id, error),
        })
        .boxed()
}

fn answered<R: serde::Serialize>(
    id: Id,
    answer: impl Future<Output = HandlerResult<R>> + Send + 'static,
) -> BoxFuture<'static, Outcome> {
    answer
        .map(move |answer| match answer {
            Ok(answer) => {
                let message = wire::response(&id, &answer);
                Outcome::Response(id, message)
            }
            Err(error) => Outcome::Refused(id, error),
        })
        .boxed()
}

fn closed(
    id: Id,
    session: SessionId,
    closing: impl Future<Output = HandlerResult<()>> + Send + 'static,
    answer: &impl serde::Serialize,
) -> BoxFuture<'static, Outcome> {
    let message = wire::response(&id, answer);
    closing
        .map(move |closed| match closed {
            Ok(()) => Outcome::Closed(id, session, message),
            Err(error) => Outcome::Refused(id, error),
        })
        .boxed()
}

fn steered(
    id: Id,
    steering: impl Future<Output = HandlerResult<Steered>> + Send + 'static,
) -> BoxFuture<'static, Outcome> {
    answered(id, async move {
        Ok(match steering.await? {
            Steered::Injected => json!({"outcome": "injected"}),
            Steered::Started => json!({"outcome": "startedNewTurn"}),
            Steered::PromptRequired => json!({"outcome": "promptRequired"}),
            Steered::Failed(reason) => json!({"outcome": "failed", "reason": reason}),
        })
    })
}
