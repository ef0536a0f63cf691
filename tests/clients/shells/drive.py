"""Types lines with TAB into real shells and compares what they insert and list.

bash and zsh run in a pseudo-terminal, where Ctrl-G prints the line as it is; fish and Nushell return the completions of a line by a command.
Nothing here waits for a time: the printed line ends each answer.
"""

import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
import xml.sax.saxutils
from pathlib import Path

FOLDER = Path(sys.argv[1]).resolve()
HOME = FOLDER / "home"
PROJECT = FOLDER / "project"
PROGRAM = os.environ["PINTLE_BIN"]
LIMIT_S = 30

NEW, OLD, ODD = (f"01a2027b-1111-7000-8000-00000000000{n}" for n in (3, 2, 1))
HOSTILE = "$(touch pwned) `touch pwned`; touch pwned 'x\" \\ a:b %s \x1b[31m\x07\r \u202e"

CONFIG = """
[providers.box]
base_url = "http://127.0.0.1:1/v1"
api = "chat"
models = [{ id = "small" }, { id = "big:8b" }, { id = "$(touch pwned)" }, { id = "two words" }]

[mcp_servers.clock]
command = "touch"
args = ["pwned"]
"""

# The typed line, and the line after TAB. A space at the end means that the word is complete.
INSERTED = [
    ("pintle ru", "pintle run "),
    ("pintle sess", "pintle sessions "),
    ("pintle sessions sh", "pintle sessions show "),
    ("pintle run --permission re", "pintle run --permission read-only "),
    ("pintle run --permission=re", "pintle run --permission=read-only "),
    ("pintle run --fallback", "pintle run --fallback-model "),
    ("pintle run --model bo", "pintle run --model box/"),
    ("pintle run --model box/s", "pintle run --model box/small "),
    ("pintle run --model=box/s", "pintle run --model=box/small "),
    ("pintle run --model box/big:", "pintle run --model box/big:8b "),
    ("pintle run --model=box/big:8b:hi", "pintle run --model=box/big:8b:high "),
    ('pintle run "do it" --model box/s', 'pintle run "do it" --model box/small '),
    ('pintle run --model "box/s', 'pintle run --model "box/small" '),
    ("echo x; pintle run --model box/s", "echo x; pintle run --model box/small "),
    ("PINTLE_LOG=info pintle run --model box/s", "PINTLE_LOG=info pintle run --model box/small "),
    (f"pintle run --session {NEW[:-1]}3", f"pintle run --session {NEW} "),
    ("pintle attach 01a2", f"pintle attach {NEW[:-1]}"),
    ("pintle attach la", "pintle attach last "),
    ("pintle mcp test c", "pintle mcp test clock "),
    ("pintle help perm", "pintle help permissions "),
    ("pintle completions pow", "pintle completions powershell "),
    ("pintle run -C su", "pintle run -C sub/"),
    ("pintle run --directory=su", "pintle run --directory=sub/"),
    ("pintle run --file sub/o", "pintle run --file sub/one.txt "),
    ("pintle run --file=sub/o", "pintle run --file=sub/one.txt "),
    ("pintle run --report sarif=sub/o", "pintle run --report sarif=sub/one.txt "),
    ("pintle run --file spa", r"pintle run --file space\ d.txt "),
    ("pintle run --file dol", r"pintle run --file dollar\$\(touch\ pwned\) "),
    ("./pintle run --model box/s", "./pintle run --model box/small "),
    ("pintle run --model nothing/x", "pintle run --model nothing/x"),
]

# The typed line, and words that are listed, or none of which is.
LISTED = [
    ("pintle attach ", [NEW, OLD, ODD, "last"], ["--model"]),
    ("pintle run --permission ", ["read-only", "ask", "auto-edit", "full"], ["--model"]),
    ("pintle run --model ", ["openai/", "box/", "anthropic/"], ["box/small"]),
    ("pintle run --model box/", ["box/small", "box/big:8b"], ["pwned", "two"]),
    ("pintle run --m", ["--model", "--max-steps"], ["--permission"]),
    ("pintle run -C ", ["sub"], ["one.txt", "space"]),
    ("pintle login ", ["anthropic", "openai"], ["--device"]),
]


