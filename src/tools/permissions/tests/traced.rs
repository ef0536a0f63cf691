//! The table of harmless programs, judged by a real bash under a tracer: random commands over all of its rows. What passes for harmless may
//! open no file for writing, open no socket, change nothing by its name, and start no program that the command does not name.

// These tests run commands for bash under strace.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "bash and strace judge the analysis, in a separate directory"
)]

use crate::permissions::Analysis;
use crate::permissions::command::safe;
use pintle_testing::chance;
use pintle_testing::files::{set_mode, symlink};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Commands that one tracer watches.
const BATCH: usize = 200;

/// Words used as files, patterns, numbers and commits.
const OPERANDS: &[&str] = &[
    "a.txt",
    "a.txt",
    "b.txt",
    "src",
    ".",
    "link",
    "names",
    "missing",
    "-",
    "fn",
    "1",
    "2",
    "HEAD",
    "./evil.sh",
    "@names",
    "*.txt",
    "src/*",
    "'a b'",
    "%p",
    "{}",
    "--",
    "+%s",
    "a.txt:1",
    "sh",
];

/// Flags that write a file or start a program in some program.
const BAD: &[&str] = &[
    "--output=out",
    "--output out",
    "--out=out",
    "-o out",
    "-oout",
    "-O./evil.sh",
    "-O ./evil.sh",
    "-x ./evil.sh",
    "-X ./evil.sh",
    "--exec ./evil.sh",
    "--exec=./evil.sh",
    "--pre ./evil.sh",
    "--pre=./evil.sh",
    "--compress-program=./evil.sh",
    "-T.",
    "-T .",
    "--files0-from=names",
    "--ext-diff",
    "--textconv",
    "--open-files-in-pager=./evil.sh",
    "-z",
    "-delete",
    "-fprint out",
    "-fls out",
    "-exec ./evil.sh ;",
    "-ok ./evil.sh ;",
    "--fromfile",
    "-R",
    "-C",
    "--append",
    "-w",
    "-f names",
    "-fnames",
    "-mout",
    "--hostname-bin=./evil.sh",
    "--filters",
    "--batch-command",
    "--show-signature",
    "-i",
    "--paginate",
    "-l",
    "--pid=1",
    "-p",
    "--no-index a.txt b.txt",
    "-S 1",
    "--list-details",
];

/// Prefixes for commands.
const BEFORE: &[&str] = &[
    "timeout 3 ",
    "timeout -k 1 3 ",
    "nice -n 5 ",
    "nice ",
    "env ",
    "stdbuf -oL ",
    "command ",
    "time ",
    "command time -f %e ",
    "command time -o out ",
    "exec ",
    "exec -a x ",
    "nohup ",
    "! ",
    "sh -c ",
    "bash -c ",
    "bash -ec ",
    "eval ",
];

/// Temporary files of bash, `tac` and `sort`, which are removed at once.
const PASSING: [&str; 3] = ["/tmp/sh-thd", "/tmp/tac", "/tmp/sort"];

/// A small generator of numbers, whose seed is printed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Returns a row's flag, following its notation, in one of its spellings.
fn flag(random: &mut Random, token: &str, is_words: bool) -> String {
    let token = token.strip_suffix('!').unwrap_or(token);
    let kind = token.chars().last().unwrap_or_default();
    let name = token.strip_suffix([':', '@', '?']).unwrap_or(token);
    let takes_value = matches!(kind, ':' | '@' | '?');
    let value = random.pick(OPERANDS);
    if name == "-#" {
        return format!("-{}", random.below(30));
    }
    if is_words || name.starts_with("--") {
        // Now and then cut short, as many programs accept it.
        let end = if random.one_in(12) { name.len().min(5) } else { name.len() };
        let name = &name[..end];
        let is_attached = !is_words && (kind == '?' || random.one_in(2));
        return match (takes_value, is_attached) {
            (false, _) => name.to_owned(),
            (true, true) => format!("{name}={value}"),
            (true, false) => format!("{name} {value}"),
        };
    }
    let letters: Vec<char> = name.trim_start_matches('-').chars().collect();
    let letter = letters[random.below(letters.len())];
    match takes_value {
        true if kind == '?' || random.one_in(2) => format!("-{letter}{value}"),
        true => format!("-{letter} {value}"),
        false if random.one_in(3) => format!("-{letter}{}", letters[random.below(letters.len())]),
        false => format!("-{letter}"),
    }
}

