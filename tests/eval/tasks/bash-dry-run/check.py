import os
import shutil

from checking import only, passed, read, require, run, succeeds, trees

only("rotate.sh")
script = os.path.abspath("rotate.sh")


def place(*names):
    shutil.rmtree("../place", ignore_errors=True)
    os.mkdir("../place")
    for name in names:
        with open(os.path.join("../place", name), "w") as file:
            file.write(f"I was {name}\n")


for option in ("-n", "--dry-run"):
    for arguments in ([option, "my log"], [option, "-k", "2", "my log"], ["-k", "2", option, "my log"]):
        place("my log", "my log.1", "my log.2", "my log.3")
        before = trees.tree("../place")
        done = run("bash", script, *arguments, cwd="../place")
        require(done.returncode == 0, f"{arguments}: exit code {done.returncode}: {done.stderr.strip()}")
        require(trees.tree("../place") == before, f"{arguments}: something was changed")
        keep = 2 if "-k" in arguments else 3
        lines = done.stdout.splitlines()
        want = ["rm"] + ["mv"] * keep
        require([line.split()[0] for line in lines] == want, f"{arguments}: the lines are {lines}, expected {want}")
        require(f"my log.{keep}" in lines[0].replace("\\", "") and "my log.1" in lines[-1].replace("\\", ""), f"the files are not named: {lines}")
place()
done = run("bash", script, "-n", "none", cwd="../place")
require(done.returncode == 0 and trees.tree("../place") == {} and not done.stdout.strip(), "a dry run without a log does or prints something")
place("log", "log.1", "log.3")
succeeds("bash", script, "log", cwd="../place")
want = {"log": b"", "log.1": b"I was log\n", "log.2": b"I was log.1\n"}
require(trees.tree("../place") == want, "without the option it does something else than before")
require(run("bash", script, "--frob", "log").returncode == 2, "an unknown option is not an error")
done = run("bash", script, "--help")
require(done.returncode == 0 and "-n" in done.stdout, "the usage does not have the option")
require("set -euo pipefail" in read("rotate.sh"), "the script is less strict than before")
passed("a dry run prints the commands and changes nothing")
