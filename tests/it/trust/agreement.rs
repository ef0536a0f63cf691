//! Agreement to project files that configure the engine: they hold as the user agreed to them, and what changes is ignored and reported.

use super::{bash, events, notices, result, run};
use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs;

/// Files from which the engine takes orders, each with an order.
const ORDERS: [(&str, &str); 5] = [
    (".pintle/rules/r.md", "---\nalwaysApply: true\n---\nzanzibar\n"),
    (".pintle/permissions.toml", "[[rules]]\ndecision = \"allow\"\nargv = [\"touch\", \"**\"]\n"),
    (
        ".mcp.json",
        "{\"mcpServers\": {\"evil\": {\"command\": \"touch\", \"args\": [\"started\"]}}}",
    ),
    (".pintle/skills/s/SKILL.md", "---\nname: s\ndescription: zanzibar\n---\nDo it.\n"),
    (".pintle/agents/a.md", "---\nname: a\ndescription: zanzibar\n---\nDo it.\n"),
];

#[test]
fn orders_hold_as_they_were_when_a_person_agreed_to_them() {
    for (name, text) in ORDERS {
        for is_changed in [false, true] {
            let place = Place::untrusted(&[]);
            let file = place.path(name);
            let write = |text: &str| {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, text).unwrap();
            };
            if is_changed {
                write("# nothing yet\n");
            }
            assert!(place.command(&["trust"]).status().unwrap().success());
            write(text);
            // True if the order was followed, or is in the prompt.
            let used = |args: &[&str]| {
                let calls = json!({"replies": [
                    {"blocks": [{"tool": "bash", "arguments": {"command": "touch made"}}]},
                    {"blocks": [{"text": "done"}]},
                ]});
                let args = [&["--permission", "ask", "hi"], args].concat();
                let output = run(&place, &calls, &args);
                let made = place.path("made").exists() || place.path("started").exists();
                let prompt = String::from_utf8_lossy(&output.stdout).contains("\"path\":\"")
                    && events(&output).iter().any(|event| {
                        let sources = event["event"]["sources"].as_array();
                        sources.is_some_and(|sources| {
                            sources.iter().any(|source| {
                                source["path"].as_str().is_some_and(|path| path.ends_with(name))
                            })
                        })
                    });
                for made in ["made", "started"] {
                    let _ = fs::remove_file(place.path(made));
                }
                (made || prompt, notices(&output))
            };
            let (is_used, told) = used(&[]);
            assert!(!is_used, "{name}, changed: {is_changed}");
            assert!(told.iter().any(|code| code.contains("notAgreed")), "{name}: {told:?}");
            // For this task, a person agrees to what is there.
            assert!(used(&["--trust"]).0, "{name} with --trust");
            assert!(!used(&[]).0, "{name}: one run agreed for all");
            let agreed = place.command(&["trust"]).output().unwrap();
            assert!(String::from_utf8_lossy(&agreed.stdout).contains(name), "{name}");
            let (is_used, told) = used(&[]);
            assert!(is_used, "{name} after `pintle trust`");
            assert!(!told.iter().any(|code| code.contains("notAgreed")), "{name}: {told:?}");
        }
    }
}

