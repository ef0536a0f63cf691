//! Paths, places and nodes of a line of events.

use super::*;
use crate::store::entry;
use pintle_protocol::ids::TurnId;
use serde_json::json;

/// Builds a journal from one word per event: `sNAME` a message, `aNAME` another item, `t` starts a turn, `eNAME` ends the turn with that
/// name, `<N` rewinds to event N, `=N:NAME` labels event N as NAME.
fn journal(text: &str) -> Vec<Entry> {
    let event = |word: &str| {
        let (kind, name) = word.split_at(1);
        let body = |kind: &str| {
            json!({"id": name, "status": "completed", "startedMs": 0, "type": kind, "text": name,
            "content": [{"type": "text", "text": name}]})
        };
        match kind {
            "s" => json!({"type": "item.completed", "item": body("userMessage")}),
            "a" => json!({"type": "item.completed", "item": body("agentMessage")}),
            "t" => json!({"type": "turn.started", "model": "m/m"}),
            "e" => {
                json!({"type": "turn.completed", "status": "completed", "usage": {"inputTokens": 0, "outputTokens": 0},
                "steps": 1, "denials": 0, "durationMs": 0})
            }
            "<" => json!({"type": "history.rewound", "toSeq": name.parse::<u64>().unwrap()}),
            "=" => {
                let (seq, label) = name.split_once(':').unwrap();
                let label = (!label.is_empty()).then_some(label);
                json!({"type": "label.changed", "seq": seq.parse::<u64>().unwrap(), "label": label})
            }
            other => panic!("no event begins with {other}"),
        }
    };
    let line = |(at, word): (usize, &str)| {
        let turn = word.strip_prefix('e').unwrap_or("t");
        let record = json!({"sessionId": "s", "seq": at + 1, "tsMs": 0, "turnId": turn, "event": event(word)});
        let entry = entry::parse(&record.to_string()).unwrap();
        assert!(entry.record.is_some(), "{record}");
        entry
    };
    text.split_whitespace().enumerate().map(line).collect()
}

#[test]
fn the_way_leads_from_the_last_event_to_the_first() {
    for (name, events, leaf, want) in [
        ("one way", "t s1 a2 e", 4, vec![1, 2, 3, 4]),
        ("no event", "", 0, vec![]),
        ("back to the beginning", "t s1 a2 e <0 t s2", 7, vec![5, 6, 7]),
        ("back to the middle", "t s1 e t s2 e <3 t s3", 9, vec![1, 2, 3, 7, 8, 9]),
        ("and forward again", "t s1 e t s2 e <3 t s3 <6", 10, vec![1, 2, 3, 4, 5, 6, 10]),
        ("back on another way", "s1 s2 <1 s3 s4 <2 <4 s5", 8, vec![1, 3, 4, 7, 8]),
        ("to an earlier leaf", "t s1 e t s2 e <3 t s3", 6, vec![1, 2, 3, 4, 5, 6]),
        ("what names itself is damaged", "s1 <2 s2", 3, vec![1, 2, 3]),
        ("names of later events, too", "s1 <9 s2", 3, vec![1, 2, 3]),
    ] {
        let entries = journal(events);
        let got: Vec<u64> = path(&entries, leaf).into_iter().collect();
        assert_eq!(got, want, "{name}");
        let left: Vec<u64> = on_path(entries, leaf).iter().map(|entry| entry.seq).collect();
        assert_eq!(left, want, "{name}");
    }
}

#[test]
fn places_are_found_or_it_is_said_why_not() {
    let item =
        |id: &str| HistoryPoint { item_id: Some(ItemId::new(id)), ..HistoryPoint::default() };
    let turn =
        |id: &str| HistoryPoint { turn_id: Some(TurnId::new(id)), ..HistoryPoint::default() };
    let seq = |seq| HistoryPoint { seq: Some(seq), ..HistoryPoint::default() };
    for (name, events, point, want) in [
        ("the first message", "t sone a2 e", item("one"), Ok((0, 1))),
        ("a later one", "t sone a2 e t stwo", item("two"), Ok((4, 1))),
        ("within a turn", "t sone a2 stwo a4 e", item("two"), Ok((3, 1))),
        ("the model's reply", "t sone a2 e", item("2"), Err("has read no user message")),
        ("a turn's end", "t sone a2 eone t stwo", turn("one"), Ok((4, 0))),
        ("a turn that runs", "t sone", turn("one"), Err("no turn one has ended")),
        ("a number", "t sone a2 e", seq(2), Ok((2, 0))),
        ("the beginning", "t sone", seq(0), Ok((0, 0))),
        ("too large a number", "t sone", seq(3), Err("the last one is 2")),
        ("nothing", "t", HistoryPoint::default(), Err("one of `itemId`")),
        ("two things", "t", HistoryPoint { seq: Some(1), ..item("one") }, Err("one of `itemId`")),
    ] {
        let got = find(&journal(events), &point).map(|place| (place.seq, place.input.len()));
        match (got, want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want, "{name}"),
            (Err(got), Err(want)) => assert!(got.to_string().contains(want), "{name}: {got}"),
            (got, want) => panic!("{name}: {got:?}, not {want:?}"),
        }
    }
}

#[test]
fn nodes_are_messages_and_named_places_with_their_ways() {
    let events = "t sone a e t stwo e <4 t sthree e =4:here =7:gone =7:";
    let told: Vec<String> = nodes(&journal(events))
        .into_iter()
        .map(|node| {
            let parent = node.parent_seq.map_or("-".to_owned(), |seq| seq.to_string());
            let label = node.label.unwrap_or_default();
            format!("{} after {parent} {:?} {label} {}", node.seq, node.text, node.is_current)
        })
        .collect();
    assert_eq!(
        told,
        [
            "2 after - \"one\"  true",
            "4 after 2 \"\" here true",
            "6 after 4 \"two\"  false",
            "10 after 4 \"three\"  true",
        ]
    );
}
