//! Compaction: choosing the cut, writing the request for a summary, and replacing the old messages by it. Pure.
//!
//! Invariant: the cut never separates a call from its result, and the messages after it stay unchanged.

use super::conversation::{from_engine, without_engine_prefix};
use super::{enclosed, estimate};
use pintle_llm::{AssistantBlock, Message};
use pintle_protocol::content::Content;
use pintle_protocol::item::CompactionFiles;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

/// The system prompt of a request for a summary.
pub const INSTRUCTIONS: &str = include_str!("prompts/summarize.md");

/// The system prompt of a request for a summary of the first part of a turn.
pub const TURN_INSTRUCTIONS: &str = include_str!("prompts/summarize_turn.md");

/// Introduces the first part of a turn in a summary.
pub const TURN: &str = "## The task in progress";

/// The system prompt of a request for a summary of an abandoned branch.
pub const BRANCH_INSTRUCTIONS: &str = include_str!("prompts/summarize_left.md");

/// Starts a branch summary.
const BRANCH_HEADING: &str = "the user went back to this point of the conversation. This is a summary of the abandoned branch.";

/// Starts a compaction summary.
const HEADING: &str = "the conversation so far was too long; this is a summary.";

/// Introduces the user's messages in a summary.
const PINNED: &str = "\n## The user's messages, verbatim\n";

/// Introduces the file list in a summary.
const FILES: &str = "\n## Files\n";

/// The maximum length of a call or a result in a request for a summary, in characters.
const MAX_RESULT_CHARS: usize = 2_000;

/// The maximum size of the user's messages that are kept verbatim, in tokens; the latest are kept first.
const MAX_PINNED: u64 = 2_000;

/// A cut's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The number of messages at the end that stay.
    pub kept: usize,
    /// The cut is inside a turn: the first message that stays is the model's.
    pub is_inside_turn: bool,
}

/// Returns the cut that keeps about the last `keep` tokens; `None` if nothing would be removed.
pub fn plan(messages: &[Arc<Message>], keep: u64) -> Option<Cut> {
    let mut tokens = 0;
    let mut best = None;
    for (start, message) in messages.iter().enumerate().rev() {
        tokens += estimate::message(message);
        if tokens > keep && best.is_some() {
            break;
        }
        match &**message {
            Message::User(_) => best = Some((start, false)),
            Message::Assistant(_) => best = Some((start, true)),
            Message::ToolResult(_) => {}
        }
    }
    // If everything would stay, only the last message stays, provided that is less.
    let (start, is_inside_turn) = best?;
    let kept = messages.len() - start;
    let is_summary_alone =
        start == 1 && messages.first().is_some_and(|first| summary_of(first).is_some());
    (start > 0 && !is_summary_alone).then_some(Cut { kept, is_inside_turn })
}

/// The requests for a summary of everything before a cut.
#[derive(Debug, PartialEq, Eq)]
pub struct Requests {
    /// The request for a summary of the conversation.
    pub conversation: String,
    /// The request for a summary of the first part of a turn that the cut divides; `None` if the other request covers it.
    pub turn: Option<String>,
}

/// Returns the requests for a summary of everything before the cut. If the cut divides a turn, that turn's first part is summarized
/// separately, so that the many messages before it do not crowd it out.
pub fn requests(messages: &[Arc<Message>], cut: Cut, instructions: Option<&str>) -> Requests {
    let old = messages.get(..messages.len() - cut.kept).unwrap_or_default();
    let Some((before, turn)) = cut.is_inside_turn.then(|| divided_turn(old)).flatten() else {
        return Requests {
            conversation: request(old, cut.is_inside_turn, instructions),
            turn: None,
        };
    };
    Requests {
        conversation: request(before, false, instructions),
        turn: Some(request(turn, false, instructions)),
    }
}

/// The messages before a turn, and those of it.
type Halves<'a> = (&'a [Arc<Message>], &'a [Arc<Message>]);

