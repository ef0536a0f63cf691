//! A hunk with the data to find it again, to undo a decision about it, and to distinguish user lines.

use super::content::Content;
use pintle_protocol::ids::HunkId;
use pintle_protocol::review::{Comment, Hunk, HunkKind, HunkState, LineSpan, Maker};
use std::collections::BTreeMap;
use std::ops::Range;

/// A hunk. Ranges count lines from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tracked {
    pub(super) id: HunkId,
    /// Older hunks have smaller values.
    pub(super) born: (u64, u32),
    pub(super) kind: HunkKind,
    pub(super) state: HunkState,
    /// Its range in the baseline, also when it is closed.
    pub(super) old: Range<usize>,
    /// Its range in the file.
    pub(super) new: Range<usize>,
    pub(super) old_text: String,
    pub(super) new_text: String,
    /// Its lines as the agent left them, before the user's edits.
    pub(super) agent_text: String,
    pub(super) changed_seq: u64,
    pub(super) made_by: Vec<Maker>,
    pub(super) comments: Vec<Comment>,
    /// The decision that closed it.
    pub(super) decided: Option<Decided>,
    pub(super) lineage: Lineage,
    /// Baseline and file, if it is not about lines.
    pub(super) contents: Option<(Option<Content>, Option<Content>)>,
}

/// A decision that closed a hunk, and the facts needed to reopen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decided {
    /// The decision's event.
    pub(super) seq: u64,
    /// True if the user had edited the hunk before.
    pub(super) was_edited: bool,
    /// True if the side that the decision changed did not exist before.
    pub(super) was_absent: bool,
}

impl Decided {
    /// Returns the hunk's state when it is reopened.
    pub(super) fn reopened(self) -> HunkState {
        if self.was_edited { HunkState::Modified } else { HunkState::Pending }
    }
}

/// The hunks that a hunk came from and became part of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lineage {
    pub(super) part_of: Option<HunkId>,
    pub(super) absorbed_by: Option<HunkId>,
}

impl Tracked {
    /// Describes the cause, if the change's author is unknown.
    pub(super) fn cause(&self) -> Option<String> {
        let mut commands: Vec<String> = Vec::new();
        for command in self.made_by.iter().filter_map(|maker| maker.while_ran.as_ref()) {
            let quoted = format!("`{command}`");
            if !commands.contains(&quoted) {
                commands.push(quoted);
            }
        }
        (!commands.is_empty()).then(|| format!("unknown, while {} ran", commands.join(" and ")))
    }

    /// Returns the hunk in the protocol's form.
    pub(super) fn shown(&self, path: &str) -> Hunk {
        Hunk {
            id: self.id.clone(),
            path: path.to_owned(),
            kind: self.kind,
            state: self.state,
            before: span(&self.old),
            after: span(&self.new),
            old_text: self.old_text.clone(),
            new_text: self.new_text.clone(),
            changed_seq: self.changed_seq,
            made_by: self.made_by.clone(),
            cause: self.cause(),
            comments: self.comments.clone(),
            decision: self.decided.map(|decided| decided.seq),
            waiting: None,
            absorbed_by: self.lineage.absorbed_by.clone(),
            part_of: self.lineage.part_of.clone(),
        }
    }
}

/// Converts a range to 1-based lines.
pub(super) fn span(range: &Range<usize>) -> LineSpan {
    LineSpan { start: range.start as u64 + 1, count: range.len() as u64 }
}

/// Allocates ids. Invariant: they are unique.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ids(BTreeMap<u64, u32>);

impl Ids {
    pub(super) fn next(&mut self, seq: u64) -> (HunkId, (u64, u32)) {
        let count = self.0.entry(seq).or_default();
        *count += 1;
        (HunkId::new(format!("{seq}.{count}")), (seq, *count))
    }
}
