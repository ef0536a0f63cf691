//! The server that the SDK runs: tools, tasks, and task questions, in the way of each protocol version.
//!
//! Up to 2025-11-25 the server asks its client while a call runs. From 2026-07-28 on a call returns its questions, and the client calls
//! again with the answers; or the call returns a task at once, for clients that follow tasks.

use super::forms;
use super::tasks::{self, State, Task};
use super::tools::{self, Call, Start, Steer};
use crate::client::UserQuestion;
use crate::connection::until;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::{CreateSession, EngineHandle, Error, NewFolder, OpenConfig, SessionHandle};
use pintle_protocol::content::Input;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{ReviewPatch, TurnSteerParams};
use pintle_protocol::review::ReviewPatchParams;
use pintle_protocol::run::{RunResult, RunStatus};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    CreateTaskResult, DetailedTask, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ErrorData, GetTaskParams, GetTaskResult, Implementation,
    InputRequest, InputRequests, InputRequiredResult, InputResponses, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities,
    ServerConfig, Task as ToldTask, TaskPayload, TaskStatus, Tool, ToolAnnotations,
    UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// The maximum number of tasks that run at a time.
const MAX_RUNNING: usize = 32;

/// The suggested interval for polling a task's state, in milliseconds.
const POLL_INTERVAL_MS: u64 = 1000;

/// The description for the client's model.
const INSTRUCTIONS: &str = "pintle is a coding agent. start_task gives it a task in a directory and returns its answer; its session can be continued. The user configures which actions it may take without asking.";

/// The server of one connection.
#[derive(Debug)]
pub(super) struct Server {
    engine: EngineHandle,
    /// The working directory. Tasks work there or below.
    cwd: PathBuf,
    /// Takes what follows each task.
    begun: mpsc::Sender<BoxFuture<'static, ()>>,
    /// The last task of each session.
    tasks: watch::Sender<BTreeMap<String, Arc<Task>>>,
}

/// A request's client.
#[derive(Debug, Clone, Copy)]
struct Client {
    /// True if it can ask its user.
    can_ask: bool,
    /// True if it must not be asked while a call runs.
    calls_again: bool,
    /// True if it follows tasks.
    follows_tasks: bool,
}

impl Client {
    fn from_context(context: &RequestContext<RoleServer>) -> Self {
        let capabilities = context.client_capabilities().unwrap_or_default();
        let version = context.protocol_version();
        let calls_again = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        Self {
            can_ask: capabilities.elicitation.is_some(),
            calls_again,
            follows_tasks: calls_again && capabilities.supports_tasks(),
        }
    }
}

/// The end of waiting for a task.
enum Waited {
    /// The task has ended, or the deadline has passed.
    State(State),
    /// The client is asked first.
    Asks(InputRequiredResult),
}

impl Server {
    pub(super) fn new(
        engine: EngineHandle,
        cwd: PathBuf,
        begun: mpsc::Sender<BoxFuture<'static, ()>>,
    ) -> Self {
        Self { engine, cwd, begun, tasks: watch::Sender::default() }
    }

    fn task(&self, id: &str) -> Option<Arc<Task>> {
        self.tasks.borrow().get(id).cloned()
    }

    fn named(&self, id: &str) -> Result<Arc<Task>, String> {
        self.task(id).ok_or_else(|| format!("no task of this connection uses the session `{id}`"))
    }

    /// Opens the session that a task names, or creates one.
    async fn session(&self, wanted: &Start) -> Result<SessionHandle, String> {
        let config =
            OpenConfig { model: wanted.model.clone(), mode: wanted.mode, ..OpenConfig::default() };
        if let Some(id) = &wanted.session {
            if wanted.directory.is_some() {
                return Err("a session keeps its directory: omit `directory`".to_owned());
            }
            let id = SessionId::new(id.as_str());
            let known = self.engine.store().entries(&id).map_err(|error| error.to_string())?;
            let cwd = &known.header().cwd;
            // If the directory is gone, the session continues in the server's.
            if self.engine.canonicalize(Path::new(cwd)).await.is_ok() {
                self.inside(cwd).await?;
            }
            let config = OpenConfig { cwd: Some(NewFolder::IfGone(self.cwd.clone())), ..config };
            return self.engine.open(id, config).await.map_err(|error| describe_error(&error));
        }
        let cwd = match &wanted.directory {
            None => self.cwd.clone(),
            Some(directory) => self.inside(directory).await?,
        };
        let cwd = cwd.to_string_lossy().into_owned();
        let create = CreateSession { cwd, config, ..CreateSession::default() };
        self.engine.create(create).await.map_err(|error| describe_error(&error))
    }

