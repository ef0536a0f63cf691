"""Installs the built packages into fresh systems and runs them there."""

import contextlib
import functools
import http.server
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml
from pathlib import Path

from platforms import rounds
from platforms.targets import TARGETS
from platforms.toolchain import Toolchain
from runner.tools import Tools, Unavailable

from . import linux, npm, nvim
from . import project as projects
from .compile import Failed
from .systems import SYSTEMS

MIRROR = "http://deb.debian.org/debian"
# A first start under Wine or in an emulator is slow.
TIMEOUT_S = 600
# The system whose packages are tried here.
NATIVE = SYSTEMS["x86_64-unknown-linux-musl"]
# The container's user.
NOBODY = 65532


class Absent(Exception):
    """The files needed for a trial were not built."""


class Trial:
    """Release files and a temporary directory for one trial."""

    def __init__(self, out: Path, folder: Path):
        self.out, self.folder = out, folder
        self.project = projects.read()
        self.tools = Tools()

    def file(self, name: str) -> Path:
        path = self.out / name
        if not path.exists():
            raise Absent(f"{name} was not built")
        return path

    def run(self, *command: str | Path, wanted: str = "", status: int = 0, env: dict | None = None, cwd: Path | None = None) -> str:
        """Runs a command, which must end with `status` and print `wanted`, and returns what it printed."""
        try:
            done = subprocess.run(
                [str(word) for word in command], cwd=cwd or self.folder, env={**os.environ, **(env or {})}, check=False, text=True,
                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise Failed(f"`{_words(command)}` did not end within {TIMEOUT_S} s") from error
        if done.returncode != status or wanted not in done.stdout:
            tail = "\n".join(done.stdout.splitlines()[-20:])
            raise Failed(f"`{_words(command)}` ended with status {done.returncode}, not with {status} and `{wanted}`:\n{tail}")
        return done.stdout

    def use(self, *start: str | Path, env: dict | None = None, has_shell: bool = True) -> None:
        """Runs the installed program: version, demo, doctor. Where there is no shell, the demo says so and fails."""
        home = {"PINTLE_HOME": "/tmp/pintle-home", **(env or {})}
        self.run(*start, "--version", wanted=self.project.version, env=home)
        if has_shell:
            self.run(*start, "demo", wanted="Turn completed: ", env=home)
        else:
            self.run(*start, "demo", wanted="cannot start the shell", status=1, env=home)
        # Its status is that of a machine without a model.
        self.run(*start, "doctor", wanted="\nsandbox ", status=2, env=home)


def debian(trial: Trial) -> None:
    """An empty Debian: install the package, run it, remove it."""
    package = trial.file(linux.file_name("deb", trial.project, NATIVE))
    root = _bare_debian(trial)
    shutil.copy(package, root / "package.deb")
    before = _listing(root)
    inside = _inside(root)
    trial.run(*inside, "dpkg", "--install", "/package.deb")
    trial.use(*inside, "pintle")
    trial.run(*inside, "test", "-s", "/usr/share/man/man1/pintle.1.gz")
    trial.run(*inside, "bash", "-c", ". /usr/share/bash-completion/completions/pintle && complete -p pintle", wanted="pintle")
    trial.run(*inside, "dpkg", "--purge", "pintle")
    left = {path for path in _listing(root) - before if not path.startswith(("tmp/", "var/", "root/"))}
    if left:
        raise Failed(f"after the package was removed, these were left: {', '.join(sorted(left))}")


def rpm(trial: Trial) -> None:
    """A root with busybox and an RPM database: install the package, run it, remove it."""
    package = trial.file(linux.file_name("rpm", trial.project, NATIVE))
    trial.tools.install("rpm")
    root = _busybox(trial)
    own = ("rpm", "--root", root, "--dbpath", "/var/lib/rpm")
    trial.run(*own, "--initdb")
    # Debian's rpm knows no other packages of the system.
    trial.run(*own, "--install", "--nodeps", "--nosignature", package)
    trial.use(*_inside(root), "env", "PATH=/bin", "/usr/bin/pintle")
    trial.run(*own, "--query", "--info", "pintle", wanted=f"Version     : {trial.project.version}")
    trial.run(*own, "--erase", "pintle")
    if (root / "usr/bin/pintle").exists():
        raise Failed("the program is still there after the package was erased")


def install_sh_debian(trial: Trial) -> None:
    """The installer by an ordinary user of a Debian that has curl alone."""
    root = _bare_debian(trial, "curl")
    trial.run(*_inside(root), "useradd", "--create-home", "sailor")
    user = [*_inside(root), "setpriv", "--reuid=sailor", "--regid=sailor", "--init-groups", "env", "HOME=/home/sailor"]
    _install(trial, root, user, "/home/sailor")


def install_sh_busybox(trial: Trial) -> None:
    """The installer where the shell, wget and everything else is busybox, as in Alpine."""
    root = _busybox(trial)
    _install(trial, root, [*_inside(root), "env", "HOME=/root", "PATH=/bin"], "/root")


def _install(trial: Trial, root: Path, user: list[str], home: str) -> None:
    archive = NATIVE.archive(trial.project.version)
    trial.file(archive)
    shutil.copy(trial.file("install.sh"), root / "tmp/install.sh")
    with _served(trial.out) as address:
        at = f"PINTLE_DOWNLOADS={address}"
        trial.run(*user, at, "sh", "/tmp/install.sh", wanted=f"add {home}/.local/bin to your PATH")
        trial.use(*user, f"{home}/.local/bin/pintle")
        # Again, over a program that runs.
        trial.run(*user, at, "PINTLE_INSTALL_DIR=/tmp/here", "sh", "/tmp/install.sh", wanted="/tmp/here/pintle")
    with tempfile.TemporaryDirectory() as damaged:
        Path(damaged, archive).write_bytes((trial.out / archive).read_bytes()[:-1] + b"x")
        with _served(Path(damaged)) as address:
            at = (f"PINTLE_DOWNLOADS={address}", "PINTLE_INSTALL_DIR=/tmp/damaged", "sh", "/tmp/install.sh")
            trial.run(*user, *at, status=1, wanted="the checksum of")
        with _served(Path(damaged)) as address:
            at = (f"PINTLE_DOWNLOADS={address}/none", "PINTLE_INSTALL_DIR=/tmp/damaged", "sh", "/tmp/install.sh")
            trial.run(*user, *at, status=1, wanted="cannot download")
    if (root / "tmp/damaged").exists():
        raise Failed("a damaged download was installed")


def npm_install(trial: Trial) -> None:
    """npm: a global installation, npx, the exit status, a signal; without the system's package, what to do."""
    version = trial.project.version
    main = trial.file(npm.file_name("pintle", version))
    own = trial.file(npm.file_name(npm.name(NATIVE), version))
    home = {"HOME": str(trial.folder), "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}
    prefix = trial.folder / "prefix"
    trial.run("npm", "install", "--global", "--prefix", prefix, own, main, env=home)
    trial.use(prefix / "bin/pintle")
    trial.run(prefix / "bin/pintle", "nonsense", status=2)
    node = trial.tools.install("node") / "bin"
    # A Node that can be replaced by the program.
    trial.run(node / "node", prefix / "bin/pintle", "--version", wanted=version)
    for start in ([prefix / "bin/pintle"], [node / "node", prefix / "bin/pintle"]):
        _terminated(trial, *start)
    project = trial.folder / "project"
    project.mkdir()
    trial.run("npm", "install", own, main, env=home, cwd=project)
    trial.run("npx", "pintle", "--version", wanted=version, env=home, cwd=project)
    shutil.rmtree(project / "node_modules/@pintle")
    trial.run("npx", "pintle", "--version", status=1, wanted="is not installed", env=home, cwd=project)


def _terminated(trial: Trial, *start: Path) -> None:
    """SIGTERM ends a running engine, with the status of that signal."""
    env = {**os.environ, "PINTLE_HOME": str(trial.folder / "home")}
    command = [*map(str, start), "serve"]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as engine:
        engine.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        engine.stdin.flush()
        engine.stdout.readline()
        engine.terminate()
        # What a shell calls 143.
        if engine.wait(TIMEOUT_S) not in (143, -15):
            raise Failed(f"after SIGTERM, `{_words(command)}` ended with status {engine.returncode}")


def pypi(trial: Trial) -> None:
    """pip in an environment of its own, `uv tool install`, `uvx`."""
    wheels = sorted(trial.out.glob("pintle-*-manylinux*x86_64*.whl"))
    if not wheels:
        raise Absent("no wheel for Linux on x86-64 was built")
    uv = trial.tools.install("uv") / "bin" / "uv"
    env = {"HOME": str(trial.folder), "UV_CACHE_DIR": str(trial.folder / "cache"), "UV_TOOL_BIN_DIR": str(trial.folder / "bin"), "UV_TOOL_DIR": str(trial.folder / "tools")}
    trial.run("python3", "-m", "venv", "venv")
    trial.run("venv/bin/pip", "install", "--quiet", "--no-index", wheels[0])
    trial.use(trial.folder / "venv/bin/pintle")
    trial.run(uv, "tool", "install", wheels[0], env=env)
    trial.use(trial.folder / "bin/pintle")
    trial.run(uv, "tool", "run", "--from", wheels[0], "pintle", "--version", wanted=trial.project.version, env=env)


def neovim(trial: Trial) -> None:
    """The plugin as a package of Neovim, and as LuaRocks builds it."""
    archive = trial.file(nvim.archive(trial.project))
    start = trial.folder / "site/pack/pintle/start"
    start.mkdir(parents=True)
    shutil.unpack_archive(archive, start, filter="data")
    editor = trial.tools.install("neovim") / "bin" / "nvim"
    env = {"XDG_CONFIG_HOME": str(trial.folder), "XDG_DATA_HOME": str(trial.folder), "XDG_STATE_HOME": str(trial.folder)}
    look = "lua io.stdout:write(vim.fn.exists(':Pintle') == 2 and require('pintle') and 'loaded' or 'missing')"
    plain = (editor, "--headless", "-u", "NORC", "--cmd", f"set packpath^={trial.folder}/site")
    trial.run(*plain, f"+{look}", "+qa", wanted="loaded", env=env)
    (source,) = start.iterdir()
    _vim_pack(trial, source, look)
    trial.tools.install("luarocks")
    rocks = trial.folder / "rocks"
    spec = trial.file(nvim.rockspec_name(trial.project))
    trial.run("luarocks", "lint", spec)
    trial.run("luarocks", "--lua-version", "5.1", "--tree", rocks, "make", spec, cwd=source)
    (installed,) = rocks.glob(f"lib/luarocks/rocks-5.1/{nvim.NAME}/*")
    rtp = (editor, "--headless", "-u", "NORC", "--cmd", f"set rtp^={installed} | lua package.path = '{rocks}/share/lua/5.1/?.lua;{rocks}/share/lua/5.1/?/init.lua;' .. package.path")
    trial.run(*rtp, f"+{look}", "+qa", wanted="loaded", env=env)


def _vim_pack(trial: Trial, source: Path, look: str) -> None:
    """The plugin from a repository with its files, as the plugin manager of Neovim 0.12 installs it."""
    mirror = trial.folder / nvim.NAME
    shutil.copytree(source, mirror)
    trial.run("git", "init", "--quiet", "-b", "main", cwd=mirror)
    trial.run("git", "add", "--all", cwd=mirror)
    trial.run("git", "-c", "user.name=trial", "-c", "user.email=trial@localhost", "commit", "--quiet", "-m", "Release", cwd=mirror)
    editor = trial.tools.install("neovim-next") / "bin" / "nvim"
    home = trial.folder / "pack"
    env = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    home.mkdir()
    init = trial.folder / "init.lua"
    init.write_text(f"vim.pack.add({{ 'file://{mirror}' }}, {{ confirm = false }})\n")
    trial.run(editor, "--headless", "-u", init, f"+{look}", "+qa", wanted="loaded", env=env)


def container(trial: Trial) -> None:
    """The image's content, as its user, and the Dockerfile in a linter."""
    dockerfile = Path(__file__).with_name("container") / "Dockerfile"
    trial.run(trial.tools.install("hadolint") / "bin" / "hadolint", dockerfile)
    _need_root()
    program = trial.file("container/amd64/pintle")
    root = trial.folder / "root"
    (root / "usr/local/bin").mkdir(parents=True)
    (root / "workspace").mkdir()
    (root / "tmp").mkdir()
    shutil.copy(program, root / "usr/local/bin/pintle")
    for name in ("workspace", "tmp"):
        os.chown(root / name, NOBODY, NOBODY)
    os.chmod(trial.folder, 0o755)
    trial.use("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "unshare", "--map-current-user", "--root", root, "--wd", "/workspace", "/usr/local/bin/pintle", has_shell=False)


def arm64(trial: Trial) -> None:
    """The program for arm64 in an emulator."""
    _play(trial, "aarch64-unknown-linux-musl")


def windows(trial: Trial) -> None:
    """The program for Windows under Wine."""
    _play(trial, "x86_64-pc-windows-gnu")


def static(trial: Trial) -> None:
    """The static program in a root with nothing else."""
    _play(trial, "x86_64-unknown-linux-musl")


def _play(trial: Trial, target: str) -> None:
    system = SYSTEMS[target]
    archive = trial.file(system.archive(trial.project.version))
    shutil.unpack_archive(archive, trial.folder, **({} if system.is_windows else {"filter": "data"}))
    (program,) = trial.folder.glob(f"*/{system.program}")
    chain = Toolchain(TARGETS[target]).install(runs_programs=True)
    try:
        rounds.play(chain.target, program, chain.folder, lambda line: None)
    except rounds.Failed as error:
        raise Failed(str(error)) from error


def linters(trial: Trial) -> None:
    """What other tools read: the installers in shellcheck and a parser of PowerShell, the checksums, the formula in Ruby, the derivation in Nix."""
    trial.run(trial.tools.install("shellcheck") / "bin" / "shellcheck", trial.file("install.sh"))
    here = Path(__file__).resolve().parent
    python = trial.tools.install("powershell-parser") / "bin" / "python"
    scripts = [trial.out / "install.ps1"] if (trial.out / "install.ps1").exists() else [here / "install.ps1"]
    trial.run(python, here / "powershell.py", *scripts, here.parent / "platforms/check.ps1")
    trial.run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=trial.out)
    if not (trial.out / "homebrew").exists():
        return
    trial.tools.install("ruby")
    trial.run("ruby", "-wc", trial.file("homebrew/pintle.rb"), wanted="Syntax OK")
    trial.tools.install("nix")
    trial.run("nix-instantiate", "--parse", trial.file("nix/pintle.nix"), env={"HOME": str(trial.folder)})


TRIALS = {
    "linters": linters,
    "debian": debian,
    "rpm": rpm,
    "install.sh-debian": install_sh_debian,
    "install.sh-busybox": install_sh_busybox,
    "npm": npm_install,
    "pypi": pypi,
    "neovim": neovim,
    "container": container,
    "static": static,
    "arm64": arm64,
    "windows": windows,
}


def run(out: Path, names: list[str]) -> int:
    """Runs the trials, prints a line for each, and writes them as JUnit if PINTLE_REPORTS names a folder. Returns 1 if one failed."""
    unknown = [name for name in names if name not in TRIALS]
    if unknown:
        raise Failed(f"no trial `{unknown[0]}`; known: {', '.join(TRIALS)}")
    suite = xml.Element("testsuite", name="release")
    failed = False
    for name in names or TRIALS:
        began = time.monotonic()
        status, why = _outcome(out, name)
        seconds = time.monotonic() - began
        print(f"{name}: {status} in {seconds:.0f} s{': ' + why if why else ''}", flush=True)
        case = xml.SubElement(suite, "testcase", name=name, classname="release", time=f"{seconds:.3f}")
        if status != "passed":
            xml.SubElement(case, "failure" if status == "failed" else "skipped", message=why)
        failed |= status == "failed"
    if reports := os.environ.get("PINTLE_REPORTS"):
        xml.ElementTree(suite).write(Path(reports) / "trials.xml", encoding="utf-8")
    return 1 if failed else 0


def _outcome(out: Path, name: str) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="pintle-release-") as folder:
        try:
            TRIALS[name](Trial(out, Path(folder)))
        except (Absent, Unavailable) as error:
            return "skipped", str(error)
        except Failed as error:
            return "failed", str(error)
    return "passed", ""


def _bare_debian(trial: Trial, *packages: str) -> Path:
    """Returns a copy of a cached minimal Debian."""
    _need_root()
    trial.tools.install("bare-debian")
    folder = trial.tools.folder("bare-debian")
    made = folder.with_name("-".join([folder.name, "root", *packages]))
    if not (made / ".installed").exists():
        shutil.rmtree(made, ignore_errors=True)
        more = [f"--include={','.join(packages)}"] if packages else []
        try:
            trial.run("debootstrap", "--variant=minbase", *more, "bookworm", made, MIRROR)
        except Failed as error:
            raise Unavailable(f"an empty Debian cannot be installed: {error}") from error
        (made / ".installed").touch()
    root = trial.folder / "root"
    trial.run("cp", "--archive", made, root)
    return root


def _need_root() -> None:
    if os.geteuid() != 0:
        raise Unavailable("only root can enter another system's root")


def _busybox(trial: Trial) -> Path:
    """Returns a root that contains only busybox."""
    _need_root()
    trial.tools.install("busybox")
    busybox, root = Path(shutil.which("busybox") or ""), trial.folder / "root"
    for name in ("bin", "tmp", "root", "dev"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    for library in re.findall(r"/\S+", trial.run("ldd", busybox)):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    for applet in trial.run(busybox, "--list").split():
        if applet != "busybox":
            (root / "bin" / applet).symlink_to("busybox")
    (root / "dev/null").touch()
    return root


def _inside(root: Path) -> list[str]:
    """Returns a command prefix that enters a root with its own processes."""
    (root / "proc").mkdir(exist_ok=True)
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc", "chroot", str(root)]


def _listing(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


@contextlib.contextmanager
def _served(folder: Path):
    """Serves a directory on loopback, and yields the address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _words(command) -> str:
    return " ".join(str(word) for word in command)
