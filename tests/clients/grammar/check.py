"""Parses patches with the grammar that is given, by each of lark's two parsers."""

import sys

import lark


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"]) + "\n"


ROWS = [
    ("a new file", patch("*** Add File: a b.txt", "+one", "+"), True),
    ("a file that goes", patch("*** Delete File: a.txt"), True),
    ("a change", patch("*** Update File: a.txt", "@@ fn a()", " one", "-two", "+2", " "), True),
    ("a change without a place", patch("*** Update File: a.txt", "-two", "+2"), True),
    ("a file that moves", patch("*** Update File: a.txt", "*** Move to: b.txt", "@@", "-1", "+2"), True),
    ("the end of a file", patch("*** Update File: a.txt", "@@", "-1", "+2", "*** End of File"), True),
    ("several files", patch("*** Delete File: a", "*** Add File: b", "+é"), True),
    ("no line end at the end", patch("*** Delete File: a").rstrip("\n"), True),
    ("no file", patch(), False),
    ("no end", "*** Begin Patch\n*** Delete File: a\n", False),
    ("a line without a sign", patch("*** Add File: a", "one"), False),
    ("a new file without lines", patch("*** Add File: a"), False),
    ("a file without a name", patch("*** Delete File: "), False),
    ("words before it", "Here:\n" + patch("*** Delete File: a"), False),
]


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for kind in ("lalr", "earley"):
        parser = lark.Lark(text, parser=kind)
        for name, written, want in ROWS:
            try:
                parser.parse(written)
                got = True
            except lark.exceptions.UnexpectedInput:
                got = False
            if got != want:
                sys.exit(f"{kind}, {name}: parsed {got}, wanted {want}:\n{written}")
    print(f"the grammar of patches: {len(ROWS)} patches by two parsers")


main()
