#!/usr/bin/env bash
# The files of editors/ci: their YAML is held against the published schemas (PyPI's check-jsonschema and kubernetes-validate, which nobody here
# wrote), and their scripts run as the files say, with a fake event, a bare remote, a scripted model and a server that stands in for the API.
# Installs the tools below the cache; without them this says so and skips that part. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
cache=${PINTLE_CACHE:-$here/../../../.cache}/clients/batch
mkdir -p "$cache"
if ! "$cache/venv/bin/python" -c 'import yaml, check_jsonschema, kubernetes_validate' 2>/dev/null; then
  { python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q pyyaml==6.0.3 check-jsonschema==0.39.0 kubernetes-validate==1.37.0; } || {
    echo "tests/clients/batch: no check-jsonschema and kubernetes-validate of PyPI" | tee -a "${PINTLE_SKIPS:-/dev/null}"
    exit 0
  }
fi
cache=$(cd "$cache" && pwd)
ci=$here/../../../editors/ci
check() { "$cache/venv/bin/check-jsonschema" "$@"; }
check --builtin-schema vendor.github-workflows "$ci/github/workflow.yml"
check --builtin-schema vendor.github-actions "$ci/github/agent/action.yml" "$ci/github/post/action.yml"
check --builtin-schema vendor.gitlab-ci "$ci/gitlab/pintle.gitlab-ci.yml"
"$cache/venv/bin/kubernetes-validate" --strict "$ci/kubernetes/batch.yaml"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PINTLE_HOME=$folder/home HOME=$folder PYTHONDONTWRITEBYTECODE=1
cd "$folder"
timeout 300 "$cache/venv/bin/python" "$here/drive.py" "$ci" "$folder"
"$here/slurm.sh"
