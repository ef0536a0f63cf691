use crate::catalog::{Api, Dialect};
use crate::fixtures::decoded_text;
use crate::remote::decode_pieces;
use crate::strict;
use crate::{
    Accumulator, Assistant, AssistantBlock, BuiltIn, Effort, Message, Opaque, Request, ToolResult,
    ToolSpec,
};
use expect_test::{Expect, expect};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::sync::Arc;

fn encode(request: &Request) -> Value {
    super::encode(request, Dialect::PLAIN)
}

#[test]
fn odd_streams_end_well_or_say_why() {
    let check = |text: &str, want: Expect| want.assert_eq(&decoded_text(Api::Messages, text));
    let start = "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n";
    check(
        &format!("{start}data: {{\"type\":\"content_block_delta\",\"ind"),
        expect![[r#"
            text "a"
            protocol: test: the reply was cut off before its end
        "#]],
    );
    check(
        start,
        expect![[r#"
        text "a"
        protocol: test: the reply was cut off before its end
    "#]],
    );
    check(
        &format!(
            "{start}event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}}}\n\n"
        ),
        expect![[r#"
            text "a"
            overloaded: test broke off: Overloaded
        "#]],
    );
    check(
        &format!(
            "{start}event: novelty\ndata: {{\"type\":\"novelty\"}}\n\nevent: message_stop\ndata: {{}}\n\n"
        ),
        expect![[r#"
            text "a"
            stop Other
        "#]],
    );
    let call = "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"read\",\"input\":{\"path\":\"a\"}}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    check(
        call,
        expect![[r#"
        call t read "{\"path\":\"a\"}"
        stop Other
    "#]],
    );
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "claude-sonnet-4-5".to_owned(),
        origin: "anthropic/claude-sonnet-4-5".to_owned(),
        system: "".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: Some(100),
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![Content::text(text)])
}

fn opaque(value: &Value) -> Opaque {
    Opaque(serde_json::value::to_raw_value(value).unwrap())
}

fn reply(origin: &str, blocks: Vec<AssistantBlock>) -> Message {
    Message::Assistant(Assistant {
        effort: None,
        blocks,
        origin: origin.to_owned(),
        stop: StopReason::ToolUse,
    })
}

fn call(id: &str, arguments: &str) -> AssistantBlock {
    AssistantBlock::ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
        opaque: None,
    }
}

fn result(id: &str, content: Vec<Content>, is_error: bool) -> Message {
    Message::ToolResult(ToolResult {
        call_id: id.to_owned(),
        tool_name: "read".to_owned(),
        content,
        is_error,
    })
}

fn lines(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let lines: Vec<_> = messages.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

#[test]
fn a_conversation_with_everything_in_it() {
    let thinking = vec![
        AssistantBlock::Reasoning {
            text: "hm ".to_owned(),
            opaque: Some(opaque(&json!({ "signature": "S=" }))),
        },
        AssistantBlock::Reasoning {
            text: String::new(),
            opaque: Some(opaque(&json!({ "type": "redacted_thinking", "data": "R" }))),
        },
        AssistantBlock::Reasoning { text: "unsigned".to_owned(), opaque: None },
        call("functions.read:0", "{\"path\":\"a\"}"),
        AssistantBlock::Text { text: "two calls".to_owned(), opaque: None },
        AssistantBlock::Unknown(opaque(&json!({ "type": "container_upload", "file_id": "s" }))),
        AssistantBlock::Text { text: String::new(), opaque: None },
        call("functions.read:1", "{\"path\":"),
    ];
    let image = Content::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() };
    let messages = |origin: &str| {
        vec![
            user("first"),
            Message::User(vec![Content::text(""), Content::text("more")]),
            reply(origin, thinking.clone()),
            result("functions.read:0", vec![Content::text("seen"), image.clone()], false),
            result("functions.read:1", vec![Content::text("")], true),
            user("steer"),
            reply(origin, vec![AssistantBlock::Text { text: String::new(), opaque: None }]),
            reply(origin, vec![call("functions.read:0", "")]),
            result("functions.read:0", vec![Content::text("again")], false),
        ]
    };
    expect![[r#"
        {"role":"user","content":[{"type":"text","text":"first"},{"type":"text","text":"more"}]}
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm ","signature":"S="},{"type":"redacted_thinking","data":"R"},{"type":"text","text":"two calls"},{"type":"container_upload","file_id":"s"},{"type":"tool_use","id":"functions_read_0","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"functions_read_1","name":"read","input":{}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_read_0","content":[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},{"type":"tool_result","tool_use_id":"functions_read_1","content":[{"type":"text","text":"(no output)"}],"is_error":true},{"type":"text","text":"steer","cache_control":{"type":"ephemeral"}}]}
        {"role":"assistant","content":[{"type":"tool_use","id":"functions_read_0_2","name":"read","input":{}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_read_0_2","content":[{"type":"text","text":"again"}],"cache_control":{"type":"ephemeral"}}]}
    "#]].assert_eq(&lines(&encode(&request(messages("anthropic/claude-sonnet-4-5")))));
    expect![[r#"
        {"role":"user","content":[{"type":"text","text":"first"},{"type":"text","text":"more"}]}
        {"role":"assistant","content":[{"type":"text","text":"two calls"},{"type":"tool_use","id":"functions_read_0","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"functions_read_1","name":"read","input":{}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_read_0","content":[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},{"type":"tool_result","tool_use_id":"functions_read_1","content":[{"type":"text","text":"(no output)"}],"is_error":true},{"type":"text","text":"steer","cache_control":{"type":"ephemeral"}}]}
        {"role":"assistant","content":[{"type":"tool_use","id":"functions_read_0_2","name":"read","input":{}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_read_0_2","content":[{"type":"text","text":"again"}],"cache_control":{"type":"ephemeral"}}]}
    "#]].assert_eq(&lines(&encode(&request(messages("anthropic/other")))));
}

#[test]
fn system_tools_and_marks() {
    let mut request = request(vec![user("a")]);
    request.system = "be brief".into();
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "d".to_owned(),
        parameters: json!({ "type": "object" }),
        grammar: None,
        built_in: None,
    };
    request.tools = Arc::new([tool("read"), tool("bash")]);
    expect![[r#"
        {
          "model": "claude-sonnet-4-5",
          "max_tokens": 100,
          "stream": true,
          "system": [
            {
              "type": "text",
              "text": "be brief",
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "tools": [
            {
              "name": "read",
              "description": "d",
              "input_schema": {
                "type": "object",
                "properties": {}
              }
            },
            {
              "name": "bash",
              "description": "d",
              "input_schema": {
                "type": "object",
                "properties": {}
              },
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ],
          "messages": [
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "a",
                  "cache_control": {
                    "type": "ephemeral"
                  }
                }
              ]
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&encode(&request)).unwrap());
}

#[test]
fn effort_and_limit_depend_on_the_family() {
    for (model, effort, limit, want) in [
        ("claude-3-haiku-20240307", Some(Effort::High), None, "4096 null null"),
        ("claude-sonnet-4-5", None, None, "64000 null null"),
        ("claude-sonnet-4-5", Some(Effort::None), None, r#"64000 {"type":"disabled"} null"#),
        (
            "claude-sonnet-4-5-20250929",
            Some(Effort::High),
            None,
            r#"64000 {"type":"enabled","budget_tokens":20480} null"#,
        ),
        (
            "claude-haiku-4-5",
            Some(Effort::Max),
            Some(4000),
            r#"4000 {"type":"enabled","budget_tokens":2976} null"#,
        ),
        ("claude-haiku-4-5", Some(Effort::Low), Some(1500), "1500 null null"),
        (
            "claude-opus-4-6",
            Some(Effort::Xhigh),
            None,
            r#"128000 {"type":"adaptive","display":"summarized"} {"effort":"high"}"#,
        ),
        (
            "claude-opus-5",
            Some(Effort::Xhigh),
            None,
            r#"128000 {"type":"adaptive","display":"summarized"} {"effort":"xhigh"}"#,
        ),
        (
            "claude-opus-5",
            Some(Effort::Minimal),
            None,
            r#"128000 {"type":"adaptive","display":"summarized"} {"effort":"low"}"#,
        ),
        ("claude-opus-5", Some(Effort::None), None, r#"128000 {"type":"disabled"} null"#),
        ("claude-sonnet-5-5", Some(Effort::None), None, r#"128000 {"type":"between_tools"} null"#),
        (
            "claude-fable-5-1",
            Some(Effort::None),
            None,
            r#"128000 {"type":"adaptive","display":"summarized"} {"effort":"low"}"#,
        ),
        ("claude-sonnet-4-20250514", None, None, "32000 null null"),
        ("qwen3", None, None, "16384 null null"),
    ] {
        let mut request = request(vec![user("a")]);
        model.clone_into(&mut request.model);
        request.effort = effort;
        request.max_output_tokens = limit;
        let body = encode(&request);
        let got = format!("{} {} {}", body["max_tokens"], body["thinking"], body["output_config"]);
        assert_eq!(got, want, "{model} {effort:?}");
    }
}

#[test]
fn a_paused_reply_goes_on_as_it_stands() {
    let search = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "q" } });
    let events = [
        json!({ "type": "message_start", "message": {} }),
        json!({ "type": "content_block_start", "index": 0, "content_block": search }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "pause_turn" } }),
        json!({ "type": "message_stop" }),
    ];
    let text = events.map(|event| format!("data: {event}\n\n")).concat();
    let mut paused = Accumulator::default();
    for delta in decode_pieces(Api::Messages, vec![text.into()]) {
        paused.push(&delta.unwrap());
    }
    assert_eq!(paused.stop(), Some(StopReason::Paused));
    let paused = Message::Assistant(paused.finish("x/m".to_owned()));
    let found =
        json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] });
    let rest = Message::Assistant(Assistant {
        effort: None,
        blocks: vec![
            AssistantBlock::Unknown(opaque(&found)),
            AssistantBlock::Text { text: "found".to_owned(), opaque: None },
        ],
        origin: "x/m".to_owned(),
        stop: StopReason::EndTurn,
    });
    let user = || Message::User(vec![Content::text("look")]);
    let mut asked = request(vec![user(), paused.clone()]);
    asked.origin = "x/m".to_owned();
    asked.tools = Arc::new([web_search()]);
    assert_eq!(encode(&asked)["messages"][1]["content"], json!([search]));
    let mut later = request(vec![user(), paused, rest, user()]);
    later.origin = "x/m".to_owned();
    let later = encode(&later);
    assert_eq!(later["messages"].as_array().map(Vec::len), Some(3), "one reply");
    assert_eq!(later["messages"][1]["content"][0], search);
    assert_eq!(later["messages"][1]["content"][2]["text"], "found");
}

fn web_search() -> ToolSpec {
    ToolSpec {
        name: "web_search".to_owned(),
        description: "d".to_owned(),
        parameters: json!({ "type": "object" }),
        grammar: None,
        built_in: Some(BuiltIn::WebSearch),
    }
}

/// Renders each role with its block types.
fn outline(body: &Value) -> String {
    let turns = body["messages"].as_array().unwrap().iter().map(|turn| {
        let blocks = turn["content"].as_array().unwrap().iter();
        let types: Vec<_> = blocks.map(|block| block["type"].as_str().unwrap()).collect();
        format!("{}[{}]", turn["role"].as_str().unwrap(), types.join(" "))
    });
    turns.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_search_without_result_goes_back_only_while_the_server_can_run_it() {
    let search = || {
        let call =
            json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
        AssistantBlock::Unknown(opaque(&call))
    };
    let found = || {
        let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
        AssistantBlock::Unknown(opaque(&found))
    };
    let said = |blocks| reply("x/m", blocks);
    let text = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    let seen = || result("c", vec![Content::text("seen")], false);
    for (name, messages, want) in [
        ("paused", vec![said(vec![search()])], "user[text] assistant[server_tool_use]"),
        (
            "parallel to a call",
            vec![said(vec![search(), call("c", "")]), seen()],
            "user[text] assistant[server_tool_use tool_use] user[tool_result]",
        ),
        (
            "answered after the results",
            vec![
                said(vec![search(), call("c", "")]),
                seen(),
                said(vec![found(), text("so")]),
                user("b"),
            ],
            "user[text] assistant[server_tool_use tool_use] user[tool_result] assistant[web_search_tool_result text] user[text]",
        ),
        (
            "interrupted by the user",
            vec![said(vec![search(), call("c", "")]), seen(), user("stop")],
            "user[text] assistant[tool_use] user[tool_result text]",
        ),
        (
            "not answered after the results",
            vec![said(vec![search(), call("c", "")]), seen(), said(vec![text("so")])],
            "user[text] assistant[tool_use] user[tool_result] assistant[text] user[text]",
        ),
        (
            "cut",
            vec![said(vec![text("a"), search()]), user("b")],
            "user[text] assistant[text] user[text]",
        ),
        (
            "a result alone",
            vec![said(vec![found(), text("a")]), user("b")],
            "user[text] assistant[text] user[text]",
        ),
        ("of another model", vec![reply("x/other", vec![search()]), user("b")], "user[text text]"),
    ] {
        let mut asked = request([vec![user("a")], messages].concat());
        asked.origin = "x/m".to_owned();
        asked.tools = Arc::new([web_search()]);
        let body = encode(&asked);
        assert_eq!(outline(&body), want, "{name}");
        assert_eq!(strict::check(Api::Messages, &asked.model, &body), Ok(()), "{name}");
    }
}

#[test]
fn thinking_is_off_in_a_turn_that_did_not_begin_with_it() {
    let thought = || AssistantBlock::Reasoning {
        text: "hm".to_owned(),
        opaque: Some(opaque(&json!({ "signature": "S" }))),
    };
    let unsigned = || AssistantBlock::Reasoning {
        text: "hm".to_owned(),
        opaque: Some(opaque(&json!({ "signature": "" }))),
    };
    let seen = |id: &str| result(id, vec![Content::text("seen")], false);
    let said = |blocks| reply("x/m", blocks);
    for (name, messages, want) in [
        ("begun with thinking", vec![said(vec![thought(), call("c", "")]), seen("c")], "enabled"),
        (
            "only at the beginning",
            vec![
                said(vec![thought(), call("c", "")]),
                seen("c"),
                said(vec![call("d", "")]),
                seen("d"),
            ],
            "enabled",
        ),
        ("without thinking", vec![said(vec![call("c", "")]), seen("c")], "disabled"),
        (
            "cut before its signature",
            vec![said(vec![unsigned(), call("c", "")]), seen("c")],
            "disabled",
        ),
        (
            "of another model",
            vec![reply("y/z", vec![thought(), call("c", "")]), seen("c")],
            "disabled",
        ),
        (
            "in an earlier turn",
            vec![said(vec![call("c", "")]), seen("c"), said(vec![]), user("b")],
            "disabled",
        ),
        (
            "ended",
            vec![
                reply("y/z", vec![call("c", "")]),
                seen("c"),
                said(vec![thought(), call("d", "")]),
                seen("d"),
            ],
            "disabled",
        ),
        (
            "of a new question",
            vec![
                said(vec![AssistantBlock::Text { text: "a".to_owned(), opaque: None }]),
                user("b"),
            ],
            "enabled",
        ),
    ] {
        let mut asked = request([vec![user("a")], messages].concat());
        asked.origin = "x/m".to_owned();
        asked.effort = Some(Effort::High);
        asked.max_output_tokens = Some(4096);
        let body = encode(&asked);
        assert_eq!(body["thinking"]["type"], want, "{name}");
        assert_eq!(strict::check(Api::Messages, &asked.model, &body), Ok(()), "{name}");
    }
}

#[test]
fn a_paused_reply_has_no_thinking_while_thinking_is_off() {
    let thought = AssistantBlock::Reasoning {
        text: "hm".to_owned(),
        opaque: Some(opaque(&json!({ "signature": "S" }))),
    };
    let search = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let paused = || reply("x/m", vec![thought.clone(), AssistantBlock::Unknown(opaque(&search))]);
    for (model, effort, want) in [
        ("claude-sonnet-4-5", None, "user[text] assistant[server_tool_use]"),
        ("claude-opus-5", Some(Effort::None), "user[text] assistant[server_tool_use]"),
        ("claude-opus-5", None, "user[text] assistant[thinking server_tool_use]"),
        ("claude-opus-5", Some(Effort::Low), "user[text] assistant[thinking server_tool_use]"),
    ] {
        let mut asked = request(vec![user("a"), paused()]);
        (asked.model, asked.origin) = (model.to_owned(), "x/m".to_owned());
        asked.effort = effort;
        asked.tools = Arc::new([web_search()]);
        let body = encode(&asked);
        assert_eq!(outline(&body), want, "{model} {effort:?}");
        assert_eq!(strict::check(Api::Messages, model, &body), Ok(()), "{model} {effort:?}");
    }
}

#[test]
fn what_the_api_would_refuse_has_a_substitute() {
    let text = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    for (name, messages, path, want) in [
        (
            "a failure without output",
            vec![user("a"), reply("x/m", vec![call("c", "")]), result("c", Vec::new(), true)],
            "/messages/2/content/0/content/0/text",
            "(no output)",
        ),
        ("a blank message", vec![user(" \n")], "/messages/0/content/0/text", "(blank message)"),
        (
            "a blank message after a reply",
            vec![user("a"), reply("x/m", vec![text("b")]), user(" ")],
            "/messages/2/content/0/text",
            "(blank message)",
        ),
        (
            "a reply at the end",
            vec![user("a"), reply("x/m", vec![text("b")])],
            "/messages/2/content/0/text",
            "Continue.",
        ),
        (
            "a tool that is no longer offered",
            vec![user("a"), reply("x/m", vec![call("c", "")]), result("c", Vec::new(), false)],
            "/tools/0/name",
            "read",
        ),
    ] {
        let asked = request(messages);
        let body = encode(&asked);
        assert_eq!(body.pointer(path), Some(&json!(want)), "{name}: {body:#}");
        assert_eq!(strict::check(Api::Messages, &asked.model, &body), Ok(()), "{name}");
    }
    let mut asked = request(vec![user("a")]);
    asked.system = " \n".into();
    assert_eq!(encode(&asked).get("system"), None);
}

#[test]
fn a_reply_of_thinking_alone_is_not_sent_back() {
    let start = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let thinking = |index: u64, signature: Option<&str>| {
        let mut events = vec![
            start(index, json!({ "type": "thinking", "thinking": "", "signature": "" })),
            delta(index, json!({ "type": "thinking_delta", "thinking": "hm" })),
        ];
        events.extend(signature.map(|signature| {
            delta(index, json!({ "type": "signature_delta", "signature": signature }))
        }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
        events
    };
    let redacted = |index: u64| {
        vec![
            start(index, json!({ "type": "redacted_thinking", "data": "R" })),
            json!({ "type": "content_block_stop", "index": index }),
        ]
    };
    let text = |index: u64, text: &str| {
        vec![
            start(index, json!({ "type": "text", "text": "" })),
            delta(index, json!({ "type": "text_delta", "text": text })),
            json!({ "type": "content_block_stop", "index": index }),
        ]
    };
    let signed = |index: u64| thinking(index, Some("S"));
    for (name, stop, blocks, want) in [
        ("thinking", "end_turn", signed(0), "user[text text]"),
        ("cut inside the thinking", "max_tokens", thinking(0, None), "user[text text]"),
        ("cut behind the thinking", "max_tokens", signed(0), "user[text text]"),
        ("redacted", "end_turn", redacted(0), "user[text text]"),
        ("several", "end_turn", [signed(0), redacted(1), signed(2)].concat(), "user[text text]"),
        ("blank text", "end_turn", [signed(0), text(1, " \n")].concat(), "user[text text]"),
        ("blank text first", "end_turn", [text(0, "\n"), redacted(1)].concat(), "user[text text]"),
        (
            "text and a last thought",
            "max_tokens",
            [signed(0), text(1, "said"), redacted(2), signed(3)].concat(),
            "user[text] assistant[thinking text] user[text]",
        ),
        (
            "text",
            "end_turn",
            [signed(0), text(1, "said")].concat(),
            "user[text] assistant[thinking text] user[text]",
        ),
    ] {
        let events = [
            vec![json!({ "type": "message_start", "message": {} })],
            blocks,
            vec![json!({ "type": "message_delta", "delta": { "stop_reason": stop } })],
            vec![json!({ "type": "message_stop" })],
        ];
        let events: Vec<String> =
            events.concat().iter().map(|event| format!("data: {event}\n\n")).collect();
        let mut message = Accumulator::default();
        for delta in decode_pieces(Api::Messages, vec![events.concat().into()]) {
            message.push(&delta.unwrap());
        }
        let message = Message::Assistant(message.finish("x/m".to_owned()));
        let mut asked = request(vec![user("a"), message, user("b")]);
        asked.origin = "x/m".to_owned();
        let body = encode(&asked);
        assert_eq!(strict::check(Api::Messages, &asked.model, &body), Ok(()), "{name}");
        assert_eq!(outline(&body), want, "{name}");
    }
}
