//! Documents for agents that work in a project: their names and directories, and the part of them that fits. Pure.
//!
//! Invariant: later documents are closer to the work and take precedence over earlier ones, so they are the last to be cut.

use super::conversation::from_engine;
use super::{enclosed, tag};
use pintle_base::text::truncate::{border_before, size};
use std::path::{Path, PathBuf};

/// The maximum size of all documents together.
pub const MAX_BYTES: usize = 32 * 1024;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Returns the document names in a directory: for every model, and for those of a profile.
pub fn names(profile: &str) -> &'static [&'static str] {
    match profile {
        "anthropic" | "glm" => &["AGENTS.md", "CLAUDE.md"],
        "qwen" => &["AGENTS.md", "QWEN.md"],
        "gemini" => &["AGENTS.md", "GEMINI.md"],
        "openai" => &["AGENTS.md", ".codex/instructions.md"],
        _ => &["AGENTS.md"],
    }
}

/// Returns the directories from a root down to one below it; only the last one if it is not below.
pub fn folders(root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        cwd.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_owned).collect();
    folders.reverse();
    if folders.is_empty() { vec![cwd.to_owned()] } else { folders }
}

/// Returns the paths of possible documents, in order of precedence.
pub fn paths(personal: Option<&Path>, root: &Path, cwd: &Path, profile: &str) -> Vec<PathBuf> {
    let user = personal.map(|folder| folder.join("AGENTS.md"));
    let of_folder = |folder: PathBuf| names(profile).iter().map(move |name| folder.join(name));
    user.into_iter().chain(folders(root, cwd).into_iter().flat_map(of_folder)).collect()
}

/// Returns the paths of possible documents in the directories from below a root down to a touched path, in order of precedence. Directories
/// that the working directory is in are left out, since the prompt has their documents.
pub fn paths_below(root: &Path, cwd: &Path, touched: &Path, profile: &str) -> Vec<PathBuf> {
    let of_folder = |folder: &Path| names(profile).iter().map(|name| folder.join(name)).collect();
    let is_below = |folder: &&Path| folder.starts_with(root) && !cwd.starts_with(folder);
    let folders: Vec<&Path> = touched.ancestors().take_while(is_below).collect();
    folders.into_iter().rev().flat_map(|folder| -> Vec<PathBuf> { of_folder(folder) }).collect()
}

/// Returns a document's imports: the words after an `@` at the start of a word, outside of code. They need not be file paths.
pub fn imports(text: &str) -> Vec<&str> {
    let mut imports = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let marks = ["```", "~~~"].into_iter().find(|marks| start.starts_with(marks));
        match (fence, marks) {
            (Some(open), Some(marks)) if open == marks => fence = None,
            (None, Some(marks)) => fence = Some(marks),
            (Some(_), _) => {}
            // Every other part between backticks is code.
            (None, None) => {
                for part in line.split('`').step_by(2) {
                    let words = part.split_whitespace().filter_map(|word| word.strip_prefix('@'));
                    let paths = words
                        .map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']));
                    imports.extend(paths.filter(|path| !path.is_empty()));
                }
            }
        }
    }
    imports
}

/// Returns the message about documents that start to apply, since a call touched a file below their directories.
pub fn message(documents: &[Document]) -> String {
    let mut remaining = MAX_BYTES;
    let parts = documents.iter().rev().map(|document| {
        let part = part(document, remaining);
        remaining = remaining.saturating_sub(document.text.len());
        part
    });
    let mut parts: Vec<String> = parts.collect();
    parts.reverse();
    from_engine(format_args!(
        "these instructions are for directories that you have just worked in. Each applies to the files in its directory, including changes you have already made there, and takes precedence over those in parent directories.\n{}",
        parts.join("\n")
    ))
}

/// Returns the prompt layer; `None` without documents. Repeated documents appear once.
pub fn layer(documents: &[Document]) -> Option<String> {
    let mut unique: Vec<&Document> = Vec::new();
    for document in documents {
        let is_new = unique.iter().all(|other| other.text.trim() != document.text.trim());
        if is_new && !document.text.trim().is_empty() {
            unique.push(document);
        }
    }
    let mut remaining = MAX_BYTES;
    let mut parts: Vec<String> = Vec::new();
    for document in unique.into_iter().rev() {
        parts.push(part(document, remaining));
        remaining = remaining.saturating_sub(document.text.len());
    }
    parts.reverse();
    (!parts.is_empty()).then(|| {
        format!(
            "<project_documents>\nInstructions from the project and the user for agents. If two of them conflict, the later one applies; messages from the user in the conversation take precedence over all of them.\n{}\n</project_documents>",
            enclosed("project_documents", &parts.join("\n"))
        )
    })
}

