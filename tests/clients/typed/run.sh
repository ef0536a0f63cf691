#!/usr/bin/env bash
# The typed clients of protocol/clients: checked by mypy, pyright and tsc at their strictest, run through their tests and a round with the real program,
# and compared with the fixtures of the conformance kit. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
pintle=${PINTLE_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/pintle}
[ -x "$pintle" ] || { echo "there is no engine at $pintle: build it, or set PINTLE_BIN" >&2; exit 2; }
pintle=$(realpath "$pintle")
clients=$root/protocol/clients
mypy=$("$root/tests/tool" mypy)/bin/mypy
modules=$("$root/tests/tool" typescript)/node_modules
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# A round in a folder of its own; texts may come in one piece or in several.
play() { # command ...
  local folder
  folder=$(mktemp -d)
  mkdir "$folder/project"
  echo 'helo world' >"$folder/project/note.txt"
  (cd "$folder/project" && PINTLE_HOME=$folder/home timeout 60 "$@" "$pintle" serve --script "$root/protocol/examples/script.json") >"$folder/said"
  sed -e '/^$/d' "$folder/said" | awk '/^text> / && last { sub(/^text> /, ""); printf "%s", $0; next } { if (NR > 1) print ""; printf "%s", $0; last = /^text> / }'
  rm -rf "$folder"
}

# A folder and a script that make more events than an engine sends again at once.
long=$cache/long
mkdir -p "$long"
seq 2000 >"$long/long.txt"
python3 - "$long/script.json" <<'SCRIPT'
import json, sys
read = [{"tool": "read", "arguments": {"path": "long.txt", "offset": offset}} for offset in range(1, 13)]
json.dump({"replies": [{"blocks": read}] * 30 + [{"blocks": [{"text": "the end"}]}]}, open(sys.argv[1], "w"))
SCRIPT
catch_up() { # command ...
  (cd "$long" && PINTLE_HOME=$long/home timeout 120 "$@" "$pintle" serve --permission full --script script.json)
  rm -rf "$long/home"
}

(cd "$clients/python" && "$mypy" --strict --python-version 3.10 --cache-dir "$cache/mypy" pintle.py example.py)
play python3 "$clients/python/example.py" >"$cache/python.txt"
catch_up python3 "$here/reconnect.py" "$clients/python"
grep -q '^resumed> idle, 0 waiting' "$cache/python.txt"

(cd "$clients/python" && timeout 300 "$modules/.bin/pyright" --pythonversion 3.10 .)

out=$cache/typescript
"$modules/.bin/tsc" --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noFallthroughCasesInSwitch --noUnusedLocals \
  --noUnusedParameters --noImplicitOverride --verbatimModuleSyntax --erasableSyntaxOnly --target ES2022 --module NodeNext \
  --moduleResolution NodeNext --typeRoots "$modules/@types" --types node --rewriteRelativeImportExtensions --outDir "$out" \
  "$clients/typescript/example.ts" "$clients/typescript/pintle.test.ts"
cp "$clients/typescript/package.json" "$out/"
timeout 60 node --test --test-reporter=dot "$out/pintle.test.js"
play node "$out/example.js" >"$cache/typescript.txt"
diff "$cache/python.txt" "$cache/typescript.txt"
catch_up node "$here/reconnect.mjs" "$out/pintle.js"
timeout 60 node "$here/reduce.mjs" "$out/pintle.js" "$root/protocol/conformance/reducer"
echo "typed clients: Python and TypeScript"
