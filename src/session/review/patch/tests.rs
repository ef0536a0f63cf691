#![expect(clippy::disallowed_methods, reason = "git itself applies the patches")]

use super::*;
use crate::review::tests::agent;
use crate::review::{Author, Review};
use pintle_testing::files;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;

const ROOT: &str = "/w";

fn content(bytes: &[u8], mode: u32) -> Content {
    Content { bytes: bytes.into(), mode }
}

fn put(folder: &Path, path: &str, content: Option<&Content>) {
    let Some(content) = content else { return };
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, &content.bytes).unwrap();
    files::set_mode(&path, content.mode);
}

fn get(folder: &Path, path: &str) -> Option<Content> {
    let path = folder.join(path);
    let bytes = std::fs::read(&path).ok()?;
    // Git and the umask decide about the other bits.
    let is_program = files::mode(&path) & 0o100 != 0;
    let mode = if is_program { 0o755 } else { 0o644 };
    Some(Content { bytes: bytes.into(), mode })
}

/// Applies a patch with git in a directory with the previous content.
fn applied(path: &str, before: Option<&Content>, patch: &str) -> Result<Option<Content>, String> {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), path, before);
    let patch_file = folder.path().join(".patch");
    std::fs::write(&patch_file, patch).unwrap();
    let output = Command::new("git")
        .args(["apply", "--whitespace=nowarn", ".patch"])
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", folder.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    if output.status.success() {
        Ok(get(folder.path(), path))
    } else {
        Err(format!("{}\n{patch}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn patch_of(path: &str, before: Option<&Content>, after: Option<&Content>) -> String {
    let mut review = Review::new();
    let path = format!("{ROOT}/{path}");
    review.changed(1, &path, before.cloned(), after.cloned(), &agent(1));
    let patch = review.patch(ROOT, Since::Kept);
    assert_eq!(review.patch(ROOT, Since::Start), patch);
    patch.text
}

#[test]
fn git_applies_what_the_agent_did() {
    let text = |text: &str| Some(content(text.as_bytes(), 0o644));
    let many = |changed: &[usize]| {
        let line =
            |n: usize| if changed.contains(&n) { format!("new {n}\n") } else { format!("{n}\n") };
        text(&(0..60).map(line).collect::<String>())
    };
    let noise: Vec<u8> =
        (0..5000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    for (name, path, before, after) in [
        ("a line", "a.txt", text("a\nb\nc\n"), text("a\nx\nc\n")),
        ("places near and far", "a.txt", many(&[]), many(&[0, 5, 11, 18, 40, 59])),
        ("lines that go", "a.txt", text("a\nb\nc\n"), text("a\n")),
        ("a file that comes", "d/new.txt", None, text("a\nb\n")),
        ("an empty file that comes", "new.txt", None, text("")),
        ("a file that goes", "old.txt", text("a\n"), None),
        ("an empty file that goes", "old.txt", text(""), None),
        ("a file that becomes empty", "a.txt", text("a\n"), text("")),
        ("a line end that comes", "a.txt", text("a\nb"), text("a\nb\n")),
        ("a line end that goes", "a.txt", text("a\nb\n"), text("a\nb")),
        ("no line end on either side", "a.txt", text("a\nb"), text("x\nb")),
        ("carriage returns", "a.txt", text("a\r\nb\r\nc\r\n"), text("a\r\nx\r\nc\r\n")),
        ("mode bits", "run.sh", text("a\n"), Some(content(b"a\n", 0o755))),
        ("mode bits and lines", "run.sh", text("a\n"), Some(content(b"b\n", 0o755))),
        ("a program that comes", "run.sh", None, Some(content(b"a\n", 0o755))),
        ("bytes", "a.bin", Some(content(b"\0a", 0o644)), Some(content(&noise, 0o644))),
        ("bytes that come", "a.bin", None, Some(content(&noise, 0o644))),
        ("bytes that go", "a.bin", Some(content(&noise, 0o644)), None),
        ("text that becomes bytes", "a", text("a\n"), Some(content(b"\0", 0o755))),
        (
            "an old encoding",
            "a",
            Some(content(b"caf\xe9\n", 0o644)),
            Some(content(b"th\xe9\n", 0o644)),
        ),
        ("a path with a space", "a b/c d.txt", text("a\n"), text("b\n")),
        ("a new path with a space", "a b/c d.txt", None, text("b\n")),
        ("a path with a quote", "a\"b.txt", text("a\n"), text("b\n")),
        ("a path with a backslash and a tab", "a\\b\tc.txt", text("a\n"), text("b\n")),
        ("a path in Greek", "λόγος/α.txt", text("a\n"), text("b\n")),
    ] {
        let patch = patch_of(path, before.as_ref(), after.as_ref());
        assert_eq!(applied(path, before.as_ref(), &patch), Ok(after), "{name}");
    }
}

#[test]
fn a_patch_holds_the_agents_work_alone() {
    let text = |text: &str| Some(content(text.as_bytes(), 0o644));
    let mut review = Review::new();
    review.changed(1, "/w/a", text("a\nb\nc\nd\ne\n"), text("x\nb\nc\nd\ny\n"), &agent(1));
    review.changed(2, "/w/a", text("x\nb\nc\nd\ny\n"), text("x\nb\nmine\nd\ny\n"), &Author::User);
    review.changed(3, "/elsewhere/b", None, text("b\n"), &agent(2));
    let patch = review.patch(ROOT, Since::Start);
    assert_eq!(patch.left_out, ["/elsewhere/b"]);
    assert!(!patch.text.lines().any(|line| line == "+mine"), "{}", patch.text);
    assert_eq!(
        applied("a", text("a\nb\nmine\nd\ne\n").as_ref(), &patch.text),
        Ok(text("x\nb\nmine\nd\ny\n"))
    );
}

#[test]
fn what_is_kept_is_still_what_the_agent_did() {
    use pintle_protocol::review::{ReviewAction, ReviewTarget};
    let text = |text: &str| Some(content(text.as_bytes(), 0o644));
    let mut review = Review::new();
    review.changed(1, "/w/a", text("a\nb\n"), text("x\nb\n"), &agent(1));
    let keep = ReviewAction::Keep { target: ReviewTarget::All };
    let plan = review.plan(&keep, &|_| None).unwrap();
    review.record(2, &plan.decision);
    assert_eq!(review.patch(ROOT, Since::Kept), Patch::default());
    let patch = review.patch(ROOT, Since::Start).text;
    assert_eq!(applied("a", text("a\nb\n").as_ref(), &patch), Ok(text("x\nb\n")));
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(40))]

    #[test]
    fn git_makes_the_same_bytes(before in some_content(), after in some_content()) {
        let patch = patch_of("a", before.as_ref(), after.as_ref());
        prop_assume!(!patch.is_empty());
        prop_assert_eq!(applied("a", before.as_ref(), &patch), Ok(after));
    }
}

fn some_content() -> impl Strategy<Value = Option<Content>> {
    let text =
        prop::collection::vec("[ab]?\r?\n", 0..12).prop_map(|lines| lines.concat().into_bytes());
    let open = "[ab\n]{0,12}".prop_map(String::into_bytes);
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let mode = prop_oneof![Just(0o644), Just(0o755)];
    let some = (prop_oneof![4 => text, 2 => open, 1 => bytes], mode)
        .prop_map(|(bytes, mode)| Some(content(&bytes, mode)));
    prop_oneof![8 => some, 1 => Just(None)]
}
