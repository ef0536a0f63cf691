//! The known rules of each wire API for a conversation; a violation is answered with a 400.
//!
//! Source: error texts of the providers, as recorded or quoted in public issues, and the limits of their SDKs, read 2026-11.

use super::catalog::Api;
use serde_json::Value;
use std::collections::BTreeSet;

type Checked = Result<(), String>;

/// Checks an encoded request's conversation.
pub(super) fn check(api: Api, body: &Value) -> Checked {
    match api {
        Api::Messages => anthropic(list(body, "messages")),
        Api::Chat => chat(list(body, "messages")),
        Api::Responses => responses(list(body, "input")),
        Api::Gemini => gemini(list(body, "contents")),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn ensure(holds: bool, rule: &str, at: &Value) -> Checked {
    if holds { Ok(()) } else { Err(format!("{rule}: {at}")) }
}

/// Checks that an id has the right form and was not used before.
fn id(id: &str, max: usize, seen: &mut BTreeSet<String>) -> Checked {
    let is_formed = (1..=max).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !is_formed {
        return Err(format!("the id `{id}` has the wrong form"));
    }
    if !seen.insert(id.to_owned()) {
        return Err(format!("the id `{id}` is used twice"));
    }
    Ok(())
}

fn name(call: &Value) -> Checked {
    let name = text(call, "name");
    let is_formed = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    ensure(is_formed, "a name has the wrong form", call)
}

fn alternate(turns: &[Value]) -> Checked {
    for pair in turns.windows(2) {
        ensure(pair[0]["role"] != pair[1]["role"], "two turns of one role", &pair[1])?;
    }
    Ok(())
}

fn anthropic(messages: &[Value]) -> Checked {
    alternate(messages)?;
    ensure(
        messages.first().is_some_and(|first| first["role"] == "user"),
        "the user begins",
        &Value::Null,
    )?;
    ensure(messages.last().is_some_and(|last| last["role"] == "user"), "no prefill", &Value::Null)?;
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        let blocks = list(message, "content");
        ensure(!blocks.is_empty(), "an empty message", message)?;
        let mut past_calls = false;
        let mut past_results = false;
        let mut results = Vec::new();
        for block in blocks {
            match text(block, "type") {
                "text" => ensure(!text(block, "text").trim().is_empty(), "blank text", block)?,
                "thinking" => {
                    ensure(!text(block, "signature").is_empty(), "unsigned thinking", block)?;
                }
                "tool_use" => {
                    id(text(block, "id"), 64, &mut seen)?;
                    name(block)?;
                    ensure(block["input"].is_object(), "input is not an object", block)?;
                }
                "tool_result" => {
                    ensure(!past_results, "results come first", message)?;
                    results.push(text(block, "tool_use_id").to_owned());
                    for part in list(block, "content") {
                        let is_blank =
                            part["type"] == "text" && text(part, "text").trim().is_empty();
                        ensure(!is_blank, "blank text in a result", block)?;
                    }
                }
                _ => {}
            }
            past_results |= block["type"] != "tool_result";
            ensure(!past_calls || block["type"] == "tool_use", "something behind a call", message)?;
            past_calls |= block["type"] == "tool_use";
        }
        ensure(results == open, "results do not answer the calls", message)?;
        let ends_thinking = blocks
            .last()
            .is_some_and(|last| matches!(text(last, "type"), "thinking" | "redacted_thinking"));
        ensure(!ends_thinking, "thinking at the end", message)?;
        let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
        open = calls.map(|call| text(call, "id").to_owned()).collect();
    }
    Ok(())
}

fn is_object_text(arguments: &str) -> bool {
    serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object())
}

fn chat(messages: &[Value]) -> Checked {
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut last_role = "";
    for (number, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if role == "tool" {
            ensure(
                open.first().is_some_and(|id| *id == text(message, "tool_call_id")),
                "a result without its call",
                message,
            )?;
            open.remove(0);
            ensure(!text(message, "content").is_empty(), "an empty result", message)?;
            last_role = role;
            continue;
        }
        ensure(open.is_empty(), "a call without result before", message)?;
        ensure(role != last_role, "two turns of one role", message)?;
        match role {
            "system" => ensure(number == 0, "a late system message", message)?,
            "user" => {
                let is_said =
                    !text(message, "content").is_empty() || !list(message, "content").is_empty();
                ensure(is_said, "an empty message", message)?;
            }
            _ => {
                for call in list(message, "tool_calls") {
                    let id_of_call = text(call, "id");
                    id(id_of_call, 40, &mut seen)?;
                    name(&call["function"])?;
                    ensure(
                        is_object_text(text(&call["function"], "arguments")),
                        "arguments are no object",
                        call,
                    )?;
                    open.push(id_of_call.to_owned());
                }
                let is_said = !text(message, "content").is_empty() || !open.is_empty();
                ensure(is_said, "an empty message", message)?;
            }
        }
        last_role = role;
    }
    ensure(open.is_empty() && last_role != "assistant", "the conversation ends open", &Value::Null)
}

