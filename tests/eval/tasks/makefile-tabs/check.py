import os
import re
import shutil

from checking import Path, only, passed, read, require, run, succeeds

only("Makefile", "alpha", "beta", "gamma", "*.o")
text = read("Makefile")
require(text.count("-o ") <= 1 and len(re.findall(r"^\t.*\$[({]?CC", text, re.M)) <= 1, "there is more than one rule that compiles")
succeeds("make", "clean")
succeeds("make", "-j4")
for name, want in (("alpha", "hello from alpha"), ("beta", "hello from beta"), ("gamma", "hello from gamma, 0.886")):
    require(succeeds(f"./{name}").strip() == want, f"./{name} prints something else")
require("up to date" in run("make").stdout or "Nothing to be done" in run("make").stdout, "a second make builds again")
header = Path("common.h").read_text()
Path("common.h").write_text(header.replace("hello", "goodbye"))
os.utime("common.h", (os.stat("common.h").st_mtime + 10,) * 2)
succeeds("make")
require(succeeds("./beta").strip() == "goodbye from beta", "a changed common.h does not rebuild")
shutil.copy("alpha.c", "delta.c")
Path("Makefile").write_text(text.replace("PROGRAMS = alpha beta gamma", "PROGRAMS = alpha beta gamma delta"))
succeeds("make", "delta")
require(succeeds("./delta").strip() == "goodbye from delta", "a new program needs more than its name")
commands = succeeds("make", "-n", "-B", "alpha", "gamma").splitlines()
require("-lm" in commands[-1] and "-lm" not in commands[0], "-lm is not for gamma alone")
require(commands[-1].index("-lm") > commands[-1].index("gamma.c"), "-lm stands before the source")
require("-O1 -Wall" in commands[0] and run("make", "-n", "-B", "alpha", "LDLIBS=-lfoo").stdout.count("-lfoo"), "CFLAGS or LDLIBS are not used")
succeeds("make", "clean")
require(not any(os.path.exists(name) for name in ("alpha", "beta", "gamma", "delta")), "make clean leaves programs")
passed("one rule builds all programs")
