//! Conversions between names and bytes, and paths for display.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

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

/// Resolves all links and short names of a path. Without the prefix `\\?\`, unless the path needs it. A link from this computer to
/// another one is not followed: Windows would log in there.
///
/// # Errors
/// A part does not exist or cannot be entered, or leads to another computer through a link.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    /// The maximum number of links that a path may lead through, as on Linux.
    const MAX_LINKS: u32 = 40;
    let mut links_left = MAX_LINKS;
    if let Some(share) = share_behind_links(path, &mut links_left) {
        let message = format!("a link leads to {}; use that path", share.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    if links_left == 0 {
        return Err(io::Error::other("too many symbolic links"));
    }
    dunce::canonicalize(path).map(plain)
}

/// Returns the path on another computer to which a link on a path of this one leads. Looks at nothing behind such a link, and stops after
/// so many links.
fn share_behind_links(path: &Path, links_left: &mut u32) -> Option<PathBuf> {
    if is_share(path) {
        return None;
    }
    let mut parts: Vec<&Path> = path.ancestors().collect();
    parts.reverse();
    parts.into_iter().find_map(|part| {
        let target = part.parent()?.join(fs::read_link(part).ok()?);
        if is_share(&target) {
            return Some(target);
        }
        *links_left = links_left.checked_sub(1)?;
        share_behind_links(&target, links_left)
    })
}

/// Returns a resolved path on another computer in its usual form.
fn plain(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\UNC\")) {
        Some(rest) => PathBuf::from(format!(r"\\{rest}")),
        None => path,
    }
}

/// Returns true for a path on another computer, and for a link's target there.
fn is_share(path: &Path) -> bool {
    let Some(Component::Prefix(prefix)) = path.components().next() else { return false };
    matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..))
}

/// Returns an absolute path as this program writes it, however a client wrote it: with `\` and the drive in upper case. The file system is
/// not read, so the case of names stays. A relative path is unchanged.
pub fn given(path: String) -> String {
    let written = dunce::simplified(Path::new(&path));
    let is_absolute = written.is_absolute();
    match std::path::absolute(written) {
        Ok(plain) if is_absolute => {
            let mut plain = plain.to_string_lossy().into_owned();
            if let (Some(drive), Some(":")) = (plain.get(..1), plain.get(1..2)) {
                let drive = drive.to_ascii_uppercase();
                plain.replace_range(..1, &drive);
            }
            plain
        }
        _ => path,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_on_other_computers_keep_their_usual_form() {
        for (path, want) in [
            (r"\\?\UNC\server\share\file", r"\\server\share\file"),
            (r"\\server\share", r"\\server\share"),
            (r"C:\work", r"C:\work"),
        ] {
            assert_eq!(plain(PathBuf::from(path)), Path::new(want), "{path}");
        }
        for (path, want) in [
            (r"\\server\share\file", true),
            ("//server/share/file", true),
            (r"\\?\UNC\server\share", true),
            (r"\\?\C:\work", false),
            (r"C:\work", false),
            ("work", false),
        ] {
            assert_eq!(is_share(Path::new(path)), want, "{path}");
        }
    }
}
