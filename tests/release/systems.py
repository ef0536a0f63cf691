"""The systems of a release, and what each packager calls them. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class System:
    """`target` is a row of `platforms/targets`, `npm` Node's names of the system and processor, `nfpm` Go's name of the processor.

    `is_offered` says whether the packages for all systems contain it."""

    target: str
    triple: str
    npm: str
    vscode: str
    wheel: tuple[str, ...]
    nfpm: str = ""
    is_offered: bool = True

    @property
    def is_windows(self) -> bool:
        return "windows" in self.triple

    @property
    def program(self) -> str:
        return "pintle.exe" if self.is_windows else "pintle"

    def archive(self, version: str) -> str:
        return f"pintle-{version}-{self.triple}.{'zip' if self.is_windows else 'tar.gz'}"


# A static program starts on any Linux, so its wheels name both C libraries.
SYSTEMS = {
    system.target: system
    for system in (
        System("x86_64-unknown-linux-musl", "x86_64-unknown-linux-musl", "linux-x64", "linux-x64", ("manylinux_2_17_x86_64", "musllinux_1_1_x86_64"), "amd64"),
        System("aarch64-unknown-linux-musl", "aarch64-unknown-linux-musl", "linux-arm64", "linux-arm64", ("manylinux_2_17_aarch64", "musllinux_1_1_aarch64"), "arm64"),
        System("aarch64-apple-darwin", "aarch64-apple-darwin", "darwin-arm64", "darwin-arm64", ("macosx_11_0_arm64",)),
        System("x86_64-apple-darwin", "x86_64-apple-darwin", "darwin-x64", "darwin-x64", ("macosx_11_0_x86_64",)),
        System("x86_64-pc-windows-gnu", "x86_64-pc-windows-gnu", "win32-x64", "win32-x64", ("win_amd64",)),
        System("x86_64-unknown-linux-gnu.2.28", "x86_64-unknown-linux-gnu", "linux-x64", "linux-x64", ("manylinux_2_28_x86_64",), "amd64", is_offered=False),
    )
}  # fmt: skip


def offered() -> list[System]:
    return [system for system in SYSTEMS.values() if system.is_offered]
