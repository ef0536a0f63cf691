//! Windows.

mod access;
pub mod errors;
pub mod family;
pub mod file;
pub mod folder;
mod job;
pub mod lock;
pub mod names;
pub mod pipe;
pub mod process;
pub mod pty;
pub mod replace;
pub mod signals;
pub mod socket;
pub mod streams;
pub mod terminal;
#[path = "../unwatched.rs"]
pub mod watch;
