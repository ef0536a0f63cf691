"""Results: what is kept of each attempt, read from `pintle batch`'s result and journal, and kept in results.json."""

import json
import re
from collections import Counter

VERSION = 1

# The kinds of errors of tools, by what the tool said; the first that fits.
ERRORS = (
    ("unknown tool", re.compile(r"^(There is no tool|Unknown tool) ")),
    ("not JSON", re.compile(r"arguments are not valid JSON")),
    ("no match", re.compile(r"Could not find the exact text|these lines were not found|^Cannot apply hunk .* no line `.*` was found")),
    ("several matches", re.compile(r"occurrences of the text|its lines occur more than once")),
    ("no change", re.compile(r"produced identical content")),
    ("malformed patch", re.compile(r"^Nothing was changed: ")),
    ("wrong arguments", re.compile(r"unknown argument|is missing: it must|must be (a|an|one|at|not|of)|expected one of|must not be empty")),
    ("not found", re.compile(r"(File|Path|Directory|Folder) not found|ENOENT|No such file|does not exist")),
    ("not read first", re.compile(r"has not been read|was changed (since|by another)")),
    ("beyond the end", re.compile(r"beyond (the )?end of (the )?file")),
    ("timed out", re.compile(r"timed out")),
    ("exit code", re.compile(r"exited with code|ended by a signal")),
)


def error_kind(item):
    """The kind of error of a completed tool call, or None where it is none."""
    output = item.get("output") or {}
    if not output.get("failed"):
        return None
    details = output.get("details") or {}
    if item.get("status") == "declined" or details.get("denial"):
        return "denied"
    text = "\n".join(block.get("text", "") for block in output.get("content", []))
    if item.get("status") == "cancelled" or text in ("Operation aborted", "Command aborted"):
        return "cancelled"
    sandbox = details.get("sandbox") or {}
    if sandbox.get("denied") or sandbox.get("refusedHosts"):
        return "sandbox"
    if details.get("exitCode") and "timed out" not in text:
        return "exit code"
    return next((kind for kind, pattern in ERRORS if pattern.search(text)), "other")


def tool_calls(journal):
    """The count of tool calls in a journal, and their errors by `tool: kind`."""
    calls, errors = 0, Counter()
    for line in journal:
        try:
            event = json.loads(line).get("event") or {}
        except ValueError:
            # The last line of an engine that was killed.
            continue
        item = event.get("item") or {}
        if event.get("type") != "item.completed" or item.get("type") != "toolCall":
            continue
        calls += 1
        kind = error_kind(item)
        if kind:
            errors[f"{item.get('toolName', '?')}: {kind}"] += 1
    return calls, dict(sorted(errors.items()))


def row(attempt, folder, verdict):
    """The record of an attempt in results.json."""
    result = folder.result(attempt)
    common = {"task": attempt.task.id, "kind": attempt.task.kind, "languages": list(attempt.task.languages), "model": attempt.model, "repeat": attempt.number}
    if result is None or verdict is None:
        return common | {"state": "unfinished", "stop": (result or {}).get("stop"), "reason": "it did not come to its end; start the run again with the same --out"}
    try:
        with open(folder.batch / attempt.id / "journal.jsonl", encoding="utf-8", errors="replace") as journal:
            calls, errors = tool_calls(journal)
    except FileNotFoundError:
        calls, errors = 0, {}
    usage, cost = result.get("usage") or {}, result.get("costNanoUsd")
    return common | {
        "state": "passed" if verdict.passed else "failed",
        "reason": verdict.reason,
        "stop": result.get("stop"),
        "exitCode": result.get("exitCode"),
        "error": (result.get("error") or {}).get("message"),
        "steps": result.get("steps", 0),
        "inputTokens": usage.get("inputTokens", 0) + usage.get("cacheWriteTokens", 0),
        "cachedTokens": usage.get("cacheReadTokens", 0),
        "outputTokens": usage.get("outputTokens", 0),
        "costUsd": None if cost is None else cost / 1e9,
        "seconds": result.get("durationMs", 0) / 1000,
        "toolCalls": calls,
        "toolErrors": errors,
    }


class ResultsError(Exception):
    """A file that is no results.json."""


def load(path):
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise ResultsError(f"{path} is no JSON") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("attempts"), list):
        raise ResultsError(f"{path} is no results.json of this kit (version {VERSION})")
    return data
