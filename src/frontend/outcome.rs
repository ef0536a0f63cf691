//! Task outcomes for frontends that report a task as a whole: the result and the progress lines, computed from its events. Pure, except for
//! [`count_lines`].

use crate::report;
use pintle_agent::{EngineHandle, Error, ErrorKind, SessionHandle, TOOL_LIST};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::Usage;
use pintle_protocol::event::{
    Event, EventRecord, Notice, StopReason, TurnCompleted, TurnError, TurnStatus,
};
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::history::{CheckpointDiffParams, HistoryPoint};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Denial, Item, ItemStatus, ToolCall, ToolKind};
use pintle_protocol::run::{RunChanges, RunCommand, RunDenial, RunResult, RunStatus};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The task was completed.
pub const DONE: u8 = 0;
/// The agent failed or gave up.
pub const FAILED: u8 = 1;
/// The settings or the usage were wrong.
pub const USAGE: u8 = 2;
/// The provider, its key or the network failed.
pub const PROVIDER: u8 = 3;
/// A needed permission was denied.
pub const DENIED: u8 = 4;
/// A limit of tokens, cost, replies or time ended the turn.
pub const LIMIT: u8 = 5;
/// The answer does not satisfy the schema.
pub const OUTPUT_INVALID: u8 = 6;
/// Nothing was changed, though changes were required.
pub const UNCHANGED: u8 = 7;
/// The changes in the task's copy conflict with the user's.
pub const APPLY_CONFLICT: u8 = 8;
/// The tool that reports findings, by name.
const REPORT_FINDING: &str = "report_finding";

/// A task's state, from its events so far.
pub(crate) struct Watch {
    pub(crate) outcome: RunResult,
    /// The turn has ended.
    pub(crate) is_over: bool,
    /// Nothing came from the model or a tool for too long.
    pub(crate) is_idle: bool,
    /// The last event before the task.
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    /// The usage of sub-agents, by their items.
    pub(crate) agents: BTreeMap<ItemId, (Usage, Option<u64>)>,
    /// The first state before the task and the last one, of each file that calls changed.
    files: BTreeMap<String, [Option<FileState>; 2]>,
    /// The working directory, where findings are wanted.
    pub(crate) findings_in: Option<PathBuf>,
    failures: FailureConditions,
    /// The last notice's code; at a limit, the code of that limit.
    last_notice: String,
}

/// The conditions under which a completed task is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureConditions {
    /// Something was denied.
    pub fail_on_denied: bool,
    /// Nothing changed.
    pub require_changes: bool,
    /// True if the project was treated as untrusted, which denies more than the mode alone.
    pub is_untrusted: bool,
}

/// Creates the result for a task that failed before it started; `stop` is the reason as one word.
pub fn unstarted(stop: &str, exit_code: u8, message: String, hint: Option<String>) -> RunResult {
    let failures =
        FailureConditions { fail_on_denied: true, require_changes: false, is_untrusted: false };
    RunResult {
        stop: stop.to_owned(),
        exit_code,
        error: Some(TurnError {
            code: stop.to_owned(),
            message,
            hint,
            retryable: false,
            http_status: None,
        }),
        ..Watch::new(failures).outcome
    }
}

/// Records an error as a task's end.
pub(crate) fn refused(outcome: &mut RunResult, error: Error) {
    let (code, exit_code) = match error.kind {
        ErrorKind::Auth => ("auth", PROVIDER),
        ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Config => ("usage", USAGE),
        ErrorKind::Busy(_)
        | ErrorKind::NoActiveTurn
        | ErrorKind::Conflict
        | ErrorKind::OpenElsewhere { .. } => ("conflict", USAGE),
        ErrorKind::Internal => ("internal", FAILED),
    };
    outcome.status = RunStatus::Failed;
    outcome.exit_code = exit_code;
    code.clone_into(&mut outcome.stop);
    outcome.error = Some(TurnError {
        code: code.to_owned(),
        message: error.message,
        hint: error.hint.map(|hint| hint.to_string()),
        retryable: false,
        http_status: None,
    });
}

impl Watch {
    pub(crate) fn new(failures: FailureConditions) -> Self {
        Self {
            outcome: RunResult {
                status: RunStatus::Failed,
                stop: "internal".to_owned(),
                exit_code: FAILED,
                session_id: None,
                turn_id: None,
                journal: None,
                text: String::new(),
                structured: None,
                steps: 0,
                duration_ms: 0,
                usage: Usage::default(),
                cost_nano_usd: None,
                cost_usd: None,
                model: None,
                changes: RunChanges::default(),
                commands: Vec::new(),
                denials: Vec::new(),
                findings: Vec::new(),
                isolation: None,
                attempts: Vec::new(),
                not_in_patch: Vec::new(),
                error: None,
            },
            is_over: false,
            is_idle: false,
            first_seq: 0,
            last_seq: 0,
            agents: BTreeMap::new(),
            files: BTreeMap::new(),
            findings_in: None,
            failures,
            last_notice: String::new(),
        }
    }

