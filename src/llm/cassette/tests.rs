use super::*;
use futures_util::FutureExt;
use pintle_base::ambient::Secret;
use serde_json::json;

fn request(messages: &serde_json::Value) -> WireRequest {
    WireRequest {
        url: "https://h.test/v1/chat/completions?x=1".to_owned(),
        headers: vec![("authorization".to_owned(), Secret::new("Bearer sk-0123456789"))],
        body: json!({ "model": "m", "messages": messages }),
    }
}

fn hi() -> serde_json::Value {
    json!([{ "role": "user", "content": "hi" }])
}

fn heard(
    wire: &dyn Wire,
    request: WireRequest,
) -> Result<(u16, Vec<Result<String, ErrorKind>>), Error> {
    let response = wire.send(request).now_or_never().unwrap()?;
    let pieces = response
        .body
        .map(|piece| match piece {
            Ok(bytes) => Ok(String::from_utf8(bytes.to_vec()).unwrap()),
            Err(error) => Err(error.kind),
        })
        .collect()
        .now_or_never()
        .unwrap();
    Ok((response.status, pieces))
}

#[test]
fn a_cassette_by_hand_answers_in_order() {
    let replay = Replay::parse(concat!(
        "{\"cassette\":1}\n\n",
        "{\"response\":{\"body\":\"data: a\\n\\n\"}}\n",
        "{\"request\":{\"path\":\"/v1/chat/completions\"},\"response\":{\"body\":[\"da\",\"ta: b\"],\"end\":\"broken\"}}\n",
        "{\"response\":{\"status\":429,\"headers\":{\"retry-after\":\"1\"}}}\n",
    ))
    .unwrap();
    assert_eq!(heard(&replay, request(&hi())).unwrap(), (200, vec![Ok("data: a\n\n".into())]));
    let broken = vec![Ok("da".into()), Ok("ta: b".into()), Err(ErrorKind::Network)];
    assert_eq!(heard(&replay, request(&hi())).unwrap(), (200, broken));
    assert_eq!(heard(&replay, request(&hi())).unwrap(), (429, vec![]));
    assert_eq!(replay.remaining(), 0);
    let error = heard(&replay, request(&hi())).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Replay);
    assert_eq!(error.message, "the cassette has 3 exchanges, but this is request 4");
}

#[test]
fn another_request_is_told_by_its_first_difference() {
    let tool = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "out" });
    let block = |id: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id }] });
    let user = |text: &str| json!({ "role": "user", "content": text });
    for (wanted, got, want) in [
        (json!([user("a")]), json!([user("something else")]), ""),
        (
            json!([user("a"), tool("1")]),
            json!([user("a"), tool("2")]),
            "message 1: expected tool with the results of 1 `out`, got tool with the results of 2 `out`",
        ),
        (
            json!([block("1")]),
            json!([block("2")]),
            "message 0: expected user with the results of 1",
        ),
        (
            json!([user("a")]),
            json!([user("a"), user("b")]),
            "message 1: expected no message, got user `b`",
        ),
        (
            json!([user("a"), user("b")]),
            json!([user("a")]),
            "message 1: expected user `b`, got no message",
        ),
        (
            json!([user("a")]),
            json!([{ "role": "system", "content": "s" }]),
            "message 0: expected user `a`, got system `s`",
        ),
    ] {
        let line = json!({
            "request": { "path": "/v1/chat/completions", "body": { "model": "m", "messages": wanted } },
            "response": {}
        });
        let outcome = heard(&Replay::parse(&line.to_string()).unwrap(), request(&got));
        let message = outcome.err().map(|error| error.message).unwrap_or_default();
        assert!(message.contains(want) && message.is_empty() == want.is_empty(), "{message}");
    }
    for (sent, want) in [
        (json!({ "path": "/v1/messages" }), "expected path /v1/messages, got /v1/chat/completions"),
        (
            json!({ "path": "/v1/chat/completions", "body": { "model": "x" } }),
            "expected model \"x\", got \"m\"",
        ),
    ] {
        let line = json!({ "request": sent, "response": {} }).to_string();
        let error = heard(&Replay::parse(&line).unwrap(), request(&hi())).unwrap_err();
        assert!(error.message.contains(want), "{error}");
    }
    assert!(Replay::parse("\n{\"respons\":{}}").unwrap_err().message.starts_with("line 2"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "cassettes are files")]
