//! What begins: requests in the order in which they came, each when the one before has been answered.

use super::driver::{Driver, Stage, Wish};
use super::files::Files;
use super::open::Open;
use super::requests::{self, Answer, Done, How, Opened, Setting, Steered};
use super::terminals::Terminals;
use super::{said, settings, start, wire};
use crate::frontend::native::dispatch::error_object;
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use jsonrpsee::types::Id;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use serde_json::json;
use serde_json::value::RawValue;

impl Driver {
    pub(super) fn begin_next(&mut self) {
        while self.busy.is_none()
            && let Some(wish) = self.waiting.pop_front()
        {
            match wish {
                Wish::Cancel(session) => {
                    if let Some(open) = self.sessions.get(&session) {
                        let stopped = requests::interrupt(open.handle.clone()).map(|()| Done::Told);
                        self.running.push(stopped.boxed());
                    }
                }
                Wish::Request { id, method, params } => match self.begin(&id, &method, params) {
                    Ok(Some(done)) => {
                        self.busy = Some(id);
                        self.running.push(done);
                    }
                    Ok(None) => {}
                    Err(error) => self.refuse(&id, &error),
                },
            }
        }
    }

    /// Begins to answer a request, or answers it.
    fn begin(
        &mut self,
        id: &Id<'static>,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Answer<Option<BoxFuture<'static, Done>>> {
        let desk = self.desk.clone();
        let of = id.clone();
        let future = match method {
            "initialize" => {
                self.initialize(id, params.as_deref())?;
                return Ok(None);
            }
            "authenticate" => {
                let answer = desk.authenticate(params.as_deref())?;
                self.stage = Stage::Ready;
                self.answer(id, wire::response(id, &answer));
                return Ok(None);
            }
            "logout" => {
                let _: acp::LogoutRequest = requests::read(params.as_deref())?;
                self.stage = Stage::LoggedOut;
                self.answer(id, wire::response(id, &acp::LogoutResponse::new()));
                return Ok(None);
            }
            "session/new" | "session/load" | "session/resume" if self.stage == Stage::LoggedOut => {
                return Err(requests::auth_required(
                    "the client has logged out",
                    "send `authenticate` first",
                ));
            }
            "session/new" => opened(of, How::New, desk.new_session(params)),
            "session/load" => {
                self.is_loading = true;
                opened(of, How::Loaded, desk.load_session(params))
            }
            "session/resume" => opened(of, How::Resumed, desk.resume_session(params)),
            "session/list" => answered(of, desk.list(params)),
            "session/close" => {
                let params: acp::CloseSessionRequest = requests::read(params.as_deref())?;
                let open = self.open(&params.session_id)?;
                let (session, closing) =
                    (open.handle.id.clone(), requests::close(open.handle.clone()));
                closed(of, session, closing, &acp::CloseSessionResponse::new())
            }
            "session/delete" => {
                let params: acp::DeleteSessionRequest = requests::read(params.as_deref())?;
                let session = SessionId::new(&*params.session_id.0);
                let open = self.sessions.get(&session).map(|open| open.handle.clone());
                let deleting = desk.delete(session.clone(), open);
                closed(of, session, deleting, &acp::DeleteSessionResponse::new())
            }
            "session/prompt" => self.prompt(of, params.as_deref())?,
            "session/set_mode" => {
                let params: acp::SetSessionModeRequest = requests::read(params.as_deref())?;
                self.set(of, &params.session_id, settings::MODE, &params.mode_id.0, Setting::Other)?
            }
            "session/set_model" => {
                #[derive(serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Params {
                    session_id: acp::SessionId,
                    model_id: String,
                }
                let params: Params = requests::read(params.as_deref())?;
                self.set(of, &params.session_id, "model", &params.model_id, Setting::Other)?
            }
            "session/set_config_option" => {
                let params: acp::SetSessionConfigOptionRequest = requests::read(params.as_deref())?;
                let Some(value) = params.value.as_value_id() else {
                    return Err(requests::invalid(
                        "no option here is true or false: send one of its values",
                    ));
                };
                let value = value.0.to_string();
                self.set(of, &params.session_id, &params.config_id.0, &value, Setting::Option)?
            }
            "_session/steering" => {
                let named: Named = requests::read(params.as_deref())?;
                let handle = self.open(&named.session_id)?.handle.clone();
                steered(of, requests::steer(handle, params))
            }
            _ => self.own(of, method, params.as_deref())?,
        };
        Ok(Some(future))
    }

    fn initialize(&mut self, id: &Id<'static>, params: Option<&RawValue>) -> Answer<()> {
        if self.stage != Stage::New {
            let message = "the connection is initialized already";
            return Err(error_object(error::INVALID_REQUEST, message, "alreadyInitialized", None));
        }
        let params: acp::InitializeRequest = requests::read(params)?;
        if let Some(client) = &params.client_info {
            tracing::info!("client {} {}", client.name, client.version);
        }
        self.desk.offers = start::offers(&params.client_capabilities);
        self.asks.has_forms = self.desk.offers.form;
        let fs = &params.client_capabilities.fs;
        let editors = self.desk.engine.editors();
        if let (true, true, Some(documents)) =
            (fs.read_text_file, fs.write_text_file, editors.map(|editors| &editors.documents))
        {
            self.files = Some(Files::connect(documents, self.desk.id.0));
        }
        // What the client draws needs no terminal of its own: the command runs here, where nothing of it is lost.
        let in_terminals = params.client_capabilities.terminal && !self.desk.offers.terminal_output;
        if let (true, Some(editors)) = (self.may_use_terminals && in_terminals, editors) {
            self.terminals = Some(Terminals::new(&editors.terminals));
        }
        self.stage = Stage::Ready;
        self.answer(id, wire::response(id, &start::hello()));
        Ok(())
    }

