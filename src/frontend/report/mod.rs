//! A task's findings, and the reports made from them: pure. `run` writes the texts.
//!
//! One list of findings feeds every format, so that reports agree. A finding is a completed call of the tool `report_finding`: the tool has
//! checked that the file and the range exist.

mod github;
mod junit;
mod markdown;
mod sarif;

pub(super) use github::annotations;
use github::summary;

use pintle_protocol::item::ToolCall;
use pintle_protocol::run::{Finding, RunResult};
use std::path::{Path, PathBuf};

/// A report's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit's XML.
    Junit,
    /// Markdown.
    Markdown,
    /// Annotations of GitHub Actions, and the step summary.
    Github,
}

/// A report that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its format.
    pub format: ReportFormat,
    /// Its destination. [`ReportFormat::Github`] appends to the step summary.
    pub to: Option<Destination>,
}

/// Where an output other than the result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Stdout, in place of the answer.
    Stdout,
    /// The file at this absolute path.
    File(PathBuf),
}

impl Destination {
    /// Returns the destination that a command line names: `-` for stdout, else a path, which may be relative to `here`.
    pub fn parse(path: &Path, here: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(here.join(path)) }
    }
}

/// Returns a report's text, if it is a separate file.
pub(super) fn text(format: ReportFormat, result: &RunResult) -> String {
    match format {
        ReportFormat::Sarif => sarif::text(result),
        ReportFormat::Junit => junit::text(result),
        ReportFormat::Markdown => markdown::text(result),
        ReportFormat::Github => summary(result),
    }
}

/// Returns the finding from a completed `report_finding` call, with its path relative to the working directory.
pub(crate) fn finding(call: &ToolCall, cwd: &Path) -> Option<Finding> {
    let input = call.arguments()?;
    let mut finding: Finding = serde_json::from_value(input.clone()).ok()?;
    let path = Path::new(&finding.path);
    let path = path.strip_prefix(cwd).unwrap_or(path);
    let parts = path.components().filter(|part| !matches!(part, std::path::Component::CurDir));
    finding.path = parts.collect::<PathBuf>().to_string_lossy().into_owned();
    finding.end_line = finding.end_line.or(finding.line);
    Some(finding)
}

/// Adds a finding, unless it is there: the same place, rule and message. The more severe of two stays.
pub(crate) fn add(findings: &mut Vec<Finding>, finding: Finding) {
    let is_same = |known: &&mut Finding| {
        let place = |finding: &Finding| (finding.path.clone(), finding.line, finding.end_line);
        place(known) == place(&finding)
            && (&known.rule, &known.message) == (&finding.rule, &finding.message)
    };
    match findings.iter_mut().find(is_same) {
        Some(known) => {
            known.severity = known.severity.max(finding.severity);
            if known.fix.is_none() {
                known.fix = finding.fix;
            }
        }
        None => findings.push(finding),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use pintle_protocol::run::FindingSeverity;

    pub(in crate::report) fn finding_at(path: &str, line: u64) -> Finding {
        Finding {
            path: path.to_owned(),
            line: Some(line),
            end_line: Some(line),
            severity: FindingSeverity::Warning,
            rule: "unused".to_owned(),
            message: "nobody reads it".to_owned(),
            fix: None,
        }
    }

    #[test]
    fn the_same_finding_counts_once() {
        let mut findings = Vec::new();
        let first = finding_at("a.rs", 1);
        for finding in [
            first.clone(),
            finding_at("a.rs", 2),
            Finding {
                severity: FindingSeverity::Error,
                fix: Some("x".to_owned()),
                ..first.clone()
            },
            Finding { severity: FindingSeverity::Note, fix: Some("y".to_owned()), ..first.clone() },
            Finding { message: "other".to_owned(), ..first },
        ] {
            add(&mut findings, finding);
        }
        assert_eq!(findings.len(), 3);
        let kept = findings.first().unwrap();
        assert_eq!((kept.severity, kept.fix.as_deref()), (FindingSeverity::Error, Some("x")));
    }
}
