//! Programs that run other programs: the inner command is analysed too.
//!
//! A wrapper is *transparent* if it only starts the inner program (`timeout`, `env`, `sh -c`). It then needs no separate permission.
//! `sudo`, `ssh` and the like need one in addition to that of the inner program.

use super::flags::{List, Order, Style};
use super::words::Word;
use super::{Analysis, Program, Target, parse};

/// A program that starts the program behind its flags and operands.
struct Wrapper {
    name: &'static str,
    /// The wrapper's flags, in the notation of [`super::flags`]. A marked one does more than start a program.
    flags: &'static str,
    /// Words between the flags and the inner command, such as the duration of `timeout`.
    operands: usize,
    is_transparent: bool,
    input: Input,
}

/// How the words after the flags are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    /// They are passed on unchanged.
    Words,
    /// The program may hand them to a shell as one text.
    Text,
    /// Words from the program's input follow.
    Appended,
}

const fn transparent(name: &'static str, flags: &'static str) -> Wrapper {
    Wrapper { name, flags, operands: 0, is_transparent: true, input: Input::Words }
}

const fn own(name: &'static str, flags: &'static str) -> Wrapper {
    Wrapper { is_transparent: false, ..transparent(name, flags) }
}

impl Wrapper {
    const fn behind(self, operands: usize) -> Self {
        Self { operands, ..self }
    }

    const fn taking(self, input: Input) -> Self {
        Self { input, ..self }
    }
}

const XARGS: &str = "-0prtx -a@ -d: -E: -e? -I: -i? -L: -l? -n: -P: -s: -o -J: -R: -S: --arg-file@ --delimiter: --eof? --exit \
    --interactive --max-args: --max-chars: --max-lines? --max-procs: --no-run-if-empty --null --open-tty \
    --process-slot-var:! --replace? --show-limits --verbose";

