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
    assert!(code == 2 && err.contains("gone.jsonl cannot be read"), "{err}");
    assert_eq!(pintle(&place, &["sessions", "list", "--json"]).1, "");

    let (code, away, err) = pintle(&place, &["sessions", "import", "pi.jsonl"]);
    assert!(code == 0 && err.contains("/nowhere/at/all is not here"), "{err}");
    let (code, id, err) = pintle(&place, &["sessions", "import", "pi.jsonl", "-C", "."]);
    assert!(code == 0 && err.contains(&format!("imported before, as {}", away.trim())), "{err}");
    let id = id.trim();
    let (_, out, _) = pintle(&place, &["sessions", "list", "The build", "--json"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, out, _) = pintle(&place, &["sessions", "search", "build", "--role", "user", "--json"]);
    assert_eq!(out.lines().count(), 2, "{out}");
    let (_, out, _) = pintle(&place, &["sessions", "show", id]);
    assert!(out.contains("> Build it\n") && out.contains("* bash: make (stopped)\n"), "{out}");

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
