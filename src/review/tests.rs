use super::*;
use pintle_protocol::diff::Side;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::review::{LineSelection, LineSpan, Maker, NoteKind, ReviewTarget};
use std::fmt::Write as _;

mod properties;

const PATH: &str = "/w/a.txt";

pub(super) fn agent(turn: u64) -> Author {
    Author::Agent(Maker {
        turn_id: TurnId::new(format!("t{turn}")),
        item_id: ItemId::new(format!("i{turn}")),
    })
}

/// One thing that happens; the first one is event 1. Texts are lines without ends, parted by spaces; `-` is no file.
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

    fn decide(&mut self, action: &ReviewAction) -> Result<Verdict, Refused> {
        let plan = self.review.plan(action, &|_| self.disk.clone())?;
        for write in &plan.writes {
            assert_eq!(write.before, self.disk);
            self.disk.clone_from(&write.after);
        }
        self.review.record(self.seq, &plan.verdict);
        Ok(plan.verdict)
    }

    fn take(&mut self, step: Step) -> Result<Option<Verdict>, Refused> {
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
                let seqs = self.review.note().seqs;
                self.review.told(&seqs);
                return Ok(None);
            }
            Keep(id) => ReviewAction::Keep { target: hunk(id) },
            Undo(id) => undo(hunk(id), false),
            Discard(id) => undo(hunk(id), true),
            KeepLines(id, at) => ReviewAction::Keep { target: lines(&self.review, id, at) },
            UndoLines(id, at) => undo(lines(&self.review, id, at), false),
            Revert(verdict) => ReviewAction::Revert { verdict },
            Comment(id, text) => ReviewAction::Comment {
                hunk: HunkId::new(id),
                side: Side::New,
                lines: None,
                text: text.to_owned(),
            },
        };
        self.decide(&action).map(Some)
    }

    fn change_by(&mut self, text: &str, author: &Author) -> Option<Verdict> {
        self.change(content(text), author);
        None
    }

    /// What there is: the open hunks, the baseline, the disk.
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
fn hunks_follow_what_happens() {
    let rows: &[(&str, &str, &[Step], &str)] = &[
        ("nothing by the agent, nothing to review", "a", &[User("b")], "base - | disk b"),
        (
            "a changed line",
            "a b c",
            &[Agent("a x c")],
            "1.1 pending 2:[b]>[x]; base a b c | disk a x c",
        ),
        (
            "two places",
            "a b c",
            &[Agent("x b y")],
            "1.1 pending 1:[a]>[x]; 1.2 pending 3:[c]>[y]; base a b c | disk x b y",
        ),
        ("a file that comes", "-", &[Agent("a b")], "1.1 pending 1:[]>[a b]; base - | disk a b"),
        ("an empty file that comes", "-", &[Agent("")], "1.1 pending 1:[]>[]; base - | disk"),
        ("a file that goes", "a b", &[Agent("-")], "1.1 pending 1:[a b]>[]; base a b | disk -"),
        (
            "a file that is no text",
            "bin1",
            &[Agent("bin2")],
            "1.1 pending 1:[]>[]; base \0one | disk \0two",
        ),
        ("mode bits", "a", &[Mode("a", 0o755)], "1.1 pending 1:[]>[]; base a | disk a"),
        (
            "an id stays when lines come above",
            "a b c d",
            &[Agent("a b c x"), Agent("n n a b c x")],
            "2.1 pending 1:[]>[n n]; 1.1 pending 6:[d]>[x]; base a b c d | disk n n a b c x",
        ),
        (
            "an id stays when the hunk changes",
            "a b c",
            &[Agent("a x c"), Agent("a y z c")],
            "1.1 pending 2:[b]>[y z]; base a b c | disk a y z c",
        ),
        (
            "hunks that grow together keep the older id",
            "a b c",
            &[Agent("a b y"), Agent("x b y"), Agent("x z y")],
            "1.1 pending 1:[a b c]>[x z y]; base a b c | disk x z y",
        ),
        (
            "of a hunk that falls apart the first part keeps the id",
            "a b c",
            &[Agent("x y z"), Agent("x b z")],
            "1.1 pending 1:[a]>[x]; 2.1 pending 3:[c]>[z]; base a b c | disk x b z",
        ),
        (
            "the agent takes its change back",
            "a b",
            &[Agent("a x"), Agent("a b")],
            "base a b | disk a b",
        ),
        (
            "a person's edit elsewhere is no hunk",
            "a b c d",
            &[Agent("a b c x"), User("u b c x")],
            "1.1 pending 4:[d]>[x]; base u b c d | disk u b c x",
        ),
        (
            "a person's lines right beside a hunk are no hunk",
            "a b c",
            &[Agent("a x c"), User("a u x v c")],
            "1.1 pending 3:[b]>[x]; base a u b v c | disk a u x v c",
        ),
        (
            "a person deletes a line beside a hunk",
            "a b c",
            &[Agent("a x c"), User("x c")],
            "1.1 pending 1:[b]>[x]; base b c | disk x c",
        ),
        (
            "a person's line where the agent deleted one",
            "a b c",
            &[Agent("a c"), User("a u c")],
            "1.1 pending 3:[b]>[]; base a u b c | disk a u c",
        ),
        (
            "a person's edit in a hunk",
            "a b c",
            &[Agent("a x y z c"), User("a x u z c")],
            "1.1 modified 2:[b]>[x u z]; base a b c | disk a x u z c",
        ),
        (
            "a person's edit over a border stays in the hunk",
            "a b c d",
            &[Agent("a x y d"), User("a x u v d")],
            "1.1 modified 2:[b c]>[x u v]; base a b c d | disk a x u v d",
        ),
        ("a person takes a hunk back", "a b", &[Agent("a x"), User("a b")], "base a b | disk a b"),
        ("a person deletes the file", "a b", &[Agent("a x"), User("-")], "base - | disk -"),
        (
            "a person edits a new file",
            "-",
            &[Agent("a b"), User("a b u")],
            "1.1 modified 1:[]>[a b u]; base - | disk a b u",
        ),
        (
            "a person brings a deleted file back otherwise",
            "a b",
            &[Agent("-"), User("a u")],
            "1.1 modified 2:[b]>[u]; base a b | disk a u",
        ),
        (
            "a rewind takes hunks away",
            "a b c",
            &[Agent("x b c"), Agent("x b y"), Rewind("x b c")],
            "1.1 pending 1:[a]>[x]; base a b c | disk x b c",
        ),
        (
            "a rewind that is undone brings the same hunk again",
            "a b",
            &[Agent("x b"), Rewind("a b"), Rewind("x b")],
            "1.1 pending 1:[a]>[x]; base a b | disk x b",
        ),
        (
            "no line end at the end",
            "a b$",
            &[Agent("a b c$")],
            "1.1 pending 2:[b]>[b c]; base a b | disk a b c",
        ),
        (
            "keep",
            "a b c",
            &[Agent("x b y"), Keep("1.1")],
            "1.2 pending 3:[c]>[y]; base x b c | disk x b y",
        ),
        ("keep all", "a b c", &[Agent("x b y"), Keep("all")], "base x b y | disk x b y"),
        ("keep a file that came", "-", &[Agent("a"), Keep("file")], "base a | disk a"),
        (
            "keep mode bits",
            "a",
            &[Mode("x", 0o755), Keep("1.2")],
            "1.1 pending 1:[a]>[x]; base a | disk x",
        ),
        (
            "undo",
            "a b c",
            &[Agent("x b y"), Undo("1.2")],
            "1.1 pending 1:[a]>[x]; base a b c | disk x b c",
        ),
        (
            "undo of a turn",
            "a b c",
            &[Agent("x b c"), Agent("x b y"), Undo("t2")],
            "1.1 pending 1:[a]>[x]; base a b c | disk x b c",
        ),
        ("undo deletes a file that came", "-", &[Agent("a b"), Undo("all")], "base - | disk -"),
        (
            "undo brings back a file that went",
            "a b",
            &[Agent("-"), Undo("all")],
            "base a b | disk a b",
        ),
        ("undo of bytes", "bin1", &[Agent("bin2"), Undo("all")], "base \0one | disk \0one"),
        (
            "undo below a person's lines",
            "a b c",
            &[Agent("a b x"), User("u u a b x"), Undo("1.1")],
            "base u u a b c | disk u u a b c",
        ),
        (
            "undo of what a person edited is a conflict",
            "a b c",
            &[Agent("a x y c"), User("a x u c"), Undo("1.1")],
            "1.1 conflict 2:[b]>[x u]; base a b c | disk a x u c",
        ),
        (
            "undo where a person only deleted",
            "a b c",
            &[Agent("a x y c"), User("a x c"), Undo("1.1")],
            "base a b c | disk a b c",
        ),
        (
            "undo with the person's edits",
            "a b c",
            &[Agent("a x y c"), User("a x u c"), Discard("1.1")],
            "base a b c | disk a b c",
        ),
        (
            "keep of what a person edited",
            "a b c",
            &[Agent("a x y c"), User("a x u c"), Keep("1.1")],
            "base a x u c | disk a x u c",
        ),
        (
            "keep of some lines",
            "a b c",
            &[Agent("a x y z c"), KeepLines("1.1", [0, 0, 2, 1])],
            "1.1 pending 2:[b]>[x]; 2.2 pending 4:[]>[z]; base a b y c | disk a x y z c",
        ),
        (
            "keep of a pair of lines",
            "a b c",
            &[Agent("x y z"), KeepLines("1.1", [2, 1, 2, 1])],
            "1.1 pending 1:[a]>[x]; 2.2 pending 3:[c]>[z]; base a y c | disk x y z",
        ),
        (
            "undo of some lines",
            "a b c",
            &[Agent("a x y z c"), UndoLines("1.1", [0, 0, 1, 2])],
            "1.1 pending 2:[b]>[z]; base a b c | disk a z c",
        ),
        (
            "undo of a deletion alone",
            "a b c d",
            &[Agent("a x d"), UndoLines("1.1", [1, 1, 0, 0])],
            "1.1 pending 3:[c]>[x]; base a b c d | disk a b x d",
        ),
        (
            "keep, then undone",
            "a b c",
            &[Agent("x b y"), Keep("all"), Revert(2)],
            "1.1 pending 1:[a]>[x]; 1.2 pending 3:[c]>[y]; base a b c | disk x b y",
        ),
        (
            "undo, then undone",
            "a b c",
            &[Agent("x b y"), Undo("all"), Revert(2)],
            "1.1 pending 1:[a]>[x]; 1.2 pending 3:[c]>[y]; base a b c | disk x b y",
        ),
        (
            "undo, undone, and once more",
            "a b",
            &[Agent("x b"), Undo("all"), Revert(2), Revert(3)],
            "base a b | disk a b",
        ),
        (
            "keep, undone, and once more",
            "a b",
            &[Agent("x b"), Keep("all"), Revert(2), Revert(3)],
            "base x b | disk x b",
        ),
        (
            "undo of a new file, then undone",
            "-",
            &[Agent("a b"), Undo("all"), Revert(2)],
            "1.1 pending 1:[]>[a b]; base - | disk a b",
        ),
        (
            "keep of some lines, then undone",
            "a b c",
            &[Agent("a x y z c"), KeepLines("1.1", [0, 0, 2, 1]), Revert(2)],
            "1.1 pending 2:[b]>[x y z]; base a b c | disk a x y z c",
        ),
        (
            "undo of some lines, then undone",
            "a b c",
            &[Agent("a x y z c"), UndoLines("1.1", [0, 0, 1, 2]), Revert(2)],
            "1.1 pending 2:[b]>[x y z]; base a b c | disk a x y z c",
        ),
        (
            "some lines of a new file, then undone",
            "-",
            &[Agent("a b c"), KeepLines("1.1", [0, 0, 1, 1]), Revert(2)],
            "1.1 pending 1:[]>[a b c]; base - | disk a b c",
        ),
        (
            "a verdict is undone below later lines",
            "a b c",
            &[Agent("a b x"), Undo("1.1"), Agent("n a b c"), Revert(2)],
            "3.1 pending 1:[]>[n]; 1.1 pending 4:[c]>[x]; base a b c | disk n a b x",
        ),
        (
            "an undo is not undone over a person's lines",
            "a b c",
            &[Agent("a b x"), Undo("1.1"), User("a b u"), Revert(2)],
            "base a b u | disk a b u",
        ),
        (
            "a person's bytes under mode bits of the agent's",
            "bin1",
            &[Mode("bin1", 0o755), UserMode("bin2", 0o755), Undo("all")],
            "base \0two | disk \0two",
        ),
        (
            "a person's last line stays theirs when lines come behind it",
            "a",
            &[Agent("a x"), User("a u$"), Agent("a u y"), Undo("all")],
            "1.1 conflict 2:[]>[u y]; base a | disk a u y",
        ),
        (
            "a discarded edit comes back as a person's",
            "a b",
            &[Agent("a x y"), User("a x u"), Discard("1.1"), Revert(3)],
            "1.1 modified 2:[b]>[x u]; base a b | disk a x u",
        ),
        (
            "what was kept can be changed again",
            "a b",
            &[Agent("a x"), Keep("1.1"), Agent("a y")],
            "3.1 pending 2:[x]>[y]; base a x | disk a y",
        ),
    ];
    let mut wrong = String::new();
    for (name, start, steps, want) in rows {
        let mut world = World::new(start);
        let refused = steps.iter().find_map(|step| world.take(*step).err());
        let shown = refused.map_or_else(|| world.shown(), |refused| refused.to_string());
        if shown != *want {
            let _ = writeln!(wrong, "{name}\n  is   {shown}\n  want {want}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_reason() {
    let rows: &[(&str, &[Step], Step, &str)] = &[
        (
            "an unknown hunk",
            &[Agent("x b")],
            Keep("9.9"),
            "there is no hunk 9.9; list the hunks again",
        ),
        (
            "a hunk that is kept",
            &[Agent("x b"), Keep("1.1")],
            Undo("1.1"),
            "hunk 1.1 is not open, it is Kept; list the hunks again",
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
            "hunk 1.1 has 1 lines before and 1 now, counted from 1; name at least one of them",
        ),
        (
            "line 0",
            &[Agent("x b")],
            KeepLines("1.1", [0, 0, 0, 1]),
            "hunk 1.1 has 1 lines before and 1 now, counted from 1; name at least one of them",
        ),
        (
            "lines without end",
            &[Agent("x b")],
            KeepLines("1.1", [0, 0, u64::MAX, u64::MAX]),
            "hunk 1.1 has 1 lines before and 1 now, counted from 1; name at least one of them",
        ),
        (
            "no lines",
            &[Agent("x b")],
            UndoLines("1.1", [0, 0, 0, 0]),
            "hunk 1.1 has 1 lines before and 1 now, counted from 1; name at least one of them",
        ),
        ("an event that is no verdict", &[Agent("x b")], Revert(1), "event 1 is no verdict"),
        (
            "a verdict that is undone",
            &[Agent("x b"), Keep("all"), Revert(2)],
            Revert(2),
            "verdict 2 was already undone by event 3; undo that one instead",
        ),
        (
            "a verdict that did nothing",
            &[Agent("x b"), User("u b"), Undo("all")],
            Revert(3),
            "verdict 3 changed nothing, so there is nothing to undo",
        ),
        (
            "lines that the last line's end hangs on",
            &[Agent("x y z$")],
            KeepLines("1.1", [0, 0, 3, 1]),
            "these lines of hunk 1.1 cannot be decided about apart, since the last line of the file has no line end; decide about the whole hunk",
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
    let verdict = world.take(Undo("1.1")).unwrap().unwrap();
    let text = verdict.parts[0].conflict.clone().unwrap();
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
            "edited twice is told once",
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
            "a comment",
            &[Agent("x b c"), Comment("1.1", "too\nlong")],
            &["/w/a.txt:1 comment:", "    too", "    long"],
        ),
        ("reverted before it was told", &[Agent("x b c"), Undo("all"), Revert(2)], &[]),
        ("told", &[Agent("x b c"), Keep("all"), Told], &[]),
        (
            "reverted after it was told",
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
        let note = world.review.note();
        assert_eq!(render(&note).lines().collect::<Vec<_>>(), *want, "{name}");
        assert!(
            note.entries.iter().all(|entry| entry.what != NoteKind::Kept || entry.text.is_empty())
        );
    }
}
