//! A session's chat: engine messages become text, the user's input becomes requests. Pure.

mod events;
mod responses;

use super::commands::{self, Command, Hunks, Line, Verdict};
use super::hunks::Listed;
use super::look::{Ink, Look};
use super::reply::Reply;
use super::requests::{Requests, Typed};
use super::rules::Removable;
use super::status::Status;
use super::wire::{Pending, Wire};
use crate::cli::sessions::drawn;
use pintle_protocol::approval::{Approval, PermissionMode};
use pintle_protocol::capability::{ClientCapabilities, Supported};
use pintle_protocol::config::ConfigSetParams;
use pintle_protocol::content::Input;
use pintle_protocol::context::{ContextReadParams, SessionCompactParams};
use pintle_protocol::handshake::{InitializeParams, PeerInfo, ProtocolOffer};
use pintle_protocol::ids::{ItemId, JobId, SessionId};
use pintle_protocol::isolation::{IsolationApplyParams, IsolationRequest, OnConflict};
use pintle_protocol::methods::{
    ApprovalRequest, CancelRequest, ConfigList, ConfigSet, ContextRead, Initialize, IsolationApply,
    JobList, Notification, PermissionList, PermissionRemove, QuestionRequest, Request,
    ReviewDecide, ReviewList, SessionCompact, SessionCreate, SessionEvent, SessionEvents,
    SessionEventsMissed, SessionEventsMissedParams, ShellRun, ShellWrite, TurnInterrupt, TurnStart,
    TurnSteer,
};
use pintle_protocol::permission::{PermissionRemoveParams, PermissionRule};
use pintle_protocol::question::Question;
use pintle_protocol::review::{ReviewDecideParams, ReviewListParams};
use pintle_protocol::session::{
    SessionCreateParams, SessionEventsParams, SessionOpenParams, SessionParams,
};
use pintle_protocol::shell::{ShellRunParams, ShellWriteParams};
use pintle_protocol::turn::{TurnInterruptParams, TurnStartParams, TurnSteerParams, WhenBusy};
use pintle_protocol::{PROTOCOL_NAME, PROTOCOL_VERSION};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The number of events before now that are shown at first: a screen or two.
const TAIL: u64 = 60;

/// The number of missed events that are read at once.
const PAGE: u32 = 200;

/// The exit code if the session cannot be opened.
const REFUSED: u8 = 2;

/// A thing to do for the view.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Out {
    /// Print these lines unchanged.
    Print(String),
    /// Send this message to the engine.
    Send(Value),
    /// Give the typed text back to the user, to be corrected.
    GiveBack(String),
    /// Leave, with this exit code.
    Leave(u8),
}

/// The kind of reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A user, who answers approvals and questions, and reads Markdown laid out.
    User,
    /// A program, which writes prompts and reads plain text. Requests are left to other clients.
    Program,
}

/// The session to show.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Stored(Box<SessionOpenParams>),
    New(Box<SessionCreateParams>),
}

/// The turn's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    None,
    Running,
    /// This user has stopped it.
    Stopping,
}

/// The names that can be completed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Prompts and skills, with their descriptions.
    pub(super) prompts: Vec<(String, String)>,
    /// Models, as `provider/id`.
    pub(super) models: Vec<String>,
    pub(super) efforts: Vec<String>,
    /// The session's working directory.
    pub(super) cwd: String,
}

/// A message of the model that streams.
#[derive(Debug)]
struct Streamed {
    item: ItemId,
    /// The text so far.
    text: String,
    reply: Reply,
}

/// A session's view.
#[derive(Debug)]
pub(super) struct View {
    target: Target,
    /// The session; `None` until it is created or opened.
    session: Option<SessionId>,
    /// This client's id, by which events refer to it as their cause.
    client: String,
    reader: Reader,
    look: Look,
    known: Arc<Known>,
    /// The user's working directory: that of the session, unless it is isolated.
    project: String,
    wire: Wire,
    requests: Requests,
    status: Status,
    listed: Listed,
    removable: Removable,
    /// Lines that came before the session was open; none once it is.
    early: Option<Vec<String>>,
    turn: Turn,
    items: Items,
    /// Messages behind missed events that are being read.
    held: Option<Vec<Value>>,
    /// Progress towards leaving.
    leaving: Leaving,
}

