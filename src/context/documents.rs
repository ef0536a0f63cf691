//! Documents for agents that work in a project: which files they are, and how much of them is told. Pure.
//!
//! Invariant: later ones stand nearer to the work and hold against earlier ones, so they are the last to be cut.

use super::tag;
use crate::text::truncate::{border_before, size};
use std::path::{Path, PathBuf};

/// So much of all documents together is told.
pub const MAX_BYTES: usize = 32 * 1024;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// The names of documents in a folder: for every model, and for those of a profile.
pub fn names(profile: &str) -> &'static [&'static str] {
    match profile {
        "anthropic" => &["AGENTS.md", "CLAUDE.md"],
        "gemini" => &["AGENTS.md", "GEMINI.md"],
        "openai" => &["AGENTS.md", ".codex/instructions.md"],
        _ => &["AGENTS.md"],
    }
}

/// The folders from a root down to one below it; the last alone if it is not below.
pub fn folders(root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        cwd.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_owned).collect();
    folders.reverse();
    if folders.is_empty() { vec![cwd.to_owned()] } else { folders }
}

/// Where documents may be, in the order in which they are told.
pub fn places(personal: Option<&Path>, root: &Path, cwd: &Path, profile: &str) -> Vec<PathBuf> {
    let own = personal.map(|folder| folder.join("AGENTS.md"));
    let of_folder = |folder: PathBuf| names(profile).iter().map(move |name| folder.join(name));
    own.into_iter().chain(folders(root, cwd).into_iter().flat_map(of_folder)).collect()
}

/// The layer of the prompt; nothing where there are no documents. What says the same as one before it is told once.
pub fn layer(documents: &[Document]) -> Option<String> {
    let mut told: Vec<&Document> = Vec::new();
    for document in documents {
        let is_new = told.iter().all(|other| other.text.trim() != document.text.trim());
        if is_new && !document.text.trim().is_empty() {
            told.push(document);
        }
    }
    let mut room = MAX_BYTES;
    let mut parts: Vec<String> = Vec::new();
    for document in told.into_iter().rev() {
        parts.push(part(document, room));
        room = room.saturating_sub(document.text.len());
    }
    parts.reverse();
    (!parts.is_empty()).then(|| {
        format!(
            "<project_documents>\nWhat people have written down for agents that work here. Where two of them differ, the later one \
            holds; what the person says in the conversation counts more than all of them.\n{}\n</project_documents>",
            parts.join("\n")
        )
    })
}

/// One document with its path, cut to so many bytes.
pub fn part(document: &Document, room: usize) -> String {
    let path = document.path.to_string_lossy();
    tag("document", &[("path", &path)], &cut(&document.text, room, &path))
}

/// A text that fits, or its beginning and a note that says what is missing. Whole lines are kept where there are any.
pub fn cut(text: &str, room: usize, path: &str) -> String {
    let text = text.trim_end();
    if text.len() <= room {
        return text.to_owned();
    }
    let head = text.get(..border_before(text, room)).unwrap_or_default();
    let head = head.rfind('\n').and_then(|end| head.get(..end)).unwrap_or(head);
    let (kept, all) = (size(head.len() as u64), size(text.len() as u64));
    if head.is_empty() {
        return format!("[all {all} of {path} are left out here; read the file when it matters]");
    }
    format!(
        "{head}\n[cut: these are the first {kept} of {all} of {path}; read the file for the rest]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_is_later_and_each_family_has_its_own_names() {
        for (name, personal, root, cwd, profile, want) in [
            ("any model", None, "/w", "/w", "pi", vec!["/w/AGENTS.md"]),
            (
                "from the root down, one's own first",
                Some("/c"),
                "/w",
                "/w/a/b",
                "pi",
                vec!["/c/AGENTS.md", "/w/AGENTS.md", "/w/a/AGENTS.md", "/w/a/b/AGENTS.md"],
            ),
            ("anthropic", None, "/w", "/w", "anthropic", vec!["/w/AGENTS.md", "/w/CLAUDE.md"]),
            ("gemini", None, "/w", "/w", "gemini", vec!["/w/AGENTS.md", "/w/GEMINI.md"]),
            (
                "openai",
                None,
                "/w",
                "/w",
                "openai",
                vec!["/w/AGENTS.md", "/w/.codex/instructions.md"],
            ),
            ("a root elsewhere", None, "/x", "/w/a", "pi", vec!["/w/a/AGENTS.md"]),
        ] {
            let got = places(personal.map(Path::new), Path::new(root), Path::new(cwd), profile);
            let want: Vec<PathBuf> = want.into_iter().map(PathBuf::from).collect();
            assert_eq!(got, want, "{name}");
        }
    }

    fn document(path: &str, text: &str) -> Document {
        Document { path: PathBuf::from(path), text: text.to_owned() }
    }

    #[test]
    fn the_nearest_document_is_the_last_to_be_cut() {
        let long = |c: &str| format!("{}\n", c.repeat(99)).repeat(200);
        let (top, deep) = (long("t"), long("d"));
        let told = layer(&[document("/w/A", &top), document("/w/d/A", &deep)]).unwrap();
        assert!(told.contains(deep.trim_end()), "the nearest is whole");
        assert!(told.len() < MAX_BYTES + 1000, "{}", told.len());
        let note = "of 19.5KB of /w/A; read the file for the rest]";
        assert!(told.contains(note), "{told}");
        let cut_line = told.lines().find(|line| line.starts_with('t') && line.len() != 99);
        assert_eq!(cut_line, None, "no line is cut in the middle");

        let told =
            layer(&[document("/w/A", "small"), document("/w/d/A", &deep.repeat(2))]).unwrap();
        assert!(told.contains("[all 5B of /w/A are left out here"), "{told}");
    }

    #[test]
    fn what_says_the_same_or_nothing_is_not_told_again() {
        for (name, documents, count) in [
            ("none", vec![], 0),
            ("blank", vec![document("/w/A", " \n")], 0),
            ("a link to another", vec![document("/w/A", "x"), document("/w/C", "x\n")], 1),
            ("two", vec![document("/w/A", "x"), document("/w/C", "y")], 2),
        ] {
            let told = layer(&documents).unwrap_or_default();
            assert_eq!(told.matches("<document path=").count(), count, "{name}");
        }
    }

    #[test]
    fn a_character_is_never_cut() {
        for room in 0..12 {
            let cut = cut("äöü äöü", room, "f");
            assert!(cut.contains("of f"), "{room}: {cut}");
        }
        assert_eq!(cut("fits", 4, "f"), "fits");
    }
}
