//! `pintle batch`: a list of tasks, each carried out as `pintle run` does, several at a time; finished tasks are not repeated.
//!
//! `list` reads the tasks, `folder` keeps their results, `budget` counts usage, `pool` has the workers (`worker`), `summary` makes the
//! table and `summary.json`, `merge` joins the directories of shards. This file is the loop: only it starts tasks and writes results.
//!
//! Invariant: a task has a result only once it has ended, and a task whose result was cut short by the batch's end is not skipped.
//!
//! Why workers are processes that serve many tasks: a task that exhausts memory, or triggers a bug of ours, takes its process with it, and
//! must not take other tasks. So two tasks never share a process at the same time. A process for each task would do as well, but starting
//! an engine costs several times as much as a short turn (`cargo bench -- batch` prints both), and a batch of a thousand tasks should cost
//! under a millisecond each besides the turns. So N processes each carry out one task after another and are replaced when they die. A
//! worker writes the same lines as `pintle run --format events`: no second format has to be kept in step. `pintle serve` over the same
//! pipes would have meant a second reader of events that knows when a task is denied, unchanged or over.
//!
//! Why a task that died with its worker is not retried at once: a task that exhausted memory will do so again, and half of its changes may
//! be there. It is unfinished, and runs when the batch is started again.

mod budget;
mod folder;
mod list;
pub(crate) mod merge;
mod pool;
mod report;
mod summary;
pub(crate) mod worker;

use crate::cli::args::batch::{Batch, SummaryFormat};
use crate::cli::signals::Signals;
use crate::cli::{prune, recording};
use anyhow::{Context, ensure};
use budget::Budget;
use folder::{
    BATCH_LIMIT, BATCH_WALL, DIED, LOG, Manifest, PATCH, Results, SIGNAL, SUMMARY, TaskResult,
    Used, append_usage, write_json,
};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use list::Listed;
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::text::screen;
use pintle_frontend::run::{FAILED, LIMIT, WALL_CLOCK, unstarted};
use pintle_os::names;
use pintle_protocol::event::TurnError;
use pintle_protocol::run::{RunResult, RunStatus};
use pool::{Control, Ended, FinishedTask, UsageReport, Worker};
use report::{Progress, Reporter, Style};
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;
use summary::{Row, State, Summary, marks_of, wants_run};
use tokio::sync::mpsc;
use tokio::time::Instant;
use worker::Order;

/// The maximum size of a list.
const MAX_LIST_BYTES: u64 = 256 * 1024 * 1024;

/// The number of replies that wait to be counted; a worker whose reply finds no room waits for it.
const HEARD_CAPACITY: usize = 64;

/// The time between two looks at whether workers of a killed batch are gone.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a batch.
pub(crate) async fn run(mut task: Batch, ambient: Ambient) -> anyhow::Result<u8> {
    task.safety.apply(&mut task.settings)?;
    let mut signals = Signals::new()?;
    ensure!(
        task.settings.record.as_deref().is_none_or(recording::is_folder),
        "--record: multiple workers cannot write one file; use a directory: --record DIR/"
    );
    let here = ambient.base_dir(task.directory.as_deref())?;
    let out = here.join(task.out.as_deref().context("missing results directory: use --out DIR")?);
    let listed = read_list(&here, task.list.as_deref().context("missing task list")?)?;
    let results = Results::at(out);
    let _held = results.hold()?;
    let mut reporter = Reporter::new(Style::new(task.quiet, &ambient));
    if let Some(code) = wait_for_workers(&results, &mut signals, &mut reporter).await? {
        return Ok(code);
    }
    let marks = listed.iter().map(|listed| listed.mark.clone()).collect();
    let manifest = Manifest::new(marks, task.shard);
    write_json(&results.path.join(folder::LIST), &manifest).context("--out")?;
    let listed = list::of_shard(listed, task.shard);
    let mut batch = Loop::new(&task, &ambient, listed, &results, reporter)?;
    batch.warn(&here);

    let (stop, kill) = (signals.token(), batch.control.kill.clone());
    let stop_code = signals.shared_code();
    let ended = {
        let mut ran = pin!(batch.run(stop));
        let over = tokio::select! {
            over = &mut ran => Some(over),
            // The second signal arrived, or the time for an orderly end has passed.
            _ = signals.run() => None,
        };
        if let Some(over) = over {
            over?
        } else {
            kill.cancel();
            ran.await?
        }
    };
    let rows: Vec<Row> = marks_of(&manifest)
        .into_iter()
        .map(|mark| {
            let result = results.result(&mark.id);
            Row::new(mark, result.as_ref())
        })
        .collect();
    let is_cut = rows.iter().any(|row| matches!(row.state, State::NotRun | State::Unfinished));
    let code = match ended {
        Some(Why::Signal) => Some(stop_code.load(Ordering::Relaxed)),
        Some(Why::Wall) if is_cut => Some(WALL_CLOCK),
        Some(Why::Limit) if is_cut => Some(LIMIT),
        Some(Why::Wall | Why::Limit) | None => None,
    };
    let summary = Summary::new(&manifest, rows, code);
    write_json(&results.path.join(SUMMARY), &summary).context("the summary")?;
    print_summary(&summary, task.format);
    prune(&task.settings, &ambient);
    Ok(summary.exit_code)
}

