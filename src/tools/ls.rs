//! `ls` and `list_dir`: the entries of one directory and, with a depth, of its subdirectories.

use crate::arguments::Arguments;
use crate::listing::{explain, listing, shown};
use crate::path::{PathArgument, Purpose};
use crate::schema::Builtin;
use crate::{
    Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success, unless_cancelled,
};
use globset::{Glob, GlobSet, GlobSetBuilder};
use pintle_exec::{self as exec, Error, FindOrder};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::Path;

/// Lists directories.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ls(pub Profile);

const DEFAULT_LIMIT: u64 = 500;

/// The maximum number of paths below the directory's direct entries that are sorted; far more than are shown.
const MAX_BELOW: usize = 20_000;

impl Tool for Ls {
    shaped!(Builtin::List);

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::List), arguments)?;
        let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
        let limit = arguments.optional_count("limit", 1)?;
        let depth = arguments.optional_count("depth", 1)?;
        let ignored = arguments.optional_texts("ignore")?;
        let ignored = glob_set(&ignored)
            .map_err(|wrong| format!("{}: {wrong}", arguments.shown("ignore")))?;
        Ok(Box::new(Call {
            tool: *self,
            path: PathArgument::new(
                path.unwrap_or_else(|| ".".to_owned()),
                folders,
                Purpose::Existing,
            ),
            limit: limit.unwrap_or(DEFAULT_LIMIT),
            depth: depth.unwrap_or(1),
            ignored,
        }))
    }
}

#[derive(Debug)]
struct Call {
    tool: Ls,
    path: PathArgument,
    limit: u64,
    depth: u64,
    /// Entries with these names are left out.
    ignored: GlobSet,
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
        Access::Read(self.path.all())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let work = async {
            let path = self.path.target(ctx).await;
            entries(ctx, &path, self.depth).await
        };
        let mut entries = match unless_cancelled(&ctx.cancel, work).await {
            Ok(entries) => entries,
            Err(error) => return failure(explain(&self.path.text, &error)),
        };
        entries.retain(|entry| !self.is_ignored(entry));
        if entries.is_empty() {
            return success("(empty directory)");
        }
        // A directory's slash sorts before every letter, so its entries follow it.
        entries
            .sort_by_cached_key(|entry| (entry.to_lowercase().replace('/', "\0"), entry.clone()));
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut notices = Vec::from_iter((entries.len() > limit).then(|| match self.tool.0 {
            Profile::Pi => {
                let more = self.limit.saturating_mul(2);
                format!("{limit} entries limit reached. Use limit={more} for more")
            }
            profile => match profile.named(Builtin::Find) {
                Some(find) => {
                    format!("{limit} entries limit reached. List a subdirectory, or use {find}")
                }
                None => format!("{limit} entries limit reached. List a subdirectory"),
            },
        }));
        notices.extend(ctx.resolved.left_out_notice());
        entries.truncate(limit);
        let max_bytes = ctx.settings.max_bytes(self.tool.0.limits(limit, 20_000));
        listing(&entries, self.tool.0, max_bytes, notices, None)
    }
}

impl Call {
    /// Returns true if one of the names in a path is left out.
    fn is_ignored(&self, entry: &str) -> bool {
        entry.split('/').any(|name| !name.is_empty() && self.ignored.is_match(name))
    }
}

fn glob_set(globs: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob)?);
    }
    set.build()
}

/// Lists a directory and, up to a depth, its subdirectories. Ignored entries are listed in their directory but not descended into.
async fn entries(ctx: &ToolContext, path: &Path, depth: u64) -> Result<Vec<String>, Error> {
    let line = |path: &Path, is_folder: bool| shown(path) + if is_folder { "/" } else { "" };
    let own = ctx.env.list(path).await?;
    let mut lines: Vec<String> =
        own.iter().map(|entry| line(Path::new(&entry.name), entry.is_folder)).collect();
    if depth > 1 {
        let below = exec::Find {
            root: path.to_path_buf(),
            left_out: ctx.resolved.left_out().clone(),
            glob: "*/**".to_owned(),
            max_paths: MAX_BELOW,
            max_depth: Some(usize::try_from(depth).unwrap_or(usize::MAX)),
            order: FindOrder::Path,
        };
        let found = ctx.env.find(below, &ctx.cancel).await?;
        lines.extend(found.paths.iter().map(|found| line(&found.path, found.is_folder)));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
