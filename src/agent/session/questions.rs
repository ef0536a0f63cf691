//! What is asked of people: questions of permission, questions of the model, and the plan that it shows them.
//!
//! Invariant: an open question is in the journal before anyone is asked, and none outlives its turn. The first answer wins; with nobody
//! who can answer, the default holds at once.

use super::Phase;
use super::Session;
use super::answers::Over;
use crate::agent::command::Answer;
use crate::agent::session::question_rules;
use crate::agent::turn::approval;
use crate::history::outcome;
use crate::tools::{Ask, ClientRequest, plan_text};
use pintle_protocol::approval::{Approval, ApprovalOutcome, DecidedBy};
use pintle_protocol::event::Event;
use pintle_protocol::ids::{ItemId, QuestionId};
use pintle_protocol::plan::{Plan, PlanStatus, WorkMode};
use pintle_protocol::question::{AnsweredBy, Question, QuestionKind, QuestionOutcome};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How many requests of tools may wait for the session, which takes them at once; a tool that finds this full waits.
const DESK_CAPACITY: usize = 16;

/// What is open, and the way for tools to ask.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) approvals: Vec<OpenApproval>,
    pub(super) questions: Vec<OpenQuestion>,
    pub(super) over: Over,
    desk: mpsc::Sender<ClientRequest>,
    requests: mpsc::Receiver<ClientRequest>,
}

/// An open question of permission.
#[derive(Debug)]
pub(super) struct OpenApproval {
    pub(super) approval: Approval,
    answer: oneshot::Sender<ApprovalOutcome>,
}

/// An open question of the model.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) question: Question,
    deadline: Instant,
    answer: oneshot::Sender<Result<String, String>>,
}

/// What the task wakes up for.
#[derive(Debug)]
pub(super) enum Happened {
    /// A tool asks.
    Asked(ClientRequest),
    /// The time of a question may be over.
    Deadline,
}

impl Default for Asked {
    fn default() -> Self {
        let (desk, requests) = mpsc::channel(DESK_CAPACITY);
        let (approvals, questions, over) = (Vec::new(), Vec::new(), Over::default());
        Self { approvals, questions, over, desk, requests }
    }
}

impl Asked {
    /// Where tools ask.
    pub(super) fn desk(&self) -> mpsc::Sender<ClientRequest> {
        self.desk.clone()
    }

    /// Waits for the next thing to do. Cancel-safe.
    pub(super) async fn next(&mut self) -> Happened {
        let first = self.questions.iter().map(|open| open.deadline).min();
        let deadline = async {
            match first {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // It never ends, since a sender is kept here.
            Some(request) = self.requests.recv() => Happened::Asked(request),
            () = deadline => Happened::Deadline,
        }
    }

    /// The ids of what is open.
    pub(super) fn ids(&self) -> Vec<String> {
        let approvals = self.approvals.iter().map(|open| open.approval.approval_id.to_string());
        let questions = self.questions.iter().map(|open| open.question.question_id.to_string());
        approvals.chain(questions).collect()
    }
}

impl Session {
    pub(super) fn asked(&mut self, happened: Happened) {
        match happened {
            Happened::Asked(ClientRequest::Ask { item, ask, reply }) => {
                self.ask_person(item, ask, reply);
            }
            Happened::Asked(ClientRequest::Call { item, tool, arguments, reply }) => {
                self.call_tool(item, tool, arguments, reply);
            }
            Happened::Asked(ClientRequest::Plan { items, reply }) => {
                let _ = reply.send(self.write_plan(Plan { items }));
            }
            Happened::Deadline => {
                let now = Instant::now();
                let over = self.asked.questions.extract_if(.., |open| open.deadline <= now);
                for open in over.collect::<Vec<_>>() {
                    let outcome = outcome::without_answer(&open.question, AnsweredBy::Deadline);
                    self.resolve_question(open, outcome);
                }
            }
        }
    }

    /// Asks for permission.
    pub(super) fn ask_approval(
        &mut self,
        approval: Approval,
        answer: oneshot::Sender<ApprovalOutcome>,
    ) {
        let turn_id = Some(approval.turn_id.clone());
        self.record(turn_id, Event::ApprovalRequested(approval.clone()));
        self.asked.approvals.push(OpenApproval { approval, answer });
        self.asked_something();
    }

    fn ask_person(
        &mut self,
        item_id: ItemId,
        ask: Ask,
        answer: oneshot::Sender<Result<String, String>>,
    ) {
        let Phase::Running(running) = &self.phase else {
            let _ = answer.send(Err("Operation aborted".to_owned()));
            return;
        };
        if ask.kind == QuestionKind::Plan && running.mode == WorkMode::Act {
            let no = "You are not in plan mode: there is nothing to accept. Carry the plan out.";
            let _ = answer.send(Err(no.to_owned()));
            return;
        }
        let timeout = self.services.question_timeout;
        let wait_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let question = Question {
            question_id: QuestionId::new(self.services.ambient.new_id()),
            session_id: self.id.clone(),
            turn_id: running.turn_id.clone(),
            item_id,
            kind: ask.kind,
            options: question_rules::options(&ask),
            text: ask.text,
            plan: ask.plan,
            multiple: ask.multiple,
            deadline_ms: self.services.ambient.now_ms().saturating_add(wait_ms),
        };
        let turn_id = Some(question.turn_id.clone());
        self.record(turn_id, Event::QuestionRequested(question.clone()));
        let deadline = Instant::now() + timeout;
        self.asked.questions.push(OpenQuestion { question, deadline, answer });
        self.asked_something();
    }

