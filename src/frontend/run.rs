//! `pintle run`: one task without a client. It never asks questions and never waits for the user.
//!
//! Stdout carries only the result; progress is reported on stderr. In the `events` format, lines are the records of the journal and the
//! wire.

mod attempts;
mod filter;
mod isolated;

use crate::client::{self, Client, Events, Scope};
pub use crate::outcome::{
    APPLY_CONFLICT, DENIED, DONE, FAILED, FailureConditions, LIMIT, OUTPUT_INVALID, PROVIDER,
    UNCHANGED, USAGE, unstarted,
};
use crate::outcome::{Watch, count_lines};
use crate::report;
pub use crate::report::{Destination, Report, ReportFormat};
pub use attempts::{Attempts, run_attempts};
pub use filter::EventFilter;
use pintle_agent::{
    Command, CreateSession, EngineHandle, Error, ErrorKind, EventSelection, Feed, NewFolder,
    OpenConfig, Record, SessionHandle, Subscriber, TurnCommand,
};
use pintle_base::text::visible::{visible, visible_line};
use pintle_base::text::{money, screen};
use pintle_base::transport::Outgoing;
use pintle_protocol::content::{Input, usd};
use pintle_protocol::event::{TurnError, TurnLimits};
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::IsolationRequest;
use pintle_protocol::methods::{PeerInfo, ReviewPatch, TurnInterrupt, TurnStart};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::review::ReviewPatchParams;
use pintle_protocol::run::{RunHeader, RunLine, RunResult, RunStatus};
use pintle_protocol::turn::{TurnInterruptParams, TurnStartParams};
use pintle_protocol::{PROTOCOL_VERSION, schema};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The whole task's time limit was reached. Source: `timeout` of coreutils.
pub const WALL_CLOCK: u8 = 124;
/// A signal ended the run; the program knows which.
pub const STOPPED: u8 = 255;
/// The output's reader is gone: 128 plus the number of SIGPIPE.
pub const HUNG_UP: u8 = 141;

/// The output on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The model's last message.
    Text,
    /// The result as one JSON object.
    Json,
    /// A header line, every event as a line, the result as the last line.
    Events,
}

/// A file that is attached to the task.
#[derive(Debug, Clone)]
pub enum Attached {
    /// A file that the tools can read.
    File(PathBuf),
    /// A local file's content, for tools on another machine.
    Content {
        /// Its name, as the command line gave it.
        name: String,
        /// The file's bytes.
        bytes: Vec<u8>,
    },
}

/// One task.
#[derive(Debug, Clone)]
pub struct Options {
    /// The working directory.
    pub cwd: PathBuf,
    /// The task.
    pub prompt: String,
    /// Files that belong to the task.
    pub attach: Vec<Attached>,
    /// The content of stdin, attached to the task.
    pub piped: Option<Vec<u8>>,
    /// The session in which the task runs.
    pub session: SessionOptions,
    /// The limits.
    pub limits: Limits,
    /// The JSON Schema that the answer must satisfy.
    pub output_schema: Option<Value>,
    /// The conditions under which a completed task is not done.
    pub failures: FailureConditions,
    /// The results and their destinations.
    pub output: Output,
    /// The copy in which the work is done, and the directory that was copied.
    pub copy: Option<(PathBuf, PathBuf)>,
    /// The engine serves further tasks: at the end the session is closed, and the engine stays.
    pub keeps_engine: bool,
    /// The causes that stop the task early.
    pub stop: Stop,
}

/// A task's session.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The stored session to continue; `None` creates one.
    pub id: Option<String>,
    /// True if that session works in the task's directory from now on; otherwise it does so only if its own directory no longer exists.
    pub moves: bool,
    /// The session's mode; `None` leaves it unchanged.
    pub mode: Option<WorkMode>,
    /// Absolute paths of working directories in addition to the main one.
    pub additional: Vec<PathBuf>,
    /// The model, as `provider/id[:effort]`; `None` for that of the settings, or of the stored session.
    pub model: Option<String>,
    /// Names of the tools that a new session's model sees; `None` for all of the engine's tools.
    pub tools: Option<Vec<String>>,
    /// The copy that a new session works in.
    pub isolation: Option<IsolationRequest>,
    /// True if the changes in the copy are applied once the task is completed.
    pub applies: bool,
    /// True if the session is deleted after the task.
    pub is_temporary: bool,
}

/// A task's limits.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// The turn's limits.
    pub turn: TurnLimits,
    /// The time for the whole task, after which what runs is stopped.
    pub wall: Option<Duration>,
    /// The time without an event, from the model or a tool, after which what runs is stopped.
    pub idle: Option<Duration>,
}

