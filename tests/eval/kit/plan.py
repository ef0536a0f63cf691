"""The plan of a run: its attempts, the folder that holds them, and what a second start with the same folder may not change.

    OUT/plan.json        the tasks with their digests, the permission mode, the options
    OUT/places/ID/work   where the agent works on the attempt ID
    OUT/tasks.jsonl      the list for `pintle batch`
    OUT/batch/ID/…       what `pintle batch` keeps of the attempt
    OUT/checks/ID.json   the verdict of its hidden check
    OUT/results.json     everything that the tables are made of
"""

import fcntl
import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import tasks

# The states in which `pintle batch` does an attempt again when it is started again.
UNFINISHED = {"signal", "batchLimit", "batchWall", "workerDied"}


class PlanError(Exception):
    """A folder or an option that does not fit; the message says what does."""


@dataclass(frozen=True)
class Attempt:
    id: str
    task: tasks.Task
    model: str
    number: int


def slug(text):
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._") or "x"


def attempts(all_tasks, models, repeat):
    """The attempts in the order in which they begin: each task once, then each a second time."""
    model_names, task_names = distinct(models, 40), distinct([task.id for task in all_tasks], 50)
    return [
        Attempt(f"{task_name}.{model_name}.{number}", task, model, number)
        for number in range(1, repeat + 1)
        for model, model_name in zip(models, model_names)
        for task, task_name in zip(all_tasks, task_names)
    ]


def distinct(texts, length):
    """Names for folders, with numbers in front where two would be one, also to file systems that ignore case."""
    names = [slug(text)[:length] for text in texts]
    if len({name.lower() for name in names}) < len(names):
        names = [f"{at + 1}-{name}" for at, name in enumerate(names)]
    return names


def inside_repository(folder):
    """The root of the repository around a folder that may not exist yet, or None."""
    folder = folder.resolve()
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


class Folder:
    """The folder of a run."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        root = inside_repository(self.path)
        if root is not None:
            raise PlanError(f"--out {self.path} is inside of the repository {root}, where an agent would see more than its task; name a folder outside")
        self.places = self.path / "places"
        self.batch = self.path / "batch"
        self.checks = self.path / "checks"
        self.list = self.path / "tasks.jsonl"
        self.results = self.path / "results.json"
        # Held as long as the run, and the batch that it started, are alive.
        self.lock = None

    def hold(self, plan):
        """Takes the folder for this plan, or goes on with it; another plan is an error, and so is another run that uses the folder."""
        names = {path.name for path in self.path.iterdir()} if self.path.exists() else set()
        path = self.path / "plan.json"
        if names - {"lock"} and path.name not in names:
            raise PlanError(f"{self.path} is not empty and holds no run of this kit; name another --out")
        self.path.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.path / "lock", "a")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists():
                plan = continued(path, plan)
        except BlockingIOError:
            self.release()
            raise PlanError(f"{self.path} is in use by another run") from None
        except PlanError:
            self.release()
            raise
        for folder in (self.places, self.checks):
            folder.mkdir(exist_ok=True)
        write_json(path, plan)

    def release(self):
        self.lock.close()

    def result(self, attempt):
        """The result of an attempt, or None."""
        try:
            return json.loads((self.batch / attempt.id / "result.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def is_finished(self, attempt):
        result = self.result(attempt)
        return result is not None and result.get("stop") not in UNFINISHED

    def runs(self, attempt, retry_failed):
        """Returns true if `pintle batch` will do the attempt."""
        return not self.is_finished(attempt) or (retry_failed and self.result(attempt).get("exitCode") != 0)

    def prompt(self, attempt):
        """The text of an attempt; tasks of others may name the folder in it."""
        task = attempt.task
        return task.prompt if task.foreign is None else task.foreign.prompt(task, self.places / attempt.id / "work")

    def make_places(self, all_attempts, retry_failed):
        """Makes a fresh place for each attempt that will be done."""
        for attempt in all_attempts:
            if self.runs(attempt, retry_failed):
                tasks.make_place(attempt.task, self.places / attempt.id)

    def write_list(self, all_attempts):
        """Writes the list for `pintle batch`."""
        lines = []
        for attempt in all_attempts:
            task = attempt.task
            line = {
                "id": attempt.id,
                "dir": f"{attempt.id}/work",
                "prompt": self.prompt(attempt),
                "model": attempt.model,
                # The hidden check judges; a denied call is no failure by itself.
                "failOnDenied": False,
                "limits": {"maxSteps": task.limits.steps, "timeout": task.limits.wall},
            }
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        self.list.write_text("".join(lines), encoding="utf-8")


def continued(path, plan):
    """The plan of a folder that was begun, with the tasks of this start; an error where they do not go together."""
    try:
        old = json.loads(path.read_text())
        old_tasks = dict(old["tasks"])
    except (ValueError, KeyError, TypeError):
        raise PlanError(f"{path} is damaged; name another --out") from None
    for key in ("permission", "options"):
        if old.get(key) != plan[key]:
            raise PlanError(f"{path.parent} was begun with {key} {old.get(key)!r}, not {plan[key]!r}; name another --out")
    for task, digest in plan["tasks"].items():
        if old_tasks.get(task, digest) != digest:
            raise PlanError(f"the task {task} has changed since {path.parent} was begun; name another --out")
    return {**plan, "tasks": {**old_tasks, **plan["tasks"]}}


def write_json(path, value):
    """Writes a file whole or not at all."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)
