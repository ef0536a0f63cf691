//! `find` and `glob`: paths that match a glob. `find` answers in path order, `glob` with the newest files first.

use crate::arguments::Arguments;
use crate::listing::{explain, ignored_notice, listing, shown};
use crate::path::{PathArgument, Purpose};
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, unless_cancelled};
use pintle_base::text::truncate::Limits;
use pintle_exec::{self as exec, FindOrder, FoundPaths};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;

/// Finds files and directories by name.
#[derive(Debug, Clone, Copy, Default)]
pub struct Find(pub Profile);

impl Find {
    /// The result limits; the line limit is the default for the limit on paths.
    pub(crate) fn limits(self) -> Limits {
        match self.0 {
            Profile::Pi => Limits { max_lines: 1000, ..Limits::default() },
            _ => self.0.limits(500, 20_000),
        }
    }
}

impl Tool for Find {
    shaped!(Builtin::Find);

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Find), arguments)?;
        let pattern = arguments.filled_text("pattern")?;
        let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
        let limit = arguments.optional_count("limit", 0)?.filter(|limit| *limit > 0);
        Ok(Box::new(Call {
            tool: *self,
            pattern,
            path: PathArgument::new(
                path.unwrap_or_else(|| ".".to_owned()),
                folders,
                Purpose::Existing,
            ),
            limit: limit.unwrap_or(self.limits().max_lines as u64),
        }))
    }
}

#[derive(Debug)]
struct Call {
    tool: Find,
    pattern: String,
    path: PathArgument,
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
            let find = exec::Find {
                root: self.path.target(ctx).await,
                left_out: ctx.resolved.left_out().clone(),
                glob: self.pattern.clone(),
                max_paths: usize::try_from(self.limit).unwrap_or(usize::MAX),
                max_depth: None,
                order: match self.tool.0 {
                    Profile::Pi => FindOrder::Path,
                    _ => FindOrder::NewestFile,
                },
            };
            ctx.env.find(find, &ctx.cancel).await
        };
        match unless_cancelled(&ctx.cancel, work).await {
            Ok(found) => self.show(&found, ctx),
            Err(error) => failure(explain(&self.path.text, &error)),
        }
    }
}

impl Call {
    fn show(&self, found: &FoundPaths, ctx: &ToolContext) -> ToolResult {
        let lines = found.paths.iter().map(|found| {
            let end = if found.is_folder { "/" } else { "" };
            shown(&found.path) + end
        });
        let mut lines: Vec<String> = lines.collect();
        if lines.is_empty() {
            lines.push("No files found matching pattern".to_owned());
        }
        let mut notices = Vec::new();
        if found.has_more {
            let (limit, more) = (self.limit, self.limit.saturating_mul(2));
            notices.push(match self.tool.0.row(Builtin::Find).theirs("limit") {
                Some(name) => format!(
                    "{limit} results limit reached. Use {name}={more} for more, or refine pattern"
                ),
                None => {
                    format!(
                        "{limit} results limit reached. Refine pattern, or search a subdirectory"
                    )
                }
            });
        }
        if found.unreadable > 0 {
            notices.push(format!(
                "{} directories could not be read (no permission, or path too long)",
                found.unreadable
            ));
        }
        let argument = self.tool.0.row(Builtin::Find).theirs("path").unwrap_or("path");
        notices.extend(ignored_notice(found.ignored.as_deref(), argument));
        notices.extend(ctx.resolved.left_out_notice());
        listing(&lines, self.tool.0, ctx.settings.max_bytes(self.tool.limits()), notices, None)
    }
}

#[cfg(test)]
mod tests;
