//! Provider-run web searches, over each wire that supports them: declared, shown, counted, and sent back unchanged.
//!
//! Streams of OpenAI's searches are among the recorded ones; those here follow the makers' documentation.

use super::catalog::{Api, Dialect};
use super::delta::{Accumulator, Delta, ProviderCall};
use super::endpoint::Endpoint;
use super::fixtures::decoded_text;
use super::remote::{decode_pieces, encode};
use super::{BuiltIn, Effort, Message, Request, ToolSpec};
use pintle_protocol::content::Content;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

fn request(model: &str, messages: Vec<Message>) -> Request {
    let tool = |name: &str, built_in| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters: json!({ "type": "object" }),
        grammar: None,
        built_in,
    };
    Request {
        model: model.to_owned(),
        origin: "x/m".to_owned(),
        system: "".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([tool("grep", None), tool("web_search", Some(BuiltIn::WebSearch))]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: super::Trace::default(),
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![Content::text(text)])
}

/// The tools that a request declares, by name or else by type.
fn declared(body: &Value) -> String {
    let name = |tool: &Value| {
        if let Some(functions) = tool["functionDeclarations"].as_array() {
            return functions.iter().filter_map(|each| each["name"].as_str()).collect();
        }
        if tool["googleSearch"].is_object() {
            return "googleSearch".to_owned();
        }
        let function = &tool["function"]["name"];
        match (tool["type"].as_str(), function.as_str().or(tool["name"].as_str())) {
            (Some("function") | None, Some(name)) => name.to_owned(),
            (Some(kind), _) => kind.to_owned(),
            (None, None) => "?".to_owned(),
        }
    };
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_search_is_declared_as_the_provider_s_own_tool() {
    let minimal = Some(Effort::Minimal);
    for (api, model, effort, want, more) in [
        (Api::Messages, "claude-sonnet-5", None, "web_search_20250305 grep", json!(null)),
        (
            Api::Responses,
            "gpt-5.4",
            None,
            "web_search grep",
            json!(["reasoning.encrypted_content", "web_search_call.action.sources"]),
        ),
        (Api::Responses, "gpt-5", minimal, "grep", json!(["reasoning.encrypted_content"])),
        (
            Api::Gemini,
            "gemini-3-pro",
            None,
            "googleSearch grep",
            json!({ "includeServerSideToolInvocations": true }),
        ),
        (Api::Chat, "any", None, "grep", json!(null)),
    ] {
        let mut request = request(model, vec![user("look")]);
        request.effort = effort;
        let body = encode(api, &request, Dialect::PLAIN);
        assert_eq!(declared(&body), want, "{model} {effort:?}");
        let got = if api == Api::Gemini { &body["toolConfig"] } else { &body["include"] };
        assert_eq!(*got, more, "{model} {effort:?}");
    }
}

#[test]
fn who_can_search_is_known_before_a_request() {
    for (api, model, is_on, want) in [
        (Api::Messages, "claude-sonnet-5", true, true),
        (Api::Messages, "claude-sonnet-5", false, false),
        (Api::Responses, "gpt-5.4", true, true),
        (Api::Responses, "gpt-4.1", true, false),
        (Api::Gemini, "gemini-3-flash", true, true),
        (Api::Gemini, "gemini-2.5-pro", true, false),
        (Api::Chat, "gpt-5.4", true, false),
    ] {
        let mut endpoint = Endpoint::new("x", api, "http://h");
        endpoint.dialect.web_search = is_on;
        assert_eq!(endpoint.searches_web(model), want, "{api:?} {model} {is_on}");
    }
}

fn stream(events: &[Value]) -> String {
    let events: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    events.concat()
}

/// A search of Claude that finds two pages and cites one, and one too many.
fn claude() -> String {
    let start = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let page = |title: &str, url: &str| json!({ "type": "web_search_result", "title": title, "url": url, "encrypted_content": "e" });
    let cited = json!({ "type": "web_search_result_location", "url": "https://a.b/1", "title": "One", "encrypted_index": "i" });
    stream(&[
        json!({ "type": "message_start", "message": {} }),
        start(
            0,
            json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} }),
        ),
        delta(0, json!({ "type": "input_json_delta", "partial_json": "{\"query\": \"rust\"}" })),
        stop(0),
        start(
            1,
            json!({
                "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
                "content": [page("One", "https://a.b/1"), page("", "https://a.b/2")]
            }),
        ),
        stop(1),
        start(
            2,
            json!({ "type": "server_tool_use", "id": "srvtoolu_2", "name": "web_search", "input": { "query": "more" } }),
        ),
        stop(2),
        start(
            3,
            json!({
                "type": "web_search_tool_result", "tool_use_id": "srvtoolu_2",
                "content": { "type": "web_search_tool_result_error", "error_code": "max_uses_exceeded" }
            }),
        ),
        stop(3),
        start(4, json!({ "type": "text", "text": "" })),
        delta(4, json!({ "type": "text_delta", "text": "It says " })),
        stop(4),
        start(5, json!({ "type": "text", "text": "", "citations": [] })),
        delta(5, json!({ "type": "text_delta", "text": "one thing" })),
        delta(5, json!({ "type": "citations_delta", "citation": cited })),
        stop(5),
        start(6, json!({ "type": "text", "text": "" })),
        delta(6, json!({ "type": "text_delta", "text": "." })),
        stop(6),
        json!({
            "type": "message_delta", "delta": { "stop_reason": "end_turn" },
            "usage": { "output_tokens": 5, "server_tool_use": { "web_search_requests": 1 } }
        }),
        json!({ "type": "message_stop" }),
    ])
}

