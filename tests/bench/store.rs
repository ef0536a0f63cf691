//! What storing, listing and searching cost:
//!
//! ```text
//! cargo bench -- store
//! ```
//!
//! - an append, without fsync
//! - the last screen of a session of 100,000 entries, in this process and through the real program, with its memory; and what opening
//!   it for writing takes, where the conversation is read whole
//! - a list of 10,000 sessions: the first, which makes the rows, and those after it
//! - searches over 100,000 messages in 1,000 sessions: rare and common words, phrases, Chinese, paths, filters
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    reason = "a benchmark measures real time on real files"
)]

use crate::report::{self, Aim, row};
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::SessionId;
use pintle_protocol::search::{EntryRole, SessionSearchParams};
use pintle_session::store::{FORMAT_VERSION, Filter, Header, Journal, Store};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENTRIES: u64 = 100_000;
const SESSIONS: u64 = 10_000;
const TALKS: u64 = 1000;
const MESSAGES_EACH: u64 = 100;
const ROUNDS: usize = 21;
const SCREEN: usize = 200;

/// In three messages.
const RARE: &str = "zanzibar_quorum";
/// In about every second one.
const COMMON: &str = "return";

const WORDS: [&str; 48] = [
    "return",
    "value",
    "let",
    "index",
    "match",
    "node",
    "state",
    "self",
    "buffer",
    "length",
    "if",
    "else",
    "import",
    "config",
    "path",
    "error",
    "the",
    "parser",
    "reads",
    "session",
    "journal",
    "while",
    "turn",
    "runs",
    "and",
    "model",
    "answers",
    "tests",
    "fail",
    "because",
    "cache",
    "is",
    "stale",
    "window",
    "draws",
    "twice",
    "after",
    "reload",
    "should",
    "keep",
    "its",
    "scroll",
    "修复",
    "解析器",
    "错误",
    "测试",
    "会话",
    "登录",
];

struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| WORDS[self.next(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

fn create(store: &Store, id: &str, cwd: &str, created_ms: u64) -> Journal {
    store
        .create(&Header {
            journal: "pintle".to_owned(),
            version: FORMAT_VERSION,
            session_id: SessionId::new(id),
            cwd: cwd.to_owned(),
            created_ms,
        })
        .unwrap()
}

fn record(journal: &Journal, event: Value) -> EventRecord {
    let seq = journal.last_seq() + 1;
    let record = json!({
        "sessionId": journal.header().session_id, "seq": seq,
        "tsMs": journal.header().created_ms + seq, "event": event,
    });
    serde_json::from_value(record).unwrap()
}

fn put(journal: &mut Journal, event: Value) {
    let record = record(journal, event);
    journal.append(&record, None).unwrap();
}

fn created(cwd: &str) -> Value {
    json!({"type": "session.created", "cwd": cwd, "model": "ollama/none", "permissionMode": "ask"})
}

fn item(number: u64, body: Value) -> Value {
    let mut item = body;
    item["id"] = json!(format!("item-{number}"));
    item["status"] = json!("completed");
    item["startedMs"] = json!(1);
    json!({"type": "item.completed", "item": item})
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    ms(times[times.len() / 2])
}

fn measured(rounds: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..rounds).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed()
    });
    median(times.collect())
}

/// Makes the long session; returns what an append takes, in milliseconds.
fn long_session(store: &Store, cwd: &str, numbers: &mut Numbers) -> f64 {
    let mut journal = create(store, "long", cwd, 1_700_000_000_000);
    put(&mut journal, created(cwd));
    let mut times = Vec::new();
    for number in 2..=ENTRIES {
        let words = 20 + numbers.next(60);
        let body = json!({"type": "agentMessage", "text": numbers.text(words)});
        let record = record(&journal, item(number, body));
        let began = Instant::now();
        journal.append(&record, None).unwrap();
        times.push(began.elapsed());
    }
    median(times)
}

