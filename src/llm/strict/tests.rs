//! Broken bodies, and the refusal of each.

use super::{check, check_mistral};
use crate::catalog::Api;
use serde_json::{Value, json};

/// Checks each body: `Err` with this text, or none.
fn refused(api: Api, model: &str, rows: Vec<(Value, &str)>) {
    for (body, want) in rows {
        let got = check(api, model, &body);
        match want {
            "" => assert_eq!(got, Ok(()), "{body}"),
            want => assert!(
                got.clone().is_err_and(|got| got.starts_with(want)),
                "{got:?} ≠ {want}: {body}"
            ),
        }
    }
}

#[test]
fn messages() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let user = |content: Value| json!({ "role": "user", "content": content });
    let said = || user(json!([text("a")]));
    let reply = |content: Value| json!({ "role": "assistant", "content": content });
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let result =
        |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": [text("x")] });
    let thought = || json!({ "type": "thinking", "thinking": "t", "signature": "S" });
    let search =
        || json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} });
    let tool = || json!({ "name": "f", "input_schema": { "type": "object" } });
    let body =
        |messages: Value| json!({ "max_tokens": 4096, "messages": messages, "tools": [tool()] });
    let with = |key: &str, value: Value| {
        let mut body = body(json!([said()]));
        body[key] = value;
        body
    };
    let thinks = |messages: Value| {
        let mut body = body(messages);
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": 1024 });
        body
    };
    let searching = |messages: Value| {
        let mut body = body(messages);
        body["tools"] = json!([{ "type": "web_search_20250305", "name": "web_search" }, tool()]);
        body
    };
    let marked = |number: usize| {
        let mut block = text("a");
        block["cache_control"] = json!({ "type": "ephemeral" });
        body(json!([user(vec![block; number].into())]))
    };
    let sonnet = "claude-sonnet-4-5";
    refused(
        Api::Messages,
        sonnet,
        vec![
            (
                body(json!([
                    said(),
                    reply(json!([thought(), call("c")])),
                    user(json!([result("c"), text("a")]))
                ])),
                "",
            ),
            (with("messages", json!([])), "the first message"),
            (with("temperature", json!(1)), "the unknown field `temperature`"),
            (with("max_tokens", json!(0)), "no `max_tokens`"),
            (with("system", json!([text(" ")])), "blank text in the system prompt"),
            (body(json!([user(json!([]))])), "an empty message"),
            (body(json!([user(json!([text("\n")]))])), "blank text"),
            (body(json!([said(), said()])), "two messages of one role"),
            (body(json!([said(), reply(json!([text("a")]))])), "the last message"),
            (
                body(json!([said(), reply(json!([call("a:b")])), user(json!([result("a:b")]))])),
                "the id `a:b` has the wrong form",
            ),
            (
                body(json!([said(), reply(json!([call("c"), call("c")])), said()])),
                "the id `c` is used twice",
            ),
            (body(json!([said(), reply(json!([call("c")])), said()])), "the results do not answer"),
            (
                body(json!([
                    said(),
                    reply(json!([call("c")])),
                    user(json!([text("a"), result("c")]))
                ])),
                "a result after other content",
            ),
            (
                body(json!([
                    said(),
                    reply(json!([call("c"), text("a")])),
                    user(json!([result("c")]))
                ])),
                "content after a call",
            ),
            (
                body(json!([
                    said(),
                    reply(json!([call("c")])),
                    user(json!([{ "type": "tool_result", "tool_use_id": "c", "is_error": true }]))
                ])),
                "a failure without content",
            ),
            (
                {
                    let mut body = body(json!([
                        said(),
                        reply(json!([call("c")])),
                        user(json!([result("c")]))
                    ]));
                    body["tools"] = json!([]);
                    body
                },
                "calls without tools",
            ),
            (
                body(json!([said(), reply(json!([text("a"), thought()])), said()])),
                "a message that ends with thinking",
            ),
            (
                body(json!([
                    said(),
                    reply(
                        json!([{ "type": "thinking", "thinking": "t", "signature": "" }, text("a")])
                    ),
                    said()
                ])),
                "thinking without a signature",
            ),
            (
                searching(json!([said(), reply(json!([search()])), said()])),
                "a server's call without its result",
            ),
            (searching(json!([said(), reply(json!([search()]))])), ""),
            (body(json!([said(), reply(json!([search()]))])), "a pending call without its tool"),
            (
                searching(json!([said(), reply(json!([search(), text("a ")]))])),
                "trailing whitespace",
            ),
            (
                searching(json!([said(), reply(json!([thought(), search()]))])),
                "disabled thinking at the end",
            ),
            (
                body(json!([
                    said(),
                    reply(
                        json!([{ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] }])
                    ),
                    said()
                ])),
                "a server's result without its call",
            ),
            (marked(4), ""),
            (marked(5), "more than four cache markers"),
            (
                body(json!([user(
                    json!([{ "type": "image", "source": { "type": "base64", "media_type": "image/bmp", "data": "AA==" } }])
                )])),
                "an unsupported media type",
            ),
            (
                with("tools", json!([{ "name": "a.b", "input_schema": { "type": "object" } }])),
                "a tool's name has the wrong form",
            ),
            (with("tools", json!([tool(), tool()])), "the tool `f` is declared twice"),
            (
                with(
                    "tools",
                    json!([{ "name": "f", "input_schema": { "type": "object", "oneOf": [] } }]),
                ),
                "top-level alternatives",
            ),
            (
                with(
                    "tools",
                    json!([{ "name": "f", "input_schema": { "type": "object", "properties": { "$x": {} } } }]),
                ),
                "a property's name has the wrong form",
            ),
            (with("thinking", json!({ "type": "adaptive" })), "adaptive thinking without support"),
            (
                with("thinking", json!({ "type": "enabled", "budget_tokens": 4096 })),
                "a budget that is not below",
            ),
            (
                with("thinking", json!({ "type": "enabled", "budget_tokens": 1000 })),
                "a budget below 1024",
            ),
            (
                thinks(json!([
                    said(),
                    reply(json!([thought(), call("c")])),
                    user(json!([result("c")]))
                ])),
                "",
            ),
            (
                thinks(json!([said(), reply(json!([call("c")])), user(json!([result("c")]))])),
                "a turn that does not begin",
            ),
            (thinks(json!([said(), reply(json!([text("a")])), said()])), ""),
        ],
    );
    refused(
        Api::Messages,
        "claude-fable-5-1",
        vec![
            (
                with("thinking", json!({ "type": "enabled", "budget_tokens": 1024 })),
                "a budget for a model without one",
            ),
            (with("thinking", json!({ "type": "disabled" })), "thinking cannot be disabled"),
        ],
    );
    let effort = with("output_config", json!({ "effort": "xhigh" }));
    refused(Api::Messages, "claude-opus-4-6", vec![(effort.clone(), "an unsupported effort")]);
    refused(Api::Messages, "claude-opus-5", vec![(effort, "")]);
    let update = |effort: &str| json!({ "role": "system", "content": [], "output_config": { "effort": effort } });
    let updated = |update: Value| body(json!([said(), reply(json!([text("a")])), said(), update]));
    refused(Api::Messages, "claude-opus-4-8", vec![(updated(update("low")), "a system message")]);
    refused(
        Api::Messages,
        "claude-opus-5-5",
        vec![
            (updated(update("low")), ""),
            (updated(update("none")), "an unknown effort"),
            (
                updated(json!({ "role": "system", "content": [text("a")] })),
                "an effort with content",
            ),
            (body(json!([update("low"), said()])), "the first message"),
        ],
    );
}