/// A task's output.
#[derive(Debug, Clone)]
pub struct Output {
    /// The format on stdout.
    pub format: Format,
    /// The events that are printed in the format `events`.
    pub events: EventFilter,
    /// Where the agent's changes are written as a patch.
    pub patch: Option<Destination>,
    /// The reports that are written at the end.
    pub reports: Vec<Report>,
    /// True if stdout is a terminal, which would obey control sequences in the answer: they are drawn as signs. Elsewhere its bytes stay.
    pub is_terminal: bool,
    /// True if nothing is printed on stderr.
    pub is_quiet: bool,
}

/// The causes that stop a task early.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Cancelled by a signal.
    pub signal: CancellationToken,
    /// The exit code of that signal.
    pub signal_code: Arc<AtomicU8>,
    /// Cancelled when the reader of stdout is gone.
    pub hangup: CancellationToken,
}

/// Runs one task, prints its result, and returns the exit code.
pub async fn run(out: Outgoing, engine: EngineHandle, options: Options) -> u8 {
    let outcome = carry_out(&out, &engine, &options).await;
    conclude(&out, &options, &outcome).await
}

/// Prints a task's result, and returns the exit code.
pub async fn conclude(out: &Outgoing, options: &Options, outcome: &RunResult) -> u8 {
    if options.stop.hangup.is_cancelled() {
        return HUNG_UP;
    }
    print_result(out, options, outcome).await;
    let is_read = tokio::select! {
        () = out.flushed() => true,
        () = options.stop.hangup.cancelled() => false,
    };
    if options.output.format == Format::Text {
        report_end(options, outcome);
    }
    if is_read { outcome.exit_code } else { HUNG_UP }
}

/// Runs one task, writes its patch and reports, and returns the result.
pub async fn carry_out(out: &Outgoing, engine: &EngineHandle, options: &Options) -> RunResult {
    let mut watch = Watch::new(options.failures);
    watch.findings_in = (!options.output.reports.is_empty()).then(|| options.cwd.clone());
    let clock = Clock {
        end: options.limits.wall.map(|wall| Instant::now() + wall),
        idle: options.limits.idle,
    };
    let mut session = None;
    if let Err(error) = attempt(out, engine, options, clock, &mut session, &mut watch).await {
        watch.refused(error);
    }
    if let Some(session) = &session
        && let Err(error) = count_lines(engine, session, &mut watch).await
    {
        tracing::warn!("failed to count the changed lines: {error}");
    }
    if let (Some(session), Some(to)) = (&session, &options.output.patch)
        && let Err(error) = write_patch(out, engine, session, to, &mut watch.outcome).await
    {
        watch.refused(error);
    }
    let applies = options.session.applies;
    let isolated = isolated::apply(session.as_ref(), applies, &mut watch.outcome).await;
    close(engine, session.as_ref(), options.keeps_engine).await;
    if let Some(isolated) = isolated {
        isolated::finish(engine, isolated, &mut watch.outcome).await;
    }
    let is_idle = watch.is_idle;
    record_stop(&mut watch.outcome, options, clock, is_idle);
    if let Some((copy, original)) = &options.copy {
        name_originals(&mut watch.outcome, copy, original);
    }
    let outcome = &mut watch.outcome;
    outcome.cost_usd = outcome.cost_nano_usd.map(usd);
    if options.session.is_temporary {
        outcome.journal = None;
        if let Some(error) = &mut outcome.error
            && error.hint.as_ref().is_some_and(|hint| hint.contains("pintle run --session"))
        {
            error.hint = None;
        }
    }
    for report in &options.output.reports {
        if let Err(error) = write_report(out, engine, report, &watch.outcome).await {
            watch.refused(error);
        }
    }
    watch.outcome
}

/// Closes the task's session alone, or the engine.
async fn close(engine: &EngineHandle, session: Option<&SessionHandle>, keeps_engine: bool) {
    match session {
        Some(session) if keeps_engine => {
            if let Err(error) = session.ask(|reply| Command::Close { reply }).await {
                tracing::warn!("failed to close the session: {error}");
            }
        }
        None if keeps_engine => {}
        Some(_) | None => engine.shutdown().await,
    }
}

