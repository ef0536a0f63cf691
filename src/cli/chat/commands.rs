//! Parses typed lines: messages, commands such as `/review`, and shell commands. Pure.

use pintle_protocol::isolation::IsolationKind;
use std::fmt::Write as _;

/// A typed line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Nothing but spaces.
    Empty,
    /// A message for the model, which may call a prompt or a skill by `/name`.
    Message(&'a str),
    /// A shell command of the user.
    Shell(&'a str),
    /// A command of the chat.
    Command(Command<'a>),
    /// Not a valid command, for this reason.
    Invalid(String),
}

/// A command of the chat.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Help,
    /// Shows or changes a setting of the session, by its id in the protocol.
    Setting {
        id: &'static str,
        value: Option<&'a str>,
    },
    /// Sends a message after the running turn.
    Queue(&'a str),
    Stop,
    /// Lists the running jobs.
    Jobs,
    /// Types a text into a job's terminal, or shows its screen.
    Type {
        /// The job's id.
        job: String,
        /// The text, with keys as control characters.
        text: String,
    },
    Review,
    Decide {
        verdict: Verdict,
        hunks: Hunks,
    },
    Compact(Option<&'a str>),
    Context,
    Rules,
    /// Removes rules, by their numbers in the last list, from 1.
    Forget(Vec<usize>),
    /// Applies the changes in the session's copy to the user's files.
    Apply,
    /// Creates a session, in a copy of this kind if there is one.
    New(Option<IsolationKind>),
    Quit,
}

/// A decision about hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Keep,
    Undo,
}

/// Hunks to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hunks {
    All,
    /// Their numbers in the last list, from 1.
    Numbers(Vec<usize>),
}

/// The commands: name, arguments, summary.
pub(super) const COMMANDS: [(&str, &str, &str); 19] = [
    ("help", "", "list the commands and keys"),
    ("model", "[MODEL]", "show or change the model"),
    ("effort", "[LEVEL]", "show or change how much the model reasons"),
    ("mode", "[MODE]", "read-only, ask, auto-edit or full: show or change it"),
    ("plan", "[on|off]", "let the model plan without changing anything"),
    ("queue", "TEXT", "send a message after the running turn"),
    ("stop", "", "stop the running turn (Ctrl-C)"),
    ("jobs", "", "list the running background jobs"),
    ("type", "JOB [TEXT]", "type into a job's terminal, or show its screen"),
    ("review", "", "list the changes that you have not decided about"),
    ("keep", "N…|all", "keep changes, by their numbers in /review"),
    ("undo", "N…|all", "undo changes, by their numbers in /review"),
    ("compact", "[INSTRUCTIONS]", "summarize the conversation to free its context"),
    ("context", "", "show what fills the model's context"),
    ("rules", "", "list the permission rules"),
    ("forget", "N…", "remove answers, by their numbers in /rules"),
    ("apply", "", "apply the changes in the session's copy to your files"),
    ("new", "[worktree|copy]", "start a new session, in a worktree or copy if named"),
    ("quit", "", "leave; a running turn continues (Ctrl-D)"),
];

/// Parses a typed line. `is_prompt` is true for the names of prompts and skills.
pub(super) fn parse(line: &str, is_prompt: impl Fn(&str) -> bool) -> Line<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Line::Empty;
    }
    if let Some(command) = line.strip_prefix('!') {
        return match command.trim() {
            "" => Line::Invalid("`!` needs a command, such as `!git status`".to_owned()),
            command => Line::Shell(command),
        };
    }
    let Some(rest) = line.strip_prefix('/') else { return Line::Message(line) };
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    // A path, a comment, or a prompt of the user's.
    if name.is_empty() || name.contains('/') || is_prompt(name) {
        return Line::Message(line);
    }
    let argument = argument.trim();
    let value = (!argument.is_empty()).then_some(argument);
    let usage = |name: &str| {
        let arguments = COMMANDS.iter().find(|(known, ..)| *known == name);
        let arguments = arguments.map_or("", |(_, arguments, _)| arguments);
        format!("usage: /{name} {arguments}").trim_end().to_owned()
    };
    let setting = |id| Ok(Command::Setting { id, value });
    let command = match (name, value) {
        ("help", None) => Ok(Command::Help),
        ("model", _) => setting("model"),
        ("effort", _) => setting("effort"),
        ("mode", _) => setting("permissionMode"),
        ("plan", Some("off")) => Ok(Command::Setting { id: "mode", value: Some("act") }),
        ("plan", None | Some("on")) => Ok(Command::Setting { id: "mode", value: Some("plan") }),
        ("queue", Some(text)) => Ok(Command::Queue(text)),
        ("stop", None) => Ok(Command::Stop),
        ("jobs", None) => Ok(Command::Jobs),
        ("type", Some(keys)) => Ok(typing(keys)),
        ("review", None) => Ok(Command::Review),
        ("keep", Some(hunks)) => decide(Verdict::Keep, hunks).ok_or_else(|| usage(name)),
        ("undo", Some(hunks)) => decide(Verdict::Undo, hunks).ok_or_else(|| usage(name)),
        ("compact", instructions) => Ok(Command::Compact(instructions)),
        ("context", None) => Ok(Command::Context),
        ("rules", None) => Ok(Command::Rules),
        ("forget", Some(rules)) => numbers(rules).map(Command::Forget).ok_or_else(|| usage(name)),
        ("apply", None) => Ok(Command::Apply),
        ("new", None) => Ok(Command::New(None)),
        ("new", Some("worktree")) => Ok(Command::New(Some(IsolationKind::Worktree))),
        ("new", Some("copy")) => Ok(Command::New(Some(IsolationKind::Copy))),
        ("quit" | "exit", None) => Ok(Command::Quit),
        (name, _) if COMMANDS.iter().any(|(known, ..)| *known == name) => Err(usage(name)),
        (name, _) => Err(unknown(name)),
    };
    command.map_or_else(Line::Invalid, Line::Command)
}

