//! Shell commands that a user runs alongside the agent (`bash`): running and stopping them, and recording them in the history.

use super::line::{Bash, Head, fields};
use super::translator::USER_SHELL;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_agent::{
    EngineHandle, ExtraVariables, HistoryCommand, Note, NoteBody, SessionHandle, UserShellRun,
};
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_session::pi;
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Capacity of the output channel. Output that does not fit is not shown while the command runs; the result contains it.
const PIECES_CAPACITY: usize = 256;

/// The running commands.
#[derive(Debug)]
pub(super) struct Shells {
    /// Each completes with its response.
    running: FuturesUnordered<BoxFuture<'static, Value>>,
    stop: CancellationToken,
    pieces_tx: mpsc::Sender<Value>,
    pieces: mpsc::Receiver<Value>,
}

/// An event of a command.
#[derive(Debug)]
pub(super) enum ShellEvent {
    /// The command printed output; contains the event to send.
    Printed(Value),
    /// The command has ended; contains the response to send.
    Ended(Value),
}

impl Shells {
    pub(super) fn new() -> Self {
        let (pieces_tx, pieces) = mpsc::channel(PIECES_CAPACITY);
        let (running, stop) = (FuturesUnordered::new(), CancellationToken::new());
        Self { running, stop, pieces_tx, pieces }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Stops all running commands.
    pub(super) fn stop(&mut self) {
        std::mem::take(&mut self.stop).cancel();
    }

    /// Waits for the next event. Cancel-safe; never completes while nothing runs.
    pub(super) async fn next(&mut self) -> ShellEvent {
        tokio::select! {
            biased;
            Some(piece) = self.pieces.recv() => ShellEvent::Printed(piece),
            Some(ended) = self.running.next() => ShellEvent::Ended(ended),
        }
    }

    /// Runs a command; it is recorded in the session's history when it has ended.
    pub(super) fn run(
        &mut self,
        head: Head,
        bash: Bash,
        engine: EngineHandle,
        session: SessionHandle,
        (cwd, variables): (PathBuf, ExtraVariables),
    ) {
        let (stop, pieces) = (self.stop.clone(), self.pieces_tx.clone());
        let command_run = async move {
            let id = head.id.clone();
            let mut printed = move |piece: &str| {
                let kind = Some(json!("bash_execution_update"));
                let event = [("type", kind), ("id", id.clone()), ("delta", Some(json!(piece)))];
                // A slow client sees less of the output.
                let _ = pieces.try_send(fields(event));
            };
            let Bash { command, exclude_from_context } = bash;
            let line = command.clone();
            let run =
                engine.run_user_shell(&session.id, &cwd, line, variables, &stop, &mut printed);
            let run = match run.await {
                Ok(run) => run,
                Err(error) => return head.failed(&error.message),
            };
            let result = result(&run);
            let now_ms = engine.now_ms();
            let note = history_note(&command, exclude_from_context, &result, now_ms);
            match session.ask(|reply| HistoryCommand::Note { note, reply }).await {
                Ok(()) => head.data(result),
                Err(error) => head.failed(&error.message),
            }
        };
        self.running.push(Box::pin(command_run));
    }
}

fn result(run: &UserShellRun) -> Value {
    let path = run.full_output_path.as_ref().map(|path| json!(path.to_string_lossy()));
    fields([
        ("output", Some(json!(run.output))),
        ("exitCode", run.exit_code.map(Value::from)),
        ("cancelled", Some(json!(run.is_cancelled))),
        ("truncated", Some(json!(run.is_cut))),
        ("fullOutputPath", path),
    ])
}

/// Returns the note for the history, with the message for Pi's file.
fn history_note(command: &str, is_excluded: bool, result: &Value, now_ms: u64) -> Note {
    let mut message =
        fields([("role", Some(json!("bashExecution"))), ("command", Some(json!(command)))]);
    if let (Value::Object(message), Value::Object(result)) = (&mut message, result) {
        message.extend(result.clone());
        if is_excluded {
            message.insert("excludeFromContext".to_owned(), json!(true));
        }
        message.insert("timestamp".to_owned(), json!(now_ms));
    }
    let visible = message.as_object().filter(|_| !is_excluded);
    let body = visible.map_or_else(
        || {
            NoteBody::Unread(Notice {
                level: NoticeLevel::Info,
                code: USER_SHELL.to_owned(),
                message: format!("the user ran `{command}`; the model does not see it"),
                hint: None,
            })
        },
        |message| NoteBody::Read(pi::bash(message)),
    );
    let line = json!({ "type": "message", "message": message });
    Note { body, private: pi::private(&line.to_string()) }
}
