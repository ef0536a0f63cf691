"""The tables of a run, as text."""

from collections import Counter

from . import stats

COUNTED = ("passed", "failed")


def aligned(rows, left=1):
    """Rows of cells as lines; the first `left` columns are aligned left, the others right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if at < left else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines


def percent(rate):
    return f"{100 * rate:.1f} %"


def interval(rows):
    """The interval of the rate. Repeats of a task are no further tasks: each task counts once, with the rate of its repeats."""
    by_task = {}
    for row in rows:
        by_task.setdefault(row["task"], []).append(row["state"] == "passed")
    low, high = stats.wilson(sum(sum(own) / len(own) for own in by_task.values()), len(by_task))
    return f"{100 * low:.0f}-{100 * high:.0f} %"


def number(value):
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.1f}{unit}"
    return f"{value:.0f}"


def cost(rows):
    """The sum of the costs; `?` where a price is not known, with the sum of the others."""
    known = [row["costUsd"] for row in rows if row["costUsd"] is not None]
    if not known and rows:
        return "?"
    return f"{'' if len(known) == len(rows) else '>'}${sum(known):.4f}"


def duration(seconds):
    return f"{seconds:.1f}s" if seconds < 100 else f"{seconds / 60:.1f}m"


def of_models(data):
    """The rows of one model, by model, in the order of the run."""
    return {model: [row for row in data["attempts"] if row["model"] == model] for model in data["models"]}


def summary(data):
    rows = [("model", "passed", "rate", "95 %", "cost", "in", "cached", "out", "steps", "time", "calls", "errors")]
    for model, own in of_models(data).items():
        counted = [row for row in own if row["state"] in COUNTED]
        passes = sum(row["state"] == "passed" for row in counted)
        count = len(counted)
        total = {name: sum(row[name] for row in counted) for name in ("inputTokens", "cachedTokens", "outputTokens", "steps", "seconds", "toolCalls")}
        rows.append((
            model,
            f"{passes}/{count}",
            percent(passes / count) if count else "-",
            interval(counted) if count else "-",
            cost(counted),
            number(total["inputTokens"]),
            number(total["cachedTokens"]),
            number(total["outputTokens"]),
            str(total["steps"]),
            duration(total["seconds"]),
            str(total["toolCalls"]),
            str(sum(sum(row["toolErrors"].values()) for row in counted)),
        ))
    return aligned(rows)


def by_kind(data):
    kinds = list(dict.fromkeys(row["kind"] for row in data["attempts"]))
    rows = [("kind of task", *data["models"])]
    for kind in sorted(kinds):
        cells = []
        for own in of_models(data).values():
            counted = [row for row in own if row["kind"] == kind and row["state"] in COUNTED]
            cells.append(f"{sum(row['state'] == 'passed' for row in counted)}/{len(counted)}")
        rows.append((kind, *cells))
    return aligned(rows)


def errors(data):
    counts = {}
    for model, own in of_models(data).items():
        counts[model] = Counter()
        for row in own:
            counts[model].update(row.get("toolErrors") or {})
    names = sorted(set().union(*counts.values()) if counts else set())
    if not names:
        return ["no tool call failed"]
    rows = [("tool: kind of error", *data["models"])]
    rows += [(name, *(str(counts[model][name]) for model in data["models"])) for name in names]
    return aligned(rows)


def failures(data):
    """A line for each attempt that did not pass, and why."""
    lines = []
    for row in data["attempts"]:
        if row["state"] == "passed":
            continue
        where = row["task"] + (f" ({row['model']})" if len(data["models"]) > 1 else "") + (f" #{row['repeat']}" if data["repeat"] > 1 else "")
        ended = "" if row.get("stop") in (None, "done") else f" [{row['stop']}]"
        lines.append(f"{where}: {row['reason']}{ended}")
    return lines


def notes(data):
    """The lines about the limits of the numbers."""
    lines = []
    for model, own in of_models(data).items():
        unfinished = sum(row["state"] == "unfinished" for row in own)
        broken = Counter(row["stop"] for row in own if row.get("exitCode") == 3)
        if unfinished:
            lines.append(f"{model}: {unfinished} attempts are unfinished and not counted; start the run again with the same --out")
        for stop, count in broken.items():
            lines.append(f"{model}: {count} attempts ended by an error of the provider ({stop}) and count as not passed")
    for task, why in data.get("skipped", {}).items():
        lines.append(f"{task}: skipped: {why}")
    return lines


def whole(data):
    """All tables of a run."""
    parts = [summary(data), by_kind(data), errors(data)]
    failed = failures(data)
    if failed:
        parts.append(["not passed:"] + [f"  {line}" for line in failed])
    told = notes(data)
    if told:
        parts.append(["notes:"] + [f"  {line}" for line in told])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"
