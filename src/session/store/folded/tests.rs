#![expect(clippy::disallowed_methods, reason = "tests change journals by hand")]

use super::super::{FORMAT_VERSION, Resumed, Store};
use super::*;
use pintle_protocol::event::{Event, EventRecord, Notice, NoticeLevel};
use pintle_protocol::ids::SessionId;
use serde_json::json;
use serde_json::value::to_raw_value;
use std::fs;

/// Entry numbers, and how many of them came from a saved state.
#[derive(Debug, Default, PartialEq, Eq)]
struct Numbers {
    all: Vec<u64>,
    saved: usize,
}

/// The event with this number changes the meaning of earlier ones.
const TURNING: u64 = 300;

impl Fold for Numbers {
    fn from_saved(state: &RawValue) -> Option<Self> {
        let all: Vec<u64> = serde_json::from_str(state.get()).ok()?;
        Some(Self { saved: all.len(), all })
    }

    fn take(&mut self, entry: &Entry) -> bool {
        self.all.push(entry.seq);
        entry.seq != TURNING || self.saved == 0
    }
}

fn notice(seq: u64) -> EventRecord {
    let (level, code, message) = (NoticeLevel::Info, "test".to_owned(), format!("note {seq}."));
    let event = Event::Notice(Notice { level, code, message, hint: None });
    let session_id = SessionId::new("s");
    EventRecord { session_id, seq, ts_ms: 1, turn_id: None, cause: None, event }
}

fn resume(store: &Store) -> Resumed<Numbers> {
    store.resume(&SessionId::new("s")).unwrap()
}

/// Appends events up to this number, and saves the state at the end.
fn grow(store: &Store, to: u64) {
    let Resumed { mut journal, fold, .. } = resume(store);
    let mut all = fold.unwrap().all;
    for seq in journal.last_seq() + 1..=to {
        journal.append(&notice(seq), None).unwrap();
        all.push(seq);
    }
    journal.saver(to_raw_value(&all).unwrap())().unwrap();
}

fn rewrite(path: &Path, change: impl FnOnce(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(path, changed).unwrap();
}

#[test]
fn a_state_is_used_only_for_the_journal_that_it_was_saved_for() {
    fn journal(folder: &Path, change: impl FnOnce(&str) -> String) {
        rewrite(&folder.join("journal.jsonl"), change);
    }
    fn state(folder: &Path, change: impl FnOnce(&str) -> String) {
        rewrite(&folder.join(FILE), change);
    }
    fn line(seq: u64) -> String {
        format!("{}\n", serde_json::to_string(&notice(seq)).unwrap())
    }
    type Change = fn(&Path);
    /// How many entries come from the saved state, the last one, and one behind it.
    type Read = (usize, u64, Option<u64>);
    type Row = (&'static str, Change, Read, &'static str);
    let rows: [Row; 10] = [
        ("nothing happened", |_| {}, (200, 200, None), ""),
        (
            "a line more",
            |at| journal(at, |text| text.to_owned() + &line(201)),
            (200, 200, Some(201)),
            "",
        ),
        (
            "a damaged line more",
            |at| journal(at, |text| text.to_owned() + "{\n" + &line(201)),
            (200, 200, Some(201)),
            "line 202",
        ),
        (
            "a part of a line",
            |at| journal(at, |text| text.to_owned() + "{"),
            (200, 200, None),
            "the last line",
        ),
        (
            "a changed byte",
            |at| journal(at, |text| text.replace("e 7.", "e 8.")),
            (0, 200, None),
            "",
        ),
        (
            "a damaged line",
            |at| journal(at, |text| text.replace("note 200.", "no\"te 200.")),
            (0, 199, None),
            "line 201",
        ),
        ("a cut end", |at| journal(at, |text| text.replace(&line(200), "")), (0, 199, None), ""),
        (
            "another version",
            |at| state(at, |text| text.replacen(env!("CARGO_PKG_VERSION"), "0.0.0", 1)),
            (0, 200, None),
            "",
        ),
        ("no state", |at| state(at, |text| text.replacen("[1,", "{1,", 1)), (0, 200, None), ""),
        (
            "an event that needs the others",
            |at| journal(at, |text| text.to_owned() + &line(TURNING)),
            (0, 200, Some(TURNING)),
            "",
        ),
    ];
    for (name, change, (saved, to, more), warned) in rows {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let header = json!({"journal": "pintle", "version": FORMAT_VERSION, "sessionId": "s", "cwd": "/w", "createdMs": 5});
        let folder =
            store.create(&serde_json::from_value(header).unwrap()).unwrap().folder().to_owned();
        grow(&store, 70);
        grow(&store, 200);
        change(&folder);
        let (opened, resumed);
        {
            let Resumed { journal, fold, warnings } = resume(&store);
            let all = (1..=to).chain(more).collect();
            assert_eq!(fold, Some(Numbers { all, saved }), "{name}");
            assert_eq!(warnings.is_empty(), warned.is_empty(), "{name}: {warnings:?}");
            assert!(
                warnings.iter().take(1).all(|said| said.starts_with(warned)),
                "{name}: {warnings:?}"
            );
            resumed = journal.extent();
        }
        {
            opened = store.open(&SessionId::new("s")).unwrap().journal.extent();
        }
        assert_eq!(resumed, opened, "{name}");
    }
}
