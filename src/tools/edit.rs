//! `edit`: pieces of a file, found by their text.

use crate::exec::{Before, Decide, Rewrite};
use crate::text::fuzzy::{self, Miss, Occurrences};
use crate::text::truncate::{Guard, Keep};
use crate::tools::arguments::Arguments;
use crate::tools::change::{explain, must_know, spliced, unsaved, update};
use crate::tools::ledger::{Ledger, ReadFirst};
use crate::tools::path::{PathArgument, Purpose};
use crate::tools::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// Replaces pieces of files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit(pub Profile);

impl Tool for Edit {
    fn name(&self) -> &'static str {
        match self.0 {
            Profile::Pi => "edit",
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => "edit_file",
        }
    }

    fn description(&self) -> &'static str {
        match self.0 {
            Profile::Pi => include_str!("descriptions/edit.md"),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                include_str!("descriptions/edit_file.md")
            }
        }
    }

    fn parameters(&self) -> Value {
        let path = json!({"type": "string", "description": "File to edit, relative or absolute"});
        let old = json!({
            "type": "string",
            "description": "Text to find; it must occur exactly once, unless all are replaced",
        });
        let new = json!({"type": "string", "description": "Text to put in its place"});
        let all = json!({"type": "boolean", "description": "Replace every occurrence"});
        match self.0 {
            Profile::Pi => json!({
                "type": "object",
                "properties": {
                    "path": path,
                    "oldText": old,
                    "newText": new,
                    "edits": {
                        "type": "array",
                        "description": "Several replacements at once, instead of oldText and newText",
                        "items": {
                            "type": "object",
                            "properties": {"oldText": old, "newText": new},
                            "required": ["oldText", "newText"],
                        },
                    },
                    "replaceAll": all,
                },
                "required": ["path"],
            }),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => json!({
                "type": "object",
                "properties": {
                    "file_path": path,
                    "old_string": old,
                    "new_string": new,
                    "replace_all": all,
                },
                "required": ["file_path", "old_string", "new_string"],
            }),
        }
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn guard(&self) -> Guard {
        self.0.guard(10_000, Keep::Head)
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let path = arguments.filled_text(self.0.path_field())?;
        let path = PathArgument::new(path, folders, Purpose::Existing);
        let (all, several) = match self.0 {
            Profile::Pi => (arguments.flag("replaceAll")?, arguments.optional_objects("edits")?),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => {
                (arguments.flag("replace_all")?, None)
            }
        };
        // Some models fill in both; an empty list then means nothing.
        let edits = match several {
            Some(several) if !several.is_empty() => {
                several.into_iter().map(|edit| self.edit(edit)).collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![self.edit(arguments)?],
        };
        let occurrences = if all { Occurrences::All } else { Occurrences::One };
        Ok(Box::new(Call { tool: *self, path, edits, occurrences }))
    }
}

impl Edit {
    fn edit(self, mut arguments: Arguments) -> Result<fuzzy::Edit, String> {
        let (old, new) = match self.0 {
            Profile::Pi => ("oldText", "newText"),
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => ("old_string", "new_string"),
        };
        Ok(fuzzy::Edit { old: arguments.text(old)?, new: arguments.text(new)? })
    }
}

#[derive(Debug)]
struct Call {
    tool: Edit,
    path: PathArgument,
    edits: Vec<fuzzy::Edit>,
    occurrences: Occurrences,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {}", self.tool.name(), self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(None)
    }

    fn access(&self) -> Access {
        Access::Write(self.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let path = self.path.target(ctx).await;
        let written = self.path.text.clone();
        let call = Arc::new(*self);
        // The last decision is the one that holds.
        let (tx, count) = watch::channel(None);
        let decide = || -> Decide {
            let (path, ledger, read_first) =
                (path.clone(), ctx.ledger.clone(), ctx.settings.read_first);
            let (call, tx) = (Arc::clone(&call), tx.clone());
            Box::new(move |before| {
                let before = before.ok_or_else(|| format!("File not found: {}", call.path.text))?;
                let (rewrite, count) = call.rewrite(&path, before, &ledger, read_first)?;
                tx.send_replace(count);
                Ok(rewrite)
            })
        };
        match update(ctx, &path, decide).await {
            Ok(updated) => {
                ctx.ledger.edited(updated.before.as_ref(), &updated.after);
                let done = match *count.borrow() {
                    Some(count) => {
                        format!("Successfully replaced {count} occurrences in {written}.")
                    }
                    None => format!("Successfully replaced text in {written}."),
                };
                let unsaved = unsaved(ctx.env.as_ref(), [&updated.after]);
                let mut result = success(format!("{done}{unsaved}"));
                result.details.changes.extend(updated.change);
                result
            }
            Err(error) => failure(explain(&written, &error)),
        }
    }
}

impl Call {
    /// The new content; and how many places changed, where all were to.
    fn rewrite(
        &self,
        path: &Path,
        before: Before,
        ledger: &Ledger,
        read_first: ReadFirst,
    ) -> Result<(Rewrite, Option<usize>), String> {
        let written = &self.path.text;
        if read_first == ReadFirst::Always {
            must_know(ledger, written, &before)?;
        }
        let mut count = None;
        let rewrite = spliced(written, path, before.content, |body| {
            let replaced = fuzzy::replace(body, &self.edits, self.occurrences)
                .map_err(|miss| self.explain(&miss))?;
            count = (self.occurrences == Occurrences::All).then_some(replaced.splices.len());
            Ok(replaced.splices)
        })?;
        Ok((rewrite, count))
    }

    fn explain(&self, miss: &Miss) -> String {
        let path = &self.path.text;
        let which = |edit: &usize| {
            if self.edits.len() > 1 { format!(" (edits[{edit}])") } else { String::new() }
        };
        match miss {
            Miss::Empty { edit } => format!(
                "The old text must not be empty{}. Use {} to create a file or to replace all of it.",
                which(edit),
                self.tool.0.write()
            ),
            Miss::Absent { edit, closest } => {
                let near = closest.map_or_else(String::new, |near| {
                    let fuzzy::Closest { first_line, last_line, percent } = near;
                    format!(
                        " The closest text is at lines {first_line}-{last_line} ({percent}% alike): \
                         read it and try again."
                    )
                });
                format!(
                    "Could not find the exact text in {path}. The old text must match exactly \
                     including all whitespace and newlines.{}{near}",
                    which(edit)
                )
            }
            Miss::Many { edit, count, lines } => {
                let more = if *count > lines.len() { " …" } else { "" };
                let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
                format!(
                    "Found {count} occurrences of the text in {path}. The text must be unique. \
                     Please provide more context to make it unique.{} (lines {}{more})",
                    which(edit),
                    lines.join(", ")
                )
            }
            Miss::Overlap { first, second } => format!(
                "edits[{first}] and edits[{second}] overlap in {path}. Merge them into one edit."
            ),
            Miss::Identical => {
                format!("No changes made to {path}. The replacement produced identical content.")
            }
        }
    }
}

#[cfg(test)]
mod tests;
