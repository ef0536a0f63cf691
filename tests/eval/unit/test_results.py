"""Reading journals, and the tables and comparisons of results."""

import json
import tempfile
import unittest
from pathlib import Path

from kit import compare, results, table


def call(tool, text, status="failed", **details):
    output = {"content": [{"type": "text", "text": text}], "failed": True, "details": details}
    return {"type": "toolCall", "toolName": tool, "status": status, "output": output}


def journal(*items):
    lines = ['{"journal": "pintle", "version": 1}']
    for item in items:
        lines.append(json.dumps({"seq": 1, "event": {"type": "item.started", "item": item}}))
        lines.append(json.dumps({"seq": 2, "event": {"type": "item.completed", "item": item}}))
    return lines


class ErrorKinds(unittest.TestCase):
    def test_kinds(self):
        for item, kind in (
            (call("nothere", "Unknown tool `nothere`. Available tools: read."), "unknown tool"),
            (call("bash", "The arguments are not valid JSON (key must be a string at line 1 column 2). Send the call again with a JSON object."), "not JSON"),
            (call("read", "unknown argument `pth`; expected one of `path`, `offset`, `limit`"), "wrong arguments"),
            (call("edit", "`newText` is missing: it must be a string"), "wrong arguments"),
            (call("edit", "The old text must not be empty. Use write to create a file or to replace its whole content."), "wrong arguments"),
            (call("edit", "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines."), "no match"),
            (call("edit", "Found 3 occurrences of the text in f. The text must be unique."), "several matches"),
            (call("apply_patch", "Cannot apply hunk 1 to f: these lines were not found:\nx\nThe closest lines are 1-2 (80% similar): read them and try again."), "no match"),
            (call("apply_patch", "Cannot apply hunk 2 to f: no line `fn a` was found below line 3. The text after @@ must be a line of the file."), "no match"),
            (call("apply_patch", "Cannot apply hunk 1 to f: its lines occur more than once (lines 1, 9). Add neighbouring lines."), "several matches"),
            (call("apply_patch", "Nothing was changed: line 2: a line of a hunk begins with ` `, `+` or `-`"), "malformed patch"),
            (call("edit", "No changes made to f. The replacement produced identical content."), "no change"),
            (call("write", "f was changed since it was last read. Read it again first."), "not read first"),
            (call("read", "File not found: gone (ENOENT)"), "not found"),
            (call("bash", "Working directory does not exist: /x"), "not found"),
            (call("write", "f exists and has not been read in this session. Read it first."), "not read first"),
            (call("read", "Offset 9 is beyond end of file (2 lines total)"), "beyond the end"),
            (call("bash", "Command timed out after 10 seconds."), "timed out"),
            (call("bash", "x\n\nCommand exited with code 3", exitCode=3), "exit code"),
            (call("bash", "cat: f: No such file or directory\n\nCommand exited with code 1", exitCode=1), "exit code"),
            (call("bash", "Read-only file system\n\nCommand exited with code 1", exitCode=1, sandbox={"level": "full", "denied": True}), "sandbox"),
            (call("bash", "Denied: denied by a rule.", denial={"decidedBy": "a rule"}), "denied"),
            (call("read", "Denied: this call needs permission.", status="declined"), "denied"),
            (call("bash", "Operation aborted"), "cancelled"),
            (call("grep", "the pattern has an error"), "other"),
        ):
            with self.subTest(kind=kind, text=item["output"]["content"][0]["text"]):
                self.assertEqual(results.error_kind(item), kind)

    def test_a_call_that_worked_is_none(self):
        item = call("read", "File not found: as text of a file")
        del item["output"]["failed"]
        self.assertIsNone(results.error_kind(item))
        self.assertIsNone(results.error_kind({"type": "toolCall"}))

    def test_calls_are_counted_once(self):
        good = call("read", "x")
        del good["output"]["failed"]
        bad = call("read", "File not found: f")
        lines = journal(good, bad, bad, {"type": "agentMessage", "text": "x"})
        self.assertEqual(results.tool_calls([*lines, '{"event": {"type": "item.comp']), (3, {"read: not found": 2}))


def row(task, state="passed", model="m", repeat=1, cost=0.25, **more):
    known = {"kind": "edit", "languages": [], "reason": "why", "stop": "done", "exitCode": 0, "steps": 2, "inputTokens": 1000, "cachedTokens": 0}
    known |= {"outputTokens": 10, "seconds": 1.5, "toolCalls": 3, "toolErrors": {}}
    return {"task": task, "model": model, "repeat": repeat, "state": state, "costUsd": cost, **known, **more}


def data(*rows, models=("m",), repeat=1):
    return {"version": 1, "models": list(models), "repeat": repeat, "attempts": list(rows), "skipped": {}}


