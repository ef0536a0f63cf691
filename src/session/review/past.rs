//! Earlier states of a file, so that a user who returns to one, with an editor's undo, finds the earlier review.
//!
//! A decision drops them all. Invariant: bounded; a return to a forgotten state is an edit like any other.

use super::content::Content;
use super::file::{FileReview, UserEdits};
use super::hunk::Tracked;
use super::user_lines::UserLines;
use crate::review::content::line_changes;
use pintle_protocol::review::HunkState;
use std::collections::{BTreeSet, VecDeque};

/// The maximum number of states per file: more than a user undoes between two decisions.
const MAX_STATES: usize = 64;

/// The maximum size of a file's states together, contents and hunks.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Earlier states of a file, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Past(VecDeque<State>);

/// A state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    origin: Option<Content>,
    baseline: Option<Content>,
    now: Option<Content>,
    user_lines: UserLines,
    open: Vec<Tracked>,
}

impl State {
    fn bytes(&self) -> usize {
        let content = self.now.as_ref().map_or(0, |content| content.bytes.len());
        let hunks = self.open.iter();
        content
            + hunks.map(|h| h.old_text.len() + h.new_text.len() + h.agent_text.len()).sum::<usize>()
    }
}

impl Past {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn push(&mut self, state: State) {
        self.0.push_back(state);
        let mut bytes: usize = self.0.iter().map(State::bytes).sum();
        while self.0.len() > MAX_STATES || bytes > MAX_BYTES {
            let Some(oldest) = self.0.pop_front() else { return };
            bytes -= oldest.bytes();
        }
    }

    /// Returns the last state with this content.
    fn find(&self, content: Option<&Content>) -> Option<&State> {
        self.0.iter().rfind(|state| state.now.as_ref() == content)
    }
}

impl FileReview {
    /// Remembers the present state, before it changes.
    pub(super) fn remember(&mut self) {
        self.past.push(State {
            origin: self.origin.clone(),
            baseline: self.baseline.clone(),
            now: self.now.clone(),
            user_lines: self.user_lines.clone(),
            open: self.open.clone(),
        });
    }

    /// Returns to the last state with this content, if one is known. The user thereby undoes the hunks that the state does not have, and
    /// reopens those that it has.
    pub(super) fn go_back(&mut self, seq: u64, after: Option<&Content>) -> Option<UserEdits> {
        let State { origin, baseline, now, user_lines, open } = self.past.find(after)?.clone();
        self.remember();
        let base_map = line_changes(self.baseline.as_ref(), baseline.as_ref());
        let now_map = line_changes(self.now.as_ref(), now.as_ref());
        self.carry(&base_map, &now_map);
        (self.origin, self.baseline, self.now) = (origin, baseline, now);
        self.user_lines = user_lines;
        let previous = std::mem::replace(&mut self.open, open);
        let ids: BTreeSet<_> = self.open.iter().map(|hunk| hunk.id.clone()).collect();
        let mut edits = UserEdits::default();
        for hunk in &mut self.open {
            let same = previous.iter().find(|other| other.id == hunk.id);
            let texts = |hunk: &Tracked| (hunk.old_text.clone(), hunk.new_text.clone());
            hunk.changed_seq = match same {
                Some(same) if texts(same) == texts(hunk) => same.changed_seq,
                _ => seq,
            };
            if same.is_some() && hunk.changed_seq == seq {
                edits.modified.push(hunk.id.clone());
            }
            let closed = self.closed.iter().find(|other| other.id == hunk.id);
            if let Some(latest) = same.or(closed) {
                // A comment moves to the hunk that absorbs its own, and stays there.
                hunk.comments.clone_from(&latest.comments);
            }
            if closed.is_some_and(|closed| closed.state == HunkState::Undone) {
                edits.reopened.push(hunk.id.clone());
            }
        }
        self.closed.retain(|hunk| !ids.contains(&hunk.id));
        for mut hunk in previous.into_iter().filter(|hunk| !ids.contains(&hunk.id)) {
            hunk.changed_seq = seq;
            hunk.state = HunkState::Undone;
            edits.undone.push(hunk.id.clone());
            self.closed.push(hunk);
        }
        Some(edits)
    }
}
