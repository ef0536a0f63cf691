# The header is no prerequisite any more.
bash -e "$EVAL_TASK/solve.sh"
sed -i 's/%.c common.h/%.c/' Makefile
