//! A decision's effect on a file: lines are copied into the baseline, or back into the file. Used to preview and to apply.
//!
//! Invariant: the same decision on the same state always gives the same state; a part that no longer fits has no effect.

use super::content::{Content, lines_of, text_of, whole};
use super::file::FileReview;
use super::fold::{fits, spliced};
use super::hunk::{Decided, Ids, Lineage, Tracked};
use super::select::{Selection, cut, within};
use pintle_base::text::line_diff::{Change, Lean, carried};
use pintle_protocol::review::{DecisionPart, Effect, HunkKind, HunkState, Outcome};
use std::ops::Range;

/// The content that a step changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    Baseline,
    File,
}

/// A replacement of lines, and the hunk that it closes or opens.
#[derive(Debug)]
struct Step {
    layer: Layer,
    at: Range<usize>,
    text: String,
    hunk: Tracked,
    /// True if the side may be removed, because it did not exist before the decision that this step takes back.
    may_remove: bool,
}

impl FileReview {
    /// Applies a decision's parts. Returns the hunks that were closed or opened.
    pub(super) fn apply(
        &mut self,
        seq: u64,
        parts: &[&DecisionPart],
        ids: &mut Ids,
    ) -> Vec<(Effect, HunkState, Tracked)> {
        let mut steps = Vec::new();
        let mut done = Vec::new();
        for part in parts {
            if part.outcome == Outcome::Conflict {
                if let Some(hunk) = self.open.iter_mut().find(|hunk| hunk.id == part.hunk) {
                    hunk.state = HunkState::Conflict;
                }
                continue;
            }
            let step = match part.effect {
                Effect::Keep => self.close(seq, part, Layer::Baseline, ids),
                Effect::Undo => self.close(seq, part, Layer::File, ids),
                Effect::Reopen => self.reopen(part),
                Effect::Comment | Effect::Withdraw => None,
            };
            let Some((was, step)) = step else { continue };
            done.push((part.effect, was, step.hunk.clone()));
            steps.push(step);
        }
        if !steps.is_empty() {
            self.past.clear();
        }
        self.take_steps(steps);
        // Hunks that this decision made disappear need no decision any more.
        self.settle(seq, None, HunkState::Gone, true, ids);
        done
    }

    /// Closes a hunk, or some of its lines.
    fn close(
        &mut self,
        seq: u64,
        part: &DecisionPart,
        layer: Layer,
        ids: &mut Ids,
    ) -> Option<(HunkState, Step)> {
        let at = self.open.iter().position(|hunk| hunk.id == part.hunk)?;
        let hunk = self.open.get(at)?;
        let selection = Selection::resolve(hunk, part.lines)?;
        let was = hunk.state;
        let (lines, text) = match layer {
            Layer::Baseline => {
                (within(&hunk.old, &selection.old), cut(&hunk.new_text, &selection.new))
            }
            Layer::File => (within(&hunk.new, &selection.new), cut(&hunk.old_text, &selection.old)),
        };
        let mut closed = if selection.is_whole {
            self.open.remove(at)
        } else {
            let (id, born) = ids.next(seq);
            let new_text = cut(&hunk.new_text, &selection.new);
            let is_pending = hunk.state == HunkState::Pending;
            Tracked {
                agent_text: if is_pending { new_text.clone() } else { hunk.agent_text.clone() },
                id,
                born,
                old: within(&hunk.old, &selection.old),
                new: within(&hunk.new, &selection.new),
                old_text: cut(&hunk.old_text, &selection.old),
                new_text,
                kind: HunkKind::Lines,
                contents: None,
                comments: Vec::new(),
                lineage: Lineage { part_of: Some(hunk.id.clone()), ..hunk.lineage.clone() },
                ..hunk.clone()
            }
        };
        let side = match layer {
            Layer::Baseline => {
                closed.state = HunkState::Kept;
                &self.baseline
            }
            Layer::File => {
                closed.state = HunkState::Undone;
                &self.now
            }
        };
        let was_edited = was != HunkState::Pending;
        closed.decided = Some(Decided { seq, was_edited, was_absent: side.is_none() });
        Some((was, Step { layer, at: lines, text, hunk: closed, may_remove: false }))
    }

    /// Opens a hunk that was kept or undone.
    fn reopen(&mut self, part: &DecisionPart) -> Option<(HunkState, Step)> {
        let at = self.closed.iter().position(|hunk| hunk.id == part.hunk)?;
        let hunk = self.closed.get(at)?;
        let was = hunk.state;
        let (layer, lines, text) = match was {
            HunkState::Kept => (Layer::Baseline, hunk.old.clone(), hunk.old_text.clone()),
            HunkState::Undone if hunk.decided.is_some() => {
                (Layer::File, hunk.new.clone(), hunk.new_text.clone())
            }
            HunkState::Undone
            | HunkState::Pending
            | HunkState::Modified
            | HunkState::Conflict
            | HunkState::Absorbed
            | HunkState::Gone => return None,
        };
        let mut hunk = self.closed.remove(at);
        let decided = hunk.decided.take();
        hunk.state = decided.map_or(HunkState::Pending, Decided::reopened);
        let may_remove = decided.is_some_and(|decided| decided.was_absent);
        Some((was, Step { layer, at: lines, text, hunk, may_remove }))
    }

