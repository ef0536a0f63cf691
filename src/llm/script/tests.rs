use super::*;
use crate::{Accumulator, ToolResult};
use expect_test::expect;
use futures_util::FutureExt;
use pintle_protocol::content::Content;

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "m".to_owned(),
        origin: "script/m".to_owned(),
        system: "".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}

fn hi() -> Request {
    request(vec![Message::User(vec![Content::text("hi")])])
}

const DEMO: &str = r#"{"replies":[
    {"blocks":[{"reasoning":"hm, let me see"},{"text":"I look."},{"tool":"bash","arguments":{"command":"ls -l"}}]},
    {"blocks":[{"text":"done"}],"stop":"maxTokens","usage":{"inputTokens":3,"outputTokens":1}},
    {"blocks":[{"text":"half"}],"error":{"kind":"overloaded","message":"busy","retryAfterMs":50}},
    {"error":{"kind":"auth","message":"no"}}]}"#;

#[tokio::test]
async fn replies_come_in_small_pieces_and_in_order() {
    let script = Script::from_json(DEMO).unwrap();
    let mut stream = script.stream(hi()).await.unwrap();
    let mut shown = Vec::new();
    let mut message = Accumulator::default();
    while let Some(delta) = stream.next().await {
        let delta = delta.unwrap();
        message.push(&delta);
        shown.push(format!("{delta:?}"));
    }
    expect![[r#"
        Start { index: 0, block: Reasoning }
        Text { index: 0, text: "hm, " }
        Text { index: 0, text: "let " }
        Text { index: 0, text: "me " }
        Text { index: 0, text: "see" }
        End { index: 0 }
        Start { index: 1, block: Text }
        Text { index: 1, text: "I " }
        Text { index: 1, text: "look." }
        End { index: 1 }
        Start { index: 2, block: ToolCall { id: "call_1", name: "bash" } }
        Arguments { index: 2, json: "{\"comma" }
        Arguments { index: 2, json: "nd\":\"ls" }
        Arguments { index: 2, json: " -l\"}" }
        End { index: 2 }
        Stop(ToolUse)
    "#]]
    .assert_eq(&(shown.join("\n") + "\n"));

    let mut messages = vec![Message::User(vec![Content::text("hi")])];
    messages.push(Message::Assistant(message.finish("script/m".to_owned())));
    let error = script.stream(request(messages.clone())).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Replay);
    assert!(error.message.contains("request 2 breaks a rule: message 2: call `call_1`"), "{error}");

    messages.push(Message::ToolResult(ToolResult {
        call_id: "call_1".to_owned(),
        tool_name: "bash".to_owned(),
        content: vec![Content::text("a.rs")],
        is_error: false,
    }));
    let second: Vec<_> = script.stream(request(messages)).await.unwrap().collect().await;
    expect![[r#"[Ok(Start { index: 0, block: Text }), Ok(Text { index: 0, text: "done" }), Ok(End { index: 0 }), Ok(Usage(Usage { input_tokens: 3, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, web_searches: 0 })), Ok(Stop(MaxTokens))]"#]]
    .assert_eq(&format!("{second:?}"));

    let third: Vec<_> = script.stream(hi()).await.unwrap().collect().await;
    let failure = third.last().unwrap().as_ref().err().unwrap();
    assert_eq!(
        (failure.kind, failure.retry_after),
        (ErrorKind::Overloaded, Some(Duration::from_millis(50)))
    );
    assert_eq!(script.stream(hi()).await.err().unwrap().kind, ErrorKind::Auth);
    let end = script.stream(hi()).await.err().unwrap();
    assert_eq!(end.message, "the script has no reply for request 6");
    assert_eq!(script.requests().len(), 6);
}

#[tokio::test]
async fn a_gate_holds_the_reply_until_it_is_opened() {
    let script = Script::new([Reply::new().text("one two").gate("g").text("three")]);
    let mut stream = script.stream(hi()).await.unwrap();
    for _ in 0..3 {
        stream.next().await.unwrap().unwrap();
    }
    assert!(script.reached("g").now_or_never().is_none());
    assert!(stream.next().now_or_never().is_none(), "it stands at the gate");
    script.reached("g").await;
    script.open("g");
    let rest: Vec<_> = stream.map(Result::unwrap).collect().await;
    assert_eq!(
        format!("{rest:?}"),
        r#"[Text { index: 0, text: "three" }, End { index: 0 }, Stop(EndTurn)]"#
    );
}

#[test]
fn a_hanging_reply_never_answers() {
    let script = Script::new([Reply::hanging(), Reply::new().text("a").then_hang()]);
    assert!(script.stream(hi()).now_or_never().is_none());
    let mut stream = script.stream(hi()).now_or_never().unwrap().unwrap();
    for _ in 0..2 {
        assert!(stream.next().now_or_never().is_some());
    }
    assert!(stream.next().now_or_never().is_none());
}

#[test]
fn broken_scripts_say_where() {
    for (text, want) in [
        ("{", "EOF"),
        ("[]", "expected an object with `replies`, not a list"),
        (r#"{"replies":[{"blocks":[{"txt":"a"}]}]}"#, "unknown field `txt`"),
        (r#"{"replies":[{"blocks":[{"text":"a","gate":"b"}]}]}"#, "a block has exactly one of"),
        (r#"{"replies":[{"error":{"kind":"bad"}}]}"#, "`bad` is not a kind of error"),
    ] {
        let error = Script::from_json(text).unwrap_err();
        assert!(error.message.contains(want), "{error}");
    }
}

#[test]
fn a_script_may_begin_with_a_mark_of_its_encoding_and_errors_name_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    for (text, want) in [
        ("\u{feff}{\"replies\":[]}", None),
        ("{\"reply\":[]}", Some("script.json: not a script: unknown field `reply`")),
        ("", Some("script.json: not a script: EOF")),
    ] {
        std::fs::write(&path, text).unwrap();
        let message = Script::load(&path).err().map(|error| error.message);
        let is_told = match (&message, want) {
            (Some(message), Some(want)) => message.contains(want),
            (message, want) => message.is_none() && want.is_none(),
        };
        assert!(is_told, "{text}: {message:?}");
    }
}

#[test]
fn a_failure_without_words_names_its_kind() {
    let script = r#"{"replies":[{"error":{"kind":"overloaded"}}]}"#;
    let stream = Script::from_json(script).unwrap().stream(hi()).now_or_never().unwrap();
    assert_eq!(stream.err().unwrap().message, "the script fails with `overloaded`");
}

#[test]
fn the_schema_accepts_what_a_script_may_hold() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let guide = include_str!("../../cli/help/scripting.md");
    let shown = guide.split("```json\n").filter_map(|rest| rest.split("```").next());
    let shown: Vec<&str> = shown.filter(|text| text.contains("\"replies\"")).collect();
    assert_eq!(shown.len(), 1, "the guide shows a script");
    for (text, is_script) in [
        (shown[0], true),
        (r#"{"replies": []}"#, true),
        (r#"{"replies": [{}], "delayMs": 3}"#, true),
        (r#"{"$schema": "script.schema.json", "replies": []}"#, true),
        (r#"{"replies": [{"blocks": [{"text": "x"}, {"gate": "g"}], "stop": "maxTokens"}]}"#, true),
        (
            r#"{"replies": [{"blocks": [{"tool": "bash", "arguments": "{broken"}], "of": "x"}]}"#,
            true,
        ),
        (
            r#"{"replies": [{"blocks": [{"reasoning": "x", "opaque": {"a": 1}}], "hang": true}]}"#,
            true,
        ),
        (r#"{"replies": [{"error": {"kind": "rateLimit", "retryAfterMs": 5}}]}"#, true),
        (r#"{"replies": [{"usage": {"inputTokens": 1, "outputTokens": 2}}]}"#, true),
        ("{}", false),
        ("[]", false),
        (r#"{"replies": [{"texts": []}]}"#, false),
        (r#"{"replies": [{"blocks": [{}]}]}"#, false),
        (r#"{"replies": [{"blocks": [{"text": "a", "tool": "b"}]}]}"#, false),
        (r#"{"replies": [{"stop": "stopped"}]}"#, false),
        (r#"{"replies": [{"error": {"kind": "bad luck"}}]}"#, false),
        (r#"{"replies": [{"usage": {"inputTokens": 1}}]}"#, false),
    ] {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(Script::from_json(text).is_ok(), is_script, "as it is read: {text}");
        assert_eq!(schema.is_valid(&value), is_script, "by the schema: {text}");
    }
    for kind in ErrorKind::ALL {
        let text = format!(r#"{{"replies": [{{"error": {{"kind": "{}"}}}}]}}"#, kind.code());
        assert!(schema.is_valid(&serde_json::from_str(&text).unwrap()), "{text}");
    }
}
