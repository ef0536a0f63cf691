# The log is still emptied.
bash -e "$EVAL_TASK/solve.sh"
python3 - <<'PY'
from pathlib import Path

path = Path("rotate.sh")
path.write_text(path.read_text().replace('if [ "$dry" = no ]; then\n  : > "$log"\nfi', ': > "$log"'))
PY
