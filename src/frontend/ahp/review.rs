//! The agent's undecided changes, as a changeset with the operations to keep and undo them.

use super::calls;
use super::host::{AhpHost, Done};
use super::session::Open;
use super::state::Channel;
use super::translator::Actions;
use super::wire::{self, Refusal, failed, invalid};
use ahp_types::actions::{ChangesetContentChangedAction, StateAction};
use ahp_types::commands::{ChangesetOperationTarget, InvokeChangesetOperationParams};
use ahp_types::notifications::PartialSessionSummary;
use ahp_types::state::{
    ChangesetFile, ChangesetOperation, ChangesetOperationScope, ChangesetOperationStatus, FileEdit,
    FileEditDiffStats,
};
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::{Error, SessionHandle};
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{ReviewDecide, ReviewList};
use pintle_protocol::review::{
    Hunk, HunkKind, Outcome, ReviewAction, ReviewDecideParams, ReviewListParams, ReviewListResult,
    ReviewTarget,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The operations: id, label.
const KEEP: (&str, &str) = ("keep", "Keep");
const UNDO: (&str, &str) = ("undo", "Undo");

impl AhpHost {
    /// Reads a session's review again, if it has changed.
    pub(super) fn look_at_review(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let Some(handle) = open.handle.clone() else { return };
        if open.is_reading_review || !open.translator.is_review_stale {
            return;
        }
        open.is_reading_review = true;
        open.translator.is_review_stale = false;
        let session = session.clone();
        let reading = async move {
            let list = handle.call::<ReviewList>(ReviewListParams::default()).await;
            Done::Reviewed { session, list }
        };
        self.running.push(reading.boxed());
    }

    pub(super) fn reviewed(&mut self, session: &SessionId, list: Result<ReviewListResult, Error>) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        open.is_reading_review = false;
        match list {
            Ok(list) => {
                let actions = changes(open, &list.hunks);
                if !actions.is_empty() {
                    self.emit(session, actions);
                    self.tell_changes(session);
                }
            }
            Err(error) => tracing::warn!("failed to read the review: {}", wire::reason(&error)),
        }
        self.look_at_review(session);
    }

    fn tell_changes(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get(session).filter(|open| open.is_announced) else {
            return;
        };
        let changes = open.summary().changes.unwrap_or(ahp_types::state::ChangesSummary {
            additions: Some(0),
            deletions: Some(0),
            files: Some(0),
        });
        let changes =
            PartialSessionSummary { changes: Some(changes), ..PartialSessionSummary::default() };
        self.summary_changed(session, changes);
    }
}

/// Returns the files with open hunks, if they differ from those already shown.
fn changes(open: &Open, hunks: &[Hunk]) -> Actions {
    let mut by_path: BTreeMap<&str, Vec<&Hunk>> = BTreeMap::new();
    for hunk in hunks {
        by_path.entry(&hunk.path).or_default().push(hunk);
    }
    let id = open.channels.id.as_str();
    let files: Vec<ChangesetFile> =
        by_path.into_iter().map(|(path, hunks)| changed_file(id, path, &hunks)).collect();
    if files == open.channels.changeset.files {
        return Actions::new();
    }
    let operations = Some(if files.is_empty() { Vec::new() } else { operations() });
    let action = Box::new(ChangesetContentChangedAction { files, operations });
    vec![(Channel::Changeset, StateAction::ChangesetContentChanged(action))]
}

fn changed_file(session: &str, path: &str, hunks: &[&Hunk]) -> ChangesetFile {
    let whole = hunks.iter().find(|hunk| hunk.kind == HunkKind::File);
    let is_new = whole.is_some_and(|hunk| hunk.before.count == 0 && hunk.after.count > 0);
    let is_gone = whole.is_some_and(|hunk| hunk.after.count == 0 && hunk.before.count > 0);
    let added: u64 = hunks.iter().map(|hunk| hunk.after.count).sum();
    let removed: u64 = hunks.iter().map(|hunk| hunk.before.count).sum();
    ChangesetFile {
        id: path.to_owned(),
        edit: FileEdit {
            before: (!is_new).then(|| calls::side(calls::BASELINE, session, path)),
            after: (!is_gone).then(|| calls::side(calls::CURRENT, session, path)),
            diff: Some(FileEditDiffStats {
                added: Some(wire::count(added)),
                removed: Some(wire::count(removed)),
            }),
        },
        reviewed: None,
        meta: None,
    }
}

fn operations() -> Vec<ChangesetOperation> {
    let operation = |(id, label): (&str, &str), confirmation: Option<&str>| ChangesetOperation {
        id: id.to_owned(),
        label: label.to_owned(),
        description: None,
        scopes: vec![ChangesetOperationScope::Changeset, ChangesetOperationScope::Resource],
        confirmation: confirmation.map(wire::literal),
        icon: None,
        group: None,
        status: ChangesetOperationStatus::Idle,
        error: None,
    };
    vec![operation(KEEP, None), operation(UNDO, Some("Undo these changes by the agent?"))]
}

/// Keeps or undoes changes.
pub(super) fn invoke(
    handle: SessionHandle,
    params: InvokeChangesetOperationParams,
) -> BoxFuture<'static, Result<Value, Refusal>> {
    async move {
        let target = match params.target {
            None => ReviewTarget::All,
            Some(ChangesetOperationTarget::Resource { resource, .. }) => {
                let path = wire::split_uri(&resource).map(|(_, _, path)| path);
                let path = path.ok_or_else(|| invalid(format!("`{resource}` is not a file")))?;
                ReviewTarget::File { path }
            }
            Some(_) => return Err(invalid("only whole files can be kept or undone".to_owned())),
        };
        let action = match params.operation_id.as_str() {
            id if id == KEEP.0 => ReviewAction::Keep { target },
            id if id == UNDO.0 => ReviewAction::Undo { target, discard_edits: false },
            other => return Err(invalid(format!("unknown operation `{other}`"))),
        };
        let decided = handle
            .call::<ReviewDecide>(ReviewDecideParams { session_id: None, action })
            .await;
        let decided = decided.map_err(|error| failed(&error))?;
        let conflicts =
            decided.decision.parts.iter().filter(|part| part.outcome == Outcome::Conflict).count();
        let message = if decided.is_queued {
            Some("This is applied when the running call ends.".to_owned())
        } else if let Some(cause) = decided.decision.parts.iter().find_map(|part| part.cause.as_ref())
        {
            Some(format!(
                "{conflicts} changes were kept, since they may be yours (cause {cause}). Undo their files if they are not."
            ))
        } else if conflicts > 0 {
            Some(format!("{conflicts} changes were kept, since they have been edited."))
        } else {
            None
        };
        Ok(match message {
            Some(message) => json!({ "message": wire::literal(&message) }),
            None => json!({}),
        })
    }
    .boxed()
}
