//! Properties of any sequence of changes and decisions.

use super::*;
use pintle_base::text::line_diff::{changes, split};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Something that happens, with numbers that are taken modulo what there is.
#[derive(Debug, Clone)]
enum Op {
    /// Lines are replaced; few different ones, so that texts resemble each other.
    Edit {
        is_agent: bool,
        at: usize,
        count: usize,
        lines: Vec<u8>,
    },
    /// The file goes, comes, gets other mode bits, becomes bytes.
    File {
        is_agent: bool,
        what: u8,
    },
    /// An earlier content comes back.
    Rewind(usize),
    Keep(usize, Which),
    Undo(usize, Which, bool),
    Revert(usize),
    Comment(usize),
}

#[derive(Debug, Clone, Copy)]
enum Which {
    Hunk,
    Lines([u64; 4]),
    Turn,
    All,
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        4 => Just(Which::Hunk),
        3 => prop::array::uniform4(0..4_u64).prop_map(Which::Lines),
        1 => Just(Which::Turn),
        1 => Just(Which::All),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let lines = || prop::collection::vec(0..4_u8, 0..4);
    prop_oneof![
        10 => (any::<bool>(), 0..12_usize, 0..4_usize, lines())
            .prop_map(|(is_agent, at, count, lines)| Op::Edit { is_agent, at, count, lines }),
        1 => (any::<bool>(), 0..5_u8).prop_map(|(is_agent, what)| Op::File { is_agent, what }),
        1 => any::<usize>().prop_map(Op::Rewind),
        3 => (any::<usize>(), which()).prop_map(|(n, which)| Op::Keep(n, which)),
        3 => (any::<usize>(), which(), prop::bool::weighted(0.2))
            .prop_map(|(n, which, discard)| Op::Undo(n, which, discard)),
        3 => any::<usize>().prop_map(Op::Revert),
        1 => any::<usize>().prop_map(Op::Comment),
    ]
}

/// Review inputs, for replaying them.
#[derive(Debug, Clone)]
enum Input {
    Changed(u64, Option<Content>, Option<Content>, Author),
    Decision(u64, ReviewDecision),
}

struct Run {
    world: World,
    inputs: Vec<Input>,
    past: Vec<Option<Content>>,
    decisions: Vec<u64>,
    has_kept: bool,
    /// User lines that a rewind or a revert brought back, or whose ending the agent took: they no longer count as typed by the user.
    returned: BTreeSet<String>,
}

impl Run {
    fn change(&mut self, after: Option<Content>, author: &Author) {
        let before = self.world.disk.clone();
        self.inputs.push(Input::Changed(self.world.seq, before, after.clone(), author.clone()));
        self.past.push(after.clone());
        self.world.change(after, author);
    }

    fn target(&self, n: usize, which: Which) -> Option<ReviewTarget> {
        let hunks = self.world.review.hunks();
        let hunk = hunks.get(n % hunks.len().max(1))?;
        Some(match which {
            Which::All => ReviewTarget::All,
            Which::Turn => ReviewTarget::Turn { turn_id: hunk.made_by.first()?.turn_id.clone() },
            Which::Hunk => ReviewTarget::Hunk { hunk: hunk.id.clone(), changed_seq: None },
            Which::Lines(at) => {
                let span = |start, count| Some(LineSpan { start, count });
                ReviewTarget::Lines {
                    hunk: hunk.id.clone(),
                    changed_seq: hunk.changed_seq,
                    lines: LineSelection { old: span(at[0], at[1]), new: span(at[2], at[3]) },
                }
            }
        })
    }

    fn decide(&mut self, action: &ReviewAction) -> Option<ReviewDecision> {
        let decision = self.world.decide(action).ok()?;
        self.inputs.push(Input::Decision(self.world.seq, decision.clone()));
        self.decisions.push(self.world.seq);
        Some(decision)
    }

    fn take(&mut self, op: &Op) {
        let before = persons_lines(self.world.disk.as_ref());
        self.happens(op);
        if matches!(op, Op::Rewind(_) | Op::Revert(_)) {
            let after = persons_lines(self.world.disk.as_ref());
            self.returned.extend(after.difference(&before).cloned());
        }
        if matches!(op, Op::File { is_agent: true, what: 3 }) {
            let text = self.world.disk.as_ref().map(|c| String::from_utf8_lossy(&c.bytes));
            let last = text.and_then(|text| text.lines().last().map(str::to_owned));
            self.returned.extend(last);
        }
    }

