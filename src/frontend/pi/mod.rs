//! Pi's RPC: commands as JSON lines in, answers and events as JSON lines out, one session at a time.
//!
//! One task serves a client. Commands are taken in their order; those that take long (`abort`, `compact`, `bash`) are answered when they
//! are done, and others meanwhile. An answer goes out before the events that its command causes, except where Pi tells them first.
//! Invariant: a message that was accepted is not lost. At the end of input what runs goes on to its end.
//! Source: Pi 0.73.1 and 1.5.2 as they behave, and their documents, of 2026-11.

mod driver;
mod handlers;
mod history;
mod line;
mod message;
mod mirror;
mod models;
mod printing;
mod questions;
mod queue;
mod reply;
mod sessions;
mod settings;
mod shell;
mod translator;
mod variables;

pub use line::QueueMode;
pub use models::{at_level, meant};
pub use sessions::Start;

use super::connection::{Ended, Events, FEED_CAPACITY, Inputs, serve as serve_connection};
use crate::agent::{Adopt, EngineHandle, Error, Feed, Subscriber, SubscriberId};
use crate::transport::Link;
use driver::{Driver, Parts};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The capacity of the channel of new sub-agents. They are known before any of their events is handed on.
const SUBAGENTS: usize = 256;

/// Which Pi the client was written for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// 0.87 and later: updates tell what is new.
    #[default]
    Current,
    /// 0.73 and before: updates repeat the message.
    Legacy,
}

/// The options of a connection.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The working directory.
    pub cwd: PathBuf,
    /// Which Pi.
    pub dialect: Dialect,
    /// The session to begin with.
    pub start: Start,
    /// Where session files are; none writes none.
    pub session_dir: Option<PathBuf>,
    /// The title of new sessions.
    pub name: Option<String>,
    /// The model, as `provider/id` or `provider/id:effort`; `None` as the settings or the session say.
    pub model: Option<String>,
    /// Instructions for new sessions.
    pub system_prompt: Option<String>,
    /// Patterns of the models that `cycle_model` goes through.
    pub models: Vec<String>,
    /// The number of steers that are read at once.
    pub steering: QueueMode,
    /// The number of follow-ups that are read at once.
    pub follow_up: QueueMode,
    /// A provider that fails is not asked again.
    pub no_retry: bool,
    /// Cancel it to interrupt what runs and end in order.
    pub stop: CancellationToken,
}

/// Serves one client to its end, then closes the engine's sessions in order.
///
/// # Errors
/// The session to begin with could not be made or opened.
pub async fn serve(link: Link, engine: EngineHandle, options: Options) -> Result<Ended, Error> {
    let Link { incoming, outgoing, hangup } = link;
    let (feed_tx, feed) = mpsc::channel::<Feed>(FEED_CAPACITY);
    let (subagents_tx, subagents) = mpsc::channel(SUBAGENTS);
    let subscriber = Subscriber {
        id: SubscriberId(0),
        feed: feed_tx,
        can_approve: true,
        can_answer: true,
        extensions: Arc::default(),
        adopt: Some(Adopt::new(move |subagent| {
            // With no room its questions stay without an answer, which is a no.
            let _ = subagents_tx.try_send(subagent);
        })),
    };
    let stop = options.stop.clone();
    let parts = Parts { engine: engine.clone(), options, outgoing, subagents };
    let mut driver = match Driver::new(parts, subscriber).await {
        Ok(driver) => driver,
        Err(error) => {
            engine.shutdown().await;
            return Err(error);
        }
    };
    let events = Events::complete(feed, engine.clone());
    let inputs = Inputs { incoming, events, hangup, stop };
    Ok(serve_connection(&mut driver, inputs, &engine).await)
}