/// The session's items, as far as they matter for the next ones.
#[derive(Debug, Default)]
struct Items {
    /// The model's unfinished messages.
    messages: BTreeSet<ItemId>,
    streamed: Option<Streamed>,
    /// A program's output has no line end yet.
    is_mid_line: bool,
    /// The clients that sent messages, by item.
    authors: HashMap<ItemId, String>,
    /// The calls that have begun and not ended, with the files that they have changed so far.
    calls: HashMap<ItemId, Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaving {
    No,
    /// Ctrl-C was pressed while nothing ran; the second time leaves.
    Warned,
    /// No more lines come: the client leaves once nothing runs.
    Ended,
}

impl View {
    /// Creates a session's view. Also returns the messages that begin the connection.
    pub(super) fn new(
        target: Target,
        client: String,
        reader: Reader,
        look: Look,
    ) -> (Self, Vec<Out>) {
        let mut view = Self {
            target,
            session: None,
            client,
            reader,
            look,
            known: Arc::default(),
            project: String::new(),
            wire: Wire::new(),
            requests: Requests::default(),
            status: Status::default(),
            listed: Listed::default(),
            removable: Removable::default(),
            early: Some(Vec::new()),
            turn: Turn::None,
            items: Items::default(),
            held: None,
            leaving: Leaving::No,
        };
        let answers = (reader == Reader::User).then(Supported::default);
        let params = InitializeParams {
            protocol: ProtocolOffer {
                name: PROTOCOL_NAME.to_owned(),
                versions: vec![PROTOCOL_VERSION.to_owned()],
            },
            client: PeerInfo {
                name: "pintle chat".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                id: Some(view.client.clone()),
            },
            capabilities: ClientCapabilities {
                approvals: answers,
                questions: answers,
                ..ClientCapabilities::default()
            },
        };
        let first = Out::Send(view.wire.request::<Initialize>(&params, Pending::Initialize));
        (view, vec![first])
    }

    /// Sets the terminal's width.
    pub(super) fn resized(&mut self, columns: usize) {
        self.look.columns = columns;
    }

    /// Returns the state line; empty before the session is open.
    pub(super) fn state_line(&self) -> String {
        self.status.line(self.requests.keys().as_deref(), self.look)
    }

    /// Returns the names that can be completed.
    pub(super) fn known(&self) -> &Arc<Known> {
        &self.known
    }

    /// Returns true while a turn runs.
    pub(super) fn is_busy(&self) -> bool {
        self.turn != Turn::None
    }

    /// Returns true if a typed line is an answer rather than a message.
    pub(super) fn is_asking(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Takes a message of the engine. `draft` is the number of the text that the user is typing, if any.
    pub(super) fn message(&mut self, message: &Value, draft: Option<u64>) -> Vec<Out> {
        let mut out = Vec::new();
        let is_event = message["method"] == SessionEvent::METHOD;
        if let Some(held) = self.held.as_mut().filter(|_| is_event) {
            held.push(message.clone());
            return out;
        }
        self.take(message, draft, &mut out);
        self.leave_if_done(&mut out);
        out
    }

    fn take(&mut self, message: &Value, draft: Option<u64>, out: &mut Vec<Out>) {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some(SessionEvent::METHOD) => self.event(params, out),
            Some(ApprovalRequest::METHOD) => {
                if let Some(approval) = parsed::<Approval>(params) {
                    self.requests.approval(id.clone(), approval);
                    self.show_request(1, draft, out);
                }
            }
            Some(QuestionRequest::METHOD) => {
                if let Some(question) = parsed::<Question>(params) {
                    self.requests.question(id.clone(), question);
                    self.show_request(1, draft, out);
                }
            }
            Some(CancelRequest::METHOD) => {
                let withdrawn = message.pointer("/params/id");
                let was_shown = withdrawn.and_then(|id| self.requests.withdraw(id));
                if was_shown == Some(true) {
                    // A turn that this user stops withdraws its requests.
                    if self.turn != Turn::Stopping {
                        self.print_line("! already answered elsewhere, or withdrawn", out);
                    }
                    self.show_request(self.requests.len(), draft, out);
                }
            }
            Some(SessionEventsMissed::METHOD) => {
                if let Some(missed) = parsed::<SessionEventsMissedParams>(params)
                    && self.session.as_ref() == Some(&missed.session_id)
                {
                    self.held = Some(Vec::new());
                    self.read_missed(missed.last_sent_seq, missed.head_seq, out);
                }
            }
            Some(_) => {}
            None => self.response(message, draft, out),
        }
    }

