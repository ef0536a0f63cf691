//! Pruning: selects old results, and long arguments of old calls, that a conversation can do without. Pure. Only the model's view changes;
//! the journal keeps everything.
//!
//! Pruning happens in large steps, so that a provider's cache stays valid for long. Invariant: calls and results stay paired; only the text
//! of results and arguments changes, and never that of the newest ones.
//!
//! Pruned texts stay with the conversation, so that `recall` needs no journal; compaction drops them.

use super::estimate;
use pintle_llm::{AssistantBlock, Message, ToolResult};
use pintle_protocol::content::Content;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Starts the text that replaces a pruned result.
const REMOVED: &str = "[This result was removed to make room";

/// Returns the text that replaces a pruned result. It refers to the call for the tool `recall`.
fn removed(call_id: &str) -> String {
    format!("{REMOVED}: `recall` with the call `{call_id}` brings it back, or run the call again.]")
}

/// The text that replaces a read which a later read of the same file repeats.
const SUPERSEDED: &str = "[Removed to make room: a later call shows this file again.]";

/// The pruned texts by the ids of their calls: the arguments, if they were shortened, then the result.
pub type Removed = Arc<BTreeMap<String, Vec<Content>>>;

/// The minimum size of a result or an argument that is worth pruning, in tokens.
const MIN_TOKENS: u64 = 100;

/// The number of things that were pruned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The results.
    pub results: u64,
    /// The calls whose long arguments were shortened.
    pub calls: u64,
}

/// The messages to prune, by their positions in the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// All of them, in the order in which they are pruned.
    pub places: Vec<usize>,
    /// Those of them that are results which a later result repeats.
    pub superseded: Vec<usize>,
}

/// Returns the messages to prune to free about `wanted` tokens; all possible ones if that is `None`. The last `keep` tokens stay, and
/// superseded results are pruned first; `shows_files` is true for the names of tools that show files. Empty if not even half of `wanted`
/// can be freed.
pub fn plan(
    messages: &[Arc<Message>],
    keep: u64,
    wanted: Option<u64>,
    shows_files: impl Fn(&str) -> bool,
) -> Plan {
    let mut newest = 0;
    let kept = messages.iter().rev().take_while(|message| {
        newest += estimate::message(message);
        newest <= keep
    });
    let old = messages.get(..messages.len() - kept.count()).unwrap_or_default();
    let superseded = superseded(messages, shows_files);
    let candidate = |(position, message): (usize, &Arc<Message>)| {
        let tokens = match &**message {
            Message::ToolResult(result) if !is_pruned(result) => estimate::content(&result.content),
            Message::Assistant(assistant) => assistant.blocks.iter().map(freed).sum(),
            Message::ToolResult(_) | Message::User(_) => 0,
        };
        (tokens >= MIN_TOKENS).then_some((position, tokens))
    };
    let candidates = old.iter().enumerate().filter_map(candidate);
    let (repeated, other): (Vec<_>, Vec<_>) =
        candidates.partition(|(position, _)| superseded.contains(position));
    let mut freed = 0;
    let mut plan = Plan::default();
    for (position, tokens) in repeated.into_iter().chain(other) {
        if wanted.is_some_and(|wanted| freed >= wanted) {
            break;
        }
        freed += tokens;
        plan.places.push(position);
        if superseded.contains(&position) {
            plan.superseded.push(position);
        }
    }
    if freed * 2 < wanted.unwrap_or(0) { Plan::default() } else { plan }
}

/// Replaces the content of these results and the long arguments of these calls by notes, and stores both in `kept`. The rest of the
/// conversation is unchanged.
pub fn apply(messages: &mut [Arc<Message>], plan: &Plan, kept: &mut Removed) -> Counts {
    let mut counts = Counts::default();
    for position in &plan.places {
        let Some(message) = messages.get_mut(*position) else { continue };
        match &**message {
            Message::ToolResult(result) => {
                let is_superseded = plan.superseded.contains(position);
                let notice =
                    if is_superseded { SUPERSEDED.to_owned() } else { removed(&result.call_id) };
                if !is_superseded {
                    let call = Arc::make_mut(kept).entry(result.call_id.clone()).or_default();
                    call.extend(result.content.iter().cloned());
                }
                counts.results += 1;
                let content = vec![Content::text(notice)];
                *message = Arc::new(Message::ToolResult(ToolResult { content, ..result.clone() }));
            }
            Message::Assistant(assistant) => {
                let mut assistant = assistant.clone();
                for block in &mut assistant.blocks {
                    if let AssistantBlock::ToolCall { id, arguments, .. } = block
                        && let Some(short) = shortened(id, arguments)
                    {
                        let whole = std::mem::replace(arguments, short);
                        let content = Content::text(format!("The call's arguments:\n{whole}\n"));
                        Arc::make_mut(kept).entry(id.clone()).or_default().insert(0, content);
                        counts.calls += 1;
                    }
                }
                *message = Arc::new(Message::Assistant(assistant));
            }
            Message::User(_) => {}
        }
    }
    counts
}