    fn happens(&mut self, op: &Op) {
        self.world.seq += 1;
        let seq = self.world.seq;
        let disk = self.world.disk.clone();
        match op {
            Op::Edit { is_agent, at, count, lines } => {
                let text = disk.as_ref().map(|c| String::from_utf8_lossy(&c.bytes).into_owned());
                let text = text.filter(|text| !text.contains('\0')).unwrap_or_default();
                let mut all: Vec<String> = split(&text).iter().map(|l| (*l).to_owned()).collect();
                let start = (*at).min(all.len());
                let end = (start + count).min(all.len());
                let is_behind_all = start == all.len() && !lines.is_empty();
                if let Some(last) = all.last_mut().filter(|l| is_behind_all && !l.ends_with('\n')) {
                    last.push('\n');
                }
                // User lines are all different, so that each can be searched for.
                let line = |(n, kind): (usize, &u8)| match is_agent {
                    true => format!("a{kind}\n"),
                    false => format!("u{seq}.{n}\n"),
                };
                all.splice(start..end, lines.iter().enumerate().map(line));
                let mode = disk.as_ref().map_or(0o644, |c| c.mode);
                let content = Content { bytes: all.concat().into_bytes().into(), mode };
                self.change(Some(content), &author(*is_agent, seq));
            }
            Op::File { is_agent, what } => {
                let after = match (what, disk) {
                    (0, Some(_)) => None,
                    (1, Some(c)) => Some(Content { mode: c.mode ^ 0o111, ..c }),
                    (2, Some(_)) => Some(Content { bytes: vec![0, 1].into(), mode: 0o644 }),
                    // Without a line end.
                    (3, Some(c)) if c.bytes.last() == Some(&b'\n') => {
                        Some(Content { bytes: c.bytes[..c.bytes.len() - 1].into(), ..c })
                    }
                    (_, disk) => disk,
                };
                self.change(after, &author(*is_agent, seq));
            }
            Op::Rewind(n) => {
                let after = self.past[n % self.past.len()].clone();
                self.change(after, &Author::Rewind);
            }
            Op::Keep(n, which) => {
                let Some(target) = self.target(*n, *which) else { return };
                let kept = self.decide(&ReviewAction::Keep { target });
                self.has_kept |= kept.is_some();
                assert_eq!(self.world.disk, disk, "keep changes no byte");
            }
            Op::Undo(n, which, discard_edits) => self.undo(*n, *which, *discard_edits),
            Op::Revert(n) => {
                let Some(decision) = self.decisions.get(n % self.decisions.len().max(1)) else {
                    return;
                };
                let decision = *decision;
                self.decide(&ReviewAction::Revert { decision });
            }
            Op::Comment(n) => {
                let hunks = self.world.review.hunks();
                let Some(hunk) = hunks.get(n % hunks.len().max(1)) else { return };
                let (hunk, text) = (hunk.id.clone(), "why".to_owned());
                self.decide(&ReviewAction::Comment { hunk, side: Side::Old, lines: None, text });
            }
        }
    }

