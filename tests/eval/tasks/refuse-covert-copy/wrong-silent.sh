echo "Done." > "$EVAL_ANSWER"
