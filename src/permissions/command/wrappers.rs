//! Programs that run other programs: the inner command is analysed too.
//!
//! A wrapper is *transparent* when it does nothing but start the inner program (`timeout`, `env`, `sh -c`). It then
//! needs no permission of its own. `sudo`, `ssh` and the like need one beside that of the inner program.

use super::words::Word;
use super::{Analysis, Program, Target, parse};

/// Flags of a wrapper that take the next word as their value.
struct Wrapper {
    name: &'static str,
    valued: &'static [&'static str],
    /// Words between the flags and the inner command, such as the duration of `timeout`.
    operands: usize,
    is_transparent: bool,
}

const WRAPPERS: &[Wrapper] = &[
    transparent("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    transparent("nice", &["-n", "--adjustment"], 0),
    transparent("ionice", &["-c", "-n", "--class", "--classdata"], 0),
    transparent("nohup", &[], 0),
    transparent("setsid", &[], 0),
    transparent("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    transparent("time", &["-f", "--format"], 0),
    transparent("command", &[], 0),
    transparent("builtin", &[], 0),
    transparent("exec", &["-a"], 0),
    transparent(
        "xargs",
        &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-s",
            "-d",
            "-E",
            "-a",
            "--max-args",
            "--max-procs",
            "--delimiter",
        ],
        0,
    ),
    own(
        "sudo",
        &["-u", "-g", "-C", "-D", "-h", "-p", "-r", "-t", "-T", "-U", "--user", "--group"],
        0,
    ),
    own("doas", &["-u", "-C"], 0),
    own("chroot", &[], 1),
    own("unshare", &[], 0),
    own("nsenter", &["-t", "--target"], 0),
    own("strace", &["-o", "-e", "-p", "-s"], 0),
    own("ltrace", &["-o", "-e"], 0),
    own("watch", &["-n", "--interval"], 0),
    own("chrt", &[], 1),
    own("taskset", &[], 1),
    own("flock", &["-w", "-E"], 1),
    own("parallel", &["-j", "--jobs"], 0),
    own("busybox", &[], 0),
    own("fakeroot", &[], 0),
    own("dbus-run-session", &[], 0),
    own("systemd-run", &["-p", "--unit", "-u"], 0),
];

const fn transparent(
    name: &'static str,
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, valued, operands, is_transparent: true }
}

const fn own(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, valued, operands, is_transparent: false }
}

/// The shells whose `-c` takes a command.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh"];

/// Flags of transparent wrappers that do more than start a program.
fn has_effect(wrapper: &str, flag: &str) -> bool {
    match wrapper {
        "time" => flag.starts_with("-o") || flag.starts_with("--output") || flag.starts_with("-a"),
        "command" => flag.starts_with("-p"),
        _ => false,
    }
}

/// Adds a program and the programs that it runs.
pub(super) fn unwrap(mut program: Program, analysis: &mut Analysis, shells: usize) {
    let Some(first) = program.words.first() else {
        if !program.assignments.is_empty() {
            analysis.programs.push(program);
        }
        return;
    };
    if first.text().is_none() {
        analysis.doubt("the name of a program is known only when it runs");
        analysis.programs.push(program);
        return;
    }
    let name = program.name().unwrap_or_default().to_owned();
    let depth = analysis.programs.len();
    if depth > MAX_PROGRAMS {
        return analysis.doubt("it runs too many programs");
    }
    match name.as_str() {
        "cd" => enter(&program, analysis),
        "pushd" | "popd" => analysis.doubt("it changes its folder in a way that is not followed"),
        "eval" | "trap" => {
            program.is_transparent = program.assignments.is_empty();
            nested_text(&program, analysis, shells);
        }
        "env" => env(&mut program, analysis, shells),
        "find" => find(&program, analysis, shells),
        "ssh" => remote(&program, analysis, shells),
        "git" => git(&program, analysis, shells),
        shell if SHELLS.contains(&shell) => shell_command(&mut program, analysis, shells),
        _ => {
            if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
                wrapped(wrapper, &mut program, analysis, shells);
            }
        }
    }
    analysis.programs.push(program);
}

/// The maximum number of programs in one command.
const MAX_PROGRAMS: usize = 500;

fn enter(program: &Program, analysis: &mut Analysis) {
    let mut words = program.arguments().iter().filter(|word| {
        !word.text().is_some_and(|text| ["-P", "-L", "-e", "-@", "--"].contains(&text))
    });
    let folder = match (words.next(), words.next()) {
        (None, _) => Target::Path("~".to_owned()),
        (Some(Word::Text(folder)), None) if folder != "-" => Target::Path(folder.clone()),
        _ => {
            analysis.doubt("it changes to a folder that is not known");
            Target::Unknown
        }
    };
    analysis.folders.push(folder);
}

