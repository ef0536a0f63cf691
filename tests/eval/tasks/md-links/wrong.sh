# The example is changed as well.
bash -e "$EVAL_TASK/solve.sh"
sed -i 's|`\[Settings\](settings.md)`|`[Settings](reference/settings.md)`|' docs/index.md