/// Returns the tokens that the long arguments of a block take.
fn freed(block: &AssistantBlock) -> u64 {
    let AssistantBlock::ToolCall { id, arguments, .. } = block else { return 0 };
    let short = shortened(id, arguments);
    short.map_or(0, |short| estimate::text(arguments).saturating_sub(estimate::text(&short)))
}

/// Returns a call's arguments with a note in place of each long text; `None` if there is no long text. They stay valid for the tool's
/// schema.
fn shortened(call_id: &str, arguments: &str) -> Option<String> {
    fn shorten(value: &mut Value, call_id: &str) -> bool {
        match value {
            Value::String(text) if estimate::text(text) >= MIN_TOKENS => {
                let count = text.chars().count();
                *text = format!(
                    "[{count} characters were removed to make room: `recall` with the call `{call_id}` brings them back.]"
                );
                true
            }
            Value::Array(values) => {
                values.iter_mut().fold(false, |any, value| shorten(value, call_id) | any)
            }
            Value::Object(fields) => {
                fields.values_mut().fold(false, |any, value| shorten(value, call_id) | any)
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    // A shorter text contains no long one, and most arguments are short.
    if estimate::text(arguments) < MIN_TOKENS {
        return None;
    }
    let mut value = serde_json::from_str(arguments).ok()?;
    shorten(&mut value, call_id).then(|| value.to_string())
}

fn is_pruned(result: &ToolResult) -> bool {
    matches!(result.content.as_slice(), [Content::Text { text }] if text.starts_with(REMOVED) || text == SUPERSEDED)
}

/// Returns the positions of results that the later result of a call with the same name and arguments repeats.
pub fn superseded(
    messages: &[Arc<Message>],
    shows_files: impl Fn(&str) -> bool,
) -> BTreeSet<usize> {
    let mut last: HashMap<(&str, &str), usize> = HashMap::new();
    let mut superseded = BTreeSet::new();
    // Calls in the last reply: ids may repeat from reply to reply.
    let mut calls: HashMap<&str, (&str, &str)> = HashMap::new();
    for (position, message) in messages.iter().enumerate() {
        match &**message {
            Message::Assistant(assistant) => {
                let reads = assistant.blocks.iter().filter_map(|block| match block {
                    AssistantBlock::ToolCall { id, name, arguments, .. } if shows_files(name) => {
                        Some((id.as_str(), (name.as_str(), arguments.as_str())))
                    }
                    AssistantBlock::ToolCall { .. }
                    | AssistantBlock::Text { .. }
                    | AssistantBlock::Reasoning { .. }
                    | AssistantBlock::Unknown(_) => None,
                });
                calls = reads.collect();
            }
            Message::ToolResult(result) if !result.is_error => {
                let call = calls.get(result.call_id.as_str());
                let earlier = call.and_then(|call| last.insert(*call, position));
                superseded.extend(earlier);
            }
            Message::ToolResult(_) | Message::User(_) => {}
        }
    }
    superseded
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::{Assistant, invariants};
    use pintle_protocol::event::StopReason;

    /// Builds a call and its result of this many tokens.
    fn call(id: &str, arguments: &str, tokens: usize) -> [Arc<Message>; 2] {
        call_of("read", id, arguments, tokens)
    }

    fn call_of(name: &str, id: &str, arguments: &str, tokens: usize) -> [Arc<Message>; 2] {
        let block = AssistantBlock::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            opaque: None,
        };
        let (origin, stop) = ("x/y".to_owned(), StopReason::ToolUse);
        let result = ToolResult {
            call_id: id.to_owned(),
            tool_name: name.to_owned(),
            content: vec![Content::text("four".repeat(tokens))],
            is_error: false,
        };
        [
            Arc::new(Message::Assistant(Assistant {
                effort: None,
                blocks: vec![block],
                origin,
                stop,
            })),
            Arc::new(Message::ToolResult(result)),
        ]
    }

    fn is_read(name: &str) -> bool {
        name == "read"
    }

    #[test]
    fn the_oldest_go_first_and_repeated_reads_before_them() {
        let messages: Vec<_> = [
            call("a", "1", 1000),
            call("b", "2", 1000),
            call("c", "2", 1000),
            call("d", "3", 50),
            call("e", "4", 1000),
            call("f", "5", 1000),
        ]
        .concat();
        for (name, keep, wanted, want) in [
            ("one step", 0, Some(900), vec![3]),
            ("two", 0, Some(1900), vec![3, 1]),
            ("small ones stay", 0, Some(9000), vec![3, 1, 5, 9, 11]),
            ("the newest stay", 2100, Some(9000), vec![]),
            ("half is worth it", 2100, Some(5000), vec![3, 1, 5]),
            ("nothing that is too little", 5500, Some(3000), vec![]),
            ("all that is old", 2100, None, vec![3, 1, 5]),
        ] {
            assert_eq!(plan(&messages, keep, wanted, is_read).places, want, "{name}");
        }
    }

    #[test]
    fn long_arguments_of_old_calls_are_shortened_and_can_be_recalled() {
        let long = "four".repeat(1000);
        let arguments =
            format!(r#"{{"path":"a.rs","edits":[{{"oldText":"x","newText":"{long}"}}],"n":1}}"#);
        let mut messages: Vec<_> = [call("a", &arguments, 1000), call("b", "{}", 1000)].concat();
        let positions = plan(&messages, 1100, None, is_read);
        assert_eq!(positions.places, [0, 1], "the arguments and the result of the older call");
        let mut kept = Removed::default();
        assert_eq!(apply(&mut messages, &positions, &mut kept), Counts { results: 1, calls: 1 });
        let Message::Assistant(assistant) = &*messages[0] else { panic!() };
        let AssistantBlock::ToolCall { arguments: short, .. } = &assistant.blocks[0] else {
            panic!()
        };
        assert_eq!(
            short,
            r#"{"path":"a.rs","edits":[{"oldText":"x","newText":"[4000 characters were removed to make room: `recall` with the call `a` brings them back.]"}],"n":1}"#
        );
        let recalled = [
            Content::text(format!("The call's arguments:\n{arguments}\n")),
            Content::text("four".repeat(1000)),
        ];
        assert_eq!(kept["a"], recalled);
        assert_eq!(plan(&messages, 1100, None, is_read), Plan::default());
        messages.insert(0, Arc::new(Message::User(vec![Content::text("go")])));
        assert_eq!(invariants::check(&messages), Ok(()));
    }

    #[test]
    fn what_was_pruned_is_not_pruned_again_and_stays_paired() {
        let mut messages: Vec<_> = [call("a", "1", 1000), call("b", "1", 1000)].concat();
        let positions = plan(&messages, 0, Some(1900), is_read);
        let mut kept = Removed::default();
        apply(&mut messages, &positions, &mut kept);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["b"], "what is shown again is not kept");
        assert_eq!(kept["b"], [Content::text("four".repeat(1000))]);
        let said = |at: usize| match &*messages[at] {
            Message::ToolResult(ToolResult { content, .. }) => content.clone(),
            Message::User(_) | Message::Assistant(_) => Vec::new(),
        };
        assert_eq!(said(1), [Content::text(SUPERSEDED)]);
        assert_eq!(said(3), [Content::text(removed("b"))]);
        assert_eq!(plan(&messages, 0, Some(100), is_read), Plan::default());
        messages.insert(0, Arc::new(Message::User(vec![Content::text("go")])));
        assert_eq!(invariants::check(&messages), Ok(()));
    }

    #[test]
    fn only_a_later_result_of_the_same_tool_and_arguments_repeats_one() {
        let shows_files = |name: &str| ["Read", "read_file"].contains(&name);
        let failed = |[call, result]: [Arc<Message>; 2]| match &*result {
            Message::ToolResult(result) => {
                let result = ToolResult { is_error: true, ..result.clone() };
                [call, Arc::new(Message::ToolResult(result))]
            }
            Message::User(_) | Message::Assistant(_) => panic!(),
        };
        for (name, first, second, want) in [
            ("the same", call_of("Read", "a", "1", 9), call_of("Read", "b", "1", 9), vec![1]),
            ("the same id", call_of("Read", "a", "1", 9), call_of("Read", "a", "1", 9), vec![1]),
            ("other arguments", call_of("Read", "a", "1", 9), call_of("Read", "b", "2", 9), vec![]),
            (
                "other tools",
                call_of("Read", "a", "1", 9),
                call_of("read_file", "b", "1", 9),
                vec![],
            ),
            ("no file", call_of("readable", "a", "1", 9), call_of("readable", "b", "1", 9), vec![]),
            ("failed", call_of("Read", "a", "1", 9), failed(call_of("Read", "b", "1", 9)), vec![]),
        ] {
            let messages = [first, second].concat();
            let got: Vec<_> = superseded(&messages, shows_files).into_iter().collect();
            assert_eq!(got, want, "{name}");
        }
    }
}
