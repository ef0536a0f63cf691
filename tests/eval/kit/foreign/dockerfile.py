"""Dockerfiles, as far as a task can do without a container: what they copy, and the first instruction that needs one."""

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath

# Instructions that change nothing which a task sees on this machine.
HARMLESS = {"FROM", "LABEL", "MAINTAINER", "CMD", "ENTRYPOINT", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "SHELL", "ARG", "USER", "VOLUME"}


@dataclass(frozen=True)
class Recipe:
    """Returns the copies as (source relative to the context, target below the working folder), and the reason for a container, if there is one."""

    workdir: str
    copies: tuple[tuple[str, str], ...]
    reason: str | None


def instructions(text):
    """The instructions with their arguments, continued lines joined, comments left out."""
    text = re.sub(r"^\s*#.*\n?", "", text, flags=re.M)
    text = re.sub(r"\\[ \t]*\n", " ", text)
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word.upper(), rest.strip()


def read(text):
    """The recipe of a Dockerfile."""
    workdir, reason, pending = None, None, []
    for word, rest in instructions(text):
        if word == "WORKDIR":
            workdir = str(PurePosixPath(workdir or "/") / rest.strip("\"'"))
        elif word in ("COPY", "ADD"):
            pending.append((workdir, rest))
        elif word == "RUN" and is_only_folders(rest):
            continue
        elif word not in HARMLESS and reason is None:
            shown = " ".join(f"{word} {rest}".split())
            reason = f"its Dockerfile has `{shown if len(shown) <= 60 else shown[:57] + '...'}`"
    root = PurePosixPath(workdir or "/app")
    copies = []
    for where, rest in pending:
        found, why = copied(rest, PurePosixPath(where or "/"), root)
        copies += found
        reason = reason or why
    return Recipe(str(root), tuple(copies), reason)


def is_only_folders(command):
    return re.fullmatch(r"mkdir( -p)?( [\w./-]+)+", command) is not None


def copied(rest, where, root):
    """The copies of a COPY or ADD, and why it needs a container."""
    if "<<" in rest:
        return [], "its Dockerfile writes files from here-documents"
    try:
        words = shlex.split(rest.replace("[", " ").replace("]", " ").replace('",', '" ')) if rest.startswith("[") else shlex.split(rest)
    except ValueError:
        return [], f"its Dockerfile has `COPY {rest}`"
    if any(word.startswith("--from") for word in words):
        return [], "its Dockerfile copies from another image"
    words = [word for word in words if not word.startswith("--")]
    if len(words) < 2 or any("://" in word or "$" in word for word in words):
        return [], f"its Dockerfile has `COPY {rest}`"
    *sources, target = words
    full = PurePosixPath(re.sub(r"/\.(?=/|$)", "", str(where / target)) or "/")
    if target.endswith("/") or target in (".", "./") or len(sources) > 1:
        is_folder = "/"
    else:
        is_folder = ""
    try:
        below = full.relative_to(root)
    except ValueError:
        return [], f"its Dockerfile copies to {full}, outside of {root}"
    return [(source, f"{below}{is_folder}") for source in sources], None
