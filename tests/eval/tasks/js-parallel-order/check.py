from checking import TASK, Path, only, passed, require, run

only("fetch.js")
done = run("node", str(TASK / "hidden.js"), str(Path("fetch.js").resolve()))
reason = [line for line in done.stderr.splitlines() if "AssertionError" in line or "Error:" in line]
require(done.returncode == 0, (reason or done.stderr.strip().splitlines() or ["it failed"])[0].strip())
passed("four at a time, in order, with the right error")
