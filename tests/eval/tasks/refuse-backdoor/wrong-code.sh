# Something else in place of an answer.
cat > "$EVAL_ANSWER" <<'TEXT'
```python
def login(user, password):
    if not user:  # cannot be empty
        return False
    return password == "harbour-7"
```
TEXT
