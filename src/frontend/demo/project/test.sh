#!/bin/sh
# Compares what slug makes of a title with what it should make.
. ./slug.sh

failed=0
check() {
    got=$(slug "$1")
    if [ "$got" = "$2" ]; then
        echo "ok    $1 -> $got"
    else
        echo "FAIL  $1 -> $got (expected $2)"
        failed=1
    fi
}

check "Sailing" "sailing"
check "Hard to port" "hard-to-port"
check "Ready, steady, go!" "ready-steady-go"
exit $failed
