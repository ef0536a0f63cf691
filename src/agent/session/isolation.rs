//! Applies an isolated session's changes to the user's files.
//!
//! Each file is merged with the user's current version, including unsaved text. The result is attributed to the call that changed the copy, so
//! it is reviewed and undone like a change made in place.
//!
//! Invariants: a file is written only if it still has the content that was merged; either all files are written or none; files that were not
//! written stay pending.

use super::review::{take_back, write_decision};
use super::{Phase, Session};
use crate::background::in_background;
use crate::command::{Record, Reply};
use crate::error::{Error, ErrorKind};
use crate::file_history::{PLAIN_MODE, content_of, state};
use pintle_exec::Environment;
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::isolation::{
    AppliedFile, ApplyOutcome, IsolationApplied, IsolationApplyParams, IsolationApplyResult,
    OnConflict,
};
use pintle_session::history::isolation::{PendingFile, pending};
use pintle_session::review::{AppliedOver, Content, Write, apply_over};
use pintle_session::store::Isolated;
use pintle_session::store::blobs::{Blobs, hash};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The agent's side in conflict markers.
const AGENT: &str = "agent";

/// A merged file: the outcome, and the content to write, if any.
struct Merge {
    file: AppliedFile,
    /// The user's file before.
    was: Option<FileState>,
    write: Option<Write>,
    by: (Option<TurnId>, ItemId),
}

/// Reads and merges files.
struct Merger {
    env: Arc<dyn Environment>,
    blobs: Blobs,
    isolated: Arc<Isolated>,
}

impl Merger {
    /// Merges a file of the copy with the user's file.
    async fn merge(
        &self,
        PendingFile { path, base, by, .. }: PendingFile,
    ) -> Result<Option<Merge>, Error> {
        let copy = PathBuf::from(&path);
        let Some(original) = self.isolated.original_of(&copy) else { return Ok(None) };
        let (theirs_is, theirs) = self.read(&copy).await?;
        let (was, ours) = self.read(&original).await?;
        let is_base = |state: &Option<FileState>| hash_of(state.as_ref()) == hash_of(base.as_ref());
        let merged = match base.as_ref().map(|base| content_of(base, &self.blobs)) {
            // Its content was too large to keep, so it can be recognized but not merged.
            Some(None) if is_base(&theirs_is) => AppliedOver::Unchanged,
            Some(None) if is_base(&was) => AppliedOver::Written(theirs),
            Some(None) => AppliedOver::Impossible,
            base => apply_over(base.flatten().as_ref(), ours.as_ref(), theirs.as_ref(), AGENT),
        };
        let (outcome, after) = match merged {
            AppliedOver::Unchanged => (ApplyOutcome::Unchanged, None),
            AppliedOver::Written(after) => (ApplyOutcome::Applied, Some(after)),
            AppliedOver::Conflict(after) => (ApplyOutcome::Conflict, Some(Some(after))),
            AppliedOver::Impossible => (ApplyOutcome::Kept, None),
        };
        let place = original.to_string_lossy().into_owned();
        let write = after.map(|after| Write { path: place.clone(), before: ours, after });
        let file = AppliedFile { path: place, isolated: path, outcome };
        Ok(Some(Merge { file, was, write, by }))
    }

    /// Returns a file's state and content.
    async fn read(&self, path: &Path) -> Result<(Option<FileState>, Option<Content>), Error> {
        let found = state(self.env.as_ref(), &self.blobs, path).await;
        let found = found.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        let content = match &found {
            // Too large to be kept, but not to be copied.
            Some(state) if state.is_lost => {
                let bytes = self.env.read(path).await;
                let bytes =
                    bytes.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
                Some(Content { bytes: bytes.into(), mode: state.mode.unwrap_or(PLAIN_MODE) })
            }
            Some(state) => content_of(state, &self.blobs),
            None => None,
        };
        Ok((found, content))
    }
}

