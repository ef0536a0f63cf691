//! Applies a change to a file that has since been changed by others: a three-way merge of contents. Pure.

use super::content::{Content, text_of};
use pintle_base::text::merge::{Labels, merge};
use std::sync::Arc;

/// The result of applying a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppliedOver {
    /// The file already has the change.
    Unchanged,
    /// The file with the change; `None` removes it.
    Written(Option<Content>),
    /// The file with both versions of conflicting lines, between markers.
    Conflict(Content),
    /// The changes conflict, and the file cannot hold markers.
    Impossible,
}

/// Applies the change from `base` to `theirs` to `ours`; `None` is a missing file. `theirs` names that side in conflict markers.
///
/// # Example
///
/// ```
/// use pintle_session::review::{AppliedOver, Content, apply_over};
///
/// let [base, ours, theirs] =
///     ["a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"].map(|text| Some(Content::text(text)));
/// let merged = Some(Content::text("A\nb\nC\n"));
/// assert_eq!(apply_over(base.as_ref(), ours.as_ref(), theirs.as_ref(), "agent"), AppliedOver::Written(merged));
/// ```
pub fn apply_over(
    base: Option<&Content>,
    ours: Option<&Content>,
    theirs: Option<&Content>,
    name: &str,
) -> AppliedOver {
    if base == theirs {
        return AppliedOver::Unchanged;
    }
    let theirs =
        theirs.cloned().map(|theirs| Content { mode: mode(base, ours, &theirs), ..theirs });
    if ours == theirs.as_ref() {
        return AppliedOver::Unchanged;
    }
    let bytes = |content: Option<&Content>| content.map(|content| Arc::clone(&content.bytes));
    if bytes(base) == bytes(ours) {
        return AppliedOver::Written(theirs);
    }
    // Both sides have changed it. Without all three versions, there is nothing to merge by lines.
    let (Some(_), Some(ours), Some(theirs)) = (base, ours, &theirs) else {
        return AppliedOver::Impossible;
    };
    let (Some(base), Some(our_text), Some(their_text)) =
        (text_of(base), text_of(Some(ours)), text_of(Some(theirs)))
    else {
        return AppliedOver::Impossible;
    };
    let labels = Labels { ours: "current", base: "before", theirs: name };
    let merged = merge(base, our_text, their_text, labels);
    let content = Content { bytes: merged.text.into_bytes().into(), mode: theirs.mode };
    if !merged.conflicts.is_empty() {
        AppliedOver::Conflict(content)
    } else if content == *ours {
        AppliedOver::Unchanged
    } else {
        AppliedOver::Written(Some(content))
    }
}

/// Returns the file's new permission bits. They may differ from the copy's for other reasons than the change.
fn mode(base: Option<&Content>, ours: Option<&Content>, theirs: &Content) -> u32 {
    let is_unchanged = base.is_some_and(|base| base.mode == theirs.mode);
    ours.filter(|_| is_unchanged).map_or(theirs.mode, |ours| ours.mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_applied_to_what_the_file_has_become() {
        let content = |text: &str| (text != "-").then(|| Content::text(text));
        for (name, base, ours, theirs, want) in [
            ("the user changed nothing", "a\n", "a\n", "b\n", "written b\n"),
            ("a new file", "-", "-", "b\n", "written b\n"),
            ("a deleted file", "a\n", "a\n", "-", "removed"),
            ("the user made the same change", "a\n", "b\n", "b\n", "unchanged"),
            ("nothing to apply", "a\n", "b\n", "a\n", "unchanged"),
            ("other lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "written A\nb\nC\n"),
            (
                "the same line",
                "a\nb\n",
                "a\nours\n",
                "a\ntheirs\n",
                "conflict a\n<<<<<<< current\nours\n||||||| before\nb\n=======\ntheirs\n>>>>>>> agent\n",
            ),
            ("included in the user's change", "a\nb\n", "A\nB\n", "A\nb\n", "conflict"),
            ("the user deleted it", "a\n", "-", "b\n", "impossible"),
            ("the agent deleted what the user changed", "a\n", "b\n", "-", "impossible"),
            ("both created it", "-", "a\n", "b\n", "impossible"),
            ("binary", "a\0", "b\0", "c\0", "impossible"),
            ("binary, and the user changed nothing", "a\0", "a\0", "c\0", "written c\0"),
        ] {
            let [base, ours, theirs] = [base, ours, theirs].map(content);
            let applied = apply_over(base.as_ref(), ours.as_ref(), theirs.as_ref(), "agent");
            let text = |content: &Content| String::from_utf8(content.bytes.to_vec()).unwrap();
            let got = match &applied {
                AppliedOver::Unchanged => "unchanged".to_owned(),
                AppliedOver::Written(None) => "removed".to_owned(),
                AppliedOver::Written(Some(content)) => format!("written {}", text(content)),
                AppliedOver::Conflict(content) => format!("conflict {}", text(content)),
                AppliedOver::Impossible => "impossible".to_owned(),
            };
            assert!(got == want || want == "conflict" && got.starts_with(want), "{name}: {got:?}");
        }
    }

    #[test]
    fn a_changed_mode_is_applied_too() {
        let content = |text: &str, mode| Some(Content { mode, ..Content::text(text) });
        assert_eq!(
            apply_over(
                content("a\n", 0o644).as_ref(),
                content("a\n", 0o664).as_ref(),
                None,
                "agent"
            ),
            AppliedOver::Written(None)
        );
        for (ours, theirs, want) in [(0o644, 0o755, 0o755), (0o600, 0o644, 0o600)] {
            let (base, ours) = (content("a\nb\nc\n", 0o644), content("A\nb\nc\n", ours));
            let theirs = content("a\nb\nC\n", theirs);
            let applied = apply_over(base.as_ref(), ours.as_ref(), theirs.as_ref(), "agent");
            assert_eq!(applied, AppliedOver::Written(content("A\nb\nC\n", want)));
        }
    }
}
