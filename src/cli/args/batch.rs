//! The options of `batch` and `batch merge`.

use super::delivery::IsolationChoice;
use super::run::parse_usd;
use super::{Safety, Settings, heading};
use clap::{Subcommand, ValueEnum, ValueHint};
use pintle_frontend::run::ReportFormat;
use pintle_protocol::isolation::{IsolationKind, IsolationRequest};
use std::path::PathBuf;
use std::str::FromStr;

/// The most workers. Each is a process.
const MAX_JOBS: u16 = 256;

#[derive(Debug, clap::Args)]
pub(crate) struct Batch {
    #[command(subcommand)]
    pub(crate) task: Option<BatchTask>,
    /// Task list in JSON lines; - for stdin
    #[arg(value_name = "TASKS.jsonl", required = true)]
    pub(crate) list: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) safety: Safety,
    /// Write results here: one directory per task, and summary.json; tasks finished by an earlier run are skipped
    #[arg(long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Run up to N tasks in parallel, each in its own process
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_JOBS)))]
    pub(crate) jobs: u16,
    /// Run only part I of N, counted from 1: tasks I, I+N, I+2N … of the list
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Resolve task directories against this one, and use it for tasks without one
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) isolating: Isolating,
    /// Let models report findings, and write them to findings.sarif, findings.xml (JUnit) or findings.md in the task's directory; repeatable
    #[arg(long, value_name = "FORMAT", help_heading = heading::OUTPUT)]
    pub(crate) report: Vec<FindingsFile>,
    /// Rerun tasks that did not end as done
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Start no more tasks and end the running ones once all tasks, earlier runs included, have used N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::LIMITS)]
    pub(crate) max_tokens: Option<u64>,
    /// Start no more tasks and end the running ones once they have cost this many US dollars; requires known prices
    #[arg(long, value_name = "USD", value_parser = parse_usd, help_heading = heading::LIMITS)]
    pub(crate) max_cost: Option<u64>,
    /// Stop after this many seconds, even in the middle of a call
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::LIMITS)]
    pub(crate) timeout: Option<u64>,
    #[command(flatten)]
    pub(crate) each: Each,
    /// Print a table or the summary as one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = heading::OUTPUT)]
    pub(crate) format: SummaryFormat,
    /// Print no progress on stderr
    #[arg(short, long, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,
    /// Serve tasks on stdin: what `batch` starts its workers with.
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
}

/// The copies that tasks work in.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Isolating {
    /// Run each task in a separate copy of its project, and apply its changes to your files when it is completed, unless they conflict
    #[arg(long, value_name = "KIND", conflicts_with = "wrap", help_heading = heading::OUTPUT)]
    isolation: Option<IsolationChoice>,
    /// Start worktrees from your uncommitted changes as well
    #[arg(long, help_heading = heading::OUTPUT)]
    uncommitted: bool,
}

impl Isolating {
    /// Returns the copy that a task works in, whose line may name a kind.
    pub(crate) fn of(self, kind: Option<IsolationKind>) -> Option<IsolationRequest> {
        let kind = kind.or(self.isolation.map(Into::into))?;
        Some(IsolationRequest { kind, uncommitted: self.uncommitted })
    }
}

/// The limits of a task whose line has none of its own.
#[derive(Debug, Clone, Copy, clap::Args)]
#[expect(clippy::struct_field_names, reason = "matches the option names")]
pub(crate) struct Each {
    /// End after N model replies
    #[arg(long, value_name = "N", help_heading = heading::TASK_LIMITS)]
    pub(crate) task_max_steps: Option<u32>,
    /// End after N tool calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::TASK_LIMITS)]
    pub(crate) task_max_tool_calls: Option<u64>,
    /// End once N tokens are used
    #[arg(long, value_name = "N", help_heading = heading::TASK_LIMITS)]
    pub(crate) task_max_tokens: Option<u64>,
    /// End once it has cost this many US dollars; requires a known price
    #[arg(long, value_name = "USD", value_parser = parse_usd, help_heading = heading::TASK_LIMITS)]
    pub(crate) task_max_cost: Option<u64>,
    /// End after this many seconds, between two replies
    #[arg(long, value_name = "SECONDS", help_heading = heading::TASK_LIMITS)]
    pub(crate) task_max_seconds: Option<u64>,
    /// Stop after this many seconds, even in the middle of a call
    #[arg(long, value_name = "SECONDS", help_heading = heading::TASK_LIMITS)]
    pub(crate) task_timeout: Option<u64>,
    /// Stop after this many seconds without output from the model or a tool
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::TASK_LIMITS)]
    pub(crate) task_idle_timeout: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchTask {
    /// Merge the results of shards into one table and summary
    #[command(after_help = "Guide: pintle help batches")]
    Merge(Merge),
    /// Print the JSON Schema of summary.json
    Schema,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Merge {
    /// Result directories of shards of one list
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) folders: Vec<PathBuf>,
    /// Write the merged results to this directory, which must be new or empty
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Print a table or the summary as one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: SummaryFormat,
}

/// A file with the findings of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFile {
    Sarif,
    Junit,
    Markdown,
}

impl FindingsFile {
    pub(crate) const ALL: [Self; 3] = [Self::Sarif, Self::Junit, Self::Markdown];

    pub(crate) fn format(self) -> ReportFormat {
        match self {
            Self::Sarif => ReportFormat::Sarif,
            Self::Junit => ReportFormat::Junit,
            Self::Markdown => ReportFormat::Markdown,
        }
    }

    /// Returns its name in a task's directory.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sarif => "findings.sarif",
            Self::Junit => "findings.xml",
            Self::Markdown => "findings.md",
        }
    }
}

/// The form of the summary on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryFormat {
    Text,
    Json,
}

/// A part of a list, for one of several machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) index: usize,
    pub(crate) count: usize,
}

impl Shard {
    /// Returns true if the task at this position in the list, from 0, belongs to this part.
    pub(crate) fn has(self, place: usize) -> bool {
        place % self.count == self.index - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(index, count)| {
            Some(Self { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        match parsed {
            Some(shard) if (1..=shard.count).contains(&shard.index) => Ok(shard),
            _ => Err(
                "expected I/N with I from 1 to N, such as 2/4; add 1 to indexes that start at 0"
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_1_and_every_task_is_in_one_of_them() {
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/2/3", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        for count in 1..6 {
            for place in 0..20 {
                let shards = (1..=count).map(|index| Shard { index, count });
                assert_eq!(
                    shards.filter(|shard| shard.has(place)).count(),
                    1,
                    "{place} of {count}"
                );
            }
        }
        assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
    }
}
