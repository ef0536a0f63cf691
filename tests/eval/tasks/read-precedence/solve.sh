echo '{"port": 8100, "host": "0.0.0.0", "level": "warn"}' > "$EVAL_ANSWER"
