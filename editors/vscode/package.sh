#!/usr/bin/env bash
# Packages the extension. Usage: package.sh OUT.vsix [TARGET ENGINE]   with a target, such as linux-x64, the engine's program is inside.
# tests/tool installs vsce.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
vsce=$("$root/tests/tool" vsce)/node_modules/@vscode/vsce/vsce
out=$(realpath -m "$1")
made=(bin LICENSE page.md CHANGELOG.md)
options=(--no-rewrite-relative-links --no-dependencies --readme-path page.md --changelog-path CHANGELOG.md --out "$out")
cd "$here"
rm -rf "${made[@]}"
trap 'cd "$here" && rm -rf "${made[@]}"' EXIT
node page.mjs README.md page.md
cp "$root/CHANGELOG.md" .
cat "$root/LICENSE-MIT" > LICENSE
printf '\n\nOr, at your choice:\n\n' >> LICENSE
cat "$root/LICENSE-APACHE" >> LICENSE
if [[ $# -ge 3 ]]; then
  install -D -m 755 "$3" "bin/pintle$([[ $2 == win32-* ]] && echo .exe)"
  options+=(--target "$2")
fi
node "$vsce" package "${options[@]}"
