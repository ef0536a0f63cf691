//! `bash`, or `shell`: a command in a shell, in the foreground or in the background.

use crate::arguments::Arguments;
use crate::jobs::JobView;
use crate::profile::SHELL_BYTES;
use crate::schema::{Builtin, Row};
use crate::toolsets::{Layout, adapt};
use crate::{
    Access, ApplyPatch, Folders, Prepared, Profile, Settings, Tool, ToolContext, apply_patch,
    failure, job, success,
};
use pintle_base::text::truncate::{self, Ends, Limits, Truncated, size};
use pintle_exec::sandbox::{Denial, Report};
use pintle_exec::{
    Command, Dialect, End, Environment, Error, MAX_KEPT_BYTES, Ran, RunningCommand, Terminal,
};
use pintle_os::names;
use pintle_protocol::content::{Content, TruncatedBy};
use pintle_protocol::item::{JobRef, Location, SandboxReport, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

mod session;

pub use session::WriteStdin;
use session::Yield;

/// Runs commands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bash(pub Profile);

/// The unit in which a family gives time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Seconds,
    Milliseconds,
}

impl Unit {
    fn show(self, time: Duration) -> String {
        match self {
            Self::Seconds => format!("{} seconds", time.as_secs_f64()),
            Self::Milliseconds => format!("{} milliseconds", time.as_millis()),
        }
    }

    fn number(self, time: Duration) -> String {
        match self {
            Self::Seconds => time.as_secs().to_string(),
            Self::Milliseconds => time.as_millis().to_string(),
        }
    }
}

/// Time limits for foreground commands.
#[derive(Debug, Clone, Copy)]
struct Times {
    default: Option<Duration>,
    max: Duration,
}

impl Times {
    fn new(profile: Profile, settings: &Settings) -> Self {
        let max = settings.max_command_timeout;
        let default = settings.default_command_timeout.or(profile.family().timeout);
        Self { default: default.map(|default| default.min(max)), max }
    }
}

impl Bash {
    fn row(self) -> &'static Row {
        self.0.row(Builtin::Shell)
    }

    fn unit(self) -> Unit {
        let is_in_milliseconds = self.row().theirs("timeoutMs").is_some();
        if is_in_milliseconds { Unit::Milliseconds } else { Unit::Seconds }
    }

    /// Returns the time limit of a command for which the model gives none, in the family's unit.
    pub(super) fn default_timeout(self, settings: &Settings) -> Option<String> {
        Times::new(self.0, settings).default.map(|time| self.unit().number(time))
    }

    /// Returns the longest time limit that a model can give, in the family's unit.
    pub(super) fn max_timeout(self, settings: &Settings) -> String {
        self.unit().number(settings.max_command_timeout)
    }

    /// Returns true if a command that runs for long continues as a session.
    fn is_session(self) -> bool {
        self.row().theirs("yieldMs").is_some()
    }

    /// Returns the result limits.
    pub(super) fn limits(self) -> Limits {
        if self.is_session() { session::default_limits() } else { self.0.limits(256, SHELL_BYTES) }
    }
}

impl Tool for Bash {
    shaped!(Builtin::Shell);

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.row(), arguments)?;
        let command = arguments.filled_text("command")?;
        if command.contains('\0') {
            let name = arguments.shown("command");
            return Err(format!(
                "{name} contains a NUL character, which shells do not accept: print one with printf '\\000'"
            ));
        }
        let folder = arguments.optional_text("cwd")?;
        // Some models type patches into the shell, which has no such program.
        if let Some((changed_to, patch)) = apply_patch::in_command(&command) {
            let cwd = folders.cwd.join(folder.unwrap_or_default());
            let cwd = cwd.join(changed_to.unwrap_or_default());
            let folders = Folders { cwd, ..folders.clone() };
            return ApplyPatch(self.0).prepare(json!({"patch": patch}), &folders);
        }
        let seconds = arguments.optional_seconds("timeout")?;
        let seconds = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let given = arguments.optional_milliseconds("timeoutMs")?.or(seconds);
        let description = arguments.optional_text("description")?;
        let is_shown =
            |text: &String| self.row().theirs("description").is_some() && !text.trim().is_empty();
        let description = description.filter(is_shown);
        let in_terminal = arguments.flag("tty")?;
        let in_background = arguments.flag("background")?;
        let yields = self.is_session().then(|| Yield::read(&mut arguments, in_background));
        let yields = yields.transpose()?;
        let in_background = yields.is_none() && (in_background || in_terminal);
        let command = match folder {
            Some(folder) => in_folder(command, &folder, folders),
            None => command,
        };
        Ok(Box::new(Call {
            tool: *self,
            command,
            given,
            description,
            in_background,
            in_terminal,
            yields,
        }))
    }
}

