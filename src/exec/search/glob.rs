//! Globs as models write them, for names and for paths below a root.

use crate::{Error, files};
use globset::{GlobBuilder, GlobMatcher};
use pintle_base::text::globs;
use pintle_os::names;
use std::path::{Path, PathBuf};

/// A compiled glob list with ripgrep's semantics: comma-separated, a leading `!` excludes, and the last glob that matches a path decides.
/// If all of them exclude, everything else matches.
#[derive(Debug, Clone)]
pub struct PathGlob {
    globs: Vec<One>,
    /// The answer for a path that no glob matches.
    else_matches: bool,
}

/// A glob without `/` matches names at any depth, and one with `/` at its end only directories.
#[derive(Debug, Clone)]
struct One {
    /// One for each way to read the glob: brackets and braces may be parts of a name.
    matchers: Vec<GlobMatcher>,
    /// The directories and names before the first special character.
    fixed: PathBuf,
    excludes: bool,
    is_for_name: bool,
    is_for_folders: bool,
}

impl PathGlob {
    /// Parses a glob list. A glob that begins with the root's path is taken to be relative to it.
    ///
    /// # Errors
    /// The problem with the pattern.
    pub fn new(list: &str, root: &Path) -> Result<Self, Error> {
        let parts: Vec<&str> = parts(list).filter(|part| !part.is_empty()).collect();
        let mut globs = Vec::new();
        if parts.len() != 1 && !list.starts_with('!') {
            // A name may have commas. As a list it may be well-formed where as a name it is not.
            globs.extend(One::new(list, root).ok());
        }
        for part in parts {
            globs.push(One::new(part, root)?);
        }
        let else_matches = !globs.is_empty() && globs.iter().all(|glob| glob.excludes);
        Ok(Self { globs, else_matches })
    }

    /// Returns true if it matches a path relative to the root.
    pub fn is_match(&self, relative: &Path, is_folder: bool) -> bool {
        let deciding = self.globs.iter().rev().find(|glob| glob.decides(relative, is_folder));
        deciding.map_or(self.else_matches, |glob| !glob.excludes)
    }

    /// Returns true if a glob refers to this directory, or to a path below it.
    pub(crate) fn names(&self, folder: &Path) -> bool {
        let mut globs = self.globs.iter().filter(|glob| !glob.excludes && !glob.is_for_name);
        globs.any(|glob| glob.fixed.starts_with(folder))
    }
}

/// Splits a list into globs, at commas that are outside braces and brackets and not escaped by a backslash.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let (mut braces, mut in_brackets, mut is_escaped) = (0_u32, false, false);
    list.split(move |character| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match character {
            _ if was_escaped => {}
            '\\' => is_escaped = true,
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '{' if !in_brackets => braces += 1,
            '}' if !in_brackets => braces = braces.saturating_sub(1),
            ',' => return braces == 0 && !in_brackets,
            _ => {}
        }
        false
    })
    .map(str::trim)
}

impl One {
    fn new(glob: &str, root: &Path) -> Result<Self, Error> {
        let (excludes, glob) = glob.strip_prefix('!').map_or((false, glob), |glob| (true, glob));
        if excludes && glob.is_empty() {
            let message = "invalid glob: `!` must be followed by an exclusion, such as !*.min.js";
            return Err(Error::Pattern(message.to_owned()));
        }
        let root = files::without_dots(root);
        // As models write it: with `/`.
        let root = root.to_str().map(|_| names::shown(&root));
        let below_root = root.and_then(|root| glob.strip_prefix(&*root)?.strip_prefix('/'));
        let glob = below_root.unwrap_or(glob).trim_start_matches("./");
        let (is_for_folders, glob) =
            glob.strip_suffix('/').map_or((false, glob), |glob| (true, glob));
        let is_for_name = below_root.is_none() && !glob.contains('/');
        let glob = glob.trim_start_matches('/');
        let compile = |glob: &str| {
            let built = GlobBuilder::new(glob).literal_separator(true).build();
            built.map(|glob| glob.compile_matcher())
        };
        let as_written =
            compile(glob).map_err(|error| Error::Pattern(format!("invalid glob: {error}")))?;
        let others = globs::readings(glob).into_iter().skip(1);
        let others = others.filter_map(|reading| compile(&reading).ok());
        let is_fixed = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
        Ok(Self {
            matchers: std::iter::once(as_written).chain(others).collect(),
            fixed: glob.split('/').take_while(is_fixed).collect(),
            excludes,
            is_for_name,
            is_for_folders,
        })
    }