/// Returns true for a line that may contain a password, and so is not kept in the history.
pub(super) fn is_private(line: &str) -> bool {
    line.trim_start()
        .strip_prefix("/type")
        .is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// Parses a job, by its id or number, and the text to type. Enter follows a text; `^C` and the like are keys.
fn typing(argument: &str) -> Command<'static> {
    let (job, text) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let is_number = job.bytes().all(|byte| byte.is_ascii_digit());
    let job = if is_number { format!("job-{job}") } else { job.to_owned() };
    let text = match text.trim_start().as_bytes() {
        [] => String::new(),
        [b'^', key @ (b'@'..=b'_' | b'a'..=b'z')] => char::from(key & 0x1f).to_string(),
        _ => format!("{}\n", text.trim_start()),
    };
    Command::Type { job, text }
}

fn decide(verdict: Verdict, hunks: &str) -> Option<Command<'static>> {
    if hunks == "all" {
        return Some(Command::Decide { verdict, hunks: Hunks::All });
    }
    Some(Command::Decide { verdict, hunks: Hunks::Numbers(numbers(hunks)?) })
}

/// Parses numbers from 1, each returned once and in order.
fn numbers(text: &str) -> Option<Vec<usize>> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<usize>> =
        words.map(|word| word.parse().ok().filter(|number| *number > 0)).collect();
    let mut numbers = numbers.filter(|numbers| !numbers.is_empty())?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

fn unknown(name: &str) -> String {
    const SIMILAR: f64 = 0.7;
    let near = COMMANDS.iter().map(|(known, ..)| (strsim::jaro_winkler(name, known), known));
    let near = near.filter(|(likeness, _)| *likeness > SIMILAR).max_by(|a, b| a.0.total_cmp(&b.0));
    let near = near.map(|(_, known)| format!(" (did you mean /{known}?)")).unwrap_or_default();
    format!("unknown command /{name}{near}; /help lists the commands")
}

/// Returns the text of `/help`.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (name, arguments, summary) in COMMANDS {
        let _ = writeln!(text, "  {:<24}{summary}", format!("/{name} {arguments}").trim_end());
    }
    text += "
  @PATH                   mention a file
  !COMMAND                run a command yourself; the model reads its output
  /type JOB ^C            press a key in a job's terminal; ^M is Enter
  PATH.png                attach an image

  Tab completes commands, paths, models and modes.
  Enter sends; while a turn runs, the model reads the message at its next step.
  Alt-Enter, or a trailing \\ then Enter, starts another line.
  Up and Ctrl-R find earlier messages.
  Ctrl-C stops the turn, or clears the line; twice, it leaves. Ctrl-D leaves.
