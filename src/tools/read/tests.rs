use super::*;
use crate::tests::{Scene, text};
use pintle_testing::is_superuser;
use serde_json::json;

fn numbered(count: usize) -> Vec<u8> {
    (1..=count).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat().into_bytes()
}

/// Returns the lines from one to another, as `numbered` has them.
fn lines_of(first: usize, last: usize) -> String {
    (first..=last).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n")
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[tokio::test]
async fn text_is_read() {
    let program: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0";
    let scene = Scene::with(&[
        ("plain", b"Hello\nworld"),
        ("empty", b""),
        ("100", &numbered(100)),
        ("2500", &numbered(2500)),
        ("3", &numbered(3)),
        ("wide", format!("{}\n", "w".repeat(200)).repeat(500).as_bytes()),
        ("long line", format!("short\n{}\n", "x".repeat(122_880)).as_bytes()),
        ("program.txt", program),
        ("with space 测.txt", b"named"),
        ("home/notes", b"at home"),
        ("bom", b"\xef\xbb\xbfmarked"),
        ("latin", b"caf\xe9"),
        ("utf16", &utf16("\u{feff}eins\r\nzwei ü\r\n", u16::to_le_bytes)),
        ("utf16be", &utf16("\u{feff}eins\r\nzwei ü\r\n", u16::to_be_bytes)),
        ("damaged", b"\xc3\xa9 \xc3\xa8 \xff"),
        ("escapes", b"a\x1b[31mb"),
        ("caf\u{65}\u{301}", b"nfd"),
        ("it\u{2019}s", b"curly"),
        ("Shot 1.30\u{202f}PM.txt", b"noon"),
        ("folder/x", b""),
    ]);
    let long = format!(
        "error: path too long ({} bytes): shorten it",
        scene.path("").as_os_str().len() + 5000
    );
    let rows = [
        ("plain", json!({"path": "plain"}), "Hello\nworld".to_owned()),
        ("missing", json!({"path": "gone"}), "error: File not found: gone (ENOENT)".into()),
        ("empty", json!({"path": "empty"}), String::new()),
        ("offset 51 of 100", json!({"path": "100", "offset": 51}), lines_of(51, 100)),
        (
            "limit 10",
            json!({"path": "100", "limit": 10}),
            lines_of(1, 10) + "\n\n[90 more lines in file. Use offset=11 to continue.]",
        ),
        (
            "offset 41, limit 20",
            json!({"path": "100", "offset": 41, "limit": 20}),
            lines_of(41, 60) + "\n\n[40 more lines in file. Use offset=61 to continue.]",
        ),
        ("offset 1", json!({"path": "3", "offset": 1}), lines_of(1, 3)),
        ("the last line only", json!({"path": "3", "offset": 3}), lines_of(3, 3)),
        ("limit to the end", json!({"path": "3", "limit": 3}), lines_of(1, 3)),
        (
            "offset 100 of 3",
            json!({"path": "3", "offset": 100}),
            "error: Offset 100 is beyond end of file (3 lines total)".into(),
        ),
        (
            "2,500 lines",
            json!({"path": "2500"}),
            lines_of(1, 2000) + "\n\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]",
        ),
        (
            "500 x 200 characters",
            json!({"path": "wide"}),
            vec!["w".repeat(200); 254].join("\n")
                + "\n\n[Showing lines 1-254 of 500 (50.0KB limit). Use offset=255 to continue.]",
        ),
        (
            "a line over 50 KB",
            json!({"path": "long line", "offset": 2}),
            "[Line 2 is 120.0KB, exceeds 50.0KB limit. Use bash: sed -n '2p' 'long line' | head -c 51200]".into(),
        ),
        (
            "a program named as text",
            json!({"path": "program.txt"}),
            "error: Cannot read program.txt: it is a ELF program (16B), not text. Use bash to inspect it.".into(),
        ),
        ("space and Chinese", json!({"path": "with space 测.txt"}), "named".into()),
        ("home", json!({"path": "~/notes"}), "at home".into()),
        ("a mention", json!({"path": "@plain"}), "Hello\nworld".into()),
        ("byte order mark", json!({"path": "bom"}), "marked".into()),
        ("Latin-1", json!({"path": "latin"}), "café".into()),
        ("UTF-16", json!({"path": "utf16", "offset": 2}), "zwei ü".into()),
        ("UTF-16 of the other kind", json!({"path": "utf16be"}), "eins\nzwei ü".into()),
        ("a damaged byte", json!({"path": "damaged"}), "é è \u{fffd}".into()),
        ("escapes and NULs are seen, not obeyed", json!({"path": "escapes"}), "a␛[31mb".into()),
        ("composed name for a decomposed one", json!({"path": "caf\u{e9}"}), "nfd".into()),
        ("straight quote for a curly one", json!({"path": "it's"}), "curly".into()),
        ("plain space for a narrow one", json!({"path": "Shot 1.30 PM.txt"}), "noon".into()),
        ("odd space for a plain one", json!({"path": "with\u{a0}space 测.txt"}), "named".into()),
        ("a folder", json!({"path": "folder"}), "error: folder is a directory. Use ls to list it.".into()),
        ("too long a path", json!({"path": "x".repeat(5000)}), long),
    ];
    for (name, arguments, want) in rows {
        assert_eq!(text(&scene.call(&Read(Profile::Pi), arguments).await), want, "{name}");
    }
}

#[tokio::test]
async fn a_link_is_followed() {
    let scene = Scene::with(&[("plain", b"Hello\nworld")]);
    pintle_testing::files::symlink("plain", scene.path("link"));
    let got = scene.call(&Read(Profile::Pi), json!({"path": "link"})).await;
    assert_eq!(text(&got), "Hello\nworld");
}

#[tokio::test]
async fn details_tell_what_was_cut() {
    let scene = Scene::with(&[("2500", &numbered(2500)), ("3", &numbered(3)), ("empty", b"")]);
    let cut =
        scene.call(&Read(Profile::Pi), json!({"path": "2500"})).await.details.truncation.unwrap();
    let facts = (cut.truncated_by, cut.total_lines, cut.output_lines, cut.total_bytes);
    assert_eq!(facts, (Some(TruncatedBy::Lines), 2500, 2000, numbered(2500).len() as u64));

    let whole = scene.call(&Read(Profile::Pi), json!({"path": "3"})).await;
    assert_eq!(whole.details.truncation, None);

    let empty = scene.call(&Read(Profile::Pi), json!({"path": "empty"})).await;
    assert_eq!((empty.content.len(), empty.is_error), (0, false));
    assert!(empty.details.truncation.is_some_and(|note| note.total_lines == 0));
}

#[tokio::test]
async fn a_file_that_may_not_be_read_says_so() {
    if is_superuser() {
        return;
    }
    let scene = Scene::with(&[("secret", b"x")]);
    scene.set_mode("secret", 0);
    let got = text(&scene.call(&Read(Profile::Pi), json!({"path": "secret"})).await);
    assert_eq!(got, "error: Permission denied: secret (EACCES)");
}

#[tokio::test]
async fn pipes_and_devices_are_refused_at_once() {
    let scene = Scene::new();
    pintle_testing::files::fifo(scene.path("pipe"));
    for path in ["pipe", "/dev/zero"] {
        let got = text(&scene.call(&Read(Profile::Pi), json!({"path": path})).await);
        let want =
            "is a device, a pipe or a socket, not a regular file: use a shell command for it";
        assert!(got.starts_with("error: ") && got.ends_with(want), "{path}: {got}");
    }
}

#[tokio::test]
async fn other_profiles_number_the_lines() {
    let scene = Scene::with(&[
        ("100", &numbered(100)),
        ("long", format!("{}\nb\r\n", "x".repeat(2001)).as_bytes()),
    ]);
    let call = async |arguments| text(&scene.call(&Read(Profile::Anthropic), arguments).await);
    assert_eq!(
        call(json!({"file_path": "100", "offset": 9, "limit": 2})).await,
        "     9\tline 9\n    10\tline 10\n\n[90 more lines in file. Use offset=11 to continue.]"
    );
    assert_eq!(
        call(json!({"file_path": "long"})).await,
        format!("     1\t{}... [truncated]\n     2\tb", "x".repeat(2000))
    );
    assert_eq!(
        Read(Profile::Anthropic).prepare(json!({"limit": 1}), &scene.folders()).err().as_deref(),
        Some("`file_path` is missing: it must be a string (given: limit)")
    );
}
