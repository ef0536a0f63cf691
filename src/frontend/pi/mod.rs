//! Pi's RPC: commands as JSON lines in, responses and events as JSON lines out, one session at a time.
//!
//! One task serves a client. Commands are handled in order; long-running ones (`abort`, `compact`, `bash`) are answered when they complete,
//! and others meanwhile. A response precedes the events that its command causes, except where Pi sends those first. Invariant: an accepted
//! message is not lost. At the end of input, the running turn completes.
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
pub use models::{at_level, resolve};
pub use sessions::Start;

use crate::client::{Client, Scope};
use crate::connection::{Ended, Inputs, Outbox, serve as serve_connection};
use driver::Driver;
use pintle_agent::{EngineHandle, Error};
use pintle_base::transport::Transport;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// The version of Pi that the client was written for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Dialect {
    /// 0.87 and later: updates contain only the new part.
    #[default]
    Current,
    /// 0.73 and before: updates repeat the whole message.
    Legacy,
}

/// Connection options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The working directory.
    pub cwd: PathBuf,
    /// The client's settings.
    pub preferences: Preferences,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
    /// Which sessions the connection's end affects.
    pub scope: Scope,
}

/// A client's settings, which also reach a shared engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Preferences {
    /// The client's version of Pi.
    pub dialect: Dialect,
    /// The session to begin with.
    pub start: Start,
    /// The session file directory; `None` writes no files.
    pub session_dir: Option<PathBuf>,
    /// The title of new sessions.
    pub name: Option<String>,
    /// The model, as `provider/id` or `provider/id:effort`; `None` uses the settings or the session.
    pub model: Option<String>,
    /// Instructions for new sessions.
    pub system_prompt: Option<String>,
    /// Patterns of the models that `cycle_model` cycles through.
    pub models: Vec<String>,
    /// The number of steers that are read at once.
    pub steering: QueueMode,
    /// The number of follow-ups that are read at once.
    pub follow_up: QueueMode,
    /// Failed requests to the provider are not retried.
    pub no_retry: bool,
}

/// Serves one client of a shared engine. If its session cannot be created or opened, the error is sent on its connection.
pub async fn serve_or_say(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let (outgoing, hangup) = (transport.outgoing.clone(), transport.hangup.clone());
    match serve(transport, engine, options).await {
        Ok(ended) => ended,
        Err(error) => {
            let head = line::Head { id: None, command: Some("open".to_owned()) };
            let mut out = Outbox::new(outgoing);
            out.push_json(&head.failed(&driver::error_text(&error)));
            out.finish(&hangup, true).await;
            Ended::HungUp
        }
    }
}

/// Serves one client to its end, then closes the engine's sessions in order, or leaves the client's session to the others.
///
/// # Errors
/// Fails if the initial session could not be created or opened.
pub async fn serve(
    transport: Transport,
    engine: EngineHandle,
    options: Options,
) -> Result<Ended, Error> {
    let Transport { incoming, outgoing, hangup } = transport;
    let (stop, scope) = (options.stop.clone(), options.scope);
    let (client, events, subagents) = Client::new(engine.clone(), scope);
    let mut driver = match Driver::new(client, subagents, options, outgoing).await {
        Ok(driver) => driver,
        Err(error) => {
            if scope == Scope::Alone {
                engine.shutdown().await;
            }
            return Err(error);
        }
    };
    let inputs = Inputs { incoming, events, hangup, stop, scope };
    Ok(serve_connection(&mut driver, inputs, &engine).await)
}