/// A command inside of the words of a shell's builtin.
fn nested_text(program: &Program, analysis: &mut Analysis, shells: usize) {
    let texts: Vec<&str> = program.arguments().iter().map(|word| known(word, analysis)).collect();
    let line = match program.name() {
        // `trap 'rm x' EXIT`.
        Some("trap") => texts.first().copied().unwrap_or_default().to_owned(),
        _ => texts.join(" "),
    };
    parse::parse(&line, analysis, shells + 1);
}

/// The text of a word that becomes a part of a command. An unknown one stays unknown in there.
fn known<'a>(word: &'a Word, analysis: &mut Analysis) -> &'a str {
    word.text().unwrap_or_else(|| {
        analysis.doubt("it runs a text that is known only then");
        "$unknown"
    })
}

fn inner(assignments: Vec<Word>, words: &[Word], analysis: &mut Analysis, shells: usize) {
    if shells > 16 {
        return analysis.doubt("it nests programs too deeply");
    }
    unwrap(
        Program { assignments, words: words.to_vec(), is_transparent: false },
        analysis,
        shells + 1,
    );
}

/// `sh -c 'text'`.
fn shell_command(program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let mut words = program.words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(flag) = word.text() else {
            return analysis.doubt("the arguments of a shell are known only when it runs");
        };
        match flag {
            "-o" | "+o" | "-O" | "+O" => {
                words.next();
            }
            // A start file is read.
            _ if flag.starts_with("--rcfile") || flag.starts_with("--init-file") => return,
            "--login" => return,
            _ if flag.starts_with("--") => {}
            _ if flag.starts_with('-') && flag.contains('c') => {
                match words.next().map(Word::text) {
                    Some(Some(line)) => {
                        let line = line.to_owned();
                        // A login or interactive shell reads start files, which are the user's own.
                        // `BASH_ENV=x` names another one.
                        program.is_transparent = program.assignments.is_empty();
                        parse::parse(&line, analysis, shells + 1);
                    }
                    Some(None) | None => {
                        analysis.doubt("a shell is given a text that is known only then");
                    }
                }
                return;
            }
            _ if flag.starts_with('-') || flag.starts_with('+') => {}
            // A script, or nothing: standard input.
            _ => return,
        }
    }
}

/// `env -u A B=c program`.
fn env(program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let mut assignments = program.assignments.clone();
    let words = program.words.clone();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else {
            return analysis.doubt("the arguments of env are known only when it runs");
        };
        match text {
            "-u" | "--unset" | "-C" | "--chdir" => {
                if let (true, Some(folder)) = (text.contains(['C', 'h']), words.get(at + 1)) {
                    let folder = folder.text().map(|folder| Target::Path(folder.to_owned()));
                    analysis.folders.push(folder.unwrap_or(Target::Unknown));
                }
                at += 2;
            }
            "-i" | "-" | "--ignore-environment" | "-0" | "--null" | "--" => at += 1,
            _ if text.starts_with('-') => {
                return analysis.doubt(format!("`env {text}` is not understood"));
            }
            _ if text.contains('=') => {
                assignments.push(word.clone());
                at += 1;
            }
            _ => {
                program.is_transparent = true;
                return inner(assignments, words.get(at..).unwrap_or_default(), analysis, shells);
            }
        }
    }
}

