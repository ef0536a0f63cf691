//! Sessions of every version, there and back, and what of them a model reads.
#![expect(clippy::needless_pass_by_value, reason = "rows of tables read better without marks")]

use super::*;
use crate::history::{replay, tree};
use crate::store::{Entry, FORMAT_VERSION, Header, Store};
use pintle_llm::{Assistant, AssistantBlock, Message, invariants};
use pintle_protocol::content::Content;
use pintle_protocol::event::{EventRecord, StopReason};
use pintle_protocol::ids::SessionId;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Joins a file's lines.
fn file(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Returns a file's entries after storing and rereading them, and the session written in Pi's format.
fn stored(text: &str) -> (Vec<Entry>, Vec<Value>) {
    let read = read(text).unwrap();
    let mut count = 0;
    let imported = import(&read, None, &mut || {
        count += 1;
        format!("id-{count}")
    });
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    let id = SessionId::new("s");
    let header = Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: id.clone(),
        cwd: imported.cwd,
        created_ms: imported.created_ms,
    };
    let mut journal = store.create(&header).unwrap();
    for (seq, draft) in (1..).zip(imported.drafts) {
        let Draft { ts_ms, turn_id, event, private } = draft;
        let record =
            EventRecord { session_id: id.clone(), seq, ts_ms, turn_id, cause: None, event };
        journal.append(&record, private.as_deref()).unwrap();
    }
    let entries: Vec<Entry> = store.entries(&id).unwrap().map(Result::unwrap).collect();
    let lines = written(&header, &entries);
    (entries, lines)
}

