//! The output of background processes left by commands.
//!
//! A dev server started with `&` inherits its shell's pipe, and dies at its next line once nothing reads the pipe. So the pipe is read
//! to its end. Invariant: no reader outlives its command's owner.

use super::connection::Complaints;
use super::{Family, GRACE, READ_BYTES, Started};
use crate::End;
use crate::capture::Capture;
use pintle_os::pipe;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The time between two reads, so that a process that prints endlessly uses few resources: it waits for its pipe.
const READ_INTERVAL: Duration = Duration::from_millis(20);

/// The readers of background output, by owner. Dropping it ends them.
#[derive(Debug, Default)]
pub(crate) struct Drains(Mutex<HashMap<String, JoinSet<()>>>);

/// An ended command's output that another process still holds open.
pub(super) struct Leftover {
    pub(super) pipe: pipe::Receiver,
    /// Receives the output.
    pub(super) capture: Capture,
    /// The connection to a remote command. It is closed with the output.
    pub(super) connection: Option<(Family, Started, Complaints)>,
}

impl Drains {
    /// Reads this to its end, or until the owner is released.
    pub(super) fn add(&self, owner: &str, leftover: Leftover) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let readers = owners.entry(owner.to_owned()).or_default();
        while readers.try_join_next().is_some() {}
        readers.spawn(leftover.drain());
    }

    /// Ends an owner's readers, once the owner's processes have been ended.
    pub(crate) async fn release(&self, owner: &str) {
        let readers = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(owner);
        let Some(mut readers) = readers else { return };
        // The last lines are still in the pipe.
        let ended = async { while readers.join_next().await.is_some() {} };
        let _ = timeout(GRACE, ended).await;
    }
}

impl Leftover {
    async fn drain(mut self) {
        let mut buffer = vec![0; READ_BYTES];
        while let Ok(read @ 1..) = self.pipe.read(&mut buffer).await {
            self.capture.push(buffer.get(..read).unwrap_or_default()).await;
            // The model may read the file at any time.
            self.capture.flush().await;
            sleep(READ_INTERVAL).await;
        }
        self.capture.finish(End::Exited(0)).await;
        drop(self.connection);
    }
}