    /// Resolves a directory, which must be the server's or below.
    async fn inside(&self, directory: &str) -> Result<PathBuf, String> {
        let (cwd, path) = (self.engine.canonicalize(&self.cwd), self.cwd.join(directory));
        let cwd = cwd.await.map_err(|error| describe_error(&error))?;
        let path = self.engine.canonicalize(&path).await.map_err(|error| describe_error(&error))?;
        if !path.starts_with(&cwd) {
            return Err(format!(
                "`{directory}` is outside the server's directory, {}: start another server there",
                cwd.display()
            ));
        }
        Ok(path)
    }

    async fn start(&self, wanted: &Start, client: Client) -> Result<Arc<Task>, String> {
        let running = {
            let tasks = self.tasks.borrow();
            tasks.values().filter(|task| task.state().borrow().result.is_none()).count()
        };
        if running >= MAX_RUNNING {
            return Err(format!(
                "{MAX_RUNNING} tasks are already running: wait for one, or stop it"
            ));
        }
        let session = self.session(wanted).await?;
        let prompt = wanted.prompt.clone();
        let started = tasks::start(&self.engine, session, prompt, client.can_ask).await;
        let (task, following) = started.map_err(|error| describe_error(&error))?;
        let task = Arc::new(task);
        let id = task.id().to_owned();
        self.tasks.send_modify(|tasks| drop(tasks.insert(id, Arc::clone(&task))));
        // After the connection has ended, it has no receiver; the engine stops the turn then.
        let _ = self.begun.send(following.boxed()).await;
        Ok(task)
    }

    /// Waits for a task's end, reports its progress, and has the client put its questions to the user.
    async fn wait(
        &self,
        task: &Task,
        deadline: Option<Instant>,
        client: Client,
        context: &RequestContext<RoleServer>,
    ) -> Result<Waited, ErrorData> {
        let mut changes = task.state();
        let token = context.meta.get_progress_token();
        let mut told = 0;
        loop {
            let state = changes.borrow_and_update().clone();
            if let Some(token) = token.clone().filter(|_| state.lines > told) {
                told = state.lines;
                #[expect(clippy::cast_precision_loss, reason = "it counts lines")]
                let params = ProgressNotificationParam::new(token, told as f64)
                    .with_message(state.line.clone());
                // A client that is gone is noticed elsewhere.
                let _ = context.peer.notify_progress(params).await;
            }
            if state.result.is_some() {
                return Ok(Waited::State(state));
            }
            if let Some((of, asked)) = state.asked.first().filter(|_| client.can_ask) {
                if client.calls_again {
                    return Ok(Waited::Asks(asks(task, &state)?));
                }
                let content = tokio::select! {
                    () = context.ct.cancelled() => return Ok(Waited::State(state)),
                    () = gone(&mut changes, asked) => continue,
                    content = elicit(context, asked) => content,
                };
                tasks::answer(of, asked, content.as_ref()).await;
                gone(&mut changes, asked).await;
                continue;
            }
            tokio::select! {
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Ok(Waited::State(state));
                    }
                }
                () = context.ct.cancelled() => return Ok(Waited::State(state)),
                () = until(deadline) => return Ok(Waited::State(state)),
            }
        }
    }

    /// Passes a repeated call's answers to the task that asked.
    async fn answered(&self, task: &Task, responses: InputResponses) {
        let asked = task.state().borrow().asked.clone();
        for (key, response) in responses {
            let Some((of, asked)) = asked.iter().find(|(_, asked)| asked.id() == key) else {
                continue;
            };
            let result: Option<ElicitResult> = serde_json::from_value(response).ok();
            tasks::answer(of, asked, result.and_then(accepted).as_ref()).await;
            gone(&mut task.state(), asked).await;
        }
    }

    async fn call(
        &self,
        call: Call,
        again: Option<(String, InputResponses)>,
        client: Client,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<CallToolResponse, String>, ErrorData> {
        let deadline = match &call {
            Call::Result(waiting) => {
                Some(Instant::now() + Duration::from_secs(waiting.wait_seconds))
            }
            _ => None,
        };
        let is_start = matches!(call, Call::Start(_));
        let task = match (&call, again) {
            (Call::Start(_) | Call::Result(_), Some((id, responses))) => {
                let task = match self.named(&id) {
                    Ok(task) => task,
                    Err(error) => return Ok(Err(error)),
                };
                self.answered(&task, responses).await;
                task
            }
            (Call::Start(wanted), None) => match self.start(wanted, client).await {
                Ok(task) if client.follows_tasks => {
                    let told = wire_task(&task, &task.state().borrow());
                    return Ok(Ok(CallToolResponse::Task(CreateTaskResult::new(told))));
                }
                Ok(task) if wanted.background => {
                    let state = task.state().borrow().clone();
                    return Ok(Ok(shown(&task, &state).into()));
                }
                Ok(task) => task,
                Err(error) => return Ok(Err(error)),
            },
            (Call::Result(waiting), None) => match self.named(&waiting.session) {
                Ok(task) => task,
                Err(error) => return Ok(Err(error)),
            },
            (Call::Steer(steer), _) => return Ok(self.steer(steer).await.map(done)),
            (Call::Stop(named), _) => return Ok(self.stop(&named.session).await.map(done)),
            (Call::Patch(named), _) => return Ok(self.patch(&named.session).await.map(done)),
        };
        let waited = self.wait(&task, deadline, client, context).await?;
        if is_start && context.ct.is_cancelled() {
            // Cancelling a call also ends its task.
            let _ = task.stop().await;
        }
        Ok(Ok(match waited {
            Waited::Asks(asks) => CallToolResponse::InputRequired(asks),
            Waited::State(state) => shown(&task, &state).into(),
        }))
    }

    async fn steer(&self, Steer { session, message }: &Steer) -> Result<String, String> {
        let task = self.named(session)?;
        let steer = TurnSteerParams {
            expected_turn_id: Some(task.turn.clone()),
            input: vec![Input::text(message.clone())],
            ..TurnSteerParams::default()
        };
        match task.session.steer(steer).await {
            Ok(Some(_)) => Ok("The task reads it before its next step.".to_owned()),
            Ok(None) => {
                Err("the task has ended: continue with start_task and its session".to_owned())
            }
            Err(error) => Err(describe_error(&error)),
        }
    }

    async fn stop(&self, session: &str) -> Result<String, String> {
        let task = self.named(session)?;
        if task.state().borrow().result.is_some() {
            return Ok("The task has already ended.".to_owned());
        }
        task.stop().await.map_err(|error| describe_error(&error))?;
        let mut changes = task.state();
        // With the task's end its channel is closed.
        let _ = changes.wait_for(|state| state.result.is_some()).await;
        Ok("The task was stopped. Its changes are kept: task_patch returns them.".to_owned())
    }

    async fn patch(&self, session: &str) -> Result<String, String> {
        let task = self.named(session)?;
        let patch = task.session.call::<ReviewPatch>(ReviewPatchParams::default()).await;
        let patch = patch.map_err(|error| describe_error(&error))?;
        let left_out = patch.left_out.iter().map(|path| {
            format!("Not in the patch, since outside the session's directory: {path}\n")
        });
        let left_out: String = left_out.collect();
        if patch.text.is_empty() {
            return Ok(format!("{left_out}Nothing changed."));
        }
        Ok(format!("{left_out}{}", patch.text))
    }
}

