//! `write`: a whole file.

use crate::exec::{Decide, Rewrite};
use crate::text::truncate::{Guard, Keep};
use crate::tools::arguments::Arguments;
use crate::tools::change::{change_of, explain, must_know, unsaved, update};
use crate::tools::ledger::ReadFirst;
use crate::tools::path::{PathArgument, Purpose};
use crate::tools::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::sync::Arc;

/// Writes whole files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Write(pub Profile);

impl Tool for Write {
    fn name(&self) -> &'static str {
        match self.0 {
            Profile::Pi => "write",
            Profile::Anthropic | Profile::OpenAi | Profile::Gemini => "write_file",
        }
    }

    fn description(&self) -> &'static str {
        match self.0 {
            Profile::Pi => include_str!("descriptions/write.md"),
            Profile::Anthropic | Profile::Gemini => include_str!("descriptions/write_file.md"),
            Profile::OpenAi => include_str!("descriptions/write_file_and_patch.md"),
        }
    }

    fn parameters(&self) -> Value {
        let path = self.0.path_field();
        json!({
            "type": "object",
            "properties": {
                path: {"type": "string", "description": "File to write, relative or absolute"},
                "content": {"type": "string", "description": "The whole new content"},
            },
            "required": [path, "content"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn guard(&self) -> Guard {
        self.0.guard(1_000, Keep::Head)
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let field = self.0.path_field();
        let path = PathArgument::new(arguments.filled_text(field)?, folders, Purpose::New);
        let path = path.of_file(field)?;
        Ok(Box::new(Call {
            tool: self.name().to_owned(),
            path,
            content: arguments.text("content")?,
        }))
    }
}

#[derive(Debug)]
struct Call {
    tool: String,
    path: PathArgument,
    content: String,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        format!("{}: {}", self.tool, self.path.text)
    }

    fn locations(&self) -> Vec<Location> {
        self.path.locations(None)
    }

    fn access(&self) -> Access {
        Access::Write(self.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let path = self.path.target(ctx).await;
        let bytes = self.content.len();
        let content = Arc::new(self.content);
        let decide = || -> Decide {
            let (path, written) = (path.clone(), self.path.text.clone());
            let (ledger, read_first) = (ctx.ledger.clone(), ctx.settings.read_first);
            let content = Arc::clone(&content);
            Box::new(move |before| {
                if let Some(before) = &before
                    && read_first != ReadFirst::Never
                    && !before.content.is_empty()
                {
                    must_know(&ledger, &written, before)?;
                }
                let before = before.as_ref().map(|before| before.content.as_slice());
                let change = change_of(&path, before, content.as_bytes());
                Ok(Rewrite { content: content.as_bytes().to_vec().into(), change })
            })
        };
        let written = &self.path.text;
        match update(ctx, &path, decide).await {
            Ok(updated) => {
                ctx.ledger.wrote(&updated);
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

#[cfg(test)]
mod tests;
