//! The budget of `pintle run`: the model is told what is used, has one reply more at the end, and money is limited only where the price is known.

use crate::support::program::Place;
use crate::support::server::streams;
use serde_json::{Value, json};
use std::process::Stdio;

fn text(words: &str) -> Value {
    json!({"blocks": [{"text": words}]})
}

fn ls() -> Value {
    json!({"blocks": [{"tool": "ls", "arguments": {}}], "usage": {"inputTokens": 90, "outputTokens": 10}})
}

/// Runs a task; returns the exit code, the result, and what the engine told the model of limits.
fn run(place: &Place, args: &[&str]) -> (i32, Value, Vec<String>) {
    let args = [&["run", "go", "--quiet", "--format", "json"], args].concat();
    let out = place.command(&args).stdin(Stdio::null()).output().unwrap();
    let result: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    let journal = result["journal"].as_str().unwrap();
    let journal = std::fs::read_to_string(journal).unwrap();
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let items = events.filter(|line| {
        line["event"]["type"] == "item.completed"
            && line["event"]["item"]["type"] == "engineMessage"
    });
    let told = items.map(|line| line["event"]["item"]["text"].as_str().unwrap().to_owned());
    (out.status.code().unwrap(), result, told.filter(|text| text.contains("this task ")).collect())
}

fn scripted(replies: Value, args: &[&str]) -> (i32, Value, Vec<String>) {
    let place = Place::new(&[("notes.txt", "one\n")]);
    let script = place.script(&json!({ "replies": replies }));
    run(&place, &[&["--script", &script], args].concat())
}

#[test]
fn a_model_is_told_what_is_used_and_sums_up_at_the_end() {
    let calls = |count: usize| -> Vec<Value> {
        let mut replies = vec![ls(); count];
        replies.push(text("so far"));
        replies
    };
    for (args, count, stop, shares) in [
        (
            &["--max-steps", "10"][..],
            10,
            "stepLimit",
            &["50 % of the replies (5 of 10)", "80 %", "90 %"][..],
        ),
        (
            &["--max-tool-calls", "5"],
            5,
            "toolCallLimit",
            &["60 % of the tool calls (3 of 5)", "80 %"],
        ),
        (
            &["--max-tokens", "1000"],
            10,
            "tokenLimit",
            &["50 % of the tokens (500 of 1000)", "80 %", "90 %"],
        ),
    ] {
        let (code, result, told) = scripted(json!(calls(count)), args);
        assert_eq!(
            (code, &result["stop"], &result["status"]),
            (5, &json!(stop), &json!("limit")),
            "{result}"
        );
        // The last reply is the answer, one beyond the limit.
        assert_eq!(
            (&result["text"], &result["steps"]),
            (&json!("so far"), &json!(count + 1)),
            "{result}"
        );
        let (last, warnings) = told.split_last().unwrap();
        assert!(
            last.contains("reached a limit") && last.contains("You have one reply left"),
            "{last}"
        );
        assert_eq!(warnings.len(), shares.len(), "{warnings:#?}");
        for (warning, share) in warnings.iter().zip(shares) {
            assert!(warning.contains(share), "{warning}");
        }
    }
    // Nothing is told where nothing is near.
    let (code, _, told) = scripted(
        json!([ls(), text("done")]),
        &["--max-steps", "10", "--max-seconds", "600", "--timeout", "600"],
    );
    assert_eq!((code, told), (0, Vec::new()));
}

#[test]
fn whatever_the_last_reply_is_the_limit_ends_the_turn() {
    let call = json!({"blocks": [{"text": "one more"}, {"tool": "write", "arguments": {"path": "made.txt", "content": "x"}}]});
    let fails = json!({"error": {"kind": "auth", "message": "who are you?"}});
    for (name, last, said) in [
        ("a call", call, "one more"),
        ("a failure", fails, ""),
        ("nothing", json!({"blocks": []}), ""),
    ] {
        let (code, result, _) = scripted(json!([ls(), last]), &["--max-steps", "1"]);
        assert_eq!(
            (code, &result["stop"], &result["text"]),
            (5, &json!("stepLimit"), &json!(said)),
            "{name}: {result}"
        );
        assert_eq!(result["changes"]["files"], json!([]), "{name}: {result}");
    }
}

#[test]
fn an_answer_of_a_given_form_may_be_the_last_reply() {
    let place = Place::new(&[("schema.json", r#"{"type": "object", "required": ["n"]}"#)]);
    let script = place.script(&json!({"replies": [ls(), text(r#"{"n": 1}"#)]}));
    let (code, result, _) =
        run(&place, &["--script", &script, "--max-steps", "1", "--output-schema", "schema.json"]);
    assert_eq!((code, &result["structured"]), (5, &json!({"n": 1})), "{result}");
}

/// A reply of 1000 tokens that asks for a call, by OpenAI's chat API.
const CALL: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hm\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":100}}\n\ndata: [DONE]\n\n";

#[test]
fn money_is_limited_where_the_price_is_known_and_refused_elsewhere() {
    let port = streams(CALL);
    for (price, code, stop) in
        [("price = { input = 100, output = 100 }", 5, "costLimit"), ("", 2, "usage")]
    {
        let place = Place::new(&[]);
        let config = format!(
            "[providers.own]\nbase_url = \"http://127.0.0.1:{port}/v1\"\napi = \"chat\"\n[providers.own.models.m]\nwindow = 100000\n{price}\n"
        );
        std::fs::write(place.home().join("config.toml"), config).unwrap();
        let (got, result, told) = run(&place, &["--model", "own/m", "--max-cost", "0.3"]);
        assert_eq!((got, &result["stop"]), (code, &json!(stop)), "{result}");
        if code == 5 {
            // Three replies of $0.10, and the last one.
            assert_eq!(
                (&result["steps"], &result["costNanoUsd"]),
                (&json!(4), &json!(400_000_000)),
                "{result}"
            );
            assert_eq!(told.len(), 2, "{told:#?}");
            assert!(told[0].contains("66 % of the cost ($0.2000 of $0.3000)"), "{told:#?}");
        } else {
            let error = &result["error"];
            assert!(
                error["message"].as_str().unwrap().contains("no price is known for own/m"),
                "{error}"
            );
            assert!(error["hint"].as_str().unwrap().contains("config.toml"), "{error}");
        }
        // Without a limit of money the price does not matter.
        let (got, result, _) = run(&place, &["--model", "own/m", "--max-steps", "1"]);
        assert_eq!((got, &result["stop"]), (5, &json!("stepLimit")), "{result}");
    }
}
