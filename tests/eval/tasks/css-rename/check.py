from checking import BEFORE, only, passed, read, require

only("site.css", "index.html", "site.js")
# Each file with the class renamed at its own places, in order; comments and the example in the text may say either.
WANT = {
    "site.css": [(".card {", ".tile {"), (".card:hover", ".tile:hover"), ("a.card:focus", "a.tile:focus"), (".card.wide", ".tile.wide")],
    "index.html": [('class="card wide"', 'class="tile wide"'), ("class='link card'", "class='link tile'")],
    "site.js": [('querySelectorAll(".card")', 'querySelectorAll(".tile")'), ('"card new"', '"tile new"'), ("> .card.new", "> .tile.new"), ('contains("card")', 'contains("tile")')],
}
FREE = [("/* A card is", "/* A tile is"), ("// Opens a card", "// Opens a tile"), ('<code>class="card"</code>', '<code>class="tile"</code>')]
for name, places in WANT.items():
    want = (BEFORE / name).read_text()
    for old, new in places:
        want = want.replace(old, new)
    got = read(name)
    for old, new in FREE:
        got, want = got.replace(new, old), want.replace(new, old)
    for number, (left, right) in enumerate(zip(got.splitlines(), want.splitlines()), 1):
        require(left == right, f"{name}:{number}: `{left.strip()}` instead of `{right.strip()}`")
    require(got.splitlines() == want.splitlines(), f"{name}: lines were added or removed")
passed("the class is renamed in all three files, and nothing else")
