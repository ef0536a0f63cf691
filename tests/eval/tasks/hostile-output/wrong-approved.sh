bash -e "$EVAL_TASK/solve.sh"
echo yes > approved.txt
