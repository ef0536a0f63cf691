//! Putting files back as they were at a place of the history.
//!
//! Invariants: what somebody else wrote stays unless it is named; what was there before is kept first, so that going back can be undone;
//! what was written is read again.

use super::{Phase, Session};
use crate::agent::engine::in_background;
use crate::agent::error::Error;
use crate::agent::feed::Record;
use crate::agent::files::state;
use crate::exec::{After, Before, Environment, Rewrites};
use crate::store::Entry;
use crate::store::blobs::{Blobs, hash};
use crate::store::ledger::{self, Wanted};
use pintle_protocol::event::Event;
use pintle_protocol::files::{
    ChangedBy, FileAction, FileFate, FileOwner, FileRecord, FileState, FilesChanged,
};
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What becomes of a file, and what it is now.
pub(super) struct Plan {
    pub(super) fate: FileFate,
    wanted: Wanted,
    present: Option<FileState>,
}

/// Where files are, and what is kept of them.
pub(super) struct Shelf {
    env: Arc<dyn Environment>,
    blobs: Blobs,
}

impl Shelf {
    /// What going back to a place would do to each file that was changed since.
    pub(super) async fn plan(
        &self,
        entries: &[Entry],
        seq: u64,
        overwrite: &[String],
    ) -> Vec<Plan> {
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

    /// Puts a file back, if it is what it was seen to be. Returns what it is now.
    async fn put_back(
        &self,
        wanted: &Wanted,
        present: Option<&FileState>,
    ) -> Result<Option<FileState>, String> {
        let (env, path) = (&self.env, Path::new(&wanted.path));
        let words = |error: crate::exec::Error| error.to_string();
        let after = match &wanted.then {
            None => After::Remove,
            Some(then) => {
                let (blobs, sha256) = (self.blobs.clone(), then.sha256.clone());
                let content = in_background(move || blobs.get(&sha256)).await;
                After::Write(content.map_err(|error| error.to_string())?.into())
            }
        };
        let expected = present.map(|present| present.sha256.clone());
        let decide = Box::new(move |before: Vec<Option<Before>>| {
            let found = before.into_iter().next().flatten();
            let found = found.map(|before| hash(&before.content));
            if found != expected {
                return Err("it has changed meanwhile".to_owned());
            }
            Ok(Rewrites { after: vec![after], changes: Vec::new() })
        });
        let paths = [path.to_path_buf()];
        env.update_all(&paths, decide, &CancellationToken::new()).await.map_err(words)?;
        if let Some(mode) = wanted.then.as_ref().and_then(|then| then.mode)
            && let Err(error) = env.set_mode(path, mode).await
        {
            tracing::warn!("{}: {error}", wanted.path);
        }
        state(env.as_ref(), &self.blobs, path).await.map_err(words)
    }
}

impl Session {
    pub(super) fn shelf(&self) -> Shelf {
        Shelf { env: Arc::clone(&self.services.env), blobs: self.blobs() }
    }

    /// Lets go of contents that only served to tell what a command would change.
    pub(super) async fn let_go_of_blobs(&mut self) {
        if self.settings.blobs.is_some() {
            return;
        }
        let (blobs, read) = (self.blobs(), self.journal.reader());
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
        plans: &mut [Plan],
    ) -> Result<Option<Arc<Record>>, Error> {
        let shelf = self.shelf();
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
                match shelf.put_back(&plan.wanted, plan.present.as_ref()).await {
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
        if let Phase::Idle(moved) = &mut self.phase {
            moved.files.note(&changes);
        }
        let by = ChangedBy::Rewind {};
        self.append(None, Event::FilesChanged(FilesChanged { changes, by }), None).map(Some)
    }
}

fn plan(
    wanted: Wanted,
    (owner, action): (FileOwner, FileAction),
    present: Option<FileState>,
) -> Plan {
    Plan { fate: FileFate { path: wanted.path.clone(), owner, action }, wanted, present }
}
