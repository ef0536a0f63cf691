//! `pintle run`: one task without a client. It never asks and never waits for a person.
//!
//! Stdout carries only the result; progress is reported on stderr. In the format `events`, the lines are the records of the journal and of
//! the wire.

mod watch;

use super::connection::{Events, FEED_CAPACITY};
use crate::agent::{
    CreateSession, EngineHandle, Error, ErrorKind, Feed, OpenConfig, Record, SessionHandle,
    Subscriber, SubscriberId, SubscriptionCommand, Terms, TurnCommand, Wanted,
};
use crate::text::visible::visible;
use crate::transport::Outgoing;
use pintle_protocol::content::Input;
use pintle_protocol::event::TurnLimits;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{QueuePolicy, WhenBusy};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::{PROTOCOL_VERSION, schema};
use serde_json::json;
use std::path::PathBuf;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use watch::{Outcome, Watch};

/// The task was completed.
pub const DONE: u8 = 0;
/// The agent failed or gave up.
pub const FAILED: u8 = 1;
/// The settings or the usage were wrong.
pub const USAGE: u8 = 2;
/// The provider, its key or the network failed.
pub const PROVIDER: u8 = 3;
/// A needed permission was denied.
pub const DENIED: u8 = 4;
/// A signal ended the run; the program knows which.
pub const STOPPED: u8 = 255;
/// The reader of the output is gone: 128 and the number of SIGPIPE.
pub const HUNG_UP: u8 = 141;

/// The output on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The model's last message.
    Text,
    /// The result as one JSON object.
    Json,
    /// A header line, every event as a line, the result as the last line.
    Events,
}

/// One task.
#[derive(Debug)]
pub struct Options {
    /// The working directory.
    pub cwd: PathBuf,
    /// The task.
    pub prompt: String,
    /// The output.
    pub format: Format,
    /// Its limits.
    pub limits: TurnLimits,
    /// The mode of the session; `None` leaves it unchanged.
    pub mode: Option<WorkMode>,
    /// Absolute paths of directories that belong to the work beside the working directory.
    pub additional: Vec<PathBuf>,
    /// The stored session to continue; `None` creates one.
    pub session: Option<String>,
    /// Stdout is a terminal, which would obey control sequences in the answer: they are drawn as signs. Elsewhere its bytes stay.
    pub is_terminal: bool,
    /// Print nothing on stderr.
    pub is_quiet: bool,
    /// Cancelled by a signal.
    pub stop: CancellationToken,
    /// Cancelled when the reader of stdout is gone.
    pub hangup: CancellationToken,
}

/// Runs one task, prints its result, and returns the exit code.
pub async fn run(out: Outgoing, engine: EngineHandle, options: Options) -> u8 {
    let mut watch = Watch::new();
    if let Err(error) = attempt(&out, &engine, &options, &mut watch).await {
        watch.refused(error);
    }
    engine.shutdown().await;
    let outcome = &mut watch.outcome;
    if options.hangup.is_cancelled() {
        return HUNG_UP;
    }
    if options.stop.is_cancelled() {
        outcome.status = "interrupted";
        outcome.exit_code = STOPPED;
    }
    finish(&out, &options, outcome).await;
    tokio::select! {
        () = out.flushed() => {}
        () = options.hangup.cancelled() => return HUNG_UP,
    }
    outcome.exit_code
}

