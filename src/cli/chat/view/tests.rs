//! Conversations of the view with an engine and a user.

use super::*;
use pintle_protocol::session::SessionConfig;
use std::fmt::Write as _;

const SESSION: &str = "s";

fn durable(seq: u64, cause: Option<&str>, event: Value) -> Value {
    let mut record = json!({"sessionId": SESSION, "seq": seq, "tsMs": 1});
    record["event"] = event;
    if let Some(client) = cause {
        record["cause"] = json!({"clientId": client});
    }
    json!({"method": "session/event", "params": record})
}

fn delta(n: u64, text: &str) -> Value {
    let event = json!({"type": "item.delta", "itemId": "m", "field": "text", "n": n, "text": text});
    json!({"method": "session/event", "params": {"sessionId": SESSION, "after": 1, "event": event}})
}

fn item(kind: &str, id: &str, more: Value) -> Value {
    let mut item = json!({"id": id, "type": kind, "status": "completed", "startedMs": 1});
    if let (Value::Object(item), Value::Object(more)) = (&mut item, more) {
        item.extend(more);
    }
    item
}

fn accepted(id: &str) -> Value {
    json!({"type": "input.accepted", "itemId": id, "turnId": "t", "delivery": "prompt", "content": []})
}

fn said(id: &str, words: &str) -> Value {
    let content = json!({"content": [{"type": "text", "text": words}]});
    json!({"type": "item.completed", "item": item("userMessage", id, content)})
}

/// Returns the view's effects: text unchanged, and the method or result of messages.
fn shown(out: Vec<Out>) -> String {
    let mut shown = String::new();
    for out in out {
        match out {
            Out::Print(text) => shown.push_str(&text),
            Out::Send(message) if message["method"].is_string() => {
                let _ = writeln!(shown, "→ {} {}", message["method"], message["params"]);
            }
            Out::Send(message) => {
                let _ = writeln!(shown, "→ {} {}", message["id"], message["result"]);
            }
            Out::GiveBack(text) => {
                let _ = writeln!(shown, "given back: {text}");
            }
            Out::Leave(code) => {
                let _ = writeln!(shown, "left with {code}");
            }
        }
    }
    shown
}

fn begun(is_person: bool) -> View {
    let target = crate::cli::chat::stored(SessionId::new(SESSION), SessionConfig::default());
    let reader = if is_person { Reader::User } else { Reader::Program };
    let look = Look { columns: 80, is_styled: false };
    View::new(target, "me".to_owned(), reader, look).0
}

fn opened(is_person: bool) -> View {
    let mut view = begun(is_person);
    view.message(&json!({"id": 1, "result": {}}), None);
    let opened = json!({
        "sessionId": SESSION, "seq": 1, "cwd": "/w", "model": "a/b", "permissionMode": "ask", "state": {"value": "idle"},
    });
    let head = shown(view.message(&json!({"id": 2, "result": opened}), None));
    assert_eq!(head.contains("/help"), is_person, "{head}");
    assert_eq!(head.contains("prompt/list"), is_person, "{head}");
    view
}

fn started() -> Value {
    durable(2, None, json!({"type": "turn.started", "model": "a/b"}))
}

fn completed() -> Value {
    let end = json!({"type": "turn.completed", "status": "completed", "stopReason": "endTurn", "steps": 1, "usage": {"inputTokens": 1, "outputTokens": 1}, "durationMs": 1500, "costNanoUsd": 20_000_000});
    durable(4, None, end)
}

fn call(tool: &str, kind: &str, status: &str, output: &Value) -> Value {
    let more = json!({"toolName": tool, "title": format!("{tool}: x"), "kind": kind, "status": status, "output": output});
    durable(3, None, json!({"type": "item.completed", "item": item("toolCall", "c", more)}))
}

fn notice(level: &str) -> Value {
    durable(
        4,
        None,
        json!({"type": "session.notice", "level": level, "code": "x", "message": "by the way", "hint": "do this"}),
    )
}

