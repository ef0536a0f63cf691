//! Turns events of the session into progress, questions and messages.

use super::driver::Driver;
use super::wire;
use ls_types as lsp;
use pintle_agent::Feed;
use pintle_base::text::visible::visible_line;
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    Event, EventRecord, Notice, NoticeLevel, TransientEvent, TurnCompleted, TurnStatus,
};
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::item::{Item, ItemBody};

/// The maximum length of the text beside a progress, in characters.
const MAX_PROGRESS_CHARS: usize = 80;

impl Driver {
    /// Sends the messages that events become to the client.
    pub(super) fn hand_on(&mut self, events: Vec<Feed>) {
        self.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.durable(&record.value),
                Feed::Transient(record) => {
                    if let TransientEvent::Notice(notice) = &record.value.event
                        && self.is_current(&record.value.session_id)
                    {
                        self.notice(notice);
                    }
                }
                // This client provides no hooks and no tools; missed events have been read again and are among these.
                Feed::Call(_)
                | Feed::CallWithdrawn(_)
                | Feed::Held(..)
                | Feed::Question(_)
                | Feed::Lagged { .. } => {}
            }
        }
    }

    fn durable(&mut self, record: &EventRecord) {
        let EventRecord { session_id, turn_id, event, .. } = record;
        let message = match event {
            Event::ApprovalRequested(approval) => self
                .asking(session_id)
                .and_then(|session| self.questions.permission(session, approval)),
            Event::QuestionRequested(question) => self
                .asking(session_id)
                .and_then(|session| self.questions.question(session, question)),
            Event::ApprovalResolved(outcome) => self.questions.decided(&outcome.approval_id),
            Event::QuestionResolved(outcome) => self.questions.answered(&outcome.question_id),
            _ => None,
        };
        self.send_all(message);
        if self.is_current(session_id) {
            self.of_session(turn_id.as_ref(), event);
            self.note_change(event);
            self.note_for_transcript(record);
        }
    }

    /// Shows an event of the client's own session.
    fn of_session(&mut self, turn: Option<&TurnId>, event: &Event) {
        match event {
            Event::TurnStarted { .. } => {
                self.last_message.clear();
                if let Some(turn) = turn
                    && self.offers.progress
                {
                    let request = self.progress.begin(turn.clone(), None);
                    self.send_all([request]);
                }
            }
            Event::ItemStarted { item } | Event::ItemUpdated { item } => {
                let doing = doing(item).zip(turn);
                let report = doing.and_then(|(doing, turn)| self.progress.report(turn, doing));
                self.send_all(report);
            }
            Event::ItemCompleted { item } => {
                if let ItemBody::AgentMessage(body) = &item.body {
                    self.last_message.clone_from(&body.text);
                }
            }
            Event::RetryScheduled(retry) => {
                let doing = short(&format!("{}; retrying", retry.message));
                let report = turn.and_then(|turn| self.progress.report(turn, doing));
                self.send_all(report);
            }
            Event::Notice(notice) => self.notice(notice),
            Event::TurnCompleted(end) => self.turn_completed(turn, end),
            _ => {}
        }
    }

    fn turn_completed(&mut self, turn: Option<&TurnId>, end: &TurnCompleted) {
        let (word, message) = match end.status {
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
        };
        let ended = turn.and_then(|turn| self.progress.end(turn, word));
        self.send_all(ended.into_iter().chain(message));
    }

    fn notice(&mut self, notice: &Notice) {
        let text = format!("pintle: {}", wire::with_hint(&notice.message, notice.hint.as_ref()));
        let message = match notice.level {
            NoticeLevel::Error => wire::show(lsp::MessageType::ERROR, &text),
            NoticeLevel::Warning => wire::show(lsp::MessageType::WARNING, &text),
            NoticeLevel::Info => wire::log(&text),
        };
        self.send_all([message]);
    }

    fn is_current(&self, session: &SessionId) -> bool {
        self.session.as_ref().is_some_and(|current| current.id == *session)
    }
}

/// Returns what an item does at the moment, for the line beside a progress.
fn doing(item: &Item) -> Option<String> {
    match &item.body {
        ItemBody::UserMessage(message) => message.content.iter().find_map(|block| match block {
            Input::Text { text } => Some(short(text)),
            _ => None,
        }),
        ItemBody::ToolCall(call) if !call.title.is_empty() => Some(short(&call.title)),
        ItemBody::Compaction(_) => Some("summarizes the conversation".to_owned()),
        _ => None,
    }
}

/// The beginning of the first line of a text.
fn short(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(MAX_PROGRESS_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    visible_line(&short).into_owned()
}
