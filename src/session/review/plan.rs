//! Plans a decision: its hunks, its effect on each, and the files to write. Pure: it changes nothing.
//!
//! Invariant: [`Review::record`] has the planned effect, provided that nothing happens in between.

use super::content::{Content, text_of};
use super::file::FileReview;
use super::hunk::Tracked;
use super::select::{Selection, cut, within};
use super::{AppliedPart, Review};
use pintle_base::text::merge::{Labels, conflict};
use pintle_protocol::diff::Side;
use pintle_protocol::ids::{HunkId, TurnId};
use pintle_protocol::review::{
    DecisionPart, Effect, HunkKind, HunkState, LineSelection, LineSpan, Outcome, ReviewAction,
    ReviewDecision, ReviewTarget,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The labels of conflict markers.
const LABELS: Labels<'static> = Labels { ours: "present", base: "agent", theirs: "before" };

/// The result of planning a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The decision to record as an event, and to pass to [`Review::record`].
    pub decision: ReviewDecision,
    /// The files to write before.
    pub writes: Vec<Write>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Its absolute path.
    pub path: String,
    /// Its expected content; any other content must not be overwritten.
    pub before: Option<Content>,
    /// Its new content; `None` removes it.
    pub after: Option<Content>,
}

/// The reason why a decision is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The hunk does not exist.
    #[error("hunk {0} does not exist; list the hunks again")]
    UnknownHunk(HunkId),
    /// The hunk was decided already, or no longer exists.
    #[error("hunk {hunk} is not open but {}; list the hunks again", format!("{state:?}").to_lowercase())]
    NotOpen {
        /// The hunk.
        hunk: HunkId,
        /// Its state.
        state: HunkState,
    },
    /// The hunk has changed since it was shown.
    #[error(
        "hunk {hunk} has changed since it was shown (changedSeq is {changed_seq} now); review it again"
    )]
    Changed {
        /// The hunk.
        hunk: HunkId,
        /// The event that changed it.
        changed_seq: u64,
    },
    /// The hunk does not have these lines.
    #[error("select at least one line of hunk {hunk}: old lines 1 to {old}, new lines 1 to {new}")]
    NoSuchLines {
        /// The hunk.
        hunk: HunkId,
        /// Its lines before.
        old: usize,
        /// Its lines now.
        new: usize,
    },
    /// These lines depend on others.
    #[error(
        "these lines of hunk {0} cannot be decided separately, since the last line of the file has no line ending; decide on the whole hunk"
    )]
    Inseparable(HunkId),
    /// The agent did not change this file.
    #[error("the agent has not changed {0}; specify a file that has hunks")]
    UnknownFile(String),
    /// There is no open hunk.
    #[error("there is no open hunk to decide about")]
    NothingOpen,
    /// The event is not a decision.
    #[error("event {0} is not a decision")]
    UnknownDecision(u64),
    /// The decision was undone already.
    #[error("decision {decision} was already reverted by event {by}; revert that one instead")]
    AlreadyReverted {
        /// The decision.
        decision: u64,
        /// The decision that undid it.
        by: u64,
    },
    /// The decision had no effect.
    #[error("decision {0} changed nothing, so there is nothing to undo")]
    NothingDone(u64),
    /// The file has a content that the review does not know.
    #[error("{path} has changed on disk; record the change first")]
    Unseen {
        /// The file.
        path: String,
    },
}

