//! Sessions exported through the real program and over the protocol.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs;
use std::process::{Output, Stdio};

fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = std::iter::once("sessions").chain(args.iter().copied()).collect();
    said(&place.command(&args).stdin(Stdio::null()).output().unwrap())
}

fn said(out: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// A session with a call, and its id.
fn made(place: &Place) -> String {
    let script = place.script(&json!({"replies": [
        {"blocks": [{"tool": "write", "arguments": {"path": "made.rs", "content": "fn main() {}\n"}}]},
        {"blocks": [{"text": "It is **made** <b>."}]},
    ]}));
    let args =
        ["run", "Make it, please", "--format", "json", "--permission", "full", "--script", &script];
    let result: Value =
        serde_json::from_slice(&place.command(&args).output().unwrap().stdout).unwrap();
    result["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn a_session_becomes_a_file_and_no_file_is_written_over() {
    let place = Place::new(&[]);
    let id = made(&place);
    let short = &id[..13];
    let page = format!("pintle-make-it-please-{short}.html");
    for (name, args, code, out, err) in [
        ("a page by default", vec!["export", short], 0, page.as_str(), ""),
        ("not over it", vec!["export", &id], 2, "", "--force"),
        ("over it when told", vec!["export", &id, "--force"], 0, &page, ""),
        ("Markdown", vec!["export", &id, "--format", "md", "-o", "a.md"], 0, "a.md", ""),
        ("no such folder", vec!["export", &id, "-o", "no/a.html"], 2, "", "cannot write"),
        ("a folder", vec!["export", &id, "-o", ".", "--force"], 2, "", "is a directory"),
        ("no such session", vec!["export", "nobody"], 2, "", "pintle sessions list"),
        ("no such format", vec!["export", &id, "--format", "pdf"], 2, "", "possible values"),
    ] {
        let (got, printed, complained) = pintle(&place, &args);
        assert_eq!((got, printed.trim()), (code, out), "{name}: {complained}");
        assert!(complained.contains(err), "{name}: {complained}");
    }
    let html = place.read(&page);
    assert!(html.contains("It is <strong>made</strong> &lt;b&gt;."), "{html}");
    assert!(html.contains("<span class=\"add\">+fn main() {}</span>"), "{html}");
    assert!(place.read("a.md").contains("It is **made** <b>."));
    let mut left: Vec<String> = fs::read_dir(place.project())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(
        left,
        ["a.md".to_owned(), "made.rs".to_owned(), page],
        "nothing half-written is left"
    );

    let (code, lines, _) = pintle(&place, &["export", &id, "--format", "json", "-o", "-"]);
    assert_eq!((code, lines), (0, pintle(&place, &["show", &id, "--all", "--json"]).1));
}

#[test]
fn a_client_takes_the_text_or_has_it_written_into_the_folder() {
    let place = Place::new(&[("old.html", "mine")]);
    let script = json!({"replies": [{"blocks": [{"text": "*said*"}]}]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("Say it");
    program.until_event("turn.completed");
    let outside = place.home().join("x.html");
    std::os::unix::fs::symlink(place.home(), place.path("way-out")).unwrap();

    for (format, want) in [("html", "<em>said</em>"), ("md", "*said*"), ("json", "item.completed")]
    {
        let exported = program.ask("session/export", json!({ "format": format }));
        let text = exported["text"].as_str().unwrap();
        assert!(text.contains(want), "{format}: {text}");
        assert_eq!(exported["bytes"], text.len());
    }
    for (name, params, said) in [
        ("there already", json!({"format": "html", "path": "old.html"}), "already exists"),
        ("above", json!({"format": "html", "path": "../x.html"}), "not inside"),
        ("elsewhere", json!({"format": "html", "path": outside}), "not inside"),
        ("through a link", json!({"format": "html", "path": "way-out/x.html"}), "not inside"),
        ("the folder itself", json!({"format": "html", "path": "."}), "not inside"),
        ("no such format", json!({"format": "pdf"}), "pdf"),
        ("no such session", json!({"format": "md", "sessionId": "x"}), "no session"),
    ] {
        let error = program.ask_refused("session/export", params);
        assert!(error.to_string().contains(said), "{name}: {error}");
    }
    assert_eq!(place.read("old.html"), "mine");
    let over = json!({"format": "md", "path": "old.html", "overwrite": true});
    for params in [over, json!({"format": "html", "path": "new/page.html"})] {
        let exported = program.ask("session/export", params);
        let path = exported["path"].as_str().unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("said") && exported["bytes"] == text.len(), "{exported}");
    }
}
