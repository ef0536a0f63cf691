//! The methods of this protocol, each with the handler that answers it.

use super::driver::{Driver, Incoming, Stage};
use super::handlers::{self, HandlerResult, Opened, Opening, Outcome, RequestContext, Setting};
use super::session::OpenSession;
use super::{content, settings, start};
use crate::rpc::{self, error_object, unknown_method};
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_base::transport::envelope::Id;
use pintle_protocol::capability::ClientCapabilities;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

/// The protocol methods that are answered, listed in the message about an unknown one.
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
        while let Some(incoming) = self.lane.next() {
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
                            self.lane.begun();
                            self.running.push(done);
                        }
                        Ok(None) => {}
                        Err(error) => self.refuse(&id, &error),
                    }
                }
            }
        }
    }

    /// Starts a request's handler, or answers the request at once.
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
                self.respond(id, rpc::response(id, &answer));
                return Ok(None);
            }
            "logout" => {
                let _: acp::LogoutRequest = handlers::read(params.as_deref())?;
                self.stage = Stage::LoggedOut;
                self.respond(id, rpc::response(id, &acp::LogoutResponse::new()));
                return Ok(None);
            }
            "session/new" | "session/load" | "session/resume" if self.stage == Stage::LoggedOut => {
                return Err(handlers::auth_required(
                    "the client is logged out",
                    "send `authenticate` first",
                ));
            }
            "session/new" => outcome(request, ctx.new_session(params), opened(Opening::New)),
            "session/load" => {
                self.is_loading = true;
                outcome(request, ctx.load_session(params), opened(Opening::Loaded))
            }
            "session/resume" => {
                self.is_loading = true;
                outcome(request, ctx.resume_session(params), opened(Opening::Resumed))
            }
            "session/list" => outcome(request, ctx.list(params), answered),
            "session/close" => {
                let params: acp::CloseSessionRequest = handlers::read(params.as_deref())?;
                let open = self.open(&params.session_id)?;
                let session = open.handle.id.clone();
                let handle = open.handle.clone();
                let closing = async move {
                    ctx.client.close(&handle).await.map_err(handlers::error_response)
                };
                outcome(request, closing, closed(session, acp::CloseSessionResponse::new()))
            }
            "session/delete" => {
                let params: acp::DeleteSessionRequest = handlers::read(params.as_deref())?;
                let session = SessionId::new(&*params.session_id.0);
                let open = self.sessions.get(&session).map(|open| open.handle.clone());
                let deleting = ctx.delete(session.clone(), open);
                outcome(request, deleting, closed(session, acp::DeleteSessionResponse::new()))
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
                    return Err(rpc::invalid_params(
                        "options are not boolean; send one of the option's values",
                    ));
                };
                let value = value.0.to_string();
                self.set(request, &params.session_id, &params.config_id.0, &value, Setting::Option)?
            }
            "_session/steering" => {
                let target: SessionParams = handlers::read(params.as_deref())?;
                let handle = self.open(&target.session_id)?.handle.clone();
                outcome(request, handlers::steer(handle, params), answered)
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
            let name = Some(client.name.clone()).filter(|name| !name.is_empty());
            self.methods.connection.initialize(name, ClientCapabilities::default());
        }
        self.ctx.offers = start::offers(&params.client_capabilities);
        self.questions.has_forms = self.ctx.offers.form;
        let RequestContext { client, offers, .. } = &self.ctx;
        let editors = client.engine.editors();
        self.editor.connect(editors, client.id, &params.client_capabilities, *offers);
        self.stage = Stage::Ready;
        self.respond(id, rpc::response(id, &start::hello()));
        Ok(())
    }

    fn open(&self, id: &acp::SessionId) -> HandlerResult<&OpenSession> {
        self.sessions.get(&SessionId::new(&*id.0)).ok_or_else(|| {
            let message = format!("session {id} is not open on this connection");
            let hint = "open it with session/load or session/resume";
            rpc::refusal(error::NOT_FOUND, &message, "notFound", hint)
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
        let input = content::input(params.prompt).map_err(|why| rpc::invalid_params(&why))?;
        if let Some(instructions) = content::compaction(&input) {
            let instructions = Some(instructions).filter(|text| !text.is_empty());
            let begun = handlers::compact(handle, instructions);
            return Ok(outcome(id, begun, |id, turn| Outcome::Compacting(id, session, turn)));
        }
        let accepted = handlers::prompt(handle, input, trace);
        Ok(outcome(id, accepted, |id, accepted| Outcome::Prompted(id, session, accepted)))
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
            settings::engine_options(option, value).map_err(|why| rpc::invalid_params(&why))?;
        let session = handle.id.clone();
        let set = async move { handlers::set(&handle, values).await };
        let done = move |id, result| Outcome::Configured(id, session, setting, result);
        Ok(outcome(id, set, done))
    }

    /// Answers an engine method from the native protocol's table.
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
            return Err(rpc::refusal(error::METHOD_NOT_FOUND, &message, "methodNotFound", hint));
        };
        let (_, response) = self.methods.call(id.clone(), name, params, CancellationToken::new());
        Ok(response.map(move |response| Outcome::Response(id, response)).boxed())
    }
}

/// Params with a session id.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionParams {
    session_id: acp::SessionId,
}

/// Converts a handler's result.
fn outcome<T>(
    id: Id,
    handler: impl Future<Output = HandlerResult<T>> + Send + 'static,
    done: impl FnOnce(Id, T) -> Outcome + Send + 'static,
) -> BoxFuture<'static, Outcome> {
    let convert = move |result| match result {
        Ok(result) => done(id, result),
        Err(error) => Outcome::Refused(id, error),
    };
    handler.map(convert).boxed()
}

fn opened(kind: Opening) -> impl FnOnce(Id, Box<Opened>) -> Outcome {
    move |id, opened| Outcome::Opened(id, kind, opened)
}

fn answered(id: Id, answer: impl serde::Serialize) -> Outcome {
    let message = rpc::response(&id, &answer);
    Outcome::Response(id, message)
}

fn closed(session: SessionId, answer: impl serde::Serialize) -> impl FnOnce(Id, ()) -> Outcome {
    move |id, ()| {
        let message = rpc::response(&id, &answer);
        Outcome::Closed(id, session, message)
    }
}
