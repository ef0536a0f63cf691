//! Names that Windows does not take as they are written. Pure, and tested on every system.
//!
//! A device (`nul`, `com1.txt`) is not a file in the directory that the path names; a name with a colon is a hidden stream of another file;
//! dots and spaces at the end vanish, so that a name is another one than a rule has seen.

use std::path::Path;

/// Devices, in lower case; `com` and `lpt` are followed by a digit.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Prefixes behind which a path names a device or skips the checks of names.
const NAMESPACES: [&str; 4] = [r"\\.\", r"\\?\", "//./", "//?/"];

/// Returns why a path must not be used on Windows; `None` if it may.
pub fn refusal(path: &Path) -> Option<String> {
    let text = path.to_string_lossy();
    if let Some(namespace) = NAMESPACES.iter().find(|prefix| text.starts_with(**prefix)) {
        return Some(format!(
            "paths that start with {namespace} are not allowed; use a path such as C:/directory/file"
        ));
    }
    let rest = match text.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => text.get(2..).unwrap_or_default(),
        _ => &text,
    };
    rest.split(['/', '\\']).find_map(name_refusal)
}

/// Returns true for a path on another computer: `\\server\share` or `//server/share`.
pub fn is_share(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let mut start = text.chars();
    let is_separator = |c: Option<char>| matches!(c, Some('/' | '\\'));
    is_separator(start.next())
        && is_separator(start.next())
        && !matches!(start.next(), Some('.' | '?' | '/' | '\\') | None)
}

/// Returns true if a name in a path is longer than file systems on Windows take.
pub(super) fn has_long_name(path: &Path) -> bool {
    /// In UTF-16.
    const MAX_UNITS: usize = 255;
    path.to_string_lossy().split(['/', '\\']).any(|name| name.encode_utf16().count() > MAX_UNITS)
}

fn name_refusal(name: &str) -> Option<String> {
    if matches!(name, "" | "." | "..") {
        return None;
    }
    if name.contains(':') {
        return Some(format!("`{name}` names a stream of another file; use a name without `:`"));
    }
    if name.ends_with(['.', ' ']) {
        return Some(format!("Windows drops the end of `{name}`; use a name without it"));
    }
    is_device(name).then(|| format!("`{name}` is a device on Windows; use another name"))
}

/// Returns true if the last name of a path is a device: `nul`, `out/con.txt`.
pub fn is_device(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let base = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_numbered = ["com", "lpt"].iter().any(|device| {
        let digit = base.strip_prefix(device).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(digit.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    });
    is_numbered || DEVICES.contains(&base.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_on_other_computers_are_recognized() {
        for (path, want) in [
            (r"\\server\share\file", true),
            ("//server/share/file", true),
            (r"\/server\share", true),
            (r"\\10.0.0.1@8080\share", true),
            (r"C:\server\share", false),
            ("/c/server", false),
            ("a//b", false),
            (r"\\.\pipe\x", false),
            (r"\\?\C:\x", false),
            ("//", false),
            ("", false),
        ] {
            assert_eq!(is_share(Path::new(path)), want, "{path}");
        }
    }

    #[test]
    fn names_are_measured_in_units_of_utf_16() {
        for (name, count, want) in
            [("x", 255, false), ("x", 256, true), ("ü", 255, false), ("\u{1f600}", 128, true)]
        {
            let path = format!(r"C:\a/{}\b", name.repeat(count));
            assert_eq!(has_long_name(Path::new(&path)), want, "{name} {count}");
        }
    }

    #[test]
    fn devices_streams_and_vanishing_ends_are_refused() {
        for (path, want) in [
            (r"C:\work\src\main.rs", None),
            ("C:/work/../other/a b.txt", None),
            (r"\\server\share\file", None),
            ("src/console.rs", None),
            ("com10.txt", None),
            ("null", None),
            (".env", None),
            ("a..b", None),
            ("..", None),
            ("nul", Some("device")),
            (r"C:\work\NUL", Some("device")),
            ("src/Aux.rs", Some("device")),
            ("com1", Some("device")),
            ("LPT9.tar.gz", Some("device")),
            ("com²", Some("device")),
            ("con .txt", Some("device")),
            ("a/CONIN$", Some("device")),
            ("file.txt:hidden", Some("stream")),
            (".env::$DATA", Some("stream")),
            (r"C:\work\.git:x\config", Some("stream")),
            (".env.", Some("drops the end")),
            (".git /config", Some("drops the end")),
            ("a...", Some("drops the end")),
            (r"\\.\pipe\x", Some(r"\\.\")),
            (r"\\?\C:\work", Some(r"\\?\")),
            ("//./C:/work", Some("//./")),
        ] {
            let found = refusal(Path::new(path));
            let is_right = match (&found, want) {
                (None, None) => true,
                (Some(found), Some(want)) => found.contains(want),
                (Some(_), None) | (None, Some(_)) => false,
            };
            assert!(is_right, "{path}: {found:?}");
        }
    }
}