/// A search of Gemini whose result comes with the text.
fn gemini() -> String {
    let part = |part: Value| json!({ "candidates": [{ "content": { "parts": [part] } }] });
    let call = json!({ "id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": { "queries": ["rust", "edition"] } });
    stream(&[
        part(json!({ "toolCall": call, "thoughtSignature": "t" })),
        part(
            json!({ "toolResponse": { "id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {} } }),
        ),
        part(json!({ "text": "It is out." })),
        json!({
            "candidates": [{
                "finishReason": "STOP",
                "groundingMetadata": {
                    "webSearchQueries": ["rust", "edition"],
                    "groundingChunks": [{ "web": { "uri": "https://a.b/1", "title": "a.b" } }]
                }
            }],
            "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 4 }
        }),
    ])
}

/// A search of GPT, a page that it opens, and a search that fails.
fn gpt() -> String {
    let item = |kind: &str, index: u64, item: &Value| json!({ "type": format!("response.output_item.{kind}"), "output_index": index, "item": item });
    let search = |id: &str, status: &str, action: Value| json!({ "id": id, "type": "web_search_call", "status": status, "action": action });
    let first = search(
        "ws_1",
        "completed",
        json!({
            "type": "search", "query": "rust", "sources": [{ "type": "url", "url": "https://a.b/1" }]
        }),
    );
    let page = search("ws_2", "completed", json!({ "type": "open_page", "url": "https://a.b/1" }));
    let last = search("ws_3", "failed", json!({ "type": "search", "query": "edition 2" }));
    let said = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "So it is." }] });
    stream(&[
        item(
            "added",
            0,
            &json!({ "id": "ws_1", "type": "web_search_call", "status": "in_progress" }),
        ),
        item("done", 0, &first),
        item("done", 1, &page),
        item("done", 2, &last),
        item("done", 3, &said),
        json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 3, "output_tokens": 4 } } }),
    ])
}

