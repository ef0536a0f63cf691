//! `grep`: lines that match, in path order.

use crate::arguments::Arguments;
use crate::listing::{explain, ignored_notice, listing, shown};
use crate::path::{PathArgument, Purpose};
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, unless_cancelled};
use ignore::types::TypesBuilder;
use pintle_base::text::truncate::MAX_LINE_CHARS;
use pintle_exec::search::WRONG_PATTERN;
use pintle_exec::{self as exec, Error, GrepOutput, Grepped, MatchedFile};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::PathBuf;

/// Searches file contents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grep(pub Profile);

const DEFAULT_LIMIT: u64 = 100;

/// The maximum number of results, if the profile limits them.
const MAX_LIMIT: u64 = 200;

/// The maximum context; a reader of more should read the file.
const MAX_CONTEXT: u64 = 100;

/// The output modes' names, the default first.
const MODES: [(&str, GrepOutput); 3] = [
    ("content", GrepOutput::Lines),
    ("files_with_matches", GrepOutput::Files),
    ("count", GrepOutput::Counts),
];

impl Tool for Grep {
    shaped!(Builtin::Grep);

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Grep), arguments)?;
        let pattern = arguments.text("pattern")?;
        if pattern.is_empty() {
            return Err(format!("{} must not be empty", arguments.shown("pattern")));
        }
        let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
        let around = arguments.optional_count("context", 0)?.unwrap_or(0);
        let before = arguments.optional_count("before", 0)?.unwrap_or(around);
        let after = arguments.optional_count("after", 0)?.unwrap_or(around);
        let output = mode(&mut arguments)?;
        let is_literal = arguments.flag("literal")?;
        let is_multiline = arguments.flag("multiline")?;
        let glob = arguments.optional_text("glob")?.filter(|glob| !glob.is_empty());
        let limit = arguments.optional_count("limit", 0)?.filter(|limit| *limit > 0);
        Ok(Box::new(Call {
            tool: *self,
            pattern,
            is_multiline,
            path: PathArgument::new(
                path.unwrap_or_else(|| ".".to_owned()),
                folders,
                Purpose::Existing,
            ),
            glob: with_type(glob, &mut arguments)?,
            ignore_case: arguments.flag("ignoreCase")?,
            is_literal,
            before: before.min(MAX_CONTEXT),
            after: after.min(MAX_CONTEXT),
            output,
            limit: match (limit, self.0) {
                (None, _) => DEFAULT_LIMIT,
                (Some(limit), Profile::Pi) => limit,
                (Some(limit), _) => limit.min(MAX_LIMIT),
            },
        }))
    }
}

fn mode(arguments: &mut Arguments) -> Result<GrepOutput, String> {
    let Some(name) = arguments.optional_text("mode")? else { return Ok(GrepOutput::Lines) };
    // Kimi's name for it.
    let name = if name == "count_matches" { "count" } else { name.as_str() };
    MODES.iter().find(|(known, _)| *known == name).map(|(_, output)| *output).ok_or_else(|| {
        let names = MODES.map(|(name, _)| name).join(", ");
        format!("{} must be one of {names}, not {name:?}", arguments.shown("mode"))
    })
}

/// Narrows the files to those of a type, by the names that ripgrep gives to types.
fn with_type(glob: Option<String>, arguments: &mut Arguments) -> Result<Option<String>, String> {
    let Some(name) = arguments.optional_text("type")?.filter(|name| !name.is_empty()) else {
        return Ok(glob);
    };
    let mut types = TypesBuilder::new();
    types.add_defaults();
    let definitions = types.definitions();
    let found = definitions.iter().find(|definition| definition.name() == name);
    let found = found.ok_or_else(|| {
        let shown = arguments.shown("type");
        format!("{shown} is {name:?}, which is not a known file type: use a glob such as *.{name}")
    })?;
    if glob.is_some() {
        let (glob, kind) = (arguments.shown("glob"), arguments.shown("type"));
        return Err(format!("set {glob} or {kind}, not both"));
    }
    Ok(Some(found.globs().join(",")))
}

