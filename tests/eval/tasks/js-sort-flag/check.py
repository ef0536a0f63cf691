from checking import BEFORE, only, passed, require, run, succeeds

only("table.js")


def names(*options, file="ships.csv"):
    lines = succeeds("node", "table.js", file, *options).splitlines()
    return [line.split("  ")[0] for line in lines[1:]]


require(succeeds("node", "table.js", "ships.csv") == succeeds("node", str(BEFORE / "table.js"), "ships.csv"), "the plain output has changed")
by_length = ["Etoile", "Belle Poule", "Batavia", "Götheborg", "Hermione", "Vasa", "Cutty Sark"]
require(names("--sort=length") == by_length, f"--sort=length: {names('--sort=length')}")
down = ["Cutty Sark", "Vasa", "Hermione", "Götheborg", "Batavia", "Etoile", "Belle Poule"]
require(names("--sort=length", "--desc") == down, f"--sort=length --desc: {names('--sort=length', '--desc')}")
require(names("--desc", "--sort=built")[-2:] == ["Cutty Sark", "Vasa"], "--desc in front of --sort")
with open("more.csv", "w") as file:
    file.write("id,mixed,signed\na,10,-5\nb,9,3\nc,x,-40\nd,9,0\n")
require(names("--sort=mixed", file="more.csv") == ["a", "b", "d", "c"], "a column with a text in it is sorted as text")
require(names("--sort=signed", file="more.csv") == ["c", "a", "d", "b"], "negative numbers")
done = run("node", "table.js", "ships.csv", "--sort=speed")
require(done.returncode == 2 and not done.stdout, f"an unknown column: exit code {done.returncode}")
require(all(name in done.stderr for name in ("name", "length", "built")), "the error does not list the columns")
require(run("node", "table.js", "ships.csv", "--frob").returncode == 2, "an unknown option is not an error any more")
passed("rows are sorted as asked")
