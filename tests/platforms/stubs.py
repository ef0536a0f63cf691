"""Text stubs of the macOS libraries that zig does not bring, for the linker: their names are read from the packages that declare them."""

import json
import re
import subprocess
from pathlib import Path

# What each package declares: the framework, and its place on macOS.
FRAMEWORKS = {
    "core-foundation-sys": "CoreFoundation",
    "security-framework-sys": "Security",
    "system-configuration-sys": "SystemConfiguration",
}
# The libc package links it, and uses these.
ICONV = ("_iconv", "_iconv_close", "_iconv_open")

BLOCK = re.compile(r'extern\s+"C(?:-unwind)?"\s*\{(.*?)\n\s*\}', re.DOTALL)
NAME = re.compile(r"\bpub\s+(?:safe\s+|unsafe\s+)?(?:fn|static)\s+(?:mut\s+)?(\w+)")


def symbols(source: str) -> set[str]:
    """The names of functions and constants that a source file declares as foreign."""
    return {f"_{name}" for block in BLOCK.findall(source) for name in NAME.findall(block)}


def stub(install_name: str, names: set[str]) -> str:
    """A library for the linker, without code, in Apple's text format."""
    listed = ", ".join(sorted(names))
    return (
        "--- !tapi-tbd\n"
        "tbd-version: 4\n"
        "targets: [ x86_64-macos, arm64-macos ]\n"
        f"install-name: '{install_name}'\n"
        "exports:\n"
        "  - targets: [ x86_64-macos, arm64-macos ]\n"
        f"    symbols: [ {listed} ]\n"
        "...\n"
    )


def packages(root: Path) -> list[tuple[str, Path]]:
    """The folders of the packages of FRAMEWORKS that the workspace uses."""
    command = ["/usr/bin/cargo", "metadata", "--format-version", "1", "--locked"]
    text = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(text)["packages"]
    return [(each["name"], Path(each["manifest_path"]).parent) for each in found if each["name"] in FRAMEWORKS]


def write(sdk: Path, found: list[tuple[str, Path]]) -> None:
    """Writes the stubs as a folder that can be named as `SDKROOT`."""
    names: dict[str, set[str]] = {}
    for package, folder in found:
        sources = (file.read_text() for file in sorted(folder.rglob("*.rs")))
        names.setdefault(FRAMEWORKS[package], set()).update(*map(symbols, sources))
    for framework, declared in names.items():
        place = sdk / "System/Library/Frameworks" / f"{framework}.framework"
        place.mkdir(parents=True, exist_ok=True)
        install_name = f"/System/Library/Frameworks/{framework}.framework/Versions/A/{framework}"
        (place / f"{framework}.tbd").write_text(stub(install_name, declared))
    library = sdk / "usr/lib"
    library.mkdir(parents=True, exist_ok=True)
    (library / "libiconv.tbd").write_text(stub("/usr/lib/libiconv.2.dylib", set(ICONV)))
