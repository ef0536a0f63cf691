//! Saves and reloads of open documents while a command runs.
//!
//! The user may save a document while the agent's command changes the same file. The log keeps both in order, so saved text is not
//! attributed to the command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A step's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepBy {
    /// The user saved the document.
    Person,
    /// Another program changed the file, and the editor reloaded it.
    Disk,
}

/// A change to a file, as seen by its editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentStep {
    /// The author.
    pub by: StepBy,
    /// The file's text after the step.
    pub after: Arc<String>,
}

/// Follows documents from the time when it was made.
#[async_trait::async_trait]
pub trait DocumentLog: Send + Sync + std::fmt::Debug {
    /// Returns the steps so far, by canonical path.
    fn steps(&self) -> BTreeMap<PathBuf, Vec<DocumentStep>>;

    /// Waits until an editor reports saving a document whose text is already in the file. Returns at once if the document has other text or
    /// is saved, and gives up after two seconds.
    async fn saved(&self, path: &Path, text: &[u8]);
}
