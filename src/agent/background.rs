//! Blocking work of the store, on threads for it.

use crate::error::{Error, ErrorKind};
use pintle_session::store;

/// Does blocking work of the store on a thread for it.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, store::Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(Error::new(ErrorKind::Internal, format!("reading the journal: {error}"))),
    }
}