fn responses(items: &[Value]) -> Checked {
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for (number, item) in items.iter().enumerate() {
        match text(item, "type") {
            "message" => {
                let is_user = item["role"] == "user";
                ensure(!is_user || open.is_empty(), "a call without output before", item)?;
                let parts = list(item, "content");
                ensure(!parts.is_empty(), "an empty message", item)?;
                for part in parts {
                    let is_empty = part["type"] != "input_image" && text(part, "text").is_empty();
                    ensure(!is_empty, "empty text", item)?;
                    let is_output = part["type"] == "output_text";
                    ensure(is_output != is_user, "the wrong kind of part", item)?;
                }
            }
            "function_call" => {
                id(text(item, "call_id"), 64, &mut seen)?;
                name(item)?;
                ensure(is_object_text(text(item, "arguments")), "arguments are no object", item)?;
                open.push(text(item, "call_id").to_owned());
            }
            "function_call_output" => {
                let at = open.iter().position(|id| *id == text(item, "call_id"));
                let Some(at) = at else {
                    return Err(format!("an output without its call: {item}"));
                };
                open.remove(at);
                let is_said = !text(item, "output").is_empty() || !list(item, "output").is_empty();
                ensure(is_said, "an empty output", item)?;
            }
            "reasoning" => {
                let next = items.iter().skip(number + 1).find(|next| next["type"] != "reasoning");
                let is_followed = next.is_some_and(|next| {
                    next["role"] != "user" && next["type"] != "function_call_output"
                });
                ensure(is_followed, "reasoning without the item it led to", item)?;
                let has_more = !text(item, "encrypted_content").is_empty()
                    || !list(item, "content").is_empty();
                ensure(has_more, "reasoning that the server did not keep", item)?;
                ensure(item.get("status").is_none(), "an unsupported status", item)?;
            }
            "" => return Err(format!("an item without type: {item}")),
            _ => {}
        }
    }
    ensure(open.is_empty(), "a call without output", &Value::Null)
}

fn gemini(turns: &[Value]) -> Checked {
    alternate(turns)?;
    ensure(
        turns.first().is_some_and(|first| first["role"] == "user"),
        "the user begins",
        &Value::Null,
    )?;
    ensure(
        turns.last().is_some_and(|last| last["role"] == "user"),
        "the model ends",
        &Value::Null,
    )?;
    let mut open: Vec<(Value, Value)> = Vec::new();
    for turn in turns {
        let parts = list(turn, "parts");
        ensure(!parts.is_empty(), "an empty turn", turn)?;
        for part in parts {
            let is_empty = part["text"] == "" && part["thoughtSignature"].is_null();
            ensure(!is_empty, "empty text", turn)?;
        }
        let pair = |key: &'static str| {
            let found = parts.iter().map(move |part| &part[key]).filter(|one| one.is_object());
            found.map(|one| (one["name"].clone(), one["id"].clone())).collect::<Vec<_>>()
        };
        let results = pair("functionResponse");
        ensure(results == open, "results do not answer the calls", turn)?;
        let firsts = parts.iter().take(results.len());
        ensure(
            firsts.into_iter().all(|part| part["functionResponse"]["response"].is_object()),
            "results come first",
            turn,
        )?;
        open = pair("functionCall");
        for call in parts.iter().map(|part| &part["functionCall"]).filter(|call| call.is_object()) {
            name(call)?;
            ensure(call["args"].is_object(), "args are no object", call)?;
        }
    }
    ensure(open.is_empty(), "a call without result", &Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_broken_rule_is_found() {
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
        let user = |content: Value| json!({ "role": "user", "content": content });
        let said = json!([{ "type": "text", "text": "a" }]);
        let assistant = |content: Value| json!({ "role": "assistant", "content": content });
        let function = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": "{}" });
        let model = |parts: Value| json!({ "role": "model", "parts": parts });
        let person = json!({ "role": "user", "parts": [{ "text": "a" }] });
        for (api, items, want) in [
            (Api::Messages, vec![user(json!([]))], "an empty message"),
            (Api::Messages, vec![user(json!([{ "type": "text", "text": " " }]))], "blank text"),
            (Api::Messages, vec![user(said.clone()), user(said.clone())], "two turns of one role"),
            (Api::Messages, vec![user(said.clone()), assistant(said.clone())], "no prefill"),
            (
                Api::Messages,
                vec![user(said.clone()), assistant(json!([call("a:b")])), user(said.clone())],
                "the wrong form",
            ),
            (
                Api::Messages,
                vec![user(said.clone()), assistant(json!([call("a")])), user(said.clone())],
                "do not answer",
            ),
            (
                Api::Messages,
                vec![
                    user(said.clone()),
                    assistant(json!([call("a"), said[0]])),
                    user(said.clone()),
                ],
                "behind a call",
            ),
            (
                Api::Messages,
                vec![
                    user(said.clone()),
                    assistant(json!([{ "type": "thinking", "thinking": "a", "signature": "S" }])),
                    user(said.clone()),
                ],
                "thinking at the end",
            ),
            (
                Api::Chat,
                vec![json!({ "role": "tool", "tool_call_id": "a", "content": "x" })],
                "without its call",
            ),
            (Api::Chat, vec![json!({ "role": "user", "content": "" })], "an empty message"),
            (Api::Chat, vec![json!({ "role": "assistant", "content": "x" })], "ends open"),
            (Api::Responses, vec![function("a")], "without output"),
            (Api::Responses, vec![function("a"), function("a")], "used twice"),
            (
                Api::Responses,
                vec![json!({ "type": "reasoning", "encrypted_content": "E" })],
                "it led to",
            ),
            (Api::Responses, vec![json!({ "type": "reasoning" }), function("a")], "did not keep"),
            (
                Api::Gemini,
                vec![
                    person.clone(),
                    model(json!([{ "functionCall": { "name": "f", "args": {} } }])),
                    person.clone(),
                ],
                "do not answer",
            ),
            (Api::Gemini, vec![person.clone(), model(json!([])), person.clone()], "an empty turn"),
            (
                Api::Gemini,
                vec![person.clone(), model(json!([{ "text": "" }])), person],
                "empty text",
            ),
        ] {
            let key = match api {
                Api::Messages | Api::Chat => "messages",
                Api::Responses => "input",
                Api::Gemini => "contents",
            };
            let got = check(api, &json!({ key: items })).unwrap_err();
            assert!(got.contains(want), "{got:?} ≠ {want:?}");
        }
    }
}
