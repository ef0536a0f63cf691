"""The kit as a whole, through the real program: tasks that are played by scripts, recorded and replayed, interrupted and gone on with.

What is printed is compared with expected.txt beside this file, with times masked; UPDATE_EXPECT=1 writes it. Needs PINTLE_BIN."""

import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
KIT = HERE.parent
EXPECTED = HERE / "expected.txt"

CONFIG = """\
[providers.played]
base_url = "{url}"
api = "chat"

[providers.played.models.large]
price = {{ input = 3.0, output = 15.0, cache_read = 0.3 }}

[providers.played.models.small]
price = {{ input = 0.2, output = 0.8, cache_read = 0.02 }}
"""


# The tables must not depend on the sandbox of this machine.
FULL = ("--permission", "full")


def run(*arguments, code=0, env=None):
    """Runs the kit; returns its stdout and stderr."""
    command = [sys.executable, str(KIT / "run"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr


def masked(text, root):
    """The text without what differs from run to run: durations, and the folder."""
    text = text.replace(str(root), "ROOT")
    text = re.sub(r"(?<= )[0-9.]+[sm](?= )", lambda match: "#" * len(match[0]), text)
    return re.sub(r"^seconds .*$", "seconds (masked)", text, flags=re.M)


def widths_masked(text):
    """Durations of another width shift the columns; runs of spaces and of masks count as one."""
    return re.sub(r"#+", "#", re.sub(r"[ \t]+", " ", text))


@contextmanager
def chat_server(scripts, folder):
    command = [sys.executable, "-B", str(HERE / "chat_server.py"), str(scripts), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip()
        server.stdin.close()


def rows(out):
    return {(row["task"], row["model"], row["repeat"]): row for row in json.loads((out / "results.json").read_text())["attempts"]}


def scripts_are_played_twice(root):
    out = root / "scripts"
    text, said = run("--replay", KIT / "cassettes", "--repeat", 2, "--jobs", 2, "--out", out, *FULL)
    assert "12 attempts at 6 tasks" in said, said
    yield "six tasks, twice, played by scripts", text
    # Again: nothing runs, and nothing changes.
    before = {path: path.stat().st_mtime_ns for path in (out / "batch").rglob("journal.jsonl")}
    again, said = run("--replay", KIT / "cassettes", "--repeat", 2, "--jobs", 2, "--out", out, *FULL)
    assert again == text and "12 of 12 tasks are already finished" in said, said
    assert before == {path: path.stat().st_mtime_ns for path in (out / "batch").rglob("journal.jsonl")}


def an_attempt_that_was_cut_short_begins_from_a_fresh_folder(root):
    out = root / "cut"
    first, _ = run("--replay", KIT / "cassettes", "--only", "repeated-text", "--out", out, *FULL)
    (place,) = (out / "places").iterdir()
    edited = place / "work" / "pipeline.yaml"
    assert "40 minutes" in edited.read_text()
    result = next((out / "batch").glob("*/result.json"))
    data = json.loads(result.read_text())
    result.write_text(json.dumps(data | {"stop": "signal", "status": "interrupted", "exitCode": 130}))
    edited.write_text("half done\n")
    second, _ = run("--replay", KIT / "cassettes", "--only", "repeated-text", "--out", out, *FULL)
    assert "1/1" in second, second
    # Where the attempt's agent reported an end, its verdict is that of the second run.
    assert rows(out)["repeated-text", "script/script", 1]["state"] == "passed"


def a_signal_ends_it_in_order_and_the_rest_runs_later(root):
    """The first task waits for a file that nobody makes; the kit is told to stop while it does."""
    scripts, out = root / "held", root / "signal"
    scripts.mkdir()
    held = {"tool": "bash", "arguments": {"command": "touch ../begun; tail -f /dev/null"}}
    (scripts / "repeated-text.json").write_text(json.dumps({"replies": [{"blocks": [held]}]}))
    command = [sys.executable, str(KIT / "run"), "--replay", str(scripts), "--out", str(out), *FULL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL) as kit:
        begun = out / "places" / "repeated-text.script-script.1" / "begun"
        while not begun.exists():
            assert kit.poll() is None, kit.communicate()
            time.sleep(0.02)
        kit.send_signal(signal.SIGINT)
        text, said = kit.communicate(timeout=120)
    assert kit.returncode == 1, (kit.returncode, text, said)
    assert "1 attempts are unfinished and not counted" in text and f"go on with --out {out}" in said, (text, said)
    shutil.copy(KIT / "cassettes" / "repeated-text.json", scripts)
    text, _ = run("--replay", scripts, "--out", out, *FULL)
    assert "1/1" in text and not begun.exists(), text


def attempts_that_failed_are_tried_again(root):
    scripts, out = root / "retried", root / "retry"
    scripts.mkdir()
    half = {"blocks": [{"tool": "bash", "arguments": {"command": "echo '# half' >> pipeline.yaml"}}]}
    (scripts / "repeated-text.json").write_text(json.dumps({"replies": [half]}))
    text, _ = run("--replay", scripts, "--out", out, *FULL)
    assert "0/1" in text and "error of the provider (replay)" in text, text
    shutil.copy(KIT / "cassettes" / "repeated-text.json", scripts)
    again, _ = run("--replay", scripts, "--out", out, *FULL)
    assert again == text, again
    text, _ = run("--replay", scripts, "--out", out, "--retry-failed", *FULL)
    assert "1/1" in text, text


def recorded_and_replayed(root):
    names = sorted(path.stem for path in (KIT / "cassettes").glob("*.json"))
    subset = root / "tasks"
    for name in names:
        shutil.copytree(KIT / "tasks" / name, subset / name, ignore=shutil.ignore_patterns("__pycache__"))
    home = root / "served"
    home.mkdir()
    first, second = root / "recorded", root / "replayed"
    with chat_server(KIT / "cassettes", subset) as url:
        (home / "config.toml").write_text(CONFIG.format(url=url))
        models = ("played/large", "played/small")
        text, _ = run(*models, "--tasks", subset, "--record", root / "traffic", "--out", first, "--max-cost", 5, *FULL, env={"PINTLE_HOME": str(home)})
    yield "two models with prices, through a server", text
    # The server is gone now.
    replayed, _ = run(*models, "--tasks", subset, "--replay", root / "traffic", "--out", second, *FULL, env={"PINTLE_HOME": str(home)})
    assert widths_masked(masked(replayed, root)) == widths_masked(masked(text, root)), replayed
    compared, _ = run("--compare", f"{first}#played/large", f"{second}/results.json#played/small")
    yield "the two models compared", compared


def tasks_of_others(root):
    text, _ = run("--tasks", KIT / "fixtures" / "terminal-bench", "--replay", KIT / "fixtures" / "terminal-bench-scripts", "--out", root / "others", *FULL)
    yield "folders of Terminal-Bench", text
    text, _ = run("--tasks", KIT / "fixtures" / "terminal-bench", "--list")
    yield "which of them run here", text


def errors_say_what_to_do(root):
    for arguments, want in (
        ((), "name a model"),
        (("m/x", "m/x"), "named twice"),
        (("m/x", "--only", "nothing-*"), "no task of"),
        (("m/x", "--out", KIT / "out"), "inside of the repository"),
        (("m/x", "--tasks", root / "gone"), "does not exist"),
        (("m/x", "--replay", root / "gone"), "is not a directory"),
        (("nobody/x", "--only", "md-links", "--out", root / "nobody", "--", "--no-such-option"), "did not begin"),
        (("--compare", root / "a", root / "b"), "No such file"),
    ):
        _, said = run(*arguments, code=2)
        assert want in said, (arguments, said)
        assert "Traceback" not in said, said


def a_provider_that_fails_is_told(root):
    (root / "failing").mkdir()
    (root / "failing" / "config.toml").write_text('retries = 0\n' + CONFIG.format(url="http://127.0.0.1:9/v1"))
    text, _ = run("played/small", "--only", "m*-links", "--out", root / "failed", env={"PINTLE_HOME": str(root / "failing")})
    assert "0/1" in text and "1 attempts ended by an error of the provider (network)" in text, text


def main():
    with tempfile.TemporaryDirectory(prefix="pintle-eval-test-") as root:
        root = Path(root).resolve()
        os.environ |= {"PINTLE_HOME": str(root / "home"), "HOME": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
        shown = []
        for scene in (
            scripts_are_played_twice,
            an_attempt_that_was_cut_short_begins_from_a_fresh_folder,
            a_signal_ends_it_in_order_and_the_rest_runs_later,
            attempts_that_failed_are_tried_again,
            recorded_and_replayed,
            tasks_of_others,
            errors_say_what_to_do,
            a_provider_that_fails_is_told,
        ):
            for title, text in scene(root) or ():
                shown.append(f"## {title}\n\n{masked(text, root)}")
            print(f"  {scene.__name__.replace('_', ' ')}")
        got = "\n".join(shown)
    if os.environ.get("UPDATE_EXPECT"):
        EXPECTED.write_text(got)
    want = EXPECTED.read_text()
    if widths_masked(got) != widths_masked(want):
        print("\n".join(difflib.unified_diff(want.splitlines(), got.splitlines(), "expected.txt", "printed", lineterm="")))
        print("the tables have changed; UPDATE_EXPECT=1 writes them anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
