//! Long outputs: files in a session's directory to which its events refer, read in chunks. Also the user's edits to proposed changes, from
//! the answer until they are applied.
//!
//! Invariant: a name refers to a file in that directory and nowhere else.
#![expect(clippy::disallowed_methods, reason = "store is where session files are touched")]

use super::Error;
use pintle_base::private_files;
use pintle_os::replace;
use pintle_protocol::ids::ItemId;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The directory for a session's long outputs.
pub const FOLDER: &str = "artifacts";

/// The maximum length, in characters, of the original file name within an edit's file name.
const MAX_NAME_CHARS: usize = 40;

/// A piece of a long output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text. Invalid UTF-8 becomes U+FFFD.
    pub text: String,
    /// The start offset, in bytes.
    pub offset: u64,
    /// The end offset, in bytes.
    pub end: u64,
    /// The full output's size, in bytes.
    pub size: u64,
}

/// Stores a long output; returns its name.
///
/// # Errors
/// The directory cannot be written.
pub fn save(artifacts: &Path, text: &str) -> Result<String, Error> {
    let path = save_as(artifacts, "output-", ".log", text.as_bytes())?;
    Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// Stores a proposed file's text after the user's edit; returns the path it was stored in.
///
/// # Errors
/// The directory cannot be written.
pub fn save_edit(
    artifacts: &Path,
    item: &ItemId,
    path: &str,
    text: &str,
) -> Result<PathBuf, Error> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().map(plain).take(MAX_NAME_CHARS).collect();
    save_as(artifacts, &edit_prefix(item), &format!("-{name}"), text.as_bytes())
}

/// Returns the stored edits for a call, except those already removed.
pub fn edits_of(artifacts: &Path, item: &ItemId) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(artifacts) else { return Vec::new() };
    let prefix = edit_prefix(item);
    let paths = entries.flatten().map(|entry| entry.path());
    let mut edits: Vec<PathBuf> = paths
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        })
        .collect();
    edits.sort();
    edits
}

/// Removes a stored edit. One that cannot be removed stays until the session is deleted.
pub fn remove_edit(edit: &Path) {
    let _ = std::fs::remove_file(edit);
}

fn edit_prefix(item: &ItemId) -> String {
    format!("edit-{}-", item.as_str().chars().map(plain).collect::<String>())
}

/// Replaces a character that may be invalid in file names.
fn plain(char: char) -> char {
    if char.is_alphanumeric() || matches!(char, '.' | '_' | '-') { char } else { '_' }
}

/// Stores bytes in a new file; returns its path.
///
/// # Errors
/// The directory cannot be written.
pub(super) fn save_as(
    artifacts: &Path,
    prefix: &str,
    suffix: &str,
    bytes: &[u8],
) -> Result<PathBuf, Error> {
    let store = || -> io::Result<PathBuf> {
        private_files::create_private_folder(artifacts)?;
        let mut builder = tempfile::Builder::new();
        let mut file = builder.prefix(prefix).suffix(suffix).tempfile_in(artifacts)?;
        file.write_all(bytes)?;
        replace::keep(file).map(|(_, path)| path)
    };
    store().map_err(Error::io(artifacts))
}

/// Copies the outputs of one session that another lacks: as hard links if the file system supports them, since outputs never change.
///
/// # Errors
/// The disk failed.
pub fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let (from, to) = (from.join(FOLDER), to.join(FOLDER));
    let copy = || -> io::Result<()> {
        let outputs = match std::fs::read_dir(&from) {
            Ok(outputs) => outputs,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        private_files::create_private_folder(&to)?;
        for output in outputs {
            let output = output?;
            let target = to.join(output.file_name());
            match std::fs::hard_link(output.path(), &target) {
                Ok(()) => {}
                // Copying a file onto itself would empty it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(_) => drop(std::fs::copy(output.path(), &target)?),
            }
        }
        Ok(())
    };
    copy().map_err(Error::io(&to))
}

