//! Turns: begun, steered, stopped, ended.
//!
//! A prompt that no model can answer is refused, not queued: the key is looked for before the prompt is accepted.

use super::{Phase, Session};
use crate::agent::clients;
use crate::agent::command::{Accepted, Interrupted, Record, Reply, TurnCommand};
use crate::agent::error::{Action, Error, ErrorKind};
use crate::agent::host::{Activity, JournalLost};
use crate::agent::session::phase::{DueTurn, Running};
use crate::agent::turn::briefing::PromptInputs;
use crate::agent::turn::context::{
    EditChecks, End, Finished, ModelAccess, TurnContext, TurnTools, Work,
};
use crate::agent::turn::inputs;
use crate::agent::turn::limits::Limits;
use crate::agent::turn::permit::Permissions;
use crate::agent::workspace::Workspace;
use crate::llm::Provider;
use crate::tools::Folders;
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    Delivery, Event, Notice, QueuedInput, StopReason, TurnCompleted, TurnLimits,
};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::methods::{Disposition, QueuePolicy, WhenBusy};
use pintle_protocol::plan::WorkMode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A message that is on disk. Its record is to be handed on once the answer is out.
struct AcceptedInput {
    queued: QueuedInput,
    record: Arc<Record>,
}

impl Session {
    pub(super) fn turn_command(&mut self, command: TurnCommand) {
        match command {
            TurnCommand::Start { input, when_busy, limits, reply } => {
                self.start(input, when_busy, limits, reply);
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

    pub(super) fn start(
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
        let _ = reply.send(Ok(Accepted { turn_id: turn_id.clone(), item_id, disposition }));
        self.publish(&record);
        self.note(notices);
        match disposition {
            Disposition::Queued => self.inbox.push(queued),
            Disposition::Started => self.begin_turn(turn_id, Work::Answer(vec![queued]), provider),
        }
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
        // A model that cannot answer is found out before the prompt is taken.
        let provider = self.services.models.provider(&self.settings.model)?;
        let turn_id = TurnId::new(self.services.ambient.new_id());
        Ok((self.accept(turn_id, delivery, input, limits)?, provider))
    }

    pub(super) fn steer(
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

    /// Puts a message on disk.
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

    pub(super) fn begin_turn(&mut self, turn_id: TurnId, work: Work, provider: Arc<dyn Provider>) {
        let state = match &mut self.phase {
            Phase::Idle(state) => std::mem::take(state),
            Phase::Running(_) => return,
        };
        let known = self.services.models.model(&self.settings.model);
        let window = known.as_ref().and_then(|known| known.window);
        let cancel = CancellationToken::new();
        let limits = self.limits(&work);
        if self.settings.is_budget_own {
            self.settings.budget.fill(&limits);
        }
        let ctx = TurnContext {
            session_id: self.log.id.clone(),
            turn_id: turn_id.clone(),
            ambient: self.services.ambient.clone(),
            cancel: cancel.clone(),
            llm: ModelAccess {
                provider,
                model: self.settings.model.clone(),
                price: known.as_ref().and_then(|known| known.price),
                window,
                room: self.settings.room,
                retry: self.services.retry_policy,
                trace: self.settings.trace.clone(),
            },
            prompt: self.prompt_inputs(),
            system: Arc::default(),
            workspace: self.workspace(),
            tools: TurnTools {
                list: clients::tools(&self.tools(), self.extensions()),
                settings: Arc::clone(&self.services.tool_settings),
                ledger: self.view.ledger.clone(),
                client: self.questions.requests(),
                jobs: self.jobs.requests(),
                agents: self.subagents.requests(),
            },
            permissions: Permissions::new(
                self.settings.permission_mode,
                Arc::clone(&self.services.permissions),
            ),
            hooks: self.turn_hooks(),
            limits,
            budget: self.settings.budget.clone(),
            checks: EditChecks {
                lint: self.services.lint.clone(),
                reports: self.reports(),
                report_wait: self.services.report_wait,
            },
        };
        self.phase = Phase::Running(Box::new(Running {
            turn_id: turn_id.clone(),
            began_ms: self.services.ambient.now_ms(),
            cancel,
            mode: self.settings.mode,
            activity: Activity::Working,
            has_news: false,
            is_lost: false,
            foreign_changes: Vec::new(),
            due: Some(Box::new(DueTurn { ctx, state, work })),
        }));
        let model = self.settings.model.to_string();
        self.record(Some(turn_id), Event::TurnStarted { model });
        self.publish_state();
    }

    /// Where the session works.
    fn workspace(&self) -> Workspace {
        Workspace {
            env: Arc::clone(&self.services.env),
            folders: Folders {
                cwd: self.log.cwd().to_owned(),
                home: self.services.env.platform().home.clone(),
            },
            additional: self.settings.additional.clone(),
            variables: self.settings.variables.clone(),
            blobs: self.blobs(),
            announcements: self.log.announcements(),
            artifacts: self.log.artifacts(),
        }
    }

    /// The inputs of the system prompt beside files.
    fn prompt_inputs(&self) -> PromptInputs {
        PromptInputs {
            personal: Arc::clone(&self.services.personal),
            profile: self.services.tools.profile(&self.settings.model).name(),
            cutoff: self.services.models.model(&self.settings.model).and_then(|known| known.cutoff),
            is_subagent: self.settings.is_subagent,
            role: self.settings.role.clone(),
            system_prompt: self.settings.system_prompt.clone(),
        }
    }

    pub(super) fn interrupt(
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
            self.record(None, Event::InputRemoved { inputs: returned });
        }
        self.withdraw_questions();
        self.subagents.interrupt();
    }

    /// The limits of a turn that begins with these messages.
    fn limits(&self, work: &Work) -> Limits {
        let inputs = match work {
            Work::Answer(inputs) => inputs.as_slice(),
            Work::Compact(_) | Work::SummarizeBranch(_) => &[],
        };
        let Some(asked) = inputs.first().and_then(|input| input.limits) else {
            return self.settings.limits;
        };
        let TurnLimits { steps, tokens, cost_nano_usd, duration_ms } = asked;
        let steps = steps.unwrap_or(u32::MAX);
        let continuations = u32::MAX;
        self.settings.limits.and(Limits {
            steps,
            tokens,
            cost_nano_usd,
            duration_ms,
            continuations,
        })
    }

    /// The mode of the running turn, else that of the next.
    pub(super) fn work_mode(&self) -> WorkMode {
        match &self.phase {
            Phase::Running(running) => running.mode,
            Phase::Idle(_) => self.settings.mode,
        }
    }

    /// The journal could not be written: stop the turn, tell whoever watches.
    pub(super) fn journal_lost(&mut self, error: &Error) {
        if let Phase::Running(running) = &mut self.phase {
            if std::mem::replace(&mut running.is_lost, true) {
                return;
            }
            running.cancel.cancel();
        }
        self.warn_transiently(error);
    }

    /// Ends a turn that is over, and goes on with what waits.
    pub(super) async fn finished(&mut self, finished: Finished) {
        let is_done = matches!(finished.end, End::Completed(_));
        self.end(finished).await;
        if self.door.closing.is_some() {
            return;
        }
        self.apply_pending_verdicts().await;
        if is_done {
            self.begin_naming();
        }
        self.start_next();
        self.answer_idle_waiters();
    }

    /// Ends the turn in the journal and takes the conversation back.
    async fn end(&mut self, finished: Finished) {
        let Finished { mut state, end, tally } = finished;
        if let Some(running) = self.phase.running() {
            state.files.note(&running.foreign_changes);
        }
        let Phase::Running(running) = std::mem::replace(&mut self.phase, Phase::Idle(state)) else {
            return;
        };
        self.withdraw_questions();
        self.withdraw_calls();
        self.total.add(tally.usage, tally.cost_nano_usd);
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
            duration_ms: self.services.ambient.now_ms().saturating_sub(running.began_ms),
        });
        match self.log.append(Some(running.turn_id), completed, None) {
            Ok(record) => {
                if let Err(error) = self.log.sync().await {
                    self.warn_transiently(&error);
                }
                self.publish(&record);
            }
            Err(error) => self.warn_transiently(&error),
        }
        self.write_notes();
        self.publish_state();
    }

    /// Starts the next turn if a message waits: one that came too late for the last turn, else the next follow-up.
    fn start_next(&mut self) {
        let inputs = self.inbox.take_next();
        let Some(first) = inputs.first() else { return };
        let turn_id = match first.delivery {
            // Its own turn is over.
            Delivery::Steer => TurnId::new(self.services.ambient.new_id()),
            Delivery::Prompt | Delivery::FollowUp => first.turn_id.clone(),
        };
        let notices = self.services.models.refresh();
        self.note(notices);
        match self.services.models.provider(&self.settings.model) {
            Ok(provider) => self.begin_turn(turn_id, Work::Answer(inputs), provider),
            Err(error) => {
                // There was a provider when these were accepted. Now there is none: hand them back.
                self.warn_transiently(&error.into());
                self.record(None, Event::InputRemoved { inputs });
                self.return_queue();
            }
        }
    }

    /// Tells what a person should know.
    fn note(&mut self, notices: Vec<Notice>) {
        for notice in notices {
            self.record(None, Event::Notice(notice));
        }
    }

    fn return_queue(&mut self) {
        let inputs = self.inbox.take_all();
        if !inputs.is_empty() {
            self.record(None, Event::InputRemoved { inputs });
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
