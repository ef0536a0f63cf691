#![expect(clippy::disallowed_methods, reason = "tests set the scene with real files")]

use super::*;
use crate::tests::{Scene, text};
use pintle_testing::files::symlink;
use pintle_testing::is_superuser;
use serde_json::json;

fn utf16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let marked = "\u{feff}".encode_utf16().chain(text.encode_utf16());
    marked.flat_map(bytes_of).collect()
}

fn make_pipe(scene: &Scene, name: &str) {
    pintle_testing::files::fifo(scene.path(name));
}

async fn call(scene: &Scene, profile: Profile, arguments: Value) -> String {
    text(&scene.call(&Grep(profile), arguments).await)
}

#[tokio::test]
async fn lines_are_shown_in_path_order() {
    let scene = Scene::with(&[
        ("src/a.rs", b"fn one() {}\nfn two() {}\nfn three() {}\n"),
        ("src/b.rs", b"fn one() {}\r\n"),
        ("src/c/d.rs", b"let x = [1];\nlet y = x[0];\n"),
        (".hidden/h.rs", b"hidden one\n"),
        (".git/g.rs", b"one\n"),
        (".gitignore", b"ignored/\n*.log\n"),
        ("ignored/i.rs", b"one\n"),
        ("x.log", b"one\n"),
    ]);
    for (name, arguments, want) in [
        ("one file", json!({"pattern": "two", "path": "src/a.rs"}), "a.rs:2: fn two() {}"),
        (
            "several files, hidden ones too, ignored ones and .git not",
            json!({"pattern": "one"}),
            ".hidden/h.rs:1: hidden one\nsrc/a.rs:1: fn one() {}\nsrc/b.rs:1: fn one() {}",
        ),
        ("none", json!({"pattern": "nothing here"}), "No matches found"),
        (
            "limit 1 with context 1",
            json!({"pattern": "fn", "path": "src/a.rs", "limit": 1, "context": 1}),
            "a.rs:1: fn one() {}\na.rs-2- fn two() {}\n\n\
             [1 matches limit reached. Use limit=2 for more, or refine pattern]",
        ),
        (
            "exactly the limit is not cut",
            json!({"pattern": "fn", "path": "src/a.rs", "limit": 3}),
            "a.rs:1: fn one() {}\na.rs:2: fn two() {}\na.rs:3: fn three() {}",
        ),
        (
            "a limit between files",
            json!({"pattern": "one", "path": "src", "limit": 1}),
            "a.rs:1: fn one() {}\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]",
        ),
        (
            "context on both sides",
            json!({"pattern": "two", "path": "src/a.rs", "context": 1}),
            "a.rs-1- fn one() {}\na.rs:2: fn two() {}\na.rs-3- fn three() {}",
        ),
        (
            "metacharacters are a regular expression",
            json!({"pattern": r"t\w+\(", "path": "src/a.rs"}),
            "a.rs:2: fn two() {}\na.rs:3: fn three() {}",
        ),
        (
            "literal takes them as they are",
            json!({"pattern": "x[0]", "literal": true}),
            "src/c/d.rs:2: let y = x[0];",
        ),
        (
            "ignore case",
            json!({"pattern": "FN ONE", "path": "src/a.rs", "ignoreCase": true}),
            "a.rs:1: fn one() {}",
        ),
        ("glob of a name", json!({"pattern": "one", "glob": "b.*"}), "src/b.rs:1: fn one() {}"),
        (
            "glob of a path",
            json!({"pattern": "let x", "glob": "src/**/*.rs"}),
            "src/c/d.rs:1: let x = [1];",
        ),
        (
            "line endings in a file with CRLF",
            json!({"pattern": r"\{\}$", "path": "src/b.rs"}),
            "b.rs:1: fn one() {}",
        ),
        (
            "across lines",
            json!({"pattern": r"one\(\) \{\}\nfn t", "path": "src"}),
            "a.rs:1: fn one() {}\na.rs:2: fn two() {}",
        ),
        ("missing", json!({"pattern": "x", "path": "gone"}), "error: Path not found: gone"),
    ] {
        // More than once: the same call gives the same text.
        for _ in 0..3 {
            assert_eq!(call(&scene, Profile::Pi, arguments.clone()).await, want, "{name}");
        }
    }
}

