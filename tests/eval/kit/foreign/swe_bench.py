"""Instances of SWE-bench: a JSON object a line, with the repository at a commit, the text of an issue, and tests that have to pass afterwards.

The agent gets the files of the commit in a repository without history, so that the real fix is not in it. The check puts the tests of the instance
in place, whatever the agent made of them, and runs those that failed before (FAIL_TO_PASS) and those that passed (PASS_TO_PASS)."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .. import checks
from ..tasks import Limits, Task, TaskError

TEST_COMMAND = "python3 -m pytest -q -p no:cacheprovider {tests}"
TEST_SECONDS = 1800

NEEDED = ("instance_id", "repo", "base_commit", "problem_statement", "test_patch", "FAIL_TO_PASS", "PASS_TO_PASS")

PROMPT = """\
The repository in this folder has the following issue. Change its code so that the issue is resolved; tests that belong to it are run afterwards.

{issue}"""


def read_file(path, options):
    """The tasks of a .jsonl file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            instance = json.loads(line)
        except ValueError as error:
            raise TaskError(f"{path}:{number}: {error}") from None
        lacks = [key for key in NEEDED if not isinstance(instance, dict) or key not in instance]
        if lacks:
            raise TaskError(f"{path}:{number}: no instance of SWE-bench: {', '.join(lacks)} {'is' if len(lacks) == 1 else 'are'} missing")
        found.append(task_of(instance, path, options))
    return found


def task_of(instance, path, options):
    repository = find(options.repos, instance["repo"])
    own = Instance(repository, instance["base_commit"], instance["test_patch"], (*names(instance["FAIL_TO_PASS"]), *names(instance["PASS_TO_PASS"])), options.test_command)
    return Task(
        id=instance["instance_id"],
        kind="swe-bench",
        languages=(instance["repo"],),
        prompt=PROMPT.format(issue=instance["problem_statement"].strip()),
        # Its one file holds other tasks too; what is this task's own is in `foreign`.
        folder=path,
        limits=Limits(steps=150, wall=1800),
        check_timeout=TEST_SECONDS,
        skip=own.skip_reason(instance, options),
        foreign=own,
    )


def names(value):
    """The names of tests: a list, or a list written as JSON."""
    value = json.loads(value) if isinstance(value, str) else value
    return tuple(value)


def find(repos, name):
    """The local folder of a repository, or None."""
    if repos is None:
        return None
    candidates = (repos / name, repos / name.replace("/", "__"), repos / name.rsplit("/", 1)[-1])
    return next((path for path in candidates if path.is_dir()), None)


def git(folder, *arguments, **options):
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, stdin=None if "input" in options else subprocess.DEVNULL, **options)


@lru_cache
def no_runner(command):
    """Why a test command cannot run here, or None."""
    words = shlex.split(command)
    if "{tests}" not in words:
        return f"--test-command {command!r} has no {{tests}}"
    if shutil.which(words[0]) is None:
        return f"--test-command: there is no {words[0]}"
    if words[1] == "-m" and subprocess.run([words[0], "-c", f"import {words[2]}"], capture_output=True, stdin=subprocess.DEVNULL).returncode != 0:
        return f"--test-command: {words[0]} has no module {words[2]}"
    return None


@dataclass(frozen=True)
class Instance:
    repository: Path | None
    commit: str
    test_patch: str
    tests: tuple[str, ...]
    test_command: str

    def skip_reason(self, instance, options):
        if self.repository is None:
            where = f"{options.repos} has no folder for {instance['repo']}" if options.repos else f"--repos DIR has to hold {instance['repo']}"
            return where
        if git(self.repository, "cat-file", "-e", f"{self.commit}^{{commit}}").returncode != 0:
            return f"{self.repository} has no commit {self.commit[:12]}"
        if not self.tests:
            return "it names no tests"
        return no_runner(self.test_command)

    def prompt(self, task, _work):
        return task.prompt

    def make_work(self, task, work):
        work.mkdir(parents=True)
        done = git(self.repository, "archive", self.commit)
        if done.returncode != 0:
            raise TaskError(f"{task.id}: git archive: {done.stderr.decode('utf-8', 'replace').strip()}")
        subprocess.run(["tar", "-xf", "-", "-C", str(work)], input=done.stdout, check=True)

    def judge(self, task, work, environment):
        before = Path(environment["EVAL_BEFORE"])
        for name in patched(self.test_patch):
            own, old = work / name, before / name
            own.parent.mkdir(parents=True, exist_ok=True)
            if old.is_file():
                own.write_bytes(old.read_bytes())
            else:
                own.unlink(missing_ok=True)
        if self.test_patch.strip():
            done = git(work, "apply", "--whitespace=nowarn", "-", input=self.test_patch.encode())
            if done.returncode != 0:
                return checks.Verdict(False, f"the tests cannot be put in place: {done.stderr.decode('utf-8', 'replace').strip().splitlines()[-1]}")
        words = []
        for word in shlex.split(self.test_command):
            words += self.tests if word == "{tests}" else [word]
        try:
            code, output = checks.bounded(words, work, environment, task.check_timeout)
        except OSError as error:
            return checks.Verdict(False, f"`{words[0]}` cannot be run: {error.strerror}")
        if code is None:
            return checks.Verdict(False, f"the tests did not end within {task.check_timeout} s")
        last = (output.strip().splitlines() or [f"exit code {code}"])[-1]
        return checks.Verdict(code == 0, last[: checks.REASON_LENGTH])


def patched(patch):
    """The files that a patch writes or deletes."""
    found = re.findall(r"^(?:\+\+\+ b|--- a)/([^\t\n]+)", patch, re.M)
    return sorted(set(found))