fn approval(id: &str) -> Value {
    let option = |id: &str, decision: &str| json!({"optionId": id, "label": id, "decision": decision, "scope": "once"});
    json!({"id": id, "method": "approval/request", "params": {
        "approvalId": "a", "sessionId": SESSION, "turnId": "t", "itemId": "i", "toolName": "bash", "kind": "execute",
        "title": "bash: make", "reason": "runs a command", "input": {}, "options": [option("allow", "allow"), option("deny", "deny")],
        "details": [{"kind": "command", "text": "make\nmake install"}],
    }})
}

fn question(id: &str) -> Value {
    json!({"id": id, "method": "question/request", "params": {
        "questionId": "q", "sessionId": SESSION, "turnId": "t", "itemId": "i", "kind": "choice", "text": "Which?", "multiple": true,
        "options": [{"optionId": "red", "label": "Red"}, {"optionId": "blue", "label": "Blue"}], "deadlineMs": 1,
    }})
}

impl View {
    fn types(&mut self, line: &str) -> String {
        shown(self.typed(line, None, &[]))
    }

    fn takes(&mut self, message: &Value) -> String {
        shown(self.message(message, None))
    }
}

#[test]
fn a_reply_is_printed_once_however_it_comes() {
    let begun = durable(
        2,
        None,
        json!({"type": "item.started", "item": item("agentMessage", "m", json!({"text": "", "status": "running"}))}),
    );
    let ended = |text: &str| {
        let text = json!({"text": text});
        durable(3, None, json!({"type": "item.completed", "item": item("agentMessage", "m", text)}))
    };
    let told = notice("info");
    for (name, messages, plain, laid_out) in [
        ("whole", vec![begun.clone(), ended("one two")], "one two\n", "one two\n\n"),
        (
            "in pieces",
            vec![begun.clone(), delta(0, "one "), delta(1, "two"), ended("one two")],
            "one two\n",
            "one two\n\n",
        ),
        (
            "the last piece is missing",
            vec![begun.clone(), delta(0, "one "), ended("one two")],
            "one two\n",
            "one two\n\n",
        ),
        (
            "all of it again",
            vec![begun.clone(), delta(0, "one "), delta(0, "one two"), ended("one two")],
            "one two\n",
            "one two\n\n",
        ),
        (
            "with a notice between",
            vec![begun.clone(), delta(0, "one "), told, delta(1, "two"), ended("one two")],
            "one \n! by the way\ntwo\n",
            "! by the way\n  do this\none two\n\n",
        ),
        (
            "a piece is missing",
            vec![begun.clone(), delta(0, "one"), delta(2, "three"), ended("one two three")],
            "onethree\none two three\n",
            "one two three\n\n",
        ),
        (
            "Markdown",
            vec![begun.clone(), delta(0, "# One\n\n- *two*\n"), ended("# One\n\n- *two*\n")],
            "# One\n\n- *two*\n",
            "One\n===\n\n- two\n\n",
        ),
        (
            "it would move the cursor",
            vec![begun, ended("\u{1b}[2Jone")],
            "␛[2Jone\n",
            "␛[2Jone\n\n",
        ),
    ] {
        for (is_person, want) in [(false, plain), (true, laid_out)] {
            let mut view = opened(is_person);
            let got: String = messages.iter().map(|message| view.takes(message)).collect();
            assert_eq!(got, want, "{name}, {is_person}");
        }
    }
}

#[test]
fn messages_name_the_client_that_sent_them_unless_a_person_typed_them_here() {
    for (is_person, client, want) in
        [(true, "me", ""), (false, "me", "> go\n"), (true, "nvim", "[nvim]\n> go\n")]
    {
        let mut view = opened(is_person);
        view.takes(&durable(2, Some(client), accepted("u")));
        assert_eq!(view.takes(&durable(3, None, said("u", "go"))), want, "{client}");
    }
}

