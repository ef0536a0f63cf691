use super::*;
use crate::trace::Trace;
use pintle_testing::chance;
use proptest::prelude::*;
use serde_json::json;

fn tools() -> Arc<[ToolSpec]> {
    let tool = |name: &str, parameters| ToolSpec {
        name: name.to_owned(),
        description: format!("About {name}."),
        parameters,
        grammar: None,
        built_in: None,
    };
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}});
    [tool("read", path), tool("ls", json!({"type": "object"}))].into()
}

/// Returns the pieces of a reply that arrives in chunks of this size, adjacent texts joined.
fn parsed(reply: &str, size: usize) -> String {
    let mut parser = Parser::new(tools());
    let chars: Vec<char> = reply.chars().collect();
    let chunks = chars.chunks(size).map(|chunk| chunk.iter().collect::<String>());
    let mut pieces: Vec<Piece> = chunks.flat_map(|chunk| parser.push(&chunk)).collect();
    pieces.extend(parser.end());
    let mut shown: Vec<String> = Vec::new();
    let mut is_text = false;
    for piece in pieces {
        match piece {
            Piece::Text(text) if is_text => shown.last_mut().unwrap().push_str(&text),
            Piece::Text(text) => {
                shown.push(text);
                is_text = true;
            }
            Piece::Call { name, arguments } => {
                shown.push(format!("{name}({arguments})"));
                is_text = false;
            }
        }
    }
    shown.join(" | ")
}

#[test]
fn calls_are_found_in_every_form_and_in_any_pieces() {
    for (name, reply, want) in [
        ("no call", "just <b>text</b> and `code`", "just <b>text</b> and `code`"),
        (
            "the prompt's form",
            "Look:\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
            "Look:\n | read({\"path\":\"a\"})",
        ),
        (
            "two calls and text",
            "<tool_call>{\"name\": \"ls\"}</tool_call>\n<tool_call>{\"name\": \"ls\", \"arguments\": null}</tool_call> ok",
            "ls({}) | ls({}) | ok",
        ),
        (
            "a list",
            "<tool_call>[{\"name\":\"ls\"},{\"name\":\"ls\"}]</tool_call>",
            "ls({}) | ls({})",
        ),
        (
            "a fence",
            "```tool_call\n{\"name\": \"read\", \"parameters\": {\"path\": \"```\"}}\n```\ndone",
            "read({\"path\":\"```\"}) | done",
        ),
        ("another fence", "```json\n{\"a\": 1}\n```", "```json\n{\"a\": 1}\n```"),
        ("JSON alone", "{\"name\": \"ls\", \"arguments\": {}}", "ls({})"),
        ("fenced JSON alone", "```json\n{\"name\": \"ls\", \"arguments\": {}}\n```", "ls({})"),
        (
            "JSON of another kind",
            "{\"name\": \"x\", \"arguments\": {}}",
            "{\"name\": \"x\", \"arguments\": {}}",
        ),
        ("Mistral", "[TOOL_CALLS] [{\"name\": \"ls\", \"arguments\": {}}]", "ls({})"),
        ("Llama", "<function=read>{\"path\": \"a\"}</function>", "read({\"path\":\"a\"})"),
        (
            "Qwen3-Coder",
            "<tool_call>\n<function=read>\n<parameter=path>\n12\n</parameter>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>",
            "read({\"path\":\"12\",\"limit\":3})",
        ),
        (
            "the mark in an argument",
            "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"</tool_call>\"}}</tool_call>",
            "read({\"path\":\"</tool_call>\"})",
        ),
        (
            "line breaks in a string",
            "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a\n\\\"b\\\"\tc\"}}</tool_call>",
            "read({\"path\":\"a\\n\\\"b\\\"\\tc\"})",
        ),
        (
            "arguments as text",
            "<tool_call>{\"name\": \"read\", \"arguments\": \"{\\\"path\\\": \\\"a\\\"}\"}</tool_call>",
            "read({\"path\":\"a\"})",
        ),
        ("no end", "<tool_call>{\"name\": \"ls\"}", "ls({})"),
        ("half an end", "<tool_call>{\"name\": \"ls\"}</tool", "ls({})"),
        (
            "cut",
            "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a",
            "read({\"path\": \"a)",
        ),
        (
            "malformed",
            "<tool_call>{\"name\": \"read\", \"arguments\": {path}}</tool_call>",
            "read({path}})",
        ),
        ("no name", "<tool_call>what?</tool_call>", "<tool_call>what?"),
        (
            "an invented result",
            "<tool_call>{\"name\": \"ls\"}</tool_call>\n<tool_result>\na\n</tool_result>\nSo a.",
            "ls({})",
        ),
        ("a result as a subject", "the tag <tool_result> is", "the tag <tool_result> is"),
        ("half a mark", "a <tool_cal", "a <tool_cal"),
        ("half a fence", "```", "```"),
        ("half a mark alone", "[TOOL", "[TOOL"),
        ("white space", " \n ", ""),
    ] {
        for size in [1, 2, 7, 1000] {
            assert_eq!(parsed(reply, size), want, "{name} in pieces of {size}");
        }
    }
}

