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

/// Commands that create a repository, wherever they are called.
const MAKING: &[&str] = &["clone", "init"];

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
}

/// Returns the command that the words after `git` are, if it is known.
fn command(arguments: &[Word]) -> Option<Command<'_>> {
    let mut words = arguments.iter().map(Word::text);
    let (mut folders, mut is_named) = (Vec::new(), false);
    loop {
        let word = words.next()??;
        is_named |= word.starts_with("--git-dir") || word.starts_with("--work-tree");
        if word == "-C" {
            folders.push(words.next()??);
        } else if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(Command { name: word, folders, is_named });
        }
    }
}

/// Returns true if the words after `git` are a command that changes the repository directory.
pub(super) fn changes_repository(arguments: &[Word]) -> bool {
    command(arguments).is_some_and(|command| CHANGING.contains(&command.name))
}

/// Returns the directory in which a command that changes a repository looks for it, if it is known. `bases` are the directories that the
/// command may run in, the last one entered last.
pub(super) fn repository(arguments: &[Word], bases: &[PathBuf]) -> Option<PathBuf> {
    let command = command(arguments)?;
    if command.is_named || !CHANGING.contains(&command.name) || MAKING.contains(&command.name) {
        return None;
    }
    let folders = command.folders.iter();
    let place = folders.fold(bases.last()?.clone(), |place, folder| place.join(folder));
    Some(lexical(&place))
}
