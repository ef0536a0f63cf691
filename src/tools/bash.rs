//! `bash`, or `shell`: a command in a shell, in the foreground or in the background.

use crate::exec::sandbox::{Denial, Report};
use crate::exec::{Command, End, Environment, Error, MAX_KEPT_BYTES, Ran};
use crate::text::truncate::{self, Ends, Limits, Truncated, size};
use crate::tools::arguments::Arguments;
use crate::tools::profile::SHELL_BYTES;
use crate::tools::{
    Access, ApplyPatch, Folders, Prepared, Profile, Settings, Tool, ToolContext, apply_patch,
    failure, success,
};
use pintle_protocol::content::{Content, TruncatedBy};
use pintle_protocol::item::{JobRef, Location, SandboxReport, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Runs commands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bash(pub Profile);

/// The names that differ by profile.
struct Shape {
    profile: Profile,
    name: &'static str,
    timeout: &'static str,
    /// The time-out is in milliseconds, not seconds.
    is_in_milliseconds: bool,
    default_timeout: Option<Duration>,
    background: &'static str,
}

/// The time limits of commands in the foreground.
#[derive(Debug, Clone, Copy)]
struct Times {
    default: Option<Duration>,
    max: Duration,
}

impl Times {
    fn new(shape: &Shape, settings: &Settings) -> Self {
        let max = settings.max_command_timeout;
        let default = settings.default_command_timeout.or(shape.default_timeout);
        Self { default: default.map(|default| default.min(max)), max }
    }
}

impl Bash {
    /// Returns the schema of the arguments under these settings.
    pub(super) fn parameters_with(self, settings: &Settings) -> Value {
        let shape = self.shape();
        let times = Times::new(&shape, settings);
        let show = |time: Duration| {
            if shape.is_in_milliseconds {
                time.as_millis().to_string()
            } else {
                time.as_secs().to_string()
            }
        };
        let unit = if shape.is_in_milliseconds { "Milliseconds" } else { "Seconds" };
        let most = show(times.max);
        let default = times.default.map_or("none by default".to_owned(), |timeout| {
            format!("{} by default", show(timeout))
        });
        let mut properties = json!({
            "command": {"type": "string", "description": "Command for the shell"},
            shape.timeout: {
                "type": "number",
                "exclusiveMinimum": 0,
                "description": format!("{unit} after which it is stopped, at most {most}; {default}"),
            },
        });
        if let Some(properties) = properties.as_object_mut() {
            if self.0 != Profile::Pi {
                let description = "What it does, in a few words for a person";
                let field = json!({"type": "string", "description": description});
                properties.insert("description".to_owned(), field);
            }
            let description = "Return a job's id at once and let the command go on; without a time-out unless one is given";
            let field = json!({"type": "boolean", "description": description});
            properties.insert(shape.background.to_owned(), field);
        }
        json!({"type": "object", "properties": properties, "required": ["command"]})
    }

    fn shape(self) -> Shape {
        let shell = |seconds| Shape {
            profile: self.0,
            name: self.0.shell(),
            timeout: "timeout_ms",
            is_in_milliseconds: true,
            default_timeout: Some(Duration::from_secs(seconds)),
            background: "run_in_background",
        };
        match self.0 {
            Profile::Pi => Shape {
                profile: self.0,
                name: self.0.shell(),
                timeout: "timeout",
                is_in_milliseconds: false,
                default_timeout: None,
                background: "background",
            },
            Profile::Anthropic => shell(120),
            Profile::OpenAi | Profile::Gemini => shell(10),
        }
    }
}

impl Tool for Bash {
    fn name(&self) -> &'static str {
        self.shape().name
    }

    fn description(&self) -> &'static str {
        match self.0 {
            Profile::Pi => include_str!("descriptions/bash.md"),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                include_str!("descriptions/shell.md")
            }
        }
    }

    fn parameters(&self) -> Value {
        self.parameters_with(&Settings::default())
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let shape = self.shape();
        let mut arguments = Arguments::new(arguments)?;
        let command = arguments.filled_text("command")?;
        // Some models type patches into the shell, which has no such program.
        if let Some((folder, patch)) = apply_patch::in_command(&command) {
            let cwd = folders.cwd.join(folder.unwrap_or_default());
            let folders = Folders { cwd, ..folders.clone() };
            return ApplyPatch(self.0).prepare(json!({"patch": patch}), &folders);
        }
        let given = if shape.is_in_milliseconds {
            arguments.optional_milliseconds(shape.timeout)?
        } else {
            arguments
                .optional_seconds(shape.timeout)?
                .and_then(|s| Duration::try_from_secs_f64(s).ok())
        };
        let description = match self.0 {
            Profile::Pi => None,
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                arguments.optional_text("description")?.filter(|text| !text.trim().is_empty())
            }
        };
        let in_background = arguments.flag(shape.background)?;
        Ok(Box::new(Call { shape, command, given, description, in_background }))
    }
}