/// Returns a journal as a Pi session.
fn written(header: &Header, entries: &[Entry]) -> Vec<Value> {
    let mut branch_points = BranchPoints::default();
    for entry in entries {
        branch_points.take(entry);
    }
    let mut writer = Writer::new(branch_points);
    let mut out = String::new();
    writer.begin(header, &mut out);
    for entry in entries {
        writer.entry(entry, &mut out);
    }
    writer.end(&mut out);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the model's input, one message per line.
fn conversation(text: &str) -> String {
    let entries = stored(text).0;
    let leaf = entries.last().unwrap().seq;
    let conversation = replay::conversation(&tree::on_path(entries, leaf));
    if !conversation.messages.is_empty() {
        assert_eq!(invariants::check(&conversation.messages), Ok(()));
    }
    let said = |content: &[Content]| {
        let texts = content.iter().map(|content| match content {
            Content::Text { text } => text.replace('\n', "⏎"),
            Content::Document { .. } => "<document>".to_owned(),
            Content::Image { mime_type, .. } => format!("({mime_type})"),
        });
        texts.collect::<Vec<_>>().join(" ")
    };
    let line = |message: &std::sync::Arc<Message>| match &**message {
        Message::User(content) => format!("user: {}\n", said(content)),
        Message::ToolResult(result) => {
            let mark = if result.is_error { "!" } else { "" };
            format!("result{mark} of {}: {}\n", result.call_id, said(&result.content))
        }
        Message::Assistant(assistant) => {
            let blocks = assistant.blocks.iter().map(|block| match block {
                AssistantBlock::Text { text, .. } => text.clone(),
                AssistantBlock::Reasoning { text, opaque } => {
                    let kept = opaque.as_ref().map(|kept| kept.0.get()).unwrap_or_default();
                    format!("<{text}{kept}>")
                }
                AssistantBlock::ToolCall { id, name, arguments, .. } => {
                    format!("{name}({arguments})={id}")
                }
                AssistantBlock::Unknown(_) => "?".to_owned(),
            });
            format!("{}: {}\n", assistant.origin, blocks.collect::<Vec<_>>().join(" "))
        }
    };
    conversation.messages.iter().map(line).collect()
}

fn head(version: u64) -> Value {
    json!({"type": "session", "version": version, "id": "p", "timestamp": "2026-11-22T08:00:00.000Z", "cwd": "/w"})
}

/// Builds an entry of version 2 or 3.
fn entry(id: &str, parent: Option<&str>, rest: Value) -> Value {
    let mut entry = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-22T08:00:01.500Z"});
    entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    entry
}

fn user(text: &str) -> Value {
    json!({"message": {"role": "user", "content": text, "timestamp": 1}})
}

fn reply(blocks: Value, stop: &str) -> Value {
    json!({"message": {"role": "assistant", "content": blocks, "api": "anthropic-messages", "provider": "a", "model": "m",
        "usage": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3,
            "cost": {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.123_456_789_012_345_67}},
        "stopReason": stop, "timestamp": 2, "responseId": "kept"}})
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn call(id: &str) -> Value {
    json!({"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "a"}})
}

fn result(id: &str, said: &str) -> Value {
    json!({"message": {"role": "toolResult", "toolCallId": id, "toolName": "read", "content": text(said), "details": {"x": 1},
        "isError": false, "timestamp": 3}})
}

/// A chain of entries, each the parent of the next; names are ids.
fn chain(version: u64, entries: &[(&str, Value)]) -> String {
    let mut lines = vec![head(version)];
    let mut parent = None;
    for (id, rest) in entries {
        lines.push(entry(id, parent, rest.clone()));
        parent = Some(id);
    }
    file(&lines)
}

#[test]
fn what_a_model_reads_of_an_imported_session() {
    let compaction = |first: &str| json!({"type": "compaction", "summary": "all", "firstKeptEntryId": first, "tokensBefore": 9});
    let heading = crate::context::compact::titled("");
    let heading = heading.trim();
    for (name, entries, want) in [
        ("nothing", vec![], String::new()),
        ("two turns", vec![("1", user("hi")), ("2", reply(text("yes"), "stop"))], "user: hi\na/m: yes\n".into()),
        (
            "a call and its result",
            vec![("1", user("hi")), ("2", reply(json!([call("c")]), "toolUse")), ("3", result("c", "seen"))],
            "user: hi\na/m: read({\"path\":\"a\"})=c\nresult of c: seen\n".into(),
        ),
        (
            "calls without results",
            vec![
                ("1", user("hi")),
                ("2", reply(json!([call("c"), call("d")]), "toolUse")),
                ("3", result("d", "seen")),
                ("4", user("so?")),
            ],
            "user: hi\na/m: read({\"path\":\"a\"})=c read({\"path\":\"a\"})=d\nresult! of c: Interrupted, outcome unknown: the imported session contains no result for this call. Check its effects before you continue.\nresult of d: seen\nuser: so?\n".into(),
        ),
        (
            "a cut reply keeps its words and none of its calls",
            vec![("1", user("hi")), ("2", reply(json!([{"type": "text", "text": "I"}, call("c")]), "aborted"))],
            "user: hi\na/m: I\n".into(),
        ),
        ("a reply of nothing", vec![("1", user("hi")), ("2", reply(json!([]), "error"))], "user: hi\n".into()),
        (
            "ids that come again",
            vec![
                ("1", user("hi")),
                ("2", reply(json!([call("c"), call("c")]), "toolUse")),
                ("3", result("c", "one")),
                ("4", result("c", "two")),
                ("5", result("c", "three")),
            ],
            "user: hi\na/m: read({\"path\":\"a\"})=c read({\"path\":\"a\"})=c_2\nresult of c: one\nresult of c_2: two\n".into(),
        ),
        (
            "a message between a call and its result waits",
            vec![
                ("1", user("hi")),
                ("2", reply(json!([call("c")]), "toolUse")),
                ("3", json!({"type": "custom_message", "customType": "x", "content": "by the way", "display": true})),
                ("4", result("c", "seen")),
                ("5", reply(text("yes"), "stop")),
            ],
            "user: hi\na/m: read({\"path\":\"a\"})=c\nresult of c: seen\nuser: by the way\na/m: yes\n".into(),
        ),
        (
            "thoughts are sent back with their signatures",
            vec![("1", user("hi")), ("2", reply(json!([
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"type": "thinking", "thinking": "[hidden]", "thinkingSignature": "d", "redacted": true},
                {"type": "text", "text": "yes"},
            ]), "stop"))],
            "user: hi\na/m: <hm{\"signature\":\"s\"}> <{\"type\":\"redacted_thinking\",\"data\":\"d\"}> yes\n".into(),
        ),
        (
            "summed up",
            vec![
                ("1", user("one")),
                ("2", reply(text("1"), "stop")),
                ("3", user("two")),
                ("4", reply(json!([call("c")]), "toolUse")),
                ("5", result("c", "seen")),
                ("6", compaction("3")),
                ("7", user("three")),
            ],
            format!("user: {heading}⏎⏎all⏎\nuser: two\na/m: read({{\"path\":\"a\"}})=c\nresult of c: seen\nuser: three\n"),
        ),
        (
            "summed up twice, the second time with nothing kept",
            vec![("1", user("one")), ("2", compaction("1")), ("3", user("two")), ("4", compaction("4")), ("5", user("three"))],
            format!("user: {heading}⏎⏎all⏎\nuser: three\n"),
        ),
        (
            "pictures, also of kinds that no model takes",
            vec![("1", json!({"message": {"role": "user", "content": [
                {"type": "image", "mimeType": "image/png", "data": "AA=="},
                {"type": "image", "mimeType": "image/tiff", "data": "AA=="},
            ]}}))],
            "user: (image/png) [an image of type image/tiff]\n".into(),
        ),
        (
            "a model speaks first",
            vec![("1", reply(text("yes"), "stop"))],
            "user: From the engine, not from the user: this session was imported, and begins here.\na/m: yes\n".into(),
        ),
        ("an empty message", vec![("1", user(""))], "user: (an empty message)\n".into()),
        (
            "a user's commands",
            vec![
                ("1", json!({"message": {"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 2, "cancelled": false, "truncated": true}})),
                ("2", json!({"message": {"role": "bashExecution", "command": "env", "output": "", "excludeFromContext": true}})),
            ],
            "user: The person ran `ls`⏎```⏎a⏎```⏎Exit code 2.⏎The output was cut.\n".into(),
        ),
        (
            "entries not meant for a model are omitted",
            vec![
                ("1", json!({"type": "custom", "customType": "x", "data": {"secret": 1}})),
                ("2", json!({"type": "label", "targetId": "1", "label": "here"})),
                ("3", json!({"type": "session_info", "name": "Named"})),
                ("4", json!({"type": "usage", "kind": "x"})),
                ("5", json!({"message": {"role": "system", "content": "", "sections": {}}})),
                ("6", result("nobody", "x")),
                ("7", json!({"message": 5})),
                ("8", json!({"type": "branch_summary", "fromId": "1", "summary": "tried"})),
            ],
            "user: From the engine, not from the user: what happened on a branch of this conversation that was left.⏎⏎<summary>⏎tried⏎</summary>\n".into(),
        ),
    ] {
        assert_eq!(conversation(&chain(3, &entries)), want, "{name}");
        // The same, with each line behind the one before.
        let (_, lines) = stored(&chain(3, &entries));
        let given: Vec<Value> = chain(3, &entries).lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids = |lines: &[Value]| lines.iter().map(|line| line["id"].clone()).collect::<Vec<_>>();
        let (mut out, mut come) = (ids(&lines[1..]), ids(&given));
        for (line, before) in lines[1..].iter().skip(1).zip(&lines[1..]) {
            assert_eq!(line["parentId"], before["id"], "{name}");
        }
        for line in &lines[1..] {
            let mut same = line.clone();
            let original = given.iter().find(|given| given["id"] == line["id"]).unwrap();
            same["parentId"] = original["parentId"].clone();
            assert_eq!(&same, original, "{name}: data from Pi is written back unchanged");
        }
        out.sort_by_key(ToString::to_string);
        come.sort_by_key(ToString::to_string);
        assert_eq!(out, come, "{name}: no line is lost or added");
    }
}

#[test]
fn earlier_versions_come_back_as_version_three() {
    let flat = |kind: &str, rest: Value| {
        let mut line = json!({"type": kind, "timestamp": "2026-11-22T08:00:01.000Z"});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        line
    };
    let one = file(&[
        json!({"type": "session", "id": "p", "timestamp": "2026-11-22T08:00:00.000Z", "cwd": "/w", "provider": "a", "modelId": "m", "thinkingLevel": "high"}),
        flat("message", user("one")),
        flat("message", reply(text("1"), "stop")),
        flat("message", user("two")),
        flat("compaction", json!({"summary": "all", "firstKeptEntryIndex": 3, "tokensBefore": 5})),
        flat("thinking_level_change", json!({"thinkingLevel": "off"})),
        flat("message", user("three")),
    ]);
    let heading = crate::context::compact::titled("");
    let heading = heading.trim();
    assert_eq!(conversation(&one), format!("user: {heading}⏎⏎all⏎\nuser: two\nuser: three\n"));
    let (entries, lines) = stored(&one);
    assert_eq!(lines[0]["version"], 3);
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[4]["firstKeptEntryId"], lines[3]["id"]);
    assert!(lines[4].get("firstKeptEntryIndex").is_none());
    let wires = entries.iter().map(|entry| serde_json::to_value(&entry.record).unwrap());
    let models: Vec<Value> = wires
        .filter(|wire: &Value| wire["event"]["type"] != "turn.started")
        .filter_map(|wire| wire["event"].get("model").cloned())
        .collect();
    assert_eq!(models, ["a/m:high", "a/m"]);

    let hook = json!({"message": {"role": "hookMessage", "customType": "x", "content": "from a hook", "display": true, "timestamp": 1}});
    let two = chain(2, &[("1", user("one")), ("2", hook)]);
    assert_eq!(conversation(&two), "user: one\nuser: from a hook\n");
    assert_eq!(stored(&two).1[2]["message"]["role"], "custom");
}

#[test]
fn the_field_of_reasoning_is_told_between_both_programs() {
    for (api, field, want) in [
        ("openai-completions", "reasoning_content", Some("reasoning_content")),
        ("openai-completions", "reasoning", None),
        ("google-generative-ai", "", None),
    ] {
        let block = json!({ "type": "thinking", "thinking": "hm", "thinkingSignature": field });
        let opaque = super::blocks::opaque(api, block.as_object().unwrap());
        let kept = opaque.as_ref().map(|opaque| opaque.0.get());
        assert_eq!(kept, want.map(|_| r#"{"field":"reasoning_content"}"#), "{api} {field}");
        let reply = Assistant {
            effort: None,
            blocks: vec![AssistantBlock::Reasoning { text: "hm".to_owned(), opaque }],
            origin: "a/m".to_owned(),
            stop: StopReason::EndTurn,
        };
        let written = super::blocks::reply(&reply);
        let signature = written[0].get("thinkingSignature").and_then(Value::as_str);
        assert_eq!(signature, want, "{api} {field}");
    }
}

#[test]
fn of_a_tree_a_model_reads_the_branch_of_the_last_line() {
    let tree = file(&[
        head(3),
        entry("1", None, user("root")),
        entry("2", Some("1"), reply(text("left"), "stop")),
        entry("3", Some("2"), user("more left")),
        entry("4", Some("1"), reply(text("right"), "stop")),
        entry("5", Some("4"), json!({"type": "session_info", "name": " Named "})),
    ]);
    assert_eq!(conversation(&tree), "user: root\na/m: right\n");
    let imported = import(&read(&tree).unwrap(), Some("/here"), &mut || "x".to_owned());
    assert_eq!(imported.cwd, "/here");
    assert_eq!(imported.warnings, [""; 0]);
    let lost =
        file(&[head(3), entry("1", None, user("one")), entry("2", Some("gone"), user("two"))]);
    assert_eq!(conversation(&lost), "user: one\nuser: two\n");
    let round =
        file(&[head(3), entry("1", Some("2"), user("one")), entry("2", Some("1"), user("two"))]);
    assert_eq!(conversation(&round), "user: one\nuser: two\n");
}

#[test]
fn what_is_no_session_is_refused_with_its_line() {
    for (name, text, want) in [
        ("empty", String::new(), "the file is empty"),
        ("blank", "\n \n".to_owned(), "the file is empty"),
        ("prose", "# Title".to_owned(), "line 1 is not a Pi session header"),
        ("other JSON", "\n{\"a\":1}".to_owned(), "line 2 is not a Pi session header"),
        ("a list", "[]".to_owned(), "line 1 is not a Pi session header"),
        (
            "a pintle journal",
            "{\"journal\":\"pintle\",\"version\":1}".to_owned(),
            "line 1 is not a Pi session header",
        ),
        ("without an id", "{\"type\":\"session\"}".to_owned(), "line 1 is not a Pi session header"),
        (
            "of tomorrow",
            head(4).to_string(),
            "line 1 has version 4; supported are versions up to 3",
        ),
    ] {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.starts_with(want), "{name}: {error}");
    }
    let damaged =
        format!("{}\r\n{{\"type\":\"mess\n{}\n7\n", head(3), entry("1", None, user("hi")));
    assert_eq!(
        read(&damaged).unwrap().warnings,
        ["line 2 is damaged and was skipped", "line 4 is damaged and was skipped"]
    );
    assert_eq!(conversation(&damaged), "user: hi\n");
}

#[test]
fn what_a_compaction_keeps_stays_where_its_first_line_is_written_twice() {
    // The reply's call has no result, so what follows it is another path from the moment that the session goes back there.
    let keeps =
        json!({"type": "compaction", "summary": "all", "firstKeptEntryId": "3", "tokensBefore": 1});
    let text = file(&[
        head(3),
        entry("1", None, user("one")),
        entry("2", None, reply(json!([call("c")]), "odd")),
        entry(
            "3",
            Some("2"),
            json!({"type": "custom_message", "content": [{"type": "text", "text": "x"}]}),
        ),
        entry("4", None, user("left")),
        entry("5", Some("3"), user("on")),
        entry("6", Some("5"), keeps),
    ]);
    let before = conversation(&text);
    assert!(before.ends_with("user: x\nuser: on\n"), "{before}");
    assert_eq!(conversation(&file(&stored(&text).1)), before);
}

#[test]
fn a_compaction_keeps_no_message_from_before_its_first_line() {
    let text = chain(
        3,
        &[
            ("1", reply(json!([call("c")]), "odd")),
            ("2", json!({"type": "custom_message", "content": text("x")})),
            ("3", json!({"type": "model_change", "provider": "b", "modelId": "n"})),
            (
                "4",
                json!({"type": "compaction", "summary": "all", "firstKeptEntryId": "3", "tokensBefore": 1}),
            ),
        ],
    );
    let before = conversation(&text);
    assert!(!before.contains("user: x"), "{before}");
    assert_eq!(conversation(&file(&stored(&text).1)), before);
}

#[test]
fn missing_results_count_among_what_a_compaction_keeps() {
    let text = chain(
        3,
        &[
            ("1", reply(json!([call("c")]), "odd")),
            ("2", json!({"type": "custom_message", "content": text("x")})),
            ("3", json!({"type": "model_change", "provider": "b", "modelId": "n:high"})),
            ("4", reply(json!([call("c"), call("c")]), "toolUse")),
            (
                "5",
                json!({"type": "compaction", "summary": "all", "firstKeptEntryId": "3", "tokensBefore": 1}),
            ),
        ],
    );
    let before = conversation(&text);
    assert!(!before.contains("user: x"), "{before}");
    assert_eq!(conversation(&file(&stored(&text).1)), before);
}

/// Any entry: well-formed, half-formed or odd.
fn any_entry() -> impl Strategy<Value = Value> {
    let id = || prop_oneof![Just("c"), Just("d"), Just("")];
    prop_oneof![
        "[a ]{0,2}".prop_map(|text| user(&text)),
        (prop::collection::vec(id(), 0..3), prop_oneof![Just("toolUse"), Just("stop"), Just("aborted"), Just("odd")])
            .prop_map(|(ids, stop)| reply(ids.into_iter().map(call).collect(), stop)),
        Just(reply(text("said"), "stop")),
        id().prop_map(|id| result(id, "seen")),
        "[1-9]".prop_map(|id| json!({"type": "compaction", "summary": "all", "firstKeptEntryId": id, "tokensBefore": 1})),
        Just(json!({"type": "custom_message", "content": [{"type": "text", "text": "x"}]})),
        Just(json!({"type": "model_change", "provider": "b", "modelId": "n:high"})),
        Just(json!({"type": "thinking_level_change", "thinkingLevel": "low"})),
        "[1-9]".prop_map(|id| json!({"type": "label", "targetId": id, "label": "here"})),
        Just(json!({"type": "odd", "message": null, "id": 7, "timestamp": "never"})),
    ]
}

proptest! {
    // Each case writes files.
    #![proptest_config(pintle_testing::chance::cases(64))]
    #[test]
    fn whatever_stands_in_a_session_the_conversation_is_legal_and_goes_back(
        entries in prop::collection::vec((any_entry(), 0..12usize), 0..12)
    ) {
        let mut lines = vec![head(3)];
        for (number, (rest, parent)) in entries.iter().enumerate() {
            let parent = (*parent > 0).then(|| parent.to_string());
            lines.push(entry(&(number + 1).to_string(), parent.as_deref(), rest.clone()));
        }
        let text = file(&lines);
        let before = conversation(&text);
        // What was written is read again, and a model reads the same.
        let again = stored(&text).1;
        let ids: std::collections::HashSet<String> = again.iter().skip(1).map(|line| line["id"].to_string()).collect();
        prop_assert_eq!(ids.len(), again.len() - 1, "every line has a distinct id");
        prop_assert_eq!(conversation(&file(&again)), before);
    }
}

mod branches;
