# JSON read and written again, and the twin with it.
bash -e "$EVAL_TASK/solve.sh"
python3 - <<'PY'
import json

with open("länder/norge.json", encoding="utf-8") as file:
    data = json.load(file)
with open("länder/norge.json", "w", encoding="utf-8") as file:
    json.dump(data, file, indent=2)
    file.write("\n")
PY
