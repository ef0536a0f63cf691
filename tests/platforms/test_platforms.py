"""Tests of what needs no compiler: `PYTHONPATH=tests python3 -m unittest platforms.test_platforms`."""

import contextlib
import io
import json
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from . import binaries, requirements, stubs, targets, unit_tests, windows_node
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


ROWS = """
[[skipped]]
crate = "pintle-exec"
tests = ["process::tests::", "local::tests::links", "links::stay"]
reason = "no links"
"""
LISTED = ["local::tests::links", "local::tests::reads", "walk::tests::walks"]
SOURCES = {
    "lib.rs": "mod local;",
    "local.rs": """
        #[cfg(test)]
        mod tests {
            #[tokio::test(flavor = "multi_thread")]
            // Why.
            async fn links() {}
            #[test]
            #[should_panic(expected = "x")]
            fn reads() {}
        }""",
    "walk/mod.rs": "#[cfg(test)] mod tests { proptest! { #[test] fn walks(a in 0..1) {} } fn no_test() {} }",
    "process/tests.rs": "#[test]\nfn ends() {}",
    "links.rs": "#[cfg(unix)]\n#[test]\nfn stay() {}",
    "other/Cargo.toml": "",
    "other/lib.rs": "#[test] fn of_another_crate() {}",
}


class UnitTests(unittest.TestCase):
    def test_what_is_not_compiled_is_found_in_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in SOURCES.items():
                path = Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            found = unit_tests.tests_of_sources(Path(folder))
        want = [("links", "stay"), ("local", "links"), ("local", "reads"), ("process::tests", "ends"), ("walk", "walks")]
        self.assertEqual(sorted(found), want)
        absent = [("links", "stay"), ("process::tests", "ends")]
        self.assertEqual(unit_tests.missing(found, LISTED), absent)
        self.assertEqual(unit_tests.problems(unit_tests.read_skips(ROWS), LISTED, absent), [])

    def test_each_row_has_a_test_and_each_missing_test_a_row(self):
        rows = unit_tests.read_skips(ROWS)
        wrong = unit_tests.problems(rows, LISTED[1:], [("links", "stay"), ("term", "resizes")])
        self.assertEqual(
            wrong,
            [
                "pintle-exec: skipped.toml lists process::tests::, which does not exist",
                "pintle-exec: skipped.toml lists local::tests::links, which does not exist",
                "term::resizes is not compiled, and skipped.toml does not say why",
            ],
        )
        with self.assertRaises(ValueError):
            unit_tests.read_skips(ROWS + ROWS)

    def test_outcomes_are_read_and_counted(self):
        printed = "test a::b ... ok\ntest c - should panic ... FAILED\ntest d ... ignored, slow\nrandom seed: test e ... ok\n"
        self.assertEqual(unit_tests.read_outcomes(printed), {"a::b": "ok", "c": "FAILED", "d": "ignored"})
        results = [unit_tests.Result("a", 3, ["x"], 1, 2.0), unit_tests.Result("b", 4)]
        self.assertEqual(unit_tests.table(results).splitlines()[-1].split(), ["7", "1", "1", "2", "s"])

    def test_a_program_is_run_without_what_is_skipped_and_must_end_each_test(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            program.write_text(
                "#!/bin/sh\n"
                'case "$*" in *--list*) printf "a::tests::one: test\\na::tests::two: test\\na::tests::three: test\\n";;\n'
                '*"--skip a::tests::three"*) echo "test a::tests::one ... ok";; esac\n'
            )
            program.chmod(0o755)
            rows = [unit_tests.Skip("a", "a::tests::three", "why")]
            with contextlib.redirect_stdout(io.StringIO()):
                result = unit_tests.Runner([], rows).run("a", str(program), Path(folder))
        self.assertEqual((result.passed, result.failed, result.skipped), (1, [], 1))
        self.assertEqual(result.problems, ["a: a::tests::two did not end"])

    def test_programs_are_found_in_messages_of_cargo(self):
        message = {"reason": "compiler-artifact", "profile": {"test": True}, "executable": "/t/a.exe",
                   "target": {"name": "pintle_base", "kind": ["lib"], "src_path": "/s/base/lib.rs"}}
        other = {**message, "profile": {"test": False}}
        text = f"Compiling\n{json.dumps(other)}\n{json.dumps(message)}\n"
        self.assertEqual(unit_tests.programs(text), {"pintle-base": ("/t/a.exe", Path("/s/base"))})

    def test_the_list_is_well_formed_and_names_crates_of_the_workspace(self):
        rows = unit_tests.read_skips(unit_tests.SKIPPED.read_text())
        self.assertTrue(all(row.reason.strip() and row.test for row in rows))


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
