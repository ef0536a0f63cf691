use super::*;
use crate::tests::{Scene, text};
use futures_util::future::join_all;
use pintle_exec::memory::Memory;
use serde_json::json;

const ABSENT: &str = "error: Could not find the exact text in f. The old text must match exactly \
    including all whitespace and newlines.";

/// Name, content, old, new, content after.
type Row<'a> = (&'a str, &'a [u8], &'a str, &'a str, &'a [u8]);

#[tokio::test]
async fn text_is_replaced() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (utf16_before, utf16_after) =
        (utf16("\u{feff}one ü\r\n2\r\n"), utf16("\u{feff}ones ü\r\nx\r\n2\r\n"));
    let rows: [Row; 15] = [
        ("exact", b"a\nb\n", "b", "x", b"a\nx\n"),
        ("folded", "say(‘hi’)  \n".as_bytes(), "say('hi')\n", "say('yo')\n", b"say('yo')\n"),
        ("LF text for a CRLF file", b"a\r\nb\r\n", "a\nb", "x\ny", b"x\r\ny\r\n"),
        ("CRLF is kept", b"a\r\nb\r\n", "b", "x", b"a\r\nx\r\n"),
        ("LF is kept", b"a\nb\n", "b\n", "x\r\n", b"a\nx\n"),
        (
            "byte order mark and CRLF",
            b"\xef\xbb\xbfa\r\nb\r\n",
            "a\nb",
            "x\nb",
            b"\xef\xbb\xbfx\r\nb\r\n",
        ),
        ("no newline at the end", b"a\nb", "b", "x", b"a\nx"),
        ("Chinese", "测试\n".as_bytes(), "试", "x", "测x\n".as_bytes()),
        ("no-break space", "a\u{a0}b\n".as_bytes(), "a b", "x", b"x\n"),
        ("dashes", "1–2—3\n".as_bytes(), "1-2-3", "x", b"x\n"),
        ("Latin-1 stays so", b"caf\xe9\ncr\xe8me\n", "crème", "crêpe", b"caf\xe9\ncr\xeape\n"),
        ("UTF-16 stays so", &utf16_before, "one ü", "ones ü\nx", &utf16_after),
        (
            "a damaged byte stays",
            b"\xc3\xa9\xc3\xa9 \xff\nb\n",
            "b",
            "Ã",
            b"\xc3\xa9\xc3\xa9 \xff\n\xc3\x83\n",
        ),
        ("mixed line ends stay", b"a\r\nb\nc\r\nd\n", "c", "x", b"a\r\nb\nx\r\nd\n"),
        (
            "a control character as it was read",
            b"a\x1b[0m\nb\n",
            "a␛[0m\nb",
            "a␛[0m\nx",
            b"a\x1b[0m\nx\n",
        ),
    ];
    for (name, before, old, new, after) in rows {
        let scene = Scene::with(&[("f", before)]);
        let got = scene
            .call(&Edit(Profile::Pi), json!({"path": "f", "oldText": old, "newText": new}))
            .await;
        assert_eq!(text(&got), "Successfully replaced text in f.", "{name}");
        assert_eq!(scene.get("f"), after, "{name}");
        assert_eq!(got.details.changes.len(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_failed_edit_says_why_and_changes_nothing() {
    let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\0";
    let many = "error: Found 3 occurrences of the text in f. The text must be unique. Please provide \
        more context to make it unique. (lines 1, 2, 3)";
    let identical = "error: No changes made to f. The replacement produced identical content.";
    let empty = "error: The old text must not be empty. Use write to create a file or to replace its whole content.";
    let near =
        format!("{ABSENT} The closest text is at lines 1-1 (93% similar): read it and try again.");
    let latin = "error: Cannot edit f: its encoding windows-1252 has no '测' (U+6D4B). Use characters \
        that it supports, or convert the file first.";
    let rows: [(&str, &[u8], &str, &str, &str); 9] = [
        ("absent", b"a\n", "zzzz", "x", ABSENT),
        ("nearly there", b"let total = sum(items);\n", "let total = sum(item);", "x", &near),
        ("three", b"a\na\na\n", "a", "x", many),
        (
            "two alike",
            b"a  \na\n",
            "a\n",
            "x",
            "error: Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it unique. (lines 1, 2)",
        ),
        ("identical", b"a\n", "a", "a", identical),
        ("empty old text", b"a\n", "", "x", empty),
        ("empty file, empty old text", b"", "", "x", empty),
        ("a picture", png, "PNG", "x", "error: Cannot edit f: it is a PNG image, not text."),
        ("a character that the encoding lacks", b"caf\xe9\n", "caf", "测", latin),
    ];
    for (name, before, old, new, want) in rows {
        let scene = Scene::with(&[("f", before)]);
        let got = scene
            .call(&Edit(Profile::Pi), json!({"path": "f", "oldText": old, "newText": new}))
            .await;
        assert_eq!(text(&got), want, "{name}");
        assert_eq!(scene.get("f"), before, "{name}");
        assert_eq!(got.details.changes, [], "{name}");
    }
    let scene = Scene::with(&[("folder/x", b"")]);
    for (path, want) in [
        ("gone", "error: File not found: gone"),
        ("folder", "error: folder is a directory, not a file"),
    ] {
        let got = scene
            .call(&Edit(Profile::Pi), json!({"path": path, "oldText": "a", "newText": "b"}))
            .await;
        assert_eq!(text(&got), want);
        assert!(!scene.path("gone").exists());
    }
}

#[tokio::test]
async fn several_edits_are_all_or_none() {
    let scene = Scene::with(&[("f", b"one\ntwo\nthree\n")]);
    let edit = |old: &str, new: &str| json!({"oldText": old, "newText": new});
    let overlap = "error: edits[1] and edits[0] overlap in f. Merge them into one edit.";
    let absent = format!("{ABSENT} (edits[1])");
    for (name, edits, want, after) in [
        (
            "one absent",
            json!([edit("one", "1"), edit("zzzz", "4")]),
            absent.as_str(),
            "one\ntwo\nthree\n",
        ),
        (
            "overlap",
            json!([edit("two\nthree", "x"), edit("one\ntwo", "y")]),
            overlap,
            "one\ntwo\nthree\n",
        ),
        (
            "both",
            json!([edit("three", "3"), edit("one", "1")]),
            "Successfully replaced text in f.",
            "1\ntwo\n3\n",
        ),
    ] {
        let got = scene.call(&Edit(Profile::Pi), json!({"path": "f", "edits": edits})).await;
        assert_eq!(text(&got), want, "{name}");
        assert_eq!(scene.get("f"), after.as_bytes(), "{name}");
    }
}

#[tokio::test]
async fn the_change_shows_true_line_numbers() {
    let content = (1..=500).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
    let scene = Scene::with(&[("f", content.as_bytes())]);
    let edit = json!({"path": "f", "oldText": "line 338\n", "newText": "changed\n"});
    let got = scene.call(&Edit(Profile::Pi), edit).await;
    let change = &got.details.changes[0];
    assert!(change.diff.starts_with("@@ -334,9 +334,9 @@\n line 334\n"), "{}", change.diff);
    assert_eq!((change.first_changed_line, change.added, change.removed), (Some(338), 1, 1));
}

#[tokio::test]
async fn edits_at_the_same_time_all_count() {
    let content = (0..20).map(|number| format!("old {number};\n")).collect::<Vec<_>>().concat();
    let scene = Scene::with(&[("f", content.as_bytes())]);
    let edits = (0..20).map(|number| {
        let (old, new) = (format!("old {number};"), format!("new {number};"));
        scene.call(&Edit(Profile::Pi), json!({"path": "f", "oldText": old, "newText": new}))
    });
    for got in join_all(edits).await {
        assert_eq!(text(&got), "Successfully replaced text in f.");
    }
    assert_eq!(scene.get("f"), content.replace("old", "new").as_bytes());
}

#[tokio::test]
async fn a_large_file_is_edited() {
    let line = "the quick brown fox jumps over the lazy dog\n";
    let mut content = line.repeat(10 * 1024 * 1024 / line.len());
    content.push_str("the end\n");
    let scene = Scene::with(&[("f", content.as_bytes())]);
    // Work that grows with the square of the size would never end.
    let got = scene
        .call(&Edit(Profile::Pi), json!({"path": "f", "oldText": "the end", "newText": "fin"}))
        .await;
    assert_eq!(text(&got), "Successfully replaced text in f.");
    assert_eq!(scene.get("f").len(), content.len() - 4);
}

#[tokio::test]
async fn every_occurrence_is_replaced_and_counted() {
    for (name, tool, arguments, want, after) in [
        (
            "pi",
            Edit(Profile::Pi),
            json!({"path": "f", "oldText": "a", "newText": "x", "replaceAll": true}),
            "Successfully replaced 3 occurrences in f.",
            "x b x x",
        ),
        (
            "anthropic",
            Edit(Profile::Anthropic),
            json!({"file_path": "f", "old_string": "a", "new_string": "x", "replace_all": true}),
            "Successfully replaced 3 occurrences in f.",
            "x b x x",
        ),
        (
            "one of several",
            Edit(Profile::Gemini),
            json!({"file_path": "f", "old_string": "a b", "new_string": "x"}),
            "Successfully replaced text in f.",
            "x a a",
        ),
    ] {
        let scene = Scene::with(&[("f", b"a b a a")]);
        assert_eq!(text(&scene.call(&tool, arguments).await), want, "{name}");
        assert_eq!(scene.get("f"), after.as_bytes(), "{name}");
    }
}

#[tokio::test]
async fn pipes_and_devices_are_refused_at_once() {
    let scene = Scene::new();
    pintle_testing::files::fifo(scene.path("pipe"));
    for path in ["pipe", "/dev/null"] {
        let arguments = json!({"path": path, "oldText": "a", "newText": "b"});
        let got = text(&scene.call(&Edit(Profile::Pi), arguments).await);
        let want = format!(
            "error: Cannot change {path}: it is a device, a pipe or a socket, not a regular file"
        );
        assert_eq!(got, want);
    }
}

#[tokio::test]
async fn a_link_stays_and_its_target_is_edited() {
    let scene = Scene::with(&[("target", b"old")]);
    pintle_testing::files::symlink("target", scene.path("link"));
    scene.set_mode("target", 0o755);
    let arguments = json!({"path": "link", "oldText": "old", "newText": "new"});
    scene.call(&Edit(Profile::Pi), arguments).await;
    assert_eq!(scene.get("target"), b"new");
    assert!(std::fs::symlink_metadata(scene.path("link")).unwrap().is_symlink());
    assert_eq!(pintle_testing::files::mode(scene.path("target")), 0o755);
}

#[tokio::test]
async fn a_change_by_another_program_meanwhile_is_kept() {
    let refused = "error: f was changed by another program during the edit, so nothing was written. Read it again, \
                   then repeat the change.";
    let done = "Successfully replaced text in f.";
    // Text that another program appends, how often; the result, the content then.
    for (appended, times, want, content) in [
        ("c\n", 1, done, "a\nx\nc\n"),
        ("c\n", 4, done, "a\nx\nc\nc\nc\nc\n"),
        ("c\n", 9, refused, "a\nb\nc\nc\nc\nc\nc\n"),
        ("b\n", 1, "error: Found 2 occurrences", "a\nb\nb\n"),
    ] {
        let memory = Memory::new([("/w/f", "a\nb\n")]).with_appended("/w/f", appended, times);
        let env = Arc::new(memory);
        let mut scene = Scene::new();
        (scene.ctx.env, scene.ctx.cwd) = (env.clone(), "/w".into());
        let arguments = json!({"path": "f", "oldText": "b\n", "newText": "x\n"});
        let got = text(&scene.call(&Edit(Profile::Pi), arguments).await);
        assert!(got.starts_with(want), "{appended:?} {times} times: {got}");
        assert_eq!(env.text("/w/f").as_deref(), Some(content), "{appended:?} {times} times");
    }
}
