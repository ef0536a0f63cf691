//! File changes: computed from the current content and applied atomically.
//!
//! Invariant: the decision sees exactly the bytes that are replaced, and the file's version.

use super::{Environment, Error};
use pintle_protocol::diff::FileChange;
use pintle_protocol::files::FileState;
use ring::digest;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// A version of a file's content. Equal versions mean equal content, as far as a file system can guarantee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The file's canonical path.
    pub path: PathBuf,
    /// The content's size in bytes.
    pub size: u64,
    /// Further data that distinguishes contents: modification time, inode number or a checksum.
    pub mark: u128,
}

/// A content digest. Equal digests mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of `content`.
    pub fn compute(content: &[u8]) -> Self {
        let mut digester = Digester::default();
        digester.push(content);
        digester.finish()
    }

    /// Reads the digest that was printed as this text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes a digest incrementally.
pub(super) struct Digester(digest::Context);

impl Digester {
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub(super) fn finish(self) -> Digest {
        let mut bytes = [0; 32];
        // Both are 32 bytes long.
        bytes.iter_mut().zip(self.0.finish().as_ref()).for_each(|(to, from)| *to = *from);
        Digest(bytes)
    }
}

impl Default for Digester {
    fn default() -> Self {
        Self(digest::Context::new(&digest::SHA256))
    }
}

impl Write for Digester {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.push(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// The file's bytes.
    pub content: Vec<u8>,
    /// The version of that content.
    pub version: Version,
}

/// Computes a file's new content from its current one, which is `None` if there is no file. Runs on a thread where it may block. An error
/// is a message for the model and leaves the file unchanged.
pub type Decide = Box<dyn FnOnce(Option<Before>) -> Result<Rewrite, String> + Send>;

/// Bytes to write: all of them in memory, or pieces of the old content and new ones. A large file with a small change
/// costs little memory that way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    base: Vec<u8>,
    /// Parts of the base, in order, with their replacements.
    splices: Vec<(Range<usize>, Vec<u8>)>,
}

impl FileContent {
    /// Returns the old content with some parts replaced; they are in order and do not overlap.
    pub fn spliced(base: Vec<u8>, splices: Vec<(Range<usize>, Vec<u8>)>) -> Self {
        Self { base, splices }
    }

    /// Returns the old content, if parts of it are replaced.
    pub(super) fn base(&self) -> Option<&[u8]> {
        (!self.splices.is_empty()).then_some(self.base.as_slice())
    }

    /// Writes the bytes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, mut out: impl Write) -> io::Result<()> {
        let mut at = 0;
        for (old, new) in &self.splices {
            out.write_all(self.base.get(at..old.start).unwrap_or_default())?;
            out.write_all(new)?;
            at = old.end;
        }
        out.write_all(self.base.get(at..).unwrap_or_default())
    }

    /// Returns the bytes' digest.
    pub fn digest(&self) -> Digest {
        let mut digester = Digester::default();
        // Writing to memory does not fail.
        let _ = self.write_to(&mut digester);
        digester.finish()
    }

    /// Returns all bytes in one piece.
    pub fn into_bytes(self) -> Vec<u8> {
        if self.splices.is_empty() {
            return self.base;
        }
        let mut bytes = Vec::with_capacity(self.base.len());
        // Writing to memory does not fail.
        let _ = self.write_to(&mut bytes);
        bytes
    }
}

impl From<Vec<u8>> for FileContent {
    fn from(base: Vec<u8>) -> Self {
        Self { base, splices: Vec::new() }
    }
}

/// A file's new content, with a report of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The bytes to write.
    pub content: FileContent,
    /// The change report, returned in [`Updated`]; `None` if the content did not change.
    pub change: Option<FileChange>,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The report of the [`Rewrite`].
    pub change: Option<FileChange>,
    /// The replaced state; `None` for a new file.
    pub before: Option<Version>,
    /// The file's new state.
    pub after: Version,
}

/// Computes the new state of several files from their current states, in the order of their paths.
pub type DecideAll = Box<dyn FnOnce(Vec<Option<Before>>) -> Result<Rewrites, String> + Send>;

/// Converts a decision about one file to one about several.
pub fn for_all(decide: Decide) -> DecideAll {
    Box::new(|before| {
        let Rewrite { content, change } = decide(before.into_iter().next().flatten())?;
        let changes = change.into_iter().collect();
        Ok(Rewrites { after: vec![After::Write(content)], changes })
    })
}

