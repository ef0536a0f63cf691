use super::*;
use crate::Error;
use crate::memory::Memory;
use crate::{Environment, Local};
use std::path::Path;
use tokio_util::sync::CancellationToken;

const FILES: [(&str, &str); 8] = [
    ("a-b/x.rs", "alpha\n"),
    ("a/deep/y.rs", "one\ntwo alpha\nthree\nalpha two\nfour\nalpha\n"),
    ("a/z.txt", "ALPHA\nfn f(x) {\n"),
    (".hidden/h.rs", "alpha hidden\n"),
    ("bin.dat", "alpha\0alpha\n"),
    ("ignored/i.rs", "alpha\n"),
    (".gitignore", "ignored/\n"),
    (".git/config.rs", "alpha\n"),
];

type Place = (Box<dyn Environment>, PathBuf);

type Change = fn(Grep) -> Grep;

/// The files on disk, and the same in memory, but for what `.gitignore` and `.git` hide there.
fn both() -> (tempfile::TempDir, Vec<Place>) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        write(&folder.path().join(path), text);
    }
    let local =
        Local::new(&pintle_base::ambient::Ambient::fixed([]), crate::local::Options::default());
    let shown = FILES
        .iter()
        .filter(|(path, _)| !path.starts_with("ignored/") && !path.starts_with(".git/"));
    let paths: Vec<(String, &str)> =
        shown.map(|(path, text)| (format!("/root/{path}"), *text)).collect();
    let memory = Memory::new(paths.iter().map(|(path, text)| (path.as_str(), *text)));
    let root = folder.path().to_path_buf();
    (folder, vec![(Box::new(local), root), (Box::new(memory), PathBuf::from("/root"))])
}

#[expect(clippy::disallowed_methods, reason = "the scene is real files")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn grep(root: &Path, pattern: &str) -> Grep {
    Grep {
        root: root.to_path_buf(),
        named: None,
        left_out: LeftOut::default(),
        pattern: pattern.to_owned(),
        glob: None,
        ignore_case: false,
        is_literal: false,
        before: 0,
        after: 0,
        output: GrepOutput::Lines,
        max_matches: 100,
        max_line_chars: 500,
        unsaved: std::sync::Arc::default(),
    }
}

fn find(root: &Path, glob: &str, max_paths: usize) -> Find {
    let (root, glob) = (root.to_path_buf(), glob.to_owned());
    Find {
        root,
        left_out: LeftOut::default(),
        glob,
        max_paths,
        max_depth: None,
        order: FindOrder::Path,
    }
}

/// `path:1 2- 3`, context with a dash, `+` when there is more.
fn shown(grepped: &Grepped) -> String {
    let mut files: Vec<String> = Vec::new();
    for file in &grepped.files {
        let lines: Vec<String> = file
            .lines
            .iter()
            .map(|line| format!("{}{}", line.number, if line.is_match { "" } else { "-" }))
            .collect();
        files.push(format!("{}:{}", file.path.display(), lines.join(" ")));
    }
    files.join(", ") + if grepped.has_more { " +" } else { "" }
}

#[tokio::test]
async fn lines_are_found_in_path_order() {
    let (_folder, places) = both();
    let none = CancellationToken::new();
    let rows: [(&str, &str, Change, &str); 11] = [
        ("several files", "alpha", |g| g, ".hidden/h.rs:1, a/deep/y.rs:2 4 6, a-b/x.rs:1"),
        ("none", "omega", |g| g, ""),
        ("one file", "alpha", |g| Grep { root: g.root.join("a-b/x.rs"), ..g }, "x.rs:1"),
        (
            "ignore case",
            "alpha",
            |g| Grep { ignore_case: true, glob: Some("*.txt".into()), ..g },
            "a/z.txt:1",
        ),
        ("glob of a name", "alpha", |g| Grep { glob: Some("x.*".into()), ..g }, "a-b/x.rs:1"),
        (
            "glob of a path",
            "alpha",
            |g| Grep { glob: Some("a/**/*.rs".into()), ..g },
            "a/deep/y.rs:2 4 6",
        ),
        ("literal", "f(x) {", |g| Grep { is_literal: true, ..g }, "a/z.txt:2"),
        ("metacharacters", r"f\(\w\)", |g| g, "a/z.txt:2"),
        (
            "limit with context",
            "alpha",
            |g| Grep { max_matches: 1, before: 1, after: 1, root: g.root.join("a"), ..g },
            "deep/y.rs:1- 2 3- +",
        ),
        (
            "limit across files",
            "alpha",
            |g| Grep { max_matches: 2, ..g },
            ".hidden/h.rs:1, a/deep/y.rs:2 +",
        ),
        ("across lines", r"three\nalpha", |g| g, "a/deep/y.rs:3 4"),
    ];
    for (name, pattern, change, want) in rows {
        for (env, root) in &places {
            let got = env.grep(change(grep(root, pattern)), &none).await.unwrap();
            assert_eq!(shown(&got), want, "{name} in {env:?}");
        }
    }
}

#[tokio::test]
async fn a_wrong_pattern_says_where() {
    let (_folder, places) = both();
    for (env, root) in &places {
        let got = env.grep(grep(root, "f(x"), &CancellationToken::new()).await;
        let Err(Error::Pattern(message)) = got else { panic!("{got:?}") };
        assert!(message.contains("unclosed group") && message.contains("f(x"), "{message}");
    }
}

#[tokio::test]
async fn paths_are_found_in_path_order() {
    let (_folder, places) = both();
    let none = CancellationToken::new();
    let rows = [
        ("names at any depth", "*.rs", 9, ".hidden/h.rs, a/deep/y.rs, a-b/x.rs"),
        ("a path", "a/**/*.rs", 9, "a/deep/y.rs"),
        ("folders", "d*", 9, "a/deep/"),
        ("none", "*.go", 9, ""),
        ("limit", "*.rs", 1, ".hidden/h.rs +"),
        ("exactly the limit", "*.rs", 3, ".hidden/h.rs, a/deep/y.rs, a-b/x.rs"),
    ];
    for (name, glob, max_paths, want) in rows {
        for (env, root) in &places {
            let find = find(root, glob, max_paths);
            let found = env.find(find, &none).await.unwrap();
            let paths: Vec<String> = found
                .paths
                .iter()
                .map(|found| {
                    format!("{}{}", found.path.display(), if found.is_folder { "/" } else { "" })
                })
                .collect();
            let got = paths.join(", ") + if found.has_more { " +" } else { "" };
            assert_eq!(got, want, "{name} in {env:?}");
        }
    }
}

#[tokio::test]
async fn a_cancelled_search_stops() {
    let (_folder, places) = both();
    let (env, root) = &places[0];
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(env.grep(grep(root, "alpha"), &cancel).await, Err(Error::Cancelled));
}