struct Call {
    shape: Shape,
    command: String,
    /// The time-out that the model gave.
    given: Option<Duration>,
    description: Option<String>,
    in_background: bool,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("command", &self.command).finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        let line = self.command.trim().lines().next().unwrap_or_default();
        let name = self.shape.name;
        match &self.description {
            Some(description) => {
                format!("{name}: {line} ({})", truncate::line(description.trim(), 200))
            }
            None => format!("{name}: {line}"),
        }
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
        let limits = ctx.settings.limits(self.shape.profile.limits(256, SHELL_BYTES));
        let times = Times::new(&self.shape, &ctx.settings);
        let command = Command {
            timeout: self.timeout(times),
            spill_lines: limits.max_lines as u64,
            spill_bytes: limits.max_bytes as u64,
            artifacts: ctx.artifacts.clone(),
            // A background job is shown apart from the call.
            shown_by: ctx.client.shown_by().filter(|_| !self.in_background),
            variables: ctx.variables.clone(),
            confinement: ctx.confinement.clone(),
            ..Command::new(&self.command, &ctx.cwd, &ctx.owner)
        };
        if self.in_background {
            return self.start(ctx, command).await;
        }
        let folder = ctx.env.canonicalize(&ctx.cwd).await.unwrap_or_else(|_| ctx.cwd.clone());
        let unsaved = ctx.env.unsaved(&folder);
        let mut output = |piece: &str| ctx.progress.text(piece.to_owned());
        match ctx.env.exec(command, &ctx.cancel, &mut output).await {
            Ok(ran) => with_unsaved(self.show(ran, limits, times, ctx.env.as_ref()), &unsaved),
            Err(Error::NotFound(folder) | Error::NotFolder(folder)) => {
                failure(format!("Working directory does not exist: {}", folder.display()))
            }
            Err(error) => failure(error.to_string()),
        }
    }
}

impl Call {
    fn timeout(&self, times: Times) -> Option<Duration> {
        if self.in_background {
            return self.given;
        }
        self.given.map(|given| given.min(times.max)).or(times.default)
    }

    async fn start(&self, ctx: &ToolContext, command: Command) -> ToolResult {
        match ctx.jobs.start(command, self.title()).await {
            Ok(job) => {
                let id = &job.id;
                let mut result = success(format!(
                    "Runs in the background as {id}. Read its output with the tool `job` (action \"read\", id \"{id}\"), \
                     stop it with action \"stop\". You will be told when it ends."
                ));
                let (job_id, item_id) = (job.id, job.item_id);
                result.details.jobs = vec![JobRef { job_id, item_id, has_ended: false }];
                result
            }
            Err(message) => failure(message),
        }
    }

    /// Says that the time was over, and what to do about it.
    fn timed_out(&self, times: Times) -> String {
        let Shape { timeout: field, background, is_in_milliseconds, .. } = self.shape;
        let show = |time: Duration| {
            if is_in_milliseconds {
                format!("{} milliseconds", time.as_millis())
            } else {
                format!("{} seconds", time.as_secs_f64())
            }
        };
        let timeout = self.timeout(times).unwrap_or_default();
        let most = show(times.max);
        let (origin, advice) = match self.given {
            Some(given) if given > times.max => (", the longest allowed", String::new()),
            Some(given) if given == times.max => ("", String::new()),
            Some(_) => ("", format!("give a larger `{field}` (at most {most}) or ")),
            None => (", the default", format!("give a larger `{field}` (at most {most}) or ")),
        };
        format!(
            "Command timed out after {}{origin}. If it needs more time, {advice}run it with `{background}`.",
            show(timeout)
        )
    }

