//! Random journals, folded at once and with saved states in between.

use super::*;
use pintle_session::history::replay;
use pintle_session::store::moves;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A journal that grows by words.
#[derive(Default)]
struct Writer {
    lines: Vec<(Value, Option<Value>)>,
    turn: Option<String>,
    step: u64,
    ids: u64,
}

impl Writer {
    fn id(&mut self) -> String {
        self.ids += 1;
        format!("i{}", self.ids)
    }

    fn push(&mut self, event: impl Into<Value>, private: Option<Value>) {
        let event = event.into();
        let mut record = json!({"sessionId": "s", "seq": self.lines.len() + 1, "tsMs": self.ids, "event": event});
        if let Some(turn) = &self.turn {
            record["turnId"] = json!(turn);
        }
        self.lines.push((record, private));
    }

    /// Adds an item's event: `started`, `updated` or `completed`.
    fn item(&mut self, event: &str, id: &str, fields: &Value, private: Option<Value>) {
        let status = if event == "completed" { "completed" } else { "running" };
        let mut item = json!({"id": id, "status": status, "startedMs": 1});
        if event == "completed" {
            item["durationMs"] = json!(1);
        }
        for (key, value) in fields.as_object().unwrap() {
            item[key] = value.clone();
        }
        self.push(json!({"type": format!("item.{event}"), "item": item}), private);
    }

    fn begin(&mut self) {
        let (turn, item) = (self.id(), self.id());
        let content = json!([{"type": "text", "text": format!("question {item}")}]);
        self.turn = Some(turn.clone());
        self.step = 0;
        self.push(json!({"type": "input.accepted", "itemId": item, "turnId": turn, "delivery": "prompt", "content": content}), None);
        self.push(json!({"type": "turn.started", "model": "script/a"}), None);
        if self.ids.is_multiple_of(3) {
            self.push(
                json!({"type": "prompt.made"}),
                Some(
                    json!({"origin": "script/a", "system": format!("prompt {item}"), "root": "/o/a"}),
                ),
            );
        }
        self.item("completed", &item, &json!({"type": "userMessage", "content": content}), None);
    }