#[test]
fn the_oldest_request_is_answered_and_only_with_what_it_offers() {
    let mut view = opened(true);
    view.takes(&started());
    assert_eq!(
        view.takes(&approval("r1")),
        "? bash: make\n  runs a command\n  Command:\n  | make\n  | make install\n  y  allow\n  n  deny\n"
    );
    assert_eq!(view.takes(&question("r2")), "", "shown once the first one is answered");
    let unclear =
        "! answer the request above with y, n; `n TEXT` denies it with a reason\ngiven back: ";
    for (typed, want) in [
        ("", format!("{unclear}\n")),
        ("1", format!("{unclear}1\n")),
        ("go on", format!("{unclear}go on\n")),
        (
            "n use make check",
            "→ \"r1\" {\"optionId\":\"deny\",\"feedback\":\"use make check\"}\n? Which?\n  1  Red\n  2  Blue\n  Enter numbers (1,3) or text.\n"
                .to_owned(),
        ),
        (" ", "! enter text or an option's number\ngiven back:  \n".to_owned()),
        ("1, 2", "→ \"r2\" {\"optionIds\":[\"red\",\"blue\"]}\n".to_owned()),
        ("go", "→ \"turn/steer\" {\"sessionId\":\"s\",\"input\":[{\"type\":\"text\",\"text\":\"go\"}],\"whenIdle\":\"reject\"}\n".to_owned()),
    ] {
        assert_eq!(view.types(typed), want, "{typed}");
    }
    // Another client answers.
    view.takes(&question("r2"));
    let withdrawn = json!({"method": "$/cancelRequest", "params": {"id": "r2"}});
    assert_eq!(view.takes(&withdrawn), "! already answered elsewhere, or withdrawn\n");
    assert!(view.types("1").starts_with("→ \"turn/"), "no request is open any more");
    // This user stops the turn.
    view.takes(&question("r2"));
    view.interrupted();
    assert_eq!(view.takes(&withdrawn), "");
}

#[test]
fn text_that_was_begun_before_a_request_is_a_message() {
    let mut view = opened(true);
    view.takes(&started());
    view.message(&approval("r1"), Some(3));
    let got = shown(view.typed("yes, and test it", Some(3), &[]));
    assert!(
        got.starts_with("! sent as a message, since") && got.contains("→ \"turn/steer\""),
        "{got}"
    );
    assert_eq!(shown(view.typed("y", Some(4), &[])), "→ \"r1\" {\"optionId\":\"allow\"}\n");
}

#[test]
fn commands_become_requests() {
    for (typed, want) in [
        ("/model c/d", "→ \"config/set\" {\"sessionId\":\"s\",\"values\":{\"model\":\"c/d\"}}\n"),
        (
            "/mode auto-edit",
            "→ \"config/set\" {\"sessionId\":\"s\",\"values\":{\"permissionMode\":\"autoEdit\"}}\n",
        ),
        ("/plan", "→ \"config/set\" {\"sessionId\":\"s\",\"values\":{\"mode\":\"plan\"}}\n"),
        ("/effort", "→ \"config/list\" {\"sessionId\":\"s\"}\n"),
        ("/review", "→ \"review/list\" {\"sessionId\":\"s\"}\n"),
        (
            "/undo all",
            "→ \"review/decide\" {\"sessionId\":\"s\",\"action\":{\"type\":\"undo\",\"target\":{\"type\":\"all\"},\"discardEdits\":false}}\n",
        ),
        ("/keep 1", "! run /review first, which numbers the changes\n"),
        (
            "/compact briefly",
            "→ \"session/compact\" {\"sessionId\":\"s\",\"instructions\":\"briefly\"}\n",
        ),
        ("/context", "→ \"context/read\" {\"sessionId\":\"s\",\"summary\":true}\n"),
        ("!make", "→ \"shell/run\" {\"sessionId\":\"s\",\"command\":\"make\",\"toModel\":true}\n"),
        ("/stop", "! no turn is running\n"),
        ("/jobs", "→ \"job/list\" {\"sessionId\":\"s\"}\n"),
        (
            "/type 2 y",
            "→ \"shell/write\" {\"sessionId\":\"s\",\"jobId\":\"job-2\",\"text\":\"y\\n\",\"wantsScreen\":true}\n",
        ),
        ("/new", "→ \"session/create\" {\"cwd\":\"/w\",\"config\":{}}\n"),
        (
            "/new worktree",
            "→ \"session/create\" {\"cwd\":\"/w\",\"isolation\":{\"kind\":\"worktree\"},\"config\":{}}\n",
        ),
        ("/apply", "→ \"isolation/apply\" {\"sessionId\":\"s\",\"onConflict\":\"mark\"}\n"),
        ("/quit", "left with 0\n"),
        ("/keep x", "! usage: /keep N…|all\ngiven back: /keep x\n"),
    ] {
        assert_eq!(opened(true).types(typed), want, "{typed}");
    }
    let mut decided = opened(true);
    decided.types("/undo all");
    let data = json!({"hint": "review/list lists the open hunks"});
    let stale = json!({"id": 6, "error": {"code": 1, "message": "hunk 16.1 is not open but kept", "data": data}});
    assert_eq!(decided.takes(&stale), "! hunk 16.1 is not open but kept\n  run /review again\n");
    let mut busy = opened(true);
    busy.takes(&started());
    assert!(busy.types("/queue then").starts_with("→ \"turn/start\""));
    assert!(busy.types("/new").starts_with("! a turn is running"));
    assert!(busy.types("/stop").starts_with("→ \"turn/interrupt\""));
    // A program's lines are prompts.
    assert!(opened(false).types("/quit").starts_with("→ \"turn/start\""));
    let got = shown(opened(true).typed("see a.png", None, &["/w/a.png".to_owned()]));
    assert!(got.contains("{\"type\":\"file\",\"path\":\"/w/a.png\"}"), "{got}");
}

