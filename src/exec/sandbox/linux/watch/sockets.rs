//! Unix sockets of other programs, as the kernel lists them: by the inode of each socket file, so a renamed or linked one is found too. The
//! sockets of a confined command are in another list, since it has a separate network.

use nix::libc;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};
use std::os::fd::AsRawFd;
use std::path::Path;

/// The request for all Unix sockets with their files, after linux/unix_diag.h: a header, and `struct unix_diag_req`.
const REQUEST_BYTES: u32 = 16 + 24;

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;

/// `UDIAG_SHOW_VFS`, and the attribute that it asks for.
const SHOW_FILE: u32 = 2;
const FILE: u16 = 1;

/// `sizeof(struct unix_diag_msg)`, which the attributes follow.
const MESSAGE_BYTES: usize = 16;

/// Returns true if another program of this machine has bound the file with this inode.
pub(super) fn are_others(inode: u64, path: &Path) -> bool {
    // The list has the low half, and a file system may number the file differently for it.
    #[expect(clippy::cast_possible_truncation, reason = "the list has the low half")]
    let is_listed = inodes().is_some_and(|inodes| inodes.contains(&(inode as u32)));
    is_listed || is_named(path)
}

/// Returns true if the table of names has this path.
#[expect(clippy::disallowed_methods, reason = "a table of the kernel's")]
fn is_named(path: &Path) -> bool {
    let table = std::fs::read_to_string("/proc/self/net/unix").unwrap_or_default();
    let path = path.to_string_lossy();
    table.lines().any(|line| line.split_whitespace().nth(7) == Some(path.as_ref()))
}

/// Returns the file inodes of all sockets in this network; `None` if the kernel has no such list.
fn inodes() -> Option<Vec<u32>> {
    let diagnosis = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkSockDiag,
    )
    .ok()?;
    send(diagnosis.as_raw_fd(), &request(), MsgFlags::empty()).ok()?;
    let mut inodes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let count = recv(diagnosis.as_raw_fd(), &mut piece, MsgFlags::empty()).ok()?;
        if take(piece.get(..count)?, &mut inodes)? {
            return Some(inodes);
        }
    }
}

fn request() -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(REQUEST_BYTES.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend((libc::NLM_F_REQUEST | libc::NLM_F_DUMP).to_le_bytes().into_iter().take(2));
    // The sequence number and the process id: neither matters.
    bytes.extend([0; 8]);
    bytes.extend([u8::try_from(libc::AF_UNIX).unwrap_or_default(), 0, 0, 0]);
    // In every state, for any socket inode.
    for word in [u32::MAX, 0, SHOW_FILE, u32::MAX, u32::MAX] {
        bytes.extend(word.to_ne_bytes());
    }
    bytes
}

/// Parses an answer's messages. Returns true after the last one, and `None` for an error.
fn take(mut answer: &[u8], inodes: &mut Vec<u32>) -> Option<bool> {
    while answer.len() >= 16 {
        let length = usize::try_from(word(answer, 0)?).ok()?;
        match half(answer, 4)? {
            kind if i32::from(kind) == libc::NLMSG_DONE => return Some(true),
            kind if i32::from(kind) == libc::NLMSG_ERROR => return None,
            _ => {}
        }
        let mut attributes = answer.get(16 + MESSAGE_BYTES..length)?;
        while attributes.len() >= 4 {
            let size = usize::from(half(attributes, 0)?);
            if half(attributes, 2)? == FILE {
                inodes.push(word(attributes, 4)?);
            }
            attributes = attributes.get(aligned(size.max(4))..).unwrap_or_default();
        }
        answer = answer.get(aligned(length.max(16))..).unwrap_or_default();
    }
    Some(false)
}

fn aligned(length: usize) -> usize {
    length.next_multiple_of(4)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))
}
