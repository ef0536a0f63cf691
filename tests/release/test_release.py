"""Tests of the release scripts: `PYTHONPATH=tests python3 -m unittest release.test_release`."""

import html
import io
import json
import re
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path

from platforms.targets import TARGETS
from runner.tools import ROOT

from . import archives, bill, compile, demo, linux, main, manifests, npm, project, wheels
from .archives import Entry
from .project import Project
from .systems import SYSTEMS, offered

PROJECT = Project("pintle", "1.2.3", "A headless engine that speaks JSON-RPC", "MIT OR Apache-2.0", "https://pintle.example/p", "abc", 1_700_000_000)
ENTRIES = {
    "pintle": Entry(b"program", is_program=True),
    "README.md": Entry(b"text"),
    "man/pintle.1": Entry(b"page"),
    "completions/pintle.bash": Entry(b"bash"),
    "completions/_pintle": Entry(b"zsh"),
    "completions/pintle.fish": Entry(b"fish"),
}
SUMS = {system.triple: f"{number:064x}" for number, system in enumerate(offered(), 1)}


class Archives(unittest.TestCase):
    def test_the_order_of_entries_does_not_matter_and_modes_are_kept(self):
        reversed_entries = dict(reversed(ENTRIES.items()))
        for pack in (archives.tar_gz, archives.zip_file):
            with self.subTest(pack=pack.__name__):
                self.assertEqual(pack(ENTRIES, 400_000_000), pack(reversed_entries, 400_000_000))
                self.assertNotEqual(pack(ENTRIES, 400_000_000), pack(ENTRIES, 500_000_000))
        with tarfile.open(fileobj=io.BytesIO(archives.tar_gz(ENTRIES, 400_000_000))) as tar:
            found = {member.name: (member.mode, member.mtime, member.uid) for member in tar}
        self.assertEqual(found["pintle"], (0o755, 400_000_000, 0))
        self.assertEqual(found["README.md"], (0o644, 400_000_000, 0))
        self.assertEqual(found["man"], (0o755, 400_000_000, 0))
        with zipfile.ZipFile(io.BytesIO(archives.zip_file(ENTRIES, 400_000_000))) as file:
            self.assertEqual(file.getinfo("pintle").external_attr >> 16 & 0o777, 0o755)
            self.assertEqual(file.read("man/pintle.1"), b"page")


class Compile(unittest.TestCase):
    def test_every_system_is_a_target_of_platforms(self):
        for system in SYSTEMS.values():
            self.assertEqual(TARGETS[system.target].triple, system.triple)

    def test_paths_of_this_machine_are_replaced_the_inner_ones_last(self):
        system = SYSTEMS["x86_64-pc-windows-gnu"]
        variables = compile.reproducible(system)
        flags = variables["CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS"].split()
        mapped = [flag for flag in flags if flag.startswith("--remap-path-prefix=")]
        self.assertLess(mapped.index(f"--remap-path-prefix={ROOT}=pintle"), mapped.index(f"--remap-path-prefix={compile.BUILD}=build"))
        self.assertIn("link-arg=-Wl,--no-insert-timestamp", flags)
        self.assertIn(f"-ffile-prefix-map={ROOT}=pintle", variables["CFLAGS_x86_64_pc_windows_gnu"])


