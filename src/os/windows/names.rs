//! Conversions between names and bytes, and paths for display.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the bytes of a name: UTF-8, with unpaired surrogates as three bytes each.
pub fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// Returns the name with these bytes. What is not UTF-8 is replaced: no file has such a name.
pub fn from_bytes(bytes: Vec<u8>) -> OsString {
    match String::from_utf8(bytes) {
        Ok(name) => name.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into(),
    }
}

/// Returns the path with these bytes.
pub fn path(bytes: &[u8]) -> Cow<'_, Path> {
    match std::str::from_utf8(bytes) {
        Ok(path) => Cow::Borrowed(Path::new(path)),
        Err(_) => Cow::Owned(from_bytes(bytes.to_vec()).into()),
    }
}

/// Returns the name under which a variable is known: in upper case, since Windows ignores case.
pub fn variable(name: String) -> String {
    name.to_uppercase()
}

/// Returns the possible file names of a program: the name itself if its extension is executable, otherwise the name with each such
/// extension.
pub fn of_program(name: &str) -> Vec<String> {
    const EXTENSIONS: [&str; 4] = [".exe", ".com", ".cmd", ".bat"];
    let lower = name.to_lowercase();
    if EXTENSIONS.iter().any(|extension| lower.ends_with(extension)) {
        return vec![name.to_owned()];
    }
    EXTENSIONS.iter().map(|extension| format!("{name}{extension}")).collect()
}

/// Resolves all links and short names of a path. Without the prefix `\\?\`, unless the path needs it.
///
/// # Errors
/// A part does not exist or cannot be entered.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Returns the path that the decoded path of a `file:` URI refers to: `C:/a` for `/C:/a`.
pub fn from_uri(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => path.get(1..).unwrap_or(path),
        _ => path,
    }
}

/// Returns an absolute path as the path of a `file:` URI, before it is encoded: `/C:/a` for `C:\a`.
pub fn in_uri(path: &str) -> Cow<'_, str> {
    let path = path.replace('\\', "/");
    Cow::Owned(if path.starts_with('/') { path } else { format!("/{path}") })
}

/// Returns a path as models and clients see it: with `/`, which every program here takes, because shells eat `\`.
pub fn shown(path: &Path) -> Cow<'_, str> {
    Cow::Owned(path.to_string_lossy().replace('\\', "/"))
}
