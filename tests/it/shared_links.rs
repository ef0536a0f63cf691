//! The links of an engine that clients share: WebSockets, clients that come and go at any point of a turn, and clients that do not read.

use crate::support::program::{Framing, Program};
use crate::support::shared::{Shared, create, numbers, open};
use crate::support::websocket::{Raw, Web, frame, node};
use nix::sys::signal::{Signal, kill};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;

fn text(text: &str) -> Value {
    json!([{"blocks": [{"text": text}]}])
}

#[test]
fn a_page_sees_what_others_see_and_may_answer() {
    let shared = Shared::new(json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ]));
    let port = shared.listen(&[]);
    let Some(mut page) = node(port, &shared.token()) else { return };
    page.initialize();
    let session = create(&mut page);
    let mut editor = shared.attach();
    open(&mut editor, &session);
    editor.prompt("make it");
    let request = page.until(|message| message["method"] == "approval/request");
    page.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"optionId": "allow"}}));
    for client in [&mut page, &mut editor] {
        assert_eq!(client.until_event("turn.completed")["status"], "completed");
        let told = numbers(client);
        assert_eq!(told, (1..=*told.last().unwrap()).collect::<Vec<_>>(), "each event once");
    }
    assert_eq!(shared.place.read("made.txt"), "made\n");
    // A message of a size that no single frame of the network has.
    let long = "é".repeat(400_000);
    let refused = page.ask(&long, json!({}));
    assert_eq!(refused["data"]["code"], "methodNotFound");
    // `exit` ends the page's connection in order, and no other.
    page.ask("shutdown", json!({}));
    page.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    page.rest();
    assert!(page.wait().success());
    assert_eq!(editor.ask("ping", json!({})), json!({}));
}

