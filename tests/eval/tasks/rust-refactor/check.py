import re
import shutil

from checking import TASK, passed, read, require, run, succeeds

text = read("level.rs")
body = re.search(r"enum\s+\w+\s*\{(.*?)\}", text, re.S)
require(re.search(r"pub enum Level\b|pub struct Level\(\w+\)", text) and body, "Level is no enum")
require("&'static str)" not in text, "Level still holds a text")
names = [re.sub(r"//.*|#\[.*?\]", "", line).strip(" ,").split("=")[0].strip() for line in body[1].replace(",", ",\n").splitlines()]
require([name for name in names if name] == ["Debug", "Info", "Notice", "Warning", "Error"], "the variants are not in the order of their weight")
done = run("rustc", "--edition", "2021", "--crate-type", "lib", "level.rs", timeout=60)
require(done.returncode == 0, "rustc does not accept it")
require("warning" not in done.stderr, "rustc warns")
shutil.copy(TASK / "hidden.rs", "hidden.rs")
succeeds("rustc", "--edition", "2021", "-A", "warnings", "hidden.rs", "-o", "hidden", timeout=60)
succeeds("./hidden")
passed("an enum, and the interface is as before")
