"""The systems that pintle is compiled for on a Linux machine, and what cargo is told about each. Pure."""

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Target:
    """A system and processor. `name` is what the command line takes; `zig` is zig's name for it, none for Windows; `emulator` is the tools
    that run its programs here, if the system at hand cannot."""

    name: str
    triple: str
    zig: str | None
    tools: tuple[str, ...]
    rustflags: str = ""
    emulator: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The triple as it appears in the names of cargo's environment variables."""
        return self.triple.upper().replace("-", "_")

    @property
    def is_windows(self) -> bool:
        return self.zig is None

    @property
    def is_apple(self) -> bool:
        return self.triple.endswith("-apple-darwin")


# Zig brings its own start files for musl, so those of the Rust distribution are left out.
STATIC = "-C link-self-contained=no -C target-feature=+crt-static"
# The oldest glibc of a distribution that is still supported: RHEL 8, Debian 10.
GLIBC = "2.28"
# The oldest macOS for arm64.
MACOS = "11.0"

TARGETS = {
    target.name: target
    for target in (
        Target("x86_64-unknown-linux-musl", "x86_64-unknown-linux-musl", "x86_64-linux-musl", ("zig",), STATIC),
        Target("aarch64-unknown-linux-musl", "aarch64-unknown-linux-musl", "aarch64-linux-musl", ("zig",), STATIC, ("qemu",)),
        Target(f"x86_64-unknown-linux-gnu.{GLIBC}", "x86_64-unknown-linux-gnu", f"x86_64-linux-gnu.{GLIBC}", ("zig",)),
        Target(f"aarch64-unknown-linux-gnu.{GLIBC}", "aarch64-unknown-linux-gnu", f"aarch64-linux-gnu.{GLIBC}", ("zig",)),
        Target("aarch64-apple-darwin", "aarch64-apple-darwin", f"aarch64-macos.{MACOS}", ("zig",)),
        Target("x86_64-apple-darwin", "x86_64-apple-darwin", f"x86_64-macos.{MACOS}", ("zig",)),
        Target("x86_64-pc-windows-gnu", "x86_64-pc-windows-gnu", None, ("mingw",), emulator=("wine", "brush")),
    )
}


def environment(target: Target, folder: Path, zig: Path | None) -> dict[str, str]:
    """The variables with which cargo builds for a target. `folder` holds the wrappers and stubs of `toolchain`."""
    lower = target.triple.replace("-", "_")
    variables = {
        "RUSTC": "/usr/bin/rustc",
        # `-Zbuild-std` is not stable.
        "RUSTC_BOOTSTRAP": "1",
        "RUSTC_WRAPPER": "",
        "CARGO_INCREMENTAL": "0",
    }
    if target.is_windows:
        compiler = archiver = None
        variables |= {
            f"CC_{lower}": "x86_64-w64-mingw32-gcc-posix",
            f"CARGO_TARGET_{target.variable}_LINKER": "x86_64-w64-mingw32-gcc-posix",
            f"CARGO_TARGET_{target.variable}_RUNNER": str(folder / "run"),
        }
    else:
        compiler, archiver = str(folder / "cc"), str(folder / "ar")
        variables |= {
            "PINTLE_ZIG": str(zig),
            f"CC_{lower}": compiler,
            f"AR_{lower}": archiver,
            f"CARGO_TARGET_{target.variable}_LINKER": compiler,
        }
    if target.rustflags:
        variables[f"CARGO_TARGET_{target.variable}_RUSTFLAGS"] = target.rustflags
    if target.is_apple:
        # Stripping would take a program that only Apple's tools or LLVM's have.
        variables |= {
            "SDKROOT": str(folder / "sdk"),
            "MACOSX_DEPLOYMENT_TARGET": MACOS,
            "CARGO_PROFILE_DEV_STRIP": "none",
        }
    if "qemu" in target.emulator:
        variables[f"CARGO_TARGET_{target.variable}_RUNNER"] = "qemu-aarch64-static"
    return variables
