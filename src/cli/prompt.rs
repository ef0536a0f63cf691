//! `pintle prompt show`: everything that a new session would send to its model before the first user message, with the size of each part.
//!
//! It does not duplicate the construction of prompts: a session in a temporary directory runs one turn with a scripted model and reports
//! the request.

use crate::cli::args::ShowPrompt;
use crate::cli::{assemble, beside};
use pintle_agent::models::{ModelSource, Models};
use pintle_agent::{
    CreateSession, Engine, EngineHandle, EventSelection, Feed, ModelPolicy, OpenConfig, Services,
    Subscriber, SubscriberId, SubscriptionCommand, TurnCommand,
};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_llm::catalog::Model;
use pintle_llm::script::Script;
use pintle_llm::{Error, ModelRef, Provider};
use pintle_protocol::content::Input;
use pintle_protocol::context::{ContextReadParams, ContextReadResult, ContextTool};
use pintle_protocol::event::Event;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{ContextRead, TurnStart};
use pintle_protocol::models::ModelsListResult;
use pintle_protocol::turn::TurnStartParams;
use pintle_session::context::estimate;
use pintle_session::store::Store;
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The model for which prompts are shown if none is configured.
const ANY_MODEL: &str = "any/model";

/// The known models, and a script that answers in their place.
struct Scripted {
    known: Models,
    script: Arc<dyn Provider>,
}

impl ModelSource for Scripted {
    fn provider(&self, _: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        Ok(Arc::clone(&self.script))
    }

    fn model(&self, model: &ModelRef) -> Option<Model> {
        self.known.model(model)
    }

    fn searches_web(&self, model: &ModelRef) -> bool {
        self.known.searches_web(model)
    }

    fn takes_documents(&self, model: &ModelRef) -> bool {
        self.known.takes_documents(model)
    }

    fn list(&self) -> ModelsListResult {
        self.known.list()
    }
}

/// A part of a system prompt.
struct Part {
    name: String,
    text: String,
}

pub(crate) async fn run(mut wanted: ShowPrompt, ambient: Ambient) -> anyhow::Result<u8> {
    let place = &mut wanted.place;
    place.safety.apply(&mut place.settings)?;
    let mut services = assemble::services(&place.settings, &ambient).await?;
    let named = place.directory.as_deref();
    let env = Arc::clone(&services.env);
    let cwd = assemble::working_folder(&place.settings, &ambient, env.as_ref(), named).await?;
    let folder = pintle_base::private_files::temporary_folder("pintle-prompt-")?;
    stand_in(&mut services, Store::temporary(folder.path()))?;
    let store = services.store.clone();
    let (engine, handle) = Engine::new(services);
    let asked = beside(engine, ask(handle, cwd, wanted.unattended));
    let (id, sent) = asked.await??;
    let parts = parts(&store, &id, sent.system.clone().unwrap_or_default());
    let mut out = screen::out();
    match &wanted.part {
        Some(name) => {
            let Some(text) = one(name, &parts, &sent.tools) else {
                let names = parts.iter().map(|part| part.name.as_str());
                let names: Vec<&str> = names.chain(["tools"]).collect();
                let names = names.join(", ");
                anyhow::bail!("unknown part `{name}`; expected one of {names}, or a tool name")
            };
            writeln!(out, "{text}")?;
        }
        None if wanted.json => writeln!(out, "{}", screen::escaped(&in_json(&parts, &sent.tools)))?,
        None => print(&mut out, &parts, &sent.tools)?,
    }
    Ok(0)
}

