//! A session in a terminal, line by line: engine messages become text, the user's input becomes requests. Pure.

use crate::cli::sessions::{drawn, lines, one_line};
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    AnyRecord, DeltaField, Event, EventRecord, ItemDelta, StateValue, TransientEvent,
};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::methods::{
    ApprovalRequest, CancelRequest, Initialize, Notification, QuestionRequest, Request,
    SessionEvent, SessionOpen, TurnInterrupt, TurnStart, TurnSteer,
};
use pintle_protocol::question::{Question, QuestionAnswer};
use pintle_protocol::session::SessionResult;
use pintle_protocol::{PROTOCOL_NAME, PROTOCOL_VERSION};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The number of events before now that are shown at first: a screen or two.
const TAIL: u64 = 60;

/// The exit code if the session cannot be opened.
const REFUSED: u8 = 2;

/// A thing to do for the view.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Out {
    /// Print this text unchanged.
    Print(String),
    /// Send this message to the engine.
    Send(Value),
    /// Leave, with this exit code.
    Leave(u8),
}

/// A request of the engine that waits for this person.
#[derive(Debug)]
struct OpenRequest {
    /// The request id.
    id: Value,
    question: RequestKind,
}

#[derive(Debug)]
enum RequestKind {
    Permission(Box<Approval>),
    Question(Box<Question>),
}

/// A request of this client without a response.
#[derive(Debug)]
enum Pending {
    Initialize,
    Open,
    /// A steering message with this text. If no turn runs any more, it begins one.
    Steer(String),
    Start,
    Interrupt,
}

/// The turn's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    None,
    Running,
    /// This person has stopped it.
    Stopping,
}

/// A session's view.
#[derive(Debug)]
pub(super) struct View {
    session: SessionId,
    /// This client's id, by which events name it as their cause.
    client: String,
    /// True if a user types and answers. Otherwise a program writes prompts, and permission requests are left to other clients.
    is_person: bool,
    asked: Vec<OpenRequest>,
    pending: HashMap<u64, Pending>,
    next_id: u64,
    /// Lines that came before the session was open; none once it is.
    early: Option<Vec<String>>,
    turn: Turn,
    /// No more lines come: the client leaves once nothing runs.
    is_ending: bool,
    /// The items that are messages of the model and have not ended.
    messages: Vec<ItemId>,
    /// The message whose text is being printed, with the part printed so far.
    printed: Option<(ItemId, String)>,
    /// The last line that was printed has no end yet.
    is_mid_line: bool,
    /// The clients that sent messages, by item.
    authors: HashMap<ItemId, String>,
    out: Vec<Out>,
}

impl View {
    /// Creates a session's view. Also returns the messages that open the session.
    pub(super) fn new(session: SessionId, client: String, is_person: bool) -> (Self, Vec<Out>) {
        let mut view = Self {
            session,
            client,
            is_person,
            asked: Vec::new(),
            pending: HashMap::new(),
            next_id: 1,
            early: Some(Vec::new()),
            turn: Turn::None,
            is_ending: false,
            messages: Vec::new(),
            printed: None,
            is_mid_line: false,
            authors: HashMap::new(),
            out: Vec::new(),
        };
        let capabilities =
            if is_person { json!({"approvals": {}, "questions": {}}) } else { json!({}) };
        let params = json!({
            "protocol": {"name": PROTOCOL_NAME, "versions": [PROTOCOL_VERSION]},
            "client": {"name": "pintle attach", "version": env!("CARGO_PKG_VERSION"), "id": view.client},
            "capabilities": capabilities,
        });
        view.request::<Initialize>(&params, Pending::Initialize);
        let out = std::mem::take(&mut view.out);
        (view, out)
    }

