//! Turn commands: start, steer, interrupt. `launch` starts an accepted turn, `end` ends it.
//!
//! A prompt that no model can answer is rejected, not queued: the key is checked before the prompt is accepted.

mod end;
mod launch;

use super::{Phase, Session};
use crate::command::{Record, Reply, TurnCommand};
use crate::error::{Action, Error, ErrorKind};
use crate::session::settings::Settings;
use crate::turn::context::Work;
use crate::turn::inputs;
use crate::turn::structured_output::check_schema;
use pintle_llm::{Provider, Trace};
use pintle_protocol::approval::DecidedBy;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, Event, QueuedInput, TurnLimits};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::methods::{
    Disposition, Empty, QueuePolicy, SteerOutcome, TurnInterruptParams, TurnInterruptResult,
    TurnStartParams, TurnStartResult, TurnSteerParams, TurnSteerResult, WhenBusy,
};
use pintle_protocol::plan::WorkMode;
use pintle_protocol::turn::WhenIdle;
use pintle_session::history::keys::{Effect, as_json, digest};
use pintle_session::history::outcome;
use serde_json::Value;
use std::sync::Arc;

/// The scripted provider's name.
const SCRIPT: &str = "script";

/// A turn's limits and output schema.
#[derive(Debug, Default)]
struct TurnConstraints {
    /// The turn's limits; the stricter of these and the settings apply.
    limits: Option<TurnLimits>,
    /// The JSON Schema that its final message must satisfy.
    output_schema: Option<Value>,
}

/// A message that was accepted and is on disk.
struct Accepted {
    turn_id: TurnId,
    item_id: ItemId,
    disposition: Disposition,
    /// True if it waits for the next prompt, because no turn runs.
    is_held: bool,
}

impl Accepted {
    /// Returns the result of a `turn/start`.
    fn started(self) -> TurnStartResult {
        let Self { turn_id, item_id, disposition, .. } = self;
        TurnStartResult { turn_id, item_id, disposition }
    }

    /// Returns the result of a `turn/steer`.
    fn steered(self) -> TurnSteerResult {
        TurnSteerResult {
            outcome: if self.is_held { SteerOutcome::Held } else { SteerOutcome::Accepted },
            item_id: self.item_id,
            turn_id: self.turn_id,
        }
    }
}

/// A message in the journal, whose record is published after the response.
struct AcceptedInput {
    queued: QueuedInput,
    record: Arc<Record>,
}

impl Session {
    pub(in crate::session) fn turn_command(&mut self, command: TurnCommand) {
        match command {
            TurnCommand::StartWith { input, behind, reply } => {
                self.start_with(input, behind, reply);
            }
            TurnCommand::WhenIdle { reply } => {
                self.lifecycle.idle_waiters.push(reply);
                self.answer_idle_waiters();
            }
        }
    }

