use super::*;
use pintle_protocol::diff::Side;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::review::{LineSelection, LineSpan, Maker, NoteKind, ReviewTarget};
use std::fmt::Write as _;

mod hunks;
mod properties;
mod restored;

const PATH: &str = "/w/a.txt";

pub(super) fn agent(turn: u64) -> Author {
    Author::Agent(Maker {
        turn_id: TurnId::new(format!("t{turn}")),
        item_id: ItemId::new(format!("i{turn}")),
        while_ran: None,
    })
}

/// One event; the first is event 1. Texts are lines without line endings, separated by spaces; `-` is a missing file.
#[derive(Debug, Clone, Copy)]
enum Step {
    Agent(&'static str),
    User(&'static str),
    Rewind(&'static str),
    Mode(&'static str, u32),
    UserMode(&'static str, u32),
    Keep(&'static str),
    Undo(&'static str),
    Discard(&'static str),
    /// Lines of a hunk: first and count before, first and count now.
    KeepLines(&'static str, [u64; 4]),
    UndoLines(&'static str, [u64; 4]),
    Revert(u64),
    Comment(&'static str, &'static str),
    Told,
}
use Step::*;

fn content(lines: &str) -> Option<Content> {
    match lines {
        "-" => None,
        "" => Some(Content::text("")),
        "bin1" => Some(Content { bytes: b"\0one".as_slice().into(), mode: 0o644 }),
        "bin2" => Some(Content { bytes: b"\0two".as_slice().into(), mode: 0o644 }),
        _ => match lines.strip_suffix('$') {
            Some(open) => Some(Content::text(&open.replace(' ', "\n"))),
            None => Some(Content::text(&format!("{}\n", lines.replace(' ', "\n")))),
        },
    }
}

fn flat(text: &str) -> String {
    text.replace('\n', " ").trim_end().to_owned()
}

struct World {
    review: Review,
    disk: Option<Content>,
    seq: u64,
}

impl World {
    fn new(start: &str) -> Self {
        Self { review: Review::new(), disk: content(start), seq: 0 }
    }

    fn change(&mut self, after: Option<Content>, author: &Author) {
        let before = std::mem::replace(&mut self.disk, after.clone());
        self.review.changed(self.seq, PATH, before, after, author);
    }

    fn decide(&mut self, action: &ReviewAction) -> Result<ReviewDecision, Refused> {
        let plan = self.review.plan(action, &|_| self.disk.clone())?;
        for write in &plan.writes {
            assert_eq!(write.before, self.disk);
            self.disk.clone_from(&write.after);
        }
        self.review.record(self.seq, &plan.decision);
        Ok(plan.decision)
    }

    fn take(&mut self, step: Step) -> Result<Option<ReviewDecision>, Refused> {
        self.seq += 1;
        let hunk = |id: &str| match id {
            "all" => ReviewTarget::All,
            "file" => ReviewTarget::File { path: PATH.to_owned() },
            id if id.starts_with('t') => ReviewTarget::Turn { turn_id: TurnId::new(id) },
            id => ReviewTarget::Hunk { hunk: HunkId::new(id), changed_seq: None },
        };
        let lines = |review: &Review, id: &str, at: [u64; 4]| {
            let span = |start, count| Some(LineSpan { start, count }).filter(|_| count > 0);
            let hunks = review.hunks();
            let known = hunks.iter().find(|hunk| hunk.id.as_str() == id);
            ReviewTarget::Lines {
                hunk: HunkId::new(id),
                changed_seq: known.map_or(0, |hunk| hunk.changed_seq),
                lines: LineSelection { old: span(at[0], at[1]), new: span(at[2], at[3]) },
            }
        };
        let undo = |target, discard_edits| ReviewAction::Undo { target, discard_edits };
        let action = match step {
            Agent(text) => return Ok(self.change_by(text, &agent(self.seq))),
            User(text) => return Ok(self.change_by(text, &Author::User)),
            Rewind(text) => return Ok(self.change_by(text, &Author::Rewind)),
            Mode(text, mode) => {
                self.change(content(text).map(|c| Content { mode, ..c }), &agent(self.seq));
                return Ok(None);
            }
            UserMode(text, mode) => {
                self.change(content(text).map(|c| Content { mode, ..c }), &Author::User);
                return Ok(None);
            }
            Told => {
                let seqs = self.review.pending_note().seqs;
                self.review.reported(&seqs);
                return Ok(None);
            }
            Keep(id) => ReviewAction::Keep { target: hunk(id) },
            Undo(id) => undo(hunk(id), false),
            Discard(id) => undo(hunk(id), true),
            KeepLines(id, at) => ReviewAction::Keep { target: lines(&self.review, id, at) },
            UndoLines(id, at) => undo(lines(&self.review, id, at), false),
            Revert(decision) => ReviewAction::Revert { decision },
            Comment(id, text) => ReviewAction::Comment {
                hunk: HunkId::new(id),
                side: Side::New,
                lines: None,
                text: text.to_owned(),
            },
        };
        self.decide(&action).map(Some)
    }

    fn change_by(&mut self, text: &str, author: &Author) -> Option<ReviewDecision> {
        self.change(content(text), author);
        None
    }

    /// Returns the current state: the open hunks, the baseline, the disk.
    fn shown(&self) -> String {
        let mut out = String::new();
        for hunk in self.review.hunks() {
            let state = format!("{:?}", hunk.state).to_lowercase();
            let (old, new) = (flat(&hunk.old_text), flat(&hunk.new_text));
            let _ = write!(out, "{} {state} {}:[{old}]>[{new}]; ", hunk.id, hunk.after.start);
        }
        let side = |content: Option<&Content>| {
            content.map_or("-".to_owned(), |c| flat(&String::from_utf8_lossy(&c.bytes)))
        };
        let baseline = self.review.baseline(PATH).flatten();
        let _ = write!(out, "base {} | disk {}", side(baseline), side(self.disk.as_ref()));
        out.trim_end().to_owned()
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let rows: &[(&str, &[Step], Step, &str)] = &[
        (
            "an unknown hunk",
            &[Agent("x b")],
            Keep("9.9"),
            "hunk 9.9 does not exist; list the hunks again",
        ),
        (
            "a hunk that is kept",
            &[Agent("x b"), Keep("1.1")],
            Undo("1.1"),
            "hunk 1.1 is not open but kept; list the hunks again",
        ),
        (
            "nothing open",
            &[Agent("x b"), Keep("all")],
            Undo("all"),
            "there is no open hunk to decide about",
        ),
        (
            "lines that are not there",
            &[Agent("x b")],
            KeepLines("1.1", [0, 0, 2, 1]),
            "select at least one line of hunk 1.1: old lines 1 to 1, new lines 1 to 1",
        ),
        (
            "line 0",
            &[Agent("x b")],
            KeepLines("1.1", [0, 0, 0, 1]),
            "select at least one line of hunk 1.1: old lines 1 to 1, new lines 1 to 1",
        ),
        (
            "lines without end",
            &[Agent("x b")],
            KeepLines("1.1", [0, 0, u64::MAX, u64::MAX]),
            "select at least one line of hunk 1.1: old lines 1 to 1, new lines 1 to 1",
        ),
        (
            "no lines",
            &[Agent("x b")],
            UndoLines("1.1", [0, 0, 0, 0]),
            "select at least one line of hunk 1.1: old lines 1 to 1, new lines 1 to 1",
        ),
        (
            "an event that is not a decision",
            &[Agent("x b")],
            Revert(1),
            "event 1 is not a decision",
        ),
        (
            "a decision that is undone",
            &[Agent("x b"), Keep("all"), Revert(2)],
            Revert(2),
            "decision 2 was already reverted by event 3; revert that one instead",
        ),
        (
            "a decision that did nothing",
            &[Agent("x b"), User("u b"), Undo("all")],
            Revert(3),
            "decision 3 changed nothing, so there is nothing to undo",
        ),
        (
            "lines that the last line's end hangs on",
            &[Agent("x y z$")],
            KeepLines("1.1", [0, 0, 3, 1]),
            "these lines of hunk 1.1 cannot be decided separately, since the last line of the file has no line ending; decide on the whole hunk",
        ),
    ];
    for (name, steps, last, want) in rows {
        let start = if name.contains("hangs") { "a b$" } else { "a b" };
        let mut world = World::new(start);
        for step in *steps {
            world.take(*step).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        }
        let before = world.review.clone();
        assert_eq!(world.take(*last).unwrap_err().to_string(), *want, "{name}");
        assert_eq!(world.review, before, "{name}");
    }
}

#[test]
fn a_decision_about_what_was_shown_is_refused_once_it_is_something_else() {
    let mut world = World::new("a b");
    world.take(Agent("a x")).unwrap();
    let shown = world.review.hunks().remove(0);
    let target = ReviewTarget::Hunk { hunk: shown.id, changed_seq: Some(shown.changed_seq) };
    let keep = ReviewAction::Keep { target };
    assert!(world.review.plan(&keep, &|_| None).is_ok());
    world.take(Agent("n a x")).unwrap();
    assert!(world.review.plan(&keep, &|_| None).is_ok(), "it only moved");
    world.take(Agent("n a y")).unwrap();
    let refused = world.review.plan(&keep, &|_| None).unwrap_err();
    assert!(refused.to_string().contains("has changed since it was shown"), "{refused}");
}

#[test]
fn a_changed_file_is_found_in_the_case_that_a_client_writes() {
    let mut world = World::new("a b c");
    world.take(Agent("x b c")).unwrap();
    for (system, named, want) in [
        (System::Linux, PATH, Some(PATH)),
        (System::Linux, "/W/A.TXT", None),
        (System::MacOs, "/W/A.TXT", Some(PATH)),
        (System::Windows, "/W/a.txt", Some(PATH)),
        (System::Windows, "/w/b.txt", None),
    ] {
        assert_eq!(world.review.known_path(system, named), want, "{system:?}: {named}");
    }
    world.review.changed(9, "/W/A.TXT", content("-"), content("new"), &agent(9));
    let known = world.review.known_path(System::Windows, "/W/A.TXT");
    assert_eq!(known, Some("/W/A.TXT"), "where both exist");
}

#[test]
fn an_undo_waits_until_the_review_knows_the_file() {
    let mut world = World::new("a b c");
    world.take(Agent("a b x")).unwrap();
    world.disk = content("u a b x");
    let refused = world.take(Undo("1.1")).unwrap_err();
    assert_eq!(refused, Refused::Unseen { path: PATH.to_owned() });
    let seen = content("a b x");
    world.review.changed(3, PATH, seen, world.disk.clone(), &Author::User);
    world.take(Undo("1.1")).unwrap();
    assert_eq!(world.shown(), "base u a b c | disk u a b c");
}

#[test]
fn a_conflict_shows_all_three_texts() {
    let mut world = World::new("a b c");
    for step in [Agent("a x y c"), User("a x u c")] {
        world.take(step).unwrap();
    }
    let decision = world.take(Undo("1.1")).unwrap().unwrap();
    let text = decision.parts[0].conflict.clone().unwrap();
    let want = "<<<<<<< present x u ||||||| agent x y ======= b >>>>>>> before";
    assert_eq!(flat(&text), want);
}

#[test]
fn a_hunk_knows_who_made_it_and_what_became_of_it() {
    let mut world = World::new("a b c");
    for step in [Agent("a b y"), Agent("x b y"), Agent("x z y"), Comment("1.1", "why?")] {
        world.take(step).unwrap();
    }
    let hunk = world.review.hunks().remove(0);
    let turns: Vec<&str> = hunk.made_by.iter().map(|maker| maker.turn_id.as_str()).collect();
    assert_eq!((turns, hunk.changed_seq), (vec!["t1", "t2", "t3"], 3));
    assert_eq!(hunk.comments[0].text, "why?");
    let closed = world.review.closed().remove(0);
    assert_eq!((closed.id.as_str(), closed.state), ("2.1", HunkState::Absorbed));
    assert_eq!(closed.absorbed_by, Some(hunk.id));
}

#[test]
fn the_model_is_told_once_what_became_of_its_changes() {
    let rows: &[(&str, &[Step], &[&str])] = &[
        ("nothing", &[Agent("x b c")], &[]),
        ("kept", &[Agent("x b c"), Keep("all")], &["/w/a.txt:1 kept"]),
        (
            "undone",
            &[Agent("x b c"), Undo("all")],
            &["/w/a.txt:1 undone, these lines are gone:", "    x"],
        ),
        (
            "edited",
            &[Agent("x b c"), User("u b c")],
            &["/w/a.txt:1 edited by hand, now reads:", "    u"],
        ),
        (
            "edited twice is reported once",
            &[Agent("x b c"), User("u b c"), User("v b c")],
            &["/w/a.txt:1 edited by hand, now reads:", "    v"],
        ),
        ("edited, then kept", &[Agent("x b c"), User("u b c"), Keep("all")], &["/w/a.txt:1 kept"]),
        (
            "taken back by hand",
            &[Agent("x b c"), User("a b c")],
            &["/w/a.txt:1 undone, these lines are gone:", "    x"],
        ),
        (
            "reverted by hand and restored before it was reported",
            &[Agent("x b c"), User("a b c"), User("x b c")],
            &[],
        ),
        (
            "reverted by hand and restored after it was reported",
            &[Agent("x b c"), User("a b c"), Told, User("x b c")],
            &["/w/a.txt:1 no longer decided"],
        ),
        (
            "a comment",
            &[Agent("x b c"), Comment("1.1", "too\nlong")],
            &["/w/a.txt:1 comment:", "    too", "    long"],
        ),
        ("reverted before it was reported", &[Agent("x b c"), Undo("all"), Revert(2)], &[]),
        ("told", &[Agent("x b c"), Keep("all"), Told], &[]),
        (
            "reverted after it was reported",
            &[Agent("x b c"), Keep("all"), Told, Revert(2)],
            &["/w/a.txt:1 no longer decided"],
        ),
        ("a comment taken back", &[Agent("x b c"), Comment("1.1", "no"), Revert(2)], &[]),
        (
            "a comment taken back, and given again",
            &[Agent("x b c"), Comment("1.1", "no"), Revert(2), Revert(3)],
            &["/w/a.txt:1 comment:", "    no"],
        ),
        ("an edit elsewhere is not told", &[Agent("x b c"), User("x b u")], &[]),
    ];
    for (name, steps, want) in rows {
        let mut world = World::new("a b c");
        for step in *steps {
            world.take(*step).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        }
        let note = world.review.pending_note();
        assert_eq!(render(&note).lines().collect::<Vec<_>>(), *want, "{name}");
        assert!(
            note.entries.iter().all(|entry| entry.what != NoteKind::Kept || entry.text.is_empty())
        );
    }
}
