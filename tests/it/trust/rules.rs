//! Permission rules are listed and removed by clients and from the command line.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs;

/// A script of `bash` calls, one list for each turn.
fn script(turns: &[&[&str]]) -> Value {
    let call =
        |command: &&str| json!({"blocks": [{"tool": "bash", "arguments": {"command": command}}]});
    let turn = |commands: &&[&str]| {
        let done = json!({"blocks": [{"text": "done"}]});
        commands.iter().map(call).chain([done]).collect::<Vec<_>>()
    };
    json!({"replies": turns.iter().flat_map(turn).collect::<Vec<_>>()})
}

fn serve(place: &Place, turns: &[&[&str]]) -> Program {
    let script = place.script(&script(turns));
    let args = ["serve", "--permission", "ask", "--sandbox", "off", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program
}

/// Returns the next approval request's id and command, or `None` if the turn ends first.
fn asked(program: &mut Program) -> Option<(Value, String)> {
    let is_over = |message: &Value| message["params"]["event"]["type"] == "turn.completed";
    let next = program.until(|message| message["method"] == "approval/request" || is_over(message));
    let command = next["params"]["input"]["command"].as_str()?.to_owned();
    Some((next["id"].clone(), command))
}

#[track_caller]
fn answer(program: &mut Program, command: &str, option: &str) {
    let (id, got) = asked(program).unwrap_or_else(|| panic!("nothing was asked about {command}"));
    assert_eq!(got, command);
    program.send(&json!({"id": id, "result": {"optionId": option}}));
}

/// The rules that answers added, as `text, scope`.
fn answers(listed: &Value) -> Vec<String> {
    let rules = listed["rules"].as_array().unwrap().iter();
    let shown = |rule: &Value| {
        format!("{}, {}", rule["text"].as_str().unwrap(), rule["scope"].as_str().unwrap())
    };
    rules.filter(|rule| rule["source"] == "answer").map(shown).collect()
}

fn ids(listed: &Value) -> Vec<Value> {
    let rules = listed["rules"].as_array().unwrap().iter();
    rules.filter(|rule| rule["source"] == "answer").map(|rule| rule["ruleId"].clone()).collect()
}

#[test]
fn an_answer_that_is_taken_back_no_longer_holds_in_the_running_turn() {
    for scope in ["turn", "session", "project", "user"] {
        let place = Place::new(&[]);
        let mut program = serve(&place, &[&["touch a", "touch b", "mkdir d", "touch c"]]);
        program.ask("session/create", json!({}));
        assert_eq!(answers(&program.ask("permission/list", json!({}))), [""; 0], "{scope}");
        program.prompt("go");
        answer(&mut program, "touch a", &format!("allow-{scope}"));
        // `touch b` was not asked about.
        let (id, waiting) = asked(&mut program).unwrap();
        assert_eq!(waiting, "mkdir d", "{scope}");
        let listed = program.ask("permission/list", json!({}));
        assert_eq!(answers(&listed), [format!("allow `touch **`, {scope}")]);
        let removed = program.ask("permission/remove", json!({"ruleId": ids(&listed)[0]}));
        assert_eq!(answers(&removed), [""; 0], "{scope}");
        program.send(&json!({"id": id, "result": {"optionId": "allow"}}));
        answer(&mut program, "touch c", "deny");
        assert_eq!(asked(&mut program), None, "{scope}");
        let again = json!({"ruleId": ids(&listed)[0]});
        let refused = program.ask_refused("permission/remove", again);
        assert_eq!(refused["data"]["code"], "notFound", "{scope}: {refused}");
        program.end_input();
        program.rest();
    }
}

#[test]
fn an_answer_is_taken_back_for_the_other_sessions_too() {
    let place = Place::new(&[]);
    let mut program = serve(&place, &[&["touch a"], &["touch b"], &["touch c"], &["touch d"]]);
    let sessions = [(); 2].map(|()| program.ask("session/create", json!({}))["sessionId"].clone());
    let prompt = |program: &mut Program, at: usize| {
        let input = json!([{"type": "text", "text": "go"}]);
        program.ask("turn/start", json!({"sessionId": sessions[at], "input": input}));
    };
    prompt(&mut program, 0);
    answer(&mut program, "touch a", "allow-project");
    assert_eq!(asked(&mut program), None);
    prompt(&mut program, 1);
    assert_eq!(asked(&mut program), None, "the answer holds in the project");
    let other = json!({"sessionId": sessions[1]});
    let listed = program.ask("permission/list", other);
    let remove = json!({"sessionId": sessions[1], "ruleId": ids(&listed)[0]});
    program.ask("permission/remove", remove);
    // Also in the session that was answered.
    prompt(&mut program, 0);
    answer(&mut program, "touch c", "deny");
    assert_eq!(asked(&mut program), None);
    program.end_input();
    program.rest();
}

#[test]
fn rules_are_listed_with_their_source() {
    let project = "[[rules]]\ndecision = \"ask\"\ntool = \"spawn_agent\"\n";
    let place = Place::new(&[(".pintle/permissions.toml", project)]);
    let config = "[[rules]]\ndecision = \"deny\"\nargv = [\"git\", \"push\", \"**\"]\n";
    fs::create_dir_all(place.home()).unwrap();
    fs::write(place.home().join("config.toml"), config).unwrap();
    let mut program = serve(&place, &[&["touch a"]]);
    program.ask("session/create", json!({}));
    let listed = program.ask("permission/list", json!({}));
    assert_eq!(
        listed,
        json!({"rules": [
            {"text": "deny `git push **`", "decision": "deny", "source": "config"},
            {"text": "ask tool `spawn_agent`", "decision": "ask", "source": "project"},
        ]})
    );
    // What cannot be changed stays, and is named.
    program.prompt("go");
    answer(&mut program, "touch a", "allow-user");
    assert_eq!(asked(&mut program), None);
    let listed = program.ask("permission/list", json!({}));
    let lock = place.home().join("trust.toml.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let refused = program.ask_refused("permission/remove", json!({"ruleId": ids(&listed)[0]}));
    assert!(
        refused["message"].as_str().unwrap().starts_with("failed to remove the rule"),
        "{refused}"
    );
    assert_eq!(program.ask("permission/list", json!({})), listed);
    // An invalid file restricts all calls, and the problem is listed.
    fs::write(place.path(".pintle/permissions.toml"), "[[rules]]\ndecision = 1\n").unwrap();
    let broken = program.ask("permission/list", json!({}));
    assert_eq!(broken["problems"].as_array().map(Vec::len), Some(1), "{broken}");
    program.end_input();
    program.rest();
}

#[test]
fn answers_are_removed_from_the_command_line() {
    let place = Place::new(&[]);
    let mut program = serve(&place, &[&["touch a", "mkdir d", "rm a"]]);
    program.ask("session/create", json!({}));
    program.prompt("go");
    answer(&mut program, "touch a", "allow-project");
    answer(&mut program, "mkdir d", "allow-user");
    answer(&mut program, "rm a", "allow-user");
    assert_eq!(asked(&mut program), None);
    program.end_input();
    program.rest();
    let run = |args: &[&str]| {
        let output = place.command(&[&["trust"], args].concat()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let here = place.project();
    let here = here.display();
    let listed = format!(
        "allow `touch **` in {here}\nallow `mkdir **` everywhere\nallow `rm a` everywhere\n"
    );
    let (_, text) = run(&["--list"]);
    assert!(text.ends_with(&listed), "{text}");
    // As the list prints it, the rule alone, and its words alone.
    let rows = [
        (format!("allow `touch **` in {here}"), format!("removed allow `touch **` in {here}\n")),
        ("allow `mkdir **`".to_owned(), "removed allow `mkdir **` everywhere\n".to_owned()),
        ("rm a".to_owned(), "removed allow `rm a` everywhere\n".to_owned()),
    ];
    for (rule, want) in &rows {
        assert_eq!(run(&["--forget", rule]), (Some(0), want.clone()));
    }
    let (code, text) = run(&["--forget", "rm a"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("no answer has added the rule `rm a`"), "{text}");
    assert!(!run(&["--list"]).1.contains("allow"));
}
