#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use super::encode;
use crate::catalog::Api;
use crate::fixtures::decoded_text;
use crate::{Assistant, AssistantBlock, Effort, Message, Opaque, Request, ToolResult, ToolSpec};
use expect_test::{Expect, expect};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::sync::Arc;

fn chunks(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect::<Vec<_>>().concat()
}

fn parts(parts: &Value) -> Value {
    json!({ "responseId": "R", "candidates": [{ "content": { "role": "model", "parts": parts } }] })
}

fn finish(reason: &str) -> Value {
    json!({ "candidates": [{ "finishReason": reason, "finishMessage": "because" }] })
}

#[test]
fn odd_streams_end_well_or_say_why() {
    let check = |all: &[Value], want: Expect| {
        want.assert_eq(&decoded_text(Api::Gemini, &chunks(all)));
    };
    // Two calls alike are two calls; a wire's id that comes twice becomes two.
    check(
        &[
            parts(
                &json!([{ "functionCall": { "name": "f", "args": {} } }, { "functionCall": { "name": "f", "args": {} } }]),
            ),
            parts(
                &json!([{ "functionCall": { "name": "g", "id": "i" } }, { "functionCall": { "name": "g", "id": "i" } }]),
            ),
            finish("STOP"),
        ],
        expect![[r#"
            call call_R_0 f ""
            call call_R_1 f ""
            call i g "" keeps "{\"id\":\"i\"}"
            call i_3 g "" keeps "{\"id\":\"i\"}"
            stop ToolUse
        "#]],
    );
    // Signatures stay with their bytes; one behind a call stands alone.
    check(
        &[
            parts(
                &json!([{ "text": "a" }, { "text": "é", "thoughtSignature": "S" }, { "text": "c" }]),
            ),
            parts(
                &json!([{ "text": "", "thought": true, "thoughtSignature": "T" }, { "text": "" }]),
            ),
            finish("MAX_TOKENS"),
        ],
        expect![[r#"
            text "aéc" keeps "{\"signed\":[{\"from\":1,\"to\":3,\"thoughtSignature\":\"S\"}]}"
            unknown "{\"text\":\"\",\"thought\":true,\"thoughtSignature\":\"T\"}"
            stop MaxTokens
        "#]],
    );
    check(
        &[parts(&json!([{ "text": "a" }])), finish("SAFETY")],
        expect![[r#"
        text "a"
        stop Refusal
    "#]],
    );
    check(
        &[parts(&json!([])), finish("MALFORMED_FUNCTION_CALL")],
        expect![[r#"
        protocol: test: the model's reply is invalid (MALFORMED_FUNCTION_CALL): because
    "#]],
    );
    check(
        &[parts(&json!([{ "text": "a" }])), finish("NEWER_THAN_THIS")],
        expect![[r#"
        text "a"
        stop Other
    "#]],
    );
    check(
        &[
            json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": { "promptTokenCount": 4 } }),
        ],
        expect![[r#"
            usage in 4 out 0 read 0 written 0 reasoning 0
            contentFilter: test broke off: the prompt was blocked (SAFETY): no further word
        "#]],
    );
    check(
        &[
            parts(&json!([{ "text": "a" }])),
            json!([{ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }]),
        ],
        expect![[r#"
            text "a"
            overloaded: test broke off: busy
        "#]],
    );
    check(
        &[parts(&json!([{ "text": "a" }]))],
        expect![[r#"
        text "a"
        protocol: test: the reply was cut off before its end
    "#]],
    );
    // Arguments in pieces whose end never came.
    check(
        &[
            parts(&json!([{ "functionCall": { "name": "f", "willContinue": true } }])),
            parts(
                &json!([{ "functionCall": { "partialArgs": [{ "jsonPath": "$.a", "numberValue": 1 }], "willContinue": true } }]),
            ),
            finish("STOP"),
        ],
        expect![[r#"
            call call_R_0 f "{\"a\":1}"
            stop ToolUse
        "#]],
    );
}

fn opaque(value: &Value) -> Opaque {
    Opaque(serde_json::value::to_raw_value(value).unwrap())
}

fn request(model: &str, messages: Vec<Message>) -> Request {
    Request {
        model: model.to_owned(),
        origin: "x/m".to_owned(),
        system: "be brief".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([
            ToolSpec {
                name: "read".to_owned(),
                description: "d".to_owned(),
                parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
                grammar: None,
                built_in: None,
            },
            ToolSpec {
                name: "now".to_owned(),
                description: "n".to_owned(),
                parameters: json!({ "type": "object", "properties": {} }),
                grammar: None,
                built_in: None,
            },
        ]),
        effort: Some(Effort::High),
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
    let result = |id: &str, content, is_error| {
        let (call_id, tool_name) = (id.to_owned(), "read".to_owned());
        Message::ToolResult(ToolResult { call_id, tool_name, content, is_error })
    };
    vec![
        Message::User(vec![Content::text("see"), Content::text(""), image()]),
        reply(vec![
            AssistantBlock::Reasoning { text: "unsigned".to_owned(), opaque: None },
            AssistantBlock::Text {
                text: "aéc".to_owned(),
                opaque: Some(opaque(
                    &json!({ "signed": [{ "from": 1, "to": 3, "thoughtSignature": "S" }, { "from": 4, "to": 4, "thoughtSignature": "T" }] }),
                )),
            },
            AssistantBlock::Unknown(opaque(&json!({ "executableCode": { "code": "1" } }))),
            call(
                "one",
                "{\"path\": \"x\"}",
                Some(opaque(&json!({ "id": "w1", "thoughtSignature": "U" }))),
            ),
            call("two", "{\"path\":", None),
        ]),
        result("one", vec![Content::text("seen"), image()], false),
        result("two", vec![], true),
        Message::User(vec![Content::text("steer")]),
        reply(vec![AssistantBlock::Text {
            text: "short".to_owned(),
            opaque: Some(opaque(
                &json!({ "signed": [{ "from": 1, "to": 99, "thoughtSignature": "S" }] }),
            )),
        }]),
        Message::User(vec![Content::text("more")]),
    ]
}

#[test]
fn a_conversation_with_everything_in_it() {
    let lines = |body: &Value| -> String {
        body["contents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| format!("{item}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let body = encode(&request("gemini-3-pro", conversation("x/m")));
    expect![[r#"
        {"role":"user","parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}
        {"role":"model","parts":[{"text":"a"},{"text":"é","thoughtSignature":"S"},{"text":"c"},{"text":"","thoughtSignature":"T"},{"executableCode":{"code":"1"}},{"functionCall":{"name":"read","args":{"path":"x"},"id":"w1"},"thoughtSignature":"U"},{"functionCall":{"name":"read","args":{}}}]}
        {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"seen"},"id":"w1","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}},{"functionResponse":{"name":"read","response":{"error":"(no output)"}}},{"text":"steer"}]}
        {"role":"model","parts":[{"text":"short"}]}
        {"role":"user","parts":[{"text":"more"}]}
    "#]].assert_eq(&lines(&body));
    expect![[r#"
        {"role":"user","parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}
        {"role":"model","parts":[{"text":"aéc"},{"functionCall":{"name":"read","args":{"path":"x"}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"read","args":{}}}]}
        {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"seen"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}},{"functionResponse":{"name":"read","response":{"error":"(no output)"}}},{"text":"steer"}]}
        {"role":"model","parts":[{"text":"short"}]}
        {"role":"user","parts":[{"text":"more"}]}
    "#]].assert_eq(&lines(&encode(&request("gemini-3-pro", conversation("y/other")))));
    expect![[r#"
        {"role":"user","parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}
        {"role":"model","parts":[{"text":"aéc"},{"functionCall":{"name":"read","args":{"path":"x"}}},{"functionCall":{"name":"read","args":{}}}]}
        {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"seen"}}},{"functionResponse":{"name":"read","response":{"error":"(no output)"}}},{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"text":"steer"}]}
        {"role":"model","parts":[{"text":"short"}]}
        {"role":"user","parts":[{"text":"more"}]}
    "#]]
        .assert_eq(&lines(&encode(&request("gemini-2.5-pro", conversation("y/other")))));
    let mut rest = body;
    rest.as_object_mut().unwrap().remove("contents");
    expect![[r#"{"generationConfig":{"maxOutputTokens":9,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}},"systemInstruction":{"parts":[{"text":"be brief"}]},"tools":[{"functionDeclarations":[{"name":"read","description":"d","parameters":{"type":"OBJECT","properties":{"path":{"type":"STRING"}}}},{"name":"now","description":"n"}]}]}"#]].assert_eq(&rest.to_string());
}

#[test]
fn what_the_api_would_refuse_has_a_substitute() {
    let user = |text: &str| Message::User(vec![Content::text(text)]);
    let gif = || Content::Image { mime_type: "image/gif".to_owned(), data: "AA==".to_owned() };
    let text = AssistantBlock::Text { text: "b".to_owned(), opaque: None };
    let said = Message::Assistant(Assistant {
        effort: None,
        blocks: vec![text],
        origin: "x/m".to_owned(),
        stop: StopReason::EndTurn,
    });
    for (name, messages, path, want) in [
        ("a blank message", vec![user(" ")], "/contents/0/parts/0/text", "(blank message)"),
        (
            "a GIF image",
            vec![Message::User(vec![gif()])],
            "/contents/0/parts/0/text",
            "[image omitted: the model takes no GIF images]",
        ),
        ("a reply at the end", vec![user("a"), said], "/contents/2/parts/0/text", "Continue."),
    ] {
        let request = request("gemini-3-pro", messages);
        let body = crate::remote::encode(Api::Gemini, &request, crate::catalog::Dialect::PLAIN);
        assert_eq!(body.pointer(path), Some(&json!(want)), "{name}: {body:#}");
    }
}
