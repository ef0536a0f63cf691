//! The table of harmless programs: with the flags and operands in their rows they only read and print, and start no other program. Anything
//! not listed in a row is not harmless. Pure.
//!
//! The programs are those of the usual systems; if they differ, a row lists what is harmless in all of them. Not in the table, though they
//! seem harmless: version queries, which launchers (`rustup`, `pyenv`, `asdf`) answer with a program chosen by the directory; flags that
//! take files from a list inside a file; response files.

use super::Program;
use super::conditional;
use super::flags::{List, Order, Style};
use super::words::Word;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// A row: the program's first words, and the words that may follow.
struct Row {
    words: &'static [&'static str],
    /// The flags, in the notation of [`super::flags`]. A marked one is harmless only in a sandbox: it follows links to files not listed in
    /// the command. `None` if the program treats every word as a text.
    flags: Option<&'static str>,
    style: Style,
    /// The maximum number of words that are not flags.
    operands: usize,
    /// True if the program reads the files in directories given as arguments, also through links.
    opens_folders: bool,
    /// True if `@file` means the file's content.
    has_response_files: bool,
}

const fn row(words: &'static [&'static str], flags: &'static str) -> Row {
    Row {
        words,
        flags: Some(flags),
        style: Style::Usual,
        operands: usize::MAX,
        opens_folders: false,
        has_response_files: false,
    }
}

/// A program that takes every word for a text.
const fn any(words: &'static [&'static str]) -> Row {
    Row { flags: None, ..row(words, "") }
}

impl Row {
    const fn at_most(self, operands: usize) -> Self {
        Self { operands, ..self }
    }

    const fn with_words(self) -> Self {
        Self { style: Style::Words, ..self }
    }

    const fn opening_folders(self) -> Self {
        Self { opens_folders: true, ..self }
    }

    const fn with_response_files(self) -> Self {
        Self { has_response_files: true, ..self }
    }
}

/// A call to a harmless program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Harmless<'a> {
    /// The files that values of flags name.
    pub files: Vec<&'a str>,
    /// True if the program may follow links to files not listed in the command.
    pub follows_links: bool,
    /// True if the program reads the files in directories given as arguments, also through links.
    pub opens_folders: bool,
}

const GREP: &str = "-abcEFGHhIiLlnoPqrsUVvwxyzZ -A: -B: -C: -# -d: -D: -e: -f@ -m: --after-context: --before-context: \
    --context: --basic-regexp --binary --binary-files: --byte-offset --color? --colour? --count --dereference-recursive! \
    --devices: --directories: --exclude: --exclude-dir: --exclude-from@ --extended-regexp --file@ --files-with-matches \
    --files-without-match --fixed-strings --help --ignore-case --no-ignore-case --include: --initial-tab \
    --invert-match --label: --line-buffered --line-number --line-regexp --max-count: --no-filename --no-messages --null \
    --null-data --only-matching --perl-regexp --quiet --recursive --regexp: --silent --text --version --with-filename \
    --word-regexp -R! -T";

const RG: &str = "-abcFhHIilNnOoPpqSsUuVvwx0 -A: -B: -C: -E: -e: -f@ -g: -j: -L! -M: -m: -r: -T: -t: -d: \
    --after-context: --auto-hybrid-regex --before-context: --binary --block-buffered --byte-offset --case-sensitive --color: \
    --colors: --column --context: --context-separator: --count --count-matches --crlf --debug --encoding: --engine: \
    --field-context-separator: --field-match-separator: --file@ --files --files-with-matches --files-without-match \
    --fixed-strings --follow! --glob: --glob-case-insensitive --heading --help --hidden --hyperlink-format: --iglob: \
    --ignore-case --ignore-file@ --include-zero --invert-match --json --line-buffered --line-number --line-regexp \
    --max-columns: --max-columns-preview --max-count: --max-depth: --max-filesize: --multiline --multiline-dotall --no-column \
    --no-config --no-filename --no-follow --no-heading --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude \
    --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number \
    --no-messages --no-mmap --no-pcre2-unicode --no-require-git --no-unicode --null --null-data --one-file-system \
    --only-matching --passthru --path-separator: --pcre2 --pcre2-version --pretty --quiet --regexp: --replace: \
    --smart-case --sort: --sortr: --stats --stop-on-nonmatch --text --threads: --trace --trim --type: --type-add: \
    --type-clear: --type-list --type-not: --unrestricted --version --vimgrep --with-filename --word-regexp";

