//! Moves to another point in a session's history, and labels points.
//!
//! Invariant: the journal never loses an event; the model knows exactly the path to the last event.

use super::{Phase, Session};
use crate::background::in_background;
use crate::command::{HistoryCommand, Pager, Record, Reply};
use crate::error::{Action, Error, ErrorKind};
use crate::turn::context::{TurnState, Work};
use crate::turn::system_prompt::SystemPromptState;
use pintle_llm::{Message, Provider};
use pintle_protocol::event::Event;
use pintle_protocol::files::RewindScope;
use pintle_protocol::history::{
    HistoryRewound, LabelChanged, SessionLabelParams, SessionLabelResult, SessionRewindParams,
    SessionRewindResult,
};
use pintle_protocol::ids::TurnId;
use pintle_session::history::touched::TouchedFiles;
use pintle_session::history::{recovery, replay, tree};
use pintle_session::store::Entry;
use pintle_tools::ReadTracker;
use std::sync::Arc;

/// The maximum length of a label, in characters.
const MAX_LABEL_CHARS: usize = 200;

/// The maximum size of a point's metadata, as JSON.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// The messages to summarize after moving to another point.
struct AbandonedBranch {
    turn_id: TurnId,
    messages: Vec<Arc<Message>>,
    provider: Arc<dyn Provider>,
}

impl Session {
    pub(super) fn history_command(&mut self, command: HistoryCommand) {
        match command {
            HistoryCommand::Events { after, limit, reply } => {
                let pager = self.log.journal.pager(after, limit);
                let _ = reply.send(Ok((Pager::new(pager), self.log.journal.last_seq())));
            }
            HistoryCommand::Note { note, reply } => self.take_note(note, reply),
        }
    }

    /// Moves to another point, or previews the move.
    pub(super) async fn rewind(
        &mut self,
        params: SessionRewindParams,
        reply: Reply<SessionRewindResult>,
    ) {
        let (mut records, mut left) = (Vec::new(), None);
        let _ = reply.send(self.try_rewind(params, &mut records, &mut left).await);
        // Even after a partial failure, journaled events are published.
        for record in records {
            self.publish(&record);
        }
        if let Some(AbandonedBranch { turn_id, messages, provider }) = left {
            self.begin_turn(turn_id, Work::SummarizeBranch(messages), provider);
        }
    }

    async fn try_rewind(
        &mut self,
        params: SessionRewindParams,
        records: &mut Vec<Arc<Record>>,
        left: &mut Option<AbandonedBranch>,
    ) -> Result<SessionRewindResult, Error> {
        if let Phase::Running(running) = &self.phase {
            let busy = ErrorKind::Busy(running.turn_id.clone());
            let hint = "interrupt it, or rewind when it has ended";
            return Err(Error::new(busy, "a turn is running").hint(hint));
        }
        let SessionRewindParams { to, scope, overwrite, summarize, dry_run, .. } = params;
        if summarize && scope == RewindScope::Files {
            let what = "only a rewound conversation can be summarized";
            let hint = "omit `summarize`, or rewind with the scope `conversation` or `both`";
            return Err(Error::new(ErrorKind::Invalid, what).hint(hint));
        }
        let provider = if summarize {
            Some(self.services.models.provider(&self.settings.model)?)
        } else {
            None
        };
        let entries = in_background(self.log.journal.reader()).await?;
        let place = tree::find(&entries, &to).map_err(|refused| no_place(&refused, "/to"))?;
        let from_seq = self.log.journal.last_seq();
        let mut files = match scope {
            RewindScope::Conversation => Vec::new(),
            RewindScope::Files | RewindScope::Both => {
                self.restorer().plan(&entries, place.seq, &overwrite).await
            }
        };
        let mut result = SessionRewindResult {
            to_seq: place.seq,
            from_seq,
            dropped: Vec::new(),
            restored: Vec::new(),
            input: place.input,
            summary_turn_id: None,
            files: Vec::new(),
        };
        if scope != RewindScope::Files {
            (result.dropped, result.restored) = tree::difference(&entries, from_seq, place.seq);
        }
        if !dry_run {
            if scope != RewindScope::Files {
                self.ask_to_switch(Some(place.seq)).await?;
            }
            records.extend(self.put_files_back(place.seq, &mut files).await?);
            if scope != RewindScope::Files {
                let rewound = HistoryRewound {
                    to_seq: result.to_seq,
                    dropped: result.dropped.clone(),
                    restored: result.restored.clone(),
                    merged: None,
                };
                // The messages that are left are to be summarized.
                if summarize {
                    self.read_own_conversation().await?;
                }
                records.push(self.log.append(None, Event::HistoryRewound(rewound), None)?);
                let entries = tree::on_path(entries, place.seq);
                let known = self.known_messages();
                records.extend(self.rebuild_view(&entries)?);
                *left = provider.and_then(|provider| self.abandoned_branch(known, provider));
                result.summary_turn_id = left.as_ref().map(|left| left.turn_id.clone());
            }
        }
        result.files = files.into_iter().map(|plan| plan.effect).collect();
        Ok(result)
    }

