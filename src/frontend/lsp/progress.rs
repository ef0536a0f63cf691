//! Turns as work-done progress, which the user can cancel, and the message at a turn's end. Pure.
//!
//! Invariant: a token is used only after the client has accepted it, and ends once.

use super::wire;
use ls_types as lsp;
use pintle_base::text::visible::visible_line;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, Notice, NoticeLevel, TurnCompleted, TurnStatus};
use pintle_protocol::ids::TurnId;
use pintle_protocol::item::{Item, ItemBody};

/// The beginning of each token.
const TOKEN: &str = "turn-";

/// The maximum length of a progress message, in characters.
const MAX_PROGRESS_CHARS: usize = 80;

/// The progress of turns, oldest first.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The client shows progress.
    pub(super) is_shown: bool,
    count: u64,
    turns: Vec<Shown>,
    /// The last message of the model in the running turn.
    last_message: String,
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
    /// Returns the messages for an event of the client's session.
    pub(super) fn event(&mut self, turn: Option<&TurnId>, event: &Event) -> Vec<Vec<u8>> {
        let mut report = |doing: Option<String>| {
            let (doing, turn) = doing.zip(turn)?;
            self.report(turn, doing)
        };
        let message = match event {
            Event::TurnStarted { .. } => {
                self.last_message.clear();
                turn.filter(|_| self.is_shown).map(|turn| self.begin(turn.clone(), None))
            }
            Event::ItemStarted { item } | Event::ItemUpdated { item } => report(doing(item)),
            Event::ItemCompleted { item } => {
                if let Some(body) = item.body.as_agent_message() {
                    self.last_message.clone_from(&body.text);
                }
                None
            }
            Event::RetryScheduled(retry) => {
                report(Some(short(&format!("{}; retrying", retry.message))))
            }
            Event::Notice(notice) => Some(self::notice(notice)),
            Event::TurnCompleted(end) => {
                let (word, message) = self.ending(end);
                let ended = turn.and_then(|turn| self.end(turn, word));
                return ended.into_iter().chain(message).collect();
            }
            _ => None,
        };
        message.into_iter().collect()
    }

    /// Returns the last progress message of a turn, and the message about its end.
    fn ending(&self, end: &TurnCompleted) -> (&'static str, Option<Vec<u8>>) {
        match end.status {
            TurnStatus::Completed => {
                let text = self.last_message.trim();
                ("done", (!text.is_empty()).then(|| wire::show(lsp::MessageType::INFO, text)))
            }
            TurnStatus::Interrupted => ("stopped", None),
            TurnStatus::Failed => {
                let text = match &end.error {
                    Some(error) => wire::with_hint(&error.message, error.hint.as_ref()),
                    None => "the turn failed".to_owned(),
                };
                let text = format!("pintle: {text}");
                ("failed", Some(wire::show(lsp::MessageType::ERROR, &text)))
            }
        }
    }

    /// Asks the client to show a turn's progress.
    fn begin(&mut self, turn: TurnId, message: Option<String>) -> Vec<u8> {
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

    /// Handles the client's acceptance or refusal of a token. Returns the message that begins the progress, unless its turn has ended.
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

    /// Reports a turn's current activity.
    fn report(&mut self, turn: &TurnId, message: String) -> Option<Vec<u8>> {
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

    fn end(&mut self, turn: &TurnId, message: &str) -> Option<Vec<u8>> {
        let at = self.turns.iter().position(|shown| shown.turn == *turn)?;
        let shown = self.turns.remove(at);
        let end = lsp::WorkDoneProgressEnd { message: Some(message.to_owned()) };
        shown.is_begun.then(|| notification(&shown.token, lsp::WorkDoneProgress::End(end)))
    }

    /// Returns a token's turn.
    pub(super) fn turn_of(&self, token: &lsp::ProgressToken) -> Option<TurnId> {
        let lsp::NumberOrString::String(token) = token else { return None };
        self.turns.iter().find(|shown| shown.token == *token).map(|shown| shown.turn.clone())
    }
}

/// Writes the message about a notice.
pub(super) fn notice(notice: &Notice) -> Vec<u8> {
    let text = format!("pintle: {}", wire::with_hint(&notice.message, notice.hint.as_ref()));
    match notice.level {
        NoticeLevel::Error => wire::show(lsp::MessageType::ERROR, &text),
        NoticeLevel::Warning => wire::show(lsp::MessageType::WARNING, &text),
        NoticeLevel::Info => wire::log(&text),
    }
}

/// Returns the progress message of a running item.
fn doing(item: &Item) -> Option<String> {
    match &item.body {
        ItemBody::UserMessage(message) => {
            message.content.iter().find_map(Input::as_text).map(short)
        }
        ItemBody::ToolCall(call) if !call.title.is_empty() => Some(short(&call.title)),
        ItemBody::Compaction(_) => Some("summarizes the conversation".to_owned()),
        _ => None,
    }
}

/// Returns a text's first line, shortened.
fn short(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(MAX_PROGRESS_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    visible_line(&short).into_owned()
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
