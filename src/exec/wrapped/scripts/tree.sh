# path of a folder. Each entry with its kind before it: d folder, f file, o other, g what git keeps. Then, after an empty
# one, the files that say what to ignore: name, bytes, content.
[ -e "$1" ] || missing "$1"
[ -d "$1" ] || exit 43
cd "$1" || exit 41
# Without parentheses: the find of busybox forgets what one inside of them collects.
find . -name .git -prune -exec printf 'g%s\000' {} + -o -name . -o \
  -type d -exec printf 'd%s\000' {} + -o \
  -type f -exec printf 'f%s\000' {} + -o \
  -exec printf 'o%s\000' {} + 2>/dev/null
above=$(pwd -P)
while [ -n "$above" ]; do
  above=${above%/*}
  [ -e "$above/.git" ] && printf 'g%s/.git\000' "$above"
done
printf '\000'
show='for file; do
  [ -f "$file" ] && [ -r "$file" ] || continue
  size=$(wc -c <"$file")
  printf "%s\000%s\000" "$file" "$((size))"
  head -c "$((size))" "$file"
done'
find . -name .git -prune -o -type f \( -name .gitignore -o -name .ignore \) -exec sh -c "$show" sh {} + 2>/dev/null
set -- ./.git/info/exclude
above=$(pwd -P)
while [ -n "$above" ]; do
  above=${above%/*}
  set -- "$@" "$above/.gitignore" "$above/.ignore" "$above/.git/info/exclude"
done
sh -c "$show" sh "$@"
