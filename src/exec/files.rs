//! Local files: blocking operations, each one complete.
//!
//! Blocking: not for an async thread. `replace` replaces files.
#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

use crate::beneath::{self, Pinned};
use crate::change::Digester;
use crate::windows_names;
use crate::{Before, Error, FileKind, Lines, ListEntry, MAX_WHOLE_BYTES, Stat, Version, Window};
use pintle_base::private_files;
use pintle_base::text::sniff;
use pintle_os::file::{self, Facts};
use pintle_os::{System, names, replace};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Bytes beyond the wanted ones are read up to this many, to count lines; further, the total stays unknown.
const MAX_COUNTED_BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn stat(path: &Path) -> Result<Stat, Error> {
    must_be_usable(path)?;
    let facts = std::fs::metadata(path).map_err(|error| Error::from_io(path, &error))?;
    let kind = if facts.is_dir() {
        FileKind::Folder
    } else if facts.is_file() {
        FileKind::File
    } else {
        FileKind::Other
    };
    let modified =
        facts.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let modified_ms =
        modified.and_then(|since| u64::try_from(since.as_millis()).ok()).unwrap_or_default();
    Ok(Stat { kind, size: facts.len(), modified_ms, links: file::links(path, &facts) })
}

/// Resolves as much of a path as exists, and links whose target does not.
pub(super) fn canonicalize(path: &Path) -> Result<PathBuf, Error> {
    /// The maximum number of links in a row, as in Linux.
    const MAX_LINKS: usize = 40;
    must_be_usable(path)?;
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let (base, rest) = existing(&path)?;
        // The part after the existing one may begin with a dangling link.
        let Some(Component::Normal(next)) = rest.components().next() else {
            return Ok(without_dots(&base.join(rest)));
        };
        match std::fs::read_link(base.join(next)) {
            Ok(target) => {
                let after = rest.strip_prefix(next).unwrap_or(Path::new(""));
                path = base.join(target).join(after);
            }
            Err(_) => return Ok(without_dots(&base.join(rest))),
        }
    }
    Err(Error::Io { path, message: "too many symbolic links".to_owned() })
}

/// Refuses a path that this system reads as another one.
pub(super) fn must_be_usable(path: &Path) -> Result<(), Error> {
    if System::CURRENT != System::Windows {
        return Ok(());
    }
    if windows_names::has_long_name(path) {
        return Err(Error::PathTooLong(path.to_path_buf()));
    }
    windows_names::refusal(path).map_or(Ok(()), |reason| Err(Error::Refused(reason)))
}

/// Refuses a path that has a symbolic link on it.
pub(super) fn must_be_canonical(path: &Path) -> Result<(), Error> {
    if canonicalize(path)? == path { Ok(()) } else { Err(Error::Link(path.to_path_buf())) }
}

