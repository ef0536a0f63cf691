#![expect(clippy::disallowed_methods, reason = "tests damage files by hand")]

mod lists;

use crate::store::{Cursor, FORMAT_VERSION, Filter, Header, Journal, Store};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::search::{EntryKind, EntryRole, SessionSearchParams, SessionSearchResult};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn create(store: &Store, id: &str, cwd: &str, created_ms: u64) -> Journal {
    let header = Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: SessionId::new(id),
        cwd: cwd.to_owned(),
        created_ms,
    };
    store.create(&header).unwrap()
}

fn say(journal: &mut Journal, item: Value) {
    let mut item = item;
    let seq = journal.last_seq() + 1;
    item["id"] = json!(format!("i{seq}"));
    item["status"] = json!("completed");
    item["startedMs"] = json!(1);
    put(journal, json!({"type": "item.completed", "item": item}));
}

fn put(journal: &mut Journal, event: Value) {
    let seq = journal.last_seq() + 1;
    let event: Event = serde_json::from_value(event).unwrap();
    let session_id = journal.header().session_id.clone();
    let ts_ms = journal.header().created_ms + seq;
    journal
        .append(&EventRecord { session_id, seq, ts_ms, turn_id: None, cause: None, event }, None)
        .unwrap();
}

fn user(journal: &mut Journal, text: &str) {
    say(journal, json!({"type": "userMessage", "content": [{"type": "text", "text": text}]}));
}

fn model(journal: &mut Journal, text: &str) {
    say(journal, json!({"type": "agentMessage", "text": text}));
}

fn call(journal: &mut Journal, title: &str, path: &str) {
    say(
        journal,
        json!({"type": "toolCall", "toolName": "edit", "title": title, "kind": "edit", "locations": [{"path": path}]}),
    );
}

/// Two sessions that talk about several things.
fn talk(data: &Path) -> Store {
    let store = Store::new(data);
    let mut one = create(&store, "one", "/w/site", 1000);
    user(&mut one, "Why does the login form flicker? It uses go and io.");
    model(&mut one, "The useEffect hook runs twice; \"strict mode\" does that.");
    call(&mut one, "edit Login.tsx", "/w/site/src/Login.tsx");
    user(&mut one, "修复登录表单的闪烁");
    let mut two = create(&store, "two", "/w/engine", 5000);
    user(&mut two, "Grüße! Make the parser faster");
    model(&mut two, "Parser: parser parser, and a login.");
    call(&mut two, "bash: cargo bench --bench parser", "");
    say(&mut two, json!({"type": "reasoning", "text": "a secret thought"}));
    store
}

fn asked(query: &str) -> SessionSearchParams {
    SessionSearchParams { query: query.to_owned(), ..SessionSearchParams::default() }
}

fn hits(found: &SessionSearchResult) -> String {
    let hits = found.hits.iter().map(|hit| format!("{}:{}", hit.session_id, hit.seq));
    hits.collect::<Vec<_>>().join(" ")
}

fn search(store: &Store, query: &str) -> String {
    hits(&store.index().search(&asked(query), 20).unwrap())
}

#[test]
fn output_of_tools_and_reasoning_are_found_when_they_are_asked_for() {
    use EntryKind::{Reasoning, ToolOutput, UserMessage};
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let mut three = create(&store, "three", "/w/site", 9000);
    let output = json!({"content": [{"type": "text", "text": "warning: unused thought"}]});
    say(
        &mut three,
        json!({"type": "toolCall", "toolName": "bash", "title": "bash: make", "kind": "execute", "output": output}),
    );
    let found = |query: &str, kinds: &[EntryKind], cwd: Option<&str>, limit: usize| {
        let cwd = cwd.map(str::to_owned);
        let params = SessionSearchParams { kinds: kinds.to_vec(), cwd, ..asked(query) };
        store.search(&params, limit).unwrap()
    };
    for (name, query, kinds, cwd, want) in [
        ("not asked for", "thought", &[][..], None, ""),
        ("reasoning", "thought", &[Reasoning], None, "two:4"),
        ("output", "THOUGHT unused", &[ToolOutput], None, "three:1"),
        ("both, the newest first", "thought", &[ToolOutput, Reasoning], None, "three:1 two:4"),
        ("in one folder", "thought", &[ToolOutput, Reasoning], Some("/w/engine"), "two:4"),
        ("with messages", "login", &[UserMessage, Reasoning], None, "one:1"),
        ("all of them", "", &[ToolOutput, Reasoning], None, "three:1 two:4"),
    ] {
        assert_eq!(hits(&found(query, kinds, cwd, 20)), want, "{name}");
    }
    let first = found("thought", &[ToolOutput, Reasoning], None, 1);
    assert_eq!((hits(&first), first.next_cursor.as_deref()), ("three:1".to_owned(), Some("1")));
    let snippet: String = first.hits[0].snippet.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(snippet, "warning: unused thought");
}

