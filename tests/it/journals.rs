//! Journals that earlier engines wrote stay readable for ever: one of each format lies in `tests/fixtures/journals`.
//!
//! A golden journal is never changed. A new format adds one.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let out = place.command(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

fn golden() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journals");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Puts a golden journal among a place's sessions, in its working directory; returns its id and folder.
fn stored(place: &Place, file: &Path) -> (String, PathBuf) {
    let text = fs::read_to_string(file).unwrap();
    let text = text.replace("\"/project", &format!("\"{}", place.project().display()));
    let head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id = head["sessionId"].as_str().unwrap().to_owned();
    let folder = place.home().join("sessions/project").join(format!("20261122T000000Z_{id}"));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("journal.jsonl"), text).unwrap();
    (id, folder)
}

#[test]
fn a_journal_of_every_format_is_listed_shown_found_exported_and_gone_on_with() {
    let files = golden();
    assert!(!files.is_empty());
    for file in files {
        let place = Place::new(&[]);
        let (id, folder) = stored(&place, &file);
        let before = fs::read_to_string(folder.join("journal.jsonl")).unwrap();
        let name = file.display();

        let (_, out, err) = pintle(&place, &["sessions", "show", &id]);
        let told = out.split_once("\n\n").unwrap_or_else(|| panic!("{name}: {out}{err}")).1;
        let want = "> Write a.rs & try it\nI write it.\n* write: a.rs\n* edit: a.rs\n* bash: echo done; exit 3 (failed)\n* read: a.rs\nIt says `done` and fails with 3 – 解析 ✓.\n> Is new() called?\nYes, `new()` is called.\n";
        let mut lines: Vec<&str> = told.lines().collect();
        let mut wanted: Vec<&str> = want.lines().collect();
        // Calls of one reply end in any order.
        lines.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(lines, wanted, "{name}");
        let (_, out, _) = pintle(&place, &["sessions", "search", "解析", "--json"]);
        assert_eq!(out.lines().count(), 1, "{name}: {out}");
        let (_, out, _) = pintle(&place, &["sessions", "list", "--json"]);
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["turns"], 2, "{name}");
        let (code, out, _) = pintle(&place, &["sessions", "doctor"]);
        assert!(code == 0 && out.contains("0 damaged"), "{name}: {out}");
        for (format, want) in [
            (
                "html",
                "<span class=\"cut\">-    old();</span><span class=\"add\">+    new();</span>",
            ),
            ("md", "```diff"),
            // What a provider wants back is still there.
            ("pi", "\"thinkingSignature\":\"c2lnbmVk\""),
        ] {
            let (code, out, err) =
                pintle(&place, &["sessions", "export", &id, "--format", format, "-o", "-"]);
            assert!(code == 0 && out.contains(want), "{name} as {format}: {out}{err}");
        }

        let mut program = Program::on_script(
            &place,
            &json!({"replies": [{"blocks": [{"text": "more"}]}]}),
            Framing::Lines,
        );
        program.ask("session/open", json!({"sessionId": id}));
        program.ask(
            "turn/start",
            json!({"sessionId": id, "input": [{"type": "text", "text": "And?"}]}),
        );
        program.until_event("turn.completed");
        let read = program.ask("context/read", json!({"sessionId": id}));
        let text = read.to_string();
        for said in ["I write it.", "Yes, `new()` is called.", "And?"] {
            assert!(text.contains(said), "{name}: {said} is not in {text}");
        }
        let after = fs::read_to_string(folder.join("journal.jsonl")).unwrap();
        // An upgrade keeps the journal of the earlier format.
        let earlier = file.file_stem().unwrap().to_str().unwrap();
        match fs::read_to_string(folder.join(format!("journal.{earlier}.jsonl"))) {
            Ok(kept) => assert_eq!(kept, before, "{name}"),
            Err(_) => assert!(after.starts_with(&before), "{name}: what was written stays"),
        }
    }
}
