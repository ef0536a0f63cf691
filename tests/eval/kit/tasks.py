"""Tasks: reading a folder of them, and making the place in which an agent works on one."""

import atexit
import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

TASKS = Path(__file__).resolve().parent.parent / "tasks"

KINDS = (
    "failing test",
    "flag",
    "rename",
    "log",
    "write a test",
    "merge",
    "refactoring",
    "edit",
    "question",
    "refuse",
    "denied",
    "hostile",
    "job",
)

# A day that is in no log, so that the commits of a task are the same in every run.
DATE = "2026-01-05T12:00:00Z"


class TaskError(Exception):
    """A task folder that cannot be used; the message names the file and the remedy."""


@dataclass(frozen=True)
class Limits:
    steps: int = 40
    wall: int = 600


@dataclass(frozen=True)
class Task:
    id: str
    kind: str
    languages: tuple[str, ...]
    prompt: str
    folder: Path
    # Programs without which the task or its check cannot run.
    needs: tuple[str, ...] = ()
    # The agent may change nothing.
    unchanged: bool = False
    limits: Limits = Limits()
    check_timeout: int = 120
    # The reason why it cannot run here.
    skip: str | None = None
    # How its place is made and judged, where that is not as in `tests/eval/tasks`.
    foreign: object = field(default=None, compare=False)

    def missing(self):
        """The reason why the task cannot run on this machine, or None."""
        if self.skip:
            return self.skip
        lacks = [name for name in self.needs if shutil.which(name) is None]
        return f"needs {', '.join(lacks)}" if lacks else None

    def digest(self):
        """Changes with any file of the task."""
        digest = hashlib.sha256(self.prompt.encode())
        if self.foreign is not None:
            digest.update(repr(self.foreign).encode())
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(self.folder)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()


def read_task(folder):
    """Reads a folder of `tests/eval/tasks`."""
    path = folder / "task.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TaskError(f"{folder} has no task.toml") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskError(f"{path}: {error}") from None

    def take(name, kind, default=None):
        value = data.pop(name, default)
        if value is None:
            raise TaskError(f"{path}: `{name}` is missing")
        if not isinstance(value, kind):
            raise TaskError(f"{path}: `{name}` is of the wrong type: {value!r}")
        return value

    limits = take("limits", dict, {})
    unknown = set(limits) - {"steps", "wall"}
    task = Task(
        id=folder.name,
        kind=take("kind", str),
        languages=tuple(take("languages", list)),
        prompt=take("prompt", str).strip(),
        folder=folder,
        needs=tuple(take("needs", list, [])),
        unchanged=take("unchanged", bool, False),
        limits=Limits(**{name: limits[name] for name in limits if name not in unknown}),
        check_timeout=take("check_timeout", int, 120),
    )
    unknown |= set(data)
    if unknown:
        raise TaskError(f"{path}: unknown keys: {', '.join(sorted(unknown))}")
    if task.kind not in KINDS:
        raise TaskError(f"{path}: the kind is one of {', '.join(KINDS)}")
    if not (folder / "work").is_dir():
        raise TaskError(f"{folder} has no folder `work`")
    if check_program(folder) is None:
        raise TaskError(f"{folder} has neither check.py nor check.sh")
    return task


def check_program(folder):
    """The hidden check of a task, or None."""
    found = [folder / name for name in ("check.py", "check.sh") if (folder / name).is_file()]
    return found[0] if found else None


def read_tasks(folder=TASKS, pattern="*"):
    """The tasks of a folder whose ids fit a glob, sorted."""
    folders = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    tasks = [read_task(path) for path in folders if fnmatch.fnmatch(path.name, pattern)]
    if not tasks:
        raise TaskError(f"no task of {folder} fits {pattern!r}")
    return tasks


def clean_environment(home):
    """The variables for programs of tasks: no settings of the person who runs the kit, and commits that are always the same."""
    keep = ("PATH", "TMPDIR", "RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    # `python3` is the one that runs the kit.
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment.get('PATH', os.defpath)}"
    # The Rust toolchain is found by the home folder where nothing else says where it is.
    real = Path(os.environ.get("HOME", "/"))
    environment.setdefault("RUSTUP_HOME", str(real / ".rustup"))
    environment.setdefault("CARGO_HOME", str(real / ".cargo"))
    return environment | {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A Person",
        "GIT_AUTHOR_EMAIL": "person@example.com",
        "GIT_COMMITTER_NAME": "A Person",
        "GIT_COMMITTER_EMAIL": "person@example.com",
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
    }


# The places of the tasks of this process as they were made first, by digest; the others are copies.
_templates = {}
_lock = threading.Lock()


def make_place(task, place):
    """Makes the folder of one attempt: `work`, in which the agent works, a git repository with one commit, and what is beside it."""
    if place.exists():
        remove(place)
    with _lock:
        digest = task.digest()
        if digest not in _templates:
            folder = Path(tempfile.mkdtemp(prefix="pintle-eval-template-"))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            build(task, folder / "place")
            _templates[digest] = folder / "place"
        first = _templates[digest]
    shutil.copytree(first, place, symlinks=True)


def build(task, place):
    """Makes a place from the files of its task."""
    place.mkdir(parents=True)
    if task.foreign is not None:
        task.foreign.make_work(task, place / "work")
    else:
        shutil.copytree(task.folder / "work", place / "work", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    if task.foreign is None and (task.folder / "beside").is_dir():
        shutil.copytree(task.folder / "beside", place, symlinks=True, dirs_exist_ok=True)
    environment = clean_environment(place)
    if not (place / "work" / ".git").exists():
        for command in (["init", "--quiet", "-b", "main"], ["add", "--all"], ["commit", "--quiet", "--allow-empty", "-m", "Import"]):
            run(["git", *command], place / "work", environment, task)
    # So that the agent can commit, as a person's own settings would let it.
    for name, value in (("user.name", "A Person"), ("user.email", "person@example.com")):
        run(["git", "config", name, value], place / "work", environment, task)
    setup = task.folder / "setup.sh"
    if task.foreign is None and setup.is_file():
        run(["bash", str(setup)], place / "work", environment, task)


def run(command, folder, environment, task):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise TaskError(f"{task.id}: {' '.join(command)} exited with {done.returncode}: {done.stderr.strip()}")


def remove(folder):
    """Removes a folder, also one whose modes an agent has changed."""
    def again(function, path, _error):
        os.chmod(os.path.dirname(path), 0o700)
        if not os.path.islink(path):
            os.chmod(path, 0o700)
        function(path)

    shutil.rmtree(folder, onerror=again)