    fn asked_something(&mut self) {
        self.hand_on_state();
        self.close_if_nobody_answers();
        let is_stopping = match &self.phase {
            Phase::Idle(_) => true,
            Phase::Running(running) => running.cancel.is_cancelled(),
        };
        if is_stopping {
            self.withdraw_questions();
        }
    }

    /// Takes an answer; one to a question that is not open is ignored.
    pub(super) fn answer(&mut self, answer: &Answer) {
        match answer {
            Answer::Approval { approval_id, answer } => {
                let mut open = self.asked.approvals.iter();
                let place = open.position(|open| open.approval.approval_id == *approval_id);
                if let Some(open) = place.map(|place| self.asked.approvals.remove(place)) {
                    let outcome = approval::outcome(&open.approval, answer);
                    self.resolve_approval(open, outcome);
                }
            }
            Answer::Call { call_id, outcome } => self.call_answered(call_id, outcome.clone()),
            Answer::Question { question_id, answer } => {
                let mut open = self.asked.questions.iter();
                let place = open.position(|open| open.question.question_id == *question_id);
                if let Some(open) = place.map(|place| self.asked.questions.remove(place)) {
                    let outcome = question_rules::outcome(&open.question, answer);
                    self.resolve_question(open, outcome);
                }
            }
        }
    }

    pub(super) fn close_if_nobody_answers(&mut self) {
        self.fail_calls_of_the_gone();
        if !self.subscribers.iter().any(|served| served.subscriber.can_approve) {
            self.deny_all(DecidedBy::NoApprover);
        }
        if !self.subscribers.iter().any(|served| served.subscriber.can_answer) {
            self.close_questions(AnsweredBy::NoClient);
        }
    }

    /// The turn is being stopped.
    pub(super) fn withdraw_questions(&mut self) {
        self.deny_all(DecidedBy::Interrupt);
        self.close_questions(AnsweredBy::Interrupt);
    }

    fn deny_all(&mut self, by: DecidedBy) {
        for open in std::mem::take(&mut self.asked.approvals) {
            let outcome = outcome::without_client(&open.approval, by);
            self.resolve_approval(open, outcome);
        }
    }

    fn close_questions(&mut self, by: AnsweredBy) {
        for open in std::mem::take(&mut self.asked.questions) {
            let outcome = outcome::without_answer(&open.question, by);
            self.resolve_question(open, outcome);
        }
    }

    pub(super) fn resolve_approval(&mut self, open: OpenApproval, outcome: ApprovalOutcome) {
        self.asked.over.note_approval(&outcome);
        let turn_id = Some(open.approval.turn_id);
        self.record(turn_id, Event::ApprovalResolved(outcome.clone()));
        let _ = open.answer.send(outcome);
        self.hand_on_state();
    }

    pub(super) fn resolve_question(&mut self, open: OpenQuestion, outcome: QuestionOutcome) {
        self.asked.over.note_question(&outcome);
        let OpenQuestion { question, answer, .. } = open;
        let is_accepted = outcome::accepts_plan(&question, &outcome);
        let words = question_rules::words(&question, &outcome, self.services.question_timeout);
        let is_aborted = outcome.by == AnsweredBy::Interrupt;
        self.record(Some(question.turn_id), Event::QuestionResolved(outcome));
        if is_accepted {
            self.begin_to_act();
        }
        let _ = answer.send(if is_aborted { Err(words) } else { Ok(words) });
        self.hand_on_state();
    }

    /// A plan was accepted: the running turn works from here on, and so do those after it.
    fn begin_to_act(&mut self) {
        if let Some(running) = self.running_mut() {
            running.mode = WorkMode::Act;
        }
        self.told_mode = WorkMode::Act;
        self.settings.mode = WorkMode::Act;
        let changed = self.config_changed();
        self.record(None, Event::ConfigChanged(changed));
    }

    fn write_plan(&mut self, plan: Plan) -> Result<(), String> {
        let turn_id = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => return Err("Operation aborted".to_owned()),
        };
        if self.plan == plan {
            return Ok(());
        }
        let appended = self.append(turn_id, Event::PlanUpdated(plan.clone()), None);
        let record = appended.map_err(|error| {
            format!("The list was not kept: the journal could not be written: {error}")
        })?;
        self.plan = plan;
        self.hand_on(&record);
        Ok(())
    }

    /// What of the plan is not done, as text; none when nothing is.
    pub(in crate::agent) fn undone(&self) -> Option<String> {
        let open = self.plan.items.iter().filter(|item| item.status != PlanStatus::Completed);
        let open: Vec<_> = open.cloned().collect();
        (!open.is_empty()).then(|| plan_text(&open))
    }
}
