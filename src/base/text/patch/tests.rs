use super::*;
use crate::text::splice;

fn update(hunks: &str) -> Vec<Hunk> {
    let patch = format!("*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n");
    match parse(&patch).unwrap().remove(0) {
        FilePatch::Update { hunks, .. } => hunks,
        other @ (FilePatch::Add { .. } | FilePatch::Delete { .. }) => panic!("{other:?}"),
    }
}

#[test]
fn patches_are_read() {
    let add = || FilePatch::Add { path: "a b".into(), content: "one\n\ntwo\n".into() };
    let body = "*** Add File: a b\n+one\n+\n+two\n";
    let rows = [
        ("plain", format!("*** Begin Patch\n{body}*** End Patch\n")),
        ("no last newline", format!("*** Begin Patch\n{body}*** End Patch")),
        ("white space behind marks", format!("*** Begin Patch  \n{body}*** End Patch \n")),
        ("a heredoc", format!("apply_patch <<'EOF'\n*** Begin Patch\n{body}*** End Patch\nEOF\n")),
        ("a fence", format!("```\n*** Begin Patch\n{body}*** End Patch\n```\n")),
        ("blank lines around", format!("\n\n*** Begin Patch\n\n{body}\n*** End Patch\n\n")),
        ("CRLF", format!("*** Begin Patch\n{body}*** End Patch\n").replace('\n', "\r\n")),
    ];
    for (name, patch) in rows {
        assert_eq!(parse(&patch), Ok(vec![add()]), "{name}");
    }
    let line = |kind: fn(String) -> Line, text: &str| kind(text.to_owned());
    assert_eq!(
        parse(
            "*** Begin Patch\n*** Delete File: x\n*** Update File: y\n*** Move to: z\n@@ class A\n@@ fn b\n a\n\n-c\n+d\n*** End of File\n*** End Patch"
        ),
        Ok(vec![
            FilePatch::Delete { path: "x".into() },
            FilePatch::Update {
                path: "y".into(),
                move_to: Some("z".into()),
                hunks: vec![Hunk {
                    hints: vec!["class A".into(), "fn b".into()],
                    lines: vec![
                        line(Line::Context, "a"),
                        line(Line::Context, ""),
                        line(Line::Remove, "c"),
                        line(Line::Add, "d"),
                    ],
                    is_at_end: true,
                }],
            },
        ])
    );
}

#[test]
fn an_invalid_patch_is_reported_with_line_and_expected_form() {
    let rows = [
        ("empty", "", "line 1 of the patch: the patch must begin with `*** Begin Patch`"),
        (
            "prose",
            "Here it is:",
            "line 1 of the patch: the patch must begin with `*** Begin Patch`",
        ),
        (
            "cut off",
            "*** Begin Patch\n*** Add File: a\n+x",
            "line 4 of the patch: the patch must end with `*** End Patch`",
        ),
        (
            "no files",
            "*** Begin Patch\n*** End Patch",
            "line 2 of the patch: the patch contains no file, so nothing would be changed",
        ),
        (
            "no path",
            "*** Begin Patch\n*** Delete File: \n*** End Patch",
            "line 2 of the patch: a path must follow `*** Delete File:`",
        ),
        (
            "a line of an added file without +",
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
            "line 3 of the patch: expected `*** Add File: PATH`, `*** Delete File: PATH`, `*** Update File: PATH` or `*** End Patch`, not `x`",
        ),
        (
            "an empty update",
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "line 3 of the patch: the update of a is empty: it needs a hunk, `@@` and lines that begin with a space, - or +",
        ),
        (
            "a hunk without lines",
            "*** Begin Patch\n*** Update File: a\n@@\n*** End Patch",
            "line 4 of the patch: the hunk has no lines",
        ),
        (
            "a line without a sign",
            "*** Begin Patch\n*** Update File: a\n@@\n-x\ny\n*** End Patch",
            "line 5 of the patch: a line of a hunk must begin with a space, - or +, not `y`",
        ),
    ];
    for (name, patch, want) in rows {
        assert_eq!(parse(patch).map_err(|error| error.to_string()), Err(want.into()), "{name}");
    }
}

