//! What editors have open, laid over an environment: documents with unsaved text, and terminals for commands.
//!
//! A tool asks an [`Overlay`] as it asks any other [`Environment`](crate::exec::Environment) and knows nothing of editors. Frontends
//! fill [`Editors`] and answer its calls; no protocol is known here.

mod documents;
mod overlay;
mod terminals;

pub use documents::{Documents, EditCall, Owner, Problem};
pub use overlay::{Overlay, edited};
pub use terminals::{Printed, TerminalCall, Terminals};

/// What editors give: texts that are open, and terminals. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Editors {
    /// What they have open.
    pub documents: Documents,
    /// Where they run commands.
    pub terminals: Terminals,
}
