"""The keys at the top of a `task.yaml`: plain and quoted texts, numbers and block texts. Whatever else a file holds is left out, and an error if
it is asked for."""

import json
import re

KEY = re.compile(r"^([A-Za-z_][\w-]*):(?:[ \t]+(.*?))?[ \t]*$")
BLOCK = re.compile(r"^([|>])([+-]?)([1-9]?)([+-]?)(?:[ \t]+#.*)?$")


class YamlError(Exception):
    """A value that this subset does not know."""


class Other:
    """A value of another kind, such as a list."""


def load(text):
    """The top keys with their values. Where there is PyYAML, it reads what this does not."""
    values = read(text)
    if any(isinstance(value, Other) for value in values.values()):
        try:
            import yaml

            whole = yaml.safe_load(text)
        except Exception:  # There is none, or it finds the text as odd as we do.
            return values
        if isinstance(whole, dict):
            values |= {key: whole[key] for key, value in values.items() if isinstance(value, Other) and isinstance(whole.get(key), str)}
    return values


def read(text):
    values, lines, at = {}, text.replace("\r\n", "\n").split("\n"), 0
    while at < len(lines):
        match = KEY.match(lines[at])
        at += 1
        if not match:
            continue
        key, value = match[1], match[2] or ""
        begin = at
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t" or lines[at].startswith("- ")):
            at += 1
        below = lines[begin:at]
        block = BLOCK.match(value)
        if block:
            values[key] = block_text(below, folded=block[1] == ">", chomp=block[2] or block[4], indent=int(block[3] or 0))
        elif any(line.strip() and not line.lstrip().startswith("#") for line in below):
            values[key] = scalar(flow([value, *below])) if is_text(value, below) else Other()
        else:
            values[key] = scalar(value)
    return values


def block_text(lines, folded, chomp, indent):
    filled = [line for line in lines if line.strip()]
    if not filled:
        return ""
    indent = indent or len(filled[0]) - len(filled[0].lstrip(" "))
    body = [line[indent:] for line in lines]
    text = fold(body) if folded else "\n".join(body)
    stripped = text.rstrip("\n")
    return stripped if chomp == "-" else text + "\n" if chomp == "+" else stripped + "\n"


def fold(lines):
    """Lines joined by spaces; an empty line is a line break, and lines that are indented more keep theirs."""
    text, previous = "", None
    for line in lines:
        if previous is None:
            text = line
        elif line == "":
            text += "\n"
        elif previous == "":
            text += line if not line.startswith(" ") else "\n" + line
        elif line.startswith(" ") or previous.startswith(" "):
            text += "\n" + line
        else:
            text += " " + line
        previous = line
    return text


def is_text(value, below):
    """Returns true if the lines below a key go on with its text, and are no list or further keys."""
    first = next(line for line in below if line.strip()).strip()
    if value and not value.startswith("#"):
        return not any(line.startswith("- ") for line in below)
    return not value and re.match(r"(- |-$|[\w.-]+:( |$)|[\[{#?])", first) is None


def flow(lines):
    """A plain or quoted text over several lines: joined by spaces, an empty line is a line break, and `\\` at the end of a quoted line joins as it is."""
    filled = [line.strip() for line in lines]
    while filled and not filled[0]:
        filled.pop(0)
    text, breaks = filled[0], 0
    for line in filled[1:]:
        if not line:
            breaks += 1
            continue
        if breaks:
            text += ("\\n" if text.startswith('"') else "\n") * breaks
        elif text.startswith('"') and re.search(r"(?<!\\)(\\\\)*\\$", text):
            text = text[:-1]
        else:
            text += " "
        text, breaks = text + line, 0
    return text


def scalar(value):
    if value.startswith('"'):
        try:
            text, end = json.JSONDecoder().raw_decode(value)
        except ValueError:
            return Other()
        return text if not value[end:].strip() or value[end:].lstrip().startswith("#") else Other()
    if value.startswith("'"):
        match = re.match(r"^'((?:[^']|'')*)'[ \t]*(?:#.*)?$", value)
        return match[1].replace("''", "'") if match else Other()
    if value[:1] in ("[", "{", "&", "*", "!", "%", "@", "`", "|", ">"):
        return Other()
    return re.sub(r"[ \t]+#.*$", "", value)


def text_of(values, key, path):
    """A text that must be there."""
    value = values.get(key)
    if isinstance(value, str) and value.strip():
        return value
    if value is None or value == "":
        raise YamlError(f"{path.name}: `{key}` is missing")
    raise YamlError(f"{path.name}: `{key}` is written in a way that is not read here; write it as a block text: `{key}: |`")


def seconds_of(values, key, usual):
    """A number of seconds, rounded up; `usual` where it is not there."""
    try:
        return max(1, int(-(-float(values.get(key)) // 1)))
    except (TypeError, ValueError):
        return usual
