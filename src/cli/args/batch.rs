//! The options of `batch` and `batch merge`.

use super::run::parse_usd;
use super::{Safety, Settings};
use clap::{Subcommand, ValueEnum};
use pintle_frontend::run::ReportFormat;
use std::path::PathBuf;
use std::str::FromStr;

/// The most workers. Each is a process.
const MAX_JOBS: u16 = 256;

#[derive(Debug, clap::Args)]
pub(crate) struct Batch {
    #[command(subcommand)]
    pub(crate) task: Option<BatchTask>,
    /// The list of tasks, a JSON object a line; - reads it from stdin
    #[arg(value_name = "TASKS.jsonl", required = true)]
    pub(crate) list: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) safety: Safety,
    /// The folder for results: one folder a task, and summary.json. With an earlier run's results, finished tasks are skipped
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) out: Option<PathBuf>,
    /// The number of tasks that run at the same time, each in a process of its own
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_JOBS)))]
    pub(crate) jobs: u16,
    /// Run only the I-th of N parts of the list, from 1: lines I, I+N, I+2N … among its tasks
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// The folder that the folders of tasks are relative to, and the one of tasks that name none
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Let the model of each task report findings, and write them into the task's folder: findings.sarif, findings.xml (JUnit) or
    /// findings.md; may be repeated
    #[arg(long, value_name = "FORMAT")]
    pub(crate) report: Vec<FindingsFile>,
    /// Run tasks again that ended otherwise than done
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Begin no more tasks and end the running ones when all tasks together have used N tokens, those of earlier runs included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Likewise when they have cost this many US dollars; only where the price is known
    #[arg(long, value_name = "USD", value_parser = parse_usd)]
    pub(crate) max_cost: Option<u64>,
    /// Stop after this many seconds, whatever runs then
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_wall: Option<u64>,
    #[command(flatten)]
    pub(crate) each: Each,
    /// What stdout has at the end: a table, or the summary as one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: SummaryFormat,
    /// Print no progress on stderr
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Serve tasks on stdin: what `batch` starts its workers with.
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
}

/// The limits of a task whose line has none of its own.
#[derive(Debug, Clone, Copy, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the names of the options")]
pub(crate) struct Each {
    /// For each task that names no `maxSteps`: end after N replies of the model
    #[arg(long, value_name = "N")]
    pub(crate) task_max_steps: Option<u32>,
    /// For each task that names no `maxToolCalls`: end after N tool calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) task_max_tool_calls: Option<u64>,
    /// For each task that names no `maxTokens`: end when N tokens are used
    #[arg(long, value_name = "N")]
    pub(crate) task_max_tokens: Option<u64>,
    /// For each task that names no `maxCost`: end when it has cost this many US dollars; only where the price is known
    #[arg(long, value_name = "USD", value_parser = parse_usd)]
    pub(crate) task_max_cost: Option<u64>,
    /// For each task that names no `maxSeconds`: end after this many seconds, between two replies
    #[arg(long, value_name = "SECONDS")]
    pub(crate) task_max_seconds: Option<u64>,
    /// For each task that names no `maxWall`: stop it after this many seconds, whatever runs then
    #[arg(long, value_name = "SECONDS")]
    pub(crate) task_max_wall: Option<u64>,
    /// For each task that names no `idleTimeout`: stop it when nothing came from the model or a tool for this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) task_idle_timeout: Option<u64>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchTask {
    /// Join the result folders of shards: the same table and summary as of one run
    #[command(after_help = "Guide: pintle help batches")]
    Merge(Merge),
    /// Print the JSON Schema of summary.json
    Schema,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Merge {
    /// The result folders of shards of one list
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder that is made of them; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// What stdout has at the end: a table, or the summary as one JSON object
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

    /// Its name in the folder of a task.
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

/// One of the parts of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) index: usize,
    pub(crate) count: usize,
}

impl Shard {
    /// Returns true where a task belongs to this part, by its place among the tasks of the list, from 0.
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
                "write I/N with I from 1 to N, such as 2/4; indexes that begin at 0 need 1 added"
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