    fn step(&mut self, blocks: &Value) {
        self.step += 1;
        let usage = json!({"inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 0, "cacheWriteTokens": 0, "reasoningTokens": 0});
        let event = json!({"type": "step.completed", "step": self.step, "usage": usage, "turnUsage": usage});
        self.push(event, Some(json!({"origin": "script/a", "stop": "endTurn", "blocks": blocks})));
    }

    fn text(&mut self) {
        let item = self.id();
        self.item("started", &item, &json!({"type": "agentMessage", "text": ""}), None);
        let text = format!("answer {item}");
        self.item("completed", &item, &json!({"type": "agentMessage", "text": text}), None);
        self.step(&json!([{"type": "text", "item": item}]));
    }

    fn call(&mut self, ends: bool) {
        let item = self.id();
        let fields = json!({"type": "toolCall", "toolName": "read", "title": "read", "kind": "read",
            "input": {"path": "x"}, "locations": [{"path": format!("/o/a/{}", self.ids % 4)}]});
        self.item("updated", &item, &fields, None);
        self.step(&json!([{"type": "call", "item": item, "callId": format!("c{item}")}]));
        if ends {
            let mut fields = fields;
            fields["output"] =
                json!({"content": [{"type": "text", "text": format!("result {item}")}]});
            self.item("completed", &item, &fields, None);
        }
    }

    fn end(&mut self) {
        let usage = json!({"inputTokens": 5, "outputTokens": 2, "cacheReadTokens": 0, "cacheWriteTokens": 0, "reasoningTokens": 0});
        self.push(json!({"type": "turn.completed", "status": "completed", "usage": usage, "steps": self.step, "durationMs": 1}), None);
        self.turn = None;
    }

    fn word(&mut self, word: u8, number: u8) {
        let number = u64::from(number);
        let is_in_turn = self.turn.is_some();
        match word {
            // A turn that the last engine did not end, if one runs.
            0..=3 if !is_in_turn || word == 3 => self.begin(),
            0..=5 if is_in_turn => self.text(),
            6 | 7 if is_in_turn => self.call(true),
            8 if is_in_turn => self.call(false),
            9..=12 if is_in_turn => self.end(),
            13 => {
                let item = self.id();
                let files = json!({"read": [format!("/o/a/{number}")], "changed": []});
                let body = json!({"type": "compaction", "reason": "threshold", "tokensBefore": 9, "summary": "so far", "files": files});
                self.item("completed", &item, &body, Some(json!({"kept": number % 5})));
            }
            14 => {
                let event =
                    json!({"type": "context.pruned", "results": 1, "tokensBefore": 2, "tokensAfter": 1});
                self.push(event, Some(json!({"places": [number % 9], "superseded": []})));
            }
            15 => self.push(
                json!({"type": "plan.updated", "items": [{"content": format!("{number}"), "status": "pending"}]}),
                None,
            ),
            16 => {
                let item = self.id();
                self.push(json!({"type": "question.requested", "questionId": item, "sessionId": "s", "turnId": "t", "itemId": item,
                    "kind": if number.is_multiple_of(2) { "plan" } else { "choice" }, "text": "?", "deadlineMs": 1,
                    "options": [{"optionId": "1", "label": "yes"}]}), None);
                self.push(json!({"type": "question.resolved", "questionId": item, "itemId": item, "optionIds": ["1"], "by": "client"}), None);
            }
            17 => {
                let item = self.id();
                let mode = if number.is_multiple_of(2) { "plan" } else { "act" };
                let body = json!({"type": "engineMessage", "text": format!("news {item}"), "mode": mode});
                self.item("completed", &item, &body, Some(json!({"rights": format!("{number}")})));
            }
            18 => {
                let state = |hash: u64| json!({"sha256": format!("{hash}"), "size": 1});
                let change = json!({"path": format!("/o/a/{}", number % 4), "before": state(number), "after": state(number + 1)});
                let by = if number.is_multiple_of(2) { json!({"type": "other"}) } else { json!({"type": "call", "itemId": "i1"}) };
                self.push(json!({"type": "files.changed", "changes": [change], "by": by}), None);
            }
            19 => self.push(json!({"type": "session.moved", "from": "/o/a", "cwd": "/o/b"}), None),
            20 => {
                let to = number % (self.lines.len() as u64 + 2);
                self.push(json!({"type": "history.rewound", "toSeq": to}), None);
            }
            21 => {
                let item = self.id();
                let body = json!({"type": "job", "jobId": item, "title": "make", "command": "make"});
                self.item("started", &item, &body, None);
                if number.is_multiple_of(2) {
                    self.item("completed", &item, &body, None);
                }
            }
            22 => {
                let item = self.id();
                let usage = json!({"inputTokens": 1, "outputTokens": 1, "cacheReadTokens": 0, "cacheWriteTokens": 0, "reasoningTokens": 0});
                let body = json!({"type": "subagent", "agentId": item, "sessionId": item, "task": "t", "model": "m/m", "state": "working",
                    "turnsUsed": 1, "usage": usage});
                self.item("started", &item, &body, None);
            }
            23 => self.push(
                json!({"type": "config.changed", "model": format!("script/{number}"), "permissionMode": "full", "mode": "act"}),
                None,
            ),
            24 => self.push(
                json!({"type": "session.updated", "title": format!("{number}"), "by": "user"}),
                None,
            ),
            25 => self.push(
                json!({"type": "session.notice", "level": "info", "code": "textTools", "message": "m"}),
                None,
            ),
            26 => {
                let waiting = json!([{"id": number, "action": {"type": "keep", "target": {"type": "all"}}}]);
                self.push(json!({"type": "review.queued", "waiting": waiting}), None);
            }
            27 => self.push(
                json!({"type": "review.decided", "action": {"type": "keep", "target": {"type": "all"}}, "parts": [], "waited": number}),
                None,
            ),
            28 => self.push(json!({"type": "from.later", "number": number}), None),
            29 => {
                let (turn, item) = (self.id(), self.id());
                let content = json!([{"type": "text", "text": "later"}]);
                self.push(json!({"type": "input.accepted", "itemId": item, "turnId": turn, "delivery": "followUp", "content": content}), None);
                let key = json!({"client": {"name": "c"}, "key": item});
                self.lines.last_mut().unwrap().0["cause"] = key;
            }
            30 => self.push(json!({"type": "label.changed", "seq": number, "label": "here"}), None),
            _ => self.push(json!({"type": "session.closed"}), None),
        }
    }

    fn entries(self) -> Vec<Entry> {
        let entry = |(record, private): (Value, Option<Value>)| {
            let is_known = record["event"]["type"] != "from.later";
            let read = serde_json::from_value(record.clone());
            assert_eq!(read.is_ok(), is_known, "{record}: {read:?}");
            let private = private.map(|private| to_raw_value(&private).unwrap());
            Entry { seq: record["seq"].as_u64().unwrap(), record: read.ok(), private }
        };
        self.lines.into_iter().map(entry).collect()
    }
}

fn journal(words: &[(u8, u8)]) -> Vec<Entry> {
    let mut writer = Writer::default();
    let created = json!({"type": "session.created", "cwd": "/o/a", "model": "script/a", "permissionMode": "ask", "mode": "act"});
    writer.push(created, None);
    for (word, number) in words {
        writer.word(*word, *number);
    }
    writer.entries()
}

/// What a session is opened with, comparable.
fn shown(mut opening: Opening) -> Value {
    opening.state.conversation = opening.conversation.size();
    json!([opening.state, format!("{:?}", opening.moves())])
}

/// Folds entries, with states saved and read again after these numbers of entries. Returns `None` if all are needed at once; the number of
/// states that were saved comes with it.
fn folded(entries: &[Entry], saves: &[usize]) -> (Option<Opening>, usize) {
    let (mut opening, mut saved) = (Opening::default(), 0);
    for (at, entry) in entries.iter().enumerate() {
        if !opening.take(entry) {
            return (None, saved);
        }
        if saves.contains(&at)
            && let Some(state) = opening.saved_state()
        {
            opening = Opening::from_saved(&state).unwrap();
            saved += 1;
        }
    }
    (Some(opening), saved)
}

fn check(words: &[(u8, u8)], saves: &[usize]) -> (bool, usize) {
    let entries = journal(words);
    let mut relocated = entries.clone();
    moves::relocate(&mut relocated);
    let whole = Opening::replay(&relocated);
    let path = tree::on_path(relocated, u64::MAX);
    let conversation = replay::conversation(&path);
    let (folded, saved) = folded(&entries, saves);
    let is_folded = folded.is_some();
    if let Some(folded) = folded {
        match folded.conversation_read() {
            Some(read) => assert_eq!(read.messages, conversation.messages),
            None => assert!(saved > 0),
        }
    }
    let (again, _) = self::folded(&entries, saves);
    let mut sized = Opening::replay(&entries);
    let size = sized.conversation.size();
    assert_eq!(size.messages, conversation.messages.len());
    if let Some(folded) = again {
        assert_eq!(shown(folded), shown(whole));
    }
    (is_folded, saved)
}

impl Opening {
    fn conversation_read(self) -> Option<Conversation> {
        self.conversation.finish().ok()
    }
}

#[test]
fn what_changes_the_meaning_of_earlier_entries_is_not_folded() {
    let (begin, text, end) = ((0, 1), (4, 1), (9, 1));
    let turn = [begin, text, end];
    for (name, before, after, want) in [
        ("nothing", &turn[..], &turn[..], (true, 1)),
        ("a turn that has not ended is not saved", &turn[..2], &[end], (true, 0)),
        ("a summary of messages that were not read", &turn, &[(13, 2)], (false, 1)),
        ("results pruned that were not read", &turn, &[(14, 2)], (false, 1)),
        ("another branch", &turn, &[(20, 2)], (false, 1)),
        ("a move without files", &turn, &[(19, 0)], (true, 1)),
        ("a move, then files", &turn, &[(19, 0), (18, 1), (18, 2)], (true, 1)),
        ("files, then a move", &[(18, 1), begin, text, end], &[(19, 0)], (false, 1)),
        ("a move during a turn", &[], &[begin, text, (8, 0), (19, 0)], (false, 1)),
    ] {
        let words = [before, after].concat();
        let at = journal(before).len() - 1;
        assert_eq!(check(&words, &[at]), want, "{name}");
    }
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn a_saved_state_and_later_entries_are_the_same_as_all_of_them(
        words in prop::collection::vec((0_u8..32, any::<u8>()), 0..60),
        saves in prop::collection::vec(0_usize..120, 0..5),
    ) {
        check(&words, &saves);
        // Most journals have no branches and no moves.
        let plain: Vec<_> = words.into_iter().filter(|(word, _)| !matches!(word, 13 | 14 | 19 | 20)).collect();
        let (is_folded, _) = check(&plain, &saves);
        prop_assert!(is_folded);
    }
}
