"""Reads built programs: what a Mach-O file requires of macOS, and an ELF file of glibc."""

import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

MAGIC_64 = 0xFEEDFACF
CPUS = {0x0100000C: "arm64", 0x01000007: "x86_64"}
EXECUTE = 2

LOAD_DYLIB = {0x0C, 0x80000018, 0x8000001F}
CODE_SIGNATURE = 0x1D
VERSION_MIN_MACOS = 0x24
BUILD_VERSION = 0x32


@dataclass(frozen=True)
class MachO:
    """The header and load commands of a program."""

    cpu: str
    min_macos: str
    is_signed: bool
    libraries: tuple[str, ...]


def macho(data: bytes) -> MachO:
    """Reads a 64-bit program. Raises `ValueError` for anything else."""
    if len(data) < 32:
        raise ValueError("not a Mach-O file: too short")
    magic, cpu, _, kind, count = struct.unpack_from("<5I", data)
    if magic != MAGIC_64 or cpu not in CPUS or kind != EXECUTE:
        raise ValueError(f"not a 64-bit Mach-O program: magic {magic:#x}, processor {cpu:#x}, kind {kind}")
    min_macos, is_signed, libraries = "", False, []
    offset = 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, offset)
        if size < 8:
            raise ValueError(f"a load command of {size} bytes")
        if command in LOAD_DYLIB:
            start = offset + struct.unpack_from("<I", data, offset + 8)[0]
            libraries.append(data[start : offset + size].split(b"\0")[0].decode())
        elif command == CODE_SIGNATURE:
            is_signed = True
        elif command == VERSION_MIN_MACOS:
            min_macos = _version(struct.unpack_from("<I", data, offset + 8)[0])
        elif command == BUILD_VERSION:
            min_macos = _version(struct.unpack_from("<I", data, offset + 12)[0])
        offset += size
    return MachO(CPUS[cpu], min_macos, is_signed, tuple(libraries))


def _version(packed: int) -> str:
    return f"{packed >> 16}.{packed >> 8 & 0xFF}"


def of_system(library: str) -> bool:
    """True for a library that each macOS has."""
    return library.startswith(("/usr/lib/", "/System/Library/Frameworks/"))


def glibc_versions(symbols: str) -> list[str]:
    """The versions of glibc that the output of `readelf --version-info` names, from the oldest on."""
    found = set(re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", symbols))
    return sorted(found, key=lambda version: [int(part) for part in version.split(".")])


def glibc_floor(program: Path) -> str | None:
    """The oldest glibc with which a program starts; none for a static one."""
    command = ["readelf", "--wide", "--version-info", str(program)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    versions = glibc_versions(printed)
    return versions[-1] if versions else None


def needed(program: Path) -> list[str]:
    """The libraries that an ELF program loads."""
    command = ["readelf", "--wide", "--dynamic", str(program)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", printed)
