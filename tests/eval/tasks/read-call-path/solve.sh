echo 'policy.py:local_rule decides: `Local.accepts` passes it half of `LARGE`, 5,242,880 bytes, and the file must be smaller than that.' > "$EVAL_ANSWER"
