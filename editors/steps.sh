# Sourced by the editors' test scripts: a suite of steps, each a command, with a line for each and a JUnit report for all.

steps_suite=
steps_passed=0
steps_failed=0
steps_skipped=0
steps_flaky=0
steps_cases=

# Begins a suite: steps_begin NAME.
steps_begin() {
  steps_suite=$1 steps_passed=0 steps_failed=0 steps_skipped=0 steps_flaky=0 steps_cases=
}

steps_escape() {
  printf '%s' "$1" | tr -d '\000-\010\013\014\016-\037' | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}

# Runs a step, whose output is shown if it fails: step NAME COMMAND…. A command that exits with 77 is skipped.
step() {
  local name=$1 output status=0 began=$SECONDS inner=
  shift
  output=$("$@" 2>&1) || status=$?
  case $status in
    0) steps_passed=$((steps_passed + 1)); echo "ok   $name" ;;
    77)
      steps_skipped=$((steps_skipped + 1))
      printf 'skip %s: %s\n' "$name" "$output"
      inner="<skipped message=\"$(steps_escape "${output##*$'\n'}")\"/>"
      ;;
    *)
      steps_failed=$((steps_failed + 1))
      printf '%s\nFAIL %s\n' "$output" "$name"
      inner="<failure message=\"exit status $status\">$(steps_escape "$output")</failure>"
      ;;
  esac
  steps_cases+="  <testcase name=\"$(steps_escape "$name")\" classname=\"$steps_suite\" time=\"$((SECONDS - began))\">$inner</testcase>"$'\n'
  return "$status"
}

# Adds the counts that a program printed in its last line, `N passed, N failed, N skipped, N flaky`: steps_add LINE.
steps_add() {
  local passed=0 failed=1 skipped=0 flaky=0
  [[ $1 =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped,\ ([0-9]+)\ flaky$ ]] &&
    passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]} skipped=${BASH_REMATCH[3]} flaky=${BASH_REMATCH[4]}
  steps_passed=$((steps_passed + passed)) steps_failed=$((steps_failed + failed))
  steps_skipped=$((steps_skipped + skipped)) steps_flaky=$((steps_flaky + flaky))
}

# Ends the suite: writes `$PINTLE_REPORTS/NAME-steps.xml`, prints the sum, and returns 1 if a step failed or none passed, 77 if all were skipped.
steps_end() {
  if [[ -n ${PINTLE_REPORTS:-} && -n $steps_cases ]]; then
    mkdir -p "$PINTLE_REPORTS"
    printf '<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="%s">\n%s</testsuite>\n' "$steps_suite" "$steps_cases" \
      >"$PINTLE_REPORTS/$steps_suite-steps.xml"
  fi
  echo "$steps_passed passed, $steps_failed failed, $steps_skipped skipped, $steps_flaky flaky"
  [[ $steps_failed == 0 ]] || return 1
  ((steps_passed + steps_flaky > 0)) || return 77
}
