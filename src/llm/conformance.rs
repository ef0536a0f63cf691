//! Meaning of a stream, stated once, and its encoding in each wire API.
//!
//! A scenario is a list of steps; four encoders turn it into raw bytes. If a wire cannot express a step, the cell is skipped with a reason,
//! and skips are counted.

use super::catalog::Api;
use super::fixtures::{FAMILIES, shown};
use super::remote::decode_pieces;
use bytes::Bytes;
use serde_json::{Value, json};
use std::fmt::Write;

/// One step of a reply. Texts and arguments arrive in these pieces.
#[derive(Clone, Copy)]
enum Step {
    Begin,
    Text(&'static [&'static str]),
    Think(&'static [&'static str]),
    Call(&'static str, &'static [&'static str]),
    /// A call that breaks off.
    CutCall(&'static str, &'static str),
    Refuse(&'static str),
    /// Content that is `null`.
    Null,
    /// Content as a list, although it is usually a string.
    List(&'static str),
    Unknown,
    KeepAlive,
    /// Usage, 10 in and 5 out, before anything else.
    UsageFirst,
    /// The error that the server is overloaded.
    Error,
    /// The end; with usage, 10 in and 5 out.
    End(&'static str, bool),
}

use Step::{
    Begin, Call, CutCall, End, Error, KeepAlive, List, Null, Refuse, Text, Think, Unknown,
    UsageFirst,
};

/// A scenario's bytes, or why this wire cannot express it.
#[derive(Default)]
struct Speller {
    out: String,
    /// Blocks, items or calls so far.
    number: usize,
    calls: usize,
}

type Spelled = Result<(), &'static str>;

impl Speller {
    fn data(&mut self, value: &Value) {
        writeln!(self.out, "data: {value}\n").unwrap();
    }

    fn comment(&mut self) {
        self.out.push_str(": still here\n\n");
    }

    fn chat(&mut self, step: Step) {
        let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
        match step {
            Begin => self.data(&delta(json!({ "role": "assistant", "content": "" }))),
            Text(pieces) => {
                for piece in pieces {
                    self.data(&delta(json!({ "content": piece })));
                }
            }
            Think(pieces) => {
                for piece in pieces {
                    self.data(&delta(json!({ "reasoning_content": piece })));
                }
            }
            Call(id, pieces) => {
                let index = self.calls;
                self.calls += 1;
                let call = json!({ "index": index, "id": id, "type": "function", "function": { "name": "read", "arguments": "" } });
                self.data(&delta(json!({ "tool_calls": [call] })));
                for piece in pieces {
                    let call = json!({ "index": index, "function": { "arguments": piece } });
                    self.data(&delta(json!({ "tool_calls": [call] })));
                }
            }
            CutCall(id, piece) => {
                let call = json!({ "index": 0, "id": id, "function": { "name": "read", "arguments": piece } });
                self.data(&delta(json!({ "tool_calls": [call] })));
            }
            Refuse(text) => self.data(&delta(json!({ "refusal": text }))),
            Null => {
                self.data(&delta(json!({ "content": null, "tool_calls": null, "refusal": null })));
            }
            List(text) => {
                self.data(&delta(json!({ "content": [{ "type": "text", "text": text }] })));
            }
            Unknown => {
                self.data(&json!({ "object": "chat.new", "fresh": [1] }));
                self.data(&delta(json!({ "fresh": { "a": 1 } })));
            }
            KeepAlive => self.comment(),
            UsageFirst => self.data(&json!({ "choices": [], "usage": usage })),
            Error => self.data(&json!({ "error": { "message": "busy", "code": 503 } })),
            End(why, has_usage) => {
                let why = match why {
                    "tool" => "tool_calls",
                    "filter" => "content_filter",
                    other => other,
                };
                self.data(
                    &json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": why }] }),
                );
                if has_usage {
                    self.data(&json!({ "choices": [], "usage": usage }));
                }
                self.out.push_str("data: [DONE]\n\n");
            }
        }
    }

    fn messages(&mut self, step: Step) -> Spelled {
        let mut block = |start: Value, deltas: Vec<Value>, is_whole: bool| {
            let index = self.number;
            self.number += 1;
            self.data(
                &json!({ "type": "content_block_start", "index": index, "content_block": start }),
            );
            for delta in deltas {
                self.data(
                    &json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                );
            }
            if is_whole {
                self.data(&json!({ "type": "content_block_stop", "index": index }));
            }
        };
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
        let input = |piece: &str| json!({ "type": "input_json_delta", "partial_json": piece });
        match step {
            Begin => self.data(&json!({ "type": "message_start", "message": { "content": [] } })),
            Text(pieces) => {
                let deltas = pieces.iter().map(|text| json!({ "type": "text_delta", "text": text }));
                block(json!({ "type": "text", "text": "" }), deltas.collect(), true);
            }
            Think(pieces) => {
                let delta = |text: &&str| json!({ "type": "thinking_delta", "thinking": text });
                block(
                    json!({ "type": "thinking", "thinking": "" }),
                    pieces.iter().map(delta).chain([json!({ "type": "signature_delta", "signature": "S" })]).collect(),
                    true,
                );
            }
            Call(id, pieces) => block(call(id), pieces.iter().map(|piece| input(piece)).collect(), true),
            CutCall(id, piece) => block(call(id), vec![input(piece)], false),
            Refuse(_) => return Err("a refusal is a stop reason, its text an ordinary block"),
            Null | List(_) => return Err("each piece has its own type, with text in it"),
            Unknown => self.data(&json!({ "type": "fresh_event", "index": 0, "delta": { "a": 1 } })),
            KeepAlive => {
                self.comment();
                self.data(&json!({ "type": "ping" }));
            }
            UsageFirst => self.data(&json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10, "output_tokens": 5 } } })),
            Error => self.data(&json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } })),
            End(why, has_usage) => {
                let why = match why {
                    "stop" => "end_turn",
                    "tool" => "tool_use",
                    "length" => "max_tokens",
                    "filter" => "refusal",
                    other => other,
                };
                let mut end = json!({ "type": "message_delta", "delta": { "stop_reason": why } });
                if has_usage {
                    end["usage"] = json!({ "input_tokens": 10, "output_tokens": 5 });
                }
                self.data(&end);
                self.data(&json!({ "type": "message_stop" }));
            }
        }
        Ok(())
    }

    fn responses(&mut self, step: Step) -> Spelled {
        let number = self.number;
        let mut item = |item: Value, events: Vec<(&str, Value)>, last: Option<Value>| {
            self.number += 1;
            self.data(&json!({ "type": "response.output_item.added", "output_index": number, "item": item }));
            for (kind, mut event) in events {
                event["type"] = Value::from(format!("response.{kind}"));
                event["output_index"] = Value::from(number);
                self.data(&event);
            }
            if let Some(last) = last {
                self.data(&json!({ "type": "response.output_item.done", "output_index": number, "item": last }));
            }
        };
        let message = |content: Value| json!({ "type": "message", "content": content });
        let call = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "read", "arguments": arguments });
        let arguments = |piece: &str| ("function_call_arguments.delta", json!({ "delta": piece }));
        match step {
            Begin => self.data(&json!({ "type": "response.created", "response": { "output": [] } })),
            Text(pieces) => {
                let whole = message(json!([{ "type": "output_text", "text": pieces.concat() }]));
                let delta = |piece: &&str| ("output_text.delta", json!({ "content_index": 0, "delta": piece }));
                item(message(json!([])), pieces.iter().map(delta).collect(), Some(whole));
            }
            Think(pieces) => {
                let whole = json!({ "type": "reasoning", "encrypted_content": "E" });
                let delta = |piece: &&str| ("reasoning_summary_text.delta", json!({ "summary_index": 0, "delta": piece }));
                item(json!({ "type": "reasoning" }), pieces.iter().map(delta).collect(), Some(whole));
            }
            Call(id, pieces) => {
                let whole = call(id, &pieces.concat());
                item(call(id, ""), pieces.iter().map(|piece| arguments(piece)).collect(), Some(whole));
            }
            CutCall(id, piece) => item(call(id, ""), vec![arguments(piece)], None),
            Refuse(text) => {
                let whole = message(json!([{ "type": "refusal", "refusal": text }]));
                let event = ("refusal.delta", json!({ "content_index": 0, "delta": text }));
                item(message(json!([])), vec![event], Some(whole));
            }
            Null => item(message(Value::Null), Vec::new(), Some(message(Value::Null))),
            List(text) => item(message(json!([])), Vec::new(), Some(message(json!([{ "type": "output_text", "text": text }])))),
            Unknown => self.data(&json!({ "type": "response.fresh.thing", "output_index": 0, "delta": "x" })),
            KeepAlive => {
                self.comment();
                self.data(&json!({ "type": "keepalive", "sequence_number": 2 }));
            }
            UsageFirst => return Err("usage is only in the last event"),
            Error => self.data(&json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } })),
            End(why, has_usage) => {
                let usage = if has_usage { json!({ "input_tokens": 10, "output_tokens": 5 }) } else { Value::Null };
                let (kind, details) = match why {
                    "length" => ("incomplete", json!({ "reason": "max_output_tokens" })),
                    "filter" => ("incomplete", json!({ "reason": "content_filter" })),
                    _ => ("completed", Value::Null),
                };
                let response = json!({ "usage": usage, "incomplete_details": details, "output": [] });
                self.data(&json!({ "type": format!("response.{kind}"), "response": response }));
            }
        }
        Ok(())
    }

    fn gemini(&mut self, step: Step) -> Spelled {
        let parts = |parts: Value| json!({ "candidates": [{ "content": { "parts": parts } }] });
        let usage = json!({ "promptTokenCount": 10, "candidatesTokenCount": 5 });
        match step {
            Begin => self.data(&parts(json!([{ "text": "" }]))),
            Text(pieces) => {
                for piece in pieces {
                    self.data(&parts(json!([{ "text": piece }])));
                }
            }
            Think(pieces) => {
                for piece in pieces {
                    self.data(&parts(json!([{ "text": piece, "thought": true }])));
                }
            }
            Call(id, pieces) if pieces.len() == 1 => {
                let args: Value = serde_json::from_str(&pieces.concat()).unwrap();
                self.data(&parts(
                    json!([{ "functionCall": { "id": id, "name": "read", "args": args } }]),
                ));
            }
            Call(..) | CutCall(..) => return Err("arguments come whole"),
            Refuse(_) => return Err("a refusal is a finish reason, its text an ordinary part"),
            Null => self.data(&json!({ "candidates": [{ "content": { "parts": null } }] })),
            List(text) => self.data(&parts(json!([{ "text": text }]))),
            Unknown => {
                self.data(&json!({ "fresh": 1 }));
                self.data(&json!({ "candidates": [{ "fresh": [] }] }));
            }
            KeepAlive => self.comment(),
            UsageFirst => self.data(&json!({ "usageMetadata": usage })),
            Error => self.data(
                &json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }),
            ),
            End(why, has_usage) => {
                let why = match why {
                    "length" => "MAX_TOKENS",
                    "filter" => "SAFETY",
                    _ => "STOP",
                };
                let mut end = json!({ "candidates": [{ "finishReason": why }] });
                if has_usage {
                    end["usageMetadata"] = usage;
                }
                self.data(&end);
            }
        }
        Ok(())
    }
}

