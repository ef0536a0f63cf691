//! The commands of turns: start, steer, interrupt. `launch` begins an accepted turn, `end` ends it.
//!
//! A prompt that no model can answer is rejected, not queued: the key is checked before the prompt is accepted.

mod end;
mod launch;

use super::{Phase, Session};
use crate::agent::command::{Accepted, Interrupted, Record, Reply, TurnCommand};
use crate::agent::error::{Action, Error, ErrorKind};
use crate::agent::turn::context::Work;
use crate::agent::turn::inputs;
use crate::llm::Provider;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, Event, QueuedInput, TurnLimits};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::methods::{Disposition, QueuePolicy, WhenBusy};
use pintle_protocol::plan::WorkMode;
use std::sync::Arc;

/// A message in the journal, whose record is published after the response.
struct AcceptedInput {
    queued: QueuedInput,
    record: Arc<Record>,
}

impl Session {
    pub(in crate::agent::session) fn turn_command(&mut self, command: TurnCommand) {
        match command {
            TurnCommand::Start { input, when_busy, limits, reply } => {
                self.start(input, when_busy, limits, reply);
            }
            TurnCommand::StartWith { input, behind, reply } => {
                self.start_with(input, behind, reply);
            }
            TurnCommand::Steer { expected, input, reply } => {
                self.steer(expected.as_ref(), input, reply);
            }
            TurnCommand::Interrupt { expected, queue, reply } => {
                self.interrupt(expected.as_ref(), queue, reply);
            }
            TurnCommand::WhenIdle { reply } => {
                self.door.idle_waiters.push(reply);
                self.answer_idle_waiters();
            }
        }
    }