/// Returns the command as it is run in a directory. The directory change is a part of it, so that permissions cover it and it is shown.
fn in_folder(command: String, folder: &str, folders: &Folders) -> String {
    let folder = folder.trim();
    if folder.is_empty() || lexical(&folders.cwd.join(folder)) == lexical(&folders.cwd) {
        return command;
    }
    match folders.shell {
        Dialect::PowerShell | Dialect::WindowsPowerShell => {
            let folder = folder.replace('\'', "''");
            format!("Set-Location -LiteralPath '{folder}' -ErrorAction Stop\n{command}")
        }
        Dialect::Bourne => {
            let folder = adapt::quoted(folder);
            // The shell expands `~`.
            let folder =
                folder.strip_prefix("'~/").map_or(folder.clone(), |rest| format!("~/'{rest}"));
            if command.contains('\n') {
                format!("cd {folder} || exit\n{command}")
            } else {
                format!("cd {folder} && {command}")
            }
        }
    }
}

/// Returns a path without `.` in it.
fn lexical(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

struct Call {
    tool: Bash,
    command: String,
    /// The timeout specified by the model.
    given: Option<Duration>,
    description: Option<String>,
    in_background: bool,
    in_terminal: bool,
    /// When the call returns if its command is still running; `None` to wait for its end.
    yields: Option<Yield>,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("command", &self.command).finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let mut lines = self.command.trim().lines();
        let line = lines.next().unwrap_or_default();
        let more = match lines.count() {
            0 => String::new(),
            1 => " … (1 more line)".to_owned(),
            more => format!(" … ({more} more lines)"),
        };
        let description = match &self.description {
            Some(description) => format!(" ({})", truncate::line(description.trim(), 200)),
            None => String::new(),
        };
        format!("{}: {line}{more}{description}", self.tool.name())
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        Access::Execute(self.command.clone())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        if ctx.cancel.is_cancelled() {
            return failure("Command aborted");
        }
        let limits = self.limits(ctx);
        let command = Command {
            timeout: self.timeout(ctx),
            spill_lines: limits.max_lines as u64,
            spill_bytes: limits.max_bytes as u64,
            artifacts: ctx.artifacts.clone(),
            // A background job is shown separately from the call.
            shown_by: ctx.client.shown_by().filter(|_| !self.in_background && !self.in_terminal),
            variables: ctx.variables.clone(),
            terminal: self.in_terminal.then(Terminal::default),
            ..ctx.supervision.over(Command::new(&self.command, &ctx.cwd, &ctx.owner))
        };
        if self.in_background {
            return self.start(ctx, command).await;
        }
        if let Some(yields) = self.yields {
            let command = RunningCommand::new(Arc::clone(&ctx.env), command);
            return self.run_as_session(ctx, command, yields).await;
        }
        let folder = ctx.env.canonicalize(&ctx.cwd).await.unwrap_or_else(|_| ctx.cwd.clone());
        let unsaved = ctx.env.unsaved(&folder);
        let mut output = |piece: &str| ctx.progress.text(piece.to_owned());
        let ran = ctx.env.exec(command, &ctx.cancel, &mut output).await;
        with_unsaved(self.result(ctx, ran), &unsaved)
    }
}

impl Call {
    fn limits(&self, ctx: &ToolContext) -> Limits {
        let limits = ctx.settings.limits(self.tool.limits());
        self.yields.map_or(limits, |yields| yields.longest.within(limits))
    }

    fn timeout(&self, ctx: &ToolContext) -> Option<Duration> {
        if self.in_background {
            return self.given;
        }
        let times = Times::new(self.tool.0, &ctx.settings);
        self.given.map(|given| given.min(times.max)).or(times.default)
    }

    /// Returns the result once the command has ended.
    fn result(&self, ctx: &ToolContext, ran: Result<Ran, Error>) -> ToolResult {
        match ran {
            Ok(ran) => {
                let is_displaced = ran.is_displaced;
                let mut result = self.show(ctx, ran);
                if is_displaced {
                    result.content.push(Content::text(format!(
                        "[The working directory {} no longer exists, so the command ran in an empty directory. Recreate it, or use absolute paths.]",
                        names::shown(&ctx.cwd)
                    )));
                }
                result
            }
            Err(Error::NotFound(folder) | Error::NotFolder(folder)) => {
                failure(format!("Working directory does not exist: {}", names::shown(&folder)))
            }
            Err(error) => failure(error.to_string()),
        }
    }

