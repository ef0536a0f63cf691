//! What several scenarios share.

pub(crate) mod server;