fn a_recording_is_replayed_and_contains_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    std::fs::write(folder.path().join("hello.sse"), "data: hello\n\n").unwrap();
    let by_hand = folder.path().join("hand.jsonl");
    std::fs::write(&by_hand, concat!(
        "{\"response\":{\"headers\":{\"request-id\":\"r1\",\"date\":\"x\"},\"bodyFile\":\"hello.sse\"}}\n",
        "{\"response\":{\"body\":[\"you sent sk-0123456789\",\"!\"],\"end\":\"broken\"}}\n",
        "{\"response\":{\"body\":[\"a\",\"b\"]}}\n",
    ))
    .unwrap();
    let record = Record::new(Arc::new(Replay::load(&by_hand).unwrap()), &path);
    heard(&record, request(&hi())).unwrap();
    heard(&record, request(&hi())).unwrap();
    let mut left = record.send(request(&hi())).now_or_never().unwrap().unwrap();
    left.body.next().now_or_never().unwrap().unwrap().unwrap();
    drop(left);

    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("0123456789"), "{text}");
    expect_test::expect![[r#"
        {"request":{"method":"POST","path":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}},"response":{"status":200,"headers":{"request-id":"r1"},"body":["data: hello\n\n"]}}
        {"request":{"method":"POST","path":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}},"response":{"status":200,"body":["you sent ***","!"],"end":"broken"}}
        {"request":{"method":"POST","path":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}},"response":{"status":200,"body":["a"],"end":"dropped"}}
    "#]]
    .assert_eq(&text);

    let replay = Replay::load(&path).unwrap();
    assert_eq!(heard(&replay, request(&hi())).unwrap().1, [Ok("data: hello\n\n".to_owned())]);
    assert_eq!(heard(&replay, request(&hi())).unwrap().1.len(), 3);
    let mut last = replay.send(request(&hi())).now_or_never().unwrap().unwrap();
    assert!(last.body.next().now_or_never().is_some());
    assert!(last.body.next().now_or_never().is_none(), "it waits to be left");
}

#[test]
fn a_cut_inside_a_character_is_healed_in_the_file() {
    let pieces =
        [Bytes::from_static(b"a\xc3"), Bytes::from_static(b"\xbcb"), Bytes::from_static(b"\xff")];
    let sent = RecordedRequest { method: "POST".to_owned(), path: "/".to_owned(), body: None };
    let line =
        exchange::line(sent, 200, std::collections::BTreeMap::new(), &pieces, End::Whole, &[]);
    assert!(line.contains(r#""body":["aüb","�"]"#), "{line}");
}

#[test]
fn a_recorded_stream_answers_a_provider() {
    use crate::{Api, Endpoint, Message, Request, connect};
    use pintle_protocol::content::Content;
    let folder =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/provider-streams/anthropic");
    let folder = std::path::absolute(folder).unwrap();
    let folder = folder.display();
    let tape = tempfile::NamedTempFile::new().unwrap();
    let line = json!({
        "request": { "path": "/v1/messages", "body": { "model": "claude-sonnet-4-5", "messages": [{ "role": "user" }] } },
        "response": { "bodyFile": format!("{folder}/parallel-tools-1.sse") }
    });
    tape.as_file().write_all(line.to_string().as_bytes()).unwrap();
    let replay = Arc::new(Replay::load(tape.path()).unwrap());
    let provider = connect(Endpoint::new("anthropic", Api::Messages, "http://h"), replay);
    let request = Request {
        model: "claude-sonnet-4-5".to_owned(),
        origin: "anthropic/claude-sonnet-4-5".to_owned(),
        system: "".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("add")]))].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    };
    let stream = provider.stream(request).now_or_never().unwrap().unwrap();
    let deltas: Vec<_> = stream.collect().now_or_never().unwrap();
    assert!(deltas.len() > 10 && deltas.iter().all(Result::is_ok), "{deltas:?}");
}
