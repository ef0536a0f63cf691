//! Handlers of requests that give sessions a client's hooks and tools.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use crate::agent::{ClientCommand, ClientTool, HOOK_TIMEOUT, Hook, Runner, globs_of};
use jsonrpsee::types::ErrorObjectOwned;
use pintle_protocol::error;
use pintle_protocol::hook::{HookPoint, HookRegisterParams, ToolRegisterParams};
use pintle_protocol::methods::Empty;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

type Answer<T> = Result<T, ErrorObjectOwned>;

/// The most hooks and the most tools of a client: a model that is told of more chooses badly.
const MAX_GIVEN: usize = 128;

/// The longest name of a tool that every provider takes.
const MAX_NAME_CHARS: usize = 64;

pub(super) async fn hook_register(
    connection: Arc<Connection>,
    params: HookRegisterParams,
) -> Answer<Empty> {
    let HookRegisterParams { points, tools, timeout_ms, on_failure } = params;
    if points.is_empty() {
        return Err(invalid("`points` is empty", "name at least one, such as beforeToolCall"));
    }
    let of_session = [
        HookPoint::SessionStart,
        HookPoint::SessionFork,
        HookPoint::SessionSwitch,
        HookPoint::SessionEnd,
    ];
    if points.iter().any(|point| of_session.contains(point)) {
        let hint =
            "clients see them as answers and events; a hook of the config file can run there";
        return Err(invalid("no client is asked at sessionStart and sessionEnd", hint));
    }
    let tools = tools.as_deref().map(globs_of).transpose();
    let tools = tools.map_err(|message| invalid(&message, "use names, with * for any text"))?;
    let hook = Hook {
        points,
        tools,
        timeout: timeout_ms.map_or(HOOK_TIMEOUT, Duration::from_millis),
        on_failure,
        runner: Runner::Client(connection.subscriber),
    };
    let given = connection.give(|given| {
        if given.hooks.len() >= MAX_GIVEN {
            return Err(invalid(
                "this connection has too many hooks",
                "register one for several points",
            ));
        }
        given.hooks.push(hook);
        Ok(())
    });
    tell(&connection, given).await
}

pub(super) async fn tool_register(
    connection: Arc<Connection>,
    shape: ToolRegisterParams,
) -> Answer<Empty> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let name = &shape.name;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
        let hint = "use letters, digits, `_` and `-`, at most 64";
        return Err(invalid(&format!("`{name}` is no name for a tool"), hint));
    }
    if shape.description.trim().is_empty() {
        return Err(invalid("`description` is empty", "tell the model what the tool does"));
    }
    if shape.parameters.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        let hint = "send a JSON Schema with \"type\": \"object\"";
        return Err(invalid("`parameters` is no schema of an object", hint));
    }
    let given = connection.give(|given| {
        given.tools.retain(|known| known.shape.name != shape.name);
        if given.tools.len() >= MAX_GIVEN {
            return Err(invalid("this connection has too many tools", "register fewer"));
        }
        let serial = NEXT.fetch_add(1, Ordering::Relaxed);
        given.tools.push(Arc::new(ClientTool { shape, serial }));
        Ok(())
    });
    tell(&connection, given).await
}

/// Tells every session of this connection what the client gives.
async fn tell(
    connection: &Connection,
    given: Answer<Arc<crate::agent::Extensions>>,
) -> Answer<Empty> {
    let given = given?;
    let id = connection.subscriber;
    for session in connection.sessions() {
        let extensions = Arc::clone(&given);
        let told = session.ask(|reply| ClientCommand::Extend { id, extensions, reply }).await;
        // One that was closed meanwhile has no next turn.
        if let Err(error) = told
            && !session.is_closed()
        {
            return Err(refused(error));
        }
    }
    Ok(Empty {})
}

fn invalid(message: &str, hint: &str) -> ErrorObjectOwned {
    error_object(error::INVALID_PARAMS, message, "invalidParams", Some(hint))
}
