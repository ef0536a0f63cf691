#!/usr/bin/env bash
# Completes an installation of code-server: adds a copy, mostly of hard links, that has VS Code's own check for proposed APIs.
# Usage: strict.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir "$1/strict"
cp -al "$1/node_modules" "$1/strict/node_modules"
node "$here/strict.mjs" "$1/strict/node_modules/code-server"