fn spell(api: Api, steps: &[Step]) -> Result<String, &'static str> {
    let mut speller = Speller::default();
    for step in steps {
        match api {
            Api::Chat => {
                speller.chat(*step);
                Ok(())
            }
            Api::Messages => speller.messages(*step),
            Api::Responses => speller.responses(*step),
            Api::Gemini => speller.gemini(*step),
        }?;
    }
    Ok(speller.out.replace("<high>", "\\ud83d").replace("<low>", "\\ude00"))
}

/// Removes the parts that are sent back verbatim, which differ between wires.
fn meaning(shown: &str) -> String {
    let line = |line: &str| format!("{}\n", line.split(" keeps ").next().unwrap_or(line));
    shown.lines().map(line).collect::<Vec<_>>().concat()
}

const CUT: &str = "protocol: test: the reply was cut off before its end\n";

#[test]
fn every_scenario_means_the_same_on_every_wire() {
    let a = r#"call c1 read "{\"path\":\"a\"}""#;
    let rows: Vec<(&str, Vec<Step>, String)> = vec![
        (
            "text",
            vec![Begin, Text(&["Hel", "lo"]), End("stop", true)],
            "text \"Hello\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "reasoning",
            vec![Begin, Think(&["h", "m"]), Text(&["x"]), End("stop", true)],
            "reasoning \"hm\"\ntext \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "one tool",
            vec![Begin, Text(&["x"]), Call("c1", &["{\"path\":\"a\"}"]), End("tool", true)],
            format!("text \"x\"\n{a}\nusage\nstop ToolUse\n"),
        ),
        (
            "three parallel tools",
            vec![
                Begin,
                Call("c1", &["{\"path\":\"a\"}"]),
                Call("c2", &["{\"n\":2}"]),
                Call("c3", &["{\"n\":1}"]),
                End("tool", true),
            ],
            format!(
                "{a}\ncall c2 read \"{{\\\"n\\\":2}}\"\ncall c3 read \"{{\\\"n\\\":1}}\"\nusage\nstop ToolUse\n"
            ),
        ),
        (
            "arguments in pieces",
            vec![Begin, Call("c1", &["", "{\"pa", "th\":\"", "a\"", "}"]), End("tool", true)],
            format!("{a}\nusage\nstop ToolUse\n"),
        ),
        (
            "emoji",
            vec![Begin, Text(&["a😀", "👩‍🚀<high>", "<low>"]), End("stop", true)],
            "text \"a😀👩\\u{200d}🚀😀\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "empty deltas",
            vec![Begin, Text(&["", "x", "", "y"]), End("stop", true)],
            "text \"xy\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "content null",
            vec![Begin, Null, Text(&["x"]), End("stop", true)],
            "text \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "content as a list",
            vec![Begin, List("x"), End("stop", true)],
            "text \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "usage first",
            vec![UsageFirst, Text(&["x"]), End("stop", false)],
            "text \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "usage absent",
            vec![Begin, Text(&["x"]), End("stop", false)],
            "text \"x\"\nstop EndTurn\n".into(),
        ),
        (
            "unknown events",
            vec![Begin, Unknown, Text(&["x"]), Unknown, End("stop", true)],
            "text \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "keep-alives",
            vec![
                KeepAlive,
                Begin,
                KeepAlive,
                Text(&["x"]),
                KeepAlive,
                End("stop", true),
                KeepAlive,
            ],
            "text \"x\"\nusage\nstop EndTurn\n".into(),
        ),
        (
            "length",
            vec![Begin, Text(&["x"]), End("length", true)],
            "text \"x\"\nusage\nstop MaxTokens\n".into(),
        ),
        (
            "stopped by a filter",
            vec![Begin, Text(&["x"]), End("filter", true)],
            "text \"x\"\nusage\nstop Refusal\n".into(),
        ),
        (
            "refusal",
            vec![Begin, Refuse("no"), End("stop", true)],
            "text \"no\"\nusage\nstop Refusal\n".into(),
        ),
        (
            "error inside",
            vec![Begin, Text(&["x"]), Error],
            "text \"x\"\noverloaded: test broke off: busy\n".into(),
        ),
        ("cut stream", vec![Begin, Text(&["x"])], format!("text \"x\"\n{CUT}")),
        (
            "cut inside a call",
            vec![Begin, CutCall("c1", "{\"pa")],
            format!("call c1 read \"{{\\\"pa\"\n{CUT}"),
        ),
        (
            "length inside a call",
            vec![Begin, CutCall("c1", "{\"pa"), End("length", true)],
            "call c1 read \"{\\\"pa\"\nusage\nstop MaxTokens\n".into(),
        ),
        (
            "duplicate ids",
            vec![
                Begin,
                Call("c1", &["{\"path\":\"a\"}"]),
                Call("c1", &["{\"n\":2}"]),
                End("tool", true),
            ],
            format!("{a}\ncall c1_1 read \"{{\\\"n\\\":2}}\"\nusage\nstop ToolUse\n"),
        ),
    ];
    let mut skips = Vec::new();
    let mut cells = 0;
    for (name, steps, want) in &rows {
        let want = want.replace("usage\n", "usage in 10 out 5 read 0 written 0 reasoning 0\n");
        for (family, api) in FAMILIES {
            let text = match spell(api, steps) {
                Ok(text) => text,
                Err(why) => {
                    skips.push(format!("{name} × {family}: {why}\n"));
                    continue;
                }
            };
            cells += 1;
            let bytes = Bytes::from(text);
            for at in 0..bytes.len() {
                let pieces = vec![bytes.slice(..at), bytes.slice(at..)];
                let got = meaning(&shown(decode_pieces(api, pieces)));
                assert_eq!(got, want, "{name} × {family}, cut at {at}");
            }
        }
    }
    assert_eq!(cells + skips.len(), rows.len() * FAMILIES.len());
    expect_test::expect![[r"
        arguments in pieces × gemini: arguments come whole
        content null × anthropic: each piece has its own type, with text in it
        content as a list × anthropic: each piece has its own type, with text in it
        usage first × openai-responses: usage is only in the last event
        refusal × anthropic: a refusal is a stop reason, its text an ordinary block
        refusal × gemini: a refusal is a finish reason, its text an ordinary part
        cut inside a call × gemini: arguments come whole
        length inside a call × gemini: arguments come whole
    "]]
    .assert_eq(&skips.concat());
}

#[test]
fn arguments_may_be_cut_at_any_character() {
    let arguments = "{\"path\":\"ä 😀\\n\\\"\",\"n\":[1,{}]}";
    for (family, api) in FAMILIES.into_iter().filter(|(_, api)| *api != Api::Gemini) {
        for (at, _) in arguments.char_indices().skip(1) {
            let (first, second) = arguments.split_at(at);
            let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
            let pieces: &'static [_] = Box::leak(Box::new([leak(first), leak(second)]));
            let text = spell(api, &[Begin, Call("c1", pieces), End("tool", false)]).unwrap();
            let got = shown(decode_pieces(api, vec![Bytes::from(text)]));
            assert_eq!(
                got,
                format!("call c1 read {arguments:?}\nstop ToolUse\n"),
                "{family} at {at}"
            );
        }
    }
}