#[test]
fn responses_are_shown() {
    let mode = json!({"id": "permissionMode", "name": "Permissions", "value": "autoEdit", "choices": ["ask", "autoEdit"]});
    for (typed, result, want) in [
        ("/mode", json!({"options": [mode]}), "Permissions: auto-edit (of ask, auto-edit)\n"),
        (
            "/mode auto-edit",
            json!({"options": [mode], "applied": ["permissionMode"]}),
            "Permissions: auto-edit\n",
        ),
        (
            "/mode full",
            json!({"options": [mode], "rejected": [{"id": "permissionMode", "reason": "wider than\nallowed"}]}),
            "! wider than allowed\n",
        ),
        ("/review", json!({"hunks": [], "seq": 1}), "no open changes\n"),
        (
            "/context",
            json!({"usage": {"tokens": 1200, "window": 200_000}, "sources": [{"source": "system", "count": 1, "tokens": 900}]}),
            "1200 of 200000 tokens\n      900  system (1)\n",
        ),
        (
            "!make",
            json!({"jobId": "j", "output": "built\u{1b}[2J\n", "exitCode": 2, "cancelled": false, "truncated": false}),
            "built␛[2J\nexit code 2\n",
        ),
        ("/jobs", json!({"jobs": []}), "no job is running\n"),
        (
            "/jobs",
            json!({"jobs": [
                item("job", "a", json!({"status": "running", "jobId": "job-1", "title": "x", "command": "make\u{1b}[2J\nmake test"})),
                item("job", "b", json!({"status": "running", "jobId": "job-2", "title": "x", "command": "python3 -q", "inTerminal": true})),
                item("job", "c", json!({"jobId": "job-3", "title": "x", "command": "true", "end": "exited"})),
            ]}),
            "  job-1  make␛[2J make test\n  job-2  python3 -q  (terminal)\n/type JOB TEXT types into a terminal; /type JOB shows its screen.\n",
        ),
        ("/apply", json!({"applied": false, "files": []}), "no changes to apply\n"),
        (
            "/apply",
            json!({"applied": true, "files": [
                {"path": "/w/a.rs", "isolated": "/c/a.rs", "outcome": "applied"},
                {"path": "/w/b\u{1b}.rs", "isolated": "/c/b.rs", "outcome": "conflict"},
                {"path": "/w/c.rs", "isolated": "/c/c.rs", "outcome": "kept"},
            ]}),
            "  a.rs  applied\n  b␛.rs  conflict, marked in the file\n  c.rs  conflict, your file is unchanged\n",
        ),
        ("/type 2", json!({"screen": ">>> 1\n\n\u{1b}[2J"}), "  | >>> 1\n  | \n  | ␛[2J\n"),
        ("/type 2", json!({"screen": ""}), "  (nothing on the screen)\n"),
        (
            "!true",
            json!({"jobId": "j", "output": "", "cancelled": false, "truncated": false}),
            "(no output)\n",
        ),
        (
            "/undo all",
            json!({"seq": 2, "decision": {"action": {"type": "undo", "target": {"type": "all"}}, "parts": [
                {"hunk": "h", "path": "/w/a", "effect": "undo", "outcome": "conflict"},
            ]}}),
            "! /w/a left: its lines have changed since; run /review again\n",
        ),
    ] {
        let mut view = opened(true);
        view.types(typed);
        assert_eq!(view.takes(&json!({"id": 6, "result": result})), want, "{typed}");
    }
}

