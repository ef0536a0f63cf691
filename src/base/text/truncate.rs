//! Cutting long output: from the start, from the end, or one line.
//!
//! Invariant: a cut never splits a character, and the result never exceeds a limit.

use pintle_protocol::content::{TruncatedBy, Truncation};
use std::borrow::Cow;
use std::ops::Range;

/// Limits for output that a model sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// In lines.
    pub max_lines: usize,
    /// In bytes.
    pub max_bytes: usize,
}

impl Default for Limits {
    /// 2,000 lines, 50 KB.
    fn default() -> Self {
        Self { max_lines: 2000, max_bytes: 50 * 1024 }
    }
}

/// The maximum length of a line in a search's output, in characters.
pub const MAX_LINE_CHARS: usize = 500;

/// A truncated text with a record of the truncation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated {
    /// The text that is left.
    pub text: String,
    /// How the text was truncated.
    pub record: Truncation,
    /// The length in bytes of the line of which only the end is left, as far as the text holds it; none if whole lines are left.
    pub line_bytes: Option<u64>,
}

impl Truncated {
    /// Returns true if anything was cut.
    pub fn is_cut(&self) -> bool {
        self.record.truncated_by.is_some()
    }
}

/// Keeps whole lines from the start.
///
/// Keeps nothing if the first line alone exceeds the byte limit.
///
/// # Example
///
/// ```
/// use pintle_base::text::truncate::{Limits, head};
///
/// let limits = Limits { max_lines: 2, ..Limits::default() };
/// let cut = head("one\ntwo\nthree\n", limits);
/// assert_eq!(cut.text, "one\ntwo");
/// assert!(cut.is_cut());
/// assert_eq!(cut.record.total_lines, 3);
/// ```
pub fn head(text: &str, limits: Limits) -> Truncated {
    let whole = Whole::new(text, limits);
    if whole.fits() {
        return whole.unchanged();
    }
    let mut end = 0;
    let mut lines = 0;
    let mut by = TruncatedBy::Lines;
    for line in whole.body.split('\n') {
        if lines == limits.max_lines {
            break;
        }
        let line_end = end + usize::from(lines > 0) + line.len();
        if line_end > limits.max_bytes {
            by = TruncatedBy::Bytes;
            break;
        }
        end = line_end;
        lines += 1;
    }
    // All lines are left when only the final newline was over the limit.
    if lines == whole.lines {
        by = TruncatedBy::Bytes;
    }
    let mut cut = whole.cut(0..end, lines, by);
    cut.record.first_line_exceeds_limit = lines == 0 && by == TruncatedBy::Bytes;
    cut
}

/// Keeps whole lines from the end. If the last line alone exceeds the byte limit, its end is kept.
pub fn tail(text: &str, limits: Limits) -> Truncated {
    let whole = Whole::new(text, limits);
    if whole.fits() {
        return whole.unchanged();
    }
    let all = whole.body.len();
    let mut start = all;
    let mut lines = 0;
    let mut by = TruncatedBy::Lines;
    for line in whole.body.rsplit('\n') {
        if lines == limits.max_lines {
            break;
        }
        let line_start = start - usize::from(lines > 0) - line.len();
        if all - line_start > limits.max_bytes {
            by = TruncatedBy::Bytes;
            break;
        }
        start = line_start;
        lines += 1;
    }
    if lines == whole.lines {
        by = TruncatedBy::Bytes;
    }
    if lines == 0 && by == TruncatedBy::Bytes && limits.max_bytes > 0 {
        let start = border_after(whole.body, all - limits.max_bytes);
        let mut cut = whole.cut(start..all, 1, by);
        cut.record.last_line_partial = true;
        let line = whole.body.rsplit('\n').next().unwrap_or_default();
        cut.line_bytes = Some(line.len() as u64);
        return cut;
    }
    whole.cut(start..all, lines, by)
}

/// A limit for text that has no other limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The limit in characters, checked first.
    pub max_chars: usize,
    /// In lines, if they are limited.
    pub max_lines: Option<usize>,
    /// The part to keep.
    pub keep: Keep,
}

/// Which part of a long output to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The beginning.
    Head,
    /// Equal parts of the beginning and the end.
    HeadAndTail,
}

