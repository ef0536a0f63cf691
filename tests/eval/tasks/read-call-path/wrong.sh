echo 'policy.py:Policy.accepts, with a limit of 65536 bytes.' > "$EVAL_ANSWER"
