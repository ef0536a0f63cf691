"""VS Code packages: one per system with the program, and a universal one."""

import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from runner.tools import ROOT, Tools

from . import archives
from .archives import Entry
from .compile import Failed
from .project import Project
from .systems import System


def file_name(project: Project, system: System | None) -> str:
    return f"{project.name}-vscode-{project.version}{f'-{system.vscode}' if system else ''}.vsix"


def package(project: Project, system: System | None, program: Entry | None, out: Path) -> Path:
    """Builds a package by `editors/vscode/package.sh`. Its archive is packed again, with the time of the commit."""
    node = Tools().install("node") / "bin"
    target = out / file_name(project, system)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = []
        if system and program:
            (folder / "program").write_bytes(program.content)
            arguments = [system.vscode, str(folder / "program")]
        command = [str(ROOT / "editors/vscode/package.sh"), str(folder / "package.vsix"), *arguments]
        env = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
        _run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], env, unless=ROOT / "editors/vscode/node_modules")
        _run(command, env)
        with zipfile.ZipFile(folder / "package.vsix") as file:
            entries = {
                info.filename: Entry(file.read(info), is_program=bool(info.external_attr >> 16 & 0o111))
                for info in file.infolist()
                if not info.is_dir()
            }
    target.write_bytes(archives.zip_file(entries, project.epoch))
    return target


def _run(command: list[str], env: dict[str, str], unless: Path | None = None) -> None:
    if unless and unless.exists():
        return
    done = subprocess.run(command, cwd=ROOT / "editors/vscode", env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failed(f"`{command[0]}` ended with status {done.returncode}\n{done.stdout}")
