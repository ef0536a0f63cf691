//! Approvals, the model's questions, and its proposed plan.
//!
//! Invariant: an open question is journaled before it is asked, and none outlives its turn. The first answer wins; if no client can answer,
//! the default applies: immediately, or when no client has connected for `Services::absence_timeout`.

use super::open_questions::{OpenApproval, OpenQuestion, QuestionEvent};
use super::{Phase, Session};
use crate::command::{Answer, SessionQuestions, Subscriber};
use crate::host::ApprovalReply;
use crate::kept_edits;
use crate::session::question_rules;
use crate::turn::approval;
use pintle_base::text::visible::visible;
use pintle_protocol::approval::{
    Approval, ApprovalAnswer, ApprovalOutcome, DecidedBy, ProposalEdit,
};
use pintle_protocol::event::{Event, Notice, NoticeLevel};
use pintle_protocol::ids::{ApprovalId, ItemId, QuestionId};
use pintle_protocol::plan::{Plan, WorkMode};
use pintle_protocol::question::{
    AnsweredBy, Question, QuestionAnswer, QuestionKind, QuestionOutcome,
};
use pintle_session::history::outcome;
use pintle_tools::{Ask, AskOutcome, ClientRequest};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

impl Session {
    pub(super) fn question_event(&mut self, event: QuestionEvent) {
        match event {
            QuestionEvent::Requested(ClientRequest::Ask { item, ask, reply }) => {
                self.ask_person(item, ask, reply);
            }
            QuestionEvent::Requested(ClientRequest::Call { item, tool, arguments, reply }) => {
                self.call_tool(item, tool, arguments, reply);
            }
            QuestionEvent::Requested(ClientRequest::Plan { items, reply }) => {
                let _ = reply.send(self.write_plan(Plan { items }));
            }
            QuestionEvent::Deadline => {
                for open in self.questions.take_expired_approvals() {
                    let outcome = outcome::without_client(&open.approval, DecidedBy::Deadline);
                    self.resolve_approval(open, outcome, Vec::new());
                }
                for open in self.questions.take_expired() {
                    let outcome = outcome::without_answer(&open.question, AnsweredBy::Deadline);
                    self.resolve_question(open, outcome);
                }
                self.close_if_nobody_answers();
            }
        }
    }

    /// Asks for permission.
    pub(super) fn ask_approval(
        &mut self,
        approval: Approval,
        answer: oneshot::Sender<ApprovalReply>,
    ) {
        let (deadline_ms, deadline) = self.deadline(self.services.timeouts.approval);
        let approval = Approval { deadline_ms, ..approval };
        let turn_id = Some(approval.turn_id.clone());
        self.record(turn_id, Event::ApprovalRequested(approval.clone()));
        self.questions.approvals.push(OpenApproval { approval, deadline, answer });
        self.publish_questions();
        self.asked_something();
    }

    fn ask_person(
        &mut self,
        item_id: ItemId,
        ask: Ask,
        answer: oneshot::Sender<Result<AskOutcome, String>>,
    ) {
        let Phase::Running(running) = &self.phase else {
            let _ = answer.send(Err("Operation aborted".to_owned()));
            return;
        };
        if ask.kind == QuestionKind::Plan && running.mode == WorkMode::Act {
            let no = "You are not in plan mode, so no acceptance is needed. Carry out the plan.";
            let _ = answer.send(Err(no.to_owned()));
            return;
        }
        let (deadline_ms, deadline) = self.deadline(self.services.timeouts.question);
        let question = Question {
            question_id: QuestionId::new(self.services.ambient.new_id()),
            session_id: self.log.id.clone(),
            turn_id: running.turn_id.clone(),
            item_id,
            kind: ask.kind,
            options: question_rules::options(&ask),
            text: visible(&ask.text).into_owned(),
            plan: ask.plan.map(|plan| visible(&plan).into_owned()),
            multiple: ask.multiple,
            deadline_ms,
        };
        let turn_id = Some(question.turn_id.clone());
        self.record(turn_id, Event::QuestionRequested(question.clone()));
        self.questions.questions.push(OpenQuestion { question, deadline, answer });
        self.publish_questions();
        self.asked_something();
    }

    /// Returns the deadline after a timeout: on the wall clock that clients have, and on the monotonic one.
    fn deadline(&self, timeout: Duration) -> (u64, Instant) {
        let wait_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        (self.services.ambient.now_ms().saturating_add(wait_ms), Instant::now() + timeout)
    }

    /// Hands on the questions that are open now.
    fn publish_questions(&mut self) {
        let (approvals, questions) = self.questions.open();
        let session_id = self.log.id.clone();
        self.log.publish_questions(SessionQuestions { session_id, approvals, questions });
    }

