//! A batch's rows: its table, and `summary.json`, whose schema is `summary.schema.json`. Pure.
//!
//! Rows depend only on the list and the results, so that merged shards have the same rows as one run.

use super::budget::tokens;
use super::folder::{Manifest, TaskResult, is_done, is_finished};
use super::list::Mark;
use crate::cli::args::batch::Shard;
use pintle_base::text::visible::visible_line;
use pintle_protocol::content::{self, Usage, add_cost};
use pintle_protocol::ids::SessionId;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// The version of `summary.json`.
const VERSION: u32 = 1;

/// A task's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum State {
    /// Completed.
    Done,
    /// Ended otherwise; not run again unless requested.
    Failed,
    /// Cut short because the batch ended or its worker died; runs when the batch is started again.
    Unfinished,
    /// Without a result.
    NotRun,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) mark: Mark,
    pub(super) state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    steps: u32,
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_nano_usd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    duration_ms: u64,
    files: usize,
    added: u64,
    removed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    /// Returns a task's row; a result with another digest belongs to another task.
    pub(super) fn new(mark: Mark, result: Option<&TaskResult>) -> Self {
        let result = result.filter(|result| result.task.digest == mark.digest);
        let Some(result) = result.and_then(TaskResult::result) else {
            return Self {
                mark,
                state: State::NotRun,
                stop: None,
                exit_code: None,
                session_id: None,
                steps: 0,
                usage: Usage::default(),
                cost_nano_usd: None,
                cost_usd: None,
                duration_ms: 0,
                files: 0,
                added: 0,
                removed: 0,
                error: None,
            };
        };
        let state = match (is_done(result), is_finished(result)) {
            (true, _) => State::Done,
            (false, true) => State::Failed,
            (false, false) => State::Unfinished,
        };
        Self {
            mark,
            state,
            stop: Some(result.stop.clone()),
            exit_code: Some(result.exit_code),
            session_id: result.session_id.clone(),
            steps: result.steps,
            usage: result.usage,
            cost_nano_usd: result.cost_nano_usd,
            cost_usd: result.cost_nano_usd.map(content::usd),
            duration_ms: result.duration_ms,
            files: result.changes.files.len(),
            added: result.changes.added,
            removed: result.changes.removed,
            error: result.error.as_ref().map(|error| error.message.clone()),
        }
    }
}

/// The numbers of tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counts {
    pub(super) tasks: usize,
    pub(super) done: usize,
    pub(super) failed: usize,
    pub(super) unfinished: usize,
    pub(super) not_run: usize,
}

/// `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    version: u32,
    pub(super) exit_code: u8,
    list: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    #[serde(flatten)]
    pub(super) counts: Counts,
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_nano_usd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    rows: Vec<Row>,
}

impl Summary {
    /// Returns the summary of these rows; if nothing ended the batch, they determine the exit code.
    pub(super) fn new(manifest: &Manifest, rows: Vec<Row>, ended: Option<u8>) -> Self {
        let mut counts = Counts { tasks: rows.len(), ..Counts::default() };
        let (mut usage, mut cost_nano_usd) = (Usage::default(), None);
        for row in &rows {
            match row.state {
                State::Done => counts.done += 1,
                State::Failed => counts.failed += 1,
                State::Unfinished => counts.unfinished += 1,
                State::NotRun => counts.not_run += 1,
            }
            usage += row.usage;
            add_cost(&mut cost_nano_usd, row.cost_nano_usd);
        }
        let is_done = counts.done == counts.tasks;
        Self {
            version: VERSION,
            exit_code: ended.unwrap_or(u8::from(!is_done)),
            list: manifest.list.clone(),
            shard: manifest.shard.clone(),
            counts,
            usage,
            cost_nano_usd,
            cost_usd: cost_nano_usd.map(content::usd),
            rows,
        }
    }

