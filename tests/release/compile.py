"""Compiles the release program reproducibly, independent of the checkout's path."""

import os
import subprocess
from pathlib import Path

from platforms import requirements
from platforms.targets import TARGETS
from platforms.toolchain import BUILD, SOURCES, Toolchain
from runner.tools import ROOT, rows, version

from .systems import System


class Failed(Exception):
    """A release step failed; the message contains the step and the reason."""


def mapped_paths() -> list[tuple[Path, str]]:
    """Local paths that compilers embed, and their replacements.

    The last match wins, so outer directories come first."""
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    registries = sorted((cargo / "registry" / "src").glob("*"))
    return [
        (ROOT, "pintle"),
        (BUILD, "build"),
        (SOURCES, "rust"),
        (SOURCES.resolve(), "rust"),
        *((folder, "crates") for folder in registries),
    ]


def reproducible(system: System) -> dict[str, str]:
    """Environment variables for a reproducible build, in addition to the target's."""
    lower = system.triple.replace("-", "_")
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in mapped_paths()]
    if system.is_windows:
        flags += ["-C", "link-arg=-Wl,--no-insert-timestamp"]
    return {
        f"CARGO_TARGET_{lower.upper()}_RUSTFLAGS": " ".join(flags),
        f"CFLAGS_{lower}": " ".join(f"-ffile-prefix-map={folder}={name}" for folder, name in mapped_paths()),
        "ZERO_AR_DATE": "1",
    }


class Compiler:
    """The toolchain of one system."""

    def __init__(self, system: System, profile: str):
        self.system, self.profile = system, profile
        self.chain = Toolchain(TARGETS[system.target], reproducible(system)).install()

    def program(self) -> Path:
        """Builds the program and checks its system requirements."""
        code = self.chain.cargo("build", "--profile", self.profile, "--package", "pintle", "--bin", "pintle")
        if code != 0:
            raise Failed(f"{self.system.target}: cargo ended with status {code}")
        program = self.chain.program(self.profile)
        wrong = requirements.problems(self.chain.target, program)
        if wrong:
            raise Failed(f"{program}: {'; '.join(wrong)}")
        return program

    def describe(self) -> str:
        """Describes the compiler, standard library and linker."""
        rustc = subprocess.run(["/usr/bin/rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        linker = f"zig {version(rows()['zig'])}" if self.chain.zig else "GNU ld (MinGW-w64)"
        return f"{rustc} (Debian), with a standard library compiled from its sources; linked by {linker}"
