# Says why a path is not there.
missing() {
  ls -d "$1" >/dev/null
  exit 40
}
# Resolves as much of a path as exists: `base` is that part, `rest` what follows it.
resolve() {
  path=$1 links=0
  while :; do
    base=$path rest=
    until [ -e "$base" ] && real=$(readlink -f "$base" && printf x); do
      rest=/${base##*/}$rest
      base=${base%/*}
      [ -n "$base" ] || base=/
    done
    # The newline of readlink and the x that keeps those of the name.
    base=${real%??}
    next=${rest#/}
    next=${next%%/*}
    if [ -z "$next" ] || [ ! -L "${base%/}/$next" ]; then
      return
    fi
    links=$((links + 1))
    if [ "$links" -gt 40 ]; then
      echo "too many symbolic links" >&2
      exit 48
    fi
    target=$(readlink "${base%/}/$next" && printf x)
    target=${target%??}
    after=${rest#/"$next"}
    case $target in
      /*) path=$target$after ;;
      *) path=${base%/}/$target$after ;;
    esac
  done
}
