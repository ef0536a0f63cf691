# The object is printed after the plain lines.
bash -e "$EVAL_TASK/solve.sh"
sed -i '/^        return$/d' disk.py
