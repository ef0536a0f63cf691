//! Finds the row of `table` that a path matches. Pure.
//!
//! A search asks for each of its files and the sandbox for each file that a command opens for writing, so names are looked up
//! by a hash, and globs by their first or last letter.

use super::table::{OBEYED, Row, SECRETS};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The rows of secret files.
pub(super) static SECRET_NAMES: LazyLock<Names> = LazyLock::new(|| Names::new(SECRETS));

/// The table rows for files that other programs obey.
pub(super) static OBEYED_NAMES: LazyLock<Names> = LazyLock::new(|| Names::new(OBEYED));

/// Directories for installed dependencies and build output. Their content is replaced by tools as a whole, and read by none of the programs
/// that obey files of these names, so commands may create such files in them.
pub(super) const OUTPUT: [&str; 20] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    "target",
    ".venv",
    "venv",
    "site-packages",
    ".tox",
    ".nox",
    "__pypackages__",
    "vendor",
    ".gradle",
    ".terraform",
    "pods",
    ".build",
    "elm-stuff",
    ".stack-work",
    "dist-newstyle",
    ".pnpm-store",
    ".next",
];

/// Returns true if a directory of a folded relative path contains dependencies or build output.
pub(super) fn is_output(parts: &[&str]) -> bool {
    let folders = parts.split_last().map_or(&[][..], |(_, folders)| folders);
    folders.iter().any(|part| OUTPUT.contains(part))
}

/// The place at which a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Anywhere,
    Home,
    Root,
}

#[derive(Debug)]
struct Pattern {
    row: usize,
    anchor: Anchor,
    /// In lower case.
    parts: Vec<String>,
    /// As the table writes it, without `~/`, `/` at the ends, and `!`.
    written: &'static str,
    /// True if the pattern covers everything below.
    is_folder: bool,
}

impl Pattern {
    fn new(row: usize, text: &'static str) -> Self {
        let (anchor, rest) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(rest), _) => (Anchor::Home, rest),
            (None, Some(rest)) => (Anchor::Root, rest),
            (None, None) => (Anchor::Anywhere, text),
        };
        let written = rest.trim_end_matches('/');
        let parts = written.split('/').map(str::to_ascii_lowercase).collect();
        Self { row, anchor, parts, written, is_folder: rest.ends_with('/') }
    }

    fn has_glob(&self) -> bool {
        self.written.contains('*')
    }

    /// Returns true if the pattern matches `path`. Both start at the same component.
    fn matches(&self, path: &[&str]) -> bool {
        let length = self.parts.len();
        (path.len() == length || (self.is_folder && path.len() > length))
            && self.parts.iter().zip(path).all(|(part, name)| glob(part, name))
    }
}

/// A path, as it is compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folded<'a> {
    /// The path's names, from the root on or relative.
    pub(super) parts: &'a [&'a str],
    /// The number of leading names that form the home directory; `None` if the path is not below one.
    pub(super) home: Option<usize>,
    /// True if the path begins at the root.
    pub(super) is_absolute: bool,
}

/// A class's patterns, by their first component.
#[derive(Debug)]
pub(super) struct Names {
    rows: &'static [Row],
    patterns: Vec<Pattern>,
    /// Exceptions by row.
    exceptions: HashMap<usize, Vec<Pattern>>,
    /// Indices of patterns without a place whose first part is a plain name.
    by_name: HashMap<String, Vec<usize>>,
    /// Those of one part with `*`, by their first letter, or by the last if they begin with `*`.
    by_first: HashMap<u8, Vec<usize>>,
    by_last: HashMap<u8, Vec<usize>>,
    /// The remaining ones, such as those of several parts of which the first has a `*`.
    others: Vec<usize>,
    of_home: Vec<usize>,
    of_root: Vec<usize>,
}

impl Names {
    fn new(rows: &'static [Row]) -> Self {
        let mut names = Self {
            rows,
            patterns: Vec::new(),
            exceptions: HashMap::new(),
            by_name: HashMap::new(),
            by_first: HashMap::new(),
            by_last: HashMap::new(),
            others: Vec::new(),
            of_home: Vec::new(),
            of_root: Vec::new(),
        };
        for (row, text) in rows
            .iter()
            .enumerate()
            .flat_map(|(at, row)| row.patterns.iter().map(move |text| (at, *text)))
        {
            if let Some(exception) = text.strip_prefix('!') {
                names.exceptions.entry(row).or_default().push(Pattern::new(row, exception));
            } else {
                names.add(Pattern::new(row, text));
            }
        }
        names
    }

