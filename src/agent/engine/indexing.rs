//! Background indexing: after each turn the index reads new journal entries, on a separate thread.
//!
//! Invariant: no session waits for the index or sees its errors; unfinished work, also that of an exiting process, is done at the next list
//! or search.

use pintle_session::store::Store;
use tokio::task::JoinSet;

/// The bytes of journals that are read at once. Other processes get a turn at the index in between.
const BUDGET: u64 = 1024 * 1024;

/// The index's work.
#[derive(Debug)]
pub(super) struct Indexing {
    store: Store,
    /// At most one: two would only wait for each other.
    running: JoinSet<u64>,
    /// Something happened that it has not read.
    is_due: bool,
}

impl Indexing {
    pub(super) fn new(store: Store) -> Self {
        Self { store, running: JoinSet::new(), is_due: false }
    }

    /// Records that a session's journal has grown.
    pub(super) fn due(&mut self) {
        self.is_due = true;
        self.begin();
    }

    fn begin(&mut self) {
        if !self.is_due || !self.running.is_empty() {
            return;
        }
        self.is_due = false;
        let store = self.store.clone();
        self.running.spawn_blocking(move || match store.index().catch_up(BUDGET) {
            Ok(behind) => behind,
            Err(error) => {
                tracing::debug!("{error}");
                0
            }
        });
    }

    /// Waits until a piece of work is done, and starts the next. Cancel-safe; never completes if nothing runs.
    pub(super) async fn next(&mut self) {
        match self.running.join_next().await {
            None => std::future::pending().await,
            Some(done) => {
                self.is_due |= done.is_ok_and(|behind| behind > 0);
                self.begin();
            }
        }
    }
}