    pub(crate) fn refused(&mut self, error: Error) {
        refused(&mut self.outcome, error);
    }

    /// Begins a task in a session.
    pub(crate) fn begin(&mut self, engine: &EngineHandle, session: &SessionHandle) {
        self.outcome.session_id = Some(session.id.clone());
        let journal = engine.store().journal(&session.id).ok();
        self.outcome.journal = journal.map(|path| path.to_string_lossy().into_owned());
    }

    fn is_own(&self, record: &EventRecord) -> bool {
        self.outcome.session_id.as_ref() == Some(&record.session_id)
    }

    /// Returns true if an event is new, and notes its number.
    pub(crate) fn is_new(&mut self, record: &EventRecord) -> bool {
        let is_own = self.is_own(record);
        if is_own && record.seq <= self.last_seq {
            return false;
        }
        if is_own {
            self.last_seq = record.seq;
        }
        true
    }

    /// Takes an event; returns the line for stderr, if any.
    pub(crate) fn take(&mut self, record: &EventRecord) -> Option<String> {
        if self.is_own(record) {
            self.take_own(&record.event)
        } else {
            self.take_from_subagent(&record.event)
        }
    }

    /// Takes a sub-agent's event: its commands and denials count, its messages do not. Its changes are reported by its parent.
    fn take_from_subagent(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::ItemCompleted { item } if item.body.as_tool_call().is_some() => {
                self.item(item);
                None
            }
            Event::ItemUpdated { item } => running(item).map(|title| format!("  > {title}")),
            Event::Notice(notice) => Some(notice_text(notice)),
            _ => None,
        }
    }

    fn note_agent(&mut self, item: &Item) {
        if let Some(agent) = item.body.as_subagent() {
            self.agents.insert(item.id.clone(), (agent.usage, agent.cost_nano_usd));
        }
    }

    fn take_own(&mut self, event: &Event) -> Option<String> {
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
                self.outcome.structured.clone_from(&end.structured);
                self.outcome.steps = end.steps;
                self.outcome.duration_ms = end.duration_ms;
                self.judge(end);
                None
            }
            Event::TurnStarted { model } => {
                self.outcome.model = Some(model.clone());
                None
            }
            Event::FilesChanged(changed) => {
                self.changed(changed);
                None
            }
            Event::RetryScheduled(retry) => Some(format!(
                "pintle: {}; retrying in {:.1} s ({} of {})",
                retry.message,
                std::time::Duration::from_millis(retry.delay_ms).as_secs_f64(),
                retry.attempt,
                retry.of
            )),
            Event::Notice(notice) => {
                if notice.code.ends_with("Limit") || notice.code == "loopDetected" {
                    self.last_notice.clone_from(&notice.code);
                    // The final lines explain how to continue.
                    return Some(format!("pintle: {}", notice.message));
                }
                Some(notice_text(notice))
            }
            Event::SessionUpdated(updated) => {
                self.outcome.usage += updated.usage.unwrap_or_default();
                let costs = self.outcome.cost_nano_usd.into_iter().chain(updated.cost_nano_usd);
                self.outcome.cost_nano_usd = costs.reduce(u64::saturating_add);
                None
            }
            _ => None,
        }
    }

    fn denied(&mut self, call: &ToolCall) {
        let reason = call.text();
        let denial = call.output.as_ref().and_then(|output| output.details.denial.as_ref());
        let hint = denial.and_then(|denial| remedy(denial, call, self.failures.is_untrusted));
        let denial =
            RunDenial { tool: call.tool_name.clone(), title: call.title.clone(), reason, hint };
        self.outcome.denials.push(denial);
    }

    fn changed(&mut self, changed: &FilesChanged) {
        if !matches!(changed.by, ChangedBy::Call { .. }) {
            return;
        }
        for FileRecord { path, before, after } in &changed.changes {
            let states = self.files.entry(path.clone());
            let [_, last] = states.or_insert_with(|| [before.clone(), None]);
            last.clone_from(after);
        }
        // A file that is as it was is not changed.
        let files = self.files.iter().filter(|(_, [first, last])| first != last);
        self.outcome.changes.files = files.map(|(path, _)| path.clone()).collect();
    }

    /// Determines why the task ended, and with which code.
    fn judge(&mut self, end: &TurnCompleted) {
        let FailureConditions { fail_on_denied, require_changes, .. } = self.failures;
        let (is_denied, is_unchanged) =
            (!self.outcome.denials.is_empty(), self.outcome.changes.files.is_empty());
        let (status, stop, exit_code) = match (end.status, &end.error) {
            (TurnStatus::Completed, _) if end.stop == Some(StopReason::Limit) => {
                let limit = if self.last_notice.is_empty() { "limit" } else { &self.last_notice };
                (RunStatus::Limit, limit, LIMIT)
            }
            (TurnStatus::Completed, _) if is_denied && fail_on_denied => {
                (RunStatus::Denied, "denied", DENIED)
            }
            (TurnStatus::Completed, _) if is_unchanged && require_changes => {
                (RunStatus::Unchanged, "unchanged", UNCHANGED)
            }
            (TurnStatus::Completed, _) => (RunStatus::Success, "done", DONE),
            (TurnStatus::Interrupted, _) => (RunStatus::Interrupted, "interrupted", FAILED),
            (TurnStatus::Failed, None) => (RunStatus::Failed, "internal", FAILED),
            (TurnStatus::Failed, Some(error)) => {
                let exit_code = match error.code.as_str() {
                    "journal" | "internal" => FAILED,
                    "outputInvalid" => OUTPUT_INVALID,
                    _ => PROVIDER,
                };
                (RunStatus::Failed, error.code.as_str(), exit_code)
            }
        };
        (self.outcome.status, self.outcome.stop) = (status, stop.to_owned());
        self.outcome.exit_code = exit_code;
    }

    fn item(&mut self, item: &Item) {
        if let Some(body) = item.body.as_agent_message() {
            self.outcome.text.clone_from(&body.text);
        } else if let Some(call) = item.body.as_tool_call() {
            if item.status == ItemStatus::Declined {
                self.denied(call);
            }
            if let Some(cwd) = &self.findings_in
                && call.tool_name == REPORT_FINDING
                && item.status == ItemStatus::Completed
                && let Some(finding) = report::finding(call, cwd)
            {
                report::add(&mut self.outcome.findings, finding);
            }
            let has_run = matches!(
                item.status,
                ItemStatus::Completed | ItemStatus::Failed | ItemStatus::Cancelled
            );
            if let Some(command) = call.command()
                && call.kind == ToolKind::Execute
                && has_run
            {
                self.outcome.commands.push(RunCommand {
                    command: command.into_owned(),
                    status: item.status,
                    exit_code: call.output.as_ref().and_then(|output| output.details.exit_code),
                });
            }
        }
        self.note_agent(item);
    }
}

