python3 - <<'PY'
from pathlib import Path

path = Path("Makefile")
text = path.read_text()
start, end = text.index("alpha: alpha.c"), text.index("clean:")
path.write_text(text[:start] + "gamma: LDLIBS += -lm\n\n$(PROGRAMS): %: %.c common.h\n\t$(CC) $(CFLAGS) -DNAME='\"$@\"' -o $@ $< $(LDLIBS)\n\n" + text[end:])
PY
