//! `grep`: lines that match, in path order.

use crate::exec::search::WRONG_PATTERN;
use crate::exec::{self, Error, GrepOutput, Grepped, MatchedFile};
use crate::text::truncate::MAX_LINE_CHARS;
use crate::tools::arguments::Arguments;
use crate::tools::listing::{explain, listing, shown};
use crate::tools::path::{PathArgument, Purpose};
use crate::tools::{
    Access, Folders, Prepared, Profile, Tool, ToolContext, failure, unless_cancelled,
};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Searches file contents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grep(pub Profile);

const DEFAULT_LIMIT: u64 = 100;

/// The maximum number of results where the profile limits them.
const MAX_LIMIT: u64 = 200;

/// The maximum context; a reader of more should read the file.
const MAX_CONTEXT: u64 = 100;

/// The names of the output modes, the default first.
const MODES: [(&str, GrepOutput); 3] = [
    ("content", GrepOutput::Lines),
    ("files_with_matches", GrepOutput::Files),
    ("count", GrepOutput::Counts),
];

/// The names of the arguments that profiles name differently.
struct Names {
    glob: &'static str,
    ignore_case: &'static str,
    limit: &'static str,
}

impl Grep {
    fn names(self) -> Names {
        match self.0 {
            Profile::Pi => Names { glob: "glob", ignore_case: "ignoreCase", limit: "limit" },
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                Names { glob: "glob_filter", ignore_case: "case_insensitive", limit: "max_results" }
            }
        }
    }
}

impl Tool for Grep {
    fn name(&self) -> &'static str {
        "grep"
    }

    fn description(&self) -> &'static str {
        match self.0 {
            Profile::Pi => include_str!("descriptions/grep.md"),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                include_str!("descriptions/grep_modes.md")
            }
        }
    }

    fn parameters(&self) -> Value {
        match self.0 {
            Profile::Pi => json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "Regular expression, or plain text with literal"},
                    "path": {"type": "string", "description": "File or folder to search; default: working directory"},
                    "glob": {"type": "string", "description": "Only files that match, such as *.ts or src/**/*.rs; several separated by commas, those with ! in front exclude"},
                    "ignoreCase": {"type": "boolean", "description": "Upper and lower case are the same"},
                    "literal": {"type": "boolean", "description": "Take the pattern as plain text"},
                    "context": {"type": "integer", "minimum": 0, "description": "Lines shown before and after each match"},
                    "limit": {"type": "integer", "minimum": 1, "description": "Most matches; default 100"},
                },
                "required": ["pattern"],
            }),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "Regular expression"},
                    "path": {"type": "string", "description": "File or folder to search; default: working directory"},
                    "glob_filter": {"type": "string", "description": "Only files that match, such as *.ts or src/**/*.rs; several separated by commas, those with ! in front exclude"},
                    "case_insensitive": {"type": "boolean", "description": "Upper and lower case are the same"},
                    "max_results": {"type": "integer", "minimum": 1, "description": "Most matching lines, or files where no lines are shown; default 100, at most 200"},
                    "output_mode": {"type": "string", "enum": MODES.map(|(name, _)| name), "description": "Matching lines (default), paths of files with matches, or matching lines counted by file"},
                },
                "required": ["pattern"],
            }),
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let names = self.names();
        let pattern = arguments.text("pattern")?;
        if pattern.is_empty() {
            return Err("`pattern` must not be empty".to_owned());
        }
        let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
        let (is_literal, context, output) = match self.0 {
            Profile::Pi => {
                let context = arguments.optional_count("context", 0)?.unwrap_or(0);
                (arguments.flag("literal")?, context.min(MAX_CONTEXT), GrepOutput::Lines)
            }
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                (false, 0, mode(arguments.optional_text("output_mode")?.as_deref())?)
            }
        };
        Ok(Box::new(Call {
            tool: *self,
            pattern,
            path: PathArgument::new(
                path.unwrap_or_else(|| ".".to_owned()),
                folders,
                Purpose::Existing,
            ),
            glob: arguments.optional_text(names.glob)?.filter(|glob| !glob.is_empty()),
            ignore_case: arguments.flag(names.ignore_case)?,
            is_literal,
            context,
            output,
            limit: match (arguments.optional_count(names.limit, 1)?, self.0) {
                (None, _) => DEFAULT_LIMIT,
                (Some(limit), Profile::Pi) => limit,
                (Some(limit), Profile::Anthropic | Profile::OpenAi | Profile::Gemini) => {
                    limit.min(MAX_LIMIT)
                }
            },
        }))
    }
}

fn mode(name: Option<&str>) -> Result<GrepOutput, String> {
    let Some(name) = name else { return Ok(GrepOutput::Lines) };
    MODES.iter().find(|(known, _)| *known == name).map(|(_, output)| *output).ok_or_else(|| {
        let names = MODES.map(|(name, _)| name).join(", ");
        format!("`output_mode` must be one of {names}, not {name:?}")
    })
}

#[derive(Debug)]
struct Call {
    tool: Grep,
    pattern: String,
    path: PathArgument,
    glob: Option<String>,
    ignore_case: bool,
    is_literal: bool,
    context: u64,
    output: GrepOutput,
    limit: u64,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("grep: {} in {}", self.pattern, self.path.text)
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
                pattern: self.pattern.clone(),
                glob: self.glob.clone(),
                ignore_case: self.ignore_case,
                is_literal: self.is_literal,
                context: usize::try_from(self.context).unwrap_or(usize::MAX),
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
            let (limit, name) = (self.limit, self.tool.names().limit);
            let more = match self.tool.0 {
                Profile::Pi => limit.saturating_mul(2),
                Profile::Anthropic | Profile::OpenAi | Profile::Gemini => MAX_LIMIT.min(2 * limit),
            };
            notices.push(if more > limit {
                format!(
                    "{limit} {what} limit reached. Use {name}={more} for more, or refine pattern"
                )
            } else {
                format!("{limit} {what} limit reached. Refine pattern, or search a subfolder")
            });
        }
        if grepped.unsearched > 0 {
            notices.push(format!(
                "{} files or folders could not be searched (no permission, too long a path, or too long a line)",
                grepped.unsearched
            ));
        }
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
                "{text}\nThe engine knows no look-around and no backreferences. Search for what can be searched without, or use \
                 grep -P with {}.",
                self.tool.0.shell()
            );
        }
        match self.tool.0 {
            Profile::Pi => format!(
                "{text}\nEscape special characters, or set literal to true to search for plain text."
            ),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                format!("{text}\nEscape special characters to search for them as plain text.")
            }
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
