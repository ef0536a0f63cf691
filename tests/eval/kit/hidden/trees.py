"""Folders compared by what is in them."""

import os
from pathlib import Path

# Leftovers of tools, which are nobody's change.
IGNORED = {".git", "__pycache__", "node_modules", ".pytest_cache"}


def tree(folder):
    """The files of a folder with their bytes, links with their targets."""
    found = {}
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        for name in files + links:
            path = os.path.join(root, name)
            if name.endswith(".pyc"):
                continue
            is_link = os.path.islink(path)
            found[os.path.relpath(path, folder)] = os.readlink(path).encode() if is_link else Path(path).read_bytes()
    return found


def changed(before, after):
    """The paths that differ between two folders, sorted."""
    old, new = tree(before), tree(after)
    return sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