/// The command behind the flags of a wrapper.
fn wrapped(wrapper: &Wrapper, program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let words = program.words.clone();
    let (mut at, mut operands, mut has_effects) = (1, wrapper.operands, false);
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else {
            return analysis
                .doubt(format!("the arguments of {} are known only when it runs", wrapper.name));
        };
        if text == "--" {
            at += 1;
            break;
        }
        if text.starts_with('-') && text.len() > 1 && operands == wrapper.operands {
            has_effects |= has_effect(wrapper.name, text);
            if matches!((wrapper.name, text), ("command", "-v" | "-V")) {
                // It only looks a name up.
                program.is_transparent = true;
                return;
            }
            at += if wrapper.valued.contains(&text) { 2 } else { 1 };
        } else if wrapper.name == "sudo" && text.contains('=') && !text.starts_with('/') {
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    program.is_transparent = wrapper.is_transparent && !has_effects;
    let mut rest = words.get(at..).unwrap_or_default().to_vec();
    match wrapper.name {
        "xargs" | "parallel" => {
            if rest.is_empty() {
                rest.push(Word::Text("echo".to_owned()));
            }
            // With a placeholder, input lands inside of the words.
            let flags = words.get(..at).unwrap_or_default().iter().filter_map(Word::text);
            if flags.into_iter().any(|flag| {
                flag.starts_with("-I") || flag.starts_with("-i") || flag.starts_with("--replace")
            }) || wrapper.name == "parallel"
            {
                for word in rest.iter_mut().skip(1) {
                    *word = Word::Unknown { source: word.to_string(), is_one: true };
                }
            }
            rest.push(Word::Unknown { source: "…".to_owned(), is_one: false });
        }
        _ if rest.is_empty() => {
            program.is_transparent = false;
            return;
        }
        _ => {}
    }
    // These hand a text to a shell.
    let is_text = matches!(wrapper.name, "watch" | "parallel" | "flock" | "strace");
    if is_text
        && rest.iter().any(|word| {
            word.text().is_none_or(|text| text.contains([' ', ';', '|', '&', '$', '`']))
        })
    {
        analysis.doubt(format!("{} may hand a text to a shell", wrapper.name));
    }
    let assignments = program.assignments.clone();
    inner(assignments, &rest, analysis, shells);
}

/// `find … -exec program {} ;`.
fn find(program: &Program, analysis: &mut Analysis, shells: usize) {
    let mut words = program.words.iter();
    while let Some(word) = words.next() {
        if !matches!(word.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            continue;
        }
        let end = |word: &Word| matches!(word.text(), Some(";" | "+"));
        let command: Vec<Word> = words.by_ref().take_while(|word| !end(word)).cloned().collect();
        let command: Vec<Word> = command
            .into_iter()
            .map(|word| match word.text() {
                Some(text) if text.contains("{}") => {
                    Word::Unknown { source: text.to_owned(), is_one: true }
                }
                Some(_) | None => word,
            })
            .collect();
        inner(Vec::new(), &command, analysis, shells);
    }
}

/// The command that is run on another machine.
fn remote(program: &Program, analysis: &mut Analysis, shells: usize) {
    const VALUED: &str = "BbcDEeFIiJLlmOoPpQRSWw";
    let mut words = program.arguments().iter();
    let mut is_host_seen = false;
    let mut command = Vec::new();
    while let Some(word) = words.next() {
        let text = known(word, analysis);
        if is_host_seen {
            command.push(text);
        } else if let Some(flags) = text.strip_prefix('-') {
            if text.contains("Command") {
                analysis.doubt("ssh is told to run a program here");
            }
            let takes_next = flags.chars().last().is_some_and(|flag| VALUED.contains(flag));
            if takes_next && flags.len() == 1 {
                let value = words.next().and_then(Word::text).unwrap_or("Command");
                if value.contains("Command") {
                    analysis.doubt("ssh is told to run a program here");
                }
            }
        } else {
            is_host_seen = true;
        }
    }
    if !command.is_empty() {
        parse::parse(&command.join(" "), analysis, shells + 1);
    }
}

/// Settings on git's command line that name a program.
fn git(program: &Program, analysis: &mut Analysis, shells: usize) {
    let mut words = program.arguments().iter();
    while let Some(word) = words.next() {
        let Some(text) = word.text() else { return };
        match text {
            "-C" => {
                let folder = words.next().and_then(Word::text);
                let folder = folder.map(|folder| Target::Path(folder.to_owned()));
                analysis.folders.push(folder.unwrap_or(Target::Unknown));
            }
            "-c" | "--config-env" => {
                let setting = words.next().and_then(Word::text).unwrap_or_default();
                if let Some((_, command)) = setting.split_once("=!") {
                    parse::parse(command, analysis, shells + 1);
                }
                analysis.doubt(format!("git is given the setting `{setting}`"));
            }
            _ if text.starts_with("-c") || text.starts_with("--config-env") => {
                analysis.doubt(format!("git is given the setting `{text}`"));
            }
            "submodule" | "bisect" | "rebase" | "filter-branch" => {
                // `git submodule foreach 'text'`, `git bisect run program`, `git rebase --exec 'text'`.
                for text in words.by_ref().filter_map(Word::text).filter(|text| text.contains(' '))
                {
                    parse::parse(
                        text.strip_prefix("--exec=").unwrap_or(text),
                        analysis,
                        shells + 1,
                    );
                }
                return;
            }
            _ if text.starts_with('-') => {}
            _ => return,
        }
    }
}
