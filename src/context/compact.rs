//! Making a long conversation short: where to cut it, what to ask a model for, and what stands there afterwards. Pure.
//!
//! Invariant: the cut never parts a call from its result, and what follows it is the conversation word for word.

use super::estimate;
use crate::llm::{AssistantBlock, Message};
use pintle_protocol::content::Content;
use std::sync::Arc;

/// The system prompt of a request for a summary.
pub const INSTRUCTIONS: &str = include_str!("prompts/summarize.md");

/// The system prompt of a request for a summary of an abandoned branch.
pub const LEFT_INSTRUCTIONS: &str = include_str!("prompts/summarize_left.md");

/// The beginning of such a summary.
pub const LEFT_HEADING: &str = "From the engine, not from the user: the user went back to this point of the conversation. This is what happened on the way that was left.";

/// The beginning of a message that holds a summary.
pub const HEADING: &str = "From the engine, not from the user: the conversation so far was too long and is summed up here.";

/// The heading of the person's own words in a summary.
const PINNED: &str = "\n## What the person said, word for word\n";

/// A result longer than this many characters is cut in what is summed up: its gist is enough.
const MAX_RESULT_CHARS: usize = 2_000;

/// The person's own words that are kept verbatim, at most so many tokens, the latest first.
const MAX_PINNED: u64 = 2_000;

/// Where to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The number of messages at the end that stay.
    pub kept: usize,
    /// The cut is inside a turn: what stays begins with something the model said.
    pub is_inside_turn: bool,
}

/// The cut that keeps about the last `keep` tokens. None when nothing would go.
pub fn plan(messages: &[Arc<Message>], keep: u64) -> Option<Cut> {
    let mut tokens = 0;
    let mut best = None;
    for (place, message) in messages.iter().enumerate().rev() {
        tokens += estimate::message(message);
        if tokens > keep && best.is_some() {
            break;
        }
        match &**message {
            Message::User(_) => best = Some((place, false)),
            Message::Assistant(_) => best = Some((place, true)),
            Message::ToolResult(_) => {}
        }
    }
    // What would stay is all there is: then the last message alone stays, if that is less.
    let (place, is_inside_turn) = best?;
    let kept = messages.len() - place;
    let is_summary_alone =
        place == 1 && messages.first().is_some_and(|first| summary_of(first).is_some());
    (place > 0 && !is_summary_alone).then_some(Cut { kept, is_inside_turn })
}

/// What is asked of the model: everything before the cut, as one text.
pub fn request(messages: &[Arc<Message>], cut: Cut, instructions: Option<&str>) -> String {
    let old = messages.get(..messages.len() - cut.kept).unwrap_or_default();
    let mut text = String::new();
    for message in old {
        match summary_of(message) {
            Some(summary) => {
                text.push_str("<earlier-memory>\n");
                text.push_str(summary);
                text.push_str(
                    "\n</earlier-memory>\nUpdate that memory with what happened since:\n\n",
                );
            }
            None => write_message(&mut text, message),
        }
    }
    if cut.is_inside_turn {
        text.push_str("\nThe work goes on in the middle of this last task. Say under \"Progress\" how far it has come.\n");
    }
    if let Some(instructions) = instructions.filter(|text| !text.trim().is_empty()) {
        text.push_str("\nThe person says about this memory: ");
        text.push_str(instructions.trim());
        text.push('\n');
    }
    format!("<conversation>\n{text}</conversation>\n\nWrite the memory now.")
}

/// What is asked of the model about messages that the conversation has left.
pub fn left(messages: &[Arc<Message>]) -> String {
    let mut text = String::new();
    for message in messages {
        write_message(&mut text, message);
    }
    format!("<conversation>\n{text}</conversation>\n\nWrite it down now.")
}

fn write_message(text: &mut String, message: &Message) {
    match message {
        Message::User(blocks) => push(text, "person", &said(blocks)),
        Message::ToolResult(result) => {
            let mut said = said(&result.content);
            if let Some((end, _)) = said.char_indices().nth(MAX_RESULT_CHARS) {
                said.truncate(end);
                said.push_str(" […]");
            }
            let who = if result.is_error { "failed result" } else { "result" };
            push(text, &format!("{who} of {}", result.tool_name), &said);
        }
        Message::Assistant(assistant) => {
            for block in &assistant.blocks {
                match block {
                    AssistantBlock::Text { text: said, .. } => push(text, "agent", said),
                    AssistantBlock::ToolCall { name, arguments, .. } => {
                        push(text, "agent calls", &format!("{name} {arguments}"));
                    }
                    AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {}
                }
            }
        }
    }
}

fn push(text: &mut String, who: &str, said: &str) {
    for part in ["[", who, "]\n", said, "\n\n"] {
        text.push_str(part);
    }
}