#[derive(Debug)]
struct Call {
    tool: Grep,
    pattern: String,
    /// A match may reach over several lines.
    is_multiline: bool,
    path: PathArgument,
    glob: Option<String>,
    ignore_case: bool,
    is_literal: bool,
    /// Lines to show before each match, and after it.
    before: u64,
    after: u64,
    output: GrepOutput,
    limit: u64,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {} in {}", self.tool.name(), self.pattern, self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(None)
    }

    fn access(&self) -> Access {
        Access::Read(self.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let work = async {
            let grep = exec::Grep {
                root: self.path.target(ctx).await,
                left_out: ctx.resolved.left_out().clone(),
                named: self.path.absolute.file_name().map(PathBuf::from),
                pattern: self.searched(),
                glob: self.glob.clone(),
                ignore_case: self.ignore_case,
                is_literal: self.is_literal,
                before: usize::try_from(self.before).unwrap_or(usize::MAX),
                after: usize::try_from(self.after).unwrap_or(usize::MAX),
                output: self.output,
                max_matches: usize::try_from(self.limit).unwrap_or(usize::MAX),
                max_line_chars: MAX_LINE_CHARS,
                unsaved: std::sync::Arc::default(),
            };
            ctx.env.grep(grep, &ctx.cancel).await
        };
        match unless_cancelled(&ctx.cancel, work).await {
            Ok(grepped) => self.show(&grepped, ctx),
            Err(error) => failure(self.explain(&error)),
        }
    }
}

impl Call {
    /// Returns the pattern that is searched for.
    fn searched(&self) -> String {
        if self.is_multiline && !self.is_literal {
            // A newline in the pattern, here one that matches nothing, makes matches reach over lines.
            format!("(?s:{})(?:\\n){{0}}", self.pattern)
        } else {
            self.pattern.clone()
        }
    }

    fn show(&self, grepped: &Grepped, ctx: &ToolContext) -> ToolResult {
        let mut lines = Vec::new();
        for file in &grepped.files {
            let path = shown(&file.path);
            match self.output {
                GrepOutput::Lines => add_lines(&mut lines, &path, file),
                GrepOutput::Files => lines.push(path),
                GrepOutput::Counts => lines.push(format!("{path}:{}", file.matches)),
            }
        }
        if lines.is_empty() {
            lines.push("No matches found".to_owned());
        }
        let mut notices = Vec::new();
        if grepped.has_more {
            let what = match self.output {
                GrepOutput::Lines => "matches",
                GrepOutput::Files | GrepOutput::Counts => "files",
            };
            let limit = self.limit;
            let name = self.tool.0.row(Builtin::Grep).theirs("limit").unwrap_or("limit");
            let more = match self.tool.0 {
                Profile::Pi => limit.saturating_mul(2),
                _ => MAX_LIMIT.min(2 * limit),
            };
            notices.push(if more > limit {
                format!(
                    "{limit} {what} limit reached. Use {name}={more} for more, or refine pattern"
                )
            } else {
                format!("{limit} {what} limit reached. Refine pattern, or search a subdirectory")
            });
        }
        if grepped.unsearched > 0 {
            notices.push(format!(
                "{} files or directories could not be searched (no permission, path too long, or line too long)",
                grepped.unsearched
            ));
        }
        let argument = self.tool.0.row(Builtin::Grep).theirs("path").unwrap_or("path");
        notices.extend(ignored_notice(grepped.ignored.as_deref(), argument));
        notices.extend(ctx.resolved.left_out_notice());
        let is_cut = grepped.files.iter().flat_map(|file| &file.lines).any(|line| line.is_cut);
        let cut_lines = is_cut.then(|| {
            format!(
                "Some lines truncated to {MAX_LINE_CHARS} chars. Use {} tool to see full lines",
                self.tool.0.read()
            )
        });
        let max_bytes = ctx.settings.max_bytes(self.tool.0.limits(lines.len(), 20_000));
        listing(&lines, self.tool.0, max_bytes, notices, cut_lines)
    }

    fn explain(&self, error: &Error) -> String {
        let text = explain(&self.path.text, error);
        if !text.starts_with(WRONG_PATTERN) {
            return text;
        }
        if text.contains("look-around") || text.contains("backreferences") {
            return format!(
                "{text}\nLook-around and backreferences are not supported. Search without them, or use grep -P with {}.",
                self.tool.0.shell()
            );
        }
        match self.tool.0.row(Builtin::Grep).theirs("literal") {
            Some(literal) => format!(
                "{text}\nEscape special characters, or set {literal} to true to search for plain text."
            ),
            None => format!("{text}\nEscape special characters to search for them as plain text."),
        }
    }
}

fn add_lines(shown: &mut Vec<String>, path: &str, file: &MatchedFile) {
    shown.extend(file.lines.iter().map(|line| {
        let (number, text) = (line.number, &line.text);
        if line.is_match {
            format!("{path}:{number}: {text}")
        } else {
            format!("{path}-{number}- {text}")
        }
    }));
}

#[cfg(test)]
mod tests;