async fn attempt(
    out: &Outgoing,
    engine: &EngineHandle,
    options: &Options,
    watch: &mut Watch,
) -> Result<(), Error> {
    let additional = Some(options.additional.as_slice().into());
    let config = OpenConfig { mode: options.mode, additional, ..OpenConfig::default() };
    let session = if let Some(id) = &options.session {
        engine.open(SessionId::new(id.as_str()), config).await?
    } else {
        let cwd = options.cwd.to_string_lossy().into_owned();
        engine.create(CreateSession { cwd, config, ..CreateSession::default() }).await?
    };
    watch.outcome.session_id = Some(session.id.clone());
    if options.format == Format::Events {
        let header = json!({
            "type": "header",
            "protocol": PROTOCOL_VERSION,
            "schemaHash": schema::schema_hash(),
            "engine": { "name": "pintle", "version": env!("CARGO_PKG_VERSION") },
            "sessionId": session.id,
            "cwd": options.cwd,
        });
        print(out, header.to_string()).await;
    }
    let mut events = Events::complete(subscribe(&session, watch).await?, engine.clone());
    let input = vec![Input::text(options.prompt.clone())];
    let started = session
        .ask(|reply| TurnCommand::Start {
            input,
            when_busy: WhenBusy::Reject,
            terms: Terms { limits: Some(options.limits), ..Terms::default() },
            reply,
        })
        .await?;
    watch.outcome.turn_id = Some(started.turn_id);

    let mut is_stopping = false;
    let mut idle = std::pin::pin!(session.ask(|reply| TurnCommand::WhenIdle { reply }));
    while !watch.is_over {
        tokio::select! {
            biased;
            has_events = events.wait() => {
                if !has_events {
                    return Err(Error::new(ErrorKind::Internal, "the session ended unexpectedly"));
                }
                show_all(out, options, watch, events.take()).await;
            }
            ended = &mut idle => {
                ended?;
                show_all(out, options, watch, events.rest().await).await;
                if watch.is_over {
                    return Ok(());
                }
                return Err(Error::new(ErrorKind::Internal, "the end of the turn could not be written to the journal")
                    .hint("free disk space or check the data folder's permissions; earlier work is kept"));
            }
            () = stopped(options), if !is_stopping => {
                is_stopping = true;
                let queue = QueuePolicy::Return;
                session.ask(|reply| TurnCommand::Interrupt { expected: None, queue, reply }).await?;
            }
        }
    }
    // The session may still be titled. That is shown as well, and its failure changes nothing.
    loop {
        tokio::select! {
            biased;
            has_events = events.wait() => {
                if !has_events {
                    return Ok(());
                }
                show_all(out, options, watch, events.take()).await;
            }
            _ = &mut idle => {
                show_all(out, options, watch, events.rest().await).await;
                return Ok(());
            }
            () = stopped(options), if !is_stopping => return Ok(()),
        }
    }
}

async fn stopped(options: &Options) {
    tokio::select! {
        () = options.stop.cancelled() => {}
        () = options.hangup.cancelled() => {}
    }
}

async fn subscribe(
    session: &SessionHandle,
    watch: &mut Watch,
) -> Result<mpsc::Receiver<Feed>, Error> {
    let (tx, feed) = mpsc::channel(FEED_CAPACITY);
    let subscriber = Subscriber {
        id: SubscriberId(0),
        feed: tx,
        filter: Wanted::default(),
        can_approve: false,
        can_answer: false,
        extensions: std::sync::Arc::default(),
        adopt: None,
    };
    let snapshot = session
        .ask(|reply| SubscriptionCommand::Subscribe { subscriber, from_seq: None, reply })
        .await?;
    watch.last_seq = snapshot.seq;
    Ok(feed)
}

async fn show_all(out: &Outgoing, options: &Options, watch: &mut Watch, events: Vec<Feed>) {
    for feed in events {
        match feed {
            Feed::Durable(record) => show(out, options, watch, &record).await,
            Feed::Transient(_)
            | Feed::Held(..)
            | Feed::Question(_)
            | Feed::Call(_)
            | Feed::CallWithdrawn(_)
            | Feed::Lagged { .. } => {}
        }
    }
}

async fn show(out: &Outgoing, options: &Options, watch: &mut Watch, record: &Record) {
    let Record { value: record, json, .. } = record;
    let is_main = watch.outcome.session_id.as_ref() == Some(&record.session_id);
    if is_main {
        if record.seq <= watch.last_seq {
            return;
        }
        watch.last_seq = record.seq;
    }
    if options.format == Format::Events {
        print(out, json.to_string()).await;
    }
    let line =
        if is_main { watch.take(&record.event) } else { watch.take_from_subagent(&record.event) };
    if let Some(line) = line.filter(|_| !options.is_quiet) {
        report(&line);
    }
}

async fn finish(out: &Outgoing, options: &Options, outcome: &Outcome) {
    match options.format {
        Format::Text => {
            if !outcome.text.is_empty() {
                let text = outcome.text.as_str();
                let text = if options.is_terminal { visible(text) } else { text.into() };
                print(out, text.into_owned()).await;
            }
            if let Some(error) = &outcome.error {
                report(&format!("pintle: {}", error.message));
                if let Some(hint) = &error.hint {
                    report(&format!("  {hint}"));
                }
            }
            for denial in &outcome.denials {
                report(&format!("pintle: denied: {} ({})", denial.title, denial.hint));
            }
        }
        Format::Json | Format::Events => {
            print(out, serde_json::to_string(outcome).unwrap_or_default()).await;
        }
    }
}

/// Prints a line. A slow reader delays this task, not the engine.
async fn print(out: &Outgoing, line: String) {
    if let Some(room) = out.room_for(line.len()).await {
        out.send(room, line.into_bytes());
    }
}

/// Prints a line on stderr, with control characters, which could control the terminal, drawn as signs.
fn report(line: &str) {
    use std::io::Write;
    let line = visible(line);
    // A missing reader of stderr does not end the run.
    let _ = writeln!(std::io::stderr(), "{line}");
}
