//! The files in a patch while its sections are applied to them in order, before anything is written. Pure.

use super::{Act, What};
use crate::change::{change_of, of_removal, spliced};
use pintle_base::text::fuzzy;
use pintle_base::text::patch::{self, Fuzz, Hunk, Misplaced};
use pintle_exec::{After, Before, Rewrites};
use pintle_protocol::diff::{FileChange, FileOp};
use std::path::PathBuf;

pub(super) struct Tree<'a> {
    files: Vec<File<'a>>,
}

struct File<'a> {
    path: &'a PathBuf,
    /// The path as the model wrote it.
    name: &'a str,
    before: Option<&'a [u8]>,
    now: Option<Vec<u8>>,
    /// The path from which it was moved.
    origin: Option<usize>,
    /// True if the file was moved away.
    is_moved: bool,
    /// The report if the file has only one update; several are reported together.
    told: Option<FileChange>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        paths: &'a [PathBuf],
        names: &'a [String],
        before: &'a [Option<Before>],
    ) -> Self {
        let files = paths.iter().zip(names).zip(before).map(|((path, name), before)| {
            let before = before.as_ref().map(|before| before.content.as_slice());
            let now = before.map(<[u8]>::to_vec);
            File { path, name, before, now, origin: None, is_moved: false, told: None }
        });
        Self { files: files.collect() }
    }

    fn file(&mut self, at: usize) -> Result<&mut File<'a>, String> {
        self.files.get_mut(at).ok_or_else(|| "the patch lost a file".to_owned())
    }

    /// Applies one operation to a file, and reports it.
    pub(super) fn act(
        &mut self,
        act: &Act,
        at: usize,
        to: Option<usize>,
    ) -> Result<String, String> {
        let name = &act.path.text;
        let file = self.file(at)?;
        match &act.what {
            What::Add(content) => {
                let letter = if file.now.is_some() { 'M' } else { 'A' };
                (file.now, file.told) = (Some(content.clone().into_bytes()), None);
                Ok(format!("{letter} {name}"))
            }
            What::Delete => {
                file.take()?;
                file.told = None;
                Ok(format!("D {name}"))
            }
            What::Update(hunks) => {
                let note = file.update(hunks)?;
                let Some(to) = to.filter(|to| *to != at) else {
                    return Ok(format!("M {name}{note}"));
                };
                let (content, told) = (file.take()?, file.told.take());
                file.is_moved = true;
                let target = self.file(to)?;
                let new_name = target.name;
                if target.now.is_some() {
                    return Err(format!(
                        "Cannot move {name} to {new_name}: the target exists. Delete it first, or choose another path."
                    ));
                }
                (target.now, target.told, target.origin) = (Some(content), told, Some(at));
                Ok(format!("R {name} -> {new_name}{note}"))
            }
        }
    }

    /// Returns the resulting state and the report of each file.
    pub(super) fn finish(self) -> Rewrites {
        let mut rewrites = Rewrites::default();
        for file in &self.files {
            let origin = file.origin.and_then(|origin| self.files.get(origin));
            rewrites.changes.extend(file.change(origin));
        }
        rewrites.after = self
            .files
            .into_iter()
            .map(|file| match file.now {
                now if now.as_deref() == file.before => After::Keep,
                Some(content) => After::Write(content.into()),
                None => After::Remove,
            })
            .collect();
        rewrites
    }
}

impl File<'_> {
    fn take(&mut self) -> Result<Vec<u8>, String> {
        self.now.take().ok_or_else(|| format!("File not found: {}", self.name))
    }

    /// Applies hunks, and returns which differences were ignored.
    fn update(&mut self, hunks: &[Hunk]) -> Result<String, String> {
        let content = self.take()?;
        if hunks.is_empty() {
            self.now = Some(content);
            return Ok(String::new());
        }
        let is_first = self.before == Some(&content);
        let mut note = String::new();
        let rewrite = spliced(self.name, self.path, content, |body| {
            let placed =
                patch::apply(body, hunks).map_err(|reason| misplaced(self.name, body, &reason))?;
            note = fuzz_note(&placed.fuzz);
            Ok(placed.splices)
        })?;
        self.told = rewrite.change.filter(|_| is_first);
        self.now = Some(rewrite.content.into_bytes());
        Ok(note)
    }

    /// Returns the report; `None` for a file that was moved away, since its new path reports it.
    fn change(&self, origin: Option<&File<'_>>) -> Option<FileChange> {
        let Some(now) = &self.now else {
            return self
                .before
                .filter(|_| !self.is_moved)
                .map(|before| of_removal(self.path, before));
        };
        let before = origin.map_or(self.before, |origin| origin.before);
        let change = self.told.clone().or_else(|| change_of(self.path, before, now));
        let Some(origin) = origin else { return change };
        let old_path = Some(origin.path.to_string_lossy().into_owned());
        let path = self.path.to_string_lossy().into_owned();
        Some(FileChange { op: FileOp::Move, path, old_path, ..change.unwrap_or_else(unchanged) })
    }
}

fn unchanged() -> FileChange {
    FileChange {
        op: FileOp::Move,
        path: String::new(),
        old_path: None,
        diff: String::new(),
        added: 0,
        removed: 0,
        first_changed_line: None,
        words: Vec::new(),
    }
}

/// Lists the hunks that were found only by ignoring differences.
fn fuzz_note(fuzz: &[Fuzz]) -> String {
    let notes = (1..).zip(fuzz).filter_map(|(number, fuzz)| {
        let what = match fuzz {
            Fuzz::None => return None,
            Fuzz::TrailingSpace => "white space at line ends",
            Fuzz::EdgeSpace => "white space around lines",
            Fuzz::Folded => "quotes, dashes, spaces or accents that look alike",
        };
        Some(format!("hunk {number} matched ignoring {what}"))
    });
    let notes: Vec<String> = notes.collect();
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
}

fn misplaced(name: &str, body: &str, reason: &Misplaced) -> String {
    let below = |line: &usize| match line {
        0 => String::new(),
        line => format!(" below line {line}"),
    };
    match reason {
        Misplaced::NoHint { hunk, hint, below: line } => format!(
            "Cannot apply hunk {hunk} to {name}: no line `{hint}` was found{}. The text after @@ must be a line of the file.",
            below(line)
        ),
        Misplaced::NoLines { hunk, lines, below: line } => {
            let sought = lines.join("\n");
            let near = fuzzy::closest(body, &sought).map_or_else(String::new, |near| {
                let fuzzy::Closest { first_line, last_line, percent } = near;
                format!("\nThe closest lines are {first_line}-{last_line} ({percent}% similar): read them and try again.")
            });
            format!(
                "Cannot apply hunk {hunk} to {name}: these lines were not found{}:\n{sought}{near}",
                below(line)
            )
        }
        Misplaced::Ambiguous { hunk, lines } => {
            let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
            format!(
                "Cannot apply hunk {hunk} to {name}: its lines occur more than once (lines {}). Add neighbouring lines, or a line from above the change after @@.",
                lines.join(", ")
            )
        }
        Misplaced::Identical => {
            format!("No changes made to {name}. The patch produced identical content.")
        }
    }
}
