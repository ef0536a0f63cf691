#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::tests::{Scene, text};
use pintle_os::names;
use pintle_protocol::diff::FileOp;
use pintle_testing::is_superuser;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns all files below a directory, by relative path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name() != ".gitkeep" {
                let name = names::shown(path.strip_prefix(folder).unwrap()).into_owned();
                found.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

async fn patch(scene: &Scene, body: &str) -> ToolResult {
    let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
    scene.call(&ApplyPatch(Profile::OpenAi), json!({"patch": patch})).await
}

/// A peer's scenarios. In 015, where a later file fails, our implementation leaves nothing changed.
#[tokio::test]
async fn the_peers_scenarios_hold() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apply-patch");
    let index = std::fs::read_to_string(fixtures.join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let scenarios = index["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), 16);
    for scenario in scenarios {
        let id = scenario["id"].as_str().unwrap();
        let input = files(&fixtures.join(id).join("input"));
        let scene = Scene::new();
        for (path, content) in &input {
            scene.put(path, content.as_bytes());
            scene.read(path).await;
        }
        if id.starts_with("012") {
            std::fs::create_dir_all(scene.path("dir")).unwrap();
        }
        let patch = std::fs::read_to_string(fixtures.join(id).join("patch.txt")).unwrap();
        let got = scene.call(&ApplyPatch(Profile::OpenAi), json!({"patch": patch})).await;
        assert_eq!(Some(got.is_error), scenario["error"].as_bool(), "{id}: {}", text(&got));
        let want =
            if id.starts_with("015") { input } else { files(&fixtures.join(id).join("expected")) };
        assert_eq!(files(&scene.path("")), want, "{id}");
    }
}

#[tokio::test]
async fn applied_changes_are_reported() {
    let scene = Scene::with(&[
        ("edit", b"one\ntwo  \nthree\n"),
        ("go", b"bye\n"),
        ("old name", b"a\nb\n"),
        ("plain move", b"same"),
        ("there", b"before\n"),
    ]);
    scene.read("go").await;
    scene.read("there").await;
    let got = patch(
        &scene,
        "*** Update File: edit\n@@\n one\n-two\n+2\n*** Add File: new/file\n+hello\n*** Delete File: go\n\
         *** Update File: old name\n*** Move to: deep/new name\n@@\n-b\n+B\n\
         *** Update File: plain move\n*** Move to: moved\n*** Add File: there\n+after\n",
    )
    .await;
    assert_eq!(
        text(&got),
        "Applied the patch:\nM edit (hunk 1 matched ignoring white space at line ends)\nA new/file\nD go\n\
         R old name -> deep/new name\nR plain move -> moved\nM there"
    );
    let changes: Vec<_> = got
        .details
        .changes
        .iter()
        .map(|change| {
            let relative = |path: &str| {
                names::shown(Path::new(path))
                    .rsplit_once("/.tmp")
                    .map_or(path, |(_, rest)| rest)
                    .split_once('/')
                    .map(|(_, rest)| rest.to_owned())
            };
            let from = change.old_path.as_deref().and_then(relative);
            (change.op, relative(&change.path).unwrap(), from, change.diff.clone())
        })
        .collect();
    let row = |op, path: &str, from: Option<&str>, diff: &str| {
        (op, path.to_owned(), from.map(str::to_owned), diff.to_owned())
    };
    assert_eq!(
        changes,
        [
            row(FileOp::Modify, "edit", None, "@@ -1,3 +1,3 @@\n one\n-two  \n+2\n three\n"),
            row(FileOp::Add, "new/file", None, "@@ -0,0 +1 @@\n+hello\n"),
            row(FileOp::Delete, "go", None, "@@ -1 +0,0 @@\n-bye\n"),
            row(FileOp::Move, "deep/new name", Some("old name"), "@@ -1,2 +1,2 @@\n a\n-b\n+B\n"),
            row(FileOp::Move, "moved", Some("plain move"), ""),
            row(FileOp::Modify, "there", None, "@@ -1 +1 @@\n-before\n+after\n"),
        ]
    );
    let want = [
        ("deep/new name", "a\nB\n"),
        ("edit", "one\n2\nthree\n"),
        ("moved", "same"),
        ("new/file", "hello\n"),
        ("there", "after\n"),
    ];
    let want = want.map(|(path, content)| (path.to_owned(), content.to_owned()));
    assert_eq!(files(&scene.path("")), BTreeMap::from(want));
}

#[tokio::test]
async fn all_of_a_patch_is_made_or_nothing() {
    let rows = [
        (
            "lines that are not there",
            "*** Update File: b\n@@\n-nothing like it\n+x\n",
            "error: Cannot apply hunk 1 to b: these lines were not found:\nnothing like it\nNothing was changed.",
        ),
        (
            "lines nearly there",
            "*** Update File: b\n@@\n-let total = sum(item);\n+x\n",
            "error: Cannot apply hunk 1 to b: these lines were not found:\nlet total = sum(item);\n\
             The closest lines are 1-1 (93% similar): read them and try again.\nNothing was changed.",
        ),
        (
            "lines in several places",
            "*** Update File: twice\n@@\n-x\n+y\n",
            "error: Cannot apply hunk 1 to twice: its lines occur more than once (lines 1, 2). Add neighbouring lines, \
             or a line from above the change after @@.\nNothing was changed.",
        ),
        (
            "no such hint",
            "*** Update File: b\n@@ fn gone\n-x\n+y\n",
            "error: Cannot apply hunk 1 to b: no line `fn gone` was found. The text after @@ must be a line of the file.\nNothing was changed.",
        ),
        (
            "a file that is not there",
            "*** Delete File: gone\n",
            "error: File not found: gone\nNothing was changed.",
        ),
        (
            "a folder",
            "*** Delete File: folder\n",
            "error: folder is a directory, not a file\nNothing was changed.",
        ),
        (
            "a file below a file",
            "*** Add File: b/c\n+x\n",
            "error: Cannot write b/c: a component of the path is not a directory\nNothing was changed.",
        ),
        (
            "a move over a file",
            "*** Update File: b\n*** Move to: twice\n",
            "error: Cannot move b to twice: the target exists. Delete it first, or choose another path.\nNothing was changed.",
        ),
        (
            "a picture",
            "*** Update File: png\n@@\n-x\n+y\n",
            "error: Cannot edit png: it is a PNG image, not text.\nNothing was changed.",
        ),
        (
            "identical",
            "*** Update File: b\n@@\n-let total = sum(items);\n+let total = sum(items);\n",
            "error: No changes made to b. The patch produced identical content.\nNothing was changed.",
        ),
        (
            "no patch",
            "x\n",
            "error: Nothing was changed: line 4 of the patch: expected `*** Add File: PATH`, `*** Delete File: PATH`, \
             `*** Update File: PATH` or `*** End Patch`, not `x`",
        ),
    ];
    for (name, section, want) in rows {
        let scene = Scene::with(&[
            ("a", b"a\n"),
            ("b", b"let total = sum(items);\n"),
            ("twice", b"x\nx\n"),
            ("folder/x", b""),
        ]);
        scene.read("a").await;
        let before = files(&scene.path(""));
        scene.put("png", b"\x89PNG\r\n\x1a\n\0\0");
        let got = patch(&scene, &format!("*** Add File: a\n+changed\n{section}")).await;
        assert_eq!(text(&got), want, "{name}");
        std::fs::remove_file(scene.path("png")).unwrap();
        assert_eq!(files(&scene.path("")), before, "{name}");
        assert_eq!(got.details.changes, [], "{name}");
    }
}

#[tokio::test]
async fn a_change_that_fails_reverts_the_others() {
    // A non-empty directory in place of a file: staging succeeds, the last rename fails.
    let scene = Scene::with(&[("a", b"a\n"), ("z/x", b"")]);
    scene.read("a").await;
    let before = files(&scene.path(""));
    let got =
        patch(&scene, "*** Add File: a\n+changed\n*** Add File: new\n+n\n*** Delete File: z\n")
            .await;
    assert!(got.is_error);
    assert_eq!(files(&scene.path("")), before);
    if is_superuser() {
        return;
    }
    scene.put("locked/f", b"x\n");
    scene.read("locked/f").await;
    scene.set_mode("locked", 0o555);
    let got = patch(&scene, "*** Add File: a\n+changed\n*** Delete File: locked/f\n").await;
    assert!(text(&got).starts_with("error: Permission denied"), "{}", text(&got));
    assert_eq!(scene.get("a"), b"a\n");
    scene.set_mode("locked", 0o755);
}

#[tokio::test]
async fn encodings_marks_and_line_ends_stay() {
    let scene = Scene::with(&[
        ("latin", b"caf\xe9\r\ncr\xe8me\r\n"),
        ("bom", b"\xef\xbb\xbfa\nb\n"),
        ("twice", b"a\nb\n"),
    ]);
    let got = patch(
        &scene,
        "*** Update File: latin\n@@\n-crème\n+crêpe\n*** Update File: bom\n@@\n-a\n+x\n\
         *** Update File: twice\n@@\n-a\n+x\n*** Update File: twice\n@@\n-b\n+y\n",
    )
    .await;
    assert!(!got.is_error, "{}", text(&got));
    assert_eq!(scene.get("latin"), b"caf\xe9\r\ncr\xeape\r\n");
    assert_eq!(scene.get("bom"), b"\xef\xbb\xbfx\nb\n");
    assert_eq!(scene.get("twice"), b"x\ny\n", "sections of one file follow each other");
}

#[tokio::test]
async fn a_patch_that_is_typed_into_the_shell_is_applied() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-$x\n+`y`\n*** End Patch\n";
    for (name, command, folder) in [
        ("a heredoc", format!("apply_patch <<'EOF'\n{patch}EOF"), ""),
        ("without quotes", format!("apply_patch << EOF\n{patch}EOF\n"), ""),
        ("in a folder", format!("cd sub && apply_patch <<\"PATCH\"\n{patch}PATCH\n"), "sub/"),
    ] {
        let file = format!("{folder}a");
        let scene = Scene::with(&[(&file, b"$x\n")]);
        let got = scene.call(&crate::Bash(Profile::OpenAi), json!({"command": command})).await;
        assert_eq!(text(&got), "Applied the patch:\nM a", "{name}");
        assert_eq!(scene.get(&file), b"`y`\n", "{name}");
    }
    for (name, command) in [
        ("more behind it", format!("apply_patch <<EOF\n{patch}EOF\nls")),
        ("another command", format!("cat <<EOF\n{patch}EOF")),
        ("a folder that the shell makes up", format!("cd $x && apply_patch <<EOF\n{patch}EOF")),
        ("no end", format!("apply_patch <<EOF\n{patch}")),
    ] {
        assert_eq!(in_command(&command), None, "{name}");
    }
}

#[tokio::test]
async fn a_file_has_no_slash_at_its_end() {
    let scene = Scene::new();
    let patch = "*** Begin Patch\n*** Add File: sub/\n+x\n*** End Patch";
    let got = scene.call(&ApplyPatch(Profile::OpenAi), json!({"patch": patch})).await;
    let want = "error: Nothing was changed: `input` must be a file, but sub/ is a directory.";
    assert!(text(&got).starts_with(want), "{}", text(&got));
    assert!(!scene.path("sub").exists());
}

#[tokio::test]
async fn a_file_that_was_not_read_is_neither_replaced_nor_removed() {
    use crate::{Edit, ReadFirst, Settings, Write};
    let unread = "error: a exists and has not been read in this session. Read it first.\nNothing was changed.";
    let (add, delete) = ("*** Add File: a\n+new\n", "*** Delete File: a\n");
    let behind_others =
        "*** Add File: b\n+new\n*** Update File: a\n@@\n-old\n+new\n*** Delete File: a\n";
    let (update, rename) =
        ("*** Update File: a\n@@\n-old\n+new\n", "*** Update File: a\n*** Move to: b\n");
    let (overwrite, never) = (ReadFirst::Overwrite, ReadFirst::Never);
    for (name, read_first, content, is_read, section, want) in [
        ("replaced", overwrite, "old\n", false, add, unread),
        ("removed", overwrite, "old\n", false, delete, unread),
        ("removed behind others", overwrite, "old\n", false, behind_others, unread),
        ("replaced when read", overwrite, "old\n", true, add, "Applied the patch:\nM a"),
        ("removed when read", overwrite, "old\n", true, delete, "Applied the patch:\nD a"),
        ("an empty file", overwrite, "", false, add, "Applied the patch:\nM a"),
        ("an update", overwrite, "old\n", false, update, "Applied the patch:\nM a"),
        ("a move", overwrite, "old\n", false, rename, "Applied the patch:\nR a -> b"),
        ("never asked", never, "old\n", false, delete, "Applied the patch:\nD a"),
        ("always asked", ReadFirst::Always, "old\n", false, update, unread),
    ] {
        let mut scene = Scene::with(&[("a", content.as_bytes())]);
        scene.ctx.settings = Arc::new(Settings { read_first, ..Settings::default() });
        if is_read {
            scene.read("a").await;
        }
        let before = files(&scene.path(""));
        let got = patch(&scene, section).await;
        assert_eq!(text(&got), want, "{name}");
        if got.is_error {
            assert_eq!(files(&scene.path("")), before, "{name}");
        }
    }
    // A part of a file is not all of it, whatever path it has.
    let scene = Scene::with(&[("a", b"old\nmore\n")]);
    patch(&scene, "*** Update File: a\n*** Move to: b\n@@\n-old\n+new\n").await;
    let over = scene.call(&Write(Profile::Pi), json!({"path": "b", "content": "x"})).await;
    assert!(over.is_error, "{}", text(&over));
    scene.read("b").await;
    let edited = scene
        .call(&Edit(Profile::Pi), json!({"path": "b", "oldText": "new", "newText": "newer"}))
        .await;
    assert!(!edited.is_error, "{}", text(&edited));
    assert_eq!(text(&patch(&scene, "*** Delete File: b\n").await), "Applied the patch:\nD b");
}
