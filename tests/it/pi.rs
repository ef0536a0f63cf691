//! Sessions of Pi's through the real program: in, on, and out again.

use crate::support::program::Place;
use serde_json::{Value, json};
use std::process::Stdio;

fn pintle(place: &Place, args: &[&str]) -> (i32, String, String) {
    let out = place.command(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// A session with a call that never got its result.
fn session() -> String {
    let stamp = "2026-11-22T08:00:00.000Z";
    let reply = json!({"role": "assistant", "api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-4-5",
        "content": [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "make"}}],
        "usage": {"input": 1, "output": 1, "cost": {"total": 0.5}}, "stopReason": "toolUse", "timestamp": 1});
    let lines = [
        json!({"type": "session", "version": 3, "id": "pi-1", "timestamp": stamp, "cwd": "/nowhere/at/all"}),
        json!({"type": "message", "id": "a1", "parentId": null, "timestamp": stamp,
            "message": {"role": "user", "content": "Build it", "timestamp": 1}}),
        json!({"type": "message", "id": "a2", "parentId": "a1", "timestamp": stamp, "message": reply}),
        json!({"type": "custom", "id": "a3", "parentId": "a2", "timestamp": stamp, "customType": "ext", "data": {"k": "hidden"}}),
        json!({"type": "session_info", "id": "a4", "parentId": "a3", "timestamp": stamp, "name": "The build"}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_imported_session_goes_on_and_goes_back() {
    let place = Place::new(&[("pi.jsonl", &session()), ("prose.md", "# none\n")]);
    let (code, _, err) = pintle(&place, &["sessions", "import", "prose.md"]);
    assert!(code == 2 && err.contains("prose.md") && err.contains("line 1"), "{err}");
    let (code, _, err) = pintle(&place, &["sessions", "import", "gone.jsonl"]);
    assert!(code == 2 && err.contains("cannot read gone.jsonl"), "{err}");
    assert_eq!(pintle(&place, &["sessions", "list", "--json"]).1, "");

    let (code, away, err) = pintle(&place, &["sessions", "import", "pi.jsonl"]);
    assert!(code == 0 && err.contains("/nowhere/at/all does not exist"), "{err}");
    let (code, id, err) = pintle(&place, &["sessions", "import", "pi.jsonl", "-C", "."]);
    assert!(code == 0 && id == away && err.contains("which was imported before"), "{err}");
    let (code, id, err) = pintle(&place, &["sessions", "import", "pi.jsonl", "-C", ".", "--again"]);
    assert!(code == 0 && id != away, "{err}");
    let id = id.trim();
    let (_, out, _) = pintle(&place, &["sessions", "list", "The build", "--json"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, out, _) = pintle(&place, &["sessions", "search", "build", "--role", "user", "--json"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, out, _) = pintle(&place, &["sessions", "show", id]);
    assert!(out.contains("> Build it\n") && out.contains("* bash: make (cancelled)\n"), "{out}");

    // The script refuses a conversation that is not legal.
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "Built."}]}]}));
    let args = ["run", "Go on", "--session", id, "--script", &script, "--format", "json"];
    let (code, out, err) = pintle(&place, &args);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["text"], "Built.");

    let (code, out, err) = pintle(&place, &["sessions", "export", id, "--format", "pi", "-o", "-"]);
    assert_eq!(code, 0, "{err}");
    let before: Vec<Value> =
        session().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let after: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(after[1..5], before[1..5], "what came from Pi");
    let said: Vec<(&Value, &Value)> = after[5..]
        .iter()
        .filter(|line| line["type"] == "message")
        .map(|line| (&line["message"]["role"], &line["message"]["content"][0]["text"]))
        .collect();
    assert_eq!(said, [(&json!("user"), &json!("Go on")), (&json!("assistant"), &json!("Built."))]);
    for (line, before) in after[1..].iter().skip(1).zip(&after[1..]) {
        assert_eq!(line["parentId"], before["id"]);
    }
    for page in ["html", "md"] {
        let (_, out, _) = pintle(&place, &["sessions", "export", id, "--format", page, "-o", "-"]);
        assert!(out.contains("Built.") && !out.contains("hidden"), "{page}: {out}");
    }
}

