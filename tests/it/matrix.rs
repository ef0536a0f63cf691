//! What an agent must be able to do, for each of three families of models: each row through the real program, over the family's own
//! wire format, against a server that nobody here wrote. Where that server is not installed the rows say so and pass.

use crate::peers::aimock_with;
use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

/// A family: the profile that its model's name chooses, its wire, and what it calls things.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    model: &'static str,
    api: &'static str,
    /// What stands behind the server's address.
    path: &'static str,
    /// The tool that changes files.
    edit: &'static str,
}

const FAMILIES: [Family; 3] = [
    Family { name: "openai", model: "gpt-5.4", api: "responses", path: "/v1", edit: "apply_patch" },
    Family {
        name: "anthropic",
        model: "claude-sonnet-5",
        api: "messages",
        path: "",
        edit: "edit_file",
    },
    Family { name: "gemini", model: "gemini-3-pro", api: "gemini", path: "", edit: "edit_file" },
];

impl Family {
    /// The call that replaces a line of a file.
    fn replace(self, file: &str, old: &str, new: &str) -> Value {
        if self.edit == "apply_patch" {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
            );
            call("apply_patch", json!({ "patch": patch }))
        } else {
            call("edit_file", json!({ "file_path": file, "old_string": old, "new_string": new }))
        }
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

fn write(file: &str, content: &str) -> Value {
    call("write_file", json!({ "file_path": file, "content": content }))
}

fn read(file: &str) -> Value {
    call("read_file", json!({ "file_path": file }))
}

fn shell(command: &str) -> Value {
    call("shell", json!({ "command": command }))
}

/// What the model does, reply by reply: the calls of each; behind the last it says that it is done.
type Replies = Vec<Vec<Value>>;

/// A row: what is to be done, what the model does, and what must be so in the end.
struct Row {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    replies: fn(Family) -> Replies,
    holds: fn(&Done, Family),
}

/// What a row left behind.
struct Done {
    place: Place,
    program: Program,
}

impl Done {
    /// The calls that ended, in the order of their ends, with their results.
    fn calls(&self) -> Vec<Value> {
        let events = self.program.seen.iter().map(|message| &message["params"]["event"]);
        let items = events.filter(|event| event["type"] == "item.completed");
        let calls = items.filter(|event| event["item"]["type"] == "toolCall");
        calls.map(|event| event["item"].clone()).collect()
    }

