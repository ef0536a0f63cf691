#!/usr/bin/env bash
# A whole round by hand: prompt, stream, approve, steer, diff, stop, resume. Needs bash and jq.
# usage: round.sh PINTLE [ARGS of serve ...]   (in the folder to work in)
set -euo pipefail

coproc ENGINE { "$@"; }
exec 3<&"${ENGINE[0]}" 4>&"${ENGINE[1]}" # bash closes the originals in subshells
id=0
ask() { # method params: sends a request
  id=$((id + 1))
  jq -cn --argjson id "$id" --arg method "$1" --argjson params "$2" \
    '{jsonrpc: "2.0", $id, $method, $params}' >&4
}
answer_to() { # id: reads until the answer, prints its result
  local line
  while IFS= read -r line <&3; do
    jq -ce --argjson id "$1" 'select(.id == $id and has("result")) | .result' <<<"$line" && return
  done
}
input() { jq -cn --arg text "$1" '{input: [{type: "text", $text}]}'; }

follow() { # reads events to the end of the turn, and steers, approves and stops on the way
  local line event
  while IFS= read -r line <&3; do
    event=$(jq -r '.params.event.type // .method // ""' <<<"$line")
    case $event in
      item.delta) jq -r '.params.event | select(.field | . == "text" or . == "output") | "\(.field)> \(.text)"' <<<"$line" ;;
      approval/request)
        jq -r '"asked> \(.params.title): \(.params.reason)"' <<<"$line"
        [ -z "${steer:-}" ] || { ask turn/steer "$(input "$steer")"; steer=; }
        jq -c '{jsonrpc, id, result: {optionId: "allow"}}' <<<"$line" >&4 ;;
      item.completed)
        jq -r '.params.event.item.output.details.changes[]? | "diff> \(.path | split("/") | last) +\(.added) -\(.removed)\n\(.diff)"' <<<"$line"
        jq -r '.params.event.item | select(.type == "userMessage") | "read> \(.content[0].text)"' <<<"$line" ;;
      turn.completed)
        jq -r '"turn> \(.params.event.status)"' <<<"$line"
        return ;;
    esac
    if [ "${stop:-}" ] && jq -e '.params.event.field == "output"' <<<"$line" >/dev/null; then
      ask turn/interrupt '{}'
      stop=
    fi
  done
}

ask initialize '{"protocol":{"name":"pintle","versions":["2.0"]},"capabilities":{"approvals":{}}}'
answer_to "$id" | jq -r '"engine> \(.engine.name)"'
ask session/create '{}'
session=$(answer_to "$id" | jq -r .sessionId)
steer='be brief'
ask turn/start "$(input 'fix the greeting')"
follow
stop=yes
ask turn/start "$(input 'now something long')"
follow
ask session/close '{}'
answer_to "$id" >/dev/null
ask session/open "$(jq -cn --arg sessionId "$session" '{$sessionId, fromSeq: 0}')"
answer_to "$id" | jq -r '"resumed> \(.state.value), \(.queue | length) waiting"'
