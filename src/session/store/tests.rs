#![expect(clippy::disallowed_methods, reason = "tests damage journals by hand")]

use super::*;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::event::{Notice, NoticeLevel};
use serde_json::value::RawValue;
use std::fs;
use std::io::Write;

fn header(id: &str, cwd: &str, created_ms: u64) -> Header {
    Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: SessionId::new(id),
        cwd: cwd.to_owned(),
        created_ms,
    }
}

fn notice(seq: u64) -> EventRecord {
    EventRecord {
        session_id: SessionId::new("s"),
        seq,
        ts_ms: 1,
        turn_id: None,
        cause: None,
        event: Event::Notice(Notice {
            level: NoticeLevel::Info,
            code: "test".to_owned(),
            message: format!("note {seq}"),
            hint: None,
        }),
    }
}

fn filled(store: &Store, count: u64) -> Journal {
    let mut journal = store.create(&header("s", "/w", 5)).unwrap();
    for seq in 1..=count {
        let private = RawValue::from_string(format!("{{\"n\":{seq}}}")).unwrap();
        journal.append(&notice(seq), (seq % 2 == 0).then_some(&*private)).unwrap();
    }
    journal
}

#[test]
fn what_is_appended_is_read_again_and_private_parts_stay_private() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    drop(filled(&store, 3));
    let Opened { journal, entries, warnings } = store.open(&SessionId::new("s")).unwrap();
    assert_eq!(journal.last_seq(), 3);
    assert!(warnings.is_empty());
    let seen: Vec<_> = entries
        .iter()
        .map(|e| (e.record.clone().unwrap(), e.private.as_ref().map(|p| p.get().to_owned())))
        .collect();
    assert_eq!(
        seen,
        [(notice(1), None), (notice(2), Some("{\"n\":2}".to_owned())), (notice(3), None)]
    );
    let texts = store.texts(&SessionId::new("s")).unwrap();
    let texts: Vec<String> = texts.map(|text| text.unwrap().get().to_owned()).collect();
    let want = [1, 2, 3].map(|seq| serde_json::to_string(&notice(seq)).unwrap());
    assert_eq!(texts, want);
}

#[test]
fn pages_meet_without_gap_or_overlap() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let journal = filled(&store, 300);
    for (after, limit) in [(0, 7), (63, 1), (64, 70), (65, 64), (128, 500), (299, 10), (300, 10)] {
        let live = journal.pager(after, limit)().unwrap();
        let cold = store.page(&SessionId::new("s"), after, limit).unwrap();
        for page in [live, cold] {
            let seqs: Vec<u64> =
                page.events.iter().map(|e| entry::parse(e.get()).unwrap().seq).collect();
            let want: Vec<u64> = (after + 1..=300).take(limit).collect();
            assert_eq!(seqs, want, "after {after} limit {limit}");
            assert_eq!(page.more, after + (limit as u64) < 300);
        }
    }
}

#[test]
fn entries_after_a_number_are_all_that_follow_it() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let journal = filled(&store, 300);
    for after in [0, 1, 63, 64, 65, 128, 299, 300, 301] {
        let entries = journal.reader_after(after)().unwrap();
        let seqs: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
        assert_eq!(seqs, (after + 1..=300).collect::<Vec<_>>(), "after {after}");
    }
}

#[test]
fn entries_after_a_number_are_read_past_damaged_lines() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let journal = filled(&store, 300);
    let path = journal.folder().join(header::FILE);
    let text = fs::read_to_string(&path).unwrap();
    // 65 is the first event behind a remembered offset; the header is the first line.
    let damaged = [1, 64, 65, 200];
    let line = |(number, line): (usize, &str)| {
        let is_damaged = damaged.contains(&(number as u64));
        if is_damaged { format!("{}\n", "x".repeat(line.len())) } else { format!("{line}\n") }
    };
    fs::write(&path, text.lines().enumerate().map(line).collect::<String>()).unwrap();
    for after in [0, 1, 63, 64, 65, 128, 199, 200, 300] {
        let entries = journal.reader_after(after)().unwrap();
        let seqs: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
        let want = (after + 1..=300).filter(|seq| !damaged.contains(seq));
        assert_eq!(seqs, want.collect::<Vec<_>>(), "after {after}");
    }
}

