//! Faults of the disk and of people, with the real program: what a person is told, what survives, and that the session goes on when
//! the fault is gone. A damaged line of each kind is in `damage`, a full disk under a journal in `lifecycle`.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn say(text: &str) -> Value {
    json!({"blocks": [{ "text": text }]})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn edit(name: &str) -> Value {
    call("edit", json!({"path": name, "oldText": "old", "newText": "new"}))
}

fn started(place: &Place, replies: &[Value]) -> Program {
    let script = place.script(&json!({ "replies": replies }));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program
}

/// One turn; how it ended.
fn turn(program: &mut Program, text: &str) -> Value {
    program.prompt(text);
    program.until_event("turn.completed")["status"].clone()
}

/// A session with a finished turn, and nobody who has it open.
fn stored(place: &Place, replies: &[Value]) -> Value {
    let mut program = started(place, replies);
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    assert_eq!(turn(&mut program, "walrus"), "completed");
    program.end_input();
    program.rest();
    program.wait();
    session
}

fn notices(program: &Program) -> Vec<String> {
    let is_notice = |message: &&Value| message["params"]["event"]["type"] == "session.notice";
    let told = program.seen.iter().filter(is_notice);
    told.map(|message| message["params"]["event"]["message"].as_str().unwrap().to_owned()).collect()
}

/// What the model is shown of the conversation.
fn known(program: &mut Program) -> String {
    program.ask("context/read", json!({}))["messages"].to_string()
}

