from checking import BEFORE, only, passed, read, require

only("docs/*.md")
WANT = {
    "docs/index.md": [("(install.md)", "(guide/install.md)"), ("(settings.md#all", "(reference/settings.md#all"), ("[Knots](knots.md)", "[Knots](guide/knots.md)"), ("(knots.md#the", "(guide/knots.md#the")],
    "docs/guide/install.md": [],
    "docs/guide/rules.md": [("(../knots.md#the-bowline)", "(knots.md#the-bowline)")],
    "docs/reference/settings.md": [("(../install.md)", "(../guide/install.md)")],
    "docs/guide/knots.md": [],
}
for name, places in WANT.items():
    want = (BEFORE / name).read_text()
    for old, new in places:
        assert want.count(old) == 1, (name, old)
        want = want.replace(old, new)
    got = read(name).replace("(./", "(")
    for left, right in zip(got.splitlines(), want.splitlines()):
        require(left == right, f"{name}: `{left}` instead of `{right}`")
    require(got.splitlines() == want.splitlines(), f"{name}: lines were added or removed")
passed("each link leads where it meant to")