const WRAPPERS: &[Wrapper] = &[
    transparent(
        "timeout",
        "-fpv -k: -s: --foreground --kill-after: --preserve-status --signal: --verbose",
    )
    .behind(1),
    transparent("nice", "-# -n: --adjustment:"),
    transparent("ionice", "-t -c: -n: --class: --classdata: --ignore"),
    transparent("nohup", ""),
    transparent("setsid", "-cfw --ctty --fork --wait"),
    transparent("stdbuf", "-i: -o: -e: --input: --output: --error:"),
    transparent(
        "time",
        "-lhpqvV -f: --format: --portability --quiet --verbose -a! -o:! --append! --output:!",
    ),
    transparent("command", "-p! -vV"),
    transparent("builtin", ""),
    transparent("exec", "-cl -a:"),
    transparent("coproc", ""),
    transparent("xargs", XARGS).taking(Input::Appended),
    own(
        "sudo",
        "-ABbEeHiKklNnPSsVv -C: -c: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: --askpass --background --bell --chdir: --chroot: \
         --close-from: --command-timeout: --edit --group: --host: --list --login --login-class: --no-update \
         --non-interactive --other-user: --preserve-env? --preserve-groups --prompt: --remove-timestamp --reset-timestamp \
         --role: --set-home --shell --stdin --type: --user: --validate",
    ),
    own("doas", "-Lns -C: -a: -u:"),
    own("run0", "-bin -u: -g: -D: --user: --group: --chdir: --nice: --setenv: --slice: --unit: --property: --machine: --background: --no-ask-password --pty --pipe"),
    own("pkexec", "--user: --disable-internal-agent --keep-cwd"),
    own("gosu", "").behind(1),
    own("su-exec", "").behind(1),
    own("chroot", "--groups: --skip-chdir --userspec:").behind(1),
    own(
        "unshare",
        "-CcfimnpruTU -l: -R: -S: -G: -w: --boottime: --cgroup? --fork --ipc? --keep-caps --kill-child? --load-interp: --map-auto \
         --map-current-user --map-group: --map-groups: --map-root-user --map-user: --map-users: --monotonic: --mount? \
         --mount-proc? --net? --pid? --propagation: --root: --setgid: --setgroups: --setuid: --time? --user? --uts? --wd:",
    ),
    own(
        "nsenter",
        "-aCeFimnpruTUZ -G: -S: -t: -w? -W: --all --cgroup? --env --follow-context --ipc? --mount? --net? --no-fork --pid? \
         --preserve-credentials --root? --setgid? --setuid? --target: --time? --user? --uts? --wd? --wdns:",
    ),
    own("setarch", "-3BFILRSXZv --32bit --4gb --addr-compat-layout --addr-no-randomize --fdpic-funcptrs --mmap-page-zero \
         --read-implies-exec --short-inode --sticky-timeouts --uname-2.6 --verbose --whole-seconds")
        .behind(1),
    own("linux32", "-3BFILRSXZv"),
    own("linux64", "-3BFILRSXZv"),
    own(
        "prlimit",
        "-c? -d? -e? -f? -i? -l? -m? -n? -o: -q? -r? -s? -t? -u? -v? -x? -y? --as? --core? --cpu? --data? --fsize? --locks? \
         --memlock? --msgqueue? --nice? --nofile? --noheadings --nproc? --output: --raw --rss? --rtprio? --rttime? \
         --sigpending? --stack? --verbose",
    ),
    own(
        "setpriv",
        "--ambient-caps: --apparmor-profile: --bounding-set: --clear-groups --egid: --euid: --gid: --groups: --inh-caps: \
         --init-groups --keep-groups --landlock-access: --landlock-rule: --nnp --no-new-privs --pdeathsig: --regid: \
         --reset-env --reuid: --rgid: --ruid: --seccomp-filter: --securebits: --selinux-label: --uid:",
    ),
    own(
        "strace",
        "-ACcDdFfhiknqrTtvVwxyYzZ -a: -b: -E: -e: -I: -o: -O: -p: -P: -s: -S: -u: -U: -X: --attach: --absolute-timestamps? \
         --argv0: --columns: --const-print-style: --daemonize? --debug --decode-fds? --decode-pids? --detach-on: --env: \
         --failed-only --fault: --follow-forks --inject: --instruction-pointer --interruptible: --kvm: --no-abbrev \
         --output: --output-append-mode --output-separately --quiet? --raw: --read: --relative-timestamps? \
         --seccomp-bpf --signal: --stack-traces? --status: --string-limit: --strings-in-hex? --successful-only --summary \
         --summary-only --summary-sort-by: --summary-wall-clock --syscall-times? --tips? --trace: --trace-path: --user: \
         --write: -tt -ttt -ff -yy -xx",
    )
    .taking(Input::Text),
    own("ltrace", "-bCcfhiLrStTV -A: -a: -D: -e: -F: -l: -n: -o: -p: -s: -u: -w: -x: -X:"),
    own(
        "watch",
        "-bCcdefgprtvwx -n: -q: -s: --beep --chgexit --color --differences? --equexit: --errexit --exec --interval: --no-color \
         --no-rerun --no-title --no-wrap --precise",
    )
    .taking(Input::Text),
    own("chrt", "-abdefGimorRv -D: -P: -T: --all-tasks --batch --deadline --fifo --idle --other --reset-on-fork --rr --verbose \
         --sched-deadline: --sched-period: --sched-runtime:")
        .behind(1),
    own("taskset", "-ac --all-tasks --cpu-list").behind(1),
    own("numactl", "-aHslb -C: -i: -m: -N: -p: -P: -w: --all --balancing --cpunodebind: --interleave: --localalloc --membind: \
         --physcpubind: --preferred: --preferred-many: --weighted-interleave:"),
    own(
        "flock",
        "-eFnosuvx -E: -w: --close --conflict-exit-code: --exclusive --fcntl --nb --no-fork --nonblock --shared --timeout: \
         --unlock --verbose --wait:",
    )
    .behind(1)
    .taking(Input::Text),
    own("parallel", "-0kqtuvXm -a: -C: -d: -I: -j: -L: -N: -n: -P: -S: --arg-file: --bar --colsep: --delay: --dry-run --eta --group \
         --halt: --jobs: --joblog: --keep-order --line-buffer --linebuffer --link --max-args: --max-procs: --no-notice --null --progress \
         --quote --results: --retries: --shuf --sshlogin: --tag --tagstring: --timeout: --ungroup --verbose --will-cite")
        .taking(Input::Appended),
    own("busybox", ""),
    own("toybox", ""),
    own("fakeroot", "-uhv -b: -i: -l: -s: --faked: --lib: --unknown-is-real"),
    own("dbus-run-session", "--config-file: --dbus-daemon:"),
    own("dbus-launch", "--exit-with-session --sh-syntax --csh-syntax --auto-syntax --binary-syntax --close-stderr --autolaunch: --config-file:"),
    own(
        "systemd-run",
        "-dGPqrStT -E: -H: -M: -p: -u: --background: --capsule: --collect --description: --gid: --host: --machine: --nice: --no-ask-password \
         --no-block --on-active: --on-boot: --on-calendar: --path-property: --pipe --property: --pty --quiet \
         --remain-after-exit --same-dir --scope --send-sighup --service-type: --setenv: --shell --slice: --slice-inherit \
         --socket-property: --system --timer-property: --uid: --unit: --user --wait --working-directory:",
    ),
    own("systemd-inhibit", "--list --mode: --no-ask-password --no-legend --no-pager --what: --who: --why:"),
    own("valgrind", "-dqvh --tool: --leak-check? --log-file: --error-exitcode: --trace-children: --quiet --verbose --xml: --xml-file: --suppressions: --num-callers: --show-leak-kinds: --track-origins: --gen-suppressions: --vgdb: --callgrind-out-file: --cache-sim: --branch-sim: --instr-atstart:"),
    own("xvfb-run", "-al -e: -f: -n: -p: -s: -w: --auto-servernum --auth-file: --error-file: --help --listen-tcp --server-args: --server-num: --wait: --xauth-protocol:"),
    own("torsocks", "-iqd -a: -p: -P: -u:"),
    own("proxychains", "-q -f:"),
    own("proxychains4", "-q -f:"),
    own("dumb-init", "-cv -r: --rewrite: --single-child --verbose"),
    own("tini", "-gsvw -e: -p:"),
    own("catchsegv", ""),
    own("eatmydata", ""),
    own("winpty", ""),
    own("arch", "-32 -64 -x86_64 -arm64 -arm64e -c -d: -e:"),
    own("caffeinate", "-disum -t: -w:"),
    own("chronic", "-ev"),
    own("ifne", "-n"),
    own("ts", "-rism"),
    own("unbuffer", "-p"),
    own("rlwrap", "-acinrvR -b: -C: -D: -f: -g: -H: -I: -l: -m? -M: -o -O: -P: -q: -s: -S: -t: -w: -z:"),
    own("env-update", ""),
    own("start-stop-daemon", "-SKbCtoqvmN -x: -a: -p: -u: -n: -s: -R: -d: -c: -g: --start --stop --background --chdir: --chuid: --exec: --startas: --pidfile: --make-pidfile --name: --user: --oknodo --quiet --test --umask: --verbose"),
];

