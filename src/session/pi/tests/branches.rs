//! Branches and labels in Pi's files: every branch is imported, the model reads the last one, and the same tree is written back.

use super::*;
use crate::history::tree;
use pintle_protocol::event::Event;
use pintle_protocol::history::{HistoryRewound, LabelChanged};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, UserMessage};
use std::collections::BTreeSet;

/// A tree: each entry with its parent, in file order.
fn tree_of(entries: &[(&str, &str, Value)]) -> String {
    let mut lines = vec![head(3)];
    for (id, parent, rest) in entries {
        lines.push(entry(id, (!parent.is_empty()).then_some(parent), rest.clone()));
    }
    file(&lines)
}

fn label(target: &str, label: Option<&str>) -> Value {
    json!({"type": "label", "targetId": target, "label": label})
}

fn summary(text: &str) -> Value {
    json!({"type": "branch_summary", "fromId": "x", "summary": text})
}

/// Labeled points, in list order, with the user's message at each.
fn names(entries: &[Entry]) -> Vec<String> {
    let nodes = tree::nodes(entries).into_iter();
    nodes.filter_map(|node| Some(format!("{}={}", node.label?, node.text))).collect()
}

#[test]
fn every_branch_comes_in_and_the_same_tree_goes_out() {
    let say = |said: &str| reply(text(said), "stop");
    let branched = "user: From the engine, not from the user: what happened on a branch of this conversation that was left.⏎⏎<summary>⏎tried⏎</summary>\n";
    let heading = crate::context::compact::titled("");
    let heading = heading.trim();
    let mut sent =
        json!({"type": "compaction", "summary": "all", "firstKeptEntryId": "3", "tokensBefore": 9});
    sent["details"] = json!({"kept": true});
    for (name, entries, conversation_of_leaf, places) in [
        (
            "two branches",
            vec![
                ("1", "", user("root")), ("2", "1", say("left")), ("3", "2", user("more left")),
                ("4", "1", say("right")), ("5", "4", user("on")),
            ],
            "user: root\na/m: right\nuser: on\n".to_owned(),
            vec![],
        ),
        (
            "three branches, one in another, the first gone on with at last",
            vec![
                ("1", "", user("root")), ("2", "1", say("a")), ("3", "2", user("a1")), ("4", "3", say("a2")),
                ("5", "2", user("b1")), ("6", "5", say("b2")), ("7", "6", user("b3")),
                ("8", "5", say("c2")), ("9", "8", user("c3")),
                ("10", "4", user("a3")), ("11", "10", say("a4")),
            ],
            "user: root\na/m: a\nuser: a1\na/m: a2\nuser: a3\na/m: a4\n".to_owned(),
            vec![],
        ),
        (
            "two beginnings",
            vec![("1", "", user("one")), ("2", "1", say("1")), ("3", "", user("two")), ("4", "3", say("2"))],
            "user: two\na/m: 2\n".to_owned(),
            vec![],
        ),
        (
            "left between a call and its result, and between two results",
            vec![
                ("1", "", user("root")), ("2", "1", reply(json!([call("c"), call("d")]), "toolUse")),
                ("3", "2", result("d", "seen d")), ("4", "3", result("c", "seen c")), ("5", "4", say("both")),
                ("6", "2", user("neither")), ("7", "6", say("none")),
                ("8", "3", user("only d")), ("9", "8", say("one")),
            ],
            "user: root\na/m: read({\"path\":\"a\"})=c read({\"path\":\"a\"})=d\nresult! of c: Interrupted, outcome unknown: the imported session contains no result for this call. Check its effects before you continue.\nresult of d: seen d\nuser: only d\na/m: one\n".to_owned(),
            vec![],
        ),
        (
            "a result that comes on another branch",
            vec![
                ("1", "", user("root")), ("2", "1", reply(json!([call("c")]), "toolUse")),
                ("3", "2", user("stop")), ("4", "2", result("c", "seen")), ("5", "4", say("so")),
            ],
            "user: root\na/m: read({\"path\":\"a\"})=c\nresult of c: seen\na/m: so\n".to_owned(),
            vec![],
        ),
        (
            "a summary of the branch that was left",
            vec![
                ("1", "", user("root")), ("2", "1", say("left")), ("3", "1", summary("tried")), ("4", "3", say("right")),
            ],
            format!("user: root\n{branched}a/m: right\n"),
            vec![],
        ),
        (
            "summed up on one branch alone, with another's entry named",
            vec![
                ("1", "", user("root")), ("2", "1", say("a")), ("3", "2", user("left")), ("4", "3", sent.clone()),
                ("5", "2", user("right")), ("6", "5", say("b")), ("7", "3", user("left again")), ("8", "7", sent),
            ],
            format!("user: {heading}⏎⏎all⏎\nuser: left\nuser: left again\n"),
            vec![],
        ),
        (
            "models that change on branches",
            vec![
                ("1", "", user("root")),
                ("2", "1", json!({"type": "model_change", "provider": "b", "modelId": "n"})),
                ("3", "2", json!({"type": "thinking_level_change", "thinkingLevel": "high"})), ("4", "3", user("left")),
                ("5", "1", user("right")), ("6", "5", say("m")),
            ],
            "user: root\nuser: right\na/m: m\n".to_owned(),
            vec![],
        ),
        (
            "labels: set, changed, taken away, of another branch, of a reply, of nothing",
            vec![
                ("1", "", user("root")), ("2", "1", say("left")), ("3", "2", user("more left")),
                ("4", "3", label("1", Some("begin"))), ("5", "4", label("3", Some("gone"))),
                ("6", "1", user("right")), ("7", "6", say("done")), ("8", "7", label("3", None)),
                ("9", "8", label("6", Some("other"))), ("10", "9", label("6", Some(" here\n"))),
                ("11", "10", label("7", Some("reply"))), ("12", "11", label("nobody", Some("x"))),
                ("13", "12", label("1", Some(" "))), ("14", "13", label("1", Some("begin again"))),
            ],
            "user: root\nuser: right\na/m: done\n".to_owned(),
            vec!["begin again=root", "here=right", "reply="],
        ),
    ] {
        let given = tree_of(&entries);
        assert_eq!(conversation(&given), conversation_of_leaf, "{name}");
        let (journal, lines) = stored(&given);
        let want: Vec<Value> = given.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[1..], want, "{name}: ids, parents, contents, order");
        assert_eq!(names(&journal), places, "{name}");
        let (again, lines) = stored(&file(&lines));
        assert_eq!(lines[1..], want, "{name}: once more");
        assert_eq!(names(&again), places, "{name}: once more");
    }
}