    /// Returns the table, with a line of totals at its end.
    pub(super) fn table(&self) -> String {
        const HEAD: [&str; 8] =
            ["task", "end", "code", "steps", "tokens", "cost", "time", "changes"];
        let cells = self.rows.iter().map(cells);
        let lines: Vec<[String; 8]> =
            std::iter::once(HEAD.map(str::to_owned)).chain(cells).collect();
        let mut widths = [0; 8];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut table = String::new();
        for line in &lines {
            let mut text = String::new();
            for (at, (cell, width)) in line.iter().zip(widths).enumerate() {
                let gap = if at == 0 { "" } else { "  " };
                // Words to the left, numbers to the right.
                let _ = match at {
                    0 | 1 => write!(text, "{gap}{cell:<width$}"),
                    _ => write!(text, "{gap}{cell:>width$}"),
                };
            }
            table.push_str(text.trim_end());
            table.push('\n');
        }
        let _ = writeln!(table, "{}", self.totals());
        table
    }

    fn totals(&self) -> String {
        let Counts { tasks, done, failed, unfinished, not_run } = self.counts;
        let mut text = format!("{tasks} tasks: {done} done");
        for (count, word) in [(failed, "failed"), (unfinished, "unfinished"), (not_run, "not run")]
        {
            if count > 0 {
                let _ = write!(text, ", {count} {word}");
            }
        }
        let _ = write!(text, "; {} tokens", tokens(&self.usage));
        if let Some(cost) = self.cost_nano_usd {
            let _ = write!(text, ", {}", usd(cost));
        }
        text
    }
}

fn cells(row: &Row) -> [String; 8] {
    let end = match (row.state, &row.stop) {
        (State::NotRun, _) | (_, None) => "not run".to_owned(),
        (State::Done | State::Failed, Some(stop)) => visible_line(stop).into_owned(),
        (State::Unfinished, Some(stop)) => format!("{} (unfinished)", visible_line(stop)),
    };
    let id = row.mark.id.clone();
    if row.state == State::NotRun {
        return [id, end]
            .into_iter()
            .chain(std::iter::repeat_n(String::new(), 6))
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_default();
    }
    let changes = match row.files {
        0 => String::new(),
        1 => format!("1 file +{} -{}", row.added, row.removed),
        files => format!("{files} files +{} -{}", row.added, row.removed),
    };
    [
        id,
        end,
        row.exit_code.map_or_else(String::new, |code| code.to_string()),
        row.steps.to_string(),
        tokens(&row.usage).to_string(),
        row.cost_nano_usd.map_or_else(String::new, usd),
        seconds(Duration::from_millis(row.duration_ms)),
        changes,
    ]
}

/// Formats billionths of a US dollar.
pub(super) fn usd(nano: u64) -> String {
    let tenths_of_millis = nano.saturating_add(50_000) / 100_000;
    format!("${}.{:04}", tenths_of_millis / 10_000, tenths_of_millis % 10_000)
}

/// Formats a duration.
pub(super) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        _ => format!("{}h{:02}m", whole / 3600, whole / 60 % 60),
    }
}

/// Returns true if a task has to run, with the reason why a finished one has to run again.
pub(super) fn wants_run(
    mark: &Mark,
    result: Option<&TaskResult>,
    retry_failed: bool,
) -> (bool, Option<&'static str>) {
    match result {
        None => (true, None),
        Some(result) if result.task.digest != mark.digest => {
            (true, Some("rerunning, since its line has changed since its result"))
        }
        Some(result) => {
            let result = result.result();
            let is_finished = result.is_some_and(is_finished);
            let is_done = result.is_some_and(is_done);
            (!is_finished || (retry_failed && !is_done), None)
        }
    }
}

