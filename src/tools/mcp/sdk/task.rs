//! Tasks, the extension `io.modelcontextprotocol/tasks`: a server answers a call with a task, whose state it is then asked for.

use super::{Abandoned, MAX_ROUNDS, Sdk, Waiting, answers, asked_too_often, failed, in_time};
use crate::mcp::client::{CallRequest, McpClientError, Outcome};
use crate::mcp::convert;
use rmcp::model::{
    CallToolResult, DetailedTask, GetTaskParams, InputRequests, JsonObject, Task, TaskPayload,
    UpdateTaskParams,
};
use rmcp::service::ServiceError;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// The time between two state requests, if the server specifies none.
const INTERVAL: Duration = Duration::from_secs(1);

/// The minimum for that time, regardless of the server.
const MIN_INTERVAL: Duration = Duration::from_millis(50);

/// The maximum for that time, so that a waiting user sees that the work continues.
const MAX_INTERVAL: Duration = Duration::from_secs(30);

impl Sdk {
    /// Follows a task until it ends. The task is cancelled when its result is no longer awaited.
    ///
    /// # Errors
    /// The server or the task failed, or the task did not change for the call's time.
    pub(super) async fn follow(
        &self,
        call: &CallRequest,
        mut task: Task,
    ) -> Result<Outcome, McpClientError> {
        let id = task.task_id.clone();
        let on = Some(Abandoned::Task(id.clone()));
        let waiting = Waiting { cancels: &self.cancels, on };
        let (mut answered, mut rounds) = (BTreeSet::new(), 0);
        let mut deadline = Instant::now() + call.timeout;
        tell(call, None, &task);
        loop {
            tokio::time::sleep_until(deadline.min(Instant::now() + interval(&task))).await;
            let get =
                async { self.peer.get_task(GetTaskParams::new(id.clone())).await.map_err(failed) };
            let DetailedTask { task: now, payload, .. } = in_time(get).await?.task;
            if now.last_updated_at != task.last_updated_at
                || now.status_message != task.status_message
            {
                deadline = Instant::now() + call.timeout;
            }
            tell(call, Some(&task), &now);
            task = now;
            match payload {
                TaskPayload::Completed { result } => {
                    waiting.end();
                    return outcome(result);
                }
                TaskPayload::Failed { error } => {
                    waiting.end();
                    return Err(McpClientError::Said(failure_message(&error)));
                }
                TaskPayload::Cancelled => {
                    waiting.end();
                    return Err(McpClientError::Said("it cancelled the task".to_owned()));
                }
                TaskPayload::InputRequired { input_requests } => {
                    let new = new_questions(input_requests, &answered);
                    if !new.is_empty() {
                        rounds += 1;
                        if rounds > MAX_ROUNDS {
                            return Err(asked_too_often());
                        }
                        answered.extend(new.keys().cloned());
                        let params = UpdateTaskParams::new(id.clone(), answers(call, new).await);
                        let update = async { self.peer.update_task(params).await.map_err(failed) };
                        in_time(update).await?;
                        deadline = Instant::now() + call.timeout;
                    }
                }
                _ => {}
            }
            if Instant::now() >= deadline {
                return Err(McpClientError::Timeout(call.timeout));
            }
        }
    }
}

/// Returns the time until the next question for the state.
fn interval(task: &Task) -> Duration {
    let named = task.poll_interval_ms.map_or(INTERVAL, Duration::from_millis);
    named.clamp(MIN_INTERVAL, MAX_INTERVAL)
}

/// Reports the server's progress message, if it is new.
fn tell(call: &CallRequest, before: Option<&Task>, now: &Task) {
    let Some(message) = &now.status_message else { return };
    if before.is_none_or(|before| before.status_message.as_ref() != Some(message)) {
        // A full channel drops it: progress is transient.
        let _ = call.progress.try_send(format!("{}\n", convert::said(message)));
    }
}

/// Returns those questions that were not answered yet: a server may repeat them until it has read the answer.
fn new_questions(asked: InputRequests, answered: &BTreeSet<String>) -> InputRequests {
    asked.into_iter().filter(|(key, _)| !answered.contains(key)).collect()
}

fn outcome(result: JsonObject) -> Result<Outcome, McpClientError> {
    let result: Result<CallToolResult, _> = serde_json::from_value(Value::Object(result));
    match result {
        Ok(result) => Ok(convert::outcome(result)),
        Err(_) => Err(failed(ServiceError::UnexpectedResponse)),
    }
}

/// Returns the server's message about a failure.
fn failure_message(error: &JsonObject) -> String {
    let message = error.get("message").and_then(Value::as_str);
    convert::said(message.unwrap_or("the task failed"))
}