    fn show(&self, ran: Ran, limits: Limits, times: Times, env: &dyn Environment) -> ToolResult {
        let path = ran.full_output_path.map(|path| path.to_string_lossy().into_owned());
        let full = whole(path.as_deref(), ran.is_file_full, env);
        let (output, record) = match self.shape.profile {
            Profile::Pi => {
                let mut shown = truncate::tail(&ran.tail, limits);
                // Text that was dropped before counts too.
                shown.record.total_lines = ran.total_lines;
                shown.record.total_bytes = ran.total_bytes;
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
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                let totals = (ran.total_lines, ran.total_bytes);
                match truncate::ends(&ran.head, &ran.tail, totals, limits) {
                    Some(ends) => {
                        let reader = path.is_some() && env.is_this_machine();
                        let notice = between(&ends, &full, reader.then_some(self.shape.profile));
                        let Ends { head, tail, record, .. } = ends;
                        (format!("{head}\n\n[{notice}]\n\n{tail}\n"), Some(record))
                    }
                    None => (ran.tail, None),
                }
            }
        };
        let output = if output.is_empty() { "(no output)".to_owned() } else { output };
        let because = |what: String| format!("{}\n\n{what}", output.trim_end_matches('\n'));
        let mut result = match &ran.end {
            End::Exited(0) => success(output.clone()),
            End::Exited(code) => failure(because(match signal_of(*code) {
                None => format!("Command exited with code {code}"),
                Some((signal, number)) => {
                    format!("Command exited with code {code} (128 + {number}: {signal})")
                }
            })),
            End::Signalled(signal) => {
                failure(because(format!("Command was ended by signal {signal}")))
            }
            End::TimedOut => failure(because(self.timed_out(times))),
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
                "[Processes of this command still run in the background, until the session ends. Their further output goes \
                 to {}]",
                path.display()
            )));
        }
        if let Some(report) = ran.sandbox {
            note_sandbox(&mut result, &report);
        }
        result
    }
}

/// Says what the sandbox had to do with the result.
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
            Denial::Access => {
                "reading a secret file, or changing a file that is not of the workspace"
            }
            Denial::Network => "the network",
            Denial::Call => "a system call",
            Denial::Limit => "more processes, memory, file size or temporary space than its limits",
        };
        let certainty = if report.refused.is_empty() { "probably " } else { "" };
        result.content.push(Content::text(format!(
            "[The command ran in a sandbox, which {certainty}denied it {what}. Calling the same command again asks the \
             user to run it outside of the sandbox; do so only if it needs that.]"
        )));
    }
    if !created.is_empty() {
        result.content.push(Content::text(format!(
            "[The command created files that other programs obey: {}. Tell the user.]",
            created.join(", ")
        )));
    }
    let level = report.level.summary();
    result.details.sandbox =
        Some(SandboxReport { level, denied: denied.is_some(), created, refused_hosts });
}

/// Says what the command has not seen.
fn with_unsaved(mut result: ToolResult, unsaved: &[PathBuf]) -> ToolResult {
    /// More are counted, not named.
    const MAX_NAMED: usize = 5;
    if unsaved.is_empty() {
        return result;
    }
    let named = unsaved.iter().take(MAX_NAMED).map(|path| path.display().to_string());
    let mut names = named.collect::<Vec<_>>().join(", ");
    if unsaved.len() > MAX_NAMED {
        names = format!("{names} and {} more", unsaved.len() - MAX_NAMED);
    }
    result.content.push(Content::text(format!(
        "[Unsaved changes in the editor, which commands do not see: {names}]"
    )));
    result
}

/// Returns the signal that a shell reports as an exit code, because its own child died of it.
fn signal_of(code: i32) -> Option<(&'static str, i32)> {
    let number = code.checked_sub(128)?;
    Some((crate::exec::signal_name(number)?, number))
}

/// Says where the whole output is, for the model: ` Full output: PATH`. Empty if it was not kept.
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
            " {what}: kept for the user and not to be read here; filter it with head, tail or grep"
        ),
    }
}

/// Returns the note that stands in a long output for its middle; `reader` has a tool that reads the file with all of it.
fn between(ends: &Ends, full: &str, reader: Option<Profile>) -> String {
    let Ends { hidden_lines: (first, last), hidden_bytes, is_within_line, record, .. } = ends;
    let total = record.total_lines;
    let what = if first > last {
        format!("Parts of line {last}, which was written over, are not shown")
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
        format!(" ({} with offset={first} goes on)", profile.read())
    });
    format!("{what}{limit}.{full}{how}")
}

/// Returns the note about the shown part of a long output and the place of the rest.
pub(super) fn notice(shown: &Truncated, full: &str) -> Option<String> {
    let record = &shown.record;
    let by = record.truncated_by?;
    let total = record.total_lines;
    let first = total.saturating_sub(record.output_lines) + 1;
    let limit = size(record.max_bytes);
    Some(match by {
        TruncatedBy::Bytes if record.last_line_partial => {
            format!(
                "Showing the last {} of line {total} ({limit} limit).{full}",
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
