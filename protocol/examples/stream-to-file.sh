#!/usr/bin/env bash
# Writes the model's words to a file while they stream, and the whole text at the end.
# usage: stream-to-file.sh FILE PINTLE [ARGS of serve ...]   (in the folder to work in)
set -euo pipefail
file=$1
shift
: >"$file"
coproc ENGINE { "$@"; }
exec 3<&"${ENGINE[0]}" 4>&"${ENGINE[1]}" # bash closes the originals in subshells
cat >&4 <<'MESSAGES'
{"id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}
{"id":2,"method":"session/create","params":{}}
{"id":3,"method":"turn/start","params":{"input":[{"type":"text","text":"Tell me about pintles."}]}}
MESSAGES
while IFS= read -r line <&3; do
  case $(jq -r '.params.event | "\(.type) \(.item.type? // "")"' <<<"$line") in
    "item.delta "*) jq -j '.params.event | select(.field == "text") | .text' <<<"$line" >>"$file" ;;
    "item.completed agentMessage")
      # Pieces may be merged or dropped; the completed item has the whole text.
      jq -j '.params.event.item.text' <<<"$line" >"$file" ;;
    "turn.completed "*) break ;;
  esac
done
echo "$(wc -w <"$file") words in $(basename "$file")"
