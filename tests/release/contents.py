"""Files shipped with the program: licenses, notices, release notes, completions, man pages."""

import os
import subprocess
import tempfile
from pathlib import Path

from runner.tools import ROOT, Tools

from .archives import Entry
from .compile import Failed
from .project import Project

HERE = Path(__file__).resolve().parent
TEXTS = ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")
# What each shell calls its completions.
COMPLETIONS = {
    "bash": "pintle.bash",
    "zsh": "_pintle",
    "fish": "pintle.fish",
    "powershell": "pintle.ps1",
    "nushell": "pintle.nu",
}


def texts() -> dict[str, Entry]:
    return {name: Entry((ROOT / name).read_bytes()) for name in TEXTS}


def notices(tools: Tools) -> Entry:
    """Returns the license texts of all bundled packages."""
    about = tools.install("cargo-about") / "bin" / "cargo-about"
    command = [str(about), "about", "generate", "--locked", "--offline", "--fail", "--config", str(HERE / "about.toml"), str(HERE / "about.hbs")]
    return Entry(_output(command, cwd=ROOT))


def of_program(program: Path, project: Project) -> dict[str, Entry]:
    """The completions and man pages that a program which runs here prints, by path."""
    entries = {
        f"completions/{name}": Entry(_output([str(program), "completions", shell, "--program", "pintle"]))
        for shell, name in COMPLETIONS.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        _output([str(program), "man", folder], SOURCE_DATE_EPOCH=str(project.epoch))
        pages = sorted(Path(folder).glob("*.1"))
        if not pages:
            raise Failed(f"{program} wrote no man pages")
        return entries | {f"man/{page.name}": Entry(page.read_bytes()) for page in pages}


def build_note(project: Project, is_changed: bool, compiler: str, is_signed: bool) -> Entry:
    """How the program was built."""
    changed = " and uncommitted changes" if is_changed else ""
    signed = "is" if is_signed else "is not"
    return Entry(
        f"{project.name} {project.version}\n"
        f"commit: {project.commit}{changed}\n"
        f"date: {project.date}\n"
        f"compiler: {compiler}\n"
        f"The program {signed} signed.\n".encode()
    )


def _output(command: list[str], cwd: Path | None = None, **variables: str) -> bytes:
    # Completions and pages do not depend on anybody's settings.
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "PINTLE_HOME": home, **variables}
        done = subprocess.run(command, cwd=cwd, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(command[:4])}` ended with status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