#[tokio::test]
async fn other_profiles_choose_what_comes_back() {
    let scene = Scene::with(&[("a", b"One\none\n"), ("b/c", b"one\n"), ("b/d", b"two\n")]);
    for (name, arguments, want) in [
        ("content", json!({"pattern": "one", "output_mode": "content"}), "a:2: one\nb/c:1: one"),
        ("files by default", json!({"pattern": "one"}), "a\nb/c"),
        (
            "content by name",
            json!({"pattern": "one", "output_mode": "content", "glob": "c"}),
            "b/c:1: one",
        ),
        ("files", json!({"pattern": "one", "output_mode": "files_with_matches"}), "a\nb/c"),
        (
            "counts",
            json!({"pattern": "one", "output_mode": "count", "ignoreCase": true}),
            "a:2\nb/c:1",
        ),
        (
            "a limit of lines",
            json!({"pattern": "one", "output_mode": "content", "limit": 1}),
            "a:2: one\n\n[1 matches limit reached. Use LIMIT=2 for more, or refine pattern]",
        ),
        (
            "a file limit",
            json!({"pattern": "one", "output_mode": "files_with_matches", "limit": 1}),
            "a\n\n[1 files limit reached. Use LIMIT=2 for more, or refine pattern]",
        ),
        ("no file", json!({"pattern": "no", "output_mode": "count"}), "No matches found"),
        (
            "another mode",
            json!({"pattern": "one", "output_mode": "all"}),
            "error: `output_mode` must be one of content, files_with_matches, count, not \"all\"",
        ),
    ] {
        for profile in [Profile::Anthropic, Profile::OpenAi, Profile::Kimi] {
            let want = want.replace("LIMIT", profile.row(Builtin::Grep).theirs("limit").unwrap());
            assert_eq!(call(&scene, profile, arguments.clone()).await, want, "{name}");
        }
    }
}

#[tokio::test]
async fn a_wrong_pattern_says_where_and_what_to_do() {
    let scene = Scene::with(&[("a", b"x")]);
    for (profile, advice) in [
        (Profile::Pi, "set literal to true"),
        (Profile::Anthropic, "Escape special characters to search for them as plain text."),
    ] {
        let got = call(&scene, profile, json!({"pattern": "f(x"})).await;
        assert!(got.starts_with("error: invalid regular expression: "), "{got}");
        assert!(got.contains("    f(x\n     ^\n") && got.contains("unclosed group"), "{got}");
        assert!(got.contains(advice), "{got}");
    }
    let got = call(&scene, Profile::Pi, json!({"pattern": "x", "glob": "a["})).await;
    assert!(got.starts_with("error: invalid glob: ") && !got.contains("literal"), "{got}");
}

#[tokio::test]
async fn long_answers_are_cut_and_say_so() {
    let long = format!("{}needle{}\n", "a".repeat(900), "b".repeat(900));
    let scene = Scene::with(&[
        ("long.txt", long.as_bytes()),
        ("many.txt", "match\n".repeat(300).as_bytes()),
        ("wide.txt", format!("{}\n", "wide ".repeat(80)).repeat(200).as_bytes()),
    ]);
    let got = call(&scene, Profile::Pi, json!({"pattern": "needle"})).await;
    assert!(got.contains("aneedleb"), "cut around the match: {got}");
    assert!(got.ends_with("[Some lines truncated to 500 chars. Use read tool to see full lines]"));

    let got = call(&scene, Profile::Pi, json!({"pattern": "match"})).await;
    assert_eq!(got.lines().filter(|line| line.starts_with("many.txt:")).count(), 100);
    assert!(
        got.ends_with("[100 matches limit reached. Use limit=200 for more, or refine pattern]")
    );

    let got = scene.call(&Grep(Profile::Pi), json!({"pattern": "wide", "limit": 500})).await;
    assert!(text(&got).ends_with("\n\n[50.0KB limit reached]"));
    assert!(got.details.truncation.is_some_and(|record| record.total_lines == 200));
}

#[tokio::test]
async fn a_link_is_followed_only_if_it_is_given_as_the_path() {
    let scene = Scene::with(&[("src/a.rs", b"fn one() {}\nfn two() {}\n")]);
    symlink(scene.path("src"), scene.path("link"));
    for (arguments, want) in [
        (json!({"pattern": "two", "path": "link"}), "a.rs:2: fn two() {}"),
        (json!({"pattern": "two"}), "src/a.rs:2: fn two() {}"),
    ] {
        assert_eq!(call(&scene, Profile::Pi, arguments).await, want);
    }
}

