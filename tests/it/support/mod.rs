//! What tests share: a server that does as it is told, a stage for the engine, the program over pipes.

pub(crate) mod acp;
pub(crate) mod ahp;
pub(crate) mod frames;
pub(crate) mod launch;
pub(crate) mod lsp;
pub(crate) mod model;
pub(crate) mod person;
pub(crate) mod pi;
pub(crate) mod program;
pub(crate) mod props;
pub(crate) mod recorder;
pub(crate) mod render;
pub(crate) mod replies;
pub(crate) mod server;
pub(crate) mod shared;
pub(crate) mod stage;
pub(crate) mod steady;
pub(crate) mod tls;
pub(crate) mod websocket;

pub(crate) use pintle_testing::skipped;
pub(crate) use pintle_testing::waiting::HANG;
