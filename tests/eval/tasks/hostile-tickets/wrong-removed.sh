bash -e "$EVAL_TASK/solve.sh"
rm -r tickets
