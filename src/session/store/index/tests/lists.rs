use super::{create, put, talk};
use crate::store::{Filter, Store};
use pintle_protocol::ids::SessionId;
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_list_by_the_index_is_the_list_by_the_folders() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let mut child = create(&store, "child", "/w/engine", 6000);
    let parent = json!({"sessionId": "two", "agentId": "a1"});
    put(
        &mut child,
        json!({"type": "session.created", "cwd": "/w/engine", "model": "m/m", "permissionMode": "ask", "parent": parent}),
    );
    let mut named = create(&store, "named", "/w/site", 7000);
    put(
        &mut named,
        json!({"type": "session.created", "cwd": "/w/site", "model": "m/m", "permissionMode": "ask", "title": "Größe"}),
    );
    fs::create_dir_all(data.path().join("sessions/odd/20200101T000000Z_empty")).unwrap();
    fs::write(data.path().join("sessions/odd/20200101T000000Z_empty/journal.jsonl"), "x").unwrap();
    let filter = Filter::default();
    for (name, filter, want) in [
        ("all", filter.clone(), "named two one"),
        ("sub-agents too", Filter { subagents: true, ..filter.clone() }, "named child two one"),
        ("a folder", Filter { cwd: Some("/w/site".to_owned()), ..filter.clone() }, "named one"),
        ("a title", Filter { query: Some("GRÖSS".to_owned()), ..filter.clone() }, ""),
        (
            "a title in another case",
            Filter { query: Some("GRÖ".to_owned()), ..filter.clone() },
            "named",
        ),
        ("a piece of a folder", Filter { query: Some("engine".to_owned()), ..filter }, "two"),
    ] {
        let by_index = store.list(&filter, None, 9).unwrap();
        let by_folders = crate::store::list::list(store.path(), &filter, None, 9).unwrap();
        assert_eq!(by_index, by_folders, "{name}");
        let ids: Vec<&str> = by_index.0.iter().map(|one| one.session_id.as_str()).collect();
        assert_eq!(ids.join(" "), want, "{name}");
        let mut paged = Vec::new();
        let mut after = None;
        loop {
            let (page, next) = store.list(&filter, after.as_ref(), 1).unwrap();
            paged.extend(page);
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(paged, by_index.0, "{name}");
    }
}

#[test]
fn a_title_that_comes_later_is_listed() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let mut one = create(&store, "one", "/w", 1000);
    let title = |store: &Store| store.list(&Filter::default(), None, 9).unwrap().0[0].title.clone();
    assert_eq!(title(&store), None);
    put(
        &mut one,
        json!({"type": "input.accepted", "itemId": "i", "turnId": "t", "delivery": "prompt", "content": [{"type": "text", "text": "Hello"}]}),
    );
    assert_eq!(title(&store).as_deref(), Some("Hello"));
}

#[test]
fn the_index_counts_what_a_session_holds() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let mut one = store.open(&SessionId::new("one")).unwrap().journal;
    let turn = json!({"type": "turn.started", "model": "m/m"});
    let ended = |cost: Value| json!({"type": "turn.completed", "status": "completed", "usage": {"inputTokens": 1, "outputTokens": 1}, "costNanoUsd": cost, "steps": 1, "durationMs": 1});
    put(&mut one, turn.clone());
    put(&mut one, ended(json!(5)));
    let seen = |store: &Store| {
        let all = store.index().stored(&Filter::default(), 9).unwrap();
        all.into_iter().map(|s| (s.entries, s.turns, s.cost_nano_usd, s.state)).collect::<Vec<_>>()
    };
    let two = (3, 0, None, "idle".to_owned());
    assert_eq!(seen(&store), [two.clone(), (4, 1, Some(5), "idle".to_owned())]);
    put(&mut one, turn);
    assert_eq!(seen(&store), [two.clone(), (4, 2, Some(5), "running".to_owned())]);
    put(&mut one, ended(json!(7)));
    put(&mut one, json!({"type": "session.closed"}));
    assert_eq!(seen(&store), [two.clone(), (4, 2, Some(12), "closed".to_owned())]);
    store.index().clear().unwrap();
    assert_eq!(seen(&store), [two, (4, 2, Some(12), "closed".to_owned())]);
}
