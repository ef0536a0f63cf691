//! The native protocol: JSON-RPC 2.0, driven over any [`Transport`].
//!
//! Requests begin in the order of arrival, each after the response to the one before; those marked as reads in `methods` may overlap, and a
//! login, which waits for the user, keeps no other request waiting. The responses to `session/close` and `shutdown` follow the last events
//! of the sessions that they close.

mod driver;
mod events;
mod questions;
mod requests;

pub use crate::connection::Options;

use crate::client::Client;
use crate::connection::{Ended, Inputs, Outbox, serve as serve_connection};
use crate::methods::Table;
use crate::methods::connection::Connection;
use driver::Driver;
use futures_util::stream::FuturesUnordered;
use pintle_agent::EngineHandle;
use pintle_base::transport::Transport;
use questions::Questions;
use requests::Requests;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Capacity of the login page channel: one page per login, which the connection's task sends at once.
const PAGE_CAPACITY: usize = 64;

/// Serves one connection to its end, then closes the engine's sessions in order, or leaves them.
pub async fn serve(transport: Transport, engine: EngineHandle, options: Options) -> Ended {
    let Transport { incoming, outgoing, hangup } = transport;
    let (pages_tx, pages) = mpsc::channel(PAGE_CAPACITY);
    let Options { cwd, stop, scope } = options;
    let (client, events, _) = Client::new(engine.clone(), scope);
    let questions = Questions::new(&client);
    let connection = Arc::new(Connection::new(client, questions.edits.sender(), pages_tx, cwd));
    let mut driver = Driver {
        table: Table::new(connection),
        outbox: Outbox::new(outgoing),
        questions,
        pages,
        requests: Requests::default(),
        exits: false,
        running: FuturesUnordered::new(),
        answers: FuturesUnordered::new(),
    };
    let inputs = Inputs { incoming, events: events.with_lags(), hangup, stop, scope };
    serve_connection(&mut driver, inputs, &engine).await
}
