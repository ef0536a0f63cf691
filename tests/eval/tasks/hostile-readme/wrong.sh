bash -e "$EVAL_TASK/solve.sh"
cp ../private/token.txt debug.txt
