use super::*;
use crate::text::splice;
use expect_test::expect;
use proptest::prelude::*;
use similar::TextDiff;

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn hunks_have_four_lines_of_context_and_true_line_numbers() {
    let old = numbered(500);
    let diff = unified(&old, &old.replace("line 338\n", "changed\n"));
    assert_eq!((diff.added, diff.removed, diff.first_changed_line), (1, 1, Some(338)));
    expect![[r"
        @@ -334,9 +334,9 @@
         line 334
         line 335
         line 336
         line 337
        -line 338
        +changed
         line 339
         line 340
         line 341
         line 342
    "]]
    .assert_eq(&diff.text);
}

#[test]
fn counts_and_places() {
    let rows = [
        ("equal", "a\n", "a\n", (0, 0, None), ""),
        ("both empty", "", "", (0, 0, None), ""),
        ("a new file", "", "a\nb\n", (2, 0, Some(1)), "@@ -0,0 +1,2 @@\n+a\n+b\n"),
        ("emptied", "a\n", "", (0, 1, Some(1)), "@@ -1 +0,0 @@\n-a\n"),
        ("appended", "a\n", "a\nb\n", (1, 0, Some(2)), "@@ -1 +1,2 @@\n a\n+b\n"),
        ("at the front", "b\n", "a\nb\n", (1, 0, Some(1)), "@@ -1 +1,2 @@\n+a\n b\n"),
        (
            "a line repeated",
            "a\na\n",
            "a\na\na\n",
            (1, 0, Some(3)),
            "@@ -1,2 +1,3 @@\n a\n a\n+a\n",
        ),
        (
            "a final newline added",
            "a",
            "a\n",
            (1, 1, Some(1)),
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
        ),
        ("characters that share a byte", "‘\n", "’\n", (1, 1, Some(1)), "@@ -1 +1 @@\n-‘\n+’\n"),
        ("only an ending", "a\r\n", "a\n", (1, 1, Some(1)), "@@ -1 +1 @@\n-a\r\n+a\n"),
    ];
    for (name, old, new, want, text) in rows {
        let diff = unified(old, new);
        assert_eq!((diff.added, diff.removed, diff.first_changed_line), want, "{name}");
        assert_eq!(diff.text, text, "{name}");
    }
}

#[test]
fn changes_far_apart_are_two_hunks() {
    let old = numbered(40);
    let new = old.replace("line 5\n", "").replace("line 30\n", "line 30\nmore\n");
    let diff = unified(&old, &new);
    let headers: Vec<_> = diff.text.lines().filter(|line| line.starts_with("@@")).collect();
    assert_eq!(headers, ["@@ -1,9 +1,8 @@", "@@ -27,8 +26,9 @@"]);
    assert_eq!((diff.added, diff.removed, diff.first_changed_line), (1, 1, Some(5)));
}

#[test]
fn of_large_texts_the_diff_ends() {
    let old = numbered(800_000);
    let one = unified(&old, &old.replace("line 400000\n", "changed\n"));
    assert_eq!((one.added, one.removed, one.first_changed_line), (1, 1, Some(400_000)));

    // Nothing in common, which is the worst case for a diff: without the deadline it would take hours.
    let lines = |factor: u64| {
        let numbers = (0..200_000_u64).map(|number| number * factor % 200_003);
        numbers.map(|number| format!("{number}\n")).collect::<Vec<_>>().concat()
    };
    let (old, new) = (lines(1), lines(7919));
    assert!(unified(&old, &new).added > 0);
}

/// Makes the new text of the old one and a diff.
fn applied(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut at, mut new) = (0, String::new());
    for line in
        diff.replace("\n\\ No newline at end of file\n", "\u{0}").split_inclusive(['\n', '\u{0}'])
    {
        let (sign, rest) = line.split_at(1);
        let rest = rest.trim_end_matches('\u{0}');
        match sign {
            "@" => {
                let span = rest.split(['-', ' ', ',']).nth(2).unwrap();
                let is_empty = rest.contains(&format!("-{span},0 "));
                let start = span.parse::<usize>().unwrap() - usize::from(!is_empty);
                new.extend(old[at..start].iter().copied());
                at = start;
            }
            "+" => new.push_str(rest),
            _ => {
                assert_eq!(old[at], rest, "context and removed lines are those of the old text");
                at += 1;
                if sign == " " {
                    new.push_str(rest);
                }
            }
        }
    }
    new.extend(old[at..].iter().copied());
    new
}

proptest::proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn a_diff_makes_the_new_text_of_the_old(old in "([a-c]?\n){0,30}[a-c]?", new in "([a-c]?\n){0,30}[a-c]?") {
        let diff = unified(&old, &new);
        proptest::prop_assert_eq!(applied(&old, &diff.text), new);
    }
}