impl Session {
    /// Applies all unapplied changes. The response is sent before the events.
    pub(super) async fn apply_isolation(
        &mut self,
        params: IsolationApplyParams,
        reply: Reply<IsolationApplyResult>,
    ) {
        let mut records = Vec::new();
        let applied = self.try_apply_isolation(params.on_conflict, &mut records).await;
        let _ = reply.send(applied);
        for record in records {
            self.publish(&record);
        }
    }

    async fn try_apply_isolation(
        &mut self,
        on_conflict: OnConflict,
        records: &mut Vec<Arc<Record>>,
    ) -> Result<IsolationApplyResult, Error> {
        let Some(isolated) = self.settings.isolation.clone() else {
            let what = "the session works on the user's files: its changes are there already";
            return Err(Error::new(ErrorKind::Invalid, what));
        };
        if let Phase::Running(running) = &self.phase {
            let busy = ErrorKind::Busy(running.turn_id.clone());
            let hint = "interrupt it, or apply the changes when it has ended";
            return Err(Error::new(busy, "a turn is running").hint(hint));
        }
        records.extend(self.look_at_files().await);
        let entries = in_background(self.log.journal.reader()).await?;
        let files = pending(&entries, &isolated.root);
        let (env, blobs) = (Arc::clone(&self.services.env), self.blobs());
        let merger = Merger { env, blobs, isolated };
        let mut merges = Vec::new();
        for file in files {
            merges.extend(merger.merge(file).await?);
        }
        let files: Vec<AppliedFile> = merges.iter().map(|merge| merge.file.clone()).collect();
        let is_clean = |file: &AppliedFile| {
            matches!(file.outcome, ApplyOutcome::Applied | ApplyOutcome::Unchanged)
        };
        let is_refused = on_conflict == OnConflict::Refuse && !files.iter().all(is_clean);
        if files.is_empty() || is_refused {
            return Ok(IsolationApplyResult { applied: false, files });
        }
        let changed = self.write_merges(merges).await?;
        for ((turn_id, item_id), changes) in changed {
            let by = ChangedBy::Call { item_id, while_ran: None };
            if let Phase::Idle(state) = &mut self.phase {
                state.files.record(&changes);
            }
            let event = Event::FilesChanged(FilesChanged { changes, by });
            records.push(self.log.append(turn_id, event, None)?);
        }
        let event = Event::IsolationApplied(IsolationApplied { files: files.clone() });
        records.push(self.log.append(None, event, None)?);
        Ok(IsolationApplyResult { applied: true, files })
    }

    /// Writes the merged files, and returns the changes by author.
    async fn write_merges(
        &mut self,
        merges: Vec<Merge>,
    ) -> Result<BTreeMap<(Option<TurnId>, ItemId), Vec<FileRecord>>, Error> {
        let (env, blobs) = (Arc::clone(&self.services.env), self.blobs());
        let (mut were, mut shall_be) = (BTreeMap::new(), BTreeMap::new());
        for Merge { was, write, .. } in &merges {
            let Some(Write { path, after, .. }) = write else { continue };
            were.insert(path.clone(), was.clone());
            shall_be.insert(path.clone(), after.as_ref().map(|after| hash(&after.bytes)));
        }
        self.announce(ChangedBy::Other {}, were, shall_be).await;
        let mut changed: BTreeMap<_, Vec<FileRecord>> = BTreeMap::new();
        let mut done = Vec::new();
        for Merge { was, write, by, .. } in merges {
            let Some(write) = write else { continue };
            let path = write.path.clone();
            if let Err(why) = write_decision(env.as_ref(), write.clone()).await {
                let failures = take_back(env.as_ref(), done).await;
                let error = Error::new(ErrorKind::Conflict, why);
                return Err(if failures.is_empty() {
                    error.hint("nothing was applied; try again")
                } else {
                    let failures = failures.join("; ");
                    error.hint(format!("these files keep the applied changes: {failures}"))
                });
            }
            let after = state(env.as_ref(), &blobs, Path::new(&path)).await.ok().flatten();
            changed.entry(by).or_default().push(FileRecord { path, before: was, after });
            done.push(write);
        }
        Ok(changed)
    }
}

fn hash_of(state: Option<&FileState>) -> Option<&str> {
    state.map(|state| state.sha256.as_str())
}