#[test]
fn searches_are_shown_counted_and_sent_back() {
    for (api, text, shown) in [
        (
            Api::Messages,
            claude(),
            expect_test::expect![[r#"
            unknown "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"rust\"}}"
            unknown "{\"type\":\"web_search_tool_result\",\"tool_use_id" … "/2\",\"encrypted_content\":\"e\"}]}" (247 chars)
            unknown "{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_2\",\"name\":\"web_search\",\"input\":{\"query\":\"more\"}}"
            unknown "{\"type\":\"web_search_tool_result\",\"tool_use_id" … "or_code\":\"max_uses_exceeded\"}}" (143 chars)
            text "It says one thing." keeps "{\"parts\":[{\"to\":8,\"citations\":[]},{\"to\":17,\"c" … "}]},{\"to\":18,\"citations\":[]}]}" (180 chars)
            provider web_search srvtoolu_1
            provider web_search srvtoolu_1 "{\"query\":\"rust\"}"
            provider web_search srvtoolu_1 found "One\n  https://a.b/1\nhttps://a.b/2"
            provider web_search srvtoolu_2
            provider web_search srvtoolu_2 "{\"query\":\"more\"}"
            provider web_search srvtoolu_2 failed the provider's web_search failed: max_uses_exceeded
            usage in 0 out 5 read 0 written 0 reasoning 0
            searches 1
            stop EndTurn
            back {"type":"text","text":"look","cache_control":{"type":"ephemeral"}}
            back {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"rust"}}
            back {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"One","url":"https://a.b/1","encrypted_content":"e"},{"type":"web_search_result","title":"","url":"https://a.b/2","encrypted_content":"e"}]}
            back {"type":"server_tool_use","id":"srvtoolu_2","name":"web_search","input":{"query":"more"}}
            back {"type":"web_search_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}
            back {"type":"text","text":"It says "}
            back {"type":"text","text":"one thing","citations":[{"type":"web_search_result_location","url":"https://a.b/1","title":"One","encrypted_index":"i"}]}
            back {"type":"text","text":"."}
            back {"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}
        "#]],
        ),
        (
            Api::Responses,
            gpt(),
            expect_test::expect![[r#"
                unknown "{\"id\":\"ws_1\",\"type\":\"web_search_call\",\"status" … "url\",\"url\":\"https://a.b/1\"}]}}" (150 chars)
                unknown "{\"id\":\"ws_2\",\"type\":\"web_search_call\",\"status" … "_page\",\"url\":\"https://a.b/1\"}}" (111 chars)
                unknown "{\"id\":\"ws_3\",\"type\":\"web_search_call\",\"status" … "\"search\",\"query\":\"edition 2\"}}" (103 chars)
                text "So it is."
                provider web_search ws_1
                provider web_search ws_1 "{\"type\":\"search\",\"query\":\"rust\"}" found "https://a.b/1"
                provider web_search ws_2
                provider web_search ws_2 "{\"type\":\"open_page\",\"url\":\"https://a.b/1\"}" found ""
                provider web_search ws_3
                provider web_search ws_3 "{\"type\":\"search\",\"query\":\"edition 2\"}" failed the provider's web_search failed
                usage in 3 out 4 read 0 written 0 reasoning 0
                searches 1
                stop EndTurn
                back {"type":"input_text","text":"look"}
                back {"type":"web_search_call","status":"completed","action":{"type":"search","query":"rust","sources":[{"type":"url","url":"https://a.b/1"}]}}
                back {"type":"web_search_call","status":"completed","action":{"type":"open_page","url":"https://a.b/1"}}
                back {"type":"web_search_call","status":"failed","action":{"type":"search","query":"edition 2"}}
                back {"type":"output_text","text":"So it is."}
                back {"type":"input_text","text":"go on"}
            "#]],
        ),
        (
            Api::Gemini,
            gemini(),
            expect_test::expect![[r#"
            unknown "{\"toolCall\":{\"id\":\"s1\",\"toolType\":\"GOOGLE_SEA" … "on\"]}},\"thoughtSignature\":\"t\"}" (116 chars)
            unknown "{\"toolResponse\":{\"id\":\"s1\",\"toolType\":\"GOOGLE_SEARCH_WEB\",\"response\":{}}}"
            text "It is out."
            provider web_search s1 "{\"queries\":[\"rust\",\"edition\"]}"
            provider web_search s1 found "a.b\n  https://a.b/1"
            usage in 3 out 4 read 0 written 0 reasoning 0
            searches 2
            stop EndTurn
            back {"text":"look"}
            back {"toolCall":{"id":"s1","toolType":"GOOGLE_SEARCH_WEB","args":{"queries":["rust","edition"]}},"thoughtSignature":"t"}
            back {"toolResponse":{"id":"s1","toolType":"GOOGLE_SEARCH_WEB","response":{}}}
            back {"text":"It is out."}
            back {"text":"go on"}
        "#]],
        ),
    ] {
        let mut whole = decoded_text(api, &text);
        let mut reply = Accumulator::default();
        for delta in decode_pieces(api, vec![text.into()]) {
            reply.push(&delta.unwrap());
        }
        let reply = Message::Assistant(reply.finish("x/m".to_owned()));
        let body = encode(
            api,
            &request("gemini-3-pro", vec![user("look"), reply, user("go on")]),
            Dialect::PLAIN,
        );
        let sent = ["messages", "input", "contents"].iter().find_map(|key| body[key].as_array());
        for turn in sent.unwrap() {
            let said = turn.get("content").or(turn.get("parts")).and_then(Value::as_array);
            for block in said.map_or(std::slice::from_ref(turn), Vec::as_slice) {
                writeln!(whole, "back {block}").unwrap();
            }
        }
        shown.assert_eq(&whole);
    }
}

#[test]
fn a_search_that_has_begun_is_known_before_its_words_are() {
    for (api, text) in [(Api::Messages, claude()), (Api::Responses, gpt())] {
        let first =
            decode_pieces(api, vec![text.into()]).into_iter().find_map(|delta| match delta {
                Ok(Delta::ProviderCall(call)) => Some(call),
                _ => None,
            });
        let ProviderCall { tool, input, outcome, .. } = *first.unwrap();
        assert_eq!((tool.as_str(), input, outcome), ("web_search", None, None), "{api:?}");
    }
}
