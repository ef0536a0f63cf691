//! The abilities that an agent must have, for each family of models. The model of a row makes the calls of its own maker's agent, through the real
//! program, over the family's own wire format, against a server that nobody here wrote. Where that server is not installed the rows say so
//! and pass.

use crate::peers::aimock_with;
use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

/// A family: the profile that its model's name chooses, its wire, and its dialect.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    model: &'static str,
    api: &'static str,
    /// What stands behind the server's address.
    path: &'static str,
    /// The names of the tools that read, run commands, change files, search, and give a task away.
    read: &'static str,
    shell: &'static str,
    edit: &'static str,
    write: &'static str,
    grep: &'static str,
    agent: &'static str,
    /// The argument with a file's path, for reading.
    path_field: &'static str,
    /// The time limit of a command that sleeps: its argument, and its value for 300 ms.
    timeout: Option<(&'static str, f64)>,
}

const CLAUDE: Family = Family {
    name: "anthropic",
    model: "claude-sonnet-5",
    api: "messages",
    path: "",
    read: "Read",
    shell: "Bash",
    edit: "Edit",
    write: "Write",
    grep: "Grep",
    agent: "Agent",
    path_field: "file_path",
    timeout: Some(("timeout", 300.0)),
};

const GPT: Family = Family {
    name: "openai",
    model: "gpt-5.4",
    api: "responses",
    path: "/v1",
    read: "read_file",
    shell: "exec_command",
    edit: "apply_patch",
    write: "apply_patch",
    grep: "grep_files",
    agent: "spawn_agent",
    timeout: Some(("timeout_ms", 300.0)),
    ..CLAUDE
};

const GEMINI: Family = Family {
    name: "gemini",
    model: "gemini-3-pro",
    api: "gemini",
    read: "read_file",
    shell: "run_shell_command",
    edit: "replace",
    write: "write_file",
    grep: "grep_search",
    agent: "invoke_agent",
    timeout: None,
    ..CLAUDE
};

/// A family whose models are served over Chat Completions.
const CHAT: Family = Family { api: "chat", path: "/v1", ..CLAUDE };

const FAMILIES: [Family; 8] = [
    GPT,
    CLAUDE,
    GEMINI,
    Family {
        name: "qwen",
        model: "qwen3-coder-next",
        read: "read_file",
        shell: "run_shell_command",
        edit: "edit",
        write: "write_file",
        grep: "grep_search",
        agent: "agent",
        ..CHAT
    },
    Family {
        name: "kimi",
        model: "kimi-k3",
        path_field: "path",
        timeout: Some(("timeout", 0.3)),
        ..CHAT
    },
    Family { name: "glm", model: "glm-5.3", ..CHAT },
    Family {
        name: "deepseek",
        model: "deepseek-v4-pro",
        read: "read",
        shell: "bash",
        edit: "edit",
        write: "write",
        grep: "grep",
        agent: "subagent",
        timeout: Some(("timeoutMs", 300.0)),
        ..CHAT
    },
    Family {
        name: "mistral",
        model: "devstral-latest",
        read: "read_file",
        shell: "bash",
        edit: "edit",
        write: "write_file",
        grep: "grep",
        agent: "task",
        timeout: Some(("timeout", 0.3)),
        ..CHAT
    },
];

/// The families whose wires differ.
const WIRES: [Family; 3] = [GPT, CLAUDE, GEMINI];

