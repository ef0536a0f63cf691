echo '{"port": 3000, "host": "0.0.0.0", "level": "debug"}' > "$EVAL_ANSWER"
