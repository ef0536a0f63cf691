//! The arguments of `pintle run`.

use super::{Delivery, Safety, Settings, Values, heading};
use crate::cli::piped;
use anyhow::Context;
use clap::{ValueEnum, ValueHint};
use pintle_agent::config;
use pintle_base::private_files;
use pintle_frontend::run::{self, Destination, Report};
use pintle_protocol::event::TurnLimits;
use pintle_protocol::plan::WorkMode;
use serde_json::Value;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The maximum size of a schema file. Source: the model reads it whole.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

/// Destinations of a run, apart from its result.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) patch: Option<Destination>,
    pub(crate) reports: Vec<Report>,
}

/// Returns true for `-`: stdin as an input, stdout as an output.
fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Run {
    /// Task; - reads it from stdin, otherwise piped input is attached to it
    #[arg(value_hint = ValueHint::Other)]
    prompt: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) safety: Safety,
    /// Work in this directory
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Add another working directory; repeatable
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Print the answer as text, one JSON object, or every event as a JSON line
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = heading::OUTPUT)]
    pub(crate) format: Format,
    /// With --format events, print only events of these kinds, such as 'item.*'; a leading `!` excludes them; repeatable
    #[arg(long, value_name = "PATTERN", help_heading = heading::OUTPUT)]
    events: Vec<String>,
    /// Set the work mode: plan (only read, answer with a plan) or act [default: act, or that of the stored session]
    #[arg(long, value_name = "MODE", hide_possible_values = true)]
    mode: Option<Mode>,
    /// Continue a stored session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(long, value_name = "ID|last", add = Values::Session)]
    pub(crate) session: Option<String>,
    /// Store no session; delete everything the run keeps on disk when it ends
    #[arg(long, conflicts_with = "session")]
    pub(crate) no_session: bool,
    /// Attach a file to the task, such as an image, a PDF document or a log; - attaches stdin; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// Offer only these tools, separated by commas; * matches any text
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Replace the built-in instructions with this text or file, in a new session
    #[arg(long, value_name = "TEXT|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) system_prompt: Option<String>,
    /// End after N model replies
    #[arg(long, value_name = "N", help_heading = heading::LIMITS)]
    pub(crate) max_steps: Option<u32>,
    /// End after N tool calls, between two replies; calls by sub-agents do not count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::LIMITS)]
    max_tool_calls: Option<u64>,
    /// End once N tokens are used, input and output together
    #[arg(long, value_name = "N", help_heading = heading::LIMITS)]
    pub(crate) max_tokens: Option<u64>,
    /// End once the task has cost this many US dollars; requires a known price
    #[arg(long, value_name = "USD", value_parser = parse_usd, help_heading = heading::LIMITS)]
    pub(crate) max_cost: Option<u64>,
    /// End after this many seconds, between two replies
    #[arg(long, value_name = "SECONDS", help_heading = heading::LIMITS)]
    pub(crate) max_seconds: Option<u64>,
    /// Stop after this many seconds, even in the middle of a call
    #[arg(long, value_name = "SECONDS", help_heading = heading::LIMITS)]
    pub(crate) timeout: Option<u64>,
    /// Stop after this many seconds without output from the model or a tool
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::LIMITS)]
    pub(crate) idle_timeout: Option<u64>,
    /// Require an answer that is one JSON value matching the JSON Schema in this file
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    output_schema: Option<PathBuf>,
    /// Write the agent's changes as a patch for `git apply`; - writes it to stdout, and the answer to stderr
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) patch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) delivery: Delivery,
    /// Exit with 7 if the agent changed nothing
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) require_changes: bool,
    /// Exit with 4 if any call was denied, even if the task completed
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set, help_heading = heading::OUTPUT)]
    pub(crate) fail_on_denied: bool,
    /// Print no progress on stderr
    #[arg(short, long, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,
}

/// The options of `replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// Session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(value_name = "ID|last", add = Values::Session)]
    pub(crate) session: String,
    /// Print only events of these kinds, such as 'item.*'; a leading `!` excludes them; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) events: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    Plan,
    Act,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Events,
}

impl From<Format> for run::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
            Format::Events => Self::Events,
        }
    }
}

/// Parses US dollars into billionths of a dollar.
pub(super) fn parse_usd(text: &str) -> Result<u64, String> {
    config::nano_usd(text.trim().trim_start_matches('$').parse().ok())
        .ok_or_else(|| "expected an amount in US dollars, such as 0.50".to_owned())
}