impl Family {
    /// The call that replaces a line of a file.
    fn replace(self, file: &str, old: &str, new: &str) -> Value {
        if self.edit == "apply_patch" {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\n"
            );
            return call("apply_patch", json!({ "input": patch }));
        }
        let mut arguments = json!({ "old_string": old, "new_string": new });
        arguments[self.path_field] = json!(file);
        if self.name == "gemini" {
            arguments["instruction"] = json!("change it");
        }
        call(self.edit, arguments)
    }

    fn write(self, file: &str, content: &str) -> Value {
        if self.write == "apply_patch" {
            let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
            let patch = format!("*** Begin Patch\n*** Add File: {file}\n{lines}*** End Patch\n");
            return call("apply_patch", json!({ "input": patch }));
        }
        let mut arguments = json!({ "content": content });
        arguments[self.path_field] = json!(file);
        call(self.write, arguments)
    }

    fn read(self, file: &str) -> Value {
        call(self.read, json!({ self.path_field: file }))
    }

    fn shell(self, command: &str) -> Value {
        let mut arguments = json!({ "command": command });
        if matches!(self.name, "gemini" | "deepseek") {
            arguments["description"] = json!("run it");
        }
        call(self.shell, arguments)
    }

    fn search(self, pattern: &str) -> Value {
        call(self.grep, json!({ "pattern": pattern }))
    }

    /// The calls that give a task away and get its answer.
    fn delegate(self, task: &str) -> Replies {
        let arguments = match self.name {
            "openai" => {
                let spawn = json!({ "message": task, "agent_type": "default" });
                return vec![vec![call("spawn_agent", spawn)], vec![call("wait_agent", json!({}))]];
            }
            "gemini" => json!({ "agent_name": "generalist", "prompt": task }),
            "mistral" => json!({ "task": task }),
            "deepseek" => json!({ "description": "look", "prompt": task }),
            _ => {
                json!({ "description": "look", "prompt": task, "subagent_type": "general-purpose" })
            }
        };
        vec![vec![call(self.agent, arguments)]]
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
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
    program: Program,
    place: Place,
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

/// Returns a command's output without the lines before it.
fn output_alone(result: &str) -> &str {
    result.split_once("\nOutput:\n").map_or(result, |(_, output)| output)
}

fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "simple file creation",
            files: &[],
            replies: |family| vec![vec![family.write("new/a.txt", "made\n")]],
            holds: |done, _| assert_eq!(done.place.read("new/a.txt"), "made\n"),
        },
        Row {
            name: "read then edit",
            files: &[("a.txt", "one\ntwo\n")],
            replies: |family| {
                vec![vec![family.read("a.txt")], vec![family.replace("a.txt", "one", "1")]]
            },
            holds: |done, _| assert_eq!(done.place.read("a.txt"), "1\ntwo\n"),
        },
        Row {
            name: "several files in one session",
            files: &[("a.txt", "one\n"), ("b.txt", "two\n")],
            replies: |family| {
                vec![
                    vec![family.read("a.txt")],
                    vec![family.replace("a.txt", "one", "1")],
                    vec![family.read("b.txt")],
                    vec![family.replace("b.txt", "two", "2")],
                    vec![family.write("c.txt", "three\n")],
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
            replies: |family| vec![vec![family.shell("echo said; exit 3")]],
            holds: |done, family| {
                let result = done.result(family.shell);
                assert!(result.contains("said") && result.contains('3'), "{result}");
            },
        },
        Row {
            name: "shell time-out",
            files: &[],
            replies: |family| {
                let command =
                    if family.timeout.is_some() { "echo begun; sleep 60" } else { "echo begun" };
                let mut timed = family.shell(command);
                if let Some((field, value)) = family.timeout {
                    timed["arguments"][field] = json!(value);
                }
                vec![vec![timed]]
            },
            holds: |done, family| {
                let result = done.result(family.shell);
                assert!(result.contains("begun"), "{result}");
                assert_eq!(result.contains("timed out"), family.timeout.is_some(), "{result}");
            },
        },
        Row {
            name: "search",
            files: &[("a.rs", "fn needle() {}\n"), ("b.txt", "needle\n")],
            replies: |family| vec![vec![family.search("needle")]],
            holds: |done, family| {
                let found = done.result(family.grep);
                assert!(found.contains("a.rs") && found.contains("b.txt"), "{found}");
            },
        },
        Row {
            name: "read, analyse, edit",
            files: &[("sum.sh", "echo $((1 - 2))\n")],
            replies: |family| {
                vec![
                    vec![family.shell("sh sum.sh")],
                    vec![family.read("sum.sh")],
                    vec![family.replace("sum.sh", "echo $((1 - 2))", "echo $((1 + 2))")],
                    vec![family.shell("sh sum.sh")],
                ]
            },
            holds: |done, _| {
                let last = done.calls().pop().unwrap();
                let said = last["output"]["content"][0]["text"].as_str().unwrap().trim();
                assert_eq!(output_alone(said), "3");
            },
        },
        Row {
            name: "a big file is cut for the model and whole for clients",
            files: &[],
            replies: |family| {
                vec![vec![family.shell("for i in $(seq 4000); do echo line $i of many; done")]]
            },
            holds: |done, family| {
                let calls = done.calls();
                let (output, details) = (&calls[0]["output"], &calls[0]["output"]["details"]);
                let shown = output["content"][0]["text"].as_str().unwrap();
                // Codex's limit is 10,000 tokens of four bytes, the others' 256 lines.
                let (first, last, because) = if family.name == "openai" {
                    (1173, 2889, " (39.0KB limit)")
                } else {
                    (129, 3872, "")
                };
                let cut = format!("\n\n[Lines {first}-{last} of 4000 are not shown");
                let (head, rest) =
                    output_alone(shown).split_once(&cut).unwrap_or_else(|| panic!("{shown}"));
                let (how, tail) = rest.split_once("]\n\n").unwrap();
                let lines = |first: u32, last: u32| -> Vec<String> {
                    (first..=last).map(|n| format!("line {n} of many")).collect()
                };
                assert_eq!(head.lines().collect::<Vec<_>>(), lines(1, first - 1));
                assert_eq!(tail.lines().collect::<Vec<_>>(), lines(last + 1, 4000));
                let path = details["fullOutputPath"].as_str().unwrap();
                let field = match family.name {
                    "gemini" => "start_line",
                    "kimi" => "line_offset",
                    _ => "offset",
                };
                let first = if family.name == "qwen" { first - 1 } else { first };
                let reader = family.read;
                let want = format!(
                    "{because}. Full output: {path} ({reader} with {field}={first} continues)"
                );
                assert_eq!(how, want);
                let kept = std::fs::read_to_string(path).unwrap();
                assert_eq!(kept.lines().collect::<Vec<_>>(), lines(1, 4000));
                let whole = details["fullOutput"]["bytes"].as_u64();
                assert!(whole.is_some_and(|bytes| bytes > 70_000), "{details}");
            },
        },
        Row {
            name: "parallel tool calls",
            files: &[("a.txt", "one\n"), ("b.txt", "two\n")],
            replies: |family| vec![vec![family.read("a.txt"), family.read("b.txt")]],
            holds: |done, _| {
                let calls = done.calls();
                let steps: Vec<_> = calls.iter().map(|call| call["step"].clone()).collect();
                assert_eq!(steps, [1, 1], "{calls:#?}");
            },
        },
        Row {
            name: "sub-agent",
            files: &[("a.txt", "one\n")],
            replies: |family| family.delegate(&format!("{} look into a.txt", family.name)),
            holds: |done, family| {
                let tool = if family.name == "openai" { "wait_agent" } else { family.agent };
                let result = done.result(tool);
                assert!(result.contains("agent-1 ") && result.contains("it says one"), "{result}");
            },
        },
        Row {
            name: "loop warning",
            files: &[("a.txt", "one\n")],
            replies: |family| (0..10).map(|_| vec![family.read("a.txt")]).collect(),
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
            replies: |family| {
                vec![vec![family.read("none.txt")], vec![family.write("none.txt", "now\n")]]
            },
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
                    vec![
                        vec![family.read("a.txt")],
                        vec![call("apply_patch", json!({ "input": patch }))],
                    ]
                } else {
                    vec![
                        vec![family.read("a.txt")],
                        vec![family.replace("a.txt", "two", "2")],
                        vec![family.write("b.txt", "new\n")],
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
        all.extend(fixtures(&task, &[vec![family.read("a.txt")]]));
        if let Some(last) = all.last_mut() {
            last["response"]["content"] = json!("it says one");
        }
        let slow = family.shell("echo begun; until [ -e stop ]; do sleep 0.02; done");
        all.extend(fixtures(&prompt(family, "steer"), &[vec![slow, family.shell("touch never")]]));
        all.extend(fixtures(&prompt(family, "rather this"), &[]));
        all.extend(fixtures(&prompt(family, "easy"), &[]));
        all.extend(fixtures(&prompt(family, "hard"), &[]));
    }
    all.extend(fixtures("From the engine, not from the user: you keep making the same call", &[]));
    json!({ "fixtures": all })
}

/// The program on a family's model, with a session.
fn start(family: Family, url: &str, place: &Place, more: &[&str]) -> (Program, Value) {
    let (model, base_url) = (format!("local/{}", family.model), format!("{url}{}", family.path));
    let mut args = vec!["serve", "--permission", "full", "--model", &model];
    args.extend(["--api", family.api, "--base-url", &base_url]);
    args.extend(more);
    let mut program = Program::start(place.engine(&args), Framing::Lines);
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
    let Some(server) = aimock_with(&all_fixtures()) else {
        return;
    };
    for family in FAMILIES {
        for row in rows() {
            let place = Place::new(row.files);
            let (mut program, session) = start(family, &server.url, &place, &[]);
            program.prompt(&prompt(family, row.name));
            let end = end_of_turn(&mut program, &session);
            assert_eq!(end["status"], "completed", "{}, {}: {end}", family.name, row.name);
            (row.holds)(&Done { program, place }, family);
        }
    }
}

#[test]
fn each_family_is_steered_in_the_middle_of_its_work() {
    let Some(server) = aimock_with(&all_fixtures()) else {
        return;
    };
    for family in WIRES {
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
        let calls = Done { program, place }.calls();
        let said = calls.iter().map(|call| call["output"]["content"][0]["text"].as_str().unwrap());
        let said: Vec<&str> = said.map(output_alone).collect();
        assert_eq!(said, ["begun\n", "Skipped due to queued user message"], "{}", family.name);
    }
}

#[test]
fn each_family_thinks_as_hard_as_it_is_told() {
    let Some(server) = aimock_with(&all_fixtures()) else {
        return;
    };
    for (family, want) in WIRES.into_iter().zip([
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

/// The input of a model, in the order in which providers build it: tools, system prompt, messages. The marks of cache breakpoints, which
/// move, are taken out and counted.
fn read_by_model(mut body: Value) -> (String, usize) {
    let marks = unmarked(&mut body);
    let mut text = String::new();
    for part in ["tools", "instructions", "system", "systemInstruction"] {
        text.push_str(&body[part].to_string());
    }
    for list in ["messages", "input", "contents"] {
        for message in body[list].as_array().into_iter().flatten() {
            text.push_str(&message.to_string());
        }
    }
    (text, marks)
}

fn unmarked(value: &mut Value) -> usize {
    match value {
        Value::Object(fields) => {
            let own = usize::from(fields.remove("cache_control").is_some());
            own + fields.values_mut().map(unmarked).sum::<usize>()
        }
        Value::Array(items) => items.iter_mut().map(unmarked).sum(),
        _ => 0,
    }
}

/// The bodies of a cassette's requests, in order, without those for titles, which have no tools.
fn recorded(cassette: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(cassette).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let bodies = lines.filter_map(|mut line| Some(line.pointer_mut("/request/body")?.take()));
    bodies.filter(|body| body.get("tools").is_some()).collect()
}

// A provider's cache holds for as long as not one byte changes: the input of a request begins with the whole input of the one before.
#[test]
fn each_request_begins_with_the_bytes_of_the_one_before() {
    let Some(server) = aimock_with(&all_fixtures()) else { return };
    for family in FAMILIES {
        let place = Place::new(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
        let cassette = place.folder().join("cassette.jsonl");
        let record = ["--record", cassette.to_str().unwrap()];
        let (mut program, session) = start(family, &server.url, &place, &record);
        program.prompt(&prompt(family, "several files in one session"));
        end_of_turn(&mut program, &session);
        let requests = recorded(&cassette);
        assert_eq!(requests.len(), 6, "{}", family.name);
        let read: Vec<_> = requests.into_iter().map(read_by_model).collect();
        let (mut cached, mut all) = (0, 0);
        for pair in read.windows(2) {
            let [(before, _), (after, marks)] = pair else { continue };
            let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
            assert_eq!(same, before.len(), "{}: {after}", family.name);
            if family.api == "messages" {
                assert!((2..=4).contains(marks), "{}: {marks} breakpoints", family.name);
            }
            cached += same;
            all += after.len();
        }
        // The rest is what each reply and its results have added.
        assert!(cached * 100 >= all * 95, "{}: {cached} of {all} bytes", family.name);
    }
}
