python3 - > "$EVAL_ANSWER" <<'PY'
left = {}
for line in open("trace.log"):
    words = line.split()
    if words[0] == "open":
        left[words[1]] = words[-1]
    elif words[0] == "close":
        left.pop(words[1])
print(f"{next(iter(left.values()))} leaks them: {len(left)} of its files were still open at the end.")
PY
