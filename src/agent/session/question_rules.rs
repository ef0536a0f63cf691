//! Questions to the user: an answer's outcome, the default without one, and the model's view of it. Pure.

use pintle_base::text::visible::visible_line;
use pintle_protocol::question::{
    AnsweredBy, Question, QuestionAnswer, QuestionKind, QuestionOption, QuestionOutcome,
};
use pintle_session::history::outcome::{accepts_plan, without_answer};
use pintle_tools::Ask;
use std::time::Duration;

/// Returns a question's options, with the ids that answers refer to.
pub(super) fn options(ask: &Ask) -> Vec<QuestionOption> {
    let numbered = ask.options.iter().enumerate();
    numbered
        .map(|(at, label)| QuestionOption {
            option_id: (at + 1).to_string(),
            label: visible_line(label).into_owned(),
        })
        .collect()
}

/// Returns an answer's outcome. Only offered options count.
pub(super) fn outcome(question: &Question, answer: &QuestionAnswer) -> QuestionOutcome {
    let text = answer.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let offered = question.options.iter().map(|option| &option.option_id);
    let chosen = offered.filter(|id| answer.option_ids.contains(id)).cloned();
    let option_ids: Vec<String> =
        if question.multiple { chosen.collect() } else { chosen.take(1).collect() };
    if answer.dismissed || (option_ids.is_empty() && text.is_none()) {
        return without_answer(question, AnsweredBy::Dismissed);
    }
    QuestionOutcome {
        question_id: question.question_id.clone(),
        item_id: question.item_id.clone(),
        option_ids,
        text: text.map(str::to_owned),
        by: AnsweredBy::Client,
    }
}

/// Returns the chosen options' labels.
pub(super) fn chosen(question: &Question, outcome: &QuestionOutcome) -> Vec<String> {
    let chosen = question.options.iter().filter(|o| outcome.option_ids.contains(&o.option_id));
    chosen.map(|option| option.label.clone()).collect()
}

