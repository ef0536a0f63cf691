//! `apply_patch`: changes of several files in one text, all of them or none.

use crate::arguments::Arguments;
use crate::change::{explain, must_know, preview, unsaved, update_all};
use crate::path::{PathArgument, Purpose};
use crate::read_tracker::ReadFirst;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::patch::{self, FilePatch, Hunk};
use pintle_base::text::truncate::{Guard, Keep};
use pintle_exec::{DecideAll, Error};
use pintle_protocol::diff::FileChange;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;
use tree::Tree;

mod tree;

/// Applies patches in the V4A format.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApplyPatch(pub Profile);

impl Tool for ApplyPatch {
    shaped!(Builtin::Patch);

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn guard(&self) -> Guard {
        self.0.guard(10_000, Keep::Head)
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::Patch), arguments)?;
        let text = arguments.filled_text("patch")?;
        let files =
            patch::parse(&text).map_err(|malformed| format!("Nothing was changed: {malformed}"))?;
        let acts = files.into_iter().map(|file| Act::new(file, folders));
        let acts: Vec<Act> = acts.collect();
        for path in acts.iter().flat_map(Act::paths) {
            let named = path.clone().of_file(arguments.theirs("patch"));
            named.map_err(|wrong| format!("Nothing was changed: {wrong}"))?;
        }
        Ok(Box::new(Call { acts: acts.into() }))
    }
}

#[derive(Debug)]
struct Call {
    acts: Arc<[Act]>,
}

/// The operation on one file.
#[derive(Debug)]
struct Act {
    path: PathArgument,
    /// A further path that a file gains or loses in the operation.
    move_to: Option<PathArgument>,
    what: What,
}

#[derive(Debug)]
enum What {
    Add(String),
    Delete,
    Update(Vec<Hunk>),
}

impl What {
    /// Returns true if the old content is discarded without proof that it was known. Hunks match the text they replace.
    fn discards(&self) -> bool {
        match self {
            Self::Add(_) | Self::Delete => true,
            Self::Update(_) => false,
        }
    }
}

impl Act {
    fn new(file: FilePatch, folders: &Folders) -> Self {
        let written = |path, purpose| PathArgument::new(path, folders, purpose);
        match file {
            FilePatch::Add { path, content } => {
                Self { path: written(path, Purpose::New), move_to: None, what: What::Add(content) }
            }
            FilePatch::Delete { path } => {
                Self { path: written(path, Purpose::Existing), move_to: None, what: What::Delete }
            }
            FilePatch::Update { path, move_to, hunks } => Self {
                path: written(path, Purpose::Existing),
                move_to: move_to.map(|path| written(path, Purpose::New)),
                what: What::Update(hunks),
            },
        }
    }

    fn paths(&self) -> impl Iterator<Item = &PathArgument> {
        std::iter::once(&self.path).chain(&self.move_to)
    }
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        match self.acts.as_ref() {
            [only] => format!("apply_patch: {}", only.path.text),
            several => format!("apply_patch: {} files", several.len()),
        }
    }

    fn locations(&self) -> Vec<Location> {
        self.acts.iter().flat_map(Act::paths).flat_map(|path| path.locations(None)).collect()
    }

    fn access(&self) -> Access {
        Access::Write(self.acts.iter().flat_map(Act::paths).flat_map(PathArgument::all).collect())
    }

    async fn preview(&self, ctx: &ToolContext) -> Result<Vec<FileChange>, String> {
        let files = Files::read(ctx, &self.acts).await;
        let (summary, _) = watch::channel(String::new());
        let changes = preview(ctx, &files.paths, || self.decide(ctx, &files, &summary));
        changes.await.map_err(|error| files.explain(&error))
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let files = Files::read(ctx, &self.acts).await;
        // The last decision applies.
        let (tx, summary) = watch::channel(String::new());
        let decide = || self.decide(ctx, &files, &tx);
        let moves = files.places.iter().filter_map(|(from, to)| Some(((*to)?, *from)));
        let moves: Vec<_> = moves.collect();
        match update_all(ctx, &files.paths, &moves, decide).await {
            Ok(done) => {
                let summary = summary.borrow().clone();
                let unsaved = unsaved(ctx.env.as_ref(), done.after.iter().flatten());
                let mut result = success(format!("Applied the patch:\n{summary}{unsaved}"));
                result.details.changes = done.changes;
                result
            }
            Err(error) => failure(files.explain(&error)),
        }
    }
}

