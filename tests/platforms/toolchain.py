"""Installs the compilers of a target and writes the files that cargo needs to use them."""

import filecmp
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

from runner.tools import ROOT, Tools

from . import stubs
from .targets import Target, environment

HERE = Path(__file__).resolve().parent
# `CARGO_TARGET_DIR` is for builds of the system at hand. All targets share one folder, and with it the programs that run while building.
BUILD = Path(os.environ.get("PINTLE_PLATFORMS_DIR") or ROOT / "target" / "platforms").resolve()
# The sources of the standard library, as the compiler names them.
SOURCES = Path("/usr/lib/rustlib/src/rust")


class Toolchain:
    """A target's installed compilers. `added` is appended to the variables with which cargo runs for the target."""

    def __init__(self, target: Target, added: dict[str, str] | None = None):
        self.target = target
        self.added = added or {}
        self.folder = BUILD / "toolchains" / target.name
        self.zig: Path | None = None
        self.shell: Path | None = None

    def install(self, runs_programs: bool = False) -> "Toolchain":
        """Installs the tools, unless they are there, and writes the wrappers; with `runs_programs` also the emulator. Raises `Unavailable`."""
        tools = Tools()
        emulator = self.target.emulator if runs_programs else ()
        for name in ("rust-sources", *self.target.tools, *emulator):
            folder = tools.install(name)
            if name == "zig":
                self.zig = folder / "bin" / "zig"
            elif name == "brush":
                self.shell = folder / "bin" / "brush.exe"
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.shell is not None:
            _write_runner(self.folder, self.shell)
        if not self.target.is_windows:
            _write_zig(self.folder, self.target.zig)
        if self.target.is_apple:
            stubs.write(self.folder / "sdk", stubs.packages(ROOT))
        return self

    @property
    def runner(self) -> str | None:
        """The program that starts Windows programs; none for other targets, whose programs cargo can start."""
        return str(self.folder / "run") if self.target.is_windows else None

    def cargo(self, *arguments: str) -> int:
        """Runs cargo for the target and returns its exit status."""
        return self._run(arguments, stdout=None)[0]

    def messages(self, *arguments: str) -> tuple[int, str]:
        """Runs cargo for the target, and returns its exit status and its messages in JSON, a line each."""
        return self._run((*arguments, "--message-format=json-render-diagnostics"), stdout=subprocess.PIPE)

    def _run(self, arguments: tuple[str, ...], stdout: int | None) -> tuple[int, str]:
        subcommand, *rest = arguments
        command = ["/usr/bin/cargo", subcommand, "-Zbuild-std=std,panic_unwind", "--target", self.target.triple, "--locked"]
        # Nothing here measures time, so nothing is optimized.
        slow = [f"--config=profile.dev.package.{name}.opt-level=0" for name in optimized()]
        done = subprocess.run([*command, *slow, *rest], cwd=ROOT, env=self.environment(), check=False, stdout=stdout, text=True)
        return done.returncode, done.stdout or ""

    def environment(self) -> dict[str, str]:
        """The environment in which cargo builds for the target."""
        env = {**os.environ, **environment(self.target, self.folder, self.zig), "CARGO_TARGET_DIR": str(BUILD)}
        for name, value in self.added.items():
            env[name] = f"{env[name]} {value}" if env.get(name) else value
        # A toolchain of rustup names its own compiler.
        env.pop("RUSTUP_TOOLCHAIN", None)
        env["PATH"] = f"/usr/bin{os.pathsep}{env['PATH']}"
        return env

    def program(self, profile: str = "debug") -> Path:
        """The path of the built program."""
        name = "pintle.exe" if self.target.is_windows else "pintle"
        return BUILD / self.target.triple / profile / name


def optimized() -> list[str]:
    """The packages that the workspace optimizes in builds for development."""
    profile = tomllib.loads((ROOT / "Cargo.toml").read_text())["profile"]["dev"]
    return [name for name, row in profile["package"].items() if "opt-level" in row]


def _write_zig(folder: Path, zig_target: str) -> None:
    _script(folder / "cc", f'exec "{HERE}/cc" {zig_target} "$@"')
    _script(folder / "ar", 'exec "$PINTLE_ZIG" ar "$@"')


def _write_runner(folder: Path, shell: Path) -> None:
    shim = folder / "bcryptprimitives.dll"
    source = HERE / "wine" / "bcryptprimitives.c"
    compiler = ["x86_64-w64-mingw32-gcc-posix", "-shared", "-O1", "-o", str(shim), str(source), "-ladvapi32"]
    subprocess.run(compiler, check=True)
    # What `wine/run` puts on the path. Each program needs the library beside it.
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    shutil.copy(shim, programs)
    for name in ("bash.exe", "sh.exe"):
        program = programs / name
        if not program.exists() or not filecmp.cmp(shell, program):
            shutil.copy(shell, program)
    _script(folder / "run", f'exec "{HERE}/wine/run" "{folder}" "$@"')


def _script(path: Path, line: str) -> None:
    text = f"#!/bin/sh\n{line}\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(0o755)
