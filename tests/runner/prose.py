"""Limits phrases that make technical English hard to read; `prose.toml` lists them.

    PYTHONPATH=tests python3 -m runner.prose              check the limits
    PYTHONPATH=tests python3 -m runner.prose --list       print each match as FILE:LINE: PHRASE: TEXT
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("prose.toml")

# Text that others wrote, or that quotes them.
FOREIGN = re.compile(r"(^|/)(fixtures|golden|cases|locks|node_modules)/|^protocol/clients/|\.nls\.\w+\.md$|/l10n/")


@dataclass(frozen=True)
class Line:
    kind: str
    """`comments`, `strings` or `guides`."""
    file: str
    number: int
    text: str


@dataclass(frozen=True)
class Match:
    line: Line
    found: str
    instead: str

    def __str__(self) -> str:
        line = self.line
        return f"{line.file}:{line.number}: {self.found} (instead: {self.instead}): {line.text.strip()}"


def rust(file: str, text: str) -> Iterator[Line]:
    """The comments of a Rust file, and the strings with more than one word before its unit tests."""
    in_tests = False
    for number, line in enumerate(text.splitlines(), 1):
        in_tests = in_tests or line.strip() == "#[cfg(test)]"
        if line.lstrip().startswith("//"):
            yield Line("comments", file, number, line)
        elif not in_tests:
            for string in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                if " " in string:
                    yield Line("strings", file, number, string)


def guide(file: str, text: str) -> Iterator[Line]:
    """The lines of a Markdown file outside its code blocks."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield Line("guides", file, number, line)


def lines(file: str, text: str) -> Iterator[Line]:
    if FOREIGN.search(file):
        return iter(())
    if file.endswith(".rs") and file.startswith(("src/", "protocol/")):
        return rust(file, text)
    return guide(file, text) if file.endswith(".md") else iter(())


def matches(phrases: list[dict[str, str]], line: Line) -> Iterator[Match]:
    for phrase in phrases:
        if found := re.search(phrase["pattern"], line.text):
            yield Match(line, found[0].strip(), phrase["instead"])


def tracked() -> Iterator[Line]:
    names = subprocess.run(["git", "ls-files", "-z", "*.rs", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in names.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            yield from lines(name, (ROOT / name).read_text())


def over(limits: dict[str, float], total: Counter[str], found: list[Match]) -> list[str]:
    """Returns a sentence for each limit that is exceeded."""
    counts = Counter(match.line.kind for match in found)
    rates = {kind: 100 * counts[kind] / max(1, total[kind]) for kind in limits}
    return [
        f"{kind}: {rates[kind]:.2f} phrases per 100 lines, more than {limit}; reword some of yours"
        for kind, limit in limits.items()
        if rates[kind] > limit
    ]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--list", action="store_true", help="print every match")
    options = arguments.parse_args()
    rules = tomllib.loads(LIST.read_text())
    every = list(tracked())
    total = Counter(line.kind for line in every)
    found = [match for line in every for match in matches(rules["phrase"], line)]
    if options.list:
        print("\n".join(map(str, found)))
    counts = Counter(match.line.kind for match in found)
    for kind in rules["limits"]:
        print(f"{kind}: {counts[kind]} phrases in {total[kind]} lines, {100 * counts[kind] / max(1, total[kind]):.2f} per 100")
    exceeded = over(rules["limits"], total, found)
    for sentence in exceeded:
        print(sentence, file=sys.stderr)
    if exceeded and not options.list:
        print("to see them: PYTHONPATH=tests python3 -m runner.prose --list", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
