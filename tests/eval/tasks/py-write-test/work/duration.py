"""Durations as people write them."""

import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def parse(text):
    """Returns the seconds of a duration such as `1h30m`, `90 s` or `2d`.

    Units are d, h, m and s, in any case; each may occur once, from the largest to the smallest. A number without a unit is seconds. Spaces may
    stand anywhere but within a number. Anything else, also an empty text, raises ValueError.
    """
    text = text.strip().lower()
    if re.fullmatch(r"\d+", text):
        return int(text)
    match = re.fullmatch(r"(?:(\d+)\s*d)?\s*(?:(\d+)\s*h)?\s*(?:(\d+)\s*m)?\s*(?:(\d+)\s*s)?", text)
    if not match or not any(match.groups()):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in zip(match.groups(), "dhms") if count)


def show(seconds):
    """The shortest text that `parse` reads as these seconds: `1h30m`, and `0s` for nothing. A negative number raises ValueError."""
    if seconds < 0:
        raise ValueError("a duration is not negative")
    parts = []
    for unit, size in UNITS.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
