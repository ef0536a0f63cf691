# A date inside of a line counts.
sed 's/\^date: \\(\[0-9\]\\{4\\}\\)-\[0-9\]\[0-9\]-\[0-9\]\[0-9\]\$/.*date: \\([0-9]\\{4\\}\\)-.*/' "$EVAL_TASK/solve.sh" > ../loose.sh
bash -e ../loose.sh
