"""Runs `pintle batch` over the list of a run, and the hidden checks after it."""

import json
import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import checks
from .plan import PlanError, write_json

ROOT = Path(__file__).resolve().parents[3]
POLICY = Path(__file__).resolve().parent.parent / "policy.toml"


def program():
    """The program: PINTLE_BIN, else a release build of this repository, else `pintle` in PATH."""
    named = os.environ.get("PINTLE_BIN")
    if named:
        if not os.access(named, os.X_OK):
            raise PlanError(f"PINTLE_BIN names {named}, which cannot be run")
        return str(Path(named).resolve())
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    for found in (str(target / "release" / "pintle"), shutil.which("pintle")):
        if found and os.access(found, os.X_OK):
            return found
    raise PlanError("there is no pintle: build it with `cargo build --release`, or set PINTLE_BIN")


def version(pintle):
    done = subprocess.run([pintle, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.stdout.strip()


def script_of(scripts, folder, attempts):
    """One script for the fake model, of a folder with a script for each task: `TASK.json`, with `replies`.

    Each reply says for which task it is, so that any worker can play any task; they are there once for each attempt."""
    replies = []
    for attempt in attempts:
        path = scripts / f"{attempt.task.id}.json"
        try:
            own = json.loads(path.read_text(encoding="utf-8"))["replies"]
        except (ValueError, KeyError) as error:
            raise PlanError(f"{path} is no script: {error}") from None
        replies += [{"of": folder.prompt(attempt), **reply} for reply in own]
    return {"replies": replies}


def scripted(folder):
    """The tasks for which a folder has scripts; None where it holds something else, such as a recording."""
    found = set()
    for path in folder.glob("*.json"):
        try:
            if isinstance(json.loads(path.read_text(encoding="utf-8")).get("replies"), list):
                found.add(path.stem)
        except (ValueError, AttributeError):
            pass
    return found or None


def run(pintle, folder, attempts, options):
    """Runs the batch to its end and returns its exit code."""
    policy = folder.path / "policy.toml"
    policy.write_text(f'permission_mode = "{options.permission}"\n\n' + POLICY.read_text())
    command = [pintle, "batch", str(folder.list), "--out", str(folder.batch), "--jobs", str(options.jobs), "--policy", str(policy)]
    if options.max_cost is not None:
        command += ["--max-cost", str(options.max_cost)]
    if options.retry_failed:
        command += ["--retry-failed"]
    if options.record:
        command += ["--record", f"{Path(options.record).resolve()}/"]
    if options.replay and scripted(options.replay) is None:
        command += ["--replay", f"{Path(options.replay).resolve()}/"]
    elif options.replay:
        script = folder.path / "script.json"
        script.write_text(json.dumps(script_of(options.replay, folder, attempts), ensure_ascii=False))
        command += ["--script", str(script)]
    command += options.batch_options
    # The folder of the places is the one that a recording leaves out of what it compares.
    with open(folder.path / "batch.txt", "w") as table:
        # In a group of its own, so that a terminal's signal reaches it once: a second one would end its tasks at once.
        process = subprocess.Popen(command, cwd=folder.places, stdin=subprocess.DEVNULL, stdout=table, process_group=0, pass_fds=[folder.lock.fileno()])
    return wait(process)


def wait(process):
    """Waits for the batch. A signal goes to it, and it ends in order."""
    def forward(number, _frame):
        process.send_signal(number)

    old = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return process.wait()
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def judge(folder, attempts, jobs):
    """The verdicts of the hidden checks by attempt; those of earlier starts are kept where the result is the same."""
    def one(attempt):
        source = folder.batch / attempt.id / "result.json"
        path = folder.checks / f"{attempt.id}.json"
        stamp = source.stat().st_mtime_ns
        try:
            kept = json.loads(path.read_text())
            if kept["stamp"] == stamp:
                return attempt.id, checks.Verdict(kept["passed"], kept["reason"])
        except (FileNotFoundError, ValueError, KeyError):
            pass
        result = folder.result(attempt)
        verdict = checks.check(attempt.task, folder.places / attempt.id, result.get("text") or "", source)
        write_json(path, {"passed": verdict.passed, "reason": verdict.reason, "stamp": stamp})
        return attempt.id, verdict

    finished = [attempt for attempt in attempts if folder.is_finished(attempt)]
    with ThreadPoolExecutor(min(jobs, os.cpu_count() or 1)) as pool:
        return dict(pool.map(one, finished))
