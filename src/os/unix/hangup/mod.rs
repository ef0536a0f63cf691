//! Waits until the other end of a pipe or socket is closed, without reading or writing.

#[cfg(not(target_os = "macos"))]
mod poll;
#[cfg(not(target_os = "macos"))]
pub(super) use poll::wait;

#[cfg(target_os = "macos")]
mod kqueue;
#[cfg(target_os = "macos")]
pub(super) use kqueue::wait;
