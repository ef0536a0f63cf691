//! What tests share: a server that does as it is told, a stage for the engine, the real program over pipes.

pub(crate) mod acp;
pub(crate) mod model;
pub(crate) mod pi;
pub(crate) mod program;
pub(crate) mod props;
pub(crate) mod render;
pub(crate) mod replies;
pub(crate) mod server;
pub(crate) mod stage;
