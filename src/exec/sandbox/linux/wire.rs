//! The messages between engine, supervisor and command.
//!
//! The engine requests a command with one packet on the control socket: a byte that encodes the kind, with four descriptors: the command's
//! own connection and its three streams. The request itself goes over the connection, since it may be larger than a packet and the supervisor
//! must not wait for it: the forked child reads it. The replies are [`Frame`]s. Closing the connection ends the command; closing the
//! control socket ends all of them.

use super::{Confinement, Level};
use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use nix::sys::wait::WaitStatus;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// A requested command's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not confined.
    Plain,
    /// Confined, with the machine's network.
    Networked,
    /// Confined, without network.
    Confined,
    /// The same without a command, to determine the level: namespaces are not tried before, and nothing is prepared for the next one.
    Probe,
}

/// A command to start. Without `argv` nothing is executed: only the level is requested.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) argv: Vec<String>,
    /// The working directory path's bytes.
    pub(crate) cwd: Option<Vec<u8>>,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) confinement: Option<Confinement>,
    /// The proxy password, if the confinement allows hosts.
    #[serde(default)]
    pub(crate) credential: String,
    /// The calls to report, if the kernel supports it.
    #[serde(default)]
    pub(crate) watched: Watched,
}

/// Which system calls of a command the kernel reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Watched {
    /// Those that may change a file.
    pub(crate) files: bool,
    /// Those that start a program.
    pub(crate) programs: bool,
    /// Those that reach a socket by its address.
    pub(crate) sockets: bool,
}

impl Watched {
    /// Returns true if any flag is set.
    pub(crate) fn any(self) -> bool {
        self.files || self.programs || self.sockets
    }
}

/// A message about a command.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Frame {
    /// The first process, numbered in the engine's namespace.
    Pid(i32),
    /// The socket on which the proxy listens for it comes with this message, and a pipe that ends when all of its processes have.
    Listening,
    /// The enforced level; the shell is executed next. The descriptor on which its writes are reported comes with this message, if they
    /// are.
    Level(Level),
    /// The command is not confined, and is executed next. The descriptor on which the programs it starts are reported comes with this
    /// message, if they are.
    Watched,
    /// The command was not started: the step, the error number if the system gave one, and its message.
    Failed(Failure),
    /// The command ended, with this wait status.
    Ended(i32),
}

/// A step that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) step: String,
    pub(super) errno: Option<i32>,
    pub(super) message: String,
}

impl Failure {
    /// Returns a step that the system refused.
    pub(super) fn new(step: impl Into<String>, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        Self { step: step.into(), errno: error.raw_os_error(), message: error.to_string() }
    }
}

/// The maximum message size, above any system limit on a command's arguments.
const MAX_BYTES: usize = 64 << 20;

/// Returns a message's bytes, preceded by their length.
pub(super) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    if let Some(head) = bytes.first_chunk_mut::<4>() {
        *head = length.to_le_bytes();
    }
    Ok(bytes)
}

/// Takes the first message from a buffer, if it is complete.
pub(super) fn decode<T: serde::de::DeserializeOwned>(
    buffer: &mut Vec<u8>,
) -> io::Result<Option<T>> {
    let Some(head) = buffer.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*head) as usize;
    if length > MAX_BYTES {
        return Err(io::Error::other("the message is too large"));
    }
    let Some(body) = buffer.get(4..4 + length) else { return Ok(None) };
    let message = serde_json::from_slice(body)?;
    buffer.drain(..4 + length);
    Ok(Some(message))
}

/// Sends a message in one write.
pub(super) fn send(connection: &OwnedFd, frame: &Frame) -> io::Result<()> {
    let bytes = encode(frame)?;
    file(connection)?.write_all(&bytes)
}

/// The descriptors of [`Frame::Listening`]: a listening socket and a pipe.
pub(super) type Listening<T> = [T; 2];

/// The maximum number of descriptors with a message.
const MAX_DESCRIPTORS: usize = 2;

