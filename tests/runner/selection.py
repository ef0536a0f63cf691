"""Which suites run: by tier, by name, or by what has changed. Pure, except for the questions to git."""

import dataclasses
import subprocess
import tomllib
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Suite:
    """A row of `suites.toml`, which explains the fields."""

    name: str
    about: str
    tier: str
    run: str
    paths: tuple[str, ...]
    minutes: float
    tools: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    engine: bool = False


@dataclasses.dataclass(frozen=True)
class Table:
    suites: tuple[Suite, ...]
    everything: tuple[str, ...]


def load(path: Path) -> Table:
    rows = tomllib.loads(path.read_text())
    suites = tuple(
        Suite(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
        for row in rows["suite"]
    )
    for suite in suites:
        if suite.tier not in ("quick", "full"):
            raise SystemExit(f"{path}: suite `{suite.name}` has the unknown tier `{suite.tier}`")
    return Table(suites, tuple(rows["everything"]["paths"]))


def since(table: Table, changed: list[str] | None) -> list[Suite]:
    """The quick suites, and the others that depend on a changed path. `None`: it is not known what has changed."""
    everything = changed is None or any(path.startswith(table.everything) for path in changed)
    return [
        suite
        for suite in table.suites
        if suite.tier == "quick" or everything or any(path.startswith(suite.paths) for path in changed)
    ]


def within(suites: list[Suite], minutes: float) -> tuple[list[Suite], list[Suite]]:
    """The suites that fit into a number of minutes by their rows, and those that do not. Quick suites always fit."""
    kept, left = [], []
    sum_minutes = sum(suite.minutes for suite in suites if suite.tier == "quick")
    for suite in suites:
        if suite.tier == "quick":
            kept.append(suite)
        elif sum_minutes + suite.minutes <= minutes:
            sum_minutes += suite.minutes
            kept.append(suite)
        else:
            left.append(suite)
    return kept, left


def fits(suite: Suite, done: list[tuple[Suite, float]], elapsed: float, limit: float) -> bool:
    """Whether a suite would end within `limit` seconds of the start of a run, at the pace of the suites `done`, each with its seconds.

    The rows hold for a quiet machine. On one that is three times slower, an hour by the rows is three hours.
    """
    if suite.tier == "quick":
        return True
    planned = sum(each.minutes for each, _ in done) * 60
    pace = max(1.0, sum(seconds for _, seconds in done) / planned) if planned else 1.0
    return elapsed + suite.minutes * 60 * pace <= limit


def git(*arguments: str, folder: str = ".") -> str | None:
    """The output of git, or nothing if it fails."""
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def changed_since(revision: str, folder: str = ".") -> list[str] | None:
    """The paths that differ from a revision, uncommitted and untracked ones too; nothing if the revision is not known."""
    if git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", folder=folder) is None:
        return None
    tracked = git("diff", "--name-only", "--no-renames", revision, folder=folder)
    untracked = git("ls-files", "--others", "--exclude-standard", folder=folder)
    if tracked is None or untracked is None:
        return None
    return tracked.splitlines() + untracked.splitlines()
