#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use super::encode;
use crate::catalog::{self, Api, Dialect, ReasoningBack, SystemRole};
use crate::fixtures::decoded_text;
use crate::remote::decode_pieces;
use crate::{
    Accumulator, Assistant, AssistantBlock, Effort, Message, Request, ToolResult, ToolSpec,
};
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
    // Another id for each piece of a call, and two calls with the same number.
    check(
        &(chunks(&[
            "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"\"}}]}",
            "{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"arguments\":\"{\"}}]}",
            "{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"arguments\":\"}\"}}]}",
            "{\"tool_calls\":[{\"index\":0,\"id\":\"d\",\"function\":{\"name\":\"ls\"}}]}",
            "{\"tool_calls\":[{\"index\":0,\"id\":\"d\",\"function\":{\"arguments\":\"{}\"}}]}",
        ]) + FINISH),
        expect![[r#"
            call a read "{}"
            call d ls "{}"
            stop ToolUse
        "#]],
    );
    // A reply in one piece.
    check(
        "data: {\"choices\":[{\"message\":{\"content\":\"a\",\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}},{\"id\":\"y\",\"function\":{\"name\":\"read\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
        expect![[r#"
            text "a"
            call x ls "{}"
            call y read "{}"
            stop ToolUse
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
            reasoning "s" keeps "{\"field\":\"reasoning_content\"}"
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

/// The forms in which local servers stream calls. Source: issues 3412 of InternLM/lmdeploy (vLLM and SGLang), 9657 of sgl-project/sglang,
/// 649, 1318 and 378 of lmstudio-ai/lmstudio-bug-tracker, and the recorded stream of Ollama; read 2026-11.
#[test]
fn each_local_server_streams_calls_in_its_form() {
    let piece = |fields: &str, function: &str| {
        format!(
            "{{\"tool_calls\":[{{\"index\":0,\"type\":\"function\",{fields}\"function\":{function}}}]}}"
        )
    };
    let begin = |id: &str, name: &str| {
        piece(&format!("\"id\":\"{id}\","), &format!("{{\"name\":\"{name}\",\"arguments\":\"\"}}"))
    };
    let more =
        |fields: &str, name: &str| piece(fields, &format!("{{{name}\"arguments\":\"{{}}\"}}"));
    let role = "{\"role\":\"assistant\",\"content\":\"\"}".to_owned();
    let vllm = vec![
        role,
        begin("chatcmpl-tool-a", "read"),
        more("\"id\":\"\",", "\"name\":null,"),
        begin("chatcmpl-tool-b", "ls"),
        more("\"id\":\"\",", "\"name\":null,"),
    ];
    let sglang = vec![
        "{\"role\":null,\"content\":null,\"reasoning_content\":\"hm\",\"tool_calls\":null}"
            .to_owned(),
        begin("0", "read"),
        more("\"id\":\"0\",", "\"name\":null,"),
        begin("1", "ls"),
        more("\"id\":\"1\",", "\"name\":null,"),
    ];
    let studio = vec![
        "{\"role\":\"assistant\",\"reasoning_content\":\"hm\",\"tool_calls\":[]}".to_owned(),
        begin("365174485", "read"),
        more("", "\"name\":\"\","),
    ];
    let ollama = vec![
        "{\"role\":\"assistant\",\"content\":\"\",\"reasoning\":\"hm\"}".to_owned(),
        piece("\"id\":\"call_a\",", "{\"name\":\"read\",\"arguments\":\"{}\"}"),
    ];
    for (server, deltas, want) in [
        ("vLLM", vllm, "call chatcmpl-tool-a read \"{}\"\ncall chatcmpl-tool-b ls \"{}\"\n"),
        ("SGLang", sglang, "call 0 read \"{}\"\ncall 1 ls \"{}\"\n"),
        ("LM Studio", studio, "call 365174485 read \"{}\"\n"),
        ("Ollama", ollama, "call call_a read \"{}\"\n"),
    ] {
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let got = decoded_text(Api::Chat, &(chunks(&deltas) + FINISH));
        let (thoughts, rest): (Vec<_>, Vec<_>) =
            got.lines().partition(|line| line.starts_with("reasoning \"hm\""));
        assert_eq!(thoughts.len(), usize::from(server != "vLLM"), "{server}: {got}");
        assert_eq!(rest.join("\n"), format!("{want}stop ToolUse"), "{server}");
    }
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "m".to_owned(),
        origin: "x/m".to_owned(),
        system: "be brief".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
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
    Message::Assistant(Assistant {
        effort: None,
        blocks,
        origin: "x/m".to_owned(),
        stop: StopReason::ToolUse,
    })
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
        grammar: None,
        built_in: None,
    }]);
    let mut shown = Vec::new();
    for name in ["openai", "openrouter", "mistral", "ollama"] {
        let body = encode(&request, catalog::find(name).unwrap().dialect);
        shown.push(format!("{name} {body}\n"));
    }
    expect![[r#"
        openai {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}],"max_completion_tokens":5,"reasoning_effort":"high","prompt_cache_key":"s-1"}
        openrouter {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}],"max_tokens":5,"reasoning":{"effort":"high"}}
        mistral {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}],"max_tokens":5,"reasoning_effort":"high"}
        ollama {"model":"m","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{}}}}],"max_tokens":5,"reasoning_effort":"high"}
    "#]].assert_eq(&shown.concat());
    let bare = encode(&super::tests::request(vec![user("a")]), Dialect::PLAIN);
    assert!(bare.get("tools").is_none() && bare.get("max_tokens").is_none());
}