    /// Shows the first request if this many are open; otherwise the one before it is shown.
    fn show_request(&mut self, count: usize, draft: Option<u64>, out: &mut Vec<Out>) {
        if self.requests.len() == count
            && let Some(text) = self.requests.show(draft, self.look)
        {
            self.print(&text, out);
        }
    }

    fn read_missed(&mut self, after: u64, head: u64, out: &mut Vec<Out>) {
        let params = SessionEventsParams {
            session_id: self.session.clone(),
            after,
            before: None,
            limit: Some(PAGE),
        };
        self.send::<SessionEvents>(&params, Pending::Missed(head), out);
    }

    /// Takes a typed line, from the draft with this number. `files` are the images that it refers to by their paths.
    pub(super) fn typed(&mut self, line: &str, draft: Option<u64>, files: &[String]) -> Vec<Out> {
        let mut out = Vec::new();
        self.leaving = if self.leaving == Leaving::Ended { Leaving::Ended } else { Leaving::No };
        if let Some(early) = &mut self.early {
            early.push(line.to_owned());
            return out;
        }
        match self.reader {
            Reader::Program => self.prompt(line, &[], &mut out),
            Reader::User => self.user_typed(line, draft, files, &mut out),
        }
        out
    }

    fn user_typed(&mut self, line: &str, draft: Option<u64>, files: &[String], out: &mut Vec<Out>) {
        let is_command = line.trim_start().starts_with('/');
        if !self.requests.is_empty() && !is_command {
            match self.requests.typed(line, draft) {
                Typed::Answer { id, result } => {
                    out.push(Out::Send(json!({"jsonrpc": "2.0", "id": id, "result": result})));
                    self.show_request(self.requests.len(), None, out);
                    return;
                }
                Typed::Unclear(reason) => {
                    self.print_line(&format!("! {reason}"), out);
                    out.push(Out::GiveBack(line.to_owned()));
                    return;
                }
                Typed::Message => {
                    self.print_line("! sent as a message, since you began it before the request above; the request is still open", out);
                }
            }
        }
        let known = Arc::clone(&self.known);
        let is_prompt = |name: &str| known.prompts.iter().any(|(known, _)| known == name);
        match commands::parse(line, is_prompt) {
            Line::Empty => {}
            Line::Message(text) => self.prompt(text, files, out),
            Line::Shell(command) => {
                let params = ShellRunParams {
                    session_id: self.session.clone(),
                    command: command.to_owned(),
                    to_model: true,
                    key: None,
                };
                self.send::<ShellRun>(&params, Pending::Shell, out);
            }
            Line::Command(command) => self.command(command, files, out),
            Line::Invalid(reason) => {
                self.print_line(&format!("! {reason}"), out);
                out.push(Out::GiveBack(line.to_owned()));
            }
        }
    }