const FIND: &str = "-H! -L! -P -O0 -O1 -O2 -O3 -amin: -anewer@ -atime: -cmin: -cnewer@ -ctime: -daystart -depth -empty \
    -executable -false -follow! -fstype: -gid: -group: -ignore_readdir_race -ilname: -iname: -inum: -ipath: -iregex: \
    -iwholename: -links: -lname: -ls -maxdepth: -mindepth: -mmin: -mount -mtime: -name: -newer@ -newermt: -newerat: \
    -newerct: -newermm@ -newerma@ -newermc@ -newerca@ -newercc@ -newercm@ -newerac@ -newerAm@ -nogroup -noleaf -nouser \
    -path: -perm: -print -print0 -printf: -prune -quit -readable -regex: -regextype: -samefile@ -size: -true -type: \
    -uid: -user: -wholename: -writable -xdev -xtype: -a -and -o -or -not";

const FD: &str = "-0aFgHhIipqsuV1 -c: -d: -E: -e: -j: -L! -S: -t: --absolute-path --and: --base-directory@ --batch-size: \
    --case-sensitive --change-newer-than: --change-older-than: --changed-before: --changed-within: --color: --exact-depth: \
    --exclude: --extension: --fixed-strings --follow! --format: --full-path --glob --help --hidden --ignore-case \
    --ignore-file@ --max-depth: --max-results: --min-depth: --newer: --no-ignore --no-ignore-parent --no-ignore-vcs \
    --no-hidden --older: --one-file-system --owner: --path-separator: --print0 --prune --quiet --regex \
    --relative-path --search-path@ --show-errors --size: --strip-cwd-prefix? --threads: --type: --unrestricted --version";

const LS: &str = "-aAbBcCdDfFgGhikKlmnNopqQrRsStuUvxXzZ1 -e -O -I: -T? -w: -H! -L! --all --almost-all --author \
    --block-size: --classify? --color? --context --dereference! --dereference-command-line! \
    --dereference-command-line-symlink-to-dir! --directory --dired --escape --file-type --format: --full-time \
    --group-directories-first --help --hide: --hide-control-chars --human-readable --hyperlink? --ignore: \
    --ignore-backups --indicator-style: --inode --kibibytes --literal --no-group --numeric-uid-gid --quote-name \
    --quoting-style: --recursive --reverse --show-control-chars --si --size --sort: --tabsize: --time: --time-style: \
    --version --width: --zero";

const DIFF: &str = "-abBcdeEiNnpPqsTtuwyZ -# -C: -D: -F: -I: -L: -r! -S: -U: -W: -x: -X@ --brief --color? --context? --ed \
    --exclude: --exclude-from@ --expand-tabs --help --horizon-lines: --ifdef: --ignore-all-space --ignore-blank-lines \
    --ignore-case --ignore-file-name-case --ignore-matching-lines: --ignore-space-change --ignore-tab-expansion \
    --ignore-trailing-space --initial-tab --label: --left-column --line-format: --minimal --new-file --new-line-format: \
    --no-dereference --no-ignore-file-name-case --normal --old-line-format: --palette: --rcs --recursive! \
    --report-identical-files --show-c-function --show-function-line: --side-by-side --speed-large-files \
    --starting-file: --strip-trailing-cr --suppress-blank-empty --suppress-common-lines --tabsize: --text \
    --unchanged-line-format: --unidirectional-new-file --unified? --version --width:";

const SUM: &str = "-b -t -z -a: -l: --binary --text --tag --zero --algorithm: --length:";

