//! Editor integration over an environment: documents with unsaved text, and terminals for commands.
//!
//! A tool asks an [`Overlay`] as it asks any other [`Environment`](crate::Environment) and knows nothing of editors. Frontends
//! fill [`Editors`] and answer its calls; no protocol is known here.

mod documents;
mod followed;
mod overlay;
mod terminals;

pub use documents::{Documents, EditCall, Owner, Problem};
pub use overlay::{Overlay, edited};
pub use terminals::{Printed, TerminalCall, Terminals};

/// The open documents and terminals of editors. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Editors {
    /// Their open documents.
    pub documents: Documents,
    /// Their terminals.
    pub terminals: Terminals,
}
