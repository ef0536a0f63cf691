"""Runs the unit tests of all crates as programs of another system, without those that `skipped.toml` lists.

A test of the sources that the other system does not even compile, behind a `cfg`, must be listed too.
"""

import json
import os
import re
import subprocess
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from runner.tools import ROOT

SKIPPED = Path(__file__).with_name("skipped.toml")
# A crate's tests take two minutes at most.
TIMEOUT_S = 900

OUTCOME = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED|ignored)", re.MULTILINE)
TEST = re.compile(r"#\[(?:tokio::)?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*|//[^\n]*\n\s*)*(?:async )?fn (\w+)")


@dataclass(frozen=True)
class Skip:
    """A row: a test, or all tests of a module if it ends with `::`."""

    crate: str
    test: str
    reason: str

    def matches(self, test: str) -> bool:
        return test.startswith(self.test) if self.test.endswith("::") else test == self.test


@dataclass
class Result:
    """What became of a crate's tests."""

    crate: str
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    seconds: float = 0
    problems: list[str] = field(default_factory=list)


def read_skips(text: str) -> list[Skip]:
    """Reads the rows of `skipped.toml`. Raises `ValueError` for a row that is there twice."""
    rows = [
        Skip(group["crate"], test, group["reason"]) for group in tomllib.loads(text)["skipped"] for test in group["tests"]
    ]
    names = [(row.crate, row.test) for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"listed twice: {sorted(twice)}")
    return rows


def tests_of_sources(folder: Path) -> list[tuple[str, str]]:
    """The tests in a crate's sources: the module of the file, and the function."""
    found = []
    for path in sorted(folder.rglob("*.rs")):
        above = path.relative_to(folder).parents
        if any((folder / parent / "Cargo.toml").exists() for parent in above if parent != Path(".")):
            continue
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] in ("mod", "lib", "main"):
            parts.pop()
        module = "::".join(parts)
        found += [(module, name) for name in TEST.findall(path.read_text())]
    return found


def missing(sources: list[tuple[str, str]], listed: list[str]) -> list[tuple[str, str]]:
    """The tests of the sources that the program does not have."""
    have = {}
    for test in listed:
        module, _, name = test.rpartition("::")
        have.setdefault(name, []).append(module)
    return [(module, name) for module, name in sources if not any(below(it, module) for it in have.get(name, ()))]


def below(module: str, above: str) -> bool:
    return not above or module == above or module.startswith(f"{above}::")


def explains(row: Skip, module: str, name: str) -> bool:
    """True if a row is about a test of the sources that the program does not have."""
    if row.test.endswith("::"):
        return below(module, row.test.removesuffix("::"))
    its_module, _, its_name = row.test.rpartition("::")
    return its_name == name and below(its_module, module)


def problems(rows: list[Skip], listed: list[str], absent: list[tuple[str, str]]) -> list[str]:
    """Rows without a test, and tests that are missing without a row."""
    wrong = [
        f"{row.crate}: skipped.toml lists {row.test}, which does not exist"
        for row in rows
        if not any(row.matches(test) for test in listed) and not any(explains(row, *test) for test in absent)
    ]
    wrong += [
        f"{module}::{name} is not compiled, and skipped.toml does not say why"
        for module, name in absent
        if not any(explains(row, module, name) for row in rows)
    ]
    return wrong


def read_outcomes(printed: str) -> dict[str, str]:
    """The outcome of each test in the output of a test program."""
    return dict(OUTCOME.findall(printed))


def table(results: list[Result]) -> str:
    """A line for each crate, and the sum."""
    lines = [f"{'crate':18} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>7}"]
    for result in results:
        lines.append(
            f"{result.crate:18} {result.passed:7} {len(result.failed):7} {result.skipped:8} {result.seconds:5.0f} s"
        )
    passed, failed, skipped, seconds = (
        sum(each) for each in zip(*((r.passed, len(r.failed), r.skipped, r.seconds) for r in results), strict=True)
    )
    lines.append(f"{'':18} {passed:7} {failed:7} {skipped:8} {seconds:5.0f} s")
    return "\n".join(lines)


def programs(messages: str) -> dict[str, tuple[str, Path]]:
    """The test program and the folder of each crate, from cargo's messages."""
    found = {}
    for line in messages.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message.get("executable"):
            if "lib" in message["target"]["kind"]:
                crate = message["target"]["name"].replace("_", "-")
                found[crate] = (message["executable"], Path(message["target"]["src_path"]).parent)
    return found


class Runner:
    """Runs test programs by a command that starts programs of the other system."""

    def __init__(self, command: list[str], rows: list[Skip]):
        self.command = command
        self.rows = rows
        # Wine's console host would outlive each command for a moment, and keep its output open.
        self.env = {**os.environ, "RUST_BACKTRACE": "0", "WINEDLLOVERRIDES": "conhost.exe=d"}

    def run(self, crate: str, program: str, sources: Path) -> Result:
        result = Result(crate)
        rows = [row for row in self.rows if row.crate == crate]
        listed = self._printed(program, sources, "--list", "--format", "terse")
        listed = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
        absent = missing(tests_of_sources(sources), listed)
        result.problems = problems(rows, listed, absent)
        skips = [test for test in listed if any(row.matches(test) for row in rows)]
        result.skipped = len(skips) + len(absent)
        began = time.monotonic()
        options = ["--exact", *(word for test in skips for word in ("--skip", test))]
        printed = self._printed(program, sources, "--test-threads=2", *options)
        result.seconds = time.monotonic() - began
        outcomes = read_outcomes(printed)
        result.passed = sum(outcome == "ok" for outcome in outcomes.values())
        result.skipped += sum(outcome == "ignored" for outcome in outcomes.values())
        result.failed = [test for test, outcome in outcomes.items() if outcome == "FAILED"]
        ran = set(outcomes) | set(skips)
        result.problems += [f"{crate}: {test} did not end" for test in listed if test not in ran]
        if result.failed or result.problems:
            print(printed)
        return result

    def _printed(self, program: str, sources: Path, *arguments: str) -> str:
        command = [*self.command, program, *arguments]
        env = {**self.env, "CARGO_MANIFEST_DIR": str(sources)}
        try:
            done = subprocess.run(
                command, cwd=sources, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False,
            )
            printed = done.stdout
        except subprocess.TimeoutExpired as error:
            printed = error.stdout or b""
        return printed.decode(errors="replace").replace("\r\n", "\n")


def run(built: str, command: list[str], crates: list[str]) -> int:
    """Runs the programs of cargo's messages, those of all crates if none is named, prints the table, and returns the exit status."""
    runner = Runner(command, read_skips(SKIPPED.read_text()))
    results = []
    for crate, (program, sources) in programs(built).items():
        result = runner.run(crate, program, sources)
        print(f"{crate}: {result.passed} passed, {len(result.failed)} failed, {result.skipped} skipped", flush=True)
        results.append(result)
    print(table(results))
    wrong = [problem for result in results for problem in result.problems]
    wrong += [f"{result.crate}: {test} failed" for result in results for test in result.failed]
    unknown = {row.crate for row in runner.rows} - {result.crate for result in results} if not crates else set()
    wrong += [f"skipped.toml names the crate {crate}, which has no tests" for crate in sorted(unknown)]
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0
