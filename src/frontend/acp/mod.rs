//! The Agent Client Protocol, version 1: JSON-RPC 2.0, a message a line, driven over any [`Link`].
//!
//! A thin translator: it asks the agent what any frontend asks, and tells what it hears. One task owns the connection's state.
//! Invariants: what is asked begins in the order in which it came; answers that are ready go before events; everything of a turn
//! goes before the answer to its prompt, and nothing of it after.

mod answers;
mod asks;
mod begin;
mod calls;
mod driver;
mod files;
mod notices;
mod open;
mod replay;
mod requests;
mod said;
mod settings;
mod start;
mod story;
mod terminals;
mod told;
mod tool;
mod wire;

use super::connection::{Ended, Events, FEED_CAPACITY, Inputs, serve as serve_connection};
use crate::agent::{EngineHandle, SubscriberId};
use crate::transport::Link;
use driver::Driver;
use requests::Desk;
use std::path::PathBuf;
use story::Offers;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The name of this agent's one way to log in.
const KEYS: &str = "pintle-keys";

/// The id of the connection as a subscriber: those of the native protocol begin at 1. A process has one connection of this protocol.
const SUBSCRIBER: SubscriberId = SubscriberId(0);

/// How many sub-agents may be made before this task looks.
const ADOPTED_CAPACITY: usize = 256;

/// How many pages of a replay may wait: the next is read while one is sent.
const PAGES_CAPACITY: usize = 1;

/// How a connection is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The working directory of a session that names none.
    pub cwd: PathBuf,
    /// Cancel it to interrupt what runs and end in order.
    pub stop: CancellationToken,
    /// Commands run in the client's terminals, where it offers some.
    pub client_terminals: bool,
}

/// Serves one connection to its end, then closes the engine's sessions in order.
pub async fn serve(link: Link, engine: EngineHandle, options: Options) -> Ended {
    let Link { incoming, outgoing, hangup } = link;
    let (feed_tx, feed) = mpsc::channel(FEED_CAPACITY);
    let (adopted_tx, adopted) = mpsc::channel(ADOPTED_CAPACITY);
    let (pages_tx, pages) = mpsc::channel(PAGES_CAPACITY);
    let desk = Desk {
        engine: engine.clone(),
        id: SUBSCRIBER,
        feed: feed_tx,
        adopted: adopted_tx,
        pages: pages_tx,
        offers: Offers::default(),
    };
    let mut driver = Driver::new(desk, outgoing, adopted, pages, &options);
    let events = Events::complete(feed, engine.clone());
    let inputs = Inputs { incoming, events, hangup, stop: options.stop };
    serve_connection(&mut driver, inputs, &engine).await
}
