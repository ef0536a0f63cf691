python3 - <<'PY'
from pathlib import Path

path = Path("rotate.sh")
text = path.read_text()
text = text.replace("[-k KEEP] LOG", "[-n|--dry-run] [-k KEEP] LOG")
text = text.replace("keep=3\n", '''do_it() {
  if [ "$dry" = yes ]; then
    printf '%q ' "$@"
    echo
  else
    "$@"
  fi
}

keep=3
dry=no
''')
text = text.replace("    -h|--help)", "    -n|--dry-run) dry=yes; shift ;;\n    -h|--help)")
for command in ("rm", "mv"):
    text = text.replace(f"  {command} \"", f"  do_it {command} \"")
text = text.replace(': > "$log"', 'if [ "$dry" = no ]; then\n  : > "$log"\nfi')
path.write_text(text)
PY
