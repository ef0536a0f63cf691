"""Compares two runs, task by task: only tasks that both have count, and each weighs the same however often it was repeated."""

from pathlib import Path

from . import results, stats, table

MEASURES = (
    ("cost, USD", "costUsd"),
    ("input tokens", "inputTokens"),
    ("cached tokens", "cachedTokens"),
    ("output tokens", "outputTokens"),
    ("steps", "steps"),
    ("tool calls", "toolCalls"),
    ("seconds", "seconds"),
)


def side(name):
    """Reads `FILE` or `FILE#MODEL`; returns the rows by task, and the name to show."""
    path, _, model = name.partition("#")
    path = Path(path)
    if path.is_dir():
        path = path / "results.json"
    data = results.load(path)
    if not model:
        if len(data["models"]) != 1:
            raise results.ResultsError(f"{path} has {len(data['models'])} models; say which: {path}#{data['models'][0]}")
        model = data["models"][0]
    if model not in data["models"]:
        raise results.ResultsError(f"{path} has no model {model}; it has {', '.join(data['models'])}")
    by_task = {}
    for row in data["attempts"]:
        if row["model"] == model and row["state"] in table.COUNTED:
            by_task.setdefault(row["task"], []).append(row)
    return by_task, f"{path}#{model}"


def rate(rows):
    return sum(row["state"] == "passed" for row in rows) / len(rows)


def mean(rows, key):
    """The mean of a measure, or None where it is not known of each."""
    values = [row[key] for row in rows]
    return None if None in values else sum(values) / len(values)


def compare(first, second):
    """The comparison of two sides, as lines; `second` less `first`."""
    (a, name_a), (b, name_b) = first, second
    shared = sorted(a.keys() & b.keys())
    if not shared:
        raise results.ResultsError("the two runs have no task in common")
    rates = [(task, rate(a[task]), rate(b[task])) for task in shared]
    up = [task for task, before, after in rates if after > before]
    down = [task for task, before, after in rates if after < before]
    difference, low, high = stats.bootstrap([after - before for _, before, after in rates])
    lines = [f"A: {name_a}", f"B: {name_b}", f"{len(shared)} tasks in both"]
    left_out = sorted(a.keys() ^ b.keys())
    if left_out:
        lines.append(f"only in one, not compared: {', '.join(left_out)}")
    lines.append("")
    rows = [("", "A", "B", "B - A", "95 % of B - A")]
    sides = [sum(own) / len(shared) for own in ([before for _, before, _ in rates], [after for _, _, after in rates])]
    rows.append(("pass rate", table.percent(sides[0]), table.percent(sides[1]), f"{100 * difference:+.1f}", f"{100 * low:+.1f} to {100 * high:+.1f}"))
    for title, key in MEASURES:
        pairs = [(mean(a[task], key), mean(b[task], key)) for task in shared]
        pairs = [pair for pair in pairs if None not in pair]
        if not pairs:
            rows.append((title, "?", "?", "?", "the price is not known"))
            continue
        if len(pairs) < len(shared):
            title += f" ({len(pairs)} tasks)"
        digits = 4 if key == "costUsd" else 1
        middle, low, high = stats.bootstrap([after - before for before, after in pairs])
        before, after = (sum(values) / len(pairs) for values in zip(*pairs))
        rows.append((title, f"{before:.{digits}f}", f"{after:.{digits}f}", f"{middle:+.{digits}f}", f"{low:+.{digits}f} to {high:+.{digits}f}"))
    lines += table.aligned(rows)
    lines += ["", f"better in B: {len(up)}, worse in B: {len(down)}, the same: {len(shared) - len(up) - len(down)}; exact sign test (McNemar): p = {stats.sign_test(len(up), len(down)):.3f}"]
    lines += [f"  + {task}" for task in up] + [f"  - {task}" for task in down]
    return lines


def main(first, second):
    print("\n".join(compare(side(first), side(second))))
    return 0
