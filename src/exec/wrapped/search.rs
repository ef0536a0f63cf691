//! Searches for paths and lines behind a prefix, with the same results as on this machine.
//!
//! The other side lists its tree and the files that may match; matching itself is done here, by the code for local files, so that the
//! answers are the same.

use super::listing::{self, Kind};
use super::{Wrapped, text_of};
use crate::search::{LineSearch, Matched, PathGlob, PathKey};
use crate::{Environment, Error, FileKind, Find, FindOrder, FoundPath, FoundPaths, Grep, Grepped};
use pintle_os::names;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many files are fetched at once if grep is unreliable.
const MAX_UNSORTED_FILES: usize = 500;

impl Wrapped {
    async fn tree(&self, root: &Path) -> Result<listing::Tree, Error> {
        let answer = self.on_path(root, "tree", &[], &[]).await?;
        Ok(listing::tree(root, &answer))
    }

    pub(super) async fn find_paths(&self, find: &Find) -> Result<FoundPaths, Error> {
        let glob = PathGlob::new(&find.glob, &find.root)?;
        let max_depth = find.max_depth.unwrap_or(usize::MAX);
        let with_folders = find.order == FindOrder::Path;
        let tree = self.tree(&find.root).await?;
        let is_shown = |path: &PathBuf| !find.left_out.hides(&find.root, path);
        let ignored = tree.named(&glob).filter(is_shown);
        let mut paths: Vec<FoundPath> = tree
            .entries
            .into_iter()
            .map(|entry| FoundPath { is_folder: entry.kind == Kind::Folder, path: entry.path })
            .filter(|FoundPath { path, is_folder }| {
                (with_folders || !is_folder)
                    && path.components().count() <= max_depth
                    && glob.is_match(path, *is_folder)
                    && !find.left_out.hides(&find.root, path)
            })
            .collect();
        if find.order == FindOrder::NewestFile {
            paths = self.newest_first(&find.root, paths).await?;
        }
        let has_more = paths.len() > find.max_paths;
        paths.truncate(find.max_paths);
        let ignored = ignored.filter(|_| paths.is_empty());
        Ok(FoundPaths { paths, has_more, unreadable: 0, ignored })
    }

    async fn newest_first(
        &self,
        root: &Path,
        found: Vec<FoundPath>,
    ) -> Result<Vec<FoundPath>, Error> {
        let files: Vec<PathBuf> = found.iter().map(|found| found.path.clone()).collect();
        let answer = self.on_list("times", root, &[], &files).await?;
        let times = String::from_utf8_lossy(&answer);
        let times = times.lines().map(|time| time.trim().parse::<u64>().unwrap_or_default());
        let mut dated: Vec<(u64, FoundPath)> =
            times.chain(std::iter::repeat(0)).zip(found).collect();
        // Stable, so that files of the same time stay in path order.
        dated.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        Ok(dated.into_iter().map(|(_, found)| found).collect())
    }

    pub(super) async fn grep_lines(&self, grep: &Grep) -> Result<Grepped, Error> {
        let mut search = LineSearch::new(grep)?;
        let glob = grep.glob.as_deref().map(|glob| PathGlob::new(glob, &grep.root)).transpose()?;
        let mut matched = Matched::new(grep);
        let mut add = |path: &Path, content: &[u8], matched: &mut Matched| {
            let found = search.read(content).map_err(|error| Error::from_io(path, &error))?;
            matched.add(PathKey::new(path), found);
            Ok::<(), Error>(())
        };
        if self.stat(&grep.root).await?.kind != FileKind::Folder {
            let name = grep.file_name();
            add(name, &self.read(&grep.root).await?, &mut matched)?;
            return Ok(matched.finish(0));
        }
        let tree = self.tree(&grep.root).await?;
        let is_shown = |path: &PathBuf| !grep.left_out.hides(&grep.root, path);
        let ignored = glob.as_ref().and_then(|glob| tree.named(glob)).filter(is_shown);
        let files = tree.entries.into_iter().filter(|entry| {
            entry.kind == Kind::File
                && glob.as_ref().is_none_or(|glob| glob.is_match(&entry.path, false))
                && !grep.left_out.contains(&grep.root.join(&entry.path))
        });
        let files: Vec<PathBuf> = files.map(|entry| entry.path).collect();
        let (files, at_once) = match filter(grep) {
            None => (files, MAX_UNSORTED_FILES),
            // Each of them has a match, so no more than these can count.
            Some(flags) => (
                self.that_match(grep, flags, files).await?,
                grep.max_matches.saturating_add(1).min(MAX_UNSORTED_FILES),
            ),
        };
        for batch in files.chunks(at_once.max(1)) {
            if matched.bound().is_some() {
                break;
            }
            let answer = self.on_list("fetch", &grep.root, &[], batch).await?;
            for (name, content) in listing::files(&answer) {
                add(&listing::plain(name), content, &mut matched)?;
            }
        }
        let mut grepped = matched.finish(0);
        grepped.ignored = ignored.filter(|_| grepped.files.is_empty());
        Ok(grepped)
    }

