//! Options of `run` for the destination of its changes: the working tree or a separate place, and reports.

use super::{Values, heading};
use clap::{ValueEnum, ValueHint};
use pintle_frontend::run::{Attempts, Destination, Report, ReportFormat};
use pintle_protocol::isolation::{IsolationKind, IsolationRequest};
use std::path::{Path, PathBuf};

/// Options for the destination of changes.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Delivery {
    /// Work in a temporary copy without git-ignored files and leave yours unchanged; --patch saves the changes
    #[arg(long, conflicts_with_all = ["wrap", "add_dir", "session"], help_heading = heading::OUTPUT)]
    pub(crate) no_apply: bool,
    /// Work in a copy of the project, and apply the changes to your files at the end, unless they conflict with yours
    #[arg(long, value_name = "KIND", conflicts_with_all = ["no_apply", "wrap", "add_dir", "session", "no_session"], help_heading = heading::OUTPUT)]
    isolation: Option<IsolationChoice>,
    /// With --isolation worktree, start from your uncommitted changes as well
    #[arg(long, requires = "isolation", help_heading = heading::OUTPUT)]
    uncommitted: bool,
    /// Try the task N times side by side, each in a separate copy; without --judge, nothing is applied
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=16), requires = "isolation", conflicts_with_all = ["patch", "report"], help_heading = heading::OUTPUT)]
    attempts: Option<u8>,
    /// Run this command in each attempt's copy, and apply the best accepted attempt: 0 accepts it, and a number in the last line of the output is its score
    #[arg(long, value_name = "COMMAND", requires = "attempts", value_hint = ValueHint::CommandString, help_heading = heading::OUTPUT)]
    judge: Option<String>,
    /// Use these models for the attempts, in turn; repeatable
    #[arg(long, value_name = "PROVIDER/ID", requires = "attempts", add = Values::Model, help_heading = heading::OUTPUT)]
    attempt_model: Vec<String>,
    /// Let the model report findings, and write them as sarif=FILE, junit=FILE, markdown=FILE or github (annotations on stderr and the step summary); FILE - is stdout; repeatable
    #[arg(long, value_name = "FORMAT=FILE", value_parser = parse_report, add = Values::Report, help_heading = heading::OUTPUT)]
    report: Vec<ReportTarget>,
}

/// The kind of copy that a run works in.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum IsolationChoice {
    /// A git worktree of the last commit
    Worktree,
    /// A copy of the files as they are
    Copy,
}

impl From<IsolationChoice> for IsolationKind {
    fn from(choice: IsolationChoice) -> Self {
        match choice {
            IsolationChoice::Worktree => Self::Worktree,
            IsolationChoice::Copy => Self::Copy,
        }
    }
}

/// A report as it is named.
#[derive(Debug, Clone)]
struct ReportTarget {
    format: ReportFormat,
    file: Option<PathBuf>,
}

fn parse_report(text: &str) -> Result<ReportTarget, String> {
    let (name, file) = match text.split_once('=') {
        Some((name, file)) => (name, Some(file)),
        None => (text, None),
    };
    let format = match name {
        "sarif" => ReportFormat::Sarif,
        "junit" => ReportFormat::Junit,
        "markdown" => ReportFormat::Markdown,
        "github" => ReportFormat::Github,
        _ => return Err("expected sarif=FILE, junit=FILE, markdown=FILE or github".to_owned()),
    };
    match (format, file) {
        (ReportFormat::Github, None) => Ok(ReportTarget { format, file: None }),
        (ReportFormat::Github, Some(_)) => Err(
            "github does not accept a file: annotations go to stderr, the summary to $GITHUB_STEP_SUMMARY"
                .to_owned(),
        ),
        (_, None | Some("")) => Err(format!("missing file: expected {name}=FILE")),
        (_, Some(file)) => Ok(ReportTarget { format, file: Some(file.into()) }),
    }
}

impl Delivery {
    /// Returns the copy that the run works in, if it is to work in one that the session keeps.
    pub(crate) fn isolation(&self) -> Option<IsolationRequest> {
        let kind = self.isolation?.into();
        Some(IsolationRequest { kind, uncommitted: self.uncommitted })
    }

    /// Returns how often the task is tried, and how an attempt is chosen; `None` for a task that is run once.
    pub(crate) fn attempts(&self) -> Option<Attempts> {
        Some(Attempts {
            count: self.attempts?.into(),
            judge: self.judge.clone(),
            models: self.attempt_model.clone(),
        })
    }

    /// Returns the reports. Relative paths start at `here`, and `summary` is the step summary's file.
    pub(crate) fn reports(&self, here: &Path, summary: Option<&Path>) -> Vec<Report> {
        let report = |wanted: &ReportTarget| Report {
            format: wanted.format,
            to: match wanted.format {
                ReportFormat::Github => summary.map(|file| Destination::File(file.to_owned())),
                ReportFormat::Sarif | ReportFormat::Junit | ReportFormat::Markdown => {
                    wanted.file.as_ref().map(|file| Destination::parse(file, here))
                }
            },
        };
        self.report.iter().map(report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_a_file_but_for_annotations() {
        for (text, is_report) in [
            ("sarif=a.sarif", true),
            ("junit=a=b.xml", true),
            ("markdown=a.md", true),
            ("github", true),
            ("sarif", false),
            ("sarif=", false),
            ("github=a", false),
            ("html=a", false),
            ("", false),
        ] {
            assert_eq!(parse_report(text).is_ok(), is_report, "{text}");
        }
    }
}
