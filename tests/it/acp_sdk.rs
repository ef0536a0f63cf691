//! The client of the Rust SDK of the Agent Client Protocol, which nobody here wrote, drives the real program.

use crate::support::HANG;
use crate::support::acp::{bash, said, script};
use crate::support::program::Place;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, ListSessionsRequest, LoadSessionRequest, NewSessionRequest,
    PermissionOptionKind, PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification, SessionUpdate,
    StopReason, TextContent,
};
use agent_client_protocol::{AcpAgent, Agent};
use std::sync::{Arc, Mutex};

fn line(update: &SessionUpdate) -> Option<String> {
    let said = |block: &ContentBlock| {
        let ContentBlock::Text(text) = block else { panic!("{block:?}") };
        text.text.clone()
    };
    Some(match update {
        SessionUpdate::UserMessageChunk(chunk) => format!("user {}", said(&chunk.content)),
        SessionUpdate::AgentMessageChunk(chunk) => format!("agent {}", said(&chunk.content)),
        SessionUpdate::ToolCall(call) => format!("call {:?}", call.kind),
        SessionUpdate::ToolCallUpdate(call) => format!("call {:?}", call.fields.status?),
        _ => return None,
    })
}

#[test]
fn the_rust_client_prompts_permits_lists_and_loads() {
    let place = Place::new(&[]);
    let replies = place.script(&script(&[bash("echo hi > made.txt"), said("It is made.")]));
    let home = place.home().display().to_string();
    let program = env!("CARGO_BIN_EXE_pintle");
    let command = [
        "env",
        &format!("PINTLE_HOME={home}"),
        "PINTLE_RETRIES=0",
        program,
        "acp",
        "--permission",
        "ask",
        "--script",
        &replies,
    ];
    let agent = AcpAgent::from_args(command.map(str::to_owned)).unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let (hears, cwd) = (Arc::clone(&told), place.project());
    let take = {
        let told = Arc::clone(&told);
        move || std::mem::take(&mut *told.lock().unwrap()).join("\n")
    };
    let client = agent_client_protocol::Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _connection| {
                hears.lock().unwrap().extend(line(&notification.update));
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| {
                let once = |kind: PermissionOptionKind| kind == PermissionOptionKind::AllowOnce;
                let option = request.options.iter().find(|option| once(option.kind)).unwrap();
                let chosen = SelectedPermissionOutcome::new(option.option_id.clone());
                let outcome = RequestPermissionOutcome::Selected(chosen);
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(agent, |connection: ConnectionTo<Agent>| async move {
            let hello = InitializeRequest::new(ProtocolVersion::V1);
            let hello = connection.send_request(hello).block_task().await?;
            assert_eq!(hello.agent_info.unwrap().name, "pintle");
            let new = NewSessionRequest::new(cwd.clone());
            let session = connection.send_request(new).block_task().await?.session_id;
            let words = vec![ContentBlock::Text(TextContent::new("make it"))];
            let prompt = PromptRequest::new(session.clone(), words);
            let answer = connection.send_request(prompt).block_task().await?;
            assert_eq!(answer.stop_reason, StopReason::EndTurn);
            let live = take();
            let list = connection.send_request(ListSessionsRequest::new()).block_task().await?;
            assert_eq!(list.sessions.len(), 1);
            let load = LoadSessionRequest::new(session, cwd);
            connection.send_request(load).block_task().await?;
            Ok((live, take()))
        });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (live, replayed) =
        runtime.block_on(async { tokio::time::timeout(HANG, client).await }).unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(place.path("made.txt")).unwrap(), "hi\n");
    for (what, heard) in [("live", live), ("replayed", replayed)] {
        assert!(heard.contains("call Execute"), "{what}: {heard}");
        assert!(heard.contains("agent It is made."), "{what}: {heard}");
    }
}
