//! The tools of each family of models: names, arguments and layouts are those of the maker's own agent, descriptions are ours.
//!
//! A table names its source and date. A row maps each argument of the family to the one that the implementation reads; what only structures
//! arguments otherwise is a function of [`adapt`]. Tools that the maker's agent does not have, such as `recall`, keep our names.

pub(super) mod adapt;
pub(super) mod claude;
pub(super) mod deepseek;
pub(super) mod gemini;
pub(super) mod gpt;
pub(super) mod kimi;
pub(super) mod mistral;
pub(super) mod pi;
pub(super) mod qwen;

use super::shape::{Field, Row, text, whole};
use std::time::Duration;

/// A family's table.
#[derive(Debug)]
pub(super) struct Family {
    /// In the order in which they are listed to a model.
    pub(super) rows: &'static [Row],
    /// The numbers before the lines of a file.
    pub(super) numbers: Numbers,
    /// The layout of a command's result.
    pub(super) layout: Layout,
    /// The time limit of a command for which the model gives none.
    pub(super) timeout: Option<Duration>,
}

/// The numbers before the lines of a file.
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

/// The layout of a command's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// The end of the output, and then how the command ended if it failed.
    Tail,
    /// The beginning and the end of the output, and then how the command ended if it failed.
    Ends,
    /// `Exit code: 0` and `Output:` before beginning and end.
    CodeFirst,
}

/// The description of a tool, a text with gaps.
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
const CONTENT: &str = "The whole new content";
const IMAGE_PATH: &str = "Image to look at, relative or absolute";
const OFFSET: &str = "First line to read, 1-based";
const LIMIT: &str = "Most lines to read";
const OLD: &str = "Text to find; it must occur exactly once, unless all are replaced";
const NEW: &str = "Text to put in its place";
const ALL: &str = "Replace every occurrence";
const COMMAND: &str = "Command for the shell";
const PURPOSE: &str = "What it does, in a few words for a person";
const FOLDER: &str = "Folder to run it in; default: working directory";
const BACKGROUND: &str =
    "Return a job's id at once and let the command go on; without a time-out unless one is given";
const MILLISECONDS: &str =
    "Milliseconds after which it is stopped, at most {max_timeout}; [[{timeout}||none]] by default";
const SECONDS: &str =
    "Seconds after which it is stopped, at most {max_timeout}; [[{timeout}||none]] by default";
const PATTERN: &str = "Regular expression";
const SEARCHED: &str = "File or folder to search; default: working directory";
const FILES: &str = "Only files that match, such as *.ts or src/**/*.rs; several separated by commas, those with ! in front exclude";
const GLOB: &str =
    "Glob, such as *.ts or src/**/*.rs; several separated by commas, those with ! in front exclude";
const IN_FOLDER: &str = "Folder to search; default: working directory";
const LISTED: &str = "Folder to list; default: working directory";
const IGNORE_CASE: &str = "Upper and lower case are the same";
const AROUND: &str = "Lines shown before and after each match";
const MATCHES: &str =
    "Most matching lines, or files where no lines are shown; default 100, at most 200";
const MODES: &[&str] = &["content", "files_with_matches", "count"];
const STATUSES: &[&str] = &["pending", "in_progress", "completed"];
const LIST: &str = "The whole list, in order; it replaces the one before";
const STEP: &str = "What is to be done, in a few words";
const QUESTION: &str = "The question, with what the person needs to know to answer it";
const QUESTIONS: &str = "One to four questions, which are asked one after the other";
const LABEL: &str = "The answer, in a few words";
const EXPLAINED: &str = "What follows from it";
const SEVERAL: &str = "Several options may be chosen (default false)";
const HEADER: &str = "A heading of one or two words";
const OPTIONS: &str = "Answers to choose from, the one that you would take first; the person may always answer in own words";
const PLAN: &str = "The plan, as Markdown: what you will change, where, in which order, and how you will see that it works";
const TASK: &str =
    "What it is to do, with all it needs to know: it sees nothing of this conversation";
const TASK_LABEL: &str = "The task in three to five words, for a person";
const AGENT: &str = "The name of an agent whose instructions it is to follow";
const MODEL: &str = "PROVIDER/ID of another model; default: the same as yours";
const URL: &str = "Address, beginning with https:// or http://";
const RECALLED: &str = "The call, as the note in the place of its result names it";

/// An option of a question, as every family but `pi` writes it.
const OPTION_FIELDS: &[Field] =
    &[text("label", "label", LABEL).required(), text("description", "description", EXPLAINED)];

const RECALL_FIELDS: &[Field] = &[text("call", "call", RECALLED).required()];

const CONTEXT_FIELD: Field = whole("context", "context", AROUND);

#[cfg(test)]
mod tests;