#[test]
fn what_was_copied_from_another_session_costs_nothing_here() {
    let from = |seq: u64| json!({"sessionId": "other", "seq": 9, "copiedSeq": seq});
    let created = |copied: u64| json!({"type": "session.created", "cwd": "/w", "model": "m/x", "permissionMode": "full", "forkedFrom": from(copied)});
    let merge =
        |copied: u64| json!({"type": "history.rewound", "toSeq": 1, "merged": from(copied)});
    let turn = |cost: u64| json!({"type": "turn.completed", "status": "completed", "usage": {"inputTokens": 1, "outputTokens": 1}, "costNanoUsd": cost, "steps": 1, "durationMs": 1});
    let rows = [
        ("a separate session", vec![turn(1), turn(20)], 21),
        ("a fork", vec![created(3), turn(1), turn(20), turn(300)], 300),
        ("a merge", vec![turn(1), merge(4), turn(20), turn(300), turn(4000)], 4001),
        ("a merge into a fork", vec![created(2), turn(1), merge(4), turn(20), turn(300)], 300),
    ];
    for (what, events, cost) in rows {
        for is_read_at_once in [true, false] {
            let data = tempfile::tempdir().unwrap();
            let store = Store::new(data.path());
            let mut journal = create(&store, "one", "/w", 1000);
            for event in &events {
                put(&mut journal, event.clone());
                if !is_read_at_once {
                    store.index().catch_up(u64::MAX).unwrap();
                }
            }
            let stored = store.index().stored(&Filter::default(), 10).unwrap();
            let costs: Vec<_> = stored.iter().map(|one| one.cost_nano_usd).collect();
            assert_eq!(costs, [Some(cost)], "{what}");
        }
    }
}

#[test]
fn words_substrings_paths_and_chinese_are_found_and_odd_queries_are_no_errors() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let ten_kb = "long ".repeat(2000);
    for (name, query, want) in [
        ("a word", "flicker", "one:1"),
        ("within a word", "effect", "one:2"),
        ("in any case", "USEEFFECT", "one:2"),
        ("without its accents", "grusse", ""),
        ("with and without accents", "gruß", "two:1"),
        ("all words", "login form", "one:1"),
        ("a phrase", "\"hook runs\"", "one:2"),
        ("a phrase in another order", "\"runs hook\"", ""),
        ("a path", "site/src/Log", "one:3"),
        ("a command", "cargo bench", "two:3"),
        ("three characters of Chinese", "登录表", "one:4"),
        ("two", "登录", "one:4"),
        ("one", "修", "one:4"),
        ("two that are no neighbours", "修录", ""),
        ("a short word", "go", "one:1"),
        ("a short word and a long one", "io flicker", "one:1"),
        ("no part of a longer word", "lo", ""),
        ("thoughts are not found", "secret thought", ""),
        ("quotes that do not close", "\"strict mode", "one:2"),
        ("operators are words", "login OR parser", ""),
        ("operators alone", "AND NOT", ""),
        ("a column", "text:login", ""),
        ("stars, parentheses, carets", "lo*gin ^( ) {}", ""),
        ("statements", "'; DROP TABLE sessions; --", ""),
        ("only signs", "-> :: *", ""),
        ("a zero byte", "log\0in", ""),
        ("ten kilobytes", &ten_kb, ""),
        ("nothing: the newest first", "", "two:3 two:2 two:1 one:4 one:3 one:2 one:1"),
    ] {
        assert_eq!(search(&store, query), want, "{name}");
    }
}

