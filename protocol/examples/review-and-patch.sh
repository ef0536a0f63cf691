#!/usr/bin/env bash
# Reviews what the agent changed: keeps one hunk, undoes another, and prints the changes as a patch for `git apply`.
# usage: review-and-patch.sh PINTLE [ARGS of serve ...]   (in the folder to work in)
set -euo pipefail
coproc ENGINE { "$@"; }
exec 3<&"${ENGINE[0]}" 4>&"${ENGINE[1]}" # bash closes the originals in subshells
id=0
read_until() { # filter: reads until a message fits, and puts it into `message`
  while IFS= read -r message <&3; do
    if jq -e "$1" <<<"$message" >/dev/null; then return; fi
  done
  echo "the engine is gone" >&2
  exit 1
}
ask() { # method params: sends a request, and puts its result into `result`
  id=$((id + 1))
  jq -cn --argjson id "$id" --arg method "$1" --argjson params "$2" '{jsonrpc: "2.0", $id, $method, $params}' >&4
  read_until ".id == $id and has(\"result\")"
  result=$(jq -c .result <<<"$message")
}
decide() { # action path: decides about the open hunk of a file
  local target
  target=$(jq -c --arg path "$2" '.hunks[] | select(.path | endswith($path)) | {type: "hunk", hunk: .id, changedSeq}' <<<"$hunks")
  ask review/decide "$(jq -cn --arg action "$1" --argjson target "$target" '{action: {type: $action, $target}}')"
  echo "$1> $2"
}

ask initialize '{"protocol":{"name":"pintle","versions":["2.0"]}}'
ask session/create '{"config":{"permissionMode":"autoEdit"}}'
ask turn/start '{"input":[{"type":"text","text":"Fix all typos."}]}'
read_until '.params.event.type == "turn.completed"'
ask review/patch '{}'
jq -r .text <<<"$result" | grep '^[-+]'
ask review/list '{}'
hunks=$result
jq -r '.hunks[] | "\(.state)> \(.path | split("/") | last)"' <<<"$hunks"
decide keep note.txt
decide undo other.txt
ask review/list '{}'
echo "open> $(jq '.hunks | length' <<<"$result")"
