//! Attributes file changes during a command, to the command or to others.
//!
//! The kernel's log of the paths that the command changed and the editors' log of saves are conclusive. Without the kernel's log, the
//! command's text decides: a command that only reads changed nothing, and one that only runs file tools changed the files in its arguments,
//! since it ends before anyone else can save. The author of any other change stays unknown.

use super::state_of_content;
use crate::workspace::Workspace;
use pintle_base::text::encoding;
use pintle_exec::scan::Care;
use pintle_exec::write_log::Changed;
use pintle_exec::{DocumentLog, DocumentStep, StepBy, WriteLog};
use pintle_protocol::files::FileState;
use pintle_session::store::blobs::Blobs;
use pintle_tools::permissions::command::{Analysis, Target, locate};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Who made a change that appeared while a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Author {
    Command,
    /// An earlier call's command, by its number in [`OutlivingEvidence`](super::outliving::OutlivingEvidence).
    Earlier(usize),
    Other,
    Unknown,
}

/// A command that is about to run, and what editors do meanwhile.
#[derive(Debug)]
pub(crate) struct Running {
    pub(super) command: String,
    documents: Option<Box<dyn DocumentLog>>,
}

/// What is known of the changes while a command ran.
#[derive(Debug)]
pub(super) struct Evidence {
    writes: WriteLog,
    /// By its text, the command writes no files but the named ones.
    only_reads: bool,
    /// True if, judging by its text, the command ends before anyone else can save.
    is_brief: bool,
    /// The files and directories in the command's text, canonical.
    named: BTreeSet<PathBuf>,
    steps: BTreeMap<PathBuf, Vec<DocumentStep>>,
}

impl Running {
    /// Starts collecting evidence for a command.
    pub(super) fn new(place: &Workspace, command: &str) -> Self {
        Self { command: command.to_owned(), documents: place.env.follow_documents() }
    }

    /// Waits for editors to report that a text was saved which the command has found in its file.
    pub(super) async fn wait_for_saves(&self, place: &Workspace, writes: &WriteLog) {
        let Some(documents) = &self.documents else { return };
        for path in place.env.unsaved(Path::new("/")) {
            if let Some(found) = writes.found(&path) {
                documents.saved(&path, &found).await;
            }
        }
    }

    /// Returns how to look at the files before and after the command. If it may write, what others have changed must be known exactly, so
    /// that it is not taken for the command's work.
    pub(super) fn care(&self) -> Care {
        if changes_nothing(&self.command) { Care::Watch } else { Care::Metadata }
    }

    /// Returns the evidence after the command has ended.
    pub(super) async fn evidence(&self, place: &Workspace, writes: &WriteLog) -> Evidence {
        let (cwd, home) = (&place.folders.cwd, place.folders.home.as_deref());
        let mut evidence = Evidence::of_text(&self.command, cwd, home);
        let roots = place.roots().await;
        let named: Vec<PathBuf> = evidence.named.iter().cloned().collect();
        let found = place.env.canonicalize_all(&named).await;
        // A mention of a whole root is not evidence: most commands work on it in some way.
        evidence.named =
            found.into_iter().flatten().filter(|path| !is_above(path, &roots)).collect();
        evidence.steps =
            self.documents.as_ref().map(|documents| documents.steps()).unwrap_or_default();
        evidence.writes = writes.clone();
        evidence
    }
}

/// Returns true if a command, by its text, changes no files.
pub(super) fn changes_nothing(command: &str) -> bool {
    let evidence = Evidence::of_text(command, Path::new("/"), None);
    evidence.only_reads && evidence.named.is_empty()
}

/// Returns true if a command runs nothing but programs that change files and end at once.
fn is_brief(analysis: &Analysis) -> bool {
    const FILE_TOOLS: [&str; 13] = [
        "chmod", "cp", "install", "ln", "mkdir", "mv", "patch", "rm", "rmdir", "sed", "tee",
        "touch", "truncate",
    ];
    const WAITING: [&str; 4] = ["read", "sleep", "tail", "wait"];
    analysis.opaque.is_none()
        && analysis.programs.iter().all(|program| {
            let name = program.name().unwrap_or_default();
            program.is_transparent
                || program.words.is_empty()
                || FILE_TOOLS.contains(&name)
                || (program.is_known_safe() && !WAITING.contains(&name))
        })
}

fn is_above(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| root.starts_with(path))
}