/// The shells whose `-c` takes a command.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh"];

/// Adds a program and the programs that it runs.
pub(super) fn unwrap(mut program: Program, analysis: &mut Analysis, shells: usize) {
    let Some(first) = program.words.first() else {
        if !program.assignments.is_empty() {
            analysis.programs.push(program);
        }
        return;
    };
    if first.text().is_none() {
        analysis.doubt("runs a program whose name cannot be determined in advance");
        analysis.programs.push(program);
        return;
    }
    let name = program.name().unwrap_or_default().to_owned();
    let depth = analysis.programs.len();
    if depth > MAX_PROGRAMS {
        return analysis.doubt("runs too many programs");
    }
    match name.as_str() {
        "cd" => enter(&program, analysis),
        "pushd" | "popd" => analysis.doubt("changes its directory in a way that is not tracked"),
        "eval" | "trap" => {
            program.is_transparent = program.assignments.is_empty();
            nested_text(&program, analysis, shells);
        }
        "env" => env(&mut program, analysis, shells),
        "find" => find(&program, analysis, shells),
        "ssh" => remote(&program, analysis, shells),
        "git" => git(&program, analysis, shells),
        "." | "source" => source(&program, analysis),
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
pub(super) const MAX_PROGRAMS: usize = 500;

fn enter(program: &Program, analysis: &mut Analysis) {
    let mut words = program.arguments().iter().filter(|word| {
        !word.text().is_some_and(|text| ["-P", "-L", "-e", "-@", "--"].contains(&text))
    });
    let folder = match (words.next(), words.next()) {
        (None, _) => Target::Path("~".to_owned()),
        (Some(Word::Text(folder)), None) if folder != "-" => Target::Path(folder.clone()),
        _ => {
            analysis.doubt("changes to an unknown directory");
            Target::Unknown
        }
    };
    analysis.folders.push(folder);
}

/// Analyses a command inside the words of a shell builtin.
fn nested_text(program: &Program, analysis: &mut Analysis, shells: usize) {
    let texts: Vec<&str> =
        program.arguments().iter().map(|word| known_text(word, analysis)).collect();
    let line = match program.name() {
        // `trap 'rm x' EXIT`.
        Some("trap") => {
            let mut texts = texts.iter().skip_while(|text| **text == "--");
            texts.next().copied().unwrap_or_default().to_owned()
        }
        _ => texts.join(" "),
    };
    parse::parse(&line, analysis, shells + 1);
}

/// Returns a word's text, which becomes part of a command. An unknown one stays unknown there.
fn known_text<'a>(word: &'a Word, analysis: &mut Analysis) -> &'a str {
    word.text().unwrap_or_else(|| {
        analysis.doubt("runs text that cannot be determined in advance");
        "$unknown"
    })
}

