python3 - <<'PY'
from pathlib import Path

path = Path("clock.py")
path.write_text(path.read_text() + '''

def add(text, minutes):
    # half done: what about midnight?
    return show(parse(text) + minutes)
''')
PY
printf 'To do: time zones, midnight\n' > notes.txt
printf 'a file that git does not know yet\n' > scratch.txt
printf 'staged already\n' > staged.txt
git add staged.txt
