"""Hidden checks: each runs after the agent, in a copy of what it left, within a time limit, and prints one line."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import tasks
from .hidden import trees

KIT = Path(__file__).resolve().parent

# The longest line of a check that is kept.
REASON_LENGTH = 300


@dataclass(frozen=True)
class Verdict:
    passed: bool
    reason: str


def check(task, place, answer, result=None):
    """Judges what an agent left in a place, and its answer. `result` is the path of its result.json."""
    with tempfile.TemporaryDirectory(prefix="pintle-eval-check-") as scratch:
        scratch = Path(scratch)
        if not (place / "work").is_dir():
            return Verdict(False, "the folder of the agent is gone")
        # The check may change what it likes: the agent's own folder stays as evidence.
        try:
            shutil.copytree(place, scratch / "after", symlinks=True, ignore=special_files)
        except shutil.Error as error:
            path, _, why = error.args[0][0]
            return Verdict(False, f"{os.path.relpath(path, place)} cannot be read: {why}")
        tasks.make_place(task, scratch / "before")
        if task.unchanged:
            reason = difference(scratch)
            if reason:
                return Verdict(False, reason)
        (scratch / "answer.txt").write_text(answer, encoding="utf-8", errors="replace")
        (scratch / "home").mkdir()
        environment = tasks.clean_environment(scratch / "home") | {
            "EVAL_TASK": str(task.folder),
            "EVAL_BEFORE": str(scratch / "before" / "work"),
            "EVAL_ANSWER": str(scratch / "answer.txt"),
            "EVAL_RESULT": str(result or os.devnull),
            "PYTHONPATH": str(KIT / "hidden"),
        }
        if task.foreign is not None:
            return task.foreign.judge(task, scratch / "after" / "work", environment)
        program = tasks.check_program(task.folder)
        command = [sys.executable, str(program)] if program.suffix == ".py" else ["bash", str(program)]
        code, output = bounded(command, scratch / "after" / "work", environment, task.check_timeout)
        lines = output.strip().splitlines()
        if code is None:
            return Verdict(False, f"the check did not end within {task.check_timeout} s")
        reason = lines[-1][:REASON_LENGTH] if lines else f"the check exited with {code} and said nothing"
        return Verdict(code == 0, reason)


def special_files(folder, names):
    """The names of pipes, sockets and devices, which cannot be copied."""
    modes = ((name, os.lstat(os.path.join(folder, name)).st_mode) for name in names)
    return [name for name, mode in modes if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))]


def difference(scratch):
    """The first difference between before and after where there may be none, or None."""
    paths = trees.changed(scratch / "before", scratch / "after")
    if paths:
        shown = paths[0].removeprefix("work/") if paths[0].startswith("work/") else f"../{paths[0]}"
        return f"{shown} was changed, and nothing was to be"
    states = [git_state(scratch / name / "work") for name in ("before", "after")]
    return None if states[0] == states[1] else "commits, branches or the index were changed, and nothing was to be"


def git_state(folder):
    environment = tasks.clean_environment(folder)
    commands = (["rev-parse", "HEAD"], ["for-each-ref"], ["status", "--porcelain", "--untracked-files=no"], ["stash", "list"])
    return [
        subprocess.run(["git", *command], cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL).stdout
        for command in commands
    ]


def bounded(command, folder, environment, seconds):
    """Runs a program with all that it starts; returns its exit code, None where the time was over, and its output."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            # Whatever it left running ends with it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        return code, output.read().decode("utf-8", "replace")