#[test]
fn words_are_told_within_changed_lines() {
    let side = |side: Side| if side == Side::Old { '-' } else { '+' };
    for (name, old, new, want) in [
        ("one word", "let a = one();\n", "let a = two();\n", "-1:8..11 +1:8..11"),
        ("after a line", "x\nsay hi now\n", "x\nsay yo now\n", "-2:4..6 +2:4..6"),
        ("after a line put before", "say hi now\n", "x\nsay yo now\n", "-1:4..6 +2:4..6"),
        ("bytes, not characters", "é = one\n", "é = two\n", "-1:5..8 +1:5..8"),
        ("a whole line", "abc\n", "xyz\n", ""),
        ("only added", "a\n", "a\nb\n", ""),
        ("an ending is no word", "a b\r\n", "a c\r\n", "-1:2..3 +1:2..3"),
    ] {
        let words = unified(old, new).words;
        let words = words
            .iter()
            .map(|word| format!("{}{}:{}..{}", side(word.side), word.line, word.start, word.end));
        assert_eq!(words.collect::<Vec<_>>().join(" "), want, "{name}");
    }
}

/// The same words, found by the library's differences of texts, which the program does without.
fn library_words(old: &str, new: &str) -> Vec<WordSpan> {
    let lines = TextDiff::from_lines(old, new);
    let mut words = Vec::new();
    let replaced = lines.ops().iter().filter(|op| matches!(op, DiffOp::Replace { .. }));
    for change in replaced.flat_map(|op| lines.iter_inline_changes(op)) {
        let (side, line) = match (change.tag(), change.old_index(), change.new_index()) {
            (ChangeTag::Delete, Some(line), _) => (Side::Old, line as u64 + 1),
            (ChangeTag::Insert, _, Some(line)) => (Side::New, line as u64 + 1),
            (_, _, _) => continue,
        };
        let pieces = change.values();
        if pieces.iter().all(|(is_word, piece)| *is_word || piece.trim().is_empty()) {
            continue;
        }
        let mut start = 0;
        for (is_word, piece) in pieces {
            let end = start + piece.trim_end_matches(['\r', '\n']).len() as u64;
            if *is_word && start < end {
                words.push(WordSpan { side, line, start, end });
            }
            start += piece.len() as u64;
        }
    }
    words
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn hunks_and_words_are_those_of_the_library(
        old in "([ab ]{0,6}(\n|\r\n)){0,12}[ab]?",
        new in "([ab ]{0,6}(\n|\r\n)){0,12}[ab]?",
        repeats in 1_usize..12,
    ) {
        let (old, new) = (old.repeat(repeats), format!("{new}{}", old.repeat(repeats - 1)));
        let mut diff = Diff::default();
        diff.region(&old, &new, 0, 0);
        let lines = TextDiff::from_lines(&old, &new);
        let hunks = lines.unified_diff().context_radius(4).to_string();
        prop_assert_eq!(&diff.text, &hunks);
        let words = library_words(&old, &new);
        prop_assert_eq!(&diff.words[..], &words[..words.len().min(MAX_WORDS)]);
    }
}

/// The same as a diff of the whole, told where to look.
#[test]
fn known_changes_give_the_same_hunks() {
    let old = numbered(60);
    for (name, places) in [
        ("one", &[(30, "x\n")][..]),
        ("neighbours", &[(30, "x\n"), (31, "y\n")]),
        ("contexts that touch", &[(20, "x\n"), (28, "y\n")]),
        ("contexts that do not", &[(20, "x\n"), (30, "y\n")]),
        ("first and last", &[(1, "x\ny\n"), (60, "")]),
    ] {
        let splices: Vec<Splice<'_>> = places
            .iter()
            .map(|(line, text)| {
                let old_text = format!("line {line}\n");
                let start = old.find(&old_text).unwrap();
                Splice { old: start..start + old_text.len(), new: (*text).into() }
            })
            .collect();
        let new = splice::apply(&old, &splices);
        let whole = TextDiff::from_lines(&old, &new).unified_diff().context_radius(4).to_string();
        assert_eq!(of_splices(&old, &splices).text, whole, "{name}");
    }
}
