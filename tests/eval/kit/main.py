"""The command line of `tests/eval/run`."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from . import batch, compare, foreign, plan, results, table, tasks

DESCRIPTION = """\
Plays tasks through `pintle batch`, checks what came of each with a check that the agent does not see, and prints tables. Started again
with the same --out, it goes on where it was. What stands after `--` goes to `pintle batch`, such as `-- --profile pi`."""

# Its exit codes beside 0, which says that everything ran, whatever passed: attempts are left, wrong usage, stopped, nobody reads stdout.
UNFINISHED, USAGE, INTERRUPTED, CLOSED = 1, 2, 130, 141


def parser():
    parser = argparse.ArgumentParser(prog="tests/eval/run", description=DESCRIPTION)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="PROVIDER/ID or PROVIDER/ID:EFFORT, as for `pintle run --model`")
    add("--repeat", type=positive, default=1, metavar="N", help="do each task N times (default: 1)")
    add("--jobs", type=positive, default=4, metavar="N", help="tasks at the same time (default: 4)")
    add("--only", default="*", metavar="GLOB", help="only tasks whose names fit, such as 'py-*'")
    add("--out", type=Path, metavar="DIR", help="the folder of the run, outside of every repository (default: a new one for temporary files)")
    add("--max-cost", type=amount, metavar="USD", help="begin no more tasks when all together have cost this much")
    add("--permission", choices=("auto-edit", "full"), default="auto-edit", help="the permission mode of the agents (default: auto-edit, in the sandbox)")
    add("--retry-failed", action="store_true", help="do attempts again whose agent ended otherwise than done")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--record", type=Path, metavar="DIR", help="keep the traffic with the models")
    group.add_argument("--replay", type=Path, metavar="DIR", help="answer from recorded traffic, or from scripts TASK.json; nothing is sent anywhere")
    add("--tasks", type=Path, default=tasks.TASKS, metavar="DIR", help="tasks of another folder: of this kit, of Terminal-Bench, or of SWE-bench (a .jsonl file)")
    add("--repos", type=Path, metavar="DIR", help="the repositories of SWE-bench tasks: DIR/OWNER/NAME, DIR/OWNER__NAME or DIR/NAME")
    add("--test-command", default=foreign.TEST_COMMAND, metavar="CMD", help="runs the tests of SWE-bench tasks; {tests} stands for their names (default: %(default)s)")
    add("--in-place", action="store_true", help="try tasks that want a container without one, on this machine")
    add("--list", action="store_true", help="list the tasks and end")
    add("--compare", nargs=2, metavar="RESULTS", help="compare two results.json, each with #MODEL behind it where it has several models")
    return parser


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def amount(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no amount in US dollars")
    return value


def main(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    command_line = parser()
    options = command_line.parse_args(arguments[:at])
    options.batch_options = arguments[at + 1 :]
    try:
        if options.compare:
            return compare.main(*options.compare)
        if options.list:
            return list_tasks(read_tasks(options))
        return evaluate(options)
    except (plan.PlanError, tasks.TaskError, results.ResultsError) as error:
        print(f"tests/eval/run: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("tests/eval/run: stopped; started again with the same --out, it goes on", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads stdout any more; Python must not find that out once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED


def read_tasks(options):
    """The tasks of the folder that the options name, in whatever format it has."""
    if not options.tasks.exists():
        raise tasks.TaskError(f"--tasks {options.tasks} does not exist")
    found = foreign.read_tasks(options)
    return tasks.read_tasks(options.tasks, options.only) if found is None else found


def list_tasks(found):
    rows = [("task", "kind", "languages", "")]
    rows += [(task.id, task.kind, ", ".join(task.languages), f"skipped: {task.missing()}" if task.missing() else "") for task in found]
    print("\n".join(table.aligned(rows, left=4)))
    return 0


def evaluate(options):
    found = read_tasks(options)
    scripts = None
    if options.replay:
        if not options.replay.is_dir():
            raise plan.PlanError(f"--replay {options.replay} is not a directory")
        scripts = batch.scripted(options.replay)
    if scripts is not None:
        found = [task for task in found if task.id in scripts]
        if not found:
            raise plan.PlanError(f"--replay {options.replay} has scripts for {', '.join(sorted(scripts))}, and none of them is asked for")
        options.models = options.models or ["script/script"]
    if not options.models:
        raise plan.PlanError("name a model, such as anthropic/claude-sonnet-4-6; `pintle models` lists some")
    if len(set(options.models)) < len(options.models):
        raise plan.PlanError("a model is named twice; --repeat N does each task N times")
    skipped = {task.id: task.missing() for task in found if task.missing()}
    found = [task for task in found if task.id not in skipped]
    if not found:
        raise plan.PlanError("no task can run here: " + "; ".join(f"{task}: {why}" for task, why in skipped.items()))
    pintle = batch.program()
    folder = plan.Folder(options.out or Path(tempfile.mkdtemp(prefix="pintle-eval-")))
    folder.hold({"tasks": {task.id: task.digest() for task in found}, "permission": options.permission, "options": options.batch_options})
    attempts = plan.attempts(found, options.models, options.repeat)
    say(f"{len(attempts)} attempts at {len(found)} tasks, in {folder.path}")
    folder.make_places(attempts, options.retry_failed)
    folder.write_list(attempts)
    code = batch.run(pintle, folder, attempts, options)
    if code == USAGE:
        raise plan.PlanError("`pintle batch` did not begin; it has said why")
    say("checking")
    verdicts = batch.judge(folder, attempts, os.cpu_count() or 1)
    data = {
        "version": results.VERSION,
        "pintle": batch.version(pintle),
        "models": options.models,
        "repeat": options.repeat,
        "permission": options.permission,
        "options": options.batch_options,
        "skipped": skipped,
        "attempts": [results.row(attempt, folder, verdicts.get(attempt.id)) for attempt in attempts],
    }
    plan.write_json(folder.results, data)
    print(table.whole(data), end="")
    say(f"results: {folder.results}")
    if any(row["state"] == "unfinished" for row in data["attempts"]):
        say(f"unfinished; go on with --out {folder.path}")
        return UNFINISHED
    return 0


def say(text):
    print(f"tests/eval/run: {text}", file=sys.stderr)
