#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::tests::{Scene, text};
use pintle_os::names;
use pintle_testing::files::{fifo, symlink};
use pintle_testing::is_superuser;
use serde_json::json;
use std::time::{Duration, UNIX_EPOCH};

#[tokio::test]
async fn paths_are_found_in_path_order() {
    let scene = Scene::with(&[
        ("b.txt", b""),
        ("A.txt", b""),
        (".dot", b""),
        (".config/deep.txt", b""),
        ("c/d/e.txt", b""),
        ("file", b""),
        ("c/.gitignore", b"skip*\n!skipped-not.txt\n"),
        ("c/skip.txt", b""),
        ("c/skipped/x.txt", b""),
        ("c/skipped-not.txt", b""),
        (".git/config", b""),
    ]);
    for (name, arguments, want) in [
        (
            "names at any depth, hidden ones too",
            json!({"pattern": "*.txt"}),
            ".config/deep.txt\nA.txt\nb.txt\nc/d/e.txt\nc/skipped-not.txt",
        ),
        ("hidden", json!({"pattern": ".d*"}), ".dot"),
        (".git is not there", json!({"pattern": "config"}), "No files found matching pattern"),
        (
            "a nested glob, with a nested .gitignore obeyed",
            json!({"pattern": "c/**"}),
            "c/.gitignore\nc/d/\nc/d/e.txt\nc/skipped-not.txt",
        ),
        ("a path", json!({"pattern": "**/d/*.txt"}), "c/d/e.txt"),
        ("folders", json!({"pattern": "d/"}), "c/d/"),
        ("none", json!({"pattern": "*.go"}), "No files found matching pattern"),
        (
            "limit",
            json!({"pattern": "*.txt", "limit": 1}),
            ".config/deep.txt\n\n[1 results limit reached. Use limit=2 for more, or refine pattern]",
        ),
        (
            "exactly the limit",
            json!({"pattern": "*.txt", "limit": 5}),
            ".config/deep.txt\nA.txt\nb.txt\nc/d/e.txt\nc/skipped-not.txt",
        ),
        ("in a file", json!({"pattern": "*", "path": "file"}), "error: Not a directory: file"),
        ("missing", json!({"pattern": "*", "path": "gone"}), "error: Path not found: gone"),
    ] {
        for _ in 0..3 {
            let got = text(&scene.call(&Find(Profile::Pi), arguments.clone()).await);
            assert_eq!(got, want, "{name}");
        }
    }
    let pattern = format!("{}/c/*/*.txt", names::shown(&scene.ctx.cwd));
    let got = text(&scene.call(&Find(Profile::Pi), json!({"pattern": pattern})).await);
    assert_eq!(got, "c/d/e.txt", "an absolute pattern");
    let got = text(&scene.call(&Find(Profile::Pi), json!({"pattern": "a["})).await);
    assert!(got.starts_with("error: invalid glob: "), "{got}");
}

#[tokio::test]
async fn links_and_pipes_are_names() {
    let scene = Scene::with(&[("c/d/e.txt", b""), ("c/other.txt", b"")]);
    symlink("c", scene.path("link"));
    symlink("..", scene.path("c/loop"));
    fifo(scene.path("pipe"));
    for (name, arguments, want) in [
        ("a link is not followed", json!({"pattern": "l*"}), "c/loop\nlink"),
        ("nor one on the way", json!({"pattern": "c/**"}), "c/d/\nc/d/e.txt\nc/loop\nc/other.txt"),
        (
            "a link given as the path is followed",
            json!({"pattern": "*.txt", "path": "link"}),
            "d/e.txt\nother.txt",
        ),
        ("a pipe is a name", json!({"pattern": "pipe"}), "pipe"),
    ] {
        let got = text(&scene.call(&Find(Profile::Pi), arguments).await);
        assert_eq!(got, want, "{name}");
    }
}

