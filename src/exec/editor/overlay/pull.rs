//! Texts requested on demand, from editors that report nothing by themselves.
//!
//! Before a tool looks at a file of such an editor, the editor is asked for its text. The reply becomes a document like any other, so that
//! there is one code path for reading, merging and changing. Invariant: a requested text is used at once, and requested again next time.
//!
//! Only clients of the Agent Client Protocol that offer both reading and writing are asked. Files with byte order marks or line endings
//! that editors do not show are changed on disk while saved. The user may type between the last look and the write; that protocol
//! has no versions.

use super::{Overlay, update};
use crate::editor::{Documents, EditCall, Owner};
use crate::{Error, FileKind};
use pintle_base::text::positions;
use pintle_os::names;
use pintle_protocol::document::{DocumentCloseParams, DocumentEdit, DocumentOpenParams};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The maximum size of a file whose text is requested: editors do not open larger ones well.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The purpose for which a text is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Only a text that differs from the file matters.
    Look,
    /// The editor will change the text.
    Change,
}

impl Documents {
    /// Registers an editor that is asked for texts and accepts changes, for files below the directories passed to [`Documents::ask_below`].
    pub fn connect_asked(&self, owner: Owner, editor: mpsc::Sender<EditCall>) {
        self.connect(owner, editor);
        self.state().asked.entry(owner).or_default();
    }

    /// Asks such an editor for the texts of files below this directory, given by its canonical path.
    pub fn ask_below(&self, owner: Owner, folder: PathBuf) {
        let mut state = self.state();
        if let Some(folders) = state.asked.get_mut(&owner)
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }

    /// Returns the text and version of a document that its editor does not report by itself; `name` is the requested name.
    pub fn asked_text(&self, owner: Owner, name: &str) -> Option<(i64, Arc<String>)> {
        let mut state = self.state();
        let (_, document) = state.find(owner, name).ok()?;
        Some((document.version, Arc::clone(&document.text)))
    }

    /// Returns the current text of an editor that was asked. A file that it has just created is known from then on.
    pub fn told_text(&self, owner: Owner, name: &str, text: String, is_dirty: bool) -> i64 {
        let mut state = self.state();
        let Ok((_, document)) = state.find(owner, name) else { return 1 };
        document.version += 1;
        document.is_dirty = is_dirty;
        let was = std::mem::replace(&mut document.text, Arc::new(text));
        let (version, bytes) = (document.version, document.text.len());
        state.bytes = state.bytes + bytes - was.len();
        drop(state);
        self.touch();
        version
    }

    fn asked_for(&self, path: &Path) -> Option<Owner> {
        let state = self.state();
        let has_it = |folders: &Vec<PathBuf>| folders.iter().any(|folder| path.starts_with(folder));
        state.asked.iter().find(|(_, folders)| has_it(folders)).map(|(owner, _)| *owner)
    }

    /// Returns the documents of editors that are asked, as these call them.
    fn asked_names(&self) -> Vec<PathBuf> {
        let state = self.state();
        let names = state.names.keys().filter(|(owner, _)| state.asked.contains_key(owner));
        names.map(|(_, name)| PathBuf::from(name)).collect()
    }

    async fn ask_text(&self, owner: Owner, path: &Path) -> Result<String, String> {
        let gone = || "the editor disconnected".to_owned();
        let editor = self.editor(owner).ok_or_else(gone)?;
        let (reply, answer) = oneshot::channel();
        let path = path.to_string_lossy().into_owned();
        editor.send(EditCall::Read { path, reply }).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// Returns the text that results from an edit.
pub fn edited(text: &str, edit: &DocumentEdit) -> String {
    let mut ranges: Vec<_> = edit
        .changes
        .iter()
        .map(|change| (positions::bytes(text, change.range), &change.text))
        .collect();
    ranges.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in ranges {
        text.replace_range(range, new);
    }
    text
}

/// Requests a file's text from an editor that must be asked, and registers it as a document.
pub(super) async fn pull(overlay: &Overlay, path: &Path, purpose: Purpose) -> Result<(), Error> {
    let Overlay { inner, documents, .. } = overlay;
    if documents.asks_nobody() {
        return Ok(());
    }
    let canonical = inner.canonicalize(path).await?;
    let Some(owner) = documents.asked_for(&canonical) else { return Ok(()) };
    let name = path.to_string_lossy().into_owned();
    let close = || documents.close(owner, &DocumentCloseParams { path: name.clone() });
    let on_disk = match inner.stat(&canonical).await {
        Ok(stat) if stat.kind == FileKind::File && stat.size <= MAX_BYTES => {
            inner.read(&canonical).await?
        }
        Err(Error::NotFound(_)) if purpose == Purpose::Change => {
            let (version, text) = (update::NOT_CREATED, String::new());
            let params = DocumentOpenParams { path: name, version, text, is_dirty: false };
            return documents
                .open(owner, canonical, params)
                .map_err(|problem| Error::Refused(problem.to_string()));
        }
        // A file that no editor shows as text is read from the disk.
        Ok(_) | Err(_) => {
            close();
            return Ok(());
        }
    };
    let Ok(on_disk) = String::from_utf8(on_disk) else {
        close();
        return Ok(());
    };
    if on_disk.contains('\0') {
        close();
        return Ok(());
    }
    let asked = tokio::time::timeout(update::EDIT_TIMEOUT, documents.ask_text(owner, path)).await;
    let refused = |why: &str| {
        Error::Refused(format!(
            "The editor did not return the text of {}: {why}. Try again, or ask the user.",
            names::shown(path)
        ))
    };
    let text = match asked {
        Ok(Ok(text)) => text,
        Ok(Err(why)) => return Err(refused(&why)),
        Err(_) => return Err(refused("no response")),
    };
    let is_dirty = plain(&text) != plain(&on_disk);
    // Editors show a text without its file's byte order mark and line endings. A saved file is then changed on disk, which keeps them.
    if !is_dirty && (purpose == Purpose::Look || text != on_disk) {
        close();
        return Ok(());
    }
    let version = documents.asked_text(owner, &name).map_or(1, |(version, _)| version + 1);
    let params = DocumentOpenParams { path: name, version, text, is_dirty };
    documents.open(owner, canonical, params).map_err(|problem| refused(&problem.to_string()))
}

/// Requests again the texts that had unsaved changes at the last request, since searches use the known texts.
pub(super) async fn pull_known(overlay: &Overlay) -> Result<(), Error> {
    for name in overlay.documents.asked_names() {
        pull(overlay, &name, Purpose::Look).await?;
    }
    Ok(())
}

/// Returns a text without a byte order mark, with plain line ends and without the last one.
fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    text.strip_suffix('\n').map_or(text.clone(), str::to_owned)
}