#[test]
fn a_journal_with_holes_and_tears_is_read_around_them() {
    let zeros = |count: usize| vec![0; count];
    let torn = "is incomplete; it was moved to journal.torn";
    let damaged = "is damaged and was skipped";
    let rows: [(&str, &dyn Fn(Vec<u8>) -> Vec<u8>, &str); 7] = [
        ("a power cut left a hole at the end", &|bytes| [bytes, zeros(4096)].concat(), torn),
        (
            "a hole, and a line behind it",
            &|bytes| [bytes, zeros(512), b"\n".to_vec()].concat(),
            damaged,
        ),
        (
            "half of a line at the end",
            &|bytes| [bytes, b"{\"sessionId\":\"x\",\"seq\":99,".to_vec()].concat(),
            torn,
        ),
        (
            "half of a line, and other bytes",
            &|bytes| [bytes, b"{\"seq\":\xff\xfe\n".to_vec()].concat(),
            damaged,
        ),
        (
            "the last lines again, as after a copy that was cut",
            &|bytes| {
                let last =
                    bytes.split_inclusive(|byte| *byte == b'\n').next_back().unwrap().to_vec();
                [bytes, last].concat()
            },
            damaged,
        ),
        ("empty lines", &|bytes| [bytes, b"\n\n".to_vec()].concat(), damaged),
        (
            "line ends of another system",
            &|bytes| String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes(),
            "",
        ),
    ];
    for (name, damage, want) in rows {
        let place = Place::new(&[]);
        let session = stored(&place, &[say("the first answer")]);
        let whole = fs::read(place.journal()).unwrap();
        fs::write(place.journal(), damage(whole)).unwrap();
        let mut program = started(&place, &[say("the second answer")]);
        program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
        assert_eq!(turn(&mut program, "seal"), "completed", "{name}");
        let told = notices(&program);
        let is_told = told.iter().any(|told| told.contains(want) && !want.is_empty());
        assert_eq!(is_told, !want.is_empty(), "{name}: {told:?}");
        let known = known(&mut program);
        // The answer that was sent just now belongs to the next request.
        for said in ["walrus", "the first answer", "seal"] {
            assert!(known.contains(said), "{name}: {said} is not in {known}");
        }
        // Told once, and from then on the journal is read without a word.
        program.end_input();
        program.rest();
        program.wait();
        let mut program = started(&place, &[]);
        program.ask("session/open", json!({"sessionId": session}));
        let page = program.ask("session/events", json!({"limit": 1000}));
        let seqs: Vec<_> = page["events"].as_array().unwrap().iter().map(|e| &e["seq"]).collect();
        let want: Vec<Value> = (1..=seqs.len()).map(|seq| json!(seq)).collect();
        assert_eq!(seqs, want.iter().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_data_folder_that_is_taken_away_is_told_and_the_turn_ends() {
    let place = Place::new(&[]);
    let mut program = started(&place, &[say("one"), say("two"), say("three")]);
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    assert_eq!(turn(&mut program, "walrus"), "completed");
    assert_eq!(notices(&program), Vec::<String>::new());
    // At once, whatever the engine writes just then.
    fs::rename(place.home(), place.home().with_extension("away")).unwrap();
    program.prompt("seal");
    let notice = program.until_event("session.notice");
    assert_eq!((&notice["level"], &notice["code"]), (&json!("error"), &json!("journal")));
    let message = notice["message"].as_str().unwrap();
    assert!(message.contains("was removed or replaced while the session was open"), "{message}");
    program.until(|message| message["params"]["event"]["value"] == "idle");
    // It is still in the program's hands, which can be asked for it; a session that is made now is kept.
    let known = known(&mut program);
    assert!(known.contains("walrus") && known.contains("seal"), "{known}");
    let next = program.ask("session/create", json!({}))["sessionId"].clone();
    let input = json!([{"type": "text", "text": "otter"}]);
    program.ask("turn/start", json!({"sessionId": next, "input": input}));
    program.until_event("turn.completed");
    let listed = program.ask("session/list", json!({}));
    let ids: Vec<_> =
        listed["sessions"].as_array().unwrap().iter().map(|s| &s["sessionId"]).collect();
    assert_eq!(ids, [&next], "not {session}");
}

#[test]
fn a_data_folder_that_cannot_be_made_is_told_and_the_engine_lives_on() {
    let place = Place::untrusted(&[]);
    // For whoever runs this, root included, a file in its place is as good as no right to write.
    fs::create_dir(place.home()).unwrap();
    let sessions = place.home().join("sessions");
    fs::write(&sessions, "").unwrap();
    let mut program = started(&place, &[say("one")]);
    let error = program.ask("session/create", json!({}));
    assert_eq!(error["code"], -32603, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(sessions.to_str().unwrap()), "{message}");
    fs::remove_file(&sessions).unwrap();
    program.ask("session/create", json!({}));
    assert_eq!(turn(&mut program, "walrus"), "completed");
}

#[test]
fn a_session_is_taken_over_from_a_holder_that_was_killed_and_from_no_other() {
    let place = Place::new(&[]).with_processes();
    let mut first = started(&place, &[say("one")]);
    let session = first.ask("session/create", json!({}))["sessionId"].clone();
    let mut second = started(&place, &[say("two")]);
    let error = second.ask("session/open", json!({"sessionId": session}));
    assert_eq!(error["data"]["code"], "openElsewhere");
    assert_eq!(
        error["data"]["hint"],
        "close it there first, or do this there; clients of `pintle attach` share sessions"
    );
    let holder = format!("(pid {})", first.child.id());
    assert!(error["message"].as_str().unwrap().ends_with(&holder), "{error}");
    first.signal(nix::sys::signal::Signal::SIGKILL);
    first.wait();
    assert_eq!(second.ask("session/open", json!({"sessionId": session}))["state"]["value"], "idle");
    assert_eq!(turn(&mut second, "walrus"), "completed");
}

#[test]
fn a_clock_that_went_back_changes_neither_order_nor_what_is_found() {
    let place = Place::new(&[]);
    let session = stored(&place, &[say("the first answer")]);
    // The same as a clock that has gone back since: what is stored says that it was written in 2096.
    let future = |text: String| -> String {
        let line = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            for field in ["tsMs", "createdMs"] {
                if line[field].is_u64() {
                    line[field] = json!(3_976_000_000_000_u64 + line["seq"].as_u64().unwrap_or(0));
                }
            }
            format!("{line}\n")
        };
        text.lines().map(line).collect()
    };
    let text = future(fs::read_to_string(place.journal()).unwrap());
    fs::write(place.journal(), text).unwrap();
    let mut program = started(&place, &[say("the second answer")]);
    program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
    assert_eq!(turn(&mut program, "seal"), "completed");
    let page = program.ask("session/events", json!({"limit": 1000}));
    let events = page["events"].as_array().unwrap();
    for (place, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], place + 1);
    }
    let known = known(&mut program);
    assert!(known.find("walrus") < known.find("seal"), "{known}");
    for word in ["walrus", "seal"] {
        let found = program.ask("session/search", json!({"query": word, "kinds": ["userMessage"]}));
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{word}: {found}");
    }
    assert_eq!(program.ask("session/list", json!({}))["sessions"].as_array().unwrap().len(), 1);
    let back = program.ask("session/rewind", json!({"to": {"seq": 1}}));
    assert_eq!(back["dropped"].as_array().unwrap().len(), 4, "{back}");
}

fn blobs(place: &Place) -> Vec<PathBuf> {
    let folder = fs::read_dir(place.journal().with_file_name("blobs")).unwrap();
    folder.map(|entry| entry.unwrap().path()).collect()
}

