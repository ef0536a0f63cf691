//! Hooks: programs and clients that are called at certain points of the engine's work.
//!
//! Answers are evaluated in `decide`; this is the only place that runs hooks. They run in order: those of the config file as written, then
//! those of clients. The first denial ends the round. A failing hook is reported as a notice and blocks only what its setting specifies.
//! Every wait for a hook races the turn's cancellation.
//!
//! A hook cannot grant permission: it denies, changes or watches, and calls that it lets through still need permission. Its lasting changes
//! are journaled as the text that the model read or the command that ran (`changedInput`), so replay needs no hooks. A changed system
//! prompt applies to one turn, and changed messages to one request; the journal keeps neither.

mod decide;

use crate::clients::{ClientCalls, Hook, Runner};
pub(super) use decide::Ruling;
use pintle_exec::{Environment, Filter};
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::hook::{HookAnswer, HookPoint, HookRun};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The maximum output of a hook: an answer contains at most one file.
const MAX_ANSWER_BYTES: u64 = 16 * 1024 * 1024;

/// The most characters of a hook's complaint that are shown.
const MAX_COMPLAINT_CHARS: usize = 500;

/// A turn's or session's hooks, and the resources for running them.
#[derive(Debug, Clone)]
pub(super) struct Hooks {
    pub(super) list: Arc<[Hook]>,
    /// This machine: hooks run here, wherever tools act.
    pub(super) here: Arc<dyn Environment>,
    pub(super) cwd: PathBuf,
    /// The owner of processes that they leave in the background, which end with it.
    pub(super) owner: String,
    /// Calls clients; `None` outside a turn.
    pub(super) clients: Option<ClientCalls>,
}

/// The result of running a point's hooks.
#[derive(Debug)]
pub(super) struct Ran {
    /// The hooks' input, with their changes.
    pub(super) run: HookRun,
    pub(super) ruling: Ruling,
    /// Notices for the user.
    pub(super) notices: Vec<Notice>,
}

impl Hooks {
    /// Returns true if a hook runs at this point, for calls of this tool.
    pub(super) fn has(&self, point: HookPoint, tool: Option<&str>) -> bool {
        self.list.iter().any(|hook| hook.is_for(point, tool))
    }

    /// Runs a point's hooks.
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
            if ruling.denied.is_some() || ruling.handled.is_some() {
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
                    .map_err(|error| format!("returned an invalid answer: {error}"))
            }
            Runner::Command(line) => {
                let input = serde_json::to_vec(run)
                    .map_err(|error| format!("could not be called: {error}"))?;
                let filter = Filter {
                    line: line.clone(),
                    cwd: self.cwd.clone(),
                    input,
                    max_bytes: MAX_ANSWER_BYTES,
                    owner: self.owner.clone(),
                    confinement: None,
                };
                let ran = self.here.filter(filter).await;
                let ran = ran.map_err(|error| format!("could not be run: {error}"))?;
                match ran.code {
                    Some(0) => decide::read(&ran.stdout),
                    Some(code) => {
                        Err(complaint(&format!("failed with exit code {code}"), &ran.stderr))
                    }
                    None => {
                        Err(complaint("was killed by a signal, or printed too much", &ran.stderr))
                    }
                }
            }
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
        "correct the hook; its failure was ignored"
    };
    Notice {
        level: NoticeLevel::Warning,
        code: "hookFailed".to_owned(),
        message: format!("the hook `{name}` at {point:?} {what}"),
        hint: Some(hint.to_owned()),
    }
}