    /// Takes a message of the engine.
    pub(super) fn message(&mut self, message: &Value) -> Vec<Out> {
        let (id, method) = (&message["id"], message["method"].as_str());
        match method {
            Some(SessionEvent::METHOD) => self.event(&message["params"]),
            Some(ApprovalRequest::METHOD) => {
                if let Ok(approval) = serde_json::from_value::<Approval>(message["params"].clone())
                {
                    self.say(&permission(&approval));
                    let question = RequestKind::Permission(Box::new(approval));
                    self.asked.push(OpenRequest { id: id.clone(), question });
                }
            }
            Some(QuestionRequest::METHOD) => {
                if let Ok(asked) = serde_json::from_value::<Question>(message["params"].clone()) {
                    self.say(&question(&asked));
                    let question = RequestKind::Question(Box::new(asked));
                    self.asked.push(OpenRequest { id: id.clone(), question });
                }
            }
            Some(CancelRequest::METHOD) => {
                let before = self.asked.len();
                let withdrawn = message.pointer("/params/id");
                self.asked.retain(|asked| Some(&asked.id) != withdrawn);
                if self.asked.len() < before {
                    self.say("! already answered elsewhere, or withdrawn");
                }
            }
            Some(_) => {}
            None => self.response(message),
        }
        self.leave_if_done();
        std::mem::take(&mut self.out)
    }

    /// Takes a line that was typed.
    pub(super) fn typed(&mut self, line: &str) -> Vec<Out> {
        if let Some(early) = &mut self.early {
            early.push(line.to_owned());
        } else if self.asked.is_empty() {
            self.prompt(line);
        } else {
            self.answer(line);
        }
        std::mem::take(&mut self.out)
    }

    /// No more lines come.
    pub(super) fn ended(&mut self) -> Vec<Out> {
        if self.is_person {
            return vec![Out::Leave(0)];
        }
        self.is_ending = true;
        self.leave_if_done();
        std::mem::take(&mut self.out)
    }

    /// Handles Ctrl-C: stops the turn; leaves if none runs, or at the second time.
    pub(super) fn interrupted(&mut self) -> Vec<Out> {
        if self.turn != Turn::Running {
            return vec![Out::Leave(0)];
        }
        self.turn = Turn::Stopping;
        let params = json!({"sessionId": self.session});
        self.request::<TurnInterrupt>(&params, Pending::Interrupt);
        std::mem::take(&mut self.out)
    }

    fn request<R: Request>(&mut self, params: &Value, pending: Pending) {
        let id = self.next_id;
        self.next_id += 1;
        self.pending.insert(id, pending);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": R::METHOD, "params": params});
        self.out.push(Out::Send(request));
    }

    fn response(&mut self, message: &Value) {
        let pending = message["id"].as_u64().and_then(|id| self.pending.remove(&id));
        let Some(pending) = pending else { return };
        let error = &message["error"];
        if error.is_object() {
            if let (Pending::Steer(words), Some("noActiveTurn")) =
                (&pending, error.pointer("/data/code").and_then(Value::as_str))
            {
                self.start(words);
                return;
            }
            let what =
                one_line(error["message"].as_str().unwrap_or("the engine rejected the request"));
            let hint = error.pointer("/data/hint").and_then(Value::as_str);
            let hint = hint.map_or_else(String::new, |hint| format!("\n  {}", one_line(hint)));
            self.say(&format!("! {what}{hint}"));
            if matches!(pending, Pending::Initialize | Pending::Open) {
                self.out.push(Out::Leave(REFUSED));
            }
            return;
        }
        let result = &message["result"];
        match pending {
            Pending::Initialize => {
                let tail = if self.is_person { TAIL } else { 0 };
                let params = json!({"sessionId": self.session, "tail": tail});
                self.request::<SessionOpen>(&params, Pending::Open);
            }
            Pending::Open => {
                if let Ok(opened) = serde_json::from_value::<SessionResult>(result.clone()) {
                    self.opened(&opened);
                }
            }
            // Its events follow.
            Pending::Start => self.turn_is(StateValue::Running),
            Pending::Steer(_) | Pending::Interrupt => {}
        }
    }

