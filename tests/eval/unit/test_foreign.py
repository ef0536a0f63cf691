"""Task folders of others: what is read, what is skipped and why, and how they are judged."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from kit import checks, foreign, tasks
from kit.foreign import dockerfile, terminal_bench, yaml_subset

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def options(path, **more):
    known = {"tasks": path, "only": "*", "repos": None, "in_place": False, "test_command": "python3 -m unittest -q {tests}"}
    return argparse.Namespace(**known | more)


class Yaml(unittest.TestCase):
    TEXTS = (
        ("key: plain text # a comment", "plain text"),
        ("key: a#b:c", "a#b:c"),
        ("key: \"a \\\"b\\\"\\n\"", 'a "b"\n'),
        ("key: 'it''s'  # c", "it's"),
        ("key: |\n  a\n    b\n\n  c\n\nother: 1", "a\n  b\n\nc\n"),
        ("key: |-\n  a\n  b\n", "a\nb"),
        ("key: |+\n  a\n\nother: 1", "a\n\n"),
        ("key: >\n  a\n  b\n\n  c\n", "a b\nc\n"),
        ("key: >-\n  a\n    code\n  b\n", "a\n  code\nb"),
        ("key: |2\n    a\n", "  a\n"),
        ("key: |\r\n  a\r\n  b\r\n", "a\nb\n"),
        ("key: a plain\n  text\n\n  of lines\nother: 1", "a plain text\nof lines"),
        ("key: \"a quoted\n  \\\"text\\\" \\\n  of\n\n  lines\\n\"\n", 'a quoted "text" of\nlines\n'),
        ("key: 'it''s\n  one'", "it's one"),
        ("key:\n  It begins\n\n  below.\nother: 1", "It begins\nbelow."),
        ("key: |-\n  a\n    \n  b\n", "a\n  \nb"),
        ("# c\nother: [1]\nkey: x", "x"),
        ("tags:\n- a\n- b\nkey: x", "x"),
    )

    def test_texts(self):
        for text, want in self.TEXTS:
            with self.subTest(text=text):
                self.assertEqual(yaml_subset.read(text)["key"], want)

    def test_the_same_as_a_whole_parser_where_there_is_one(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        for text, want in self.TEXTS:
            with self.subTest(text=text):
                self.assertEqual(yaml.safe_load(text)["key"], want)
        text = (FIXTURES / "terminal-bench" / "count-lines" / "task.yaml").read_text()
        self.assertEqual(yaml_subset.read(text)["instruction"], yaml.safe_load(text)["instruction"])

    def test_what_it_does_not_know_is_an_error_that_names_the_key(self):
        for text, want in (
            ("other: 1", "`instruction` is missing"),
            ("instruction: [a, b]", "is not read here"),
            ("instruction:\n  a: b", "is not read here"),
            ("instruction:\n- two\n- lines", "is not read here"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(yaml_subset.YamlError, want):
                yaml_subset.text_of(yaml_subset.load(text), "instruction", Path("task.yaml"))


class Dockerfiles(unittest.TestCase):
    def test_recipes(self):
        for text, want in (
            ("FROM x\nWORKDIR /app\nCOPY a b.txt sub/\n", ("/app", (("a", "sub/"), ("b.txt", "sub/")), None)),
            ("FROM x\nCOPY --chown=1:1 . /app\n", ("/app", ((".", "."),), None)),
            ("FROM x\nWORKDIR /srv\nWORKDIR data\nCOPY [\"a b\", \"c\"]\n", ("/srv/data", (("a b", "c"),), None)),
            ("FROM x\n# RUN no\nRUN mkdir -p /logs/a\nCOPY ./x ./\nCMD [\"sh\"]\n", ("/app", (), "its Dockerfile copies to /, outside of /app")),
            ("FROM x\nRUN apt-get update \\\n  && apt-get install -y gcc\n", ("/app", (), "its Dockerfile has `RUN apt-get update && apt-get install -y gcc`")),
            ("FROM x AS b\nFROM y\nWORKDIR /app\nCOPY --from=b /bin/x .\n", ("/app", (), "its Dockerfile copies from another image")),
            ("FROM x\nWORKDIR /app\nCOPY a /etc/a\n", ("/app", (), "its Dockerfile copies to /etc/a, outside of /app")),
            ("FROM x\nWORKDIR /app\nENV A=1\nCOPY a .\n", ("/app", (("a", "./"),), "its Dockerfile has `ENV A=1`")),
        ):
            with self.subTest(text=text):
                self.assertEqual(dockerfile.read(text), dockerfile.Recipe(*want))


class TerminalBench(unittest.TestCase):
    def read(self, **more):
        return {task.id: task for task in foreign.read_tasks(options(FIXTURES / "terminal-bench", **more))}

    def test_both_formats(self):
        found = self.read()
        old, new = found["count-lines"], found["sum-numbers"]
        self.assertTrue(old.prompt.startswith("The file /app/data/words.txt has one word a line.\n\nWrite"))
        self.assertTrue(old.prompt.endswith('only the number, "and nothing else".'))
        self.assertEqual((old.limits.wall, old.check_timeout, old.languages, old.missing()), (120, 31, ("text", "easy"), None))
        self.assertEqual((new.limits.wall, new.check_timeout, new.languages, new.missing()), (90, 30, ("arithmetic", "easy"), None))

    def test_what_wants_a_container_says_so(self):
        self.assertEqual(
            self.read()["wants-container"].missing(),
            "its Dockerfile has `RUN apt-get update && apt-get install -y gcc`, which needs a container; --in-place tries it without",
        )

    def test_one_that_is_broken_is_skipped(self):
        for content, want in (("", "it cannot be read: task.yaml: `instruction` is missing"), ("instruction: [a]\n", "it cannot be read: task.yaml: `instruction` is written in a way")):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "task.yaml").write_text(content)
                (task,) = foreign.read_tasks(options(Path(folder)))
                self.assertTrue(task.missing().startswith(want), task.missing())

    def test_services(self):
        for text, count in (("services:\n  client:\n    image: x\n", 1), ("services:\n  a:\n    image: x\n  b:\n    image: y\nvolumes:\n  v:\n", 2), ("", 1)):
            self.assertEqual(terminal_bench.services(text), count)

    def test_paths_are_replaced_as_a_whole(self):
        for text, want in (("/app", "/w"), ("cd /app/x", "cd /w/x"), ("`/app`.", "`/w`."), ("/application", "/application"), ("my/app", "my/app"), ('"/app"', '"/w"'), ("~/app", "~/app")):
            self.assertEqual(terminal_bench.replaced(text, {"/app": "/w"}), want)

    def test_played_by_its_own_solution(self):
        for name, files in (("count-lines", {"data"}), ("sum-numbers", {"numbers.txt"})):
            task = self.read()[name]
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "place"
                tasks.make_place(task, place)
                self.assertEqual(set(os.listdir(place / "work")), files | {".git"})
                self.assertFalse(checks.check(task, place, "").passed)
                solution = next(path for path in (task.folder / "solution.sh", task.folder / "solution" / "solve.sh") if path.is_file())
                text = terminal_bench.replaced(solution.read_text(), {"/app": str(place / "work")}).replace("| bc", "| python3 -c 'print(eval(input()))'")
                subprocess.run(["bash", "-c", text], check=True, cwd=place / "work")
                self.assertTrue(checks.check(task, place, "").passed)


class SweBench(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        repository = self.root / "repos" / "someone__thing"
        repository.mkdir(parents=True)
        self.git = lambda *words: subprocess.run(["git", *words], cwd=repository, env=tasks.clean_environment(self.root), check=True, capture_output=True, text=True).stdout
        self.git("init", "-q", "-b", "main")
        (repository / "thing.py").write_text("def double(x):\n    return x + x + 1\n")
        (repository / "test_thing.py").write_text("import unittest\nimport thing\n\n\nclass T(unittest.TestCase):\n    def test_type(self):\n        self.assertIsInstance(thing.double(2), int)\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "base")
        self.base = self.git("rev-parse", "HEAD").strip()
        with open(repository / "test_thing.py", "a") as file:
            file.write("\n    def test_double(self):\n        self.assertEqual(thing.double(4), 8)\n")
        self.patch = self.git("diff")
        (repository / "thing.py").write_text("def double(x):\n    return x + x\n")
        self.git("commit", "-qam", "the fix")
        self.instance = {
            "instance_id": "someone__thing-1",
            "repo": "someone/thing",
            "base_commit": self.base,
            "problem_statement": "double(4) is 9",
            "patch": "",
            "test_patch": self.patch,
            "FAIL_TO_PASS": '["test_thing.T.test_double"]',
            "PASS_TO_PASS": ["test_thing.T.test_type"],
        }

    def read(self, repos="repos", command=f"{sys.executable} -m unittest -q {{tests}}", **changes):
        path = self.root / "tasks.jsonl"
        path.write_text(json.dumps({**self.instance, **changes}) + "\n\n")
        (task,) = foreign.read_tasks(options(path, repos=repos and self.root / repos, test_command=command))
        return task

    def test_judged_by_the_tests_of_the_instance(self):
        task = self.read()
        self.assertIsNone(task.missing())
        self.assertIn("double(4) is 9", task.prompt)
        for change, passes in (
            ("true", False),
            ("sed -i 's/ + 1//' thing.py", True),
            ("printf 'def double(x):\\n    return 8.0\\n' > thing.py", False),
            ("rm test_thing.py; sed -i 's/ + 1//' thing.py", True),
            ("echo 'broken(' > test_thing.py; sed -i 's/ + 1//' thing.py", True),
        ):
            with self.subTest(change=change), tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "place"
                tasks.make_place(task, place)
                work = place / "work"
                log = subprocess.run(["git", "log", "--format=%s"], cwd=work, capture_output=True, text=True).stdout
                self.assertEqual(log, "Import\n", "the fix is in the history")
                subprocess.run(["bash", "-c", change], cwd=work, check=True)
                self.assertEqual(checks.check(task, place, "").passed, passes)

    def test_what_is_not_here_is_skipped_with_the_reason(self):
        for task, want in (
            (self.read(repos=None), "--repos DIR has to hold someone/thing"),
            (self.read(repo="other/thing2"), "has no folder for other/thing2"),
            (self.read(base_commit="0" * 40), "has no commit 000000000000"),
            (self.read(FAIL_TO_PASS="[]", PASS_TO_PASS=[]), "it names no tests"),
            (self.read(command="no-such-program {tests}"), "there is no no-such-program"),
            (self.read(command="python3 -m no_such_module {tests}"), "python3 has no module no_such_module"),
            (self.read(command="python3 -m unittest"), "has no {tests}"),
        ):
            self.assertIn(want, task.missing())

    def test_a_line_that_is_no_instance_is_named(self):
        path = self.root / "tasks.jsonl"
        for text, want in (("{", ":1: "), ('{"repo": "x"}', "instance_id, base_commit, .* are missing"), ("[]", "are missing")):
            path.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(tasks.TaskError, want):
                foreign.read_tasks(options(path))
