"""`tests/all.sh`: selects suites, installs their tools, builds once, runs them and prints what came of it."""

import argparse
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from . import report, selection
from .report import Result
from .selection import Suite
from .tools import ROOT, Tools, Unavailable, cache

FULL = ROOT / ".ci" / "full"

# A run with --since plans suites for an hour by their rows. When the machine is slower than the rows, it starts none that would end after
# the second limit.
MAX_PLANNED = 60
MAX_ELAPSED = 72

# The exit status of a run that passed with flaky tests, with --strict.
FLAKY = 3


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tests/all.sh",
        description="Runs the tests. Without arguments: the quick tier, as the README says.",
        epilog="Results are written to target/tests: junit.xml, a log for each suite, and what failures leave.",
    )
    parser.add_argument("suites", nargs="*", metavar="NAME", help="run these suites")
    parser.add_argument("--list", action="store_true", help="print the suites and exit")
    parser.add_argument("--full", action="store_true", help="run all suites")
    parser.add_argument(
        "--since", metavar="REV", help="run the quick tier and the suites whose paths have changed since REV"
    )
    parser.add_argument("--strict", action="store_true", help=f"exit with {FLAKY} if a test passed only when it was retried")
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of random tests (PINTLE_SEED)")
    return parser.parse_args(argv)


def hold(target: Path):
    """Keeps other runs out of a target folder while the returned file is open."""
    target.mkdir(parents=True, exist_ok=True)
    file = (target / "tests.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise SystemExit(
            f"tests/all.sh: process {holder} runs the tests in this clone already; wait for it, or use another clone"
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


class Run:
    """One run: where things are, and what has come of it so far."""

    def __init__(self, seed: int):
        self.began = time.monotonic()
        self.seed = seed
        target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
        self.target = target
        self.folder = target / "tests"
        self.lock = hold(target)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.tools = Tools(self.say)
        self.results: list[Result] = []
        self.env = dict(
            os.environ,
            PINTLE_CACHE=str(cache()),
            PINTLE_BIN=str(target / "debug" / "pintle"),
            PINTLE_EVIDENCE=str(self.folder / "evidence"),
            PINTLE_SKIPS=str(self.folder / "skips"),
            PINTLE_SEED=str(seed),
            PINTLE_RETRIES_E2E=os.environ.get("PINTLE_RETRIES_E2E", "1"),
            CARGO_INCREMENTAL=os.environ.get("CARGO_INCREMENTAL", "0"),
        )
        (self.folder / "skips").touch()

    def say(self, line: str) -> None:
        print(f"   [{time.monotonic() - self.began:5.0f} s] {line}", flush=True)

    def heading(self, line: str) -> None:
        print(f"\n== {line} (after {time.monotonic() - self.began:.0f} s)", flush=True)

    def command(self, command: str, log: Path, env: dict[str, str]) -> int:
        """Runs a command in the root folder, shows what it prints and writes that to a log too."""
        with log.open("wb") as file:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )
            try:
                for line in process.stdout:
                    sys.stdout.buffer.write(line)
                    sys.stdout.buffer.flush()
                    file.write(line)
                return process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise

    def build(self) -> bool:
        """Builds the program and all that tests run, once and with the same features for all suites."""
        self.heading("build")
        began = time.monotonic()
        code = self.command("tests/runner/rust.sh --build", self.folder / "build.log", self.env)
        why = "" if code == 0 else f"exit status {code}"
        counts = {"passed": 1} if code == 0 else {"failed": 1}
        status = "passed" if code == 0 else "failed"
        self.results.append(Result("build", status, time.monotonic() - began, why=why, **counts))
        return code == 0

    def missing(self, suite: Suite) -> tuple[list[str], list[str]]:
        """What could not be installed of a suite's tools and extras."""
        found: tuple[list[str], list[str]] = ([], [])
        for names, missing in ((suite.tools, found[0]), (suite.extras, found[1])):
            for name in names:
                try:
                    self.tools.install(name)
                except Unavailable as error:
                    missing.append(str(error))
                    self.say(f"not installed: {error}")
        return found

    def required(self, name: str) -> bool:
        return os.environ.get("CI") == "true" and not self.tools.rows[name].get("optional", False)

    def suite(self, suite: Suite) -> Result:
        self.heading(f"{suite.name}: {suite.about}")
        began = time.monotonic()
        tools, extras = self.missing(suite)
        for missing in extras:
            with open(self.env["PINTLE_SKIPS"], "a") as file:
                file.write(f"{suite.name}: {missing.splitlines()[0]}\n")
        must_have = [name for name in (*suite.tools, *suite.extras) if name in self.tools.failed and self.required(name)]
        if must_have:
            return Result(suite.name, "failed", time.monotonic() - began, failed=1, why=f"not installed: {', '.join(must_have)}")
        if tools:
            return Result(suite.name, "skipped", time.monotonic() - began, skipped=1, why=tools[0].splitlines()[0])
        reports = self.folder / "reports" / suite.name
        reports.mkdir(parents=True)
        log = self.folder / f"{suite.name}.log"
        code = self.command(suite.run, log, dict(self.env, PINTLE_REPORTS=str(reports)))
        tail = log.read_text(errors="replace").strip().splitlines()
        result = report.read(suite.name, code, time.monotonic() - began, reports, tail[-1] if tail else "")
        if result.status == "skipped" and os.environ.get("CI") == "true":
            result.status, result.failed, result.skipped = "failed", 1, 0
        return result

    def install_ahead(self, suites: list[Suite]) -> None:
        """Installs tools while the program is built: most of that waits for a network."""

        def work() -> None:
            ahead = Tools(self.say)
            for name in dict.fromkeys(name for suite in suites for name in (*suite.tools, *suite.extras)):
                try:
                    ahead.install(name)
                except Unavailable:
                    # The suite that needs it tries again, and says so.
                    pass

        threading.Thread(target=work, daemon=True).start()

    def end(self, left: list[Suite]) -> None:
        skips = sorted(set(Path(self.env["PINTLE_SKIPS"]).read_text().splitlines()))
        for suite in left:
            self.results.append(Result(suite.name, "not run", why="the run would have taken too long"))
        report.write_junit(self.results, self.folder / "reports", self.folder / "junit.xml")
        print(f"\n{report.table(self.results)}")
        for title, lines in (
            ("failed", [f"{each.name}: {test}" for each in self.results for test in each.failed_tests]
             + [f"{each.name}: {each.why}" for each in self.results if each.status == "failed" and each.why]),
            ("flaky", [f"{each.name}: {test}" for each in self.results for test in each.flaky_tests]),
            ("skipped", [f"{each.name}: {each.why}" for each in self.results if each.status == "skipped"]),
            ("skipped in part", skips),
            ("not run, because the run would have taken too long", [suite.name for suite in left]),
        ):
            if lines:
                print(f"\n{title}:")
                print("\n".join(f"  {line}" for line in lines))
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        print(f"\n{minutes} min {seconds} s; seed {self.seed}; logs and junit.xml: {os.path.relpath(self.folder)}")
        passed, failed, skipped = (sum(getattr(each, key) for each in self.results) for key in ("passed", "failed", "skipped"))
        print(f"{passed} passed, {failed} failed, {skipped} skipped")


