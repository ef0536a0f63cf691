//! Restores files to their state at a point in the history.
//!
//! Invariants: changes by others stay unless the request lists the file; the previous contents are kept first, so that a restore can be
//! undone; written files are read again.

use super::{Phase, Session};
use crate::background::in_background;
use crate::command::Record;
use crate::error::Error;
use crate::file_history::{crash, put_back, state};
use pintle_exec::Environment;
use pintle_protocol::event::Event;
use pintle_protocol::files::{
    ChangedBy, FileAction, FileFate, FileOwner, FileRecord, FileState, FilesChanged,
};
use pintle_session::history::file_timeline::{self, RewindFile};
use pintle_session::store::Entry;
use pintle_session::store::announced::Announced;
use pintle_session::store::blobs::Blobs;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The plan for a file, and its present state.
pub(super) struct RestorePlan {
    pub(super) effect: FileFate,
    file: RewindFile,
    present: Option<FileState>,
}

/// The files' environment, and their kept contents.
pub(super) struct FileRestorer {
    env: Arc<dyn Environment>,
    blobs: Blobs,
}

impl FileRestorer {
    /// Plans the effect of returning to a point on each file changed since.
    pub(super) async fn plan(
        &self,
        entries: &[Entry],
        seq: u64,
        overwrite: &[String],
    ) -> Vec<RestorePlan> {
        let mut plans = Vec::new();
        for file in file_timeline::since(entries, seq) {
            let path = Path::new(&file.path);
            let found = state(self.env.as_ref(), &self.blobs, path).await;
            // A directory took its place, or it is unreadable: the file differs from its old state and cannot be restored.
            let present = match found {
                Ok(present) => present,
                Err(error) => {
                    tracing::warn!("{}: {error}", file.path);
                    let effect = (FileOwner::Conflict, FileAction::Failed);
                    plans.push(plan(file, effect, None));
                    continue;
                }
            };
            let effect = file_timeline::rewind_effect(
                &file,
                present.as_ref(),
                overwrite.contains(&file.path),
            );
            plans.push(plan(file, effect, present));
        }
        plans
    }

    async fn put_back(
        &self,
        RestorePlan { file, present, .. }: &RestorePlan,
    ) -> Result<Option<FileState>, String> {
        let path = Path::new(&file.path);
        put_back(self.env.as_ref(), &self.blobs, path, file.then.as_ref(), present.as_ref()).await
    }
}

impl Session {
    pub(super) fn restorer(&self) -> FileRestorer {
        FileRestorer { env: Arc::clone(&self.services.env), blobs: self.blobs() }
    }

    /// Announces a file change outside of turns; the next event reports its result.
    pub(super) async fn announce(
        &mut self,
        by: ChangedBy,
        before: BTreeMap<String, Option<FileState>>,
        after: BTreeMap<String, Option<String>>,
    ) {
        let after_seq = Some(self.log.journal.last_seq());
        let announced = Announced {
            by,
            turn_id: None,
            after_seq,
            folders: Vec::new(),
            before,
            folder_sum: None,
            unknown: Vec::new(),
            after,
        };
        if !announced.before.is_empty() {
            crash::announce(&self.log.announcements(), announced).await;
        }
    }

    /// Releases contents that were kept only to detect a command's changes.
    pub(super) async fn prune_blobs(&mut self) {
        if self.settings.lineage.blobs.is_some() {
            return;
        }
        let (blobs, read) = (self.blobs(), self.log.journal.reader());
        let tidied = in_background(move || {
            if blobs.is_used() {
                blobs.keep_only(&file_timeline::referenced_hashes(&read()?));
            }
            Ok(())
        });
        if let Err(error) = tidied.await {
            tracing::warn!("failed to remove unneeded file contents: {error}");
        }
    }

    /// Restores the files to their state at event `to_seq`. Returns the journaled events, if anything was changed.
    pub(super) async fn put_files_back(
        &mut self,
        to_seq: u64,
        plans: &mut [RestorePlan],
    ) -> Result<Option<Arc<Record>>, Error> {
        let restorer = self.restorer();
        let touched = plans
            .iter()
            .filter(|plan| matches!(plan.effect.action, FileAction::Restore | FileAction::Remove));
        let before = touched.map(|plan| (plan.file.path.clone(), plan.present.clone()));
        let by = ChangedBy::Rewind { to_seq: Some(to_seq) };
        self.announce(by.clone(), before.collect(), BTreeMap::new()).await;
        let mut changes = Vec::new();
        for plan in plans {
            // What cannot be kept could not be brought back again.
            let is_kept = plan.present.as_ref().is_none_or(|present| !present.is_lost);
            if let FileAction::Restore | FileAction::Remove = plan.effect.action
                && !is_kept
            {
                plan.effect.action = FileAction::Lost;
            }
            if let FileAction::Restore | FileAction::Remove = plan.effect.action {
                match restorer.put_back(plan).await {
                    Ok(now) => {
                        if now != plan.file.then {
                            plan.effect.action = FileAction::Failed;
                        }
                        changes.push(FileRecord {
                            path: plan.file.path.clone(),
                            before: plan.present.clone(),
                            after: now,
                        });
                    }
                    Err(why) => {
                        tracing::warn!("failed to restore {}: {why}", plan.file.path);
                        plan.effect.action = FileAction::Failed;
                    }
                }
            }
        }
        if changes.is_empty() {
            return Ok(None);
        }
        if let Phase::Idle(state) = &mut self.phase {
            state.files.record(&changes);
        }
        self.log.append(None, Event::FilesChanged(FilesChanged { changes, by }), None).map(Some)
    }
}

fn plan(
    file: RewindFile,
    (owner, action): (FileOwner, FileAction),
    present: Option<FileState>,
) -> RestorePlan {
    RestorePlan { effect: FileFate { path: file.path.clone(), owner, action }, file, present }
}