/// Returns a program of a row with flags and operands.
fn program(random: &mut Random, rows: &[(&[&str], &str, bool)]) -> String {
    let (words, flags, is_words) = rows[random.below(rows.len())];
    let tokens: Vec<&str> = flags.split(' ').filter(|token| !token.is_empty()).collect();
    let mut line = words.join(" ");
    for _ in 0..random.below(5) {
        let word = match random.below(10) {
            0..=4 if !tokens.is_empty() => {
                let token = tokens[random.below(tokens.len())];
                flag(random, token, is_words)
            }
            5 => random.pick(BAD).to_owned(),
            _ => random.pick(OPERANDS).to_owned(),
        };
        let _ = write!(line, " {}", word.replace(';', "\\;"));
    }
    line
}

/// Returns a command of one or more programs.
fn command(random: &mut Random, rows: &[(&[&str], &str, bool)]) -> String {
    let mut line = program(random, rows);
    if random.one_in(4) {
        let before = random.pick(BEFORE);
        let is_text = before.ends_with("c ");
        line =
            if is_text { format!("{before}{}", quoted(&line)) } else { format!("{before}{line}") };
    }
    match random.below(12) {
        0 => format!("{line} | {}", program(random, rows)),
        1 => format!("{line} < a.txt"),
        2 => format!("{line} 2>/dev/null"),
        3 => format!("{line} > out"),
        4 => format!("echo $({line})"),
        5 => format!("{line} && {}", program(random, rows)),
        6 => format!("xargs -n1 {line} < b.txt"),
        7 => format!("cat <<EOF | {line}\ntext\nEOF"),
        _ => line,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns true for commands that wait or run forever, which this test excludes.
fn waits(line: &str) -> bool {
    let goes_on = |word: &str| {
        word.starts_with("--fo")
            || word.starts_with("--ret")
            || (word.starts_with('-') && word.contains(['f', 'F']))
    };
    line.contains("sleep") || (line.contains("tail") && line.split_whitespace().any(goes_on))
}

/// A repository with files, a link, and a program that no harmless command starts.
fn workspace(folder: &Path) {
    for (name, text) in
        [("a.txt", "one fn\ntwo\n"), ("b.txt", "a.txt\nsrc\n"), ("names", "a.txt\0")]
    {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(folder.join("a b"), "x\n").unwrap();
    symlink("a.txt", folder.join("link"));
    fs::write(folder.join("evil.sh"), "#!/bin/sh\necho > evil-ran\n").unwrap();
    set_mode(folder.join("evil.sh"), 0o755);
    let git = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one && echo three >> a.txt";
    assert!(Command::new("sh").args(["-c", git]).current_dir(folder).status().unwrap().success());
}

/// Programs that a harmless one is allowed to start, as parts of it.
fn parts_of(name: &str) -> &'static [&'static str] {
    match name {
        "egrep" | "fgrep" => &["grep"],
        "git" => &["git"],
        _ => &[],
    }
}

/// Returns a trace's calls by the number of the command that made them. A call that ends later counts where it ends.
fn calls(trace: &str) -> Vec<(usize, String)> {
    let (mut found, mut begun) = (Vec::new(), BTreeMap::<&str, String>::new());
    let mut number = None;
    for line in trace.lines() {
        let Some((process, call)) = line.trim_start().split_once(' ') else { continue };
        let call = call.trim_start();
        let call = if let Some(call) = call.strip_suffix("<unfinished ...>") {
            begun.insert(process, call.to_owned());
            continue;
        } else if call.ends_with("<detached ...>") {
            // The tracer leaves a process that was killed; the call has not happened.
            continue;
        } else if call.starts_with("<... ") {
            let rest = call.split_once('>').map_or("", |(_, rest)| rest);
            begun.remove(process).unwrap_or_default() + rest
        } else {
            call.to_owned()
        };
        if let Some((_, rest)) = call.split_once("[\"row-") {
            number = rest.split('"').next().and_then(|number| number.parse().ok());
            continue;
        }
        if let Some(number) = number {
            found.push((number, call));
        }
    }
    found
}

/// What is wrong with a call of a harmless command, if anything.
fn complaint(call: &str, names: &BTreeSet<String>) -> Option<String> {
    let (name, rest) = call.split_once('(')?;
    let result = rest.rsplit_once(" = ").map_or("", |(_, result)| result);
    if result.starts_with('-') || result.starts_with('?') {
        return None;
    }
    let path = rest.split('"').nth(1).unwrap_or_default();
    let is_passing = PASSING.iter().any(|part| path.contains(part));
    let wrong = match name {
        "execve" | "execveat" => {
            let program = path.rsplit('/').next().unwrap_or_default();
            !names.contains(program) || path.ends_with("evil.sh")
        }
        "open" | "openat" | "openat2" | "creat" => {
            let writes =
                ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| rest.contains(flag));
            (writes || name == "creat")
                && !path.starts_with("/dev/")
                && !path.starts_with("/proc/self/")
                && !is_passing
        }
        // Names of users are looked up by a service of the machine.
        "socket" => !rest.starts_with("AF_UNIX"),
        "connect" => !rest.contains("nscd") && !rest.contains("/systemd/userdb/"),
        _ => !is_passing,
    };
    wrong.then(|| call.to_owned())
}

/// The combined outcome of several commands.
#[derive(Default)]
struct Judged {
    tried: usize,
    harmless: usize,
    wrong: Vec<String>,
}

/// Runs the harmless ones of this number of random commands in bash.
fn judge(want: usize, mut random: Random) -> Judged {
    let rows: Vec<_> = safe::rows().collect();
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    workspace(&work);
    // Debian has another `fd`, and calls this one `fdfind`.
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).unwrap();
    symlink("/usr/bin/fdfind", programs.join("fd"));
    let mut judged = Judged::default();
    while judged.tried < want {
        let mut batch = Vec::new();
        while batch.len() < BATCH && judged.tried < want {
            let line = command(&mut random, &rows);
            judged.tried += 1;
            let analysis = Analysis::parse(&line);
            if analysis.is_harmless() && !waits(&line) {
                batch.push((line, analysis));
            }
        }
        judged.harmless += batch.len();
        let calls = calls(&trace(&batch, folder.path(), &work));
        let seen: BTreeSet<usize> = calls.iter().map(|(at, _)| *at).collect();
        assert!(
            seen.len() * 10 >= batch.len() * 9,
            "{} of {} were traced",
            seen.len(),
            batch.len()
        );
        for (at, call) in calls {
            let (line, analysis) = &batch[at];
            let mut names = BTreeSet::from(["bash".to_owned()]);
            for name in analysis.programs.iter().filter_map(|program| program.name()) {
                names.insert(name.rsplit('/').next().unwrap_or(name).to_owned());
                names.extend(parts_of(name).iter().map(|part| (*part).to_owned()));
            }
            if let Some(complaint) = complaint(&call, &names) {
                judged.wrong.push(format!("{line}\n    {complaint}"));
            }
        }
    }
    assert!(!work.join("evil-ran").exists() && !work.join("out").exists(), "a file was made");
    judged
}

