//! The servers' prompt caches, as far as their documentation describes them, to measure how much input a change makes uncached.
//!
//! Source: platform.claude.com/docs/en/build-with-claude/prompt-caching (order of the prefix, breakpoints, 20 blocks of lookback, changes
//! that invalidate messages) and `effort-per-message`; developers.openai.com/api/docs/guides/reasoning; read 2026-11.

use super::{check, list};
use crate::catalog::{self, Api, Dialect};
use crate::remote::encode;
use crate::{Assistant, AssistantBlock, Effort, Message, Request, ToolSpec};
use expect_test::expect;
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

/// The number of blocks before a breakpoint in which the server looks for a cached prefix (Messages).
const LOOKBACK: usize = 20;

/// A block of the prefix, without its breakpoint.
#[derive(PartialEq)]
struct Block {
    value: Value,
    is_marked: bool,
}

impl Block {
    fn new(value: &Value) -> Self {
        let mut value = value.clone();
        let mark = value.as_object_mut().and_then(|fields| fields.shift_remove("cache_control"));
        Self { value, is_marked: mark.is_some() }
    }

    /// Returns its estimated tokens: four bytes each.
    fn tokens(&self) -> usize {
        self.value.to_string().len().div_ceil(4)
    }
}

/// Returns the blocks of a body in the order of the prefix. Parameters that are part of the prefix come before the blocks that they affect.
fn blocks(api: Api, body: &Value) -> Vec<Block> {
    let blocks = |key: &str| list(body, key).iter().map(Block::new).collect::<Vec<_>>();
    let mut all = blocks("tools");
    match api {
        Api::Messages => {
            all.extend(blocks("system"));
            let parameters = json!([body["thinking"], body["output_config"], body["tool_choice"]]);
            all.push(Block { value: parameters, is_marked: false });
            for message in list(body, "messages") {
                let mut head = message.clone();
                head["content"] = json!([]);
                all.push(Block { value: head, is_marked: false });
                all.extend(list(message, "content").iter().map(Block::new));
            }
        }
        Api::Chat | Api::Responses | Api::Gemini => {
            let parameters = json!([body["reasoning"], body["instructions"]]);
            all.insert(0, Block { value: parameters, is_marked: false });
            all.extend(blocks("input"));
        }
    }
    all
}

/// Returns the estimated tokens of a request's input, and how many of them are read from a cache that the previous request filled.
fn read(api: Api, previous: &Value, next: &Value) -> (usize, usize) {
    let (previous, next) = (blocks(api, previous), blocks(api, next));
    let same = previous.iter().zip(&next).take_while(|(a, b)| a.value == b.value).count();
    let marks = |blocks: &[Block]| -> Vec<usize> {
        (0..blocks.len()).filter(|at| blocks[*at].is_marked).map(|at| at + 1).collect()
    };
    let cached = match api {
        // A request stores entries at its breakpoints, and the next one looks them up from its own.
        Api::Messages => {
            let written = marks(&previous).into_iter().filter(|end| *end <= same);
            let is_found =
                |end: &usize| marks(&next).iter().any(|at| end <= at && at - end <= LOOKBACK);
            written.filter(is_found).max().unwrap_or(0)
        }
        Api::Chat | Api::Responses | Api::Gemini => same,
    };
    let tokens = |blocks: &[Block]| blocks.iter().map(Block::tokens).sum();
    (tokens(&next), tokens(&next[..cached]))
}