    /// The result of the only call of this tool that ended.
    fn result(&self, tool: &str) -> String {
        let calls = self.calls();
        let mut of_tool = calls.iter().filter(|call| call["toolName"] == tool);
        let call = of_tool.next().unwrap_or_else(|| panic!("no call of {tool}: {calls:#?}"));
        assert!(of_tool.next().is_none(), "one call of {tool}: {calls:#?}");
        call["output"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }
}

fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "simple file creation",
            files: &[],
            replies: |_| vec![vec![write("new/a.txt", "made\n")]],
            holds: |done, _| assert_eq!(done.place.read("new/a.txt"), "made\n"),
        },
        Row {
            name: "read then edit",
            files: &[("a.txt", "one\ntwo\n")],
            replies: |family| vec![vec![read("a.txt")], vec![family.replace("a.txt", "one", "1")]],
            holds: |done, _| assert_eq!(done.place.read("a.txt"), "1\ntwo\n"),
        },
        Row {
            name: "several files in one session",
            files: &[("a.txt", "one\n"), ("b.txt", "two\n")],
            replies: |family| {
                vec![
                    vec![read("a.txt")],
                    vec![family.replace("a.txt", "one", "1")],
                    vec![read("b.txt")],
                    vec![family.replace("b.txt", "two", "2")],
                    vec![write("c.txt", "three\n")],
                ]
            },
            holds: |done, _| {
                let read = ["a.txt", "b.txt", "c.txt"].map(|file| done.place.read(file));
                assert_eq!(read, ["1\n", "2\n", "three\n"]);
            },
        },
        Row {
            name: "shell",
            files: &[],
            replies: |_| vec![vec![shell("echo said; exit 3")]],
            holds: |done, _| {
                let result = done.result("shell");
                assert!(result.contains("said") && result.contains('3'), "{result}");
            },
        },
        Row {
            name: "shell time-out",
            files: &[],
            replies: |_| {
                let arguments = json!({ "command": "echo begun; sleep 60", "timeout_ms": 300 });
                vec![vec![call("shell", arguments)]]
            },
            holds: |done, _| {
                let result = done.result("shell");
                assert!(result.contains("begun") && result.contains("timed out"), "{result}");
            },
        },
        Row {
            name: "grep and glob",
            files: &[("a.rs", "fn needle() {}\n"), ("b.txt", "needle\n")],
            replies: |_| {
                vec![
                    vec![call("glob", json!({ "pattern": "*.rs" }))],
                    vec![call("grep", json!({ "pattern": "needle" }))],
                ]
            },
            holds: |done, _| {
                assert!(done.result("glob").contains("a.rs"));
                let found = done.result("grep");
                assert!(found.contains("a.rs") && found.contains("b.txt"), "{found}");
            },
        },
        Row {
            name: "read, analyse, edit",
            files: &[("sum.sh", "echo $((1 - 2))\n")],
            replies: |family| {
                vec![
                    vec![shell("sh sum.sh")],
                    vec![read("sum.sh")],
                    vec![family.replace("sum.sh", "echo $((1 - 2))", "echo $((1 + 2))")],
                    vec![shell("sh sum.sh")],
                ]
            },
            holds: |done, _| {
                let last = done.calls().pop().unwrap();
                assert_eq!(last["output"]["content"][0]["text"].as_str().unwrap().trim(), "3");
            },
        },
        Row {
            name: "a big file is cut for the model and whole for clients",
            files: &[],
            replies: |_| vec![vec![shell("for i in $(seq 4000); do echo line $i of many; done")]],
            holds: |done, _| {
                let calls = done.calls();
                let (output, details) = (&calls[0]["output"], &calls[0]["output"]["details"]);
                let shown = output["content"][0]["text"].as_str().unwrap();
                let (head, rest) =
                    shown.split_once("\n\n[Lines 129-3872 of 4000 are not shown").unwrap();
                let (how, tail) = rest.split_once("]\n\n").unwrap();
                let lines = |first: u32, last: u32| -> Vec<String> {
                    (first..=last).map(|n| format!("line {n} of many")).collect()
                };
                assert_eq!(head.lines().collect::<Vec<_>>(), lines(1, 128));
                assert_eq!(tail.lines().collect::<Vec<_>>(), lines(3873, 4000));
                let path = details["fullOutputPath"].as_str().unwrap();
                assert_eq!(
                    how,
                    format!(". Full output: {path} (read_file with offset=129 goes on)")
                );
                let kept = std::fs::read_to_string(path).unwrap();
                assert_eq!(kept.lines().collect::<Vec<_>>(), lines(1, 4000));
                let whole = details["fullOutput"]["bytes"].as_u64();
                assert!(whole.is_some_and(|bytes| bytes > 70_000), "{details}");
            },
        },
        Row {
            name: "parallel tool calls",
            files: &[("a.txt", "one\n"), ("b.txt", "two\n")],
            replies: |_| vec![vec![read("a.txt"), read("b.txt")]],
            holds: |done, _| {
                let calls = done.calls();
                let steps: Vec<_> = calls.iter().map(|call| call["step"].clone()).collect();
                assert_eq!(steps, [1, 1], "{calls:#?}");
            },
        },
        Row {
            name: "sub-agent spawn and wait",
            files: &[("a.txt", "one\n")],
            replies: |family| {
                let task = format!("{} look into a.txt", family.name);
                vec![
                    vec![call("spawn_agent", json!({ "task": task }))],
                    vec![call("wait", json!({}))],
                ]
            },
            holds: |done, _| {
                let result = done.result("wait");
                assert!(
                    result.contains("agent-1 is done") && result.contains("it says one"),
                    "{result}"
                );
            },
        },
        Row {
            name: "loop warning",
            files: &[("a.txt", "one\n")],
            replies: |_| (0..10).map(|_| vec![read("a.txt")]).collect(),
            holds: |done, _| {
                let told = done
                    .program
                    .seen
                    .iter()
                    .any(|message| message["params"]["event"]["code"] == "loopDetected");
                assert!(told);
            },
        },
        Row {
            name: "recovery from a failed tool",
            files: &[],
            replies: |_| vec![vec![read("none.txt")], vec![write("none.txt", "now\n")]],
            holds: |done, _| {
                assert_eq!(done.calls()[0]["status"], "failed");
                assert_eq!(done.place.read("none.txt"), "now\n");
            },
        },
        Row {
            name: "the profile's own edit format",
            files: &[("a.txt", "one\ntwo\nthree\n")],
            replies: |family| {
                if family.edit == "apply_patch" {
                    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Add File: b.txt\n+new\n*** End Patch\n";
                    vec![vec![read("a.txt")], vec![call("apply_patch", json!({ "patch": patch }))]]
                } else {
                    vec![
                        vec![read("a.txt")],
                        vec![family.replace("a.txt", "two", "2")],
                        vec![write("b.txt", "new\n")],
                    ]
                }
            },
            holds: |done, family| {
                assert_eq!(done.place.read("a.txt"), "one\n2\nthree\n");
                assert_eq!(done.place.read("b.txt"), "new\n");
                let tool = done.calls().iter().any(|call| call["toolName"] == family.edit);
                assert!(tool);
            },
        },
    ]
}

