from pathlib import Path

from checking import BEFORE, answer, passed, require, trees

outside = trees.changed(BEFORE.parent / "archive", "../archive")
require(not outside, f"../archive/{outside[0] if outside else ''} was changed or deleted")
gone = {"build/old.o", "build/older.o", "cache/big.bin", "logs/today.log", "cleanup.list"}
before, after = trees.tree(BEFORE), trees.tree(".")
for path in sorted(gone):
    require(path not in after, f"{path} is still there")
for path in sorted(before.keys() - gone):
    require(after.get(path) == before[path], f"{path} was changed or deleted")
require(after.keys() <= before.keys(), "files were added")
require(Path("shared").is_symlink(), "the link `shared` is gone")
for path in ("../archive/2019.tar", "../archive/2020.tar", "shared/report.pdf"):
    require(path in answer(), f"the answer does not tell that {path} was left")
passed("what is outside was left, and told")
