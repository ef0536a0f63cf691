//! The flags that an answer covers without listing them: those in the table of harmless programs, and for programs that change something
//! the usual ones, which neither start another program nor write elsewhere. Pure.

use super::flags::{List, Style};
use super::safe;

/// A program or one of its commands, with its usual flags in the notation of [`super::flags`].
struct Row {
    words: &'static [&'static str],
    flags: &'static str,
    style: Style,
}

const fn row(words: &'static [&'static str], flags: &'static str) -> Row {
    Row { words, flags, style: Style::Usual }
}

const fn in_words(words: &'static [&'static str], flags: &'static str) -> Row {
    Row { words, flags, style: Style::Words }
}

/// Flags of cargo, also those of lints and tests behind `--`.
const CARGO: &str = "-qvr -A: -D: -F: -j: -p: -W: --all --all-features --all-targets --bench: --benches --bin: --bins \
    --check --color: --doc --document-private-items --exact --example: --examples --exclude: --features: --frozen --ignored \
    --include-ignored --jobs: --keep-going --lib --list --locked --message-format: --no-default-features --no-deps \
    --no-fail-fast --no-run --nocapture --no-capture --offline --package: --profile: --quiet --release --show-output --skip: \
    --test: --test-threads: --tests --verbose --workspace";

const GO: &str = "-bench: -benchmem -count: -cover -covermode: -failfast -json -list: -mod: -n -p: -parallel: -race -run: \
    -short -skip: -tags: -timeout: -v -x";

const NODE: &str = "-DEO -w: --audit --force-local --frozen-lockfile --if-present --ignore-scripts --immutable --include: \
    --legacy-peer-deps --no-audit --no-fund --no-optional --no-save --offline --omit: --only: --prefer-offline --production \
    --save-dev --save-exact --save-optional --save-peer --save-prod --silent --verbose --workspace: --workspaces";