#[test]
fn calls_show_their_changes_and_the_end_of_their_output() {
    let change = json!({"op": "modify", "path": "/w/src/a.rs", "diff": "@@ -1 +1 @@\n-a\n+b\n", "added": 1, "removed": 1});
    let lines: Vec<String> = (1..=9).map(|number| format!("line {number}")).collect();
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let edited =
        json!({"content": [{"type": "text", "text": "ok"}], "details": {"changes": [change]}});
    for (name, message, want) in [
        (
            "an edit",
            call("edit", "edit", "completed", &edited),
            "* edit: x\n  src/a.rs (+1 −1)\n  @@ -1 +1 @@\n  -a\n  +b\n",
        ),
        (
            "a command",
            call("bash", "execute", "completed", &text(&lines.join("\n"))),
            "* bash: x\n  … 3 lines above\n  line 4\n  line 5\n  line 6\n  line 7\n  line 8\n  line 9\n",
        ),
        ("a read", call("read", "read", "completed", &text("content")), "* read: x\n"),
        (
            "a failed read",
            call("read", "read", "failed", &text("not found")),
            "* read: x (failed)\n  not found\n",
        ),
    ] {
        assert_eq!(opened(true).takes(&message), want, "{name}");
    }
    let mut narrow = opened(true);
    narrow.resized(14);
    let got = narrow.takes(&call("bash", "execute", "failed", &text("no")));
    assert_eq!(got, "* bash: x (fa\n  iled)\n  no\n", "no line looks like another one");
    let changed = |paths: &[&str], by: Value| {
        let changes: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
        durable(5, None, json!({"type": "files.changed", "changes": changes, "by": by}))
    };
    let by_call = || json!({"type": "call", "itemId": "c"});
    let mut view = opened(true);
    let begun =
        json!({"toolName": "edit", "title": "edit: x", "kind": "edit", "status": "running"});
    let begun = json!({"type": "item.started", "item": item("toolCall", "c", begun)});
    view.takes(&durable(3, None, begun));
    let of_call = changed(&["/w/src/a.rs", "/w/b"], by_call());
    assert_eq!(view.takes(&of_call), "", "shown with the call");
    let got = view.takes(&call("edit", "edit", "completed", &edited));
    assert!(got.ends_with("  +b\n  changed b\n"), "{got}");
    assert_eq!(view.takes(&changed(&["/w/late"], by_call())), "* changed late\n");
    let of_others = changed(&["/w/c", "/x/d"], json!({"type": "other"}));
    assert_eq!(view.takes(&of_others), "* changed c, /x/d\n");
}

#[test]
fn the_state_line_follows_the_session() {
    let mut view = opened(true);
    assert_eq!(view.state_line(), "a/b · ask");
    view.takes(&started());
    assert_eq!(view.state_line(), "working · a/b · ask");
    let more =
        json!({"toolName": "bash", "title": "bash: make", "kind": "execute", "status": "running"});
    view.takes(&durable(
        3,
        None,
        json!({"type": "item.started", "item": item("toolCall", "c", more)}),
    ));
    assert_eq!(view.state_line(), "running bash: make · a/b · ask");
    view.takes(&approval("r1"));
    assert_eq!(view.state_line(), "waiting for y/n · a/b · ask");
    view.types("y");
    view.takes(&durable(4, Some("me"), accepted("u")));
    view.takes(&durable(
        5,
        None,
        json!({"type": "config.changed", "model": "c/d", "permissionMode": "full", "mode": "plan"}),
    ));
    assert_eq!(view.state_line(), "running bash: make · c/d · full · plan · 1 queued");
    assert_eq!(view.takes(&completed()), "1.5 s, $0.02000\n\n");
    assert_eq!(view.state_line(), "c/d · full · plan · $0.02000 · 1 queued");
}

