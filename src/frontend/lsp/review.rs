//! The session's open changes in the client: read again whenever they may have changed, published as diagnostics, and decided about.

use super::arguments::Target;
use super::documents::OpenDocuments;
use super::effects::{Effects, Outcome};
use super::hunks;
use super::wire;
use crate::rpc::HandlerResult;
use crate::rpc::invalid_params;
use ls_types as lsp;
use pintle_agent::{Error, SessionHandle};
use pintle_base::transport::envelope;
use pintle_protocol::event::Event;
use pintle_protocol::methods::{ReviewDecide, ReviewList};
use pintle_protocol::review::{
    Hunk, Outcome as DecisionOutcome, ReviewAction, ReviewDecideParams, ReviewDecideResult,
    ReviewDecision, ReviewListParams, ReviewListResult, ReviewQueue, ReviewTarget,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The open changes as they were read last.
#[derive(Debug, Default)]
pub(super) struct Changes {
    hunks: Vec<Hunk>,
    /// The documents with diagnostics in the client.
    shown: BTreeSet<String>,
    is_reading: bool,
    is_stale: bool,
    /// The client draws code lenses again on request.
    pub(super) can_refresh: bool,
    /// The number of such requests.
    refreshes: u64,
    /// The last decision given here, by its event.
    pub(super) last_decision: Option<u64>,
}

impl Changes {
    /// Returns the open changes of a document.
    pub(super) fn in_document(&self, uri: &lsp::Uri, documents: &OpenDocuments) -> Vec<&Hunk> {
        let is_it = |hunk: &&Hunk| documents.uri(&hunk.path).as_ref() == Some(uri);
        self.hunks.iter().filter(is_it).collect()
    }

    /// Reads a session's open changes, and reads them again afterwards if they changed in between.
    pub(super) fn read(
        &mut self,
        session: Option<&SessionHandle>,
        documents: &OpenDocuments,
    ) -> Effects {
        self.is_stale = self.is_reading;
        if self.is_reading {
            return Effects::default();
        }
        let Some(session) = session.cloned() else {
            self.hunks.clear();
            return self.show(documents);
        };
        self.is_reading = true;
        Effects::work(async move {
            Outcome::Reviewed(session.call::<ReviewList>(ReviewListParams::default()).await)
        })
    }

    /// Shows the changes that were read. Also returns true if they must be read again.
    pub(super) fn reviewed(
        &mut self,
        list: Result<ReviewListResult, Error>,
        documents: &OpenDocuments,
    ) -> (Effects, bool) {
        self.is_reading = false;
        let effects = match list {
            Ok(list) if self.hunks != list.hunks => {
                self.hunks = list.hunks;
                self.show(documents)
            }
            Ok(_) => Effects::default(),
            Err(error) => {
                tracing::debug!("failed to read the changes: {}", error.message);
                Effects::default()
            }
        };
        (effects, self.is_stale)
    }

    fn show(&mut self, documents: &OpenDocuments) -> Effects {
        let mut messages = self.publish(documents);
        if self.can_refresh {
            self.refreshes += 1;
            let id = format!("lenses-{}", self.refreshes);
            messages.push(wire::bare_request(&id, "workspace/codeLens/refresh"));
        }
        Effects::send(messages)
    }

    /// Shows a document's changes at their positions in its new text.
    pub(super) fn show_in(&self, uri: &lsp::Uri, documents: &OpenDocuments) -> Option<Vec<u8>> {
        let hunks = self.in_document(uri, documents);
        (!hunks.is_empty()).then(|| shown(uri.clone(), &hunks, documents))
    }

    /// Follows a decision that waited for a call. Returns a message for the user if it was refused.
    pub(super) fn followed(&mut self, seq: u64, event: &Event) -> Option<Vec<u8>> {
        match event {
            Event::ReviewDecided(ReviewDecision { waited: Some(queued), .. })
                if self.last_decision == Some(*queued) =>
            {
                self.last_decision = Some(seq);
                None
            }
            Event::ReviewQueued(ReviewQueue { refused: Some(refused), .. }) => {
                if self.last_decision == Some(refused.id) {
                    self.last_decision = None;
                }
                let text = format!("pintle did not carry out the decision: {}", refused.reason);
                Some(wire::show(lsp::MessageType::ERROR, &text))
            }
            _ => None,
        }
    }

    /// Returns the messages that show the changes in the client, and remove the decided ones.
    fn publish(&mut self, documents: &OpenDocuments) -> Vec<Vec<u8>> {
        let mut by_uri: BTreeMap<String, (lsp::Uri, Vec<&Hunk>)> = BTreeMap::new();
        for hunk in &self.hunks {
            let Some(uri) = documents.uri(&hunk.path) else { continue };
            by_uri.entry(uri.as_str().to_owned()).or_insert((uri, Vec::new())).1.push(hunk);
        }
        let over: Vec<String> =
            self.shown.iter().filter(|uri| !by_uri.contains_key(*uri)).cloned().collect();
        let over =
            over.iter().filter_map(|uri| uri.parse().ok()).map(|uri| diagnostics(uri, Vec::new()));
        let mut messages: Vec<Vec<u8>> = over.collect();
        self.shown = by_uri.keys().cloned().collect();
        for (uri, hunks) in by_uri.into_values() {
            messages.push(shown(uri, &hunks, documents));
        }
        messages
    }
}

/// Returns a document's diagnostics.
fn shown(uri: lsp::Uri, hunks: &[&Hunk], documents: &OpenDocuments) -> Vec<u8> {
    let text = documents.text(&uri);
    let text = text.as_deref().map(String::as_str);
    diagnostics(uri, hunks.iter().map(|hunk| hunks::diagnostic(hunk, text)).collect())
}

fn diagnostics(uri: lsp::Uri, diagnostics: Vec<lsp::Diagnostic>) -> Vec<u8> {
    let params = lsp::PublishDiagnosticsParams { uri, diagnostics, version: None };
    envelope::notification("textDocument/publishDiagnostics", &params)
}

/// Returns true if an event may alter the open changes.
pub(super) fn changes(event: &Event) -> bool {
    matches!(
        event,
        Event::FilesChanged(_)
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::HistoryRewound(_)
            | Event::TurnCompleted(_)
    )
}

/// A decision as named in a command.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Keep,
    Undo,
}