    pub(in crate::agent::session) fn start(
        &mut self,
        input: Vec<Input>,
        when_busy: WhenBusy,
        limits: Option<TurnLimits>,
        reply: Reply<Accepted>,
    ) {
        let notices = self.services.models.refresh();
        let accepted = self.accept_prompt(input, when_busy, limits);
        let (AcceptedInput { queued, record }, provider) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let _ = reply.send(Err(error));
                self.note(notices);
                return;
            }
        };
        let disposition = match queued.delivery {
            Delivery::Prompt => Disposition::Started,
            Delivery::Steer | Delivery::FollowUp => Disposition::Queued,
        };
        let QueuedInput { item_id, turn_id, .. } = queued.clone();
        let _ = reply.send(Ok(Accepted { turn_id, item_id, disposition }));
        self.publish(&record);
        self.note(notices);
        match disposition {
            Disposition::Queued => self.inbox.push(queued),
            Disposition::Started => self.begin_answer(queued, provider),
        }
    }

    /// Begins a turn that finds its queue filled, however fast the model is.
    fn start_with(
        &mut self,
        input: Vec<Input>,
        behind: Vec<(Delivery, Vec<Input>)>,
        reply: Reply<Vec<QueuedInput>>,
    ) {
        let notices = self.services.models.refresh();
        let accepted = self.accept_prompt(input, WhenBusy::Reject, None);
        let (prompt, provider) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let _ = reply.send(Err(error));
                self.note(notices);
                return;
            }
        };
        let mut queued = Vec::new();
        for (delivery, content) in behind {
            let turn_id = match delivery {
                Delivery::Steer => prompt.queued.turn_id.clone(),
                Delivery::FollowUp | Delivery::Prompt => {
                    TurnId::new(self.services.ambient.new_id())
                }
            };
            let delivery = if delivery == Delivery::Prompt { Delivery::FollowUp } else { delivery };
            let Ok(accepted) = self.accept(turn_id, delivery, content, None) else { break };
            queued.push(accepted);
        }
        let _ = reply.send(Ok(queued.iter().map(|accepted| accepted.queued.clone()).collect()));
        self.publish(&prompt.record);
        for AcceptedInput { queued, record } in queued {
            self.publish(&record);
            self.inbox.push(queued);
        }
        self.note(notices);
        self.begin_answer(prompt.queued, provider);
    }

    /// Begins the turn of a prompt, which reads the held messages first.
    fn begin_answer(&mut self, prompt: QueuedInput, provider: Arc<dyn Provider>) {
        let turn_id = prompt.turn_id.clone();
        let mut inputs = self.inbox.take_held();
        inputs.push(prompt);
        self.begin_turn(turn_id, Work::Answer(inputs), provider);
    }

    fn accept_prompt(
        &mut self,
        input: Vec<Input>,
        when_busy: WhenBusy,
        limits: Option<TurnLimits>,
    ) -> Result<(AcceptedInput, Arc<dyn Provider>), Error> {
        let delivery = match (&self.phase, when_busy) {
            (Phase::Idle(_), _) => Delivery::Prompt,
            (Phase::Running(_), WhenBusy::Queue) => Delivery::FollowUp,
            (Phase::Running(running), WhenBusy::Reject) => {
                let busy = ErrorKind::Busy(running.turn_id.clone());
                return Err(Error::new(busy, "a turn is running").hint(Action::SteerOrQueue));
            }
        };
        check_input(&input)?;
        self.check_turns()?;
        // Checked before the prompt is accepted.
        let provider = self.services.models.provider(&self.settings.model)?;
        let turn_id = TurnId::new(self.services.ambient.new_id());
        Ok((self.accept(turn_id, delivery, input, limits)?, provider))
    }

    pub(in crate::agent::session) fn steer(
        &mut self,
        expected: Option<&TurnId>,
        input: Vec<Input>,
        reply: Reply<Option<Accepted>>,
    ) {
        let Phase::Running(running) = &self.phase else {
            let _ = reply.send(Ok(None));
            return;
        };
        let turn_id = running.turn_id.clone();
        let accepted = check_expected(expected, &turn_id)
            .and_then(|()| check_input(&input))
            .and_then(|()| self.accept(turn_id.clone(), Delivery::Steer, input, None));
        match accepted {
            Ok(AcceptedInput { queued, record }) => {
                let item_id = queued.item_id.clone();
                let disposition = Disposition::Queued;
                let _ = reply.send(Ok(Some(Accepted { turn_id, item_id, disposition })));
                self.publish(&record);
                self.inbox.push(queued);
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Refuses a turn beyond the session's limit.
    pub(super) fn check_turns(&self) -> Result<(), Error> {
        match self.settings.limits.turns {
            Some(most) if self.turns >= most => {
                let what = format!("the session has had its {most} turns");
                let hint = "begin a new session, or raise `turns` in [limits] of the config file";
                Err(Error::new(ErrorKind::Invalid, what).hint(hint))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Records a message in the journal.
    fn accept(
        &mut self,
        turn_id: TurnId,
        delivery: Delivery,
        content: Vec<Input>,
        limits: Option<TurnLimits>,
    ) -> Result<AcceptedInput, Error> {
        let item_id = ItemId::new(self.services.ambient.new_id());
        let queued = QueuedInput { item_id, turn_id: turn_id.clone(), delivery, content, limits };
        let record = self.log.append(Some(turn_id), Event::InputAccepted(queued.clone()), None)?;
        Ok(AcceptedInput { queued, record })
    }

    pub(in crate::agent::session) fn interrupt(
        &mut self,
        expected: Option<&TurnId>,
        queue: QueuePolicy,
        reply: Reply<Interrupted>,
    ) {
        let Phase::Running(running) = &self.phase else {
            let _ = reply.send(Ok(Interrupted::default()));
            return;
        };
        let turn_id = running.turn_id.clone();
        if let Err(error) = check_expected(expected, &turn_id) {
            let _ = reply.send(Err(error));
            return;
        }
        running.cancel.cancel();
        let returned: Vec<QueuedInput> = match queue {
            QueuePolicy::Keep => Vec::new(),
            QueuePolicy::Return => self.inbox.take_all(),
        };
        let interrupted = Interrupted { turn_id: Some(turn_id), returned: returned.clone() };
        let _ = reply.send(Ok(interrupted));
        if !returned.is_empty() {
            self.record(None, Event::InputRemoved { inputs: returned, is_handled: false });
        }
        self.withdraw_questions();
        self.subagents.interrupt();
    }

    /// The mode of the running turn, or else that of the next.
    pub(in crate::agent::session) fn work_mode(&self) -> WorkMode {
        match &self.phase {
            Phase::Running(running) => running.mode,
            Phase::Idle(_) => self.settings.mode,
        }
    }
}

fn check_input(input: &[Input]) -> Result<(), Error> {
    inputs::check(input)
        .map_err(|(message, hint)| Error::new(ErrorKind::Invalid, message).hint(hint))
}

fn check_expected(expected: Option<&TurnId>, running: &TurnId) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != running => Err(Error::new(
            ErrorKind::Conflict,
            format!("turn {expected} is not the running one, which is {running}"),
        )),
        Some(_) | None => Ok(()),
    }
}