    /// Returns the conversation's messages.
    fn known_messages(&self) -> Vec<Arc<Message>> {
        match &self.phase {
            Phase::Idle(state) => state.conversation.messages.clone(),
            Phase::Running(_) => Vec::new(),
        }
    }

    /// Returns the messages that left the conversation, to be summarized.
    fn abandoned_branch(
        &self,
        known: Vec<Arc<Message>>,
        provider: Arc<dyn Provider>,
    ) -> Option<AbandonedBranch> {
        let now = self.known_messages();
        let common = known.iter().zip(&now).take_while(|(was, is)| was == is).count();
        let messages: Vec<_> = known.into_iter().skip(common).collect();
        let turn_id = TurnId::new(self.services.ambient.new_id());
        (!messages.is_empty()).then_some(AbandonedBranch { turn_id, messages, provider })
    }

    /// Rebuilds the view from these entries alone. Returns the notice to publish, if any.
    pub(super) fn rebuild_view(&mut self, entries: &[Entry]) -> Result<Option<Arc<Record>>, Error> {
        self.replay_state(entries);
        let plan = recovery::plan(entries);
        if plan == self.view.plan {
            return Ok(None);
        }
        let record = self.log.append(None, Event::PlanUpdated(plan.clone()), None)?;
        self.view.plan = plan;
        Ok(Some(record))
    }

    /// Restores the model's knowledge from these entries.
    fn replay_state(&mut self, entries: &[Entry]) {
        // The file history does not depend on the model's knowledge.
        let (files, served, told_unused) = match &mut self.phase {
            Phase::Idle(state) => (
                std::mem::take(&mut state.files),
                std::mem::take(&mut state.served),
                std::mem::take(&mut state.told_unused),
            ),
            Phase::Running(_) => return,
        };
        self.phase = Phase::Idle(TurnState {
            conversation: replay::conversation(entries),
            prompt_state: Box::new(SystemPromptState::replay(entries)),
            files,
            served,
            told_unused,
            ..TurnState::default()
        });
        self.view.reported_mode = recovery::reported_mode(entries);
        self.view.touched = TouchedFiles::replay(entries);
        self.view.sent = None;
        self.view.usage = None;
        // The model may have lost the file contents that it read, so it must read them again before it replaces them.
        self.view.read_tracker = ReadTracker::default();
        self.save_seen();
    }

    /// Labels a point, or removes its label.
    pub(super) async fn label(
        &mut self,
        params: SessionLabelParams,
        reply: Reply<SessionLabelResult>,
    ) {
        let done = self.try_label(params).await;
        self.respond(reply, done);
    }

    async fn try_label(
        &mut self,
        params: SessionLabelParams,
    ) -> Result<(SessionLabelResult, Option<Arc<Record>>), Error> {
        let SessionLabelParams { at, label, metadata, .. } = params;
        let bytes = metadata.as_ref().map_or(0, |metadata| metadata.to_string().len());
        if bytes > MAX_METADATA_BYTES {
            let what = format!("the metadata has {bytes} bytes");
            let hint = format!("use at most {MAX_METADATA_BYTES}");
            return Err(Error::new(ErrorKind::Invalid, what).hint(hint).at("/metadata"));
        }
        let label = label.map(|label| label.trim().to_owned()).filter(|label| !label.is_empty());
        let count = label.as_ref().map_or(0, |label| label.chars().count());
        if count > MAX_LABEL_CHARS {
            let what = format!("the label has {count} characters");
            let hint = format!("use at most {MAX_LABEL_CHARS}");
            return Err(Error::new(ErrorKind::Invalid, what).hint(hint).at("/label"));
        }
        let entries = in_background(self.log.journal.reader()).await?;
        let seq = match &at.item_id {
            // The message itself has the label, not the entry before it.
            Some(id) => tree::seq_of(&entries, id),
            None => None,
        };
        let seq = match seq {
            Some(seq) => seq,
            None => tree::find(&entries, &at).map_err(|refused| no_place(&refused, "/at"))?.seq,
        };
        // Without a label there is nothing that the data would be about.
        let metadata = metadata.filter(|_| label.is_some());
        let changed = LabelChanged { seq, label, metadata };
        let record = self.log.append(None, Event::LabelChanged(changed), None)?;
        Ok((SessionLabelResult { seq }, Some(record)))
    }
}

fn no_place(refused: &tree::NoPoint, field: &'static str) -> Error {
    Error::no_point(refused, Action::ListHistory, field)
}