/// A long output's start and end, without overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// The beginning, without the newline that follows it.
    pub head: String,
    /// The end.
    pub tail: String,
    /// The lines that are not shown, the first and the last; where lines are cut within, shown in part.
    pub hidden_lines: (u64, u64),
    /// Bytes between the two.
    pub hidden_bytes: u64,
    /// True if the cut is inside a line, because that line exceeds half of the limit.
    pub is_within_line: bool,
    /// How the text was truncated.
    pub record: Truncation,
}

/// Keeps whole lines from the start and from the end, half of the limits each. The output may be longer than the two texts,
/// which hold at least so much of its beginning and of its end. None when all of it is within the limits.
pub fn ends(
    head: &str,
    tail: &str,
    (total_lines, total_bytes): (u64, u64),
    limits: Limits,
) -> Option<Ends> {
    if total_bytes <= limits.max_bytes as u64 && total_lines <= limits.max_lines as u64 {
        return None;
    }
    let half = Limits { max_lines: limits.max_lines / 2, max_bytes: limits.max_bytes / 2 };
    let mut first = self::head(head, half);
    let is_head_partial = first.record.first_line_exceeds_limit;
    if is_head_partial {
        let end = border_before(head, half.max_bytes);
        head.get(..end).unwrap_or_default().clone_into(&mut first.text);
    }
    let rest = Limits { max_lines: limits.max_lines - half.max_lines, ..half };
    let last = self::tail(tail, rest);
    let tail_lines = last.record.output_lines.min(total_lines);
    if first.record.output_lines > total_lines - tail_lines {
        // Where a line was written over, both ends may hold some of it.
        let room = usize::try_from(total_lines - tail_lines).unwrap_or(usize::MAX);
        first = self::head(head, Limits { max_lines: room, ..half });
    }
    let head_lines = first.record.output_lines;
    let shown = (first.text.len() + last.text.len()) as u64;
    // The limit that was reached first.
    let by = [first.record.truncated_by, last.record.truncated_by];
    let is_tail_partial = last.record.last_line_partial;
    // A line of which a part is shown is not shown whole.
    let hidden_lines = (head_lines + 1, total_lines - tail_lines + u64::from(is_tail_partial));
    let record = Truncation {
        truncated_by: Some(if by.contains(&Some(TruncatedBy::Bytes)) {
            TruncatedBy::Bytes
        } else {
            TruncatedBy::Lines
        }),
        total_lines,
        total_bytes,
        output_lines: head_lines + tail_lines,
        output_bytes: shown,
        last_line_partial: is_tail_partial,
        first_line_exceeds_limit: is_head_partial,
        max_lines: limits.max_lines as u64,
        max_bytes: limits.max_bytes as u64,
    };
    Some(Ends {
        head: first.text,
        tail: last.text,
        hidden_lines,
        hidden_bytes: total_bytes.saturating_sub(shown),
        is_within_line: is_head_partial || is_tail_partial,
        record,
    })
}

/// Returns true if a guard does not let all of a text through.
pub fn exceeds(text: &str, guard: Guard) -> bool {
    let max_lines = guard.max_lines.unwrap_or(usize::MAX);
    text.chars().nth(guard.max_chars).is_some() || count_lines(text) > max_lines as u64
}

/// Cuts text that exceeds a guard. A note replaces the cut part with its size and, from `rest`, where to find the whole text. `None` if the
/// text fits.
pub fn guard(text: &str, guard: Guard, rest: &str) -> Option<String> {
    let chars = text.chars().count();
    let by_chars = (chars > guard.max_chars).then(|| {
        let cut = chars - guard.max_chars;
        let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
        let head = match guard.keep {
            Keep::Head => guard.max_chars,
            Keep::HeadAndTail => guard.max_chars / 2,
        };
        let removed = format!("{cut} characters");
        marked(text, 0..at(head), at(head + cut)..text.len(), &removed, rest)
    });
    let text = by_chars.as_deref().unwrap_or(text);
    let max_lines = guard.max_lines.unwrap_or(usize::MAX);
    let lines = usize::try_from(count_lines(text)).unwrap_or(usize::MAX);
    if lines <= max_lines {
        return by_chars;
    }
    let cut = lines - max_lines;
    let start_of = |line: usize| match line.checked_sub(1) {
        None => 0,
        Some(before) => {
            memchr::memchr_iter(b'\n', text.as_bytes()).nth(before).map_or(text.len(), |at| at + 1)
        }
    };
    let head = match guard.keep {
        Keep::Head => max_lines,
        Keep::HeadAndTail => max_lines / 2,
    };
    let removed = format!("{cut} lines");
    Some(marked(text, 0..start_of(head), start_of(head + cut)..text.len(), &removed, rest))
}