/// Two ways from one prompt, the first of them named.
fn branched() -> String {
    let stamp = "2026-11-22T08:00:00.000Z";
    let said = |id: &str, parent: Option<&str>, role: &str, text: &str| {
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": stamp, "message": {"role": role,
            "content": [{"type": "text", "text": text}], "api": "anthropic-messages", "provider": "anthropic",
            "model": "claude-sonnet-4-5", "usage": {"input": 1, "output": 1}, "stopReason": "stop", "timestamp": 1}})
    };
    let lines = [
        json!({"type": "session", "version": 3, "id": "pi-2", "timestamp": stamp, "cwd": "/nowhere/at/all"}),
        said("a1", None, "user", "Build it"),
        said("a2", Some("a1"), "assistant", "With make?"),
        said("b1", Some("a2"), "user", "With make"),
        said("b2", Some("b1"), "assistant", "Made."),
        json!({"type": "label", "id": "b3", "parentId": "b2", "timestamp": stamp, "targetId": "b1", "label": "make"}),
        json!({"type": "branch_summary", "id": "c0", "parentId": "a2", "timestamp": stamp, "fromId": "b3", "summary": "make was slow"}),
        said("c1", Some("c0"), "user", "With ninja"),
        said("c2", Some("c1"), "assistant", "Done."),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_branches_of_a_session_come_in_and_can_be_gone_to() {
    let place = Place::new(&[("pi.jsonl", &branched())]);
    let (code, id, err) = pintle(&place, &["sessions", "import", "pi.jsonl", "-C", "."]);
    assert_eq!((code, err.as_str()), (0, ""));
    let id = id.trim();
    let (_, out, _) = pintle(&place, &["sessions", "tree", id, "--json"]);
    let shown: Vec<String> = lines(&out)
        .iter()
        .map(|node| format!("{}{}{}", node["text"], node["current"], node["label"]))
        .collect();
    let want = ["\"Build it\"truenull", "\"With make\"false\"make\"", "\"With ninja\"truenull"];
    assert_eq!(shown, want);
    let (_, out, _) = pintle(&place, &["sessions", "search", "Made", "--json"]);
    assert_eq!(lines(&out).len(), 1, "what was left is found: {out}");
    let (_, out, err) = pintle(&place, &["sessions", "export", id, "--format", "pi", "-o", "-"]);
    assert_eq!(lines(&out)[1..], lines(&branched())[1..], "{err}");

    // What is asked is the way of the last line alone.
    let request = |id: &str, task: &str| {
        let script = place.script(&json!({"replies": [{"blocks": [{"text": "Yes."}]}]}));
        let args = ["run", task, "--session", id, "--script", &script, "--quiet"];
        let (code, out, err) = pintle(&place, &args);
        assert_eq!((code, out.as_str()), (0, "Yes.\n"), "{err}");
        let (_, page, _) = pintle(&place, &["sessions", "export", id, "--format", "md", "-o", "-"]);
        page
    };
    let page = request(id, "Is it?");
    assert!(page.contains("With ninja") && page.contains("Is it?"), "{page}");
    assert!(!page.contains("With make\n") && !page.contains("Made."), "{page}");
    let (code, out, err) = pintle(&place, &["sessions", "rewind", id, "--to", "make", "--yes"]);
    assert!(code == 0 && out.contains("> With make"), "{out}{err}");
    let page = request(id, "With cargo");
    assert!(page.contains("With make?") && page.contains("With cargo"), "{page}");
    assert!(!page.contains("ninja") && !page.contains("Made."), "{page}");
    let (_, out, _) = pintle(&place, &["sessions", "export", id, "--format", "pi", "-o", "-"]);
    let out = lines(&out);
    assert_eq!(out[1..9], lines(&branched())[1..], "what came from Pi stays");
    let of = |text: &str| {
        let is_it = |line: &&Value| line["message"]["content"][0]["text"] == text;
        out.iter().find(is_it).unwrap().clone()
    };
    let parent = |line: &Value| out.iter().find(|other| other["id"] == line["parentId"]).unwrap();
    assert_eq!(of("With cargo")["parentId"], "a2");
    assert_eq!(*parent(out.last().unwrap()), of("With cargo"), "the last line is the leaf");
}

#[test]
fn a_session_with_a_label_of_pi_outlives_the_settings() {
    let place = Place::new(&[
        ("labelled.jsonl", &branched()),
        ("plain.jsonl", &session()),
        ("taken.jsonl", &branched().replace(r#","label":"make""#, "")),
    ]);
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), "[sessions]\nkeep_days = 30\n").unwrap();
    let mut ids = Vec::new();
    for file in ["labelled.jsonl", "plain.jsonl", "taken.jsonl"] {
        let (code, id, err) = pintle(&place, &["sessions", "import", file, "-C", ".", "--again"]);
        assert_eq!(code, 0, "{err}");
        ids.push(id.trim().to_owned());
    }
    let (_, out, _) = pintle(&place, &["sessions", "list", "--json"]);
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 86_400);
    for one in lines(&out) {
        let journal = format!("{}/journal.jsonl", one["path"].as_str().unwrap());
        let file = std::fs::File::options().append(true).open(journal).unwrap();
        file.set_modified(then).unwrap();
    }
    let (code, out, err) = pintle(&place, &["sessions", "prune", "--yes"]);
    let is_gone: Vec<bool> = ids.iter().map(|id| out.contains(&format!("deleted {id}"))).collect();
    assert_eq!((code, is_gone), (0, vec![false, true, true]), "{out}{err}");
}
