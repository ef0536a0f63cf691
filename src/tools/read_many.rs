//! `read_many_files`: the start of several files in one call.

use super::Read;
use super::read::Page;
use crate::arguments::Arguments;
use crate::listing::explain;
use crate::path::{PathArgument, Purpose};
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, unless_cancelled};
use pintle_exec::{self as exec, FindOrder};
use pintle_protocol::content::Content;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::PathBuf;

/// Reads several text files.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadMany(pub Profile);

/// Maximum number of files to read; more should be searched.
const MAX_FILES: usize = 50;

impl Tool for ReadMany {
    shaped!(Builtin::ReadMany);

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::ReadMany), arguments)?;
        let paths = arguments.texts("paths")?;
        if paths.is_empty() || paths.len() > MAX_FILES {
            let shown = arguments.shown("paths");
            return Err(format!("{shown} must list 1 to {MAX_FILES} files, not {}", paths.len()));
        }
        if paths.iter().any(|path| path.trim().is_empty()) {
            return Err(format!("{} must not contain an empty path", arguments.shown("paths")));
        }
        let excluded = arguments.optional_texts("exclude")?;
        let excluded = excluded.iter().map(|glob| [",!", glob.as_str()].concat());
        let excluded = excluded.collect::<Vec<_>>().concat();
        let paths =
            paths.into_iter().map(|path| PathOrGlob::new(path, &excluded, folders)).collect();
        Ok(Box::new(Call { profile: self.0, paths, folders: folders.clone() }))
    }
}

#[derive(Debug)]
struct Call {
    profile: Profile,
    paths: Vec<PathOrGlob>,
    folders: Folders,
}

/// A path or a glob.
#[derive(Debug)]
struct PathOrGlob {
    /// The path; also of a file whose name looks like a glob.
    file: PathArgument,
    glob: Option<Glob>,
}

/// A glob, split at the last directory before its first special character.
#[derive(Debug)]
struct Glob {
    /// The directory as the model wrote it.
    folder: String,
    root: PathArgument,
    /// The rest, relative to the directory.
    pattern: String,
}

impl PathOrGlob {
    /// `excluded` is appended to a glob.
    fn new(text: String, excluded: &str, folders: &Folders) -> Self {
        let argument = |path: String| PathArgument::new(path, folders, Purpose::Existing);
        let glob = text.find(['*', '?', '[', '{']).map(|first| {
            let (folder, pattern) = match text.get(..first).and_then(|start| start.rfind('/')) {
                Some(0) => ("/", text.get(1..)),
                Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
                None => (".", Some(text.as_str())),
            };
            let (folder, pattern) =
                (folder.to_owned(), pattern.unwrap_or_default().to_owned() + excluded);
            Glob { root: argument(folder.clone()), folder, pattern }
        });
        Self { file: argument(text), glob }
    }

    /// Returns the paths that need permission: the files to read, or the directory that contains them.
    fn access(&self) -> Vec<PathBuf> {
        let root = self.glob.iter().flat_map(|glob| glob.root.all());
        self.file.all().into_iter().chain(root).collect()
    }

