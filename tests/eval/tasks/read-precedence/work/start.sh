#!/usr/bin/env bash
set -eu
stage=${1:-development}
set -a
. ./env.defaults
[ ! -f "env.$stage" ] || . "./env.$stage"
set +a
exec node server.js --stage "$stage" ${LOG_LEVEL:+--level "$LOG_LEVEL"}