/// Returns the longest existing part of a path, resolved, and the rest.
fn existing(path: &Path) -> Result<(PathBuf, PathBuf), Error> {
    for base in path.ancestors() {
        match names::canonicalize(base) {
            Ok(resolved) => {
                let rest = path.strip_prefix(base).unwrap_or(Path::new(""));
                return Ok((resolved, rest.to_path_buf()));
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            Err(error) => return Err(Error::from_io(path, &error)),
        }
    }
    Err(Error::NotFound(path.to_path_buf()))
}

pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

/// Opens a plain file at a canonical path. Opening a pipe or a device never waits, since it is refused.
fn open(path: &Path) -> Result<(File, Metadata), Error> {
    must_be_usable(path)?;
    let file = beneath::open_to_read(path).map_err(|error| beneath::failed(path, &error))?;
    plain(path, file)
}

/// Refuses an open file that is not a plain one.
fn plain(path: &Path, file: File) -> Result<(File, Metadata), Error> {
    let failed = |error: io::Error| Error::from_io(path, &error);
    let facts = file.metadata().map_err(failed)?;
    if facts.is_dir() {
        return Err(Error::IsFolder(path.to_path_buf()));
    }
    if !facts.is_file() {
        return Err(Error::NotFile(path.to_path_buf()));
    }
    Ok((file, facts))
}

/// Opens a regular file for a search, to be read as far as it reaches now, and without blocking even if it has become a pipe since it was
/// checked.
pub(super) fn open_to_search(path: &Path) -> io::Result<io::Take<File>> {
    let file = private_files::open(path)?;
    let size = private_files::size_seen(&file.metadata()?);
    Ok(file.take(size))
}

/// Returns the version of this file; `path` is canonical.
pub(super) fn version(path: PathBuf, facts: &Metadata) -> Version {
    // Nanoseconds since 1970 need 61 bits until 2040; the file's number on disk changes with each replacement.
    let (seconds, nanos) = facts.modified_at();
    let time = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let mark = (u128::from(facts.serial()) << 64) | (time.unsigned_abs() & u128::from(u64::MAX));
    Version { path, size: facts.len(), mark }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let (file, facts) = open(path)?;
    read_open(path, &file, &facts)
}

/// Returns a file before a change.
pub(super) fn before(pinned: &Pinned) -> Result<Option<Before>, Error> {
    let path = pinned.path();
    let file = match pinned.open(OpenOptions::new().read(true)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(beneath::failed(path, &error)),
    };
    let (file, facts) = plain(path, file)?;
    let content = read_open(path, &file, &facts)?;
    Ok(Some(Before { content, version: version(path.to_path_buf(), &facts) }))
}

fn read_open(path: &Path, file: &File, facts: &Metadata) -> Result<Vec<u8>, Error> {
    if facts.len() > MAX_WHOLE_BYTES {
        let (path, size) = (path.to_path_buf(), facts.len());
        return Err(Error::TooLarge { path, size, max: MAX_WHOLE_BYTES });
    }
    let mut content = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default() + 1);
    // A growing file is read up to its current size only.
    let read = file.take(private_files::size_seen(facts)).read_to_end(&mut content);
    read.map_err(|error| Error::from_io(path, &error))?;
    Ok(content)
}

pub(super) fn read_lines(
    path: &Path,
    window: Window,
    cancel: &CancellationToken,
) -> Result<Lines, Error> {
    let (file, facts) = open(path)?;
    let file = Cancellable { file: file.take(private_files::size_seen(&facts)), cancel };
    let failed = |error: io::Error| Error::from_io(path, &error);
    let version = version(path.to_path_buf(), &facts);
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let head = reader.fill_buf().map_err(failed)?;
    let head = head.get(..Lines::HEAD_BYTES).unwrap_or(head);
    if matches!(sniff::kind(head), sniff::Kind::Binary(_)) {
        // A binary file has no lines, and perhaps no line end within gigabytes.
        return Ok(Lines::none(head.to_vec(), version));
    }
    let lines = select_lines(reader, version, window);
    if cancel.is_cancelled() { Err(Error::Cancelled) } else { lines.map_err(failed) }
}

/// A file whose reading fails once it is cancelled.
#[derive(Debug)]
pub(super) struct Cancellable<'a, F> {
    /// The file.
    pub(super) file: F,
    /// Ends the reading.
    pub(super) cancel: &'a CancellationToken,
}

impl<F: Read> Read for Cancellable<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.file.read(buffer)
    }
}

