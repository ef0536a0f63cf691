import json
import os
import re

from checking import BEFORE, only, passed, python, read, require

only("disk.py", "README.md")
os.makedirs("../place/sub")
for name, size in (("a b.txt", 10), ("zwölf.txt", 12), ("sub/x", 12), ("tiny", 1), ("none", 0)):
    with open(os.path.join("../place", name), "wb") as file:
        file.write(b"x" * size)
os.symlink("nowhere", "../place/broken")
for options in ([], ["--top", "1"], ["--top", "9"]):
    want = python(str(BEFORE / "disk.py"), "../place", *options)
    require(python("disk.py", "../place", *options) == want, "the plain output has changed")
for options, names in (([], ["sub/x", "zwölf.txt", "a b.txt"]), (["--top", "1"], ["sub/x"]), (["--top", "0"], [])):
    text = python("disk.py", "--json", "../place", *options)
    try:
        got = json.loads(text)
    except ValueError:
        require(False, f"stdout is not one JSON value: {text[:80]!r}")
    sizes = {"sub/x": 12, "zwölf.txt": 12, "a b.txt": 10}
    want = {"files": 5, "bytes": 35, "largest": [{"path": name, "bytes": sizes[name]} for name in names]}
    require(got == want, f"{got} instead of {want}")
row = [line for line in read("README.md").splitlines() if "--json" in line]
require(any(re.match(r"\|.*`--json`.*\|.*\w+.*\|", line) for line in row), "README.md has no row for `--json`")
passed("--json prints what was asked, and the plain output is as before")