/// Flags of git's commands that print commits, trees and differences, and neither write a file nor start a program.
const GIT_LOG: &str = "-a -b -c -e -g -i -l: -m -n: -p -q -r -s -t -u -v -w -z -# -B? -C? -D -E -F -G: -I: -L: -M? -P -R -S: -U: -W -X? --abbrev? \
    --abbrev-commit --after: --all --all-match --anchored: --ancestry-path --author: --author-date-order \
    --basic-regexp --before: --binary --bisect --boundary --branches? --break-rewrites? --cached --cc --check \
    --cherry --cherry-mark --cherry-pick --children --clear-decorations --color? --color-moved? --color-words? \
    --combined-all-paths --committer: --compact-summary --count --cumulative --date: --date-order --decorate? \
    --decorate-refs: --decorate-refs-exclude: --dense --diff-algorithm: --diff-filter: --dirstat? \
    --dst-prefix: --email --exclude: --exit-code --expand-tabs? --extended-regexp --find-copies? --find-copies-harder \
    --find-object: --find-renames? --first-parent --fixed-strings --follow --format: --full-diff --full-history \
    --full-index --function-context --glob: --graph --grep: --group: --histogram --ignore-all-space --ignore-blank-lines \
    --ignore-cr-at-eol --ignore-matching-lines: --ignore-missing --ignore-space-at-eol --ignore-space-change \
    --indent-heuristic --inter-hunk-context: --invert-grep --irreversible-delete --ita-invisible-in-index --left-only \
    --left-right --line-prefix: --log-size --max-count: --max-parents: --merge --merge-base --merges --min-parents: \
    --minimal --name-only --name-status --no-abbrev --no-abbrev-commit --no-color --no-color-moved --no-commit-id \
    --no-decorate --no-ext-diff --no-expand-tabs --no-indent-heuristic --no-mailmap --no-max-parents --no-merges \
    --no-min-parents --no-notes --no-patch --no-prefix --no-relative --no-rename-empty --no-renames --no-textconv \
    --no-walk? --not --notes? --numbered --numstat --objects --oneline --only --parents --patch --patch-with-raw --patch-with-stat \
    --patience --perl-regexp --pickaxe-all --pickaxe-regex --pretty? --quiet --raw --recurse --reflog \
    --regexp-ignore-case --relative? --relative-date --remotes? --remove-empty --rename-empty --reverse --right-only \
    --root --rotate-to: --shortstat --show-linear-break? --show-notes? --show-pulls --simplify-by-decoration \
    --simplify-merges --since: --since-as-filter: --skip: --skip-to: --source --sparse --src-prefix: --staged --stat? \
    --stat-count: --stat-graph-width: --stat-name-width: --stat-width: --stdin --summary --tags? --text --topo-order \
    --unified? --unpacked --until: --walk-reflogs --word-diff? --word-diff-regex: --ws-error-highlight: -0 -1 -2 -3";