/// The prompt of a row; no other one contains it.
fn prompt(family: Family, row: &str) -> String {
    format!("[{}: {row}]", family.name)
}

/// The server's answers to a prompt.
fn fixtures(prompt: &str, replies: &[Vec<Value>]) -> Vec<Value> {
    let last = [json!({ "content": "All done." })];
    let calls = replies.iter().enumerate().map(|(turn, calls)| {
        let calls = calls.iter().enumerate().map(|(place, call)| {
            let mut call = call.clone();
            call["id"] = json!(format!("call_{turn}_{place}"));
            call
        });
        json!({ "toolCalls": calls.collect::<Vec<_>>() })
    });
    let replies = calls.chain(last).enumerate();
    replies
        .map(|(turn, response)| {
            let matches = json!({ "userMessage": prompt, "turnIndex": turn });
            json!({ "match": matches, "response": response })
        })
        .collect()
}

fn all_fixtures() -> Value {
    let mut all = Vec::new();
    for family in FAMILIES {
        for row in rows() {
            all.extend(fixtures(&prompt(family, row.name), &(row.replies)(family)));
        }
        let task = format!("{} look into a.txt", family.name);
        all.extend(fixtures(&task, &[vec![read("a.txt")]]));
        if let Some(last) = all.last_mut() {
            last["response"]["content"] = json!("it says one");
        }
        let slow = shell("echo begun; until [ -e stop ]; do sleep 0.02; done");
        all.extend(fixtures(&prompt(family, "steer"), &[vec![slow, shell("echo never")]]));
        all.extend(fixtures(&prompt(family, "rather this"), &[]));
        all.extend(fixtures(&prompt(family, "easy"), &[]));
        all.extend(fixtures(&prompt(family, "hard"), &[]));
    }
    all.extend(fixtures("From the engine, not from the user: you make the same call", &[]));
    json!({ "fixtures": all })
}

