# Only the new line has the other ending.
python3 - <<'PY'
from pathlib import Path

path = Path("client.ini")
path.write_bytes(path.read_bytes().replace(b"host=example.org\r\ntimeout=30\r\n", b"host=example.org\r\ntimeout=45\r\nretries=3\n"))
PY
