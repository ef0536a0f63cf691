//! What holds for any bytes: each function takes some, makes an input of them, and panics when its property does not hold.
//!
//! The tests feed them with random and handpicked bytes, a fuzzer with bytes that reach new code (`tests/fuzz/run.sh`).

use pintle_base::text::fuzzy::{self, Edit, Occurrences};
use pintle_base::text::patch::{self, FilePatch};
use pintle_base::text::truncate::{self, Guard, Keep, Limits};
use pintle_base::text::{diff, encoding, splice, terminal};
use pintle_exec::{FileContent, Lines, Version, Window};
use std::path::PathBuf;

/// One property.
pub(crate) type Property = fn(&[u8]);

/// All of them by name.
pub(crate) const PROPERTIES: [(&str, Property); 5] = [
    ("matching", matching),
    ("patching", patching),
    ("lines", lines),
    ("truncation", truncation),
    ("encodings", encodings),
];

/// The first bytes as small numbers, the rest as texts between zeros.
fn parts<const N: usize, const T: usize>(data: &[u8]) -> ([usize; N], [String; T]) {
    let (numbers, rest) = data.split_at(data.len().min(N));
    let number = |at: usize| usize::from(numbers.get(at).copied().unwrap_or_default());
    let mut texts = rest.split(|&byte| byte == 0);
    let mut text = || String::from_utf8_lossy(texts.next().unwrap_or_default()).into_owned();
    (std::array::from_fn(number), std::array::from_fn(|_| text()))
}

/// What is replaced is what was asked for; a diff tells it; a text that is replaced back is the old one.
fn matching(data: &[u8]) {
    let ([all], [old, new, before, after]) = parts::<1, 4>(data);
    let text = format!("{before}{old}{after}");
    let occurrences = if all % 2 == 0 { Occurrences::One } else { Occurrences::All };
    let edit = [Edit { old: old.clone(), new }];
    let Ok(replaced) = fuzzy::replace(&text, &edit, occurrences) else { return };
    let result = splice::apply(&text, &replaced.splices);
    if !old.is_empty()
        && !replaced.is_fuzzy
        && occurrences == Occurrences::One
        && !text.contains('\r')
    {
        assert_eq!(result, text.replacen(&old, &edit[0].new.replace("\r\n", "\n"), 1));
    }
    let told = diff::of_splices(&text, &replaced.splices);
    let whole = diff::unified(&text, &result);
    assert_eq!((told.added == 0 && told.removed == 0), whole.text.is_empty(), "{told:?} {whole:?}");
    let mut at = 0;
    for splice in &replaced.splices {
        assert!(at <= splice.old.start && splice.old.end <= text.len());
        assert!(text.is_char_boundary(splice.old.start) && text.is_char_boundary(splice.old.end));
        at = splice.old.end;
    }
}

/// A patch is read or refused; what it makes of a text keeps the lines that it does not name.
fn patching(data: &[u8]) {
    let ([], [patch, text]) = parts::<0, 2>(data);
    let Ok(files) = patch::parse(&patch) else {
        let framed = format!("*** Begin Patch\n*** Update File: f\n{patch}\n*** End Patch");
        if let Ok(files) = patch::parse(&framed) {
            apply(&files, &text);
        }
        return;
    };
    apply(&files, &text);
}

fn apply(files: &[FilePatch], text: &str) {
    for file in files {
        let FilePatch::Update { hunks, .. } = file else { continue };
        let Ok(placed) = patch::apply(text, hunks) else { continue };
        let result = splice::apply(text, &placed.splices);
        let added = hunks.iter().flat_map(|hunk| &hunk.lines);
        let added = added.filter(|line| matches!(line, patch::Line::Add(_))).count();
        let gone = hunks.iter().flat_map(|hunk| &hunk.lines);
        let gone = gone.filter(|line| matches!(line, patch::Line::Remove(_))).count();
        let count = |text: &str| text.split_inclusive('\n').count();
        assert_eq!(count(text) + added, count(&result) + gone);
        let _ = diff::of_splices(text, &placed.splices);
    }
}

/// A page holds whole lines of the file, in order, and never more than its limits.
fn lines(data: &[u8]) {
    let (numbers, content) = data.split_at(data.len().min(3));
    let number = |at: usize| u64::from(numbers.get(at).copied().unwrap_or_default());
    let window = Window {
        first_line: number(0) % 8 + 1,
        max_lines: number(1) % 8 + 1,
        max_bytes: number(2),
    };
    let version = Version { path: PathBuf::from("/f"), size: content.len() as u64, mark: 0 };
    let got = Lines::read(content, version, window).unwrap();
    let body = content.strip_suffix(b"\n").unwrap_or(content);
    let all: Vec<&[u8]> =
        if content.is_empty() { vec![] } else { body.split(|&byte| byte == b'\n').collect() };
    assert_eq!(got.total_lines, Some(all.len() as u64));
    let first = usize::try_from(window.first_line).unwrap() - 1;
    let count = usize::try_from(got.count).unwrap();
    let want = all.get(first..first + count).unwrap_or_default().join(&b'\n');
    assert_eq!(got.text, want);
    assert!(got.count <= window.max_lines && got.text.len() as u64 <= window.max_bytes);
    let may_more = first + count < all.len() && got.count < window.max_lines;
    assert_eq!(got.stopped_by_bytes, may_more, "it stops early only for bytes");
}

/// What is left is within the limits and was there before.
fn truncation(data: &[u8]) {
    let ([max_lines, max_bytes, chars], [text]) = parts::<3, 1>(data);
    let limits = Limits { max_lines, max_bytes };
    for (cut, is_head) in
        [(truncate::head(&text, limits), true), (truncate::tail(&text, limits), false)]
    {
        let record = &cut.record;
        if record.truncated_by.is_none() {
            assert_eq!(cut.text, text);
        }
        assert!(
            cut.text.len() <= max_bytes
                && record.output_lines <= max_lines as u64 + u64::from(record.last_line_partial)
        );
        assert!(if is_head {
            text.starts_with(&cut.text)
        } else {
            text.trim_end_matches('\n').ends_with(cut.text.trim_end_matches('\n'))
        });
        assert_eq!(record.total_bytes, text.len() as u64);
    }
    for keep in [Keep::Head, Keep::HeadAndTail] {
        let guard = Guard { max_chars: chars, max_lines: Some(max_lines), keep };
        let cut = truncate::guard(&text, guard, "");
        let is_over =
            text.chars().count() > chars || truncate::count_lines(&text) > max_lines as u64;
        assert_eq!(cut.is_some(), is_over);
    }
    let line = truncate::line(&text, chars);
    assert!(line.chars().count() <= chars + "... [truncated]".len());
    let start = truncate::border_before(&text, max_bytes);
    let end = truncate::border_before(&text, max_bytes + max_lines);
    let _ = truncate::around(&text, &(start..end), chars);
}

/// What is decoded comes back byte for byte, and no control character reaches a model.
fn encodings(data: &[u8]) {
    if let Ok(decoded) = encoding::decode(data) {
        assert_eq!(decoded.encoding.encode(decoded.text).as_deref(), Ok(data));
    }
    let shown = terminal::shown(&encoding::decode_lossy(data)).into_owned();
    assert!(!shown.contains(['\u{1b}', '\0']));
    let mut cleaner = terminal::Cleaner::default();
    let (first, second) = data.split_at(data.len() / 2);
    let clean = cleaner.push(first) + &cleaner.push(second) + cleaner.finish();
    assert!(!clean.contains(['\u{1b}', '\0']));
    assert_eq!(FileContent::from(data.to_vec()).into_bytes(), data);
}
