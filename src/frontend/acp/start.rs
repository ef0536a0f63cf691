//! A connection's handshake: the agent's and the client's capabilities. Pure.

use super::translator::Offers;
use super::{KEYS, wire};
use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1 as acp;
use serde_json::{Value, json};

/// Methods of the native protocol that are answered under `_pintle/`. None of them opens or closes a session for this client: a fork is
/// opened with `session/load`.
pub(super) const ENGINE_METHODS: [&str; 31] = [
    "session/events",
    "session/items",
    "session/tree",
    "session/rewind",
    "session/label",
    "session/outline",
    "session/fork",
    "session/merge",
    "session/compact",
    "session/search",
    "session/export",
    "session/update",
    "item/read",
    "blob/read",
    "context/read",
    "checkpoint/list",
    "checkpoint/diff",
    "review/list",
    "review/decide",
    "review/baseline",
    "review/patch",
    "queue/list",
    "queue/update",
    "queue/remove",
    "job/list",
    "job/stop",
    "mcp/list",
    "mcp/update",
    "permission/list",
    "permission/remove",
    "models/list",
];

/// Returns the client's capabilities.
pub(super) fn offers(client: &acp::ClientCapabilities) -> Offers {
    let of_sessions = client.session.as_ref();
    let flag = client.meta.as_ref().and_then(|meta| meta.get("terminal_output"));
    Offers {
        terminal_output: flag.and_then(Value::as_bool).unwrap_or(false),
        notices: of_sessions.is_some_and(|session| session.notices.is_some()),
        compaction: of_sessions.is_some_and(|session| session.compaction.is_some()),
        form: client.elicitation.as_ref().is_some_and(|offer| offer.form.is_some()),
    }
}

/// Returns the agent's capabilities.
pub(super) fn hello() -> acp::InitializeResponse {
    let sessions = acp::SessionCapabilities::new()
        .list(acp::SessionListCapabilities::new())
        .delete(acp::SessionDeleteCapabilities::new())
        .resume(acp::SessionResumeCapabilities::new())
        .close(acp::SessionCloseCapabilities::new())
        .additional_directories(acp::SessionAdditionalDirectoriesCapabilities::new());
    let prompts = acp::PromptCapabilities::new().image(true).embedded_context(true);
    let capabilities = acp::AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .mcp_capabilities(acp::McpCapabilities::new().http(true))
        .session_capabilities(sessions)
        .auth(acp::AgentAuthCapabilities::new().logout(acp::LogoutCapabilities::new()))
        .meta(wire::meta(
            "pintle",
            json!({"methods": ENGINE_METHODS.map(|name| format!("_pintle/{name}"))}),
        ));
    let keys = acp::AuthMethodAgent::new(KEYS, "Provider keys").description(
        "Keys are read from variables such as ANTHROPIC_API_KEY and from pintle's settings, or stored by `pintle login PROVIDER`; `pintle doctor` lists them"
            .to_owned(),
    );
    acp::InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .auth_methods(vec![acp::AuthMethod::Agent(keys)])
        .agent_info(
            acp::Implementation::new("pintle", env!("CARGO_PKG_VERSION"))
                .title("Pintle".to_owned()),
        )
        .meta(wire::meta("steering", json!({"supported": true})))
}
