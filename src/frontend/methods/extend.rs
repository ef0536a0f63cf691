//! Handlers of requests that add a client's hooks and tools to its sessions.

use super::connection::Connection;
use super::refused;
use crate::rpc::HandlerResult;
use crate::rpc::{error_object, invalid};
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{ClientCommand, ClientTool, HOOK_TIMEOUT, Hook, Runner, ToolNames};
use pintle_protocol::error;
use pintle_protocol::hook::{
    HookPoint, HookRegisterParams, ToolRegisterParams, ToolUnregisterParams,
};
use pintle_protocol::methods::Empty;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Maximum number of a client's hooks and of its tools: a model chooses badly among more.
const MAX_EXTENSIONS: usize = 128;

/// The maximum length of a tool's name that every provider accepts.
const MAX_NAME_CHARS: usize = 64;

pub(super) async fn hook_register(
    connection: Arc<Connection>,
    params: HookRegisterParams,
) -> HandlerResult<Empty> {
    let HookRegisterParams { points, tools, timeout_ms, on_failure } = params;
    if points.is_empty() {
        let hint = "specify at least one, such as beforeToolCall";
        return Err(invalid("/points", "`points` is empty", hint.to_owned()));
    }
    let session_points = [
        HookPoint::SessionStart,
        HookPoint::SessionFork,
        HookPoint::SessionSwitch,
        HookPoint::SessionEnd,
    ];
    if points.iter().any(|point| session_points.contains(point)) {
        let hint = "clients receive responses and events for these; a hook in the config file can run there";
        return Err(invalid(
            "/points",
            "clients cannot hook sessionStart, sessionFork, sessionSwitch or sessionEnd",
            hint.to_owned(),
        ));
    }
    let tools = tools.as_deref().map(ToolNames::new).transpose();
    let tools = tools.map_err(|message| {
        invalid("/tools", &message, "use names, with * for any text".to_owned())
    })?;
    let hook = Hook {
        points,
        tools,
        timeout: timeout_ms.map_or(HOOK_TIMEOUT, Duration::from_millis),
        on_failure,
        runner: Runner::Client(connection.client.id),
    };
    let extensions = connection.update_extensions(|extensions| {
        if extensions.hooks.len() >= MAX_EXTENSIONS {
            return Err(too_many("hooks", "register one for several points"));
        }
        extensions.hooks.push(hook);
        Ok(())
    });
    update_sessions(&connection, extensions).await
}

pub(super) async fn tool_register(
    connection: Arc<Connection>,
    shape: ToolRegisterParams,
) -> HandlerResult<Empty> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let name = &shape.name;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
        let hint = "use letters, digits, `_` and `-`, at most 64";
        return Err(invalid("/name", &format!("invalid tool name `{name}`"), hint.to_owned()));
    }
    if shape.description.trim().is_empty() {
        let hint = "describe the tool for the model";
        return Err(invalid("/description", "`description` is empty", hint.to_owned()));
    }
    if shape.parameters.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        let hint = "send a JSON Schema with \"type\": \"object\"";
        return Err(invalid(
            "/parameters",
            "`parameters` is not an object schema",
            hint.to_owned(),
        ));
    }
    let extensions = connection.update_extensions(|extensions| {
        extensions.tools.retain(|tool| tool.shape.name != shape.name);
        if extensions.tools.len() >= MAX_EXTENSIONS {
            return Err(too_many("tools", "register fewer"));
        }
        let serial = NEXT.fetch_add(1, Ordering::Relaxed);
        extensions.tools.push(Arc::new(tool(shape, serial)?));
        Ok(())
    });
    update_sessions(&connection, extensions).await
}

fn tool(shape: ToolRegisterParams, serial: u64) -> HandlerResult<ClientTool> {
    ClientTool::new(shape, serial).map_err(|error| {
        let message = format!("`parameters` is not a valid JSON Schema: {error}");
        invalid("/parameters", &message, "correct the schema".to_owned())
    })
}

pub(super) async fn tool_unregister(
    connection: Arc<Connection>,
    ToolUnregisterParams { name }: ToolUnregisterParams,
) -> HandlerResult<Empty> {
    let extensions = connection.update_extensions(|extensions| {
        let before = extensions.tools.len();
        extensions.tools.retain(|tool| tool.shape.name != name);
        if extensions.tools.len() == before {
            let names = extensions.tools.iter().map(|tool| tool.shape.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            let hint = match names.as_str() {
                "" => "this connection has registered no tools".to_owned(),
                names => format!("the tools of this connection are {names}"),
            };
            let message = format!("unknown tool `{name}`");
            return Err(error_object(error::NOT_FOUND, &message, "notFound", Some(&hint)));
        }
        Ok(())
    });
    update_sessions(&connection, extensions).await
}

/// Passes the client's hooks and tools to every session of this connection.
async fn update_sessions(
    connection: &Connection,
    extensions: HandlerResult<Arc<pintle_agent::Extensions>>,
) -> HandlerResult<Empty> {
    let extensions = extensions?;
    let id = connection.client.id;
    for session in connection.sessions() {
        let extensions = Arc::clone(&extensions);
        let result = session.ask(|reply| ClientCommand::Extend { id, extensions, reply }).await;
        // A session that was closed meanwhile has no next turn.
        if let Err(error) = result
            && !session.is_closed()
        {
            return Err(refused(error));
        }
    }
    Ok(Empty {})
}

/// Returns the error for a registration above the limit, for which no field is at fault.
fn too_many(what: &str, hint: &str) -> ErrorObjectOwned {
    let message = format!("this connection has too many {what}");
    error_object(error::INVALID_PARAMS, &message, "invalidParams", Some(hint))
}
