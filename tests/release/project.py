"""Project metadata from Cargo.toml and git."""

import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from datetime import datetime, timezone

from runner.tools import ROOT


@dataclass(frozen=True)
class Project:
    """`epoch` is the commit's Unix time, used for all timestamps."""

    name: str
    version: str
    description: str
    license: str
    repository: str
    commit: str
    epoch: int

    @property
    def downloads(self) -> str:
        """Where the files of this version are published."""
        return f"{self.repository}/releases/download/v{self.version}"

    @property
    def date(self) -> str:
        return datetime.fromtimestamp(self.epoch, timezone.utc).strftime("%Y-%m-%d")


def read() -> Project:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    shared, package = manifest["workspace"]["package"], manifest["package"]
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct")
    return Project(
        package["name"], shared["version"], package["description"], shared["license"], shared["repository"],
        _git("rev-parse", "HEAD"), int(epoch),
    )  # fmt: skip


# Files that contain the version, with the text around it.
STATED = {
    "Cargo.toml": r'^(version = "|pintle-\w+ = \{ path = "[^"]+", version = ")[^"]+(")',
    "editors/vscode/package.json": r'^(  "version": ")[^"]+(")',
    "protocol/clients/typescript/package.json": r'^(  "version": ")[^"]+(")',
}


def stated_versions() -> dict[str, set[str]]:
    """Returns the versions found in each file; normally one."""

    def stated(name: str, pattern: str) -> set[str]:
        found = re.finditer(pattern, (ROOT / name).read_text(), re.MULTILINE)
        return {match[0][len(match[1]) : -len(match[2])] for match in found}

    return {name: stated(name, pattern) for name, pattern in STATED.items()}


def write_version(version: str) -> None:
    """Updates the version in these files and the lock files."""
    for name, pattern in STATED.items():
        path = ROOT / name
        path.write_text(re.sub(pattern, rf"\g<1>{version}\g<2>", path.read_text(), flags=re.MULTILINE))
    subprocess.run(["cargo", "update", "--quiet", "--workspace", "--offline"], cwd=ROOT, check=True)
    command = ["npm", "install", "--package-lock-only", "--offline", "--silent", "--ignore-scripts"]
    subprocess.run(command, cwd=ROOT / "editors/vscode", check=True)


def notes() -> str:
    """The newest section of the release notes, without its title."""
    sections = re.split(r"^## .*$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    return sections[1].strip()


def commit(revision: str) -> tuple[str, str]:
    """A commit's number and date."""
    number, date = _git("log", "-1", "--format=%H %cs", revision).split()
    return number, date


def is_changed() -> bool:
    """True if the checkout is not what its commit says."""
    return _git("status", "--porcelain") != ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()