/// Waits until a question is not open any more.
async fn gone(changes: &mut watch::Receiver<State>, asked: &UserQuestion) {
    let is_gone = |state: &State| !state.asked.iter().any(|(_, known)| known.id() == asked.id());
    // With the task's end its channel is closed.
    let _ = changes.wait_for(is_gone).await;
}

/// Asks the client's user. Returns the form's values if it was accepted.
async fn elicit(context: &RequestContext<RoleServer>, asked: &UserQuestion) -> Option<Value> {
    let form = form(asked).ok()?;
    let result = context.peer.create_elicitation(form).await;
    // A client that turns out unable to ask counts as no answer.
    result.ok().and_then(accepted)
}

fn accepted(result: ElicitResult) -> Option<Value> {
    match result.action {
        ElicitationAction::Accept => result.content,
        _ => None,
    }
}

fn form(asked: &UserQuestion) -> Result<ElicitRequestParams, ErrorData> {
    let schema = ElicitationSchema::from_json_schema(forms::schema(asked));
    let schema = schema.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: forms::message(asked),
        requested_schema: schema,
    })
}

/// Returns a task's questions as requests to its client.
fn requests(state: &State) -> Result<InputRequests, ErrorData> {
    let mut requests = InputRequests::new();
    for (_, asked) in &state.asked {
        let request = InputRequest::Elicitation(ElicitRequest::new(form(asked)?));
        requests.insert(asked.id().to_owned(), request);
    }
    Ok(requests)
}

fn asks(task: &Task, state: &State) -> Result<InputRequiredResult, ErrorData> {
    Ok(InputRequiredResult::new(Some(requests(state)?), Some(task.id().to_owned())))
}

/// Describes an error for the client's model.
fn describe_error(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message.clone(),
    }
}

