//! Changes of a text as values: parts that are replaced, all counted in the text before.

use std::borrow::Cow;
use std::ops::Range;

/// A range of text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice<'a> {
    /// The bytes that go, on character borders.
    pub old: Range<usize>,
    /// The replacement.
    pub new: Cow<'a, str>,
}

/// The text with its parts replaced; they are in order and do not overlap.
pub fn apply(text: &str, splices: &[Splice<'_>]) -> String {
    let grown: usize = splices.iter().map(|splice| splice.new.len()).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut at = 0;
    for splice in splices {
        out.push_str(text.get(at..splice.old.start).unwrap_or_default());
        out.push_str(&splice.new);
        at = splice.old.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Returns true if the text does not change.
pub fn is_identity(text: &str, splices: &[Splice<'_>]) -> bool {
    splices.iter().all(|splice| text.get(splice.old.clone()) == Some(&splice.new))
}