impl Review {
    /// Plans a decision. `present` reads a file's current content; it is called only for files that would be written.
    ///
    /// # Errors
    /// [`Refused`] gives the reason. After [`Refused::Unseen`], record the change with [`Review::changed`] as the user's, and try again.
    pub fn plan(
        &self,
        action: &ReviewAction,
        present: &dyn Fn(&str) -> Option<Content>,
    ) -> Result<Plan, Refused> {
        let parts = match action {
            ReviewAction::Keep { target } => self.decided(target, Effect::Keep, true)?,
            ReviewAction::Undo { target, discard_edits } => {
                let paths = self.targets(target)?.into_iter().map(|target| target.path);
                let paths: BTreeSet<String> = paths.collect();
                for path in paths {
                    self.check_seen(path, present)?;
                }
                self.decided(target, Effect::Undo, *discard_edits)?
            }
            ReviewAction::Revert { decision } => self.reverted(*decision, present)?,
            ReviewAction::Comment { hunk, side, lines, .. } => {
                vec![self.commented(hunk, *side, *lines)?]
            }
        };
        let writes = self.writes(&parts);
        Ok(Plan {
            decision: ReviewDecision { action: action.clone(), parts, waited: None },
            writes,
        })
    }

    fn check_seen(
        &self,
        path: String,
        present: &dyn Fn(&str) -> Option<Content>,
    ) -> Result<(), Refused> {
        let is_seen = self.files.get(&path).is_some_and(|file| file.now == present(&path));
        if is_seen { Ok(()) } else { Err(Refused::Unseen { path }) }
    }

    /// Returns a decision's parts about open hunks.
    fn decided(
        &self,
        target: &ReviewTarget,
        effect: Effect,
        may_discard: bool,
    ) -> Result<Vec<DecisionPart>, Refused> {
        let targets = self.targets(target)?;
        // Changes of unknown author may be the user's work, so undoing a turn or everything skips them.
        let is_sweeping = matches!(target, ReviewTarget::All | ReviewTarget::Turn { .. });
        let mut undone = Undone::default();
        for Target { path, hunk, lines, .. } in &targets {
            undone.add(path, hunk, *lines);
        }
        targets
            .into_iter()
            .map(|Target { path, file, hunk, lines }| {
                let selection =
                    Selection::resolve(hunk, lines).ok_or_else(|| no_such_lines(hunk))?;
                let is_inseparable =
                    !selection.is_whole && !file.can_part(hunk, &selection, effect == Effect::Keep);
                if is_inseparable {
                    return Err(Refused::Inseparable(hunk.id.clone()));
                }
                let is_conflict = !may_discard
                    && file.would_remove_user_lines(hunk, &selection, undone.in_file(&path));
                let cause = hunk.cause().filter(|_| !may_discard && is_sweeping && !is_conflict);
                let is_conflict = is_conflict || cause.is_some();
                let text = (is_conflict && cause.is_none() && is_text(hunk))
                    .then(|| conflict(&hunk.agent_text, &hunk.new_text, &hunk.old_text, LABELS));
                let outcome = if is_conflict { Outcome::Conflict } else { Outcome::Applied };
                let hunk = hunk.id.clone();
                Ok(DecisionPart { hunk, path, effect, lines, outcome, conflict: text, cause })
            })
            .collect()
    }

