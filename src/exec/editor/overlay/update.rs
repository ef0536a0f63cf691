//! Changes to files of which an editor has some open: made through the editor if its text is newer, on disk otherwise.
//!
//! Text typed meanwhile is merged with the change. On a conflict the typed text wins and nothing is changed.

use super::pull::{Purpose, pull};
use super::{Overlay, version};
use crate::change::{look, take_back};
use crate::editor::documents::{Document, Documents};
use crate::{After, Before, DecideAll, Error, FileContent, Rewrites, UpdatedAll, Version};
use pintle_base::text::merge::{Labels, merge};
use pintle_base::text::positions;
use pintle_os::names;
use pintle_protocol::document::{ApplyEditParams, DocumentEdit};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The edit timeout, which may include formatting and saving.
pub(super) const EDIT_TIMEOUT: Duration = Duration::from_secs(15);

/// Version of a document whose file the editor has yet to create.
pub(super) const NOT_CREATED: i64 = 0;

/// The maximum number of times a change is merged again with newly typed text. People type one key at a time; an
/// editor answers within a few milliseconds.
const MAX_ATTEMPTS: usize = 20;

/// A file to change, on disk or in an editor.
#[derive(Debug)]
enum ChangeTarget {
    Disk(PathBuf),
    Editor(Box<OpenDocument>),
}

/// A document that its editor changes.
#[derive(Debug)]
struct OpenDocument {
    path: PathBuf,
    document: Document,
    /// `None` if the editor creates the file.
    before: Option<Before>,
}

/// A file's state before the change, as far as it is known.
#[derive(Debug)]
enum KnownState {
    /// To be read from the disk.
    OnDisk,
    /// The text in the editor; `None` if the editor creates the file.
    InEditor(Option<Before>),
}

/// The decision about a document.
#[derive(Debug)]
enum DocumentDecision {
    Keep,
    Text(String),
    Remove,
}

/// The decisions, with the data needed to revert the changes on the disk.
#[derive(Debug)]
struct Decisions {
    wanted: Vec<DocumentDecision>,
    disk: Vec<(Option<Before>, After)>,
}

pub(super) async fn all(
    overlay: &Overlay,
    paths: &[PathBuf],
    decide: DecideAll,
    cancel: &CancellationToken,
) -> Result<UpdatedAll, Error> {
    let env = overlay.inner.as_ref();
    for path in paths {
        pull(overlay, path, Purpose::Change).await?;
    }
    // Without open documents there is no editor to wait for.
    if !is_any_open(overlay, paths).await? {
        return env.update_all(paths, decide, cancel).await;
    }
    let _one_at_a_time = overlay.documents.changing().await;
    let mut places = Vec::new();
    for path in paths {
        places.push(place(overlay, path, cancel).await?);
    }
    let disk_paths = |place: &ChangeTarget| match place {
        ChangeTarget::Disk(path) => Some(path.clone()),
        ChangeTarget::Editor(_) => None,
    };
    let disk: Vec<PathBuf> = places.iter().filter_map(disk_paths).collect();
    if disk.len() == places.len() {
        return env.update_all(paths, decide, cancel).await;
    }
    let (tx, decided) = tokio::sync::oneshot::channel();
    let open: Vec<KnownState> = places
        .iter()
        .map(|place| match place {
            ChangeTarget::Disk(_) => KnownState::OnDisk,
            ChangeTarget::Editor(open) => KnownState::InEditor(open.before.clone()),
        })
        .collect();
    let label = label(&places);
    let decide: DecideAll = Box::new(move |on_disk| {
        let (rewrites, decided) = split(open, on_disk, decide)?;
        // The receiver waits below.
        let _ = tx.send(decided);
        Ok(rewrites)
    });
    let on_disk = if disk.is_empty() {
        let decided = tokio::task::spawn_blocking(move || decide(Vec::new())).await;
        let Rewrites { changes, .. } =
            decided.map_err(|_| Error::Cancelled)?.map_err(Error::Refused)?;
        UpdatedAll { changes, before: Vec::new(), after: Vec::new() }
    } else {
        env.update_all(&disk, decide, cancel).await?
    };
    let decided = decided.await.map_err(|_| Error::Cancelled)?;
    let edits = places.iter().filter_map(|place| match place {
        ChangeTarget::Disk(_) => None,
        ChangeTarget::Editor(open) => Some(open.as_ref()),
    });
    let edits: Vec<(&OpenDocument, DocumentDecision)> = edits.zip(decided.wanted).collect();
    let made = if cancel.is_cancelled() {
        Err(Error::Cancelled)
    } else {
        in_editors(overlay, &edits, &label, cancel).await
    };
    match made {
        Ok(after) => Ok(together(&places, on_disk, after)),
        Err(error) => {
            for (path, (before, after)) in disk.iter().zip(&decided.disk) {
                take_back(env, path, before.as_ref(), after).await;
            }
            Err(error)
        }
    }
}

