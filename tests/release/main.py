"""Builds a release on Linux in target/dist. RELEASING.md lists the manual steps.

  build [TARGET...]   compile for these systems (by default for all that are offered), and write archives, packages, checksums
  version VERSION     write a version into every file that states it
  notes               print the newest section of CHANGELOG.md
  demo PROGRAM        record the README's picture of the demo, tests/release/demo.svg
  evidence            write tests/RELIABILITY.md from the last run of tests/all.sh
  pack PROGRAM        pack a program that was built for this machine, for trials
  compare DIR DIR     compare two releases byte for byte
  try                 install each package that was built into a system of its own, and run it there
  list                print the targets
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from runner.tools import ROOT, Tools, Unavailable

from . import archives, bill, contents, demo, evidence, linux, manifests, npm, nvim, project as projects, trials, vscode, wheels
from .archives import Entry
from .compile import Compiler, Failed
from .project import Project
from .systems import SYSTEMS, System, offered

OUT = ROOT / "target" / "dist"
# The build machine can run its program.
NATIVE = SYSTEMS["x86_64-unknown-linux-musl"]
# Go's and Docker's name of a processor names the folder that the container's Dockerfile copies from.
CONTAINER = "container"


class Release:
    """Writes release files."""

    def __init__(self, out: Path, project: Project):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        self.out, self.project = out, project
        self.sums: dict[str, str] = {}

    def write(self, path: str, content: bytes, is_program: bool = False) -> None:
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if is_program else 0o644)
        self.tell(target)

    def tell(self, path: Path) -> None:
        """Prints the name of a file, and its size if that matters."""
        size = path.stat().st_size
        print(f"{path.relative_to(self.out)}{f' ({size / 1_000_000:.1f} MB)' if size > 100_000 else ''}", flush=True)


def build(targets: list[str], profile: str, sign: str | None, out: Path) -> None:
    """Compiles, signs and packs. The first program runs here and generates all completions and man pages."""
    project, tools = projects.read(), Tools()
    systems = [SYSTEMS[name] for name in targets] or offered()
    systems = [NATIVE, *(system for system in systems if system is not NATIVE)]
    release = Release(out, project)
    texts = {**contents.texts(), "THIRD_PARTY_NOTICES.md": contents.notices(tools)}
    pages: dict[str, Entry] = {}
    for system in systems:
        compiler = Compiler(system, profile)
        program = compiler.program()
        if sign and subprocess.run([sign, system.target, str(program)], check=False).returncode != 0:
            raise Failed(f"{system.target}: `{sign}` did not sign the program")
        pages = pages or contents.of_program(program, project)
        note = contents.build_note(project, projects.is_changed(), compiler.describe(), bool(sign))
        materials = bill.of_materials(tools, project, system)
        release.write(f"pintle-{project.version}-{system.triple}.cdx.json", materials.content)
        _write_system(release, tools, system, {**_binary(system, program), "BUILD.txt": note, **texts, **pages}, materials)
    _write_common(release, texts)


def pack(program: Path, out: Path) -> None:
    """Packs an existing program as `NATIVE`, for trials without a release build."""
    release, texts = Release(out, projects.read()), contents.texts()
    # Symbols make a test build several times larger.
    stripped = out / "pintle"
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    program = stripped
    note = contents.build_note(release.project, projects.is_changed(), "not known: packed for a trial", False)
    _write_system(release, Tools(), NATIVE, {**_binary(NATIVE, program), "BUILD.txt": note, **texts, **contents.of_program(program, release.project)}, None)
    stripped.unlink()
    _write_common(release, texts)


def _binary(system: System, program: Path) -> dict[str, Entry]:
    return {system.program: Entry(program.read_bytes(), is_program=True)}


def _write_system(release: Release, tools: Tools, system: System, entries: dict[str, Entry], materials: Entry | None) -> None:
    project = release.project
    archive = system.archive(project.version)
    folder = archive.removesuffix(".zip").removesuffix(".tar.gz")
    inside = {f"{folder}/{path}": entry for path, entry in entries.items()}
    pack = archives.zip_file if system.is_windows else archives.tar_gz
    content = pack(inside, project.epoch)
    release.sums[system.triple] = archives.sha256(content)
    release.write(archive, content)
    program = entries[system.program]
    release.write(wheels.file_name(project, system), wheels.wheel(project, system, program, entries, materials))
    if system.is_offered:
        package = npm.platform_package(project, system, program.content, entries)
        release.write(npm.file_name(npm.name(system), project.version), npm.packed(package, project.epoch))
        release.tell(vscode.package(project, system, program, release.out))
    if system.nfpm and system.is_offered:
        for format in linux.FORMATS:
            release.tell(linux.package(tools, format, project, system, entries, release.out))
        release.write(f"{CONTAINER}/{system.nfpm}/pintle", program.content, is_program=True)


def _write_common(release: Release, texts: dict[str, Entry]) -> None:
    """Writes files that are shared by all systems or list them."""
    project, sums = release.project, release.sums
    main = npm.main_package(project, texts)
    release.write(npm.file_name(project.name, project.version), npm.packed(main, project.epoch))
    plugin = {f"{nvim.NAME}-{project.version}/{path}": entry for path, entry in nvim.mirror().items()}
    release.write(nvim.archive(project), archives.tar_gz(plugin, project.epoch))
    release.write(nvim.rockspec_name(project), nvim.rockspec(project).encode())
    release.tell(vscode.package(project, None, None, release.out))
    if "THIRD_PARTY_NOTICES.md" in texts:
        release.write("THIRD_PARTY_NOTICES.md", texts["THIRD_PARTY_NOTICES.md"].content)
    release.write("install.sh", manifests.install_sh(project, sums).encode(), is_program=True)
    if all(system.triple in sums for system in offered()):
        release.write("install.ps1", manifests.install_ps1(project, sums).encode())
        release.write("homebrew/pintle.rb", manifests.homebrew(project, sums).encode())
        release.write("nix/pintle.nix", manifests.nix(project, sums).encode())
        for name, text in manifests.winget(project, sums).items():
            release.write(f"winget/{name}", text.encode())
    else:
        print("not every system was built: install.ps1 and the files for Homebrew, Nix and winget are left out", file=sys.stderr)
    files = sorted(path for path in release.out.iterdir() if path.is_file())
    rows = [f"{archives.sha256(path.read_bytes())}  {path.name}\n" for path in files]
    release.write("SHA256SUMS", "".join(rows).encode())


def compare(one: Path, other: Path) -> int:
    """Prints the files that differ, and returns their number."""
    names = sorted({path.relative_to(folder) for folder in (one, other) for path in folder.rglob("*") if path.is_file()})
    different = []
    for name in names:
        found = [(folder / name).read_bytes() if (folder / name).exists() else None for folder in (one, other)]
        if found[0] != found[1]:
            different.append(name)
            print(f"{name}: {'differs' if None not in found else 'is in one of them only'}")
    print(f"{len(names)} files, {len(different)} different")
    return len(different)


def _version(text: str) -> str:
    if not re.fullmatch(r"\d+\.\d+\.\d+", text):
        raise argparse.ArgumentTypeError(f"`{text}` is not a version such as 0.2.0")
    return text


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tests/release/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    built = commands.add_parser("build", help="compile and pack")
    built.add_argument("targets", nargs="*", metavar="TARGET", help="by default all that are offered")
    built.add_argument("--profile", default="release", help="a profile of Cargo.toml; a release is built with `release`")
    built.add_argument("--sign", metavar="COMMAND", help="run as `COMMAND TARGET PROGRAM`, signs the program in its place")
    built.add_argument("--out", type=Path, default=OUT, help="output directory; its contents are deleted")
    versioned = commands.add_parser("version", help="write a version")
    versioned.add_argument("version", type=_version)
    commands.add_parser("notes", help="print the release notes of this version")
    recorded = commands.add_parser("demo", help="record the picture of the demo")
    recorded.add_argument("program", type=Path)
    shown = commands.add_parser("evidence", help="write the page of faults and what held")
    shown.add_argument("--junit", type=Path, default=ROOT / "target/tests/junit.xml", help="the results of a run of the tests")
    shown.add_argument("--commit", default="HEAD", help="the commit on which it ran")
    packed = commands.add_parser("pack", help="pack a built program")
    packed.add_argument("program", type=Path)
    packed.add_argument("--out", type=Path, default=OUT, help="output directory; its contents are deleted")
    compared = commands.add_parser("compare", help="compare two releases")
    compared.add_argument("folders", nargs=2, type=Path, metavar="DIR")
    tried = commands.add_parser("try", help="install and run the packages")
    tried.add_argument("names", nargs="*", metavar="NAME", help=", ".join(trials.TRIALS))
    tried.add_argument("--out", type=Path, default=OUT, help="the folder that `build` wrote")
    commands.add_parser("list", help="print the targets")
    args = parser.parse_args(argv)
    for name in getattr(args, "targets", []):
        if name not in SYSTEMS:
            parser.error(f"no target `{name}`; known: {', '.join(SYSTEMS)}")
    try:
        if args.command == "build":
            build(args.targets, args.profile, args.sign, args.out.resolve())
        elif args.command == "version":
            projects.write_version(args.version)
        elif args.command == "notes":
            print(projects.notes())
        elif args.command == "demo":
            demo.picture(args.program, Path(__file__).with_name("demo.svg"))
        elif args.command == "evidence":
            (ROOT / "tests/RELIABILITY.md").write_text(evidence.reliability(args.junit, projects.commit(args.commit)))
        elif args.command == "pack":
            pack(args.program, args.out.resolve())
        elif args.command == "compare":
            return 1 if compare(*args.folders) else 0
        elif args.command == "try":
            return trials.run(args.out.resolve(), args.names)
        else:
            print("\n".join(SYSTEMS))
    except Unavailable as error:
        print(f"tests/release/run: {error}", file=sys.stderr)
        return 77
    except Failed as error:
        print(f"tests/release/run: {error}", file=sys.stderr)
        return 1
    return 0