    async fn start(&self, ctx: &ToolContext, command: Command) -> ToolResult {
        let command = RunningCommand::new(Arc::clone(&ctx.env), command);
        match ctx.jobs.start(command, self.title()).await {
            Ok(job) if self.in_terminal => self.started(ctx, &job).await,
            Ok(job) => {
                let id = &job.id;
                let named = |does| self.tool.0.named(does);
                let how = if let (Some(read), Some(stop)) =
                    (named(Builtin::JobRead), named(Builtin::JobStop))
                {
                    format!(
                        "Read its output with {read}, stop it with {stop}, each with the id \"{id}\"."
                    )
                } else {
                    let job = self.tool.0.row(Builtin::Job).name;
                    format!(
                        "Read its output with the tool `{job}` (action \"read\", id \"{id}\"), stop it with action \"stop\"."
                    )
                };
                let mut result = success(format!(
                    "Running in the background as {id}. {how} You will be notified when it ends."
                ));
                let (job_id, item_id) = (job.id, job.item_id);
                result.details.jobs = vec![JobRef { job_id, item_id, has_ended: false }];
                result
            }
            Err(message) => failure(message),
        }
    }

    /// Shows a new job's terminal.
    async fn started(&self, ctx: &ToolContext, job: &JobView) -> ToolResult {
        let mut result = match job::settled(ctx, job).await {
            Ok(result) => result,
            Err(message) => return failure(message),
        };
        if job.output.is_open() {
            let how = if let Some(write) = self.tool.0.named(Builtin::JobWrite) {
                format!("type into it with {write}")
            } else {
                let job = self.tool.0.row(Builtin::Job).name;
                format!("type into it with the tool `{job}` (action \"write\")")
            };
            result.content.push(Content::text(format!(
                "[{} runs in a terminal: {how}. You will be notified when it ends.]",
                job.id
            )));
        }
        result
    }

    /// Reports the timeout, and what to do about it.
    fn timed_out(&self, ctx: &ToolContext) -> String {
        let times = Times::new(self.tool.0, &ctx.settings);
        let (row, unit) = (self.tool.row(), self.tool.unit());
        let field = row.theirs("timeoutMs").or(row.theirs("timeout"));
        let background = row.theirs("background").unwrap_or("background");
        let show = |time: Duration| unit.show(time);
        let timeout = self.timeout(ctx).unwrap_or_default();
        let most = show(times.max);
        let (origin, advice) = match self.given {
            Some(given) if given > times.max => (", the longest allowed", String::new()),
            Some(given) if given == times.max => ("", String::new()),
            Some(_) => ("", larger(field, &most)),
            None => (", the default", larger(field, &most)),
        };
        format!(
            "Command timed out after {}{origin}. If it needs more time, {advice}run it with `{background}`.",
            show(timeout)
        )
    }

