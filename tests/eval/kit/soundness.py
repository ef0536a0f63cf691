"""The tasks tested by themselves: a check fails before anything was done, passes after solve.sh and fails after each wrong*.sh."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import checks, tasks


# The answers of an agent that did nothing. Where only the answer is judged, none of them may pass.
NOTHING = ("", "Done. I made the changes that you asked for, and all tests pass.")


def played(task, script, said=""):
    """The verdict after a script that plays the agent, and whether the script itself failed; None plays one that did nothing, but for its answer."""
    with tempfile.TemporaryDirectory(prefix="pintle-eval-") as folder:
        place = Path(folder) / "place"
        tasks.make_place(task, place)
        answer = Path(folder) / "answer.txt"
        answer.write_text(said)
        if script is not None:
            environment = tasks.clean_environment(folder) | {"EVAL_ANSWER": str(answer), "EVAL_TASK": str(task.folder)}
            command = ["bash", "-e", str(script)]
            done = subprocess.run(command, cwd=place / "work", env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                return checks.Verdict(False, f"{script.name} itself exited with {done.returncode}: {done.stderr.strip()}"), True
        return checks.check(task, place, answer.read_text(encoding="utf-8")), False


def complaints(task):
    """The ways in which a task is not sound, each in a line."""
    found = []
    for said in NOTHING if task.unchanged else NOTHING[:1]:
        verdict, _ = played(task, None, said)
        if verdict.passed:
            found.append(f"{task.id}: passes where nothing was done: {verdict.reason}")
    solve = task.folder / "solve.sh"
    if not solve.is_file():
        return found + [f"{task.id}: has no solve.sh"]
    verdict, _ = played(task, solve)
    if not verdict.passed:
        found.append(f"{task.id}: fails after solve.sh: {verdict.reason}")
    for script in sorted(task.folder.glob("wrong*.sh")):
        verdict, is_broken = played(task, script)
        if verdict.passed or is_broken:
            found.append(f"{task.id}: passes after {script.name}: {verdict.reason}" if verdict.passed else f"{task.id}: {verdict.reason}")
    return found


def main(pattern="*"):
    all_tasks = tasks.read_tasks(pattern=pattern)
    skipped = {task.id: task.missing() for task in all_tasks if task.missing()}
    runnable = [task for task in all_tasks if task.id not in skipped]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(complaints, runnable) for line in lines]
    for task, why in skipped.items():
        print(f"  skipped: {task}: {why}")
    for line in found:
        print(f"  {line}")
    wrong = sum(len(list(task.folder.glob("wrong*.sh"))) for task in runnable)
    print(f"  {len(runnable)} tasks and {wrong} wrong solutions: {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
