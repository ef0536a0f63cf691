//! Turns as work-done progress: created at their start, with what runs at the moment, and cancelled by a person. Pure.
//!
//! Invariant: a token is used only after the client has accepted it, and ends once.

use ls_types as lsp;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::ids::TurnId;

/// The beginning of each token.
const TOKEN: &str = "turn-";

/// The progress of turns, oldest first.
#[derive(Debug, Default)]
pub(super) struct Progress {
    count: u64,
    turns: Vec<Shown>,
}

#[derive(Debug)]
struct Shown {
    /// Names the progress, and the request that creates it.
    token: String,
    turn: TurnId,
    message: Option<String>,
    /// The client has accepted the token.
    is_begun: bool,
}

impl Progress {
    /// Asks the client to show the progress of a turn.
    pub(super) fn begin(&mut self, turn: TurnId, message: Option<String>) -> Vec<u8> {
        self.count += 1;
        let token = format!("{TOKEN}{}", self.count);
        let params = lsp::WorkDoneProgressCreateParams { token: named(&token) };
        let request = envelope::request(&token, "window/workDoneProgress/create", &params);
        self.turns.push(Shown { token, turn, message, is_begun: false });
        request
    }

    /// Returns true if a request with this id creates a progress.
    pub(super) fn has_asked(id: &Id) -> bool {
        matches!(id, Id::Str(id) if id.starts_with(TOKEN))
    }

    /// The client has accepted a token, or refused it. Returns the message that begins the progress, unless its turn has ended.
    pub(super) fn responded(&mut self, id: &Id, is_accepted: bool) -> Option<Vec<u8>> {
        let Id::Str(id) = id else { return None };
        if !is_accepted {
            self.turns.retain(|shown| shown.token != *id);
        }
        let shown = self.turns.iter_mut().find(|shown| shown.token == *id)?;
        shown.is_begun = true;
        let begin = lsp::WorkDoneProgressBegin {
            title: "pintle".to_owned(),
            cancellable: Some(true),
            message: shown.message.clone(),
            percentage: None,
        };
        Some(notification(&shown.token, lsp::WorkDoneProgress::Begin(begin)))
    }

    /// Says what a turn does at the moment.
    pub(super) fn report(&mut self, turn: &TurnId, message: String) -> Option<Vec<u8>> {
        let shown = self.turns.iter_mut().find(|shown| shown.turn == *turn)?;
        if shown.message.as_ref() == Some(&message) {
            return None;
        }
        shown.message = Some(message.clone());
        let report = lsp::WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(message),
            percentage: None,
        };
        let report = lsp::WorkDoneProgress::Report(report);
        shown.is_begun.then(|| notification(&shown.token, report))
    }

    pub(super) fn end(&mut self, turn: &TurnId, message: &str) -> Option<Vec<u8>> {
        let at = self.turns.iter().position(|shown| shown.turn == *turn)?;
        let shown = self.turns.remove(at);
        let end = lsp::WorkDoneProgressEnd { message: Some(message.to_owned()) };
        shown.is_begun.then(|| notification(&shown.token, lsp::WorkDoneProgress::End(end)))
    }

    /// Returns the turn of a token.
    pub(super) fn turn_of(&self, token: &lsp::ProgressToken) -> Option<TurnId> {
        let lsp::NumberOrString::String(token) = token else { return None };
        self.turns.iter().find(|shown| shown.token == *token).map(|shown| shown.turn.clone())
    }
}

fn named(token: &str) -> lsp::ProgressToken {
    lsp::NumberOrString::String(token.to_owned())
}

fn notification(token: &str, value: lsp::WorkDoneProgress) -> Vec<u8> {
    let value = lsp::ProgressParamsValue::WorkDone(value);
    envelope::notification("$/progress", &lsp::ProgressParams { token: named(token), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(messages: impl IntoIterator<Item = Option<Vec<u8>>>) -> Vec<String> {
        let kind = |message: Vec<u8>| {
            let message: serde_json::Value = serde_json::from_slice(&message).unwrap();
            message["params"]["value"]["kind"].as_str().unwrap_or("create").to_owned()
        };
        messages.into_iter().flatten().map(kind).collect()
    }

    #[test]
    fn a_token_is_used_only_between_its_acceptance_and_its_end() {
        let turn = || TurnId::new("t");
        let said = || "reads".to_owned();
        let id = |id: &str| Id::Str(id.to_owned());
        let mut progress = Progress::default();
        let create = Some(progress.begin(turn(), None));
        let early = progress.report(&turn(), said());
        let begun = progress.responded(&id("turn-1"), true);
        let same = progress.report(&turn(), said());
        let report = progress.report(&turn(), "writes".to_owned());
        let end = progress.end(&turn(), "done");
        let late = progress.end(&turn(), "done");
        let got = kinds([create, early, begun, same, report, end, late]);
        assert_eq!(got, ["create", "begin", "report", "end"]);

        progress.begin(turn(), None);
        let refused = progress.responded(&id("turn-2"), false);
        let end = progress.end(&turn(), "done");
        assert_eq!(kinds([refused, end]), [""; 0]);

        progress.begin(turn(), None);
        let end = progress.end(&turn(), "done");
        let late = progress.responded(&id("turn-3"), true);
        assert_eq!(kinds([end, late]), [""; 0]);
        assert!(!Progress::has_asked(&id("edit-1")));
    }
}
