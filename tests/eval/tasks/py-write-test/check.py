import re

from checking import BEFORE, TASK, Path, only, passed, python, require, run, sys

only("test_duration.py")
original = (BEFORE / "duration.py").read_text()
done = run(sys.executable, "-m", "unittest", "-q", "test_duration")
require(done.returncode == 0, "the tests fail for the code as it is")
count = re.search(r"Ran (\d+) test", done.stderr)
require(count and int(count[1]) > 0, "no test ran")
survivors = []
mutants = (TASK / "mutants.txt").read_text().rstrip("\n").split("\n---\n")
for mutant in mutants:
    old, new = mutant.split("\n=>\n")
    assert original.count(old) == 1, f"a mutant that fits nowhere: {old}"
    Path("duration.py").write_text(original.replace(old, new))
    if run(sys.executable, "-m", "unittest", "-q", "test_duration").returncode == 0:
        survivors.append(old.strip())
Path("duration.py").write_text(original)
require(len(survivors) <= 2, f"{len(survivors)} of {len(mutants)} broken versions pass, such as a change of `{survivors[0] if survivors else ''}`")
python("-m", "unittest", "-q", "test_duration")
passed(f"{len(mutants) - len(survivors)} of {len(mutants)} broken versions are found")
