"""Compiles pintle for other systems on Linux, and runs what can be run here.

  check TARGET [ARGS]   clippy for everything, tests included; for Windows without integration tests and benchmarks
  build TARGET [ARGS]   build the program, check what it requires of a system, and print its path
  play TARGET [ARGS]    build, then run the program: demo, doctor and a turn over stdio
  node TARGET [NAME…]   build for Windows, then run the VS Code extension's tests that need no editor by Node for Windows under Wine;
                        NAME chooses test files
  test TARGET [CRATES]  run the unit tests of all crates, or of these, but for those that skipped.toml lists
  cargo TARGET ARGS     run cargo with these arguments
  suite [--all]         what the suite `platforms` runs: the rows of SUITE, or with --all every target
  list                  print the targets
"""

import argparse
import sys
import time

from runner.tools import Unavailable

from . import requirements, rounds, unit_tests, windows_node
from .targets import TARGETS
from .toolchain import Toolchain


def check(chain: Toolchain, arguments: list[str]) -> int:
    # On Windows, this lint of clippy 1.96 also reports initializers that are constant already.
    lints = ["-D", "warnings", "-A", "clippy::missing_const_for_thread_local"]
    # The integration tests and benchmarks need Unix.
    crates = ["--lib", "--bins"]
    kinds = [crates, [*crates, "--profile", "test"]] if chain.target.is_windows else [["--all-targets"]]
    common = ["--workspace", "--all-features"]
    return max(chain.cargo("clippy", *common, *kind, *arguments, "--", *lints) for kind in kinds)


def build(chain: Toolchain, arguments: list[str]) -> int:
    code = chain.cargo("build", "--package", "pintle", "--bin", "pintle", *arguments)
    if code != 0:
        return code
    program = chain.program("release" if "--release" in arguments else "debug")
    wrong = requirements.problems(chain.target, program)
    for problem in wrong:
        print(f"{program}: {problem}", file=sys.stderr)
    print(f"{program} ({program.stat().st_size / 1_000_000:.1f} MB)")
    return 1 if wrong else 0


def play(chain: Toolchain, arguments: list[str]) -> int:
    code = build(chain, arguments)
    if code != 0:
        return code
    program = chain.program("release" if "--release" in arguments else "debug")
    try:
        rounds.play(chain.target, program, chain.folder, print)
    except rounds.Failed as error:
        print(f"{chain.target.name}: {error}", file=sys.stderr)
        return 1
    return 0


def node(chain: Toolchain, names: list[str]) -> int:
    if not chain.target.is_windows:
        print(f"node: {chain.target.name} is not a target for Windows", file=sys.stderr)
        return 2
    code = build(chain, [])
    return code if code != 0 else windows_node.run(chain.folder / "run", chain.program(), chain.folder, names)


def test(chain: Toolchain, crates: list[str]) -> int:
    packages = [word for crate in crates for word in ("--package", crate)] or ["--workspace"]
    options = [*packages, "--lib", "--all-features"]
    if chain.runner is None:
        return chain.cargo("test", *options)
    code, built = chain.messages("test", *options, "--no-run")
    return code or unit_tests.run(built, [chain.runner], crates)


def cargo(chain: Toolchain, arguments: list[str]) -> int:
    return chain.cargo(*arguments)


COMMANDS = {"check": check, "build": build, "play": play, "node": node, "test": test, "cargo": cargo}

# What fits into about half an hour on two cores with nothing cached.
SUITE = (
    ("play", "x86_64-unknown-linux-musl"),
    ("play", "aarch64-unknown-linux-musl"),
    ("play", "x86_64-pc-windows-gnu"),
    ("node", "x86_64-pc-windows-gnu"),
    ("test", "x86_64-pc-windows-gnu"),
    ("check", "aarch64-apple-darwin"),
)
ALL = (
    *SUITE,
    ("build", "x86_64-unknown-linux-gnu.2.28"),
    ("build", "aarch64-unknown-linux-gnu.2.28"),
    ("build", "aarch64-apple-darwin"),
    ("build", "x86_64-apple-darwin"),
    *(("check", name) for name in TARGETS if name not in ("aarch64-apple-darwin", "x86_64-pc-windows-gnu")),
)


def run(command: str, target: str, arguments: list[str]) -> int:
    """Runs a command, and prints how long it took."""
    began = time.monotonic()
    runs_programs = command in ("play", "node", "test")
    code = COMMANDS[command](Toolchain(TARGETS[target]).install(runs_programs), arguments)
    result = "passed" if code == 0 else "FAILED"
    print(f"{command} {target}: {result} in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return code


def suite(rows) -> int:
    codes = [run(command, target, []) for command, target in rows]
    return max(codes)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tests/platforms/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=[*COMMANDS, "suite", "list"])
    parser.add_argument("target", nargs="?", metavar="TARGET")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")
    args, all_targets = parser.parse_args([each for each in argv if each != "--all"]), "--all" in argv
    if args.command == "list":
        print("\n".join(TARGETS))
        return 0
    try:
        if args.command == "suite":
            return suite(ALL if all_targets else SUITE)
        if args.target not in TARGETS:
            parser.error(f"no target `{args.target}`; `list` prints them" if args.target else "name a target; `list` prints them")
        return run(args.command, args.target, args.arguments)
    except Unavailable as error:
        print(f"tests/platforms/run: {error}", file=sys.stderr)
        return 77
