//! A file tree as `tree.sh` prints it, walked in the same way as a tree of this machine: in path order, without
//! ignored files. Pure.

use crate::search::PathGlob;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use pintle_os::names;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// An entry below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Relative to the root.
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    /// A link, a device, a pipe.
    Other,
}

/// A directory's ignore rules.
#[derive(Debug, Default)]
struct Rules {
    /// The ignore files, `.ignore`, `.gitignore` and `.git/info/exclude`: the first that decides counts.
    files: [Option<Gitignore>; 3],
    /// Rules of git above it mean nothing below.
    has_git: bool,
}

/// A file tree, in path order.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The entries that are not ignored; all of them if every file is.
    pub(super) entries: Vec<Entry>,
    /// The ignored entries, except those in ignored directories.
    pub(super) ignored: Vec<Entry>,
}

/// Reads a tree.
pub(super) fn tree(root: &Path, answer: &[u8]) -> Tree {
    let (listed, files) = split(answer);
    let mut rules: BTreeMap<PathBuf, Rules> = BTreeMap::new();
    for (name, content) in files {
        let path = root.join(plain(name));
        let (folder, place) = match path.file_name().and_then(|name| name.to_str()) {
            Some(".ignore") => (path.parent(), 0),
            Some(".gitignore") => (path.parent(), 1),
            _ => (path.ancestors().nth(3), 2),
        };
        let Some(folder) = folder else { continue };
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(content).lines() {
            // A malformed line is skipped, as in git.
            let _ = builder.add_line(None, line);
        }
        let entry = rules.entry(folder.to_path_buf()).or_default();
        if let Some(slot) = entry.files.get_mut(place) {
            *slot = builder.build().ok();
        }
    }
    let mut found = BTreeMap::new();
    for entry in listed {
        let Some((kind, name)) = entry.split_first() else { continue };
        let path = plain(name);
        let kind = match kind {
            b'd' => Kind::Folder,
            b'f' => Kind::File,
            b'g' => {
                let folder = root.join(path).parent().map(Path::to_path_buf).unwrap_or_default();
                rules.entry(folder).or_default().has_git = true;
                continue;
            }
            _ => Kind::Other,
        };
        found.insert(path.to_path_buf(), kind);
    }
    let mut hidden = BTreeSet::new();
    let mut tree = Tree::default();
    for (path, kind) in &found {
        let (path, kind) = (path.clone(), *kind);
        let is_below_hidden = path.parent().is_some_and(|parent| hidden.contains(parent));
        if is_below_hidden || is_ignored(&rules, &root.join(&path), kind == Kind::Folder) {
            if kind == Kind::Folder {
                hidden.insert(path.clone());
            }
            if !is_below_hidden {
                tree.ignored.push(Entry { path, kind });
            }
            continue;
        }
        tree.entries.push(Entry { path, kind });
    }
    // If everything in the searched directory is ignored, the search was intended.
    if !tree.ignored.is_empty() && tree.entries.iter().all(|entry| entry.kind == Kind::Folder) {
        let all = found.into_iter().map(|(path, kind)| Entry { path, kind });
        return Tree { entries: all.collect(), ignored: Vec::new() };
    }
    tree
}

impl Tree {
    /// Returns the first ignored path that the glob names.
    pub(super) fn named(&self, glob: &PathGlob) -> Option<PathBuf> {
        let mut ignored = self.ignored.iter();
        let named = ignored.find(|Entry { path, kind }| {
            let is_folder = *kind == Kind::Folder;
            glob.is_match(path, is_folder) || (is_folder && glob.names(path))
        });
        named.map(|entry| entry.path.clone())
    }
}

fn is_ignored(rules: &BTreeMap<PathBuf, Rules>, path: &Path, is_folder: bool) -> bool {
    let mut verdicts = [None; 3];
    let mut saw_git = false;
    for folder in path.ancestors().skip(1) {
        let Some(rules) = rules.get(folder) else { continue };
        for (place, (file, verdict)) in rules.files.iter().zip(&mut verdicts).enumerate() {
            let is_of_git = place > 0;
            let Some(file) = file.as_ref().filter(|_| verdict.is_none() && !(is_of_git && saw_git))
            else {
                continue;
            };
            let matched = file.matched(path, is_folder);
            if !matched.is_none() {
                *verdict = Some(matched.is_ignore());
            }
        }
        saw_git |= rules.has_git;
    }
    verdicts.into_iter().flatten().next().unwrap_or(false)
}

/// Returns a path as `find .` prints it, without its beginning.
pub(super) fn plain(name: &[u8]) -> Cow<'_, Path> {
    names::path(name.strip_prefix(b"./").unwrap_or(name))
}

/// A file's name and content.
type File<'a> = (&'a [u8], &'a [u8]);

/// Splits the entries from the files after the empty one.
fn split(answer: &[u8]) -> (Vec<&[u8]>, Vec<File<'_>>) {
    let mut entries = Vec::new();
    let mut rest = answer;
    while let Some(end) = rest.iter().position(|&byte| byte == 0) {
        let (entry, behind) = rest.split_at(end);
        rest = behind.get(1..).unwrap_or_default();
        if entry.is_empty() {
            return (entries, files(rest));
        }
        entries.push(entry);
    }
    (entries, Vec::new())
}

/// Returns files as the scripts print them: name, bytes, content. One whose content is cut ends the list.
pub(super) fn files(answer: &[u8]) -> Vec<File<'_>> {
    let mut files = Vec::new();
    let mut rest = answer;
    while let Some((name, behind)) = until_nul(rest)
        && let Some((size, behind)) = until_nul(behind)
        && let Some(size) = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok())
        && let Some((content, behind)) = behind.split_at_checked(size)
    {
        files.push((name, content));
        rest = behind;
    }
    files
}

fn until_nul(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}