    fn add(&mut self, pattern: Pattern) {
        let at = self.patterns.len();
        let first = pattern.parts.first().cloned().unwrap_or_default();
        let bytes = first.clone().into_bytes();
        let places = match pattern.anchor {
            Anchor::Home => &mut self.of_home,
            Anchor::Root => &mut self.of_root,
            Anchor::Anywhere if !first.contains('*') => self.by_name.entry(first).or_default(),
            Anchor::Anywhere if pattern.parts.len() > 1 || pattern.is_folder => &mut self.others,
            Anchor::Anywhere => match (bytes.first(), bytes.last()) {
                (Some(&letter), _) if letter != b'*' => self.by_first.entry(letter).or_default(),
                (_, Some(&letter)) if letter != b'*' => self.by_last.entry(letter).or_default(),
                _ => &mut self.others,
            },
        };
        places.push(at);
        self.patterns.push(pattern);
    }

    /// Returns a path's description, if a row covers it.
    pub(super) fn find(&self, path: Folded<'_>) -> Option<&'static str> {
        self.anchored(path).or_else(|| self.anywhere(path))
    }

    /// Like `find`, with the patterns that match in any directory.
    pub(super) fn anywhere(&self, path: Folded<'_>) -> Option<&'static str> {
        let last = path.parts.len().checked_sub(1)?;
        let rest = |at: usize| path.parts.get(at..).unwrap_or_default();
        for (at, name) in path.parts.iter().enumerate() {
            let named = self.by_name.get(*name).into_iter().flatten();
            if let Some(what) = self.first(named.chain(&self.others), rest(at), path) {
                return Some(what);
            }
        }
        let name = path.parts.last()?.as_bytes();
        let first = name.first().and_then(|letter| self.by_first.get(letter));
        let end = name.last().and_then(|letter| self.by_last.get(letter));
        self.first(first.into_iter().chain(end).flatten(), rest(last), path)
    }

    fn anchored(&self, path: Folded<'_>) -> Option<&'static str> {
        let below_home = path.home.and_then(|home| path.parts.get(home..));
        let in_home = below_home.and_then(|rest| self.first(self.of_home.iter(), rest, path));
        let of_root = || {
            path.is_absolute.then(|| self.first(self.of_root.iter(), path.parts, path)).flatten()
        };
        in_home.or_else(of_root)
    }

    fn first<'a>(
        &self,
        mut candidates: impl Iterator<Item = &'a usize>,
        rest: &[&str],
        path: Folded<'_>,
    ) -> Option<&'static str> {
        let pattern = candidates.find_map(|at| {
            let pattern = self.patterns.get(*at)?;
            (pattern.matches(rest) && !self.is_excepted(pattern.row, path)).then_some(pattern)
        })?;
        self.rows.get(pattern.row).map(|row| row.what)
    }

    fn is_excepted(&self, row: usize, path: Folded<'_>) -> bool {
        let mut exceptions = self.exceptions.get(&row).into_iter().flatten();
        exceptions.any(|exception| match exception.anchor {
            Anchor::Anywhere => (0..path.parts.len())
                .any(|at| path.parts.get(at..).is_some_and(|rest| exception.matches(rest))),
            Anchor::Home => path
                .home
                .and_then(|home| path.parts.get(home..))
                .is_some_and(|rest| exception.matches(rest)),
            Anchor::Root => path.is_absolute && exception.matches(path.parts),
        })
    }

    /// Returns true if a path below a directory may match an anchored pattern.
    pub(super) fn reach_below(&self, folder: Folded<'_>) -> bool {
        let begins = |at: &usize, rest: &[&str]| {
            self.patterns.get(*at).is_some_and(|pattern| {
                pattern.parts.len() > rest.len()
                    && pattern.parts.iter().zip(rest).all(|(part, name)| glob(part, name))
            })
        };
        let below_home = folder.home.and_then(|home| folder.parts.get(home..));
        below_home.is_some_and(|rest| self.of_home.iter().any(|at| begins(at, rest)))
            || (folder.is_absolute && self.of_root.iter().any(|at| begins(at, folder.parts)))
    }

    /// Returns the paths for anchored patterns without a `*`, in a home directory and on the system.
    pub(super) fn places(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let plain = self.patterns.iter().filter(|pattern| !pattern.has_glob());
        plain
            .filter_map(|pattern| match pattern.anchor {
                Anchor::Home => Some(home?.join(pattern.written)),
                Anchor::Root => Some(Path::new("/").join(pattern.written)),
                Anchor::Anywhere
                    if pattern.is_folder
                        || pattern.parts.len() > 1
                        || is_hidden(pattern.written) =>
                {
                    Some(home?.join(pattern.written))
                }
                Anchor::Anywhere => None,
            })
            .collect()
    }

    /// Returns the patterns that match in any directory, and the exceptions that do not depend on a home directory.
    pub(super) fn patterns(&self) -> (Vec<String>, Vec<String>) {
        let text = |pattern: &Pattern| {
            let begin = if pattern.anchor == Anchor::Root { "/" } else { "" };
            let end = if pattern.is_folder { "/" } else { "" };
            format!("{begin}{}{end}", pattern.written)
        };
        let anywhere = self.patterns.iter().filter(|pattern| pattern.anchor == Anchor::Anywhere);
        let mut rows: Vec<&usize> = self.exceptions.keys().collect();
        rows.sort();
        let exceptions = rows.into_iter().filter_map(|row| self.exceptions.get(row)).flatten();
        let exceptions = exceptions.filter(|pattern| pattern.anchor != Anchor::Home);
        (anywhere.map(text).collect(), exceptions.map(text).collect())
    }

    /// Returns the directories whose entries must be listed to find the matches of patterns with a `*`.
    pub(super) fn listed(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for pattern in self.patterns.iter().filter(|pattern| pattern.has_glob()) {
            let (above, name) = pattern.written.rsplit_once('/').unwrap_or(("", pattern.written));
            let base = match pattern.anchor {
                Anchor::Home => home.map(Path::to_path_buf),
                Anchor::Root => Some(PathBuf::from("/")),
                Anchor::Anywhere => None,
            };
            let folder = base
                .map(|base| base.join(above))
                .filter(|_| !above.contains('*') && !name.is_empty());
            folders.extend(folder);
        }
        folders.sort();
        folders.dedup();
        folders
    }
}

fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// Matches a name with a pattern in which `*` is any text.
fn glob(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut pieces: Vec<&str> = pieces.collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some((_, behind)) = rest.split_once(piece) else { return false };
        rest = behind;
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_within_a_name() {
        for (pattern, name, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*.pem", "key.pem", true),
            ("*.pem", ".pem", true),
            ("*.pem", "key.pem.txt", false),
            (".env.*", ".env.local", true),
            (".env.*", ".env", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "ac", false),
            ("aa*aa", "aaa", false),
            ("*x*", "axb", true),
        ] {
            assert_eq!(glob(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn every_row_has_a_source_and_every_pattern_keeps_to_the_grammar() {
        for row in SECRETS.iter().chain(OBEYED) {
            assert!(
                !row.what.is_empty() && row.source.len() > 5 && !row.patterns.is_empty(),
                "{row:?}"
            );
            for text in row.patterns {
                let pattern = text.strip_prefix('!').unwrap_or(text);
                let body =
                    pattern.strip_prefix("~/").or(pattern.strip_prefix('/')).unwrap_or(pattern);
                let body = body.strip_suffix('/').unwrap_or(body);
                assert!(!body.is_empty() && body.split('/').all(|part| !part.is_empty()), "{text}");
                assert!(!body.contains(['?', '[', '{', '~', '\\', '!']), "{text}");
                assert!(
                    body.split('/').all(|part| part != "*" && part != "." && part != ".."),
                    "{text}"
                );
            }
            // An exception without a pattern, or a pattern twice, is an oversight.
            let mut seen = std::collections::BTreeSet::new();
            assert!(
                row.patterns.iter().all(|text| seen.insert(text.to_ascii_lowercase())),
                "{row:?}"
            );
        }
    }
}