    fn opened(&mut self, opened: &SessionResult) {
        self.turn_is(opened.state.value);
        if self.is_person {
            let title = opened.title.as_deref().map_or_else(|| "(no title)".to_owned(), one_line);
            let SessionResult { cwd, model, permission_mode, .. } = opened;
            self.say(&format!(
                "{title}\n{} · {model} · {}\nEach line is a message for the agent. Ctrl-C stops its turn, Ctrl-D leaves it running.",
                one_line(cwd),
                permission_mode.name()
            ));
        }
        for line in self.early.take().unwrap_or_default() {
            self.prompt(&line);
        }
    }

    fn prompt(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if self.turn == Turn::None {
            self.start(line);
        } else {
            let params = json!({"sessionId": self.session, "input": [Input::text(line)]});
            self.request::<TurnSteer>(&params, Pending::Steer(line.to_owned()));
        }
    }

    fn start(&mut self, words: &str) {
        // Two lines that come at once are two prompts.
        let input = [Input::text(words)];
        let params = json!({"sessionId": self.session, "input": input, "whenBusy": "queue"});
        self.request::<TurnStart>(&params, Pending::Start);
    }

    /// Answers the oldest request that waits.
    fn answer(&mut self, line: &str) {
        let Some(asked) = self.asked.first() else { return };
        let chosen = |count: usize| -> Option<Vec<usize>> {
            let numbers = line.split(',').map(|number| number.trim().parse::<usize>());
            let numbers: Vec<usize> = numbers.collect::<Result<_, _>>().ok()?;
            numbers.iter().all(|number| (1..=count).contains(number)).then_some(numbers)
        };
        let answer = match &asked.question {
            RequestKind::Permission(approval) => {
                let option = match chosen(approval.options.len()).as_deref() {
                    Some(&[number]) => approval.options.get(number - 1),
                    Some(_) | None => None,
                };
                let Some(option) = option else {
                    let count = approval.options.len();
                    self.say(&format!("! enter a number from 1 to {count}"));
                    return;
                };
                let option_id = Some(option.option_id.clone());
                json!(ApprovalAnswer { option_id, ..ApprovalAnswer::default() })
            }
            RequestKind::Question(question) => match chosen(question.options.len()) {
                Some(numbers) => {
                    let options = numbers.iter().filter_map(|n| question.options.get(n - 1));
                    let option_ids = options.map(|option| option.option_id.clone()).collect();
                    json!(QuestionAnswer { option_ids, ..QuestionAnswer::default() })
                }
                None if line.trim().is_empty() => {
                    self.say("! enter text or an option number");
                    return;
                }
                None => {
                    let text = Some(line.to_owned());
                    json!(QuestionAnswer { text, ..QuestionAnswer::default() })
                }
            },
        };
        let id = self.asked.remove(0).id;
        self.out.push(Out::Send(json!({"jsonrpc": "2.0", "id": id, "result": answer})));
    }

    fn event(&mut self, params: &Value) {
        if params["sessionId"] != json!(self.session) {
            return; // a sub-agent's
        }
        match serde_json::from_value::<AnyRecord>(params.clone()) {
            Ok(AnyRecord::Durable(record)) => self.durable(&record),
            Ok(AnyRecord::Transient(record)) => match record.event {
                TransientEvent::ItemDelta(delta) => self.delta(&delta),
                TransientEvent::Notice(notice) => {
                    self.say(&format!("! {}", one_line(&notice.message)));
                }
                TransientEvent::State(state) => self.turn_is(state.value),
                TransientEvent::Context(_) | TransientEvent::StepUsage(_) => {}
            },
            // Of an engine that is newer.
            Err(_) => {}
        }
    }