/// Returns a shard's marks, as listed in its manifest.
pub(super) fn marks_of(manifest: &Manifest) -> Vec<Mark> {
    let shard = manifest.shard.as_deref().and_then(|shard| shard.parse::<Shard>().ok());
    let places = manifest.tasks.iter().enumerate();
    let in_shard = places.filter(|(place, _)| shard.is_none_or(|shard| shard.has(*place)));
    in_shard.map(|(_, mark)| mark.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pintle_frontend::run::unstarted;
    use pintle_protocol::run::{RunResult, RunStatus};

    fn mark(id: &str, line: usize) -> Mark {
        Mark { id: id.to_owned(), line, digest: format!("digest-{id}") }
    }

    fn ended(status: RunStatus, stop: &str, exit_code: u8) -> RunResult {
        RunResult {
            status,
            usage: Usage { input_tokens: 900, output_tokens: 99, ..Usage::default() },
            cost_nano_usd: Some(12_300_000),
            steps: 2,
            duration_ms: 61_000,
            error: None,
            ..unstarted(stop, exit_code, String::new(), None)
        }
    }

    fn summary() -> Summary {
        let mut changed = ended(RunStatus::Success, "done", 0);
        changed.changes.files = vec!["/a".to_owned()];
        changed.changes.added = 10;
        let results = [
            ("a", Some(changed)),
            ("long-name", Some(ended(RunStatus::Failed, "rate\u{1b}Limit", 3))),
            ("c", Some(ended(RunStatus::Interrupted, "signal", 143))),
            ("d", None),
        ];
        let rows = results.into_iter().enumerate().map(|(at, (id, result))| {
            let mark = mark(id, at + 1);
            let result = result.map(|result| TaskResult::new(result, mark.clone()));
            Row::new(mark, result.as_ref())
        });
        let rows: Vec<Row> = rows.collect();
        let marks = rows.iter().map(|row| row.mark.clone()).collect();
        Summary::new(&Manifest::new(marks, None), rows, None)
    }

    #[test]
    fn the_table_has_a_row_for_every_task_and_the_totals() {
        expect![[r"
            task       end                  code  steps  tokens     cost   time        changes
            a          done                    0      2     999  $0.0123  1m01s  1 file +10 -0
            long-name  rate␛Limit              3      2     999  $0.0123  1m01s
            c          signal (unfinished)   143      2     999  $0.0123  1m01s
            d          not run
            4 tasks: 1 done, 1 failed, 1 unfinished, 1 not run; 2997 tokens, $0.0369
        "]]
        .assert_eq(&summary().table());
    }

    #[test]
    fn a_cost_is_told_in_both_units() {
        let summary = serde_json::to_value(summary()).unwrap();
        for (cost, want) in [(&summary, 0.0369), (&summary["rows"][0], 0.0123)] {
            let (nano, usd) = (cost["costNanoUsd"].as_f64().unwrap(), cost["costUsd"].as_f64());
            assert_eq!((nano / 1e9, usd), (want, Some(want)), "{cost}");
        }
        assert!(summary["rows"][3].get("costUsd").is_none());
    }

    #[test]
    fn the_exit_code_is_that_of_what_ended_the_batch_else_of_the_rows() {
        let Summary { exit_code, rows, .. } = summary();
        assert_eq!(exit_code, 1);
        let manifest = Manifest::new(Vec::new(), None);
        assert_eq!(Summary::new(&manifest, rows.clone(), Some(5)).exit_code, 5);
        let done = rows.into_iter().filter(|row| row.state == State::Done).collect();
        assert_eq!(Summary::new(&manifest, done, None).exit_code, 0);
    }

    #[test]
    fn a_finished_task_runs_again_only_where_its_line_changed_or_it_is_asked_for() {
        let (done, failed, cut) = (
            ended(RunStatus::Success, "done", 0),
            ended(RunStatus::Denied, "denied", 4),
            ended(RunStatus::Failed, "workerDied", 1),
        );
        for (result, digest, retry, want) in [
            (None, "digest-a", false, true),
            (Some(&done), "digest-a", false, false),
            (Some(&done), "digest-a", true, false),
            (Some(&done), "another", false, true),
            (Some(&failed), "digest-a", false, false),
            (Some(&failed), "digest-a", true, true),
            (Some(&cut), "digest-a", false, true),
        ] {
            let made = Mark { digest: digest.to_owned(), ..mark("a", 1) };
            let result = result.map(|result| TaskResult::new(result.clone(), made));
            let (runs, why) = wants_run(&mark("a", 1), result.as_ref(), retry);
            assert_eq!((runs, why.is_some()), (want, digest == "another"), "{result:?}");
        }
    }
}