/// Returns the text that the model reads.
pub(super) fn text_for_model(
    question: &Question,
    outcome: &QuestionOutcome,
    timeout: Duration,
) -> String {
    let chosen = chosen(question, outcome);
    let said = outcome.text.as_deref();
    match (outcome.by, question.kind) {
        (AnsweredBy::Client, QuestionKind::Plan) => {
            let verdict = if accepts_plan(question, outcome) {
                "The user accepted the plan. Plan mode has ended: carry it out."
            } else {
                "The user has not accepted the plan. You are still in plan mode: revise it and submit it again."
            };
            match said {
                Some(said) => format!("{verdict} The user commented: {said}"),
                None => verdict.to_owned(),
            }
        }
        (AnsweredBy::Client, QuestionKind::Choice) => match (chosen.is_empty(), said) {
            (true, said) => format!("The user answered: {}", said.unwrap_or_default()),
            (false, None) => format!("The user chose: {}", chosen.join("; ")),
            (false, Some(said)) => {
                format!("The user chose: {}\nand commented: {said}", chosen.join("; "))
            }
        },
        (AnsweredBy::Deadline, QuestionKind::Choice) => {
            let waited =
                format!("The question was not answered within {} s", timeout.as_secs_f64().ceil());
            match chosen.first() {
                Some(first) => format!("{waited}, so the first answer was taken: {first}"),
                None => format!("{waited}. Decide yourself, and state your decision."),
            }
        }
        (AnsweredBy::Dismissed, QuestionKind::Choice) => {
            "The user dismissed the question. Decide yourself, and state your decision.".to_owned()
        }
        (AnsweredBy::NoClient, QuestionKind::Choice) => {
            "No user is available to answer: decide yourself, and state your decision.".to_owned()
        }
        (
            AnsweredBy::Deadline | AnsweredBy::Dismissed | AnsweredBy::NoClient,
            QuestionKind::Plan,
        ) => "The plan was not accepted, so plan mode continues. Reply with the plan, then stop."
            .to_owned(),
        (AnsweredBy::Interrupt, _) => "Operation aborted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::QUESTION_TIMEOUT;
    use pintle_protocol::ids::{ItemId, QuestionId, SessionId, TurnId};

    fn question(kind: QuestionKind, options: &[&str], multiple: bool) -> Question {
        let ask = Ask {
            kind,
            text: "which?".to_owned(),
            plan: None,
            options: options.iter().map(|&option| option.to_owned()).collect(),
            multiple,
        };
        Question {
            question_id: QuestionId::new("q"),
            session_id: SessionId::new("s"),
            turn_id: TurnId::new("t"),
            item_id: ItemId::new("i"),
            kind,
            text: ask.text.clone(),
            plan: None,
            options: super::options(&ask),
            multiple,
            deadline_ms: 0,
        }
    }

    #[test]
    fn what_the_model_reads_of_an_answer() {
        use QuestionKind::{Choice, Plan};
        let rows: [(&str, QuestionKind, bool, &str); 12] = [
            ("an option", Choice, false, r#"{"optionIds":["2"]}"#),
            ("its own words", Choice, false, r#"{"text":" neither "}"#),
            ("both", Choice, false, r#"{"optionIds":["1"],"text":"soon"}"#),
            ("two where one may be", Choice, false, r#"{"optionIds":["2","1"]}"#),
            ("two", Choice, true, r#"{"optionIds":["2","1"]}"#),
            ("one never offered", Choice, false, r#"{"optionIds":["9"]}"#),
            ("nothing", Choice, false, "{}"),
            ("closed", Choice, false, r#"{"optionIds":["1"],"dismissed":true}"#),
            ("a plan accepted", Plan, false, r#"{"optionIds":["1"]}"#),
            ("a plan sent back", Plan, false, r#"{"optionIds":["2"],"text":"no tests"}"#),
            ("a plan talked about", Plan, false, r#"{"text":"yes!"}"#),
            ("a plan closed", Plan, false, r#"{"dismissed":true}"#),
        ];
        let told = rows.map(|(name, kind, multiple, answer)| {
            let question = question(kind, &["red", "blue"], multiple);
            let outcome = outcome(&question, &serde_json::from_str(answer).unwrap());
            let mark = if accepts_plan(&question, &outcome) { " ACCEPTED" } else { "" };
            format!("{name}{mark}: {}", text_for_model(&question, &outcome, QUESTION_TIMEOUT))
        });
        expect_test::expect![[r"
            an option: The user chose: blue
            its own words: The user answered: neither
            both: The user chose: red
            and commented: soon
            two where one may be: The user chose: red
            two: The user chose: red; blue
            one never offered: The user dismissed the question. Decide yourself, and state your decision.
            nothing: The user dismissed the question. Decide yourself, and state your decision.
            closed: The user dismissed the question. Decide yourself, and state your decision.
            a plan accepted ACCEPTED: The user accepted the plan. Plan mode has ended: carry it out.
            a plan sent back: The user has not accepted the plan. You are still in plan mode: revise it and submit it again. The user commented: no tests
            a plan talked about: The user has not accepted the plan. You are still in plan mode: revise it and submit it again. The user commented: yes!
            a plan closed: The plan was not accepted, so plan mode continues. Reply with the plan, then stop."]].assert_eq(&told.join("\n"));
    }

    #[test]
    fn without_an_answer_the_default_holds_and_no_plan_is_accepted() {
        use AnsweredBy::{Deadline, Interrupt, NoClient};
        let mut told = Vec::new();
        for by in [Deadline, NoClient, Interrupt] {
            for (kind, options) in [
                (QuestionKind::Choice, &["red", "blue"][..]),
                (QuestionKind::Choice, &[]),
                (QuestionKind::Plan, &["yes", "no"]),
            ] {
                let question = question(kind, options, false);
                let outcome = without_answer(&question, by);
                assert!(!accepts_plan(&question, &outcome), "{by:?}");
                let words = text_for_model(&question, &outcome, QUESTION_TIMEOUT);
                told.push(format!("{by:?} {kind:?} of {}: {words}", options.len()));
            }
        }
        expect_test::expect![[r"
            Deadline Choice of 2: The question was not answered within 600 s, so the first answer was taken: red
            Deadline Choice of 0: The question was not answered within 600 s. Decide yourself, and state your decision.
            Deadline Plan of 2: The plan was not accepted, so plan mode continues. Reply with the plan, then stop.
            NoClient Choice of 2: No user is available to answer: decide yourself, and state your decision.
            NoClient Choice of 0: No user is available to answer: decide yourself, and state your decision.
            NoClient Plan of 2: The plan was not accepted, so plan mode continues. Reply with the plan, then stop.
            Interrupt Choice of 2: Operation aborted
            Interrupt Choice of 0: Operation aborted
            Interrupt Plan of 2: Operation aborted"]].assert_eq(&told.join("\n"));
    }

    #[test]
    fn options_are_drawn() {
        let question =
            question(QuestionKind::Choice, &["a\nb", "\u{202e}txt", "\u{1b}[8mhidden"], false);
        let labels: Vec<&str> =
            question.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!(labels, ["a␊b", "⟨U+202E⟩txt", "␛[8mhidden"]);
    }
}
