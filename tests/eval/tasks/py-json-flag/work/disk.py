#!/usr/bin/env python3
"""Prints the largest files below a folder."""

import argparse
import os
import sys


def walk(folder):
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(root, name)
            try:
                yield os.path.relpath(path, folder), os.stat(path).st_size
            except OSError as error:
                print(f"skipped {path}: {error.strerror}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--top", type=int, default=3, help="how many files to list")
    options = parser.parse_args()
    found = sorted(walk(options.folder), key=lambda entry: (-entry[1], entry[0]))
    for path, size in found[: options.top]:
        print(f"{size:>10}  {path}")
    print(f"{sum(size for _, size in found):>10}  in {len(found)} files")


if __name__ == "__main__":
    main()
