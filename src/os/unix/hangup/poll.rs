//! Hang-ups by `poll`.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::File;
use std::os::fd::AsFd;

/// Blocks until the other end of the descriptor is closed: forever for a file, which has none. Returns false if that cannot be observed.
pub(in super::super) fn wait(descriptor: &File) -> bool {
    loop {
        // No events asked for: only POLLERR and POLLHUP, which are always reported, wake it.
        let mut fds = [PollFd::new(descriptor.as_fd(), PollFlags::empty())];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) => {
                let [fd] = &fds;
                let events = fd.revents().unwrap_or(PollFlags::empty());
                return events.intersects(PollFlags::POLLERR | PollFlags::POLLHUP);
            }
            Err(Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}