#[test]
fn damage_costs_no_more_than_the_damaged_line() {
    type Damage = fn(&str) -> Vec<u8>;
    let rows: [(&str, Damage, &[u64], usize); 5] = [
        ("a torn last line", |t| t.as_bytes()[..t.len() - 9].to_vec(), &[1, 2, 3], 1),
        (
            "a damaged line in the middle",
            |t| t.replace("note 2", "no\"te 2").into_bytes(),
            &[1, 3, 4],
            1,
        ),
        ("a line of other bytes", |t| [t.as_bytes(), b"\xff\xfe\n"].concat(), &[1, 2, 3, 4], 1),
        (
            "a number that stands twice",
            |t| format!("{t}{}\n", t.lines().last().unwrap()).into_bytes(),
            &[1, 2, 3, 4],
            1,
        ),
        (
            "an event of a later engine",
            |t| {
                format!(
                    "{t}{}\n",
                    r#"{"sessionId":"s","seq":5,"tsMs":1,"event":{"type":"new.thing"}}"#
                )
                .into_bytes()
            },
            &[1, 2, 3, 4, 5],
            0,
        ),
    ];
    for (name, damage, want, warned) in rows {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let path = filled(&store, 4).folder().join("journal.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, damage(&text)).unwrap();

        let mut opened = store.open(&SessionId::new("s")).unwrap();
        let seqs: Vec<u64> = opened.entries.iter().map(|e| e.seq).collect();
        assert_eq!(seqs, want, "{name}");
        assert_eq!(opened.warnings.len(), warned, "{name}: {:?}", opened.warnings);
        let next = opened.journal.last_seq() + 1;
        opened.journal.append(&notice(next), None).unwrap();
        drop(opened);
        let again = store.open(&SessionId::new("s")).unwrap();
        assert_eq!(again.entries.last().unwrap().seq, next, "{name}");
    }
}

#[test]
fn a_session_has_one_writer() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let first = filled(&store, 1);
    let refused = store.open(&SessionId::new("s")).unwrap_err().to_string();
    assert_eq!(refused, "session s is open in this process");
    let holder = "pid 1".to_owned();
    let elsewhere = Error::Locked { session: SessionId::new("s"), holder };
    assert_eq!(elsewhere.to_string(), "session s is open in another process (pid 1)");
    drop(first);
    let first = store.clone().of_shared_engine().open(&SessionId::new("s")).unwrap();
    let refused = store.open(&SessionId::new("s")).unwrap_err();
    assert!(refused.is_open_here() && refused.is_open_in_shared_engine(), "{refused}");
    drop(first);
    let again = store.open(&SessionId::new("s")).unwrap();
    let refused = store.open(&SessionId::new("s")).unwrap_err();
    assert!(refused.is_open_here() && !refused.is_open_in_shared_engine(), "{refused}");
    drop(again);
}

#[test]
fn what_is_no_journal_is_said_to_be_none() {
    for (content, want) in [
        ("", "is not a pintle journal"),
        ("{}\n", "is not a pintle journal"),
        (
            r#"{"journal":"pintle","version":99,"sessionId":"s","cwd":"/w","createdMs":5}"#,
            "use a newer pintle",
        ),
    ] {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let path = filled(&store, 1).folder().join("journal.jsonl");
        fs::File::create(&path).unwrap().write_all(content.as_bytes()).unwrap();
        let error = store.open(&SessionId::new("s")).unwrap_err().to_string();
        assert!(error.contains(want), "{content}: {error}");
    }
    let data = tempfile::tempdir().unwrap();
    let error = Store::new(data.path()).open(&SessionId::new("x")).unwrap_err();
    assert_eq!(error.to_string(), "there is no session x");
}

