#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::tests::{Scene, text};
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_testing::is_superuser;
use serde_json::json;

#[tokio::test]
async fn files_are_written() {
    let scene = Scene::with(&[("old", b"one\ntwo\n"), ("binary", b"\0\x01"), ("folder/x", b"")]);
    // Name, path, content, text, op and counts of the change.
    let add = |added| Some((FileOp::Add, added, 0));
    let rows = [
        ("new", "new", "a\nb\n", "Successfully wrote 4 bytes to new", add(2)),
        (
            "overwrite",
            "old",
            "one\n2\n",
            "Successfully wrote 6 bytes to old",
            Some((FileOp::Modify, 1, 1)),
        ),
        ("same again", "old", "one\n2\n", "Successfully wrote 6 bytes to old", None),
        ("nested", "x/y/z", "deep", "Successfully wrote 4 bytes to x/y/z", add(1)),
        ("empty", "nothing", "", "Successfully wrote 0 bytes to nothing", add(0)),
        ("Chinese and emoji", "utf8", "测试 😀", "Successfully wrote 11 bytes to utf8", add(1)),
        (
            "over a binary",
            "binary",
            "text",
            "Successfully wrote 4 bytes to binary",
            Some((FileOp::Modify, 0, 0)),
        ),
        ("home", "~/notes", "n", "Successfully wrote 1 bytes to ~/notes", add(1)),
    ];
    for (name, path, content, want, change) in rows {
        scene.read(path).await;
        let got = scene.call(&Write(Profile::Pi), json!({"path": path, "content": content})).await;
        assert_eq!(text(&got), want, "{name}");
        assert_eq!(scene.get(&path.replace('~', "home")), content.as_bytes(), "{name}");
        let changed = got.details.changes.first();
        let facts = changed.map(|change| (change.op, change.added, change.removed));
        assert_eq!(facts, change, "{name}");
    }
    let got = scene.call(&Write(Profile::Pi), json!({"path": "folder", "content": "x"})).await;
    assert_eq!(text(&got), "error: folder is a directory, not a file");
    let got = scene.call(&Write(Profile::Pi), json!({"path": "old/x", "content": "x"})).await;
    assert_eq!(text(&got), "error: Cannot write old/x: a component of the path is not a directory");
}

#[tokio::test]
async fn the_change_is_told() {
    let scene = Scene::with(&[("old", b"one\ntwo\n")]);
    scene.read("old").await;
    let got = scene.call(&Write(Profile::Pi), json!({"path": "old", "content": "one\n2\n"})).await;
    let want = FileChange {
        op: FileOp::Modify,
        path: scene.path("old").to_string_lossy().into_owned(),
        old_path: None,
        diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n".into(),
        added: 1,
        removed: 1,
        first_changed_line: Some(2),
        words: Vec::new(),
    };
    assert_eq!(got.details.changes, [want]);
}

#[tokio::test]
async fn missing_write_permission_is_reported() {
    if is_superuser() {
        return;
    }
    let scene = Scene::with(&[("locked/file", b"old"), ("read-only", b"old")]);
    scene.set_mode("read-only", 0o444);
    scene.set_mode("locked", 0o555);
    for (name, path, want) in [
        ("a file", "read-only", "error: Permission denied: read-only (EACCES)"),
        ("a new file", "locked/new", "error: Permission denied: locked/new (EACCES)"),
        ("only the folder is locked", "locked/file", "Successfully wrote 3 bytes to locked/file"),
    ] {
        scene.read(path).await;
        let got = scene.call(&Write(Profile::Pi), json!({"path": path, "content": "new"})).await;
        assert_eq!(text(&got), want, "{name}");
    }
    assert_eq!(scene.get("locked/file"), b"new");
    scene.set_mode("locked", 0o755);
}

enum Step {
    Read,
    Write(&'static str),
    Edit(&'static str),
    Append,
    OtherProgram,
    /// Another program gives the file a new time and a new number on disk, and the content that it had.
    SameContent,
}

#[tokio::test]
async fn a_file_that_was_not_read_is_not_overwritten() {
    use crate::{Edit, ReadFirst, Settings};
    use Step::{Append, Edit as E, OtherProgram, Read, SameContent, Write as W};
    let unread = "error: f exists and has not been read in this session. Read it first.";
    let changed = "error: f was changed since it was last read. Read it again first.";
    let wrote = "Successfully wrote 3 bytes to f";
    let edited = "Successfully replaced text in f.";
    let rows: [(&str, ReadFirst, Vec<Step>); 14] = [
        ("never read", ReadFirst::Overwrite, vec![W(unread)]),
        ("read", ReadFirst::Overwrite, vec![Read, W(wrote), W(wrote)]),
        ("changed since", ReadFirst::Overwrite, vec![Read, OtherProgram, W(changed)]),
        ("read again", ReadFirst::Overwrite, vec![Read, OtherProgram, Read, W(wrote)]),
        ("an edit needs no reading", ReadFirst::Overwrite, vec![E(edited)]),
        ("an edit is no reading", ReadFirst::Overwrite, vec![E(edited), W(unread)]),
        ("read, edited, written", ReadFirst::Overwrite, vec![Read, E(edited), W(wrote)]),
        ("touched", ReadFirst::Overwrite, vec![Read, SameContent, W(wrote)]),
        ("written, touched", ReadFirst::Overwrite, vec![Read, W(wrote), SameContent, W(wrote)]),
        ("touched, edited", ReadFirst::Overwrite, vec![Read, SameContent, E(edited), W(wrote)]),
        ("edited, touched", ReadFirst::Always, vec![Read, E(edited), SameContent, W(wrote)]),
        ("appending is no reading", ReadFirst::Overwrite, vec![Append, W(unread)]),
        ("never asked", ReadFirst::Never, vec![W(wrote)]),
        ("always asked", ReadFirst::Always, vec![E(unread), Read, OtherProgram, E(changed)]),
    ];
    for (name, read_first, steps) in rows {
        let mut scene = Scene::with(&[("f", b"old")]);
        scene.ctx.settings = std::sync::Arc::new(Settings { read_first, ..Settings::default() });
        for step in steps {
            let (got, want) = match step {
                Read => (scene.read("f").await, None),
                OtherProgram => {
                    scene.put("f", b"old, and more");
                    continue;
                }
                SameContent => {
                    let content = scene.get("f");
                    scene.put("g", &content);
                    let file = std::fs::File::options().write(true).open(scene.path("g")).unwrap();
                    file.set_modified(std::time::UNIX_EPOCH).unwrap();
                    std::fs::rename(scene.path("g"), scene.path("f")).unwrap();
                    continue;
                }
                Append => {
                    let arguments = json!({"path": "f", "content": "new", "mode": "append"});
                    (scene.call(&Write(Profile::Kimi), arguments).await, None)
                }
                W(want) => {
                    let arguments = json!({"path": "f", "content": "new"});
                    (scene.call(&Write(Profile::Pi), arguments).await, Some(want))
                }
                E(want) => {
                    let arguments = json!({"path": "f", "oldText": "o", "newText": "0"});
                    (scene.call(&Edit(Profile::Pi), arguments).await, Some(want))
                }
            };
            if let Some(want) = want {
                assert_eq!(text(&got), want, "{name}");
            }
        }
    }
}

#[tokio::test]
async fn a_folder_is_not_written() {
    let scene = Scene::new();
    let got = scene.call(&Write(Profile::Pi), json!({"path": "new/", "content": "x"})).await;
    let want = "error: `path` must name a file, and new/ names a folder.";
    assert!(text(&got).starts_with(want), "{}", text(&got));
    assert!(!scene.path("new").exists());
}
