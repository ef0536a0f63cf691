//! Paths as models write them.
//!
//! Names are copied from prose: with a mention's `@`, with another kind of space or apostrophe than the file has. A
//! path as written always comes first; likenesses are tried only when nothing is there.

use crate::{Folders, ToolContext};
use pintle_exec::Environment;
use pintle_protocol::item::Location;
use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// A path from an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathArgument {
    /// The path as the model wrote it, for messages.
    pub(super) text: String,
    /// The absolute path.
    pub(super) absolute: PathBuf,
    /// Absolute paths that look almost alike.
    likenesses: Vec<PathBuf>,
}

/// A path's purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A file or directory that should exist.
    Existing,
    /// A file or directory that may be created.
    New,
}

impl PathArgument {
    pub(super) fn new(text: String, folders: &Folders, purpose: Purpose) -> Self {
        let absolute = absolute(&text, folders);
        let mut likenesses = Vec::new();
        for likeness in likenesses_of(&text, purpose) {
            let path = self::absolute(&likeness, folders);
            if path != absolute && !likenesses.contains(&path) {
                likenesses.push(path);
            }
        }
        Self { text, absolute, likenesses }
    }

    /// Refuses a path that can only be that of a directory.
    pub(super) fn of_file(self, field: &str) -> Result<Self, String> {
        if self.text.ends_with(std::path::is_separator) {
            return Err(format!(
                "`{field}` must be a file, but {} is a directory. Directories are created along with the files written into them.",
                self.text
            ));
        }
        Ok(self)
    }

    /// Returns all paths the call may touch.
    pub(super) fn all(&self) -> Vec<PathBuf> {
        std::iter::once(&self.absolute).chain(&self.likenesses).cloned().collect()
    }

    pub(super) fn locations(&self, line: Option<u64>) -> Vec<Location> {
        vec![Location { path: normalized(&self.absolute).to_string_lossy().into_owned(), line }]
    }

    /// Returns the canonical path that the call acts on, as it was when its permission was decided.
    pub(super) async fn target(&self, ctx: &ToolContext) -> PathBuf {
        let path = self.existing(ctx.env.as_ref()).await;
        match ctx.resolved.get(&path) {
            Some(resolved) => resolved.to_path_buf(),
            // No decision was made about this call.
            None => ctx.env.canonicalize(&path).await.unwrap_or(path),
        }
    }

    /// Returns the first of all paths where something is; the path as written when nothing is anywhere.
    async fn existing(&self, env: &dyn Environment) -> PathBuf {
        if !self.likenesses.is_empty() {
            for path in self.all() {
                if env.stat(&path).await.is_ok() {
                    return path;
                }
            }
        }
        self.absolute.clone()
    }
}

/// Returns a path without `.` and `..`, for showing: links are not followed.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normalized.push(component);
            }
        }
    }
    normalized
}

fn absolute(text: &str, folders: &Folders) -> PathBuf {
    let text = text.strip_prefix('@').unwrap_or(text);
    match (text.strip_prefix('~'), &folders.home) {
        (Some(""), Some(home)) => home.clone(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => folders.cwd.join(text),
    }
}

fn likenesses_of(text: &str, purpose: Purpose) -> Vec<String> {
    let spaces = text.replace(is_odd_space, " ");
    match purpose {
        Purpose::New => vec![spaces],
        Purpose::Existing => {
            let nfd: String = text.nfd().collect();
            let curly = text.replace('\'', "\u{2019}");
            let both = nfd.replace('\'', "\u{2019}");
            let nfc: String = text.nfc().collect();
            let both_composed = nfc.replace('\'', "\u{2019}");
            vec![spaces, narrow_before_noon(text), nfd, curly, both, nfc, both_composed]
        }
    }
}

fn is_odd_space(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// macOS puts a narrow no-break space before AM and PM in the names of screenshots.
fn narrow_before_noon(text: &str) -> String {
    ["AM", "PM", "am", "pm"].iter().fold(text.to_owned(), |text, noon| {
        text.replace(&format!(" {noon}."), &format!("\u{202f}{noon}."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::Dialect;

    #[test]
    fn paths_become_absolute() {
        let folders =
            Folders { cwd: "/work".into(), home: Some("/home/me".into()), shell: Dialect::Bourne };
        for (name, text, want) in [
            ("relative", "a/b", "/work/a/b"),
            ("absolute", "/etc/x", "/etc/x"),
            ("home", "~", "/home/me"),
            ("in home", "~/a", "/home/me/a"),
            ("someone's home is a name", "~other/a", "/work/~other/a"),
            ("a mention", "@src/a.rs", "/work/src/a.rs"),
            ("only one @", "@@scope/a", "/work/@scope/a"),
            ("a mention in home", "@~/a", "/home/me/a"),
            ("parents stay for who decides", "../a", "/work/../a"),
        ] {
            let written = PathArgument::new(text.to_owned(), &folders, Purpose::Existing);
            assert_eq!(written.absolute, PathBuf::from(want), "{name}");
        }
    }

    #[test]
    fn locations_are_normalized() {
        let folders = Folders { cwd: "/work".into(), home: None, shell: Dialect::Bourne };
        for (text, want) in
            [("./a/../b", "/work/b"), ("../../../x", "/x"), ("/a//b/./c/", "/a/b/c")]
        {
            let written = PathArgument::new(text.to_owned(), &folders, Purpose::Existing);
            let got = &written.locations(None)[0].path;
            assert_eq!(pintle_os::names::shown(Path::new(got)), want, "{text}");
        }
    }

    #[test]
    fn likenesses_are_tried_in_order() {
        use Purpose::{Existing, New};
        let folders = Folders { cwd: "/w".into(), home: None, shell: Dialect::Bourne };
        let rows: [(&str, Purpose, &str, &[&str]); 7] = [
            ("plain", Existing, "a b", &["/w/a b"]),
            ("odd space", Existing, "a\u{a0}b", &["/w/a\u{a0}b", "/w/a b"]),
            ("odd space, new", New, "a\u{a0}b", &["/w/a\u{a0}b", "/w/a b"]),
            (
                "noon",
                Existing,
                "Shot 1.30 PM.png",
                &["/w/Shot 1.30 PM.png", "/w/Shot 1.30\u{202f}PM.png"],
            ),
            (
                "letter and apostrophe",
                Existing,
                "\u{e9}'s",
                &["/w/\u{e9}'s", "/w/e\u{301}'s", "/w/\u{e9}\u{2019}s", "/w/e\u{301}\u{2019}s"],
            ),
            (
                "letter and accent",
                Existing,
                "e\u{301}'s",
                &["/w/e\u{301}'s", "/w/e\u{301}\u{2019}s", "/w/\u{e9}'s", "/w/\u{e9}\u{2019}s"],
            ),
            ("a new file is named as written", New, "\u{e9}'s", &["/w/\u{e9}'s"]),
        ];
        for (name, purpose, text, want) in rows {
            let written = PathArgument::new(text.to_owned(), &folders, purpose);
            assert_eq!(written.all(), want.iter().map(PathBuf::from).collect::<Vec<_>>(), "{name}");
        }
    }
}
