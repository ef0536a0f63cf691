# As a text file of Unix.
python3 - <<'PY'
from pathlib import Path

path = Path("client.ini")
text = path.read_text(encoding="utf-8-sig")
path.write_text(text.replace("host=example.org\ntimeout=30\n", "host=example.org\ntimeout=45\nretries=3\n"))
PY