impl Run {
    /// Returns the task's limits.
    pub(crate) fn limits(&self) -> TurnLimits {
        TurnLimits {
            steps: self.max_steps,
            tool_calls: self.max_tool_calls,
            tokens: self.max_tokens,
            cost_nano_usd: self.max_cost,
            duration_ms: self.max_seconds.map(|seconds| seconds.saturating_mul(1000)),
        }
    }

    /// Returns the events that are printed.
    pub(crate) fn events(&self) -> anyhow::Result<run::EventFilter> {
        anyhow::ensure!(
            self.events.is_empty() || matches!(self.format, Format::Events),
            "--events requires --format events"
        );
        run::EventFilter::new(&self.events).context("--events")
    }

    /// Returns the work mode, if one is named.
    pub(crate) fn mode(&self) -> Option<WorkMode> {
        self.mode.map(|mode| match mode {
            Mode::Plan => WorkMode::Plan,
            Mode::Act => WorkMode::Act,
        })
    }

    /// Returns the purpose of stdin.
    ///
    /// # Errors
    /// Stdin was requested twice.
    pub(crate) fn stdin(&self) -> anyhow::Result<piped::Use> {
        let attached = self.file.iter().filter(|path| is_stdio(path)).count();
        let is_task = self.prompt.as_deref() == Some("-");
        anyhow::ensure!(
            attached + usize::from(is_task) <= 1,
            "stdin can be read only once: use `-` for the task or for one --file"
        );
        Ok(match (is_task, attached) {
            (true, _) => piped::Use::Task,
            (false, 0) => piped::Use::Offered,
            (false, _) => piped::Use::Attached,
        })
    }

    /// Returns the files to attach, without stdin.
    pub(crate) fn attached_files(&self) -> impl Iterator<Item = &Path> {
        self.file.iter().map(PathBuf::as_path).filter(|path| !is_stdio(path))
    }

    /// Returns the task's text: the argument, or `stdin` for `-`.
    ///
    /// # Errors
    /// There is no text, or stdin is not UTF-8.
    pub(crate) fn prompt(&self, stdin: Option<Vec<u8>>) -> anyhow::Result<String> {
        let prompt = match self.prompt.as_deref() {
            Some("-") => String::from_utf8(stdin.unwrap_or_default())
                .context("the task on stdin is not UTF-8 text; attach other data with --file -")?,
            Some(prompt) => prompt.to_owned(),
            None if std::io::stdin().is_terminal() => {
                anyhow::bail!("no task given\n  pass one: pintle run \"TASK\"");
            }
            None => anyhow::bail!("specify the task, or - to read it from stdin: pintle run -"),
        };
        anyhow::ensure!(!prompt.trim().is_empty(), "the task is empty");
        Ok(prompt)
    }

    /// Returns the destinations of the patch and the reports. Relative paths start at `here`, and `summary` is the step summary's file.
    ///
    /// # Errors
    /// More than one output goes to stdout, or one does while the format prints the result there.
    pub(crate) fn output(&self, here: &Path, summary: Option<&Path>) -> anyhow::Result<Output> {
        let patch = self.patch.as_ref().map(|path| Destination::parse(path, here));
        let reports = self.delivery.reports(here, summary);
        let on_stdout = std::iter::once(patch.as_ref())
            .chain(reports.iter().map(|report| report.to.as_ref()))
            .filter(|to| *to == Some(&Destination::Stdout))
            .count();
        anyhow::ensure!(
            on_stdout <= 1,
            "only one of --patch and --report can write to stdout (`-`)"
        );
        anyhow::ensure!(
            on_stdout == 0 || matches!(self.format, Format::Text),
            "`-` writes to stdout, where --format json and events print the result: specify a file"
        );
        Ok(Output { patch, reports })
    }

    /// Reads the schema that the answer must satisfy.
    pub(crate) fn output_schema(&self) -> anyhow::Result<Option<Value>> {
        let Some(path) = &self.output_schema else { return Ok(None) };
        let text = private_files::read_to_string(path, MAX_SCHEMA_BYTES)
            .with_context(|| format!("--output-schema: {}", path.display()))?;
        let schema = serde_json::from_str(&text)
            .with_context(|| format!("--output-schema: {} is not JSON", path.display()))?;
        Ok(Some(schema))
    }
}