    fn durable(&mut self, record: &EventRecord) {
        let EventRecord { cause, event, .. } = record;
        match event {
            Event::InputAccepted(input) => {
                if let Some(client) = cause.as_ref().and_then(|cause| cause.client_id.clone()) {
                    self.authors.insert(input.item_id.clone(), client);
                }
            }
            Event::TurnStarted { .. } => self.turn_is(StateValue::Running),
            Event::TurnCompleted(_) => self.turn_is(StateValue::Idle),
            Event::ItemStarted { item } if matches!(item.body, ItemBody::AgentMessage(_)) => {
                self.messages.push(item.id.clone());
            }
            Event::ItemCompleted { item } if self.is_printed(item) => return,
            _ => {}
        }
        let Some(text) = lines(record) else { return };
        let author = match event {
            Event::ItemCompleted { item } => self.authors.remove(&item.id),
            _ => None,
        };
        match author {
            // The user has just typed it.
            Some(client) if client == self.client && self.is_person => {}
            Some(client) if client != self.client => {
                self.say(&format!("[{}]\n{text}", one_line(&client)));
            }
            Some(_) | None => self.say(&text),
        }
    }

    fn turn_is(&mut self, state: StateValue) {
        self.turn = match (state, self.turn) {
            (StateValue::Idle, _) => Turn::None,
            (_, Turn::Stopping) => Turn::Stopping,
            (_, Turn::None | Turn::Running) => Turn::Running,
        };
    }

    /// Prints a streamed message's remaining text. Returns true if nothing remains to print.
    fn is_printed(&mut self, item: &Item) -> bool {
        let ItemBody::AgentMessage(body) = &item.body else { return false };
        self.messages.retain(|id| *id != item.id);
        let Some((_, printed)) = self.printed.take_if(|(id, _)| *id == item.id) else {
            return false;
        };
        let rest = body.text.strip_prefix(&printed);
        self.print(rest.unwrap_or_default().trim_end());
        self.end_line();
        rest.is_some()
    }

    fn delta(&mut self, delta: &ItemDelta) {
        if delta.field != DeltaField::Text || !self.messages.contains(&delta.item_id) {
            return;
        }
        if self.printed.as_ref().is_none_or(|(id, _)| *id != delta.item_id) {
            self.end_line();
            self.printed = Some((delta.item_id.clone(), String::new()));
        }
        let Some((_, printed)) = &mut self.printed else { return };
        // A piece with the number 0 is all of it so far.
        let fresh = if delta.n > 0 {
            delta.text.as_str()
        } else {
            delta.text.strip_prefix(printed.as_str()).unwrap_or_default()
        };
        printed.push_str(fresh);
        let fresh = fresh.to_owned();
        self.print(&fresh);
    }

    /// Prints separate lines.
    fn say(&mut self, text: &str) {
        self.end_line();
        self.print(&format!("{text}\n"));
    }

    /// Ends the current line of a message in progress; the rest continues below.
    fn end_line(&mut self) {
        if self.is_mid_line {
            self.print("\n");
        }
    }

    fn print(&mut self, text: &str) {
        self.is_mid_line = !text.ends_with('\n') && (self.is_mid_line || !text.is_empty());
        self.out.push(Out::Print(drawn(text).into_owned()));
    }

    fn leave_if_done(&mut self) {
        let is_idle = self.early.is_none() && self.turn == Turn::None && self.pending.is_empty();
        if self.is_ending && is_idle {
            self.out.push(Out::Leave(0));
        }
    }
}

/// Returns a permission request's text: its full content, and the options.
fn permission(approval: &Approval) -> String {
    let mut text = format!("? {}\n  {}", one_line(&approval.title), one_line(&approval.reason));
    for detail in &approval.details {
        let _ = write!(text, "\n  {}:", detail.kind.heading());
        for line in detail.text.lines() {
            let _ = write!(text, "\n  | {line}");
        }
    }
    for (at, option) in approval.options.iter().enumerate() {
        let _ = write!(text, "\n  {} {}", at + 1, one_line(&option.label));
        for rule in &option.rules {
            let _ = write!(text, "\n      {}", one_line(rule));
        }
    }
    text.push_str("\n  Enter a number.");
    text
}

