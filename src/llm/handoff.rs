//! Every received reply can be sent back, to its own model and to any other.
//!
//! Each recorded reply goes into a conversation with results for its calls, twice, so that its ids repeat; the conversation is
//! encoded for each wire API and must keep that API's rules.

use super::catalog::{CallIds, Dialect};
use super::delta::Accumulator;
use super::fixtures::{FAMILIES, recorded};
use super::message::{Assistant, AssistantBlock, Message, ToolResult};
use super::remote::{decode_pieces, encode};
use super::request::Request;
use super::strict;
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use std::sync::Arc;

fn image() -> Content {
    Content::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() }
}

/// Returns a family's replies as the loop would keep them, without cut parts.
fn replies(family: &str) -> Vec<(String, Assistant)> {
    let (_, api) = FAMILIES.into_iter().find(|(name, _)| *name == family).unwrap();
    let mut replies = Vec::new();
    for (name, bytes) in recorded(family) {
        let mut message = Accumulator::default();
        for delta in decode_pieces(api, vec![bytes]).into_iter().flatten() {
            message.push(&delta);
        }
        if message.stop().is_some() {
            let origin = format!("{family}/{name}");
            replies.push((name, message.finish(origin)));
        }
    }
    replies
}

/// Returns results of every kind for a reply's calls.
fn results(reply: &Assistant) -> impl Iterator<Item = Message> {
    let calls = reply.blocks.iter().filter_map(|block| match block {
        AssistantBlock::ToolCall { id, name, .. } => Some((id, name)),
        AssistantBlock::Text { .. }
        | AssistantBlock::Reasoning { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    calls.enumerate().map(|(number, (id, name))| {
        Message::ToolResult(ToolResult {
            call_id: id.clone(),
            tool_name: name.clone(),
            content: match number % 3 {
                0 => vec![Content::text("seen"), image()],
                1 => Vec::new(),
                _ => vec![Content::text(" ")],
            },
            is_error: number % 2 == 1,
        })
    })
}

fn conversation(replies: &[&Assistant]) -> Vec<Message> {
    let mut messages = vec![Message::User(vec![Content::text("start"), image()])];
    for reply in replies {
        messages.push(Message::Assistant((*reply).clone()));
        messages.extend(results(reply));
        messages.push(Message::User(vec![Content::text("go on")]));
    }
    messages
}

/// Encodes for each API, with models of each kind, and checks.
fn check(name: &str, origin: &str, messages: Vec<Message>) {
    let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
    let nine = Dialect { call_ids: CallIds::Nine, ..Dialect::PLAIN };
    for (model, dialect) in [("gemini-3-pro", Dialect::PLAIN), ("gemini-2.5-flash", nine)] {
        let request = Request {
            model: model.to_owned(),
            origin: origin.to_owned(),
            system: "be brief".into(),
            messages: messages.clone().into(),
            tools: Arc::new([]),
            effort: None,
            max_output_tokens: None,
            cache_key: None,
            output_schema: None,
            trace: crate::Trace::default(),
        };
        for (target, api) in FAMILIES {
            let body = encode(api, &request, dialect);
            if let Err(broken) = strict::check(api, model, &body) {
                panic!("{name} to {target} ({model}, {origin}): {broken}\n{body:#}");
            }
        }
    }
}

#[test]
fn every_recorded_reply_can_be_sent_to_every_api() {
    let mut checked = 0;
    for (family, _) in FAMILIES {
        for (name, reply) in replies(family) {
            // A model gets all its opaque data back only over its own API; for any other API it counts as another
            // model.
            check(&name, "other/model", conversation(&[&reply, &reply]));
            checked += 1;
        }
    }
    assert!(checked > 120, "{checked}");
}

#[test]
fn every_recorded_reply_goes_back_to_the_model_that_made_it() {
    let mut pieces = 0;
    for (family, api) in FAMILIES {
        for (name, reply) in replies(family) {
            let messages = conversation(&[&reply, &reply]);
            let request = Request {
                model: if family == "gemini" { "gemini-3-pro" } else { "m" }.to_owned(),
                origin: reply.origin.clone(),
                system: "".into(),
                messages: messages.into_iter().map(Arc::new).collect(),
                tools: Arc::new([]),
                effort: None,
                max_output_tokens: None,
                cache_key: None,
                output_schema: None,
                trace: crate::Trace::default(),
            };
            let body = encode(api, &request, Dialect::PLAIN);
            if let Err(broken) = strict::check(api, &request.model, &body) {
                panic!("{name}: {broken}\n{body:#}");
            }
            // The opaque data is present byte for byte.
            let text = body.to_string();
            for kept in kept(&reply) {
                assert!(text.contains(&kept), "{name} lost {kept}");
                pieces += 1;
            }
        }
    }
    assert!(pieces > 20, "{pieces}");
}

/// Returns the signatures and encrypted reasoning that led to an item.
fn kept(reply: &Assistant) -> Vec<String> {
    let leads = reply.blocks.iter().any(|block| match block {
        AssistantBlock::Text { text, .. } => !text.trim().is_empty(),
        AssistantBlock::ToolCall { .. } => true,
        AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => false,
    });
    let mut kept = Vec::new();
    for block in reply.blocks.iter().filter(|_| leads) {
        let opaque = match block {
            AssistantBlock::Text { opaque, .. }
            | AssistantBlock::Reasoning { opaque, .. }
            | AssistantBlock::ToolCall { opaque, .. } => opaque.as_ref(),
            AssistantBlock::Unknown(opaque) => Some(opaque),
        };
        let Some(raw) = opaque.map(|opaque| opaque.0.get()) else { continue };
        for key in ["signature", "thoughtSignature", "encrypted_content", "data", "phase"] {
            for piece in
                raw.split(&format!("\"{key}\":")).skip(1).filter(|rest| rest.starts_with('"'))
            {
                let end = piece[1..].find('"').unwrap() + 2;
                kept.push(format!("\"{key}\":{}", &piece[..end]));
            }
        }
    }
    kept
}

#[test]
fn a_conversation_of_four_models_goes_to_any_of_them() {
    let find = |family: &str, name: &str| {
        replies(family).into_iter().find(|(known, _)| known.ends_with(name)).unwrap().1
    };
    let all = [
        find("anthropic", "thinking-tool-1"),
        find("openai-chat", "kimi-reasoning-tool"),
        find("openai-responses", "phase-commentary-tool-1"),
        find("gemini", "g3-parallel-1"),
        // A call whose name was never received, or an empty reply.
        Assistant {
            effort: None,
            blocks: vec![AssistantBlock::ToolCall {
                id: String::new(),
                name: String::new(),
                arguments: "{\"a\":".to_owned(),
                opaque: None,
            }],
            origin: "x/y".to_owned(),
            stop: StopReason::ToolUse,
        },
        Assistant {
            effort: None,
            blocks: Vec::new(),
            origin: "x/y".to_owned(),
            stop: StopReason::Other,
        },
        find("openai-responses", "incomplete-max-tokens"),
    ];
    let all: Vec<&Assistant> = all.iter().collect();
    check("all", "other/model", conversation(&all));
}