    fn command(&mut self, command: Command<'_>, files: &[String], out: &mut Vec<Out>) {
        let session_id = self.session.clone();
        match command {
            Command::Help => self.print(&commands::help(), out),
            Command::Setting { id, value: None } => {
                self.send::<ConfigList>(&SessionParams { session_id }, Pending::Shown(id), out);
            }
            Command::Setting { id, value: Some(value) } => {
                let mode = PermissionMode::named(value).filter(|_| id == "permissionMode");
                let value = match mode {
                    Some(mode) => mode.wire_name().to_owned(),
                    None => value.to_owned(),
                };
                let values = BTreeMap::from([(id.to_owned(), value)]);
                let params = ConfigSetParams { session_id, values };
                self.send::<ConfigSet>(&params, Pending::Changed(id), out);
            }
            Command::Queue(text) => self.start(blocks(text, files), out),
            Command::Stop if self.turn == Turn::None => {
                self.print_line("! no turn is running", out);
            }
            Command::Stop => self.stop(out),
            Command::Jobs => {
                self.send::<JobList>(&SessionParams { session_id }, Pending::Jobs, out);
            }
            Command::Type { job, text } => {
                let params = ShellWriteParams {
                    session_id,
                    job_id: JobId::new(job),
                    text,
                    wants_screen: true,
                };
                self.send::<ShellWrite>(&params, Pending::Type, out);
            }
            Command::Review => {
                let params =
                    ReviewListParams { session_id, path: None, turn_id: None, closed: false };
                self.send::<ReviewList>(&params, Pending::Review, out);
            }
            Command::Decide { verdict, hunks } => self.decide(verdict, &hunks, out),
            Command::Compact(instructions) => {
                let instructions = instructions.map(str::to_owned);
                let params = SessionCompactParams { session_id, instructions, key: None };
                self.send::<SessionCompact>(&params, Pending::Compact, out);
            }
            Command::Context => {
                let params = ContextReadParams { session_id, summary: true };
                self.send::<ContextRead>(&params, Pending::Context, out);
            }
            Command::Rules => {
                let params = SessionParams { session_id };
                self.send::<PermissionList>(&params, Pending::Rules, out);
            }
            Command::Forget(numbers) => self.forget(&numbers, out),
            Command::Apply => {
                let params = IsolationApplyParams { session_id, on_conflict: OnConflict::Mark };
                self.send::<IsolationApply>(&params, Pending::Apply, out);
            }
            Command::New(_) if self.turn != Turn::None => {
                self.print_line("! a turn is running; stop it with /stop, or run `pintle chat` in another terminal", out);
            }
            Command::New(kind) => {
                let cwd = Some(self.project.clone()).filter(|cwd| !cwd.is_empty());
                let isolation = kind.map(|kind| IsolationRequest { kind, uncommitted: false });
                let params =
                    SessionCreateParams { cwd, isolation, ..SessionCreateParams::default() };
                self.send::<SessionCreate>(&params, Pending::New, out);
            }
            Command::Quit => out.push(Out::Leave(0)),
        }
    }

    fn decide(&mut self, verdict: Verdict, hunks: &Hunks, out: &mut Vec<Out>) {
        match self.listed.decide(verdict, hunks) {
            Ok(actions) => {
                for action in actions {
                    let params = ReviewDecideParams { session_id: self.session.clone(), action };
                    self.send::<ReviewDecide>(&params, Pending::Decide, out);
                }
            }
            Err(reason) => self.print_line(&format!("! {reason}"), out),
        }
    }

    /// Removes rules that answers added.
    fn forget(&mut self, numbers: &[usize], out: &mut Vec<Out>) {
        match self.removable.numbered(numbers) {
            Ok(rules) => {
                for PermissionRule { text, rule_id, .. } in rules {
                    let (session_id, rule_id) = (self.session.clone(), rule_id.unwrap_or_default());
                    let params = PermissionRemoveParams { session_id, rule_id };
                    self.send::<PermissionRemove>(&params, Pending::Forget(text), out);
                }
            }
            Err(reason) => self.print_line(&format!("! {reason}"), out),
        }
    }

