//! Completes commands, prompts, models, modes and paths. Pure, except for [`Files`].
#![expect(clippy::disallowed_methods, reason = "lists the user's directories for the user")]

use super::commands::COMMANDS;
use super::view::Known;
use ignore::WalkBuilder;
use pintle_base::text::visible::visible_line;
use pintle_os::System;
use pintle_protocol::approval::PermissionMode;
use std::path::{Path, PathBuf};

/// Maximum number of candidates.
const MAX_OFFERED: usize = 100;

/// Maximum number of files to search for a part of a name.
const MAX_SEARCHED: usize = 20_000;

/// A candidate: its text in the list, and what replaces the word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) shown: String,
    pub(super) text: String,
}

impl Candidate {
    fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { shown: text.trim_end().to_owned(), text }
    }
}

/// Finds files for completion.
pub(super) trait Files {
    /// Returns the paths that begin with this one, directories with a slash at their end.
    fn beginning(&self, path: &str) -> Vec<String>;
    /// Returns the paths whose file name contains this text.
    fn containing(&self, name: &str) -> Vec<String>;
}

/// Returns the start of the word before the cursor, and its candidates.
pub(super) fn candidates(line: &str, known: &Known, files: &dyn Files) -> (usize, Vec<Candidate>) {
    let start = line.rfind(char::is_whitespace).map_or(0, |at| {
        at + line.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    });
    let word = line.get(start..).unwrap_or_default();
    let mut found = match (line.split_once(char::is_whitespace), word.chars().next()) {
        (None, Some('/')) => {
            let names = names(word.trim_start_matches('/'), known);
            if names.is_empty() { paths(word, files) } else { names }
        }
        (_, Some('@')) => mentions(word.trim_start_matches('@'), files),
        (Some((command, _)), _) if command.starts_with('/') => values(command, word, known),
        (_, Some('.' | '/' | '~')) => paths(word, files),
        _ => Vec::new(),
    };
    // The terminal would obey the names of a hostile repository's files.
    found.retain(|candidate| visible_line(&candidate.text) == candidate.text);
    found.truncate(MAX_OFFERED);
    (start, found)
}

/// Returns the commands and prompts with this beginning.
fn names(beginning: &str, known: &Known) -> Vec<Candidate> {
    let commands = COMMANDS.iter().map(|(name, _, summary)| (*name, *summary));
    let prompts = known.prompts.iter().map(|(name, summary)| (name.as_str(), summary.as_str()));
    let fitting = commands.chain(prompts).filter(|(name, _)| name.starts_with(beginning));
    let candidate = |(name, summary): (&str, &str)| Candidate {
        shown: super::look::Look::cut(&format!("/{name:<14} {summary}"), 76),
        text: format!("/{name} "),
    };
    fitting.map(candidate).collect()
}

/// Returns the values that a command takes.
fn values(command: &str, word: &str, known: &Known) -> Vec<Candidate> {
    let fixed = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let values: Vec<String> = match command {
        "/model" => known.models.clone(),
        "/effort" => known.efforts.clone(),
        "/mode" => PermissionMode::NAMES.iter().map(|(name, _)| (*name).to_owned()).collect(),
        "/plan" => fixed(&["on", "off"]),
        "/new" => fixed(&["worktree", "copy"]),
        "/keep" | "/undo" => fixed(&["all"]),
        _ => return Vec::new(),
    };
    let beginning = values.iter().filter(|value| value.starts_with(word));
    let mut found: Vec<Candidate> = beginning.map(Candidate::new).collect();
    if found.is_empty() {
        // A model by a part of its name.
        let containing = values.iter().filter(|value| value.contains(word));
        found.extend(containing.map(Candidate::new));
    }
    found
}

/// Returns file mentions: by a path's beginning, otherwise by a part of a name.
fn mentions(path: &str, files: &dyn Files) -> Vec<Candidate> {
    let mut found = files.beginning(path);
    if found.is_empty() && !path.is_empty() && !path.contains('/') {
        found = files.containing(path);
    }
    let mention = |path: String| {
        let quote = if path.contains(char::is_whitespace) { "\"" } else { "" };
        Candidate { text: format!("@{quote}{path}{quote}"), shown: path }
    };
    found.into_iter().map(mention).collect()
}

fn paths(path: &str, files: &dyn Files) -> Vec<Candidate> {
    files.beginning(path).into_iter().map(Candidate::new).collect()
}

/// The files as seen from a directory.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) cwd: PathBuf,
    pub(super) home: Option<PathBuf>,
}

impl Tree {
    fn absolute(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }

    /// Returns the images whose paths are words in a message.
    pub(super) fn images(&self, text: &str) -> Vec<String> {
        const IMAGES: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];
        // Terminals quote and escape the paths of dropped files. On Windows, a backslash separates directories.
        let is_windows = System::CURRENT == System::Windows;
        let text = if is_windows { text.replace('\\', "/") } else { text.to_owned() };
        let words = pintle_agent::config::split_words(&text)
            .unwrap_or_else(|_| text.split_whitespace().map(str::to_owned).collect());
        let is_image = |path: &Path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            let ending = ending.map(str::to_lowercase).unwrap_or_default();
            IMAGES.contains(&ending.as_str())
                && std::fs::metadata(path).is_ok_and(|facts| facts.is_file())
        };
        // The engine attaches mentioned files itself.
        let words = words.iter().filter(|word| !word.starts_with('@'));
        let paths = words.map(|word| self.absolute(word.strip_prefix("file://").unwrap_or(word)));
        paths
            .filter(|path| is_image(path))
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }
}

