//! Hooks: programs and clients that are asked at points of the engine's work.
//!
//! What comes of an answer is decided in `decide`; this is the one place that runs them. They run in order: those of the config file as
//! written, then those of clients. The first denial ends the round. A hook that fails is told of as a notice and holds nothing up but what its
//! setting says. Whatever waits for a hook races the turn's cancellation.

pub(super) mod decide;
pub(super) mod points;

use super::client_calls::ClientCalls;
use super::feed::SubscriberId;
use crate::exec::{Environment, Filter};
use decide::Ruling;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::hook::{HookAnswer, HookPoint, HookRun, OnFailure};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a hook may take, where nobody says.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

/// The most that a hook may print: an answer holds at most a file.
const MAX_ANSWER_BYTES: u64 = 16 * 1024 * 1024;

/// How much of what a hook complains is told.
const MAX_COMPLAINT_CHARS: usize = 500;

/// A hook.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Where it runs.
    pub points: Vec<HookPoint>,
    /// Only for calls of these tools.
    pub tools: Option<GlobSet>,
    /// How long it may take.
    pub timeout: Duration,
    /// What holds when it fails.
    pub on_failure: OnFailure,
    /// What it is.
    pub runner: Runner,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runner {
    /// A command of the user, on this machine.
    Command(String),
    /// A client.
    Client(SubscriberId),
}

/// A matcher for names of tools, or for paths.
///
/// # Errors
/// A pattern makes no sense; the message says which.
pub fn globs_of(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).build();
        set.add(glob.map_err(|error| format!("`{pattern}` is no pattern: {error}"))?);
    }
    set.build().map_err(|error| format!("the patterns make no sense: {error}"))
}

/// The hooks that hold for a turn or for a session, and what running them needs.
#[derive(Debug, Clone)]
pub(super) struct Hooks {
    pub(super) list: Arc<[Hook]>,
    /// This machine: hooks run here, wherever tools act.
    pub(super) here: Arc<dyn Environment>,
    pub(super) cwd: PathBuf,
    /// What they leave in the background ends with this owner.
    pub(super) owner: String,
    /// The way to clients; none outside a turn.
    pub(super) clients: Option<ClientCalls>,
}

/// What the hooks of a point did.
#[derive(Debug)]
pub(super) struct Ran {
    /// What they were told, with their changes.
    pub(super) run: HookRun,
    pub(super) ruling: Ruling,
    /// What a person should know.
    pub(super) notices: Vec<Notice>,
}

impl Hooks {
    /// Whether any hook runs at this point, for calls of this tool.
    pub(super) fn has(&self, point: HookPoint, tool: Option<&str>) -> bool {
        self.list.iter().any(|hook| hook.is_for(point, tool))
    }

    /// Runs the hooks of a point.
    pub(super) async fn run(&self, mut run: HookRun, cancel: &CancellationToken) -> Ran {
        let (mut ruling, mut notices) = (Ruling::default(), Vec::new());
        let (point, tool) = (run.point, run.call.as_ref().map(|call| call.tool_name.clone()));
        for hook in self.list.iter().filter(|hook| hook.is_for(point, tool.as_deref())) {
            let asked = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    ruling.denied.get_or_insert_with(|| "Operation aborted".to_owned());
                    break;
                }
                asked = tokio::time::timeout(hook.timeout, self.ask(hook, &run)) => asked,
            };
            let taken = match asked {
                Ok(answer) => answer.and_then(|answer| decide::take(&mut run, answer, &mut ruling)),
                Err(_) => Err(format!("took longer than {} s", hook.timeout.as_secs_f64())),
            };
            if let Err(what) = taken {
                let name = hook.name();
                decide::fail(&name, &what, point, hook.on_failure, &mut ruling);
                notices.push(failed(&name, &what, point, ruling.denied.is_some()));
            }
            if ruling.denied.is_some() {
                break;
            }
        }
        Ran { run, ruling, notices }
    }

    async fn ask(&self, hook: &Hook, run: &HookRun) -> Result<HookAnswer, String> {
        match &hook.runner {
            Runner::Client(client) => {
                let clients = self.clients.as_ref().ok_or("is gone")?;
                let answer = clients.hook(*client, run.clone()).await?;
                serde_json::from_value(answer)
                    .map_err(|error| format!("did not answer as a hook does: {error}"))
            }
            Runner::Command(line) => {
                let input =
                    serde_json::to_vec(run).map_err(|error| format!("is not told: {error}"))?;
                let filter = Filter {
                    line: line.clone(),
                    cwd: self.cwd.clone(),
                    input,
                    max_bytes: MAX_ANSWER_BYTES,
                    owner: self.owner.clone(),
                };
                let ran = self.here.filter(filter).await;
                let ran = ran.map_err(|error| format!("could not be run: {error}"))?;
                match ran.code {
                    Some(0) => decide::read(&ran.stdout),
                    Some(code) => {
                        Err(complaint(&format!("ended with exit code {code}"), &ran.stderr))
                    }
                    None => {
                        Err(complaint("was ended by a signal, or printed too much", &ran.stderr))
                    }
                }
            }
        }
    }
}

impl Hook {
    fn is_for(&self, point: HookPoint, tool: Option<&str>) -> bool {
        self.points.contains(&point)
            && match (&self.tools, tool) {
                (Some(names), Some(tool)) => names.is_match(tool),
                (Some(_) | None, None) | (None, Some(_)) => true,
            }
    }

    fn name(&self) -> String {
        match &self.runner {
            Runner::Command(line) => line.lines().next().unwrap_or_default().to_owned(),
            Runner::Client(_) => "of a client".to_owned(),
        }
    }
}

fn complaint(what: &str, stderr: &str) -> String {
    if stderr.is_empty() {
        return what.to_owned();
    }
    format!("{what}: {}", stderr.chars().take(MAX_COMPLAINT_CHARS).collect::<String>())
}

fn failed(name: &str, what: &str, point: HookPoint, is_denied: bool) -> Notice {
    let hint = if is_denied {
        "correct the hook, or set `on_failure = \"open\"` for it"
    } else {
        "correct the hook; everything went on without it"
    };
    Notice {
        level: NoticeLevel::Warning,
        code: "hookFailed".to_owned(),
        message: format!("the hook `{name}` at {point:?} {what}"),
        hint: Some(hint.to_owned()),
    }
}