/// The answer to a request to a new `pintle serve`: milliseconds from the request on, and its memory then in MiB.
fn asked(home: &Path, request: &str) -> (f64, f64, Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(["serve", "--model", "ollama/none"])
        .env("PINTLE_HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    writeln!(
        stdin,
        r#"{{"id":1,"method":"initialize","params":{{"protocol":{{"name":"pintle","versions":["2.0"]}}}}}}"#
    )
    .unwrap();
    stdout.read_line(&mut line).unwrap();
    let began = Instant::now();
    writeln!(stdin, "{request}").unwrap();
    let answer: Value = loop {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0);
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            break message;
        }
    };
    let took = began.elapsed().as_secs_f64() * 1000.0;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let rss = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let rss = rss.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0;
    let _ = child.kill();
    let _ = child.wait();
    (took, rss, answer)
}

fn long(folder: &Path, numbers: &mut Numbers) {
    let home = folder.join("long");
    std::fs::create_dir_all(&home).unwrap();
    let store = Store::new(&home);
    let append = long_session(&store, home.to_str().unwrap(), numbers);
    row("an append, without fsync, median", "ms", append, Aim::Most(0.2), None);
    let id = SessionId::new("long");
    let screen = measured(ROUNDS, || {
        assert_eq!(store.page_before(&id, u64::MAX, SCREEN).unwrap().events.len(), SCREEN);
    });
    let what = format!("the last {SCREEN} of {ENTRIES} entries");
    row(&format!("{what}, median"), "ms", screen, Aim::None, None);
    let (took, rss, answer) = asked(
        &home,
        r#"{"id":2,"method":"session/events","params":{"sessionId":"long","before":9007199254740991,"limit":200}}"#,
    );
    assert_eq!(answer["result"]["lastSeq"], ENTRIES);
    row(&format!("{what}, a new program"), "ms", took, Aim::Most(50.0), None);
    row(&format!("{what}, a new program, memory at most"), "MiB", rss, Aim::Most(100.0), None);
    let (took, rss, answer) = asked(
        &home,
        r#"{"id":2,"method":"session/open","params":{"sessionId":"long","tail":200}}"#,
    );
    assert_eq!(answer["result"]["seq"], ENTRIES);
    let what = format!("{ENTRIES} entries opened for writing, read whole");
    row(&what, "ms", took, Aim::None, None);
    row(&format!("{what}, memory at most"), "MiB", rss, Aim::None, None);
    let began = Instant::now();
    while store.index().catch_up(u64::MAX).unwrap() > 0 {}
    let took = ms(began.elapsed());
    row(&format!("{ENTRIES} entries read into the index"), "ms", took, Aim::None, None);
}