/// The new states of several files, with a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrites {
    /// For each path, in order.
    pub after: Vec<After>,
    /// The changes, returned unchanged.
    pub changes: Vec<FileChange>,
}

/// The new state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Unchanged; a missing file stays missing.
    Keep,
    /// The file has this content.
    Write(FileContent),
    /// Removed.
    Remove,
}

/// Several files that were changed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatedAll {
    /// The report of the [`Rewrites`].
    pub changes: Vec<FileChange>,
    /// The previous states, in path order; `None` for missing files.
    pub before: Vec<Option<Version>>,
    /// The files' new states; `None` for a file that does not exist.
    pub after: Vec<Option<Version>>,
}

/// The effect of one change on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The content before.
    pub before: FileState,
    /// The content afterwards.
    pub after: FileState,
}

/// Implements [`Environment::update_all`] with single operations, for environments without an atomic way: if a later file fails, earlier
/// changes are reverted unless another process has changed the file meanwhile.
pub(super) async fn one_by_one<E: Environment + ?Sized>(
    env: &E,
    paths: &[PathBuf],
    decide: DecideAll,
    cancel: &CancellationToken,
) -> Result<UpdatedAll, Error> {
    let mut before = Vec::new();
    for path in paths {
        before.push(look(env, path, cancel).await?);
    }
    let Rewrites { after, changes } = decide(before.clone()).map_err(Error::Refused)?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let mut versions = Vec::new();
    let steps = || paths.iter().zip(&before).zip(&after);
    for (done, ((path, before), after)) in steps().enumerate() {
        match act(env, path, before.as_ref(), after).await {
            Ok(version) => versions.push(version),
            Err(error) => {
                for ((path, before), after) in steps().take(done) {
                    take_back(env, path, before.as_ref(), after).await;
                }
                return Err(error);
            }
        }
    }
    let before = before.into_iter().map(|before| before.map(|before| before.version)).collect();
    Ok(UpdatedAll { changes, before, after: versions })
}

/// Returns a file's content. A refused update is the only way to get content and version together.
///
/// # Errors
/// The file cannot be read, no change of it is accepted, or `cancel` was cancelled.
pub async fn look<E: Environment + ?Sized>(
    env: &E,
    path: &std::path::Path,
    cancel: &CancellationToken,
) -> Result<Option<Before>, Error> {
    let (tx, rx) = tokio::sync::oneshot::channel();
    let decide: Decide = Box::new(move |before| {
        // The receiver waits below.
        let _ = tx.send(before);
        Err(String::new())
    });
    let updated = env.update(path, decide, cancel).await;
    match (updated, rx.await) {
        (Ok(_) | Err(Error::Refused(_)), Ok(before)) => Ok(before),
        (Ok(_), Err(_)) => Ok(None),
        // The environment refused the change without reading the content.
        (Err(error), _) => Err(error),
    }
}

async fn act<E: Environment + ?Sized>(
    env: &E,
    path: &std::path::Path,
    before: Option<&Before>,
    after: &After,
) -> Result<Option<Version>, Error> {
    match after {
        After::Keep => Ok(before.map(|before| before.version.clone())),
        After::Remove => {
            env.remove(path).await?;
            Ok(None)
        }
        After::Write(content) => {
            let (content, seen) = (content.clone(), before.map(|before| before.content.clone()));
            let decide: Decide = Box::new(move |now| {
                if now.map(|now| now.content) == seen {
                    Ok(Rewrite { content, change: None })
                } else {
                    Err("The file has changed in the meantime. Read it and try again.".to_owned())
                }
            });
            let updated = env.update(path, decide, &CancellationToken::new()).await?;
            Ok(Some(updated.after))
        }
    }
}

/// Best effort: an error here has no useful recipient.
pub(crate) async fn take_back<E: Environment + ?Sized>(
    env: &E,
    path: &std::path::Path,
    before: Option<&Before>,
    after: &After,
) {
    let ours = match after {
        After::Keep => return,
        After::Remove => None,
        After::Write(content) => Some(content.clone().into_bytes()),
    };
    let Some(before) = before.map(|before| before.content.clone()) else {
        if env.read(path).await.ok() == ours {
            let _ = env.remove(path).await;
        }
        return;
    };
    let decide: Decide = Box::new(move |now| {
        let is_ours = now.map(|now| now.content) == ours;
        if is_ours {
            Ok(Rewrite { content: before.into(), change: None })
        } else {
            Err(String::new())
        }
    });
    let _ = env.update(path, decide, &CancellationToken::new()).await;
}
