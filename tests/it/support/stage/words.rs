//! Questions and plans: how a client answers them, and their lines in a transcript.

use super::Stage;
use pintle_agent::{
    Answer, CallBody, ClientCall, ClientCommand, DiagnosticsReport, EventSelection, Feed,
    Subscriber, SubscriberId, SubscriptionCommand,
};
use pintle_protocol::methods::SessionUpdate;
use pintle_protocol::plan::{Plan, PlanStatus};
use pintle_protocol::question::{Question, QuestionAnswer, QuestionOutcome};
use pintle_protocol::session::SessionUpdateParams;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

impl Stage {
    /// Does one step about questions: `choose ID …`, `say TEXT`, `close`, each for the question that is open longest; `again ID` answers
    /// the last one that was answered once more; `join` (another client that answers), `look` (the open questions and the plan of a
    /// snapshot), `reply JSON` (to the call of this client that is open longest), `refuse TEXT`, `hooks` (what the hooks read).
    pub(super) async fn act_on_questions(&mut self, verb: &str, rest: &str) {
        let answer = match verb {
            "choose" | "again" => QuestionAnswer {
                option_ids: rest.split_whitespace().map(str::to_owned).collect(),
                ..QuestionAnswer::default()
            },
            "say" => QuestionAnswer { text: Some(rest.to_owned()), ..QuestionAnswer::default() },
            "close" => QuestionAnswer { dismissed: true, ..QuestionAnswer::default() },
            "reply" | "refuse" => {
                let call_id = self.calls.remove(0);
                let outcome = match verb {
                    "reply" => Ok(serde_json::from_str(rest).unwrap()),
                    _ => Err(rest.to_owned()),
                };
                let answer = Answer::Call { call_id, outcome };
                return self.session.tell(answer).await.unwrap();
            }
            "hooks" => {
                let told = self.env.filtered().into_iter().map(|(line, input)| {
                    let input: Value = serde_json::from_str(&input).unwrap();
                    let rest = ["input", "call", "result", "response", "openTodos"];
                    let rest = rest.iter().filter_map(|key| {
                        let value = input.get(key)?;
                        let value = value.get("arguments").unwrap_or(value);
                        Some(format!(" {key} {value}"))
                    });
                    format!("{line}: {}{}", input["point"], rest.collect::<String>())
                });
                self.seen.extend(told);
                return;
            }
            "join" => {
                let (tx, feed) = mpsc::channel::<Feed>(4096);
                let subscriber = Subscriber {
                    id: SubscriberId(2),
                    feed: tx,
                    filter: EventSelection::default(),
                    can_approve: false,
                    can_answer: true,
                    extensions: Arc::default(),
                    adopt: None,
                };
                self.session
                    .ask(|reply| SubscriptionCommand::Subscribe {
                        subscriber,
                        from_seq: None,
                        reply,
                    })
                    .await
                    .unwrap();
                self.others.push(feed);
                return;
            }
            // `report PATH LINE SEVERITY MESSAGE`, or `report PATH` when nothing is wrong.
            "report" => {
                let words: Vec<&str> = rest.splitn(4, ' ').collect();
                let items = match words.as_slice() {
                    [_, line, severity, message] => {
                        let line: u64 = line.parse().unwrap();
                        let range = json!({"start": line, "end": line});
                        json!([{"range": range, "severity": severity, "message": message}])
                    }
                    _ => json!([]),
                };
                let path = words[0].to_owned();
                let items = serde_json::from_value(items).unwrap();
                let report = DiagnosticsReport { path, version: None, items };
                let id = SubscriberId(1);
                let told = self
                    .session
                    .ask(|reply| ClientCommand::Diagnostics { id, report, reply })
                    .await;
                return told.unwrap();
            }
            "name" => {
                let title = Some(Some(rest.to_owned()));
                let update = SessionUpdateParams { session_id: None, title };
                let told = self.session.call::<SessionUpdate>(update).await;
                let told = told.map(|updated| format!("{:?}", updated.title));
                return self.note(told, &format!("name {rest}"));
            }
            "named" => {
                let told = self.session.ask(|reply| SubscriptionCommand::Snapshot { reply }).await;
                let told =
                    told.map(|now| format!("{:?}, {} tokens", now.title, now.usage.input_tokens));
                return self.note(told, "named");
            }
            "look" => {
                let told = self.session.ask(|reply| SubscriptionCommand::Snapshot { reply }).await;
                let told = told.map(|snapshot| {
                    let questions: Vec<_> = snapshot.questions.iter().map(question).collect();
                    let plan = snapshot.plan.as_ref().map(plan);
                    format!(
                        "{:?}, waits for {}; {}; {}; mode {:?}",
                        snapshot.state.value,
                        snapshot.state.blocked_on.len(),
                        questions.join(", "),
                        plan.unwrap_or_default(),
                        snapshot.mode
                    )
                });
                return self.note(told, verb);
            }
            other => panic!("no step begins with `{other}`"),
        };
        let asked = if verb == "again" { self.answered.clone() } else { None };
        let asked = asked.unwrap_or_else(|| self.questions.remove(0));
        let question_id = asked.question_id.clone();
        self.answered = Some(asked);
        let answer = Answer::Question { question_id, answer };
        self.session.tell(answer).await.unwrap();
    }
}

impl Stage {
    pub(super) fn called(&mut self, call: &ClientCall) {
        self.calls.push(call.id.clone());
        self.seen.push(match &call.body {
            CallBody::Hook(run) => format!("asks the client's hook at {:?}", run.point),
            CallBody::Tool(call) => {
                format!("calls the client's {} {}", call.tool_name, call.arguments)
            }
        });
    }
}

pub(super) fn question(question: &Question) -> String {
    let options = question.options.iter().map(|o| format!(" {}={}", o.option_id, o.label));
    let plan = question.plan.as_ref().map(|plan| format!(" {plan:?}")).unwrap_or_default();
    format!("question {:?}{plan}{}", question.text, options.collect::<String>())
}

pub(super) fn outcome(outcome: &QuestionOutcome) -> String {
    let text = outcome.text.as_ref().map(|text| format!(" {text:?}")).unwrap_or_default();
    format!("resolved {:?} [{}]{text}", outcome.by, outcome.option_ids.join(" "))
}

pub(super) fn plan(plan: &Plan) -> String {
    let items = plan.items.iter().map(|item| {
        let mark = match item.status {
            PlanStatus::Pending => ' ',
            PlanStatus::InProgress => '>',
            PlanStatus::Completed => 'x',
        };
        format!(" [{mark}] {}", item.content)
    });
    format!("plan{}", items.collect::<String>())
}
