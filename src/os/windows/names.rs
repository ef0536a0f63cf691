//! Conversions between names and bytes, and paths for display.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf, Prefix};
use windows_sys::Win32::Storage::FileSystem::GetShortPathNameW;

/// Returns a name's bytes: UTF-8, with unpaired surrogates as three bytes each.
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
#[expect(clippy::needless_pass_by_value, reason = "Unix returns the same name")]
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

/// Resolves all links and short names of a path. The result has the prefix `\\?\` only if Windows reads the path differently without it. A
/// link from this computer to another one is not followed: Windows would log in there.
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
    path.canonicalize().map(plain)
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

/// Returns a path without the prefix `\\?\`, however long it is, if it means the same then. A device or a name with a dot at its end does
/// not.
fn plain(path: PathBuf) -> PathBuf {
    let Some(text) = path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) else { return path };
    let plain = match text.strip_prefix(r"UNC\") {
        Some(rest) => PathBuf::from(format!(r"\\{rest}")),
        None => PathBuf::from(text),
    };
    let is_same = plain.is_absolute()
        && std::path::absolute(&plain).is_ok_and(|read| read.as_os_str() == plain.as_os_str());
    if is_same { plain } else { path }
}

/// The length from which Windows' older functions reject a path, in UTF-16 units: that for directories, which is the smaller one.
const MAX_UNITS: usize = 248;

/// Returns a path for direct calls to Windows, which the standard library does not wrap: with the prefix `\\?\` if it is long.
pub fn verbatim(path: &Path) -> Cow<'_, Path> {
    if path.as_os_str().encode_wide().count() < MAX_UNITS {
        return Cow::Borrowed(path);
    }
    let Ok(absolute) = std::path::absolute(path) else { return Cow::Borrowed(path) };
    match absolute.to_str() {
        Some(text) if text.starts_with(r"\\?\") || text.starts_with(r"\\.\") => {
            Cow::Owned(absolute)
        }
        Some(text) => Cow::Owned(match text.strip_prefix(r"\\") {
            Some(rest) => PathBuf::from(format!(r"\\?\UNC\{rest}")),
            None => PathBuf::from(format!(r"\\?\{text}")),
        }),
        None => Cow::Borrowed(path),
    }
}

/// Returns a directory's path in the form for starting a process there. Windows does not accept a long path for that, so short names replace
/// the long ones, if the directories have them.
pub fn to_start_in(folder: &Path) -> Cow<'_, Path> {
    if folder.as_os_str().encode_wide().count() < MAX_UNITS {
        return Cow::Borrowed(folder);
    }
    in_short_names(folder).map_or(Cow::Borrowed(folder), Cow::Owned)
}

/// Returns a path with the short names of its parts, as far as they have such names; `None` for a missing file.
#[expect(unsafe_code, reason = "the system's interface for short names")]
fn in_short_names(path: &Path) -> Option<PathBuf> {
    let long: Vec<u16> = verbatim(path).as_os_str().encode_wide().chain([0]).collect();
    let mut short = vec![0_u16; long.len()];
    let room = u32::try_from(short.len()).ok()?;
    // Safety: the name ends with a zero, and the buffer has as many units as stated.
    let length = unsafe { GetShortPathNameW(long.as_ptr(), short.as_mut_ptr(), room) };
    let short = short.get(..usize::try_from(length).ok()?).filter(|short| !short.is_empty())?;
    Some(plain(OsString::from_wide(short).into()))
}

/// Returns true for a path on another computer, and for a link's target there.
fn is_share(path: &Path) -> bool {
    let Some(Component::Prefix(prefix)) = path.components().next() else { return false };
    matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..))
}

/// Returns an absolute path as this program writes it, however a client wrote it: with `\` and the drive in upper case. The file system is
/// not read, so the case of names stays. A relative path is unchanged.
pub fn given(path: String) -> String {
    let written = plain(PathBuf::from(&path));
    let is_absolute = written.is_absolute();
    match std::path::absolute(&written) {
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
    fn a_prefix_stays_only_where_the_path_means_another_one_without_it() {
        let long = format!(r"C:\work{}", r"\directory".repeat(40));
        for (path, want) in [
            (r"\\?\UNC\server\share\file", r"\\server\share\file"),
            (r"\\server\share", r"\\server\share"),
            (r"C:\work", r"C:\work"),
            (r"\\?\C:\work", r"C:\work"),
            (r"\\?\C:\", r"C:\"),
            (&format!(r"\\?\{long}"), &long),
            (r"\\?\C:\work\a.", r"\\?\C:\work\a."),
            (r"\\?\C:\work\a ", r"\\?\C:\work\a "),
            (r"\\?\C:\work\nul", r"\\?\C:\work\nul"),
            (r"\\?\C:\work\..\a", r"\\?\C:\work\..\a"),
            (r"\\?\Volume{0}\a", r"\\?\Volume{0}\a"),
        ] {
            assert_eq!(plain(PathBuf::from(path)).as_os_str(), want, "{path}");
        }
        for (path, want) in [
            (r"C:\work", r"C:\work"),
            (&long, &format!(r"\\?\{long}")),
            (&long.replace('\\', "/"), &format!(r"\\?\{long}")),
            (&format!(r"\\?\{long}"), &format!(r"\\?\{long}")),
            (&long.replace("C:", r"\\server\share"), &long.replace("C:", r"\\?\UNC\server\share")),
        ] {
            assert_eq!(verbatim(Path::new(path)).as_os_str(), want, "{path}");
        }
    }

    #[test]
    fn short_names_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let real = canonicalize(folder.path()).unwrap();
        for name in [".environment-of-production", "a directory with spaces", "plain.txt"] {
            let path = real.join(name);
            fs::write(&path, "text").unwrap();
            // Without short names on the file system, this is the same path.
            let short = in_short_names(&path).unwrap();
            assert_eq!(fs::read_to_string(&short).unwrap(), "text", "{}", short.display());
            assert_eq!(canonicalize(&short).unwrap(), path, "{}", short.display());
        }
        assert_eq!(in_short_names(&real.join("missing")), None);
    }

    #[test]
    fn paths_on_other_computers_are_recognized() {
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
