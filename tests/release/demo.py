"""Records `pintle demo` for the README at a readable pace."""

import json
import os
import pty
import subprocess
import tempfile
from pathlib import Path

from runner.tools import Tools

from .compile import Failed

COLUMNS, ROWS = 100, 26
COMMAND = "pintle demo"
# Seconds: a typed character, a printed line, and the pause where a paragraph ends.
TYPED, LINE, PARAGRAPH, END = 0.06, 0.09, 0.7, 4.0


def printed(program: Path) -> str:
    """Returns the demo's terminal output."""
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "PINTLE_HOME": home, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
        outer, inner = pty.openpty()
        with subprocess.Popen([str(program), "demo"], env=env, stdin=inner, stdout=inner, stderr=inner) as demo:
            os.close(inner)
            text = b""
            while True:
                try:
                    piece = os.read(outer, 65536)
                except OSError:
                    # The terminal was closed.
                    break
                text += piece
        os.close(outer)
    if demo.returncode != 0:
        raise Failed(f"the demo ended with status {demo.returncode}")
    return text.decode()


def cast(text: str) -> str:
    """A recording in asciinema's format, version 2."""
    at, events = 0.5, [(0.0, "$ ")]
    for character in COMMAND:
        at += TYPED
        events.append((at, character))
    at += PARAGRAPH
    events.append((at, "\r\n"))
    for line in text.splitlines(keepends=True):
        at += LINE if line.strip() else PARAGRAPH
        events.append((at, line))
    events.append((at + END, "$ "))
    head = {"version": 2, "width": COLUMNS, "height": ROWS}
    return "\n".join(json.dumps(each) for each in (head, *([time, "o", data] for time, data in events))) + "\n"


def picture(program: Path, target: Path) -> None:
    """Writes the recording as an animated picture."""
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder, "demo.cast")
        recording.write_text(cast(printed(program)))
        draw = Tools().install("svg-term") / "node_modules/.bin/svg-term"
        command = [str(draw), "--in", str(recording), "--out", str(target), "--window", "--no-cursor"]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed(f"svg-term ended with status {done.returncode}\n{done.stdout}")
