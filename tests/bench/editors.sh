#!/usr/bin/env bash
# Prints the times of both editors' extensions: streams, long sessions, starting. Nothing is judged; the end-to-end tests count the work.
# PINTLE_BIN names the engine, best a release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
editors/nvim/tests/run.sh bench
editors/vscode/tests/run.sh bench
