//! Conversions between names and bytes, and paths for display.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Returns a name's bytes.
pub fn bytes(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// Returns the name with these bytes.
pub fn from_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}

/// Returns the path with these bytes.
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// Returns the name under which a variable is known.
pub fn variable(name: String) -> String {
    name
}

/// Returns the files that a program's name may mean.
pub fn of_program(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// Resolves all links of a path.
///
/// # Errors
/// A part does not exist or cannot be entered.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Returns a path for direct calls to the system.
pub fn verbatim(path: &Path) -> Cow<'_, Path> {
    Cow::Borrowed(path)
}

/// Returns a directory's path in the form for starting a process there.
pub fn to_start_in(folder: &Path) -> Cow<'_, Path> {
    Cow::Borrowed(folder)
}

/// Returns an absolute path as this program writes it, however a client wrote it.
pub fn given(path: String) -> String {
    path
}

/// Returns the path that the decoded path of a `file:` URI refers to.
pub fn from_uri(path: &str) -> &str {
    path
}

/// Returns an absolute path as the path of a `file:` URI, before it is encoded.
pub fn in_uri(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// Returns a path as models and clients see it.
pub fn shown(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
