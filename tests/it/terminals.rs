//! Commands in terminals that the model types into, with real programs.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn start(command: &str) -> Value {
    call("bash", json!({"command": command, "tty": true}))
}

fn write(input: &str) -> Value {
    call("job", json!({"action": "write", "id": "job-1", "input": input}))
}

fn press(keys: &[&str]) -> Value {
    call("job", json!({"action": "write", "id": "job-1", "keys": keys}))
}

/// Types text that ends the program, and waits for its end.
fn end(input: &str) -> Value {
    call("job", json!({"action": "write", "id": "job-1", "input": input, "wait": 120}))
}

/// Runs a turn in which the model makes these calls.
fn after(place: &Place, permission: &str, calls: &[Value]) -> Program {
    let replies: Vec<Value> =
        calls.iter().cloned().chain([json!({"blocks": [{"text": "done"}]})]).collect();
    let script = place.script(&json!({"replies": replies}));
    let args = ["serve", "--permission", permission, "--profile", "pi", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until_event("turn.completed");
    program
}

/// Completed items of one type.
fn items<'a>(program: &'a Program, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let items =
        events.filter(|event| event["type"] == "item.completed").map(|event| &event["item"]);
    items.filter(move |item| item["type"] == kind)
}

/// The results of the calls.
fn results(program: &Program) -> Vec<String> {
    let text = |item: &Value| {
        let parts = item["output"]["content"].as_array().unwrap().iter();
        parts.map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    };
    items(program, "toolCall").map(text).collect()
}

/// Rows: a command, the calls that type into it, and parts of its final output in order.
#[test]
fn programs_that_ask_are_answered() {
    let place = Place::new(&[("a.txt", "one\ntwo\n"), ("slow.py", SLOW)]);
    for (command, typed, want) in [
        (
            "read -p 'Continue? ' answer; echo \"got $answer\"",
            vec![end("yes\n")],
            &["Continue? yes", "got yes"][..],
        ),
        (
            "read -s -p 'Password: ' p; echo; echo \"${#p} letters\"",
            vec![end("secret\n")],
            &["Password:\n6 letters"],
        ),
        (
            "python3 -q",
            vec![write("x = 20\n"), write("print(x + 1, 'is the sum')\n"), end("exit()\n")],
            &[">>> x = 20", ">>> print(x + 1, 'is the sum')", "21 is the sum", ">>> exit()"],
        ),
        ("python3 slow.py", vec![end("word\n")], &["ready", "word", "slept over word"]),
        ("stty size; echo $TERM", vec![], &["30 120", "xterm-256color"]),
        (
            "tty > /dev/null && test -t 0 -a -t 1 -a -t 2 && exec 3<>/dev/tty && echo yes >&3",
            vec![],
            &["yes"],
        ),
        ("echo -e '\\e[31mred\\e[0m'; printf '10 %%\\r20 %%\\n'", vec![], &["red\n20 %"]),
        ("seq 1 2000", vec![], &["1\n2\n3\n", "1999\n2000"]),
    ] {
        let waits = typed.is_empty();
        let mut calls = vec![start(command)];
        calls.extend(typed);
        if waits {
            calls.push(call("job", json!({"action": "read", "id": "job-1", "wait": 60})));
        }
        let mut program = after(&place, "full", &calls);
        if items(&program, "job").next().is_none() {
            program.until(|message| {
                let item = &message["params"]["event"]["item"];
                item["type"] == "job" && item["durationMs"].is_number()
            });
        }
        let job = items(&program, "job").next().unwrap();
        let output = job["output"].as_str().unwrap();
        let mut rest = output;
        for part in want {
            let at = rest.find(part);
            let at = at.unwrap_or_else(|| {
                panic!("{command}: {part:?} in {output:?}: {:?}", results(&program))
            });
            rest = &rest[at + part.len()..];
        }
        assert_eq!(job["details"]["exitCode"], 0, "{command}: {job}");
    }
}

