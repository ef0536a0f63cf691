//! Review commands: hunks, decisions, baselines, patches.
//!
//! Invariants: a decision is decided about the file on disk; the file is written before the decision is journaled, only over the content that
//! the decision was decided about, and is restored if the decision cannot be journaled.

pub(super) mod fold;
mod pending;

use crate::background::in_background;
use crate::command::Record;
use crate::command::Reply;
use crate::error::Action;
use crate::error::Error;
use crate::error::ErrorKind;
use crate::file_history::replace_if;
use crate::file_history::settled;
use crate::file_history::state;
use crate::session::Session;
use crate::session::phase::Phase;
use crate::session::review::fold::Reviewed;
use pintle_exec::{After, Environment};
use pintle_os::{System, names};
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::ids::TurnId;
use pintle_protocol::item::EngineMessage;
use pintle_protocol::review::{
    Hunk, ReviewAction, ReviewBaselineParams, ReviewBaselineResult, ReviewDecideParams,
    ReviewDecideResult, ReviewDecision, ReviewListParams, ReviewListResult, ReviewPatchParams,
    ReviewPatchResult, ReviewTarget,
};
use pintle_session::context::conversation::from_engine;
use pintle_session::history::recovery::Decisions;
use pintle_session::review::{Content, Plan, Refused, Review, Since, Write, render};
use pintle_session::store::blobs::hash;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session's review: as far as it is folded, and the pending decisions.
#[derive(Debug, Default)]
pub(in crate::session) struct ReviewState {
    fold: Reviewed,
    decisions: Decisions,
}

impl ReviewState {
    pub(in crate::session) fn new(decisions: Decisions) -> Self {
        Self { fold: Reviewed::default(), decisions }
    }
}

impl Session {
    /// Lists hunks.
    pub(in crate::session) async fn review_list(
        &mut self,
        params: ReviewListParams,
        reply: Reply<ReviewListResult>,
    ) {
        let changed = self.look_at_files_if_idle().await;
        let listed = self.list_hunks(&params).await;
        let seq = self.log.journal.last_seq();
        let _ = reply.send(listed.map(|hunks| ReviewListResult { hunks, seq }));
        self.publish_all(changed);
    }

    async fn list_hunks(&mut self, params: &ReviewListParams) -> Result<Vec<Hunk>, Error> {
        let ReviewListParams { path, turn_id, closed, .. } = params;
        let path = match path.clone() {
            Some(path) => Some(self.known_path(path).await),
            None => None,
        };
        if let Some(turn) = turn_id {
            self.check_turn(turn, "/turnId").await?;
        }
        let review = self.reviewed().await?;
        let mut hunks = review.hunks();
        if *closed {
            hunks.extend(review.closed());
        }
        hunks.retain(|hunk| {
            let by = |turn: &TurnId| hunk.made_by.iter().any(|maker| maker.turn_id == *turn);
            path.as_ref().is_none_or(|path| *path == hunk.path) && turn_id.as_ref().is_none_or(by)
        });
        self.mark_waiting(&mut hunks).await?;
        Ok(hunks)
    }

    /// Reads a file's baseline: its content when it was last accepted.
    pub(in crate::session) async fn review_baseline(
        &mut self,
        params: ReviewBaselineParams,
        reply: Reply<ReviewBaselineResult>,
    ) {
        let changed = self.look_at_files_if_idle().await;
        let path = self.known_path(params.path).await;
        let read = self.reviewed().await.and_then(|review| {
            let unknown = || {
                let what = format!("the agent has not changed {path}");
                Error::new(ErrorKind::NotFound, what).hint(Action::ListChangedFiles).at("/path")
            };
            let baseline = review.baseline(&path).ok_or_else(unknown)?;
            let text = baseline
                .and_then(|content| std::str::from_utf8(&content.bytes).ok().map(str::to_owned));
            Ok(ReviewBaselineResult { exists: baseline.is_some(), text })
        });
        let _ = reply.send(read);
        self.publish_all(changed);
    }

    /// Makes a patch of the agent's changes.
    pub(in crate::session) async fn review_patch(
        &mut self,
        params: ReviewPatchParams,
        reply: Reply<ReviewPatchResult>,
    ) {
        let changed = self.look_at_files_if_idle().await;
        let cwd = self.log.journal.header().cwd.clone();
        let real = self.services.env.canonicalize(Path::new(&cwd)).await;
        let cwd = real.map_or(cwd, |path| path.to_string_lossy().into_owned());
        let since = if params.open { Since::Kept } else { Since::Start };
        let made = self.reviewed().await.map(|review| {
            let patch = review.patch(&cwd, since);
            ReviewPatchResult { text: patch.text, left_out: patch.left_out }
        });
        let _ = reply.send(made);
        self.publish_all(changed);
    }

    /// Takes a decision, or withdraws one.
    pub(in crate::session) async fn review_decide(
        &mut self,
        params: ReviewDecideParams,
        reply: Reply<ReviewDecideResult>,
    ) {
        let mut records = self.look_at_files_if_idle().await;
        let action = self.with_known_path(params.action).await;
        let decided = match self.withdraw(&action) {
            Some(withdrawn) => withdrawn.map(|(result, record)| {
                records.push(record);
                result
            }),
            None => match self.check_target(&action).await {
                Ok(()) => self.try_decide(action, None, &mut records).await,
                Err(error) => Err(error),
            },
        };
        let _ = reply.send(decided);
        self.publish_all(records);
    }