/// An open client shows exactly the received items that are on the current path.
#[test]
fn what_goes_and_comes_back_with_a_branch_is_told() {
    let (entries, _) = stored(&tree_of(&[
        ("1", "", user("root")),
        ("2", "1", reply(json!([call("c"), call("d")]), "toolUse")),
        ("3", "2", result("c", "seen")),
        ("4", "3", result("d", "seen")),
        ("5", "4", user("left")),
        ("6", "3", user("right")),
        ("7", "5", user("left again")),
        ("8", "1", reply(text("middle"), "stop")),
        ("9", "6", user("right again")),
    ]));
    let mut shown: BTreeSet<ItemId> = BTreeSet::new();
    let mut rewinds = 0;
    for record in entries.iter().filter_map(|entry| entry.record.as_ref()) {
        if let Event::ItemCompleted { item } = &record.event {
            shown.insert(item.id.clone());
        }
        if let Event::HistoryRewound(HistoryRewound { dropped, restored, .. }) = &record.event {
            rewinds += 1;
            shown.retain(|id| !dropped.contains(id));
            shown.extend(restored.iter().cloned());
            let way = tree::path(&entries, record.seq);
            let want: BTreeSet<ItemId> = tree::items(&entries, &way).into_iter().collect();
            assert_eq!(shown, want, "after event {}", record.seq);
        }
    }
    assert_eq!(rewinds, 4);
}

/// An engine journal with these events, in order.
fn journal(events: Vec<Event>) -> Vec<Entry> {
    let record = |(seq, event)| EventRecord {
        session_id: SessionId::new("s"),
        seq,
        ts_ms: seq,
        turn_id: Some(TurnId::new("t")),
        cause: None,
        event,
    };
    let records = (1..).zip(events).map(record);
    records.map(Entry::written).collect()
}

fn said(id: &str) -> Event {
    let body = ItemBody::UserMessage(UserMessage {
        content: vec![pintle_protocol::content::Input::text(id)],
    });
    Event::ItemCompleted {
        item: Item {
            id: ItemId::new(id),
            turn_id: None,
            step: None,
            status: ItemStatus::Completed,
            started_ms: 0,
            duration_ms: None,
            body,
        },
    }
}

fn back(to_seq: u64) -> Event {
    Event::HistoryRewound(HistoryRewound { to_seq, ..HistoryRewound::default() })
}

fn named(seq: u64, label: &str) -> Event {
    Event::LabelChanged(LabelChanged { seq, label: Some(label.to_owned()), metadata: None })
}

#[test]
fn branches_are_written_as_branches_and_the_last_line_is_on_the_current_path() {
    let header = Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: SessionId::new("s"),
        cwd: "/w".to_owned(),
        created_ms: 0,
    };
    // Each line's text, below its parent's.
    let drawn = |lines: &[Value]| {
        let said = |line: &Value| match line["type"].as_str().unwrap() {
            "message" => line["message"]["content"][0]["text"].as_str().unwrap().to_owned(),
            "label" => "label".to_owned(),
            other => other.to_owned(),
        };
        let of = |id: &Value| lines.iter().find(|line| line["id"] == *id).map(said);
        let line = |line: &Value| {
            let target = line.get("targetId").map(|id| format!(" of {}", of(id).unwrap()));
            let parent = of(&line["parentId"]).unwrap_or_default();
            format!("{parent}>{}{}", said(line), target.unwrap_or_default())
        };
        lines.iter().skip(1).map(line).collect::<Vec<_>>().join(" ")
    };
    for (name, events, want, leaf) in [
        ("one way", vec![said("a"), said("b")], ">a a>b", "a b"),
        ("a branch", vec![said("a"), said("b"), back(1), said("c")], ">a a>b a>c", "a c"),
        ("left without a message", vec![said("a"), said("b"), back(1)], ">a a>b a>custom", "a"),
        ("to the beginning", vec![said("a"), back(0)], ">a >custom", ""),
        ("and on from there", vec![said("a"), back(0), said("b")], ">a >b", "b"),
        (
            "back and forward again",
            vec![said("a"), said("b"), back(1), said("c"), back(2), said("d")],
            ">a a>b a>c b>d",
            "a b d",
        ),
        ("damaged", vec![said("a"), back(9), said("b")], ">a a>b", "a b"),
        (
            "labels",
            vec![
                said("a"),
                said("b"),
                named(1, "x"),
                back(1),
                said("c"),
                named(2, "y"),
                named(0, "z"),
            ],
            ">a a>b b>label of a a>c c>label of b",
            "a c",
        ),
    ] {
        let entries = journal(events);
        let lines = written(&header, &entries);
        assert_eq!(drawn(&lines), want, "{name}");
        let messages = conversation(&file(&lines)).replace("user: ", "").replace('\n', " ");
        assert_eq!(messages.trim(), leaf, "{name}");
    }
}
