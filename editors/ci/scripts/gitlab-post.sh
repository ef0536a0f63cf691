#!/usr/bin/env bash
# The job with rights of a merge request. It works in a clean clone, since the job's own checkout holds the artifact.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${CI_REPOSITORY_URL:?}" "${CI_COMMIT_SHA:?}" "${PINTLE_POST_TOKEN:?the token that posts}"
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git -c core.hooksPath=/dev/null clone --quiet "$CI_REPOSITORY_URL" "$clone"
if [ -n "${CI_SERVER_HOST:-}" ]; then
  # The token goes to git by its environment: an address would end up in messages.
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.https://$CI_SERVER_HOST/.extraHeader"
  GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'pintle:%s' "$PINTLE_POST_TOKEN" | base64 -w0)"
  export GIT_CONFIG_VALUE_0
fi
cd "$clone"
PINTLE_MODE=trusted PINTLE_NUMBER=${CI_MERGE_REQUEST_IID:-} PINTLE_SHA=$CI_COMMIT_SHA PINTLE_RUN=${CI_PIPELINE_ID:-} \
  python3 "$here/post.py"