    /// Checks that the turn whose hunks are decided exists.
    async fn check_target(&mut self, action: &ReviewAction) -> Result<(), Error> {
        if let ReviewAction::Keep { target } | ReviewAction::Undo { target, .. } = action
            && let ReviewTarget::Turn { turn_id } = target
        {
            return self.check_turn(turn_id, "/action/target/turnId").await;
        }
        Ok(())
    }

    async fn check_turn(&mut self, turn: &TurnId, field: &'static str) -> Result<(), Error> {
        self.reviewed().await?;
        if self.review.fold.has_turn(turn) {
            return Ok(());
        }
        let what = format!("no turn {turn} in this session");
        Err(Error::new(ErrorKind::NotFound, what).hint(Action::ListHunks).at(field))
    }

    async fn look_at_files_if_idle(&mut self) -> Vec<Arc<Record>> {
        match &self.phase {
            Phase::Idle(_) => self.look_at_files().await,
            Phase::Running(_) => Vec::new(),
        }
    }

    fn publish_all(&mut self, records: impl IntoIterator<Item = Arc<Record>>) {
        for record in records {
            self.publish(&record);
        }
    }

    /// Carries a decision out, or lets it wait while a turn runs; one that `waited` has done that.
    pub(in crate::session) async fn try_decide(
        &mut self,
        action: ReviewAction,
        waited: Option<u64>,
        records: &mut Vec<Arc<Record>>,
    ) -> Result<ReviewDecideResult, Error> {
        let review = self.reviewed().await?;
        // What is on the disk was taken in before.
        let seen = |path: &str| review.now(path).flatten().cloned();
        let plan = review.plan(&action, &seen).map_err(|refused| refusal(&refused))?;
        let Plan { decision, writes } = plan;
        let decision = ReviewDecision { waited, ..decision };
        let is_running = matches!(self.phase, Phase::Running(_));
        if is_running && waited.is_none() && !writes.is_empty() {
            let (result, record) = self.queue_decision(action, decision)?;
            records.push(record);
            return Ok(result);
        }
        let (env, blobs) = (Arc::clone(&self.services.env), self.blobs());
        let (mut were, mut shall_be) = (BTreeMap::new(), BTreeMap::new());
        for Write { path, after, .. } in &writes {
            let state = state(env.as_ref(), &blobs, Path::new(path)).await;
            were.insert(path.clone(), state.ok().flatten());
            shall_be.insert(path.clone(), after.as_ref().map(|after| hash(&after.bytes)));
        }
        self.announce(ChangedBy::Review {}, were.clone(), shall_be).await;
        let mut changes = Vec::new();
        let mut done = Vec::new();
        for write in writes {
            let path = write.path.clone();
            let before = were.remove(&path).flatten();
            if let Err(why) = write_decision(env.as_ref(), write.clone()).await {
                let error = Error::new(ErrorKind::Internal, why);
                return Err(restored(error, &take_back(env.as_ref(), done).await));
            }
            let after = state(env.as_ref(), &blobs, Path::new(&path)).await.ok().flatten();
            changes.push(FileRecord { path, before, after });
            done.push(write);
        }
        let record = match self.log.append(None, Event::ReviewDecided(decision.clone()), None) {
            Ok(record) => record,
            Err(error) => {
                return Err(restored(error, &take_back(env.as_ref(), done).await));
            }
        };
        let seq = record.value.seq;
        records.push(record);
        if !changes.is_empty() {
            records.push(self.files_changed(changes, ChangedBy::Review {})?);
        }
        self.reviewed().await?;
        Ok(ReviewDecideResult { seq, decision, is_queued: false })
    }

    fn files_changed(
        &mut self,
        changes: Vec<FileRecord>,
        by: ChangedBy,
    ) -> Result<Arc<Record>, Error> {
        if let Phase::Idle(state) = &mut self.phase {
            state.files.record(&changes);
        }
        self.log.append(None, Event::FilesChanged(FilesChanged { changes, by }), None)
    }

    /// Takes in what became of the agent's files since they were last seen. Not while a call may be changing files: the turn looks at them
    /// itself before and after each.
    pub(in crate::session) async fn look_at_files(&mut self) -> Vec<Arc<Record>> {
        let found = self.found().await;
        let changes = self.review.fold.files.others(&found);
        self.others_changed(changes)
    }

    /// Returns the current states of the files that the agent has changed.
    async fn found(&mut self) -> Vec<(PathBuf, Option<FileState>)> {
        let Ok(review) = self.reviewed().await else { return Vec::new() };
        let paths: Vec<PathBuf> = review.paths().map(PathBuf::from).collect();
        let (env, blobs) = (Arc::clone(&self.services.env), self.blobs());
        settled(env.as_ref(), &blobs, &self.review.fold.files, paths).await
    }

