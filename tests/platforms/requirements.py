"""What a built program may require of a system: checks the file that the linker wrote."""

from pathlib import Path

from . import binaries
from .targets import GLIBC, MACOS, Target


def problems(target: Target, program: Path) -> list[str]:
    """What is wrong with a target's program, as sentences. Empty if it is as it should be, or if nothing is known about the target."""
    if target.is_apple:
        return of_macho(target, binaries.macho(program.read_bytes()))
    if target.triple.endswith("-musl"):
        libraries = binaries.needed(program)
        return [f"not static: it loads {', '.join(libraries)}"] if libraries else []
    if target.zig:
        return of_glibc(binaries.glibc_floor(program))
    return []


def of_macho(target: Target, found: binaries.MachO) -> list[str]:
    wrong = []
    wanted = "arm64" if target.triple.startswith("aarch64") else "x86_64"
    if found.cpu != wanted:
        wrong.append(f"for {found.cpu} instead of {wanted}")
    if found.min_macos != MACOS:
        wrong.append(f"requires macOS {found.min_macos or '(none)'} instead of {MACOS}")
    # Processors of Apple run nothing without a signature.
    if wanted == "arm64" and not found.is_signed:
        wrong.append("not signed")
    foreign = [library for library in found.libraries if not binaries.of_system(library)]
    if foreign:
        wrong.append(f"loads {', '.join(foreign)}, which macOS does not have")
    return wrong


def of_glibc(floor: str | None) -> list[str]:
    def number(version: str) -> list[int]:
        return [int(part) for part in version.split(".")]

    if floor is None:
        return ["static, although it is for glibc"]
    return [f"requires glibc {floor}, later than {GLIBC}"] if number(floor) > number(GLIBC) else []