fn lists(folder: &Path, numbers: &mut Numbers) {
    let home = folder.join("lists");
    std::fs::create_dir_all(&home).unwrap();
    let store = Store::new(&home);
    for number in 0..SESSIONS {
        let cwd = format!("/home/me/project-{}", number % 40);
        let id = format!("0190{number:08}");
        let mut journal = create(&store, &id, &cwd, 1_700_000_000_000 + number * 60_000);
        put(&mut journal, created(&cwd));
        let text = numbers.text(8);
        put(
            &mut journal,
            json!({"type": "input.accepted", "itemId": "i", "turnId": "t", "delivery": "prompt",
                "content": [{"type": "text", "text": text}]}),
        );
        put(&mut journal, item(1, json!({"type": "agentMessage", "text": text})));
    }
    let list = |filter: &Filter, limit: usize| {
        let (page, _) = store.list(filter, None, limit).unwrap();
        assert!(!page.is_empty());
    };
    let filter = Filter::default();
    let first = measured(1, || list(&filter, 50));
    let what = format!("the first list of {SESSIONS} sessions");
    row(&what, "ms", first, Aim::None, None);
    let began = Instant::now();
    while store.index().catch_up(u64::MAX).unwrap() > 0 {}
    let took = ms(began.elapsed());
    row("the rest of them read into the index", "ms", took, Aim::None, None);
    for (what, filter, limit) in [
        ("a page of 50", filter.clone(), 50),
        ("all of them", filter.clone(), usize::MAX),
        ("a title", Filter { query: Some("解析器 ".to_owned()), ..filter.clone() }, 50),
        ("a folder", Filter { cwd: Some("/home/me/project-7".to_owned()), ..filter.clone() }, 50),
    ] {
        let took = measured(ROUNDS, || list(&filter, limit));
        let what = format!("a list of {SESSIONS} sessions: {what}, median");
        row(&what, "ms", took, Aim::Most(100.0), None);
    }
    let mut journal = store.open(&SessionId::new("019000005000")).unwrap().journal;
    let took = measured(ROUNDS, || {
        put(&mut journal, item(1, json!({"type": "agentMessage", "text": "more"})));
        list(&filter, 50);
    });
    let what = format!("a list of {SESSIONS} sessions");
    row(&format!("{what}: 50 after an append, median"), "ms", took, Aim::Most(100.0), None);
    let (took, rss, answer) = asked(&home, r#"{"id":2,"method":"session/list","params":{}}"#);
    assert_eq!(answer["result"]["sessions"].as_array().unwrap().len(), 50);
    row(&format!("{what}: 50, a new program"), "ms", took, Aim::None, None);
    let what = format!("{what}: 50, a new program, memory at most");
    row(&what, "MiB", rss, Aim::None, None);
}

fn searches(folder: &Path, numbers: &mut Numbers) {
    let home = folder.join("searches");
    std::fs::create_dir_all(&home).unwrap();
    let store = Store::new(&home);
    let mut bytes = 0;
    for talk in 0..TALKS {
        let cwd = format!("/home/me/project-{}", talk % 40);
        let mut journal =
            create(&store, &format!("talk-{talk}"), &cwd, 1_700_000_000_000 + talk * 3_600_000);
        put(&mut journal, created(&cwd));
        for message in 0..MESSAGES_EACH {
            let words = if message % 3 == 0 { 12 } else { 30 + numbers.next(90) };
            let mut text = numbers.text(words);
            if message == 50 && talk % 334 == 100 {
                text = format!("{text} {RARE} {text}");
            }
            bytes += text.len();
            let body = match message % 3 {
                0 => json!({"type": "userMessage", "content": [{"type": "text", "text": text}]}),
                1 => json!({"type": "agentMessage", "text": text}),
                _ => {
                    json!({"type": "toolCall", "toolName": "bash", "title": text, "kind": "execute",
                    "locations": [{"path": format!("{cwd}/src/part_{}/mod.rs", message % 7)}]})
                }
            };
            put(&mut journal, item(message, body));
        }
    }
    let what = format!("{} messages", TALKS * MESSAGES_EACH);
    row(&format!("{what}, their text"), "MB", bytes as f64 / 1e6, Aim::None, None);
    let began = Instant::now();
    while store.index().catch_up(u64::MAX).unwrap() > 0 {}
    let took = ms(began.elapsed());
    row(&format!("{what} read into the index"), "ms", took, Aim::None, None);
    let size = std::fs::metadata(home.join("index.sqlite")).unwrap().len();
    row("the index, its file", "MB", size as f64 / 1e6, Aim::None, None);
    let of = |query: &str| SessionSearchParams {
        query: query.to_owned(),
        ..SessionSearchParams::default()
    };
    for (what, wanted, aim) in [
        ("a rare word", of(RARE), 20.0),
        ("a common word", of(COMMON), 50.0),
        ("two common words", of("return value"), 50.0),
        ("a common phrase", of("\"return value\""), 50.0),
        ("a piece of a word", of("anzibar"), 20.0),
        ("two characters of Chinese", of("修复"), 50.0),
        ("four characters of Chinese", of("解析器 错误"), 50.0),
        ("a short word", of("if"), 50.0),
        ("a path", of("part_3/mod"), 50.0),
        ("a word that is nowhere", of("xylophone"), 20.0),
        (
            "a common word in one session",
            SessionSearchParams { session_id: Some(SessionId::new("talk-500")), ..of(COMMON) },
            50.0,
        ),
        (
            "a common word of one role in one folder",
            SessionSearchParams {
                cwd: Some("/home/me/project-7".to_owned()),
                roles: vec![EntryRole::User],
                ..of(COMMON)
            },
            50.0,
        ),
        ("no words: the newest", of(""), 20.0),
    ] {
        let mut hits = 0;
        let took =
            measured(ROUNDS, || hits = store.index().search(&wanted, 20).unwrap().hits.len());
        let what = format!("search: {what}, {hits} hits, median");
        row(&what, "ms", took, Aim::Most(aim), None);
    }
}

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(7);
    report::head("store: storing, listing and searching");
    long(folder.path(), &mut numbers);
    lists(folder.path(), &mut numbers);
    searches(folder.path(), &mut numbers);
}
