//! The review over the wire: hunks, decisions that touch the disk or do not, a person's own lines, and what the model learns of them.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\n";

fn changing() -> Value {
    let call =
        |tool: &str, arguments: Value| json!({"blocks": [{"tool": tool, "arguments": arguments}]});
    let say = |text: &str| json!({"blocks": [{"text": text}]});
    let edit = |old: &str, new: &str| {
        call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
    };
    json!({"replies": [
        edit("two", "TWO"),
        edit("five\n", "FIVE\nand more\n"),
        call("write", json!({"path": "new.txt", "content": "new\n"})),
        say("done"),
    ]})
}

fn started(place: &Place, script: &Value) -> Program {
    let script = place.script(script);
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program
}

/// The hunks: state, lines now, and what stood and stands there.
fn hunks(program: &mut Program) -> Vec<String> {
    let listed = program.ask("review/list", json!({}));
    let hunks = listed["hunks"].as_array().unwrap_or_else(|| panic!("{listed}"));
    let line = |hunk: &Value| {
        let name = hunk["path"].as_str().unwrap().rsplit('/').next().unwrap();
        let (state, at) = (hunk["state"].as_str().unwrap(), &hunk["after"]["start"]);
        format!("{name}:{at} {state} {} -> {}", hunk["oldText"], hunk["newText"])
    };
    hunks.iter().map(line).collect()
}

fn id(program: &mut Program, name: &str, index: usize) -> Value {
    let listed = program.ask("review/list", json!({}));
    let hunks = listed["hunks"].as_array().unwrap();
    let of = |hunk: &&Value| hunk["path"].as_str().unwrap().ends_with(name);
    hunks.iter().filter(of).nth(index).unwrap()["id"].clone()
}

fn decide(program: &mut Program, action: &str, hunk: &Value) -> Value {
    let target = json!({"type": "hunk", "hunk": hunk});
    program.ask("review/decide", json!({"action": {"type": action, "target": target}}))
}

#[test]
fn hunks_are_kept_undone_and_taken_back() {
    let place = Place::new(&[("a.txt", BEFORE)]);
    let mut program = started(&place, &changing());
    program.ask("session/create", json!({}));
    assert_eq!(program.ask("review/list", json!({}))["hunks"], json!([]));
    program.prompt("change it");
    program.until_event("turn.completed");
    let [first, second, new] = [
        r#"a.txt:2 pending "two\n" -> "TWO\n""#,
        r#"a.txt:5 pending "five\n" -> "FIVE\nand more\n""#,
        r#"new.txt:1 pending "" -> "new\n""#,
    ];
    assert_eq!(hunks(&mut program), [first, second, new]);

    // Keeping changes no byte; undoing writes the old lines; undoing that writes the new ones.
    let agent = place.read("a.txt");
    let (one, two) = (id(&mut program, "a.txt", 0), id(&mut program, "a.txt", 1));
    let kept = decide(&mut program, "keep", &one);
    assert_eq!(kept["decision"]["parts"][0]["outcome"], "applied", "{kept}");
    assert_eq!(
        (place.read("a.txt"), hunks(&mut program)),
        (agent.clone(), vec![second.to_owned(), new.to_owned()])
    );
    let undone = decide(&mut program, "undo", &two);
    assert_eq!(undone["decision"]["parts"][0]["outcome"], "applied", "{undone}");
    assert_eq!(place.read("a.txt"), agent.replace("FIVE\nand more\n", "five\n"));
    assert_eq!(hunks(&mut program), [new]);
    let revert = json!({"action": {"type": "revert", "decision": undone["seq"]}});
    program.ask("review/decide", revert);
    assert_eq!(
        (place.read("a.txt"), hunks(&mut program)),
        (agent, vec![second.to_owned(), new.to_owned()])
    );
    assert_eq!(id(&mut program, "a.txt", 0), two, "the id stays");

    let path = place.path("a.txt").canonicalize().unwrap();
    let baseline = program.ask("review/baseline", json!({"path": path}));
    assert_eq!(baseline["text"], BEFORE.replace("two", "TWO"));
    let patch = program.ask("review/patch", json!({}));
    assert!(patch["text"].as_str().unwrap().contains("+FIVE\n+and more\n"), "{patch}");

    // The model is told once, also by a process that opens the session later.
    let session = program.ask("session/list", json!({}))["sessions"][0]["sessionId"].clone();
    program.end_input();
    program.wait();
    let say = |text: &str| json!({"blocks": [{"text": text}]});
    let answers = json!({"replies": [say("I see"), say("still")]});
    let mut program = started(&place, &answers);
    program.ask("session/open", json!({"sessionId": session}));
    program.prompt("and now");
    program.until_event("turn.completed");
    let told = |program: &mut Program| {
        let read = program.ask("context/read", json!({}));
        read["messages"].to_string().matches("a.txt:2 kept").count()
    };
    let count = told(&mut program);
    assert_eq!(count, 1);
    program.prompt("and again");
    program.until_event("turn.completed");
    assert_eq!(told(&mut program), count);
}