class Tables(unittest.TestCase):
    def test_the_whole_table(self):
        given = data(
            row("a", toolErrors={"edit: no match": 2}),
            row("b", "failed", cost=None, reason="no"),
            row("c", "failed", exitCode=3, stop="auth", reason="nothing was done"),
            {**row("d", kind="log"), "state": "unfinished", "stop": None},
        )
        given["skipped"] = {"e": "needs go"}
        self.assertEqual(
            table.whole(given),
            """\
model  passed    rate    95 %      cost    in  cached  out  steps  time  calls  errors
m         1/3  33.3 %  6-79 %  >$0.5000  3000       0   30      6  4.5s      9       2

kind of task    m
edit          1/3
log           0/0

tool: kind of error  m
edit: no match       2

not passed:
  b: no
  c: nothing was done [auth]
  d: why

notes:
  m: 1 attempts are unfinished and not counted; start the run again with the same --out
  m: 1 attempts ended by an error of the provider (auth) and count as not passed
  e: skipped: needs go
""",
        )

    def test_repeats_are_no_further_tasks(self):
        once = [row("a"), row("b", "failed")]
        self.assertEqual(table.interval(once), "9-91 %")
        self.assertEqual(table.interval(once * 5), "9-91 %")
        self.assertEqual(table.interval([row("a"), row("a", "failed"), row("b"), row("b", "failed")]), "9-91 %")

    def test_numbers(self):
        for value, text in ((0, "0"), (9999, "9999"), (10000, "10.0k"), (1234567, "1.2M"), (2.5e9, "2.5G")):
            self.assertEqual(table.number(value), text)

    def test_costs(self):
        for costs, text in (((), "$0.0000"), ((0.5, 0.25), "$0.7500"), ((0.5, None), ">$0.5000"), ((None, None), "?")):
            self.assertEqual(table.cost([row("a", cost=cost) for cost in costs]), text)


class Compare(unittest.TestCase):
    def side(self, *rows):
        by_task = {}
        for one in rows:
            by_task.setdefault(one["task"], []).append(one)
        return by_task, "side"

    def test_tasks_that_flipped_and_intervals(self):
        first = self.side(row("a", "failed"), row("b"), row("c"), row("d", "failed"), row("only"))
        second = self.side(row("a", steps=4), row("b", "failed"), row("c", cost=0.5), row("d"))
        lines = compare.compare(first, second)
        self.assertIn("4 tasks in both", lines)
        self.assertIn("only in one, not compared: only", lines)
        self.assertEqual(lines[-3:], ["  + a", "  + d", "  - b"])
        self.assertTrue(any(line.startswith("better in B: 2, worse in B: 1, the same: 1;") and line.endswith("p = 1.000") for line in lines), lines)
        rates = next(line for line in lines if line.startswith("pass rate"))
        self.assertEqual(rates.split()[2:8], ["50.0", "%", "75.0", "%", "+25.0", "-50.0"])
        steps = next(line for line in lines if line.startswith("steps"))
        self.assertEqual(steps.split()[1:4], ["2.0", "2.5", "+0.5"])

    def test_each_task_weighs_the_same(self):
        first = self.side(*(row("a", repeat=number) for number in (1, 2, 3)), row("b", "failed"))
        second = self.side(row("a"), row("b", "failed"))
        rates = next(line for line in compare.compare(first, second) if line.startswith("pass rate"))
        self.assertEqual(rates.split()[2:7], ["50.0", "%", "50.0", "%", "+0.0"])

    def test_an_unknown_price_is_said(self):
        lines = compare.compare(self.side(row("a", cost=None)), self.side(row("a")))
        self.assertTrue(any("the price is not known" in line for line in lines))
        lines = compare.compare(self.side(row("a", cost=None), row("b")), self.side(row("a"), row("b")))
        self.assertTrue(any(" ".join(line.split()).startswith("cost, USD (1 tasks) 0.2500 0.2500") for line in lines), lines)

    def test_what_is_no_results_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            for content, want in (
                (None, "No such file"),
                ("{", "is no JSON"),
                ('{"version": 2, "attempts": []}', "is no results.json of this kit"),
                (json.dumps(data(models=("x", "y"))), f"say which: {path}#x"),
            ):
                if content is not None:
                    path.write_text(content)
                with self.assertRaisesRegex(results.ResultsError, want):
                    compare.side(str(path))
            path.write_text(json.dumps(data(row("a", model="x"), row("a", "failed", model="y"), models=("x", "y"))))
            self.assertEqual(list(compare.side(f"{folder}#y")[0]["a"][0].items())[3], ("state", "failed"))
            with self.assertRaisesRegex(results.ResultsError, "has no model z"):
                compare.side(f"{path}#z")
            with self.assertRaisesRegex(results.ResultsError, "no task in common"):
                compare.compare(self.side(row("a")), self.side(row("b")))
