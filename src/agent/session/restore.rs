//! Putting files back as they were at a place of the history.
//!
//! Invariants: what somebody else wrote stays unless it is named; what was there before is kept first, so that going back can be undone;
//! what was written is read again.

use super::{Phase, Session};
use crate::agent::background::in_background;
use crate::agent::command::Record;
use crate::agent::error::Error;
use crate::agent::file_history::{crash, put_back, state};
use crate::exec::Environment;
use crate::history::ledger::{self, Wanted};
use crate::store::Entry;
use crate::store::announced::Announced;
use crate::store::blobs::Blobs;
use pintle_protocol::event::Event;
use pintle_protocol::files::{
    ChangedBy, FileAction, FileFate, FileOwner, FileRecord, FileState, FilesChanged,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The plan for a file, and its present state.
pub(super) struct RestorePlan {
    pub(super) fate: FileFate,
    wanted: Wanted,
    present: Option<FileState>,
}

/// Where files are, and what is kept of them.
pub(super) struct FileRestorer {
    env: Arc<dyn Environment>,
    blobs: Blobs,
}

impl FileRestorer {
    /// Plans what going back to a place does to each file that was changed since.
    pub(super) async fn plan(
        &self,
        entries: &[Entry],
        seq: u64,
        overwrite: &[String],
    ) -> Vec<RestorePlan> {
        let mut plans = Vec::new();
        for wanted in ledger::since(entries, seq) {
            let path = Path::new(&wanted.path);
            let found = state(self.env.as_ref(), &self.blobs, path).await;
            // A folder in its place, or no right to read: it is not what it was, and cannot be put back.
            let present = match found {
                Ok(present) => present,
                Err(error) => {
                    tracing::warn!("{}: {error}", wanted.path);
                    let fate = (FileOwner::Conflict, FileAction::Failed);
                    plans.push(plan(wanted, fate, None));
                    continue;
                }
            };
            let fate = ledger::fate(&wanted, present.as_ref(), overwrite.contains(&wanted.path));
            plans.push(plan(wanted, fate, present));
        }
        plans
    }

    async fn put_back(
        &self,
        RestorePlan { wanted, present, .. }: &RestorePlan,
    ) -> Result<Option<FileState>, String> {
        let path = Path::new(&wanted.path);
        put_back(self.env.as_ref(), &self.blobs, path, wanted.then.as_ref(), present.as_ref()).await
    }
}

impl Session {
    pub(super) fn restorer(&self) -> FileRestorer {
        FileRestorer { env: Arc::clone(&self.services.env), blobs: self.blobs() }
    }

    /// Announces a change of files outside of turns; the next event tells how it ended.
    pub(super) async fn announce(
        &mut self,
        by: ChangedBy,
        before: BTreeMap<String, Option<FileState>>,
        after: BTreeMap<String, Option<String>>,
    ) {
        let after_seq = Some(self.log.journal.last_seq());
        let announced =
            Announced { by, turn_id: None, after_seq, folders: Vec::new(), before, after };
        if !announced.before.is_empty() {
            crash::announce(&self.log.announcements(), announced).await;
        }
    }

    /// Lets go of contents that only served to tell what a command would change.
    pub(super) async fn prune_blobs(&mut self) {
        if self.settings.blobs.is_some() {
            return;
        }
        let (blobs, read) = (self.blobs(), self.log.journal.reader());
        let tidied = in_background(move || {
            if blobs.is_used() {
                blobs.keep_only(&ledger::named(&read()?));
            }
            Ok(())
        });
        if let Err(error) = tidied.await {
            tracing::warn!("contents that nobody needs were not removed: {error}");
        }
    }

    /// Puts the files back. Returns what the journal now says, if anything was changed.
    pub(super) async fn put_files_back(
        &mut self,
        plans: &mut [RestorePlan],
    ) -> Result<Option<Arc<Record>>, Error> {
        let restorer = self.restorer();
        let touched = plans
            .iter()
            .filter(|plan| matches!(plan.fate.action, FileAction::Restore | FileAction::Remove));
        let before = touched.map(|plan| (plan.wanted.path.clone(), plan.present.clone()));
        self.announce(ChangedBy::Rewind {}, before.collect(), BTreeMap::new()).await;
        let mut changes = Vec::new();
        for plan in plans {
            // What cannot be kept could not be brought back again.
            let is_kept = plan.present.as_ref().is_none_or(|present| !present.is_lost);
            if let FileAction::Restore | FileAction::Remove = plan.fate.action
                && !is_kept
            {
                plan.fate.action = FileAction::Lost;
            }
            if let FileAction::Restore | FileAction::Remove = plan.fate.action {
                match restorer.put_back(plan).await {
                    Ok(now) => {
                        if now != plan.wanted.then {
                            plan.fate.action = FileAction::Failed;
                        }
                        changes.push(FileRecord {
                            path: plan.wanted.path.clone(),
                            before: plan.present.clone(),
                            after: now,
                        });
                    }
                    Err(why) => {
                        tracing::warn!("{} could not be put back: {why}", plan.wanted.path);
                        plan.fate.action = FileAction::Failed;
                    }
                }
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        if let Phase::Idle(state) = &mut self.phase {
            state.files.note(&changes);
        }
        let by = ChangedBy::Rewind {};
        self.log.append(None, Event::FilesChanged(FilesChanged { changes, by }), None).map(Some)
    }
}

fn plan(
    wanted: Wanted,
    (owner, action): (FileOwner, FileAction),
    present: Option<FileState>,
) -> RestorePlan {
    RestorePlan { fate: FileFate { path: wanted.path.clone(), owner, action }, wanted, present }
}