async fn is_any_open(overlay: &Overlay, paths: &[PathBuf]) -> Result<bool, Error> {
    for path in paths {
        let path = overlay.inner.canonicalize(path).await?;
        if overlay.documents.get(&path).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns a human-readable edit description.
fn label(places: &[ChangeTarget]) -> String {
    let name = |place: &ChangeTarget| match place {
        ChangeTarget::Disk(_) => None,
        ChangeTarget::Editor(open) => {
            open.path.file_name().map(|name| name.to_string_lossy().into_owned())
        }
    };
    let names: Vec<String> = places.iter().filter_map(name).collect();
    format!("pintle: {}", names.join(", "))
}

/// Decides whether a file is changed in the editor or on disk.
async fn place(
    overlay: &Overlay,
    path: &Path,
    cancel: &CancellationToken,
) -> Result<ChangeTarget, Error> {
    let Overlay { inner, documents, .. } = overlay;
    let on_disk = || ChangeTarget::Disk(path.to_path_buf());
    let canonical = inner.canonicalize(path).await?;
    let Some(document) = documents.get(&canonical) else { return Ok(on_disk()) };
    let takes_edits = documents.takes_edits(&document);
    if document.is_dirty {
        if !takes_edits {
            return Err(Error::Refused(format!(
                "{} has unsaved changes in an editor that accepts no edits. Ask the user to save or discard them first.",
                names::shown(path)
            )));
        }
        let version = version(canonical.clone(), &document.text);
        let before = Before { content: document.text.as_bytes().to_vec(), version };
        return Ok(ChangeTarget::Editor(Box::new(OpenDocument {
            path: canonical,
            document,
            before: Some(before),
        })));
    }
    if !takes_edits {
        return Ok(on_disk());
    }
    // An editor that shows something else (another encoding, or an earlier content) reloads the file by itself.
    match look(inner.as_ref(), &canonical, cancel).await? {
        Some(before) if before.content == document.text.as_bytes() => {
            Ok(ChangeTarget::Editor(Box::new(OpenDocument {
                path: canonical,
                document,
                before: Some(before),
            })))
        }
        None if document.version == NOT_CREATED => {
            Ok(ChangeTarget::Editor(Box::new(OpenDocument {
                path: canonical,
                document,
                before: None,
            })))
        }
        Some(_) | None => Ok(on_disk()),
    }
}

/// Has all files decided on, and separates the changes on the disk from those in editors.
fn split(
    open: Vec<KnownState>,
    on_disk: Vec<Option<Before>>,
    decide: DecideAll,
) -> Result<(Rewrites, Decisions), String> {
    let is_open: Vec<bool> =
        open.iter().map(|known| matches!(known, KnownState::InEditor(_))).collect();
    let mut seen = on_disk.clone().into_iter();
    let all = open
        .into_iter()
        .map(|known| match known {
            KnownState::InEditor(before) => before,
            KnownState::OnDisk => seen.next().flatten(),
        })
        .collect();
    let Rewrites { after, changes } = decide(all)?;
    let mut decided = Decisions { wanted: Vec::new(), disk: Vec::new() };
    let mut before_on_disk = on_disk.into_iter();
    let mut disk = Vec::new();
    for (after, is_open) in after.into_iter().zip(is_open) {
        if !is_open {
            decided.disk.push((before_on_disk.next().flatten(), after.clone()));
            disk.push(after);
            continue;
        }
        decided.wanted.push(match after {
            After::Keep => DocumentDecision::Keep,
            After::Remove => DocumentDecision::Remove,
            After::Write(content) => DocumentDecision::Text(text(content)?),
        });
    }
    Ok((Rewrites { after: disk, changes }, decided))
}

fn text(content: FileContent) -> Result<String, String> {
    String::from_utf8(content.into_bytes()).map_err(|_| {
        "The file is open in an editor, and the new content is not UTF-8 text. Ask the user to close it first."
            .to_owned()
    })
}

/// Makes the changes of documents; returns in which state each is now.
async fn in_editors(
    overlay: &Overlay,
    wanted: &[(&OpenDocument, DocumentDecision)],
    label: &str,
    cancel: &CancellationToken,
) -> Result<Vec<Option<Version>>, Error> {
    for (open, wanted) in wanted {
        if matches!(wanted, DocumentDecision::Remove) && open.document.is_dirty {
            overlay.must_be_saved(&open.path).await?;
        }
    }
    let texts = wanted.iter().filter_map(|(open, wanted)| match wanted {
        DocumentDecision::Keep | DocumentDecision::Remove => None,
        DocumentDecision::Text(text) => {
            Some(Edit { open, now: open.document.clone(), text: Arc::new(text.clone()) })
        }
    });
    let is_edit = |edit: &Edit<'_>| edit.open.before.is_none() || *edit.text != *edit.now.text;
    let mut edits: Vec<Edit<'_>> = texts.filter(is_edit).collect();
    for edit in edits.iter().filter(|edit| edit.open.before.is_none()) {
        if let Some(folder) = edit.open.path.parent() {
            overlay.inner.create_folder(folder).await?;
        }
    }
    make(&overlay.documents, &mut edits, label, cancel).await?;
    let mut after = Vec::new();
    for (open, wanted) in wanted {
        after.push(match wanted {
            DocumentDecision::Keep => open.before.as_ref().map(|before| before.version.clone()),
            DocumentDecision::Remove => {
                overlay.inner.remove(&open.path).await?;
                None
            }
            DocumentDecision::Text(text) => {
                let made = edits.iter().find(|edit| edit.open.path == open.path);
                let text = made.map_or(text.as_str(), |edit| edit.text.as_str());
                Some(now(overlay, open, text).await?)
            }
        });
    }
    Ok(after)
}

/// Returns a document's version after a change to this text: the file's version if the text was saved unchanged.
///
/// # Errors
/// Fails if the document was closed without saving the change.
async fn now(overlay: &Overlay, open: &OpenDocument, text: &str) -> Result<Version, Error> {
    let is_closed = overlay.documents.get(&open.path).is_none();
    if (is_closed || !open.document.is_dirty)
        && let Ok(Some(file)) =
            look(overlay.inner.as_ref(), &open.path, &CancellationToken::new()).await
        && file.content == text.as_bytes()
    {
        return Ok(file.version);
    }
    if is_closed {
        return Err(Error::Refused(format!(
            "{} was closed in the editor, and the change was not saved. Read the file and try again.",
            names::shown(&open.path)
        )));
    }
    Ok(version(open.path.clone(), text))
}

/// An edit of a document on its way.
#[derive(Debug)]
struct Edit<'a> {
    open: &'a OpenDocument,
    /// The document that the text was made for.
    now: Document,
    text: Arc<String>,
}

impl Edit<'_> {
    fn params(&self) -> DocumentEdit {
        DocumentEdit {
            path: self.now.name.clone(),
            version: self.now.version,
            changes: positions::edits(&self.now.text, &self.text),
            save: !self.now.is_dirty,
        }
    }

    /// Returns true if the document still has the text from before the edit.
    fn is_lost(&self, documents: &Documents) -> bool {
        let is_change = self.text != self.now.text;
        is_change && documents.get(&self.open.path).is_some_and(|known| known.text == self.now.text)
    }

    /// Merges the change with text typed meanwhile.
    fn rebase(&mut self, documents: &Documents) -> Result<(), Error> {
        let path = names::shown(&self.open.path);
        let Some(typed) = documents.get(&self.open.path) else {
            let what = format!(
                "{path} was closed in the editor in the meantime. Read the file and try again."
            );
            return Err(Error::Refused(what));
        };
        let labels = Labels { ours: "agent", base: "before", theirs: "editor" };
        let merged = merge(&self.now.text, &self.text, &typed.text, labels);
        if merged.conflicts.is_empty() {
            (self.text, self.now) = (Arc::new(merged.text), typed);
            return Ok(());
        }
        let lines = merged.conflicts.iter().map(|lines| match lines.len() {
            0 | 1 => format!("{}", lines.start + 1),
            _ => format!("{}-{}", lines.start + 1, lines.end),
        });
        let lines = lines.collect::<Vec<_>>().join(", ");
        Err(Error::Refused(format!(
            "{path} is being edited by the user: the same lines ({lines}) have changed in the editor. Nothing was changed. Read the file again before you decide."
        )))
    }
}

