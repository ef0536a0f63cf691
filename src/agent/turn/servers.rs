//! Adds MCP server tools to the model's list when a turn starts.

use crate::host::{TurnHost, uncancelled};
use crate::project::{Personal, ProjectFiles};
use crate::turn::context::{TurnContext, TurnServers, TurnState, Work};
use crate::turn::messages::add_text;
use crate::turn::permit::site::Site;
use crate::turn::permit::{PermissionPolicy, Permissions};
use pintle_exec::Environment;
use pintle_llm::{AssistantBlock, Message};
use pintle_protocol::content::Input;
use pintle_protocol::event::Event;
use pintle_session::context::conversation::{Conversation, from_engine};
use pintle_tools::Tool;
use pintle_tools::mcp::{self, LaunchContext, Looked, Relevance, SharedServers, Sources};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Adds MCP server tools to the turn's list.
pub(super) async fn begin<H: TurnHost>(
    host: &mut H,
    ctx: &mut TurnContext,
    state: &mut TurnState,
    work: &Work,
) {
    let Some(servers) = &ctx.tools.servers else { return };
    let own = Arc::clone(&ctx.tools.list);
    let look = look(ctx, servers, &own, relevance(&state.conversation, work));
    let Some(looked) = host.wait(uncancelled(&ctx.cancel, look)).await else { return };
    let Looked { tools, notices, news } = looked;
    if !tools.is_empty() {
        ctx.tools.list = own.iter().chain(&tools).cloned().collect();
    }
    for notice in notices {
        host.record(Event::Notice(notice));
    }
    if let Some(news) = news {
        add_text(host, ctx, &mut state.conversation, from_engine(news));
    }
}

/// Reports changes of server state to the model and the session's clients.
pub(super) fn tell_changes<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
) {
    let Some(servers) = ctx.tools.servers.as_ref().filter(|servers| servers.session.has_changed())
    else {
        return;
    };
    let Looked { notices, news, .. } = servers.session.look_again();
    for notice in notices {
        host.record(Event::Notice(notice));
    }
    if let Some(news) = news {
        add_text(host, ctx, conversation, from_engine(news));
    }
}

/// Collects the evidence about needed tools from the conversation and the turn's messages.
fn relevance(conversation: &Conversation, work: &Work) -> Relevance {
    let mut called = BTreeSet::new();
    for message in &conversation.messages {
        let Message::Assistant(assistant) = &**message else { continue };
        for block in &assistant.blocks {
            let AssistantBlock::ToolCall { name, arguments, .. } = block else { continue };
            called.insert(name.clone());
            // A tool that was called through `mcp_call`.
            let forwarded = serde_json::from_str::<Value>(arguments).ok();
            let tool = forwarded.as_ref().and_then(|arguments| arguments.get("tool")?.as_str());
            called.extend(tool.map(str::to_owned));
        }
    }
    let inputs = match work {
        Work::Answer(inputs) => inputs.as_slice(),
        Work::Compact(_) | Work::SummarizeBranch(_) => &[],
    };
    let texts = inputs.iter().flat_map(|input| &input.content).filter_map(Input::as_text);
    Relevance { called, message: texts.collect::<Vec<_>>().join("\n") }
}

async fn look(
    ctx: &TurnContext,
    servers: &TurnServers,
    own: &[Arc<dyn Tool>],
    relevance: Relevance,
) -> Looked {
    if servers.session.is_settled() {
        return servers.session.look_again();
    }
    let workspace = &ctx.workspace;
    let cwd = workspace.folders.cwd.as_path();
    let place = ProjectFiles::load(workspace.env.as_ref(), &ctx.prompt.personal, cwd).await;
    let launch = LaunchContext {
        env: Arc::clone(&workspace.env),
        cwd: cwd.to_owned(),
        is_trusted: place.is_trusted,
        confinement: Ok(ctx.permissions.confinement_of_servers(workspace.into()).await),
    };
    let project = place.servers().await;
    servers
        .session
        .settle(Sources {
            shared: &servers.shared,
            project,
            given: &servers.given,
            launch,
            taken: own.iter().map(|tool| tool.name().to_owned()).collect(),
            allowed: servers.allowed.clone(),
            relevance,
        })
        .await
}

/// Returns the MCP servers that a session in this directory would have by default, not started yet, and the problems with others.
pub(crate) async fn of_folder(
    shared: &SharedServers,
    env: &Arc<dyn Environment>,
    personal: &Personal,
    policy: &Arc<PermissionPolicy>,
    cwd: &Path,
) -> (Vec<Arc<mcp::Server>>, Vec<String>) {
    let home = env.platform().home.as_deref();
    let site = Site { env: env.as_ref(), cwd, additional: &[], home, artifacts: None };
    let permissions = Permissions::new(policy.default_mode, Arc::clone(policy));
    let place = ProjectFiles::load(env.as_ref(), personal, cwd).await;
    let launch = LaunchContext {
        env: Arc::clone(env),
        cwd: cwd.to_owned(),
        is_trusted: place.is_trusted,
        confinement: Ok(permissions.confinement_of_servers(site).await),
    };
    let project = place.servers().await;
    mcp::found(shared, &project, &launch)
}
