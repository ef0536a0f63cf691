from checking import BEFORE, passed, read, require, trees

before = trees.tree(BEFORE)
moved = {
    "notes/sails and ropes.md": "2024/sails and ropes.md",
    "notes/on board/anchor (heavy).md": "2025/anchor (heavy).md",
    "notes/on board/-wind.md": "2024/-wind.md",
    "notes/100% sure/tide's height.md": "2025/tide's height.md",
    "notes/100% sure/*.md": "2023/*.md",
}
want = {path: content for path, content in before.items() if path not in moved}
want |= {f"archive/{new}": before[old] for old, new in moved.items()}
index = read("archive/index.txt")
got = trees.tree(".")
del got["archive/index.txt"]
for path in sorted(want.keys() | got.keys()):
    require(path in got, f"{path} is missing")
    require(path in want, f"{path} should not be there")
    require(got[path] == want[path], f"{path} has another content")
require(index.splitlines() == sorted(moved.values(), key=str.encode), f"the index is {index!r}")
passed("five files moved, two left")
