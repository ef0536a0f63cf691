//! Documents open in editors, with their text as shown on screen.
//!
//! One instance per process: connections announce their open documents, and the overlay reads them. The lock is held for a few assignments,
//! never across an await. Invariant: a document is known in a version that its editor sent, or not at all.
//!
//! Documents belong to the process, not to a session: an editor has one text of a file, whichever session asks for it. Connections write
//! here and the overlay reads; an edit goes straight to the connection. Document requests are answered concurrently with other requests,
//! since a decision that waits for an edit must not delay the text that the edit produces.

use super::followed::{Followed, Follower};
use pintle_base::text::positions;
use pintle_protocol::document::{
    ApplyEditParams, ApplyEditResult, DocumentChangeParams, DocumentCloseParams,
    DocumentOpenParams, DocumentSaveParams,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// The maximum number of documents.
const MAX_DOCUMENTS: usize = 10_000;

/// The maximum size of all texts together, in bytes.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// The maximum number of edits of one document that are kept for a query.
const MAX_APPLIED: usize = 16;

/// How long to wait for an editor's notification of a change it made.
const ECHO_WAIT: Duration = Duration::from_secs(2);

/// Identifies an editor's connection, unique in the process.
pub type Owner = u64;

/// The open documents. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Documents(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Increases with each change of any document.
    serial: watch::Sender<u64>,
    /// The number of requested edits.
    asked: AtomicU64,
    /// Held while a document is changed: one edit at a time is in progress.
    changing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// The documents by canonical path.
    pub(super) open: BTreeMap<PathBuf, Document>,
    /// The editors' names of the documents.
    pub(super) names: BTreeMap<(Owner, String), PathBuf>,
    /// The editors that accept edits.
    editors: BTreeMap<Owner, mpsc::Sender<EditCall>>,
    /// The engine's edits to documents since the last query: text before and after.
    applied: BTreeMap<PathBuf, Vec<Applied>>,
    pub(super) bytes: usize,
    /// The editors asked for texts, with the directories of their files.
    pub(super) asked: BTreeMap<Owner, Vec<PathBuf>>,
    /// The steps seen by each follower, by its number.
    pub(super) followed: BTreeMap<u64, Followed>,
    /// The last follower number.
    pub(super) followers: u64,
}

/// An open document.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) owner: Owner,
    /// The editor's name of the document.
    pub(super) name: String,
    pub(super) version: i64,
    pub(super) text: Arc<String>,
    pub(super) is_dirty: bool,
}

/// An edit by the engine that an editor has applied.
#[derive(Debug, Clone)]
pub(super) struct Applied {
    pub(super) before: Arc<String>,
    pub(super) after: Arc<String>,
}

/// A request to an editor.
#[derive(Debug)]
pub enum EditCall {
    /// Apply an edit.
    Make {
        /// The edit's id, unique in the process.
        id: u64,
        /// The edit.
        params: ApplyEditParams,
        /// Receives the answer, or the reason why there is none.
        reply: oneshot::Sender<Result<ApplyEditResult, String>>,
    },
    /// Return a file's text.
    Read {
        /// The file, as the tool called it.
        path: String,
        /// Receives the text, or the reason why there is none.
        reply: oneshot::Sender<Result<String, String>>,
    },
    /// The answer to an edit is no longer awaited, and the edit should not be made.
    Withdraw(u64),
}

/// A pending request, which withdraws the edit when it is dropped.
struct PendingRequest {
    id: u64,
    editor: mpsc::Sender<EditCall>,
    is_answered: bool,
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if !self.is_answered {
            // Only one edit is in progress at a time, so there is room, or no receiver.
            let _ = self.editor.try_send(EditCall::Withdraw(self.id));
        }
    }
}

/// Why an editor's message about a document is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The document has not been opened on this connection.
    #[error("{0} is not open")]
    NotOpen(String),
    /// The version does not increase, or is unknown.
    #[error("the known version of {path} is {current}")]
    Stale {
        /// The editor's name for the document.
        path: String,
        /// The known version.
        current: i64,
    },
    /// There are too many documents, or they are too long.
    #[error("more than {MAX_DOCUMENTS} documents or {} MB of text are open", MAX_BYTES / 1024 / 1024)]
    TooMuch,
}

impl Documents {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers an editor that accepts edits.
    pub fn connect(&self, owner: Owner, editor: mpsc::Sender<EditCall>) {
        self.state().editors.insert(owner, editor);
    }