def make_place():
    """Makes a home with settings and three sessions, one of them with a hostile title, and a project with odd file names."""
    HOME.mkdir()
    PROJECT.mkdir()
    (HOME / "config.toml").write_text(CONFIG)
    (PROJECT / "sub").mkdir()
    for name in ("sub/one.txt", "space d.txt", "dollar$(touch pwned)"):
        (PROJECT / name).write_text("")
    for at, (name, title) in enumerate([(ODD, HOSTILE), (OLD, "parser: fixed"), (NEW, "newest")]):
        session = HOME / "sessions" / "slug" / f"20261122T08300{at}Z_{name}"
        session.mkdir(parents=True)
        header = {"journal": "pintle", "version": 2, "sessionId": name, "cwd": str(PROJECT), "createdMs": 1000 + at}
        (session / "journal.jsonl").write_text(json.dumps(header) + "\n")
        (session / "title").write_text(title)
    # A project with a program of the same name, which no shell may run.
    trap = write(PROJECT / "pintle", f"#!/bin/sh\ntouch {FOLDER}/pwned\n")
    trap.chmod(0o755)
    # The program by its name, by another name, and by a path.
    for name in ("bin/pintle", "other/pt"):
        path = FOLDER / name
        path.parent.mkdir()
        path.symlink_to(PROGRAM)


def environment():
    return {
        "HOME": str(HOME), "PINTLE_HOME": str(HOME), "PATH": f"{FOLDER / 'bin'}:{os.environ['PATH']}",
        "OPENAI_API_KEY": "sk-0123456789abcdef", "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "200", "LINES": "500",
    }


class Shell:
    """A shell in a pseudo-terminal."""

    def __init__(self, command, setup, prompt=""):
        """Starts a shell. One that loses keys which are typed before its prompt needs a pattern for that."""
        self.prompt = prompt
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(PROJECT)
            os.execvpe(command[0], command, environment())
        self.seen = b""
        # The typed command does not contain the printed word.
        self.send("\r".join([*setup, READY.get(Path(command[0]).name, "echo rea''dy")]) + "\r")
        self.until("ready" + prompt)

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, marker):
        """Returns the output before a pattern, without escape sequences, and the match. Fails if the pattern does not appear."""
        end = time.monotonic() + LIMIT_S
        found = None
        while not (found := re.search(marker, plain(self.seen))):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {marker!r} in {plain(self.seen)!r}")
            received = os.read(self.fd, 65536)
            self.seen += received
            # Nushell asks where the cursor is.
            self.send("\x1b[1;1R" * received.count(b"\x1b[6n"))
        text = plain(self.seen)
        self.seen = b""
        return text[: found.start()], found

    def press_tab(self, line):
        """Returns the line after TAB, and the output until then."""
        self.send(line + "\t\x07")
        shown, found = self.until(r"<<<(.*)>>>" + self.prompt)
        self.send("\x15")
        return found.group(1), shown

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def plain(raw):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\].*?(?:\x07|\x1b\\)|\x1b[=>()78][B0]?|\r", "", raw.decode(errors="replace"))


def script(shell, program="pintle", *options):
    out = subprocess.run([program, "completions", shell, *options], env=environment(), cwd=PROJECT, capture_output=True, text=True, check=True)
    return out.stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def source(shell, name, text):
    return f"source {shlex.quote(str(write(FOLDER / f'{name}.{shell}', text)))}"


BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
BASH = ["bash", "--norc", "--noprofile", "-i"]
BASH_SETUP = [
    "PS1=", "bind 'set enable-bracketed-paste off'", "bind 'set show-all-if-ambiguous on'", "bind 'set page-completions off'",
    "bind 'set completion-query-items -1'", "bind 'set bell-style none'",
    r"""shown() { printf '\n<<<%s>>>\n' "$READLINE_LINE"; }; bind -x '"\C-g": shown'""",
]
ZSH = ["zsh", "-f", "-i"]
ZSH_SETUP = [
    "PS1= PS2= RPS1= LISTMAX=100000; unsetopt prompt_cr prompt_sp beep zle_bracketed_paste",
    "unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D",
    r"shown() { print; print -r -- '<<<'$BUFFER'>>>' }; zle -N shown; bindkey '^G' shown; bindkey '^U' kill-whole-line",
]


def documented(shell):
    """Returns the command by which `pintle completions --help` installs a script."""
    text = subprocess.run(["pintle", "completions", "--help"], env=environment(), capture_output=True, text=True, check=True).stdout
    return re.search(rf"^  {shell} +(?:Run|Add to [^:]+): (.+)$", text, re.MULTILINE).group(1)


NU_CONFIG = """
$env.PROMPT_COMMAND = "@prompt"
$env.config.show_banner = false
$env.config.keybindings ++= [[name modifier keycode mode event];
  [shown control char_g emacs {send: executehostcommand, cmd: "print $'<<<(commandline)>>>'"}]]
"""
READY = {"nu": "print $'rea(char -i 100)y'"}


