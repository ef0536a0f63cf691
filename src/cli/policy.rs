//! `pintle policy`: how the permissions decide about a command, about rows in a file, and about a stored session's calls.

use crate::cli::args::{Place, Policy};
use crate::cli::{assemble, sessions};
use anyhow::{Context, bail, ensure};
use pintle_agent::{Explained, PermissionPolicy};
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_base::text::visible::{visible, visible_line};
use pintle_exec::Environment;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::item::ToolCall;
use pintle_session::store::Store;
use pintle_tools::permissions::{Decision, InSandbox};
use pintle_tools::{Access, Folders, PROFILES};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The exit code when a row of a file gets another decision.
const DIFFERS: u8 = 1;

/// The number of events that are read at once.
const PAGE: usize = 500;

/// The maximum size of a file with rows.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

pub(crate) async fn run(task: Policy, ambient: Ambient) -> anyhow::Result<u8> {
    match task {
        Policy::Explain { command, place } => {
            let judge = Judge::new(place, &ambient).await?;
            judge.explain(&command).await
        }
        Policy::Test { file, place } => Judge::new(place, &ambient).await?.test(&file).await,
        Policy::Replay { session, place } => {
            Judge::new(place, &ambient).await?.replay(&session).await
        }
    }
}

struct Judge {
    policy: Arc<PermissionPolicy>,
    env: Arc<dyn Environment>,
    cwd: PathBuf,
    mode: PermissionMode,
    store: Store,
    ambient: Ambient,
}

impl Judge {
    async fn new(mut place: Place, ambient: &Ambient) -> anyhow::Result<Self> {
        place.safety.apply(&mut place.settings)?;
        let services = assemble::services(&place.settings, ambient).await?;
        let cwd = assemble::working_folder(
            &place.settings,
            ambient,
            services.env.as_ref(),
            place.directory.as_deref(),
        )
        .await?;
        let policy = Arc::clone(&services.permissions);
        let mode = policy.default_mode;
        let (env, store, ambient) = (services.env, services.store, ambient.clone());
        Ok(Self { policy, env, cwd, mode, store, ambient })
    }

    async fn decide(&self, tool: &str, access: &Access, cwd: &Path) -> Explained {
        self.policy.explain(self.env.as_ref(), cwd, self.mode, tool, access).await
    }

    async fn command(&self, command: &str) -> Explained {
        self.decide("bash", &Access::Execute(command.to_owned()), &self.cwd).await
    }

    async fn explain(&self, command: &str) -> anyhow::Result<u8> {
        let Explained { verdict, proposed, problems } = self.command(command).await;
        let mut out = screen::out();
        for problem in &problems {
            writeln!(out, "{}\n", visible_line(&problem.message))?;
        }
        writeln!(out, "{}\n", visible(command))?;
        for part in &verdict.parts {
            let reason = if part.reason.is_empty() { &part.by } else { &part.reason };
            let subject = visible_line(&part.subject);
            writeln!(out, "  {:<5}  {subject}: {}", part.decision, visible_line(reason))?;
        }
        writeln!(out, "\n{}: decided by {}", verdict.decision, visible_line(&verdict.by))?;
        if verdict.is_confined() {
            let view = if verdict.in_sandbox == InSandbox::ReadOnly { ", read-only" } else { "" };
            writeln!(out, "runs in the sandbox{view}")?;
        } else if verdict.is_let_out {
            writeln!(out, "runs outside the sandbox")?;
        }
        if !proposed.is_empty() {
            let effect = if verdict.is_confined() {
                "to run it outside the sandbox, add these rules to config.toml:"
            } else {
                "to allow it, add these rules to config.toml:"
            };
            writeln!(out, "{effect}")?;
        }
        for rule in &proposed {
            let text = toml::to_string(rule).unwrap_or_default();
            writeln!(out, "\n[[rules]]\n{}", visible(text.trim_end()))?;
        }
        Ok(0)
    }

    /// Compares the decisions about a file's rows with the expected ones in the rows.
    async fn test(&self, file: &Path) -> anyhow::Result<u8> {
        let text = private_files::read_to_string(file, MAX_BYTES)
            .with_context(|| format!("failed to read {}", file.display()))?;
        let mut out = screen::out();
        let (mut rows, mut wrong) = (0, 0);
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (want, command) = line.split_once(' ').unwrap_or((line, ""));
            let want = match want {
                "allow" => Decision::Allow,
                "ask" => Decision::Ask,
                "deny" => Decision::Deny,
                _ => bail!(
                    "{} line {}: expected `allow`, `ask` or `deny`, then a command",
                    file.display(),
                    at + 1
                ),
            };
            let Explained { verdict, .. } = self.command(command.trim()).await;
            rows += 1;
            if verdict.decision != want {
                wrong += 1;
                let (command, by) = (visible_line(command), visible_line(&verdict.by));
                let decision = verdict.decision;
                writeln!(out, "line {}: {command}: {decision}, expected {want}: {by}", at + 1)?;
            }
        }
        ensure!(rows > 0, "{} has no rows", file.display());
        writeln!(out, "{rows} rows, {wrong} differ")?;
        Ok(if wrong == 0 { 0 } else { DIFFERS })
    }

    /// Prints how today's permissions would have decided about a stored session's calls.
    async fn replay(&self, session: &str) -> anyhow::Result<u8> {
        let id = if session == sessions::LAST {
            sessions::newest(&self.store, &self.cwd)?
        } else {
            sessions::named(&self.store, session, &self.ambient)?
        };
        let tools: Vec<_> = PROFILES.iter().flat_map(|(_, profile)| profile.all()).collect();
        let (mut after, mut cwd) = (0, self.cwd.clone());
        let mut out = screen::out();
        loop {
            let page = self.store.page(&id, after, PAGE)?;
            let before = after;
            for text in &page.events {
                let EventRecord { seq, event, .. } = serde_json::from_str(text.get())?;
                after = seq;
                match &event {
                    Event::SessionCreated(created) => cwd = PathBuf::from(&created.cwd),
                    Event::SessionMoved(moved) => cwd = PathBuf::from(&moved.cwd),
                    _ => {}
                }
                let Event::ItemCompleted { item } = event else { continue };
                let Some(call) = item.body.as_tool_call() else { continue };
                let ToolCall { tool_name, .. } = call;
                let input = call.arguments().cloned().unwrap_or_default();
                let folders = Folders::new(cwd.clone(), self.env.platform());
                let mut found = tools.iter().filter(|tool| tool.name() == tool_name);
                let prepared = found.find_map(|tool| tool.prepare(input.clone(), &folders).ok());
                let title = visible_line(&call.title).into_owned();
                let Some(prepared) = prepared else {
                    writeln!(out, "  ?      {title}: no current tool accepts this call")?;
                    continue;
                };
                let Explained { verdict, .. } =
                    self.decide(tool_name, &prepared.access(), &cwd).await;
                let by = visible_line(&verdict.by).into_owned();
                writeln!(out, "  {:<5}  {title}: {by}", verdict.decision)?;
            }
            if after == before || !page.more {
                break;
            }
        }
        ensure!(after > 0, "session {session} has no events");
        Ok(0)
    }
}
