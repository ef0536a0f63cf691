//! Scripted replies of a model, in one line each.

use pintle_llm::ErrorKind;
use pintle_llm::script::Reply;
use pintle_protocol::content::Usage;
use serde_json::json;

/// A script in one line a reply: `say TEXT`, `think TEXT`, `read F`, `edit F OLD -> NEW`, `write F TEXT`, `bash CMD`,
/// `background CMD`, `job ACTION ID`, `call TOOL JSON`, `gate NAME`, `fail KIND TEXT`, `after MS` (to wait after that failure), `hang`, `used TOKENS`, `cut` (the answer is at its limit), `pause` (the provider paused it), `spawn TASK`, joined with ` + `.
/// Behind `@TASK: ` it is for the sub-agent with that task.
pub(crate) fn replies(text: &str) -> Vec<Reply> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(reply).collect()
}

fn reply(line: &str) -> Reply {
    let (reply, line) = match line.strip_prefix('@').and_then(|line| line.split_once(": ")) {
        Some((task, line)) => (Reply::new().for_conversation(task), line),
        None => (Reply::new(), line),
    };
    line.split(" + ").fold(reply, |reply, part| {
        let (verb, rest) = part.trim().split_once(' ').unwrap_or((part.trim(), ""));
        match verb {
            "say" => reply.text(rest),
            "think" => reply.reasoning(rest),
            "read" => reply.tool("read", json!({ "path": rest })),
            "bash" => reply.tool("bash", json!({ "command": rest })),
            "background" => reply.tool("bash", json!({ "command": rest, "background": true })),
            "job" => {
                let (action, id) = rest.split_once(' ').unwrap_or((rest, ""));
                let id = (!id.is_empty()).then_some(id);
                reply.tool("job", json!({ "action": action, "id": id }))
            }
            "spawn" => reply.tool("spawn_agent", json!({ "task": rest })),
            "gate" => reply.gate(rest),
            "hang" => reply.then_hang(),
            "used" => {
                reply.usage(Usage { input_tokens: rest.parse().unwrap(), ..Usage::default() })
            }
            "cut" => reply.stop(pintle_protocol::event::StopReason::MaxTokens),
            "pause" => reply.stop(pintle_protocol::event::StopReason::Paused),
            "write" => {
                let (path, content) = rest.split_once(' ').unwrap();
                reply.tool("write", json!({ "path": path, "content": content }))
            }
            "edit" => {
                let (path, change) = rest.split_once(' ').unwrap();
                let (old, new) = change.split_once(" -> ").unwrap();
                reply.tool("edit", json!({ "path": path, "oldText": old, "newText": new }))
            }
            "call" => {
                let (tool, arguments) = rest.split_once(' ').unwrap();
                let arguments =
                    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                reply.tool(tool, arguments)
            }
            "fail" => {
                let (kind, message) = rest.split_once(' ').unwrap();
                reply.then_fail(ErrorKind::from_code(kind).unwrap(), message)
            }
            // The provider asks for a wait of so many milliseconds.
            "after" => {
                let mut reply = reply;
                if let Some(error) = &mut reply.error {
                    error.retry_after_ms = Some(rest.parse().unwrap());
                }
                reply
            }
            other => panic!("no reply begins with `{other}`"),
        }
    })
}
