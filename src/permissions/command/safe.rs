//! The table of harmless programs: with these arguments they only read and print, and start no other program.
//!
//! Files that they read are looked at apart, like those of every program. A flag that is not known to be harmless makes
//! the call unsafe where the table lists the good ones; elsewhere the table lists the bad ones.

use super::Program;
use super::conditional;
use super::words::Word;

/// A row: the first words of the program, and what may follow.
struct Row {
    words: &'static [&'static str],
    flags: Flags,
    /// The maximum number of words that are no flags.
    operands: usize,
}

/// The flags that a harmless call may have.
enum Flags {
    /// All but these. A flag stands for every longer one that begins so, as programs accept attached values
    /// (`-ofile`), and a short one also for its use in a group (`-xo`).
    AllBut(&'static [&'static str]),
    /// Only these.
    Only(&'static [&'static str]),
}

const ANY: usize = usize::MAX;

const fn all(words: &'static [&'static str]) -> Row {
    Row { words, flags: Flags::AllBut(&[]), operands: ANY }
}

const fn but(words: &'static [&'static str], bad: &'static [&'static str]) -> Row {
    Row { words, flags: Flags::AllBut(bad), operands: ANY }
}

const fn only(
    words: &'static [&'static str],
    good: &'static [&'static str],
    operands: usize,
) -> Row {
    Row { words, flags: Flags::Only(good), operands }
}

/// Flags of git's commands that write a file or run a program.
const GIT: &[&str] = &[
    "--output",
    "--ext-diff",
    "--textconv",
    "--no-index",
    "--exec",
    "-O",
    "--open-files-in-pager",
];