impl Evidence {
    /// Returns the evidence in a command's text. The mentioned paths are not resolved yet.
    fn of_text(command: &str, cwd: &Path, home: Option<&Path>) -> Self {
        let analysis = Analysis::parse(command);
        let only_reads = analysis.opaque.is_none()
            && !analysis.writes.contains(&Target::Unknown)
            && analysis.programs.iter().all(|program| {
                program.is_transparent || program.words.is_empty() || program.is_known_safe()
            });
        let named = if only_reads {
            let bases = analysis.bases(cwd, home);
            let targets = analysis.writes.iter().filter_map(Target::path);
            targets.flat_map(|target| locate(target, &bases, home)).collect()
        } else {
            analysis.paths(cwd, home)
        };
        Self {
            writes: WriteLog::default(),
            only_reads,
            is_brief: is_brief(&analysis),
            named: named.into_iter().filter(|path| path != cwd).collect(),
            steps: BTreeMap::new(),
        }
    }

    /// Returns evidence without the command's text.
    pub(super) fn of_log(writes: WriteLog, steps: BTreeMap<PathBuf, Vec<DocumentStep>>) -> Self {
        Self { writes, only_reads: true, is_brief: false, named: BTreeSet::new(), steps }
    }

    /// Returns who changed a file on disk.
    pub(super) fn author(&self, path: &Path) -> Author {
        match self.writes.changed(path) {
            Changed::Yes => Author::Command,
            Changed::No => Author::Other,
            Changed::Unknown => {
                let is_named = path.ancestors().any(|above| self.named.contains(above));
                match (is_named, self.is_brief, self.only_reads) {
                    (true, true, _) => Author::Command,
                    (false, _, true) => Author::Other,
                    (true, false, _) | (false, _, false) => Author::Unknown,
                }
            }
        }
    }

    /// Returns a file's changes in order, each with the resulting state.
    pub(super) fn changes(
        &self,
        blobs: &Blobs,
        path: &Path,
        was: Option<&FileState>,
        is: Option<&FileState>,
        is_unsaved: bool,
    ) -> Vec<(Author, Option<FileState>)> {
        let on_disk = self.author(path);
        let mut changes: Vec<(Author, Option<FileState>)> = Vec::new();
        let mut add = |author: Author, after: Option<FileState>| match changes.last_mut() {
            Some((last, then)) if *last == author => *then = after,
            _ => changes.push((author, after)),
        };
        let steps = self.steps.get(path).map(Vec::as_slice).unwrap_or_default();
        // The content that the command found comes from an editor that does not report saves, or from another program.
        let found = self.writes.found(path).filter(|_| steps.is_empty());
        let mode = was.or(is).and_then(|state| state.mode);
        // Following began before the first look at the file.
        let seen = steps.iter().rposition(|step| is_text(was, blobs, &step.after));
        for step in steps.iter().skip(seen.map_or(0, |at| at + 1)) {
            let author = match step.by {
                StepBy::Person => Author::Other,
                StepBy::Disk => on_disk,
            };
            let after = match is {
                Some(is) if is_text(Some(is), blobs, &step.after) => is.clone(),
                _ => state_of_content(blobs, step.after.as_bytes(), mode),
            };
            add(author, Some(after));
        }
        let found = found.map(|found| state_of_content(blobs, &found, mode));
        if found.is_some() && found.as_ref() != was {
            changes.push((Author::Other, found));
        }
        let last = changes.last().map_or(was, |(_, after)| after.as_ref());
        if last != is {
            // Commands neither see nor change unsaved text.
            let author = if is_unsaved { Author::Other } else { on_disk };
            match changes.last_mut() {
                Some((same, then)) if *same == author => *then = is.cloned(),
                _ => changes.push((author, is.cloned())),
            }
        }
        changes
    }
}