/// Replaces the model with a script, and the session store with a temporary directory.
fn stand_in(services: &mut Services, store: Store) -> anyhow::Result<()> {
    let known = services.models.clone();
    let script = Arc::new(Script::from_json(r#"{"replies": [{"blocks": [{"text": "Shown."}]}]}"#)?);
    services.models = Models::new(Scripted { known, script });
    services.store = store;
    services.model_policy =
        ModelPolicy { retry: services.model_policy.retry, ..ModelPolicy::default() };
    services.hooks = Arc::default();
    services.defaults.model.get_or_insert_with(|| ANY_MODEL.to_owned());
    Ok(())
}

/// Runs a turn in a session, and returns the sent context.
async fn ask(
    engine: EngineHandle,
    cwd: PathBuf,
    unattended: bool,
) -> anyhow::Result<(SessionId, ContextReadResult)> {
    let cwd = cwd.to_string_lossy().into_owned();
    let config = OpenConfig::default();
    let session = engine.create(CreateSession { cwd, config, ..CreateSession::default() }).await?;
    let (tx, mut feed) = mpsc::channel::<Feed>(64);
    let subscriber = Subscriber {
        id: SubscriberId(0),
        feed: tx,
        filter: EventSelection::default(),
        can_approve: !unattended,
        can_answer: !unattended,
        extensions: Arc::default(),
        adopt: None,
    };
    session
        .ask(|reply| SubscriptionCommand::Subscribe { subscriber, from_seq: None, reply })
        .await?;
    let drain = async { while feed.recv().await.is_some() {} };
    let turn = async {
        let input = vec![Input::text("Show the prompt.")];
        let start = TurnStartParams { input, ..TurnStartParams::default() };
        session.call::<TurnStart>(start).await?;
        session.ask(|reply| TurnCommand::WhenIdle { reply }).await?;
        session.call::<ContextRead>(ContextReadParams::default()).await
    };
    let sent = tokio::select! {
        sent = turn => sent?,
        () = drain => anyhow::bail!("the session ended before sending a request"),
    };
    let id = session.id.clone();
    engine.shutdown().await;
    Ok((id, sent))
}

/// Divides a system prompt into its parts, as the session's journal has written their sizes down.
fn parts(store: &Store, id: &SessionId, system: String) -> Vec<Part> {
    #[derive(Deserialize)]
    struct Kept {
        sections: Vec<(String, usize)>,
    }
    let opened = store.open(id).map(|opened| opened.entries).unwrap_or_default();
    let kept = opened.into_iter().find_map(|entry| {
        let is_made = entry.record.is_some_and(|it| matches!(it.event, Event::PromptMade(_)));
        serde_json::from_str::<Kept>(entry.private.filter(|_| is_made)?.get()).ok()
    });
    let Some(Kept { sections }) = kept else {
        return vec![Part { name: "system".to_owned(), text: system }];
    };
    let mut rest = system.as_str();
    let mut parts = Vec::new();
    for (name, bytes) in sections {
        let (text, after) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
        rest = after.trim_start_matches('\n');
        parts.push(Part { name, text: text.to_owned() });
    }
    parts
}

/// Returns the text for a part, for all tools, or for one.
fn one(name: &str, parts: &[Part], tools: &[ContextTool]) -> Option<String> {
    if let Some(part) = parts.iter().find(|part| part.name == name) {
        return Some(part.text.clone());
    }
    let all: Vec<String> = tools
        .iter()
        .filter(|tool| name == "tools" || tool.name == name)
        .map(|tool| {
            let schema = serde_json::to_string_pretty(&tool.parameters).unwrap_or_default();
            format!("{}\n{}\n{schema}", tool.name, tool.description)
        })
        .collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

fn tool_tokens(tool: &ContextTool) -> u64 {
    estimate::text(&tool.name)
        + estimate::text(&tool.description)
        + estimate::text(&tool.parameters.to_string())
}

fn in_json(parts: &[Part], tools: &[ContextTool]) -> String {
    let parts = parts.iter().map(
        |part| json!({"name": part.name, "tokens": estimate::text(&part.text), "text": part.text}),
    );
    let parts: Vec<_> = parts.collect();
    let tools = tools.iter().map(|tool| {
        json!({
            "name": tool.name,
            "tokens": tool_tokens(tool),
            "description": tool.description,
            "parameters": tool.parameters,
        })
    });
    let tools: Vec<_> = tools.collect();
    json!({"system": parts, "tools": tools}).to_string()
}

fn print(out: &mut impl Write, parts: &[Part], tools: &[ContextTool]) -> std::io::Result<()> {
    for part in parts {
        writeln!(out, "{}\n", part.text)?;
    }
    writeln!(out, "estimated tokens by part:")?;
    let mut total = 0;
    for part in parts {
        let tokens = estimate::text(&part.text);
        total += tokens;
        writeln!(out, "{tokens:>7}  {}", part.name)?;
    }
    writeln!(out, "{total:>7}  system prompt")?;
    let mut all = 0;
    for tool in tools {
        let tokens = tool_tokens(tool);
        all += tokens;
        writeln!(out, "{tokens:>7}  tool {}", tool.name)?;
    }
    writeln!(out, "{all:>7}  {} tools; `--part tools` prints them", tools.len())
}
