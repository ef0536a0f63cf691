#!/bin/sh
# Checks a built pintle on this machine, without a model, a key or the network, and prints a block for an issue.
#
#   check.sh [PROGRAM]   the program is `pintle` from the path unless it is named
#
# On Windows, check.ps1 runs this in the bash of Git for Windows.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$(command -v pintle || true)}
[ -x "$program" ] || { echo "no program \`${program:-pintle}\`: build it with cargo build --release, and name it" >&2; exit 2; }
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/project"
cd "$folder/project" || exit 1
PINTLE_HOME=$folder/home
export PINTLE_HOME
failed=0

# What is expected of each call of calls.json: its status, and a text in its result.
expected() {
  cat <<'END'
completed one.txt
completed one
completed one.txt
completed three
completed .txt
completed composed
completed crlf
completed y
completed crlf
completed \\r  \\n
completed crlf.txt
completed a/one.txt
completed three
failed err
failed sleep
completed started
completed /
failed missing.txt
failed one.txt
completed line 19999
END
}

say() { printf '%s\n' "$*"; }

verdict() { # NAME STATUS
  if [ "$2" -eq 0 ]; then say "$1: ok"; else say "$1: FAILED"; failed=$((failed + 1)); fi
}

# Git for Windows has a ps without options, which shows no arguments.
left() { { ps -A -o args 2>/dev/null || ps; } | grep -E '(^sleep 8639[567]|/sleep$)'; }

say '```text'
say "$("$program" --version) on $(uname -srm)"
[ -e /etc/os-release ] && sed -n 's/^PRETTY_NAME=//p' /etc/os-release
command -v sw_vers >/dev/null && sw_vers | tr '\n' ' ' && say
# It fails for want of a model.
"$program" doctor >"$folder/doctor" 2>&1
grep -q '^sandbox' "$folder/doctor"
verdict doctor $?
# Without the list of keys.
sed -n -e 's/^  *shell/shell/p' -e '/^sandbox/p' "$folder/doctor"

"$program" demo >"$folder/demo" 2>&1 </dev/null && grep -q '^Turn completed' "$folder/demo"
verdict demo $?

"$program" run --permission full --script "$here/calls.json" --format events go >"$folder/events" 2>"$folder/errors"
verdict "a run of 20 calls" $?
grep '"type":"item.completed"' "$folder/events" | grep '"type":"toolCall"' >"$folder/calls"
number=0
expected >"$folder/expected"
while read -r status text; do
  number=$((number + 1))
  line=$(sed -n "${number}p" "$folder/calls")
  title=$(printf '%s\n' "$line" | sed -e 's/.*"title":"//' -e 's/".*//')
  case $line in
    *"\"status\":\"$status\""*) printf '%s\n' "$line" | grep -qF -- "$text" ;;
    *) false ;;
  esac
  verdict "call $number ${title:-(none)}" $?
done <"$folder/expected"

! left >"$folder/left"
verdict "nothing is left running" $?
cat "$folder/left"

# A request and its answer over stdio.
version=$(sed -n 's/.*(protocol \([0-9.]*\),.*/\1/p' "$folder/doctor")
printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["%s"]},"client":{"name":"check","version":"1"}}}\n' "$version" |
  "$program" serve >"$folder/serve" 2>>"$folder/errors"
grep '"id":1' "$folder/serve" | grep -q '"result"'
verdict "a round of serve" $?
if [ "$failed" -gt 0 ]; then
  say "$failed failed"
  tail -n 20 "$folder/errors" "$folder/demo" "$folder/serve"
fi
say '```'
say "Paste the block above into an issue."
[ "$failed" -eq 0 ]