/// Prints the schema of `summary.json`.
pub(crate) fn print_schema() -> anyhow::Result<u8> {
    screen::out().write_all(include_bytes!("summary.schema.json"))?;
    Ok(0)
}

/// Prints the summary. The reader may be gone.
fn print_summary(summary: &Summary, format: SummaryFormat) {
    let text = match format {
        SummaryFormat::Text => summary.table(),
        SummaryFormat::Json => serde_json::to_string(summary).unwrap_or_default() + "\n",
    };
    let _ = screen::out().write_all(text.as_bytes());
}

fn read_list(here: &Path, path: &Path) -> anyhow::Result<Vec<Listed>> {
    if path == Path::new("-") {
        let mut text = String::new();
        io::stdin()
            .take(MAX_LIST_BYTES)
            .read_to_string(&mut text)
            .context("failed to read the list from stdin")?;
        return list::parse("stdin", &text);
    }
    let name = path.display().to_string();
    let text = private_files::read_to_string(&here.join(path), MAX_LIST_BYTES)
        .with_context(|| format!("the list {name}"))?;
    list::parse(&name, &text)
}

/// Waits until no worker of a killed batch is running: each ends by itself within seconds. Returns the exit code of a signal that arrives
/// meanwhile.
async fn wait_for_workers(
    results: &Results,
    signals: &mut Signals,
    reporter: &mut Reporter,
) -> anyhow::Result<Option<u8>> {
    let stop = signals.token();
    let mut idle = pin!(async {
        let mut is_told = false;
        while !results.is_idle().context("--out")? {
            if !std::mem::replace(&mut is_told, true) {
                reporter.say("workers of a killed batch are still finishing their tasks");
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    });
    tokio::select! {
        idle = &mut idle => idle.map(|()| None),
        () = stop.cancelled() => Ok(Some(signals.code())),
        code = signals.run() => Ok(Some(code)),
    }
}

/// Why no more tasks begin, and running ones are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Signal,
    Wall,
    Limit,
}

/// The batch while it runs.
struct Loop<'a> {
    options: &'a Batch,
    ambient: &'a Ambient,
    results: &'a Results,
    listed: Vec<Listed>,
    /// Places of tasks still to run.
    waiting: VecDeque<usize>,
    /// Each task's usage so far, by its place.
    used: Vec<Used>,
    budget: Budget,
    ledger: File,
    idle: Vec<Worker>,
    control: Control,
    why: Option<Why>,
    progress: Progress,
    reporter: Reporter,
}

impl<'a> Loop<'a> {
    fn new(
        options: &'a Batch,
        ambient: &'a Ambient,
        listed: Vec<Listed>,
        results: &'a Results,
        mut reporter: Reporter,
    ) -> anyhow::Result<Self> {
        let mut waiting = VecDeque::new();
        for (place, task) in listed.iter().enumerate() {
            let result = results.result(&task.mark.id);
            let (runs, why) = wants_run(&task.mark, result.as_ref(), options.retry_failed);
            if let Some(why) = why {
                reporter.say(&format!("{}: {why}", task.mark.id));
            }
            if runs {
                waiting.push_back(place);
            }
        }
        let skipped = listed.len() - waiting.len();
        if skipped > 0 {
            reporter.say(&format!("{skipped} of {} tasks are already finished", listed.len()));
        }
        let mut budget = Budget {
            max_tokens: options.max_tokens,
            max_cost: options.max_cost,
            ..Budget::default()
        };
        results.used().into_iter().for_each(|used| budget.add(used));
        Ok(Self {
            options,
            ambient,
            results,
            used: vec![Used::default(); listed.len()],
            progress: Progress { all: waiting.len(), ..Progress::default() },
            listed,
            waiting,
            budget,
            ledger: results.ledger().context("--out")?,
            idle: Vec::new(),
            control: Control::default(),
            why: None,
            reporter,
        })
    }

