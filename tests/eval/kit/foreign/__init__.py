"""Tasks in the formats of others: folders of Terminal-Bench (both of its formats) and instances of SWE-bench.

Each is a `tasks.Task` whose `foreign` knows how its folder is made and judged. What cannot run without a container says so."""

import fnmatch

from ..tasks import TaskError
from . import swe_bench, terminal_bench
from .swe_bench import TEST_COMMAND


def read_tasks(options):
    """The tasks that `--tasks` names, where it is in a format of others; else None."""
    path = options.tasks
    if path.is_file():
        found = swe_bench.read_file(path, options)
    elif terminal_bench.is_task(path):
        found = [terminal_bench.read_task(path, options)]
    else:
        folders = sorted(folder for folder in path.iterdir() if folder.is_dir())
        lists = sorted(path.glob("*.jsonl"))
        theirs = [folder for folder in folders if terminal_bench.is_task(folder)]
        if not theirs and not lists:
            return None
        found = [terminal_bench.read_task(folder, options) for folder in theirs]
        found += [task for file in lists for task in swe_bench.read_file(file, options)]
    found = [task for task in found if fnmatch.fnmatch(task.id, options.only)]
    if not found:
        raise TaskError(f"no task of {path} fits {options.only!r}")
    return found
