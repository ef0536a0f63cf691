//! A client's contributions to a session: hooks, tools, and diagnostics of its editor.

use super::Reply;
use crate::clients::{Extensions, SubscriberId};
use pintle_protocol::diagnostics::EditorDiagnostic;
use std::sync::Arc;

/// Commands about a client's contributions.
#[derive(Debug)]
pub enum ClientCommand {
    /// Replace the hooks and tools of a subscriber.
    Extend {
        /// The subscriber.
        id: SubscriberId,
        /// Its hooks and tools from now on.
        extensions: Arc<Extensions>,
        /// Receives the response when they take effect.
        reply: Reply<()>,
    },
    /// Replace a file's diagnostics.
    Diagnostics {
        /// The subscriber.
        id: SubscriberId,
        /// All diagnostics of the file.
        report: DiagnosticsReport,
        /// Receives the response when they are taken.
        reply: Reply<()>,
    },
}

/// All diagnostics of a file, from an editor.
#[derive(Debug, Clone)]
pub struct DiagnosticsReport {
    /// The file, absolute or from the working directory.
    pub path: String,
    /// The document version.
    pub version: Option<i64>,
    /// The diagnostics.
    pub items: Vec<EditorDiagnostic>,
}
