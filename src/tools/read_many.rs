//! `read_many_files`: the beginnings of several files in one call.

use super::Read;
use super::read::Page;
use crate::tools::arguments::Arguments;
use crate::tools::path::{PathArgument, Purpose};
use crate::tools::{Access, Folders, Prepared, Profile, Tool, ToolContext};
use pintle_protocol::content::Content;
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::{Value, json};

/// Reads several text files.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadMany(pub Profile);

/// The maximum number of files; more should be searched, not read.
const MAX_FILES: usize = 50;

impl Tool for ReadMany {
    fn name(&self) -> &'static str {
        "read_many_files"
    }

    fn description(&self) -> &'static str {
        include_str!("descriptions/read_many_files.md")
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "paths": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "maxItems": MAX_FILES,
                    "description": "Files to read, relative or absolute",
                },
            },
            "required": ["paths"],
        })
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(arguments)?;
        let paths = arguments.texts("paths")?;
        if paths.is_empty() || paths.len() > MAX_FILES {
            return Err(format!("`paths` must name 1 to {MAX_FILES} files, not {}", paths.len()));
        }
        if paths.iter().any(|path| path.trim().is_empty()) {
            return Err("`paths` must not hold an empty path".to_owned());
        }
        let written = |path| PathArgument::new(path, folders, Purpose::Existing);
        Ok(Box::new(Call { profile: self.0, paths: paths.into_iter().map(written).collect() }))
    }
}

#[derive(Debug)]
struct Call {
    profile: Profile,
    paths: Vec<PathArgument>,
}

#[async_trait::async_trait]
impl Prepared for Call {
    fn title(&self) -> String {
        match self.paths.as_slice() {
            [only] => format!("read_many_files: {}", only.text),
            several => format!("read_many_files: {} files", several.len()),
        }
    }

    fn locations(&self) -> Vec<Location> {
        self.paths.iter().flat_map(|path| path.locations(None)).collect()
    }

    fn access(&self) -> Access {
        Access::Read(self.paths.iter().flat_map(PathArgument::all).collect())
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let mut content = Vec::new();
        let mut failures = 0;
        // The share of each file, so that the first does not use the whole limit.
        let max_bytes = ctx.settings.max_bytes(Read(self.profile).limits()) / self.paths.len();
        let profile = self.profile;
        let count = self.paths.len();
        for path in self.paths {
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
                    image @ Content::Image { .. } => {
                        content.extend([Content::text(heading), image]);
                    }
                }
            }
        }
        // An unreadable file does not invalidate the others.
        ToolResult { content, is_error: failures == count, ..ToolResult::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::tests::{Scene, text};

    #[tokio::test]
    async fn several_files_share_the_room() {
        let long = "a long line of text\n".repeat(3000);
        let scene = Scene::with(&[("a", b"one\ntwo\n"), ("long", long.as_bytes()), ("empty", b"")]);
        let call = async |paths: Value| {
            text(&scene.call(&ReadMany(Profile::Gemini), json!({"paths": paths})).await)
        };
        assert_eq!(
            call(json!(["a", "gone", "empty"])).await,
            "==> a <==\n     1\tone\n     2\ttwo\n\n==> gone <==\nFile not found: gone (ENOENT)\n\n==> empty <==\n(empty)\n\n"
        );
        let shared = call(json!(["long", "a"])).await;
        assert!(
            shared.contains(
                "[Showing lines 1-925 of 3000 (24.4KB limit). Use offset=926 to continue.]"
            )
        );
        assert!(shared.ends_with("==> a <==\n     1\tone\n     2\ttwo\n\n"));
        assert!(call(json!(["gone"])).await.starts_with("error: "));
        assert_eq!(call(json!([])).await, "error: `paths` must name 1 to 50 files, not 0");
        assert_eq!(call(json!([1])).await, "error: `paths[0]` must be a string, not 1");
        assert_eq!(
            call(json!("a")).await,
            "error: `paths` must be a list of strings, not a string"
        );
    }
}