impl Call {
    /// Returns the decision about the files. `summary` receives a line for each operation.
    fn decide(
        &self,
        ctx: &ToolContext,
        files: &Files,
        summary: &watch::Sender<String>,
    ) -> DecideAll {
        let (read_tracker, read_first) = (ctx.read_tracker.clone(), ctx.settings.read_first);
        let (acts, summary) = (Arc::clone(&self.acts), summary.clone());
        let Files { paths, names, places } = files.clone();
        Box::new(move |before| {
            for (at, (name, before)) in names.iter().zip(&before).enumerate() {
                let must_be_known = match read_first {
                    ReadFirst::Never => false,
                    ReadFirst::Overwrite => {
                        before.as_ref().is_some_and(|before| !before.content.is_empty())
                            && acts
                                .iter()
                                .zip(&places)
                                .any(|(act, (of, _))| *of == at && act.what.discards())
                    }
                    ReadFirst::Always => true,
                };
                if let Some(before) = before.as_ref().filter(|_| must_be_known) {
                    must_know(&read_tracker, name, before)?;
                }
            }
            let mut tree = Tree::new(&paths, &names, &before);
            let mut lines = Vec::new();
            for (act, (at, to)) in acts.iter().zip(places) {
                lines.push(tree.act(act, at, to)?);
            }
            summary.send_replace(lines.join("\n"));
            Ok(tree.finish())
        })
    }
}

/// Returns a patch that was passed to a shell command: the directory that the command changes to, if any, and the patch. `None` for a
/// command that does anything else.
pub(super) fn in_command(command: &str) -> Option<(Option<&str>, &str)> {
    let is_plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+,@%".contains(&byte))
    };
    let command = command.trim();
    let (folder, command) = match command.strip_prefix("cd ") {
        Some(rest) => {
            let (folder, rest) = rest.split_once("&&")?;
            (Some(folder.trim()).filter(|folder| is_plain(folder))?.into(), rest.trim_start())
        }
        None => (None, command),
    };
    let redirected = command.strip_prefix("apply_patch").or(command.strip_prefix("applypatch"))?;
    let (delimiter, lines) = redirected.trim_start().strip_prefix("<<")?.split_once('\n')?;
    let delimiter = delimiter.trim().trim_matches(['\'', '"']);
    let end = lines.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, *at, line))
    });
    let (start, end, _) =
        end.into_iter().find(|(_, _, line)| line.trim_end() == delimiter && is_plain(delimiter))?;
    let is_all = lines.get(end..)?.trim().is_empty();
    lines.get(..start).filter(|_| is_all && !delimiter.is_empty()).map(|patch| (folder, patch))
}

/// The files in a patch, each once.
#[derive(Debug, Clone, Default)]
struct Files {
    paths: Vec<PathBuf>,
    /// The paths as the model wrote them.
    names: Vec<String>,
    /// The file of each operation, and that to which it moves it.
    places: Vec<(usize, Option<usize>)>,
}

impl Files {
    async fn read(ctx: &ToolContext, acts: &[Act]) -> Self {
        let mut files = Self::default();
        for act in acts {
            let at = files.add(ctx, &act.path).await;
            let to = match &act.move_to {
                Some(path) => Some(files.add(ctx, path).await),
                None => None,
            };
            files.places.push((at, to));
        }
        files
    }

    async fn add(&mut self, ctx: &ToolContext, written: &PathArgument) -> usize {
        let path = written.target(ctx).await;
        self.paths.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.paths.push(path);
            self.names.push(written.text.clone());
            self.paths.len() - 1
        })
    }

    fn explain(&self, error: &Error) -> String {
        let named = self.paths.iter().zip(&self.names);
        let named = named.into_iter().find(|(path, _)| error.path() == Some(path));
        let explained = explain(named.map_or("the files", |(_, name)| name.as_str()), error);
        // The error itself names files that could not be restored.
        let is_told = matches!(error, Error::Cancelled | Error::Io { .. });
        if is_told { explained } else { format!("{explained}\nNothing was changed.") }
    }
}

#[cfg(test)]
mod tests;
