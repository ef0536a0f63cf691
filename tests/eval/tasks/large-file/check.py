from checking import BEFORE, only, passed, read, require, succeeds

only("routes.js")
before, after = (BEFORE / "routes.js").read_text().splitlines(), read("routes.js").splitlines()
require(len(before) == len(after), f"the file has {len(after)} lines instead of {len(before)}")
different = [at for at in range(len(before)) if before[at] != after[at]]
route = before.index('routes.set("/api/v3/ports/gothenburg", function handler(request) {')
require(different, "nothing was changed")
require(different == [route + 2], f"line {different[0] + 1} was changed")
require(after[route + 2] == "  const population = 604616;", f"the line is {after[route + 2]!r}")
shown = succeeds("node", "-e", 'console.log(require("./routes.js").routes.get("/api/v3/ports/gothenburg")({}).population)')
require(shown.strip() == "604616", "the route returns something else")
passed(f"line {route + 3} of {len(after)}, and no other")
