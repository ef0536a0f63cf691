//! Review: the agent's changes that the user has not accepted yet, as a fold over file changes.
//!
//! [`Review`] takes changes and decisions in journal order and returns baselines, hunks with stable ids, news for the model, and patches. It
//! reads and writes nothing; its caller writes the files that [`Review::plan`] returns.
//!
//! Invariants: a file's open hunks are the difference between its baseline and its content; the same sequence gives the same state, so ids
//! need not be stored; an id never refers to two hunks; no line written by the user is removed without their consent.
//!
//! Hunk ids are made from event numbers and matched by position, so no journal stores them. The diff has no time limit, which could give
//! other hunks on a slow day; `text/line_diff` limits its work instead.
//!
//! There is a second baseline, from before the first keep, since a patch of the agent's work includes kept changes (`patch`).
//!
//! # Example
//!
//! ```
//! use pintle_protocol::ids::{ItemId, TurnId};
//! use pintle_protocol::review::Maker;
//! use pintle_session::review::{Author, Content, Review, Since};
//!
//! let call = Maker { turn_id: TurnId::new("turn-1"), item_id: ItemId::new("call-1"), while_ran: None };
//! let (before, after) = (Content::text("a\nb\nc\n"), Content::text("a\nB\nc\n"));
//! let mut review = Review::new();
//! review.changed(7, "/work/a.txt", Some(before), Some(after), &Author::Agent(call));
//!
//! let hunks = review.hunks();
//! assert_eq!((hunks[0].old_text.as_str(), hunks[0].new_text.as_str()), ("b\n", "B\n"));
//! let patch = review.patch("/work", Since::Kept);
//! assert!(patch.text.contains("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"));
//! ```

mod apply;
mod apply_over;
mod content;
mod file;
mod fold;
mod hunk;
mod notices;
mod past;
mod patch;
mod plan;
mod rematch;
mod restored;
mod select;
mod user_lines;

pub use apply_over::{AppliedOver, apply_over};
pub use content::{Author, Content};
pub use notices::render;
pub use patch::{Patch, Since, between};
pub use plan::{Plan, Refused, Write};

use file::FileReview;
use hunk::{Ids, Tracked};
use notices::Notices;
use pintle_os::System;
use pintle_protocol::ids::HunkId;
use pintle_protocol::review::{
    Comment, DecisionPart, Effect, Hunk, HunkState, Outcome, ReviewAction, ReviewDecision,
    ReviewNote,
};
use std::collections::BTreeMap;

/// A session's review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    files: BTreeMap<String, FileReview>,
    ids: Ids,
    decisions: BTreeMap<u64, AppliedDecision>,
    notices: Notices,
}

/// A decision that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AppliedDecision {
    parts: Vec<AppliedPart>,
    comment: Option<Comment>,
    reverted_by: Option<u64>,
}

/// A decision's effect on a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AppliedPart {
    path: String,
    effect: Effect,
    /// The hunk's previous state.
    was: HunkState,
    hunk: HunkId,
}

impl Review {
    /// Returns an empty review.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a file change; `None` is a missing file. Files that only users changed are not reviewed, so user changes count from the
    /// agent's first one on. If `before` differs from the known content, a user changed the file unnoticed, and that change is recorded
    /// first.
    pub fn changed(
        &mut self,
        seq: u64,
        path: &str,
        before: Option<Content>,
        after: Option<Content>,
        author: &Author,
    ) {
        if !self.files.contains_key(path) && (*author == Author::User || before == after) {
            return;
        }
        let file =
            self.files.entry(path.to_owned()).or_insert_with(|| FileReview::new(before.clone()));
        for (content, author) in [(before, &Author::User), (after, author)] {
            let user_edits = file.change(seq, content, author, &mut self.ids);
            self.notices.user_edits(seq, path, file, &user_edits);
        }
    }