    pub(in crate::session) fn start(
        &mut self,
        params: TurnStartParams,
        reply: Reply<TurnStartResult>,
    ) {
        let TurnStartParams { input, when_busy, limits, output_schema, traceparent, .. } = params;
        if let Some(earlier) = self.accepted_before(&input) {
            let _ = reply.send(earlier.map(Accepted::started));
            return;
        }
        let notices = self.services.models.refresh();
        // A client that has stopped the turn does not have to wait for its end.
        let is_stopping = self.phase.running().is_some_and(|turn| turn.cancel.is_cancelled());
        let when_busy = if is_stopping { WhenBusy::Queue } else { when_busy };
        let accepted =
            self.accept_prompt(input, when_busy, TurnConstraints { limits, output_schema });
        let (AcceptedInput { queued, record }, provider) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let _ = reply.send(Err(error));
                self.record_notices(notices);
                return;
            }
        };
        if let Some(parent) = traceparent {
            self.settings.trace = Trace::new(Some(&parent), None);
        }
        let disposition = match queued.delivery {
            Delivery::Prompt => Disposition::Started,
            Delivery::Steer | Delivery::FollowUp => Disposition::Queued,
        };
        let QueuedInput { item_id, turn_id, .. } = queued.clone();
        let _ = reply.send(Ok(TurnStartResult { turn_id, item_id, disposition }));
        self.publish(&record);
        self.record_notices(notices);
        match disposition {
            Disposition::Queued => self.inbox.push(queued),
            Disposition::Started => self.begin_answer(queued, provider),
        }
    }

    /// Starts a turn that finds its queue filled, however fast the model is.
    fn start_with(
        &mut self,
        input: Vec<Input>,
        behind: Vec<(Delivery, Vec<Input>)>,
        reply: Reply<Vec<QueuedInput>>,
    ) {
        let notices = self.services.models.refresh();
        let accepted = self.accept_prompt(input, WhenBusy::Reject, TurnConstraints::default());
        let (prompt, provider) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let _ = reply.send(Err(error));
                self.record_notices(notices);
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
            let Ok(accepted) = self.accept(turn_id, delivery, content, TurnConstraints::default())
            else {
                break;
            };
            queued.push(accepted);
        }
        let _ = reply.send(Ok(queued.iter().map(|accepted| accepted.queued.clone()).collect()));
        self.publish(&prompt.record);
        for AcceptedInput { queued, record } in queued {
            self.publish(&record);
            self.inbox.push(queued);
        }
        self.record_notices(notices);
        self.begin_answer(prompt.queued, provider);
    }

    /// Starts a prompt's turn, which reads the held messages first.
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
        constraints: TurnConstraints,
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
        if let Some(schema) = &constraints.output_schema {
            check_schema(schema).map_err(|reason| {
                Error::new(ErrorKind::Invalid, format!("the output schema is invalid: {reason}"))
                    .hint("send a JSON Schema, such as {\"type\": \"object\", …}")
                    .at("/outputSchema")
            })?;
        }
        self.check_turns()?;
        self.check_price(constraints.limits.and_then(|limits| limits.cost_nano_usd))?;
        // Checked before the prompt is accepted.
        let provider = self.services.models.provider(&self.settings.model)?;
        let turn_id = TurnId::new(self.services.ambient.new_id());
        Ok((self.accept(turn_id, delivery, input, constraints)?, provider))
    }

    pub(in crate::session) fn steer(
        &mut self,
        params: TurnSteerParams,
        reply: Reply<TurnSteerResult>,
    ) {
        let TurnSteerParams { expected_turn_id: expected, input, when_idle, .. } = params;
        if let Some(earlier) = self.accepted_before(&input) {
            let _ = reply.send(earlier.map(Accepted::steered));
            return;
        }
        let (turn_id, is_held) = match (&self.phase, when_idle) {
            (Phase::Running(running), _) => (running.turn_id.clone(), false),
            (Phase::Idle(_), WhenIdle::Hold) if expected.is_none() => {
                (TurnId::new(self.services.ambient.new_id()), true)
            }
            (Phase::Idle(_), WhenIdle::Hold | WhenIdle::Reject) => {
                let _ = reply.send(Err(no_active_turn()));
                return;
            }
        };
        let accepted = check_expected(expected.as_ref(), &turn_id)
            .and_then(|()| check_input(&input))
            .and_then(|()| {
                self.accept(turn_id.clone(), Delivery::Steer, input, TurnConstraints::default())
            });
        match accepted {
            Ok(AcceptedInput { queued, record }) => {
                let (item_id, disposition) = (queued.item_id.clone(), Disposition::Queued);
                let accepted = Accepted { turn_id, item_id, disposition, is_held };
                let _ = reply.send(Ok(accepted.steered()));
                self.publish(&record);
                if is_held {
                    // The message waits for the next prompt.
                    self.inbox.hold(queued);
                } else {
                    self.inbox.push(queued);
                }
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Returns the response to an earlier request with the same key, if any.
    fn accepted_before(&self, input: &[Input]) -> Option<Result<Accepted, Error>> {
        let key = self.log.cause.as_ref()?.key.as_ref()?;
        let effect = self.log.keys.effect(key)?;
        let json = as_json(input);
        let asked = digest(&self.services.ambient.secrets().redact(&json));
        Some(match effect {
            Effect::Accepted { item_id, turn_id, delivery, content, is_held }
                if *content == asked =>
            {
                let is_held = *is_held;
                let disposition = match delivery {
                    Delivery::Prompt => Disposition::Started,
                    Delivery::Steer | Delivery::FollowUp => Disposition::Queued,
                };
                let (item_id, turn_id) = (item_id.clone(), turn_id.clone());
                Ok(Accepted { turn_id, item_id, disposition, is_held })
            }
            Effect::Accepted { .. }
            | Effect::Began(_)
            | Effect::Noted { .. }
            | Effect::Ran { .. } => Err(Error::other_request(key)),
        })
    }

    /// Rejects a cost limit that could not be enforced in an unattended session.
    fn check_price(&self, most: Option<u64>) -> Result<(), Error> {
        let Settings { model, limits, lineage, .. } = &self.settings;
        let is_limited = most.or(limits.cost_nano_usd).is_some();
        // A script costs nothing, and a sub-agent is a call of a turn that was accepted.
        if !is_limited || !limits.are_told || model.provider == SCRIPT || lineage.is_subagent {
            return Ok(());
        }
        if self.services.models.model(model).is_some_and(|known| known.price.is_some()) {
            return Ok(());
        }
        let what = format!(
            "no price is known for {}/{}, so the cost limit cannot be enforced",
            model.provider, model.id
        );
        let hint = "set the model's `price` in config.toml (see `pintle help providers`; 0 if it is free), or limit tokens instead of cost";
        Err(Error::new(ErrorKind::Config, what).hint(hint))
    }

    /// Refuses a turn beyond the session's limit.
    pub(super) fn check_turns(&self) -> Result<(), Error> {
        match self.settings.limits.turns {
            Some(most) if self.consumed.turns >= most => {
                let what = format!("the session reached its limit of {most} turns");
                let hint =
                    "start a new session, or raise `turns` under [limits] in the config file";
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
        constraints: TurnConstraints,
    ) -> Result<AcceptedInput, Error> {
        let item_id = ItemId::new(self.services.ambient.new_id());
        let (TurnConstraints { limits, output_schema }, in_turn) = (constraints, turn_id.clone());
        let queued =
            QueuedInput { item_id, turn_id: in_turn, delivery, content, limits, output_schema };
        let record = self.log.append(Some(turn_id), Event::InputAccepted(queued.clone()), None)?;
        Ok(AcceptedInput { queued, record })
    }

    pub(in crate::session) fn interrupt(
        &mut self,
        params: &TurnInterruptParams,
        reply: Reply<TurnInterruptResult>,
    ) {
        let Phase::Running(running) = &self.phase else {
            let _ = reply.send(match &params.expected_turn_id {
                Some(expected) => Err(unexpected(expected, "no turn is running")),
                None => Ok(TurnInterruptResult::default()),
            });
            return;
        };
        let turn_id = running.turn_id.clone();
        if let Err(error) = check_expected(params.expected_turn_id.as_ref(), &turn_id) {
            let _ = reply.send(Err(error));
            return;
        }
        running.cancel.cancel();
        let returned: Vec<QueuedInput> = match params.queue {
            QueuePolicy::Keep => Vec::new(),
            QueuePolicy::Return => self.inbox.take_all(),
        };
        let interrupted =
            TurnInterruptResult { turn_id: Some(turn_id), returned: returned.clone() };
        let _ = reply.send(Ok(interrupted));
        if !returned.is_empty() {
            self.record(None, Event::InputRemoved { inputs: returned, is_handled: false });
        }
        self.withdraw_questions();
        self.subagents.interrupt();
    }

    /// Stops one call of the running turn; one that waits for permission is denied.
    pub(in crate::session) fn cancel_call(&mut self, item_id: &ItemId, reply: Reply<Empty>) {
        if let Some(cancel) = self.phase.running().and_then(|running| running.call(item_id)) {
            cancel.cancel();
            let _ = reply.send(Ok(Empty {}));
        } else if let Some(open) = self.questions.take_approval_of(item_id) {
            let _ = reply.send(Ok(Empty {}));
            let outcome = outcome::without_client(&open.approval, DecidedBy::Client);
            self.resolve_approval(open, outcome, Vec::new());
        } else {
            let what = format!("no running or waiting call has the item {item_id}");
            let hint = "a call can be cancelled from its started event until its completed event";
            let _ = reply.send(Err(Error::new(ErrorKind::NotFound, what).hint(hint)));
        }
    }

    /// Returns the running turn's mode, else the next turn's.
    pub(in crate::session) fn work_mode(&self) -> WorkMode {
        match &self.phase {
            Phase::Running(running) => running.mode,
            Phase::Idle(_) => self.settings.mode,
        }
    }
}

fn check_input(input: &[Input]) -> Result<(), Error> {
    inputs::check(input)
        .map_err(|(message, hint)| Error::new(ErrorKind::Invalid, message).hint(hint).at("/input"))
}

fn no_active_turn() -> Error {
    Error::new(ErrorKind::NoActiveTurn, "no turn is running").hint(Action::StartTurn)
}

fn unexpected(expected: &TurnId, instead: &str) -> Error {
    let what = format!("turn {expected} is not running; {instead}");
    Error::new(ErrorKind::Conflict, what).at("/expectedTurnId")
}

fn check_expected(expected: Option<&TurnId>, running: &TurnId) -> Result<(), Error> {
    match expected {
        Some(expected) if expected != running => {
            Err(unexpected(expected, &format!("the running turn is {running}")))
        }
        Some(_) | None => Ok(()),
    }
}
