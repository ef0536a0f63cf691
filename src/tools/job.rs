//! `job`: manages background commands, and types into their terminals.

use crate::arguments::Arguments;
use crate::bash::{notice, whole};
use crate::jobs::JobView;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::terminal;
use pintle_base::text::truncate::{self, Limits};
use pintle_exec::{Mark, Terminal};
use pintle_os::names;
use pintle_protocol::ids::JobId;
use pintle_protocol::item::{JobEnd, JobRef, Location, ToolDetails, ToolKind, ToolResult};
use serde_json::Value;
use std::time::Duration;

/// Reads, lists and stops background jobs, and types into them: in one tool, or in a tool for each.
#[derive(Debug, Clone, Copy)]
pub struct JobControl(pub Profile, pub Builtin);

/// The maximum time to wait for output in one call.
const MAX_WAIT_SECONDS: u64 = 120;

/// How long the tool waits if the model gives no time.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// The pause after which a terminal's output counts as settled.
pub(super) const QUIET: Duration = Duration::from_millis(500);

/// The maximum time to wait for a terminal to settle.
pub(super) const MAX_SETTLING: Duration = Duration::from_secs(10);

/// Key names and their control sequences.
const KEYS: [(&str, &str); 14] = [
    ("enter", "\n"),
    ("tab", "\t"),
    ("escape", "\u{1b}"),
    ("backspace", "\u{7f}"),
    ("delete", "\u{1b}[3~"),
    ("up", "\u{1b}[A"),
    ("down", "\u{1b}[B"),
    ("right", "\u{1b}[C"),
    ("left", "\u{1b}[D"),
    ("home", "\u{1b}[H"),
    ("end", "\u{1b}[F"),
    ("page-up", "\u{1b}[5~"),
    ("page-down", "\u{1b}[6~"),
    ("space", " "),
];

/// Control characters that interrupt or end a program. Like stopping the job, typing them needs no permission.
pub(super) const INTERRUPTS: [char; 3] = ['\u{3}', '\u{4}', '\u{1c}'];

impl Tool for JobControl {
    shaped!(|tool| tool.1);

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(self.1), arguments)?;
        let action = arguments.text("action")?;
        let id = arguments.optional_text("id")?;
        let wait = self.wait(&mut arguments, action == "write")?;
        let typed = (action == "write").then(|| typed(&mut arguments)).transpose()?;
        let missing = || {
            let shown = arguments.shown("id");
            format!("{shown} is missing: `{action}` requires a job, such as \"job-1\"")
        };
        let named = |id: Option<String>| {
            id.filter(|id| !id.trim().is_empty()).map(JobId::new).ok_or_else(missing)
        };
        let call = match action.as_str() {
            "list" => Call::List,
            "read" => Call::Read(named(id)?, wait),
            "write" => Call::Write(named(id)?, typed.unwrap_or_default(), wait),
            "stop" => Call::Stop(named(id)?),
            other => {
                return Err(format!(
                    "`action` must be \"read\", \"write\", \"list\" or \"stop\", not {other:?}"
                ));
            }
        };
        Ok(Box::new(Titled {
            tool: self.0.row(self.1).name,
            shows_action: self.1 == Builtin::Job,
            call,
        }))
    }
}

impl JobControl {
    /// Returns how long to wait; zero if no time is given, which for typing means until the terminal settles.
    fn wait(self, arguments: &mut Arguments, types: bool) -> Result<Duration, String> {
        let max = Duration::from_secs(MAX_WAIT_SECONDS);
        if self.1 == Builtin::Job {
            let wait = arguments.optional_seconds("wait")?.unwrap_or_default();
            return Ok(Duration::try_from_secs_f64(wait).unwrap_or(max).min(max));
        }
        if types {
            return Ok(arguments.optional_milliseconds("waitMs")?.unwrap_or_default().min(max));
        }
        let blocks = arguments.optional_flag("block")?.unwrap_or(true);
        let wait = arguments.optional_milliseconds("waitMs")?.unwrap_or(DEFAULT_WAIT);
        Ok(if blocks { wait.min(max) } else { Duration::ZERO })
    }
}

/// Returns the text to type, followed by the keys.
fn typed(arguments: &mut Arguments) -> Result<String, String> {
    let mut typed = arguments.optional_text("input")?.unwrap_or_default();
    for key in arguments.optional_texts("keys")? {
        let name = key.trim().to_lowercase().replace(['+', '_', ' '], "-");
        typed.push_str(&sequence(&name).ok_or_else(|| {
            let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
            let shown = arguments.shown("keys");
            format!(
                "{shown} has the unknown key {key:?}: use {} or ctrl-a to ctrl-z",
                names.join(", ")
            )
        })?);
    }
    if typed.is_empty() {
        let (input, keys) = (arguments.shown("input"), arguments.shown("keys"));
        return Err(format!("nothing to type: give {input}, {keys} or both"));
    }
    Ok(typed)
}