/// A program that takes a while to answer.
const SLOW: &str = "import time
print('ready')
word = input()
time.sleep(1)
print('slept over', word)
";

#[test]
fn the_user_types_what_the_model_and_the_journal_do_not_learn() {
    let place = Place::new(&[]);
    let read = call("job", json!({"action": "read", "id": "job-1"}));
    let replies = [
        start(
            "read -s -p 'Password: ' p; echo; echo \"${#p} letters\"; read -p 'Name: ' n; sleep 1000",
        ),
        call("bash", json!({"command": "sleep 1000", "background": true})),
        json!({"blocks": [{"text": "asked"}]}),
        read.clone(),
        read,
    ];
    let mut program = after(&place, "full", &replies);

    let jobs = program.ask("job/list", json!({}))["jobs"].clone();
    assert_eq!((&jobs[0]["inTerminal"], jobs[1].get("inTerminal")), (&json!(true), None));
    let mut refused = |job: &str| {
        let refused = program.ask_refused("shell/write", json!({"jobId": job, "text": "x\n"}));
        format!(
            "{} {}",
            refused["data"]["code"].as_str().unwrap(),
            refused["message"].as_str().unwrap()
        )
    };
    assert_eq!(refused("job-9"), "notFound unknown job job-9");
    assert_eq!(
        refused("job-2"),
        "conflict job-2 does not run in a terminal; only jobs with `inTerminal` have a screen"
    );
    program.ask("job/stop", json!({"jobId": "job-2"}));
    let ended = program.ask_refused("shell/write", json!({"jobId": "job-2", "text": "x\n"}));
    assert_eq!(ended["message"], "job-2 has ended");

    let mut type_in = |text: &str| {
        let written = program.ask("shell/write", json!({"jobId": "job-1", "text": text}));
        written["screen"].as_str().unwrap().to_owned()
    };
    assert_eq!(type_in(""), "Password:");
    let mut screen = type_in("planted\n");
    while !screen.ends_with("7 letters\nName:") {
        screen = type_in("");
    }
    type_in("Ada");
    program.prompt("and?");
    program.until_event("turn.completed");
    let results = results(&program);
    let [.., first, second] = &results[..] else { panic!("{results:?}") };
    let typed = "[The user has typed into this terminal.]";
    assert!(first.contains("7 letters") && first.contains(typed), "{first}");
    assert!(!second.contains(typed), "{second}");

    program.ask("config/set", json!({"values": {"permissionMode": "readOnly"}}));
    let reading = program.ask_refused("shell/write", json!({"jobId": "job-1", "text": "x"}));
    assert_eq!(reading["data"]["code"], "conflict", "{reading}");
    program.end_input();
    program.rest();
    let sessions = format!("grep -rq planted '{}'", place.home().display());
    let found = std::process::Command::new("sh").args(["-c", &sessions]).status().unwrap();
    assert_eq!(found.code(), Some(1), "the text is not stored");
}

