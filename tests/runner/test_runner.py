"""Tests of the runner: `PYTHONPATH=tests python3 -m unittest runner.test_runner`."""

import os
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from . import doc_tests, main, prose, report, selection, tools
from .selection import Suite, Table

TABLE = Table(
    suites=(
        Suite("rust", "", "quick", "", ("src/",), 6),
        Suite("nvim", "", "full", "", ("editors/nvim/", "src/"), 3),
        Suite("grammar", "", "full", "", ("src/tools/descriptions/",), 0.1),
        Suite("spelling", "", "full", "", ("",), 0.1),
        Suite("vscode", "", "full", "", ("editors/vscode/",), 55),
    ),
    everything=("Cargo.lock", "protocol/"),
)


def names(suites):
    return " ".join(suite.name for suite in suites)


class Prose(unittest.TestCase):
    PHRASES = [{"pattern": r"\bmends?\b", "instead": "fix"}]

    def test_comments_strings_and_guides_are_read_and_code_is_not(self):
        rust = """// It mends a file.
let mends = "mend";
let message = "mend the file";
#[cfg(test)]
let row = "mend the row";
"""
        guide = "Mend nothing; mend it.\n```\nmend this\n```\nmends\n"
        for file, text, want in (
            ("src/a.rs", rust, [("comments", 1), ("strings", 3)]),
            ("tests/it/a.rs", rust, []),
            ("README.md", guide, [("guides", 1), ("guides", 5)]),
            ("tests/golden/a.md", guide, []),
        ):
            with self.subTest(file=file):
                found = [match for line in prose.lines(file, text) for match in prose.matches(self.PHRASES, line)]
                self.assertEqual([(match.line.kind, match.line.number) for match in found], want)

    def test_a_limit_counts_matches_per_hundred_lines(self):
        line = prose.Line("guides", "a.md", 1, "mend")
        found = [prose.Match(line, "mend", "fix")] * 3
        for limit, want in ((3.0, 0), (2.9, 1)):
            with self.subTest(limit=limit):
                self.assertEqual(len(prose.over({"guides": limit}, Counter(guides=100), found)), want)


class Selection(unittest.TestCase):
    def test_suites_follow_what_has_changed(self):
        everything = "rust nvim grammar spelling vscode"
        for changed, want in (
            ([], "rust"),
            (["README.md"], "rust spelling"),
            (["src/agent/mod.rs"], "rust nvim spelling"),
            (["src/tools/descriptions/apply_patch.lark"], "rust nvim grammar spelling"),
            (["editors/vscode/src/a.ts"], "rust spelling vscode"),
            (["editors/vscode-other/a.ts"], "rust spelling"),
            (["README.md", "Cargo.lock"], everything),
            (["protocol/src/lib.rs"], everything),
            (None, everything),
        ):
            with self.subTest(changed=changed):
                self.assertEqual(names(selection.since(TABLE, changed)), want)

    def test_what_does_not_fit_is_left_and_smaller_suites_still_run(self):
        for minutes, want in ((5, "rust"), (9, "rust nvim"), (10, "rust nvim grammar spelling"), (70, names(TABLE.suites))):
            with self.subTest(minutes=minutes):
                kept, left = selection.within(list(TABLE.suites), minutes)
                self.assertEqual(names(kept), want)
                self.assertEqual({*kept, *left}, {*TABLE.suites})

    def test_a_slow_machine_leaves_suites_that_would_end_too_late(self):
        rust, nvim, grammar, _, vscode = TABLE.suites
        for done, elapsed, suite, want in (
            ([], 0, vscode, True),
            ([(rust, 360)], 900, vscode, True),
            # Half an hour for what takes six minutes.
            ([(rust, 1800)], 1800, vscode, False),
            ([(rust, 1800)], 1800, nvim, True),
            ([(rust, 1800), (nvim, 900)], 4200, nvim, False),
            ([(rust, 1800), (nvim, 900)], 4200, grammar, True),
            # A fast suite promises nothing about the next one.
            ([(rust, 36)], 1100, vscode, False),
            ([(vscode, 9000)], 9000, rust, True),
        ):
            with self.subTest(done=done, elapsed=elapsed, suite=suite.name):
                self.assertEqual(selection.fits(suite, done, elapsed, 72 * 60), want)

    def test_uncommitted_and_untracked_files_count_and_unknown_commits_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
            subprocess.run([*git, "init", "-q"], check=True)
            for name in ("kept", "edited", "removed"):
                Path(folder, name).write_text("a\n")
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", "a"], check=True)
            Path(folder, "edited").write_text("b\n")
            Path(folder, "removed").unlink()
            Path(folder, "new").write_text("b\n")
            self.assertEqual(sorted(selection.changed_since("HEAD", folder)), ["edited", "new", "removed"])
            self.assertIsNone(selection.changed_since("none", folder))

    def test_the_table_names_tools_and_paths_that_exist(self):
        table = selection.load(Path(__file__).with_name("suites.toml"))
        rows = tools.rows()
        for suite in table.suites:
            for tool in (*suite.tools, *suite.extras):
                self.assertIn(tool, rows, suite.name)
            for path in (*suite.paths, *table.everything):
                self.assertTrue((tools.ROOT / path).exists(), f"{suite.name}: {path}")
        for name, row in rows.items():
            for tool in row.get("needs", []):
                self.assertIn(tool, rows, name)
            if "npm" in row or "venv" in row:
                self.assertTrue(tools.Tools().lock_file(name).exists(), f"tests/tool --lock {name}")