    fn show(&self, ctx: &ToolContext, ran: Ran) -> ToolResult {
        let (limits, env) = (self.limits(ctx), ctx.env.as_ref());
        let path = ran.full_output_path.map(|path| names::shown(&path).into_owned());
        let full = whole(path.as_deref(), ran.is_file_full, env);
        let (output, record) = match self.tool.0.layout() {
            Layout::Tail => {
                let mut shown = truncate::tail(&ran.tail, limits);
                // Text that was dropped before counts too.
                shown.record.total_lines = ran.total_lines;
                shown.record.total_bytes = ran.total_bytes;
                // A single empty line counts here.
                shown.record.output_lines =
                    shown.record.output_lines.max(u64::from(!shown.text.is_empty()));
                if ran.total_lines > shown.record.output_lines {
                    shown.record.truncated_by.get_or_insert(TruncatedBy::Bytes);
                }
                let notice = notice(&shown, &full);
                let record = shown.is_cut().then_some(shown.record);
                match notice {
                    Some(notice) => (format!("{}\n\n[{notice}]", shown.text), record),
                    None => (shown.text, record),
                }
            }
            Layout::Ends | Layout::Session => {
                let totals = (ran.total_lines, ran.total_bytes);
                match truncate::ends(&ran.head, &ran.tail, totals, limits) {
                    Some(ends) => {
                        let reader = path.is_some() && env.is_this_machine();
                        let notice = between(&ends, &full, reader.then_some(self.tool.0));
                        let Ends { head, tail, record, .. } = ends;
                        (format!("{head}\n\n[{notice}]\n\n{tail}\n"), Some(record))
                    }
                    None => (ran.tail, None),
                }
            }
        };
        let output = if output.is_empty() { "(no output)".to_owned() } else { output };
        let is_code_first = self.tool.0.layout() == Layout::Session;
        let output = match (&ran.end, is_code_first) {
            (End::Exited(code), true) => {
                let state = format!("Process exited with code {code}");
                session::header(&state, ran.total_bytes) + &output
            }
            _ => output,
        };
        let because = |what: String| format!("{}\n\n{what}", output.trim_end_matches('\n'));
        let mut result = match &ran.end {
            End::Exited(0) => success(output.clone()),
            End::Exited(code) if is_code_first && signal_of(*code).is_none() => {
                failure(output.clone())
            }
            End::Exited(code) => failure(because(match signal_of(*code) {
                None => format!("Command exited with code {code}"),
                Some((signal, number)) => {
                    format!("Command exited with code {code} (128 + {number}: {signal})")
                }
            })),
            End::Signalled(signal) => {
                failure(because(format!("Command was killed by signal {signal}")))
            }
            End::TimedOut => failure(because(self.timed_out(ctx))),
            End::Cancelled if ran.total_bytes == 0 => failure("Command aborted"),
            End::Cancelled => failure(because("Command aborted".to_owned())),
        };
        match ran.end {
            End::Exited(code) => result.details.exit_code = Some(code),
            End::Signalled(signal) => result.details.signal = Some(signal),
            End::TimedOut | End::Cancelled => {}
        }
        result.details.truncation = record;
        result.details.full_output_path = path;
        if let Some(path) = ran.background_output.filter(|_| env.is_this_machine()) {
            result.content.push(Content::text(format!(
                "[Processes started by this command are still running in the background, until the session ends. Their further output goes to {}]",
                names::shown(&path)
            )));
        }
        if let Some(report) = ran.sandbox {
            note_sandbox(&mut result, &report);
        }
        if !ran.denied_programs.is_empty() {
            let named = ran.denied_programs.iter().map(|program| format!("`{program}`"));
            result.content.push(Content::text(format!(
                "[Not started, because the user's rules deny it: {}.]",
                named.collect::<Vec<_>>().join(", ")
            )));
        }
        result
    }
}

/// Advises a larger time limit, if the model can give one.
fn larger(field: Option<&str>, most: &str) -> String {
    field.map_or_else(String::new, |field| format!("set a larger `{field}` (at most {most}) or "))
}

/// Adds a note about the sandbox's effect on the result.
fn note_sandbox(result: &mut ToolResult, report: &Report) {
    let created = report.created.iter().map(|path| path.to_string_lossy().into_owned());
    let created: Vec<String> = created.collect();
    let denied = report.denied.filter(|_| result.is_error);
    let mut refused_hosts = Vec::new();
    if denied.is_some() {
        for refused in &report.refused {
            result.content.push(Content::text(format!("[{refused}]")));
            refused_hosts.push(refused.host.clone());
        }
    }
    if let Some(denial) = denied {
        let what = match denial {
            Denial::Write => "changing files outside the workspace, or protected ones in it",
            Denial::Access => "reading a secret file, or changing a file outside the workspace",
            Denial::Network => "the network",
            Denial::Call => "a system call",
            Denial::Limit => "more processes, memory, file size or temporary space than its limits",
        };
        let certainty = if report.refused.is_empty() { "probably " } else { "" };
        result.content.push(Content::text(format!(
            "[The command ran in a sandbox, which {certainty}denied it {what}. Calling the same command again asks the user to run it outside the sandbox; do so only if that is necessary.]"
        )));
    }
    if !created.is_empty() {
        result.content.push(Content::text(format!(
            "[The command created files that control other programs: {}. Tell the user.]",
            created.join(", ")
        )));
    }
    let is_of_git = |path: &PathBuf| path.components().any(|part| part.as_os_str() == ".git");
    let (of_git, kept): (Vec<PathBuf>, Vec<PathBuf>) =
        report.kept.iter().cloned().partition(is_of_git);
    if !kept.is_empty() {
        result.content.push(Content::text(format!(
            "[The sandbox prevented the command from changing protected files: {}. They control other programs, or a rule of the user protects them. To change them, use the edit tool, which asks the user.]",
            few(&kept)
        )));
    }
    if !of_git.is_empty() {
        result.content.push(Content::text(format!(
            "[The sandbox prevented the command from changing the git repository itself: {}. Git commands that change it run outside the sandbox if the user or a rule allows it.]",
            few(&of_git)
        )));
    }
    let level = report.level.summary();
    result.details.sandbox =
        Some(SandboxReport { level, denied: denied.is_some(), created, refused_hosts });
}