#[test]
fn a_screen_is_followed_with_its_colors_until_the_job_ends() {
    let place = Place::new(&[]);
    let replies = [
        start(r"printf '\033[31mred\033[0m\n'; read x; seq 40; read y; echo bye"),
        call("bash", json!({"command": "sleep 1000", "background": true})),
    ];
    let mut program = after(&place, "full", &replies);

    for (params, want) in [
        (
            json!({"jobId": "job-1", "after": "x"}),
            "`x` is not a mark; send the one of the last response, or none",
        ),
        (
            json!({"jobId": "job-2"}),
            "job-2 does not run in a terminal; only jobs with `inTerminal` have a screen",
        ),
        (json!({"jobId": "job-9"}), "unknown job job-9"),
    ] {
        assert_eq!(program.ask_refused("shell/screen", params)["message"], want);
    }
    let mut mark = None;
    let mut gone = String::new();
    // Follows the screen until a response is the wanted one.
    let mut follow = |program: &mut Program, is_wanted: &dyn Fn(&Value, &str) -> bool| loop {
        let mut params = json!({"jobId": "job-1"});
        if let Some(mark) = mark.take() {
            params["after"] = mark;
        }
        let update = program.ask("shell/screen", params);
        mark = Some(update["mark"].clone());
        gone.push_str(update["lines"].as_str().unwrap());
        if is_wanted(&update, &gone) {
            return update;
        }
    };
    let shows = |update: &Value, text: &str| {
        let rows = update["screen"]["rows"].as_array();
        rows.is_some_and(|rows| rows.iter().any(|row| row == text))
    };
    let update = follow(&mut program, &|update, _| shows(update, "\u{1b}[0;38;5;1mred\u{1b}[0m"));
    let screen = &update["screen"];
    assert_eq!((screen["rows"].as_array().unwrap().len(), &screen["columns"]), (30, &json!(120)));
    assert_eq!(screen["cursor"], json!({"row": 1, "column": 0}));
    let enter = json!({"jobId": "job-1", "text": "\n", "wantsScreen": false});
    assert_eq!(program.ask("shell/write", enter.clone())["screen"], "");
    follow(&mut program, &|update, gone| {
        shows(update, "40") && gone.starts_with("red\n") && gone.contains("\n11\n")
    });
    // Reading is not typing.
    program.ask("config/set", json!({"values": {"permissionMode": "readOnly"}}));
    program.ask_refused("shell/write", enter.clone());
    program.ask("shell/screen", json!({"jobId": "job-1"}));
    program.ask("config/set", json!({"values": {"permissionMode": "full"}}));
    program.ask("shell/write", enter);
    let end = follow(&mut program, &|update, _| update["ended"] == true);
    assert_eq!(end.get("screen"), None);
    assert!(end["lines"].as_str().unwrap().ends_with("40\n\nbye\n"), "{end}");
}

#[test]
fn a_screen_that_does_not_change_holds_up_neither_requests_nor_the_end() {
    let place = Place::new(&[]);
    let mut program = after(&place, "full", &[start("cat")]);
    let unchanged = json!({"jobId": "job-1", "after": "999999.999999"});
    let first = program.request("shell/screen", unchanged.clone());
    program.ask("ping", json!({}));
    program.send(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": first}}));
    assert_eq!(program.answer_to(first)["data"]["code"], "cancelled");
    let second = program.request("shell/screen", unchanged);
    program.ask("ping", json!({}));
    program.end_input();
    let rest = program.rest();
    let end = rest.iter().find(|message| message["id"] == second).unwrap();
    assert_eq!(end["error"]["data"]["code"], "cancelled", "{end}");
}

#[test]
fn keys_are_typed_as_a_terminal_sends_them() {
    let place = Place::new(&[]);
    // Each key is shown as the bytes that arrive.
    let show = "stty raw -echo; echo ready; head -c 15 | od -An -tx1; stty sane";
    let keys = ["up", "ctrl-c", "Escape", "f", "delete", "tab", "enter"];
    let program = after(&place, "full", &[start(show), press(&keys)]);
    let [_, unknown] = &results(&program)[..] else { panic!("two results") };
    assert!(unknown.contains("unknown key \"f\""), "{unknown}");
    let keys = ["up", "ctrl-c", "Escape", "delete", "tab", "enter", "page-up"];
    let last = call("job", json!({"action": "write", "id": "job-1", "keys": keys, "wait": 60}));
    let program = after(&place, "full", &[start(show), last]);
    let shown = results(&program)[1].split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("1b 5b 41 03 1b 1b 5b 33 7e 09 0d 1b 5b 35 7e"), "{shown}");
}

#[test]
fn a_full_screen_is_read_as_a_screen() {
    let place = Place::new(&[]);
    // What an editor does: another screen, drawn at places, and back.
    let draw = "printf 'before\\n\\033[?1049h\\033[H\\033[2Jtitle\\033[3;5Hmiddle'; read -r line; printf '\\033[?1049lafter %s\\n' \"$line\"";
    let program = after(&place, "full", &[start(draw), end("x\n")]);
    let results = results(&program);
    assert!(results[0].starts_with("title\n\n    middle"), "{results:?}");
    assert!(results[1].starts_with("before\nafter x"), "{results:?}");
}