const ROWS: &[Row] = &[
    // Words of the shell.
    any(&[":"]),
    any(&["true"]),
    any(&["false"]),
    any(&["["]),
    any(&["test"]),
    any(&["echo"]),
    row(&["printf"], ""),
    row(&["cd"], "-PLe"),
    row(&["pwd"], "-PL").at_most(0),
    any(&["exit"]),
    any(&["return"]),
    any(&["break"]),
    any(&["continue"]),
    any(&["shift"]),
    row(&["wait"], "-nf"),
    row(&["sleep"], ""),
    row(&["set"], "-eux -o:").at_most(0),
    row(&["type"], "-atpPf"),
    row(&["which"], "-as"),
    row(&["whereis"], "-bms"),
    // Files.
    row(&["ls"], LS),
    row(
        &["cat"],
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    ),
    row(
        &["head"],
        "-qvz -# -c: -n: --bytes: --lines: --quiet --silent --verbose --zero-terminated",
    ),
    row(
        &["tail"],
        "-fFqrvz -# -b: -c: -n: -s: --bytes: --follow? --lines: --max-unchanged-stats: --quiet --retry --silent --sleep-interval: \
         --verbose --zero-terminated",
    ),
    row(&["wc"], "-clLmw --bytes --chars --lines --max-line-length --words --total:"),
    row(
        &["nl"],
        "-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering: --number-format: --number-width: --number-separator: \
         --starting-line-number:",
    ),
    row(&["tac"], "-br -s: --before --regex --separator:"),
    row(&["rev"], ""),
    row(
        &["stat"],
        "-FLlnqrsxtZ -c: -f? --dereference --file-system --format: --printf: --terse",
    ),
    row(
        &["du"],
        "-0abcDghHklmPsSx -B: -d: -I: -L! -t: -X@ --all --apparent-size --block-size: --bytes --count-links --exclude: \
         --exclude-from@ --human-readable --inodes --max-depth: --null --one-file-system --separate-dirs --si --summarize \
         --threshold: --time? --time-style: --total",
    ),
    row(
        &["df"],
        "-abcgHhiIklmnPT -B: -t: -x: --all --block-size: --exclude-type: --human-readable --inodes --local --output? \
         --portability --print-type --si --total --type:",
    ),
    row(&["basename"], "-az -s: --multiple --suffix: --zero"),
    row(&["dirname"], "-z --zero"),
    row(
        &["realpath"],
        "-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --no-symlinks --physical --quiet --relative-base@ \
         --relative-to@ --strip --zero",
    ),
    row(
        &["readlink"],
        "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
    ),
    row(
        &["file"],
        "-0bhiIkLNnrE -e: -F: -P: --brief --dereference --exclude: --extension --keep-going --mime --mime-encoding \
         --mime-type --no-buffer --no-dereference --no-pad --parameter: --print0 --raw --separator:",
    ),
    row(
        &["tree"],
        "-aAcCdDfFghiJnNpqQrsStuUvxX -I: -L: -l! -P: -T: --charset: --device --dirsfirst --du --filelimit: --filesfirst \
         --gitignore --ignore-case --inodes --matchdirs --metafirst --noreport --prune --si --sort? --timefmt:",
    ),
    row(&["md5sum"], SUM),
    row(&["sha1sum"], SUM),
    row(&["sha224sum"], SUM),
    row(&["sha256sum"], SUM),
    row(&["sha384sum"], SUM),
    row(&["sha512sum"], SUM),
    row(&["b2sum"], SUM),
    row(&["cksum"], SUM),
    row(&["cmp"], "-blsh -i: -n: --bytes: --ignore-initial: --print-bytes --quiet --silent --verbose"),
    row(&["diff"], DIFF).opening_folders(),
    row(
        &["comm"],
        "-123iz --check-order --nocheck-order --output-delimiter: --total --zero-terminated",
    ),
    row(&["hexdump"], "-bcCdovx -e: -n: -s: -L?"),
    row(
        &["od"],
        "-abcdfilosvx -A: -j: -N: -S: -t: -w? --address-radix: --endian: --format: --output-duplicates --read-bytes: \
         --skip-bytes: --strings? --width?",
    ),
    row(
        &["strings"],
        "-adfow -# -e: -n: -s: -t: --all --bytes: --data --encoding: --include-all-whitespace --output-separator: \
         --print-file-name --radix:",
    )
    .with_response_files(),
    // Text.
    row(
        &["sort"],
        "-bcCdfgGhiMmnrRsuVz -k: -t: --batch-size: --check? --debug --dictionary-order --field-separator: \
         --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --key: \
         --merge --month-sort --numeric-sort --parallel: --random-sort --random-source@ --reverse --sort: --stable --unique \
         --version-sort --zero-terminated",
    ),
    row(
        &["uniq"],
        "-cDdiuz -f: -s: -w: --all-repeated? --check-chars: --count --group? --ignore-case --repeated --skip-chars: \
         --skip-fields: --unique --zero-terminated",
    )
    .at_most(1),
    row(
        &["cut"],
        "-nswz -b: -c: -d: -f: --bytes: --characters: --complement --delimiter: --fields: --only-delimited \
         --output-delimiter: --zero-terminated",
    ),
    row(&["tr"], "-cCdstu --complement --delete --squeeze-repeats --truncate-set1"),
    row(&["paste"], "-sz -d: --delimiters: --serial --zero-terminated"),
    row(&["fold"], "-bcs -w: --bytes --spaces --width:"),
    row(&["fmt"], "-cmnstu -# -p: -w: --crown-margin --prefix: --split-only --tagged-paragraph --uniform-spacing --width:"),
    row(
        &["column"],
        "-entxJL -c: -N: -o: -O: -R: -s: -H: -E: -T: -W: --output-width: --json --keep-empty-lines --separator: --output-separator: \
         --table --table-columns: --table-hide: --table-name: --table-noheadings --table-order: --table-right: \
         --table-truncate: --table-wrap: --fillrows",
    ),
    row(&["expand"], "-i -t: -# --initial --tabs:"),
    row(&["unexpand"], "-a -t: -# --all --first-only --tabs:"),
    row(&["seq"], "-w -f: -s: -t: --equal-width --format: --separator: -#"),
    any(&["expr"]),
    // Searches.
    row(&["grep"], GREP),
    row(&["egrep"], GREP),
    row(&["fgrep"], GREP),
    row(&["rg"], RG),
    row(&["find"], FIND).with_words(),
    row(&["fd"], FD),
    // The machine.
    row(&["date"], "-ujnR -d: -I? -v: --date: --iso-8601? --rfc-2822 --rfc-3339: --rfc-email --universal --utc").at_most(1),
    row(&["id"], "-aAcFGgMnpPruzZ --context --group --groups --name --real --user --zero").at_most(1),
    row(&["whoami"], "").at_most(0),
    row(&["hostname"], "-s").at_most(0),
    row(
        &["uname"],
        "-aimnoprsv --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor \
         --hardware-platform --operating-system",
    )
    .at_most(0),
    row(&["nproc"], "--all --ignore:").at_most(0),
    row(&["arch"], "").at_most(0),
    row(&["uptime"], "-prsV --pretty --since").at_most(0),
    row(&["free"], "-bghklmtvw --bytes --kibi --mebi --gibi --human --si --total --wide").at_most(0),
    // Git: reading the repository. `--version` is its own, and no launcher's.
    row(&["git", "--version"], "").at_most(0),
    row(
        &["git", "status"],
        "-bsvz -u? --ahead-behind --branch --column? --find-renames? --ignore-submodules? --ignored? --long --no-ahead-behind --no-column \
         --no-renames --null --porcelain? --renames --short --show-stash --untracked-files? --verbose",
    ),
    row(&["git", "diff"], GIT_LOG),
    row(&["git", "log"], GIT_LOG),
    row(&["git", "show"], GIT_LOG),
    row(
        &["git", "blame"],
        "-bcefklnpstw -C? -L: -M? -S@ --abbrev: --color-by-age --color-lines --contents@ --date: --first-parent \
         --ignore-rev: --ignore-revs-file@ --incremental --line-porcelain --minimal --no-progress --porcelain --progress \
         --reverse --root --score-debug --show-email --show-name --show-number --show-stats --since:",
    ),
    row(
        &["git", "shortlog"],
        "-cens -w? -# --after: --all --author: --before: --branches? --committer --email --first-parent --format: --grep: --group: \
         --max-count: --merges --no-merges --numbered --remotes? --since: --summary --tags? --until:",
    ),
    row(
        &["git", "ls-files"],
        "-cdfikmostuvz -X@ -x: --abbrev? --cached --debug --deduplicate --deleted --directory --empty-directory --eol \
         --error-unmatch --exclude: --exclude-from@ --exclude-per-directory: --exclude-standard --format: --full-name \
         --ignored --killed --modified --no-empty-directory --others --resolve-undo --sparse --stage --unmerged",
    ),
    row(
        &["git", "ls-tree"],
        "-drtlz --abbrev? --format: --full-name --full-tree --long --name-only --name-status --object-only",
    ),
    row(
        &["git", "rev-parse"],
        "-q --abbrev-ref? --absolute-git-dir --all --branches? --default: --disambiguate? --exclude: --flags --git-common-dir \
         --git-dir --git-path: --glob: --is-bare-repository --is-inside-git-dir --is-inside-work-tree \
         --is-shallow-repository --local-env-vars --no-flags --no-revs --not --path-format: --prefix: --quiet --remotes? --resolve-git-dir@ \
         --revs-only --shared-index-path --short? --show-cdup --show-object-format? --show-prefix \
         --show-ref-format --show-superproject-working-tree --show-toplevel --since: --sq --symbolic --symbolic-full-name \
         --tags? --until: --verify --after: --before:",
    ),
    row(&["git", "rev-list"], GIT_LOG),
    row(
        &["git", "describe"],
        "--abbrev: --all --always --candidates: --contains --debug --exact-match --exclude: --first-parent \
         --long --match: --tags",
    ),
    row(&["git", "merge-base"], "-a --all --fork-point --independent --is-ancestor --octopus"),
    row(
        &["git", "name-rev"],
        "--all --always --annotate-stdin --exclude: --name-only --no-undefined --refs: --stdin --tags --undefined",
    ),
    row(
        &["git", "cat-file"],
        "-epstZz --allow-unknown-type --batch? --batch-all-objects --batch-check? --buffer --follow-symlinks --mailmap \
         --no-mailmap --unordered --use-mailmap",
    ),
    row(
        &["git", "grep"],
        "-aEFGHhIiLlnopqrvWwzPc -# -A: -B: -C: -e: -f@ -m: --after-context: --all-match --and --basic-regexp \
         --before-context: --break --cached --color? --column --context: --count --exclude-standard --extended-regexp \
         --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case \
         --invert-match --line-number --max-count: --max-depth: --name-only --no-color --no-exclude-standard \
         --no-recursive --no-textconv --not --null --only-matching --or --perl-regexp --quiet --recursive --show-function \
         --text --threads: --untracked --word-regexp",
    ),
    row(&["git", "check-ignore"], "-nqvz --no-index --non-matching --quiet --stdin --verbose"),
    row(&["git", "diff-tree"], GIT_LOG),
    row(
        &["git", "show-ref"],
        "-dqs --abbrev? --branches --dereference --exists --hash? --head --heads --quiet --tags --verify",
    ),
    row(&["git", "count-objects"], "-Hv --human-readable --verbose").at_most(0),
    row(
        &["git", "branch"],
        "-ailrv --all --color? --column? --contains? --format: --ignore-case --list --merged? --no-color --no-column --no-contains? \
         --no-merged? --points-at: --remotes --show-current --sort: --verbose",
    )
    .at_most(0),
    row(
        &["git", "tag"],
        "-il -n? --color? --column? --contains? --format: --ignore-case --list --merged? --no-column --no-contains? --no-merged? \
         --points-at: --sort:",
    )
    .at_most(0),
    row(&["git", "remote"], "-v --verbose").at_most(0),
    row(&["git", "remote", "get-url"], "--all --push").at_most(1),
    row(&["git", "stash", "list"], GIT_LOG),
    row(&["git", "worktree", "list"], "-vz --porcelain --verbose").at_most(0),
];

