//! Items and checkpoints of a session, open or not, over the wire.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

/// Two turns, of which the second was left for a third.
fn told(place: &Place) -> (Program, Value) {
    let write =
        |path: &str, content: &str| call("write", json!({"path": path, "content": content}));
    let edit = |old: &str, new: &str| {
        call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
    };
    let say = |text: &str| json!({"blocks": [{"text": text}]});
    let script = place.script(&json!({"replies": [
        edit("one", "ONE"), say("first"),
        write("b.txt", "left\n"), say("second"),
        edit("two", "TWO"), call("bash", json!({"command": "rm c.bin"})), say("third"),
    ]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    let mut turns = Vec::new();
    for prompt in ["do one", "do two", "do three"] {
        if turns.len() == 2 {
            let to = json!({"turnId": turns[0]});
            program.ask("session/rewind", json!({"to": to, "scope": "both"}));
        }
        program.prompt(prompt);
        let ended = program.until(|m| m["params"]["event"]["type"] == "turn.completed");
        turns.push(ended["params"]["turnId"].clone());
    }
    (program, session)
}

/// One word an item.
fn shown(item: &Value) -> String {
    let item = &item["item"];
    match item["type"].as_str().unwrap() {
        "toolCall" => item["toolName"].as_str().unwrap().to_owned(),
        "agentMessage" => item["text"].as_str().unwrap().to_owned(),
        other => format!("{other} {}", item["content"][0]["text"].as_str().unwrap_or_default()),
    }
}

#[test]
fn items_are_read_in_pages_along_the_way_that_counts() {
    let place = Place::new(&[("a.txt", "one\ntwo\n"), ("c.bin", "a\0b")]);
    let (mut program, session) = told(&place);
    let all = program.ask("session/items", json!({}));
    let want: Vec<String> = all["items"].as_array().unwrap().iter().map(shown).collect();
    assert_eq!(
        want,
        ["userMessage do one", "edit", "first", "userMessage do three", "edit", "bash", "third"]
    );
    assert_eq!(all["more"], false);
    for limit in 1..=7 {
        let mut read = Vec::new();
        let mut before = Value::Null;
        loop {
            let mut params = json!({"sessionId": session, "limit": limit});
            if !before.is_null() {
                params["before"] = before.clone();
            }
            let page = program.ask("session/items", params);
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= limit, "{page}");
            read.splice(0..0, items.iter().map(shown));
            if page["more"] == false {
                break;
            }
            before = items[0]["seq"].clone();
        }
        assert_eq!(read, want, "{limit} at a time");
    }

    // Between two events, also where a way that was left lies between them.
    let rows = all["items"].as_array().unwrap();
    for (after, before, between) in [(0, 2, 1..2), (1, 4, 2..4), (2, 6, 3..6), (5, 6, 6..6)] {
        let [after, before] = [after, before].map(|at: usize| rows[at]["seq"].clone());
        let params = json!({"after": after, "before": before});
        let page = program.ask("session/items", params);
        let items: Vec<String> = page["items"].as_array().unwrap().iter().map(shown).collect();
        assert_eq!(items, want[between], "{page}");
        assert_eq!(page["more"], false);
    }

    // What was left can be read by its name, and by a process in which the session is not open.
    let events = program.ask("session/events", json!({"after": 0, "limit": 1000}));
    let left = events["events"].as_array().unwrap().iter().find(|event| {
        event["event"]["type"] == "item.completed" && event["event"]["item"]["text"] == "second"
    });
    let left = left.unwrap()["event"]["item"].clone();
    program.end_input();
    program.wait();
    let mut other = Program::start(place.engine(&["serve"]), Framing::Lines);
    other.initialize();
    let params = json!({"sessionId": session, "itemId": left["id"]});
    assert_eq!(other.ask("item/read", params)["item"], left);
    let params = json!({"sessionId": session, "itemId": "nobody"});
    let error = other.ask("item/read", params);
    assert_eq!(error["message"], "the session has no item nobody");
    assert_eq!(other.ask("session/items", json!({"sessionId": session}))["items"], all["items"]);
}

#[test]
fn what_has_not_ended_is_in_the_newest_page() {
    let place = Place::new(&[]);
    let script = json!({"replies": [call("bash", json!({"command": "sleep 100"}))]});
    let script = place.script(&script);
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
    program.until(|message| {
        let item = &message["params"]["event"]["item"];
        item["toolName"] == "bash" && item["status"] == "running"
    });
    let page = program.ask("session/items", json!({"limit": 1}));
    assert_eq!(page["items"][0]["item"]["status"], "running", "{page}");
    let page = program.ask("session/items", json!({"before": page["items"][0]["seq"]}));
    let shown: Vec<String> = page["items"].as_array().unwrap().iter().map(shown).collect();
    assert_eq!(shown, ["userMessage go"], "once");
}

#[test]
fn files_are_compared_at_checkpoints_in_words_that_git_takes() {
    let place = Place::new(&[("a.txt", "one\ntwo\n"), ("c.bin", "a\0b")]);
    let (mut program, _) = told(&place);
    let listed = program.ask("checkpoint/list", json!({}));
    let checkpoints = listed["checkpoints"].as_array().unwrap();
    let changed: Vec<String> = checkpoints
        .iter()
        .map(|checkpoint| {
            let names = checkpoint["changed"].as_array().unwrap().iter();
            names
                .map(|path| path.as_str().unwrap().rsplit('/').next().unwrap())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(changed, ["", "a.txt", "b.txt", "a.txt b.txt c.bin"]);
    let at = |n: usize| json!({"seq": checkpoints[n]["seq"]});

    let second = program.ask("checkpoint/diff", json!({"from": at(1), "to": at(2)}));
    assert_eq!(
        second["text"]
            .as_str()
            .unwrap()
            .lines()
            .filter(|line| !line.starts_with("index"))
            .collect::<Vec<_>>(),
        [
            "diff --git a/b.txt b/b.txt",
            "new file mode 100644",
            "--- /dev/null",
            "+++ b/b.txt",
            "@@ -0,0 +1,1 @@",
            "+left"
        ]
    );
    let same = program.ask("checkpoint/diff", json!({"from": at(1), "to": at(1)}));
    assert_eq!(same, json!({"text": ""}));
    let wrong = program.ask("checkpoint/diff", json!({"from": {"seq": 9999}}));
    assert!(wrong["message"].as_str().unwrap().starts_with("event 9999 does not exist"), "{wrong}");

    // From the beginning to now: the patch makes now of what was.
    let whole = program.ask("checkpoint/diff", json!({"from": at(0)}));
    assert_eq!(whole["leftOut"], Value::Null, "{whole}");
    let before = Place::new(&[("a.txt", "one\ntwo\n"), ("c.bin", "a\0b")]);
    std::fs::write(before.path("it.patch"), whole["text"].as_str().unwrap()).unwrap();
    let git = std::process::Command::new("git")
        .args(["apply", "it.patch"])
        .current_dir(before.project())
        .output()
        .unwrap();
    assert!(git.status.success(), "{git:?}");
    assert_eq!(before.read("a.txt"), place.read("a.txt"));
    assert_eq!(before.read("a.txt"), "ONE\nTWO\n");
    assert!(!before.path("c.bin").exists() && !before.path("b.txt").exists());
}