/// Returns one document with its path, cut to a number of bytes.
pub fn part(document: &Document, max_bytes: usize) -> String {
    let path = document.path.to_string_lossy();
    tag("document", &[("path", &path)], &cut(&document.text, max_bytes, &path))
}

/// Returns a text that fits, or its start and a note about the rest. Lines are kept whole if possible.
pub fn cut(text: &str, max_bytes: usize, path: &str) -> String {
    let text = text.trim_end();
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let head = text.get(..border_before(text, max_bytes)).unwrap_or_default();
    let head = head.rfind('\n').and_then(|end| head.get(..end)).unwrap_or(head);
    let (shown, all) = (size(head.len() as u64), size(text.len() as u64));
    if head.is_empty() {
        return format!("[all {all} of {path} are omitted; read the file if it matters]");
    }
    format!(
        "{head}\n[cut: these are the first {shown} of {all} of {path}; read the file for the rest]"
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
            let got = paths(personal.map(Path::new), Path::new(root), Path::new(cwd), profile);
            let want: Vec<PathBuf> = want.into_iter().map(PathBuf::from).collect();
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn folders_below_have_documents_of_their_own() {
        for (name, cwd, touched, want) in [
            ("the working directory", "/w", "/w/a.rs", vec![]),
            ("below it", "/w", "/w/a/b/c.rs", vec!["/w/a/AGENTS.md", "/w/a/b/AGENTS.md"]),
            ("beside it", "/w/a", "/w/b/c.rs", vec!["/w/b/AGENTS.md"]),
            ("above it", "/w/a/b", "/w/a/c.rs", vec![]),
            ("outside", "/w", "/x/a/b.rs", vec![]),
        ] {
            let got = paths_below(Path::new("/w"), Path::new(cwd), Path::new(touched), "pi");
            // The path itself may be a directory.
            let touched = Path::new(touched);
            let got: Vec<_> = got.iter().filter(|path| !path.starts_with(touched)).collect();
            assert_eq!(got, want.iter().map(Path::new).collect::<Vec<_>>(), "{name}");
        }
    }

    #[test]
    fn imports_stand_behind_an_at_outside_of_code() {
        for (text, want) in [
            ("@RULES.md\n", vec!["RULES.md"]),
            ("See @docs/a.md, and @./b.md.", vec!["docs/a.md", "./b.md"]),
            ("- @~/own.md", vec!["~/own.md"]),
            ("mail me@example.org", vec![]),
            ("use `@Override` or `@x.md`", vec![]),
            ("`a` @b.md `c`", vec!["b.md"]),
            ("```\n@a.md\n```\n@b.md", vec!["b.md"]),
            ("~~~ts\n@a.md\n```\n@b.md\n~~~\n@c.md", vec!["c.md"]),
            ("@", vec![]),
        ] {
            assert_eq!(imports(text), want, "{text}");
        }
    }

    fn document(path: &str, text: &str) -> Document {
        Document { path: PathBuf::from(path), text: text.to_owned() }
    }

    #[test]
    fn the_nearest_document_is_the_last_to_be_cut() {
        let long = |c: &str| format!("{}\n", c.repeat(99)).repeat(200);
        let (top, deep) = (long("t"), long("d"));
        let layer_text = layer(&[document("/w/A", &top), document("/w/d/A", &deep)]).unwrap();
        assert!(layer_text.contains(deep.trim_end()), "the nearest is whole");
        assert!(layer_text.len() < MAX_BYTES + 1000, "{}", layer_text.len());
        let note = "of 19.5KB of /w/A; read the file for the rest]";
        assert!(layer_text.contains(note), "{layer_text}");
        let cut_line = layer_text.lines().find(|line| line.starts_with('t') && line.len() != 99);
        assert_eq!(cut_line, None, "no line is cut in the middle");

        let layer_text =
            layer(&[document("/w/A", "small"), document("/w/d/A", &deep.repeat(2))]).unwrap();
        assert!(layer_text.contains("[all 5B of /w/A are omitted"), "{layer_text}");
    }

    #[test]
    fn what_says_the_same_or_nothing_is_not_told_again() {
        for (name, documents, count) in [
            ("none", vec![], 0),
            ("blank", vec![document("/w/A", " \n")], 0),
            ("a link to another", vec![document("/w/A", "x"), document("/w/C", "x\n")], 1),
            ("two", vec![document("/w/A", "x"), document("/w/C", "y")], 2),
        ] {
            let layer_text = layer(&documents).unwrap_or_default();
            assert_eq!(layer_text.matches("<document path=").count(), count, "{name}");
        }
    }

    #[test]
    fn a_character_is_never_cut() {
        for max_bytes in 0..12 {
            let cut = cut("äöü äöü", max_bytes, "f");
            assert!(cut.contains("of f"), "{max_bytes}: {cut}");
        }
        assert_eq!(cut("fits", 4, "f"), "fits");
    }
}