/// Flags of git itself that are harmless before its command name. `-C` is followed by a directory.
const GIT_GLOBAL: [&str; 5] =
    ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

/// Returns the rows for tests: their words, flags, and true where flags are whole words.
#[cfg(test)]
#[cfg(unix)]
pub(in crate::permissions) fn rows()
-> impl Iterator<Item = (&'static [&'static str], &'static str, bool)> {
    ROWS.iter().map(|row| (row.words, row.flags.unwrap_or_default(), row.style == Style::Words))
}

/// What the program with its arguments does, if it only reads and prints.
pub(super) fn harmless(program: &Program) -> Option<Harmless<'_>> {
    if !program.assignments.iter().all(is_harmless_assignment) {
        return None;
    }
    let Some(name) = program.name() else {
        return program.words.is_empty().then(Harmless::default);
    };
    // Before a program, an assignment is seen by it; alone it is a variable of the shell.
    if !program.assignments.is_empty() && !program.words.is_empty() {
        return None;
    }
    if name == "sed" {
        return is_printing_sed(program).then(Harmless::default);
    }
    if name == "test" && conditional::words_may_evaluate(program.arguments()) {
        return None;
    }
    let mut words = vec![name];
    for (at, word) in program.arguments().iter().enumerate() {
        match word {
            Word::Text(text) => words.push(text),
            // A name of a file may begin with a dash only if the pattern does.
            Word::Glob(pattern) if !pattern.starts_with(['-', '*', '?', '[']) => words.push("./x"),
            // Substitutions and sums in it are judged by themselves.
            Word::Unknown { source, .. } if takes_any(name, at, source) => words.push("x"),
            // An unknown quoted text may be a flag.
            Word::Glob(_) | Word::Unknown { .. } => return None,
        }
    }
    // An index behind `-v` is computed, which runs the substitutions in it and in the values of variables.
    let may_evaluate = matches!(name, "[" | "test");
    if may_evaluate && words.iter().skip(1).any(|word| word.contains(['$', '`', '['])) {
        return None;
    }
    if name == "git" {
        let mut at = 1;
        while let Some(flag) = words.get(at).copied().filter(|word| word.starts_with('-')) {
            match flag {
                "-C" => drop(words.drain(at..(at + 2).min(words.len()))),
                _ if GIT_GLOBAL.contains(&flag) => drop(words.remove(at)),
                _ => break,
            }
            at = 1;
        }
        // Signatures are checked by a program that the repository names.
        if words.iter().any(|word| word.contains("%G") || word.contains("%(signature")) {
            return None;
        }
    }
    rows_of(&words)
        .find_map(|known| known.reads(words.get(known.row.words.len()..).unwrap_or_default()))
}