#[test]
fn chat() {
    let user = || json!({ "role": "user", "content": "a" });
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": arguments } });
    let calls = |calls: Value| json!({ "role": "assistant", "content": null, "tool_calls": calls });
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "x" });
    let body = |messages: Value| json!({ "messages": messages });
    let tools = |tools: Value| json!({ "messages": [user()], "tools": tools });
    let tool = |name: &str, parameters: Value| json!({ "type": "function", "function": { "name": name, "parameters": parameters } });
    let long = "x".repeat(41);
    refused(
        Api::Chat,
        "m",
        vec![
            (body(json!([user(), calls(json!([call("c", "{}")])), result("c"), user()])), ""),
            (body(json!([])), "no messages"),
            (
                json!({ "messages": [user()], "max_tokens": 1, "max_completion_tokens": 1 }),
                "two limits",
            ),
            (
                json!({ "messages": [user()], "prompt_cache_key": "k".repeat(65) }),
                "a long cache key",
            ),
            (body(json!([{ "role": "user", "content": "" }])), "blank text"),
            (body(json!([{ "role": "user", "content": [] }])), "an empty content list"),
            (
                body(json!([user(), { "role": "assistant", "content": null }, user()])),
                "a message without content",
            ),
            (
                body(json!([user(), { "role": "system", "content": "s" }, user()])),
                "a late system message",
            ),
            (body(json!([user(), user()])), "two messages of one role"),
            (
                body(json!([user(), { "role": "assistant", "content": "x" }])),
                "the last message is a reply",
            ),
            (body(json!([user(), result("c")])), "a result without its call"),
            (
                body(json!([user(), calls(json!([call("c", "{}")])), user()])),
                "a call without result",
            ),
            (body(json!([user(), calls(json!([])), user()])), "an empty call list"),
            (
                body(json!([user(), calls(json!([call(&long, "{}")])), result(&long)])),
                &format!("the id `{long}`"),
            ),
            (
                body(json!([user(), calls(json!([call("c", "[1]")])), result("c")])),
                "arguments are not an object",
            ),
            (
                body(json!([user(), calls(json!([call("c", "")])), result("c")])),
                "arguments are not an object",
            ),
            (
                body(
                    json!([user(), calls(json!([call("c", "{}")])), { "role": "tool", "tool_call_id": "c", "content": [{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } }] }]),
                ),
                "an image outside of a user message",
            ),
            (
                body(
                    json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "data:image/bmp;base64,AA==" } }] }]),
                ),
                "an unsupported media type",
            ),
            (tools(json!([])), "an empty tool list"),
            (
                tools(json!([tool("a.b", json!({ "type": "object", "properties": {} }))])),
                "a tool's name has the wrong form",
            ),
            (tools(json!([tool("f", json!({}))])), "parameters are not an object schema"),
            (
                tools(json!([tool("f", json!({ "type": "object" }))])),
                "parameters without properties",
            ),
            (
                tools(json!([tool(
                    "f",
                    json!({ "type": "object", "properties": { "a": { "type": "array" } } })
                )])),
                "an array without items",
            ),
        ],
    );
    for (messages, want) in [
        (json!([user(), calls(json!([call("abc123XYZ", "{}")])), result("abc123XYZ")]), ""),
        (
            json!([user(), calls(json!([call("call_1", "{}")])), result("call_1")]),
            "an id without exactly nine",
        ),
        (json!([user(), result("c"), user()]), "a user message after a result"),
    ] {
        let got = check_mistral(&body(messages)).err().unwrap_or_default();
        assert!(got.starts_with(want) && got.is_empty() == want.is_empty(), "{got} ≠ {want}");
    }
}