/// The first reply of a stream, sent back to the model that made it.
fn sent_back(provider: &str, model: &str, deltas: &[&str]) -> Value {
    let text = chunks(deltas) + FINISH;
    let mut said = Accumulator::default();
    for delta in decode_pieces(Api::Chat, vec![text.into()]) {
        said.push(&delta.unwrap());
    }
    let mut request = request(vec![
        user("a"),
        Message::Assistant(said.finish("x/m".to_owned())),
        result("c", vec![Content::text("r")], false),
    ]);
    model.clone_into(&mut request.model);
    let dialect = catalog::find(provider).map_or(Dialect::PLAIN, |entry| entry.dialect);
    encode(&request, dialect)["messages"][2].clone()
}

#[test]
fn reasoning_goes_back_in_the_field_it_came_in() {
    let call =
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]}"#;
    for (provider, model, field, want) in [
        ("own", "kimi-k2.5", "reasoning_content", true),
        ("moonshot", "kimi-k2-thinking", "reasoning_content", true),
        ("opencode", "deepseek-v4-pro", "reasoning_content", true),
        ("fireworks", "accounts/fireworks/models/kimi-k2p5", "reasoning_content", true),
        ("vllm", "m", "reasoning_content", true),
        // If the field differs, the model decides.
        ("vllm", "deepseek-ai/DeepSeek-V4", "reasoning", true),
        ("openrouter", "moonshotai/kimi-k2.6", "reasoning", true),
        ("vllm", "m", "reasoning", false),
        ("openrouter", "m", "reasoning_text", false),
        // These refuse the field.
        ("groq", "moonshotai/kimi-k2.5", "reasoning", false),
        ("cerebras", "deepseek-v4", "reasoning", false),
        ("deepseek", "m", "reasoning", true),
        ("own", "MiniMax-M2", "reasoning_content", true),
        ("own", "MiniMax-M2", "reasoning", false),
    ] {
        let thought = format!("{{\"{field}\":\"hm\"}}");
        let sent = sent_back(provider, model, &[&thought, call]);
        let want = want.then(|| json!("hm"));
        assert_eq!(sent.get("reasoning_content"), want.as_ref(), "{provider}/{model}: {sent}");
        assert_eq!(sent["tool_calls"][0]["id"], "c");
    }
}