/// Returns the files that flags of a program of the table name, as in `grep -nffile`, whatever its other words are.
pub(super) fn files_of_flags(program: &Program) -> Vec<&str> {
    let Some(name) = program.name() else { return Vec::new() };
    let arguments = program.arguments().iter().map(|word| word.text().unwrap_or_default());
    let words: Vec<&str> = std::iter::once(name).chain(arguments).collect();
    let behind = |known: &Known| words.get(known.row.words.len()..).unwrap_or_default();
    rows_of(&words)
        .filter_map(|known| Some(known.list()?.files(behind(known))))
        .flatten()
        .filter(|file| !file.is_empty())
        .collect()
}

/// Returns the rows that these words begin with, each with its flags.
fn rows_of(words: &[&str]) -> impl Iterator<Item = &'static Known> {
    static TABLE: LazyLock<HashMap<&str, Vec<Known>>> = LazyLock::new(|| {
        let mut table: HashMap<&str, Vec<Known>> = HashMap::new();
        for row in ROWS {
            let name = row.words.first().copied().unwrap_or_default();
            table.entry(name).or_default().push(Known { row, list: OnceLock::new() });
        }
        table
    });
    let rows = words.first().and_then(|name| TABLE.get(*name)).map_or(&[][..], Vec::as_slice);
    rows.iter().filter(|known| words.starts_with(known.row.words))
}

