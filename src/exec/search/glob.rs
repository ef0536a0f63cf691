//! Globs as models write them, for names and for paths below a root.

use crate::exec::{Error, files};
use globset::{GlobBuilder, GlobMatcher};
use std::path::Path;

/// A glob that is ready: without `/` it is for names at any depth, with one at its end for folders alone.
#[derive(Debug, Clone)]
pub struct PathGlob {
    matcher: GlobMatcher,
    is_for_name: bool,
    is_for_folders: bool,
}

impl PathGlob {
    /// Reads a glob. One that begins with the root's own path is taken to be relative to it.
    ///
    /// # Errors
    /// The problem with the pattern.
    pub fn new(glob: &str, root: &Path) -> Result<Self, Error> {
        let root = files::without_dots(root);
        let below_root = root.to_str().and_then(|root| glob.strip_prefix(root)?.strip_prefix('/'));
        let glob = below_root.unwrap_or(glob).trim_start_matches("./");
        let (is_for_folders, glob) =
            glob.strip_suffix('/').map_or((false, glob), |glob| (true, glob));
        let matcher = GlobBuilder::new(glob.trim_start_matches('/'))
            .literal_separator(true)
            .build()
            .map_err(|error| Error::Pattern(format!("invalid glob: {error}")))?
            .compile_matcher();
        let is_for_name = below_root.is_none() && !glob.contains('/');
        Ok(Self { matcher, is_for_name, is_for_folders })
    }

    /// Returns true if it matches a path relative to the root.
    pub fn is_match(&self, relative: &Path, is_folder: bool) -> bool {
        if self.is_for_folders && !is_folder {
            false
        } else if self.is_for_name {
            relative.file_name().is_some_and(|name| self.matcher.is_match(name))
        } else {
            self.matcher.is_match(relative)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_or_paths() {
        for (name, glob, path, is_folder, want) in [
            ("a name at any depth", "*.rs", "a/b/c.rs", false, true),
            ("a name is not a part of a name", "b", "a/b/c.rs", false, false),
            ("a path", "a/*.rs", "a/c.rs", false, true),
            ("a star stays in its folder", "a/*.rs", "a/b/c.rs", false, false),
            ("two stars do not", "a/**/*.rs", "a/b/c.rs", false, true),
            ("two stars may be nothing", "a/**/*.rs", "a/c.rs", false, true),
            ("the root's folder", "./a/*", "a/c", false, true),
            ("a slash in front is the root", "/c.rs", "c.rs", false, true),
            ("and not any depth", "/c.rs", "a/c.rs", false, false),
            ("the root's own path in front", "/root/*.rs", "c.rs", false, true),
            ("and what is below it", "/root/**/*.rs", "a/c.rs", false, true),
            ("and nothing deeper than it says", "/root/*.rs", "a/c.rs", false, false),
            ("choices", "*.{rs,toml}", "a/c.toml", false, true),
            ("a folder", "b/", "a/b", true, true),
            ("a file is no folder", "b/", "a/b", false, false),
        ] {
            let glob = PathGlob::new(glob, Path::new("/root/.")).unwrap();
            assert_eq!(glob.is_match(Path::new(path), is_folder), want, "{name}");
        }
        let error = PathGlob::new("a[", Path::new("/")).unwrap_err().to_string();
        assert!(error.starts_with("invalid glob: ") && error.contains("a["), "{error}");
    }
}