    fn asked_something(&mut self) {
        self.publish_state();
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
                if let Some(open) = self.questions.take_approval(approval_id) {
                    let outcome = approval::outcome(&open.approval, answer);
                    self.resolve_approval(open, outcome, answer.edits.clone());
                }
            }
            Answer::Unreadable { id, why } => self.unreadable(id, why),
            Answer::Call { call_id, outcome } => self.call_answered(call_id, outcome.clone()),
            Answer::Question { question_id, answer } => {
                if let Some(open) = self.questions.take_question(question_id) {
                    let outcome = question_rules::outcome(&open.question, answer);
                    self.resolve_question(open, outcome);
                }
            }
        }
    }

    /// Handles an answer that cannot be read: denies or dismisses, with a notice.
    fn unreadable(&mut self, id: &str, why: &str) {
        let denied = self.questions.take_approval(&ApprovalId::new(id));
        let dismissed = self.questions.take_question(&QuestionId::new(id));
        let effect = match (&denied, &dismissed) {
            (Some(_), _) => "the call was denied",
            (None, Some(_)) => "the question was dismissed",
            (None, None) => return,
        };
        let message = format!("{effect}: the client's answer was not understood: {why}");
        let (level, code) = (NoticeLevel::Warning, "answerNotUnderstood".to_owned());
        self.record(None, Event::Notice(Notice { level, code, message, hint: None }));
        if let Some(open) = denied {
            let answer = ApprovalAnswer { dismissed: true, ..ApprovalAnswer::default() };
            let outcome = approval::outcome(&open.approval, &answer);
            self.resolve_approval(open, outcome, Vec::new());
        }
        if let Some(open) = dismissed {
            let answer = QuestionAnswer { dismissed: true, ..QuestionAnswer::default() };
            let outcome = question_rules::outcome(&open.question, &answer);
            self.resolve_question(open, outcome);
        }
    }

    /// Applies the defaults if no client can answer and no other one connects in time.
    pub(super) fn close_if_nobody_answers(&mut self) {
        self.fail_calls_of_the_gone();
        let is_there = |can: fn(&Subscriber) -> bool| {
            self.log.subscribers.iter().any(|served| can(&served.subscriber))
        };
        let can_approve = is_there(|client| client.can_approve);
        let can_answer = is_there(|client| client.can_answer);
        if let Some(timeout) = self.services.timeouts.absence {
            let is_answerable = (can_approve || self.questions.approvals.is_empty())
                && (can_answer || self.questions.questions.is_empty());
            self.questions.set_answerable(is_answerable, timeout);
            if !self.questions.is_absence_over() {
                return;
            }
        }
        if !can_approve {
            self.deny_all(DecidedBy::NoApprover);
        }
        if !can_answer {
            self.close_questions(AnsweredBy::NoClient);
        }
        if let Some(timeout) = self.services.timeouts.absence {
            self.questions.set_answerable(true, timeout);
        }
    }

    /// Withdraws open questions when the turn is being stopped.
    pub(super) fn withdraw_questions(&mut self) {
        self.deny_all(DecidedBy::Interrupt);
        self.close_questions(AnsweredBy::Interrupt);
    }

    fn deny_all(&mut self, by: DecidedBy) {
        while let Some(open) = self.questions.take_first_approval() {
            let outcome = outcome::without_client(&open.approval, by);
            self.resolve_approval(open, outcome, Vec::new());
        }
    }

    fn close_questions(&mut self, by: AnsweredBy) {
        while let Some(open) = self.questions.take_first_question() {
            let outcome = outcome::without_answer(&open.question, by);
            self.resolve_question(open, outcome);
        }
    }

    /// Closes an approval. The user's edits are kept before the answer is in the journal.
    pub(super) fn resolve_approval(
        &mut self,
        open: OpenApproval,
        outcome: ApprovalOutcome,
        edits: Vec<ProposalEdit>,
    ) {
        self.questions.closed.note_approval(&outcome);
        let edits = kept_edits::keep(&self.log.artifacts(), &outcome.item_id, edits);
        let turn_id = Some(open.approval.turn_id);
        self.record(turn_id, Event::ApprovalResolved(outcome.clone()));
        self.publish_questions();
        let _ = open.answer.send(ApprovalReply { outcome, edits });
        self.publish_state();
    }

    pub(super) fn resolve_question(&mut self, open: OpenQuestion, outcome: QuestionOutcome) {
        self.questions.closed.note_question(&outcome);
        let OpenQuestion { question, answer, .. } = open;
        let is_accepted = outcome::accepts_plan(&question, &outcome);
        let words =
            question_rules::text_for_model(&question, &outcome, self.services.timeouts.question);
        let is_aborted = outcome.by == AnsweredBy::Interrupt;
        let asked = AskOutcome {
            is_answered: outcome.by == AnsweredBy::Client,
            chosen: question_rules::chosen(&question, &outcome),
            text: outcome.text.clone(),
            words,
        };
        self.record(Some(question.turn_id), Event::QuestionResolved(outcome));
        self.publish_questions();
        if is_accepted {
            self.begin_to_act();
        }
        let _ = answer.send(if is_aborted { Err(asked.words) } else { Ok(asked) });
        self.publish_state();
    }

    /// Switches to act mode after an accepted plan, for the running turn and later ones.
    fn begin_to_act(&mut self) {
        if let Some(running) = self.phase.running_mut() {
            running.mode = WorkMode::Act;
        }
        self.view.reported_mode = WorkMode::Act;
        self.settings.mode = WorkMode::Act;
        let changed = self.config_changed();
        self.record(None, Event::ConfigChanged(changed));
    }

    fn write_plan(&mut self, plan: Plan) -> Result<(), String> {
        let turn_id = match &self.phase {
            Phase::Running(running) => Some(running.turn_id.clone()),
            Phase::Idle(_) => return Err("Operation aborted".to_owned()),
        };
        if self.view.plan == plan {
            return Ok(());
        }
        let appended = self.log.append(turn_id, Event::PlanUpdated(plan.clone()), None);
        let record = appended.map_err(|error| {
            format!("The list was not saved: failed to write the session journal: {error}")
        })?;
        self.view.plan = plan;
        self.publish(&record);
        Ok(())
    }
}