#[test]
fn responses() {
    let user = || json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "a" }] });
    let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
    let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": "x" });
    let thought =
        || json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E" });
    let body = |input: Value| json!({ "input": input });
    let long = "x".repeat(65);
    let update =
        |effort: &str| json!({ "type": "configuration_update", "reasoning": { "effort": effort } });
    let updated = |updates: Value| {
        let mut items = json!([user(), thought(), call("c"), output("c")]);
        items.as_array_mut().unwrap().extend(updates.as_array().unwrap().iter().cloned());
        items.as_array_mut().unwrap().push(user());
        body(items)
    };
    for (model, updates, want) in [
        ("gpt-6.2-sol", json!([update("low")]), ""),
        ("gpt-6.2-sol", json!([update("none")]), "an unsupported effort"),
        ("gpt-6.2-sol", json!([update("low"), update("high")]), "two efforts in a row"),
        ("gpt-6-astra-pro", json!([update("low")]), "an effort within the conversation"),
        ("gpt-5.6-sol", json!([update("low")]), "an effort within the conversation"),
    ] {
        refused(Api::Responses, model, vec![(updated(updates), want)]);
    }
    refused(
        Api::Responses,
        "gpt-5.4",
        vec![
            (body(json!([user(), thought(), call("c"), output("c"), user()])), ""),
            (body(json!([])), "no input"),
            (json!({ "input": [user()], "temperature": 1 }), "the unknown field `temperature`"),
            (json!({ "input": [user()], "tools": [] }), "an empty tool list"),
            (json!({ "input": [user()], "max_output_tokens": 1 }), "fewer than 16"),
            (
                json!({ "input": [user()], "tools": [{ "type": "web_search" }], "reasoning": { "effort": "minimal" } }),
                "a search with the least effort",
            ),
            (body(json!([user(), call("c")])), "a call without output"),
            (body(json!([user(), call("c"), user(), output("c")])), "a call without output"),
            (body(json!([user(), output("c")])), "an output without its call"),
            (
                body(
                    json!([user(), call("c"), { "type": "custom_tool_call_output", "call_id": "c", "output": "x" }]),
                ),
                "an output without its call",
            ),
            (body(json!([user(), call(&long), output(&long)])), &format!("the id `{long}`")),
            (body(json!([user(), thought(), user()])), "reasoning without its following item"),
            (
                body(json!([
                    user(),
                    thought(),
                    call("c"),
                    output("c"),
                    thought(),
                    call("d"),
                    output("d")
                ])),
                "an item's id is used twice",
            ),
            (
                body(
                    json!([user(), { "type": "reasoning", "id": "call_1", "summary": [], "encrypted_content": "E" }, call("c"), output("c")]),
                ),
                "an item's id has the wrong form",
            ),
            (
                body(
                    json!([user(), { "type": "reasoning", "id": "rs_1", "summary": [] }, call("c"), output("c")]),
                ),
                "reasoning that the server did not keep",
            ),
            (
                body(
                    json!([user(), { "type": "reasoning", "id": "rs_1", "summary": [], "status": "completed", "encrypted_content": "E" }, call("c"), output("c")]),
                ),
                "the unknown field `status`",
            ),
            (
                body(json!([{ "type": "message", "role": "user", "content": [] }])),
                "an empty message",
            ),
            (
                body(
                    json!([{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "" }] }]),
                ),
                "empty text",
            ),
            (
                body(
                    json!([{ "type": "message", "role": "user", "content": [{ "type": "output_text", "text": "a" }] }]),
                ),
                "a part of the wrong kind",
            ),
            (
                body(
                    json!([user(), call("c"), { "type": "function_call_output", "call_id": "c", "output": "" }]),
                ),
                "an empty output",
            ),
            (body(json!([user(), { "reasoning_details": [] }])), "an item without a type"),
            (
                body(
                    json!([user(), { "type": "web_search_call", "id": "ws_1", "status": "completed" }]),
                ),
                "an id that was not kept",
            ),
        ],
    );
    let effort = json!({ "input": [user()], "reasoning": { "effort": "none" } });
    refused(Api::Responses, "gpt-6.2-sol", vec![(effort, "an unsupported effort")]);
    let reasoning = json!({ "input": [user()], "include": ["reasoning.encrypted_content"] });
    refused(Api::Responses, "gpt-4.1", vec![(reasoning, "reasoning of a model without it")]);
}

