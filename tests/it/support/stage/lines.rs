//! Events and items as lines of a transcript.

use super::{Stage, history, words};
use crate::support::render::{content, text_of};
use pintle_protocol::event::Event;
use pintle_protocol::item::Item;
use pintle_protocol::plan::WorkMode;
use pintle_session::presentation::Form;

impl Stage {
    pub(super) fn event(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::SessionCreated(_) | Event::PromptMade(_) => return None,
            Event::SessionClosed {} => "session closed".to_owned(),
            Event::SessionMoved(moved) => format!("moved from {} to {}", moved.from, moved.cwd),
            Event::SessionUpdated(updated) => {
                format!("titled {:?} by {:?}", updated.title.as_deref(), updated.by)
            }
            Event::InputAccepted(input) => {
                format!("accepted {:?} {}", input.delivery, text_of(&input.content))
            }
            Event::QueueChanged { queue } => {
                let waits: Vec<_> = queue
                    .iter()
                    .map(|input| format!("{:?} {}", input.delivery, text_of(&input.content)))
                    .collect();
                format!("queue {}", waits.join(", "))
            }
            Event::InputRemoved { inputs, is_handled } => {
                let texts: Vec<_> = inputs.iter().map(|input| text_of(&input.content)).collect();
                let what = if *is_handled { "handled" } else { "handed back" };
                format!("{what} {}", texts.join(", "))
            }
            Event::TurnStarted { .. } => "turn started".to_owned(),
            Event::TurnCompleted(end) => {
                let stop = end.stop.map(|stop| format!(" {stop:?}")).unwrap_or_default();
                let error = end.error.as_ref().map(|e| format!(" {}: {}", e.code, e.message));
                let denials = if end.denials == 0 {
                    String::new()
                } else {
                    format!(" denials {}", end.denials)
                };
                format!(
                    "turn {:?}{stop}{denials} after {} steps{}",
                    end.status,
                    end.steps,
                    error.unwrap_or_default()
                )
            }
            Event::StepCompleted(step) => {
                let stop = step.stop.map_or("cut".to_owned(), |stop| format!("{stop:?}"));
                format!("step {} {stop}", step.step)
            }
            Event::ItemStarted { item } => {
                let line = self.item(item);
                format!("started   {line}")
            }
            Event::ItemUpdated { item } => {
                let line = self.item(item);
                format!("updated   {line}")
            }
            Event::ItemCompleted { item } => {
                let line = self.item(item);
                format!("completed {line}")
            }
            Event::ApprovalRequested(approval) => {
                format!("asked {}: {}", approval.title, approval.reason)
            }
            Event::ApprovalResolved(outcome) => {
                format!(
                    "answered {:?} for {:?} by {:?}",
                    outcome.decision, outcome.scope, outcome.by
                )
            }
            Event::ContextPruned(pruned) => {
                let calls = if pruned.calls == 0 {
                    String::new()
                } else {
                    format!(" and arguments of {} calls", pruned.calls)
                };
                format!(
                    "pruned {} results{calls}, {} to {} tokens",
                    pruned.results, pruned.tokens_before, pruned.tokens_after
                )
            }
            Event::ConfigChanged(config) => {
                let plan = if config.mode == WorkMode::Plan { " plan" } else { "" };
                format!("config {} {:?}{plan}", config.model, config.permission_mode)
            }
            Event::QuestionRequested(question) => words::question(question),
            Event::QuestionResolved(outcome) => words::outcome(outcome),
            Event::PlanUpdated(plan) => words::plan(plan),
            Event::RetryScheduled(retry) => format!(
                "retry {} of {} in {} ms, {}: {}",
                retry.attempt, retry.of, retry.delay_ms, retry.code, retry.message
            ),
            Event::FilesChanged(changed) => history::changed(changed),
            Event::ReviewQueued(queue) => match &queue.refused {
                Some(refused) => format!("decision refused: {}", refused.reason),
                None => format!("{} decisions wait", queue.waiting.len()),
            },
            Event::IsolationApplied(applied) => format!("{} files applied", applied.files.len()),
            Event::ReviewDecided(decision) => {
                format!("decided about {} hunks", decision.parts.len())
            }
            Event::HistoryRewound(rewound) => {
                let (dropped, restored) = (rewound.dropped.len(), rewound.restored.len());
                format!("back: {dropped} items dropped, {restored} restored")
            }
            Event::LabelChanged(changed) => {
                format!("label {}", changed.label.as_deref().unwrap_or("none"))
            }
            Event::Notice(notice) => format!("notice {}: {}", notice.code, notice.message),
        })
    }

    pub(super) fn item(&mut self, item: &Item) -> String {
        let name = self.name(item.id.as_str());
        let status = format!("{:?}", item.status).to_lowercase();
        if let Some(job) = item.body.as_job() {
            let end = job.end.map(|end| format!(" = {end:?}")).unwrap_or_default();
            let output = job.output.as_ref().map(|output| format!(" {output:?}"));
            let output = output.unwrap_or_default();
            return format!("{name} {} {} {status}{end}{output}", job.job_id, job.title);
        }
        if let Some(agent) = item.body.as_subagent() {
            let result = agent.result.as_ref().map(|result| format!(" = {result:?}"));
            let (id, state) = (&agent.agent_id, format!("{:?}", agent.state).to_lowercase());
            return format!("{name} {id} {status}, {state}{}", result.unwrap_or_default());
        }
        match Form::from(&item.body) {
            Form::UserMessage(input) => format!("{name} user {}", text_of(input)),
            Form::Message(text) => format!("{name} message {status} {text:?}"),
            Form::Reasoning(text) => format!("{name} reasoning {status} {text:?}"),
            Form::Work(work) => {
                let call = item.body.as_tool_call();
                let output = call.and_then(|call| call.output.as_ref()).map(|output| {
                    let mark = if output.is_error { " error" } else { "" };
                    format!(" ={mark} {:?}", content(&output.content))
                });
                format!("{name} call {} {status}{}", work.title, output.unwrap_or_default())
            }
            Form::Compaction(body) => {
                let said = body.summary.as_ref().or(body.error.as_ref());
                let said = said.map(|said| format!(" = {said:?}")).unwrap_or_default();
                format!("{name} compaction {:?} {status}{said}", body.reason)
            }
            Form::Note(note) => format!("{name} engine {:?}", note.text),
        }
    }
}
