//! The tools that clients see, and their arguments. Pure.

use pintle_protocol::plan::WorkMode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The longest time that a call waits for a result, in seconds.
const MAX_WAIT_S: u64 = 3600;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    /// Start a task.
    Start(Start),
    /// Wait for its result.
    Result(Waiting),
    /// Send a message to the running task.
    Steer(Steer),
    /// Stop it.
    Stop(Named),
    /// Read the task's changes, as a patch.
    Patch(Named),
}

/// The arguments of `start_task`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Start {
    pub(super) prompt: String,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) directory: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) mode: Option<WorkMode>,
    #[serde(default)]
    pub(super) background: bool,
}

/// The arguments of `task_result`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Waiting {
    pub(super) session: String,
    #[serde(default)]
    pub(super) wait_seconds: u64,
}

/// The arguments of `steer_task`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Steer {
    pub(super) session: String,
    pub(super) message: String,
}

/// Arguments for a tool that takes only a task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Named {
    pub(super) session: String,
}

/// Reads a call. `None` is an unknown tool.
///
/// # Errors
/// Words for the model: an argument is missing or wrong.
pub(super) fn read(tool: &str, arguments: Map<String, Value>) -> Option<Result<Call, String>> {
    let arguments = Value::Object(arguments);
    Some(match tool {
        "start_task" => typed(arguments).map(Call::Start),
        "task_result" => typed::<Waiting>(arguments).and_then(|waiting| {
            if waiting.wait_seconds > MAX_WAIT_S {
                return Err(format!("`waitSeconds` must be at most {MAX_WAIT_S}"));
            }
            Ok(Call::Result(waiting))
        }),
        "steer_task" => typed(arguments).map(Call::Steer),
        "stop_task" => typed(arguments).map(Call::Stop),
        "task_patch" => typed(arguments).map(Call::Patch),
        _ => return None,
    })
}

fn typed<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(arguments)
        .map_err(|error| format!("invalid arguments: {error}"))
}

/// A tool, as clients see it.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) schema: Map<String, Value>,
    /// True if it changes nothing.
    pub(super) is_read_only: bool,
}

/// Returns all tools, in order.
pub(super) fn all() -> Vec<Shape> {
    let session = json!({"type": "string", "description": "The task's session id, as returned by start_task."});
    let shape = |name, description, properties: Value, required: &[&str], is_read_only| {
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        Shape { name, description, schema, is_read_only }
    };
    vec![
        shape(
            "start_task",
            "Runs a task with pintle, a coding agent that works independently in a directory: it reads and edits files and runs commands there, within its permissions. Returns its answer and the changed files when it is done, or immediately with `background`. If a call requires permission, the user is asked through this client, if it supports that.",
            json!({
                "prompt": {"type": "string", "description": "The task, with all relevant information."},
                "session": {"type": "string", "description": "The session id of an earlier task to continue. A new session by default."},
                "directory": {"type": "string", "description": "The absolute path of the working directory; the server's by default."},
                "model": {"type": "string", "description": "The model, as PROVIDER/NAME; the configured one by default."},
                "mode": {"type": "string", "enum": ["act", "plan"], "description": "plan: it only reads, and answers with a plan."},
                "background": {"type": "boolean", "description": "Return immediately; task_result waits for the end. False by default."},
            }),
            &["prompt"],
            false,
        ),
        shape(
            "task_result",
            "Returns a task's state: its current activity and open questions, or its result once it has ended. Waits up to `waitSeconds` for the end, and forwards its questions to the user in the meantime.",
            json!({
                "session": session,
                "waitSeconds": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_S, "description": "0 by default."},
            }),
            &["session"],
            true,
        ),
        shape(
            "steer_task",
            "Sends a message to a running task, which reads it before its next step.",
            json!({"session": session, "message": {"type": "string"}}),
            &["session", "message"],
            false,
        ),
        shape(
            "stop_task",
            "Stops a running task. Its changes are kept.",
            json!({"session": session}),
            &["session"],
            false,
        ),
        shape(
            "task_patch",
            "Returns all changes by the session's tasks as a patch for `git apply`.",
            json!({"session": session}),
            &["session"],
            true,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_wrong_ones_are_named() {
        let ok = |tool: &str, arguments: Value| {
            read(tool, arguments.as_object().cloned().unwrap()).unwrap().map(drop)
        };
        assert!(read("shell", Map::new()).is_none());
        for (tool, arguments, want) in [
            ("start_task", json!({"prompt": "x"}), ""),
            ("start_task", json!({"prompt": "x", "mode": "plan", "background": true}), ""),
            ("start_task", json!({}), "missing field `prompt`"),
            ("start_task", json!({"prompt": 1}), "prompt: invalid type"),
            ("start_task", json!({"prompt": "x", "mode": "fast"}), "mode: unknown variant"),
            ("start_task", json!({"prompt": "x", "cwd": "/"}), "unknown field `cwd`"),
            ("task_result", json!({"session": "s", "waitSeconds": 60}), ""),
            ("task_result", json!({"session": "s", "waitSeconds": 4000}), "at most 3600"),
            (
                "task_result",
                json!({"session": "s", "waitSeconds": -1}),
                "waitSeconds: invalid value",
            ),
            ("steer_task", json!({"session": "s"}), "missing field `message`"),
            ("stop_task", json!({"session": "s"}), ""),
            ("task_patch", json!({"session": "s"}), ""),
        ] {
            let got = ok(tool, arguments.clone()).err().unwrap_or_default();
            assert_eq!(got.is_empty(), want.is_empty(), "{tool} {arguments}: {got}");
            assert!(got.contains(want), "{tool} {arguments}: {got}");
        }
    }

    #[test]
    fn each_tool_that_is_listed_is_read() {
        for shape in all() {
            let required = shape.schema["required"].as_array().unwrap().iter();
            let arguments = required.map(|name| (name.as_str().unwrap().to_owned(), json!("x")));
            assert!(read(shape.name, arguments.collect()).unwrap().is_ok(), "{}", shape.name);
        }
    }
}
