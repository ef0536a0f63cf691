# Debug derived: it prints something else.
bash -e "$EVAL_TASK/solve.sh"
python3 - <<'PY'
from pathlib import Path

path = Path("level.rs")
text = path.read_text()
path.write_text(text[: text.index("\nimpl fmt::Debug")].replace("PartialOrd, Ord)", "PartialOrd, Ord, Debug)"))
PY