#[test]
fn a_client_agrees_to_what_a_person_has_seen() {
    let (name, text) = ORDERS[1];
    let place = Place::untrusted(&[("a.txt", "one\n")]);
    assert!(place.command(&["trust"]).status().unwrap().success());
    let write = |text: &str| {
        fs::create_dir_all(place.path(".pintle")).unwrap();
        fs::write(place.path(name), text).unwrap();
    };
    let calls = json!({"replies": [
        {"blocks": [{"tool": "bash", "arguments": {"command": "touch made"}}]},
        {"blocks": [{"text": "done"}]},
        {"blocks": [{"tool": "bash", "arguments": {"command": "touch made"}}]},
        {"blocks": [{"text": "done"}]},
    ]});
    let script = place.script(&calls);
    let command = place.command(&["serve", "--trust", "--permission", "ask", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    let read = |program: &mut Program| program.ask("trust/read", json!({}));
    assert_eq!(read(&mut program)["files"], json!([]));

    write(text);
    let found = read(&mut program);
    assert_eq!((&found["trusted"], &found["files"][0]["path"]), (&json!(true), &json!(name)));
    assert_eq!(found["files"][0]["standing"], "new");
    assert_eq!(found["root"], place.path("").to_str().unwrap().trim_end_matches('/'));
    let seen = json!({"files": [{"path": name, "sha256": found["files"][0]["sha256"]}]});
    // The file changes between the look and the answer.
    write("[[rules]]\ndecision = \"allow\"\n");
    let refused = program.ask_refused("trust/agree", seen.clone());
    assert_eq!(refused["data"]["code"], "conflict", "{refused}");
    let unknown = json!({"files": [{"path": "a.txt", "sha256": ""}]});
    assert_eq!(program.ask_refused("trust/agree", unknown)["data"]["code"], "conflict");
    write(text);
    let turn = |program: &mut Program| {
        program.prompt("go");
        let is_over = |message: &Value| message["params"]["event"]["type"] == "turn.completed";
        program.until(|message| message["method"] == "approval/request" || is_over(message))
    };
    let agreed = program.ask("trust/agree", seen.clone());
    assert_eq!(agreed["files"][0]["standing"], "agreed");
    assert_eq!(read(&mut program), agreed);
    // The rule allows what would be asked otherwise.
    assert_eq!(turn(&mut program)["params"]["event"]["type"], "turn.completed");
    assert!(place.path("made").exists());

    write("[[rules]]\ndecision = \"allow\"\n");
    assert_eq!(read(&mut program)["files"][0]["standing"], "changed");
    fs::remove_file(place.path(name)).unwrap();
    let missing = json!([{"path": name, "sha256": "", "standing": "missing"}]);
    assert_eq!(read(&mut program)["files"], missing);
    assert_eq!(turn(&mut program)["method"], "approval/request");
    let seen_missing = json!({"files": [{"path": name, "sha256": ""}]});
    assert_eq!(program.ask("trust/agree", seen_missing)["files"], json!([]));
    program.end_input();
    program.rest();

    // Nothing can be agreed to in an untrusted folder.
    assert!(place.command(&["trust", "--revoke"]).status().unwrap().success());
    write(text);
    let command = place.command(&["serve", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    assert_eq!(read(&mut program)["trusted"], false);
    let refused = program.ask_refused("trust/agree", seen);
    assert_eq!(refused["data"]["code"], "conflict", "{refused}");
}

/// Takes the permissions away.
type Take<'a> = &'a dyn Fn(&Place);

/// Rules that deny something must not go away with their file.
#[test]
fn permissions_that_are_missing_make_every_call_ask() {
    let (name, deny) = (
        ".pintle/permissions.toml",
        "[[rules]]\ndecision = \"deny\"\nargv = [\"touch\", \"**\"]\n",
    );
    let rows: [(&str, Take<'_>); 3] = [
        ("removed", &|place| fs::remove_file(place.path(name)).unwrap()),
        ("with its folder", &|place| fs::remove_dir_all(place.path(".pintle")).unwrap()),
        ("its folder is a file", &|place| {
            fs::remove_dir_all(place.path(".pintle")).unwrap();
            fs::write(place.path(".pintle"), "").unwrap();
        }),
    ];
    for (way, take) in rows {
        let place = Place::untrusted(&[(name, deny)]);
        assert!(place.command(&["trust"]).status().unwrap().success());
        let touch = || run(&place, &bash("touch made"), &["--permission", "auto-edit", "hi"]);
        assert!(result(&touch()).0, "{way}: the rule denies");
        take(&place);
        let output = touch();
        assert!(result(&output).0, "{way}: it asks, and nobody answers");
        assert!(!place.path("made").exists(), "{way}");
        let told = notices(&output);
        assert!(told.iter().any(|code| code.contains("notAgreed")), "{way}: {told:?}");
        let agreed = place.command(&["trust"]).output().unwrap();
        let said = String::from_utf8(agreed.stdout).unwrap();
        assert!(said.contains(&format!("{name}: removal accepted")), "{said}");
        assert!(!result(&touch()).0, "{way}: without the rule");
    }
}

/// In a trusted project, a command makes the file that would open the network and every program, and tries it at once and later.
#[test]
fn the_model_gives_itself_no_rights() {
    let place = Place::untrusted(&[("a.txt", "one\n")]);
    assert!(place.command(&["trust"]).status().unwrap().success());
    let rule = "[[rules]]\ndecision = \"allow\"\nargv = [\"touch\", \"**\"]\n";
    fs::write(place.path("r.toml"), rule).unwrap();
    let make = "mkdir -p .pintle && cp r.toml .pintle/permissions.toml";
    let made = run(&place, &bash(make), &["--permission", "auto-edit", "hi"]);
    assert!(made.status.success());
    for args in
        [&["--permission", "ask", "hi"][..], &["--permission", "ask", "--session", "last", "hi"]]
    {
        let output = run(&place, &bash("touch made"), args);
        assert!(!place.path("made").exists(), "{args:?}: {output:?}");
    }
}

/// Cloning a repository into a trusted one gives it no rights until a person agrees.
#[test]
fn a_repository_inside_a_trusted_one_is_agreed_to_by_itself() {
    let (name, rule) = ORDERS[1];
    // The outer directory is a repository, it has the same file, the inner one is trusted by itself: is the inner file used?
    for (is_repository, is_same, is_trusted, is_used) in [
        (true, false, false, false),
        (true, true, false, true),
        (true, false, true, true),
        (false, false, false, true),
    ] {
        let place = Place::untrusted(&[("a.txt", "one\n")]);
        let write = |folder: &str, text: &str| {
            let file = place.path(folder).join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        if is_repository {
            fs::create_dir_all(place.path(".git")).unwrap();
        }
        write(".", if is_same { rule } else { "" });
        assert!(place.command(&["trust"]).status().unwrap().success());
        write("inner", rule);
        fs::create_dir_all(place.path("inner/.git")).unwrap();
        if is_trusted {
            assert!(place.command(&["trust", "inner"]).status().unwrap().success());
        }
        let script = place.script(&bash("touch made"));
        let command = place.command(&["serve", "--permission", "ask", "--script", &script]);
        let mut program = Program::start(command, Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({"cwd": place.path("inner")}));
        let found = program.ask("trust/read", json!({}));
        assert_eq!((&found["trusted"], &found["files"][0]["path"]), (&json!(true), &json!(name)));
        let row = format!("repository {is_repository}, same {is_same}, trusted {is_trusted}");
        let standing = if is_used { "agreed" } else { "new" };
        assert_eq!(found["files"][0]["standing"], standing, "{row}");
        program.prompt("go");
        let is_over = |message: &Value| message["params"]["event"]["type"] == "turn.completed";
        let next =
            program.until(|message| message["method"] == "approval/request" || is_over(message));
        assert_eq!(is_over(&next), is_used, "{row}");
    }
}