    /// Returns the open hunks that a decision is about.
    fn targets(&self, target: &ReviewTarget) -> Result<Vec<Target<'_>>, Refused> {
        let all = |is_target: &dyn Fn(&str, &Tracked) -> bool| {
            let mut targets = Vec::new();
            for (path, file) in &self.files {
                for hunk in file.open.iter().filter(|hunk| is_target(path, hunk)) {
                    targets.push(Target { path: path.clone(), file, hunk, lines: None });
                }
            }
            if targets.is_empty() { Err(Refused::NothingOpen) } else { Ok(targets) }
        };
        let made_in =
            |hunk: &Tracked, turn: &TurnId| hunk.made_by.iter().any(|m| m.turn_id == *turn);
        match target {
            ReviewTarget::All => all(&|_, _| true),
            ReviewTarget::Turn { turn_id } => all(&|_, hunk| made_in(hunk, turn_id)),
            ReviewTarget::File { path } if !self.files.contains_key(path) => {
                Err(Refused::UnknownFile(path.clone()))
            }
            ReviewTarget::File { path } => all(&|file, _| file == path),
            ReviewTarget::Hunk { hunk, changed_seq } => {
                Ok(vec![self.open(hunk, *changed_seq, None)?])
            }
            ReviewTarget::Lines { hunk, changed_seq, lines } => {
                Ok(vec![self.open(hunk, Some(*changed_seq), Some(*lines))?])
            }
        }
    }

    fn open(
        &self,
        id: &HunkId,
        changed_seq: Option<u64>,
        lines: Option<LineSelection>,
    ) -> Result<Target<'_>, Refused> {
        for (path, file) in &self.files {
            if let Some(hunk) = file.open.iter().find(|hunk| hunk.id == *id) {
                if changed_seq.is_some_and(|seq| seq != hunk.changed_seq) {
                    let changed_seq = hunk.changed_seq;
                    return Err(Refused::Changed { hunk: id.clone(), changed_seq });
                }
                return Ok(Target { path: path.clone(), file, hunk, lines });
            }
            if let Some(hunk) = file.closed.iter().find(|hunk| hunk.id == *id) {
                return Err(Refused::NotOpen { hunk: id.clone(), state: hunk.state });
            }
        }
        Err(Refused::UnknownHunk(id.clone()))
    }

    fn commented(
        &self,
        id: &HunkId,
        side: Side,
        lines: Option<LineSpan>,
    ) -> Result<DecisionPart, Refused> {
        let located = self.files.iter().find_map(|(path, file)| Some((path, file.find(id)?)));
        let (path, hunk) = located.ok_or_else(|| Refused::UnknownHunk(id.clone()))?;
        let selection = match side {
            Side::Old => LineSelection { old: lines, new: None },
            Side::New => LineSelection { old: None, new: lines },
        };
        if lines.is_some() && Selection::resolve(hunk, Some(selection)).is_none() {
            return Err(no_such_lines(hunk));
        }
        Ok(DecisionPart {
            hunk: hunk.id.clone(),
            path: path.clone(),
            effect: Effect::Comment,
            lines: None,
            outcome: Outcome::Applied,
            conflict: None,
            cause: None,
        })
    }

    /// Returns the parts for a decision that reverts another one.
    fn reverted(
        &self,
        decision: u64,
        present: &dyn Fn(&str) -> Option<Content>,
    ) -> Result<Vec<DecisionPart>, Refused> {
        let applied = self.decisions.get(&decision).ok_or(Refused::UnknownDecision(decision))?;
        if let Some(by) = applied.reverted_by {
            return Err(Refused::AlreadyReverted { decision, by });
        }
        let mut undone = Undone::default();
        for AppliedPart { path, hunk, .. } in &applied.parts {
            let file = self.files.get(path);
            let open = file.and_then(|file| file.open.iter().find(|other| other.id == *hunk));
            if let Some(hunk) = open {
                undone.add(path, hunk, None);
            }
        }
        let mut parts = Vec::new();
        for AppliedPart { path, effect, was, hunk } in &applied.parts {
            let Some(file) = self.files.get(path) else { continue };
            let effect = match (effect, was) {
                (Effect::Keep | Effect::Undo, _) => Effect::Reopen,
                (Effect::Reopen, HunkState::Kept) => Effect::Keep,
                (Effect::Reopen, _) => Effect::Undo,
                (Effect::Comment, _) => Effect::Withdraw,
                (Effect::Withdraw, _) => Effect::Comment,
            };
            let open = file.open.iter().find(|other| other.id == *hunk);
            let closed = file.closed.iter().find(|other| other.id == *hunk);
            let is_written = effect == Effect::Undo
                || closed.is_some_and(|hunk| hunk.state == HunkState::Undone);
            if is_written {
                self.check_seen(path.clone(), present)?;
            }
            let is_possible = match effect {
                Effect::Keep => open.is_some(),
                Effect::Undo => open.is_some_and(|hunk| {
                    Selection::resolve(hunk, None).is_some_and(|all| {
                        !file.would_remove_user_lines(hunk, &all, undone.in_file(path))
                    })
                }),
                Effect::Reopen => closed.is_some_and(|hunk| file.can_reopen(hunk)),
                Effect::Comment | Effect::Withdraw => file.find(hunk).is_some(),
            };
            let conflict = closed
                .filter(|hunk| !is_possible && is_text(hunk) && hunk.state == HunkState::Undone)
                .map(|hunk| conflict(&hunk.old_text, &file.lines(hunk), &hunk.new_text, LABELS));
            parts.push(DecisionPart {
                hunk: hunk.clone(),
                path: path.clone(),
                effect,
                lines: None,
                outcome: if is_possible { Outcome::Applied } else { Outcome::Conflict },
                conflict,
                cause: None,
            });
        }
        if parts.is_empty() { Err(Refused::NothingDone(decision)) } else { Ok(parts) }
    }

    /// Returns the files to write, found by applying the parts to a copy.
    fn writes(&self, parts: &[DecisionPart]) -> Vec<Write> {
        let mut by_path: BTreeMap<&str, Vec<&DecisionPart>> = BTreeMap::new();
        for part in parts.iter().filter(|part| part.outcome == Outcome::Applied) {
            by_path.entry(&part.path).or_default().push(part);
        }
        let mut writes = Vec::new();
        for (path, parts) in by_path {
            let Some(mut file) = self.files.get(path).cloned() else { continue };
            let before = file.now.clone();
            file.apply(0, &parts, &mut self.ids.clone());
            if file.now != before {
                writes.push(Write { path: path.to_owned(), before, after: file.now });
            }
        }
        writes
    }
}

