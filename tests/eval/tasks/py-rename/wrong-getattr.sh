# The name in a string is forgotten.
bash -e "$EVAL_TASK/solve.sh"
sed -i 's/getattr(s, "load_settings")/getattr(s, "load")/' shop/main.py
