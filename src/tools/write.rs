//! `write`: writes a complete file.

use crate::arguments::Arguments;
use crate::change::{Shows, change_of, explain, must_know, preview, unsaved, update};
use crate::path::{PathArgument, Purpose};
use crate::read_tracker::ReadFirst;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::truncate::{Guard, Keep};
use pintle_exec::change::for_all;
use pintle_exec::{Decide, Rewrite};
use pintle_protocol::diff::FileChange;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Writes complete files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Write(pub Profile);

impl Tool for Write {
    shaped!(Builtin::Write);

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn guard(&self) -> Guard {
        self.0.guard(1_000, Keep::Head)
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Write), arguments)?;
        let path = PathArgument::new(arguments.filled_text("path")?, folders, Purpose::New);
        let path = path.of_file(arguments.theirs("path"))?;
        let appends = match arguments.optional_text("mode")?.as_deref() {
            None | Some("overwrite") => false,
            Some("append") => true,
            Some(other) => {
                let shown = arguments.shown("mode");
                return Err(format!("{shown} must be overwrite or append, not {other:?}"));
            }
        };
        Ok(Box::new(Arc::new(Call {
            tool: self.0.row(Builtin::Write).name,
            path,
            content: arguments.text("content")?,
            appends,
        })))
    }
}

#[derive(Debug)]
struct Call {
    tool: &'static str,
    path: PathArgument,
    content: String,
    /// True if the content is appended to the existing file.
    appends: bool,
}

#[async_trait::async_trait]
impl Prepared for Arc<Call> {
    fn title(&self) -> String {
        format!("{}: {}", self.tool, self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(None)
    }

    fn access(&self) -> Access {
        Access::Write(self.path.all())
    }

    async fn preview(&self, ctx: &ToolContext) -> Result<Vec<FileChange>, String> {
        let path = self.path.target(ctx).await;
        let changes =
            preview(ctx, std::slice::from_ref(&path), || for_all(self.decide(ctx, &path)));
        changes.await.map_err(|error| explain(&self.path.text, &error))
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let path = self.path.target(ctx).await;
        let bytes = self.content.len();
        let decide = || self.decide(ctx, &path);
        let written = &self.path.text;
        let shows = if self.appends { Shows::Part } else { Shows::Whole };
        match update(ctx, &path, shows, decide).await {
            Ok(updated) => {
                let unsaved = unsaved(ctx.env.as_ref(), [&updated.after]);
                let done = format!("Successfully wrote {bytes} bytes to {written}{unsaved}");
                let mut result = success(done);
                result.details.changes.extend(updated.change);
                result
            }
            Err(error) => failure(explain(written, &error)),
        }
    }
}

impl Call {
    /// Returns the decision about the file.
    fn decide(self: &Arc<Self>, ctx: &ToolContext, path: &Path) -> Decide {
        let (read_tracker, read_first) = (ctx.read_tracker.clone(), ctx.settings.read_first);
        let (call, path) = (Arc::clone(self), path.to_path_buf());
        Box::new(move |before| {
            if let Some(before) = &before
                && read_first != ReadFirst::Never
                && !before.content.is_empty()
                && !call.appends
            {
                must_know(&read_tracker, &call.path.text, before)?;
            }
            let before = before.as_ref().map(|before| before.content.as_slice());
            let start = before.filter(|_| call.appends).unwrap_or_default();
            let content = [start, call.content.as_bytes()].concat();
            let change = change_of(&path, before, &content);
            Ok(Rewrite { content: content.into(), change })
        })
    }
}

#[cfg(test)]
mod tests;