def in_terminal(command, setup, case):
    name = command[0]
    shell = Shell(command, [*setup, documented(name)])
    for line, want in INSERTED:
        case(f"{name} {line}", lambda line=line, want=want: equal(shell.press_tab(line)[0], want))
    for line, some, none in LISTED:
        def check(line=line, some=some, none=none):
            _, shown = shell.press_tab(line)
            shown = shown[shown.index(line) + len(line):] if line in shown else shown
            listed(shown, some, none)
        case(f"{name} {line}", check)
    if name == "zsh":
        case("zsh shows titles", lambda: listed(shell.press_tab("pintle attach ")[1], ["parser: fixed", "$(touch pwned)"], ["\x07"]))
    shell.close()

    # Installed as a file that the shell loads when it is needed.
    if name == "zsh":
        write(HOME / "functions" / "_pintle", script(name))
        setup_of_file = [f"fpath=({HOME}/functions $fpath)", *setup]
    else:
        write(HOME / ".local/share/bash-completion/completions/pintle", script(name))
        setup_of_file = [*setup, f"source {BASH_COMPLETION}"]
    if name == "zsh" or Path(BASH_COMPLETION).exists():
        installed = Shell(command, setup_of_file)
        line, want = "pintle run --model=box/s", "pintle run --model=box/small "
        case(f"{name} with an installed file", lambda: equal(installed.press_tab(line)[0], want))
        case(f"{name} with an installed file, again", lambda: equal(installed.press_tab(line)[0], want))
        installed.close()

    # By a path, by another name, and without the program on the path.
    other = FOLDER / "other" / "pt"
    by_path = Shell(command, [*setup, source(name, "other", script(name, str(other)))])
    for line in (f"{other} run --model box/s", "pt run --model box/s"):
        case(f"{name} {line.replace(str(FOLDER), '')}", lambda line=line: equal(by_path.press_tab(line)[0], f"{line}mall "))
    by_path.close()
    missing = Shell(command, [*setup, source(name, "missing", script(name, "pintle", "--program", "pintle-gone"))])
    case(f"{name} without the program", lambda: equal(missing.press_tab("pintle-gone ru")[0], "pintle-gone ru"))
    missing.close()