pub(super) fn said(blocks: &[Content]) -> String {
    let texts = blocks.iter().map(|block| match block {
        Content::Text { text } => text.as_str(),
        Content::Image { .. } => "(a picture)",
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What stands in the place of everything before the cut: the summary, what of the plan is open, and the person's own words as far
/// as there is room.
pub fn summary(
    messages: &[Arc<Message>],
    cut: Cut,
    said: &str,
    open_todos: Option<&str>,
) -> String {
    let old = messages.get(..messages.len() - cut.kept).unwrap_or_default();
    let mut words = Vec::new();
    for message in old {
        match &**message {
            Message::User(blocks) if is_from_engine(blocks) => {
                // An earlier summary hands on what it had kept.
                let earlier = summary_of(message).and_then(|text| text.split_once(PINNED));
                words.extend(earlier.map(|(_, pinned)| pinned.trim().to_owned()));
            }
            Message::User(blocks) => {
                words.push(format!("> {}", self::said(blocks).trim().replace('\n', "\n> ")));
            }
            Message::Assistant(_) | Message::ToolResult(_) => {}
        }
    }
    let mut tokens = 0;
    let fitting = words.iter().rev().take_while(|words| {
        tokens += estimate::text(words);
        tokens <= MAX_PINNED
    });
    let pinned = words.get(words.len() - fitting.count()..).unwrap_or_default();
    let mut text = format!("{HEADING}\n\n{}\n", said.trim());
    if let Some(todos) = open_todos {
        text.push_str("\n## Open todos\n");
        text.push_str(todos.trim());
        text.push('\n');
    }
    if !pinned.is_empty() {
        text.push_str(PINNED);
        text.push_str(&pinned.join("\n\n"));
        text.push('\n');
    }
    text
}

/// The conversation after the cut.
pub fn apply(messages: &mut Vec<Arc<Message>>, kept: usize, summary: &str) {
    let place = messages.len().saturating_sub(kept);
    let first = Arc::new(Message::User(vec![Content::text(summary)]));
    messages.splice(..place, [first]);
}

/// The summary that a message is, if it is one.
fn summary_of(message: &Message) -> Option<&str> {
    match message {
        Message::User(blocks) => match blocks.as_slice() {
            [Content::Text { text }] => text.strip_prefix(HEADING).map(str::trim),
            _ => None,
        },
        Message::Assistant(_) | Message::ToolResult(_) => None,
    }
}

/// True when a message is a summary of what was before.
pub fn is_summary(message: &Message) -> bool {
    summary_of(message).is_some()
}

pub(super) fn is_from_engine(blocks: &[Content]) -> bool {
    matches!(blocks, [Content::Text { text }, ..] if text.starts_with("From the engine, not from the user"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Assistant, ToolResult, invariants};
    use expect_test::expect;
    use pintle_protocol::event::StopReason;

    /// `u` a person, `a` the model, `c` a call and its result; each of about so many tokens.
    fn conversation(shape: &str, tokens: usize) -> Vec<Arc<Message>> {
        let text = |name: &str| format!("{name} {}", "four".repeat(tokens));
        let mut messages = Vec::new();
        for (number, kind) in shape.chars().enumerate() {
            let said = |blocks, stop| {
                Message::Assistant(Assistant { blocks, origin: "x/y".to_owned(), stop })
            };
            let id = format!("c{number}");
            match kind {
                'u' => {
                    let said = text(&format!("u{number}"));
                    messages.push(Message::User(vec![Content::text(said)]));
                }
                'a' => messages.push(said(
                    vec![AssistantBlock::Text { text: text(&format!("a{number}")), opaque: None }],
                    StopReason::EndTurn,
                )),
                _ => {
                    messages.push(said(
                        vec![AssistantBlock::ToolCall {
                            id: id.clone(),
                            name: "read".to_owned(),
                            arguments: "{}".to_owned(),
                            opaque: None,
                        }],
                        StopReason::ToolUse,
                    ));
                    messages.push(Message::ToolResult(ToolResult {
                        call_id: id,
                        tool_name: "read".to_owned(),
                        content: vec![Content::text(text("result"))],
                        is_error: false,
                    }));
                }
            }
        }
        messages.into_iter().map(Arc::new).collect()
    }

    #[test]
    fn the_cut_is_at_a_message_of_person_or_model() {
        for (name, shape, keep, want) in [
            ("two turns", "uaua", 250, Some((2, false))),
            ("a bit more room", "uaua", 350, Some((3, true))),
            ("all fits", "uaua", 9000, None),
            ("inside a turn", "uccc", 250, Some((4, true))),
            ("a call stays with its result", "uccc", 150, Some((2, true))),
            ("nothing fits, the last stays", "uaua", 1, Some((1, true))),
            ("one message alone", "u", 1, None),
            ("nothing", "", 1, None),
        ] {
            let cut = plan(&conversation(shape, 100), keep);
            assert_eq!(cut.map(|cut| (cut.kept, cut.is_inside_turn)), want, "{name}");
        }
    }

    #[test]
    fn what_stays_is_legal_and_a_second_summary_builds_on_the_first() {
        let mut messages = conversation("uaucu", 1);
        let cut = plan(&messages, 12).unwrap();
        let first = summary(&messages, cut, "## Goal\nall\n", Some("[ ] the tests"));
        apply(&mut messages, cut.kept, &first);
        assert_eq!(invariants::check(&messages), Ok(()));
        expect![[r"
            From the engine, not from the user: the conversation so far was too long and is summed up here.

            ## Goal
            all

            ## Open todos
            [ ] the tests

            ## What the person said, word for word
            > u0 four

            > u2 four
        "]]
        .assert_eq(&first);
        assert_eq!(plan(&messages, 90_000), None, "a summary alone is not summed up");
        messages.extend(conversation("aua", 1));
        let cut = plan(&messages, 1).unwrap();
        expect![[r#"
            <conversation>
            <earlier-memory>
            ## Goal
            all

            ## Open todos
            [ ] the tests

            ## What the person said, word for word
            > u0 four

            > u2 four
            </earlier-memory>
            Update that memory with what happened since:

            [person]
            u4 four

            [agent]
            a0 four

            [person]
            u1 four


            The work goes on in the middle of this last task. Say under "Progress" how far it has come.

            The person says about this memory: keep the numbers
            </conversation>

            Write the memory now."#]].assert_eq(&request(&messages, cut, Some("keep the numbers")));
    }
}