    /// Records a decision that [`Review::plan`] returned, after its files were written.
    pub fn record(&mut self, seq: u64, decision: &ReviewDecision) {
        let mut applied = AppliedDecision {
            parts: Vec::new(),
            comment: self.comment(seq, decision),
            reverted_by: None,
        };
        let mut by_path: BTreeMap<&str, Vec<&DecisionPart>> = BTreeMap::new();
        for part in &decision.parts {
            by_path.entry(&part.path).or_default().push(part);
        }
        for (path, parts) in by_path {
            let Some(file) = self.files.get_mut(path) else { continue };
            for (effect, was, hunk) in file.apply(seq, &parts, &mut self.ids) {
                self.notices.decision(seq, path, effect, &hunk);
                let (path, hunk) = (path.to_owned(), hunk.id);
                applied.parts.push(AppliedPart { path, effect, was, hunk });
            }
            let applied_parts = parts.iter().filter(|part| part.outcome == Outcome::Applied);
            for part in
                applied_parts.filter(|p| matches!(p.effect, Effect::Comment | Effect::Withdraw))
            {
                let Some(comment) = &applied.comment else { continue };
                let Some(hunk) = file.find_mut(&part.hunk) else { continue };
                hunk.comments.retain(|other| other.seq != comment.seq);
                if part.effect == Effect::Comment {
                    hunk.comments.push(comment.clone());
                    self.notices.comment(seq, path, hunk, comment);
                }
                let (path, hunk, was) = (path.to_owned(), part.hunk.clone(), hunk.state);
                applied.parts.push(AppliedPart { path, effect: part.effect, was, hunk });
            }
        }
        if let ReviewAction::Revert { decision } = decision.action {
            if let Some(reverted) = self.decisions.get_mut(&decision) {
                reverted.reverted_by = Some(seq);
            }
            self.notices.decision_reverted(seq, decision);
        }
        self.decisions.insert(seq, applied);
    }

    /// Returns the comment that a decision is about.
    fn comment(&self, seq: u64, decision: &ReviewDecision) -> Option<Comment> {
        match &decision.action {
            ReviewAction::Comment { side, lines, text, .. } => {
                Some(Comment { seq, side: *side, lines: *lines, text: text.clone() })
            }
            ReviewAction::Revert { decision } => self.decisions.get(decision)?.comment.clone(),
            ReviewAction::Keep { .. } | ReviewAction::Undo { .. } => None,
        }
    }

    /// Returns the paths of all files that the agent changed, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns the open hunks of all files, in the order of paths and lines.
    pub fn hunks(&self) -> Vec<Hunk> {
        let files = self.files.iter();
        files.flat_map(|(path, file)| file.open.iter().map(|hunk| hunk.shown(path))).collect()
    }

    /// Returns the known path of a changed file that a client names, perhaps in another case.
    pub fn known_path(&self, system: System, named: &str) -> Option<&str> {
        let exact = self.files.get_key_value(named).map(|(path, _)| path);
        let known = || self.files.keys().find(|path| system.is_same_path(path, named));
        exact.or_else(known).map(String::as_str)
    }

    /// Returns the open hunks of a file.
    pub fn hunks_of(&self, path: &str) -> Vec<Hunk> {
        let file = self.files.get(path);
        file.into_iter().flat_map(|file| &file.open).map(|hunk| hunk.shown(path)).collect()
    }

    /// Returns the closed hunks of all files, the oldest first.
    pub fn closed(&self) -> Vec<Hunk> {
        let files = self.files.iter();
        let mut closed: Vec<(&String, &Tracked)> = files
            .flat_map(|(path, file)| file.closed.iter().map(move |hunk| (path, hunk)))
            .collect();
        closed.sort_by_key(|(_, hunk)| hunk.born);
        closed.into_iter().map(|(path, hunk)| hunk.shown(path)).collect()
    }

    /// Returns a file's baseline; the outer `None` is a file that the agent did not change.
    pub fn baseline(&self, path: &str) -> Option<Option<&Content>> {
        self.files.get(path).map(|file| file.baseline.as_ref())
    }

    /// Returns the last known content of a file; the outer `None` is a file that the agent did not change.
    pub fn now(&self, path: &str) -> Option<Option<&Content>> {
        self.files.get(path).map(|file| file.now.as_ref())
    }

    /// Removes a file from the review, because its changes are reviewed elsewhere.
    pub fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Returns the news for the model. After recording which events are reported, call [`Review::reported`].
    pub fn pending_note(&self) -> ReviewNote {
        self.notices.pending_note(&self.files)
    }

    /// Marks events as reported to the model.
    pub fn reported(&mut self, seqs: &[u64]) {
        self.notices.reported(seqs);
    }
}

impl FileReview {
    /// Returns the hunk with this id, or the one that absorbed it.
    fn find(&self, id: &HunkId) -> Option<&Tracked> {
        let mut id = id;
        // Each step leads to an older hunk, so this ends.
        loop {
            let hunk = self.open.iter().chain(&self.closed).find(|hunk| hunk.id == *id)?;
            match &hunk.lineage.absorbed_by {
                Some(into) => id = into,
                None => return Some(hunk),
            }
        }
    }

    fn find_mut(&mut self, id: &HunkId) -> Option<&mut Tracked> {
        let id = self.find(id)?.id.clone();
        self.open.iter_mut().chain(&mut self.closed).find(|hunk| hunk.id == id)
    }
}

#[cfg(test)]
mod tests;
