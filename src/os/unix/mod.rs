//! Linux and macOS.

mod descendants;
pub mod errors;
pub mod family;
pub mod file;
pub mod folder;
mod hangup;
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
#[cfg_attr(not(target_os = "linux"), path = "../unwatched.rs")]
pub mod watch;
