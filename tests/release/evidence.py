"""RELIABILITY.md: the faults that the tests cause on purpose, and how many tests of each passed in a run."""

import tomllib
import xml.etree.ElementTree as xml
from fnmatch import fnmatchcase
from pathlib import Path

from .compile import Failed
from .project import Project

HERE = Path(__file__).resolve().parent


def faults() -> list[dict]:
    with (HERE / "reliability.toml").open("rb") as file:
        return tomllib.load(file)["fault"]


def outcomes(junit: Path) -> dict[str, bool]:
    """True for each test of a run that passed, false for one that failed. Skipped tests are left out."""
    found = {}
    for case in xml.parse(junit).getroot().iter("testcase"):
        name = " ".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.find("skipped") is None:
            found[name] = case.find("failure") is None and case.find("error") is None
    return found


def matching(fault: dict, names) -> list[str]:
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in fault["tests"])]


def reliability(junit: Path, project: Project) -> str:
    """The page. Raises `Failed` if a pattern matches no test of the run, or if a test failed."""
    ran = outcomes(junit)
    rows = []
    for fault in faults():
        for pattern in fault["tests"]:
            if not any(fnmatchcase(name, pattern) for name in ran):
                raise Failed(f"no test of {junit} is called `{pattern}`")
        names = matching(fault, ran)
        failed = [name for name in names if not ran[name]]
        if failed:
            raise Failed(f"this test failed: {failed[0]}")
        rows.append(f"| {fault['what']} | {fault['holds']} | {len(names)} |\n")
    return (
        "# Reliability\n\n"
        "The tests cause these faults on purpose, in the real program wherever a process, a file or a connection is concerned. "
        "`tests/release/reliability.toml` names the tests of each row.\n\n"
        "| what happens | what holds | tests |\n|---|---|---:|\n"
        f"{''.join(rows)}\n"
        f"All passed on {project.date}, at commit {project.commit[:12]}, in a run of `tests/all.sh` with {len(ran)} tests. "
        "The suite `kills` (`tests/all.sh kills`) repeats the first row 300 times with other moments.\n\n"
        "Written by `tests/release/run evidence`, from the last run's `target/tests/junit.xml`.\n"
    )