#[test]
fn a_person_s_lines_are_no_hunk_and_are_never_taken() {
    let place = Place::new(&[("a.txt", BEFORE)]);
    let mut program = started(&place, &changing());
    program.ask("session/create", json!({}));
    program.prompt("change it");
    program.until_event("turn.completed");
    // Beside the hunks, and in one of them.
    let mine =
        place.read("a.txt").replace("four", "4, by hand").replace("and more", "and more, by hand");
    std::fs::write(place.path("a.txt"), &mine).unwrap();
    assert_eq!(
        hunks(&mut program),
        [
            r#"a.txt:2 pending "two\n" -> "TWO\n""#,
            r#"a.txt:5 modified "five\n" -> "FIVE\nand more, by hand\n""#,
            r#"new.txt:1 pending "" -> "new\n""#,
        ]
    );
    let two = id(&mut program, "a.txt", 1);
    let refused = decide(&mut program, "undo", &two);
    assert_eq!(refused["decision"]["parts"][0]["outcome"], "conflict", "{refused}");
    assert_eq!(place.read("a.txt"), mine);
    let all = json!({"action": {"type": "undo", "target": {"type": "all"}, "discardEdits": true}});
    program.ask("review/decide", all);
    assert_eq!(place.read("a.txt"), BEFORE.replace("four", "4, by hand"));
    assert!(!place.path("new.txt").exists());
    assert_eq!(hunks(&mut program), Vec::<String>::new());

    for (name, action, want) in [
        (
            "no such hunk",
            json!({"type": "keep", "target": {"type": "hunk", "hunk": "9.9"}}),
            "hunk 9.9 does not exist",
        ),
        ("no such decision", json!({"type": "revert", "decision": 1}), "decision"),
    ] {
        let error = program.ask("review/decide", json!({"action": action}));
        assert!(
            error["message"].as_str().is_some_and(|told| told.contains(want)),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_hunk_that_was_decided_or_has_changed_is_a_conflict() {
    let place = Place::new(&[("a.txt", BEFORE)]);
    let mut program = started(&place, &changing());
    program.ask("session/create", json!({}));
    program.prompt("change it");
    program.until_event("turn.completed");
    let (first, second) = (id(&mut program, "a.txt", 0), id(&mut program, "a.txt", 1));
    let keep = |hunk: &Value, changed: u64| {
        let target = json!({"type": "hunk", "hunk": hunk, "changedSeq": changed});
        json!({"action": {"type": "keep", "target": target}})
    };
    let mut refused = vec![program.ask("review/decide", keep(&first, 1))];
    decide(&mut program, "keep", &second);
    refused.push(decide(&mut program, "keep", &second));
    for error in refused {
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32041), &json!("conflict")),
            "{error}"
        );
    }
    let error = decide(&mut program, "keep", &json!("9.9"));
    assert_eq!(error["data"]["code"], "notFound", "{error}");
}