#[test]
fn hunks_find_their_place() {
    use Fuzz::{EdgeSpace, Folded, None, TrailingSpace};
    // Name, text, hunks, text after, fuzz of each hunk.
    let rows: [(&str, &str, &str, &str, &[Fuzz]); 26] = [
        ("exact", "a\nb\nc\n", "@@\n a\n-b\n+x\n c\n", "a\nx\nc\n", &[None]),
        ("the first @@ may be left out", "a\nb\n", " a\n-b\n+x\n", "a\nx\n", &[None]),
        ("two hunks", "a\nb\nc\nd\n", "@@\n-b\n+x\n@@\n-d\n+y\n", "a\nx\nc\ny\n", &[None, None]),
        ("below a hint", "f\nx\ng\nx\n", "@@ g\n-x\n+y\n", "f\nx\ng\ny\n", &[None]),
        ("two hints", "A\nf\nB\nf\nx\n", "@@ B\n@@ f\n-x\n+y\n", "A\nf\nB\nf\ny\n", &[None]),
        (
            "a hint that is a line prefix",
            "fn a() {\nx\n",
            "@@ fn a\n-x\n+y\n",
            "fn a() {\ny\n",
            &[None],
        ),
        (
            "an indented hint",
            "  def a():\n    x\n",
            "@@ def a():\n-    x\n+    y\n",
            "  def a():\n    y\n",
            &[EdgeSpace],
        ),
        (
            "a hint that is the first line too",
            "f\nx\ng\nx\n",
            "@@ g\n g\n-x\n+y\n",
            "f\nx\ng\ny\n",
            &[None],
        ),
        ("numbers of another format", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+x\n", "a\nx\n", &[None]),
        ("blanks behind", "a  \nb\t\n", "@@\n a\n-b\n+x\n", "a  \nx\n", &[TrailingSpace]),
        ("blanks around", "  a\n    b\n", "@@\n a\n-b\n+x\n", "  a\n    x\n", &[EdgeSpace]),
        (
            "spaces for a file with tabs",
            "f {\n\tif a {\n\t\tb\n\t}\n}\n",
            "@@\n     if a {\n-        b\n+        if c {\n+            d\n+        }\n     }\n",
            "f {\n\tif a {\n\t\tif c {\n\t\t\td\n\t\t}\n\t}\n}\n",
            &[EdgeSpace],
        ),
        (
            "tabs for a file with spaces",
            "f:\n  a:\n    b\n",
            "@@\n f:\n \ta:\n-\t\tb\n+\t\tc:\n+\t\t\td\n",
            "f:\n  a:\n    c:\n      d\n",
            &[EdgeSpace],
        ),
        (
            "less deep than the file",
            "    a:\n        b\n",
            "@@\n a:\n-    b\n+    c\n+\n+    d:\n+        e\n",
            "    a:\n        c\n\n        d:\n            e\n",
            &[EdgeSpace],
        ),
        ("quotes", "say ‘hi’\n", "@@\n-say 'hi'\n+x\n", "x\n", &[Folded]),
        ("at the end", "x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n", "x\ny\nz\n", &[None]),
        ("only lines that come", "a\n", "@@\n+b\n+c\n", "a\nb\nc\n", &[None]),
        ("lines that come below a hint", "a\nb\n", "@@ a\n+x\n", "a\nx\nb\n", &[None]),
        (
            "lines that come, then others",
            "a\nb\n",
            "@@\n+c\n@@\n-a\n+x\n",
            "x\nb\nc\n",
            &[None, None],
        ),
        ("into an empty file", "", "@@\n+a\n", "a\n", &[None]),
        ("only lines that go", "a\nb\nc\n", "@@\n a\n-b\n c\n", "a\nc\n", &[None]),
        ("behind a line without newline", "a", "@@\n a\n+b\n", "a\nb\n", &[None]),
        ("a last line without newline is replaced", "a", "@@\n-a\n+b\n", "b\n", &[None]),
        ("a last line without newline stays", "a\nb", "@@\n-a\n+x\n b\n", "x\nb", &[None]),
        ("CRLF", "a\r\nb\r\nc\r\n", "@@\n a\n-b\n+x\n+y\n c\n", "a\r\nx\r\ny\r\nc\r\n", &[None]),
        ("mixed line ends", "a\nb\r\nc\n", "@@\n a\n-b\n+x\n c\n", "a\nx\r\nc\n", &[None]),
    ];
    for (name, text, hunks, want, fuzz) in rows {
        let got = apply(text, &update(hunks));
        let got = got.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(splice::apply(text, &got.splices), want, "{name}");
        assert_eq!(got.fuzz, fuzz, "{name}");
    }
}

#[test]
fn a_hunk_without_a_place_says_why() {
    let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
    let rows = [
        (
            "absent",
            "a\nb\n",
            "@@\n a\n-x\n",
            Misplaced::NoLines { hunk: 1, lines: lines(&["a", "x"]), below: 0 },
        ),
        (
            "above the hunk before",
            "a\nb\n",
            "@@\n-b\n+x\n@@\n-a\n+y\n",
            Misplaced::NoLines { hunk: 2, lines: lines(&["a"]), below: 2 },
        ),
        (
            "no such hint",
            "a\nb\n",
            "@@ fn x\n-b\n",
            Misplaced::NoHint { hunk: 1, hint: "fn x".into(), below: 0 },
        ),
        (
            "in two places",
            "a\nb\na\nb\n",
            "@@\n a\n-b\n+x\n",
            Misplaced::Ambiguous { hunk: 1, lines: vec![1, 3] },
        ),
        (
            "not at the end",
            "a\nb\n",
            "@@\n-a\n+x\n*** End of File\n",
            Misplaced::NoLines { hunk: 1, lines: lines(&["a"]), below: 0 },
        ),
        ("no change", "a\n", "@@\n-a\n+a\n", Misplaced::Identical),
    ];
    for (name, text, hunks, want) in rows {
        assert_eq!(apply(text, &update(hunks)), Err(want), "{name}");
    }
}

proptest::proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn any_text_is_a_patch_or_an_error(text in r"(\*\*\* (Begin Patch|End Patch|Add File: a|Update File: b|Delete File: c|Move to: d|End of File)|@@[ a-c]*|[ +-][a-c]*|<<EOF|)(\n(\*\*\* (Begin Patch|End Patch|Add File: a|Update File: b|Delete File: c|Move to: d|End of File)|@@[ a-c]*|[ +-][a-c]*|)){0,8}") {
        if let Ok(files) = parse(&text) {
            for file in files {
                if let FilePatch::Update { hunks, .. } = file {
                    // A clear error or a text; never a panic.
                    let _ = apply("a\nb\r\nc", &hunks);
                }
            }
        }
    }

    /// A patch made from two texts turns the first into the second.
    #[test]
    fn a_hunk_of_all_lines_makes_the_new_text(old in "([a-c ]{0,3}\n){1,8}", new in "([a-c ]{0,3}\n){1,8}") {
        let lines = |sign: char, text: &str| -> String {
            text.lines().flat_map(|line| [sign.to_string(), line.to_owned(), "\n".to_owned()]).collect()
        };
        // The markers keep blank lines from ending the hunk, which would be ambiguous.
        let hunks = format!("@@\n-<\n+<\n{}{}-.\n+.\n", lines('-', &old), lines('+', &new));
        let text = format!("<\n{old}.\n");
        let got = apply(&text, &update(&hunks));
        let want = format!("<\n{new}.\n");
        proptest::prop_assert!(old == new || got.is_ok_and(|got| splice::apply(&text, &got.splices) == want));
    }
}