/// Records that a time limit or a signal stopped the task.
fn record_stop(outcome: &mut RunResult, options: &Options, clock: Clock, is_idle: bool) {
    let is_interrupted = outcome.status == RunStatus::Interrupted;
    if clock.is_over() && is_interrupted {
        let wall = options.limits.wall.unwrap_or_default().as_secs();
        let message = format!("the task was stopped after {wall} s (--timeout)");
        stop_at_limit(outcome, "wallClock", message, "with more time");
        outcome.exit_code = WALL_CLOCK;
    }
    if is_idle && !clock.is_over() && is_interrupted {
        let idle = options.limits.idle.unwrap_or_default().as_secs();
        let message = format!(
            "the task was stopped: no output from the model or a tool for {idle} s (--idle-timeout)"
        );
        stop_at_limit(outcome, "idleTimeout", message, "to continue");
        outcome.status = RunStatus::Limit;
        outcome.exit_code = LIMIT;
    }
    if options.stop.signal.is_cancelled() {
        outcome.status = RunStatus::Interrupted;
        "signal".clone_into(&mut outcome.stop);
        outcome.exit_code = options.stop.signal_code.load(Ordering::Relaxed);
    }
}

/// Records a time limit as the reason for the task's end, with the command that continues it.
fn stop_at_limit(outcome: &mut RunResult, code: &str, message: String, advice: &str) {
    let resume = |id| format!("run `pintle run --session {id} \"continue\"` {advice}");
    code.clone_into(&mut outcome.stop);
    outcome.error = Some(TurnError {
        code: code.to_owned(),
        message,
        hint: outcome.session_id.as_ref().map(resume),
        retryable: true,
        http_status: None,
    });
}

/// Returns the first line of the format `events`.
pub fn header(session_id: SessionId, cwd: String) -> String {
    let header = RunLine::Header(RunHeader {
        protocol: PROTOCOL_VERSION.to_owned(),
        schema_hash: schema::schema_hash(),
        engine: PeerInfo {
            name: "pintle".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            id: None,
        },
        session_id,
        cwd,
    });
    serde_json::to_string(&header).unwrap_or_default()
}

/// The whole task's deadline, and the limit on time without an event.
#[derive(Debug, Clone, Copy)]
struct Clock {
    end: Option<Instant>,
    idle: Option<Duration>,
}

impl Clock {
    fn is_over(self) -> bool {
        self.end.is_some_and(|end| end <= Instant::now())
    }

    async fn over(self) {
        match self.end {
            Some(end) => tokio::time::sleep_until(end).await,
            None => std::future::pending().await,
        }
    }

    /// Returns true if too much time has passed since the last event.
    fn is_idle(self, heard: Instant) -> bool {
        self.idle.is_some_and(|idle| heard + idle <= Instant::now())
    }

    async fn idle(self, heard: Instant) {
        match self.idle {
            Some(idle) => tokio::time::sleep_until(heard + idle).await,
            None => std::future::pending().await,
        }
    }
}

/// Writes the agent's changes as a patch, which is empty if there are none.
async fn write_patch(
    out: &Outgoing,
    engine: &EngineHandle,
    session: &SessionHandle,
    to: &Destination,
    outcome: &mut RunResult,
) -> Result<(), Error> {
    let patch = session.call::<ReviewPatch>(ReviewPatchParams::default()).await?;
    outcome.not_in_patch = patch.left_out;
    deliver(out, engine, to, patch.text).await
}

/// Writes a whole text to its destination.
async fn deliver(
    out: &Outgoing,
    engine: &EngineHandle,
    to: &Destination,
    text: String,
) -> Result<(), Error> {
    match to {
        Destination::File(path) => engine.write_local(path, text.into_bytes()).await,
        Destination::Stdout => {
            // A line's end is added to whatever is sent.
            let text = text.strip_suffix('\n').map(str::to_owned).unwrap_or(text);
            if !text.is_empty() {
                print(out, text).await;
            }
            Ok(())
        }
    }
}

/// Reports files that were changed in a copy under the original paths.
fn name_originals(outcome: &mut RunResult, copy: &Path, original: &Path) {
    for path in outcome.changes.files.iter_mut().chain(&mut outcome.not_in_patch) {
        if let Ok(below) = Path::new(path.as_str()).strip_prefix(copy) {
            *path = original.join(below).to_string_lossy().into_owned();
        }
    }
}

/// Writes a report; annotations go to stderr, where they do not mix with the result.
async fn write_report(
    out: &Outgoing,
    engine: &EngineHandle,
    wanted: &Report,
    outcome: &RunResult,
) -> Result<(), Error> {
    let text = report::text(wanted.format, outcome);
    if wanted.format == ReportFormat::Github {
        for line in report::annotations(&outcome.findings) {
            report_line(&line);
        }
    }
    match (wanted.format, &wanted.to) {
        (_, None) => Ok(()),
        (ReportFormat::Github, Some(Destination::File(file))) => {
            engine.append_local(file, text.into_bytes()).await
        }
        (_, Some(to)) => deliver(out, engine, to, text).await,
    }
}

