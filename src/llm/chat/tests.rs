#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use super::encode;
use crate::llm::catalog::{self, Api, Dialect, ReasoningBack, SystemRole};
use crate::llm::fixtures::decoded_text;
use crate::llm::{Assistant, AssistantBlock, Effort, Message, Request, ToolResult, ToolSpec};
use expect_test::{Expect, expect};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::sync::Arc;

/// Chunks of one choice with these deltas.
fn chunks(deltas: &[&str]) -> String {
    let chunk = |delta: &&str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    deltas.iter().map(chunk).collect::<Vec<_>>().concat()
}

const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";

#[test]
fn odd_streams_end_well_or_say_why() {
    let check = |text: &str, want: Expect| want.assert_eq(&decoded_text(Api::Chat, text));
    // Cut before the end.
    check(
        &chunks(&["{\"content\":\"a\"}"]),
        expect![[r#"
        text "a"
        protocol: test: the reply was cut off before its end
    "#]],
    );
    check(
        "data: {\"choices\":[{\"del",
        expect![[r#"
            protocol: test: the reply was cut off before its end
        "#]],
    );
    // No end marker, but a finish reason.
    check(
        &(chunks(&["{\"content\":\"a\"}"]) + FINISH),
        expect![[r#"
        text "a"
        stop EndTurn
    "#]],
    );
    // Calls without number; the second begins with its id.
    check(
        &(chunks(&[
            "{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{\"}}]}",
            "{\"tool_calls\":[{\"function\":{\"arguments\":\"}\"}}]}",
            "{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"bash\",\"arguments\":{\"c\":1}}}]}",
        ]) + FINISH),
        expect![[r#"
            call a read "{}"
            call b bash "{\"c\":1}"
            stop ToolUse
        "#]],
    );
    // All calls under number 0, with the same id; later pieces repeat an empty name.
    check(
        &(chunks(&[
            "{\"tool_calls\":[{\"index\":0,\"id\":\"0\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"0\",\"function\":{\"name\":\"read\",\"arguments\":\"\"}}]}",
            "{\"tool_calls\":[{\"index\":1,\"id\":\"\",\"function\":{\"name\":\"\",\"arguments\":\"{}\"}}]}",
        ]) + FINISH),
        expect![[r#"
            call 0 read "{}"
            call 0_1 read "{}"
            stop ToolUse
        "#]],
    );
    // Reasoning, text, reasoning again.
    check(
        &(chunks(&[
            "{\"reasoning\":\"r\",\"content\":\"\"}",
            "{\"content\":\"t\"}",
            "{\"reasoning_content\":\"s\"}",
        ]) + FINISH),
        expect![[r#"
            reasoning "r"
            text "t"
            reasoning "s"
            stop EndTurn
        "#]],
    );
    check(
        "data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n",
        expect![[r#"
        overloaded: test broke off: busy
    "#]],
    );
    check(
        "data: {\"object\":\"error\",\"message\":\"bad\",\"code\":400}\n\n",
        expect![[r#"
        invalidRequest: test broke off: bad
    "#]],
    );
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "m".to_owned(),
        origin: "x/m".to_owned(),
        system: "be brief".into(),
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        trace: crate::llm::Trace::default(),
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![Content::text(text)])
}

fn call(id: &str, arguments: &str) -> AssistantBlock {
    AssistantBlock::ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
        opaque: None,
    }
}

fn reply(blocks: Vec<AssistantBlock>) -> Message {
    Message::Assistant(Assistant { blocks, origin: "x/m".to_owned(), stop: StopReason::ToolUse })
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
    let image = || Content::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() };
    let messages = vec![
        user("first"),
        Message::User(vec![Content::text(""), Content::text("more")]),
        reply(vec![
            AssistantBlock::Reasoning { text: "hm".to_owned(), opaque: None },
            AssistantBlock::Text { text: "two".to_owned(), opaque: None },
            call("toolu_01", "{\"path\": \"a\"}"),
            AssistantBlock::Text { text: "calls".to_owned(), opaque: None },
            call("functions.read:1", "{\"path\":"),
        ]),
        result("toolu_01", vec![image()], false),
        result("functions.read:1", vec![Content::text("no such file")], true),
        user("steer"),
        reply(vec![call("toolu_01", "")]),
        result("toolu_01", vec![], false),
        reply(vec![AssistantBlock::Reasoning { text: "only".to_owned(), opaque: None }]),
        reply(vec![AssistantBlock::Text { text: "done".to_owned(), opaque: None }]),
        Message::User(vec![Content::text("see"), image()]),
    ];
    let dialect = |name: &str| catalog::find(name).unwrap().dialect;
    expect![[r#"
        {"role":"system","content":"be brief"}
        {"role":"user","content":"first\n\nmore"}
        {"role":"assistant","content":"two\n\ncalls","tool_calls":[{"id":"toolu_01","type":"function","function":{"name":"read","arguments":"{\"path\": \"a\"}"}},{"id":"functions_read_1","type":"function","function":{"name":"read","arguments":"{}"}}]}
        {"role":"tool","tool_call_id":"toolu_01","content":"(see the image below)"}
        {"role":"tool","tool_call_id":"functions_read_1","content":"Error: no such file"}
        {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"text","text":"steer"}]}
        {"role":"assistant","content":null,"tool_calls":[{"id":"toolu_01_2","type":"function","function":{"name":"read","arguments":"{}"}}]}
        {"role":"tool","tool_call_id":"toolu_01_2","content":"(no output)"}
        {"role":"assistant","content":"done"}
        {"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}
    "#]].assert_eq(&lines(&encode(&request(messages.clone()), dialect("openai"))));
    let mistral = lines(&encode(&request(messages.clone()), dialect("mistral")));
    let id = mistral.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(id.len() == 9 && mistral.contains(&format!("\"tool_call_id\":\"{id}\"")), "{id}");

    let thought = r#""content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"two\n\ncalls"}]"#;
    assert!(mistral.contains(thought), "{mistral}");

    let deepseek = lines(&encode(&request(messages.clone()), dialect("deepseek")));
    assert!(deepseek.contains("\"reasoning_content\":\"hm\""));
    let odd = Dialect {
        system_role: SystemRole::Developer,
        reasoning_back: ReasoningBack::Text,
        store: true,
        result_name: true,
        assistant_after_result: true,
        ..Dialect::PLAIN
    };
    let odd = encode(&request(messages.clone()), odd);
    assert_eq!(odd["store"], false);
    let odd = lines(&odd);
    for want in [
        r#"{"role":"developer","content":"be brief"}"#,
        r#""content":"hm\n\ntwo\n\ncalls""#,
        r#""content":"Error: no such file","name":"read"}
{"role":"assistant","content":"(the results are read)"}
{"role":"user""#,
        r#"{"role":"assistant","content":"only"}"#,
    ] {
        assert!(odd.contains(want), "{want} is not in:\n{odd}");
    }
    let mut other = request(messages);
    other.origin = "x/other".to_owned();
    assert!(!lines(&encode(&other, dialect("deepseek"))).contains("reasoning_content"));
}

#[test]
fn settings_follow_the_dialect() {
    let mut request = request(vec![user("a")]);
    request.system = "".into();
    request.effort = Some(Effort::High);
    request.cache_key = Some("s-1".into());
    request.max_output_tokens = Some(5);
    request.tools = Arc::new([ToolSpec {
        name: "read".to_owned(),
        description: "d".to_owned(),
        parameters: json!({ "type": "object" }),
    }]);
    let mut shown = Vec::new();
    for name in ["openai", "openrouter", "mistral", "ollama"] {
        let body = encode(&request, catalog::find(name).unwrap().dialect);
        shown.push(format!("{name} {body}\n"));
    }
    expect![[r#"
        openai {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object"}}}],"max_completion_tokens":5,"reasoning_effort":"high","prompt_cache_key":"s-1"}
        openrouter {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object"}}}],"max_tokens":5,"reasoning":{"effort":"high"}}
        mistral {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object"}}}],"max_tokens":5,"reasoning_effort":"high"}
        ollama {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object"}}}],"max_tokens":5,"reasoning_effort":"high"}
    "#]].assert_eq(&shown.concat());
    let bare = encode(&super::tests::request(vec![user("a")]), Dialect::PLAIN);
    assert!(bare.get("tools").is_none() && bare.get("max_tokens").is_none());
}
