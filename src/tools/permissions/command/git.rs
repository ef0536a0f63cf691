//! The git commands that change the repository directory, which is protected in the sandbox.

use super::Word;

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

/// Flags of git itself that take the next word as their value.
const WITH_VALUE: [&str; 6] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Returns true if the words after `git` are a command that changes the repository directory.
pub(super) fn changes_repository(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().map(Word::text);
    while let Some(Some(word)) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return CHANGING.contains(&word);
        }
    }
    false
}
