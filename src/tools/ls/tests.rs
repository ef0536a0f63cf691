#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::tests::{Scene, text};
use pintle_os::names;
use pintle_testing::files::{fifo, symlink};
use serde_json::json;

#[tokio::test]
async fn a_folder_is_listed() {
    let scene =
        Scene::with(&[("b.txt", b""), ("A.txt", b""), (".dot", b""), ("c/x", b""), ("file", b"")]);
    std::fs::create_dir(scene.path("empty")).unwrap();
    for number in 0..600 {
        scene.put(&format!("many/{number:03}"), b"");
    }
    for (name, arguments, want) in [
        (
            "dotfiles, a slash after folders, order without regard to case",
            json!({}),
            ".dot\nA.txt\nb.txt\nc/\nempty/\nfile\nmany/",
        ),
        ("empty", json!({"path": "empty"}), "(empty directory)"),
        ("a file", json!({"path": "file"}), "error: Not a directory: file"),
        ("missing", json!({"path": "gone"}), "error: Path not found: gone"),
        (
            "limit",
            json!({"limit": 2}),
            ".dot\nA.txt\n\n[2 entries limit reached. Use limit=4 for more]",
        ),
    ] {
        for _ in 0..2 {
            let got = text(&scene.call(&Ls(Profile::Pi), arguments.clone()).await);
            assert_eq!(got, want, "{name}");
        }
    }
    let got = text(&scene.call(&Ls(Profile::Pi), json!({"path": "many"})).await);
    assert!(got.starts_with("000\n001\n") && got.contains("\n499\n\n[500 entries limit reached."));
}

#[tokio::test]
async fn links_pipes_and_odd_names_are_listed() {
    let scene = Scene::with(&[("c/x", b""), ("odd/a\x1b[31mb\nc", b"")]);
    std::fs::write(scene.path("odd").join(names::from_bytes(b"z\xff".to_vec())), "").unwrap();
    symlink("c", scene.path("link"));
    symlink("nowhere", scene.path("broken"));
    symlink("..", scene.path("c/up"));
    fifo(scene.path("pipe"));
    for (name, arguments, want) in [
        ("links and a pipe", json!({}), "broken\nc/\nlink/\nodd/\npipe"),
        ("a pipe", json!({"path": "pipe"}), "error: Not a directory: pipe"),
        ("odd names", json!({"path": "odd"}), "a\\u{1b}[31mb\\nc\nz\u{fffd}"),
    ] {
        let got = text(&scene.call(&Ls(Profile::Pi), arguments).await);
        assert_eq!(got, want, "{name}");
    }
    let deep = json!({"depth": 9, "path": "c"});
    assert_eq!(text(&scene.call(&Ls(Profile::OpenAi), deep).await), "up/\nx");
}

#[tokio::test]
async fn other_profiles_list_by_depth() {
    let scene = Scene::with(&[
        ("a/b/c/d", b""),
        ("a/B2", b""),
        ("a.txt", b""),
        (".gitignore", b"target/\n"),
        ("target/deep/out", b""),
        (".git/config", b""),
    ]);
    for (name, arguments, want) in [
        ("one level", json!({}), ".git/\n.gitignore\na/\na.txt\ntarget/"),
        (
            "two levels; a directory is followed by its entries, ignored ones are not entered",
            json!({"depth": 2}),
            ".git/\n.gitignore\na/\na/b/\na/B2\na.txt\ntarget/",
        ),
        ("all levels", json!({"depth": 9, "path": "a"}), "b/\nb/c/\nb/c/d\nB2"),
        (
            "no depth",
            json!({"depth": 0}),
            "error: `depth` must be a whole number of at least 1, not 0",
        ),
    ] {
        let got = text(&scene.call(&Ls(Profile::OpenAi), arguments).await);
        assert_eq!(got, want, "{name}");
    }
}

#[tokio::test]
async fn a_deep_folder_is_cut_and_says_what_to_do() {
    let scene = Scene::new();
    for number in 0..600 {
        scene.put(&format!("d{}/f{number:03}", number % 3), b"");
    }
    let got = text(&scene.call(&Ls(Profile::OpenAi), json!({"depth": 2})).await);
    assert!(got.starts_with("d0/\nd0/f000\nd0/f003\n"), "{got}");
    assert!(got.ends_with("\n\n[500 entries limit reached. List a subdirectory]"));
}
