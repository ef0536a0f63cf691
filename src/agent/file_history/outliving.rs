//! Commands that outlive their call, such as background jobs, and their later changes.
//!
//! Only the kernel's log of a command's changes is evidence here, since others work in the directory between two looks at it. Without that
//! log, later changes are not known to be the command's.

use super::evidence::{Author, Evidence};
use crate::workspace::Workspace;
use pintle_exec::{DocumentLog, WriteLog};
use pintle_protocol::ids::ItemId;
use std::path::Path;

/// Commands that may still be running, oldest first, and what editors do meanwhile.
#[derive(Debug, Default)]
pub(super) struct Outliving {
    commands: Vec<Outlived>,
    documents: Option<Box<dyn DocumentLog>>,
}

#[derive(Debug)]
struct Outlived {
    /// The call that started the command.
    item_id: ItemId,
    writes: WriteLog,
    /// True if the command had ended before the directory was looked at.
    has_ended: bool,
}

/// What is known of these commands' changes between two looks at the directory.
#[derive(Debug, Default)]
pub(super) struct OutlivingEvidence(Vec<(ItemId, Evidence)>);

impl Outliving {
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Adds a command whose call has ended.
    pub(super) fn add(&mut self, place: &Workspace, item_id: ItemId, writes: WriteLog) {
        if self.is_empty() {
            self.documents = place.env.follow_documents();
        }
        self.commands.push(Outlived { item_id, writes, has_ended: false });
    }

    /// Called before the directory is looked at.
    pub(super) fn begin_look(&mut self) {
        for command in &mut self.commands {
            command.has_ended = !command.writes.is_in_use();
        }
    }

    /// Returns the evidence after the directory was looked at. Commands that had ended are forgotten: later changes are by others.
    pub(super) fn finish_look(&mut self, place: &Workspace) -> OutlivingEvidence {
        let documents = self.documents.take();
        let steps = documents.map(|documents| documents.steps()).unwrap_or_default();
        let evidence = |command: &Outlived| {
            let evidence = Evidence::of_log(command.writes.look(), steps.clone());
            (command.item_id.clone(), evidence)
        };
        let evidence = OutlivingEvidence(self.commands.iter().map(evidence).collect());
        self.commands.retain(|command| !command.has_ended);
        if !self.is_empty() {
            self.documents = place.env.follow_documents();
        }
        evidence
    }
}

impl OutlivingEvidence {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the command that changed the file at a canonical path: its number and evidence.
    pub(super) fn of(&self, path: &Path) -> Option<(usize, &Evidence)> {
        let mut numbered = self.0.iter().map(|(_, evidence)| evidence).enumerate();
        numbered.find(|(_, evidence)| evidence.author(path) == Author::Command)
    }

    /// Returns the call that started a command.
    pub(super) fn call(&self, number: usize) -> Option<&ItemId> {
        self.0.get(number).map(|(item_id, _)| item_id)
    }
}
