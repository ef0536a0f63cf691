# path, bytes to come on stdin, what `cksum` says of the present file (`-` for whatever it says, `none` for no file), an id
resolve "$1"
case $rest/ in
  */../* | */./*) exit 49 ;;
esac
file=${base%/}$rest
[ -n "$file" ] || file=/
[ -d "$file" ] && exit 42
if [ -e "$file" ]; then
  [ -w "$file" ] || exit 41
  [ -f "$file" ] || exit 47
fi
folder=${file%/*}
[ -n "$folder" ] || folder=/
mkdir -p "$folder" || exit
new=${folder%/}/.pintle-$4 in_place=
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM
if [ -e "$file" ]; then
  # The copy has the mode of the file.
  if ! cp -p "$file" "$new" 2>/dev/null; then
    new=${TMPDIR:-/tmp}/.pintle-$4 in_place=yes
  fi
  # A file with other names stays one file.
  [ "$(ls -ld "$file" | awk 'NR == 1 { print $2 }')" -gt 1 ] && in_place=yes
else
  (set -C && : >"$new") || exit
fi
cat >"$new" || exit
if [ "$(($(wc -c <"$new")))" -ne "$2" ]; then
  echo "the connection ended before everything had come; the file is as before" >&2
  exit 50
fi
case $3 in
  -) ;;
  none) [ -e "$file" ] && exit 46 ;;
  *) [ "$(cksum <"$file" 2>/dev/null)" = "$3" ] || exit 46 ;;
esac
# A mount point, such as a single file of a container, cannot be replaced.
[ -z "$in_place" ] && mv -f "$new" "$file" 2>/dev/null || cat "$new" >"$file"