#[tokio::test]
async fn the_newest_files_come_first_for_other_profiles() {
    let scene = Scene::with(&[(".gitignore", b"*.log\n"), ("x.log", b"")]);
    for (age, name) in ["new.rs", "b/same.rs", "a/same.rs", "old.rs"].iter().enumerate() {
        scene.put(name, b"");
        let file = std::fs::File::open(scene.path(name)).unwrap();
        let seconds = 2_000_000 - 10 * age.div_ceil(2) as u64;
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }
    for profile in [Profile::Anthropic, Profile::Kimi, Profile::Gemini] {
        for (name, arguments, want) in [
            (
                "by age, then by path",
                json!({"pattern": "*.rs"}),
                "new.rs\na/same.rs\nb/same.rs\nold.rs",
            ),
            ("files without folders", json!({"pattern": "a*"}), "No files found matching pattern"),
            ("in a folder", json!({"pattern": "*.rs", "path": "a"}), "same.rs"),
        ] {
            let tool = Find(profile);
            assert_eq!(text(&scene.call(&tool, arguments).await), want, "{name}");
        }
    }
}

#[tokio::test]
async fn a_thousand_are_shown_and_folders_that_may_not_be_read_are_counted() {
    let scene = Scene::new();
    for number in 0..1200 {
        scene.put(&format!("d{}/f{number:04}", number % 7), b"");
    }
    let want: Vec<String> = (0..7)
        .flat_map(|folder| {
            (0..1200)
                .filter(move |number| number % 7 == folder)
                .map(move |number| format!("d{folder}/f{number:04}"))
        })
        .take(1000)
        .collect();
    for _ in 0..5 {
        let got = text(&scene.call(&Find(Profile::Pi), json!({"pattern": "f*"})).await);
        let notice = "[1000 results limit reached. Use limit=2000 for more, or refine pattern]";
        assert_eq!(got, format!("{}\n\n{notice}", want.join("\n")));
    }
    let got = text(&scene.call(&Find(Profile::Gemini), json!({"pattern": "f*"})).await);
    assert!(got.ends_with("[500 results limit reached. Refine pattern, or search a subdirectory]"));
    if !is_superuser() {
        scene.set_mode("d0", 0);
        let got = text(&scene.call(&Find(Profile::Pi), json!({"pattern": "f0001"})).await);
        assert_eq!(
            got,
            "d1/f0001\n\n[1 directories could not be read (no permission, or path too long)]"
        );
        scene.set_mode("d0", 0o755);
    }
}

#[tokio::test]
async fn ignored_paths_that_are_named_are_found_or_reported() {
    use crate::Grep;
    let scene = Scene::with(&[
        (".gitignore", b"scripts/*\n*.log\nout/\n"),
        ("scripts/w.py", b"needle\n"),
        ("out/deep/x.py", b"needle\n"),
        ("app.log", b"needle\n"),
        ("src/a.py", b"other\n"),
    ]);
    let find = |pattern: &str, path: &str| ("find", json!({"pattern": pattern, "path": path}));
    let grep =
        |glob: &str, path: &str| ("grep", json!({"pattern": "needle", "glob": glob, "path": path}));
    let ignored = |nothing: &str, path: &str| {
        format!(
            "{nothing}\n\n[{path} is ignored by .gitignore or .ignore and was skipped. Pass it or its directory as `path` to search there]"
        )
    };
    let (no_file, no_match) = ("No files found matching pattern", "No matches found");
    for ((tool, arguments), want) in [
        (find("*.py", "scripts"), "w.py".to_owned()),
        (find("*.py", "out/deep"), "x.py".to_owned()),
        (grep("", "scripts"), "w.py:1: needle".to_owned()),
        (grep("*.py", "out"), "deep/x.py:1: needle".to_owned()),
        (find("scripts/*.py", ""), ignored(no_file, "scripts/w.py")),
        (find("out/deep/*.py", ""), ignored(no_file, "out")),
        (grep("scripts/*.py", ""), ignored(no_match, "scripts/w.py")),
        (grep("*.log", ""), ignored(no_match, "app.log")),
        (find("*.rs", ""), no_file.to_owned()),
        (grep("", ""), no_match.to_owned()),
    ] {
        let got = if tool == "find" {
            scene.call(&Find(Profile::Pi), arguments.clone()).await
        } else {
            scene.call(&Grep(Profile::Pi), arguments.clone()).await
        };
        assert_eq!(text(&got), want, "{tool} {arguments}");
    }
}
