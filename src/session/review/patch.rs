//! The agent's changes as a patch for `git apply`: texts by lines, other files whole.
//!
//! User changes outside the agent's hunks are not included; those inside a hunk are, since the lines depend on each other. Source of the
//! format: git's documentation (`git-diff`, "Generating patch text") and `base85.c`.

use super::Review;
use super::content::{Content, line_changes, lines_of, text_of};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pintle_base::text::line_diff::Change;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;

/// Lines around a change.
const CONTEXT: usize = 3;

/// A patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// The patch for `git apply` in its directory; empty if nothing changed.
    pub text: String,
    /// Changed files outside of that directory, which are not in the patch.
    pub left_out: Vec<String>,
}

/// The starting point of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The content before the agent's first change: includes all its changes that were not undone.
    Start,
    /// The accepted content: includes only open changes.
    Kept,
}

impl Review {
    /// Returns the agent's changes below a directory.
    pub fn patch(&self, root: &str, since: Since) -> Patch {
        let files = self.files.iter().map(|(path, file)| {
            let before = match since {
                Since::Start => &file.origin,
                Since::Kept => &file.baseline,
            };
            (path.as_str(), before.as_ref(), file.now.as_ref())
        });
        between(root, files)
    }
}

/// Returns a patch from one state of a directory's files to another. Each file is given by its path.
pub fn between<'a>(
    root: &str,
    files: impl IntoIterator<Item = (&'a str, Option<&'a Content>, Option<&'a Content>)>,
) -> Patch {
    let mut patch = Patch::default();
    for (path, before, after) in files {
        let mut text = String::new();
        let relative = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str);
        file_patch(&mut text, relative.unwrap_or(path), before, after);
        if relative.is_none() && !text.is_empty() {
            patch.left_out.push(path.to_owned());
        } else {
            patch.text.push_str(&text);
        }
    }
    patch
}

fn file_patch(out: &mut String, path: &str, before: Option<&Content>, after: Option<&Content>) {
    let (old_mode, new_mode) = (mode(before), mode(after));
    let is_same = |a: &Content, b: &Content| a.bytes == b.bytes;
    let is_equal = match (before, after) {
        (Some(before), Some(after)) => is_same(before, after),
        (None, None) => true,
        _ => false,
    };
    if is_equal && old_mode == new_mode {
        return;
    }
    let (old_name, new_name) = (quoted("a/", path), quoted("b/", path));
    let _ = writeln!(out, "diff --git {old_name} {new_name}");
    let _ = match (old_mode, new_mode) {
        (None, Some(mode)) => writeln!(out, "new file mode {mode}"),
        (Some(mode), None) => writeln!(out, "deleted file mode {mode}"),
        (Some(old), Some(new)) if old != new => writeln!(out, "old mode {old}\nnew mode {new}"),
        _ => Ok(()),
    };
    if is_equal {
        return;
    }
    let same_mode = old_mode.filter(|_| old_mode == new_mode).map(|mode| format!(" {mode}"));
    let _ = writeln!(
        out,
        "index {}..{}{}",
        blob_id(before),
        blob_id(after),
        same_mode.unwrap_or_default()
    );
    if text_of(before).is_some() && text_of(after).is_some() {
        let name = |content: Option<&Content>, name: &str| match content {
            None => "/dev/null".to_owned(),
            // A name with a space ends with a tab, so that its end is unambiguous.
            Some(_) if name.contains(' ') => format!("{name}\t"),
            Some(_) => name.to_owned(),
        };
        let hunks = hunks(before, after);
        if !hunks.is_empty() {
            let _ =
                write!(out, "--- {}\n+++ {}\n", name(before, &old_name), name(after, &new_name));
            out.push_str(&hunks);
        }
    } else {
        out.push_str("GIT binary patch\n");
        literal(out, after.map_or(&[], |content| &content.bytes));
        literal(out, before.map_or(&[], |content| &content.bytes));
    }
}

/// Returns git's mode: it distinguishes only executable files and others.
fn mode(content: Option<&Content>) -> Option<&'static str> {
    content.map(|content| if content.mode & 0o100 == 0 { "100644" } else { "100755" })
}

/// Returns a path as git writes it: quoted if it has special characters.
fn quoted(prefix: &str, path: &str) -> String {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.bytes().all(is_plain) {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for byte in path.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            _ if is_plain(byte) => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Returns git's name of a content, which binary patches require.
fn blob_id(content: Option<&Content>) -> String {
    let Some(content) = content else { return "0".repeat(40) };
    let mut digest = ring::digest::Context::new(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY);
    digest.update(format!("blob {}\0", content.bytes.len()).as_bytes());
    digest.update(&content.bytes);
    let mut out = String::with_capacity(40);
    for byte in digest.finish().as_ref() {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn hunks(before: Option<&Content>, after: Option<&Content>) -> String {
    let (old, new) = (lines_of(before), lines_of(after));
    let changes = line_changes(before, after);
    let mut out = String::new();
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        let near = rest.windows(2).take_while(|pair| match pair {
            [a, b] => b.old.start - a.old.end <= 2 * CONTEXT,
            _ => false,
        });
        let (group, behind) = rest.split_at(near.count() + 1);
        rest = behind;
        hunk(&mut out, &old, &new, first, group);
    }
    out
}

fn hunk(out: &mut String, old: &[&str], new: &[&str], first: &Change, group: &[Change]) {
    let last = group.last().unwrap_or(first);
    let lead = first.old.start.min(CONTEXT);
    let trail = (old.len() - last.old.end).min(CONTEXT);
    let old_range = first.old.start - lead..last.old.end + trail;
    let new_range = first.new.start - lead..last.new.end + trail;
    let _ = writeln!(out, "@@ -{} +{} @@", counted(&old_range), counted(&new_range));
    let mut at = old_range.start;
    for change in group {
        signed(out, ' ', old, &(at..change.old.start));
        signed(out, '-', old, &change.old);
        signed(out, '+', new, &change.new);
        at = change.old.end;
    }
    signed(out, ' ', old, &(at..old_range.end));
}

fn signed(out: &mut String, sign: char, lines: &[&str], range: &Range<usize>) {
    for line in lines.get(range.clone()).unwrap_or_default() {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Returns a range in a patch's form: from 1, or the previous line for an empty range.
fn counted(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    format!("{start},{}", range.len())
}

/// Writes bytes in git's binary form: compressed, 52 per line, in base 85.
fn literal(out: &mut String, bytes: &[u8]) {
    const ALPHABET: &[u8; 85] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    const LINE: usize = 52;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing into memory cannot fail.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    let _ = writeln!(out, "literal {}", bytes.len());
    for line in packed.chunks(LINE) {
        let length = u8::try_from(line.len()).unwrap_or_default();
        out.push(char::from(if length <= 26 { b'A' + length - 1 } else { b'a' + length - 27 }));
        for group in line.chunks(4) {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(group) {
                *to = *from;
            }
            let mut number = u32::from_be_bytes(word) as usize;
            let mut digits = ['0'; 5];
            for digit in digits.iter_mut().rev() {
                *digit = ALPHABET.get(number % 85).copied().map_or('0', char::from);
                number /= 85;
            }
            out.extend(digits);
        }
        out.push('\n');
    }
    out.push('\n');
}

#[cfg(test)]
mod tests;