/// Returns request bodies for a session with one request per effort. A reply answers each, except the last.
fn session(
    (api, provider, model): (Api, &str, &str),
    dialect: Dialect,
    efforts: &[Option<Effort>],
) -> Vec<Value> {
    let text = |word: &str| vec![Content::text(word.repeat(800))];
    let mut messages = Vec::new();
    let mut bodies = Vec::new();
    for effort in efforts {
        messages.push(Arc::new(Message::User(text("ask "))));
        let request = Request {
            model: model.to_owned(),
            origin: format!("{provider}/{model}"),
            system: "be brief ".repeat(400).into(),
            messages: messages.clone().into(),
            tools: Arc::new([ToolSpec {
                name: "read".to_owned(),
                description: "reads ".repeat(100),
                parameters: json!({ "type": "object", "properties": {} }),
                grammar: None,
                built_in: None,
            }]),
            effort: *effort,
            max_output_tokens: Some(64_000),
            cache_key: Some("k".into()),
            output_schema: None,
            trace: crate::Trace::default(),
        };
        let body = encode(api, &request, dialect);
        assert_eq!(check(api, model, &body), Ok(()));
        bodies.push(body);
        messages.push(Arc::new(Message::Assistant(Assistant {
            blocks: vec![AssistantBlock::Text { text: "said ".repeat(800), opaque: None }],
            origin: format!("{provider}/{model}"),
            stop: StopReason::EndTurn,
            effort: *effort,
        })));
    }
    bodies
}

const CLAUDE: (Api, &str, &str) = (Api::Messages, "anthropic", "claude-opus-5-5");
const GPT: (Api, &str, &str) = (Api::Responses, "openai", "gpt-6.2-astra");

fn dialect(provider: &str) -> Dialect {
    catalog::find(provider).map(|entry| entry.dialect).unwrap()
}

#[test]
fn a_changed_effort_keeps_the_input_cached() {
    let efforts = |base, last| {
        let mut efforts = [base; 21];
        efforts[20] = last;
        efforts
    };
    let (high, low) = (Some(Effort::High), Some(Effort::Low));
    let mut table = String::new();
    for (target, base, last, updates) in [
        (CLAUDE, high, high, true),
        (CLAUDE, high, low, false),
        (CLAUDE, high, low, true),
        (CLAUDE, high, None, true),
        (CLAUDE, None, low, true),
        (GPT, high, high, true),
        (GPT, high, low, false),
        (GPT, high, low, true),
        (GPT, high, None, true),
    ] {
        let dialect = Dialect { effort_updates: updates, ..dialect(target.1) };
        let bodies = session(target, dialect, &efforts(base, last));
        let (input, cached) = read(target.0, &bodies[19], &bodies[20]);
        let name = |effort: Option<Effort>| effort.map_or("default", Effort::name);
        let (base, last) = (name(base), name(last));
        let how = if updates { "within" } else { "parameter" };
        let _ = writeln!(table, "{} {base} {last} {how}: {cached} of {input} cached", target.2);
    }
    expect![[r"
        claude-opus-5-5 high high within: 36679 of 38509 cached
        claude-opus-5-5 high low parameter: 1078 of 38509 cached
        claude-opus-5-5 high low within: 36679 of 38525 cached
        claude-opus-5-5 high default within: 36679 of 38526 cached
        claude-opus-5-5 default low within: 1078 of 38509 cached
        gpt-6.2-astra high high within: 36867 of 38707 cached
        gpt-6.2-astra high low parameter: 0 of 38707 cached
        gpt-6.2-astra high low within: 36867 of 38722 cached
        gpt-6.2-astra high default within: 0 of 38700 cached
    "]]
    .assert_eq(&table);
}

#[test]
fn each_request_continues_the_previous_one() {
    use Effort::{High, Low, Max, Xhigh};
    for target in [CLAUDE, GPT, (Api::Messages, "anthropic", "claude-fable-5-2")] {
        for efforts in [
            vec![High, Low, High, High, Low, Low, Max, Xhigh],
            vec![Low, Low, Low, High, Effort::Minimal, Effort::Minimal, Low, Low],
            vec![Max, Effort::None, High, Effort::None, Effort::None, Max, Low, Max],
        ] {
            let all: Vec<_> = efforts.iter().copied().map(Some).collect();
            let bodies = session(target, dialect(target.1), &all);
            for (pair, efforts) in bodies.windows(2).zip(efforts.windows(2)) {
                let (_, cached) = read(target.0, &pair[0], &pair[1]);
                let marked = target.0 == Api::Messages;
                let whole: usize = blocks(target.0, &pair[0]).iter().map(Block::tokens).sum();
                let least = if marked { whole - 40 } else { whole };
                assert!(cached >= least, "{target:?} {efforts:?}: {cached}");
            }
        }
    }
}