fn done(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// Returns a task's state as a result.
fn shown(task: &Task, state: &State) -> CallToolResult {
    let Some(result) = &state.result else {
        let mut asked = state.asked.iter().map(|(_, asked)| forms::title(asked)).peekable();
        let mut text = format!("The task is running in session {}.", task.id());
        if !state.line.is_empty() {
            text = format!("{text}\n{}", state.line);
        }
        if asked.peek().is_some() {
            let waits: Vec<&str> = asked.collect();
            text = format!("{text}\nIt is waiting for the user's answer: {}", waits.join("; "));
        }
        let value = json!({"state": "running", "sessionId": task.id(), "progress": state.line});
        let mut shown = CallToolResult::success(vec![ContentBlock::text(text)]);
        shown.structured_content = Some(value);
        return shown;
    };
    let mut value = serde_json::to_value(&**result).unwrap_or_default();
    if let Some(value) = value.as_object_mut() {
        value.insert("state".to_owned(), json!("ended"));
    }
    let content = vec![ContentBlock::text(ended(result))];
    let mut shown = match result.status {
        RunStatus::Failed | RunStatus::Interrupted => CallToolResult::error(content),
        RunStatus::Success | RunStatus::Denied | RunStatus::Unchanged | RunStatus::Limit => {
            CallToolResult::success(content)
        }
    };
    shown.structured_content = Some(value);
    shown
}

/// Describes a task's end: its answer, then other facts that the client's model needs.
fn ended(result: &RunResult) -> String {
    let mut parts = Vec::new();
    if !result.text.is_empty() {
        parts.push(result.text.clone());
    }
    if let Some(error) = &result.error {
        let hint = error.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
        parts.push(format!("[The task failed: {}{hint}]", error.message));
    } else if result.status != RunStatus::Success {
        parts.push(format!("[The task ended early: {}]", result.stop));
    }
    for denial in &result.denials {
        parts.push(format!("[Denied: {}]", denial.title));
    }
    if !result.changes.files.is_empty() {
        let RunResult { changes, .. } = result;
        parts.push(format!(
            "[Changed, +{} -{} lines: {}]",
            changes.added,
            changes.removed,
            changes.files.join(", ")
        ));
    }
    let session = result.session_id.as_ref().map(SessionId::as_str).unwrap_or_default();
    parts.push(format!("[Session {session}]"));
    parts.join("\n")
}

/// Converts a task to the task extension's format.
fn wire_task(task: &Task, state: &State) -> ToldTask {
    let status = match &state.result {
        None if state.asked.is_empty() => TaskStatus::Working,
        None => TaskStatus::InputRequired,
        Some(result) if result.status == RunStatus::Interrupted => TaskStatus::Cancelled,
        Some(_) => TaskStatus::Completed,
    };
    let told = ToldTask::new(task.id(), status, time(task.began_ms), time(state.changed_ms))
        .with_poll_interval_ms(POLL_INTERVAL_MS);
    if state.line.is_empty() { told } else { told.with_status_message(state.line.clone()) }
}

/// Formats a time for clients.
fn time(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).unwrap_or_default().to_string()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        let mut config = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        config.server_info = Implementation::new("pintle", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::all().into_iter().map(|shape| {
            let hints = ToolAnnotations::new().read_only(shape.is_read_only);
            Tool::new(shape.name, shape.description, Arc::new(shape.schema)).annotate(hints)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments: Map<String, Value> = request.arguments.unwrap_or_default();
        let Some(call) = tools::read(&request.name, arguments) else {
            let known: Vec<&str> = tools::all().iter().map(|shape| shape.name).collect();
            let message =
                format!("unknown tool `{}`; expected one of {}", request.name, known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let client = Client::from_context(&context);
        let again = request.request_state.zip(request.input_responses);
        let outcome = match call {
            Ok(call) => self.call(call, again, client, &context).await?,
            Err(error) => Err(error),
        };
        Ok(outcome
            .unwrap_or_else(|error| CallToolResult::error(vec![ContentBlock::text(error)]).into()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.known(&request.task_id)?;
        let state = task.state().borrow().clone();
        let told = wire_task(&task, &state);
        let payload = match told.status {
            TaskStatus::InputRequired => {
                TaskPayload::InputRequired { input_requests: requests(&state)? }
            }
            TaskStatus::Completed => {
                let result = serde_json::to_value(shown(&task, &state)).unwrap_or_default();
                let result = result.as_object().cloned().unwrap_or_default();
                TaskPayload::Completed { result }
            }
            TaskStatus::Cancelled => TaskPayload::Cancelled,
            _ => TaskPayload::Working,
        };
        Ok(GetTaskResult::new(DetailedTask::new(told, payload)))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let task = self.known(&request.task_id)?;
        self.answered(&task, request.input_responses).await;
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let task = self.known(&request.task_id)?;
        task.stop().await.map_err(|error| ErrorData::internal_error(describe_error(&error), None))
    }
}

impl Server {
    fn known(&self, id: &str) -> Result<Arc<Task>, ErrorData> {
        self.named(id).map_err(|error| ErrorData::invalid_params(error, None))
    }
}
