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

pub use super::native::Ended;

use crate::agent::{
    EngineHandle, Feed, SessionHandle, SubscriberId, SubscriptionCommand, TurnCommand,
};
use crate::transport::{Incoming, Link};
use driver::Driver;
use futures_util::future::{BoxFuture, FutureExt, OptionFuture, join_all};
use futures_util::stream::StreamExt;
use requests::{Desk, Done};
use std::path::PathBuf;
use story::Offers;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The name of this agent's one way to log in.
const KEYS: &str = "pintle-keys";

/// The id of the connection as a subscriber: those of the native protocol begin at 1. A process has one connection of this protocol.
const SUBSCRIBER: SubscriberId = SubscriberId(0);

/// How many events may wait for this task, as in the native protocol.
const FEED_CAPACITY: usize = 1024;

/// How many events are taken at once, so that neighbours can be merged.
const FEED_BATCH: usize = 64;

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

/// What the driver wakes up for.
enum Happened {
    Done(Done),
    CaughtUp(told::Missed),
    Room,
    Page(replay::Page),
    Fed,
    File(files::FileCall),
    Terminal(terminals::TerminalNews),
    Came(Incoming),
    InputEnded,
    Idle,
    HungUp,
    Stopped,
}

/// Serves one connection to its end, then closes the engine's sessions in order.
pub async fn serve(link: Link, engine: EngineHandle, options: Options) -> Ended {
    let Link { mut incoming, outgoing, hangup } = link;
    let (feed_tx, mut feed) = mpsc::channel(FEED_CAPACITY);
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
    let mut batch = Vec::with_capacity(FEED_BATCH);
    let mut has_input = true;
    let mut idle: Option<BoxFuture<'static, ()>> = None;

    let ended = loop {
        if !has_input && idle.is_none() && driver.is_answered() {
            idle = Some(when_idle(driver.handles()).boxed());
        }
        let is_clear = driver.outbox.is_empty();
        let is_behind = driver.missed.is_some();
        let may_tell = is_clear && !is_behind && !driver.is_loading;
        let happened = tokio::select! {
            biased;
            () = hangup.cancelled() => Happened::HungUp,
            () = options.stop.cancelled() => Happened::Stopped,
            Some(done) = driver.running.next() => Happened::Done(done),
            () = driver.outbox.drain(), if !is_clear => Happened::Room,
            Some(page) = driver.pages.recv(), if is_clear => Happened::Page(page),
            Some(missed) = OptionFuture::from(driver.missed.as_mut()), if is_behind && is_clear => {
                Happened::CaughtUp(missed)
            }
            // Before events: a terminal is released before what its command came to is told.
            Some(news) = OptionFuture::from(driver.terminals.as_mut().map(terminals::Terminals::next)) => {
                Happened::Terminal(news)
            }
            _ = feed.recv_many(&mut batch, FEED_BATCH), if may_tell => Happened::Fed,
            Some(call) = OptionFuture::from(driver.files.as_mut().map(files::Files::next)) => {
                Happened::File(call)
            }
            () = OptionFuture::from(idle.as_mut()).map(drop), if idle.is_some() => Happened::Idle,
            came = incoming.recv(), if has_input && driver.outbox.takes_more() => {
                came.map_or(Happened::InputEnded, Happened::Came)
            }
        };
        match happened {
            Happened::Done(done) => driver.done(done, &mut feed),
            Happened::CaughtUp(missed) => driver.caught_up(missed),
            Happened::Room => {}
            Happened::Page(page) => driver.send_all(page),
            Happened::Fed => driver.feed(&mut batch, &mut feed),
            Happened::File(call) => driver.ask_for_file(call),
            Happened::Terminal(news) => driver.ask_for_terminal(news),
            Happened::Came(came) => driver.take(came),
            Happened::InputEnded => {
                has_input = false;
                driver.no_more_answers();
            }
            Happened::Idle => break Ended::EndOfInput,
            Happened::HungUp => break Ended::HungUp,
            Happened::Stopped => break Ended::Stopped,
        }
    };
    driver.no_more_answers();
    close(driver, &engine, &mut feed, &hangup, ended).await;
    ended
}

/// Nobody answers questions any more; waits until what runs has finished.
async fn when_idle(sessions: Vec<SessionHandle>) {
    let each = sessions.into_iter().map(|session| async move {
        // A session that is closed is idle.
        let _ = session.tell(SubscriptionCommand::StopAnswering { id: SUBSCRIBER }).await;
        let _ = session.ask(|reply| TurnCommand::WhenIdle { reply }).await;
    });
    join_all(each).await;
}

/// Closes the sessions, and sends what they still have to say to a client that still listens.
async fn close(
    mut driver: Driver,
    engine: &EngineHandle,
    feed: &mut mpsc::Receiver<Feed>,
    hangup: &CancellationToken,
    ended: Ended,
) {
    let mut closing = std::pin::pin!(engine.shutdown());
    let mut is_closed = false;
    let mut batch = Vec::with_capacity(FEED_BATCH);
    while !is_closed {
        tokio::select! {
            () = &mut closing => is_closed = true,
            _ = feed.recv_many(&mut batch, FEED_BATCH) => driver.feed(&mut batch, feed),
        }
    }
    driver.feed_rest(feed);
    while let Some(missed) = OptionFuture::from(driver.missed.as_mut()).await {
        driver.caught_up(missed);
    }
    driver.answer_all();
    let in_haste = matches!(ended, Ended::ExitInHaste | Ended::HungUp | Ended::Stopped);
    driver.outbox.last_words(hangup, in_haste).await;
}
