//! Hang-ups by `kqueue`: the `poll` of macOS observes nothing unless events are asked for.

use nix::errno::Errno;
use nix::sys::event::{EvFlags, EventFilter, FilterFlag, KEvent, Kqueue};
use std::fs::File;
use std::os::fd::AsRawFd;

/// Blocks until the other end of the descriptor is closed. Returns false if that cannot be observed.
pub(in super::super) fn wait(descriptor: &File) -> bool {
    let Ok(queue) = Kqueue::new() else { return false };
    let Ok(ident) = usize::try_from(descriptor.as_raw_fd()) else { return false };
    let event =
        |flags| KEvent::new(ident, EventFilter::EVFILT_WRITE, flags, FilterFlag::empty(), 0, 0);
    // Edge-triggered: a read by the other end also wakes it, and it continues to wait.
    let watched = [event(EvFlags::EV_ADD | EvFlags::EV_CLEAR)];
    let mut changes = &watched[..];
    let mut found = [event(EvFlags::empty())];
    loop {
        match queue.kevent(changes, &mut found, None) {
            Ok(_) => {
                let [event] = &found;
                if event.flags().contains(EvFlags::EV_ERROR) {
                    return false;
                }
                if event.flags().contains(EvFlags::EV_EOF) {
                    return true;
                }
                changes = &[];
            }
            Err(Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}