fn marked(text: &str, head: Range<usize>, tail: Range<usize>, removed: &str, rest: &str) -> String {
    let place = if tail.is_empty() { "at the end" } else { "in the middle" };
    let head = text.get(head).unwrap_or_default().trim_end_matches('\n');
    let tail = text.get(tail).unwrap_or_default();
    let separator = if rest.is_empty() { "" } else { "; " };
    let mark = format!("[{removed} removed {place}{separator}{rest}]");
    if tail.is_empty() {
        format!("{head}\n\n{mark}")
    } else {
        format!("{head}\n\n{mark}\n\n{tail}")
    }
}

/// Cuts a line after that many characters, with a note.
pub fn line(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            Cow::Owned(format!("{}... [truncated]", text.get(..end).unwrap_or_default()))
        }
    }
}

/// Cuts a line to that many characters around a part of it (in bytes, on character borders).
pub fn around<'a>(text: &'a str, part: &Range<usize>, max_chars: usize) -> Cow<'a, str> {
    let part_end = part.end.min(text.len());
    if text.get(..part_end).is_none_or(|before| before.chars().count() <= max_chars) {
        return line(text, max_chars);
    }
    let wanted = text.get(part.start..part_end).unwrap_or_default().chars().count();
    let lead = max_chars.saturating_sub(wanted) / 2;
    let start = text
        .get(..part.start)
        .unwrap_or_default()
        .char_indices()
        .rev()
        .nth(lead.saturating_sub(1))
        .map_or(part.start, |(at, _)| if lead == 0 { part.start } else { at });
    let rest = line(text.get(start..).unwrap_or_default(), max_chars);
    Cow::Owned(format!("[truncated] ...{rest}"))
}

/// A size as people read it: `512B`, `50.0KB`, `4.5MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut tenths = bytes.saturating_mul(10) / 1024;
    let mut unit = UNITS[0];
    for next in UNITS.into_iter().skip(1) {
        if tenths < 10 * 1024 {
            break;
        }
        tenths /= 1024;
        unit = next;
    }
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}

/// The last border between characters up to a byte.
pub fn border_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first border between characters from a byte on.
pub fn border_after(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Lines of a text; a trailing newline does not count as one more.
pub fn count_lines(text: &str) -> u64 {
    count(body(text))
}

struct Whole<'a> {
    text: &'a str,
    /// The text without its trailing newline.
    body: &'a str,
    lines: usize,
    limits: Limits,
}

impl<'a> Whole<'a> {
    fn new(text: &'a str, limits: Limits) -> Self {
        let body = body(text);
        Self { text, body, lines: usize::try_from(count_lines(text)).unwrap_or(usize::MAX), limits }
    }

    fn fits(&self) -> bool {
        self.lines <= self.limits.max_lines && self.text.len() <= self.limits.max_bytes
    }

    fn unchanged(self) -> Truncated {
        let record = self.record(self.lines, self.text.len(), None);
        Truncated { text: self.text.to_owned(), record, line_bytes: None }
    }

    fn cut(&self, keep: Range<usize>, lines: usize, by: TruncatedBy) -> Truncated {
        let text = self.body.get(keep).unwrap_or_default().to_owned();
        Truncated { record: self.record(lines, text.len(), Some(by)), text, line_bytes: None }
    }

    fn record(&self, lines: usize, bytes: usize, by: Option<TruncatedBy>) -> Truncation {
        Truncation {
            truncated_by: by,
            total_lines: self.lines as u64,
            total_bytes: self.text.len() as u64,
            output_lines: lines as u64,
            output_bytes: bytes as u64,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: self.limits.max_lines as u64,
            max_bytes: self.limits.max_bytes as u64,
        }
    }
}

fn body(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn count(body: &str) -> u64 {
    // An empty text has no line; a lone newline is one empty line, which is not worth showing.
    if body.is_empty() { 0 } else { body.bytes().filter(|&byte| byte == b'\n').count() as u64 + 1 }
}

#[cfg(test)]
mod tests;