/// The lines of each file that a decision undoes, and the texts that it brings back for them.
#[derive(Debug, Default)]
struct Undone(BTreeMap<String, Vec<(Range<usize>, String)>>);

impl Undone {
    fn add(&mut self, path: &str, hunk: &Tracked, lines: Option<LineSelection>) {
        let Some(selection) = Selection::resolve(hunk, lines).filter(|_| is_text(hunk)) else {
            return;
        };
        let undone = (within(&hunk.new, &selection.new), cut(&hunk.old_text, &selection.old));
        self.0.entry(path.to_owned()).or_default().push(undone);
    }

    fn in_file(&self, path: &str) -> &[(Range<usize>, String)] {
        self.0.get(path).map(Vec::as_slice).unwrap_or_default()
    }
}

struct Target<'a> {
    path: String,
    file: &'a FileReview,
    hunk: &'a Tracked,
    lines: Option<LineSelection>,
}

impl FileReview {
    /// Returns true if undoing a hunk's lines would remove lines written by the user. `undone` is everything that the decision undoes in
    /// the file.
    fn would_remove_user_lines(
        &self,
        hunk: &Tracked,
        selection: &Selection,
        undone: &[(Range<usize>, String)],
    ) -> bool {
        if !is_text(hunk) {
            return hunk.state != HunkState::Pending;
        }
        let lines = within(&hunk.new, &selection.new);
        if self.user_lines.inside.overlap_with(&lines) {
            return true;
        }
        let has_own = !self.user_lines.all.among(&lines).is_empty();
        let undone: Vec<_> =
            undone.iter().map(|(lines, text)| (lines.clone(), text.as_str())).collect();
        has_own && self.would_lose_user_lines(&undone)
    }

    /// Returns the file's lines in a hunk's range.
    fn lines(&self, hunk: &Tracked) -> String {
        let lines = super::content::lines_of(self.now.as_ref());
        lines.get(hunk.new.clone()).unwrap_or_default().concat()
    }
}

fn is_text(hunk: &Tracked) -> bool {
    let is_text = |content: &Option<Content>| text_of(content.as_ref()).is_some();
    hunk.kind != HunkKind::Mode
        && hunk.contents.as_ref().is_none_or(|(before, after)| is_text(before) && is_text(after))
}

fn no_such_lines(hunk: &Tracked) -> Refused {
    let count = |text: &str| text.split_inclusive('\n').count();
    let (old, new) = (count(&hunk.old_text), count(&hunk.new_text));
    Refused::NoSuchLines { hunk: hunk.id.clone(), old, new }
}
