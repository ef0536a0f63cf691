#!/usr/bin/env bash
# Reads the reports of `pintle run` with other programs: jsonschema and the schema of SARIF 2.1.0 (from the npm package @microsoft/jest-sarif),
# sarif-tools, and junitparser. Needs PINTLE_BIN.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${PINTLE_BIN:?the program to test}"
export PINTLE_BIN
tools=$("$here/../../tool" report-readers)/bin
schema=$("$here/../../tool" sarif-schema)/package/lib/schemas/sarif-2.1.0-rtm.5.json
timeout 240 "$tools/python" "$here/reports.py" "$schema" "$tools/sarif"
