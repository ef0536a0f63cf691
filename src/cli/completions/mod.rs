//! `pintle completions`: scripts for shells, and the hidden command `complete`, which they call.
//!
//! A script passes the words up to the cursor; clap_complete's engine finds the argument there. Its own scripts are not used: in bash they
//! split words at `:` and `=`, and in PowerShell they evaluate the line. [`scripts`] has the scripts, and [`lookup`] finds models, sessions,
//! logins and other changing values.
//!
//! Invariant: completing starts no engine and no program, sends nothing and writes nothing. Unreadable data has no values.

mod lookup;
mod scripts;
#[cfg(test)]
mod tests;

use crate::cli::args::{self, Args, Complete, Completions, Values};
use clap::builder::ValueHint;
use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};
use lookup::Lookup;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The maximum length of a description; longer ones are cut.
const MAX_DESCRIPTION_CHARS: usize = 100;

/// Marks for arguments that take paths, which the shell completes.
const FILES: &str = "files";
const DIRECTORIES: &str = "directories";

/// Prints a shell's script.
///
/// # Errors
/// The program's name or path cannot be written to a script.
pub(crate) fn print_script(wanted: &Completions, ambient: &Ambient) -> anyhow::Result<u8> {
    let program = match &wanted.program {
        Some(program) => program.clone(),
        None => started_as(&ambient.current_dir()?)?,
    };
    written(screen::out().write_all(scripts::script(wanted.shell, &program)?.as_bytes()))
}

/// Returns the program as it was started: a name, which is searched for in `PATH`, or an absolute path.
fn started_as(here: &Path) -> anyhow::Result<String> {
    let program = std::env::args_os().next().unwrap_or_else(|| "pintle".into());
    let path = Path::new(&program);
    let has_folder = path.components().count() > 1;
    // Without the dot of `./pintle`.
    let path = if has_folder { here.join(path).components().collect() } else { path.to_owned() };
    path.into_os_string()
        .into_string()
        .map_err(|path| anyhow::anyhow!("{} is not UTF-8: pass --program", path.display()))
}

/// Prints completions, one per line: the value, a tab and a description. A leading tab marks paths; it is followed by `files` or
/// `directories`, another tab, and the text before the path.
///
/// # Errors
/// Stdout cannot be written.
pub(crate) fn print_completions(wanted: Complete, ambient: &Ambient) -> anyhow::Result<u8> {
    let mut words = wanted.words;
    if wanted.next || words.len() < 2 {
        words.push(OsString::new());
    }
    let mut text = String::new();
    for completion in completions(words, ambient) {
        text.push_str(&completion.line());
        text.push('\n');
    }
    written(screen::out().write_all(text.as_bytes()))
}

/// Converts the outcome of printing to an exit code. It is not an error if the reader is gone.
fn written(ended: io::Result<()>) -> anyhow::Result<u8> {
    match ended {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        ended => Ok(ended.map(|()| 0)?),
    }
}

/// A completion of the last word.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Completion {
    Value { text: String, description: String },
    Paths { kind: &'static str, after: String },
}

impl Completion {
    fn line(&self) -> String {
        match self {
            Self::Value { text, description } if description.is_empty() => text.clone(),
            Self::Value { text, description } => format!("{text}\t{description}"),
            Self::Paths { kind, after } => format!("\t{kind}\t{after}"),
        }
    }
}

/// Returns completions for the last word.
fn completions(words: Vec<OsString>, ambient: &Ambient) -> Vec<Completion> {
    let mut words = args::rpc::mode(words);
    let mut command = Args::command();
    if let Some(before) = words.len().checked_sub(2).filter(|at| *at > 0)
        && words.get(before).is_some_and(|word| takes_only_attached(&command, word))
    {
        words.remove(before);
    }
    let word = words.last().cloned().unwrap_or_default();
    let index = words.len().saturating_sub(1);
    command = with_lookups(command, &Arc::new(Lookup::new(ambient, &words)));
    let found = complete(&mut command, words, index, None).unwrap_or_default();
    let found: Vec<Completion> = found.iter().filter_map(completion).collect();
    relevant(found, &word.to_string_lossy())
}

/// Returns true for an option whose value has to follow a `=`. The engine would take the next word for its value.
fn takes_only_attached(command: &Command, word: &OsStr) -> bool {
    let Some(name) = word.to_str().and_then(|word| word.strip_prefix("--")) else { return false };
    let has = |arg: &Arg| arg.is_require_equals_set() && arg.get_long() == Some(name);
    command.get_arguments().any(has)
        || command.get_subcommands().any(|command| takes_only_attached(command, word))
}

/// Adds lookups to arguments with [`Values`], and marks path arguments.
fn with_lookups(command: Command, lookup: &Arc<Lookup>) -> Command {
    let completed = |arg: Arg| {
        let hint = arg.get_value_hint();
        let kind = match arg.get::<Values>() {
            Some(values) => {
                let (lookup, values) = (Arc::clone(lookup), *values);
                let find = move |typed: &OsStr| lookup.find(values, &typed.to_string_lossy());
                return arg.add(ArgValueCompleter::new(find));
            }
            None if hint == ValueHint::DirPath => DIRECTORIES,
            None if matches!(hint, ValueHint::AnyPath | ValueHint::FilePath) => FILES,
            None => return arg,
        };
        arg.add(ArgValueCompleter::new(move |_: &OsStr| vec![paths(kind, "")]))
    };
    command.mut_args(completed).mut_subcommands(|command| with_lookups(command, lookup))
}

/// Returns the candidate for paths after this text.
fn paths(kind: &'static str, after: &str) -> CompletionCandidate {
    CompletionCandidate::new(after).id(Some(kind.to_owned()))
}

/// Converts a candidate. Values that a shell would have to quote are omitted, so that no shell evaluates anything in them.
fn completion(candidate: &CompletionCandidate) -> Option<Completion> {
    let text = candidate.get_value().to_str()?.to_owned();
    if !text.chars().all(is_plain) {
        return None;
    }
    let id = candidate.get_id().map(String::as_str);
    if let Some(kind) = [FILES, DIRECTORIES].into_iter().find(|kind| id == Some(*kind)) {
        return Some(Completion::Paths { kind, after: text });
    }
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    Some(Completion::Value { text, description: description(&help) })
}

/// Returns true for characters that mean themselves in every shell, anywhere in a word.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | '@' | ',' | '+')
}

/// Returns a text as one short line without control characters.
fn description(text: &str) -> String {
    let line = crate::cli::sessions::one_line(text);
    match line.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

/// Removes options unless a dash is typed, and everything else if one is. If nothing would be left, all are returned.
fn relevant(found: Vec<Completion>, word: &str) -> Vec<Completion> {
    let is_option = |completion: &Completion| match completion {
        Completion::Value { text, .. } => text.starts_with('-'),
        Completion::Paths { after, .. } => after.starts_with('-'),
    };
    let wants_options = word.starts_with('-');
    if found.iter().any(|completion| is_option(completion) == wants_options) {
        return found.into_iter().filter(|one| is_option(one) == wants_options).collect();
    }
    found
}