/// Returns a command's action. `path` converts a document URI to a path.
pub(super) fn action(
    verb: Verb,
    target: Target,
    path: impl Fn(&lsp::Uri) -> Option<String>,
) -> HandlerResult<ReviewAction> {
    let target = match target {
        Target::All => ReviewTarget::All,
        Target::Hunk { hunk, changed_seq } => ReviewTarget::Hunk { hunk, changed_seq },
        Target::File { uri } => {
            let not_here =
                || invalid_params(&format!("`{}` is not a file on this machine", uri.as_str()));
            ReviewTarget::File { path: path(&uri).ok_or_else(not_here)? }
        }
    };
    Ok(match verb {
        Verb::Keep => ReviewAction::Keep { target },
        Verb::Undo => ReviewAction::Undo { target, discard_edits: false },
    })
}

/// Decides about changes. Returns the command's result, and a text for the user if some changes were not decided.
pub(super) async fn decide(
    session: &SessionHandle,
    action: ReviewAction,
) -> HandlerResult<(Value, Option<String>)> {
    let decide = ReviewDecideParams { session_id: None, action };
    let decided = session.call::<ReviewDecide>(decide).await;
    let decided = decided.map_err(|error| wire::refused(&error))?;
    let ReviewDecideResult { seq, decision, is_queued } = decided;
    let applied =
        decision.parts.iter().filter(|part| part.outcome == DecisionOutcome::Applied).count();
    let conflicts = decision.parts.len() - applied;
    let cause = decision.parts.iter().find_map(|part| part.cause.as_deref());
    let may_be_theirs = |cause| {
        format!(
            "pintle kept changes that may be yours (cause {cause}); if they are not, undo each one individually"
        )
    };
    let text = match (is_queued, conflicts) {
        (true, _) => Some("pintle will do this when the running call has ended".to_owned()),
        (false, 0) => None,
        (false, _) if cause.is_some() => cause.map(may_be_theirs),
        (false, 1) => Some("pintle kept a change that contains your lines".to_owned()),
        (false, count) => Some(format!("pintle kept {count} changes that contain your lines")),
    };
    let result =
        json!({"decision": seq, "applied": applied, "conflicts": conflicts, "queued": is_queued});
    Ok((result, text))
}