#[test]
fn missed_events_are_read_before_later_ones() {
    let mut view = opened(true);
    let missed = json!({"method": "session/eventsMissed", "params": {"sessionId": SESSION, "lastSentSeq": 1, "headSeq": 3}});
    assert_eq!(
        view.takes(&missed),
        "→ \"session/events\" {\"sessionId\":\"s\",\"after\":1,\"limit\":200}\n"
    );
    assert_eq!(view.takes(&notice("warning")), "", "it waits");
    let record = |seq: u64, text: &str| durable(seq, None, said("u", text))["params"].clone();
    let page =
        |events: Vec<Value>, more: bool| json!({"events": events, "lastSeq": 4, "more": more});
    let got = view.takes(&json!({"id": 6, "result": page(vec![record(2, "two")], true)}));
    assert!(got.starts_with("> two\n→ \"session/events\"") && got.contains("\"after\":2"), "{got}");
    let last = page(vec![record(3, "three"), record(4, "four")], false);
    assert_eq!(view.takes(&json!({"id": 7, "result": last})), "> three\n! by the way\n  do this\n");
}

#[test]
fn a_steer_that_comes_too_late_begins_a_turn() {
    let mut view = opened(true);
    view.takes(&started());
    assert!(view.types("be brief").starts_with("→ \"turn/steer\""));
    let data = json!({"code": "noActiveTurn"});
    let late =
        json!({"id": 6, "error": {"code": -32041, "message": "no turn is running", "data": data}});
    assert!(view.takes(&late).starts_with("→ \"turn/start\""));
}

#[test]
fn the_end_of_the_input_and_ctrl_c_leave_when_they_should() {
    assert_eq!(shown(opened(true).ended()), "left with 0\n");
    let mut idle = opened(true);
    assert_eq!(shown(idle.interrupted()), "! press Ctrl-C again, or Ctrl-D, to leave\n");
    assert_eq!(shown(idle.interrupted()), "left with 0\n");
    let mut idle = opened(true);
    idle.interrupted();
    idle.types("/stop");
    assert_eq!(shown(idle.interrupted()), "! press Ctrl-C again, or Ctrl-D, to leave\n");
    let mut busy = opened(true);
    busy.takes(&started());
    assert!(shown(busy.interrupted()).starts_with("→ \"turn/interrupt\""));
    assert_eq!(shown(busy.interrupted()), "left with 0\n", "the second time");

    let mut program = opened(false);
    program.types("go");
    assert_eq!(shown(program.ended()), "", "its prompt has no response yet");
    assert_eq!(program.takes(&json!({"id": 3, "result": {}})), "");
    assert_eq!(program.takes(&completed()), "left with 0\n");

    let error =
        json!({"id": 1, "error": {"code": 1, "message": "no", "data": {"hint": "do that"}}});
    assert_eq!(begun(true).takes(&error), "! no\n  do that\nleft with 2\n");
}

#[test]
fn a_new_session_takes_the_place_of_the_old_one() {
    let mut view = opened(true);
    view.types("/new");
    let error = json!({"id": 6, "error": {"code": 1, "message": "no such directory"}});
    assert_eq!(view.takes(&error), "! no such directory\n", "the old one stays");
    view.types("/new");
    let opened = json!({
        "sessionId": "t", "seq": 1, "cwd": "/w", "model": "a/b", "permissionMode": "ask", "state": {"value": "idle"},
    });
    let got = view.takes(&json!({"id": 7, "result": opened}));
    assert!(
        got.starts_with("→ \"session/close\" {\"sessionId\":\"s\"}\nnew session\n/w · a/b"),
        "{got}"
    );
    assert!(view.types("go").contains("\"sessionId\":\"t\""));
}

#[test]
fn a_program_is_told_who_can_answer() {
    let mut program = opened(false);
    let asked = json!({"type": "approval.requested"});
    let mut asked = asked;
    asked.as_object_mut().unwrap().extend(approval("r")["params"].as_object().unwrap().clone());
    assert_eq!(
        program.takes(&durable(2, None, asked)),
        "! waiting for permission: bash: make; answer with `pintle attach s`\n"
    );
}