const ROWS: &[Row] = &[
    // Words of the shell.
    all(&[":"]),
    all(&["true"]),
    all(&["false"]),
    all(&["["]),
    all(&["test"]),
    only(&["echo"], &["-n", "-e", "-E", "-ne", "-en"], ANY),
    but(&["printf"], &["-v"]),
    all(&["cd"]),
    only(&["pwd"], &["-P", "-L"], 0),
    all(&["exit"]),
    all(&["return"]),
    all(&["break"]),
    all(&["continue"]),
    all(&["shift"]),
    but(&["wait"], &["-p"]),
    only(&["sleep"], &[], ANY),
    only(&["set"], &["-e", "-u", "-x", "-eu", "-ex", "-eux", "-o", "-euo", "-uo"], 1),
    only(&["type"], &["-a", "-t", "-p", "-P", "-f"], ANY),
    only(&["which"], &["-a", "-s"], ANY),
    only(&["whereis"], &["-b", "-m", "-s"], ANY),
    // Files.
    but(&["ls"], &[]),
    all(&["cat"]),
    all(&["head"]),
    but(&["tail"], &["--pid"]),
    all(&["wc"]),
    all(&["nl"]),
    all(&["tac"]),
    all(&["rev"]),
    all(&["stat"]),
    all(&["du"]),
    all(&["df"]),
    all(&["basename"]),
    all(&["dirname"]),
    all(&["realpath"]),
    all(&["readlink"]),
    but(&["file"], &["-C", "--compile", "-z", "--uncompress", "-Z", "-p", "--preserve-date"]),
    but(&["tree"], &["-o", "-R", "-l", "--fromfile"]),
    only(&["md5sum"], &["-b", "-t", "-z"], ANY),
    only(&["sha1sum"], &["-b", "-t", "-z"], ANY),
    only(&["sha256sum"], &["-b", "-t", "-z"], ANY),
    only(&["cksum"], &[], ANY),
    all(&["cmp"]),
    but(&["diff"], &["-l", "--paginate"]),
    all(&["comm"]),
    all(&["hexdump"]),
    all(&["od"]),
    all(&["strings"]),
    // Text.
    but(&["sort"], &["-o", "--output", "--compress-program", "-T", "--temporary-directory"]),
    only(&["uniq"], &["-c", "-d", "-u", "-i", "-f", "-s", "-w", "-D"], 1),
    all(&["cut"]),
    all(&["tr"]),
    all(&["paste"]),
    all(&["fold"]),
    all(&["fmt"]),
    all(&["column"]),
    all(&["expand"]),
    all(&["unexpand"]),
    all(&["seq"]),
    all(&["expr"]),
    // Searches.
    but(&["grep"], &["-R", "--dereference-recursive"]),
    but(&["egrep"], &["-R", "--dereference-recursive"]),
    but(&["fgrep"], &["-R", "--dereference-recursive"]),
    but(&["rg"], &["--pre", "--hostname-bin", "-z", "--search-zip", "-L", "--follow", "--config"]),
    but(
        &["find"],
        &[
            "-exec",
            "-ok",
            "-delete",
            "-fprint",
            "-fls",
            "-L",
            "-H",
            "-follow",
            "-files0-from",
            "-D",
        ],
    ),
    but(&["fd"], &["-x", "-X", "--exec", "-L", "--follow", "--list-details", "-l"]),
    // The machine.
    only(&["date"], &["-u", "-I", "-R", "--utc", "--rfc-3339=seconds", "--iso-8601"], 1),
    only(&["id"], &["-u", "-g", "-n", "-un", "-gn", "-G"], 1),
    only(&["whoami"], &[], 0),
    only(&["hostname"], &["-f", "-s", "-I"], 0),
    only(&["uname"], &["-a", "-s", "-r", "-m", "-n", "-o", "-p", "-v"], 0),
    only(&["nproc"], &["--all"], 0),
    only(&["arch"], &[], 0),
    only(&["uptime"], &["-p", "-s"], 0),
    only(&["free"], &["-h", "-m", "-g"], 0),
    // Versions: the flag alone, as without it these run what they read.
    only(&["node", "--version"], &[], 0),
    only(&["npm", "--version"], &[], 0),
    only(&["python", "--version"], &[], 0),
    only(&["python3", "--version"], &[], 0),
    only(&["cargo", "--version"], &[], 0),
    only(&["rustc", "--version"], &[], 0),
    only(&["git", "--version"], &[], 0),
    only(&["gcc", "--version"], &[], 0),
    only(&["make", "--version"], &[], 0),
    only(&["java", "--version"], &[], 0),
    only(&["node", "-v"], &[], 0),
    only(&["npm", "-v"], &[], 0),
    only(&["python", "-V"], &[], 0),
    only(&["python3", "-V"], &[], 0),
    only(&["cargo", "-V"], &[], 0),
    only(&["rustc", "-V"], &[], 0),
    only(&["rustc", "-vV"], &[], 0),
    only(&["java", "-version"], &[], 0),
    only(&["go", "version"], &[], 0),
    // Git: reading the repository.
    but(&["git", "status"], GIT),
    but(&["git", "diff"], GIT),
    but(&["git", "log"], GIT),
    but(&["git", "show"], GIT),
    but(&["git", "blame"], GIT),
    but(&["git", "shortlog"], GIT),
    but(&["git", "ls-files"], GIT),
    but(&["git", "ls-tree"], GIT),
    but(&["git", "rev-parse"], GIT),
    but(&["git", "rev-list"], GIT),
    but(&["git", "describe"], GIT),
    but(&["git", "merge-base"], GIT),
    but(&["git", "name-rev"], GIT),
    but(&["git", "cat-file"], &["--textconv", "--filters", "--output", "--batch-command"]),
    but(&["git", "grep"], GIT),
    but(&["git", "check-ignore"], &[]),
    but(&["git", "diff-tree"], GIT),
    but(&["git", "show-ref"], &["--exec"]),
    but(&["git", "count-objects"], &[]),
    only(
        &["git", "branch"],
        &["-a", "-r", "-v", "-vv", "-l", "--list", "--all", "--remotes", "--show-current"],
        0,
    ),
    only(&["git", "tag"], &["-l", "--list", "-n"], 0),
    only(&["git", "remote"], &["-v", "--verbose"], 0),
    only(&["git", "stash", "list"], &[], 0),
    only(&["git", "worktree", "list"], &["--porcelain"], 0),
];

/// Flags of git itself that are harmless before the name of its command. `-C` is followed by a folder.
const GIT_GLOBAL: [&str; 5] =
    ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

