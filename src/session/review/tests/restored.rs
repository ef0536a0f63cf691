//! Properties of a review while the user reverts the agent's edits, restores removed lines by hand, and writes new ones.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The number of lines in the file at first.
const LINES: usize = 8;

#[derive(Debug, Clone)]
enum Op {
    /// The agent replaces lines by new ones.
    Agent { at: usize, count: usize, lines: usize },
    /// The user inserts new lines.
    Write { at: usize, lines: usize },
    /// The user deletes lines, the agent's or their own.
    Delete { at: usize },
    /// The user restores a removed line next to its neighbours.
    Restore { which: usize, is_above: bool },
    /// The user's editor undoes the last change.
    Back,
    /// The user undoes a hunk in the review.
    Undo(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let at = || 0..16_usize;
    prop_oneof![
        6 => (at(), 0..4_usize, 0..3_usize)
            .prop_map(|(at, count, lines)| Op::Agent { at, count, lines }),
        3 => (at(), 1..3_usize).prop_map(|(at, lines)| Op::Write { at, lines }),
        2 => at().prop_map(|at| Op::Delete { at }),
        4 => (any::<usize>(), any::<bool>())
            .prop_map(|(which, is_above)| Op::Restore { which, is_above }),
        4 => Just(Op::Back),
        1 => any::<usize>().prop_map(Op::Undo),
    ]
}

fn first() -> Vec<String> {
    (0..LINES).map(|at| format!("l{at}")).collect()
}

/// Returns an original line's position among the original lines.
fn place(line: &str) -> Option<usize> {
    line.strip_prefix('l')?.parse().ok()
}

struct File {
    world: World,
    lines: Vec<String>,
    /// The contents before each change since the last decision, for taking it back.
    past: Vec<Vec<String>>,
    /// The contents since the last decision, and the review's display of each.
    shown: Vec<(Vec<String>, String)>,
}

impl File {
    fn set(&mut self, lines: Vec<String>, author: &Author) {
        let after = content(&lines.join(" "));
        self.shown.push((self.lines.clone(), shown(&self.world.review)));
        self.past.push(std::mem::replace(&mut self.lines, lines));
        self.world.change(after, author);
    }

    fn take(&mut self, op: &Op) {
        self.world.seq += 1;
        let seq = self.world.seq;
        let mut lines = self.lines.clone();
        match op {
            Op::Agent { at, count, lines: new } => {
                let start = (*at).min(lines.len());
                let end = (start + count).min(lines.len());
                lines.splice(start..end, (0..*new).map(|n| format!("a{seq}.{n}")));
                self.set(lines, &agent(seq));
            }
            Op::Write { at, lines: new } => {
                let at = (*at).min(lines.len());
                lines.splice(at..at, (0..*new).map(|n| format!("u{seq}.{n}")));
                self.set(lines, &Author::User);
            }
            Op::Delete { at } => {
                if lines.get(*at).is_some_and(|line| place(line).is_none()) {
                    lines.remove(*at);
                    self.set(lines, &Author::User);
                }
            }
            Op::Restore { which, is_above } => {
                let mut missing = first();
                missing.retain(|line| !lines.contains(line));
                let Some(line) = missing.get(which % missing.len().max(1)) else { return };
                let above = lines
                    .iter()
                    .rposition(|other| place(other).is_some_and(|n| Some(n) < place(line)));
                let below = lines.iter().position(|other| place(other) > place(line));
                let at = if *is_above {
                    above.map_or(0, |at| at + 1)
                } else {
                    below.unwrap_or(lines.len())
                };
                lines.insert(at, line.clone());
                self.set(lines, &Author::User);
            }
            Op::Back => {
                let Some(lines) = self.past.pop() else { return };
                self.set(lines, &Author::User);
                self.past.pop();
                let is = shown(&self.world.review);
                let mut were = self.shown.iter().filter(|(lines, _)| *lines == self.lines);
                assert!(were.any(|(_, was)| *was == is), "taken back: {is}");
            }
            Op::Undo(n) => {
                let hunks = self.world.review.hunks();
                let Some(hunk) = hunks.get(n % hunks.len().max(1)) else { return };
                let target = ReviewTarget::Hunk { hunk: hunk.id.clone(), changed_seq: None };
                self.undo(target);
                self.past.clear();
                self.shown.clear();
            }
        }
    }

    fn undo(&mut self, target: ReviewTarget) -> bool {
        let action = ReviewAction::Undo { target, discard_edits: false };
        let Ok(decision) = self.world.decide(&action) else { return true };
        let text = self.world.disk.as_ref().map(|c| String::from_utf8_lossy(&c.bytes).into_owned());
        self.lines = text.unwrap_or_default().lines().map(str::to_owned).collect();
        decision.parts.iter().all(|part| part.outcome == Outcome::Applied)
    }

    /// Checks the result of undoing everything.
    fn check(&self) {
        for hunk in self.world.review.hunks() {
            let text = self.lines.join(" ");
            assert!(text.contains(&flat(&hunk.new_text)), "an open hunk is in the file: {hunk:?}");
            for line in hunk.old_text.lines().filter(|line| !hunk.new_text.contains(line)) {
                assert!(!line.starts_with('a'), "it restores no line of the agent's: {line}");
            }
        }
        let (world, lines) = (
            World {
                review: self.world.review.clone(),
                disk: self.world.disk.clone(),
                seq: self.world.seq + 1,
            },
            self.lines.clone(),
        );
        let mut undone = Self { world, lines, past: Vec::new(), shown: Vec::new() };
        let is_applied = undone.undo(ReviewTarget::All);
        let after: BTreeSet<&String> = undone.lines.iter().collect();
        assert_eq!(after.len(), undone.lines.len(), "no line is twice: {:?}", undone.lines);
        let own = self.lines.iter().filter(|line| line.starts_with('u'));
        let lost: Vec<_> = own.filter(|line| !after.contains(line)).collect();
        assert!(lost.is_empty(), "a person's lines: {lost:?}");
        if is_applied {
            let kept: Vec<String> =
                undone.lines.iter().filter(|line| !line.starts_with('u')).cloned().collect();
            assert_eq!(kept, first(), "the agent's changes are undone: {:?}", undone.lines);
        }
    }
}

fn shown(review: &Review) -> String {
    let mut out = String::new();
    for hunk in review.hunks() {
        let (old, new) = (flat(&hunk.old_text), flat(&hunk.new_text));
        let state =
            if hunk.state == HunkState::Conflict { HunkState::Modified } else { hunk.state };
        let _ = write!(out, "{} {state:?} {:?}:[{old}]>[{new}]; ", hunk.id, hunk.after);
    }
    out
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn what_a_person_restores_is_restored_once(ops in prop::collection::vec(op(), 1..24)) {
        let lines = first();
        let mut file = File { world: World::new(&lines.join(" ")), lines, past: Vec::new(), shown: Vec::new() };
        // User changes are known from the agent's first one on.
        let first = Op::Agent { at: LINES, count: 0, lines: 1 };
        for op in std::iter::once(&first).chain(&ops) {
            file.take(op);
            file.check();
        }
    }
}
