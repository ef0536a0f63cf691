//! Spellings that file systems take for one name: in another case, composed or decomposed. Pure.

use pintle_os::System;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// True if the file systems of this system usually ignore case and composition.
pub const IGNORES_CASE: bool = !matches!(System::CURRENT, System::Linux);

/// How two names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Byte by byte.
    Exact,
    /// Composed and decomposed characters are alike.
    Composed,
    /// Case is ignored too, and so are invisible characters.
    Folded,
}

impl Spelling {
    /// Returns the text in the form in which it is compared with others.
    pub(super) fn normalize(self, text: &str) -> String {
        match self {
            Self::Exact => text.to_owned(),
            Self::Composed => text.nfc().collect(),
            Self::Folded => fold_text(text),
        }
    }
}

/// Returns a text as file systems that ignore case, or compose characters, compare it. Characters that some of them ignore are left out.
pub(super) fn fold_text(text: &str) -> String {
    // A command names thousands of paths, and hardly a name is not ASCII.
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfkc().filter(|c| !is_ignored(*c)).flat_map(char::to_lowercase).collect()
    }
}

/// Characters that HFS+ leaves out of a name's comparison.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

/// Returns true if `path` is `folder` or below it, when case and composition are ignored.
pub(super) fn is_below_in_any_spelling(path: &Path, folder: &Path) -> bool {
    let fold = |path: &Path| {
        let names = path.components().map(|part| fold_text(&part.as_os_str().to_string_lossy()));
        names.collect::<Vec<String>>()
    };
    fold(path).starts_with(&fold(folder))
}

/// Links in the root directory of macOS, each to the directory with the same name in `/private`.
const PRIVATE: [&str; 3] = ["etc", "tmp", "var"];

/// Returns the path behind macOS' links at the root for a pattern that begins with one of them: `/private/tmp/*` for `/tmp/*`.
pub(super) fn behind_links(pattern: &str) -> Option<String> {
    let rest = pattern.strip_prefix('/')?;
    let first = rest.split('/').next().unwrap_or_default();
    PRIVATE.contains(&fold_text(first).as_str()).then(|| format!("/private/{rest}"))
}

/// Leaves out `private` at the start of a folded absolute path, so that `/private/etc/a` counts as `/etc/a`.
pub(super) fn without_private<'a, 'b>(parts: &'b [&'a str]) -> &'b [&'a str] {
    match parts {
        ["private", rest @ ..] if rest.first().is_some_and(|name| PRIVATE.contains(name)) => rest,
        _ => parts,
    }
}