#[test]
fn the_best_comes_first_and_among_equals_the_newest() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    assert_eq!(search(&store, "parser"), "two:2 two:1 two:3");
    let mut three = create(&store, "three", "/w", 9000);
    user(&mut three, "needle");
    user(&mut three, "needle");
    assert_eq!(search(&store, "needle"), "three:2 three:1");
}

#[test]
fn filters_narrow_down_and_pages_meet() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let login = || asked("login");
    for (name, wanted, want) in [
        ("all", login(), "one:3 two:2 one:1"),
        (
            "a folder",
            SessionSearchParams { cwd: Some("/w/site".to_owned()), ..login() },
            "one:3 one:1",
        ),
        (
            "a session",
            SessionSearchParams { session_id: Some(SessionId::new("two")), ..login() },
            "two:2",
        ),
        ("a kind", SessionSearchParams { kinds: vec![EntryKind::ToolCall], ..login() }, "one:3"),
        (
            "two roles",
            SessionSearchParams { roles: vec![EntryRole::User, EntryRole::Assistant], ..login() },
            "two:2 one:1",
        ),
        (
            "a file",
            SessionSearchParams { path: Some("src/login.ts".to_owned()), ..asked("") },
            "one:3",
        ),
        (
            "a short piece of a path",
            SessionSearchParams { path: Some("/w".to_owned()), ..asked("") },
            "one:3",
        ),
        ("since", SessionSearchParams { after_ms: Some(1003), ..login() }, "one:3 two:2"),
        ("until", SessionSearchParams { before_ms: Some(1003), ..login() }, "one:1"),
        ("no time at all", SessionSearchParams { after_ms: Some(u64::MAX), ..login() }, ""),
        (
            "since, without words",
            SessionSearchParams { after_ms: Some(5002), ..asked("") },
            "two:3 two:2",
        ),
    ] {
        assert_eq!(hits(&store.index().search(&wanted, 20).unwrap()), want, "{name}");
    }
    for query in ["login", ""] {
        let whole = search(&store, query);
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let wanted = SessionSearchParams { cursor, ..asked(query) };
            let page = store.index().search(&wanted, 2).unwrap();
            pages.push(hits(&page));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages.join(" "), whole);
    }
    let odd = SessionSearchParams { cursor: Some("x".to_owned()), ..login() };
    let error = store.index().search(&odd, 2).unwrap_err().to_string();
    assert!(error.contains("nextCursor"), "{error}");
    for odd in ["x", "x_s", "_s", "20260101T000000Z", "20260101T000000Z_", "../20260101T000000Z_s"]
    {
        let error = store.list(&Filter::default(), Some(&Cursor(odd.to_owned())), 2).unwrap_err();
        assert!(error.to_string().contains("nextCursor"), "{odd}: {error}");
    }
}

#[test]
fn a_hit_says_where_it_is_and_shows_the_place() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    for (query, want) in [
        ("strict", "The useEffect hook runs twice; \"[strict] mode\" does that."),
        ("site/src", "/w/[site/src]/Login.tsx"),
        ("闪烁", "修复登录表单的[闪烁]"),
    ] {
        let found = store.index().search(&asked(query), 20).unwrap();
        let shown: String = found.hits[0]
            .snippet
            .iter()
            .map(|p| if p.is_match { format!("[{}]", p.text) } else { p.text.clone() })
            .collect();
        assert_eq!(shown, want);
    }
    let hit = &store.index().search(&asked("strict"), 20).unwrap().hits[0];
    assert_eq!(
        (hit.item_id.as_ref().unwrap().as_str(), hit.ts_ms, hit.kind, hit.role, hit.cwd.as_str()),
        ("i2", 1002, EntryKind::AgentMessage, EntryRole::Assistant, "/w/site")
    );
}