    /// Marks an editor as unable to answer; its documents stay as last reported.
    pub fn mute(&self, owner: Owner) {
        self.state().editors.remove(&owner);
    }

    /// Removes a disconnected editor with its documents.
    pub fn disconnect(&self, owner: Owner) {
        let mut state = self.state();
        state.editors.remove(&owner);
        state.asked.remove(&owner);
        state.names.retain(|(of, _), _| *of != owner);
        state.open.retain(|_, document| document.owner != owner);
        state.bytes = state.open.values().map(|document| document.text.len()).sum();
        drop(state);
        self.touch();
    }

    /// Registers an open document; `path` is its canonical path.
    ///
    /// # Errors
    /// [`Problem::TooMuch`].
    pub fn open(
        &self,
        owner: Owner,
        path: PathBuf,
        params: DocumentOpenParams,
    ) -> Result<(), Problem> {
        let DocumentOpenParams { path: name, version, text, is_dirty } = params;
        let mut state = self.state();
        let was = state.open.get(&path).map_or(0, |document| document.text.len());
        let bytes = state.bytes - was + text.len();
        let is_new = !state.open.contains_key(&path);
        if bytes > MAX_BYTES || (is_new && state.open.len() >= MAX_DOCUMENTS) {
            return Err(Problem::TooMuch);
        }
        state.bytes = bytes;
        state.names.insert((owner, name.clone()), path.clone());
        let text = Arc::new(text);
        for followed in state.followed.values_mut() {
            followed.opened(&path, &text, is_dirty);
        }
        state.open.insert(path, Document { owner, name, version, text, is_dirty });
        drop(state);
        self.touch();
        Ok(())
    }

    /// Records a change of a document.
    ///
    /// # Errors
    /// [`Problem`]; the known document is unchanged.
    pub fn change(&self, owner: Owner, params: DocumentChangeParams) -> Result<(), Problem> {
        let mut state = self.state();
        let (path, document) = state.find(owner, &params.path)?;
        if params.version <= document.version {
            let current = document.version;
            return Err(Problem::Stale { path: params.path, current });
        }
        let was = document.text.len();
        let text = Arc::make_mut(&mut document.text);
        for change in params.changes {
            match change.range {
                None => *text = change.text,
                Some(range) => text.replace_range(positions::bytes(text, range), &change.text),
            }
        }
        (document.version, document.is_dirty) = (params.version, params.is_dirty);
        let text = Arc::clone(&document.text);
        for followed in state.followed.values_mut() {
            followed.changed(&path, &text, params.is_dirty);
        }
        drop(text);
        let bytes = state.bytes - was + state.open.get(&path).map_or(0, |d| d.text.len());
        state.bytes = bytes;
        let is_too_much = bytes > MAX_BYTES;
        if is_too_much {
            state.remove(owner, &params.path);
        }
        drop(state);
        self.touch();
        if is_too_much { Err(Problem::TooMuch) } else { Ok(()) }
    }

    /// Records that a version of a document was saved.
    ///
    /// # Errors
    /// [`Problem`]: the document is not open, or a change was never reported.
    pub fn save(&self, owner: Owner, params: &DocumentSaveParams) -> Result<(), Problem> {
        self.is_clean(owner, &params.path, params.version, Followed::saved)
    }

    /// Records that the file contains this version's text: the document was saved or reloaded. A later [`Documents::save`] means that it
    /// was saved.
    ///
    /// # Errors
    /// [`Problem`]: the document is not open, or a change was never reported.
    pub fn equals_file(&self, owner: Owner, name: &str, version: i64) -> Result<(), Problem> {
        self.is_clean(owner, name, version, |followed, path, text| {
            followed.changed(path, text, false);
        })
    }

    /// Marks a version of a document as unmodified.
    fn is_clean(
        &self,
        owner: Owner,
        name: &str,
        version: i64,
        follow: impl Fn(&mut Followed, &Path, &Arc<String>),
    ) -> Result<(), Problem> {
        let mut state = self.state();
        let (path, document) = state.find(owner, name)?;
        if document.version < version {
            let current = document.version;
            return Err(Problem::Stale { path: name.to_owned(), current });
        }
        if document.version == version {
            document.is_dirty = false;
            let text = Arc::clone(&document.text);
            for followed in state.followed.values_mut() {
                follow(followed, &path, &text);
            }
        }
        drop(state);
        self.touch();
        Ok(())
    }

