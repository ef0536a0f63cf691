//! Hot paths, for callgrind, which counts their instructions: `tests/bench/counted.sh` compares them with those before.
//!
//! ```text
//! bench counted          list the paths
//! bench counted PATH     run one path once
//! ```
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use pintle_llm::wire::{Wire, WireRequest, WireResponse};
use pintle_llm::{Api, Endpoint, Error, Message, Request, Trace, connect};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::content::Content;
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::review::Maker;
use pintle_session::review::{Author, Content as FileContent, Review, Since};
use pintle_session::store::{FORMAT_VERSION, Header, Store};
use pintle_tools::permissions::{Action, Analysis, Call, Context, Places, Sandbox, decide};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;

const DELTAS: usize = 500;
const LINES: usize = 1000;
const EVENTS: u64 = 300;

/// A path: its name, and what makes its work.
type Row = (&'static str, fn() -> Box<dyn FnMut()>);

const ROWS: [Row; 8] = [
    ("decode-first", || decode(Api::Chat)),
    ("decode-chat", || again(decode(Api::Chat))),
    ("decode-messages", || again(decode(Api::Messages))),
    ("decide-first", decide_commands),
    ("decide-commands", || again(decide_commands())),
    ("review-hunks", review_hunks),
    ("journal-append", journal_append),
    ("journal-read", journal_read),
];

/// Runs the work once, so that one-time setup (the model catalogue, the permission tables) is not counted.
fn again(mut work: Box<dyn FnMut()>) -> Box<dyn FnMut()> {
    work();
    work
}

/// The only place whose instructions are counted.
#[inline(never)]
fn collected(work: &mut dyn FnMut()) {
    work();
}

/// A server that answers with one body.
#[derive(Debug)]
struct Canned(Bytes);

#[async_trait::async_trait]
impl Wire for Canned {
    async fn send(&self, _request: WireRequest) -> Result<WireResponse, Error> {
        let body = stream::iter([Ok(self.0.clone())]).boxed();
        Ok(WireResponse { status: 200, headers: Vec::new(), body })
    }
}

fn decode(api: Api) -> Box<dyn FnMut()> {
    let mut body = String::new();
    let mut event = |value: serde_json::Value| writeln!(body, "data: {value}\n").unwrap();
    if api == Api::Messages {
        event(json!({"type": "message_start", "message": {}}));
        event(
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        );
    }
    for n in 0..DELTAS {
        let text = format!("word {n} \"ä\"\n");
        event(match api {
            Api::Messages => {
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
            }
            _ => {
                json!({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
            }
        });
    }
    if api == Api::Messages {
        event(json!({"type": "content_block_stop", "index": 0}));
        event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
        event(json!({"type": "message_stop"}));
    } else {
        event(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
    }
    let provider =
        connect(Endpoint::new("bench", api, "http://h.test"), Arc::new(Canned(body.into())));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    Box::new(move || {
        let request = Request {
            model: "m".to_owned(),
            origin: "x/m".to_owned(),
            system: "".into(),
            messages: vec![Arc::new(Message::User(vec![Content::text("a")]))].into(),
            tools: Arc::new([]),
            effort: None,
            max_output_tokens: None,
            cache_key: None,
            output_schema: None,
            trace: Trace::default(),
        };
        let count = runtime.block_on(async {
            let deltas = provider.stream(request).await.unwrap();
            deltas.filter(|delta| std::future::ready(delta.is_ok())).count().await
        });
        assert!(count > DELTAS, "{count} deltas");
    })
}

fn decide_commands() -> Box<dyn FnMut()> {
    let places = Places {
        roots: vec![PathBuf::from("/w")],
        home: Some(PathBuf::from("/home/u")),
        ..Places::default()
    };
    Box::new(move || {
        let ctx = Context {
            mode: PermissionMode::Ask,
            is_trusted: true,
            sandbox: Sandbox::Full,
            places: &places,
            rules: &[],
        };
        for line in [
            "git status --short",
            "cargo test --lib permissions 2>&1 | tail -20",
            "for f in a b c; do if [ -f \"$f\" ]; then wc -l \"$f\"; fi; done",
        ] {
            let action = Action::Execute {
                analysis: Analysis::parse(line),
                cwd: PathBuf::from("/w"),
                resolved: BTreeMap::new(),
                leaves_sandbox: false,
            };
            black_box(decide(&Call { tool: "bash".to_owned(), action }, &ctx));
        }
    })
}

fn review_hunks() -> Box<dyn FnMut()> {
    let file = |every: usize| {
        let mut text = String::new();
        for line in 0..LINES {
            let word = if line % every == every - 1 { "changed" } else { "line" };
            writeln!(text, "    let {word}_{} = {line};", line % 7).unwrap();
        }
        FileContent::text(&text)
    };
    let (before, after) = (file(LINES + 1), file(50));
    Box::new(move || {
        let author = Author::Agent(Maker {
            turn_id: TurnId::new("t"),
            item_id: ItemId::new("i"),
            while_ran: None,
        });
        let mut review = Review::new();
        review.changed(1, "/w/a.rs", Some(before.clone()), Some(after.clone()), &author);
        assert_eq!(review.hunks().len(), LINES / 50);
        assert!(!review.patch("/w", Since::Start).text.is_empty());
    })
}

fn records() -> Vec<EventRecord> {
    let record = |seq: u64| {
        let item = json!({"id": format!("i{seq}"), "status": "completed", "startedMs": 1, "type": "agentMessage", "text": "some words of a reply"});
        let record = json!({"sessionId": "s", "seq": seq, "tsMs": seq, "event": {"type": "item.completed", "item": item}});
        serde_json::from_value(record).unwrap()
    };
    (1..=EVENTS).map(record).collect()
}

fn write(store: &Store, records: &[EventRecord]) {
    let header = Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: SessionId::new("s"),
        cwd: "/w".to_owned(),
        created_ms: 1,
    };
    let mut journal = store.create(&header).unwrap();
    for record in records {
        journal.append(record, None).unwrap();
    }
}

fn journal_append() -> Box<dyn FnMut()> {
    let (folder, records) = (tempfile::tempdir().unwrap(), records());
    Box::new(move || write(&Store::new(folder.path()), &records))
}

fn journal_read() -> Box<dyn FnMut()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path());
    write(&store, &records());
    Box::new(move || {
        let _folder = &folder;
        let entries = store.entries(&SessionId::new("s")).unwrap();
        assert_eq!(entries.flatten().count(), usize::try_from(EVENTS).unwrap());
    })
}

pub(crate) fn run() {
    match crate::words().nth(1) {
        Some(name) => {
            let (_, make) = ROWS.iter().find(|(row, _)| *row == name).unwrap();
            collected(&mut *make());
        }
        None => {
            for (name, _) in ROWS {
                println!("{name}");
            }
        }
    }
}
