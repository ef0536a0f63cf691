import json
import re

from checking import passed, python, read, require

with open("../settings.json", "w") as file:
    json.dump({"currency": "SEK"}, file)
python("-c", """
import shop.settings as s, shop.main as m, shop.stock as k
want = {"load": "lazy", "currency": "SEK"}
path = "../settings.json"
assert not hasattr(s, "load"), "the old name is still there"
assert s.load_settings(path) == want and s.reload(path) == want
assert m.main(["load", path]) == want and m.main(["check", path]) == want and m.main(["reload", path]) == want
options, stock = m.preload(path)
assert options == want and stock.items == {"pre": 1}
assert k.open_stock(path, [("a", 2)]).items == {"a": 2}
""")
settings, stock, main, readme = map(read, ("shop/settings.py", "shop/stock.py", "shop/main.py", "README.md"))
require('"load": "lazy"' in settings and "json.load(" in settings, "settings.py: something else was renamed")
require("`load_settings` does not check" in settings, "settings.py: the description has the old name")
require("settings.load_settings." in stock and "def load(" in stock and '["load"]' in stock, "stock.py: the description, the method or the key is wrong")
require("shop load FILE" in main and "try load\"" in main and '"load":' in main, "main.py: the name of the command was changed")
require("from shop.settings import load_settings\n" in readme and 'load_settings("shop.json")' in readme, "README.md: the example has the old name")
require("`settings.load_settings` once" in readme and "`Stock.load`" in readme, "README.md: the last paragraph")
require("`shop load FILE`" in readme and "high load," in readme and 'options["load"]' in readme, "README.md: something else was renamed")
require(not re.search(r"\bload_settings_settings|reload_settings|preload_settings", settings + stock + main + readme), "a part of a word was renamed")
passed("the function has its new name, and nothing else has")
