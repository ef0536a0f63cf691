use super::*;

fn one(old: &str, new: &str) -> Vec<Edit> {
    vec![Edit { old: old.into(), new: new.into() }]
}

#[test]
fn text_is_replaced() {
    // Name, text, old, new, want, found only by folding.
    let rows = [
        ("exact", "a\nb\nc\n", "b", "x", "a\nx\nc\n", false),
        ("trailing spaces", "one   \ntwo  \nthree\n", "one\ntwo\n", "x\n", "x\nthree\n", true),
        ("single quotes", "say(‘hi’);\n", "say('hi');", "say('yo');", "say('yo');\n", true),
        ("double quotes", "say(“hi”);\n", "say(\"hi\");", "x", "x\n", true),
        ("dashes", "1–2—3\n", "1-2-3", "x", "x\n", true),
        ("no-break space", "a\u{a0}b\n", "a b", "x", "x\n", true),
        ("composed and decomposed", "cafe\u{301}\n", "caf\u{e9}", "x", "x\n", true),
        ("decomposed and composed", "caf\u{e9}\n", "cafe\u{301}", "x", "x\n", true),
        ("exact leaves the rest alone", "‘q’  \nb\n", "b", "x", "‘q’  \nx\n", false),
        ("folded leaves the rest alone", "‘q’  \nb ’\n—  \n", "b '", "x", "‘q’  \nx\n—  \n", true),
        (
            "folded context lines stay",
            "‘q’  \nb’\n“r”\n",
            "'q'\nb'\n\"r\"",
            "'q'\nB'\n\"r\"",
            "‘q’  \nB'\n“r”\n",
            true,
        ),
        ("trailing blanks in the old text", "a‘\nb\n", "a'  ", "x", "x\nb\n", true),
        ("and in both", "a‘ \nb\n", "a'  ", "x", "x\nb\n", true),
        (
            "a blank before a line's remainder",
            "let x = “a”;\n",
            "let x = \"",
            "let y = \"",
            "let y = \"a”;\n",
            true,
        ),
        (
            "indentation is compared separately",
            "‘a’\n    b\n",
            "'a'\n    ",
            "'x'\n    ",
            "'x'\n    b\n",
            true,
        ),
        ("LF text for a CRLF file", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", false),
        ("CRLF text for an LF file", "a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n", false),
        ("mixed endings stay", "a\nb\r\nc\nd\r\n", "a\nb\nc", "a\nB\nc", "a\nB\r\nc\nd\r\n", false),
        (
            "new lines take the ending there",
            "a\nb\r\nc\r\n",
            "b\nc",
            "b\nx\nc",
            "a\nb\r\nx\r\nc\r\n",
            false,
        ),
        ("lines deleted", "a\nb\nc\n", "b\n", "", "a\nc\n", false),
        ("lines appended", "a\nb", "b", "b\nc\n", "a\nb\nc\n", false),
        ("a line put before", "a\nc\n", "c", "b\nc", "a\nb\nc\n", false),
        ("folded, CRLF and blanks", "a’  \r\nb\r\n", "a'\nb", "x\nb", "x\r\nb\r\n", true),
        ("repeated lines", "a\na\nb\n", "a\na\nb", "a\nb", "a\nb\n", false),
    ];
    for (name, text, old, new, want, is_fuzzy) in rows {
        match replace(text, &one(old, new), Occurrences::One) {
            Ok(got) => {
                assert_eq!(splice::apply(text, &got.splices), want, "{name}");
                assert_eq!((got.splices.len(), got.is_fuzzy), (1, is_fuzzy), "{name}");
            }
            Err(miss) => panic!("{name}: {miss:?}"),
        }
    }
}

#[test]
fn text_is_not_replaced() {
    let many = |count, lines: &[u64]| Miss::Many { edit: 0, count, lines: lines.to_vec() };
    let absent = Miss::Absent { edit: 0, closest: None };
    let closest = Closest { first_line: 1, last_line: 2, percent: 80 };
    let near = Miss::Absent { edit: 0, closest: Some(closest) };
    let rows = [
        ("absent", "a\n", "zzzz", "x", absent.clone()),
        ("empty old text", "a\n", "", "x", Miss::Empty { edit: 0 }),
        ("empty file and empty old text", "", "", "x", Miss::Empty { edit: 0 }),
        ("empty file", "", "a", "x", absent.clone()),
        ("three", "a\nb\na\na\n", "a", "x", many(3, &[1, 3, 4])),
        ("two that fold alike", "a  \na\nb\n", "a\n", "x\n", many(2, &[1, 2])),
        ("one exact and one alike", "say 'a'\nsay ‘a’\n", "say 'a'", "x", many(2, &[1, 2])),
        ("mixed endings", "a\r\nb\r\na\nb\n", "a\nb\n", "x", many(2, &[1, 3])),
        ("two that overlap", "}\n}\n}\n", "}\n}", "x", many(2, &[1, 2])),
        ("identical", "a\nb\n", "a", "a", Miss::Identical),
        ("identical when folded", "‘a’\n", "'a'", "'a'\n".trim_end(), Miss::Identical),
        ("half a character", "caf\u{e9} au lait, and more of it\n", "cafe", "x", absent),
        ("a blank line is no line end", "foo;\nbar\n", "  \nbar", "x", near),
    ];
    for (name, text, old, new, want) in rows {
        assert_eq!(replace(text, &one(old, new), Occurrences::One), Err(want), "{name}");
    }
}

#[test]
fn several_edits_are_all_or_none() {
    let edit = |old: &str, new: &str| Edit { old: old.into(), new: new.into() };
    let text = "one\ntwo\nthree\n";
    let rows = [
        ("in any order", vec![edit("three", "3"), edit("one", "1")], Ok("1\ntwo\n3\n")),
        (
            "matched against the original",
            vec![edit("one", "two"), edit("two", "x")],
            Ok("two\nx\nthree\n"),
        ),
        ("neighbours", vec![edit("one\n", ""), edit("two", "2")], Ok("2\nthree\n")),
        (
            "overlap",
            vec![edit("two\nthree", "x"), edit("one\ntwo", "y")],
            Err(Miss::Overlap { first: 1, second: 0 }),
        ),
        (
            "one absent",
            vec![edit("one", "1"), edit("four!", "4")],
            Err(Miss::Absent { edit: 1, closest: None }),
        ),
    ];
    for (name, edits, want) in rows {
        let got = replace(text, &edits, Occurrences::One);
        let got = got.map(|got| splice::apply(text, &got.splices));
        assert_eq!(got, want.map(str::to_owned), "{name}");
    }
}

#[test]
fn all_occurrences_are_replaced() {
    let got = replace("a b a\na\n", &one("a", "xx"), Occurrences::All);
    let got = got.unwrap();
    assert_eq!(splice::apply("a b a\na\n", &got.splices), "xx b xx\nxx\n");
    assert_eq!((got.splices.len(), got.is_fuzzy), (3, false));
}

#[test]
fn a_miss_tells_the_closest_region() {
    let text =
        "fn main() {\n    let total = compute_total(items);\n    println!(\"{total}\");\n}\n";
    let rows = [
        ("one line", "let totals = compute_total(item);", Some((2, 2))),
        ("two lines", "let totals = compute_total(items);\nprintln!(\"{total}\");", Some((2, 3))),
        ("nothing like it", "completely different words here", None),
    ];
    for (name, old, want) in rows {
        let got = match replace(text, &one(old, "x"), Occurrences::One) {
            Err(Miss::Absent { closest, .. }) => closest,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(got.map(|closest| (closest.first_line, closest.last_line)), want, "{name}");
        assert!(got.is_none_or(|closest| (60..100).contains(&closest.percent)), "{name}: {got:?}");
    }
}

#[test]
fn ten_megabytes_are_searched() {
    let line = "the quick brown fox jumps over the lazy dog and runs away from here\n";
    let mut text = line.repeat(10 * 1024 * 1024 / line.len());
    text.insert_str(5 * 1024 * 1024 / line.len() * line.len(), "needle’s line\n");
    // Work quadratic in the size would never finish.
    let got = replace(&text, &one("needle's line", "x"), Occurrences::One);
    assert!(got.is_ok_and(|got| got.is_fuzzy));
}

proptest::proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    /// Where the text is there exactly once, however much else folds, only that place changes.
    #[test]
    fn an_exact_edit_is_a_plain_replacement(text in "[ab \n]{0,24}", old in "[ab \n]{1,6}", new in "[ab \n]{0,6}") {
        let exact = text.matches(&old).count();
        if let Ok(got) = replace(&text, &one(&old, &new), Occurrences::One) && !got.is_fuzzy {
            proptest::prop_assert_eq!(exact, 1);
            proptest::prop_assert_eq!(splice::apply(&text, &got.splices), text.replacen(&old, &new, 1));
        }
    }

    /// A large text searched by windows gives the same result as a small text searched as a whole.
    #[test]
    fn windows_see_what_the_whole_shows(
        text in "([abé’ \\r]{0,4}\n){0,12}[ab]{0,2}",
        old in "[ab' e\u{301}\n]{1,6}",
        new in "[ab \n]{0,4}",
        occurrences in proptest::prop_oneof![
            proptest::strategy::Just(Occurrences::One),
            proptest::strategy::Just(Occurrences::All),
        ],
    ) {
        let padding = "~".repeat(8000);
        let (inner, outer) = (format!("~\n{text}\n~"), format!("{padding}~\n{text}\n~{padding}"));
        let small = replace(&inner, &one(&old, &new), occurrences);
        let large = replace(&outer, &one(&old, &new), occurrences);
        match (small, large) {
            (Ok(small), Ok(large)) => {
                let large = splice::apply(&outer, &large.splices);
                let large = large.strip_prefix(&padding).and_then(|rest| rest.strip_suffix(&padding));
                let small = splice::apply(&inner, &small.splices);
                proptest::prop_assert_eq!(Some(small.as_str()), large);
            }
            (Err(Miss::Many { count: small, .. }), Err(Miss::Many { count: large, .. })) => {
                proptest::prop_assert_eq!(small, large);
            }
            (Err(small), Err(large)) => proptest::prop_assert_eq!(
                std::mem::discriminant(&small),
                std::mem::discriminant(&large)
            ),
            (small, large) => proptest::prop_assert!(false, "{small:?} but {large:?}"),
        }
    }

    /// An edit never fails unexpectedly, and the text around it stays unchanged.
    #[test]
    fn untouched_text_stays(before in "[a‘é \r\n]{0,12}", after in "[a‘é \r\n]{0,12}") {
        let text = format!("{before}\nne‘edle  \r\n{after}");
        let got = replace(&text, &one("ne'edle", "x"), Occurrences::One).unwrap();
        proptest::prop_assert_eq!(splice::apply(&text, &got.splices), format!("{before}\nx  \r\n{after}"));
    }
}