fn inner(assignments: Vec<Word>, words: &[Word], analysis: &mut Analysis, shells: usize) {
    if shells > 16 {
        return analysis.doubt("nests programs too deeply");
    }
    unwrap(
        Program { assignments, words: words.to_vec(), ..Program::default() },
        analysis,
        shells + 1,
    );
}

/// Shell flags. `-c` is marked: the first operand is the command. So are flags that take a file of commands, which runs too.
const SHELL_FLAGS: &str = "-abBeEfhHiIklmnpPrstTuvVxCD -c! -o: -O: --debug --debugger --dump-po-strings --dump-strings \
    --emulate: --help --init-file@! --login --noediting --noprofile --norc --posix --pretty-print --rcfile@! --restricted --verbose \
    --version --wordexp";

/// Analyses `sh -c 'text'`. A shell without it runs a script, or commands read from its input.
fn shell_command(program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let arguments = program.arguments();
    // `+e` unsets what `-e` sets.
    let words: Vec<String> = arguments
        .iter()
        .map_while(Word::text)
        .map(|text| {
            let is_unset = text.len() > 1 && text.starts_with('+');
            if is_unset { text.replacen('+', "-", 1) } else { text.to_owned() }
        })
        .collect();
    let is_known = words.len() == arguments.len();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let reading = match List::new(SHELL_FLAGS, Style::Usual).read(Order::Leading, &words) {
        Ok(reading) => reading,
        Err(flag) => return analysis.doubt(format!("uses the unknown shell flag `{flag}`")),
    };
    if reading.operands.is_empty() && !is_known {
        return analysis.doubt("runs a shell whose arguments cannot be determined in advance");
    }
    let flags = words.get(..reading.first_operand).unwrap_or_default();
    if !reading.files.is_empty() {
        return analysis.hide("runs a shell script");
    }
    if !flags.iter().any(|flag| is_command_flag(flag)) {
        // `-s` turns operands into arguments for the commands read from input.
        let reads_input = flags.iter().any(|flag| !flag.starts_with("--") && flag.contains('s'));
        // `bash -` is `bash --`.
        let names_none =
            reading.operands.first().is_none_or(|script| *script == "-" || is_input(script));
        if names_none || reads_input {
            analysis.hide("runs a shell that reads its commands");
        }
        return;
    }
    // `-c` alone is an error of the shell.
    let Some(line) = reading.operands.first() else {
        return analysis.doubt("passes a shell text that cannot be determined in advance");
    };
    // A login or interactive shell reads start files, which are the user's own. `BASH_ENV=x` specifies another one.
    program.is_transparent = program.assignments.is_empty();
    parse::parse(line, analysis, shells + 1);
}

