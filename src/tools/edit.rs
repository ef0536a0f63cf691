//! `edit`: pieces of a file, found by their text.

use crate::arguments::Arguments;
use crate::change::{Shows, change_of, explain, must_know, preview, spliced, unsaved, update};
use crate::path::{PathArgument, Purpose};
use crate::read_tracker::{ReadFirst, ReadTracker};
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::fuzzy::{self, Miss, Occurrences};
use pintle_base::text::truncate::{Guard, Keep};
use pintle_exec::change::for_all;
use pintle_exec::{Before, Decide, Rewrite};
use pintle_protocol::diff::FileChange;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// Edits files by replacing text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit(pub Profile);

impl Tool for Edit {
    shaped!(Builtin::Edit);

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn guard(&self) -> Guard {
        self.0.guard(10_000, Keep::Head)
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Edit), arguments)?;
        let path = arguments.filled_text("path")?;
        let path = PathArgument::new(path, folders, Purpose::Existing);
        let occurrences =
            if arguments.flag("replaceAll")? { Occurrences::All } else { Occurrences::One };
        // Some models fill in both; an empty list is then ignored.
        let edits = match arguments.optional_objects("edits")? {
            Some(several) if !several.is_empty() => {
                several.into_iter().map(edit).collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![edit(arguments)?],
        };
        Ok(Box::new(Arc::new(Call { tool: *self, path, edits, occurrences })))
    }
}

fn edit(mut arguments: Arguments) -> Result<fuzzy::Edit, String> {
    Ok(fuzzy::Edit { old: arguments.text("oldText")?, new: arguments.text("newText")? })
}

#[derive(Debug)]
struct Call {
    tool: Edit,
    path: PathArgument,
    edits: Vec<fuzzy::Edit>,
    occurrences: Occurrences,
}

#[async_trait::async_trait]
impl Prepared for Arc<Call> {
    fn title(&self) -> String {
        format!("{}: {}", self.tool.name(), self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(None)
    }

    fn access(&self) -> Access {
        Access::Write(self.path.all())
    }

    async fn preview(&self, ctx: &ToolContext) -> Result<Vec<FileChange>, String> {
        let path = self.path.target(ctx).await;
        let (count, _) = watch::channel(None);
        let changes =
            preview(ctx, std::slice::from_ref(&path), || for_all(self.decide(ctx, &path, &count)));
        changes.await.map_err(|error| explain(&self.path.text, &error))
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let path = self.path.target(ctx).await;
        let written = self.path.text.clone();
        // The last decision applies.
        let (tx, count) = watch::channel(None);
        let decide = || self.decide(ctx, &path, &tx);
        match update(ctx, &path, Shows::Part, decide).await {
            Ok(updated) => {
                let done = match *count.borrow() {
                    Some(count) => {
                        format!("Successfully replaced {count} occurrences in {written}.")
                    }
                    None => format!("Successfully replaced text in {written}."),
                };
                let done = match updated.before {
                    Some(_) => done,
                    None => format!("Created {written}."),
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
    /// Returns the decision about the file. `count` receives the number of places that change, where all are to.
    fn decide(
        self: &Arc<Self>,
        ctx: &ToolContext,
        path: &Path,
        count: &watch::Sender<Option<usize>>,
    ) -> Decide {
        let (read_tracker, read_first) = (ctx.read_tracker.clone(), ctx.settings.read_first);
        let (call, path, count) = (Arc::clone(self), path.to_path_buf(), count.clone());
        Box::new(move |before| {
            let Some(before) = before else { return call.create(&path) };
            let (rewrite, places) = call.rewrite(&path, before, &read_tracker, read_first)?;
            count.send_replace(places);
            Ok(rewrite)
        })
    }

    /// Makes a file: some models replace nothing in a file that is not there to create it.
    fn create(&self, path: &Path) -> Result<Rewrite, String> {
        match self.edits.as_slice() {
            [fuzzy::Edit { old, new }] if old.is_empty() && self.tool.0 != Profile::Pi => {
                let field = self.tool.0.row(Builtin::Edit).theirs("path").unwrap_or("path");
                self.path.clone().of_file(field)?;
                let change = change_of(path, None, new.as_bytes());
                Ok(Rewrite { content: new.as_bytes().to_vec().into(), change })
            }
            _ => Err(format!("File not found: {}", self.path.text)),
        }
    }

    /// The new content; and how many places changed, where all were to.
    fn rewrite(
        &self,
        path: &Path,
        before: Before,
        read_tracker: &ReadTracker,
        read_first: ReadFirst,
    ) -> Result<(Rewrite, Option<usize>), String> {
        let written = &self.path.text;
        if read_first == ReadFirst::Always {
            must_know(read_tracker, written, &before)?;
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
                "The old text must not be empty{}. Use {} to create a file or to replace its whole content.",
                which(edit),
                self.tool.0.write()
            ),
            Miss::Absent { edit, closest } => {
                let near = closest.map_or_else(String::new, |near| {
                    let fuzzy::Closest { first_line, last_line, percent } = near;
                    format!(
                        " The closest text is at lines {first_line}-{last_line} ({percent}% similar): read it and try again."
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