    /// Returns true if the glob applies to a path. Excluding a directory excludes its content.
    fn decides(&self, relative: &Path, is_folder: bool) -> bool {
        let mut folders = relative.ancestors().skip(1);
        self.is_match(relative, is_folder)
            || self.excludes
                && folders.any(|folder| folder != Path::new("") && self.is_match(folder, true))
    }

    fn is_any_match(&self, path: &Path) -> bool {
        self.matchers.iter().any(|matcher| matcher.is_match(path))
    }

    fn is_match(&self, relative: &Path, is_folder: bool) -> bool {
        if self.is_for_folders && !is_folder {
            false
        } else if self.is_for_name {
            relative.file_name().is_some_and(|name| self.is_any_match(Path::new(name)))
        } else {
            self.is_any_match(relative)
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
            ("a list", "*.ts,*.md", "a/c.md", false, true),
            ("a list with spaces", "*.ts, *.md", "a/c.md", false, true),
            ("nothing of a list", "*.ts,*.md", "a/c.rs", false, false),
            ("choices in a list", "*.{rs,toml},*.md", "c.toml", false, true),
            ("a comma in brackets", "a[,;]b", "a,b", false, true),
            ("a comma in a name", "a,b.txt", "a,b.txt", false, true),
            ("a comma behind a backslash", r"a\,b", "a,b", false, true),
            ("an exclusion", "!*.test.ts", "a/c.test.ts", false, false),
            ("all else", "!*.test.ts", "a/c.ts", false, true),
            ("an exclusion from a list", "*.ts,!*.test.ts", "a/c.test.ts", false, false),
            ("the rest of that list", "*.ts,!*.test.ts", "a/c.ts", false, true),
            ("what is in no list", "*.ts,!*.test.ts", "a/c.md", false, false),
            ("the last decides", "!*.test.ts,*.ts", "a/c.test.ts", false, true),
            ("an excluded folder", "!node_modules", "a/node_modules/b/c.ts", false, false),
            (
                "an excluded folder with a slash",
                "!node_modules/",
                "node_modules/c.ts",
                false,
                false,
            ),
            ("an excluded path", "!a/b/**", "a/b/c.ts", false, false),
            ("an excluded path of the root", "!/root/a/*", "a/c.ts", false, false),
            ("a folder in brackets", "app/[id]/(auth)/**", "app/[id]/(auth)/a.tsx", false, true),
            ("brackets as a class", "app/[id]/*", "app/i/a.tsx", false, true),
            ("a name in brackets", "[id].tsx", "app/[id].tsx", false, true),
            ("a name in braces", "{x}/$y+/*.tsx", "{x}/$y+/b.tsx", false, true),
            ("choices below a bracket", "[id]/*.{ts,tsx}", "[id]/a.tsx", false, true),
            ("an excluded folder in brackets", "!app/[id]", "app/[id]/a.ts", false, false),
            ("a name that begins with the sign", r"\!x", "!x", false, true),
        ] {
            // On Windows, a backslash is a separator.
            if cfg!(windows) && glob.contains('\\') {
                continue;
            }
            let glob = PathGlob::new(glob, Path::new("/root/.")).unwrap();
            assert_eq!(glob.is_match(Path::new(path), is_folder), want, "{name}");
        }
        for (glob, folder, want) in [
            ("scripts/*.py", "scripts", true),
            ("a/b/c.py", "a", true),
            ("a/b/c.py", "a/b", true),
            ("a/b/c.py", "b", false),
            ("a/*/c.py", "a/b", false),
            ("**/c.py", "a", false),
            ("scripts", "scripts", false),
            ("scripts/", "scripts", false),
            ("!a/b", "a", false),
        ] {
            let glob = PathGlob::new(glob, Path::new("/")).unwrap();
            assert_eq!(glob.names(Path::new(folder)), want, "{glob:?} {folder}");
        }
        let error = PathGlob::new("a[", Path::new("/")).unwrap_err().to_string();
        assert!(error.starts_with("invalid glob: ") && error.contains("a["), "{error}");
        for wrong in ["!", "*.ts,!", "*.ts,a["] {
            assert!(PathGlob::new(wrong, Path::new("/")).is_err(), "{wrong}");
        }
    }
}