def print_list(table: selection.Table) -> None:
    names = max(len(suite.name) for suite in table.suites)
    print(f"{'suite'.ljust(names)}  tier   minutes  tests")
    for suite in table.suites:
        print(f"{suite.name.ljust(names)}  {suite.tier.ljust(5)}  {suite.minutes:>7}  {suite.about}")
        print(f"{' ' * names}                  run: {suite.run}")
        print(f"{' ' * names}                  paths: {' '.join(path or 'all' for path in suite.paths)}")
        if suite.tools or suite.extras:
            print(f"{' ' * names}                  installs: {' '.join((*suite.tools, *suite.extras))}")


def select(args: argparse.Namespace, table: selection.Table) -> tuple[list[Suite], list[Suite]]:
    """The suites to run, in the order of the table, and those left out for want of time."""
    known = {suite.name: suite for suite in table.suites}
    if unknown := [name for name in args.suites if name not in known]:
        raise SystemExit(f"tests/all.sh: no suite `{unknown[0]}`; tests/all.sh --list prints them")
    wanted, left = [], []
    if args.full:
        wanted = list(table.suites)
    elif args.since is not None:
        changed = selection.changed_since(args.since)
        if changed is None:
            print(f"tests/all.sh: no commit `{args.since}` in this clone, so all suites count as changed", file=sys.stderr)
        wanted, left = selection.within(selection.since(table, changed), MAX_PLANNED)
    elif not args.suites:
        wanted = [suite for suite in table.suites if suite.tier == "quick"]
    chosen = {suite.name for suite in wanted} | set(args.suites)
    return (
        [suite for suite in table.suites if suite.name in chosen],
        [suite for suite in left if suite.name not in chosen],
    )


def record_full() -> None:
    """Records the commit of a full run that passed on a clean tree."""
    if selection.git("status", "--porcelain") == "":
        FULL.write_text(selection.git("rev-parse", "HEAD"))
        print(f"recorded in {FULL.relative_to(ROOT)}: commit it")


def main(argv: list[str]) -> int:
    os.chdir(ROOT)
    args = arguments(argv)
    table = selection.load(Path(__file__).with_name("suites.toml"))
    if args.list:
        print_list(table)
        return 0
    suites, left = select(args, table)
    seed = args.seed if args.seed is not None else int(os.environ.get("PINTLE_SEED") or random.randrange(2**32))
    run = Run(seed)
    # A terminated run ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"{len(suites)} suites, seed {seed}: {', '.join(suite.name for suite in suites)}", flush=True)
    run.install_ahead(suites)
    is_built = not any(suite.engine for suite in suites) or run.build()
    done: list[tuple[Suite, float]] = []
    for suite in suites:
        elapsed = time.monotonic() - run.began
        if suite.engine and not is_built:
            run.results.append(Result(suite.name, "skipped", skipped=1, why="the build failed"))
        elif args.since is not None and not selection.fits(suite, done, elapsed, MAX_ELAPSED * 60):
            left.append(suite)
        else:
            result = run.suite(suite)
            run.results.append(result)
            done.append((suite, result.seconds))
    run.end(left)
    if any(each.failed for each in run.results):
        return 1
    if args.full:
        record_full()
    return FLAKY if args.strict and any(each.flaky for each in run.results) else 0