";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed() {
        let numbers = |verdict, numbers: &[usize]| {
            Line::Command(Command::Decide { verdict, hunks: Hunks::Numbers(numbers.to_vec()) })
        };
        let setting = |id, value| Line::Command(Command::Setting { id, value });
        let typed = |job: &str, text: &str| {
            Line::Command(Command::Type { job: job.to_owned(), text: text.to_owned() })
        };
        for (line, want) in [
            ("  ", Line::Empty),
            (" fix it ", Line::Message("fix it")),
            ("two\nlines", Line::Message("two\nlines")),
            ("/commit now", Line::Message("/commit now")),
            ("/usr/bin/env fails", Line::Message("/usr/bin/env fails")),
            ("// why", Line::Message("// why")),
            ("!ls -l", Line::Shell("ls -l")),
            ("/help", Line::Command(Command::Help)),
            ("/model", setting("model", None)),
            ("/model a/b:high", setting("model", Some("a/b:high"))),
            ("/mode auto-edit", setting("permissionMode", Some("auto-edit"))),
            ("/plan", setting("mode", Some("plan"))),
            ("/plan off", setting("mode", Some("act"))),
            ("/queue then test", Line::Command(Command::Queue("then test"))),
            ("/keep 1, 3", numbers(Verdict::Keep, &[1, 3])),
            ("/undo 2 1 2", numbers(Verdict::Undo, &[1, 2])),
            (
                "/undo all",
                Line::Command(Command::Decide { verdict: Verdict::Undo, hunks: Hunks::All }),
            ),
            ("/compact keep names", Line::Command(Command::Compact(Some("keep names")))),
            ("/rules", Line::Command(Command::Rules)),
            ("/forget 2 1", Line::Command(Command::Forget(vec![1, 2]))),
            ("/forget all", Line::Invalid("usage: /forget N…".to_owned())),
            ("/apply", Line::Command(Command::Apply)),
            ("/new", Line::Command(Command::New(None))),
            ("/new copy", Line::Command(Command::New(Some(IsolationKind::Copy)))),
            ("/new tree", Line::Invalid("usage: /new [worktree|copy]".to_owned())),
            ("/exit", Line::Command(Command::Quit)),
            ("/jobs", Line::Command(Command::Jobs)),
            ("/type job-2", typed("job-2", "")),
            ("/type 2  a  b ", typed("job-2", "a  b\n")),
            ("/type job-2 ^C", typed("job-2", "\u{3}")),
            ("/type 2 ^d", typed("job-2", "\u{4}")),
            ("/type 2 ^M", typed("job-2", "\r")),
            ("/type 2 ^C^C", typed("job-2", "^C^C\n")),
            ("/type x", typed("x", "")),
            ("/type", Line::Invalid("usage: /type JOB [TEXT]".to_owned())),
            ("/keep", Line::Invalid("usage: /keep N…|all".to_owned())),
            ("/keep 0", Line::Invalid("usage: /keep N…|all".to_owned())),
            ("/keep one", Line::Invalid("usage: /keep N…|all".to_owned())),
            ("/queue", Line::Invalid("usage: /queue TEXT".to_owned())),
            ("/stop it", Line::Invalid("usage: /stop".to_owned())),
            ("/plan maybe", Line::Invalid("usage: /plan [on|off]".to_owned())),
            (
                "/reviev",
                Line::Invalid(
                    "unknown command /reviev (did you mean /review?); /help lists the commands"
                        .to_owned(),
                ),
            ),
            ("/zzz", Line::Invalid("unknown command /zzz; /help lists the commands".to_owned())),
            ("!", Line::Invalid("`!` needs a command, such as `!git status`".to_owned())),
        ] {
            assert_eq!(parse(line, |name| name == "commit"), want, "{line}");
        }
    }

    #[test]
    fn typed_passwords_are_private() {
        for (line, want) in [
            ("/type 1 secret", true),
            (" /type\t1 secret", true),
            ("/type", false),
            ("/types 1", false),
            ("type 1 secret", false),
        ] {
            assert_eq!(is_private(line), want, "{line}");
        }
    }

    #[test]
    fn every_command_is_understood_and_the_help_fits_a_terminal() {
        for (name, arguments, _) in COMMANDS {
            let argument = match arguments {
                "N…|all" | "N…" | "JOB [TEXT]" => "1",
                "TEXT" => "x",
                _ => "",
            };
            let line = format!("/{name} {argument}");
            assert!(matches!(parse(&line, |_| false), Line::Command(_)), "{line}");
        }
        for line in help().lines() {
            assert!(line.chars().count() <= 79, "{line}");
        }
    }
}
