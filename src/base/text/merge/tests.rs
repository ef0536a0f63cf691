use super::*;
use proptest::prelude::*;

const LABELS: Labels<'static> = Labels { ours: "ours", base: "base", theirs: "theirs" };

fn merged(base: &str, ours: &str, theirs: &str) -> Merged {
    merge(base, ours, theirs, LABELS)
}

#[test]
fn changes_of_both_sides_come_together() {
    for (name, base, ours, theirs, want) in [
        ("nothing changed", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n"),
        ("ours alone", "a\nb\n", "x\nb\n", "a\nb\n", "x\nb\n"),
        ("theirs alone", "a\nb\n", "a\nb\n", "a\ny\n", "a\ny\n"),
        ("apart", "a\nb\nc\n", "x\nb\nc\n", "a\nb\nz\n", "x\nb\nz\n"),
        ("side by side", "a\nb\n", "x\nb\n", "a\ny\n", "x\ny\n"),
        ("the same on both", "a\nb\n", "a\nx\n", "a\nx\n", "a\nx\n"),
        ("both delete", "a\nb\nc\n", "a\nc\n", "a\nc\n", "a\nc\n"),
        ("one makes the file", "", "a\n", "", "a\n"),
        (
            "line ends stay as they are",
            "a\r\nb\r\nc\r\n",
            "x\r\nb\r\nc\r\n",
            "a\r\nb\r\nz",
            "x\r\nb\r\nz",
        ),
        ("no newline at the end", "a\nb\nc", "x\nb\nc", "a\nb\nc\nd", "x\nb\nc\nd"),
    ] {
        let found = merged(base, ours, theirs);
        assert_eq!((found.text.as_str(), found.conflicts.len()), (want, 0), "{name}");
    }
}

#[test]
fn conflicting_changes_are_put_between_markers() {
    for (name, base, ours, theirs, want) in [
        (
            "the same line",
            "a\nb\nc\n",
            "a\nx\nc\n",
            "a\ny\nc\n",
            "a\n<<<<<<< ours\nx\n||||||| base\nb\n=======\ny\n>>>>>>> theirs\nc\n",
        ),
        (
            "lines at one place",
            "a\n",
            "a\nx\n",
            "a\ny\n",
            "a\n<<<<<<< ours\nx\n||||||| base\n=======\ny\n>>>>>>> theirs\n",
        ),
        (
            "changed and deleted",
            "a\nb\n",
            "a\nx\n",
            "a\n",
            "a\n<<<<<<< ours\nx\n||||||| base\nb\n=======\n>>>>>>> theirs\n",
        ),
        (
            "carriage returns",
            "a\r\n",
            "x\r\n",
            "y",
            "<<<<<<< ours\r\nx\r\n||||||| base\r\na\r\n=======\r\ny\r\n>>>>>>> theirs\r\n",
        ),
    ] {
        let found = merged(base, ours, theirs);
        assert_eq!((found.text.as_str(), found.conflicts.len()), (want, 1), "{name}");
    }
}

/// Short texts of few different lines, with and without a newline at the end.
fn some_text() -> impl Strategy<Value = String> {
    (prop::collection::vec("[abcd]\n", 0..12), any::<bool>()).prop_map(|(lines, is_open)| {
        let text = lines.concat();
        if is_open { text.trim_end_matches('\n').to_owned() } else { text }
    })
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn an_unchanged_side_gives_the_other(base in some_text(), side in some_text()) {
        let whole = |text: &str| Merged { text: text.to_owned(), conflicts: Vec::new() };
        prop_assert_eq!(merged(&base, &side, &base), whole(&side));
        prop_assert_eq!(merged(&base, &base, &side), whole(&side));
        prop_assert_eq!(merged(&base, &side, &side), whole(&side));
    }

    #[test]
    fn conflicts_are_the_same_from_either_side(base in some_text(), a in some_text(), b in some_text()) {
        let (one, other) = (merged(&base, &a, &b), merged(&base, &b, &a));
        prop_assert_eq!(&one.conflicts, &other.conflicts);
        if one.conflicts.is_empty() {
            prop_assert_eq!(one.text, other.text);
        }
    }

    #[test]
    fn no_line_of_either_side_is_lost(
        base in prop::collection::vec("[abcd]", 0..12),
        ours in prop::collection::vec(0..14_usize, 1..4),
        theirs in prop::collection::vec(0..14_usize, 1..4),
    ) {
        let with = |marks: &[usize], name: &str| {
            let mut lines = base.clone();
            for (n, at) in marks.iter().enumerate() {
                lines.insert((*at).min(lines.len()), format!("{name}{n}"));
            }
            lines.join("\n") + "\n"
        };
        let text = base.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
        let found = merged(&text, &with(&ours, "our"), &with(&theirs, "their"));
        for (marks, name) in [(&ours, "our"), (&theirs, "their")] {
            for n in 0..marks.len() {
                let line = format!("{name}{n}");
                prop_assert_eq!(found.text.lines().filter(|l| **l == line).count(), 1);
            }
        }
        prop_assert!(base.iter().all(|line| found.text.lines().any(|l| l == line)));
    }
}
