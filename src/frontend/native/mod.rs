//! The native protocol: JSON-RPC 2.0, driven over any [`Link`].
//!
//! Requests begin in the order of arrival, each after the response to the one before; those marked as reads in `dispatch` may overlap, and
//! a login, which waits for a person, keeps no other request waiting. The
//! responses to `session/close` and `shutdown` follow the last events of the sessions that they close.

mod auth;
pub(crate) mod connection;
mod diagnostics;
pub(crate) mod dispatch;
mod documents;
mod driver;
mod events;
mod extend;
mod filter;
mod handlers;
mod hints;
mod history;
mod keys;
mod questions;
mod requests;
mod shell;
mod stored;

use super::connection::{
    Ended, Events, FEED_CAPACITY, Inputs, Outbox, Scope, serve as serve_connection,
};
use connection::Connection;
use dispatch::Table;
use documents::Edits;
use driver::Driver;
use futures_util::stream::FuturesUnordered;
use pintle_agent::{EngineHandle, SubscriberId};
use pintle_base::transport::Link;
use questions::Questions;
use requests::Requests;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The capacity of the channel of edits, which come one at a time.
const EDIT_CAPACITY: usize = 4;

/// The capacity of the channel of pages to log in on: one a login, which the connection's task sends at once.
const PAGE_CAPACITY: usize = 64;

/// The options of a connection.
#[derive(Debug, Clone)]
pub struct Options {
    /// The working directory of a session that names none.
    pub cwd: PathBuf,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
    /// The reach of the connection's end.
    pub scope: Scope,
}

/// Serves one connection to its end, then closes the engine's sessions in order, or leaves them.
pub async fn serve(link: Link, engine: EngineHandle, options: Options) -> Ended {
    let Link { incoming, outgoing, hangup } = link;
    let (feed_tx, feed) = mpsc::channel(FEED_CAPACITY);
    let (edits_tx, edit_calls) = mpsc::channel(EDIT_CAPACITY);
    let (pages_tx, pages) = mpsc::channel(PAGE_CAPACITY);
    let Options { cwd, stop, scope } = options;
    let (engine_of, id) = (engine.clone(), SubscriberId::next());
    let connection = Connection::new(engine_of, id, feed_tx, edits_tx, pages_tx, cwd);
    let connection = Arc::new(connection.in_scope(scope));
    let mut driver = Driver {
        table: Table::new(Arc::clone(&connection)),
        connection,
        outbox: Outbox::new(outgoing),
        questions: Questions::default(),
        edits: Edits::default(),
        edit_calls,
        pages,
        requests: Requests::default(),
        running: FuturesUnordered::new(),
        answers: FuturesUnordered::new(),
    };
    let inputs = Inputs { incoming, events: Events::as_fed(feed), hangup, stop, scope };
    serve_connection(&mut driver, inputs, &engine).await
}
