//! The client's open documents, by the client's names for them.
//!
//! The protocol does not report which text is saved, so a text is compared with its file when it is opened, unless it is long. A version
//! that does not rise means that a change was lost: the document is then dropped, and tools read the file.

use super::wire::{self, file_path};
use ls_types as lsp;
use pintle_agent::{DocumentProblem, Documents, EngineHandle};
use pintle_protocol::document::{
    DocumentChange, DocumentChangeParams, DocumentCloseParams, DocumentOpenParams,
    DocumentSaveParams, Position, TextRange,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The maximum length of a text that is held against its file after each change, in bytes.
const MAX_COMPARED_BYTES: usize = 1024 * 1024;

/// A document that the client has open.
#[derive(Debug, Clone)]
pub(super) struct OpenDocument {
    pub(super) uri: lsp::Uri,
    /// The file, as the client names it.
    pub(super) path: String,
    /// The file with symbolic links resolved, as the engine names it.
    real_path: String,
    pub(super) version: i64,
}

/// The documents that the client has open.
#[derive(Debug)]
pub(super) struct OpenDocuments {
    engine: EngineHandle,
    owner: u64,
    open: BTreeMap<String, OpenDocument>,
}

impl OpenDocuments {
    pub(super) fn new(engine: EngineHandle, owner: u64) -> Self {
        Self { engine, owner, open: BTreeMap::new() }
    }

    fn documents(&self) -> Option<&Documents> {
        self.engine.editors().map(|editors| &editors.documents)
    }

    /// Returns a file's document.
    pub(super) fn of_path(&self, path: &str) -> Option<&OpenDocument> {
        self.open.values().find(|document| document.path == path)
    }

    /// Returns the client's name for a file that the engine names.
    pub(super) fn uri(&self, real_path: &str) -> Option<lsp::Uri> {
        let open = self.open.values().find(|document| document.real_path == real_path);
        open.map_or_else(
            || lsp::Uri::from_file_path(real_path),
            |document| Some(document.uri.clone()),
        )
    }

    /// Returns the engine's name for a file that the client names.
    pub(super) fn real_path(&self, uri: &lsp::Uri) -> Option<String> {
        let open = self.of_uri(uri).map(|document| document.real_path.clone());
        open.or_else(|| Some(file_path(uri)?.to_string_lossy().into_owned()))
    }

    pub(super) fn of_uri(&self, uri: &lsp::Uri) -> Option<&OpenDocument> {
        self.open.get(uri.as_str())
    }

    /// Returns an open document's text.
    pub(super) fn text(&self, uri: &lsp::Uri) -> Option<Arc<String>> {
        let path = &self.of_uri(uri)?.path;
        self.documents()?.asked_text(self.owner, path).map(|(_, text)| text)
    }

    /// Opens a document. Returns a message for the user if it cannot be tracked.
    pub(super) async fn open(&mut self, params: lsp::DidOpenTextDocumentParams) -> Option<Vec<u8>> {
        let lsp::TextDocumentItem { uri, version, text, .. } = params.text_document;
        let path = file_path(&uri)?;
        let documents = self.documents()?.clone();
        let name = path.to_string_lossy().into_owned();
        let canonical = self.engine.canonicalize(&path).await;
        let is_dirty = self.differs(&path, &text).await;
        let version = i64::from(version);
        let params = DocumentOpenParams { path: name.clone(), version, text, is_dirty };
        let opened = match canonical {
            Ok(canonical) => {
                let real_path = canonical.to_string_lossy().into_owned();
                let opened = documents.open(self.owner, canonical, params);
                opened.map(|()| real_path).map_err(|problem| problem.to_string())
            }
            Err(error) => Err(error.message),
        };
        match opened {
            Ok(real_path) => {
                let key = uri.as_str().to_owned();
                self.open.insert(key, OpenDocument { uri, path: name, real_path, version });
                None
            }
            Err(why) => {
                self.forget(&uri);
                Some(unread(&name, &why, "close documents that are not in use"))
            }
        }
    }

    /// Applies changes to a document. Returns a message for the user if it can no longer be tracked.
    pub(super) async fn change(
        &mut self,
        params: lsp::DidChangeTextDocumentParams,
    ) -> Option<Vec<u8>> {
        let lsp::VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        let document = self.open.get_mut(uri.as_str())?;
        let version = i64::from(version);
        document.version = document.version.max(version);
        let path = document.path.clone();
        let documents = self.documents()?.clone();
        let changes = params
            .content_changes
            .into_iter()
            .map(|change| DocumentChange { range: change.range.map(range), text: change.text });
        let changed = documents.change(
            self.owner,
            DocumentChangeParams {
                path: path.clone(),
                version,
                changes: changes.collect(),
                is_dirty: true,
            },
        );
        let hint = match changed {
            Ok(()) => {
                self.note_if_saved(&documents, path, version).await;
                return None;
            }
            Err(DocumentProblem::TooMuch) => "close documents that are not in use",
            Err(DocumentProblem::Stale { .. } | DocumentProblem::NotOpen(_)) => {
                "close it and open it again"
            }
        };
        let why = match changed {
            Err(DocumentProblem::Stale { current, .. }) => {
                format!("the editor sent version {version} after version {current}")
            }
            Err(problem) => problem.to_string(),
            Ok(()) => String::new(),
        };
        self.forget(&uri);
        Some(unread(&path, &why, hint))
    }

    /// Marks a text that equals its file again, as after undoing or reading the file again, as having no unsaved changes.
    async fn note_if_saved(&self, documents: &Documents, path: String, version: i64) {
        let Some((_, text)) = documents.asked_text(self.owner, &path) else { return };
        if text.len() <= MAX_COMPARED_BYTES && !self.differs(Path::new(&path), &text).await {
            // The version is the one just reported.
            let _ = documents.equals_file(self.owner, &path, version);
        }
    }

    /// Handles `didSave`.
    pub(super) fn save(&self, params: &lsp::DidSaveTextDocumentParams) {
        let (Some(document), Some(documents)) =
            (self.of_uri(&params.text_document.uri), self.documents())
        else {
            return;
        };
        let params = DocumentSaveParams { path: document.path.clone(), version: document.version };
        if let Err(problem) = documents.save(self.owner, &params) {
            tracing::warn!("failed to record a save: {problem}");
        }
    }

    /// Handles `didClose`.
    pub(super) fn close(&mut self, params: &lsp::DidCloseTextDocumentParams) {
        self.forget(&params.text_document.uri);
    }

    fn forget(&mut self, uri: &lsp::Uri) {
        let Some(document) = self.open.remove(uri.as_str()) else { return };
        if let Some(documents) = self.documents() {
            documents.close(self.owner, &DocumentCloseParams { path: document.path });
        }
    }

    /// Returns true if a text is not that of its file.
    async fn differs(&self, path: &Path, text: &str) -> bool {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        match self.engine.read_local(path).await {
            Ok(bytes) => bytes.strip_prefix(MARK).unwrap_or(&bytes) != text.as_bytes(),
            // An empty text for a missing file has nothing unsaved.
            Err(_) => !text.is_empty(),
        }
    }
}

/// Returns a message about a document whose text the agent does not read.
fn unread(path: &str, why: &str, hint: &str) -> Vec<u8> {
    let text = format!("pintle reads {path} from disk, without unsaved changes: {why} ({hint})");
    wire::show(lsp::MessageType::WARNING, &text)
}

pub(super) fn range(range: lsp::Range) -> TextRange {
    let position = |at: lsp::Position| Position {
        line: u64::from(at.line),
        character: u64::from(at.character),
    };
    TextRange { start: position(range.start), end: position(range.end) }
}
