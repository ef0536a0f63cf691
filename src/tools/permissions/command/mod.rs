//! Shell command analysis: the programs that it runs, the files that it redirects to and from, and the parts that cannot be known before it
//! runs. Pure, except that the parser gives up after a second.
//!
//! Invariant: anything unknown to the grammar or this module makes the command *opaque*, with a reason. An opaque command is never allowed
//! by a rule or a table; the user is asked.

mod braces;
mod conditional;
mod differences;
mod flags;
mod git;
mod heredoc;
mod launch;
mod other_shells;
mod parse;
pub(super) mod safe;
mod sums;
pub(super) mod usual;
mod words;
mod wrappers;

pub use words::Word;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The longest command that is analysed, in bytes; a longer one is opaque.
pub const MAX_COMMAND_BYTES: usize = 1024 * 1024;

/// A shell command's parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Every program that the command may run, in text order, including those inside wrappers such as `timeout` and nested shells.
    pub programs: Vec<Program>,
    /// The files that it redirects output to.
    pub writes: Vec<Target>,
    /// The files that it redirects input from.
    pub reads: Vec<Target>,
    /// The directories that the command changes to.
    pub folders: Vec<Target>,
    /// True if the shell expands patterns or checks files outside program arguments: in loops, conditions or arrays.
    pub expands_itself: bool,
    /// The first reason why the command is not fully understood.
    pub opaque: Option<String>,
    /// The first reason why the command starts programs that are not in the list: a shell reads them from its input. Only rules that
    /// restrict programs are concerned; the program that starts them is in the list.
    pub hidden: Option<String>,
}

/// One program with its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The assignments before the name, such as `LD_PRELOAD=x.so`.
    pub assignments: Vec<Word>,
    /// The name and the arguments. Empty for assignments without a command.
    pub words: Vec<Word>,
    /// The program only starts another one, which is in the list too: `timeout 5 make`.
    pub is_transparent: bool,
    /// True if the name leads to a launcher, or to a file in the workspace: the directory determines the program started.
    pub is_launched: bool,
}

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The path as written, quotes removed.
    Path(String),
    /// A path that is known only when the command runs.
    Unknown,
}

impl Analysis {
    /// Parses a command of a POSIX shell or of bash.
    ///
    /// # Example
    ///
    /// ```
    /// use pintle_tools::permissions::Analysis;
    ///
    /// let analysis = Analysis::parse("cd src && timeout 60 cargo test > ../log.txt");
    /// let started = analysis.programs.iter().filter(|program| !program.is_transparent);
    /// let names: Vec<_> = started.filter_map(|program| program.name()).collect();
    /// assert_eq!(names, ["cd", "cargo"]);
    /// assert_eq!(analysis.folders[0].path(), Some("src"));
    /// assert_eq!(analysis.writes[0].path(), Some("../log.txt"));
    /// assert!(analysis.opaque.is_none());
    ///
    /// assert!(Analysis::parse("git log | head -n 5").is_harmless());
    /// assert!(Analysis::parse("eval \"$COMMAND\"").opaque.is_some());
    /// ```
    pub fn parse(line: &str) -> Self {
        let mut analysis = Self::default();
        parse::parse(line, &mut analysis, 0);
        analysis
    }

    /// Returns the analysis for a command about which nothing is known.
    pub fn opaque(reason: impl Into<String>) -> Self {
        Self { opaque: Some(reason.into()), ..Self::default() }
    }

    /// Returns true if the command is understood and all of it is in the table of harmless programs: it changes nothing.
    pub fn is_harmless(&self) -> bool {
        let is_discarded = |target: &Target| {
            target
                .path()
                .is_some_and(|path| ["/dev/null", "/dev/stdout", "/dev/stderr"].contains(&path))
        };
        self.opaque.is_none()
            && self.writes.iter().all(is_discarded)
            && self.programs.iter().all(|one| one.is_transparent || one.is_known_safe())
    }

    /// Marks programs with these names as launched through the directory's configuration.
    pub fn mark_launched(&mut self, names: &BTreeSet<String>) {
        for program in &mut self.programs {
            program.is_launched |= program.name().is_some_and(|name| names.contains(name));
            program.is_transparent &= !program.is_launched;
        }
    }

    fn hide(&mut self, reason: impl Into<String>) {
        self.hidden.get_or_insert_with(|| reason.into());
    }

    fn doubt(&mut self, reason: impl Into<String>) {
        self.opaque.get_or_insert_with(|| reason.into());
    }

    /// Returns the paths in the command, absolute and not yet resolved: redirections, and words of programs that may be paths. A relative
    /// path is resolved against every directory that the command may be in.
    pub fn paths(&self, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        let bases = self.bases(cwd, home);
        let mut paths = bases.clone();
        let targets = self.writes.iter().chain(&self.reads).filter_map(Target::path);
        let words = self.programs.iter().flat_map(Program::mentions);
        for text in targets.chain(words) {
            paths.extend(locate(text, &bases, home));
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// Returns the directories that a part of the command may run in.
    pub fn bases(&self, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        let mut bases = vec![cwd.to_path_buf()];
        for folder in self.folders.iter().filter_map(Target::path) {
            let entered = locate(folder, &bases, home);
            bases.extend(entered);
            // A command that changes its directory more often than that is asked about anyway.
            bases.truncate(MAX_BASES);
        }
        bases
    }
}

/// The maximum number of directories in which relative paths are looked up.
const MAX_BASES: usize = 16;

/// Returns the absolute paths that a text may represent.
pub fn locate(text: &str, bases: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let path = match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(text),
    };
    if path.is_absolute() {
        return vec![path];
    }
    bases.iter().map(|base| base.join(&path)).collect()
}

/// Returns a path without `.` and `..`, its symbolic links not followed.
pub fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

impl Target {
    /// Returns the path, if it is known.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(path),
            Self::Unknown => None,
        }
    }
}

