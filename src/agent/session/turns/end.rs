//! Ends a turn: records it, moves the conversation back into the session, and starts a turn for the next waiting message.

use crate::error::Error;
use crate::host::JournalLost;
use crate::session::{Phase, Session};
use crate::turn::context::{End, Finished, Work};
use pintle_protocol::event::{Delivery, Event, Notice, NoticeLevel, StopReason, TurnCompleted};
use pintle_protocol::ids::TurnId;

impl Session {
    /// Stops the turn and warns subscribers after the journal could not be written.
    pub(in crate::session) fn journal_lost(&mut self, error: &Error) {
        if let Phase::Running(running) = &mut self.phase {
            if std::mem::replace(&mut running.is_lost, true) {
                return;
            }
            running.cancel.cancel();
        }
        self.warn_transiently(error);
    }

    /// Ends a turn, and continues with the waiting decisions and messages.
    pub(in crate::session) async fn finished(&mut self, finished: Finished) {
        let is_done = matches!(finished.end, End::Completed(_));
        self.end(finished).await;
        if self.lifecycle.closing.is_some() {
            return;
        }
        self.apply_pending_decisions().await;
        if is_done {
            self.begin_naming();
        }
        self.start_next();
        self.answer_idle_waiters();
    }

    /// Records the turn's end and takes the conversation back.
    async fn end(&mut self, finished: Finished) {
        let Finished { mut state, end, tally } = finished;
        if let Some(running) = self.phase.running() {
            state.files.record(&running.foreign_changes);
        }
        let Phase::Running(running) = std::mem::replace(&mut self.phase, Phase::Idle(state)) else {
            return;
        };
        self.withdraw_questions();
        self.withdraw_calls();
        self.consumed.total.add(tally.usage, tally.cost_nano_usd);
        let end = if running.is_lost { JournalLost.into() } else { end };
        let (stop, error) = match &end {
            End::Completed(stop) => (Some(*stop), None),
            End::Interrupted => (None::<StopReason>, None),
            End::Failed(error) => (None, Some(error.clone())),
        };
        let completed = Event::TurnCompleted(TurnCompleted {
            status: end.status(),
            stop,
            error,
            usage: tally.usage,
            cost_nano_usd: tally.cost_nano_usd,
            steps: tally.steps,
            denials: tally.denials,
            structured: tally.structured,
            duration_ms: self.services.ambient.now_ms().saturating_sub(running.began_ms),
        });
        let (record, mut failure) = self.log.append_end(running.turn_id, completed);
        if failure.is_none() {
            failure = self.log.sync().await.err();
        }
        if let Some(error) = failure {
            self.warn_transiently(&error);
        }
        self.publish(&record);
        self.save_seen();
        self.write_notes();
        self.publish_state();
    }

    /// Gives a turn's messages back to the client if the turn cannot start.
    pub(in crate::session) fn hand_back(&mut self, work: Work) {
        if let Work::Answer(inputs) = work {
            self.record(None, Event::InputRemoved { inputs, is_handled: false });
        }
    }

    /// Starts the next turn if a message waits: one that came too late for the last turn, or else the next follow-up.
    fn start_next(&mut self) {
        let inputs = self.inbox.take_next();
        let Some(first) = inputs.first() else { return };
        let turn_id = match first.delivery {
            // Its turn has ended.
            Delivery::Steer => TurnId::new(self.services.ambient.new_id()),
            Delivery::Prompt | Delivery::FollowUp => first.turn_id.clone(),
        };
        let notices = self.services.models.refresh();
        self.record_notices(notices);
        let provider = self.services.models.provider(&self.settings.model).map_err(Error::from);
        match self.check_turns().and(provider) {
            Ok(provider) => self.begin_turn(turn_id, Work::Answer(inputs), provider),
            Err(error) => {
                // The session or its provider takes these messages no longer, so they are handed back.
                self.record_notices(vec![Notice {
                    level: NoticeLevel::Warning,
                    code: "messagesHandedBack".to_owned(),
                    message: format!("the queued messages were returned: {error}"),
                    hint: error.hint.map(|hint| hint.to_string()),
                }]);
                self.record(None, Event::InputRemoved { inputs, is_handled: false });
                self.return_queue();
            }
        }
    }

    /// Records notices.
    pub(super) fn record_notices(&mut self, notices: Vec<Notice>) {
        for notice in notices {
            self.record(None, Event::Notice(notice));
        }
    }

    fn return_queue(&mut self) {
        let inputs = self.inbox.take_all();
        if !inputs.is_empty() {
            self.record(None, Event::InputRemoved { inputs, is_handled: false });
        }
    }
}