/// Reads a chunk of an output. A character on a boundary belongs to the chunk in which it starts.
///
/// # Errors
/// The output does not exist or cannot be read.
pub(super) fn read(
    session: &Path,
    name: &str,
    offset: u64,
    max_bytes: u64,
) -> Result<Piece, Error> {
    let path = path_of(session, name)?;
    let mut file = private_files::open(&path).map_err(Error::io(&path))?;
    let size = file.metadata().map_err(Error::io(&path))?.len();
    let offset = offset.min(size);
    file.seek(SeekFrom::Start(offset)).map_err(Error::io(&path))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).map_err(Error::io(&path))?;
    // A character that is cut at the end is left for the next piece, unless it is the only one.
    let whole = match std::str::from_utf8(&bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        Ok(_) | Err(_) => bytes.len(),
    };
    bytes.truncate(whole);
    let end = offset + bytes.len() as u64;
    Ok(Piece { text: String::from_utf8_lossy(&bytes).into_owned(), offset, end, size })
}

fn path_of(session: &Path, name: &str) -> Result<PathBuf, Error> {
    let folder = session.join(FOLDER);
    let path = folder.join(name);
    let is_in_it = path.parent() == Some(&folder) && path.file_name() == Some(name.as_ref());
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file());
    if is_in_it && is_file { Ok(path) } else { Err(Error::NoOutput(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_sessions_share_stays_whole_when_it_is_given_again() {
        let [one, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let shared = save(&one.path().join(FOLDER), "shared").unwrap();
        copy(one.path(), other.path()).unwrap();
        let new = save(&other.path().join(FOLDER), "new").unwrap();
        copy(other.path(), one.path()).unwrap();
        for (name, text) in [(&shared, "shared"), (&new, "new")] {
            for folder in [&one, &other] {
                let path = folder.path().join(FOLDER).join(name);
                assert_eq!(std::fs::read_to_string(path).unwrap(), text);
            }
        }
    }

    #[test]
    fn an_edit_is_found_by_its_call_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join(FOLDER);
        let (one, ten) = (ItemId::new("item-1"), ItemId::new("item-10"));
        assert!(edits_of(&folder, &one).is_empty(), "no directory yet");
        save_edit(&folder, &ten, "/p/a.txt", "of another call").unwrap();
        for path in
            ["/p/a.txt", r"C:\p\a.txt", "/p/\u{1f980}:*?", &format!("/p/{}", "n".repeat(300))]
        {
            let edit = save_edit(&folder, &one, path, "mine").unwrap();
            assert_eq!(edits_of(&folder, &one), std::slice::from_ref(&edit), "{path}");
            assert_eq!(std::fs::read_to_string(&edit).unwrap(), "mine", "{path}");
            remove_edit(&edit);
        }
        assert!(edits_of(&folder, &one).is_empty());
    }

    #[test]
    fn outputs_are_read_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let name = save(&folder.path().join(FOLDER), "one é two").unwrap();
        for (what, offset, max, text, end) in [
            ("all", 0, 100, "one é two", 10),
            ("the beginning", 0, 3, "one", 3),
            ("a cut character waits", 0, 5, "one ", 4),
            ("from there", 4, 3, "é ", 7),
            ("the end", 8, 100, "wo", 10),
            ("beyond", 99, 100, "", 10),
            ("no smaller than a character", 4, 1, "\u{fffd}", 5),
        ] {
            let piece = read(folder.path(), &name, offset, max).unwrap();
            assert_eq!((piece.text.as_str(), piece.end, piece.size), (text, end, 10), "{what}");
        }
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        save(&folder.path().join(FOLDER), "x").unwrap();
        std::fs::write(folder.path().join("journal.jsonl"), "secret").unwrap();
        pintle_testing::files::symlink("../journal.jsonl", folder.path().join(FOLDER).join("link"));
        for name in
            ["", ".", "..", "../journal.jsonl", "/etc/passwd", "link", "gone", "a/../x", "a\0b"]
        {
            let got = read(folder.path(), name, 0, 10);
            assert!(matches!(got, Err(Error::NoOutput(_))), "{name}: {got:?}");
        }
    }
}