/// Divides messages at the start of their last turn. `None` if one summary is enough: nothing precedes that turn, or it has only the user's
/// message.
fn divided_turn(old: &[Arc<Message>]) -> Option<Halves<'_>> {
    let is_start = |message: &Arc<Message>| match &**message {
        Message::User(blocks) => !is_from_engine(blocks),
        Message::Assistant(_) | Message::ToolResult(_) => false,
    };
    let (before, turn) = old.split_at_checked(old.iter().rposition(is_start)?)?;
    let has_history = before.iter().any(|message| !is_summary(message));
    let has_replies = turn.iter().any(|message| matches!(&**message, Message::Assistant(_)));
    (has_history && has_replies).then_some((before, turn))
}

/// Joins a conversation's summary with that of its last turn's first part.
pub fn joined(conversation: &str, turn: &str) -> String {
    format!("{}\n\n{TURN}\n{}", conversation.trim(), turn.trim())
}

fn request(old: &[Arc<Message>], is_unfinished: bool, instructions: Option<&str>) -> String {
    let mut text = String::new();
    for message in old {
        match summary_of(message) {
            Some(summary) => {
                text.push_str("<earlier-memory>\n");
                text.push_str(&enclosed("earlier-memory", &without_files(summary)));
                text.push_str(
                    "\n</earlier-memory>\nUpdate that memory with what happened since:\n\n",
                );
            }
            None => write_message(&mut text, message),
        }
    }
    if is_unfinished {
        text.push_str("\nThis last task is unfinished and will continue. State its progress under \"Progress\".\n");
    }
    if let Some(instructions) = instructions.filter(|text| !text.trim().is_empty()) {
        text.push_str("\nThe user's instructions for this memory: ");
        text.push_str(instructions.trim());
        text.push('\n');
    }
    let text = enclosed("conversation", &text);
    format!("<conversation>\n{text}</conversation>\n\nWrite the memory now.")
}

/// Returns the request for a summary of an abandoned branch.
pub fn branch_request(messages: &[Arc<Message>]) -> String {
    let mut text = String::new();
    for message in messages {
        write_message(&mut text, message);
    }
    let text = enclosed("conversation", &text);
    format!("<conversation>\n{text}</conversation>\n\nWrite it down now.")
}

fn write_message(text: &mut String, message: &Message) {
    match message {
        Message::User(blocks) => push(text, "user", &plain_text(blocks)),
        Message::ToolResult(result) => {
            let content = shortened(plain_text(&result.content));
            let kind = if result.is_error { "failed result" } else { "result" };
            push(text, &format!("{kind} of {}", result.tool_name), &content);
        }
        Message::Assistant(assistant) => {
            for block in &assistant.blocks {
                match block {
                    AssistantBlock::Text { text: reply, .. } => push(text, "agent", reply),
                    AssistantBlock::ToolCall { name, arguments, .. } => {
                        let call = shortened(format!("{name} {arguments}"));
                        push(text, "agent calls", &call);
                    }
                    AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {}
                }
            }
        }
    }
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_RESULT_CHARS) {
        text.truncate(end);
        text.push_str(" […]");
    }
    text
}

fn push(text: &mut String, role: &str, content: &str) {
    for part in ["[", role, "]\n", content, "\n\n"] {
        text.push_str(part);
    }
}

