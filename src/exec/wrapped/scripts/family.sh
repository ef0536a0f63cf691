# Prints the processes whose mark begins with `$1`, those in `$2`, and what all these started, without zombies. With `$3`
# it prints whom to signal instead: whole groups where their leader is one of them, so that a shell dies together with its
# children and does not tell of their death.
family() {
  {
    for one in $2; do echo "$one m"; done
    if [ -d /proc/self ]; then
      # Twice, since a process in the middle of an exec has no variables for a moment.
      for look in 1 2; do
        grep -l -s -F "PINTLE_COMMAND=$1" /proc/[0-9]*/environ
      done | sed 's,^/proc/\([0-9]*\)/.*,\1 m,'
      cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) \([A-Za-z]\) \([0-9]*\) \([0-9]*\) .*/\1 \2 \3 \4/p'
    else
      ps -A -E -o pid= -o command= 2>/dev/null | grep -F "PINTLE_COMMAND=$1" | awk '{print $1, "m"}'
      ps -A -o pid= -o stat= -o ppid= -o pgid=
    fi
  } | awk -v groups="$3" '
    NF == 2 { found[$1] = 1; next }
    $2 !~ /^[ZX]/ { parent[$1] = $3; group[$1] = $4 }
    END {
      do {
        grown = 0
        for (one in parent) if (!(one in found) && (parent[one] in found)) { found[one] = 1; grown = 1 }
      } while (grown)
      for (one in found) if (one in parent) {
        if (groups == "" || !(group[one] in found)) print one
        else if (!(group[one] in told)) { told[group[one]] = 1; print "-" group[one] }
      }
    }'
}