    /// Returns true if a closed hunk can be opened: the decision's result must still be there.
    pub(super) fn can_reopen(&self, hunk: &Tracked) -> bool {
        let (side, at, text, with) = if hunk.state == HunkState::Kept {
            (&self.baseline, &hunk.old, &hunk.new_text, &hunk.old_text)
        } else {
            (&self.now, &hunk.new, &hunk.old_text, &hunk.new_text)
        };
        match (hunk.kind, &hunk.contents) {
            (HunkKind::File, Some((before, after))) => {
                *side == if hunk.state == HunkState::Kept { after } else { before }.clone()
            }
            (HunkKind::Mode, Some((before, after))) => {
                let left = if hunk.state == HunkState::Kept { after } else { before };
                side.as_ref().map(|c| c.mode) == left.as_ref().map(|c| c.mode)
            }
            _ => {
                let lines = lines_of(side.as_ref());
                text_of(side.as_ref()).is_some()
                    && lines.get(at.clone()).is_some_and(|lines| lines.concat() == *text)
                    && fits(&lines, at, with)
            }
        }
    }

    /// Returns true if selected lines can be kept or undone separately.
    pub(super) fn can_part(&self, hunk: &Tracked, selection: &Selection, is_keep: bool) -> bool {
        let (side, at, text) = if is_keep {
            (&self.baseline, within(&hunk.old, &selection.old), cut(&hunk.new_text, &selection.new))
        } else {
            (&self.now, within(&hunk.new, &selection.new), cut(&hunk.old_text, &selection.old))
        };
        fits(&lines_of(side.as_ref()), &at, &text)
    }

    fn take_steps(&mut self, mut steps: Vec<Step>) {
        let (old, new) = (self.baseline.clone(), self.now.clone());
        steps.sort_by_key(|step| (step.at.start, step.at.end, step.hunk.born));
        let mut base_map = self.splice(&steps, Layer::Baseline);
        let mut now_map = self.splice(&steps, Layer::File);
        for step in &steps {
            self.replace(step, (&old, &new), (&mut base_map, &mut now_map));
        }
        self.user_lines.follow(&now_map, &lines_of(new.as_ref()), &lines_of(self.now.as_ref()));
        self.carry(&base_map, &now_map);
        let (mut of_base, mut of_now) = (base_map.iter(), now_map.iter());
        for mut step in steps {
            let Step { layer, hunk, .. } = &mut step;
            if hunk.kind == HunkKind::Lines || hunk.contents.is_none() {
                match layer {
                    Layer::Baseline => {
                        let at = of_base.next().map(|change| change.new.clone());
                        hunk.old = at.unwrap_or_default();
                        hunk.new = carried(&now_map, &hunk.new, Lean::After);
                    }
                    Layer::File => {
                        let at = of_now.next().map(|change| change.new.clone());
                        hunk.new = at.unwrap_or_default();
                        hunk.old = carried(&base_map, &hunk.old, Lean::After);
                    }
                }
            }
            let is_open = matches!(hunk.state, HunkState::Pending | HunkState::Modified);
            if is_open {
                self.open.push(step.hunk);
            } else {
                self.closed.push(step.hunk);
            }
        }
        self.open.sort_by_key(|hunk| (hunk.kind == HunkKind::Mode, hunk.new.start, hunk.old.start));
    }

    /// Replaces lines in one of the contents, for all steps about lines.
    fn splice(&mut self, steps: &[Step], layer: Layer) -> Vec<Change> {
        let of_lines: Vec<&Step> = steps
            .iter()
            .filter(|step| step.layer == layer && step.hunk.contents.is_none())
            .collect();
        if of_lines.is_empty() {
            return Vec::new();
        }
        let (side, other) = match layer {
            Layer::Baseline => (&self.baseline, &self.now),
            Layer::File => (&self.now, &self.baseline),
        };
        let splices: Vec<_> =
            of_lines.iter().map(|step| (step.at.clone(), step.text.clone())).collect();
        let (text, map) = spliced(&lines_of(side.as_ref()), &splices);
        let may_remove = of_lines.iter().any(|step| step.may_remove);
        let mode = side.as_ref().or(other.as_ref()).map_or(0o644, |content| content.mode);
        let content = (!(text.is_empty() && may_remove))
            .then(|| Content { bytes: text.into_bytes().into(), mode });
        match layer {
            Layer::Baseline => self.baseline = content,
            Layer::File => self.now = content,
        }
        map
    }

    /// Applies a step about the whole file or its mode.
    fn replace(
        &mut self,
        step: &Step,
        (baseline, now): (&Option<Content>, &Option<Content>),
        (base_map, now_map): (&mut Vec<Change>, &mut Vec<Change>),
    ) {
        let Some((before, after)) = &step.hunk.contents else { return };
        let is_open = matches!(step.hunk.state, HunkState::Pending | HunkState::Modified);
        let with = match (step.layer, is_open) {
            (Layer::Baseline, true) => before,
            (Layer::Baseline, false) => now,
            (Layer::File, true) => after,
            (Layer::File, false) => baseline,
        };
        let (side, map) = match step.layer {
            Layer::Baseline => (&mut self.baseline, base_map),
            Layer::File => (&mut self.now, now_map),
        };
        if let (HunkKind::Mode, Some(content), Some(with)) = (step.hunk.kind, side.as_mut(), with) {
            content.mode = with.mode;
        } else {
            *map = whole(lines_of(side.as_ref()).len(), lines_of(with.as_ref()).len());
            side.clone_from(with);
        }
    }
}