def in_fish(case):
    sourced = source("fish", "script", script("fish"))

    def ask(line, before=sourced, options=("--no-config",)):
        code = f"{before}; complete -C {fish_quoted(line)}"
        out = subprocess.run(["fish", *options, "-c", code], cwd=PROJECT, env=environment(), capture_output=True, text=True, check=True)
        equal(out.stderr, "")
        return [row.split("\t") for row in out.stdout.splitlines()]

    for line, want in INSERTED:
        # A path with special characters is quoted when it is inserted.
        if "\\" in want or '"' in line:
            continue
        def check(line=line, want=want):
            words = [row[0] for row in ask(line)]
            typed, word = line.split(" ")[-1], want.rstrip(" ").split(" ")[-1]
            fitting = [one for one in words if one.startswith(typed)]
            if want == line:
                equal(fitting, [])
            else:
                equal(os.path.commonprefix(fitting), word)
        case(f"fish {line}", check)
    for line, some, none in LISTED:
        case(f"fish {line}", lambda line=line, some=some, none=none: listed(" ".join(row[0] for row in ask(line)), some, none))
    def titles():
        rows = {row[0]: row[1] for row in ask("pintle attach ")}
        equal(rows[OLD], "parser: fixed")
        equal(rows[ODD], "$(touch pwned) `touch pwned`; touch pwned 'x\" \\ a:b %s \u27e8U+202E\u27e9")
    case("fish shows titles", titles)
    folder = HOME / ".config/fish/completions"
    folder.mkdir(parents=True)
    subprocess.run(["fish", "--no-config", "-c", documented("fish")], env=environment(), check=True)
    case("fish with an installed file", lambda: equal(ask("pintle run --model box/s", "true", ())[0][0], "box/small"))
    case("fish space d", lambda: equal(ask("pintle run --file spa")[0][0], "space d.txt"))
    other = FOLDER / "other" / "pt"
    by_path = source("fish", "other", script("fish", str(other)))
    for line in (f"{other} run --model box/s", "pt run --model box/s"):
        case(f"fish {line.replace(str(FOLDER), '')}", lambda line=line: equal(ask(line, by_path)[0][0], "box/small"))
    missing = source("fish", "missing", script("fish", "pintle", "--program", "pintle-gone"))
    case("fish without the program", lambda: equal(ask("pintle-gone ru", missing), []))


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def in_nushell(case):
    nu = os.environ["NU_BIN"]

    def ask(words, before):
        code = f"{before}; do $env.config.completions.external.completer {json.dumps(words)} | to json --raw"
        out = subprocess.run([nu, "--no-config-file", "-c", code], cwd=PROJECT, env=environment(), capture_output=True, text=True, check=True)
        return json.loads(out.stdout)

    # Nushell loads installed files at a prompt only.
    write(HOME / ".config/nushell/config.nu", NU_CONFIG)
    subprocess.run([nu, "-c", documented("nushell")], env=environment(), check=True)
    shell = Shell([nu], [], r"[^@]*@prompt")
    for line, want in INSERTED:
        # Nushell completes neither paths after a text nor quoted words, and quotes special characters differently.
        is_path_behind = re.search(r"=(su|sub/o)$", line)
        is_quoted = line.split(" ")[-1].startswith('"')
        if is_path_behind or is_quoted or "\\" in want or line.startswith("PINTLE_LOG"):
            continue
        case(f"nushell {line}", lambda line=line, want=want: equal(shell.press_tab(line)[0], want.rstrip(" ")))
    shell.close()

    sourced = source("nu", "script", script("nushell"))
    for line, some, none in LISTED:
        def check(line=line, some=some, none=none):
            rows = ask(line.split(" "), sourced)
            if "-C" in line:
                equal(rows, None)
            else:
                listed(" ".join(row["value"] for row in rows), some, none)
        case(f"nushell {line}", check)
    rows = lambda: {row["value"]: row["description"] for row in ask(["pintle", "attach", ""], sourced)}
    case("nushell shows titles", lambda: equal(rows()[OLD], "parser: fixed"))
    case("nushell other commands", lambda: equal(ask(["git", ""], sourced), None))
    chained = "$env.config.completions.external.completer = {|spans| [other] }; " + sourced
    case("nushell another completer", lambda: equal(ask(["git", ""], chained), ["other"]))
    other = FOLDER / "other" / "pt"
    by_path = source("nu", "other", script("nushell", str(other)))
    case("nushell by path", lambda: equal(ask([str(other), "ru"], by_path)[0]["value"], "run"))
    missing = source("nu", "missing", script("nushell", "pintle", "--program", "pintle-gone"))
    case("nushell without the program", lambda: equal(ask(["pintle-gone", "ru"], missing), None))


def equal(got, want):
    assert got == want, f"got {got!r}, not {want!r}"


def listed(shown, some, none):
    for word in some:
        assert word in shown, f"no {word!r} in {shown!r}"
    for word in none:
        assert word not in shown, f"{word!r} in {shown!r}"


def main():
    make_place()
    cases = []

    def case(name, check):
        began = time.monotonic()
        try:
            check()
            failure = None
        except Exception as error:  # A failed row must not hide the others.
            failure = f"{type(error).__name__}: {error}"
            print(f"{name}: {failure}", file=sys.stderr)
        cases.append((name, time.monotonic() - began, failure))

    in_terminal(BASH, BASH_SETUP, case)
    in_terminal(ZSH, ZSH_SETUP, case)
    in_fish(case)
    if "NU_BIN" in os.environ:
        in_nushell(case)
    # The shells have run nothing that a title, a model or a file name asks for, and the program has made nothing.
    case("nothing ran", lambda: equal(sorted(path.name for path in FOLDER.rglob("pwned")), []))
    made = lambda: sorted(path.name for path in HOME.iterdir() if not path.name.startswith("."))
    case("nothing was written", lambda: equal(made(), ["config.toml", "functions", "sessions"]))
    report(cases)
    failed = [name for name, _, failure in cases if failure]
    print(f"shells: {len(cases) - len(failed)} of {len(cases)} completions are as expected")
    sys.exit(1 if failed else 0)


def report(cases):
    """Writes the cases as JUnit, which the runner counts."""
    if "PINTLE_REPORTS" not in os.environ:
        return
    quoted = xml.sax.saxutils.quoteattr
    clean = lambda text: re.sub(r"[^\x20-\ud7ff\n\t]", "?", text)
    rows = []
    for name, seconds, failure in cases:
        body = f"<failure message={quoted(clean(failure))}/>" if failure else ""
        rows.append(f'<testcase classname="shells" name={quoted(clean(name))} time="{seconds:.3f}">{body}</testcase>')
    text = "<testsuites><testsuite>" + "\n".join(rows) + "</testsuite></testsuites>\n"
    Path(os.environ["PINTLE_REPORTS"], "shells.xml").write_text(text)


main()
