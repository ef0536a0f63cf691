//! Hunks under changes and verdicts, step by step.

use super::*;

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
            "a person's line that the agent moves stays theirs",
            "a",
            &[Agent("a x y"), User("a x u y"), Agent("a u x y"), Undo("all")],
            "1.1 conflict 2:[]>[u x y]; base a | disk a u x y",
        ),
        (
            "a person's line that went and came back stays theirs",
            "a b c",
            &[
                Agent("a x y c"),
                User("a x u y c"),
                Keep("1.1"),
                Agent("a x y c"),
                Undo("all"),
                Revert(3),
                Undo("1.1"),
            ],
            "1.1 conflict 2:[b]>[x u y]; base a b c | disk a x u y c",
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
            "a person's line beside hunks that the difference reads as moved stays theirs",
            "s t l3 l2 l4 l1 l5 a2 e l6",
            &[
                Agent("s t l3 l2 l4 l1 e l6"),
                User("s t l3 l2 l4 mine e l6"),
                Agent("s a0 a0 a0 l3 l2 l4 mine e l6"),
                Agent("s a0 a0 a0 mine e l6"),
                Agent("s a2 a0 a0 a0 a0 mine e l6"),
                Keep("1.1"),
                Undo("3.1"),
            ],
            "3.1 conflict 3:[]>[a0 a0 a0 a0 mine]; base s a2 e l6 | disk s a2 a0 a0 a0 a0 mine e l6",
        ),
        (
            "and it is there once when both places are undone",
            "s t l3 l2 l4 l1 l5 a2 e l6",
            &[
                Agent("s t l3 l2 l4 l1 e l6"),
                User("s t l3 l2 l4 mine e l6"),
                Agent("s a0 a0 a0 l3 l2 l4 mine e l6"),
                Agent("s a0 a0 a0 mine e l6"),
                Agent("s a2 a0 a0 a0 a0 mine e l6"),
                Undo("all"),
            ],
            "base s t l3 l2 l4 mine l5 a2 e l6 | disk s t l3 l2 l4 mine l5 a2 e l6",
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