/// Returns the control sequence for a key.
fn sequence(name: &str) -> Option<String> {
    let names =
        [("return", "enter"), ("esc", "escape"), ("pageup", "page-up"), ("pagedown", "page-down")];
    let name = names.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
    if let Some((_, typed)) = KEYS.iter().find(|(key, _)| *key == name) {
        return Some((*typed).to_owned());
    }
    let control = name.strip_prefix("ctrl-").or_else(|| name.strip_prefix("^"))?;
    let letter = Some(control).filter(|control| control.len() == 1)?.bytes().next()?;
    let code = match letter {
        b'a'..=b'z' => letter - b'a' + 1,
        b'\\' => 0x1c,
        _ => return None,
    };
    Some(char::from(code).to_string())
}

#[derive(Debug)]
struct Titled {
    tool: &'static str,
    shows_action: bool,
    call: Call,
}

#[derive(Debug)]
enum Call {
    List,
    Read(JobId, Duration),
    /// The text, and the time to wait before reading the terminal; zero means until it settles.
    Write(JobId, String, Duration),
    Stop(JobId),
}

#[async_trait::async_trait]
impl Prepared for Titled {
    fn title(&self) -> String {
        let action =
            |action: &str| if self.shows_action { format!("{action} ") } else { String::new() };
        match &self.call {
            Call::List => format!("{}: list", self.tool),
            Call::Read(id, _) => format!("{}: {}{id}", self.tool, action("read")),
            Call::Write(id, typed, _) => {
                format!("{}: {}{id}: {}", self.tool, action("write"), shown_keys(typed))
            }
            Call::Stop(id) => format!("{}: {}{id}", self.tool, action("stop")),
        }
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A job belongs to the model: inspecting or ending it needs no permission beyond that for its command.
    fn access(&self) -> Access {
        match &self.call {
            Call::Write(job, text, _) => access(job, text),
            Call::List | Call::Read(..) | Call::Stop(_) => Access::Engine,
        }
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let work = async {
            match self.call {
                Call::List => list(ctx).await,
                Call::Read(id, wait) => read(ctx, &id, wait).await,
                Call::Write(id, typed, wait) => write(ctx, &id, &typed, wait).await,
                Call::Stop(id) => stop(ctx, &id).await,
            }
        };
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => failure("Operation aborted"),
            done = work => done.unwrap_or_else(failure),
        }
    }
}

/// Returns typed text for a title.
pub(super) fn shown_keys(typed: &str) -> String {
    let typed = typed.replace('\n', "\u{23ce}");
    truncate::line(&terminal::shown(&typed), 200).to_string()
}

/// Returns what typing into a job means for permissions.
pub(super) fn access(job: &JobId, text: &str) -> Access {
    if text.chars().all(|key| INTERRUPTS.contains(&key)) {
        Access::Engine
    } else {
        Access::Type { job: job.clone(), text: text.to_owned(), reader: None }
    }
}

async fn list(ctx: &ToolContext) -> Result<ToolResult, String> {
    let jobs = ctx.jobs.list().await?;
    if jobs.is_empty() {
        return Ok(success("(no jobs)"));
    }
    let lines = jobs.iter().map(|job| {
        let fresh = job.output.after(job.mark);
        let unread = match fresh.missed_bytes + fresh.text.len() as u64 {
            0 => "nothing new".to_owned(),
            bytes => format!("{} new", truncate::size(bytes)),
        };
        format!("{}: {} ({}, {unread})", job.id, job.title, state(job))
    });
    Ok(success(lines.collect::<Vec<_>>().join("\n")))
}

async fn read(ctx: &ToolContext, id: &JobId, wait: Duration) -> Result<ToolResult, String> {
    let job = ctx.jobs.look(id).await?;
    if !wait.is_zero() && job.end.is_none() {
        // With or without new output, the present state is shown.
        let news = async {
            match job.terminal {
                Some(_) => job.output.settled(job.mark, QUIET).await,
                None => job.output.news(job.mark).await,
            }
        };
        let _ = tokio::time::timeout(wait, news).await;
    }
    Ok(show(ctx, ctx.jobs.look(id).await?).await)
}

async fn write(
    ctx: &ToolContext,
    id: &JobId,
    typed: &str,
    wait: Duration,
) -> Result<ToolResult, String> {
    let job = ctx.jobs.look(id).await?;
    let Some(terminal) = &job.terminal else {
        return Err(format!(
            "{id} has no terminal, so nothing can be typed. Run the command again in a terminal."
        ));
    };
    let before = job.output.after(job.mark).mark;
    terminal.type_text(typed).await?;
    if wait.is_zero() {
        let settled = job.output.settled(before, QUIET);
        let _ = tokio::time::timeout(MAX_SETTLING, settled).await;
    } else {
        let _ = tokio::time::timeout(wait, job.output.ended()).await;
    }
    Ok(show(ctx, ctx.jobs.look(id).await?).await)
}