    /// Warns about settings that are legal and rarely intended.
    fn warn(&mut self, here: &Path) {
        let base = here.join(self.options.directory.as_deref().unwrap_or(Path::new("")));
        let folder = |place: &usize| {
            let task = self.listed.get(*place)?;
            let dir = base.join(task.task.dir.as_deref().unwrap_or(Path::new("")));
            names::canonicalize(&dir).ok()
        };
        let folders: Vec<PathBuf> = self.waiting.iter().filter_map(folder).collect();
        let distinct: BTreeSet<&PathBuf> = folders.iter().collect();
        let (is_shared, jobs) = (distinct.len() < folders.len(), self.options.jobs);
        let out = names::canonicalize(&self.results.path).unwrap_or_default();
        let around = distinct.iter().find(|folder| out.starts_with(folder));
        if let Some(around) = around {
            let text = format!(
                "--out is inside {}, the working directory of a task: its agent can edit the results of other tasks",
                around.display()
            );
            self.reporter.say(&text);
        }
        if is_shared && jobs > 1 && !self.options.settings.read_only {
            self.reporter.say(
                "multiple tasks run in one directory at the same time, and may see and undo each other's changes: give each task its own directory (`dir`), or use --read-only or --jobs 1",
            );
        }
    }

    /// Runs the tasks that wait, and returns what ended the batch early.
    async fn run(
        &mut self,
        stop: tokio_util::sync::CancellationToken,
    ) -> anyhow::Result<Option<Why>> {
        if self.waiting.is_empty() {
            return Ok(None);
        }
        let (heard_tx, mut heard) = mpsc::channel(HEARD_CAPACITY);
        let wall = self.options.timeout.map(|wall| Instant::now() + Duration::from_secs(wall));
        if self.budget.is_used_up() {
            self.end(Why::Limit);
            return Ok(self.why);
        }
        let mut first = Worker::start(self.ambient, true).context("failed to start a worker")?;
        tokio::select! {
            ready = first.ready() => if let Err(status) = ready {
                // The worker has printed the reason.
                anyhow::bail!("the first worker exited before accepting a task ({status})");
            },
            () = stop.cancelled() => {
                self.end(Why::Signal);
                first.dismiss().await;
                return Ok(self.why);
            }
        }
        self.idle.push(first);
        let mut running = FuturesUnordered::new();
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            while running.len() < usize::from(self.options.jobs) && self.why.is_none() {
                let Some(place) = self.waiting.pop_front() else { break };
                let Some((worker, order)) = self.begin(place, running.len())? else { break };
                running.push(worker.carry_out(
                    place,
                    order,
                    self.control.clone(),
                    heard_tx.clone(),
                ));
            }
            self.progress.running = running.len();
            self.reporter.draw(self.progress, &self.budget);
            let over_wall = async {
                match wall {
                    Some(wall) => tokio::time::sleep_until(wall).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(UsageReport { place, used }) = heard.recv() => self.count(place, used)?,
                over = running.next() => {
                    let Some(over) = over else { break };
                    // Its replies came before its end, and perhaps at once with it.
                    while let Ok(UsageReport { place, used }) = heard.try_recv() {
                        self.count(place, used)?;
                    }
                    self.over(over)?;
                }
                () = stop.cancelled(), if self.why != Some(Why::Signal) => self.end(Why::Signal),
                () = over_wall, if self.why.is_none() => self.end(Why::Wall),
                _ = tick.tick(), if self.reporter.is_live() => {}
            }
        }
        self.reporter.clear();
        let idle = std::mem::take(&mut self.idle);
        futures_util::future::join_all(idle.into_iter().map(Worker::dismiss)).await;
        Ok(self.why)
    }

    /// Returns the worker and the order for a task; `None` if fewer workers can run than were asked for.
    fn begin(&mut self, place: usize, running: usize) -> anyhow::Result<Option<(Worker, Order)>> {
        let Some(Listed { mark, task }) = self.listed.get(place) else { return Ok(None) };
        let worker = match self.idle.pop() {
            Some(worker) => worker,
            None => match Worker::start(self.ambient, false) {
                Ok(worker) => worker,
                Err(error) if running > 0 => {
                    tracing::warn!("failed to start another worker: {error}");
                    self.waiting.push_front(place);
                    return Ok(None);
                }
                Err(error) => return Err(error).context("failed to start a worker"),
            },
        };
        self.results
            .begin(&mark.id)
            .with_context(|| format!("the results directory of {}", mark.id))?;
        let folder = self.results.folder(&mark.id);
        let task = task.clone();
        let order = Order {
            prompt: task.prompt,
            dir: task.dir,
            model: task.model,
            mode: task.mode,
            isolation: self.options.isolating.of(task.isolation),
            attach: task.attach,
            tools: task.tools,
            output_schema: task.output_schema,
            require_changes: task.require_changes,
            fail_on_denied: task.fail_on_denied.unwrap_or(true),
            limits: self.budget.cap(task.limits.or(&self.options.each)),
            patch: folder.join(PATCH),
            findings: folder.clone(),
            log: folder.join(LOG),
        };
        Ok(Some((worker, order)))
    }

