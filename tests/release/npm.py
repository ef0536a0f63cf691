"""npm packages: one per system with the program, and `pintle`, which starts the right one."""

import json
from pathlib import Path

from . import archives
from .archives import Entry
from .project import Project
from .systems import System, offered

HERE = Path(__file__).resolve().parent
SCOPE = "@pintle"
NODE = ">=18"


def name(system: System) -> str:
    return f"{SCOPE}/{system.npm}"


def platform_package(project: Project, system: System, program: bytes, texts: dict[str, Entry]) -> dict[str, Entry]:
    os, cpu = system.npm.split("-")
    manifest = {
        **_common(project, name(system)),
        "description": f"The pintle program for {system.npm}",
        "os": [os],
        "cpu": [cpu],
        "preferUnplugged": True,
        "files": ["bin", "THIRD_PARTY_NOTICES.md", "LICENSE-MIT", "LICENSE-APACHE"],
    }
    kept = {path: texts[path] for path in ("THIRD_PARTY_NOTICES.md", "LICENSE-MIT", "LICENSE-APACHE") if path in texts}
    readme = Entry(f"The program of the package `pintle` for {system.npm}. Install `pintle` instead.\n".encode())
    return {
        "package.json": _json(manifest),
        "README.md": readme,
        f"bin/{system.program}": Entry(program, is_program=True),
        **kept,
    }


def main_package(project: Project, texts: dict[str, Entry]) -> dict[str, Entry]:
    manifest = {
        **_common(project, project.name),
        "description": project.description,
        "bin": {"pintle": "bin/pintle.js"},
        "engines": {"node": NODE},
        "files": ["bin", "LICENSE-MIT", "LICENSE-APACHE"],
        "optionalDependencies": {name(system): project.version for system in offered()},
    }
    return {
        "package.json": _json(manifest),
        "README.md": Entry((HERE / "npm" / "README.md").read_bytes()),
        "bin/pintle.js": Entry((HERE / "npm" / "pintle.js").read_bytes(), is_program=True),
        **{path: texts[path] for path in ("LICENSE-MIT", "LICENSE-APACHE")},
    }


def packed(package: dict[str, Entry], epoch: int) -> bytes:
    """A package as `npm install` and `npm publish` take it."""
    return archives.tar_gz({f"package/{path}": entry for path, entry in package.items()}, epoch)


def file_name(package: str, version: str) -> str:
    """As `npm pack` names it."""
    return f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"


def _common(project: Project, package: str) -> dict:
    return {
        "name": package,
        "version": project.version,
        "license": f"({project.license})",
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
        "homepage": project.repository,
        "bugs": f"{project.repository}/issues",
    }


def _json(value: dict) -> Entry:
    return Entry((json.dumps(value, indent=2) + "\n").encode())