/// Waits until a new job's terminal has settled, and shows it.
pub(super) async fn settled(ctx: &ToolContext, job: &JobView) -> Result<ToolResult, String> {
    let settled = job.output.settled(Mark::default(), QUIET);
    let _ = tokio::time::timeout(MAX_SETTLING, settled).await;
    Ok(show(ctx, ctx.jobs.look(&job.id).await?).await)
}

async fn stop(ctx: &ToolContext, id: &JobId) -> Result<ToolResult, String> {
    let job = ctx.jobs.stop(id).await?;
    Ok(show(ctx, job).await)
}

/// Output since the last read.
pub(super) struct NewOutput {
    /// The end of it, if it is long.
    pub(super) text: String,
    /// The amount left out and the file that contains it; whether the user has typed.
    pub(super) notices: Vec<String>,
    /// The size of all of it.
    pub(super) bytes: u64,
    /// The job's end, and which part of the output is shown.
    pub(super) details: ToolDetails,
}

/// Returns the new output and marks it as read.
pub(super) async fn take_new(ctx: &ToolContext, job: &JobView, limits: Limits) -> NewOutput {
    let mut fresh = job.output.after(job.mark);
    ctx.jobs.seen(&job.id, fresh.mark, job.end.is_some()).await;
    if let Some(screen) = job.terminal.as_ref().and_then(Terminal::shown) {
        fresh.text.push_str(&job.output.redacted(&screen));
    }
    let bytes = fresh.missed_bytes + fresh.text.len() as u64;
    let mut shown = truncate::tail(&fresh.text, limits);
    let record = &mut shown.record;
    record.total_lines = fresh.total_lines;
    record.total_bytes = bytes;
    let path = fresh.full_output_path.map(|path| names::shown(&path).into_owned());
    let full = whole(path.as_deref(), fresh.is_file_full, ctx.env.as_ref());
    let notice = if fresh.missed_bytes > 0 {
        let missed = truncate::size(fresh.missed_bytes);
        Some(format!("{missed} printed before this since the last read are not kept here.{full}"))
    } else {
        notice(&shown, &full)
    };
    let has_user_typed = job.terminal.as_ref().is_some_and(Terminal::take_user_typed);
    let typed = has_user_typed.then(|| "The user has typed into this terminal.".to_owned());
    let notices = notice.into_iter().chain(typed).collect();
    let ended = job.end.as_ref().map(|(_, details)| details.clone()).unwrap_or_default();
    let truncation = shown.is_cut().then_some(shown.record);
    let details = ToolDetails { truncation, full_output_path: path, ..ended };
    NewOutput { text: shown.text, notices, bytes, details }
}

/// Shows the new output and marks it as read.
async fn show(ctx: &ToolContext, job: JobView) -> ToolResult {
    let shown = take_new(ctx, &job, Limits::default()).await;
    let mut parts = Vec::new();
    if !shown.text.is_empty() {
        parts.push(shown.text.trim_end_matches('\n').to_owned());
    }
    parts.extend(shown.notices.iter().map(|notice| format!("[{notice}]")));
    let nothing = if shown.text.is_empty() { "nothing new, " } else { "" };
    parts.push(format!("[{}: {nothing}{}]", job.id, state(&job)));
    let mut result = success(parts.join("\n\n"));
    result.details = shown.details;
    let (job_id, item_id, has_ended) = (job.id, job.item_id, job.end.is_some());
    result.details.jobs = vec![JobRef { job_id, item_id, has_ended }];
    result
}

/// Describes a job's state: `running for 3 seconds`.
fn state(job: &JobView) -> String {
    let seconds = job.ran.as_secs();
    match &job.end {
        None => format!("running for {seconds} seconds"),
        Some((end, details)) => format!("{} after {seconds} seconds", ended(*end, details)),
    }
}

/// Describes how a job ended: `exited with code 1`.
pub fn ended(end: JobEnd, details: &ToolDetails) -> String {
    match end {
        JobEnd::Exited => format!("exited with code {}", details.exit_code.unwrap_or_default()),
        JobEnd::Signalled => {
            format!("killed by signal {}", details.signal.as_deref().unwrap_or("unknown"))
        }
        JobEnd::TimedOut => "stopped at its time limit".to_owned(),
        JobEnd::Stopped => "stopped".to_owned(),
        JobEnd::SessionEnded => {
            "stopped because the session was closed or the engine exited".to_owned()
        }
        JobEnd::Failed => "could not be started".to_owned(),
    }
}
