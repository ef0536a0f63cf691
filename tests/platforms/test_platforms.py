"""Tests of what needs no compiler: `PYTHONPATH=tests python3 -m unittest platforms.test_platforms`."""

import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from . import binaries, requirements, stubs, targets, windows_node
from .targets import TARGETS


def macho(cpu=0x0100000C, kind=2, commands=()):
    body = b"".join(commands)
    return struct.pack("<8I", binaries.MAGIC_64, cpu, 0, kind, len(commands), len(body), 0, 0) + body


def library(name):
    text = name.encode() + b"\0"
    text += b"\0" * (-len(text) % 8)
    return struct.pack("<6I", 0x0C, 24 + len(text), 24, 0, 0, 0) + text


BUILD = struct.pack("<6I", 0x32, 24, 1, 11 << 16, 11 << 16, 0)
SIGNATURE = struct.pack("<4I", 0x1D, 16, 0, 0)


class Binaries(unittest.TestCase):
    def test_a_mach_o_program_is_read(self):
        found = binaries.macho(macho(commands=[BUILD, library("/usr/lib/libSystem.B.dylib"), SIGNATURE]))
        self.assertEqual(found, binaries.MachO("arm64", "11.0", True, ("/usr/lib/libSystem.B.dylib",)))

    def test_anything_else_is_an_error(self):
        for name, data in (
            ("empty", b""),
            ("ELF", b"\x7fELF" + b"\0" * 60),
            ("a library", macho(kind=6)),
            ("an endless command", macho(commands=[struct.pack("<2I", 0x19, 0)])),
        ):
            with self.subTest(name), self.assertRaises(ValueError):
                binaries.macho(data)

    def test_the_versions_of_glibc_are_in_order(self):
        text = "0x0010:   Name: GLIBC_2.4\n Name: GLIBC_2.28  Flags: none\nName: GLIBC_2.2.5\nName: GLIBC_PRIVATE\nName: GCC_3.0\n"
        self.assertEqual(binaries.glibc_versions(text), ["2.2.5", "2.4", "2.28"])


class Requirements(unittest.TestCase):
    def test_a_program_for_macos_is_judged(self):
        system = library("/usr/lib/libSystem.B.dylib")
        for name, commands, cpu, want in (
            ("as it should be", [BUILD, system, SIGNATURE], 0x0100000C, []),
            ("unsigned", [BUILD, system], 0x0100000C, ["not signed"]),
            ("unsigned for Intel", [BUILD, system], 0x01000007, ["for x86_64 instead of arm64", "not signed"]),
            ("without a version", [system, SIGNATURE], 0x0100000C, ["requires macOS (none) instead of 11.0"]),
            (
                "a library of the machine that built it",
                [BUILD, library("@rpath/libz.dylib"), SIGNATURE],
                0x0100000C,
                ["loads @rpath/libz.dylib, which macOS does not have"],
            ),
        ):
            with self.subTest(name):
                found = binaries.macho(macho(cpu=cpu, commands=commands))
                self.assertEqual(requirements.of_macho(TARGETS["aarch64-apple-darwin"], found), want)

    def test_a_program_for_glibc_is_judged(self):
        for floor, count in (("2.2.5", 0), ("2.28", 0), ("2.29", 1), ("2.100", 1), (None, 1)):
            with self.subTest(floor):
                self.assertEqual(len(requirements.of_glibc(floor)), count)


class Stubs(unittest.TestCase):
    def test_foreign_names_are_read_from_sources(self):
        source = """
#[link(name = "Security", kind = "framework")]
unsafe extern "C" {
    pub static kSecClass: CFStringRef;
    pub fn SecItemAdd(attributes: CFDictionaryRef) -> OSStatus;
    fn hidden();
}
extern "C-unwind" {
    pub static mut kMutable: u8;
}
pub fn not_foreign() {}
"""
        self.assertEqual(stubs.symbols(source), {"_kSecClass", "_SecItemAdd", "_kMutable"})


class Wrapper(unittest.TestCase):
    def test_options_of_other_compilers_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            zig = Path(folder, "zig")
            zig.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
            zig.chmod(0o755)
            command = [str(Path(__file__).with_name("cc")), "aarch64-macos.11.0", "-O1", "--target=arm64-apple-macosx",
                       "-mmacosx-version-min=11.0", "-DA=a b", "x.c"]
            printed = subprocess.run(command, env={"PINTLE_ZIG": str(zig), "PATH": "/usr/bin:/bin"}, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(printed, "cc|-target|aarch64-macos.11.0|-O1|-DA=a b|x.c|")


TAP = """TAP version 13
# Subtest: one
ok 1 - one
  ---
  duration_ms: 1
  ...
# Subtest: two
not ok 2 - two
  ---
  error: 'no'
  ...
# printed by a test
1..2
# tests 3
# pass 1
# fail 1
# cancelled 1
# skipped 2
"""


class WindowsNode(unittest.TestCase):
    def test_a_report_is_read(self):
        self.assertEqual(windows_node.counts(TAP), windows_node.Counts(passed=1, failed=2, skipped=2))
        self.assertEqual(windows_node.failures(TAP), "not ok 2 - two\n  ---\n  error: 'no'\n  ...\n")

    def test_a_report_that_ends_early_has_no_sums(self):
        self.assertIsNone(windows_node.counts(TAP.partition("# pass")[0]))

    def test_files_are_chosen_by_name(self):
        self.assertEqual([file.name for file in windows_node.files(["locate", "memory"])], ["locate.test.ts", "memory.test.ts"])
        names = {file.parent.name for file in windows_node.files([])}
        self.assertEqual(names, {"unit", "program", "typescript"})
        self.assertEqual(windows_node.files(["nothing"]), [])


class Targets(unittest.TestCase):
    def test_each_target_names_its_compiler_and_linker(self):
        for target in TARGETS.values():
            with self.subTest(target.name):
                variables = targets.environment(target, Path("/f"), Path("/zig"))
                self.assertIn(f"CC_{target.triple.replace('-', '_')}", variables)
                self.assertIn(f"CARGO_TARGET_{target.triple.upper().replace('-', '_')}_LINKER", variables)


if __name__ == "__main__":
    unittest.main()