    /// No more lines come.
    pub(super) fn ended(&mut self) -> Vec<Out> {
        if self.reader == Reader::User {
            return vec![Out::Leave(0)];
        }
        self.leaving = Leaving::Ended;
        let mut out = Vec::new();
        self.leave_if_done(&mut out);
        out
    }

    /// Handles Ctrl-C: stops the turn. If none runs, or it is being stopped already, the second time leaves.
    pub(super) fn interrupted(&mut self) -> Vec<Out> {
        let mut out = Vec::new();
        match (self.turn, self.leaving, self.reader) {
            (Turn::Running, ..) => self.stop(&mut out),
            (Turn::None, Leaving::No, Reader::User) => {
                self.leaving = Leaving::Warned;
                self.print_line("! press Ctrl-C again, or Ctrl-D, to leave", &mut out);
            }
            (Turn::None | Turn::Stopping, ..) => out.push(Out::Leave(0)),
        }
        out
    }

    fn stop(&mut self, out: &mut Vec<Out>) {
        self.turn = Turn::Stopping;
        let session_id = self.session.clone();
        let params = TurnInterruptParams { session_id, ..TurnInterruptParams::default() };
        self.send::<TurnInterrupt>(&params, Pending::Interrupt, out);
    }

    fn send<R: Request>(&mut self, params: &R::Params, pending: Pending, out: &mut Vec<Out>) {
        out.push(Out::Send(self.wire.request::<R>(params, pending)));
    }

    fn prompt(&mut self, line: &str, files: &[String], out: &mut Vec<Out>) {
        if line.trim().is_empty() {
            return;
        }
        let input = blocks(line, files);
        if self.turn == Turn::None {
            self.start(input, out);
        } else {
            let session_id = self.session.clone();
            let params =
                TurnSteerParams { session_id, input: input.clone(), ..TurnSteerParams::default() };
            self.send::<TurnSteer>(&params, Pending::Steer(input), out);
        }
    }

    fn start(&mut self, input: Vec<Input>, out: &mut Vec<Out>) {
        // Two lines that come at once are two prompts.
        let params = TurnStartParams {
            session_id: self.session.clone(),
            input,
            when_busy: WhenBusy::Queue,
            ..TurnStartParams::default()
        };
        self.send::<TurnStart>(&params, Pending::Start, out);
    }

    /// Prints separate lines.
    fn print_line(&mut self, text: &str, out: &mut Vec<Out>) {
        self.end_line(out);
        let ink = if text.starts_with("! ") { Ink::Attention } else { Ink::Plain };
        let text = match self.reader {
            Reader::User => self.look.paint(ink, text),
            Reader::Program => text.to_owned(),
        };
        self.print(&format!("{text}\n"), out);
    }

    /// Ends the current line of a message in progress; the rest continues below.
    fn end_line(&mut self, out: &mut Vec<Out>) {
        if self.items.is_mid_line {
            self.print("\n", out);
        }
    }

    /// Prints text; for a user, it has been made visible and coloured.
    fn print(&mut self, text: &str, out: &mut Vec<Out>) {
        if text.is_empty() {
            return;
        }
        self.items.is_mid_line = !text.ends_with('\n');
        let text = match self.reader {
            Reader::User => text.to_owned(),
            Reader::Program => drawn(text).into_owned(),
        };
        match out.last_mut() {
            Some(Out::Print(before)) => before.push_str(&text),
            _ => out.push(Out::Print(text)),
        }
    }

    fn leave_if_done(&mut self, out: &mut Vec<Out>) {
        let is_idle = self.early.is_none() && self.turn == Turn::None && self.wire.is_idle();
        if self.leaving == Leaving::Ended && is_idle {
            out.push(Out::Leave(0));
        }
    }
}

fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

/// Returns a message's blocks.
fn blocks(text: &str, files: &[String]) -> Vec<Input> {
    let files = files.iter().map(|path| Input::File { path: path.clone(), range: None });
    std::iter::once(Input::text(text)).chain(files).collect()
}

#[cfg(test)]
mod tests;
