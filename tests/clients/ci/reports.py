"""Runs tasks with reports and reads these by the programs of others."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import junitparser

SCHEMA = json.loads(pathlib.Path(sys.argv[1]).read_text())
SARIF = sys.argv[2]

FINDINGS = [
    {"path": "a b.txt", "line": 1, "endLine": 2, "severity": "error", "rule": "sql-injection",
     "message": "It is <b>bad</b> & \"so\" on\nin two lines \u001b[2J", "fix": "eins\nzwei"},
    {"path": "a b.txt", "line": 3, "severity": "warning", "rule": "unused", "message": "ünused"},
    {"path": "ä,%.txt", "severity": "note", "rule": "style", "message": "the whole file"},
    # The same once more, which counts once.
    {"path": "a b.txt", "line": 3, "severity": "warning", "rule": "unused", "message": "ünused"},
]


def run(folder, replies, code):
    """Runs a task; returns its SARIF and its JUnit report as paths."""
    project = folder / "project"
    project.mkdir()
    (project / "a b.txt").write_text("one\ntwo\nthree\n")
    (project / "ä,%.txt").write_text("x\n")
    script = folder / "script.json"
    script.write_text(json.dumps({"replies": replies}))
    sarif, junit = folder / "report.sarif", folder / "report.xml"
    out = subprocess.run(
        [os.environ["PINTLE_BIN"], "run", "look", "--quiet", "--format", "json", "--script", script,
         "--report", f"sarif={sarif}", "--report", f"junit={junit}"],
        cwd=project, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PINTLE_HOME": str(folder / "home"), "PINTLE_RETRIES": "0"})
    assert out.returncode == code, (out.returncode, out.stdout, out.stderr)
    return sarif, junit


def check_sarif(path, count):
    """Validates a report, and has sarif-tools list its findings."""
    report = json.loads(path.read_text())
    jsonschema.Draft7Validator(SCHEMA).validate(report)
    results = report["runs"][0]["results"]
    assert len(results) == count, results
    listed = path.with_suffix(".csv")
    done = subprocess.run([SARIF, "csv", "--output", listed, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    rows = list(csv.DictReader(listed.open(encoding="utf-8-sig")))
    assert len(rows) == count, rows
    return rows


def main():
    text = {"blocks": [{"text": "done"}]}
    calls = [{"blocks": [{"tool": "report_finding", "arguments": finding}]} for finding in FINDINGS]
    with tempfile.TemporaryDirectory() as folder:
        sarif, junit = run(pathlib.Path(folder), [*calls, text], 0)
        rows = check_sarif(sarif, 3)
        found = {(row["Severity"], row["Code"], row["Location"], row["Line"]) for row in rows}
        places = {(code, line) for _, code, _, line in found}
        assert ("sql-injection", "1") in places and ("unused", "3") in places, found
        assert {severity for severity, *_ in found} == {"error", "warning", "note"}, found
        xml = junitparser.JUnitXml.fromfile(str(junit))
        cases = [case for suite in xml for case in suite]
        assert (xml.tests, xml.failures, xml.errors, len(cases)) == (3, 2, 0, 3), junit.read_text()
        failed = [case for case in cases if any(isinstance(one, junitparser.Failure) for one in case.result)]
        assert len(failed) == 2, junit.read_text()
        assert failed[0].classname == "a b.txt" and "<b>bad</b> & \"so\" on" in failed[0].result[0].message
    with tempfile.TemporaryDirectory() as folder:
        sarif, junit = run(pathlib.Path(folder), [text], 0)
        check_sarif(sarif, 0)
        xml = junitparser.JUnitXml.fromfile(str(junit))
        assert (xml.tests, xml.failures, xml.errors) == (1, 0, 0), junit.read_text()
    with tempfile.TemporaryDirectory() as folder:
        fails = {"error": {"kind": "auth", "message": "who are you?"}}
        sarif, junit = run(pathlib.Path(folder), [calls[0], fails], 3)
        check_sarif(sarif, 1)
        assert json.loads(sarif.read_text())["runs"][0]["invocations"][0]["executionSuccessful"] is False
        xml = junitparser.JUnitXml.fromfile(str(junit))
        assert (xml.tests, xml.failures, xml.errors) == (2, 1, 1), junit.read_text()
    # The schema is one that refuses something.
    try:
        jsonschema.Draft7Validator(SCHEMA).validate({"version": "2.1.0"})
    except jsonschema.ValidationError:
        print("reports of SARIF and JUnit: fine")
        return
    raise SystemExit("the schema of SARIF accepts everything")


main()
