//! The session's open changes in the client: read again whenever they may have changed, published as diagnostics, and decided about.

use super::commands::Target;
use super::documents::OpenDocuments;
use super::driver::{Driver, Outcome};
use super::hunks;
use super::wire::{self, HandlerResult};
use futures_util::future::FutureExt;
use ls_types as lsp;
use pintle_agent::{Error, SessionHandle};
use pintle_base::transport::envelope;
use pintle_protocol::event::Event;
use pintle_protocol::methods::{ReviewDecide, ReviewList};
use pintle_protocol::review::{
    Hunk, Outcome as DecisionOutcome, ReviewAction, ReviewDecideParams, ReviewDecideResult,
    ReviewListParams, ReviewListResult, ReviewTarget,
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
    /// The number of requests to draw code lenses again.
    refreshes: u64,
}

impl Changes {
    /// Returns the open changes of a document.
    pub(super) fn of(&self, uri: &lsp::Uri, documents: &OpenDocuments) -> Vec<&Hunk> {
        let is_it = |hunk: &&Hunk| documents.uri(&hunk.path).as_ref() == Some(uri);
        self.hunks.iter().filter(is_it).collect()
    }

    /// Returns the messages that show the changes in the client, and remove those that are over.
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

/// The diagnostics of a document.
fn shown(uri: lsp::Uri, hunks: &[&Hunk], documents: &OpenDocuments) -> Vec<u8> {
    let text = documents.text(&uri);
    let text = text.as_deref().map(String::as_str);
    diagnostics(uri, hunks.iter().map(|hunk| hunks::diagnostic(hunk, text)).collect())
}

fn diagnostics(uri: lsp::Uri, diagnostics: Vec<lsp::Diagnostic>) -> Vec<u8> {
    let params = lsp::PublishDiagnosticsParams { uri, diagnostics, version: None };
    envelope::notification("textDocument/publishDiagnostics", &params)
}

impl Driver {
    /// Notes an event of the session after which its changes may be others.
    pub(super) fn note_change(&mut self, event: &Event) {
        if let Event::FilesChanged(_)
        | Event::ReviewDecided(_)
        | Event::ReviewQueued(_)
        | Event::HistoryRewound(_)
        | Event::TurnCompleted(_) = event
        {
            self.read_changes();
        }
    }

    /// Reads the open changes; once more at the end if they change meanwhile.
    pub(super) fn read_changes(&mut self) {
        self.changes.is_stale = true;
        if self.changes.is_reading {
            return;
        }
        self.changes.is_stale = false;
        let Some(session) = self.session.clone() else {
            self.changes.hunks.clear();
            return self.show_changes();
        };
        self.changes.is_reading = true;
        let reading = async move {
            Outcome::Reviewed(session.call::<ReviewList>(ReviewListParams::default()).await)
        };
        self.running.push(reading.boxed());
    }

    pub(super) fn reviewed(&mut self, list: Result<ReviewListResult, Error>) {
        self.changes.is_reading = false;
        match list {
            Ok(list) if self.changes.hunks != list.hunks => {
                self.changes.hunks = list.hunks;
                self.show_changes();
            }
            Ok(_) => {}
            Err(error) => tracing::debug!("failed to read the changes: {}", error.message),
        }
        if self.changes.is_stale {
            self.read_changes();
        }
    }

    fn show_changes(&mut self) {
        let messages = self.changes.publish(&self.documents);
        self.send_all(messages);
        if self.offers.lens_refresh {
            self.changes.refreshes += 1;
            let id = format!("lenses-{}", self.changes.refreshes);
            self.send_all([wire::bare_request(&id, "workspace/codeLens/refresh")]);
        }
    }

    /// Shows the changes of a document where they stand now that its text is another one.
    pub(super) fn show_changes_of(&mut self, uri: &lsp::Uri) {
        let hunks = self.changes.of(uri, &self.documents);
        if !hunks.is_empty() {
            let message = shown(uri.clone(), &hunks, &self.documents);
            self.send_all([message]);
        }
    }
}

/// A verdict as a command says it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Keep,
    Undo,
}

/// Returns the action of a command. `path` names the file of a document by its URI.
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
                || wire::invalid(&format!("`{}` is not a file on this machine", uri.as_str()));
            ReviewTarget::File { path: path(&uri).ok_or_else(not_here)? }
        }
    };
    Ok(match verb {
        Verb::Keep => ReviewAction::Keep { target },
        Verb::Undo => ReviewAction::Undo { target, discard_edits: false },
    })
}

/// Decides about changes. Returns the result of the command, and a text for the person if not all was done.
pub(super) async fn decide(
    session: &SessionHandle,
    action: ReviewAction,
) -> HandlerResult<(Value, Option<String>)> {
    let decide = ReviewDecideParams { session_id: None, action };
    let decided = session.call::<ReviewDecide>(decide).await;
    let decided = decided.map_err(|error| wire::refused(&error))?;
    let ReviewDecideResult { seq, verdict, is_queued } = decided;
    let applied =
        verdict.parts.iter().filter(|part| part.outcome == DecisionOutcome::Applied).count();
    let conflicts = verdict.parts.len() - applied;
    let cause = verdict.parts.iter().find_map(|part| part.cause.as_deref());
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
        json!({"verdict": seq, "applied": applied, "conflicts": conflicts, "isQueued": is_queued});
    Ok((result, text))
}