/// Has editors make edits: of all documents or of none, as far as one editor has them all open.
async fn make(
    documents: &Documents,
    edits: &mut [Edit<'_>],
    label: &str,
    cancel: &CancellationToken,
) -> Result<(), Error> {
    let Some(owner) = edits.first().map(|edit| edit.now.owner) else { return Ok(()) };
    if edits.iter().any(|edit| edit.now.owner != owner) {
        let what = "the files are open in different editors. Change them one at a time.";
        return Err(Error::Refused(what.to_owned()));
    }
    for _ in 0..MAX_ATTEMPTS {
        let params = ApplyEditParams {
            label: label.to_owned(),
            edits: edits.iter().map(Edit::params).collect(),
        };
        let asked = tokio::time::timeout(EDIT_TIMEOUT, documents.ask(owner, params));
        let asked = tokio::select! {
            biased;
            asked = asked => asked,
            // The editor may have applied the edit already; it is notified that the edit is no longer needed.
            () = cancel.cancelled() => return Err(Error::Cancelled),
        };
        let answer = match asked {
            Ok(Ok(answer)) => answer,
            Ok(Err(message)) => {
                return Err(Error::Refused(format!(
                    "The editor did not make the change: {message}"
                )));
            }
            Err(_) => {
                let what = "The editor did not answer, so the change may or may not have been made. Read the file again.";
                return Err(Error::Refused(what.to_owned()));
            }
        };
        if answer.is_applied {
            for edit in edits.iter() {
                let told = answer.versions.iter().find(|told| told.path == edit.now.name);
                let version = told.map_or(edit.now.version + 1, |told| told.version);
                if !documents.reaches(&edit.open.path, version).await || edit.is_lost(documents) {
                    return Err(Error::Refused(format!(
                        "The editor confirmed the change of {} but did not report it, so its text is unchanged as far as known. Read the file again before you decide.",
                        names::shown(&edit.open.path)
                    )));
                }
            }
            for edit in edits.iter() {
                // There was no time to type since the save, so a difference comes from a formatter.
                let is_saved = documents.get(&edit.open.path).is_some_and(|known| !known.is_dirty);
                if !is_saved {
                    let (before, after) = (Arc::clone(&edit.now.text), Arc::clone(&edit.text));
                    documents.record_edit(&edit.open.path, before, after);
                }
            }
            return Ok(());
        }
        let is_newer = |edit: &Edit<'_>| {
            documents.get(&edit.open.path).is_none_or(|known| known.version != edit.now.version)
        };
        if !edits.iter().any(is_newer) {
            let why = answer.failure_reason.unwrap_or_else(|| "no reason given".to_owned());
            return Err(Error::Refused(format!("The editor did not make the change: {why}")));
        }
        for edit in edits.iter_mut() {
            edit.rebase(documents)?;
        }
    }
    let what = "The user keeps typing in the file. Nothing was changed; try again later.";
    Err(Error::Refused(what.to_owned()))
}

fn together(
    places: &[ChangeTarget],
    on_disk: UpdatedAll,
    open: Vec<Option<Version>>,
) -> UpdatedAll {
    let UpdatedAll { changes, before: disk_before, after: disk_after } = on_disk;
    let mut disk = disk_before.into_iter().zip(disk_after);
    let mut open = open.into_iter();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for place in places {
        let (was, is) = match place {
            ChangeTarget::Disk(_) => disk.next().unwrap_or_default(),
            ChangeTarget::Editor(document) => {
                let before = document.before.as_ref().map(|before| before.version.clone());
                (before, open.next().flatten())
            }
        };
        before.push(was);
        after.push(is);
    }
    UpdatedAll { changes, before, after }
}