/// Lists a few paths and counts the rest.
fn few(paths: &[PathBuf]) -> String {
    /// More are counted, not listed.
    const MAX_NAMED: usize = 5;
    let named = paths.iter().take(MAX_NAMED).map(|path| names::shown(path).into_owned());
    let mut names = named.collect::<Vec<_>>().join(", ");
    if paths.len() > MAX_NAMED {
        names = format!("{names} and {} more", paths.len() - MAX_NAMED);
    }
    names
}

/// Adds a note about unsaved changes, which the command has not seen.
fn with_unsaved(mut result: ToolResult, unsaved: &[PathBuf]) -> ToolResult {
    if unsaved.is_empty() {
        return result;
    }
    let names = few(unsaved);
    result.content.push(Content::text(format!(
        "[Unsaved changes in the editor, which commands do not see: {names}]"
    )));
    result
}

/// Returns the signal that a shell reports as an exit code, because its own child died of it.
fn signal_of(code: i32) -> Option<(&'static str, i32)> {
    let number = code.checked_sub(128)?;
    Some((pintle_os::process::signal_name(number)?, number))
}

/// Refers the model to the full output: ` Full output: PATH`. Empty if it was not kept.
pub(super) fn whole(path: Option<&str>, is_file_full: bool, env: &dyn Environment) -> String {
    let what = if is_file_full {
        format!("The first {} of the output", size(MAX_KEPT_BYTES))
    } else {
        "Full output".to_owned()
    };
    match path {
        None => String::new(),
        Some(path) if env.is_this_machine() => format!(" {what}: {path}"),
        Some(_) => format!(
            " {what}: kept for the user, not readable here; filter the output with head, tail or grep"
        ),
    }
}

/// Returns the note that replaces the middle of a long output; `reader` has a tool that reads the file with the full output.
fn between(ends: &Ends, full: &str, reader: Option<Profile>) -> String {
    let Ends { hidden_lines: (first, last), hidden_bytes, is_within_line, record, .. } = ends;
    let total = record.total_lines;
    let what = if first > last {
        format!("Parts of line {last}, which was overwritten, are not shown")
    } else if *is_within_line {
        format!("{} of lines {first}-{last} of {total} are not shown", size(*hidden_bytes))
    } else {
        format!("Lines {first}-{last} of {total} are not shown")
    };
    let limit = match record.truncated_by {
        Some(TruncatedBy::Bytes) => format!(" ({} limit)", size(record.max_bytes)),
        Some(TruncatedBy::Lines) | None => String::new(),
    };
    let how = reader.filter(|_| !is_within_line).map_or_else(String::new, |profile| {
        format!(" ({} with {} continues)", profile.read(), profile.beginning_at(*first))
    });
    format!("{what}{limit}.{full}{how}")
}

/// Returns a note about the shown part of a long output, and how to read the rest.
pub(super) fn notice(shown: &Truncated, full: &str) -> Option<String> {
    let record = &shown.record;
    let by = record.truncated_by?;
    let total = record.total_lines;
    let first = total.saturating_sub(record.output_lines) + 1;
    let limit = size(record.max_bytes);
    Some(match by {
        TruncatedBy::Bytes if record.last_line_partial => {
            // If the output has only one line, all its bytes are counted, including those not kept.
            let line = if total == 1 { Some(record.total_bytes) } else { shown.line_bytes };
            let line =
                line.map_or_else(String::new, |line| format!("the line is {}, ", size(line)));
            format!(
                "Showing the last {} of line {total} ({line}{limit} limit).{full}",
                size(record.output_bytes)
            )
        }
        TruncatedBy::Bytes => {
            format!("Showing lines {first}-{total} of {total} ({limit} limit).{full}")
        }
        TruncatedBy::Lines => format!("Showing lines {first}-{total} of {total}.{full}"),
    })
}

#[cfg(test)]
mod tests;
