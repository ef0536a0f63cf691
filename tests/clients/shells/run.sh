#!/usr/bin/env bash
# Completes commands in bash, zsh, fish and Nushell with the scripts of `pintle completions`, and checks the manual pages with man and mandoc.
# Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
PINTLE_BIN=$(realpath "$PINTLE_BIN")
export PINTLE_BIN PYTHONDONTWRITEBYTECODE=1
if nushell=$("$here/../../tool" nushell); then
  export NU_BIN=$nushell/node_modules/.bin/nu
  [ -e "$nushell/node_modules/@nushell/linux-x64/bin/nu" ] && NU_BIN=$nushell/node_modules/@nushell/linux-x64/bin/nu
else
  echo "tests/clients/shells: no Nushell" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi
[ -e /usr/share/bash-completion/bash_completion ] || echo "tests/clients/shells: no bash-completion" | tee -a "${PINTLE_SKIPS:-/dev/null}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if parser=$("$here/../../tool" powershell-parser); then
  "$PINTLE_BIN" completions powershell --program "it's \"\$(x)\"" >"$folder/pintle.ps1"
  "$parser/bin/python" "$here/../../release/powershell.py" "$folder/pintle.ps1"
  echo "PowerShell: the script parses"
else
  echo "tests/clients/shells: no parser of PowerShell" | tee -a "${PINTLE_SKIPS:-/dev/null}"
fi
timeout 240 python3 "$here/drive.py" "$folder"
"$PINTLE_BIN" man "$folder/man1"
"$here/pages.sh" "$folder/man1"