#[test]
fn tagged_reasoning_goes_back_to_models_that_want_it() {
    let said = [r#"{"content":"<think>hm</think>yes"}"#];
    for (model, want) in [("m", "yes"), ("MiniMax-M2", "<think>\nhm\n</think>\n\nyes")] {
        assert_eq!(sent_back("own", model, &said)["content"], want, "{model}");
    }
}

#[test]
fn tagged_reasoning_is_reasoning() {
    let mark = r#"keeps "{\"field\":\"content\"}""#;
    for (name, pieces, want) in [
        ("whole", vec!["<think>hm</think>\n\nyes"], "reasoning \"hm\" MARK\ntext \"yes\"\n"),
        (
            "letter by letter",
            "\n<think>\na < b </thin k</think>\nyes <think>"
                .split("")
                .filter(|piece| !piece.is_empty())
                .collect(),
            "reasoning \"a < b </thin k\" MARK\ntext \"yes <think>\"\n",
        ),
        (
            "split over tags",
            vec!["<", "think>h", "m</", "think>", "\n", "yes", " or no"],
            "reasoning \"hm\" MARK\ntext \"yes or no\"\n",
        ),
        ("empty", vec!["<think>\n\n</think>\n\n", "yes"], "text \"yes\"\n"),
        ("not at the start", vec!["a <think>b</think>"], "text \"a <think>b</think>\"\n"),
        ("another tag", vec!["<t", "his>"], "text \"<this>\"\n"),
        ("a tag's beginning", vec!["<thin"], "text \"<thin\"\n"),
        ("blank", vec!["\n", " a"], "text \"\\n a\"\n"),
        ("never closed", vec!["<think>hm</th"], "reasoning \"hm</th\" MARK\n"),
        ("nothing but reasoning", vec!["<think>hm</think>"], "reasoning \"hm\" MARK\n"),
    ] {
        let deltas: Vec<_> =
            pieces.iter().map(|piece| json!({ "content": piece }).to_string()).collect();
        let deltas: Vec<_> = deltas.iter().map(String::as_str).collect();
        let got = decoded_text(Api::Chat, &(chunks(&deltas) + FINISH));
        let want = want.replace("MARK", mark);
        assert_eq!(got, format!("{want}stop EndTurn\n"), "{name}");
    }
    // A server with a separate reasoning parser has already sent the reasoning: the tag belongs to the answer.
    let deltas = [r#"{"reasoning":"r"}"#, r#"{"content":"<think>is a tag</think>"}"#];
    let got = decoded_text(Api::Chat, &(chunks(&deltas) + FINISH));
    assert_eq!(got, "reasoning \"r\"\ntext \"<think>is a tag</think>\"\nstop EndTurn\n");
    // Text after a call may reason again.
    let call =
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]}"#;
    let deltas = [r#"{"content":"<think>a</think>"}"#, call, r#"{"content":"<think>b</think>c"}"#];
    let got = decoded_text(Api::Chat, &(chunks(&deltas) + FINISH));
    let want = "reasoning \"a\" MARK\ncall c read \"{}\"\nreasoning \"b\" MARK\ntext \"c\"\nstop ToolUse\n".replace("MARK", mark);
    assert_eq!(got, want);
}

#[test]
fn text_of_legacy_completions_is_read() {
    let chunk = |choice: Value| format!("data: {}\n\n", json!({ "choices": [choice] }));
    let stream = chunk(json!({ "text": "a", "finish_reason": null }))
        + &chunk(json!({ "text": "b" }))
        + &chunk(json!({ "text": "", "finish_reason": "length" }));
    assert_eq!(decoded_text(Api::Chat, &stream), "text \"ab\"\nstop MaxTokens\n");
}

#[test]
fn a_reply_and_its_continuation_are_one_message() {
    let text = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    let paused = Message::Assistant(Assistant {
        effort: None,
        blocks: vec![text("one ")],
        origin: "x/m".to_owned(),
        stop: StopReason::Paused,
    });
    let both = vec![user("a"), paused.clone(), reply(vec![text("two"), call("c", "")])];
    let both = encode(&request(both), Dialect::PLAIN);
    assert_eq!(both["messages"].as_array().map(Vec::len), Some(4));
    assert_eq!(both["messages"][2]["content"], "one two");
    assert_eq!(both["messages"][2]["tool_calls"][0]["id"], "c");
    let silent = vec![user("a"), paused, reply(vec![call("c", "")])];
    let silent = encode(&request(silent), Dialect::PLAIN);
    assert_eq!(silent["messages"][2]["content"], "one ");
    assert_eq!(silent["messages"][2]["tool_calls"][0]["id"], "c");
}

#[test]
fn a_blank_reply_does_not_go_back() {
    let text = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    for (blocks, want) in [
        (vec![text("\n\n")], 1),
        (vec![text(" "), text("\n")], 1),
        (vec![text("\n\n"), call("c", "")], 3),
        (vec![text(" x")], 3),
        (vec![text("x"), text("\n")], 3),
    ] {
        let messages = vec![user("a"), reply(blocks), user("b")];
        let body = encode(&request(messages), Dialect::PLAIN);
        let roles: Vec<_> = body["messages"].as_array().unwrap().iter().skip(1).collect();
        assert_eq!(roles.len(), want, "{body}");
    }
}

#[test]
fn nothing_blank_is_sent() {
    let text = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    let result = |content: Vec<Content>| {
        Message::ToolResult(ToolResult {
            call_id: "c".into(),
            tool_name: "read".to_owned(),
            content,
            is_error: false,
        })
    };
    for (name, messages, path, want) in [
        ("a blank message", vec![user(" \n")], "/messages/1/content", json!("(blank message)")),
        (
            "a blank part",
            vec![Message::User(vec![Content::text("a"), Content::text(" ")])],
            "/messages/1/content",
            json!("a"),
        ),
        (
            "blank text before a call",
            vec![user("a"), reply(vec![text("\n\n"), call("c", "")]), result(Vec::new())],
            "/messages/2/content",
            Value::Null,
        ),
        (
            "blank output",
            vec![user("a"), reply(vec![call("c", "")]), result(vec![Content::text(" \n")])],
            "/messages/3/content",
            json!("(no output)"),
        ),
        (
            "a reply at the end",
            vec![user("a"), reply(vec![text("b")])],
            "/messages/3/content",
            json!("Continue."),
        ),
    ] {
        let body = encode(&request(messages), Dialect::PLAIN);
        assert_eq!(body.pointer(path), Some(&want), "{name}: {body:#}");
    }
}