/// Returns the trace of these commands, run one after the other.
fn trace(batch: &[(String, Analysis)], folder: &Path, work: &Path) -> String {
    let mut script = String::new();
    for (at, (line, _)) in batch.iter().enumerate() {
        let line = quoted(line);
        let _ = writeln!(script, "(exec -a row-{at} bash -c {line} </dev/null >/dev/null 2>&1)");
    }
    let (lines, trace) = (folder.join("lines"), folder.join("trace"));
    fs::write(&lines, script).unwrap();
    let watched = "trace=execve,execveat,open,openat,openat2,creat,socket,connect,rename,renameat,renameat2,unlink,unlinkat,\
        mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,truncate,mknod,mknodat,\
        utimensat,setxattr,kill,clock_settime,settimeofday,sethostname";
    let status = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-qq", "-s", "128", "-e", watched, "-e", "signal=none", "-o"])
        .arg(&trace)
        .arg("bash")
        .arg(&lines)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("PATH", format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap()))
        .current_dir(work)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace is installed");
    assert!(status.code().is_some(), "{status}");
    String::from_utf8_lossy(&fs::read(&trace).unwrap()).into_owned()
}

#[test]
#[ignore = "needs strace; the suite `traced` runs it"]
#[expect(clippy::print_stderr, reason = "the counts are the result")]
fn what_is_harmless_is_so_in_a_traced_bash() {
    let want: usize = std::env::var("PINTLE_TRACED").map_or(2_000, |count| count.parse().unwrap());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let seed = chance::seed();
    let all: Vec<_> = (0..threads)
        .map(|at| {
            let random = Random(seed.wrapping_add(at as u64));
            std::thread::spawn(move || judge(want.div_ceil(threads), random))
        })
        .collect();
    let mut total = Judged::default();
    for thread in all {
        let Judged { tried, harmless, wrong } = thread.join().unwrap();
        total.tried += tried;
        total.harmless += harmless;
        total.wrong.extend(wrong);
    }
    let Judged { tried, harmless, mut wrong } = total;
    eprintln!("{tried} commands, {harmless} of them harmless");
    assert!(
        harmless * 4 > tried,
        "{harmless} of {tried} commands are harmless: too few for a result"
    );
    wrong.dedup();
    let shown: Vec<String> = wrong.iter().take(40).cloned().collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), shown.join("\n"));
}