#[test]
fn a_page_that_goes_stops_nothing_and_an_engine_that_ends_says_so() {
    // The session may be opened before its turn ends, while it closes after that, or when it is closed.
    const ROUNDS: usize = 10;
    let reply = json!({"blocks": [{"text": "the end"}]});
    let shared = Shared::new(json!(vec![reply; ROUNDS]));
    let port = shared.listen(&[]);
    let mut editor = shared.attach();
    for _ in 0..ROUNDS {
        let mut page = shared.web(port);
        let made = page.ask("session/create", json!({}));
        let session = made["sessionId"].as_str().unwrap().to_owned();
        page.ask("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
        page.vanish();
        let opened = open(&mut editor, &session);
        assert_eq!(opened["sessionId"], *session, "{opened}");
        assert_eq!(editor.until_event("turn.completed")["status"], "completed");
    }
    let mut page = shared.web(port);
    kill(shared.engine().unwrap(), Signal::SIGTERM).unwrap();
    let frame = page.closed().unwrap();
    assert_eq!((u16::from(frame.code), frame.reason.as_str()), (1001, "the engine ends"));
}

#[test]
fn requests_that_may_not_become_connections_are_refused_in_words() {
    let shared = Shared::new(json!([]));
    let port = shared.listen(&["--allow-origin", "https://editor.example"]);
    let token = shared.token();
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for (name, lines, want) in [
        ("a client", format!("{own}{bearer}"), "101"),
        ("an allowed page", format!("{own}{bearer}Origin: https://editor.example\r\n"), "101"),
        ("no token", own.clone(), "401"),
        ("another token", format!("{own}Authorization: Bearer {}\r\n", "0".repeat(64)), "401"),
        ("another page", format!("{own}{bearer}Origin: https://evil.example\r\n"), "403"),
        ("a name bound anew", format!("Host: evil.example:{port}\r\n{bearer}"), "403"),
    ] {
        let mut raw = Raw::silent(port);
        let head = raw.shake("/", &lines);
        assert!(head.starts_with(&format!("HTTP/1.1 {want} ")), "{name}: {head}");
        if want != "101" {
            let mut words = String::new();
            raw.0.read_to_string(&mut words).unwrap();
            assert!(words.len() > 20 && !words.contains(&token), "{name}: {words}");
        }
    }
    for (listen, words) in [
        ("ws://0.0.0.0:0", "is reachable from other machines"),
        ("ws://127.0.0.1", "expected unix:PATH, ws://127.0.0.1:PORT"),
    ] {
        let refused = shared.place.command(&["serve", "--listen", listen]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains(words), "{listen}: {said}");
    }
}

#[test]
fn frames_that_are_no_messages_end_their_connection_with_a_code_and_words() {
    const TEXT: u8 = 0x81;
    let shared = Shared::new(json!([]));
    let port = shared.listen(&[]);
    let token = shared.token();
    let ping = br#"{"id":1,"method":"ping"}"#;
    let mut huge = vec![TEXT, 0xff];
    huge.extend((1_u64 << 40).to_be_bytes());
    huge.extend([0; 4]);
    let mut many = frame(0x01, b"{");
    (0..2000).for_each(|_| many.extend(frame(0x00, b"")));
    many.extend(frame(0x80, br#""id":1,"method":"ping"}"#));
    for (name, bytes, want) in [
        ("a message", frame(TEXT, ping), r#"1 {"jsonrpc":"2.0","id":1,"result":{}}"#),
        (
            "fragments",
            [frame(0x01, &ping[..9]), frame(0x00, &[]), frame(0x80, &ping[9..])].concat(),
            "1 {",
        ),
        ("very many fragments", many, r#"1 {"jsonrpc":"2.0","id":1,"result":{}}"#),
        (
            "a ping between fragments",
            [frame(0x01, &ping[..9]), frame(0x89, b"hi"), frame(0x80, &ping[9..])].concat(),
            "10 hi",
        ),
        (
            "broken JSON",
            frame(TEXT, b"{\"id\":"),
            r#"1 {"jsonrpc":"2.0","id":null,"error":{"code":-32700"#,
        ),
        ("nothing", frame(TEXT, b""), r#"1 {"jsonrpc":"2.0","id":null,"error":{"code":-32700"#),
        ("a pong that nobody asked for", [frame(0x8a, b"x"), frame(TEXT, ping)].concat(), "1 {"),
        ("bytes", frame(0x82, ping), "8 1003 send each message as a text frame"),
        ("a frame over the limit", huge, "8 1009 the message exceeds 67108864 bytes"),
        (
            "bytes that are no UTF-8",
            frame(TEXT, b"{\"id\":1,\xff}"),
            "8 1007 the message is not valid UTF-8",
        ),
        ("a frame without a mask", vec![TEXT, 2, b'{', b'}'], "8 1002 "),
        ("a fragment of nothing", frame(0x80, ping), "8 1002 "),
        ("a reserved opcode", frame(0x83, ping), "8 1002 "),
        ("a reserved bit", frame(0xc1, ping), "8 1002 "),
        ("a ping in fragments", frame(0x09, b"hi"), "8 1002 "),
        ("a farewell", frame(0x88, &[0x03, 0xe8]), "8 1000 "),
    ] {
        let mut raw = Raw::open(port, &token);
        raw.0.write_all(&bytes).unwrap();
        let (opcode, payload) = raw.frame().unwrap_or_else(|| panic!("{name}: no frame came"));
        let shown = match (opcode, &payload[..]) {
            (8, [high, low, reason @ ..]) => {
                format!("{} {}", u16::from_be_bytes([*high, *low]), String::from_utf8_lossy(reason))
            }
            (_, payload) => String::from_utf8_lossy(payload).into_owned(),
        };
        let shown = format!("{opcode} {shown}");
        assert!(shown.starts_with(want), "{name}: {shown}");
    }
    // None of this harmed the engine.
    assert_eq!(shared.web(port).ask("ping", json!({})), json!({}));
}

#[test]
fn handshakes_that_never_end_are_bounded_and_let_go() {
    let shared = Shared::new(json!([]));
    let port = shared.listen(&[]);
    let mut editor = shared.attach();
    let mut silent: Vec<Raw> = (0..32).map(|_| Raw::silent(port)).collect();
    // They are accepted in order, so this one comes after them, and takes the place of the first.
    let token = shared.token();
    let lines = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    assert!(Raw::silent(port).shake("/", &lines).starts_with("HTTP/1.1 101 "));
    assert!(silent[0].head().starts_with("HTTP/1.1 503 "));
    assert_eq!(editor.ask("ping", json!({})), json!({}));
    // However many there are.
    silent.extend((0..400).map(|_| Raw::silent(port)));
    assert!(Raw::silent(port).shake("/", &lines).starts_with("HTTP/1.1 101 "));
    let mut rest = Vec::new();
    silent.last_mut().unwrap().0.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"", "let go without a word");
}

/// A client of either link.
enum Client {
    Attach(Program),
    Web(Web),
}

impl Client {
    fn new(shared: &Shared, port: u16, is_web: bool) -> Self {
        if is_web { Self::Web(shared.web(port)) } else { Self::Attach(shared.attach()) }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Attach(program) => program.ask(method, params),
            Self::Web(web) => web.ask(method, params),
        }
    }

    fn next(&mut self) -> Value {
        match self {
            Self::Attach(program) => program.next(),
            Self::Web(web) => web.next().unwrap(),
        }
    }

    /// Goes without a word.
    fn vanish(self) {
        match self {
            Self::Attach(program) => program.child.kill(),
            Self::Web(web) => web.vanish(),
        }
    }
}

/// What a client knows of a session: its durable events, and the state that the engine tells at the end.
#[derive(Debug, PartialEq)]
struct Known {
    events: Vec<Value>,
    state: Value,
}

/// Receives the events up to the end of the turn, going away each time that as many messages as the next cut says have come.
fn follow(shared: &Shared, port: u16, session: &str, is_web: &[bool], cuts: &[usize]) -> Known {
    let mut events: Vec<Value> = Vec::new();
    let mut links = is_web.iter().copied().cycle();
    let mut cuts = cuts.iter();
    'connections: loop {
        let mut client = Client::new(shared, port, links.next().unwrap());
        let opened =
            client.ask("session/open", json!({"sessionId": session, "fromSeq": events.len()}));
        assert_eq!(opened["gap"], Value::Null, "{opened}");
        let mut left = cuts.next().copied();
        loop {
            if left == Some(0) {
                client.vanish();
                continue 'connections;
            }
            left = left.map(|left| left - 1);
            let message = client.next();
            let params = &message["params"];
            if let Some(seq) = params["seq"].as_u64() {
                assert_eq!(seq, events.len() as u64 + 1, "without a gap, and once: {message}");
                events.push(params.clone());
                if params["event"]["type"] == "turn.completed" {
                    let mut state = client.ask("session/subscribe", json!({"sessionId": session}));
                    state["state"].take();
                    return Known { events, state };
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(12))]

    /// A client that is cut off at any points of a turn, and comes back by any link, knows in the end what one knows that never left.
    #[test]
    fn a_client_that_was_cut_off_knows_what_one_knows_that_never_left(
        cuts in proptest::collection::vec(0..12_usize, 1..8),
        is_web in proptest::collection::vec(any::<bool>(), 1..4),
    ) {
        let read = |offset: usize| json!({"tool": "read", "arguments": {"path": "a.txt", "offset": offset}});
        let mut replies: Vec<Value> = (1..=4)
            .map(|n| json!({"blocks": [{"text": "one two three "}, read(n), read(n + 10)]}))
            .collect();
        replies.push(json!({"blocks": [{"reasoning": "so it is"}, {"text": "that is all there was"}]}));
        let shared = Shared::new(json!(replies));
        std::fs::write(shared.place.path("a.txt"), "a line\n".repeat(40)).unwrap();
        let port = shared.listen(&[]);
        let mut whole = shared.web(port);
        let created = whole.ask("session/create", json!({}));
        let session = created["sessionId"].as_str().unwrap();
        whole.request("turn/start", json!({"input": [{"type": "text", "text": "go"}]}));
        let cut = follow(&shared, port, session, &is_web, &cuts);
        // By stdio, with an engine of its own, after the other has ended: the journal says the same.
        let never_left = follow(&shared, port, session, &[true], &[]);
        prop_assert_eq!(&cut, &never_left);
        let mut seen = Vec::new();
        while seen.len() < cut.events.len() {
            let message = whole.next().unwrap();
            seen.extend(message["params"].get("seq").is_some().then(|| message["params"].clone()));
        }
        prop_assert_eq!(&cut.events, &seen);
    }
}

#[test]
fn a_client_cut_off_at_every_event_by_stdio_reads_the_same() {
    let place = crate::support::program::Place::new(&[("a.txt", "a line\n")]);
    let script = place.script(&json!({"replies": [
        {"blocks": [{"text": "one two"}, {"tool": "read", "arguments": {"path": "a.txt"}}]},
        {"blocks": [{"text": "the end"}]},
    ]}));
    let start = || {
        let mut program =
            Program::start(place.command(&["serve", "--script", &script]), Framing::Lines);
        program.initialize();
        program
    };
    let durable = |program: &Program| -> Vec<Value> {
        let params = program.seen.iter().map(|message| &message["params"]);
        params.filter(|params| params["seq"].is_u64()).cloned().collect()
    };
    let mut whole = start();
    let session = create(&mut whole);
    whole.prompt("go");
    whole.until_event("turn.completed");
    whole.ask("session/close", json!({}));
    let all = durable(&whole);
    drop(whole);
    for from in 0..all.len() {
        let mut program = start();
        program.ask("session/open", json!({"sessionId": session, "fromSeq": from}));
        program.until(|message| message["params"]["seq"] == json!(all.len()));
        assert_eq!(durable(&program), all[from..], "from {from}");
    }
}

/// The memory of a process, in KiB.
fn resident_kib(pid: nix::unistd::Pid) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// As `pintle attach`, with bytes by hand: the greeting, and these lines.
fn by_hand(shared: &Shared, lines: &[Value]) -> UnixStream {
    let file = shared.file().unwrap();
    let mut stream = UnixStream::connect(file["socket"].as_str().unwrap()).unwrap();
    let greeting = json!({"attach": {"token": file["token"], "speaks": "native", "cwd": shared.place.project()}});
    for line in std::iter::once(&greeting).chain(lines) {
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    stream
}

#[test]
fn clients_that_stop_reading_while_100_000_deltas_flow_cost_little_and_catch_up() {
    const DELTAS: usize = 100_000;
    /// Two links' queues, the reply itself where it is kept, and what an allocator keeps back. The messages of the deltas are ten times as much.
    const MAX_GROWTH_KIB: u64 = 24 * 1024;
    let shared = Shared::new(text(&"word ".repeat(DELTAS)));
    let port = shared.listen(&[]);
    let mut first = shared.attach();
    let session = create(&mut first);
    let lines = [
        json!({"id": 1, "method": "initialize", "params": {"protocol": {"name": "pintle", "versions": ["2.0"]}}}),
        json!({"id": 2, "method": "session/open", "params": {"sessionId": session, "fromSeq": 0}}),
    ];
    let unread = by_hand(&shared, &lines);
    let mut silent = shared.web(port);
    silent.request("session/open", json!({"sessionId": session, "fromSeq": 0}));
    // Both subscriptions stand before the turn begins: each has read the response.
    let mut unread = std::io::BufReader::new(unread);
    let mut line = String::new();
    while !line.contains("\"id\":2") {
        line.clear();
        std::io::BufRead::read_line(&mut unread, &mut line).unwrap();
    }
    silent.until(|message| message["id"] == 2);
    let pid = shared.engine().unwrap();
    let before = resident_kib(pid);
    first.prompt("go");
    assert_eq!(first.until_event("turn.completed")["status"], "completed");
    let grown = resident_kib(pid).saturating_sub(before);
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB more");
    let last = *numbers(&first).last().unwrap();
    // Each reads again, and finds every durable event.
    let mut told = Vec::new();
    while told.last() != Some(&last) {
        line.clear();
        std::io::BufRead::read_line(&mut unread, &mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_ne!(message["method"], "session/eventsMissed");
        told.extend(message["params"]["seq"].as_u64());
    }
    assert_eq!(told, (1..=last).collect::<Vec<_>>(), "by the Unix socket");
    let mut told = Vec::new();
    while told.last() != Some(&last) {
        let message = silent.next().unwrap();
        assert_ne!(message["method"], "session/eventsMissed");
        told.extend(message["params"]["seq"].as_u64());
    }
    assert_eq!(told, (1..=last).collect::<Vec<_>>(), "by the WebSocket");
}

/// A message of any kind, with the id of its response if it must have one.
fn message() -> impl Strategy<Value = (String, Option<Value>)> {
    let method = proptest::sample::select(vec![
        "ping",
        "session/create",
        "session/open",
        "session/subscribe",
        "session/list",
        "turn/start",
        "turn/interrupt",
        "queue/list",
        "no/such",
        "approval/answer",
    ]);
    let params = proptest::sample::select(vec![
        json!({}),
        json!({"input": [{"type": "text", "text": "go"}]}),
        json!({"sessionId": "x", "fromSeq": 3}),
        json!({"include": ["turn.*"], "maxLatencyMs": 1}),
        json!({"include": [7]}),
        json!([1]),
        json!(7),
    ]);
    let request = (any::<u32>(), method, params).prop_map(|(id, method, params)| {
        let id = json!(format!("r{id}"));
        (json!({"id": id, "method": method, "params": params}).to_string(), Some(id))
    });
    let other = proptest::sample::select(vec![
        r#"{"method":"$/cancelRequest","params":{"id":"r1"}}"#,
        r#"{"method":"no/such"}"#,
        r#"{"id":"s1","result":{"optionId":"allow"}}"#,
        r#"{"id":77,"error":{"code":1,"message":"x"}}"#,
    ]);
    let broken = proptest::sample::select(vec![
        "{",
        "[]",
        "7",
        "\"x\"",
        "{\"id\":{}}",
        "nonsense",
        "{\"jsonrpc\":\"1.0\",\"method\":\"ping\"}",
    ]);
    prop_oneof![
        4 => request,
        1 => other.prop_map(|text| (text.to_owned(), None)),
        // Each has a response too, whose id is null.
        1 => broken.prop_map(|text| (text.to_owned(), Some(Value::Null))),
    ]
}

#[test]
fn each_request_has_one_response_whatever_else_is_sent_by_whatever_link() {
    let shared = Shared::new(text("hello"));
    let port = shared.listen(&[]);
    let mut runner = proptest::test_runner::TestRunner::new(pintle_testing::chance::cases(48));
    let any = (proptest::collection::vec(message(), 0..30), any::<bool>());
    let property = |(mut messages, is_web): (Vec<(String, Option<Value>)>, bool)| {
        // A second request with an id that is in use is refused with that id: each is sent once.
        let mut ids = std::collections::BTreeSet::new();
        messages.retain(|(_, id)| match id {
            Some(Value::String(id)) => ids.insert(id.clone()),
            _ => true,
        });
        let mut client = Client::new(&shared, port, is_web);
        for (text, _) in &messages {
            match &mut client {
                Client::Attach(program) => program.send_bytes(text.as_bytes()),
                Client::Web(web) => web.send(text),
            }
        }
        let mut wanted: Vec<Value> = messages.into_iter().filter_map(|(_, id)| id).collect();
        let last = json!("last");
        wanted.push(last.clone());
        let ping = json!({"id": last, "method": "ping"}).to_string();
        match &mut client {
            Client::Attach(program) => program.send_bytes(ping.as_bytes()),
            Client::Web(web) => web.send(&ping),
        }
        let mut got = Vec::new();
        while got.len() < wanted.len() {
            let message = client.next();
            if message.get("method").is_none() {
                got.push(message["id"].clone());
            }
        }
        let order = |ids: &mut Vec<Value>| ids.sort_by_key(Value::to_string);
        order(&mut wanted);
        order(&mut got);
        prop_assert_eq!(got, wanted);
        Ok(())
    };
    runner.run(&any, property).unwrap();
    // No request of these ended the engine.
    assert_eq!(shared.web(port).ask("ping", json!({})), json!({}));
}

#[test]
fn a_place_for_the_socket_that_is_taken_is_refused_with_the_next_step() {
    let shared = Shared::new(json!([]));
    let folder = shared.place.project();
    let path = |name: &str| format!("unix:{}", folder.join(name).display());
    std::fs::write(folder.join("file"), "mine").unwrap();
    std::fs::create_dir(folder.join("folder")).unwrap();
    std::os::unix::fs::symlink(folder.join("file"), folder.join("link")).unwrap();
    let served = std::os::unix::net::UnixListener::bind(folder.join("served")).unwrap();
    let long = "x".repeat(120);
    for (name, socket, words) in [
        ("a file", path("file"), "not a socket"),
        ("a folder", path("folder"), "not a socket"),
        ("a link", path("link"), "not a socket"),
        ("a socket of another program", path("served"), "another program is listening on"),
        ("a folder that is not there", path("none/socket"), "cannot listen on"),
        ("a long name", path(&long), "is too long for a socket"),
    ] {
        let refused = shared.place.command(&["serve", "--listen", &socket]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(words) && said.contains("--listen unix:PATH"), "{name}: {said}");
        assert!(shared.file().is_none(), "{name}: nothing is left");
    }
    assert_eq!(shared.place.read("file"), "mine");
    // The other program still has its socket, and one that nobody listens on is taken over.
    assert!(UnixStream::connect(folder.join("served")).is_ok());
    drop(served);
    let mut engine = shared.command(&["serve", "--listen", &path("served"), "--idle-exit", "0"]);
    let mut engine = engine.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    engine.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.starts_with("listening on unix:"), "{said}");
    let mut client = Program::start(shared.place.command(&["attach"]), Framing::Lines);
    client.initialize();
    client.end_input();
    assert!(client.wait().success());
    assert!(engine.wait().unwrap().success());
}

#[test]
fn a_full_disk_leaves_no_half_of_the_file_that_leads_to_the_engine() {
    let shared = Shared::new(json!([]));
    // No file may grow at all.
    let limited = |args: &[&str]| -> Command { shared.place.limited_command(0, args) };
    let refused = limited(&["serve", "--listen"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write") && said.contains("engine.json"), "{said}");
    let left: Vec<_> = std::fs::read_dir(shared.place.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // The lock may stay; who holds it is what counts.
        .filter(|name| {
            name != "engine.lock" && (name.contains("engine") || name.starts_with(".tmp"))
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // With room again, an engine starts.
    let mut client = shared.attach();
    assert_eq!(client.ask("ping", json!({})), json!({}));
}