impl Output {
    /// Returns true if stdout carries something other than the answer.
    fn takes_stdout(&self) -> bool {
        let reports = self.reports.iter().filter_map(|report| report.to.as_ref());
        self.patch.iter().chain(reports).any(|to| *to == Destination::Stdout)
    }
}

async fn attempt(
    out: &Outgoing,
    engine: &EngineHandle,
    options: &Options,
    clock: Clock,
    open: &mut Option<SessionHandle>,
    watch: &mut Watch,
) -> Result<(), Error> {
    let additional = Some(options.session.additional.as_slice().into());
    let config = OpenConfig {
        mode: options.session.mode,
        additional,
        model: options.session.model.clone(),
        tools: options.session.tools.clone(),
        ..OpenConfig::default()
    };
    let session = if let Some(id) = &options.session.id {
        open_stored(engine, SessionId::new(id.as_str()), config, options).await?
    } else {
        let cwd = options.cwd.to_string_lossy().into_owned();
        let isolation = options.session.isolation;
        let create = CreateSession { cwd, isolation, config, ..CreateSession::default() };
        engine.create(create).await?
    };
    watch.begin(engine, &session);
    *open = Some(session.clone());
    if options.output.format == Format::Events {
        let cwd = options.cwd.to_string_lossy().into_owned();
        print(out, header(session.id.clone(), cwd)).await;
    }
    let mut events = subscribe(engine, &session, watch).await?;
    let mut input = vec![Input::text(options.prompt.clone())];
    for attached in &options.attach {
        input.push(match attached {
            Attached::File(path) => {
                Input::File { path: path.to_string_lossy().into_owned(), range: None }
            }
            Attached::Content { name, bytes } => engine.inline_input(name, bytes.clone()).await?,
        });
    }
    if let Some(bytes) = &options.piped {
        input.push(engine.keep_input(&session.id, "stdin", bytes.clone()).await?);
    }
    let start = TurnStartParams {
        input,
        limits: Some(options.limits.turn),
        output_schema: options.output_schema.clone(),
        ..TurnStartParams::default()
    };
    let started = session.call::<TurnStart>(start).await?;
    watch.outcome.turn_id = Some(started.turn_id);

    let mut is_stopping = false;
    let mut heard = Instant::now();
    let mut idle = std::pin::pin!(session.ask(|reply| TurnCommand::WhenIdle { reply }));
    while !watch.is_over {
        tokio::select! {
            biased;
            has_events = events.wait() => {
                if !has_events {
                    return Err(Error::new(ErrorKind::Internal, "the session ended unexpectedly"));
                }
                show_all(out, options, watch, events.take()).await;
                heard = Instant::now();
            }
            ended = &mut idle => {
                ended?;
                show_all(out, options, watch, events.rest().await).await;
                if watch.is_over {
                    return Ok(());
                }
                return Err(Error::new(ErrorKind::Internal, "failed to write the turn's end to the journal")
                    .hint("free disk space or check the permissions of the data directory; earlier work is saved"));
            }
            () = stopped(options, clock, heard), if !is_stopping => {
                is_stopping = true;
                watch.is_idle = clock.is_idle(heard);
                session.call::<TurnInterrupt>(TurnInterruptParams::default()).await?;
            }
        }
    }
    // The session may still be titled. That is shown as well, and its failure changes nothing.
    loop {
        tokio::select! {
            biased;
            has_events = events.wait() => {
                if !has_events {
                    return Ok(());
                }
                show_all(out, options, watch, events.take()).await;
            }
            _ = &mut idle => {
                show_all(out, options, watch, events.rest().await).await;
                return Ok(());
            }
            () = stopped(options, clock, heard), if !is_stopping => return Ok(()),
        }
    }
}

/// Opens a stored session, and reports a change of its directory.
async fn open_stored(
    engine: &EngineHandle,
    id: SessionId,
    config: OpenConfig,
    options: &Options,
) -> Result<SessionHandle, Error> {
    let before = engine.cwd_of(id.clone()).await?;
    let cwd = options.cwd.clone();
    let cwd = if options.session.moves { NewFolder::Move(cwd) } else { NewFolder::IfGone(cwd) };
    let session = engine.open(id.clone(), OpenConfig { cwd: Some(cwd), ..config }).await?;
    let now = engine.cwd_of(id).await?;
    if before != now {
        let why = if options.session.moves { "" } else { ", which no longer exists" };
        report_line(&visible_line(&format!(
            "pintle: the session moved to {now} from {before}{why}"
        )));
    }
    Ok(session)
}