    fn open(&self, id: &acp::SessionId) -> Answer<&Open> {
        self.sessions.get(&SessionId::new(&*id.0)).ok_or_else(|| {
            let message = format!("session {id} is not open on this connection");
            let hint = Some("open it with session/load or session/resume");
            error_object(error::NOT_FOUND, &message, "notFound", hint)
        })
    }

    fn prompt(
        &self,
        id: Id<'static>,
        params: Option<&RawValue>,
    ) -> Answer<BoxFuture<'static, Done>> {
        let params: acp::PromptRequest = requests::read(params)?;
        let open = self.open(&params.session_id)?;
        let (handle, session) = (open.handle.clone(), open.handle.id.clone());
        let input = said::input(params.prompt).map_err(|why| requests::invalid(&why))?;
        if let Some(instructions) = said::compaction(&input) {
            let instructions = Some(instructions).filter(|text| !text.is_empty());
            let begun = requests::compact(handle, instructions);
            return Ok(begun
                .map(move |begun| match begun {
                    Ok(turn) => Done::Compacting(id, session, turn),
                    Err(error) => Done::Refused(id, error),
                })
                .boxed());
        }
        let accepted = requests::prompt(handle, input);
        Ok(accepted
            .map(move |accepted| match accepted {
                Ok(accepted) => Done::Prompted(id, session, accepted),
                Err(error) => Done::Refused(id, error),
            })
            .boxed())
    }

    fn set(
        &self,
        id: Id<'static>,
        session: &acp::SessionId,
        option: &str,
        value: &str,
        setting: Setting,
    ) -> Answer<BoxFuture<'static, Done>> {
        let handle = self.open(session)?.handle.clone();
        let values = settings::wanted(option, value).map_err(|why| requests::invalid(&why))?;
        Ok(async move {
            match requests::set(&handle, values).await {
                Ok(result) => Done::Configured(id, handle.id.clone(), setting, result),
                Err(error) => Done::Refused(id, error),
            }
        }
        .boxed())
    }

    /// Has the native protocol's table answer one of the engine's own methods.
    fn own(
        &self,
        id: Id<'static>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Answer<BoxFuture<'static, Done>> {
        let own = method.strip_prefix("_pintle/").filter(|own| start::OWN.contains(own));
        let Some(own) = own else {
            let message = format!("there is no method `{method}`");
            let hint =
                Some("`initialize` lists the engine's own under agentCapabilities._meta.pintle");
            return Err(error_object(error::METHOD_NOT_FOUND, &message, "methodNotFound", hint));
        };
        let (_, response) = self.own.1.call(id.clone(), own, params);
        Ok(response.map(move |response| Done::Answer(id, response)).boxed())
    }
}

/// The session that params name.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    session_id: acp::SessionId,
}

fn opened(
    id: Id<'static>,
    how: How,
    opening: impl Future<Output = Answer<Box<Opened>>> + Send + 'static,
) -> BoxFuture<'static, Done> {
    opening
        .map(move |opened| match opened {
            Ok(opened) => Done::Opened(id, how, opened),
            Err(error) => Done::Refused(id, error),
        })
        .boxed()
}

fn answered<R: serde::Serialize>(
    id: Id<'static>,
    answer: impl Future<Output = Answer<R>> + Send + 'static,
) -> BoxFuture<'static, Done> {
    answer
        .map(move |answer| match answer {
            Ok(answer) => {
                let message = wire::response(&id, &answer);
                Done::Answer(id, message)
            }
            Err(error) => Done::Refused(id, error),
        })
        .boxed()
}

fn closed(
    id: Id<'static>,
    session: SessionId,
    closing: impl Future<Output = Answer<()>> + Send + 'static,
    answer: &impl serde::Serialize,
) -> BoxFuture<'static, Done> {
    let message = wire::response(&id, answer);
    closing
        .map(move |closed| match closed {
            Ok(()) => Done::Closed(id, session, message),
            Err(error) => Done::Refused(id, error),
        })
        .boxed()
}

fn steered(
    id: Id<'static>,
    steering: impl Future<Output = Answer<Steered>> + Send + 'static,
) -> BoxFuture<'static, Done> {
    answered(id, async move {
        Ok(match steering.await? {
            Steered::Injected => json!({"outcome": "injected"}),
            Steered::Started => json!({"outcome": "startedNewTurn"}),
            Steered::PromptRequired => json!({"outcome": "promptRequired"}),
            Steered::Failed(reason) => json!({"outcome": "failed", "reason": reason}),
        })
    })
}
