#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use super::encode;
use crate::catalog::{Api, Dialect, Verbosity};
use crate::fixtures::decoded_text;
use crate::{Assistant, AssistantBlock, Effort, Message, Opaque, Request, ToolResult, ToolSpec};
use expect_test::{Expect, expect};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::sync::Arc;

fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat()
}

fn done() -> Value {
    json!({ "type": "response.completed", "response": {} })
}

#[test]
fn odd_streams_end_well_or_say_why() {
    let check = |all: &[Value], want: Expect| {
        want.assert_eq(&decoded_text(Api::Responses, &events(all)));
    };
    let message =
        |content: Value| json!({ "type": "message", "role": "assistant", "content": content });
    // No piece of the text came, only the whole; once in its own event, once in the item's.
    check(
        &[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": message(json!([])) }),
            json!({ "type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "a" }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": message(json!([{ "type": "output_text", "text": "a" }, { "type": "output_text", "text": "b" }])) }),
            done(),
        ],
        expect![[r#"
            text "a"
            text "b"
            stop EndTurn
        "#]],
    );
    // Nothing but the end event.
    check(
        &[
            json!({ "type": "response.completed", "response": { "output": [message(json!([{ "type": "refusal", "refusal": "no" }]))] } }),
        ],
        expect![[r#"
            text "no"
            stop Refusal
        "#]],
    );
    // Pieces without a beginning; items without numbers.
    check(
        &[
            json!({ "type": "response.output_text.delta", "output_index": 3, "delta": "a" }),
            json!({ "type": "response.output_item.added", "item": { "type": "function_call", "call_id": "c", "name": "f" } }),
            json!({ "type": "response.function_call_arguments.delta", "delta": "{" }),
            json!({ "type": "response.function_call_arguments.delta", "delta": "}" }),
            json!({ "type": "response.output_item.done", "item": { "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" } }),
            json!({ "type": "response.reasoning_text.delta", "output_index": 9, "delta": "hm" }),
            done(),
        ],
        expect![[r#"
            text "a"
            call c f "{}"
            reasoning "hm"
            stop ToolUse
        "#]],
    );
    // Free text with quotes, in pieces and whole.
    check(
        &[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "" } }),
            json!({ "type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "a \"" }),
            json!({ "type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "b\"\n" }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": { "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "a \"b\"\n" } }),
            json!({ "type": "response.output_item.done", "output_index": 1, "item": { "type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "x" } }),
            done(),
        ],
        expect![[r#"
            call c sql "{\"input\":\"a \\\"b\\\"\\n\"}"
            call c_1 sql "{\"input\":\"x\"}"
            stop ToolUse
        "#]],
    );
    // Two parts of a summary.
    check(
        &[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "reasoning" } }),
            json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "a" }),
            json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 1, "delta": "b" }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": { "type": "reasoning", "encrypted_content": "E" } }),
            json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": "content_filter" } } }),
        ],
        expect![[r#"
            reasoning "a\n\nb" keeps "{\"type\":\"reasoning\",\"encrypted_content\":\"E\"}"
            stop Refusal
        "#]],
    );
    check(
        &[json!({ "type": "error", "code": "server_error", "message": "broke", "param": null })],
        expect![[r#"
            overloaded: test broke off: broke
        "#]],
    );
    check(
        &[
            json!({ "type": "response.failed", "response": { "error": { "code": "rate_limit_exceeded", "message": "slow down" } } }),
        ],
        expect![[r#"
            rateLimit: test broke off: slow down
        "#]],
    );
}

fn opaque(value: &Value) -> Opaque {
    Opaque(serde_json::value::to_raw_value(value).unwrap())
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "gpt-5.4".to_owned(),
        origin: "x/m".to_owned(),
        system: "be brief".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([ToolSpec {
            name: "read".to_owned(),
            description: "d".to_owned(),
            parameters: json!({ "type": "object" }),
            grammar: None,
            built_in: None,
        }]),
        effort: Some(Effort::Low),
        max_output_tokens: Some(9),
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

fn conversation(origin: &str) -> Vec<Message> {
    let image = || Content::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() };
    let reply = |blocks| {
        Message::Assistant(Assistant {
            effort: None,
            blocks,
            origin: origin.to_owned(),
            stop: StopReason::ToolUse,
        })
    };
    let call = |id: &str, arguments: &str, kept: Option<Opaque>| AssistantBlock::ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
        opaque: kept,
    };
    let thought = |kept: Value| AssistantBlock::Reasoning {
        text: "hm".to_owned(),
        opaque: Some(opaque(&kept)),
    };
    let result = |id: &str, content, is_error| {
        let (call_id, tool_name) = (id.to_owned(), "read".to_owned());
        Message::ToolResult(ToolResult { call_id, tool_name, content, is_error })
    };
    vec![
        Message::User(vec![Content::text("see"), Content::text(""), image()]),
        reply(vec![
            thought(
                json!({ "type": "reasoning", "id": "rs_1", "status": "completed", "summary": [], "encrypted_content": "E" }),
            ),
            thought(json!({ "type": "reasoning", "id": "rs_2", "summary": [] })),
            AssistantBlock::Text {
                text: "I look".to_owned(),
                opaque: Some(opaque(&json!({ "phase": "commentary" }))),
            },
            AssistantBlock::Unknown(opaque(&json!({ "type": "web_search_call", "id": "ws" }))),
            call("a.b", "{\"path\": \"x\"}", Some(opaque(&json!({ "namespace": "n" })))),
            call("a:b", "{\"path\":", None),
        ]),
        result("a.b", vec![Content::text("seen"), image()], false),
        result("a:b", vec![Content::text("gone")], true),
        // Reasoning that led to nothing that is left.
        reply(vec![
            thought(json!({ "type": "reasoning", "id": "rs_3", "encrypted_content": "E" })),
            AssistantBlock::Text { text: "\n\n".to_owned(), opaque: None },
        ]),
        Message::User(vec![Content::text("more")]),
    ]
}

#[test]
fn a_conversation_with_everything_in_it() {
    let lines = |body: &Value| -> String {
        body["input"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| format!("{item}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let body = encode(&request(conversation("x/m")), Dialect::PLAIN);
    expect![[r#"
        {"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="}]}
        {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"}
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}],"phase":"commentary"}
        {"type":"web_search_call"}
        {"type":"function_call","call_id":"a_b","name":"read","arguments":"{\"path\": \"x\"}","namespace":"n"}
        {"type":"function_call","call_id":"a_b_2","name":"read","arguments":"{}"}
        {"type":"function_call_output","call_id":"a_b","output":[{"type":"input_text","text":"seen"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="}]}
        {"type":"function_call_output","call_id":"a_b_2","output":"Error: gone"}
        {"type":"message","role":"user","content":[{"type":"input_text","text":"more"}]}
    "#]].assert_eq(&lines(&body));
    expect![[r#"
        {"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="}]}
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]}
        {"type":"function_call","call_id":"a_b","name":"read","arguments":"{\"path\": \"x\"}"}
        {"type":"function_call","call_id":"a_b_2","name":"read","arguments":"{}"}
        {"type":"function_call_output","call_id":"a_b","output":[{"type":"input_text","text":"seen"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="}]}
        {"type":"function_call_output","call_id":"a_b_2","output":"Error: gone"}
        {"type":"message","role":"user","content":[{"type":"input_text","text":"more"}]}
    "#]].assert_eq(&lines(&encode(&request(conversation("y/other")), Dialect::PLAIN)));
    let mut rest = body;
    rest.as_object_mut().unwrap().remove("input");
    expect![[r#"{"model":"gpt-5.4","stream":true,"store":false,"include":["reasoning.encrypted_content"],"instructions":"be brief","tools":[{"type":"function","name":"read","description":"d","parameters":{"type":"object","properties":{}},"strict":false}],"max_output_tokens":9,"reasoning":{"effort":"low","summary":"auto"}}"#]].assert_eq(&rest.to_string());

    for (model, reasons) in [
        ("gpt-4o-mini", false),
        ("gpt-5-chat-latest", false),
        ("gpt-5-codex", true),
        ("openai/gpt-5", true),
    ] {
        let mut asked = request(Vec::new());
        asked.model = model.to_owned();
        let body = encode(&asked, Dialect::PLAIN);
        assert_eq!(body.get("include").is_some(), reasons, "{model}");
    }
    let mut old = request(Vec::new());
    old.model = "openai/gpt-4.1-mini".to_owned();
    old.cache_key = Some("s-1".into());
    let body = encode(&old, Dialect::PLAIN);
    assert!(body.get("include").is_none() && body.get("reasoning").is_none());
    assert!(body.get("prompt_cache_key").is_none(), "a server that may not know it is not told");
    let body = encode(&old, Dialect { prompt_cache_key: true, ..Dialect::PLAIN });
    assert_eq!(body["prompt_cache_key"], "s-1");
}

#[test]
fn a_tool_with_a_grammar_is_called_with_a_text_where_the_server_knows_that() {
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    let call = AssistantBlock::ToolCall {
        id: "c".to_owned(),
        name: "apply_patch".to_owned(),
        arguments: json!({ "input": patch }).to_string(),
        opaque: None,
    };
    let asked = |model: &str| {
        let assistant = Assistant {
            effort: None,
            blocks: vec![call.clone()],
            origin: "x/m".to_owned(),
            stop: StopReason::ToolUse,
        };
        let result = ToolResult {
            call_id: "c".to_owned(),
            tool_name: "apply_patch".to_owned(),
            content: vec![Content::text("done")],
            is_error: false,
        };
        let messages = vec![Message::Assistant(assistant), Message::ToolResult(result)];
        let mut asked = request(messages);
        asked.model = model.to_owned();
        asked.tools = Arc::new([ToolSpec {
            name: "apply_patch".to_owned(),
            description: "d".to_owned(),
            parameters: json!({ "type": "object" }),
            grammar: Some("start: \"x\""),
            built_in: None,
        }]);
        asked
    };
    let knows = Dialect { custom_tools: true, verbosity: Verbosity::Low, ..Dialect::PLAIN };
    for (model, dialect, is_custom) in [
        ("gpt-5.4", knows, true),
        ("openai/gpt-6-sol", knows, true),
        ("gpt-5.4", Dialect::PLAIN, false),
        ("gpt-4.1", knows, false),
        ("gpt-5-chat-latest", knows, false),
        ("o3", knows, false),
    ] {
        let body = encode(&asked(model), dialect);
        let types = ["/tools/0/type", "/input/0/type", "/input/1/type"];
        let types = types.map(|place| body.pointer(place).unwrap().as_str().unwrap());
        let want = if is_custom {
            ["custom", "custom_tool_call", "custom_tool_call_output"]
        } else {
            ["function", "function_call", "function_call_output"]
        };
        assert_eq!(types, want, "{model}");
        let verbosity = body.pointer("/text/verbosity").and_then(Value::as_str);
        assert_eq!(verbosity, is_custom.then_some("low"), "{model}");
        if is_custom {
            assert_eq!(body["input"][0]["input"], patch);
            assert_eq!(body["tools"][0]["format"]["definition"], "start: \"x\"");
        }
    }
}

#[test]
fn a_part_that_streamed_under_another_number_is_not_said_twice() {
    let text = |text: &str| json!({ "type": "output_text", "text": text });
    let item = |parts: Value| json!({ "type": "response.output_item.done", "output_index": 0, "item": { "type": "message", "role": "assistant", "content": parts } });
    let delta = |part: u64, text: &str| json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": part, "delta": text });
    let whole = |part: u64, text: &str| json!({ "type": "response.output_text.done", "output_index": 0, "content_index": part, "text": text });
    for (name, all, want) in [
        (
            "gpt-oss on Bedrock",
            vec![delta(1, "a"), delta(1, "b"), whole(1, "ab"), item(json!([text("ab")]))],
            "text \"ab\"\n",
        ),
        (
            "another number at the text's end",
            vec![delta(1, "ab"), whole(0, "ab"), item(json!([text("ab")]))],
            "text \"ab\"\n",
        ),
        (
            "a part of which no piece came",
            vec![delta(1, "b"), item(json!([text("a"), text("b")]))],
            "text \"b\"\ntext \"a\"\n",
        ),
        (
            "two parts, one whole",
            vec![delta(0, "a"), whole(0, "a"), whole(1, "b"), item(json!([text("a"), text("b")]))],
            "text \"a\"\ntext \"b\"\n",
        ),
        (
            "two parts, numbered from 1",
            vec![delta(1, "a"), delta(2, "b"), item(json!([text("a"), text("b")]))],
            "text \"a\"\ntext \"b\"\n",
        ),
    ] {
        let all = [all, vec![done()]].concat();
        let got = decoded_text(Api::Responses, &events(&all));
        assert_eq!(got, format!("{want}stop EndTurn\n"), "{name}");
    }
}

#[test]
fn what_the_api_would_refuse_is_left_out() {
    let user = |text: &str| Message::User(vec![Content::text(text)]);
    let opaque = |value: &Value| Opaque(serde_json::value::to_raw_value(value).unwrap());
    let said = |blocks: Vec<AssistantBlock>| {
        let stop = StopReason::EndTurn;
        Message::Assistant(Assistant { effort: None, blocks, origin: "x/m".to_owned(), stop })
    };
    let thought = |value: Value| AssistantBlock::Reasoning {
        text: String::new(),
        opaque: Some(opaque(&value)),
    };
    let text = || AssistantBlock::Text { text: "b".to_owned(), opaque: None };
    let sealed = || json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "E" });
    let details = json!({ "reasoning_details": [] });
    for (name, messages, want) in [
        ("a blank message", vec![user(" ")], "message (blank message)"),
        (
            "a summary that is missing",
            vec![user("a"), said(vec![thought(sealed()), text()])],
            "message a, reasoning [], message b",
        ),
        (
            "an item that is sent twice",
            vec![user("a"), said(vec![thought(sealed()), text(), thought(sealed()), text()])],
            "message a, reasoning [], message b, message b",
        ),
        (
            "data of another API",
            vec![user("a"), said(vec![AssistantBlock::Unknown(opaque(&details)), text()])],
            "message a, message b",
        ),
    ] {
        let body = encode(&request(messages), Dialect::PLAIN);
        let items = body["input"].as_array().unwrap().iter().map(|item| {
            let said = item["content"][0]["text"].as_str().map(str::to_owned);
            format!(
                "{} {}",
                item["type"].as_str().unwrap(),
                said.unwrap_or(item["summary"].to_string())
            )
        });
        assert_eq!(items.collect::<Vec<_>>().join(", "), want, "{name}");
    }
    let mut asked = request(vec![user("a")]);
    asked.tools = Arc::new([ToolSpec {
        name: "web_search".to_owned(),
        description: "d".to_owned(),
        parameters: json!({ "type": "object" }),
        grammar: None,
        built_in: Some(crate::BuiltIn::WebSearch),
    }]);
    asked.effort = Some(Effort::Minimal);
    assert_eq!(encode(&asked, Dialect::PLAIN).get("tools"), None, "no empty list");
}
