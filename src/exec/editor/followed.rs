//! Follows documents for [`DocumentLog`]: which of their files' texts the user saved, and which came from disk.

use super::Documents;
use crate::{DocumentLog, DocumentStep, StepBy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of steps that are kept for each document. Steps of one author in a row are one step.
const MAX_STEPS: usize = 64;

/// The steps of all documents since following began.
#[derive(Debug, Default)]
pub(super) struct Followed(BTreeMap<PathBuf, Document>);

#[derive(Debug)]
struct Document {
    /// The file's text, as its editor knows it.
    file: Arc<String>,
    steps: Vec<DocumentStep>,
}

impl Followed {
    /// Adds a document that is open when following begins, or was opened since.
    pub(super) fn opened(&mut self, path: &Path, text: &Arc<String>, is_dirty: bool) {
        match self.0.get_mut(path) {
            None => {
                let document = Document { file: Arc::clone(text), steps: Vec::new() };
                self.0.insert(path.to_path_buf(), document);
            }
            Some(document) if !is_dirty => document.step(StepBy::Disk, text),
            Some(_) => {}
        }
    }

    /// A document has changed. One that has no unsaved change afterwards was read from the disk again, unless it is as it was saved.
    pub(super) fn changed(&mut self, path: &Path, text: &Arc<String>, is_dirty: bool) {
        if let Some(document) = self.0.get_mut(path).filter(|_| !is_dirty) {
            document.step(StepBy::Disk, text);
        }
    }

    /// A document was saved with this text.
    pub(super) fn saved(&mut self, path: &Path, text: &Arc<String>) {
        let Some(document) = self.0.get_mut(path) else { return };
        match document.steps.last_mut() {
            // The editor sent the change after saving it, so the change seemed to come from disk.
            Some(last) if last.after == *text => last.by = StepBy::Person,
            _ => document.step(StepBy::Person, text),
        }
    }
}

impl Document {
    fn step(&mut self, by: StepBy, text: &Arc<String>) {
        if self.file == *text {
            return;
        }
        self.file = Arc::clone(text);
        match self.steps.last_mut() {
            Some(last) if last.by == by => last.after = Arc::clone(text),
            _ => {
                if self.steps.len() == MAX_STEPS {
                    self.steps.remove(0);
                }
                self.steps.push(DocumentStep { by, after: Arc::clone(text) });
            }
        }
    }
}

/// Follows documents until it is dropped.
#[derive(Debug)]
pub(super) struct Follower {
    documents: Documents,
    id: u64,
}

impl Follower {
    pub(super) fn new(documents: Documents) -> Self {
        let id = {
            let mut state = documents.state();
            let mut followed = Followed::default();
            for (path, document) in &state.open {
                followed.opened(path, &document.text, document.is_dirty);
            }
            state.followers += 1;
            let id = state.followers;
            state.followed.insert(id, followed);
            id
        };
        Self { documents, id }
    }
}

#[async_trait::async_trait]
impl DocumentLog for Follower {
    async fn saved(&self, path: &Path, text: &[u8]) {
        self.documents.is_told_saved(path, text).await;
    }

    fn steps(&self) -> BTreeMap<PathBuf, Vec<DocumentStep>> {
        let state = self.documents.state();
        let documents = state.followed.get(&self.id).into_iter().flat_map(|followed| &followed.0);
        documents
            .filter(|(_, document)| !document.steps.is_empty())
            .map(|(path, document)| (path.clone(), document.steps.clone()))
            .collect()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.documents.state().followed.remove(&self.id);
    }
}