/// Returns a question's text.
fn question(question: &Question) -> String {
    let mut text = format!("? {}", question.text.trim_end());
    for line in question.plan.iter().flat_map(|plan| plan.lines()) {
        let _ = write!(text, "\n  | {line}");
    }
    for (at, option) in question.options.iter().enumerate() {
        let _ = write!(text, "\n  {} {}", at + 1, one_line(&option.label));
    }
    text.push_str(match (question.options.is_empty(), question.multiple) {
        (true, _) => "\n  Enter text.",
        (false, false) => "\n  Enter a number or text.",
        (false, true) => "\n  Enter numbers (1,3) or text.",
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let event =
            json!({"type": "item.delta", "itemId": "m", "field": "text", "n": n, "text": text});
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
                Out::Leave(code) => {
                    let _ = writeln!(shown, "left with {code}");
                }
            }
        }
        shown
    }

    fn opened(is_person: bool) -> View {
        let (mut view, _) = View::new(SessionId::new(SESSION), "me".to_owned(), is_person);
        view.message(&json!({"id": 1, "result": {}}));
        let opened = json!({
            "sessionId": SESSION, "seq": 1, "cwd": "/w", "model": "a/b", "permissionMode": "ask", "state": {"value": "idle"},
        });
        let head = shown(view.message(&json!({"id": 2, "result": opened})));
        assert_eq!(head.contains("Ctrl-D"), is_person, "{head}");
        view
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
            durable(
                3,
                None,
                json!({"type": "item.completed", "item": item("agentMessage", "m", text)}),
            )
        };
        let notice = durable(
            4,
            None,
            json!({"type": "session.notice", "level": "info", "code": "x", "message": "by the way"}),
        );
        for (name, messages, want) in [
            ("whole", vec![begun.clone(), ended("one two")], "one two\n"),
            (
                "in pieces",
                vec![begun.clone(), delta(0, "one "), delta(1, "two"), ended("one two")],
                "one two\n",
            ),
            (
                "the last piece is missing",
                vec![begun.clone(), delta(0, "one "), ended("one two")],
                "one two\n",
            ),
            (
                "all of it again",
                vec![begun.clone(), delta(0, "one "), delta(0, "one two"), ended("one two")],
                "one two\n",
            ),
            (
                "with words between",
                vec![begun.clone(), delta(0, "one "), notice, delta(1, "two"), ended("one two")],
                "one \n! by the way\ntwo\n",
            ),
            (
                "a piece is missing",
                vec![begun.clone(), delta(0, "one"), delta(2, "three"), ended("one two three")],
                "onethree\none two three\n",
            ),
            ("it would move the cursor", vec![begun, ended("\u{1b}[2Jone")], "␛[2Jone\n"),
        ] {
            let mut view = opened(true);
            let got: String = messages.iter().map(|message| shown(view.message(message))).collect();
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn messages_name_the_client_that_sent_them_unless_a_person_typed_them_here() {
        for (is_person, client, want) in
            [(true, "me", ""), (false, "me", "> go\n"), (true, "nvim", "[nvim]\n> go\n")]
        {
            let mut view = opened(is_person);
            view.message(&durable(2, Some(client), accepted("u")));
            assert_eq!(shown(view.message(&durable(3, None, said("u", "go")))), want, "{client}");
        }
    }

    #[test]
    fn the_oldest_request_is_answered_and_only_with_what_it_offers() {
        let option = |id: &str, decision: &str| json!({"optionId": id, "label": id, "decision": decision, "scope": "once"});
        let approval = json!({"id": "r1", "method": "approval/request", "params": {
            "approvalId": "a", "sessionId": SESSION, "turnId": "t", "itemId": "i", "toolName": "bash", "kind": "execute",
            "title": "bash: make", "reason": "runs a command", "input": {}, "options": [option("allow", "allow"), option("deny", "deny")],
            "details": [{"kind": "command", "text": "make\nmake install"}],
        }});
        let question = json!({"id": "r2", "method": "question/request", "params": {
            "questionId": "q", "sessionId": SESSION, "turnId": "t", "itemId": "i", "kind": "choice", "text": "Which?", "multiple": true,
            "options": [{"optionId": "red", "label": "Red"}, {"optionId": "blue", "label": "Blue"}], "deadlineMs": 1,
        }});
        let mut view = opened(true);
        let got = shown(view.message(&approval));
        assert_eq!(
            got,
            "? bash: make\n  runs a command\n  Command:\n  | make\n  | make install\n  1 allow\n  2 deny\n  Enter a number.\n"
        );
        assert!(shown(view.message(&question)).contains("  2 Blue\n"));
        for (typed, want) in [
            ("", "! enter a number from 1 to 2\n"),
            ("0", "! enter a number from 1 to 2\n"),
            ("1,2", "! enter a number from 1 to 2\n"),
            ("yes", "! enter a number from 1 to 2\n"),
            ("2", "→ \"r1\" {\"optionId\":\"deny\"}\n"),
            (" ", "! enter text or an option number\n"),
            ("1, 2", "→ \"r2\" {\"optionIds\":[\"red\",\"blue\"]}\n"),
            (
                "go",
                "→ \"turn/start\" {\"sessionId\":\"s\",\"input\":[{\"type\":\"text\",\"text\":\"go\"}],\"whenBusy\":\"queue\"}\n",
            ),
        ] {
            assert_eq!(shown(view.typed(typed)), want, "{typed}");
        }
        // Another client answers.
        view.message(&question);
        let withdrawn = json!({"method": "$/cancelRequest", "params": {"id": "r2"}});
        assert_eq!(shown(view.message(&withdrawn)), "! already answered elsewhere, or withdrawn\n");
        assert!(shown(view.typed("1")).starts_with("→ \"turn/"), "nothing is asked any more");
    }

    #[test]
    fn a_steer_that_comes_too_late_begins_a_turn() {
        let mut view = opened(true);
        view.message(&durable(2, None, json!({"type": "turn.started", "model": "a/b"})));
        assert!(shown(view.typed("be brief")).starts_with("→ \"turn/steer\""));
        let data = json!({"code": "noActiveTurn"});
        let late = json!({"id": 3, "error": {"code": -32041, "message": "no turn is running", "data": data}});
        assert!(shown(view.message(&late)).starts_with("→ \"turn/start\""));
    }

    #[test]
    fn the_end_of_the_input_and_ctrl_c_leave_when_they_should() {
        let mut person = opened(true);
        assert_eq!(shown(person.ended()), "left with 0\n");
        let mut person = opened(true);
        assert_eq!(shown(person.interrupted()), "left with 0\n", "nothing runs");
        let mut person = opened(true);
        person.message(&durable(2, None, json!({"type": "turn.started", "model": "a/b"})));
        assert!(shown(person.interrupted()).starts_with("→ \"turn/interrupt\""));
        assert_eq!(shown(person.interrupted()), "left with 0\n", "the second time");

        let mut program = opened(false);
        program.typed("go");
        assert_eq!(shown(program.ended()), "", "its prompt has no response yet");
        assert_eq!(shown(program.message(&json!({"id": 3, "result": {}}))), "");
        let over = json!({"type": "turn.completed", "status": "completed", "stopReason": "endTurn", "steps": 1, "usage": {"inputTokens": 1, "outputTokens": 1}, "durationMs": 1});
        assert_eq!(shown(program.message(&durable(4, None, over))), "left with 0\n");

        let (mut refused, _) = View::new(SessionId::new(SESSION), "me".to_owned(), true);
        let error =
            json!({"id": 1, "error": {"code": 1, "message": "no", "data": {"hint": "do that"}}});
        assert_eq!(shown(refused.message(&error)), "! no\n  do that\nleft with 2\n");
    }
}
