//! What the model asks a person: scenarios at the engine's border.

use crate::scenarios::check_with;
use crate::support::program::{Framing, Place, Program};
use crate::support::stage::Setup;
use expect_test::{Expect, expect};
use pintle_protocol::approval::PermissionMode;
use serde_json::{Value, json};
use std::time::Duration;

const ASK: &str = r#"call ask_user {"question":"which?","options":["red","blue"]}"#;

pub(crate) fn person() -> Setup {
    Setup { can_answer: true, has_person: true, ..Setup::default() }
}

pub(crate) fn row(setup: Setup, model: &str, steps: &str, want: Expect) {
    check_with(setup, PermissionMode::Full, model, steps, &want);
}

#[test]
fn a_question_is_answered_by_an_option() {
    row(
        person(),
        &format!("{ASK}\nsay so be it"),
        "prompt go | until question | look | choose 2 | idle | look",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            > look: Blocked, waits for 1; question "which?" 1=red 2=blue; ; mode Act
            resolved Client [2]
            completed #2 call ask_user: which? completed = "The user chose: blue"
            started   #3 message running ""
            completed #3 message completed "so be it"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > look: Idle, waits for 0; ; ; mode Act
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "The user chose: blue""#]],
    );
}

const REFUSED: &str = "fail invalidRequest m does not support tools";

#[test]
fn tools_as_text_are_offered_once_to_a_model_that_cannot_call_tools() {
    row(
        person(),
        &format!(
            "{REFUSED}\nsay <tool_call>{{\"name\": \"ls\", \"arguments\": {{}}}}</tool_call>\nsay done\nsay again"
        ),
        "prompt go | until question | choose 1 | idle | prompt more | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            question "script/test cannot call tools. Describe the tools in its prompt and read calls from its text?" 1=Yes, in this session 2=No
            resolved Client [1]
            notice textTools: script/test gets its tools as text in this session
            started   #2 call ls pending
            updated   #2 call ls: . pending
            step 1 ToolUse
            updated   #2 call ls: . running
            completed #2 call ls: . completed = "a.txt\nb.txt"
            started   #3 message running ""
            completed #3 message completed "done"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            > prompt more: Started
            accepted Prompt "more"
            turn started
            completed #4 user "more"
            started   #5 message running ""
            completed #5 message completed "again"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go""#]],
    );
    row(
        person(),
        &format!("{REFUSED}\n{REFUSED}"),
        "prompt go | until question | choose 2 | idle | prompt more | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            question "script/test cannot call tools. Describe the tools in its prompt and read calls from its text?" 1=Yes, in this session 2=No
            resolved Client [2]
            turn Failed after 1 steps invalidRequest: m does not support tools
            > prompt more: Started
            accepted Prompt "more"
            turn started
            completed #2 user "more"
            turn Failed after 1 steps invalidRequest: m does not support tools
            --- the model read
            user "go"
            user "more""#]],
    );
}

