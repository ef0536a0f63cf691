#!/usr/bin/env bash
# Checks the grammar of patches, which providers compile, with Lark, the parser whose notation it uses.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=$("$root/tests/tool" lark)/bin/python
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check.py" "$root/src/tools/descriptions/apply_patch.lark"