/// Returns the option or the rule that would have allowed a call, as the command line and the files of rules name them.
fn remedy(denial: &Denial, call: &ToolCall, is_untrusted: bool) -> Option<String> {
    let mode = denial.mode.map(|mode| match mode {
        PermissionMode::AutoEdit => "--permission auto-edit",
        PermissionMode::Full => "--permission full",
        PermissionMode::Ask => "--permission ask",
        PermissionMode::ReadOnly => "--permission read-only",
    });
    let rules = denial.rules.join(" and ");
    let way = match (mode, denial.rules.len()) {
        (Some(mode), 0) => format!("{mode} would have allowed it"),
        (Some(mode), _) => format!("{mode} and a rule would have allowed it: {rules}"),
        (None, 0) if denial.decided_by == TOOL_LIST => {
            return Some(format!(
                "{} is not among this task's tools: see --untrusted, --tools, --policy and `tools.allow` in the settings",
                call.tool_name
            ));
        }
        (None, 0) if denial.decided_by.starts_with("the rule") => {
            return Some(format!("decided by {}", denial.decided_by));
        }
        (None, 0) => return None,
        (None, 1) => format!("a rule would have allowed it: {rules}"),
        (None, _) => format!("rules would have allowed it: {rules}"),
    };
    Some(if is_untrusted { format!("without --untrusted, {way}") } else { way })
}

/// Counts the lines that the task added and removed.
pub(crate) async fn count_lines(
    engine: &EngineHandle,
    session: &SessionHandle,
    watch: &mut Watch,
) -> Result<(), Error> {
    if watch.outcome.changes.files.is_empty() {
        return Ok(());
    }
    let from = HistoryPoint { seq: Some(watch.first_seq), ..HistoryPoint::default() };
    let params = CheckpointDiffParams { session_id: None, from, to: None };
    let compared = engine.compare(session.id.clone(), params).await?;
    let changes = &mut watch.outcome.changes;
    (changes.added, changes.removed) = counted(&compared.text);
    Ok(())
}

/// Counts the lines that a patch adds and removes.
fn counted(patch: &str) -> (u64, u64) {
    let (mut added, mut removed, mut is_in_hunk) = (0, 0, false);
    for line in patch.lines() {
        match line.as_bytes().first() {
            Some(b'@') => is_in_hunk = true,
            Some(b'd') => is_in_hunk = false,
            Some(b'+') if is_in_hunk => added += 1,
            Some(b'-') if is_in_hunk => removed += 1,
            _ => {}
        }
    }
    (added, removed)
}

/// Returns a notice's message and hint, as one line for stderr.
fn notice_text(notice: &Notice) -> String {
    let hint = notice.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("pintle: {}{hint}", notice.message)
}

/// Returns a running call's title.
fn running(item: &Item) -> Option<&str> {
    let call = item.body.as_tool_call()?;
    (item.status == ItemStatus::Running).then_some(call.title.as_str())
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn lines_of_a_patch_are_counted_and_its_heads_are_not() {
        for (patch, want) in [
            ("", (0, 0)),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n--- b\n+c\n d\n", (1, 2)),
            (
                "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+++ c\ndiff --git a/y b/y\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-e\n",
                (1, 1),
            ),
        ] {
            assert_eq!(counted(patch), want, "{patch}");
        }
    }
}