proptest! {
    #![proptest_config(chance::cases(200))]
    #[test]
    fn any_reply_gives_the_same_calls_in_any_pieces(
        parts in proptest::collection::vec(prop_oneof![
            Just("<tool_call>"), Just("</tool_call>"), Just("```tool_call\n"), Just("\n```"), Just("<function=ls>"),
            Just("</function>"), Just("[TOOL_CALLS]"), Just("<tool_result"), Just("{\"name\": \"ls\"}"), Just("a"), Just("\n"),
            Just("{"), Just("\""), Just("```json"), Just("ü"),
        ], 0..12),
        size in 1..9_usize,
    ) {
        let reply = parts.concat();
        prop_assert_eq!(parsed(&reply, size), parsed(&reply, 10_000));
    }
}

#[test]
fn a_request_has_its_tools_calls_and_results_in_its_texts() {
    let said = |text: &str| AssistantBlock::Text { text: text.to_owned(), opaque: None };
    let called = |id: &str, arguments: &str| AssistantBlock::ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
        opaque: None,
    };
    let result = |id: &str, text: &str, is_error| {
        let content = vec![Content::text(text)];
        let (call_id, tool_name) = (id.to_owned(), "read".to_owned());
        Message::ToolResult(ToolResult { call_id, tool_name, content, is_error })
    };
    let blocks = vec![said("I look."), called("1", "{\"path\": \"a\"}"), called("2", "")];
    let reply =
        Assistant { effort: None, blocks, origin: "o/m".to_owned(), stop: StopReason::ToolUse };
    let messages = [
        Message::User(vec![Content::text("go")]),
        Message::Assistant(reply),
        result("1", "one", false),
        result("2", "no", true),
        Message::User(vec![Content::text("on")]),
    ];
    let mut request = Request {
        model: "m".to_owned(),
        origin: "o/m".to_owned(),
        system: "Be brief.".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: tools(),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: Trace::default(),
    };
    into_text(&mut request);
    assert!(request.tools.is_empty());
    assert!(request.system.starts_with("Be brief.\n\n# Tools\n"), "{}", request.system);
    assert!(request.system.contains("\n## ls\n\nAbout ls.\n\nSchema: {\"type\":\"object\"}\n"));
    let texts: Vec<String> = request
        .messages
        .iter()
        .map(|message| match &**message {
            Message::User(content) => Content::texts(content),
            Message::Assistant(reply) => match reply.blocks.as_slice() {
                [AssistantBlock::Text { text, .. }] => text.clone(),
                other => panic!("{other:?}"),
            },
            Message::ToolResult(_) => panic!("a result is left"),
        })
        .collect();
    assert_eq!(
        texts,
        [
            "go",
            "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"read\", \"arguments\": {}}\n</tool_call>",
            "<tool_result name=\"read\">\none\n</tool_result>\n<tool_result name=\"read\" status=\"failed\">\nno\n</tool_result>\non",
        ]
    );
}
