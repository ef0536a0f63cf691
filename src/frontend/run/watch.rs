//! The result of a task, and the lines on stderr while it runs, from its events. Pure.

use super::{DENIED, DONE, FAILED, PROVIDER, USAGE};
use crate::agent::{Error, ErrorKind};
use pintle_protocol::content::Usage;
use pintle_protocol::event::{Event, StopReason, TurnError, TurnStatus};
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus};
use serde::Serialize;
use std::collections::BTreeMap;

/// The result line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turn_id: Option<TurnId>,
    pub(super) text: String,
    pub(super) usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost_nano_usd: Option<u64>,
    pub(super) changes: Changes,
    pub(super) denials: Vec<Denial>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<TurnError>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Changes {
    pub(super) files: Vec<String>,
    pub(super) added: u64,
    pub(super) removed: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct Denial {
    pub(super) tool: String,
    pub(super) title: String,
    pub(super) hint: &'static str,
}

/// The state of a run, from its events so far.
pub(super) struct Watch {
    pub(super) outcome: Outcome,
    /// The turn has ended.
    pub(super) is_over: bool,
    pub(super) last_seq: u64,
    /// The usage of sub-agents, by their items.
    pub(super) agents: BTreeMap<ItemId, (Usage, Option<u64>)>,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            outcome: Outcome {
                kind: "result",
                status: "failed",
                exit_code: FAILED,
                session_id: None,
                turn_id: None,
                text: String::new(),
                usage: Usage::default(),
                cost_nano_usd: None,
                changes: Changes::default(),
                denials: Vec::new(),
                error: None,
            },
            is_over: false,
            last_seq: 0,
            agents: BTreeMap::new(),
        }
    }

    pub(super) fn refused(&mut self, error: Error) {
        let (code, exit_code) = match error.kind {
            ErrorKind::Auth => ("auth", PROVIDER),
            ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Config => ("usage", USAGE),
            ErrorKind::Busy(_) | ErrorKind::Conflict | ErrorKind::OpenElsewhere { .. } => {
                ("conflict", USAGE)
            }
            ErrorKind::Internal => ("internal", FAILED),
        };
        self.outcome.exit_code = exit_code;
        self.outcome.error = Some(TurnError {
            code: code.to_owned(),
            message: error.message,
            hint: error.hint.map(|hint| hint.to_string()),
            retryable: false,
            http_status: None,
        });
    }

    /// Takes an event of a sub-agent: its changes and denials count, its messages do not.
    pub(super) fn take_from_subagent(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::ItemCompleted { item } if matches!(item.body, ItemBody::ToolCall(_)) => {
                self.item(item);
                None
            }
            Event::ItemUpdated { item } => running(item).map(|title| format!("  > {title}")),
            Event::Notice(notice) => Some(format!("pintle: {}", notice.message)),
            _ => None,
        }
    }

    fn note_agent(&mut self, item: &Item) {
        if let ItemBody::Subagent(agent) = &item.body {
            self.agents.insert(item.id.clone(), (agent.usage, agent.cost_nano_usd));
        }
    }

    /// Takes an event; returns the line for stderr, if any.
    pub(super) fn take(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::ItemStarted { item } | Event::ItemUpdated { item } => {
                self.note_agent(item);
                running(item).map(|title| format!("> {title}"))
            }
            Event::ItemCompleted { item } => {
                self.item(item);
                None
            }
            Event::TurnCompleted(end) => {
                self.is_over = true;
                self.outcome.usage = end.usage;
                self.outcome.cost_nano_usd = end.cost_nano_usd;
                for (usage, cost) in self.agents.values() {
                    self.outcome.usage += *usage;
                    let costs = self.outcome.cost_nano_usd.into_iter().chain(*cost);
                    self.outcome.cost_nano_usd = costs.reduce(u64::saturating_add);
                }
                self.outcome.error.clone_from(&end.error);
                let is_provider = end.error.as_ref().is_some_and(|error| error.code != "journal");
                (self.outcome.status, self.outcome.exit_code) = match end.status {
                    TurnStatus::Completed if end.stop == Some(StopReason::Limit) => {
                        ("limit", FAILED)
                    }
                    TurnStatus::Completed if !self.outcome.denials.is_empty() => ("denied", DENIED),
                    TurnStatus::Completed => ("success", DONE),
                    TurnStatus::Interrupted => ("interrupted", FAILED),
                    TurnStatus::Failed if is_provider => ("failed", PROVIDER),
                    TurnStatus::Failed => ("failed", FAILED),
                };
                None
            }
            Event::RetryScheduled(retry) => Some(format!(
                "pintle: {}; retrying in {:.1} s ({} of {})",
                retry.message,
                std::time::Duration::from_millis(retry.delay_ms).as_secs_f64(),
                retry.attempt,
                retry.of
            )),
            Event::Notice(notice) => Some(format!("pintle: {}", notice.message)),
            Event::SessionUpdated(updated) => {
                self.outcome.usage += updated.usage.unwrap_or_default();
                let costs = self.outcome.cost_nano_usd.into_iter().chain(updated.cost_nano_usd);
                self.outcome.cost_nano_usd = costs.reduce(u64::saturating_add);
                None
            }
            _ => None,
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.body {
            ItemBody::AgentMessage(body) => self.outcome.text.clone_from(&body.text),
            ItemBody::ToolCall(call) => {
                if item.status == ItemStatus::Declined {
                    self.outcome.denials.push(Denial {
                        tool: call.tool_name.clone(),
                        title: call.title.clone(),
                        hint: "--permission full would have allowed it",
                    });
                }
                for change in call.output.iter().flat_map(|output| &output.details.changes) {
                    let changes = &mut self.outcome.changes;
                    if !changes.files.contains(&change.path) {
                        changes.files.push(change.path.clone());
                    }
                    changes.added += change.added;
                    changes.removed += change.removed;
                }
            }
            ItemBody::Subagent(_) => self.note_agent(item),
            _ => {}
        }
    }
}

/// Returns the title of a running call.
fn running(item: &Item) -> Option<&str> {
    let ItemBody::ToolCall(call) = &item.body else { return None };
    (item.status == ItemStatus::Running).then_some(call.title.as_str())
}