#[test]
fn interrupts_and_the_end_of_input_reach_the_program() {
    for (name, command, keys, want) in [
        (
            "an interrupt",
            "trap 'echo caught; exit 3' INT; echo ready; while :; do read -r x; done",
            &["ctrl-c"][..],
            "caught",
        ),
        ("the end", "echo ready; cat; echo over", &["ctrl-d"], "over"),
        ("a job that sleeps", "echo ready; sleep 1000", &["ctrl-c"], "^C"),
    ] {
        let place = Place::new(&[]);
        let stop =
            call("job", json!({"action": "write", "id": "job-1", "keys": keys, "wait": 120}));
        let program = after(&place, "full", &[start(command), stop]);
        let results = results(&program);
        assert!(results[1].contains(want), "{name}: {results:?}");
        assert!(!results[1].contains("running for"), "{name}: {results:?}");
    }
}

/// Rows: the mode, the command, the typed text, and whether typing it asks the user.
#[test]
fn typing_is_asked_about_like_a_command() {
    let ended = |result: &str| !result.contains("running for");
    for (mode, command, typed, asks) in [
        ("ask", "bash --norc --noprofile", "rm -f a.txt; exit\n", true),
        ("ask", "python3 -q", "exit()\n", true),
        ("full", "bash --norc --noprofile", "exit\n", false),
    ] {
        let place = Place::new(&[("a.txt", "a\n")]);
        let replies = [start(command), end(typed), json!({"blocks": [{"text": "done"}]})];
        let script = place.script(&json!({"replies": replies}));
        let args = ["serve", "--permission", mode, "--profile", "pi", "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        program.prompt("go");
        let mut asked = Vec::new();
        loop {
            let message = program.until(|message| {
                message["method"] == "approval/request"
                    || message["params"]["event"]["type"] == "turn.completed"
            });
            if message["method"] != "approval/request" {
                break;
            }
            asked.push(message["params"].clone());
            program.send(
                &json!({"jsonrpc": "2.0", "id": message["id"], "result": {"optionId": "allow"}}),
            );
        }
        let of_typing = asked.iter().find(|request| request["toolName"] == "job");
        assert_eq!(of_typing.is_some(), asks, "{mode} {command}: {asked:?}");
        if let Some(request) = of_typing {
            // The text is shown whole, and the program is named.
            assert_eq!(request["details"][0]["text"], typed, "{request}");
            let reason = request["reason"].as_str().unwrap();
            assert!(reason.contains("types into"), "{reason}");
            let options: Vec<_> = request["options"]
                .as_array()
                .unwrap()
                .iter()
                .map(|option| &option["optionId"])
                .collect();
            assert_eq!(options, ["allow", "deny", "abort"], "nothing that lasts");
        }
        let results = results(&program);
        assert!(ended(&results[1]), "{mode} {command}: {results:?}");
    }
}

#[test]
fn what_cannot_be_typed_into_is_said() {
    let place = Place::new(&[]);
    for (name, calls, want) in [
        (
            "no terminal",
            vec![call("bash", json!({"command": "sleep 1000", "background": true})), write("x\n")],
            "job-1 has no terminal",
        ),
        ("no such job", vec![write("x\n")], "Unknown job `job-1`"),
        ("nothing to type", vec![start("echo ready; cat"), write("")], "nothing to type"),
        (
            "a long line",
            vec![start("echo ready; cat"), write(&format!("{}\n", "x".repeat(5000)))],
            "at most 4095 in a line",
        ),
        ("an ended job", vec![start("true"), end("x\n")], "the command has ended"),
    ] {
        let program = after(&place, "full", &calls);
        let results = results(&program);
        assert!(results.last().unwrap().contains(want), "{name}: {results:?}");
    }
}
