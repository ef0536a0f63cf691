#!/usr/bin/env bash
# Drives `pintle acp` with acpx, a client for scripts: a prompt with an edit and a command, as text and as JSON.
set -euo pipefail
acpx=$CLIENTS/node_modules/.bin/acpx
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home PINTLE_HOME=$home/data
mkdir "$home/project"
cd "$home/project"
echo one >a.txt
cat >"$home/script.json" <<'JSON'
{"replies": [
  {"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}}]},
  {"blocks": [{"tool": "bash", "arguments": {"command": "cat a.txt; cat /proc/$PPID/comm >parent"}}]},
  {"blocks": [{"text": "all is changed"}]}
]}
JSON
agent="$PINTLE_BIN acp --script $home/script.json"

text=$(timeout 60 "$acpx" --approve-all --cwd "$PWD" --agent "$agent" exec "change it" </dev/null)
grep -q "all is changed" <<<"$text" || { echo "no answer in: $text" >&2; exit 1; }
[ "$(cat a.txt)" = two ] || { echo "a.txt was not changed" >&2; exit 1; }
[ "$(cat parent)" != pintle ] || { echo "the command did not run in a terminal of acpx" >&2; exit 1; }

echo one >a.txt
# It ends with a code of its own when something was denied.
json=$(timeout 60 "$acpx" --deny-all --format json --cwd "$PWD" --agent "$agent" exec "change it" </dev/null) || [ $? -eq 5 ]
grep -q '"end_turn"' <<<"$json" || { echo "no end in: $json" >&2; exit 1; }
[ "$(cat a.txt)" = one ] || { echo "a.txt was changed although that was denied" >&2; exit 1; }

# Without fs and terminal, as clients that have neither.
timeout 60 "$acpx" --approve-all --no-fs --no-terminal --cwd "$PWD" --agent "$agent" exec "change it" </dev/null >/dev/null
[ "$(cat a.txt)" = two ] || { echo "a.txt was not changed without fs" >&2; exit 1; }
[ "$(cat parent)" = pintle ] || { echo "the command did not run here" >&2; exit 1; }
echo "acpx: fine"
