#!/usr/bin/env bash
# Drives `pintle lsp` with independent clients: that of pygls, which checks every message against the protocol's types, Emacs with eglot, and the
# one in Neovim. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN
python=$("$here/../../tool" pygls)/bin/python
nvim=${NVIM_BIN:-$("$here/../../tool" neovim)/bin/nvim}
nvim=$(realpath "$nvim")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A project, a home and the replies of the model, which are read from standard input.
begin() {
  rm -rf "${folder:?}"/*
  mkdir "$folder/project" "$folder/home"
  printf 'one\n😀 two\n' >"$folder/project/a.txt"
  cat >"$folder/script.json"
  cd "$folder/project"
}

# What a client must print, and the client, which must end by itself. Its own lines that vary are left out.
expect() {
  local want=$1 got
  shift
  got=$(timeout 120 "$@" 2>"$folder/errors" | grep -v '^$') || { cat "$folder/errors" >&2; exit 1; }
  [ "$got" = "$want" ] || { printf 'wanted:\n%s\ngot:\n%s\n' "$want" "$got" >&2; cat "$folder/errors" >&2; exit 1; }
}

export PINTLE_HOME=$folder/home SCRIPT=$folder/script.json
begin <<'END'
{"replies": [
  {"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "oldText": "typed", "newText": "😀 edited"}}]},
  {"blocks": [{"text": "edit done"}]},
  {"blocks": [{"text": "action done"}]},
  {"blocks": [{"tool": "bash", "arguments": {"command": "sleep 86543.5; true"}}]}
]}
END
timeout 120 "$python" "$here/drive.py"

action() {
  begin <<'END'
{"replies": [
  {"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "oldText": "one", "newText": "one, edited"}}]},
  {"blocks": [{"text": "edit done"}]}
]}
END
}

export HOME=$folder/home
if emacs --batch --no-init-file --eval '(package-initialize)' --eval "(require 'eglot)" >/dev/null 2>&1; then
  action
  expect "edited in the buffer
pintle [10.1]: pintle changed this: +1 −1
[eglot] Pick an action (default Keep pintle's change here): undone in the buffer
no change is left" \
    emacs --batch --no-init-file --eval '(package-initialize)' -l "$here/eglot.el" <<<"Undo pintle's change here"
  echo "Emacs: a code action, its edit, and an undo"
else
  echo "tests/clients/lsp: no Emacs with eglot" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi

action
expect "edited in the file
pintle changed this: +1 −1
Keep +1 −1
undone in the file
no change is left
the transcript is shown" bash -c '"$@" 2>&1 | tr -d "\r" | grep -v "^LSP"' - "$nvim" --headless -u NONE -i NONE -l "$here/builtin.lua"
echo "Neovim: a code action, its edit, a code lens, an undo, and a transcript"