async fn stopped(options: &Options, clock: Clock, heard: Instant) {
    tokio::select! {
        () = clock.over() => {}
        () = clock.idle(heard) => {}
        () = options.stop.signal.cancelled() => {}
        () = options.stop.hangup.cancelled() => {}
    }
}

async fn subscribe(
    engine: &EngineHandle,
    session: &SessionHandle,
    watch: &mut Watch,
) -> Result<Events, Error> {
    let (client, events, _) = Client::new(engine.clone(), Scope::Alone);
    let subscriber = client.subscriber(EventSelection::default());
    let subscriber =
        Subscriber { can_approve: false, can_answer: false, adopt: None, ..subscriber };
    let snapshot = client::subscribe(session, subscriber, None).await?;
    (watch.first_seq, watch.last_seq) = (snapshot.seq, snapshot.seq);
    Ok(events)
}

async fn show_all(out: &Outgoing, options: &Options, watch: &mut Watch, events: Vec<Feed>) {
    for feed in events {
        if let Feed::Durable(record) = feed {
            show(out, options, watch, &record).await;
        }
    }
}

async fn show(out: &Outgoing, options: &Options, watch: &mut Watch, record: &Record) {
    let Record { value: record, json, .. } = record;
    if !watch.is_new(record) {
        return;
    }
    if options.output.format == Format::Events && options.output.events.lets_through(json) {
        print(out, json.to_string()).await;
    }
    if let Some(line) = watch.take(record).filter(|_| !options.output.is_quiet) {
        // On one line: at the beginning of a line, the model's text could be a command to the CI that reads it.
        report_line(&visible_line(&line));
    }
}

/// Prints the result on stdout, or on stderr where stdout has another use.
async fn print_result(out: &Outgoing, options: &Options, outcome: &RunResult) {
    match options.output.format {
        Format::Text => {
            if !outcome.text.is_empty() && options.output.takes_stdout() {
                report_line(&outcome.text);
            } else if !outcome.text.is_empty() {
                let text = outcome.text.as_str();
                let text = if options.output.is_terminal { visible(text) } else { text.into() };
                print(out, text.into_owned()).await;
            }
        }
        Format::Json | Format::Events => {
            let line = RunLine::Result(Box::new(outcome.clone()));
            print(out, screen::escaped(&serde_json::to_string(&line).unwrap_or_default())).await;
        }
    }
}

/// Reports on stderr how a task ended: problems, denials, and the closing line.
fn report_end(options: &Options, outcome: &RunResult) {
    if let Some(error) = &outcome.error {
        report_line(&format!("pintle: {}", error.message));
        if let Some(hint) = &error.hint {
            report_line(&format!("  {hint}"));
        }
    }
    isolated::report(outcome);
    if outcome.status == RunStatus::Unchanged {
        report_line("pintle: no changes (--require-changes)");
    }
    for path in &outcome.not_in_patch {
        report_line(&format!(
            "pintle: not in the patch, since outside the session's directory: {path}"
        ));
    }
    for denial in &outcome.denials {
        let why = denial.hint.as_deref().unwrap_or(&denial.reason);
        report_line(&visible_line(&format!("pintle: denied: {} ({why})", denial.title)));
    }
    if let Some(line) =
        closing(outcome, options.session.is_temporary).filter(|_| !options.output.is_quiet)
    {
        report_line(&visible_line(&line));
    }
}

/// Returns the last line of the text format: the model, the tokens, the cost and the session.
fn closing(outcome: &RunResult, is_temporary: bool) -> Option<String> {
    let session = outcome.session_id.as_ref()?;
    let model = outcome.model.as_deref()?;
    let (read, written) = (outcome.usage.read_tokens(), outcome.usage.output_tokens);
    let cost = outcome.cost_nano_usd.map_or_else(|| "cost unknown".to_owned(), money::usd);
    let session =
        if is_temporary { "session not stored".to_owned() } else { format!("session {session}") };
    Some(format!("pintle: {model}, {read} tokens in, {written} out, {cost}, {session}"))
}

/// Prints a line. A slow reader delays this task, not the engine.
async fn print(out: &Outgoing, line: String) {
    if let Some(room) = out.reserve(line.len()).await {
        out.send(room, line.into_bytes());
    }
}

/// Prints a line on stderr.
fn report_line(line: &str) {
    use std::io::Write;
    // A missing reader of stderr does not end the run.
    let _ = writeln!(screen::err(), "{line}");
}