#[test]
fn it_catches_up_with_whatever_happened_to_the_journals() {
    type Happening = fn(&Store, &Path, &Path);
    let rows: [(&str, Happening, &str, &str); 9] = [
        ("nothing", |_, _, _| {}, "one:1 one:2 one:3 one:4", "two"),
        (
            "one continues",
            |store, _, _| user(&mut store.open(&SessionId::new("one")).unwrap().journal, "more"),
            "one:1 one:2 one:3 one:4 one:5",
            "two",
        ),
        ("one is gone", |_, one, _| fs::remove_dir_all(one).unwrap(), "", "two"),
        (
            "a backup of its beginning is put back",
            |_, one, _| {
                let path = one.join("journal.jsonl");
                let lines = fs::read_to_string(&path).unwrap();
                let kept: Vec<&str> = lines.lines().take(3).collect();
                fs::write(path, kept.join("\n") + "\n").unwrap();
            },
            "one:1 one:2",
            "two",
        ),
        (
            "another journal of the same length is there",
            |_, one, _| {
                let path = one.join("journal.jsonl");
                let lines = fs::read_to_string(&path).unwrap();
                let other = lines.replace("闪烁", "改变").replace("Login.tsx", "Logout.ts");
                assert_eq!(other.len(), lines.len());
                fs::remove_file(&path).unwrap();
                fs::write(path, other).unwrap();
            },
            "one:1 one:2 one:3 one:4 changed",
            "two",
        ),
        (
            "a damaged line in the middle",
            |_, one, _| {
                let path = one.join("journal.jsonl");
                let lines = fs::read_to_string(&path).unwrap();
                fs::write(path, lines.replace("\"seq\":4", "\"seq\":4\u{1}") + "\n").unwrap();
            },
            "one:1 one:2 one:3",
            "two",
        ),
        (
            "a torn last line",
            |_, one, _| {
                let path = one.join("journal.jsonl");
                let lines = fs::read_to_string(&path).unwrap();
                fs::write(path, &lines[..lines.len() - 5]).unwrap();
            },
            "one:1 one:2 one:3",
            "two",
        ),
        (
            "the index is gone",
            |_, _, data| {
                for ending in ["", "-wal", "-shm"] {
                    let _ = fs::remove_file(data.join(format!("index.sqlite{ending}")));
                }
            },
            "one:1 one:2 one:3 one:4",
            "two",
        ),
        (
            "it is of another version",
            |_, _, data| {
                let other = rusqlite::Connection::open(data.join("index.sqlite")).unwrap();
                other
                    .execute_batch(
                        "DROP TABLE entries; CREATE TABLE x (y); PRAGMA user_version = 99",
                    )
                    .unwrap();
            },
            "one:1 one:2 one:3 one:4",
            "two",
        ),
    ];
    for (name, happens, want, others) in rows {
        for is_same_process in [true, false] {
            let data = tempfile::tempdir().unwrap();
            let store = talk(data.path());
            assert_eq!(search(&store, "").split(' ').count(), 7, "{name}");
            let one = folder(data.path(), "_one");
            happens(&store, &one, data.path());
            let store = if is_same_process { store } else { Store::new(data.path()) };
            let found = |id: &str| {
                let wanted =
                    SessionSearchParams { session_id: Some(SessionId::new(id)), ..asked("") };
                let found = store.index().search(&wanted, 20).unwrap();
                let mut seqs: Vec<u64> = found.hits.iter().map(|hit| hit.seq).collect();
                seqs.sort_unstable();
                seqs.iter().map(|seq| format!("{id}:{seq}")).collect::<Vec<_>>().join(" ")
            };
            let changed = if search(&store, "改变") == "one:4" { " changed" } else { "" };
            assert_eq!(found("one") + changed, want, "{name}");
            assert_eq!(found(others), "two:1 two:2 two:3", "{name}");
            let check = store.index().check().unwrap();
            assert_eq!((check.behind, check.damage), (vec![], None), "{name}");
        }
    }
}

fn folder(data: &Path, ending: &str) -> PathBuf {
    let mut found = Vec::new();
    for slug in fs::read_dir(data.join("sessions")).unwrap().flatten() {
        for session in fs::read_dir(slug.path()).unwrap().flatten() {
            if session.file_name().to_string_lossy().ends_with(ending) {
                found.push(session.path());
            }
        }
    }
    found.pop().unwrap()
}

