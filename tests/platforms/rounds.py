"""Runs a built program: `--version`, `doctor`, `demo` and a turn over `serve`, directly, in an empty root or in an emulator."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from .targets import Target

# An emulator is slow, and so is a first start under wine.
TIMEOUT_S = 300

SCRIPT = {
    "replies": [
        {"blocks": [{"tool": "write", "arguments": {"path": "a.txt", "content": "one\n"}}]},
        {"blocks": [{"tool": "read", "arguments": {"path": "a.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ]
}


class Failed(Exception):
    """The program did not do what it should; the message says what it did."""


class Program:
    """A program with what is written before it, and the folder in which it works, as this machine and as the program name it.

    `home` is for what runs the program."""

    def __init__(self, before: list[str], name: str, folder: Path, seen_as: str, home: str = ""):
        self.before, self.name, self.folder, self.seen_as = before, name, folder, seen_as
        self.home = home or seen_as

    def run(self, *arguments: str, input: str | None = None) -> tuple[int, str]:
        """Returns the exit status and what was printed."""
        env = {**os.environ, "HOME": self.home, "PINTLE_HOME": f"{self.seen_as}/home", "TMPDIR": self.home}
        try:
            done = subprocess.run(
                [*self.before, self.name, *arguments], cwd=self.folder, env=env, text=True, errors="replace",
                timeout=TIMEOUT_S, input=input or "", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{' '.join(arguments)}: did not end within {TIMEOUT_S} s") from error
        return done.returncode, done.stdout

    def expect(self, arguments: tuple[str, ...], wanted: str, input: str | None = None) -> str:
        """Runs the program, which must print this text."""
        code, printed = self.run(*arguments, input=input)
        if wanted not in printed:
            tail = "\n".join(printed.splitlines()[-15:])
            raise Failed(f"{' '.join(arguments)}: no `{wanted}`; exit status {code}\n{tail}")
        return printed


def in_empty_root(binary: Path, folder: Path) -> Program:
    """The program in a root with nothing but itself and a workspace."""
    shutil.copy(binary, folder / "pintle")
    (folder / "w").mkdir()
    before = ["unshare", "--map-root-user", "--root", str(folder), "--wd", "/w"]
    return Program(before, "/pintle", folder / "w", "/w")


def in_emulator(emulator: list[str], binary: Path, folder: Path) -> Program:
    return Program(emulator, str(binary.resolve()), folder, str(folder))


def under_wine(wine: Path, binary: Path, folder: Path) -> Program:
    """A program for Windows, which sees this machine's files on drive Z."""
    return Program([str(wine)], str(binary), folder, windows_path(folder), str(folder))


def windows_path(path: Path) -> str:
    """A path of this machine as a program under Wine names it."""
    return "Z:" + str(path).replace("/", "\\")


def program_of(target: Target, binary: Path, folder: Path, tools: Path) -> Program:
    """The built program, in the way in which this machine can run it. `tools` is the folder of the toolchain."""
    if target.is_windows:
        return under_wine(tools / "run", binary, folder)
    if "qemu" in target.emulator:
        return in_emulator(["qemu-aarch64-static"], binary, folder)
    if target.triple.endswith("-musl"):
        return in_empty_root(binary, folder)
    return in_emulator([], binary, folder)


def play(target: Target, binary: Path, tools: Path, say) -> None:
    """Runs all rounds, and names each. Raises `Failed`."""
    with tempfile.TemporaryDirectory() as name:
        program = program_of(target, binary, Path(name), tools)
        for round in (version, doctor, demo, serve):
            round(program)
            say(f"{target.name}: {round.__name__} passed")


def version(program: Program) -> None:
    program.expect(("--version",), "pintle ")


def doctor(program: Program) -> None:
    # Its exit status is that of a machine without a model.
    program.expect(("doctor",), "\nsandbox ")


def demo(program: Program) -> None:
    program.expect(("demo",), "Turn completed: ")


def serve(program: Program) -> None:
    """A session and a turn that writes and reads a file."""
    (program.folder / "script.json").write_text(json.dumps(SCRIPT))
    protocol = program.expect(("doctor",), "(protocol ").split("(protocol ")[1].split(",")[0]
    client = {"name": "platforms", "version": "1"}
    requests = [
        ("initialize", {"protocol": {"name": "pintle", "versions": [protocol]}, "client": client}),
        ("session/create", {"cwd": program.seen_as}),
        ("turn/start", {"input": [{"type": "text", "text": "go"}]}),
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(requests, 1)
    ]
    arguments = ("serve", "--permission", "full", "--script", "script.json")
    # The end of input lets the running turn end.
    program.expect(arguments, '"type":"turn.completed","status":"completed"', input="\n".join(lines) + "\n")
    if (program.folder / "a.txt").read_text() != "one\n":
        raise Failed("serve: the turn did not write the file")
