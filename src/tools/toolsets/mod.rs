//! The tools of each model family: names, arguments and layouts are those of the maker's agent, descriptions are ours.
//!
//! A table cites its source and date. A row maps each argument of the family to the one that the implementation reads; arguments that are
//! merely structured differently are converted by a function of [`adapt`]. Tools that the maker's agent does not have, such as `recall`,
//! keep our names.

pub(super) mod adapt;
pub(super) mod claude;
pub(super) mod deepseek;
pub(super) mod gemini;
pub(super) mod gpt;
pub(super) mod kimi;
pub(super) mod mistral;
pub(super) mod pi;
pub(super) mod qwen;

use super::schema::{Field, Row, text, whole};
use std::time::Duration;

/// A family's table.
#[derive(Debug)]
pub(super) struct Family {
    /// In the order in which they are listed to a model.
    pub(super) rows: &'static [Row],
    /// The format of line numbers in files.
    pub(super) numbers: Numbers,
    /// The layout of command results.
    pub(super) layout: Layout,
    /// The time limit of a command for which the model gives none.
    pub(super) timeout: Option<Duration>,
}

/// A format of line numbers in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// None.
    None,
    /// Right-aligned, six wide, and a tab.
    Tab,
    /// `12: `.
    Plain,
    /// `L12: `.
    Letter,
}

/// A layout for command results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// The output's end, and then how the command ended if it failed.
    Tail,
    /// The start and end of the output, and then how the command ended if it failed.
    Ends,
    /// How the command ended and `Output:` before the start and end of the output.
    Session,
}

/// Includes a tool description, a text with gaps.
macro_rules! about {
    ($name:literal) => {
        include_str!(concat!("../descriptions/", $name, ".md"))
    };
}
use about;

// Descriptions of arguments, the same in several families.
const READ_PATH: &str = "File to read, relative or absolute";
const WRITE_PATH: &str = "File to write, relative or absolute";
const EDIT_PATH: &str = "File to edit, relative or absolute";
const CONTENT: &str = "The complete new content";
const IMAGE_PATH: &str = "Image to look at, relative or absolute";
const OFFSET: &str = "First line to read, 1-based";
const LIMIT: &str = "Maximum number of lines to read";
const OLD: &str = "Text to find; must occur exactly once unless all occurrences are replaced";
const NEW: &str = "Replacement text";
const ALL: &str = "Replace every occurrence";
const COMMAND: &str = "Shell command";
const PURPOSE: &str = "What it does, in a few words for the user";
const FOLDER: &str = "Directory to run it in; default: working directory";
const BACKGROUND: &str =
    "Return a job id immediately and keep the command running; no timeout unless one is given";
const TTY: &str = "Run it in a terminal, in the background, for a program that needs one or asks for input; returns what the terminal shows";
const WRITE_WAIT: &str =
    "Milliseconds to wait before the terminal is read (at most 120000; default: until it settles)";
const INPUT: &str = "Text to type. End it with a newline to press Enter";
const KEYS: &str = "Keys to press after the text: enter, tab, escape, backspace, delete, up, down, left, right, home, end, page-up, page-down, ctrl-a to ctrl-z; ctrl-d ends the input";
const MILLISECONDS: &str =
    "Timeout in milliseconds, at most {max_timeout}; default: [[{timeout}||none]]";
const SECONDS: &str = "Timeout in seconds, at most {max_timeout}; default: [[{timeout}||none]]";
const PATTERN: &str = "Regular expression";
const SEARCHED: &str = "File or directory to search; default: working directory";
const FILES: &str = "Search only matching files, such as *.ts or src/**/*.rs; separate several with commas, exclude with a leading !";
const GLOB: &str =
    "Glob, such as *.ts or src/**/*.rs; separate several with commas, exclude with a leading !";
const IN_FOLDER: &str = "Directory to search; default: working directory";
const LISTED: &str = "Directory to list; default: working directory";
const IGNORE_CASE: &str = "Ignore case";
const AROUND: &str = "Lines to show before and after each match";
const MATCHES: &str =
    "Maximum number of matching lines, or of files if no lines are shown; default 100, at most 200";
const MODES: &[&str] = &["content", "files_with_matches", "count"];
const STATUSES: &[&str] = &["pending", "in_progress", "completed"];
const LIST: &str = "The complete list, in order; replaces the previous list";
const STEP: &str = "The task, in a few words";
const QUESTION: &str = "The question, with everything the user needs to answer it";
const QUESTIONS: &str = "One to four questions, asked one after another";
const LABEL: &str = "The answer, in a few words";
const EXPLAINED: &str = "What choosing it means";
const SEVERAL: &str = "Allow several choices (default false)";
const HEADER: &str = "A one- or two-word heading";
const OPTIONS: &str =
    "Possible answers, your recommendation first; the user can always answer in their own words";
const PLAN: &str =
    "The plan in Markdown: what you will change, where, in what order, and how you will verify it";
const TASK: &str =
    "The task, with all necessary context: the sub-agent does not see this conversation";
const TASK_LABEL: &str = "The task in three to five words, for the user";
const AGENT: &str = "The named agent whose instructions it follows";
const MODEL: &str = "PROVIDER/ID of another model; default: your model";
const URL: &str = "URL, starting with https:// or http://";
const RECALLED: &str = "The call id from the note that replaced its result";

/// An option of a question, as every family but `pi` writes it.
const OPTION_FIELDS: &[Field] =
    &[text("label", "label", LABEL).required(), text("description", "description", EXPLAINED)];

const RECALL_FIELDS: &[Field] = &[text("call", "call", RECALLED).required()];

const CONTEXT_FIELD: Field = whole("context", "context", AROUND);

#[cfg(test)]
mod tests;
