import re

from checking import BEFORE, TASK, Path, only, passed, read, require, run

only("cache.test.js")
original = (BEFORE / "cache.js").read_text()
test = read("cache.test.js")
done = run("node", "--test", "cache.test.js")
require(done.returncode == 0, "the tests fail for the code as it is")
require(not re.search(r"setTimeout|timers/promises|Atomics\.wait", test), "the tests wait for real time to pass")
survivors = []
mutants = (TASK / "mutants.txt").read_text().rstrip("\n").split("\n---\n")
for mutant in mutants:
    old, new = mutant.split("\n=>\n") if "\n=>\n" in mutant else (mutant.removesuffix("\n=>"), "")
    assert original.count(old) == 1, f"a mutant that fits nowhere: {old}"
    Path("cache.js").write_text(original.replace(old, new))
    if run("node", "--test", "cache.test.js").returncode == 0:
        survivors.append(old.strip())
Path("cache.js").write_text(original)
require(len(survivors) <= 3, f"{len(survivors)} of {len(mutants)} broken versions pass, such as a change of `{survivors[0] if survivors else ''}`")
passed(f"{len(mutants) - len(survivors)} of {len(mutants)} broken versions are found")