#[test]
fn lists_come_newest_first_in_pages() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    for n in 1..=5u64 {
        let cwd = if n == 3 { "/other place" } else { "/w" };
        store.create(&header(&format!("s{n}"), cwd, n * 1000)).unwrap();
    }
    let ids = |list: &[SessionSummary]| {
        list.iter().map(|s| s.session_id.as_str().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let (page, next) = store.list(&Filter::default(), None, 2).unwrap();
    assert_eq!(ids(&page), "s5 s4");
    let (page, next) = store.list(&Filter::default(), next.as_ref(), 2).unwrap();
    assert_eq!(ids(&page), "s3 s2");
    let (page, next) = store.list(&Filter::default(), next.as_ref(), 2).unwrap();
    assert_eq!((ids(&page).as_str(), next), ("s1", None));
    let there = Filter { cwd: Some("/other place".to_owned()), ..Filter::default() };
    let (page, _) = store.list(&there, None, 9).unwrap();
    assert_eq!(ids(&page), "s3");
    assert_eq!(
        Store::new(&data.path().join("none")).list(&Filter::default(), None, 9).unwrap().0,
        []
    );
}

/// A journal whose lines are long and short, some damaged, and some missing, as their numbers show.
fn uneven(store: &Store) -> (PathBuf, Vec<u64>) {
    let journal = filled(store, 3);
    let path = journal.folder().join("journal.jsonl");
    drop(journal);
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut there = vec![1, 2, 3];
    for seq in 4..=400u64 {
        let mut record = notice(seq);
        if let Event::Notice(notice) = &mut record.event {
            notice.message = "x".repeat(
                usize::try_from(seq * 7919 % 3001).unwrap() + if seq == 200 { 300_000 } else { 0 },
            );
        }
        let line = serde_json::to_string(&record).unwrap();
        match seq {
            50 | 51 | 390 => file.write_all(b"damaged {\n\xff\n").unwrap(),
            60..=70 => {}
            _ => {
                writeln!(file, "{line}").unwrap();
                there.push(seq);
            }
        }
    }
    file.write_all(br#"{"sessionId":"s","seq":401,"tsMs"#).unwrap();
    (path, there)
}

#[test]
fn a_page_is_found_without_reading_what_is_before_it() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let (_, there) = uneven(&store);
    let id = SessionId::new("s");
    let seqs = |page: &Page| -> Vec<u64> {
        page.events.iter().map(|e| entry::parse(e.get()).unwrap().seq).collect()
    };
    let numbers = (0..=4).chain(48..=72).chain(198..=202).chain(388..=402).chain([u64::MAX]);
    for number in numbers {
        for limit in [1, 3, 500] {
            let page = store.page(&id, number, limit).unwrap();
            let rest: Vec<u64> = there.iter().copied().filter(|seq| *seq > number).collect();
            assert_eq!(seqs(&page), rest[..limit.min(rest.len())], "after {number}, {limit}");
            assert_eq!(page.more, rest.len() > limit);

            let page = store.page_before(&id, number, limit).unwrap();
            let rest: Vec<u64> = there.iter().copied().filter(|seq| *seq < number).collect();
            let want = &rest[rest.len() - limit.min(rest.len())..];
            assert_eq!(seqs(&page), want, "before {number}, {limit}");
            assert_eq!((page.more, page.last), (rest.len() > limit, *want.last().unwrap_or(&0)));
        }
    }
}

#[test]
fn pages_of_a_journal_without_events_are_empty() {
    for body in ["", "damaged\n", "torn"] {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let path = filled(&store, 0).folder().join("journal.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + body).unwrap();
        let id = SessionId::new("s");
        for page in [store.page(&id, 0, 9), store.page_before(&id, 9, 9)] {
            let page = page.unwrap();
            assert_eq!((page.events.len(), page.last, page.more), (0, 0, false), "{body}");
        }
    }
}

fn child(store: &Store, id: &str, parent: &str) -> Journal {
    let mut journal = store.create(&header(id, "/w", 9)).unwrap();
    let created = serde_json::json!({"sessionId": id, "seq": 1, "tsMs": 1, "event": {
        "type": "session.created", "cwd": "/w", "model": "m/m", "permissionMode": "ask",
        "parent": {"sessionId": parent, "agentId": "a"},
    }});
    journal.append(&serde_json::from_value(created).unwrap(), None).unwrap();
    journal
}

#[test]
fn the_newest_sessions_with_a_prefix_are_those_of_the_directories() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    assert!(store.newest("", 9).unwrap().is_empty());
    for (id, created_ms) in [("a1", 1_000), ("a2", 2_000), ("b1", 3_000)] {
        store.create(&header(id, "/w", created_ms)).unwrap();
    }
    child(&store, "a3", "a1");
    let ids = |prefix: &str, limit: usize| {
        let found = store.newest(prefix, limit).unwrap();
        found.into_iter().map(|one| one.session_id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids("", 9), "b1 a2 a1");
    assert_eq!(ids("a", 9), "a2 a1");
    assert_eq!(ids("a", 1), "a2");
    assert_eq!(ids("c", 9), "");
    assert!(!data.path().join("index.sqlite").exists());
}

#[test]
fn a_session_is_deleted_with_its_sub_agents_or_not_at_all() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    drop(filled(&store, 2));
    drop(child(&store, "a", "s"));
    let open = child(&store, "b", "a");
    drop(child(&store, "other", "elsewhere"));
    let ids = || {
        let all = Filter { subagents: true, ..Filter::default() };
        let (all, _) = store.list(&all, None, 99).unwrap();
        let mut ids: Vec<_> = all.iter().map(|s| s.session_id.as_str().to_owned()).collect();
        ids.sort();
        ids.join(" ")
    };
    let error = store.delete(&SessionId::new("s")).unwrap_err();
    assert!(matches!(&error, Error::Locked { session, .. } if session.as_str() == "b"), "{error}");
    assert_eq!(ids(), "a b other s");
    drop(open);
    let deleted = store.delete(&SessionId::new("s")).unwrap();
    let deleted: Vec<&str> = deleted.iter().map(SessionId::as_str).collect();
    assert_eq!(deleted, ["b", "a", "s"]);
    assert_eq!(ids(), "other");
    assert!(matches!(store.delete(&SessionId::new("s")), Err(Error::NotFound(_))));
    assert!(store.index().check().unwrap().behind.is_empty());
}

#[test]
fn a_session_that_is_being_made_is_not_shown_and_goes_when_nobody_makes_it() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    let mut shown = store.draft(&header("s1", "/w", 1000)).unwrap();
    let never = store.draft(&header("s2", "/w", 2000)).unwrap();
    assert_eq!(store.ids().unwrap(), []);
    let listed = || store.list(&Filter::default(), None, 9).unwrap().0.len();
    assert_eq!(listed(), 0);
    shown.publish().unwrap();
    assert_eq!(listed(), 1);
    drop(never);
    assert_eq!(store.ids().unwrap(), [SessionId::new("s1")]);
    assert!(matches!(store.open(&SessionId::new("s1")), Err(Error::Locked { .. })));
    drop(shown);
    assert!(store.open(&SessionId::new("s1")).is_ok());

    // As left by a kill: one long ago, one just now; and one whose creation is taking long.
    let slug = data.path().join("sessions/w");
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    let left = |name: &str, modified| {
        fs::create_dir(slug.join(name)).unwrap();
        fs::write(slug.join(name).join("journal.jsonl"), "").unwrap();
        fs::File::open(slug.join(name)).unwrap().set_modified(modified).unwrap();
    };
    left(".new-old_s3", long_ago);
    left(".new-young_s4", fs::metadata(&slug).unwrap().modified().unwrap());
    let slow = store.draft(&header("s5", "/w", 5000)).unwrap();
    fs::File::open(slow.folder()).unwrap().set_modified(long_ago).unwrap();
    let _next = store.create(&header("s6", "/w", 6000)).unwrap();
    let names = |hidden: &str| {
        let entries = fs::read_dir(&slug).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_str().unwrap().ends_with(hidden)).count()
    };
    assert_eq!(["s3", "s4", "s5", "s6"].map(names), [0, 1, 1, 1]);
}
