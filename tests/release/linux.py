"""Debian and RPM packages, built with nfpm."""

import gzip
import json
import os
import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from runner.tools import Tools

from .archives import Entry
from .compile import Failed
from .project import Project
from .systems import System

FORMATS = ("deb", "rpm")
ZSH = {"deb": "/usr/share/zsh/vendor-completions", "rpm": "/usr/share/zsh/site-functions"}


def places(format: str, system: System, entries: dict[str, Entry]) -> dict[str, Entry]:
    """Maps archive files to installed paths; man pages are compressed."""
    placed = {}
    for path, entry in entries.items():
        folder, _, name = path.rpartition("/")
        if path == system.program:
            placed["/usr/bin/pintle"] = entry
        elif folder == "man":
            placed[f"/usr/share/man/man1/{name}.gz"] = Entry(gzip.compress(entry.content, 9, mtime=0))
        elif name == "pintle.bash":
            placed["/usr/share/bash-completion/completions/pintle"] = entry
        elif name == "_pintle":
            placed[f"{ZSH[format]}/_pintle"] = entry
        elif name == "pintle.fish":
            placed["/usr/share/fish/vendor_completions.d/pintle.fish"] = entry
        elif folder == "":
            placed[f"/usr/share/doc/pintle/{name}"] = entry
    return placed


def package(tools: Tools, format: str, project: Project, system: System, entries: dict[str, Entry], out: Path) -> Path:
    nfpm = tools.install("nfpm") / "bin" / "nfpm"
    at = datetime.fromtimestamp(project.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contents = []
        for number, (place, entry) in enumerate(sorted(places(format, system, entries).items())):
            source = folder / str(number)
            source.write_bytes(entry.content)
            contents.append({"src": str(source), "dst": place, "file_info": {"mode": entry.mode, "mtime": at}})
        config = {
            "name": project.name,
            "arch": system.nfpm,
            "version": project.version,
            "section": "utils",
            "maintainer": "The pintle developers <security@pintle.example>",
            "description": project.description,
            "homepage": project.repository,
            "license": project.license,
            "mtime": at,
            "recommends": ["bash", "git"],
            "contents": contents,
            "rpm": {"buildhost": "localhost"},
        }
        # JSON is YAML.
        (folder / "nfpm.yaml").write_text(json.dumps(config))
        target = out / file_name(format, project, system)
        command = [str(nfpm), "package", "--config", str(folder / "nfpm.yaml"), "--packager", format, "--target", str(target)]
        env = {**os.environ, "SOURCE_DATE_EPOCH": str(project.epoch)}
        done = subprocess.run(command, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failed(f"{format}: nfpm ended with status {done.returncode}\n{done.stdout}")
        return target


def file_name(format: str, project: Project, system: System) -> str:
    """As the distributions name packages."""
    if format == "deb":
        return f"{project.name}_{project.version}_{system.nfpm}.deb"
    return f"{project.name}-{project.version}-1.{system.triple.split('-')[0]}.rpm"