/// Returns true for a path such as `/dev/stdin` that refers to redirected input, not to a script on disk.
fn is_input(path: &str) -> bool {
    path.starts_with("/dev/") || path.starts_with("/proc/")
}

/// `. FILE` runs a script.
fn source(program: &Program, analysis: &mut Analysis) {
    let file = program.arguments().iter().find(|word| word.text() != Some("--"));
    if file.is_some_and(|file| file.text().is_none_or(is_input)) {
        analysis.hide("runs a shell that reads its commands");
    }
}

/// Returns true for `-c`, alone or with other letters.
fn is_command_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('c'))
}

/// `env -u A B=c program`.
fn env(program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let mut assignments = program.assignments.clone();
    let words = program.words.clone();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(text) = word.text() else {
            return analysis.doubt("runs env with arguments that cannot be determined in advance");
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
                return analysis.doubt(format!("uses `env {text}`, which is not analyzed"));
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

/// Analyses the command after a wrapper's flags.
fn wrapped(wrapper: &Wrapper, program: &mut Program, analysis: &mut Analysis, shells: usize) {
    let arguments = program.arguments().to_vec();
    let known: Vec<&str> = arguments.iter().map_while(Word::text).collect();
    let reading = match List::new(wrapper.flags, Style::Usual).read(Order::Leading, &known) {
        Ok(reading) => reading,
        Err(flag) => {
            program.is_transparent = false;
            let reason = format!("`{} {flag}` is not understood", wrapper.name);
            analysis.doubt(reason);
            // Rules that restrict the rest still apply.
            let at = known.iter().position(|word| *word == flag).map_or(0, |at| at + 1);
            for from in at..arguments.len().min(at + 3) {
                let rest = arguments.get(from..).unwrap_or_default();
                let begins = rest.first().and_then(Word::text);
                if begins.is_some_and(|text| !text.starts_with('-')) {
                    inner(Vec::new(), rest, analysis, shells);
                }
            }
            return;
        }
    };
    let mut at = reading.first_operand;
    if wrapper.name == "sudo" {
        let is_assignment = |text: &&str| text.contains('=') && !text.starts_with('/');
        at += known.iter().skip(at).take_while(|text| is_assignment(text)).count();
    }
    at += wrapper.operands;
    let is_unknown = at > known.len() || (at == known.len() && reading.operands.is_empty());
    if is_unknown && known.len() < arguments.len() {
        return analysis.doubt(format!(
            "runs {} with arguments that cannot be determined in advance",
            wrapper.name
        ));
    }
    let flags = known.get(..reading.first_operand).unwrap_or_default();
    let looks_up = |flag: &&str| flag.contains(['v', 'V']);
    if wrapper.name == "command" && flags.iter().any(looks_up) {
        // The program only looks up a name.
        program.is_transparent = !reading.is_marked;
        return;
    }
    program.is_transparent = wrapper.is_transparent && !reading.is_marked;
    let mut rest = arguments.get(at..).unwrap_or_default().to_vec();
    // `flock FILE -c 'text'`.
    if wrapper.name == "flock"
        && let [flag, text, ..] = rest.as_slice()
        && matches!(flag.text(), Some("-c" | "--command"))
    {
        let text = known_text(text, analysis).to_owned();
        return parse::parse(&text, analysis, shells + 1);
    }
    if wrapper.input == Input::Appended {
        if rest.is_empty() {
            rest.push(Word::Text("echo".to_owned()));
        }
        // With a placeholder, input ends up inside the words.
        let has_placeholder = flags.iter().any(|flag| {
            flag.starts_with("-I")
                || flag.starts_with("-i")
                || flag.starts_with("-J")
                || flag.starts_with("--replace")
        });
        if has_placeholder || wrapper.name == "parallel" {
            for word in rest.iter_mut().skip(1) {
                *word = Word::Unknown { source: word.to_string(), is_one: true };
            }
        }
        rest.push(Word::Unknown { source: "…".to_owned(), is_one: false });
    } else if rest.is_empty() {
        program.is_transparent = false;
        return;
    }
    let is_text = wrapper.input == Input::Text || wrapper.name == "parallel";
    if is_text
        && rest.iter().any(|word| {
            word.text().is_none_or(|text| text.contains([' ', ';', '|', '&', '$', '`']))
        })
    {
        analysis.doubt(format!("runs {}, which may pass text to a shell", wrapper.name));
    }
    let assignments = program.assignments.clone();
    inner(assignments, &rest, analysis, shells);
}

/// Tests of find that take a value.
const FIND_TESTS: [&str; 12] = [
    "-iname",
    "-ipath",
    "-iregex",
    "-maxdepth",
    "-mindepth",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-regex",
    "-size",
    "-type",
];

/// `find … -exec program {} ;`.
fn find(program: &Program, analysis: &mut Analysis, shells: usize) {
    let mut words = program.words.iter();
    let mut before = None;
    let mut is_known = true;
    while let Some(word) = words.next() {
        let is_value = before
            .replace(word)
            .and_then(Word::text)
            .is_some_and(|test| FIND_TESTS.contains(&test));
        match word {
            Word::Unknown { is_one, .. } if !is_value => {
                is_known = false;
                if !is_one {
                    analysis.hide("passes find arguments that are only known when it runs");
                }
            }
            // The unknown word may be `-exec`.
            Word::Text(text) if !is_known && matches!(&**text, ";" | "+") => {
                analysis.hide("passes find arguments that are only known when it runs");
            }
            Word::Text(_) | Word::Glob(_) | Word::Unknown { .. } => {}
        }
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

/// The command run on another machine.
fn remote(program: &Program, analysis: &mut Analysis, shells: usize) {
    const VALUED: &str = "BbcDEeFIiJLlmOoPpQRSWw";
    let mut words = program.arguments().iter();
    let mut is_host_seen = false;
    let mut command = Vec::new();
    while let Some(word) = words.next() {
        let text = known_text(word, analysis);
        if is_host_seen {
            command.push(text);
        } else if let Some(flags) = text.strip_prefix('-') {
            if text.contains("Command") {
                analysis.doubt("has ssh run a local program");
            }
            let takes_next = flags.chars().last().is_some_and(|flag| VALUED.contains(flag));
            if takes_next && flags.len() == 1 {
                let value = words.next().and_then(Word::text).unwrap_or("Command");
                if value.contains("Command") {
                    analysis.doubt("has ssh run a local program");
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

/// Analyses settings on git's command line that specify a program.
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
                analysis.doubt(format!("passes git the setting `{setting}`"));
            }
            _ if text.starts_with("-c") || text.starts_with("--config-env") => {
                analysis.doubt(format!("passes git the setting `{text}`"));
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