#[tokio::test]
async fn odd_files_do_no_harm() {
    let odd_name = pintle_os::names::from_bytes(b"b\xff\x1b[31m\n.txt".to_vec());
    let far = format!("{}needle far\n", "line of text\n".repeat(8000));
    let scene = Scene::with(&[
        ("bin", b"needle\0needle\n"),
        ("late-bin", format!("needle\n{}\0", "text\n".repeat(20_000)).as_bytes()),
        ("le", &utf16("\u{e4} needle le\n", u16::to_le_bytes)),
        ("be", &utf16("\u{e4} needle be\n", u16::to_be_bytes)),
        ("long-le", &utf16(&far, u16::to_le_bytes)),
        ("far", far.as_bytes()),
        ("bad-utf8", b"needle \xff\n"),
        ("escapes", b"\x1b[31mneedle\x1b[0m \x1b]0;title\x07end\n"),
        ("real/one", b"needle one\n"),
    ]);
    std::fs::write(scene.path("real").join(odd_name), "needle odd\n").unwrap();
    make_pipe(&scene, "pipe");
    symlink("real/one", scene.path("file-link"));
    symlink(".", scene.path("real/loop"));
    symlink("nowhere", scene.path("broken"));
    let want = "bad-utf8:1: needle \u{fffd}\n\
         be:1: \u{e4} needle be\n\
         escapes:1: needle end\n\
         far:8001: needle far\n\
         late-bin:1: needle\n\
         le:1: \u{e4} needle le\n\
         long-le:8001: needle far\n\
         real/b\u{fffd}\\u{1b}[31m\\n.txt:1: needle odd\n\
         real/one:1: needle one";
    for _ in 0..20 {
        assert_eq!(call(&scene, Profile::Pi, json!({"pattern": "needle"})).await, want);
    }
    let not_plain = "not a regular file (a device, pipe or socket)";
    for (name, path, want) in [
        ("a pipe itself", "pipe", format!("error: {}: {not_plain}", scene.path("pipe").display())),
        ("a device itself", "/dev/zero", format!("error: /dev/zero: {not_plain}")),
        ("a link to a file itself", "file-link", "file-link:1: needle one".to_owned()),
        ("a broken link itself", "broken", "error: Path not found: broken".to_owned()),
        ("a binary file itself", "bin", "No matches found".to_owned()),
    ] {
        let got = call(&scene, Profile::Pi, json!({"pattern": "needle", "path": path})).await;
        assert_eq!(got, want, "{name}");
    }
}

#[tokio::test]
async fn unreadable_files_are_counted() {
    if is_superuser() {
        return;
    }
    let scene =
        Scene::with(&[("a", b"needle\n"), ("closed/b", b"needle\n"), ("secret", b"needle\n")]);
    scene.set_mode("closed", 0);
    scene.set_mode("secret", 0);
    let notice = "[2 files or directories could not be searched (no permission, path too long, or line too long)]";
    for (pattern, lines) in [("needle", "a:1: needle"), ("other", "No matches found")] {
        let got = call(&scene, Profile::Pi, json!({"pattern": pattern})).await;
        assert_eq!(got, format!("{lines}\n\n{notice}"));
    }
    let got = call(&scene, Profile::Pi, json!({"pattern": "x", "path": "secret"})).await;
    assert_eq!(got, "error: Permission denied: secret (EACCES)");
    scene.set_mode("closed", 0o755);
}

#[tokio::test]
async fn the_first_matches_in_path_order_come_back_every_time() {
    let scene = Scene::new();
    for folder in 0..40 {
        for file in 0..20 {
            // Folder 0 has none, so that the first few files decide nothing.
            let text = if folder == 0 { "nothing\n" } else { "needle\nother\nneedle\n" };
            scene.put(&format!("d{folder:02}/f{file:02}"), text.as_bytes());
        }
    }
    for limit in [1, 2, 3, 100, 1559, 1560, 2000] {
        let mut want: Vec<String> = Vec::new();
        for folder in 1..40 {
            for file in 0..20 {
                want.push(format!("d{folder:02}/f{file:02}:1: needle"));
                want.push(format!("d{folder:02}/f{file:02}:3: needle"));
            }
        }
        want.truncate(limit);
        for _ in 0..10 {
            let got = call(&scene, Profile::Pi, json!({"pattern": "needle", "limit": limit})).await;
            let lines: Vec<&str> = got.lines().take_while(|line| !line.is_empty()).collect();
            assert_eq!(lines, want, "limit {limit}");
            assert_eq!(got.contains("limit reached"), limit < 1560, "limit {limit}");
        }
    }
}

#[tokio::test]
async fn what_the_engine_does_not_know_is_not_to_be_escaped() {
    let scene = Scene::with(&[("a", b"foobar\n")]);
    for pattern in ["foo(?=bar)", "(?<!x)bar", r"(o)\1"] {
        let got = text(&scene.call(&Grep(Profile::OpenAi), json!({"pattern": pattern})).await);
        assert!(got.starts_with("error: invalid regular expression"), "{got}");
        assert!(got.ends_with("or use grep -P with exec_command."), "{got}");
    }
}