    /// Follows the documents from now on.
    pub(super) fn follow(&self) -> Follower {
        Follower::new(self.clone())
    }

    /// Removes a closed document. One that was never open is not an error.
    pub fn close(&self, owner: Owner, params: &DocumentCloseParams) {
        self.state().remove(owner, &params.path);
        self.touch();
    }

    pub(super) fn touch(&self) {
        self.0.serial.send_modify(|serial| *serial += 1);
    }

    pub(super) fn get(&self, path: &Path) -> Option<Document> {
        self.state().open.get(path).cloned()
    }

    /// Returns true if no editor has any file open.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.state();
        state.open.is_empty() && state.asked.is_empty()
    }

    pub(super) fn asks_nobody(&self) -> bool {
        self.state().asked.is_empty()
    }

    pub(super) fn editor(&self, owner: Owner) -> Option<mpsc::Sender<EditCall>> {
        self.state().editors.get(&owner).cloned()
    }

    /// Returns true if the document's editor accepts edits.
    pub(super) fn takes_edits(&self, document: &Document) -> bool {
        self.state().editors.contains_key(&document.owner)
    }

    /// Returns the unsaved documents below a directory, by canonical path.
    pub(super) fn unsaved(&self, root: &Path) -> Vec<(PathBuf, Arc<String>)> {
        let state = self.state();
        let dirty = state.open.iter().filter(|(_, document)| document.is_dirty);
        let below = dirty.filter(|(path, _)| path.starts_with(root));
        below.map(|(path, document)| (path.clone(), Arc::clone(&document.text))).collect()
    }

    /// Waits until no other edit is in progress.
    pub(super) async fn changing(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.changing.lock().await
    }

    /// Asks an editor to make an edit.
    pub(super) async fn ask(
        &self,
        owner: Owner,
        params: ApplyEditParams,
    ) -> Result<ApplyEditResult, String> {
        let gone = || "the editor disconnected".to_owned();
        let editor = self.editor(owner).ok_or_else(gone)?;
        let id = self.0.asked.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let call = EditCall::Make { id, params, reply };
        editor.send(call).await.map_err(|_| gone())?;
        let mut asked = PendingRequest { id, editor, is_answered: false };
        let answer = answer.await.unwrap_or_else(|_| Err(gone()));
        asked.is_answered = true;
        answer
    }

    /// Waits until a document has such a version, or is closed. Returns false if its editor reports neither.
    pub(super) async fn reaches(&self, path: &Path, version: i64) -> bool {
        let mut serial = self.0.serial.subscribe();
        let is_there = |_: &u64| self.get(path).is_none_or(|known| known.version >= version);
        let reached = serial.wait_for(is_there);
        tokio::time::timeout(ECHO_WAIT, reached).await.is_ok()
    }

    /// Waits until a document with this text is saved, closed or changed, or for a while.
    pub(super) async fn is_told_saved(&self, path: &Path, text: &[u8]) {
        let mut serial = self.0.serial.subscribe();
        let is_over = |_: &u64| {
            let known = self.get(path);
            known.is_none_or(|known| !known.is_dirty || known.text.as_bytes() != text)
        };
        let told = serial.wait_for(is_over);
        if tokio::time::timeout(ECHO_WAIT, told).await.is_err() {
            tracing::warn!("the editor did not report that {} was saved", path.display());
        }
    }

    /// Records an edit's effect on a document.
    pub(super) fn record_edit(&self, path: &Path, before: Arc<String>, after: Arc<String>) {
        let mut state = self.state();
        let all = state.applied.entry(path.to_path_buf()).or_default();
        if all.len() == MAX_APPLIED {
            all.remove(0);
        }
        all.push(Applied { before, after });
    }

    /// Returns the changes that edits made to a document since the last call.
    pub(super) fn take_applied(&self, path: &Path) -> Vec<Applied> {
        self.state().applied.remove(path).unwrap_or_default()
    }
}

impl State {
    pub(super) fn find(
        &mut self,
        owner: Owner,
        name: &str,
    ) -> Result<(PathBuf, &mut Document), Problem> {
        let not_open = || Problem::NotOpen(name.to_owned());
        let path = self.names.get(&(owner, name.to_owned())).cloned().ok_or_else(not_open)?;
        match self.open.get_mut(&path).filter(|document| document.owner == owner) {
            Some(document) => Ok((path, document)),
            None => Err(not_open()),
        }
    }