    /// Counts a task's usage, and ends the batch if nothing remains.
    fn count(&mut self, place: usize, used: Used) -> anyhow::Result<()> {
        if used == Used::default() {
            return Ok(());
        }
        append_usage(&mut self.ledger, used).context("usage.jsonl")?;
        if let Some(of_task) = self.used.get_mut(place) {
            of_task.tokens = of_task.tokens.saturating_add(used.tokens);
            pintle_protocol::content::add_cost(&mut of_task.cost_nano_usd, used.cost_nano_usd);
        }
        let was_known = !self.budget.has_unknown_cost;
        self.budget.add(used);
        if was_known && self.budget.has_unknown_cost && self.budget.max_cost.is_some() {
            self.reporter.complain(
                "a model has no known price, so --max-cost does not count it; use --max-tokens",
            );
        }
        if self.budget.is_used_up() && self.why.is_none() {
            self.end(Why::Limit);
        }
        Ok(())
    }

    /// Handles a task's end.
    fn over(&mut self, over: FinishedTask) -> anyhow::Result<()> {
        let FinishedTask { place, ended, worker } = over;
        self.idle.extend(worker);
        let mut result = match ended {
            Ended::Result(result) => *result,
            // The batch itself killed it.
            Ended::Died { session, .. } if self.control.kill.is_cancelled() => {
                let message = "the batch ended before the task could shut down".to_owned();
                let hint = "rerun the batch to run it again";
                let result = unstarted(SIGNAL, FAILED, message, Some(hint.to_owned()));
                RunResult { session_id: session, ..result }
            }
            Ended::Died { how, session } => {
                let message = format!("the worker died: {how}");
                let hint = "rerun the batch to run it again";
                let session_id = session;
                RunResult { session_id, ..unstarted(DIED, FAILED, message, Some(hint.to_owned())) }
            }
        };
        // Usage that the replies did not report: a title, or replies of sub-agents.
        let counted = self.used.get(place).copied().unwrap_or_default();
        let tokens = budget::tokens(&result.usage).saturating_sub(counted.tokens);
        let cost = result.cost_nano_usd.unwrap_or(0);
        let cost = cost.saturating_sub(counted.cost_nano_usd.unwrap_or(0));
        if tokens > 0 || cost > 0 {
            self.count(place, Used { tokens, cost_nano_usd: result.cost_nano_usd.map(|_| cost) })?;
        }
        if let Some(why) = self.why {
            cut(&mut result, why, &self.budget);
        }
        let Some(listed) = self.listed.get(place) else { return Ok(()) };
        let mark = listed.mark.clone();
        let result = TaskResult::new(result, mark.clone());
        self.results.finish(&result).with_context(|| format!("the result of {}", mark.id))?;
        let row = Row::new(mark, Some(&result));
        self.progress.over += 1;
        self.progress.failed += usize::from(row.state != State::Done);
        if let Some(result) = result.result() {
            self.reporter.over(&row, result, self.progress);
        }
        Ok(())
    }

    /// Begins no more tasks, and ends the running ones.
    fn end(&mut self, why: Why) {
        self.why = Some(why);
        self.control.stop.cancel();
        let text = match why {
            Why::Limit => {
                "batch budget exhausted (--max-tokens, --max-cost): starting no more tasks"
            }
            Why::Wall => "batch time limit reached (--timeout): stopping tasks",
            Why::Signal => "stopping tasks; send a second signal to kill them",
        };
        self.reporter.complain(text);
    }
}

/// Records in a task's result that the batch ended it, if so.
fn cut(result: &mut RunResult, why: Why, budget: &Budget) {
    let is_stopped = result.status == RunStatus::Interrupted;
    // The remaining budget of the whole batch was the task's limit.
    let is_at_limit = result.status == RunStatus::Limit
        && why == Why::Limit
        && budget.is_used_up()
        && ["tokenLimit", "costLimit"].contains(&result.stop.as_str());
    if !is_stopped && !is_at_limit {
        return;
    }
    let (status, stop, exit_code, message) = match why {
        Why::Limit => (RunStatus::Limit, BATCH_LIMIT, LIMIT, "the batch budget was exhausted"),
        Why::Wall => {
            (RunStatus::Interrupted, BATCH_WALL, WALL_CLOCK, "the batch reached its time limit")
        }
        Why::Signal => {
            (RunStatus::Interrupted, SIGNAL, result.exit_code, "a signal ended the batch")
        }
    };
    (result.status, result.exit_code) = (status, exit_code);
    stop.clone_into(&mut result.stop);
    result.error = Some(TurnError {
        code: stop.to_owned(),
        message: message.to_owned(),
        hint: Some("rerun the batch to run it again".to_owned()),
        retryable: true,
        http_status: None,
    });
}
