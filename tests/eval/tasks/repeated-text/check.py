from checking import BEFORE, only, passed, read, require

only("pipeline.yaml")
parts = (BEFORE / "pipeline.yaml").read_text().split("\n\n")
at = next(at for at, part in enumerate(parts) if part.startswith("test-arm:"))
parts[at] = parts[at].replace("  timeout: 20 minutes\n", "  timeout: 40 minutes\n  allow_failure: true\n")
want = "\n\n".join(parts).splitlines()
got = read("pipeline.yaml").splitlines()
for number, (left, right) in enumerate(zip(got, want), 1):
    require(left == right, f"line {number}: {left!r} instead of {right!r}")
require(got == want, "lines are missing or too many")
passed("one job has changed")
