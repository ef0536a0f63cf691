//! The user's edits to proposed changes, kept on disk from the answer until they are applied, so that a failure in between does not lose
//! the text.

use pintle_protocol::approval::ProposalEdit;
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_protocol::ids::ItemId;
use pintle_session::store::artifacts;
use std::path::{Path, PathBuf};

/// A user's edit to a proposed file.
#[derive(Debug)]
pub(super) struct KeptEdit {
    /// The edit.
    pub(super) edit: ProposalEdit,
    /// The file that holds its text; `None` if it could not be written.
    copy: Option<PathBuf>,
}

impl KeptEdit {
    /// Returns the notice that this edit was not applied.
    pub(super) fn not_applied(&self, message: String) -> Event {
        not_applied(message, self.copy.as_deref())
    }

    /// Removes the copy.
    pub(super) fn applied(self) {
        self.copy.as_deref().into_iter().for_each(artifacts::remove_edit);
    }
}

/// Stores the edits to a call's proposal. An edit whose text cannot be stored is still applied.
pub(super) fn keep(folder: &Path, item: &ItemId, edits: Vec<ProposalEdit>) -> Vec<KeptEdit> {
    let keep = |edit: ProposalEdit| {
        let copy = artifacts::save_edit(folder, item, &edit.path, &edit.text);
        let copy = copy.inspect_err(|error| {
            tracing::warn!("failed to keep the edited text of {}: {error}", edit.path);
        });
        KeptEdit { copy: copy.ok(), edit }
    };
    edits.into_iter().map(keep).collect()
}

/// Returns notices about unapplied edits to a call's proposal, after a crash.
pub(super) fn interrupted(folder: &Path, item: &ItemId) -> Vec<Event> {
    let message = "the engine ended before your edits to a proposed change were applied";
    let copies = artifacts::edits_of(folder, item);
    copies.iter().map(|copy| not_applied(message.to_owned(), Some(copy))).collect()
}

fn not_applied(message: String, copy: Option<&Path>) -> Event {
    let hint = match copy {
        Some(copy) => {
            format!("your text is in {}; copy what you need from it", copy.display())
        }
        None => "edit the file directly".to_owned(),
    };
    let (level, code) = (NoticeLevel::Warning, "proposalNotEdited".to_owned());
    Event::Notice(Notice { level, code, message, hint: Some(hint) })
}
