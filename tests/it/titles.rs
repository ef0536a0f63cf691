//! What sessions are called: by a person, by a model, in lists and after opening again.

use crate::scenarios::check_with;
use crate::support::program::{Framing, Place, Program};
use crate::support::stage::Setup;
use expect_test::{Expect, expect};
use pintle_protocol::approval::PermissionMode;
use serde_json::{Value, json};

fn row(model: &str, steps: &str, want: Expect) {
    let setup = Setup { title_model: Some("script/small"), ..Setup::default() };
    check_with(setup, PermissionMode::Full, model, steps, &want);
}

#[test]
fn a_model_names_a_session_once_after_its_first_turn() {
    row(
        "say done + used 100\n@<conversation>: say \"**Fix** the form.\" + used 7\nsay again",
        "prompt fix it | idle | named | prompt more | idle | named",
        expect![[r#"
            > prompt fix it: Started
            accepted Prompt "fix it"
            turn started
            completed #1 user "fix it"
            started   #2 message running ""
            completed #2 message completed "done"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            titled Some("Fix the form") by Model
            > named: Some("Fix the form"), 107 tokens
            > prompt more: Started
            accepted Prompt "more"
            turn started
            completed #3 user "more"
            started   #4 message running ""
            completed #4 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > named: Some("Fix the form"), 107 tokens
            --- the model read
            user "fix it"
            assistant "done"
            user "more""#]],
    );
}

#[test]
fn the_next_turn_does_not_wait_for_the_title() {
    row(
        "say done\n@<conversation>: gate slow + say Fix the form\nsay again",
        "prompt fix it | gate slow | prompt more | until turn Completed | until turn Completed | open slow | idle",
        expect![[r#"
            > prompt fix it: Started
            accepted Prompt "fix it"
            turn started
            completed #1 user "fix it"
            started   #2 message running ""
            completed #2 message completed "done"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            > prompt more: Started
            accepted Prompt "more"
            turn started
            completed #3 user "more"
            started   #4 message running ""
            completed #4 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            titled Some("Fix the form") by Model
            --- the model read
            user "fix it"
            assistant "done"
            user "more""#]],
    );
}

#[test]
fn a_title_by_hand_is_never_overwritten() {
    for (name, steps, model) in [
        ("given before", "name Mine | prompt fix it | idle", "say done"),
        (
            "given meanwhile",
            "prompt fix it | gate slow | name Mine | open slow | idle",
            "say done\n@<conversation>: gate slow + say Other",
        ),
        ("given later", "prompt fix it | idle | name Mine", "say done\n@<conversation>: say Other"),
    ] {
        let steps = format!("{steps} | named");
        let told = told(model, &steps);
        assert!(told.ends_with("> named: Some(\"Mine\"), 0 tokens"), "{name}:\n{told}");
        assert_eq!(told.contains("by Model"), name == "given later", "{name}:\n{told}");
    }
}

#[test]
fn a_title_that_was_taken_away_stays_away() {
    let told = told("say done", "name Mine | name  | prompt fix it | idle | named");
    assert!(told.contains("titled None by User"), "{told}");
    assert!(told.ends_with("> named: None, 0 tokens"), "{told}");
}

#[test]
fn what_comes_of_no_title_harms_nothing() {
    for (name, answer, used) in [
        ("a failure", "fail overloaded too busy", 0),
        ("an empty answer", "say  + used 5", 5),
        ("a failure in the middle", "say Fix + fail network gone", 0),
    ] {
        let told =
            told(&format!("say done\n@<conversation>: {answer}"), "prompt fix it | idle | named");
        assert!(!told.contains("titled"), "{name}:\n{told}");
        assert!(!told.contains("notice"), "{name}:\n{told}");
        assert!(told.ends_with(&format!("> named: None, {used} tokens")), "{name}:\n{told}");
    }
}

#[test]
fn a_turn_that_failed_names_nothing_and_the_next_one_does() {
    let told = told(
        "fail auth no key\nsay done\n@<conversation>: say Fixed",
        "prompt fix it | idle | named | prompt again | idle | named",
    );
    assert!(told.contains("> named: None, 0 tokens"), "{told}");
    assert!(told.ends_with("> named: Some(\"Fixed\"), 0 tokens"), "{told}");
}

/// What is seen, without what the model read.
fn told(model: &str, steps: &str) -> String {
    let setup = Setup { title_model: Some("script/small"), ..Setup::default() };
    let told = crate::scenarios::told_with(setup, PermissionMode::Full, model, steps);
    told.split("\n--- the model read").next().unwrap().to_owned()
}

fn two_replies() -> Value {
    json!({"replies": [
        {"of": "<conversation>", "blocks": [{"text": "`Greetings`"}]},
        {"blocks": [{"text": "hello"}]},
        {"blocks": [{"text": "hello again"}]},
    ]})
}

fn configure(place: &Place, text: &str) {
    std::fs::create_dir_all(place.home()).unwrap();
    std::fs::write(place.home().join("config.toml"), text).unwrap();
}

/// The program without a session.
fn restarted(place: &Place) -> Program {
    let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
    program.initialize();
    program
}

/// What the list says.
fn listed(program: &mut Program) -> Value {
    program.ask("session/list", json!({}))["sessions"][0]["title"].clone()
}

#[test]
fn lists_and_snapshots_show_the_newest_title() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &two_replies(), Framing::Lines);
    program.prompt("hi there");
    program.until_event("turn.completed");
    assert_eq!(listed(&mut program), "hi there");
    for (name, params, title, in_list) in [
        ("a title", json!({"title": "  My\n session "}), json!("My session"), "My session"),
        ("another", json!({"title": "Yours"}), json!("Yours"), "Yours"),
        ("none", json!({"title": null}), Value::Null, "hi there"),
        ("an empty one", json!({"title": ""}), Value::Null, "hi there"),
        ("the last", json!({"title": "Ours"}), json!("Ours"), "Ours"),
    ] {
        let result = program.ask("session/update", params);
        assert_eq!(result.get("title").cloned().unwrap_or_default(), title, "{name}");
        assert_eq!(listed(&mut program), in_list, "{name}");
    }
    let id = program.ask("session/list", json!({}))["sessions"][0]["sessionId"].clone();
    program.end_input();
    program.wait();

    // What is left of the small file does not matter: the journal tells.
    let title = place.journal().with_file_name("title");
    std::fs::write(&title, "Stale").unwrap();
    let mut program = restarted(&place);
    assert_eq!(listed(&mut program), "Stale");
    let opened =
        program.ask("session/open", json!({"sessionId": id, "config": {"model": "script/test"}}));
    assert_eq!(opened["title"], "Ours");
    assert_eq!(listed(&mut program), "Ours");
}

#[test]
fn a_title_that_is_none_is_refused() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &two_replies(), Framing::Lines);
    for (name, params, want) in [
        ("nothing to change", json!({}), "no change was given"),
        ("too long", json!({"title": "x".repeat(201)}), "the title has 201 characters"),
        ("a number", json!({"title": 5}), "expected a string or null, got `5`"),
    ] {
        let error = program.ask_refused("session/update", params);
        assert_eq!(error["code"], -32602, "{name}");
        assert!(error["message"].as_str().unwrap().starts_with(want), "{name}: {error}");
    }
}

#[test]
fn a_session_of_run_is_named_before_it_ends() {
    let place = Place::new(&[]);
    configure(&place, "[title]\nmodel = \"script/small\"\n");
    let script = place.script(&two_replies());
    let args = ["run", "hi", "--format", "events", "--script", &script];
    let out = place.command(&args).output().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    let kinds: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| line["event"]["type"].as_str().or(line["type"].as_str()).unwrap().to_owned())
        .collect();
    assert!(
        kinds.ends_with(&["turn.completed", "session.updated", "result"].map(str::to_owned)),
        "{kinds:?}"
    );
    assert_eq!(listed(&mut restarted(&place)), "Greetings");
}

#[test]
fn a_setting_that_is_no_model_is_told() {
    let place = Place::new(&[]);
    let script = place.script(&two_replies());
    for (name, text, want) in [
        ("no model", "[title]\nmodel = \"small\"\n", "`title.model`"),
        ("no table", "title = 3\n", "`title` must be a table"),
        ("no switch", "[title]\nenabled = 1\n", "`title.enabled` must be true or false"),
    ] {
        configure(&place, text);
        let out = place.command(&["run", "hi", "--script", &script]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(want), "{name}: {said}");
    }
}
