"""JUnit for `cargo test --doc`: stable Rust prints its results only as text.

`python3 -m runner.doc_tests FILE` copies stdin to stdout and writes the results to FILE.
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

CRATE = re.compile(r"\s*Doc-tests (\S+)")
RESULT = re.compile(r"test (.+) \.\.\. (ok|FAILED|ignored)\b")
# Begins the output of a failed test, which ends with the next one or with the list of failures.
OUTPUT = re.compile(r"---- (.+) stdout ----")


def read(lines) -> xml.Element:
    """The results as a JUnit suite: a case for each example, under the name of its crate."""
    suite = xml.Element("testsuite", name="doctest")
    crate = ""
    failures: dict[str, xml.Element] = {}
    output: xml.Element | None = None
    for line in lines:
        line = line.rstrip("\n")
        if found := CRATE.match(line):
            crate, failures, output = found[1], {}, None
        elif found := RESULT.match(line):
            case = xml.SubElement(suite, "testcase", classname=crate, name=found[1])
            if found[2] == "ignored":
                xml.SubElement(case, "skipped")
            elif found[2] == "FAILED":
                failures[found[1]] = xml.SubElement(case, "failure", message="failed")
        elif found := OUTPUT.fullmatch(line):
            output = failures.get(found[1])
        elif line == "failures:":
            output = None
        elif output is not None:
            output.text = f"{output.text or ''}{line}\n"
    return suite


def main() -> None:
    def shown():
        for line in sys.stdin:
            sys.stdout.write(line)
            sys.stdout.flush()
            yield line

    suite = read(shown())
    Path(sys.argv[1]).write_bytes(xml.tostring(suite, encoding="utf-8", xml_declaration=True))


if __name__ == "__main__":
    main()