pub(super) fn plain_text(blocks: &[Content]) -> String {
    let texts = blocks.iter().map(|block| match block {
        Content::Text { text } | Content::Document { text, .. } => text.as_str(),
        Content::Image { .. } => "(an image)",
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The facts that the engine adds to a model's summary.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// The files that were read and changed.
    pub files: Option<&'a CompactionFiles>,
    /// The working directory; paths in it are relative to it.
    pub cwd: &'a str,
    /// The open todos.
    pub open_todos: Option<&'a str>,
}

/// Returns the text that replaces everything before the cut: the summary, the files, the open todos, and as many of the user's messages as
/// fit.
pub fn summary(messages: &[Arc<Message>], cut: Cut, summary: &str, facts: Facts<'_>) -> String {
    let old = messages.get(..messages.len() - cut.kept).unwrap_or_default();
    let mut user_messages = Vec::new();
    for message in old {
        match &**message {
            Message::User(blocks) if is_from_engine(blocks) => {
                // An earlier summary passes on the messages that it kept.
                let earlier = summary_of(message).and_then(|text| text.split_once(PINNED));
                user_messages.extend(earlier.map(|(_, pinned)| pinned.trim().to_owned()));
            }
            Message::User(blocks) => {
                user_messages
                    .push(format!("> {}", plain_text(blocks).trim().replace('\n', "\n> ")));
            }
            Message::Assistant(_) | Message::ToolResult(_) => {}
        }
    }
    let mut tokens = 0;
    let fitting = user_messages.iter().rev().take_while(|message| {
        tokens += estimate::text(message);
        tokens <= MAX_PINNED
    });
    let pinned = user_messages.get(user_messages.len() - fitting.count()..).unwrap_or_default();
    let mut text = titled(summary);
    if let Some(files) = facts.files {
        write_files(&mut text, files, facts.cwd);
    }
    if let Some(todos) = facts.open_todos {
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

fn write_files(text: &mut String, files: &CompactionFiles, cwd: &str) {
    text.push_str(FILES);
    for (title, paths) in [("Read", &files.read), ("Changed", &files.changed)] {
        if !paths.is_empty() {
            let relative = paths.iter().map(|path| {
                let inside = path.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/'));
                inside.unwrap_or(path)
            });
            let list = relative.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "{title}: {list}");
        }
    }
    if files.omitted > 0 {
        let _ = writeln!(text, "{} earlier files are left out.", files.omitted);
    }
}

/// Replaces the messages before the cut by the summary.
pub fn apply(messages: &mut Vec<Arc<Message>>, kept: usize, summary: &str) {
    let start = messages.len().saturating_sub(kept);
    let first = Arc::new(Message::User(vec![Content::text(summary)]));
    messages.splice(..start, [first]);
}

/// Returns the summary in a message, if it is one.
fn summary_of(message: &Message) -> Option<&str> {
    match message {
        Message::User(blocks) => match blocks.as_slice() {
            [Content::Text { text }] => {
                without_engine_prefix(text)?.strip_prefix(HEADING).map(str::trim)
            }
            _ => None,
        },
        Message::Assistant(_) | Message::ToolResult(_) => None,
    }
}

/// Returns an earlier summary without its file list, since the next summary gets a new one.
fn without_files(summary: &str) -> Cow<'_, str> {
    let Some((before, list)) = summary.rsplit_once(FILES) else { return Cow::Borrowed(summary) };
    match list.split_once("\n\n") {
        Some((_, after)) => Cow::Owned(format!("{before}\n{after}")),
        None => Cow::Borrowed(before),
    }
}

/// Returns true if a message is a summary of earlier ones.
pub fn is_summary(message: &Message) -> bool {
    summary_of(message).is_some()
}

pub(super) fn is_from_engine(blocks: &[Content]) -> bool {
    matches!(blocks, [Content::Text { text }, ..] if without_engine_prefix(text).is_some())
}

/// Returns a summary under the compaction heading.
pub fn titled(summary: &str) -> String {
    from_engine(format_args!("{HEADING}\n\n{}\n", summary.trim()))
}

/// Returns a compaction's summary without its heading.
pub fn untitled(summary: &str) -> &str {
    let text = without_engine_prefix(summary).and_then(|text| text.strip_prefix(HEADING));
    text.map_or(summary, str::trim)
}

/// Returns an abandoned branch's summary under its heading.
pub fn titled_branch(summary: &str) -> String {
    from_engine(format_args!("{BRANCH_HEADING}\n\n{}", summary.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pintle_llm::{Assistant, ToolResult, invariants};
    use pintle_protocol::event::StopReason;

    /// `u` is a user message, `a` the model's, `c` a call and its result; each of about this many tokens.
    fn conversation(shape: &str, tokens: usize) -> Vec<Arc<Message>> {
        let text = |name: &str| format!("{name} {}", "four".repeat(tokens));
        let mut messages = Vec::new();
        for (number, kind) in shape.chars().enumerate() {
            let said = |blocks, stop| {
                Message::Assistant(Assistant {
                    effort: None,
                    blocks,
                    origin: "x/y".to_owned(),
                    stop,
                })
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
        let paths = |list: &[&str]| list.iter().map(|&path| path.to_owned()).collect();
        let files = CompactionFiles {
            read: paths(&["/etc/hosts", "/w/b.rs"]),
            changed: paths(&["/w/src/a.rs"]),
            omitted: 2,
        };
        let open_todos = Some("[ ] the tests");
        let facts = Facts { files: Some(&files), cwd: "/w", open_todos };
        let first = summary(&messages, cut, "## Goal\nall\n", facts);
        apply(&mut messages, cut.kept, &first);
        assert_eq!(invariants::check(&messages), Ok(()));
        expect![[r"
            From the engine, not from the user: the conversation so far was too long; this is a summary.

            ## Goal
            all

            ## Files
            Read: /etc/hosts, b.rs
            Changed: src/a.rs
            2 earlier files are left out.

            ## Open todos
            [ ] the tests

            ## The user's messages, verbatim
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

            ## The user's messages, verbatim
            > u0 four

            > u2 four
            </earlier-memory>
            Update that memory with what happened since:

            [user]
            u4 four

            [agent]
            a0 four

            [user]
            u1 four


            This last task is unfinished and will continue. State its progress under "Progress".

            The user's instructions for this memory: keep the numbers
            </conversation>

            Write the memory now."#]]
        .assert_eq(&requests(&messages, cut, Some("keep the numbers")).conversation);
    }

    #[test]
    fn a_turn_that_the_cut_divides_is_summed_up_apart() {
        let has = |text: &str, names: &[&str]| names.iter().all(|name| text.contains(name));
        for (name, shape, kept, want) in [
            ("between turns", "uauc", 3, None),
            ("inside a turn", "uaucc", 2, Some((["u0", "a1"], ["u2", "read"]))),
            ("the only turn", "ucc", 2, None),
            ("nothing but the prompt", "uauc", 2, None),
        ] {
            let messages = conversation(shape, 1);
            let first = messages.get(messages.len() - kept).unwrap();
            let is_inside_turn = matches!(&**first, Message::Assistant(_));
            let asked = requests(&messages, Cut { kept, is_inside_turn }, None);
            let apart = asked.turn.as_deref();
            assert_eq!(apart.is_some(), want.is_some(), "{name}");
            if let (Some(turn), Some((before, after))) = (apart, want) {
                assert!(has(&asked.conversation, &before), "{name}: {asked:?}");
                assert!(has(turn, &after) && !has(turn, &before), "{name}: {asked:?}");
                assert!(!asked.conversation.contains("u2"), "{name}: {asked:?}");
            }
        }
        let mut messages = conversation("uaucc", 1);
        let cut = Cut { kept: 2, is_inside_turn: true };
        let said = joined("## Goal", "### Request");
        let first = summary(&messages, cut, &said, Facts::default());
        apply(&mut messages, 2, &first);
        messages.extend(conversation("cc", 1));
        let cut = Cut { kept: 2, is_inside_turn: true };
        let again = requests(&messages, cut, None);
        assert_eq!(again.turn, None, "the beginning of the turn is in the earlier summary");
        assert!(again.conversation.contains("## Goal\n\n## The task in progress\n### Request"));
    }
}