/// A row whose flags are parsed when they are first needed.
struct Known {
    row: &'static Row,
    list: OnceLock<Option<List>>,
}

/// Returns true if a program of the table may have this flag with any value.
pub(super) fn lists_flag(words: &[&str], flag: &str) -> bool {
    rows_of(words).any(|known| known.list().is_none_or(|list| list.has(flag)))
}

/// Programs that no text makes harmful, for any value of a variable: they print it, end with it, wait for it or ignore it.
const TAKING_ANY: [&str; 11] =
    ["echo", ":", "true", "false", "exit", "return", "break", "continue", "shift", "sleep", "test"];

/// Returns true if a word that is known only when the command runs is harmless as this argument of a program.
fn takes_any(name: &str, at: usize, source: &str) -> bool {
    // `{1..999999999}` fills the memory.
    if source.replace("${", "").contains('{') {
        return false;
    }
    // The first argument may be `-v`, which assigns to the variable that the next one names.
    let is_no_flag =
        || at > 0 || source.trim_start_matches('"').starts_with(|c: char| c.is_alphanumeric());
    TAKING_ANY.contains(&name) || (name == "printf" && is_no_flag())
}

impl Known {
    /// Returns the flag list; `None` if the program treats every word as a text.
    fn list(&self) -> Option<&List> {
        let parse = || self.row.flags.map(|flags| List::new(flags, self.row.style));
        self.list.get_or_init(parse).as_ref()
    }

    /// Reads the words behind those of the row, if all of them are harmless.
    fn reads<'a>(&self, words: &[&'a str]) -> Option<Harmless<'a>> {
        let row = self.row;
        let Some(list) = self.list() else { return Some(Harmless::default()) };
        let reading = list.read(Order::Anywhere, words).ok()?;
        // Without the plus sign the operand of `date` is a time to set.
        let sets_time = |word: &&str| row.words == ["date"] && !word.starts_with('+');
        let is_list = |word: &&str| row.has_response_files && word.starts_with('@');
        let mut operands = reading.operands.iter();
        if reading.operands.len() > row.operands
            || operands.any(|word| sets_time(word) || is_list(word))
        {
            return None;
        }
        Some(Harmless {
            files: reading.files,
            follows_links: reading.is_marked,
            opens_folders: row.opens_folders,
        })
    }
}

/// A variable of the shell alone. A name in capitals may be one that programs obey (`PATH`, `LD_PRELOAD`).
fn is_harmless_assignment(word: &Word) -> bool {
    let source = match word {
        Word::Text(text) | Word::Glob(text) => text,
        Word::Unknown { source, .. } => source,
    };
    let name = source.split(['=', '+', '[']).next().unwrap_or_default();
    let is_small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_small) && !name.ends_with("_proxy")
}

/// Returns true for `sed -n '10,20p' file`, which only prints lines by number.
fn is_printing_sed(program: &Program) -> bool {
    let texts: Option<Vec<&str>> = program.arguments().iter().map(Word::text).collect();
    let Some(texts) = texts else { return false };
    let [flag, script, files @ ..] = texts.as_slice() else { return false };
    let Some(range) = script.strip_suffix('p') else { return false };
    let is_line =
        |text: &str| text == "$" || (!text.is_empty() && text.chars().all(|c| c.is_ascii_digit()));
    matches!(*flag, "-n" | "--quiet")
        && range.split(',').count() <= 2
        && range.split(',').all(is_line)
        && files.iter().all(|file| !file.starts_with('-'))
}