/// Returns true if a file in this state contains a given text, in any encoding.
fn is_text(state: Option<&FileState>, blobs: &Blobs, text: &str) -> bool {
    let Some(state) = state else { return false };
    if state.size == text.len() as u64 {
        return state.sha256 == pintle_session::store::blobs::hash(text.as_bytes());
    }
    // Few encodings need more than four times the bytes of UTF-8, or less than a quarter.
    let (size, length) = (state.size / 4, text.len() as u64 / 4);
    if state.is_lost || size > text.len() as u64 || length > state.size {
        return false;
    }
    let Ok(bytes) = blobs.get(&state.sha256) else { return false };
    encoding::decode(&bytes).is_ok_and(|found| {
        found.text.strip_prefix('\u{feff}').unwrap_or(&found.text)
            == text.strip_prefix('\u{feff}').unwrap_or(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Name, the kernel's log, the editor's steps, the present content, whether it is unsaved, and the expected changes.
    type Row<'a> = (&'a str, Changed, Vec<(StepBy, String)>, &'a str, bool, Vec<(Author, &'a str)>);

    /// The file starts as `a`; `-` is a missing file.
    #[test]
    fn each_change_has_the_author_that_is_known() {
        use Author::{Command, Other, Unknown};
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path());
        let state =
            |text: &str| (text != "-").then(|| state_of_content(&blobs, text.as_bytes(), None));
        let person = |text: &str| (StepBy::Person, text.to_owned());
        let disk = |text: &str| (StepBy::Disk, text.to_owned());
        let path = Path::new("/w/f");
        let rows: Vec<Row<'_>> = vec![
            ("the command", Changed::Yes, vec![], "b", false, vec![(Command, "b")]),
            ("another program", Changed::No, vec![], "b", false, vec![(Other, "b")]),
            ("author unknown", Changed::Unknown, vec![], "b", false, vec![(Unknown, "b")]),
            ("deleted, author unknown", Changed::Unknown, vec![], "-", false, vec![(Unknown, "-")]),
            ("typed", Changed::Unknown, vec![], "b", true, vec![(Other, "b")]),
            ("saved", Changed::Unknown, vec![person("b")], "b", false, vec![(Other, "b")]),
            (
                "saved, then changed by the command",
                Changed::Yes,
                vec![person("b")],
                "c",
                false,
                vec![(Other, "b"), (Command, "c")],
            ),
            (
                "changed by the command, read again, then saved",
                Changed::Yes,
                vec![disk("b"), person("c")],
                "c",
                false,
                vec![(Command, "b"), (Other, "c")],
            ),
            (
                "saved over what the command had written",
                Changed::Yes,
                vec![person("b")],
                "b",
                false,
                vec![(Other, "b")],
            ),
            (
                "read again by the editor",
                Changed::Unknown,
                vec![disk("b")],
                "b",
                false,
                vec![(Unknown, "b")],
            ),
            ("saved, and typed on", Changed::Yes, vec![person("b")], "c", true, vec![(Other, "c")]),
            (
                "saved before the first look",
                Changed::Yes,
                vec![person("a")],
                "c",
                false,
                vec![(Command, "c")],
            ),
        ];
        for (name, changed, steps, is, is_unsaved, want) in rows {
            let writes = WriteLog::default();
            if changed != Changed::Unknown {
                writes.watch();
            }
            if changed == Changed::Yes {
                writes.add(path.to_owned(), None);
            }
            let steps = steps
                .into_iter()
                .map(|(by, after)| DocumentStep { by, after: Arc::new(after) })
                .collect();
            let evidence = Evidence {
                writes,
                only_reads: false,
                is_brief: false,
                named: BTreeSet::new(),
                steps: BTreeMap::from([(path.to_owned(), steps)]),
            };
            let got =
                evidence.changes(&blobs, path, state("a").as_ref(), state(is).as_ref(), is_unsaved);
            let want: Vec<_> =
                want.into_iter().map(|(author, text)| (author, state(text))).collect();
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn without_a_log_the_text_of_the_command_decides() {
        use Author::{Command, Other, Unknown};
        for (command, named, other) in [
            ("sed -i s/a/b/ f", Command, Unknown),
            ("cp x f && chmod +x f", Command, Unknown),
            ("echo x > f", Command, Other),
            ("cat f", Other, Other),
            ("sleep 4", Other, Other),
            ("sleep 4; sed -i s/a/b/ f", Unknown, Unknown),
            ("sleep 4 > f", Unknown, Other),
            ("make f", Unknown, Unknown),
            ("python3 x.py f", Unknown, Unknown),
            ("\"$tool\" f", Unknown, Unknown),
        ] {
            let evidence = Evidence::of_text(command, Path::new("/w"), None);
            let named_paths = evidence.named.iter().cloned().collect::<Vec<_>>();
            let author = |path: &str| evidence.author(Path::new(path));
            assert_eq!(
                (author("/w/f"), author("/w/g")),
                (named, other),
                "{command}: {named_paths:?}"
            );
        }
    }

    #[test]
    fn what_the_command_found_is_somebody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path());
        let state = |text: &str| Some(state_of_content(&blobs, text.as_bytes(), None));
        let path = Path::new("/w/f");
        let evidence = Evidence::of_text("make", Path::new("/w"), None);
        evidence.writes.watch();
        evidence.writes.add(path.to_owned(), Some(b"b".to_vec()));
        let got = evidence.changes(&blobs, path, state("a").as_ref(), state("c").as_ref(), false);
        assert_eq!(got, [(Author::Other, state("b")), (Author::Command, state("c"))]);
    }
}