class Lock(unittest.TestCase):
    def test_a_second_run_in_a_clone_is_refused_while_the_first_one_lives(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "target"
            with main.hold(target):
                with self.assertRaisesRegex(SystemExit, f"process {os.getpid()} runs the tests in this clone already"):
                    main.hold(target)
            main.hold(target).close()


class SystemPackages(unittest.TestCase):
    def test_what_is_missing_or_too_old_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "compiler")
            program.write_text("#!/bin/sh\necho compiler 1.85.0 of a distribution\n")
            program.chmod(0o755)
            path, absent = str(program), str(program) + "-2"
            for row, want in (
                ({"provides": [path]}, []),
                ({"provides": [path, absent]}, [absent]),
                ({"provides": [path], "at_least": {path: "1.85"}}, []),
                ({"provides": [path], "at_least": {path: "1.9"}}, []),
                ({"provides": [path], "at_least": {path: "1.90"}}, [f"{path} 1.90"]),
                ({"provides": [path], "at_least": {path: "2.0"}}, [f"{path} 2.0"]),
                ({"provides": [absent], "at_least": {absent: "1.0"}}, [absent]),
            ):
                with self.subTest(row=row):
                    self.assertEqual(tools._missing(row, folder), want)


class Report(unittest.TestCase):
    def result(self, code, *files, tail=""):
        with tempfile.TemporaryDirectory() as folder:
            for place, text in enumerate(files):
                Path(folder, f"{place}.xml").write_text(text)
            found = report.read("s", code, 1.0, Path(folder), tail)
            return found.status, found.passed, found.failed, found.skipped, found.flaky, found.why

    def test_counts_come_from_the_files(self):
        case = '<testsuite><testcase name="a" classname="b">{}</testcase></testsuite>'
        passed, failed = case.format(""), case.format('<failure message="no"/>')
        skipped, flaky = case.format("<skipped/>"), case.format('<flakyFailure message="once"/>')
        for name, got, want in (
            ("passed", self.result(0, passed, passed), ("passed", 2, 0, 0, 0, "")),
            ("failed", self.result(1, passed, failed), ("failed", 1, 1, 0, 0, "")),
            ("an exit status that hides a failure", self.result(0, failed), ("failed", 0, 1, 0, 0, "")),
            ("a failure outside of tests", self.result(2, passed), ("failed", 1, 1, 0, 0, "exit status 2")),
            ("flaky", self.result(0, flaky), ("passed", 1, 0, 0, 1, "")),
            ("one test is skipped", self.result(0, skipped, passed), ("passed", 1, 0, 1, 0, "")),
            ("no file", self.result(0), ("passed", 1, 0, 0, 0, "")),
            ("no file, failed", self.result(1), ("failed", 0, 1, 0, 0, "exit status 1")),
            ("all is skipped", self.result(77, tail="no Emacs"), ("skipped", 0, 0, 1, 0, "no Emacs")),
        ):
            with self.subTest(name):
                self.assertEqual(got, want)
        self.assertEqual(self.result(0, "<testsuite>")[:3], ("failed", 0, 1))


class DocTests(unittest.TestCase):
    OUTPUT = """\
   Doc-tests pintle_base

running 2 tests
test src/base/a.rs - a::cut (line 3) ... ok
test src/base/a.rs - a::join (line 9) ... FAILED

failures:

---- src/base/a.rs - a::join (line 9) stdout ----
error[E0425]: cannot find value `x`
 --> src/base/a.rs:10:1

failures:
    src/base/a.rs - a::join (line 9)

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

   Doc-tests pintle_llm

running 1 test
test src/llm/b.rs - b (line 5) ... ignored

test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""

    def test_each_example_is_a_case(self):
        suite = doc_tests.read(self.OUTPUT.splitlines(keepends=True))
        cases = [
            (case.get("classname"), case.get("name"), [(child.tag, child.text) for child in case])
            for case in suite
        ]
        error = "error[E0425]: cannot find value `x`\n --> src/base/a.rs:10:1\n\n"
        self.assertEqual(
            cases,
            [
                ("pintle_base", "src/base/a.rs - a::cut (line 3)", []),
                ("pintle_base", "src/base/a.rs - a::join (line 9)", [("failure", error)]),
                ("pintle_llm", "src/llm/b.rs - b (line 5)", [("skipped", None)]),
            ],
        )


if __name__ == "__main__":
    unittest.main()