    fn others_changed(&mut self, changes: Vec<FileRecord>) -> Vec<Arc<Record>> {
        if changes.is_empty() {
            return Vec::new();
        }
        match self.files_changed(changes, ChangedBy::Other {}) {
            Ok(record) => vec![record],
            Err(error) => {
                self.warn_transiently(&error);
                Vec::new()
            }
        }
    }

    /// Returns the review for the current journal. Only entries appended since the last call are read.
    pub(in crate::session) async fn reviewed(&mut self) -> Result<&Review, Error> {
        if self.review.fold.seq != self.log.journal.last_seq() {
            let (read, blobs) = (self.log.journal.reader_after(self.review.fold.seq), self.blobs());
            let known = std::mem::take(&mut self.review.fold);
            // If the journal cannot be read, the review so far is kept.
            let (fold, read) = in_background(move || {
                Ok(match read() {
                    Ok(entries) => (known.take(&entries, &blobs), Ok(())),
                    Err(error) => (known, Err(error)),
                })
            })
            .await?;
            self.review.fold = fold;
            read?;
        }
        Ok(&self.review.fold.review)
    }

    /// Returns a changed file's recorded path, whichever spelling a client used.
    async fn known_path(&mut self, named: String) -> String {
        let named = names::given(named);
        let review = self.reviewed().await.ok();
        let known = review.and_then(|review| review.known_path(System::CURRENT, &named));
        known.map(str::to_owned).unwrap_or(named)
    }

    /// Replaces the path in an action by the known one.
    async fn with_known_path(&mut self, mut action: ReviewAction) -> ReviewAction {
        if let ReviewAction::Keep { target } | ReviewAction::Undo { target, .. } = &mut action
            && let ReviewTarget::File { path } = target
        {
            *path = self.known_path(std::mem::take(path)).await;
        }
        action
    }

    /// Takes the news about decisions for the model; it counts as reported.
    pub(in crate::session) fn take_review_news(&mut self) -> Option<EngineMessage> {
        let Reviewed { review, .. } = &mut self.review.fold;
        let note = review.pending_note();
        review.reported(&note.seqs);
        let text = from_engine(format_args!(
            "the user has since made these decisions about your changes.\n{}",
            render(&note)
        ));
        let message = EngineMessage { text, reviewed: note.seqs, ..EngineMessage::default() };
        (!message.reviewed.is_empty() && !note.entries.is_empty()).then_some(message)
    }
}

/// Writes a decision's file, and only over the content that the decision was decided about.
pub(in crate::session) async fn write_decision(
    env: &dyn Environment,
    write: Write,
) -> Result<(), String> {
    let Write { path, before, after } = write;
    let path = Path::new(&path);
    let words = |error: pintle_exec::Error| {
        let (text, place) = (error.to_string(), names::shown(path));
        let is_named = error.path().is_some() || text.contains(&place.to_string());
        if is_named { text } else { format!("{place}: {text}") }
    };
    let mode = after.as_ref().map(|after| after.mode);
    let is_moded = before.as_ref().map(|before| before.mode) != mode;
    let after = match after {
        Some(Content { bytes, .. }) => After::Write(bytes.to_vec().into()),
        None => After::Remove,
    };
    let is_expected =
        move |found: Option<&[u8]>| found == before.as_ref().map(|before| &*before.bytes);
    replace_if(env, path, is_expected, after).await.map_err(words)?;
    if let Some(mode) = mode.filter(|_| is_moded) {
        env.set_mode(path, mode).await.map_err(words)?;
    }
    Ok(())
}

/// Undoes the writes for a decision that was not recorded, and returns why each of the others could not be undone. Their changes count as the
/// user's from now on, as do later changes by others.
pub(in crate::session) async fn take_back(env: &dyn Environment, done: Vec<Write>) -> Vec<String> {
    let mut failures = Vec::new();
    for Write { path, before, after } in done {
        let back = Write { path, before: after, after: before };
        if let Err(why) = write_decision(env, back).await {
            failures.push(why);
        }
    }
    failures
}

/// Says in a failed decision's hint what became of the files that had been written for it.
fn restored(error: Error, failures: &[String]) -> Error {
    if failures.is_empty() {
        return error.hint("no decision was applied; list the hunks again");
    }
    let failures = failures.join("; ");
    error.hint(format!(
        "the decision was not recorded, but these files keep its changes; list the hunks again: {failures}"
    ))
}

fn refusal(refused: &Refused) -> Error {
    let kind = match refused {
        // It was decided or changed since it was shown.
        Refused::NotOpen { .. }
        | Refused::Changed { .. }
        | Refused::AlreadyReverted { .. }
        | Refused::Unseen { .. } => ErrorKind::Conflict,
        Refused::UnknownHunk(_) | Refused::UnknownFile(_) | Refused::UnknownDecision(_) => {
            ErrorKind::NotFound
        }
        Refused::NoSuchLines { .. }
        | Refused::Inseparable(_)
        | Refused::NothingOpen
        | Refused::NothingDone(_) => ErrorKind::Invalid,
    };
    Error::new(kind, refused.to_string()).hint(Action::ListHunks)
}
