"""Reading tasks, naming attempts, and what a second start with a folder may change."""

import os
import tempfile
import unittest
from pathlib import Path

from kit import batch, checks, plan, tasks

TASK = 'kind = "edit"\nlanguages = ["text"]\nprompt = "Do it."\n'


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def task(self, name="t", toml=TASK, check="exit 1\n"):
        folder = self.root / "tasks" / name
        (folder / "work").mkdir(parents=True, exist_ok=True)
        (folder / "work" / "f.txt").write_text("x\n")
        (folder / "task.toml").write_text(toml)
        (folder / "check.sh").write_text(check)
        return folder

    def test_errors_of_a_task_name_the_file_and_the_key(self):
        for toml, want in (
            ("kind = ", "task.toml"),
            ('languages = []\nprompt = "x"', "`kind` is missing"),
            (TASK.replace('"edit"', '"fun"'), "the kind is one of"),
            (TASK + "needs = 3\n", "`needs` is of the wrong type"),
            (TASK + "prompts = 3\n", "unknown keys: prompts"),
            (TASK + "[limits]\nstep = 3\n", "unknown keys: step"),
        ):
            with self.subTest(want=want), self.assertRaisesRegex(tasks.TaskError, want):
                tasks.read_task(self.task(toml=toml))

    def test_a_task_without_a_program_is_skipped(self):
        task = tasks.read_task(self.task(toml=TASK + 'needs = ["python3", "no-such-program"]\n'))
        self.assertEqual(task.missing(), "needs no-such-program")
        self.assertIsNone(tasks.read_task(self.task()).missing())

    def test_a_digest_changes_with_any_file(self):
        folder = self.task()
        first = tasks.read_task(folder).digest()
        self.assertEqual(first, tasks.read_task(folder).digest())
        (folder / "check.sh").write_text("exit 0\n")
        self.assertNotEqual(first, tasks.read_task(folder).digest())

    def test_ids_of_attempts_are_folders_names(self):
        task = tasks.read_task(self.task())
        ids = [attempt.id for attempt in plan.attempts([task], ["a/b:high", "a/b-high"], 2)]
        self.assertEqual(ids, ["t.1-a-b-high.1", "t.2-a-b-high.1", "t.1-a-b-high.2", "t.2-a-b-high.2"])
        self.assertEqual(plan.attempts([task], ["ollama/qwen3"], 1)[0].id, "t.ollama-qwen3.1")

    def test_a_folder_goes_on_only_with_the_same_run(self):
        given = {"tasks": {"t": "1"}, "permission": "auto-edit", "options": []}
        out = self.root / "out"

        def hold(folder=out, **changes):
            held = plan.Folder(folder)
            held.hold({**given, **changes})
            held.release()

        hold()
        hold(tasks={"u": "2"})
        for other, want in (({"permission": "full"}, "permission"), ({"options": ["--x"]}, "options"), ({"tasks": {"u": "3"}}, "the task u has changed")):
            with self.subTest(want=want), self.assertRaisesRegex(plan.PlanError, want):
                hold(**other)
        held = plan.Folder(out)
        held.hold(given)
        with self.assertRaisesRegex(plan.PlanError, "in use by another run"):
            hold()
        held.release()
        hold()
        (out / "plan.json").write_text("[]")
        with self.assertRaisesRegex(plan.PlanError, "is damaged"):
            hold()
        (self.root / "other").mkdir()
        (self.root / "other" / "file").touch()
        with self.assertRaisesRegex(plan.PlanError, "is not empty"):
            hold(self.root / "other")

    def test_a_folder_inside_of_a_repository_is_refused(self):
        (self.root / "project" / ".git").mkdir(parents=True)
        with self.assertRaisesRegex(plan.PlanError, "inside of the repository"):
            plan.Folder(self.root / "project" / "out" / "run")

    def test_the_check_is_not_in_the_place(self):
        task = tasks.read_task(self.task())
        tasks.make_place(task, self.root / "place")
        found = {path.relative_to(self.root / "place") for path in (self.root / "place").rglob("*") if ".git" not in path.parts}
        self.assertEqual(found, {Path("work"), Path("work/f.txt")})

    def test_what_the_agent_made_may_be_a_pipe(self):
        task = tasks.read_task(self.task(check="test ! -e pipe && echo well\n"))
        tasks.make_place(task, self.root / "place")
        os.mkfifo(self.root / "place" / "work" / "pipe")
        self.assertEqual(checks.check(task, self.root / "place", ""), checks.Verdict(True, "well"))

    def test_a_check_that_hangs_is_ended(self):
        task = tasks.read_task(self.task(toml=TASK + "check_timeout = 1\n", check="tail -f /dev/null & tail -f /dev/null\n"))
        tasks.make_place(task, self.root / "place")
        self.assertEqual(checks.check(task, self.root / "place", ""), checks.Verdict(False, "the check did not end within 1 s"))

    def test_nothing_may_change_where_the_task_says_so(self):
        task = tasks.read_task(self.task(toml=TASK + "unchanged = true\n", check="echo well\n"))
        for change, want in (
            ("true", checks.Verdict(True, "well")),
            ("echo y >> f.txt", checks.Verdict(False, "f.txt was changed, and nothing was to be")),
            ("echo y > ../g.txt", checks.Verdict(False, "../g.txt was changed, and nothing was to be")),
            ("git commit -q --allow-empty -m x", checks.Verdict(False, "commits, branches or the index were changed, and nothing was to be")),
            ("git branch x", checks.Verdict(False, "commits, branches or the index were changed, and nothing was to be")),
        ):
            with self.subTest(change=change):
                place = self.root / "place"
                tasks.make_place(task, place)
                tasks.run(["bash", "-c", change], place / "work", tasks.clean_environment(place), task)
                self.assertEqual(checks.check(task, place, ""), want)

    def test_scripts_are_told_from_recordings(self):
        folder = self.root / "replay"
        folder.mkdir()
        self.assertIsNone(batch.scripted(folder))
        (folder / "x.json").write_text('{"recordedAt": 3}')
        self.assertIsNone(batch.scripted(folder))
        (folder / "t.json").write_text('{"replies": []}')
        self.assertEqual(batch.scripted(folder), {"t"})