#[test]
fn gemini() {
    let user = |parts: Value| json!({ "role": "user", "parts": parts });
    let said = || user(json!([{ "text": "a" }]));
    let model = |parts: Value| json!({ "role": "model", "parts": parts });
    let call = || json!({ "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "T" });
    let result = || json!({ "functionResponse": { "name": "f", "response": { "output": "x" } } });
    let body = |contents: Value| json!({ "contents": contents });
    let shown =
        |media_type: &str| json!({ "inlineData": { "mimeType": media_type, "data": "AA==" } });
    let with = |schema: Value| {
        let parameters = json!({ "type": "OBJECT", "properties": { "a": schema } });
        let declared = json!([{ "name": "f", "parameters": parameters }]);
        json!({ "contents": [said()], "tools": [{ "functionDeclarations": declared }] })
    };
    refused(
        Api::Gemini,
        "gemini-3.1-pro-preview",
        vec![
            (
                body(json!([
                    said(),
                    model(json!([call(), call()])),
                    user(json!([result(), result(), { "text": "a" }]))
                ])),
                "",
            ),
            (body(json!([])), "the first turn"),
            (body(json!([model(json!([{ "text": "a" }])), said()])), "the first turn"),
            (body(json!([said(), model(json!([{ "text": "a" }]))])), "the last turn"),
            (body(json!([said(), said()])), "two turns of one role"),
            (body(json!([said(), model(json!([])), said()])), "an empty turn"),
            (body(json!([user(json!([{ "text": "" }]))])), "empty text"),
            (
                body(json!([user(json!([{ "thoughtSignature": "T" }]))])),
                "a part without one kind of data",
            ),
            (
                body(json!([said(), model(json!([call(), call()])), user(json!([result()]))])),
                "the results do not answer",
            ),
            (
                body(json!([
                    said(),
                    model(json!([call()])),
                    user(json!([{ "text": "a" }, result()]))
                ])),
                "a result after other parts",
            ),
            (
                body(json!([
                    said(),
                    model(json!([{ "functionCall": { "name": "f", "args": {} } }])),
                    user(json!([result()]))
                ])),
                "a call without signature",
            ),
            (body(json!([user(json!([shown("image/gif")]))])), "an unsupported media type"),
            (
                body(json!([
                    said(),
                    model(
                        json!([{ "functionCall": { "name": "1f", "args": {} }, "thoughtSignature": "T" }])
                    ),
                    user(json!([{ "functionResponse": { "name": "1f", "response": {} } }]))
                ])),
                "a call's name has the wrong form",
            ),
            (with(json!({ "type": "string" })), "an unknown type"),
            (with(json!({ "$ref": "#" })), "the unknown field `$ref`"),
            (with(json!({ "type": "ARRAY" })), "an array without items"),
            (with(json!({ "type": "STRING", "format": "uri" })), "an unsupported format"),
            (with(json!({ "type": "STRING", "enum": [""] })), "an enum with an empty value"),
            (with(json!({ "type": "INTEGER", "enum": [1] })), "an enum of another type"),
            (
                with(json!({ "type": "OBJECT", "required": ["b"] })),
                "a required property that is not defined",
            ),
            (
                with(json!({ "anyOf": [{ "type": "STRING" }], "description": "d" })),
                "fields next to anyOf",
            ),
            (
                json!({ "contents": [said()], "tools": [{ "functionDeclarations": [] }] }),
                "a tool without one kind",
            ),
            (
                json!({ "contents": [said()], "generationConfig": { "thinkingConfig": { "thinkingLevel": "MINIMAL" } } }),
                "an unsupported level",
            ),
        ],
    );
    let budget = json!({ "contents": [said()], "generationConfig": { "thinkingConfig": { "thinkingBudget": 0 } } });
    let mixed = json!({
        "contents": [said()],
        "tools": [{ "googleSearch": {} }, { "functionDeclarations": [{ "name": "f" }] }]
    });
    let image = {
        let mut result = result();
        result["functionResponse"]["parts"] = json!([shown("image/png")]);
        body(json!([said(), model(json!([call()])), user(json!([result]))]))
    };
    refused(
        Api::Gemini,
        "gemini-2.5-pro",
        vec![
            (budget, "a budget out of range"),
            (mixed, "searches together with functions"),
            (image, "an image in a result for an older model"),
        ],
    );
}
