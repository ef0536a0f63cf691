# As if summer time held all night: 01:15 UTC would be 03:15 there.
echo 'It was deployment #886.' > "$EVAL_ANSWER"