#[test]
fn without_a_client_that_answers_the_refusal_of_tools_is_the_error() {
    row(
        Setup::default(),
        REFUSED,
        "prompt go | idle",
        expect![[r#"
        > prompt go: Started
        accepted Prompt "go"
        turn started
        completed #1 user "go"
        turn Failed after 1 steps invalidRequest: m does not support tools
        --- the model read
        user "go""#]],
    );
}

#[test]
fn a_question_is_answered_in_own_words() {
    row(
        person(),
        &format!("{ASK}\nsay so be it"),
        "prompt go | until question | say neither | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved Client [] "neither"
            completed #2 call ask_user: which? completed = "The user answered: neither"
            started   #3 message running ""
            completed #3 message completed "so be it"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "The user answered: neither""#]],
    );
}

#[test]
fn a_question_that_is_closed_leaves_the_decision_to_the_model() {
    row(
        person(),
        &format!("{ASK}\nsay red then"),
        "prompt go | until question | close | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved Dismissed []
            completed #2 call ask_user: which? completed = "The user dismissed the question. Decide yourself, and state your decision."
            started   #3 message running ""
            completed #3 message completed "red then"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "The user dismissed the question. Decide yourself, and state your decision.""#]],
    );
}

#[test]
fn an_answer_that_comes_too_late_changes_nothing() {
    row(
        Setup { question_timeout: Duration::from_millis(1), ..person() },
        &format!("{ASK}\nsay red then"),
        "prompt go | until resolved | choose 2 | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved Deadline [1]
            completed #2 call ask_user: which? completed = "The question was not answered within 1 s, so the first answer was taken: red"
            started   #3 message running ""
            completed #3 message completed "red then"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "The question was not answered within 1 s, so the first answer was taken: red""#]],
    );
}

#[test]
fn a_question_that_nobody_can_answer_is_not_waited_for() {
    row(
        Setup { can_answer: false, ..person() },
        &format!("{ASK}\nsay red then"),
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved NoClient []
            completed #2 call ask_user: which? completed = "No user is available to answer: decide yourself, and state your decision."
            started   #3 message running ""
            completed #3 message completed "red then"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "No user is available to answer: decide yourself, and state your decision.""#]],
    );
}

#[test]
fn a_question_ends_when_the_last_who_could_answer_leaves() {
    row(
        person(),
        &format!("{ASK}\nsay red then"),
        "prompt go | until question | leave | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved NoClient []
            completed #2 call ask_user: which? completed = "No user is available to answer: decide yourself, and state your decision."
            started   #3 message running ""
            completed #3 message completed "red then"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "No user is available to answer: decide yourself, and state your decision.""#]],
    );
}

#[test]
fn a_question_ends_when_the_turn_is_stopped() {
    row(
        person(),
        &format!("{ASK}\nsay never said"),
        "prompt go | until question | stop | idle | prompt again | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            > stop: stopping, 0 returned
            resolved Interrupt []
            completed #2 call ask_user: which? cancelled = error "Operation aborted"
            turn Interrupted after 1 steps
            > prompt again: Started
            accepted Prompt "again"
            turn started
            completed #3 user "again"
            started   #4 message running ""
            completed #4 message completed "never said"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user error "Operation aborted"
            user "again""#]],
    );
}

#[test]
fn of_two_clients_the_first_answer_wins() {
    row(
        person(),
        &format!("{ASK}\nsay so be it"),
        "join | prompt go | until question | choose 1 | again 2 | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            question "which?" 1=red 2=blue
            resolved Client [1]
            completed #2 call ask_user: which? completed = "The user chose: red"
            started   #3 message running ""
            completed #3 message completed "so be it"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]}
            result of ask_user "The user chose: red""#]],
    );
}

#[test]
fn two_questions_are_asked_at_once() {
    row(
        person(),
        &format!("{ASK} + {}\nsay fine", ASK.replace("which", "and")),
        "prompt go | until question | until question | choose 1 | choose 2 | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call ask_user pending
            updated   #2 call ask_user: which? pending
            started   #3 call ask_user pending
            updated   #3 call ask_user: and? pending
            step 1 ToolUse
            updated   #2 call ask_user: which? running
            updated   #3 call ask_user: and? running
            question "which?" 1=red 2=blue
            question "and?" 1=red 2=blue
            resolved Client [1]
            resolved Client [2]
            completed #2 call ask_user: which? completed = "The user chose: red"
            completed #3 call ask_user: and? completed = "The user chose: blue"
            started   #4 message running ""
            completed #4 message completed "fine"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "go"
            assistant ask_user {"question":"which?","options":["red","blue"]} ask_user {"question":"and?","options":["red","blue"]}
            result of ask_user "The user chose: red"
            result of ask_user "The user chose: blue""#]],
    );
}

/// A program on a script whose client is asked; the ids of its question.
fn asking(place: &Place, mode: &str, block: Value) -> (Program, Value) {
    let replies = json!({"replies": [{"blocks": [block]}, {"blocks": [{"text": "so be it"}]}]});
    let script = place.script(&replies);
    let args = ["serve", "--script", &script, "--permission", mode, "--profile", "pi"];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    let capabilities = json!({"approvals": {}, "questions": {}});
    program.ask(
        "initialize",
        json!({"protocol": {"name": "pintle", "versions": ["2.0"]}, "capabilities": capabilities}),
    );
    program.ask("session/create", json!({}));
    program.prompt("go");
    let asked = program.until(|message| {
        let method = message["method"].as_str().unwrap_or_default();
        method == "approval/request" || method == "question/request"
    });
    (program, asked["params"].clone())
}

#[test]
fn a_question_is_answered_by_a_request_of_its_own_and_only_once() {
    for (name, mode, block, method, key, wrong, right, again) in [
        (
            "of permission",
            "ask",
            json!({"tool": "bash", "arguments": {"command": "echo yes > made"}}),
            "approval/answer",
            "approvalId",
            vec![
                (json!({"optionId": "maybe"}), "unknown option `maybe`"),
                (json!({}), "the answer is empty"),
            ],
            json!({"optionId": "allow"}),
            "a client allowed it",
        ),
        (
            "of the model",
            "full",
            json!({"tool": "ask_user", "arguments": {"question": "which?", "options": ["red", "blue"]}}),
            "question/answer",
            "questionId",
            vec![
                (json!({"optionIds": ["9"]}), "unknown option `9`"),
                (json!({"optionIds": ["1", "2"]}), "only one option can be chosen"),
                (json!({"text": " "}), "the answer is empty"),
            ],
            json!({"text": "neither"}),
            "a client answered it",
        ),
    ] {
        let place = Place::new(&[]);
        let (mut program, asked) = asking(&place, mode, block);
        let with_id = |mut answer: Value, id: &Value| {
            answer[key] = id.clone();
            answer
        };
        for (answer, want) in wrong {
            let error = program.ask(method, with_id(answer, &asked[key]));
            assert_eq!(
                (&error["code"], &error["message"]),
                (&json!(-32602), &json!(want)),
                "{name}"
            );
        }
        let unknown = program.ask(method, with_id(right.clone(), &json!("nobody")));
        assert_eq!(unknown["data"]["code"], "notFound", "{name}: {unknown}");
        let id = program.request(method, with_id(right.clone(), &asked[key]));
        // The answer comes first, then the event, then the request is withdrawn.
        let mut order = Vec::new();
        while order.len() < 3 {
            let message = program.next();
            let event = message["params"]["event"]["type"].as_str().unwrap_or_default().to_owned();
            if message["id"] == id {
                assert_eq!(message["result"]["by"], "client", "{name}: {message}");
                order.push("answer".to_owned());
            } else if event.ends_with(".resolved") {
                order.push("event".to_owned());
            } else if message["method"] == "$/cancelRequest" {
                order.push("withdrawn".to_owned());
            }
        }
        assert_eq!(order, ["answer", "event", "withdrawn"], "{name}");
        assert_eq!(program.until_event("turn.completed")["status"], "completed", "{name}");
        let late = program.ask(method, with_id(right, &asked[key]));
        assert_eq!(late["code"], -32041, "{name}: {late}");
        assert!(late["message"].as_str().unwrap().ends_with(again), "{name}: {late}");
    }
}

#[test]
fn an_answer_after_the_turn_was_stopped_is_told_so() {
    let place = Place::new(&[]);
    let block = json!({"tool": "bash", "arguments": {"command": "touch never"}});
    let (mut program, asked) = asking(&place, "ask", block);
    program.ask("turn/interrupt", json!({}));
    program.until_event("turn.completed");
    let answer = json!({"approvalId": asked["approvalId"], "optionId": "allow"});
    let late = program.ask("approval/answer", answer);
    assert!(late["message"].as_str().unwrap().ends_with("the turn was interrupted"), "{late}");
    assert!(!place.path("never").exists());
}