    /// Returns the files in which the other side's `grep` finds the pattern.
    async fn that_match(
        &self,
        grep: &Grep,
        flags: &str,
        files: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, Error> {
        let answer = self.on_list("filter", &grep.root, &[flags, &grep.pattern], &files).await?;
        let matching: BTreeSet<Cow<'_, Path>> =
            answer.split(|&byte| byte == b'\n').map(listing::plain).collect();
        // A name with a newline is ambiguous in that response, so such a file is searched directly.
        let has_newline = |path: &Path| names::bytes(path.as_os_str()).contains(&b'\n');
        let is_wanted = |path: &PathBuf| has_newline(path) || matching.contains(path.as_path());
        Ok(files.into_iter().filter(is_wanted).collect())
    }

    /// Calls a script function in a directory on a list of files below it.
    async fn on_list(
        &self,
        function: &str,
        root: &Path,
        arguments: &[&str],
        files: &[PathBuf],
    ) -> Result<Vec<u8>, Error> {
        let mut list = Vec::new();
        for file in files {
            list.extend_from_slice(b"./");
            list.extend_from_slice(names::bytes(file.as_os_str()));
            list.push(0);
        }
        let arguments: Vec<&str> =
            [text_of(root)?].into_iter().chain(arguments.iter().copied()).collect();
        let answer = self.run(root, function, &arguments, &list).await;
        if let Err(Error::TooLarge { .. }) = answer {
            let message =
                "too much to be searched from here: narrow path or glob, or use grep in a shell";
            return Err(Error::Io { path: root.to_path_buf(), message: message.to_owned() });
        }
        answer
    }
}

/// Returns the flags with which any `grep` finds at least the files that match, if it can.
fn filter(grep: &Grep) -> Option<&'static str> {
    let is_shared = |c: char| c.is_ascii_alphanumeric() || " _/\",:;<>=@#%&~'`!-".contains(c);
    let is_plain = grep.pattern.chars().all(is_shared);
    let is_literal = grep.is_literal && grep.pattern.is_ascii() && !grep.pattern.contains('\n');
    match (is_plain || is_literal, grep.ignore_case) {
        (true, _) if grep.pattern.is_empty() => None,
        (true, false) => Some("-F"),
        (true, true) => Some("-iF"),
        (false, _) if has_shared_syntax(&grep.pattern) => {
            Some(if grep.ignore_case { "-iE" } else { "-E" })
        }
        (false, _) => None,
    }
}

/// Returns true if every `grep -E` agrees on a regular expression: letters, `|`, groups, `.*`, escaped punctuation.
fn has_shared_syntax(pattern: &str) -> bool {
    let mut characters = pattern.chars().peekable();
    let mut can_repeat = false;
    while let Some(character) = characters.next() {
        let is_shared = match character {
            '.' => characters.next_if_eq(&'*').is_some(),
            '\\' => characters.next_if(|next| ".*+?()[]{}|^$\\".contains(*next)).is_some(),
            '*' | '+' => can_repeat,
            // A group may begin with flags after a question mark, which not all engines support.
            '(' => characters.peek().is_some_and(|next| !"?*+|)".contains(*next)),
            '|' => characters.peek().is_some_and(|next| !"*+?|)".contains(*next)),
            ')' => true,
            other => other.is_ascii_alphanumeric() || " _/\",:;<>=@#%&~'`!-".contains(other),
        };
        if !is_shared {
            return false;
        }
        can_repeat = character.is_ascii_alphanumeric();
    }
    !pattern.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GrepOutput;

    #[test]
    fn only_what_every_grep_understands_is_asked_of_it() {
        let grep = |pattern: &str, is_literal, ignore_case| Grep {
            root: PathBuf::new(),
            named: None,
            left_out: crate::LeftOut::default(),
            pattern: pattern.to_owned(),
            glob: None,
            ignore_case,
            is_literal,
            before: 0,
            after: 0,
            output: GrepOutput::Lines,
            max_matches: 1,
            max_line_chars: 1,
            unsaved: std::sync::Arc::default(),
        };
        for (name, pattern, is_literal, ignore_case, want) in [
            ("plain", "fn main", false, false, Some("-F")),
            ("case", "fn main", false, true, Some("-iF")),
            ("a literal with signs", "a.b(c)", true, false, Some("-F")),
            ("two words", "one|two", false, false, Some("-E")),
            ("anything between", r"fn .*\(", false, false, Some("-E")),
            ("repeated", "ab+c*", false, false, Some("-E")),
            ("one character", "a.b", false, false, None),
            ("a class of letters", r"\w+", false, false, None),
            ("a bracket", "[a-z]", false, false, None),
            ("flags", "(?i)x", false, false, None),
            ("an anchor", "^a", false, false, None),
            ("lines", "a\nb", true, false, None),
            ("other letters", "ä", true, true, None),
            ("nothing", "", false, false, None),
        ] {
            assert_eq!(filter(&grep(pattern, is_literal, ignore_case)), want, "{name}");
        }
    }
}