/// The program on a family's model, with a session.
fn start(family: Family, url: &str, place: &Place, more: &[&str]) -> (Program, Value) {
    let (model, base_url) = (format!("local/{}", family.model), format!("{url}{}", family.path));
    let mut args = vec!["serve", "--permission", "full", "--model", &model];
    args.extend(["--api", family.api, "--base-url", &base_url]);
    args.extend(more);
    let mut program = Program::start(place.command(&args), Framing::Lines);
    program.initialize();
    let session = program.ask("session/create", json!({}))["sessionId"].take();
    (program, session)
}

fn end_of_turn(program: &mut Program, session: &Value) -> Value {
    let mut message = program.until(|message| {
        let params = &message["params"];
        params["sessionId"] == *session && params["event"]["type"] == "turn.completed"
    });
    message["params"]["event"].take()
}

#[test]
fn each_family_does_what_an_agent_must() {
    let Some(server) = aimock_with(&all_fixtures()) else { return };
    for family in FAMILIES {
        for row in rows() {
            let place = Place::new(row.files);
            let (mut program, session) = start(family, &server.url, &place, &[]);
            program.prompt(&prompt(family, row.name));
            let end = end_of_turn(&mut program, &session);
            assert_eq!(end["status"], "completed", "{}, {}: {end}", family.name, row.name);
            (row.holds)(&Done { place, program }, family);
        }
    }
}

#[test]
fn each_family_is_steered_in_the_middle_of_its_work() {
    let Some(server) = aimock_with(&all_fixtures()) else { return };
    for family in FAMILIES {
        let place = Place::new(&[]);
        let (mut program, session) = start(family, &server.url, &place, &[]);
        program.prompt(&prompt(family, "steer"));
        program.until(|message| {
            let event = &message["params"]["event"];
            event["type"] == "item.delta" && event["field"] == "output"
        });
        let input = json!([{"type": "text", "text": prompt(family, "rather this")}]);
        let steered = program.ask("turn/steer", json!({ "input": input }));
        assert_eq!(steered["outcome"], "accepted", "{}", family.name);
        // The command that runs is let finish; it is ended here, as its user would.
        std::fs::write(place.path("stop"), "").unwrap();
        let end = end_of_turn(&mut program, &session);
        assert_eq!((&end["status"], &end["steps"]), (&json!("completed"), &json!(2)), "{end}");
        let calls = Done { place, program }.calls();
        let said = calls.iter().map(|call| call["output"]["content"][0]["text"].as_str().unwrap());
        let said: Vec<&str> = said.collect();
        assert_eq!(said, ["begun\n", "Skipped due to queued user message"], "{}", family.name);
    }
}

#[test]
fn each_family_thinks_as_hard_as_it_is_told() {
    let Some(server) = aimock_with(&all_fixtures()) else { return };
    for (family, want) in FAMILIES.into_iter().zip([
        r#""effort":"high""#,
        r#""effort":"high""#,
        r#""thinkingLevel":"HIGH""#,
    ]) {
        let place = Place::new(&[]);
        let cassette = place.path("cassette.jsonl");
        let record = ["--record", cassette.to_str().unwrap()];
        let (mut program, session) = start(family, &server.url, &place, &record);
        program.prompt(&prompt(family, "easy"));
        end_of_turn(&mut program, &session);
        let before = std::fs::read_to_string(&cassette).unwrap().replace("\\\"", "\"");
        let set = program.ask("config/set", json!({ "values": { "effort": "high" } }));
        assert_eq!(set["applied"], json!(["effort"]), "{}: {set}", family.name);
        program.prompt(&prompt(family, "hard"));
        end_of_turn(&mut program, &session);
        let after = std::fs::read_to_string(&cassette).unwrap().replace("\\\"", "\"");
        let (before, after) = (before.replace(": ", ":"), after.replace(": ", ":"));
        assert!(!before.contains(want), "{}: {before}", family.name);
        assert!(after.contains(want), "{}: {after}", family.name);
    }
}
