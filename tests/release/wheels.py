"""The wheels for PyPI: a program for one system, as PEP 427 lays it out, without any Python in it.

maturin would compile the program a second time for each wheel, since it can pack only what it has built itself."""

import base64
import hashlib
from pathlib import Path

from . import archives
from .archives import Entry
from .project import Project
from .systems import System

HERE = Path(__file__).resolve().parent
PYTHON = ">=3.8"


def file_name(project: Project, system: System) -> str:
    return f"{project.name}-{project.version}-py3-none-{'.'.join(system.wheel)}.whl"


def wheel(project: Project, system: System, program: Entry, texts: dict[str, Entry], bill: Entry | None) -> bytes:
    """The bytes of a wheel. `bill` is the list of packages in the program (PEP 770)."""
    info = f"{project.name}-{project.version}.dist-info"
    licenses = {name: entry for name, entry in texts.items() if name.startswith("LICENSE") or name == "THIRD_PARTY_NOTICES.md"}
    entries = {
        f"{project.name}-{project.version}.data/scripts/{system.program}": program,
        f"{info}/METADATA": Entry(_metadata(project, sorted(licenses)).encode()),
        f"{info}/WHEEL": Entry(_tags(system).encode()),
        **{f"{info}/licenses/{name}": entry for name, entry in licenses.items()},
    }
    if bill:
        entries[f"{info}/sboms/{project.name}.cyclonedx.json"] = bill
    record = f"{info}/RECORD"
    rows = [f"{path},sha256={_digest(entry.content)},{len(entry.content)}\n" for path, entry in sorted(entries.items())]
    entries[record] = Entry(("".join(rows) + f"{record},,\n").encode())
    return archives.zip_file(entries, project.epoch)


def _metadata(project: Project, licenses: list[str]) -> str:
    files = "".join(f"License-File: {name}\n" for name in licenses)
    readme = (HERE / "pypi" / "README.md").read_text()
    return (
        "Metadata-Version: 2.4\n"
        f"Name: {project.name}\n"
        f"Version: {project.version}\n"
        f"Summary: {project.description}\n"
        f"License-Expression: {project.license}\n"
        f"{files}"
        f"Requires-Python: {PYTHON}\n"
        f"Project-URL: Homepage, {project.repository}\n"
        f"Project-URL: Changelog, {project.repository}/blob/v{project.version}/CHANGELOG.md\n"
        "Description-Content-Type: text/markdown\n\n"
        f"{readme}"
    )


def _tags(system: System) -> str:
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in system.wheel)
    return f"Wheel-Version: 1.0\nGenerator: pintle tests/release\nRoot-Is-Purelib: false\n{tags}"


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