class Packages(unittest.TestCase):
    def test_npm_names_one_package_for_each_system(self):
        manifest = json.loads(npm.main_package(PROJECT, _texts())["package.json"].content)
        self.assertEqual(
            manifest["optionalDependencies"],
            {f"@pintle/{name}": "1.2.3" for name in ("linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64")},
        )
        for system in offered():
            package = npm.platform_package(PROJECT, system, b"program", _texts())
            found = json.loads(package["package.json"].content)
            self.assertEqual(f"{found['os'][0]}-{found['cpu'][0]}", system.npm)
            self.assertTrue(package[f"bin/{system.program}"].is_program)

    def test_files_of_a_distribution_lie_where_it_looks_for_them(self):
        placed = linux.places("deb", SYSTEMS["x86_64-unknown-linux-musl"], ENTRIES)
        self.assertEqual(
            sorted(placed),
            [
                "/usr/bin/pintle",
                "/usr/share/bash-completion/completions/pintle",
                "/usr/share/doc/pintle/README.md",
                "/usr/share/fish/vendor_completions.d/pintle.fish",
                "/usr/share/man/man1/pintle.1.gz",
                "/usr/share/zsh/vendor-completions/_pintle",
            ],
        )
        self.assertEqual(linux.places("rpm", SYSTEMS["x86_64-unknown-linux-musl"], ENTRIES)["/usr/share/zsh/site-functions/_pintle"].content, b"zsh")


    def test_a_wheel_records_what_it_holds(self):
        system = SYSTEMS["x86_64-unknown-linux-musl"]
        content = wheels.wheel(PROJECT, system, Entry(b"program", is_program=True), _texts(), Entry(b"{}"))
        name = wheels.file_name(PROJECT, system)
        self.assertEqual(name, "pintle-1.2.3-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl")
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            record = file.read("pintle-1.2.3.dist-info/RECORD").decode().splitlines()
            self.assertEqual(sorted(row.split(",")[0] for row in record), sorted(file.namelist()))
            self.assertEqual(file.getinfo("pintle-1.2.3.data/scripts/pintle").external_attr >> 16 & 0o777, 0o755)
            self.assertIn("pintle-1.2.3.dist-info/sboms/pintle.cyclonedx.json", file.namelist())

    def test_a_bill_of_materials_names_no_folder_and_no_time_of_the_machine(self):
        def found(root: str, serial: str) -> bytes:
            ref = f"path+file://{root}#pintle@1.2.3"
            return bill.stable({"serialNumber": serial, "metadata": {"timestamp": serial}, "components": [{"bom-ref": ref}]}, root, 400_000_000)

        self.assertEqual(found("/a", "1"), found("/b/c", "2"))
        self.assertIn(b"path+file:///pintle#pintle@1.2.3", found("/a", "1"))


class Manifests(unittest.TestCase):
    def test_every_manifest_names_its_archives_with_their_checksums(self):
        texts = {
            "install.sh": (manifests.install_sh(PROJECT, SUMS), "-unknown-linux-musl", "-apple-darwin"),
            "install.ps1": (manifests.install_ps1(PROJECT, SUMS), "-pc-windows-gnu"),
            "homebrew": (manifests.homebrew(PROJECT, SUMS), "-unknown-linux-musl", "-apple-darwin"),
            "nix": (manifests.nix(PROJECT, SUMS), "-unknown-linux-musl", "-apple-darwin"),
            "winget": (manifests.winget(PROJECT, SUMS)["Pintle.Pintle.installer.yaml"].lower(), "-pc-windows-gnu"),
        }
        for name, (text, *kinds) in texts.items():
            for triple, sum in SUMS.items():
                with self.subTest(name=name, triple=triple):
                    self.assertEqual(sum in text, any(triple.endswith(kind) for kind in kinds))
            self.assertEqual(re.findall(r"@[A-Z_]+@", text), [], name)
            self.assertIn("1.2.3", text)

    def test_a_system_that_was_not_built_is_refused_by_the_installer(self):
        text = manifests.install_sh(PROJECT, {"x86_64-unknown-linux-musl": "a" * 64})
        self.assertIn("x86_64-unknown-linux-musl) echo " + "a" * 64, text)
        self.assertNotIn("darwin) echo", text)


class Versions(unittest.TestCase):
    def test_everything_that_is_published_has_one_version(self):
        version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
        for name, stated in project.stated_versions().items():
            self.assertEqual(stated, {version}, name)
        newest = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertIn(newest[0], ("Unreleased", "0.2.0", version))


class Demo(unittest.TestCase):
    def test_the_picture_shows_what_the_demo_prints_today(self):
        golden = (ROOT / "tests/golden/demo.txt").read_text()
        shown = html.unescape(re.sub(r"<[^>]+>", "", Path(__file__).with_name("demo.svg").read_text()))
        squeezed = re.sub(r"\s", "", shown)
        for line in golden.splitlines():
            # Long lines are wrapped.
            self.assertIn(re.sub(r"\s", "", line)[:60], squeezed)

    def test_a_recording_has_every_character_in_order_of_time(self):
        events = [json.loads(line) for line in demo.cast("a\r\n\r\nb\r\n").splitlines()[1:]]
        times = [time for time, *_ in events]
        self.assertEqual(times, sorted(times))
        self.assertEqual("".join(data for _, _, data in events), "$ pintle demo\r\na\r\n\r\nb\r\n$ ")


class Compare(unittest.TestCase):
    def test_differences_are_counted(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            for folder, text in ((one, "a"), (other, "b")):
                Path(folder, "same").write_text("same")
                Path(folder, "different").write_text(text)
            Path(one, "alone").write_text("")
            self.assertEqual(main.compare(Path(one), Path(other)), 2)


def _texts() -> dict[str, Entry]:
    return {name: Entry(b"text") for name in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD_PARTY_NOTICES.md", "README.md")}


if __name__ == "__main__":
    unittest.main()