/// Takes the wanted lines out of a stream and counts the rest, holding no more than the window.
pub(super) fn select_lines(
    mut source: impl BufRead,
    version: Version,
    window: Window,
) -> io::Result<Lines> {
    let head: Vec<u8> = source.fill_buf()?.iter().take(Lines::HEAD_BYTES).copied().collect();
    let mut lines = Lines::none(head, version);
    let mut digester = Digester::default();
    let max_bytes = usize::try_from(window.max_bytes).unwrap_or(usize::MAX);
    // The current line: its number, its length so far, and its bytes while they are needed.
    let (mut number, mut length, mut current) = (1_u64, 0_u64, Vec::new());
    let (mut is_done, mut counted) = (false, 0_u64);
    loop {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let piece = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        let used = piece.len() + usize::from(end.is_some());
        let is_wanted = number >= window.first_line && !is_done;
        if is_wanted && current.len() <= max_bytes {
            current.extend_from_slice(piece);
        }
        length += piece.len() as u64;
        let is_over = is_wanted && current.len() > max_bytes;
        if is_done || is_over {
            counted += used as u64;
        }
        digester.push(buffer.get(..used).unwrap_or_default());
        source.consume(used);
        if end.is_some() {
            if is_wanted {
                is_done = lines.take(number, &mut current, length, window);
            }
            number += 1;
            length = 0;
        }
        if counted > MAX_COUNTED_BYTES {
            if is_over && !is_done {
                // Once a line exceeds the limit, reading the rest of it is not worthwhile.
                lines.take(number, &mut current, length, window);
            }
            return Ok(lines);
        }
    }
    // A last line without a newline.
    let has_open_line = length > 0;
    if has_open_line && number >= window.first_line && !is_done {
        lines.take(number, &mut current, length, window);
    }
    lines.total_lines = Some(number - 1 + u64::from(has_open_line));
    lines.digest = Some(digester.finish());
    Ok(lines)
}

impl Lines {
    /// Returns an empty result, for a file without lines.
    fn none(head: Vec<u8>, version: Version) -> Self {
        Self {
            head,
            text: Vec::new(),
            count: 0,
            stopped_by_bytes: false,
            first_line_bytes: None,
            total_lines: None,
            size: version.size,
            version,
            digest: None,
        }
    }

    /// Adds a line, and returns true if it was the last one wanted.
    fn take(&mut self, number: u64, line: &mut Vec<u8>, length: u64, window: Window) -> bool {
        if number == window.first_line {
            self.first_line_bytes = Some(length);
        }
        if self.count == window.max_lines {
            return true;
        }
        let separator = u64::from(self.count > 0);
        if self.text.len() as u64 + separator + length > window.max_bytes {
            self.stopped_by_bytes = true;
            return true;
        }
        if self.count > 0 {
            self.text.push(b'\n');
        }
        self.text.append(line);
        self.count += 1;
        self.count == window.max_lines
    }
}

pub(super) fn list(path: &Path) -> Result<Vec<ListEntry>, Error> {
    must_be_usable(path)?;
    let held = beneath::open_folder(path).map_err(|error| beneath::failed(path, &error))?;
    let by_descriptor = beneath::by_descriptor(&held);
    let entries = std::fs::read_dir(by_descriptor.as_deref().unwrap_or(path));
    let entries = entries.map_err(|error| Error::from_io(path, &error))?;
    let named = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().ok()?;
        let is_folder = kind.is_dir() || (kind.is_symlink() && entry.path().is_dir());
        Some(ListEntry { name, is_folder })
    });
    Ok(named.collect())
}

pub(super) fn create_folder(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|error| Error::from_io(path, &error))
}

/// Removes the file or directory at `path`. A symbolic link itself is removed, not its target.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    let is_folder = std::fs::symlink_metadata(path).map(|facts| facts.is_dir());
    let removed = match is_folder {
        Ok(true) => std::fs::remove_dir(path),
        Ok(false) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.map_err(|error| Error::from_io(path, &error))
}

/// Returns the file version at a canonical path.
pub(super) fn version_at(path: &Path) -> Result<Version, Error> {
    let facts = std::fs::symlink_metadata(path).map_err(|error| Error::from_io(path, &error))?;
    Ok(version(path.to_path_buf(), &facts))
}

/// Returns a file's version.
pub(super) fn version_of(pinned: &Pinned) -> Result<Version, Error> {
    let path = pinned.path();
    let facts = pinned.metadata().map_err(|error| beneath::failed(path, &error))?;
    Ok(version(path.to_path_buf(), &facts))
}

pub(super) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    replace::rename(from, to).map_err(|error| Error::from_io(from, &error))
}
