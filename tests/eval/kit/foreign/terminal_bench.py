"""Folders of Terminal-Bench: `task.yaml` with `run-tests.sh`, or `task.toml` with `instruction.md`, `environment/` and `tests/test.sh`.

Both are made for containers with fixed paths: the working folder (`/app` by default), `/tests`, `/logs`. In place these paths are replaced by those of
this machine, in the task's text and in copies of its tests."""

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .. import checks
from ..tasks import Limits, Task
from . import dockerfile, yaml_subset

# Files of a task that are no part of what an agent sees.
HIDDEN = {"task.yaml", "task.toml", "instruction.md", "run-tests.sh", "tests", "solution", "solution.sh", "solution.yaml", "Dockerfile", "docker-compose.yaml"}

KIND = "terminal-bench"

INSTALLERS = re.compile(r"^\s*(?:sudo )?(apt-get|apt|apk|yum|dnf|curl|wget|pip3?|uv|npm|conda)\s", re.M)


def is_task(folder):
    return (folder / "task.yaml").is_file() or ((folder / "task.toml").is_file() and (folder / "instruction.md").is_file())


@dataclass(frozen=True)
class Parts:
    prompt: str
    context: Path
    script: Path
    agent_seconds: int
    test_seconds: int
    labels: tuple[str, ...]


def read_task(folder, options):
    try:
        parts = old_format(folder) if (folder / "task.yaml").is_file() else new_format(folder)
    except (yaml_subset.YamlError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # One that is broken keeps nobody from the others.
        return Task(id=folder.name, kind=KIND, languages=(), prompt="", folder=folder, skip=f"it cannot be read: {error}")
    recipe_file = parts.context / "Dockerfile"
    recipe = dockerfile.read(recipe_file.read_text(encoding="utf-8")) if recipe_file.is_file() else dockerfile.Recipe("/app", (), "it has no Dockerfile")
    own = Folder(parts.context, parts.script, recipe, parts.test_seconds)
    return Task(
        id=folder.name,
        kind=KIND,
        languages=parts.labels,
        prompt=parts.prompt.strip(),
        folder=folder,
        limits=Limits(steps=100, wall=parts.agent_seconds),
        check_timeout=parts.test_seconds,
        skip=skip_reason(parts, recipe, options.in_place),
        foreign=own,
    )


def old_format(folder):
    path = folder / "task.yaml"
    values = yaml_subset.load(path.read_text(encoding="utf-8"))
    return Parts(
        prompt=yaml_subset.text_of(values, "instruction", path),
        context=folder,
        script=folder / "run-tests.sh",
        agent_seconds=yaml_subset.seconds_of(values, "max_agent_timeout_sec", 900),
        test_seconds=yaml_subset.seconds_of(values, "max_test_timeout_sec", 180),
        labels=tuple(value for value in (values.get("category"), values.get("difficulty")) if isinstance(value, str) and value),
    )


def new_format(folder):
    data = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))
    about = data.get("metadata", {})
    return Parts(
        prompt=(folder / "instruction.md").read_text(encoding="utf-8"),
        context=folder / "environment",
        script=folder / "tests" / "test.sh",
        agent_seconds=yaml_subset.seconds_of(data.get("agent", {}), "timeout_sec", 900),
        test_seconds=yaml_subset.seconds_of(data.get("verifier", {}), "timeout_sec", 180),
        labels=tuple(about[key] for key in ("category", "difficulty") if isinstance(about.get(key), str)),
    )


def skip_reason(parts, recipe, is_in_place):
    """Why a task cannot run here, or None."""
    if not parts.script.is_file():
        return f"it has no {parts.script.name}"
    compose = parts.context / "docker-compose.yaml"
    if compose.is_file() and services(compose.read_text(encoding="utf-8")) > 1:
        return "it wants several containers (docker-compose.yaml)"
    installer = INSTALLERS.search(parts.script.read_text(encoding="utf-8"))
    if is_in_place:
        if installer and not has_pytest():
            return f"{parts.script.name} installs software with {installer[1]}, and pytest, which would do without it, is not here"
        return None
    if recipe.reason:
        return f"{recipe.reason}, which needs a container; --in-place tries it without"
    if installer:
        return f"{parts.script.name} installs software with {installer[1]}; --in-place runs its tests with the pytest of this machine"
    return None


def services(text):
    """The number of services of a docker-compose.yaml."""
    below = re.split(r"^services:[ \t]*$", text, flags=re.M)
    return len(re.findall(r"^  [\w.-]+:", re.split(r"^\S", below[1], flags=re.M)[0], flags=re.M)) if len(below) == 2 else 1


def has_pytest():
    return subprocess.run([sys.executable, "-c", "import pytest"], capture_output=True).returncode == 0


@dataclass(frozen=True)
class Folder:
    """Makes a task of Terminal-Bench in place, and judges it."""

    context: Path
    script: Path
    recipe: dockerfile.Recipe
    test_seconds: int

    def prompt(self, task, work):
        return replaced(task.prompt, {self.recipe.workdir: str(work)})

    def make_work(self, task, work):
        work.mkdir(parents=True)
        for source, target in self.recipe.copies:
            into = work / target.rstrip("/")
            for path in sorted(self.context.glob(source.lstrip("/"))) if source not in (".", "./") else [self.context]:
                self.copy(path, into, target.endswith("/") or target in (".", ""))

    def copy(self, path, into, is_folder):
        if path.is_dir():
            # Of a folder its content is copied, without what the agent must not see.
            skip = shutil.ignore_patterns(*HIDDEN) if path == self.context else None
            shutil.copytree(path, into, symlinks=True, dirs_exist_ok=True, ignore=skip)
        elif path.name not in HIDDEN:
            file = into / path.name if is_folder or into.is_dir() else into
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, file)

    def judge(self, task, work, environment):
        scratch = work.parent.parent / "terminal-bench"
        tests, logs = scratch / "tests", scratch / "logs"
        (logs / "verifier").mkdir(parents=True)
        paths = {self.recipe.workdir: str(work), "/tests": str(tests), "/logs": str(logs)}
        source = task.folder / "tests"
        if source.is_dir():
            shutil.copytree(source, tests)
        else:
            tests.mkdir()
        script = tests / self.script.name
        shutil.copy2(self.script, script)
        for path in tests.rglob("*"):
            if path.is_file():
                try:
                    path.write_text(replaced(path.read_text(encoding="utf-8"), paths), encoding="utf-8")
                except UnicodeDecodeError:
                    pass
        command = ["bash", str(script)]
        if INSTALLERS.search(script.read_text(encoding="utf-8")):
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, sorted(tests.glob("test*.py")))]
        environment = environment | {"TEST_DIR": str(tests), "T_BENCH_TEST_DIR": str(tests)}
        code, output = checks.bounded(command, work, environment, self.test_seconds)
        if code is None:
            return checks.Verdict(False, f"the tests did not end within {self.test_seconds} s")
        reward = logs / "verifier" / "reward.txt"
        if reward.is_file():
            text = reward.read_text().strip()
            return checks.Verdict(is_one(text), f"reward {text}")
        last = (output.strip().splitlines() or ["the tests said nothing"])[-1]
        return checks.Verdict(code == 0, last[: checks.REASON_LENGTH])


def is_one(text):
    try:
        return float(text) >= 1
    except ValueError:
        return False


def replaced(text, paths):
    """The text with absolute paths of the container replaced; `/app` is not found in `/application` or `x/app`."""
    for old, new in paths.items():
        if old != "/":
            text = re.sub(rf"(?<![\w.$}}/~-]){re.escape(old)}(?![\w-])", lambda _: new, text)
    return text