fn fates(answer: &Value) -> String {
    let fates =
        answer["files"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().map(|fate| {
            let name = fate["path"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{name} {}", fate["action"].as_str().unwrap())
        });
    fates.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_content_that_is_gone_or_changed_is_not_put_back_and_the_others_are() {
    let rows: [(&str, &dyn Fn(&PathBuf)); 3] = [
        ("gone", &|blob| fs::remove_file(blob).unwrap()),
        ("changed", &|blob| fs::write(blob, "not what it was").unwrap()),
        ("cut", &|blob| fs::write(blob, "").unwrap()),
    ];
    for (name, damage) in rows {
        let place = Place::new(&[("a.txt", "old a\n"), ("b.txt", "old b\n")]);
        let session = stored(&place, &[edit("a.txt"), edit("b.txt"), say("done")]);
        let blob = blobs(&place).into_iter().find(|blob| fs::read(blob).unwrap() == b"old a\n");
        let blob = blob.unwrap();
        damage(&blob);
        let mut program = started(&place, &[]);
        program.ask("session/open", json!({"sessionId": session}));
        let back = json!({"to": {"seq": 1}, "scope": "files"});
        let answer = program.ask("session/rewind", back.clone());
        assert_eq!(fates(&answer), "a.txt failed, b.txt restore", "{name}");
        assert_eq!(
            (place.read("a.txt"), place.read("b.txt")),
            ("new a\n".into(), "old b\n".into())
        );
        // With the content back from a backup, it goes.
        fs::write(&blob, "old a\n").unwrap();
        let answer = program.ask("session/rewind", back);
        assert_eq!(fates(&answer), "a.txt restore, b.txt leave", "{name}");
        assert_eq!(place.read("a.txt"), "old a\n", "{name}");
    }
}

#[test]
fn on_a_full_disk_it_is_told_which_files_went_back() {
    let big = format!("old {}\n", "x".repeat(300_000));
    let place = Place::new(&[("a.txt", "old a\n"), ("big.txt", &big), ("c.txt", "old c\n")]);
    let shrink = call("bash", json!({"command": "echo new > big.txt"}));
    let replies = [edit("a.txt"), shrink, edit("c.txt"), say("done")];
    let session = stored(&place, &replies);
    assert_eq!(place.read("big.txt"), "new\n");
    let script = place.script(&json!({"replies": [say("more")]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let back = json!({"to": {"seq": 1}, "scope": "both"});
    {
        let mut program = Program::start(place.limited_command(128, &args), Framing::Lines);
        program.initialize();
        program.ask("session/open", json!({"sessionId": session}));
        let answer = program.ask("session/rewind", back.clone());
        assert_eq!(fates(&answer), "a.txt restore, big.txt failed, c.txt restore");
        assert_eq!(
            (place.read("a.txt"), place.read("big.txt"), place.read("c.txt")),
            ("old a\n".into(), "new\n".into(), "old c\n".into())
        );
        let names = fs::read_dir(place.project()).unwrap().count();
        assert_eq!(names, 3, "nothing half-written stays");
        assert_eq!(turn(&mut program, "go on"), "completed");
    }
    let mut program = started(&place, &[]);
    program.ask("session/open", json!({"sessionId": session}));
    let answer = program.ask("session/rewind", back);
    assert_eq!(fates(&answer), "a.txt leave, big.txt restore, c.txt leave");
    assert_eq!(place.read("big.txt"), big);
}

#[test]
fn a_decision_that_the_disk_has_no_room_for_is_not_made() {
    let big = format!("old {}\n", "x\n".repeat(150_000));
    let place = Place::new(&[("a.txt", "old a\n"), ("big.txt", &big)]);
    let shrink = call("bash", json!({"command": "echo new > big.txt"}));
    let replies = [edit("a.txt"), shrink, say("done")];
    let session = stored(&place, &replies);
    let script = place.script(&json!({"replies": [say("more")]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let undo = json!({"action": {"type": "undo", "target": {"type": "all"}}});
    {
        let mut program = Program::start(place.limited_command(128, &args), Framing::Lines);
        program.initialize();
        program.ask("session/open", json!({"sessionId": session}));
        let error = program.ask("review/decide", undo.clone());
        assert!(error["message"].as_str().unwrap().contains("big.txt"), "{error}");
        assert!(
            error["data"]["hint"].as_str().unwrap().contains("no decision was applied"),
            "{error}"
        );
        assert_eq!(
            (place.read("a.txt"), place.read("big.txt")),
            ("new a\n".into(), "new\n".into())
        );
        let hunks = program.ask("review/list", json!({}));
        assert_eq!(hunks["hunks"].as_array().unwrap().len(), 2, "{hunks}");
        assert_eq!(turn(&mut program, "go on"), "completed");
    }
    let mut program = started(&place, &[]);
    program.ask("session/open", json!({"sessionId": session}));
    program.ask("review/decide", undo);
    assert_eq!((place.read("a.txt"), place.read("big.txt")), ("old a\n".into(), big));
}

#[test]
fn whatever_the_index_is_lists_and_searches_answer() {
    let rows: [(&str, &dyn Fn(&PathBuf)); 4] = [
        ("garbage", &|index| fs::write(index, "this is no database at all ".repeat(200)).unwrap()),
        ("zeros", &|index| fs::write(index, vec![0; 8192]).unwrap()),
        ("of a newer version", &|index| {
            let open = rusqlite::Connection::open(index).unwrap();
            open.execute_batch("PRAGMA user_version = 999; DROP TABLE entries;").unwrap();
        }),
        ("a folder", &|index| {
            fs::remove_file(index).unwrap();
            fs::create_dir(index).unwrap();
        }),
    ];
    for (name, damage) in rows {
        let place = Place::new(&[]);
        let session = stored(&place, &[say("the first answer")]);
        let mut program = started(&place, &[]);
        program.ask("session/list", json!({}));
        program.end_input();
        program.rest();
        program.wait();
        for tail in ["-wal", "-shm"] {
            let _ = fs::remove_file(place.home().join(format!("index.sqlite{tail}")));
        }
        damage(&place.home().join("index.sqlite"));
        let mut program = started(&place, &[]);
        let listed = program.ask("session/list", json!({}));
        assert_eq!(listed["sessions"][0]["sessionId"], session, "{name}: {listed}");
        let found = program.ask("session/search", json!({"query": "walrus"}));
        assert_eq!(found["hits"][0]["sessionId"], session, "{name}: {found}");
    }
}

#[test]
fn an_index_that_somebody_holds_keeps_nobody_from_working() {
    let place = Place::new(&[]);
    let session = stored(&place, &[say("the first answer")]);
    let mut program = started(&place, &[say("the second answer")]);
    let hits = |answer: &Value| answer["hits"].as_array().unwrap().len();
    let walrus = json!({"query": "walrus"});
    let otter = json!({"query": "otter"});
    assert_eq!(hits(&program.ask("session/search", walrus.clone())), 1);
    let holder = rusqlite::Connection::open(place.home().join("index.sqlite")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    program.ask("session/open", json!({"sessionId": session}));
    assert_eq!(turn(&mut program, "otter"), "completed");
    // Lists are read from the folders; a search finds what is in the index, and says that there is more.
    assert_eq!(program.ask("session/list", json!({}))["sessions"][0]["sessionId"], session);
    let found = program.ask("session/search", walrus);
    assert_eq!((hits(&found), &found["behind"]), (1, &json!(1)), "{found}");
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(hits(&program.ask("session/search", otter)), 1);
}

/// Gives everything below a folder these rights.
fn allow(folder: &Path, folders: u32, files: u32) {
    let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => allow(&path, folders, files),
            path => set(&path, files),
        }
    }
    set(folder, folders);
}

#[test]
fn what_may_only_be_read_is_read_and_the_rest_is_refused_with_its_path() {
    let place = Place::new(&[]);
    let session = stored(&place, &[say("the first answer")]);
    allow(&place.home(), 0o555, 0o444);
    let args = ["serve", "--script", &place.script(&json!({"replies": []}))];
    let mut program = Program::start(place.unprivileged_command(&args), Framing::Lines);
    program.initialize();
    let named = json!({"sessionId": session});
    assert_eq!(program.ask("session/list", json!({}))["sessions"][0]["sessionId"], session);
    let found = program.ask("session/search", json!({"query": "walrus"}));
    assert_eq!(found["hits"][0]["sessionId"], session, "{found}");
    let items = program.ask("session/items", named.clone());
    assert_eq!(items["items"].as_array().unwrap().len(), 2, "{items}");
    for (method, params, file) in [
        ("session/open", named.clone(), "/lock: Permission denied"),
        ("session/delete", named.clone(), "/lock: Permission denied"),
        ("session/create", json!({}), ": Permission denied"),
    ] {
        let error = program.ask(method, params);
        let message = error["message"].as_str().unwrap();
        let is_told = message.starts_with(place.home().to_str().unwrap()) && message.contains(file);
        assert!(is_told, "{method}: {error}");
    }
    allow(&place.home(), 0o755, 0o644);
    assert_eq!(program.ask("session/open", named)["state"]["value"], "idle");
}