    /// Returns at most `room` files, and true if there are more. A file whose name is a glob counts as that file.
    async fn files(
        self,
        ctx: &ToolContext,
        folders: &Folders,
        room: usize,
    ) -> Result<(Vec<PathArgument>, bool), String> {
        let Self { file, glob } = self;
        let Some(Glob { folder, root, pattern }) = glob else { return Ok((vec![file], false)) };
        if ctx.env.stat(&file.target(ctx).await).await.is_ok() {
            return Ok((vec![file], false));
        }
        let root = root.target(ctx).await;
        let root =
            ctx.env.canonicalize(&root).await.map_err(|error| explain(&file.text, &error))?;
        let find = exec::Find {
            root: root.clone(),
            left_out: ctx.resolved.left_out().clone(),
            glob: pattern,
            // Directories match too, and are left out.
            max_paths: room.saturating_mul(4).max(1),
            max_depth: None,
            order: FindOrder::Path,
        };
        let found = unless_cancelled(&ctx.cancel, ctx.env.find(find, &ctx.cancel)).await;
        let found = found.map_err(|error| explain(&file.text, &error))?;
        let below = |path: String| match folder.as_str() {
            "." => path,
            "/" => format!("/{path}"),
            folder => format!("{folder}/{path}"),
        };
        let mut files = Vec::new();
        let left_out = ctx.resolved.left_out();
        for found in found.paths.iter().filter(|found| !found.is_folder) {
            // The permission covers paths below the directory: a link that leads out of it is not a match.
            let path = ctx.env.canonicalize(&root.join(&found.path)).await;
            if let Some(path) =
                path.ok().filter(|path| path.starts_with(&root) && !left_out.contains(path))
            {
                let path = path.to_string_lossy().into_owned();
                let mut file = PathArgument::new(path, folders, Purpose::Existing);
                file.text = below(found.path.to_string_lossy().into_owned());
                files.push(file);
            }
        }
        let has_more = found.has_more || files.len() > room;
        files.truncate(room);
        Ok((files, has_more))
    }
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        match self.paths.as_slice() {
            [only] => format!("read_many_files: {}", only.file.text),
            several => format!("read_many_files: {} files", several.len()),
        }
    }

    fn locations(&self) -> Vec<Location> {
        let files = self.paths.iter().filter(|wanted| wanted.glob.is_none());
        files.flat_map(|wanted| wanted.file.locations(None)).collect()
    }

    fn access(&self) -> Access {
        Access::Read(self.paths.iter().flat_map(PathOrGlob::access).collect())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let mut content = Vec::new();
        let (mut paths, mut left_out) = (Vec::new(), Vec::new());
        let (mut count, mut failures) = (0, 0);
        for wanted in self.paths {
            let text = wanted.file.text.clone();
            let room = MAX_FILES.saturating_sub(paths.len());
            let why = match wanted.files(ctx, &self.folders, room).await {
                Ok((files, has_more)) if has_more || !files.is_empty() => {
                    paths.extend(files);
                    left_out.extend(has_more.then_some(text));
                    continue;
                }
                Ok(_) => "No file matches".to_owned(),
                Err(why) => why,
            };
            (count, failures) = (count + 1, failures + 1);
            content.push(Content::text(format!("==> {text} <==\n{why}\n\n")));
        }
        count += paths.len();
        // The share of each file, so that the first does not use the whole limit.
        let max_bytes = ctx.settings.max_bytes(Read(self.profile).limits()) / paths.len().max(1);
        let profile = self.profile;
        for path in paths {
            let heading = format!("==> {} <==\n", path.text);
            let page = Page { path, offset: None, limit: None, profile, max_bytes };
            let read = page.read(ctx).await;
            failures += usize::from(read.is_error);
            if read.content.is_empty() {
                content.push(Content::text(format!("{heading}(empty)\n\n")));
            }
            for (at, block) in read.content.into_iter().enumerate() {
                let heading = if at == 0 { heading.as_str() } else { "" };
                match block {
                    Content::Text { text } => {
                        content.push(Content::text(format!("{heading}{text}\n\n")));
                    }
                    image @ (Content::Image { .. } | Content::Document { .. }) => {
                        content.extend([Content::text(heading), image]);
                    }
                }
            }
        }
        if !left_out.is_empty() {
            let globs = left_out.join(", ");
            content.push(Content::text(format!(
                "[More files match {globs}: at most {MAX_FILES} are read per call. Use a narrower glob.]"
            )));
        }
        if let Some(notice) = ctx.resolved.left_out_notice() {
            content.push(Content::text(format!("[{notice}]")));
        }
        // An unreadable file does not invalidate the others.
        ToolResult { content, is_error: failures == count, ..ToolResult::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Scene, text};
    use serde_json::json;

    #[tokio::test]
    async fn several_files_share_the_room() {
        let long = "a long line of text\n".repeat(3000);
        let scene = Scene::with(&[("a", b"one\ntwo\n"), ("long", long.as_bytes()), ("empty", b"")]);
        let call = async |paths: Value| {
            text(&scene.call(&ReadMany(Profile::Gemini), json!({"paths": paths})).await)
        };
        assert_eq!(
            call(json!(["a", "gone", "empty"])).await,
            "==> a <==\none\ntwo\n\n==> gone <==\nFile not found: gone (ENOENT)\n\n==> empty <==\n(empty)\n\n"
        );
        let shared = call(json!(["long", "a"])).await;
        assert!(shared.contains(
            "[Showing lines 1-1250 of 3000 (24.4KB limit). Use start_line=1251 to continue.]"
        ));
        assert!(shared.ends_with("==> a <==\none\ntwo\n\n"));
        assert!(call(json!(["gone"])).await.starts_with("error: "));
        let scene = Scene::with(&[
            ("a.rs", b"one\n"),
            ("sub/b.rs", b"two\n"),
            ("sub/c.txt", b"three\n"),
            ("odd[1].rs", b"four\n"),
        ]);
        let outside = Scene::with(&[("secret", b"five\n")]);
        pintle_testing::files::symlink(outside.path("secret"), scene.path("link.rs"));
        let call = async |paths: Value| {
            text(&scene.call(&ReadMany(Profile::Gemini), json!({"paths": paths})).await)
        };
        for (globs, want) in [
            (json!(["sub/*.rs"]), "==> sub/b.rs <==\ntwo\n\n"),
            (
                json!(["**/*.{rs,txt}"]),
                "==> a.rs <==\none\n\n==> odd[1].rs <==\nfour\n\n==> sub/b.rs <==\ntwo\n\n==> sub/c.txt <==\nthree\n\n",
            ),
            (json!(["odd[1].rs"]), "==> odd[1].rs <==\nfour\n\n"),
            (json!(["*.go", "a.rs"]), "==> *.go <==\nNo file matches\n\n==> a.rs <==\none\n\n"),
        ] {
            assert_eq!(call(globs.clone()).await, want, "{globs}");
        }
        assert!(call(json!(["*.go"])).await.starts_with("error: "));
        assert_eq!(call(json!([])).await, "error: `include` must list 1 to 50 files, not 0");
        assert_eq!(call(json!([1])).await, "error: `include[0]` must be a string, not 1");
        assert_eq!(
            call(json!("a")).await,
            "error: `include` must be a list of strings, not a string"
        );
    }
}