impl Program {
    /// Returns the program's name, if it is known: `ls` for `ls`, `/bin/ls` and `/usr/bin/ls`, the full path for a program elsewhere.
    pub fn name(&self) -> Option<&str> {
        let name = self.words.first()?.text()?;
        let bare = ["/bin/", "/usr/bin/"].iter().find_map(|folder| name.strip_prefix(folder));
        Some(bare.filter(|bare| !bare.contains('/')).unwrap_or(name))
    }

    /// Returns the words after the name.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Assignments and words as a rule matches them.
    pub fn matched_words(&self) -> impl Iterator<Item = &Word> {
        self.assignments.iter().chain(&self.words)
    }

    /// Returns true for programs whose words are not paths.
    pub fn takes_texts(&self) -> bool {
        let name = self.name().unwrap_or_default();
        ["echo", "printf", "tr", "seq", "expr", "sleep", "type", "which", "set", "exit"]
            .contains(&name)
    }

    /// Returns the words that may be paths: each argument, and the value after `=` in a flag. A pattern counts with its directory, and
    /// literally: the shell leaves a pattern without matches unchanged.
    pub fn mentions(&self) -> impl Iterator<Item = &str> {
        let written = self.arguments().iter().filter_map(|word| match word {
            Word::Glob(pattern) => Some(pattern.as_str()),
            Word::Text(_) | Word::Unknown { .. } => None,
        });
        let known = self.arguments().iter().flat_map(|word| {
            let text = word.fixed_prefix();
            let value = text.split_once('=').map(|(_, value)| value);
            // `-I/usr/include`, `-ffile`, `@file`.
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let path = letters.and_then(|rest| rest.find(['/', '~']).and_then(|at| rest.get(at..)));
            let behind_letter = letters.and_then(|rest| {
                let mut rest = rest.chars();
                rest.next()?;
                Some(rest.as_str())
            });
            let listed = text.strip_prefix('@');
            let whole = (!text.starts_with('-')).then_some(text);
            [whole, value, path, behind_letter, listed]
                .into_iter()
                .flatten()
                .filter(|text| !text.is_empty())
        });
        let of_flags = safe::harmless(self)
            .map_or_else(|| safe::files_of_flags(self), |harmless| harmless.files);
        known.chain(written).chain(of_flags)
    }

    /// Returns true if the table of harmless programs contains this one with these arguments: it only reads, and starts nothing.
    pub fn is_known_safe(&self) -> bool {
        !self.is_launched && safe::harmless(self).is_some()
    }

    /// Returns true for a shell builtin: no file determines its behaviour.
    pub fn is_builtin(&self) -> bool {
        const BUILTINS: [&str; 25] = [
            ":", "true", "false", "[", "test", "echo", "printf", "cd", "pwd", "exit", "return",
            "break", "continue", "shift", "wait", "set", "type", "[[", "eval", "trap", "exec",
            "command", "builtin", "coproc", "time",
        ];
        self.name().is_some_and(|name| BUILTINS.contains(&name))
    }

    /// Returns true for a harmless program that may read files not listed in the command: through a pattern, or links that it follows.
    pub fn follows_links(&self) -> bool {
        let has_patterns = self.words.iter().any(|word| matches!(word, Word::Glob(_)));
        safe::harmless(self).is_some_and(|harmless| harmless.follows_links || has_patterns)
    }

    /// Returns true for a harmless program that reads the files in a directory given as an argument, also through links.
    pub fn opens_folders(&self) -> bool {
        safe::harmless(self).is_some_and(|harmless| harmless.opens_folders)
    }

    /// Returns the programs that this one may start: its words and assignments, taken as commands. Empty for a program known to treat its
    /// words as texts or files.
    pub fn may_start(&self) -> Vec<Self> {
        launch::candidates(self)
    }

    /// Returns true for a command of git, which may run programs that the repository's configuration names.
    pub fn is_git(&self) -> bool {
        let is_version = matches!(self.arguments(), [Word::Text(flag)] if flag == "--version");
        self.name() == Some("git") && !is_version
    }

    /// Returns true for a git command that changes the repository directory: `git commit`.
    pub fn changes_repository(&self) -> bool {
        self.name() == Some("git")
            && !self.is_known_safe()
            && git::changes_repository(self.arguments())
    }

    /// Returns the directory whose repository a git command changes. `None` for every other program, and if variables or flags may name
    /// another one. `bases` are the directories of [`Analysis::bases`].
    pub(super) fn repository(&self, bases: &[PathBuf]) -> Option<PathBuf> {
        let is_plain = self.changes_repository() && self.assignments.is_empty();
        is_plain.then(|| git::repository(self.arguments(), bases)).flatten()
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<String> = self.matched_words().map(Word::to_string).collect();
        f.write_str(&words.join(" "))
    }
}
