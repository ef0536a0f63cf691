//! `report_finding`: reports a problem at a place in a file, for a task's reports. It is offered only if a report is requested.
//!
//! The call itself is the finding; running it checks that the file and the lines exist, so that reports contain no place that is missing.

use super::arguments::Arguments;
use super::path::{PathArgument, Purpose};
use super::schema::{Builtin, Declaration, Facts};
use super::{
    Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success, unless_cancelled,
};
use pintle_exec::{FileKind, Window};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum number of findings per task. A longer report goes unread, and code hosts reject it.
const MAX_FINDINGS: usize = 500;

/// The maximum length of a rule's name, in characters.
const MAX_RULE: usize = 100;

/// The maximum length of a message or a fix, in characters.
const MAX_TEXT: usize = 10_000;

/// Reports a finding.
#[derive(Debug, Clone, Default)]
pub struct ReportFinding {
    /// The reported findings.
    reported: Arc<AtomicUsize>,
}

impl ReportFinding {
    /// The tool's name.
    pub const NAME: &str = "report_finding";

    /// Starts a new task, which may report as many findings as the one before.
    pub fn begin(&self) {
        self.reported.store(0, Ordering::Relaxed);
    }
}

impl Tool for ReportFinding {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn does(&self) -> Option<Builtin> {
        Some(Builtin::ReportFinding)
    }

    fn declare(&self, told: &Facts<'_>) -> Declaration {
        Profile::Pi.declare(Builtin::ReportFinding, told)
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        Profile::Pi.row(Builtin::ReportFinding).unknown(arguments).map_or(Ok(()), Err)
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(Profile::Pi.row(Builtin::ReportFinding), arguments)?;
        let path = arguments.filled_text("path")?;
        let line = arguments.optional_count("line", 1)?;
        let end_line = arguments.optional_count("endLine", 1)?;
        let severity = arguments.text("severity")?;
        let rule = arguments.filled_text("rule")?;
        let message = arguments.filled_text("message")?;
        let fix = arguments.optional_text("fix")?;
        if !["error", "warning", "note"].contains(&severity.as_str()) {
            return Err(format!("`severity` is `{severity}`: it must be error, warning or note"));
        }
        if rule.chars().count() > MAX_RULE || rule.chars().any(char::is_control) {
            return Err(format!("`rule` must be one line of at most {MAX_RULE} characters"));
        }
        for (name, text) in [("message", Some(&message)), ("fix", fix.as_ref())] {
            if text.is_some_and(|text| text.chars().count() > MAX_TEXT) {
                return Err(format!("`{name}` may have at most {MAX_TEXT} characters"));
            }
        }
        let range = match (line, end_line) {
            (None, Some(_)) => return Err("`endLine` needs `line`".to_owned()),
            (None, None) if fix.is_some() => return Err("`fix` needs `line`".to_owned()),
            (Some(line), Some(end)) if end < line => {
                return Err(format!("`endLine` is {end}, before `line` {line}"));
            }
            (line, end) => line.map(|line| (line, end.unwrap_or(line))),
        };
        if Path::new(&path).components().any(|part| part == Component::ParentDir) {
            return Err("use a `path` without `..`".to_owned());
        }
        let path = PathArgument::new(path, folders, Purpose::Existing).of_file("path")?;
        if !path.absolute.starts_with(&folders.cwd) {
            return Err(format!("{} is not in the working directory", path.text));
        }
        Ok(Box::new(Call { reported: Arc::clone(&self.reported), path, range, rule }))
    }
}

#[derive(Debug)]
struct Call {
    reported: Arc<AtomicUsize>,
    path: PathArgument,
    range: Option<(u64, u64)>,
    rule: String,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {} in {}", ReportFinding::NAME, self.rule, self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(self.range.map(|(line, _)| line))
    }

    fn access(&self) -> Access {
        Access::Read(self.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let work = async {
            let path = self.path.target(ctx).await;
            Ok(check(ctx, &path, self.range).await)
        };
        let checked = match unless_cancelled(&ctx.cancel, work).await {
            Ok(checked) => checked,
            Err(error) => return failure(error.to_string()),
        };
        if let Err(problem) = checked {
            return failure(format!("{}: {problem}", self.path.text));
        }
        let before = self.reported.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
            (count < MAX_FINDINGS).then_some(count + 1)
        });
        match before {
            Ok(_) => success("reported"),
            Err(_) => failure(format!(
                "{MAX_FINDINGS} findings have been reported, which is the maximum. List the rest in your answer."
            )),
        }
    }
}

/// Checks whether a file and its lines exist.
async fn check(ctx: &ToolContext, path: &Path, range: Option<(u64, u64)>) -> Result<(), String> {
    let real = ctx.env.canonicalize(&ctx.cwd).await.unwrap_or_else(|_| ctx.cwd.clone());
    if !path.starts_with(&real) {
        return Err("it leads outside the working directory".to_owned());
    }
    let stat = ctx.env.stat(path).await.map_err(|error| error.to_string())?;
    if stat.kind != FileKind::File {
        return Err("it is not a file".to_owned());
    }
    let Some((_, end)) = range else { return Ok(()) };
    let window = Window { first_line: end, max_lines: 1, max_bytes: 1 };
    let lines = ctx.env.read_lines(path, window).await.map_err(|error| error.to_string())?;
    if lines.first_line_bytes.is_none() {
        return Err(format!("it has no line {end}"));
    }
    Ok(())
}