#[test]
fn a_damaged_file_is_set_aside_and_made_anew() {
    type Damage = fn(&Path);
    let rows: [(&str, Damage); 3] = [
        ("other bytes", |path| {
            fs::write(path, "no database at all, only text".repeat(500)).unwrap();
        }),
        ("a hole in the middle", |path| {
            let mut bytes = fs::read(path).unwrap();
            let end = bytes.len();
            bytes[4096..end].fill(0xa5);
            fs::write(path, bytes).unwrap();
        }),
        ("cut short", |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..5000]).unwrap();
        }),
    ];
    for (name, damage) in rows {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("index.sqlite");
        drop(talk(data.path()));
        let store = Store::new(data.path());
        assert_eq!(search(&store, "flicker"), "one:1", "{name}");
        // Closing it writes all to the file itself.
        drop(store);
        damage(&path);
        let store = Store::new(data.path());
        assert_eq!(search(&store, "flicker"), "one:1", "{name}");
        assert_eq!(store.list(&Filter::default(), None, 9).unwrap().0.len(), 2, "{name}");
        assert!(data.path().join("index.sqlite.damaged").exists(), "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_can_be_listed_and_searched() {
    let data = tempfile::tempdir().unwrap();
    drop(talk(data.path()));
    pintle_testing::files::set_mode(data.path(), 0o555);
    // Root can write anywhere, so a directory takes the file's place.
    if fs::write(data.path().join("probe"), "").is_ok() {
        fs::create_dir(data.path().join("index.sqlite")).unwrap();
    }
    let store = Store::new(data.path());
    assert_eq!(search(&store, "flicker"), "one:1");
    assert_eq!(store.list(&Filter::default(), None, 9).unwrap().0.len(), 2);
    pintle_testing::files::set_mode(data.path(), 0o755);
}

#[test]
fn the_index_of_a_temporary_store_leaves_no_file() {
    let data = tempfile::tempdir().unwrap();
    drop(talk(data.path()));
    let store = Store::temporary(data.path());
    assert_eq!(search(&store, "flicker"), "one:1");
    let left: Vec<_> =
        fs::read_dir(data.path()).unwrap().map(|at| at.unwrap().file_name()).collect();
    assert_eq!(left, ["sessions"]);
}

#[test]
fn a_budget_is_kept_and_the_rest_is_told() {
    let data = tempfile::tempdir().unwrap();
    let store = talk(data.path());
    let mut rounds = 0;
    let mut left = vec![2];
    while left.last() != Some(&0) {
        left.push(store.index().catch_up(300).unwrap());
        rounds += 1;
        assert!(rounds < 20, "{left:?}");
    }
    assert!(rounds > 3 && left.is_sorted_by(|a, b| a >= b) && left.contains(&1), "{left:?}");
    assert_eq!(search(&store, "").split(' ').count(), 7);
}

#[test]
fn where_there_is_nothing_nothing_is_made() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::new(data.path());
    assert_eq!(search(&store, "x"), "");
    assert_eq!(store.list(&Filter::default(), None, 9).unwrap(), (vec![], None));
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
}

#[test]
fn several_writers_share_one_index() {
    let data = tempfile::tempdir().unwrap();
    drop(talk(data.path()));
    std::thread::scope(|scope| {
        for n in 0..4 {
            let data = data.path();
            scope.spawn(move || {
                let store = Store::new(data);
                for turn in 0..10 {
                    let mut mine = create(&store, &format!("s{n}-{turn}"), "/w", 10_000 + n * 100);
                    user(&mut mine, &format!("needle of writer{n} turn{turn}"));
                    assert!(search(&store, &format!("writer{n} turn{turn}")).contains(":1"));
                }
            });
        }
    });
    let store = Store::new(data.path());
    let found = store.index().search(&asked("needle"), 100).unwrap();
    assert_eq!((found.hits.len(), found.behind), (40, 0));
    let check = store.index().check().unwrap();
    assert_eq!((check.sessions, check.entries, check.damage), (42, 47, None));
}