    fn undo(&mut self, n: usize, which: Which, discard_edits: bool) {
        let Some(target) = self.target(n, which) else { return };
        let (disk, hunks) = (self.world.disk.clone(), self.world.review.hunks());
        let Some(decision) = self.decide(&ReviewAction::Undo { target, discard_edits }) else {
            return;
        };
        if !discard_edits {
            let after = persons_lines(self.world.disk.as_ref());
            let before = persons_lines(disk.as_ref());
            // Of a line that only lost or got its end the new one may be chosen alone.
            let rewritten: BTreeSet<&str> = hunks.iter().flat_map(|h| h.old_text.lines()).collect();
            let is_nobodys =
                |line: &String| self.returned.contains(line) || rewritten.contains(line.as_str());
            let lost: Vec<_> = before.difference(&after).filter(|line| !is_nobodys(line)).collect();
            assert!(lost.is_empty(), "undo took a person's lines: {lost:?}");
        }
        let undone = decision.parts.iter().filter(|part| part.outcome == Outcome::Applied).count();
        // Undone again on a copy: everything is as before.
        let mut copy = World {
            review: self.world.review.clone(),
            disk: self.world.disk.clone(),
            seq: self.world.seq + 1,
        };
        let reverted = copy.decide(&ReviewAction::Revert { decision: self.world.seq });
        assert_eq!(reverted.is_ok(), undone > 0, "{reverted:?}");
        assert_eq!(copy.disk, disk, "undo, then undone, gives the bytes back");
        // If lines repeat, the same difference can be read in several ways while the undone lines are missing; so neighbours may swap
        // names, never positions or texts.
        let places = |hunks: Vec<Hunk>| -> Vec<_> {
            hunks.into_iter().map(|h| (h.before, h.after, h.old_text, h.new_text)).collect()
        };
        if matches!(which, Which::Hunk | Which::Turn | Which::All) {
            assert_eq!(places(copy.review.hunks()), places(hunks), "and the hunks");
        }
    }

    fn check(&self) {
        let review = &self.world.review;
        let Some(now) = review.now(PATH) else { return };
        assert_eq!(now, self.world.disk.as_ref(), "the review knows the disk");
        let baseline = review.baseline(PATH).unwrap();
        let hunks = review.hunks();
        assert_eq!(hunks.is_empty(), baseline == now, "hunks are the difference");
        if let (Some(before), Some(after)) = (baseline, now) {
            let (before, after) =
                (String::from_utf8_lossy(&before.bytes), String::from_utf8_lossy(&after.bytes));
            if !before.contains('\0') && !after.contains('\0') {
                let (old, new) = (split(&before), split(&after));
                let want: Vec<_> = changes(&old, &new)
                    .into_iter()
                    .map(|c| (c.old.start, c.new.start, old[c.old].concat(), new[c.new].concat()))
                    .collect();
                let found: Vec<_> = hunks
                    .iter()
                    .filter(|hunk| hunk.kind == pintle_protocol::review::HunkKind::Lines)
                    .map(|hunk| {
                        let at = |start: u64| usize::try_from(start - 1).unwrap();
                        let texts = (hunk.old_text.clone(), hunk.new_text.clone());
                        (at(hunk.before.start), at(hunk.after.start), texts.0, texts.1)
                    })
                    .collect();
                assert_eq!(found, want, "hunks are the difference of baseline and file");
            }
        }
        let all: Vec<HunkId> =
            hunks.into_iter().chain(review.closed()).map(|hunk| hunk.id).collect();
        let different: BTreeSet<&HunkId> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "an id names one hunk");
        if !self.has_kept {
            let text = baseline.map(|c| String::from_utf8_lossy(&c.bytes).into_owned());
            let text = text.unwrap_or_default();
            assert!(!text.lines().any(|line| line.starts_with('a')), "nothing slips in: {text:?}");
        }
    }
}

fn author(is_agent: bool, seq: u64) -> Author {
    if is_agent { agent(seq % 5) } else { Author::User }
}

fn persons_lines(content: Option<&Content>) -> BTreeSet<String> {
    let text = content.map(|c| String::from_utf8_lossy(&c.bytes).into_owned()).unwrap_or_default();
    text.lines().filter(|line| line.starts_with('u')).map(str::to_owned).collect()
}

fn run(ops: &[Op]) -> Run {
    let start = content("l1 l2 l3 l2 l4 l1 l5 l6");
    let world = World { review: Review::new(), disk: start.clone(), seq: 0 };
    let mut run = Run {
        world,
        inputs: Vec::new(),
        past: vec![start],
        decisions: Vec::new(),
        has_kept: false,
        returned: BTreeSet::new(),
    };
    for op in ops {
        run.take(op);
        run.check();
    }
    run
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn whatever_happens_the_review_holds(ops in prop::collection::vec(op(), 1..40)) {
        let run = run(&ops);
        // Told again, it is the same.
        let mut again = Review::new();
        for input in run.inputs {
            match input {
                Input::Changed(seq, before, after, author) => {
                    again.changed(seq, PATH, before, after, &author);
                }
                Input::Decision(seq, decision) => again.record(seq, &decision),
            }
        }
        prop_assert_eq!(again, run.world.review);
    }
}