/// True if the program with its arguments only reads and prints.
pub(super) fn is_safe(program: &Program) -> bool {
    if !program.assignments.iter().all(is_harmless_assignment) {
        return false;
    }
    let Some(name) = program.name() else { return program.words.is_empty() };
    // Before a program, an assignment is seen by it; alone it is a variable of the shell.
    if !program.assignments.is_empty() && !program.words.is_empty() {
        return false;
    }
    if name == "sed" {
        return is_printing_sed(program);
    }
    if name == "test" && conditional::words_may_evaluate(program.arguments()) {
        return false;
    }
    let mut words = vec![name];
    for (at, word) in program.arguments().iter().enumerate() {
        match word {
            Word::Text(text) => words.push(text),
            // A name of a file may begin with a dash only if the pattern does.
            Word::Glob(pattern) if !pattern.starts_with(['-', '*', '?', '[']) => words.push("./x"),
            // Substitutions and sums in it are judged by themselves.
            Word::Unknown { source, .. } if takes_any(name, at, source) => words.push("x"),
            // An unknown quoted text may be a flag.
            Word::Glob(_) | Word::Unknown { .. } => return false,
        }
    }
    // An index behind `-v` is computed, which runs the substitutions in it and in the values of variables.
    let may_evaluate = matches!(name, "[" | "test");
    if may_evaluate && words.iter().skip(1).any(|word| word.contains(['$', '`', '['])) {
        return false;
    }
    // Without the plus sign the operand is a time to set.
    if name == "date" && words.iter().skip(1).any(|word| !word.starts_with(['-', '+'])) {
        return false;
    }
    if name == "git" {
        let mut at = 1;
        while let Some(flag) = words.get(at).copied().filter(|word| word.starts_with('-')) {
            match flag {
                "-C" => drop(words.drain(at..(at + 2).min(words.len()))),
                _ if GIT_GLOBAL.contains(&flag) => drop(words.remove(at)),
                _ => break,
            }
            at = 1;
        }
    }
    let mut rows = ROWS.iter().filter(|row| words.starts_with(row.words));
    rows.any(|row| row.allows(words.get(row.words.len()..).unwrap_or_default()))
}

/// Programs that no text makes harmful, whatever a variable holds: they print it, end with it, wait for it or ignore it.
const TAKING_ANY: [&str; 11] =
    ["echo", ":", "true", "false", "exit", "return", "break", "continue", "shift", "sleep", "test"];

/// True if a word that is known only when the command runs is harmless as this argument of a program.
fn takes_any(name: &str, at: usize, source: &str) -> bool {
    // `{1..999999999}` fills the memory.
    if source.replace("${", "").contains('{') {
        return false;
    }
    // The first argument may be `-v`, which assigns to the variable that the next one names.
    let is_no_flag =
        || at > 0 || source.trim_start_matches('"').starts_with(|c: char| c.is_alphanumeric());
    TAKING_ANY.contains(&name) || (name == "printf" && is_no_flag())
}

impl Row {
    fn allows(&self, arguments: &[&str]) -> bool {
        let (mut operands, mut is_over) = (0_usize, false);
        for argument in arguments {
            if is_over || !argument.starts_with('-') || *argument == "-" {
                operands += 1;
                // Programs may look for flags behind operands.
                continue;
            }
            if *argument == "--" {
                is_over = true;
            } else if !self.flags.allow(argument) {
                return false;
            }
        }
        operands <= self.operands
    }
}

impl Flags {
    fn allow(&self, flag: &str) -> bool {
        match self {
            Self::Only(good) => good.contains(&flag),
            Self::AllBut(bad) => !bad.iter().any(|bad| is_form_of(flag, bad)),
        }
    }
}

/// True if a program may read this flag as the bad one: written out, cut short, with a value, or in a group.
fn is_form_of(flag: &str, bad: &str) -> bool {
    if let Some(long) = bad.strip_prefix("--") {
        let Some(given) = flag.strip_prefix("--") else { return false };
        let name = given.split('=').next().unwrap_or(given);
        // `--out` is accepted for `--output`, and `--exec` stands for `--exec-batch` too.
        return !name.is_empty() && (long.starts_with(name) || name.starts_with(long));
    }
    let (Some(letter), Some(given)) = (bad.strip_prefix('-'), flag.strip_prefix('-')) else {
        return false;
    };
    if letter.len() > 1 {
        return given.starts_with(letter);
    }
    !given.starts_with('-') && given.contains(letter)
}

/// A variable of the shell alone. A name in capitals may be one that programs obey (`PATH`, `LD_PRELOAD`).
fn is_harmless_assignment(word: &Word) -> bool {
    let source = match word {
        Word::Text(text) | Word::Glob(text) => text,
        Word::Unknown { source, .. } => source,
    };
    let name = source.split(['=', '+', '[']).next().unwrap_or_default();
    let is_small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_small) && !name.ends_with("_proxy")
}

/// `sed -n '10,20p' file`: prints lines by number, nothing else.
fn is_printing_sed(program: &Program) -> bool {
    let texts: Option<Vec<&str>> = program.arguments().iter().map(Word::text).collect();
    let Some(texts) = texts else { return false };
    let [flag, script, files @ ..] = texts.as_slice() else { return false };
    let Some(range) = script.strip_suffix('p') else { return false };
    let is_line =
        |text: &str| text == "$" || (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit()));
    matches!(*flag, "-n" | "--quiet")
        && range.split(',').count() <= 2
        && range.split(',').all(is_line)
        && files.iter().all(|file| !file.starts_with('-'))
}
