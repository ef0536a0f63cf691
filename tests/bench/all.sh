#!/usr/bin/env bash
# Runs the benchmarks in turn, and prints one table: each figure, its aim, what stands beside it in the same run, and the ratio of both. Installs
# ripgrep and fd, the peers of searching, where they are missing.
#
#   tests/bench/all.sh                  all
#   tests/bench/all.sh floor latency    these
#   tests/bench/all.sh --write          all, and writes RESULTS.md
set -euo pipefail
cd "$(dirname "$0")/../.."

known=()
while read -r name; do
  # It counts instructions: see counted.sh.
  [ "$name" = counted ] || known+=("$name")
done < <(sed -n 's/^    ("\(.*\)", .*::run),$/\1/p' tests/bench/main.rs)

write=no
names=()
for arg in "$@"; do
  if [ "$arg" = --write ]; then
    write=yes
  elif [[ " ${known[*]} " == *" $arg "* ]]; then
    names+=("$arg")
  else
    write=unknown
    break
  fi
done
if [ "$write" = unknown ] || { [ "$write" = yes ] && [ ${#names[@]} -gt 0 ]; }; then
  echo "usage: tests/bench/all.sh [--write | BENCHMARK...]" >&2
  echo "benchmarks: ${known[*]}" >&2
  exit 2
fi
[ ${#names[@]} -gt 0 ] || names=("${known[@]}")

has_peers() {
  command -v rg && { command -v fd || command -v fdfind; }
} >/dev/null
if [[ " ${names[*]} " == *" search "* ]] && ! has_peers && command -v apt-get >/dev/null; then
  { apt-get update -qq && apt-get install -y -qq ripgrep fd-find; } >/dev/null 2>&1 ||
    echo "tests/bench: ripgrep and fd cannot be installed" >&2
fi

# Pi, where it can be installed.
if [ -z "${PI:-}" ]; then
  if program=$(tests/tool pi-current)/package/dist/bundle/cli.js && node=$(tests/tool node)/bin/node; then
    if "$node" "$program" --version >/dev/null 2>&1; then export PI="$node $program"; fi
  fi
fi

table=$(mktemp)
trap 'rm -f "$table"' EXIT

run() {
  local built="built where some of it was there" began=$SECONDS name
  [ -d "${CARGO_TARGET_DIR:-target}/release/deps" ] || built="built from nothing"
  cargo bench --locked --quiet --no-run
  printf '%-64s%8s s\n' "the program and the benchmarks, $built" "$((SECONDS - began))"
  for name in "${names[@]}"; do
    echo
    cargo bench --locked --quiet -- "$name"
  done
}
run | tee "$table"
[ "$write" = yes ] || exit 0

commit=$(git rev-parse --short=12 HEAD)
[ -z "$(git status --porcelain -- . ':!tests/bench/RESULTS.md')" ] || commit="$commit, with changes"
peers=""
[ -z "${PI:-}" ] || peers="Pi $($PI --version 2>/dev/null | tail -1)"
for program in rg fd fdfind; do
  command -v "$program" >/dev/null || continue
  version=$("$program" --version)
  peers+="${peers:+, }${version%%$'\n'*}"
done
processor=$(sed -n '/^model name/{s/^[^:]*: *//p;q}' /proc/cpuinfo)
cat >tests/bench/RESULTS.md <<END
# Benchmark results

The latest full run. Figures depend on the machine; the ratios compare programs within one run and are more reliable.

|  |  |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| commit | $commit |
| processor | ${processor:-$(uname -m)}, $(nproc) cores |
| memory | $(awk '/^MemTotal:/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo) |
| kernel | $(uname -s) $(uname -r | cut -d- -f1) |
| compiler | $(rustc --version) |
| peers | ${peers:-none} |

\`\`\`sh
tests/bench/all.sh --write           # run all benchmarks and update this file
tests/bench/all.sh floor             # run one benchmark; each is described at the top of its file
\`\`\`

\`aim\` is an upper limit: \`3.5\` for the figure, \`1.5 ×\` for its ratio to the reference in the column \`beside\`, \`+0.08\` for the difference.
\`over\` marks figures that miss it; [OVER.md](OVER.md) explains them.

\`\`\`text
$(cat "$table")
\`\`\`
END
