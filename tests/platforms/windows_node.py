"""Runs the VS Code extension's tests that need no editor by Node for Windows under Wine, some of them with the built `pintle.exe`."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from runner.tools import ROOT, Tools

from .rounds import windows_path

EXTENSION = ROOT / "editors/vscode"
CLIENT = ROOT / "protocol/clients/typescript"

# All tests together take a minute or two.
TIMEOUT_S = 300
TEST_TIMEOUT_MS = 60_000

# What Wine 8 prints when its server has crashed, which happens now and then.
CRASH = "wineserver crashed"


@dataclass(frozen=True)
class Counts:
    """The sums at the end of Node's report."""

    passed: int
    failed: int
    skipped: int


def counts(tap: str) -> Counts | None:
    """Reads the sums of a report in the Test Anything Protocol; none if it is not complete."""
    found = {name: int(number) for name, number in re.findall(r"^# (pass|fail|cancelled|skipped) (\d+)$", tap, re.MULTILINE)}
    if len(found) != 4:
        return None
    return Counts(found["pass"], found["fail"] + found["cancelled"], found["skipped"])


def failures(tap: str) -> str:
    """The failed tests of a report, each with its description."""
    blocks = re.split(r"^(?=(?:not )?ok \d+|# )", tap, flags=re.MULTILINE)
    return "".join(block for block in blocks if block.startswith("not ok"))


def files(names: list[str]) -> list[Path]:
    """The test files whose name contains one of the names; without names, all."""
    found = sorted([*EXTENSION.glob("tests/unit/*.test.ts"), *EXTENSION.glob("tests/program/*.test.ts"), *CLIENT.glob("*.test.ts")])
    return [file for file in found if not names or any(name in file.name for name in names)]


def run(start: Path, program: Path, folder: Path, names: list[str]) -> int:
    """Runs the tests and prints what failed. `start` runs a program under Wine, and `folder` takes the reports."""
    chosen = files(names)
    if not chosen:
        print(f"no test file has a name with {' or '.join(names)}")
        return 2
    subprocess.run([EXTENSION / "tests/run.sh", "prepare"], check=True)
    node = Tools().install("node-windows") / "package/bin/node.exe"
    reports = Path(os.environ.get("PINTLE_REPORTS") or folder).resolve()
    reports.mkdir(parents=True, exist_ok=True)
    command = [
        start, node, "--import", "./tests/program/modules.mjs", "--test", f"--test-timeout={TEST_TIMEOUT_MS}",
        "--test-reporter=tap", "--test-reporter-destination=stdout",
        "--test-reporter=junit", f"--test-reporter-destination={windows_path(reports / 'windows-node.xml')}",
        *(os.path.relpath(file, EXTENSION) for file in chosen),
    ]
    env = {**os.environ, "PINTLE_BIN": windows_path(program)}
    for is_last in (False, True):
        status, tap = _report(command, env, folder / "node.tap")
        if CRASH not in tap or is_last:
            break
        print("Wine's server crashed; the tests are run once more")
    print(failures(tap), end="")
    sums = counts(tap)
    if sums is None:
        print(f"Node {status}, and its report is not complete: {folder / 'node.tap'}")
        return 1
    print(f"{sums.passed} passed, {sums.failed} failed, {sums.skipped} skipped, 0 flaky")
    return 0 if sums.failed == 0 and sums.passed > 0 else 1


def _report(command: list, env: dict[str, str], file: Path) -> tuple[str, str]:
    """Runs Node with its output in a file. Returns how it ended and what it wrote."""
    # Node for Windows cannot write to a pipe of Linux.
    with file.open("w") as output:
        process = subprocess.Popen(
            command, cwd=EXTENSION, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    until = time.monotonic() + TIMEOUT_S
    while process.poll() is None:
        late = time.monotonic() > until
        # Programs hang when Wine's server is gone.
        if late or CRASH in file.read_text(errors="replace"):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return ("did not end in time" if late else "was ended"), file.read_text(errors="replace")
        time.sleep(0.5)
    return f"ended with exit status {process.returncode}", file.read_text(errors="replace")