/// Sends a message with descriptors.
pub(super) fn send_with(
    connection: &OwnedFd,
    frame: &Frame,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let bytes = encode(frame)?;
    let raw: Vec<RawFd> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
    let messages = [ControlMessage::ScmRights(&raw)];
    let parts = [IoSlice::new(&bytes)];
    let sent =
        sendmsg::<()>(connection.as_raw_fd(), &parts, &messages, MsgFlags::MSG_NOSIGNAL, None)?;
    if sent < bytes.len() { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
}

/// Reads what has come, with the descriptors that came with it; nothing at the end. It does not wait.
pub(super) fn read_with(
    connection: BorrowedFd<'_>,
    buffer: &mut Vec<u8>,
) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut piece = [0; 4096];
    let mut parts = [IoSliceMut::new(&mut piece)];
    let mut space = nix::cmsg_space!([RawFd; MAX_DESCRIPTORS]);
    let flags = MsgFlags::MSG_CMSG_CLOEXEC | MsgFlags::MSG_DONTWAIT;
    let received = recvmsg::<()>(connection.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let descriptors = descriptors(received.cmsgs()?);
    let read = received.bytes;
    buffer.extend_from_slice(piece.get(..read).unwrap_or_default());
    Ok((read, descriptors))
}

fn descriptors(messages: impl Iterator<Item = ControlMessageOwned>) -> Vec<OwnedFd> {
    let mut descriptors = Vec::new();
    for message in messages {
        if let ControlMessageOwned::ScmRights(rights) = message {
            descriptors.extend(rights.into_iter().map(owned));
        }
    }
    descriptors
}

/// Waits for a message.
pub(super) fn receive(connection: &OwnedFd) -> io::Result<Request> {
    let mut connection = file(connection)?;
    let mut head = [0; 4];
    connection.read_exact(&mut head)?;
    let length = u32::from_le_bytes(head) as usize;
    if length > MAX_BYTES {
        return Err(io::Error::other("the message is too large"));
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

fn file(descriptor: &OwnedFd) -> io::Result<File> {
    Ok(File::from(descriptor.try_clone()?))
}

/// A command's descriptors: its connection, then stdin, stdout and stderr.
pub(super) type Descriptors<T> = [T; 4];

/// Requests a command.
pub(super) fn ask(
    control: &OwnedFd,
    kind: Kind,
    descriptors: Descriptors<BorrowedFd<'_>>,
) -> io::Result<()> {
    let raw = descriptors.map(|descriptor| descriptor.as_raw_fd());
    let kind = [match kind {
        Kind::Plain => 0,
        Kind::Networked => 1,
        Kind::Confined => 2,
        Kind::Probe => 3,
    }];
    let messages = [ControlMessage::ScmRights(&raw)];
    let parts = [IoSlice::new(&kind)];
    sendmsg::<()>(control.as_raw_fd(), &parts, &messages, MsgFlags::MSG_NOSIGNAL, None)?;
    Ok(())
}

/// Receives a request from the engine; `None` once the engine has closed its end.
pub(super) fn asked(control: &OwnedFd) -> io::Result<Option<(Kind, Descriptors<OwnedFd>)>> {
    let mut kind = [0];
    let mut parts = [IoSliceMut::new(&mut kind)];
    let mut space = nix::cmsg_space!([RawFd; 4]);
    let received = loop {
        match recvmsg::<()>(
            control.as_raw_fd(),
            &mut parts,
            Some(&mut space),
            MsgFlags::MSG_CMSG_CLOEXEC,
        ) {
            Err(Errno::EINTR) => {}
            received => break received?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    let descriptors = descriptors(received.cmsgs()?);
    let kind = match kind {
        [0] => Kind::Plain,
        [1] => Kind::Networked,
        [3] => Kind::Probe,
        _ => Kind::Confined,
    };
    let descriptors = descriptors.try_into();
    descriptors
        .map(|descriptors| Some((kind, descriptors)))
        .map_err(|_| io::Error::other("descriptors are missing"))
}

#[expect(unsafe_code, reason = "a descriptor that the kernel has just handed over")]
pub(super) fn owned(descriptor: RawFd) -> OwnedFd {
    // Safety: the kernel made it for this message, so it has no other owner.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

/// Returns the wait status of an end, as the system encodes it.
pub(super) fn raw_status(status: WaitStatus) -> Option<i32> {
    const CORE: i32 = 0x80;
    match status {
        WaitStatus::Exited(_, code) => Some((code & 0xff) << 8),
        WaitStatus::Signaled(_, signal, has_core) => {
            Some(signal as i32 | if has_core { CORE } else { 0 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_whole() {
        let level = Level { landlock: 7, seccomp: true, ..Level::default() };
        let frames = [Frame::Pid(7), Frame::Level(level), Frame::Ended(256)];
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| encode(frame).unwrap()).collect();
        let (mut buffer, mut got) = (Vec::new(), Vec::new());
        for byte in bytes {
            buffer.push(byte);
            got.extend(decode::<Frame>(&mut buffer).unwrap());
        }
        assert_eq!(got, frames);
        assert!(buffer.is_empty());
        assert!(decode::<Frame>(&mut vec![0xff; 8]).is_err(), "no length is believed");
    }
}
