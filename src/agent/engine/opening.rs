//! A stored session's state at its opening, folded from its events.
//!
//! Entries are taken one by one, so that the state can be saved and continued: a long session is opened from the saved state and the later
//! entries, and its conversation is read by the first turn. Invariant: the result does not depend on how often the state was saved. If an
//! entry changes the meaning of earlier ones, such as a rewind, the whole journal is read.

use crate::file_history::FileStates;
use crate::turn::system_prompt::SystemPromptState;
use pintle_protocol::event::Event;
use pintle_protocol::files::ChangedBy;
use pintle_protocol::session::SessionMoved;
use pintle_session::context::conversation::Conversation;
use pintle_session::history::recovery::{self, Recovery};
use pintle_session::history::replay::{GrowingConversation, Size};
use pintle_session::history::touched::TouchedFiles;
use pintle_session::history::tree;
use pintle_session::store::announced::Announced;
use pintle_session::store::moves::Moves;
use pintle_session::store::{Entry, Fold};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// A session's state after the entries read so far.
#[derive(Debug, Default)]
pub(super) struct Opening {
    state: Folded,
    conversation: GrowingConversation,
    /// True if the session was moved and its paths were replaced: they depend on which directories exist.
    is_relocated: bool,
}

/// The part that is saved.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Folded {
    recovery: recovery::Fold,
    moved: Vec<(u64, SessionMoved)>,
    files: FileStates,
    touched: TouchedFiles,
    prompt_state: SystemPromptState,
    /// The conversation's size; its messages stay in the journal.
    conversation: Size,
    /// The last event's number.
    seq: u64,
    /// The last event that is not a move.
    last: LastEvent,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct LastEvent {
    seq: u64,
    is_decision: bool,
}

impl Fold for Opening {
    fn from_saved(state: &RawValue) -> Option<Self> {
        let state: Folded = serde_json::from_str(state.get()).ok()?;
        let conversation = GrowingConversation::after(state.conversation);
        Some(Self { state, conversation, is_relocated: false })
    }

    fn take(&mut self, entry: &Entry) -> bool {
        let event = entry.record.as_ref().map(|record| &record.event);
        let needs_all = match event {
            Some(Event::HistoryRewound(_)) => true,
            Some(Event::SessionMoved(_)) => self.has_paths(),
            Some(_) | None => self.conversation.needs_earlier(entry),
        };
        if !needs_all {
            self.add(entry);
            self.add_to_path(entry);
        }
        !needs_all
    }
}

impl Opening {
    /// Folds a whole journal, whose paths are the current ones.
    pub(super) fn replay(entries: &[Entry]) -> Self {
        let mut opening = Self::default();
        let is_current = tree::current(entries);
        for entry in entries {
            opening.add(entry);
            if is_current(entry) {
                opening.add_to_path(entry);
            }
        }
        opening.is_relocated = !opening.state.moved.is_empty() && opening.has_paths();
        opening
    }

    fn add(&mut self, entry: &Entry) {
        let state = &mut self.state;
        state.seq = entry.seq;
        let event = entry.record.as_ref().map(|record| &record.event);
        if let Some(Event::SessionMoved(moved)) = event {
            state.moved.push((entry.seq, moved.clone()));
        } else {
            let is_decision = matches!(event, Some(Event::ReviewDecided(_)));
            state.last = LastEvent { seq: entry.seq, is_decision };
        }
        if let Some(Event::FilesChanged(changed)) = event {
            state.files.update(&changed.changes);
        }
        if let Some(record) = &entry.record {
            state.recovery.add(record);
        }
    }

    fn add_to_path(&mut self, entry: &Entry) {
        if let Some(record) = &entry.record {
            self.state.recovery.add_to_path(record);
            self.state.touched.record(&record.event);
        }
        self.state.prompt_state.add(entry);
        self.conversation.add(entry);
    }

    /// Returns true if it contains paths that a move of the session changes.
    fn has_paths(&self) -> bool {
        let Folded { files, touched, recovery, .. } = &self.state;
        !files.is_empty() || !touched.is_empty() || !recovery.open_items().is_empty()
    }

    /// Returns the session's moves.
    pub(super) fn moves(&self) -> Moves {
        Moves::from_events(self.state.moved.iter().map(|(seq, moved)| (*seq, moved)))
    }

    /// Returns the last event's number.
    pub(super) fn seq(&self) -> u64 {
        self.state.seq
    }

    /// Returns false if the journal records how the announced change ended.
    pub(super) fn may_be_open(&self, announced: &Announced) -> bool {
        let LastEvent { seq, is_decision } = self.state.last;
        match &announced.by {
            ChangedBy::Call { item_id, .. } => {
                self.state.recovery.open_items().iter().any(|item| item.id == *item_id)
            }
            ChangedBy::Other {} | ChangedBy::Rewind { .. } | ChangedBy::Review {} => {
                announced.after_seq == Some(seq)
                    || is_decision && announced.after_seq == seq.checked_sub(1)
            }
        }
    }

    /// Returns the unfinished work.
    pub(super) fn recovery(&self, now_ms: u64) -> Recovery {
        self.state.recovery.clone().finish(now_ms)
    }

    /// Returns the state to be saved, unless it may have another meaning when it is read again.
    pub(super) fn saved_state(&mut self) -> Option<Box<RawValue>> {
        if self.is_relocated || self.state.recovery.is_in_turn() {
            return None;
        }
        self.state.conversation = self.conversation.size();
        to_raw_value(&self.state).ok()
    }

    /// Returns its parts.
    pub(super) fn finish(self) -> Opened {
        let Folded { files, touched, prompt_state, .. } = self.state;
        Opened { files, touched, prompt_state, conversation: self.conversation.finish() }
    }
}

/// What an opened session continues with, besides what [`Recovery`] contains.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) files: FileStates,
    pub(super) touched: TouchedFiles,
    pub(super) prompt_state: SystemPromptState,
    /// The conversation; its size if it was not read.
    pub(super) conversation: Result<Conversation, Size>,
}

#[cfg(test)]
mod tests;