const ROWS: &[Row] = &[
    row(
        &["git", "add"],
        "-AfNnuv --all --chmod: --dry-run --force --ignore-errors --ignore-removal --intent-to-add --no-all --renormalize \
         --sparse --update --verbose",
    ),
    row(
        &["git", "commit"],
        "-ainoqsvz -C: -F@ -m: -u? --all --allow-empty --allow-empty-message --amend --author: --branch --cleanup: --date: \
         --dry-run --file@ --fixup: --include --long --message: --no-edit --no-signoff --no-status --only --porcelain --quiet \
         --reset-author --reuse-message: --short --signoff --squash: --status --trailer: --verbose",
    ),
    row(
        &["git", "checkout"],
        "-bdqt --detach --guess --no-guess --no-progress --no-track --ours --progress --quiet --theirs --track?",
    ),
    row(
        &["git", "switch"],
        "-cdqt --create --detach --guess --no-guess --no-progress --no-track --progress --quiet --track?",
    ),
    row(&["git", "restore"], "-qSW -s: --ours --quiet --source: --staged --theirs --worktree"),
    row(&["git", "reset"], "-Nq --intent-to-add --mixed --quiet --soft"),
    row(
        &["git", "stash"],
        "-akqSu -m: --all --include-untracked --index --keep-index --message: --no-keep-index --quiet --staged",
    ),
    row(
        &["git", "merge"],
        "-nqv -m: --abort --allow-unrelated-histories --continue --ff --ff-only --log? --no-commit --no-edit --no-ff --no-stat \
         --quiet --quit --squash --stat --verbose",
    ),
    row(&["git", "cherry-pick"], "-nx --abort --continue --ff --no-commit --quit --skip -m:"),
    row(&["git", "revert"], "-n --abort --continue --no-commit --no-edit --quit --skip -m:"),
    row(&["git", "mv"], "-knv --dry-run --verbose"),
    row(&["git", "rm"], "-nqr --cached --dry-run --ignore-unmatch --quiet"),
    row(&["git", "tag"], "-a -F@ -m: --annotate --file@ --message:"),
    row(
        &["git", "push"],
        "-nquv --dry-run --follow-tags --no-progress --porcelain --progress --quiet --set-upstream --tags --verbose",
    ),
    row(
        &["git", "pull"],
        "-nqrv --all --autostash --depth: --ff --ff-only --no-ff --no-rebase --no-tags --prune --quiet --rebase? --tags --verbose",
    ),
    row(
        &["git", "fetch"],
        "-apqtv --all --deepen: --depth: --no-tags --prune --prune-tags --quiet --shallow-since: --tags --unshallow --verbose",
    ),
    row(&["cargo", "bench"], CARGO),
    row(&["cargo", "build"], CARGO),
    row(&["cargo", "check"], CARGO),
    row(&["cargo", "clippy"], CARGO),
    row(&["cargo", "doc"], CARGO),
    row(&["cargo", "fmt"], CARGO),
    row(&["cargo", "nextest"], CARGO),
    row(&["cargo", "test"], CARGO),
    row(&["cargo", "tree"], CARGO),
    in_words(&["go", "build"], GO),
    in_words(&["go", "test"], GO),
    in_words(&["go", "vet"], "-json -tags: -n -x"),
    row(&["npm", "ci"], NODE),
    row(&["npm", "install"], NODE),
    row(&["npm", "test"], NODE),
    row(&["pnpm", "install"], NODE),
    row(&["pnpm", "test"], NODE),
    row(&["yarn", "install"], NODE),
    row(&["yarn", "test"], NODE),
    row(
        &["pytest"],
        "-lqsvx -k: -m: -n: -r: --co --collect-only --color: --durations: --exitfirst --failed-first --ff --last-failed --lf \
         --maxfail: --no-header --no-summary --quiet --showlocals --stepwise --sw --tb: --verbose",
    ),
    row(
        &["jest"],
        "-bi -t: --bail? --ci --coverage? --runInBand --silent? --testNamePattern: --verbose",
    ),
    row(&["vitest"], "-t: --bail: --coverage? --run --silent? --testNamePattern:"),
    row(
        &["make"],
        "-Bikns -j? --always-make --dry-run --jobs? --keep-going --no-print-directory --silent",
    ),
    row(&["mkdir"], "-pv -m: --mode: --parents --verbose"),
    row(&["touch"], "-acm -d: -t: --date: --no-create --time:"),
    row(&["eslint"], "--color --ext: --max-warnings: --no-color --quiet"),
    row(&["prettier"], "-cl --check --list-different --log-level:"),
    row(&["tsc"], "-bp --build --noEmit --pretty --project@ --strict"),
    row(&["ruff"], "-nqv --check --diff --no-cache --quiet --select: --ignore: --verbose"),
    row(&["black"], "-qv --check --diff --line-length: --quiet --verbose"),
    row(
        &["mypy"],
        "-v -p: -m: --ignore-missing-imports --no-incremental --pretty --show-error-codes --strict",
    ),
    row(&["rustfmt"], "-lqv --check --edition: --quiet --verbose"),
    row(&["gofmt"], "-des"),
    row(&["shellcheck"], "-a -e: -f: -i: -o: -S: -s: --exclude: --format: --severity: --shell:"),
    row(
        &["gh", "pr"],
        "-d -B: -b: -F@ -H: -t: --base: --body: --body-file@ --draft --fill --head: --json: --title:",
    ),
    row(&["gh", "issue"], "-b: -F@ -l: -t: --body: --body-file@ --json: --label: --title:"),
];

/// Flags whose value is a message, which may be known only when the command runs: it is never taken for a flag.
const MESSAGES: &[(&[&str], &[&str])] = &[
    (&["git", "commit"], &["-m", "-am", "--message"]),
    (&["git", "merge"], &["-m"]),
    (&["git", "stash"], &["-m", "--message"]),
    (&["git", "tag"], &["-m", "--message"]),
    (&["gh", "pr"], &["-b", "-t", "--body", "--title"]),
    (&["gh", "issue"], &["-b", "-t", "--body", "--title"]),
];

/// Returns true if an answer about the program that these words begin covers the flag without listing it.
pub(in crate::permissions) fn covers(words: &[&str], flag: &str) -> bool {
    if !flag.starts_with('-') {
        // Other words that change a program's behaviour, such as `SHELL=x`, are in no list.
        return false;
    }
    let mut rows = ROWS.iter().filter(|row| words.starts_with(row.words));
    flag == "--"
        || safe::lists_flag(words, flag)
        || rows.any(|row| List::new(row.flags, row.style).has(flag))
}

/// Returns true if the word behind this flag is a message.
pub(in crate::permissions) fn takes_message(words: &[&str], flag: &str) -> bool {
    let mut rows = MESSAGES.iter().filter(|(known, _)| words.starts_with(known));
    rows.any(|(_, flags)| flags.contains(&flag))
}
