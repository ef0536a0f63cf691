# The sorted rows reversed: equal cells change places.
bash -e "$EVAL_TASK/solve.sh"
python3 - <<'PY'
from pathlib import Path

path = Path("table.js")
text = path.read_text()
text = text.replace("(isDescending ? compare(b[at], a[at]) : compare(a[at], b[at])));", "compare(a[at], b[at]));\n    if (isDescending) rows.reverse();")
path.write_text(text)
PY