impl Files for Tree {
    fn beginning(&self, path: &str) -> Vec<String> {
        let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| {
            (path.get(..=folder.len()).unwrap_or_default(), name)
        });
        let Ok(entries) =
            std::fs::read_dir(self.absolute(if folder.is_empty() { "." } else { folder }))
        else {
            return Vec::new();
        };
        let mut found: Vec<String> = entries
            .flatten()
            .filter_map(|entry| {
                let file = entry.file_name().into_string().ok()?;
                let is_hidden = file.starts_with('.') && !name.starts_with('.');
                let is_folder = entry.path().is_dir();
                let slash = if is_folder { "/" } else { "" };
                (file.starts_with(name) && !is_hidden).then(|| format!("{folder}{file}{slash}"))
            })
            .collect();
        found.sort();
        found
    }

    fn containing(&self, name: &str) -> Vec<String> {
        let name = name.to_lowercase();
        let walk = WalkBuilder::new(&self.cwd).build().flatten().take(MAX_SEARCHED);
        let mut found: Vec<String> = walk
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .filter(|entry| entry.file_name().to_string_lossy().to_lowercase().contains(&name))
            .filter_map(|entry| {
                let path = entry.path().strip_prefix(&self.cwd).ok()?;
                Some(path.to_string_lossy().replace('\\', "/"))
            })
            .take(MAX_OFFERED)
            .collect();
        found.sort_by_key(|path| (path.len(), path.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().join("w");
        for file in [
            "src/main.rs",
            "src/model.rs",
            "README.md",
            "mad\u{1b}]0;x\u{7}",
            "made\u{202e}",
            "with blank.txt",
            ".hidden",
            "a.png",
        ] {
            // Windows has no names with control characters.
            if System::CURRENT == System::Windows && file.contains(char::is_control) {
                continue;
            }
            let path = cwd.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::create_dir(cwd.join("folder.png")).unwrap();
        let home = Some(folder.path().to_owned());
        (folder, Tree { cwd, home })
    }

    #[test]
    fn words_are_completed_by_where_they_stand() {
        let (_folder, tree) = tree();
        let known = Known {
            prompts: vec![
                ("commit".to_owned(), "writes a commit".to_owned()),
                ("com\u{1b}[2J".to_owned(), String::new()),
            ],
            models: vec!["openai/gpt-5".to_owned(), "anthropic/opus".to_owned()],
            efforts: vec!["low".to_owned(), "high".to_owned()],
            cwd: String::new(),
        };
        for (line, start, want) in [
            ("/co", 0, "/compact |/context |/commit "),
            ("/zz", 0, ""),
            ("/model op", 7, "openai/gpt-5"),
            ("/model opus", 7, "anthropic/opus"),
            ("/effort ", 8, "low|high"),
            ("/mode a", 6, "ask|auto-edit"),
            ("/undo ", 6, "all"),
            ("/stop x", 6, ""),
            ("see @src/m", 4, "@src/main.rs|@src/model.rs"),
            ("see @main", 4, "@src/main.rs"),
            ("see @wi", 4, "@\"with blank.txt\""),
            ("@", 0, "@README.md|@a.png|@folder.png/|@src/|@\"with blank.txt\""),
            ("@mad", 0, ""),
            ("./mad", 0, ""),
            ("@.h", 0, "@.hidden"),
            ("look at ./s", 8, "./src/"),
            ("look at ~/w/src/ma", 8, "~/w/src/main.rs"),
            ("文 @src/ma", 4, "@src/main.rs"),
            ("word", 0, ""),
            ("", 0, ""),
        ] {
            let (at, found) = candidates(line, &known, &tree);
            let texts: Vec<String> = found.into_iter().map(|candidate| candidate.text).collect();
            assert_eq!((at, texts.join("|").as_str()), (start, want), "{line}");
        }
    }

    #[test]
    fn images_are_found_by_their_paths() {
        let (folder, tree) = tree();
        let absolute = tree.cwd.join("a.png");
        for (text, is_found) in [
            ("what is a.png?", false),
            ("what is in a.png", true),
            ("what is in './a.png' ?", true),
            ("~/w/a.png", true),
            ("@a.png", false),
            ("missing.png", false),
            ("folder.png", false),
            ("it's README.md", false),
        ] {
            let want = is_found.then(|| absolute.clone());
            let found = tree.images(text);
            let found: Vec<PathBuf> = found.into_iter().map(PathBuf::from).collect();
            assert_eq!(found, Vec::from_iter(want), "{text}");
        }
        let dropped = format!(
            "see file://{} {}",
            absolute.display(),
            folder.path().join("w/a.png").display()
        );
        assert_eq!(tree.images(&dropped).len(), 2);
    }
}
