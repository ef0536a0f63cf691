#!/usr/bin/env bash
# Runs one task without rights, and leaves result.json, changes.patch, report.md, report.sarif and log.txt in PINTLE_OUT for the job that
# posts them.
#
#   PINTLE_OUT         the folder for all that; task.md in it is the task
#   PINTLE_MODE        trusted, or untrusted for the code of strangers
#   PINTLE_PERMISSION  the permission mode of trusted tasks; by default edit: edits in the workspace, commands in the sandbox without network
#   PINTLE_MODEL       the model, as PROVIDER/ID; the provider's key is in its own variable, such as ANTHROPIC_API_KEY
#   PINTLE_BASE        the commit that a change is based on: the difference to HEAD goes to the model as a patch
#   PINTLE_BIN         the program; by default pintle
#   PINTLE_OPTIONS     more options of `pintle run`, from the workflow's author, divided by spaces
#
# It ends with the code of `pintle run`. No text of an event is in an argument: the task is read from a file, and goes to the program by stdin.
set -uo pipefail

: "${PINTLE_OUT:?the folder for results}"
: "${PINTLE_MODE:?trusted or untrusted}"

reports=(--report "markdown=$PINTLE_OUT/report.md" --report "sarif=$PINTLE_OUT/report.sarif")

case $PINTLE_MODE in
  trusted) mode=(--permission "${PINTLE_PERMISSION:-edit}") ;;
  # Nothing in the tree instructs the model, nothing is changed, and nothing is run.
  untrusted) mode=(--untrusted) ;;
  *) echo "agent.sh: PINTLE_MODE is neither trusted nor untrusted" >&2; exit 2 ;;
esac
read -r -a options <<<"${PINTLE_OPTIONS:-}"

config=${PINTLE_HOME:-${XDG_CONFIG_HOME:-${HOME:-}/.config}/pintle}/config.toml
case " ${PINTLE_OPTIONS:-} " in
  *" --model"* | *" --script"* | *" --replay"*) ;;
  *)
    if [ -z "${PINTLE_MODEL:-}" ] && [ ! -e "$config" ]; then
      echo "agent.sh: no model is set: set PINTLE_MODEL to PROVIDER/ID, such as anthropic/claude-sonnet-4-6, and the provider's key" >&2
      exit 2
    fi
    ;;
esac

task=$(cat "$PINTLE_OUT/task.md") || exit 2
if [ -n "${PINTLE_BASE:-}" ]; then
  patch=$PINTLE_OUT/review.patch
  # Nothing of the tree is run: neither its diff drivers nor its filters.
  if ! git diff --no-ext-diff --no-textconv "$PINTLE_BASE...HEAD" -- >"$patch"; then
    echo "agent.sh: there is no difference to PINTLE_BASE ($PINTLE_BASE): is it fetched, with the history up to it?" >&2
    exit 2
  fi
  task="$task

The change is the difference between the commits $(git merge-base "$PINTLE_BASE" HEAD) and $(git rev-parse HEAD). It is attached as a patch."
  options+=(--file "$patch")
fi

# A key that posts has no business here, even where somebody gave it to all jobs; nor have the files by which a step changes later ones.
unset GITHUB_TOKEN GH_TOKEN CI_JOB_TOKEN PINTLE_POST_TOKEN ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN
unset GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY

"${PINTLE_BIN:-pintle}" run --format json --patch "$PINTLE_OUT/changes.patch" \
  "${reports[@]}" "${mode[@]}" ${options[@]+"${options[@]}"} - \
  <<<"$task" >"$PINTLE_OUT/result.json" 2>"$PINTLE_OUT/log.txt"
code=$?
# Lines of the log cannot be workflow commands of the runner: each is indented.
sed 's/^/  /' "$PINTLE_OUT/log.txt" >&2
exit "$code"