    fn remove(&mut self, owner: Owner, name: &str) {
        if let Ok((path, document)) = self.find(owner, name) {
            let bytes = document.text.len();
            self.open.remove(&path);
            self.bytes -= bytes;
        }
        self.names.remove(&(owner, name.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::document::{DocumentChange, Position, TextRange};

    fn opened(text: &str) -> Documents {
        let documents = Documents::default();
        let (path, text) = ("/w/a".to_owned(), text.to_owned());
        let params = DocumentOpenParams { path, version: 1, text, is_dirty: false };
        documents.open(1, "/real/a".into(), params).unwrap();
        documents
    }

    fn change(version: i64, range: Option<[u64; 4]>, text: &str) -> DocumentChangeParams {
        let range = range.map(|[line, character, to_line, to_character]| TextRange {
            start: Position { line, character },
            end: Position { line: to_line, character: to_character },
        });
        let changes = vec![DocumentChange { range, text: text.to_owned() }];
        DocumentChangeParams { path: "/w/a".to_owned(), version, changes, is_dirty: true }
    }

    fn text(documents: &Documents) -> Option<(i64, String, bool)> {
        let found = documents.get(Path::new("/real/a"))?;
        Some((found.version, found.text.to_string(), found.is_dirty))
    }

    #[test]
    fn changes_are_made_one_after_the_other_and_only_to_what_is_known() {
        for (name, owner, changes, want) in [
            ("a part", 1, vec![change(2, Some([1, 0, 1, 3]), "2")], Ok((2, "one\n2\n", true))),
            ("all", 1, vec![change(2, None, "x")], Ok((2, "x", true))),
            (
                "one after the other",
                1,
                vec![change(2, Some([0, 0, 0, 0]), "0\n"), change(5, Some([1, 0, 2, 0]), "")],
                Ok((5, "0\ntwo\n", true)),
            ),
            (
                "beyond the end",
                1,
                vec![change(2, Some([9, 9, 9, 9]), "end")],
                Ok((2, "one\ntwo\nend", true)),
            ),
            (
                "the same version",
                1,
                vec![change(1, None, "x")],
                Err("the known version of /w/a is 1"),
            ),
            ("of another connection", 2, vec![change(2, None, "x")], Err("/w/a is not open")),
        ] {
            let documents = opened("one\ntwo\n");
            let done: Result<(), Problem> =
                changes.into_iter().try_for_each(|change| documents.change(owner, change));
            match (done, want) {
                (Ok(()), Ok((version, want, is_dirty))) => {
                    let want = Some((version, want.to_owned(), is_dirty));
                    assert_eq!(text(&documents), want, "{name}");
                }
                (Err(problem), Err(want)) => {
                    assert_eq!(problem.to_string(), want, "{name}");
                    let before = Some((1, "one\ntwo\n".to_owned(), false));
                    assert_eq!(text(&documents), before, "{name}");
                }
                (done, want) => panic!("{name}: {done:?} instead of {want:?}"),
            }
        }
    }

    #[test]
    fn a_document_is_clean_when_the_version_that_was_saved_is_the_last() {
        for (name, saved, want) in [("the last", 3, false), ("an earlier one", 2, true)] {
            let documents = opened("one\n");
            documents.change(1, change(3, None, "two\n")).unwrap();
            let params = DocumentSaveParams { path: "/w/a".to_owned(), version: saved };
            documents.save(1, &params).unwrap();
            assert_eq!(text(&documents), Some((3, "two\n".to_owned(), want)), "{name}");
        }
    }

    #[test]
    fn closed_and_abandoned_documents_are_forgotten() {
        let documents = opened("one\n");
        documents.close(1, &DocumentCloseParams { path: "/w/a".to_owned() });
        assert_eq!((text(&documents), documents.state().bytes), (None, 0));
        let documents = opened("one\n");
        documents.disconnect(2);
        assert!(text(&documents).is_some());
        documents.disconnect(1);
        assert_eq!((text(&documents), documents.state().bytes), (None, 0));
        assert!(documents.state().names.is_empty());
    }

    #[test]
    fn texts_are_bounded() {
        let documents = opened("one\n");
        let long = "x".repeat(MAX_BYTES + 1);
        assert_eq!(documents.change(1, change(2, None, &long)), Err(Problem::TooMuch));
        assert_eq!((text(&documents), documents.state().bytes), (None, 0));
    }
}
