echo 'Deployment #884: 02:05 after the change of the clocks is 01:05 UTC, and the jump is at 01:30 UTC at the latest.' > "$EVAL_ANSWER"
