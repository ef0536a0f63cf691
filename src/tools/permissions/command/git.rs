//! The git commands that change the repository directory, which is protected in the sandbox.

use super::{Word, lexical};
use std::path::PathBuf;

/// The commands, including some that change it only with certain arguments.
const CHANGING: &[&str] = &[
    "add",
    "am",
    "bisect",
    "branch",
    "checkout",
    "cherry-pick",
    "clone",
    "commit",
    "commit-tree",
    "fetch",
    "filter-branch",
    "gc",
    "init",
    "maintenance",
    "merge",
    "mv",
    "notes",
    "pack-refs",
    "prune",
    "pull",
    "push",
    "read-tree",
    "rebase",
    "remote",
    "repack",
    "replace",
    "reset",
    "restore",
    "revert",
    "rm",
    "sparse-checkout",
    "stage",
    "stash",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
    "write-tree",
];

/// Commands that change the repository with any arguments except flags that only show something.
const ALWAYS_CHANGING: &[&str] = &[
    "add",
    "am",
    "checkout",
    "cherry-pick",
    "commit",
    "merge",
    "mv",
    "pull",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stage",
    "switch",
    "update-index",
    "update-ref",
];

/// The commands of `git stash` that change nothing.
const SHOWING_STASHES: &[&str] = &["list", "show"];

/// Flags that show something instead of changing it.
const SHOWING: &[&str] = &["--dry-run", "--help", "-h", "-n"];

/// Flags of git itself that take the next word as their value.
const WITH_VALUE: [&str; 6] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// A command of git.
struct Command<'a> {
    name: &'a str,
    /// The values of `-C`, in order.
    folders: Vec<&'a str>,
    /// True if a flag specifies the repository's directory.
    is_named: bool,
    arguments: &'a [Word],
}

impl Command<'_> {
    /// Returns true if the command certainly changes the repository.
    fn always_changes(&self) -> bool {
        let mut words = self.arguments.iter().map(Word::text);
        let shows = |word: Option<&str>| word.is_some_and(|word| SHOWING.contains(&word));
        match self.name {
            "stash" => {
                let first = words.next().flatten();
                !first.is_some_and(|word| SHOWING_STASHES.contains(&word)) && !shows(first)
            }
            name => ALWAYS_CHANGING.contains(&name) && !words.any(shows),
        }
    }
}

/// Returns the command that the words after `git` are, if it is known.
fn command(arguments: &[Word]) -> Option<Command<'_>> {
    let mut words = arguments.iter();
    let (mut folders, mut is_named) = (Vec::new(), false);
    loop {
        let word = words.next()?.text()?;
        is_named |= word.starts_with("--git-dir") || word.starts_with("--work-tree");
        if word == "-C" {
            folders.push(words.next()?.text()?);
        } else if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            let arguments = words.as_slice();
            return Some(Command { name: word, folders, is_named, arguments });
        }
    }
}

/// Returns true if the words after `git` are a command that changes the repository directory.
pub(super) fn changes_repository(arguments: &[Word]) -> bool {
    command(arguments).is_some_and(|command| CHANGING.contains(&command.name))
}

/// Returns the directory in which a command that certainly changes a repository looks for it, if it is known. `bases` are the directories
/// that the command may run in, in the order in which they are entered.
pub(super) fn repository(arguments: &[Word], bases: &[PathBuf]) -> Option<PathBuf> {
    let command = command(arguments)?;
    if command.is_named || !command.always_changes() {
        return None;
    }
    let folders = command.folders.iter();
    let place = folders.fold(bases.last()?.clone(), |place, folder| place.join(folder));
    Some(lexical(&place))
}
