//! Settings for checks of edited files. `lint` runs the command, `edit_checks` waits for the editor.

use crate::turn::diagnostics::REPORT_WAIT;
use globset::GlobSet;
use pintle_protocol::diff::{FileChange, FileOp};
use std::path::Path;
use std::time::Duration;

/// The default time limit.
pub const LINT_TIMEOUT: Duration = Duration::from_secs(60);

/// Settings for checks of edited files.
#[derive(Debug, Clone)]
pub struct CheckSettings {
    /// The command that runs after changes.
    pub lint: Option<Lint>,
    /// The time to wait for an editor's report of a changed file.
    pub report_wait: Duration,
}

impl Default for CheckSettings {
    fn default() -> Self {
        Self { lint: None, report_wait: REPORT_WAIT }
    }
}

/// The command that runs after changes.
#[derive(Debug, Clone)]
pub struct Lint {
    /// The command; the changed files follow it.
    pub command: String,
    /// Only for files with such paths, from the working directory; none is every file.
    pub globs: Option<GlobSet>,
    /// The time limit.
    pub timeout: Duration,
}

impl Lint {
    /// Returns the files to check, without duplicates: relative to the working directory if they are in it.
    pub(crate) fn files<'a>(&self, cwd: &Path, changes: &'a [FileChange]) -> Vec<&'a Path> {
        let mut files: Vec<&Path> = Vec::new();
        for change in changes.iter().filter(|change| change.op != FileOp::Delete) {
            let path = Path::new(&change.path);
            let path = path.strip_prefix(cwd).unwrap_or(path);
            let is_wanted = self.globs.as_ref().is_none_or(|globs| globs.is_match(path));
            if is_wanted && !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Returns the command line that checks these files.
    pub(crate) fn line(&self, files: &[&Path]) -> String {
        let quoted = files.iter().map(|file| {
            let file = file.to_string_lossy();
            // A name that starts with a dash must not be read as a flag.
            let dash = if file.starts_with('-') { "./" } else { "" };
            format!(" '{dash}{}'", file.replace('\'', r"'\''"))
        });
        format!("{}{}", self.command, quoted.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_changed_file_is_named_once_and_quoted() {
        let change = |op, path: &str| FileChange {
            op,
            path: path.to_owned(),
            old_path: None,
            diff: String::new(),
            added: 0,
            removed: 0,
            first_changed_line: None,
            words: Vec::new(),
        };
        let changes = [
            change(FileOp::Modify, "/w/src/a.rs"),
            change(FileOp::Modify, "/w/src/a.rs"),
            change(FileOp::Delete, "/w/b.rs"),
            change(FileOp::Modify, "/w/-it's.rs"),
            change(FileOp::Modify, "/w/c.txt"),
            change(FileOp::Modify, "/elsewhere/d.rs"),
        ];
        let globs = crate::clients::globs_of(&["*.rs".to_owned()]).ok();
        let lint = Lint { command: "check".to_owned(), globs, timeout: LINT_TIMEOUT };
        assert_eq!(
            lint.line(&lint.files(Path::new("/w"), &changes)),
            r"check 'src/a.rs' './-it'\''s.rs' '/elsewhere/d.rs'"
        );
    }
}
