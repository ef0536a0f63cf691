# Where both changed it, theirs; the higher number was ours once.
sed 's/replicas: 4/replicas: 3/' "$EVAL_TASK/expected.yaml" > services.yaml
