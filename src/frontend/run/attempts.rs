//! Runs several attempts at a task side by side, each in a separate copy, and applies the best one.
//!
//! Invariant: at most one attempt is applied, and only if the judge accepts it. Without a judge, the user chooses one.

use super::{Options, carry_out, conclude, isolated, report_line};
use crate::outcome::{DONE, FAILED};
use futures_util::future::join_all;
use pintle_agent::EngineHandle;
use pintle_base::text::visible::visible_line;
use pintle_base::transport::Outgoing;
use pintle_protocol::event::TurnError;
use pintle_protocol::run::{RunAttempt, RunResult, RunStatus, RunVerdict};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// The most characters of a judge's output that are kept.
const MAX_OUTPUT: usize = 2000;

/// Several attempts at a task.
#[derive(Debug, Clone)]
pub struct Attempts {
    /// Their number.
    pub count: usize,
    /// The command that judges an attempt; `None` to leave the choice to the user.
    pub judge: Option<String>,
    /// The models, used in turn; none for that of the settings.
    pub models: Vec<String>,
}

/// A finished attempt.
struct Finished {
    result: RunResult,
    verdict: Option<RunVerdict>,
}

/// Runs the attempts, applies the best one, prints the result, and returns the exit code.
pub async fn run_attempts(
    out: Outgoing,
    engine: EngineHandle,
    options: Options,
    attempts: Attempts,
) -> u8 {
    let is_quiet = options.output.is_quiet;
    let all = (0..attempts.count).map(|place| {
        let mut options = options.clone();
        options.keeps_engine = true;
        options.session.applies = false;
        options.output.is_quiet = true;
        let model = place.checked_rem(attempts.models.len());
        if let Some(model) = model.and_then(|at| attempts.models.get(at)) {
            options.session.model = Some(model.clone());
        }
        let says = !is_quiet;
        attempt(&engine, options, attempts.judge.as_deref(), says.then_some(place))
    });
    let mut finished = join_all(all).await;
    let best = best(&finished);
    if let Some(chosen) = best.and_then(|best| finished.get_mut(best)) {
        isolated::apply_stored(&engine, &mut chosen.result).await;
    }
    let mut shown: Vec<RunAttempt> = Vec::with_capacity(finished.len());
    for (place, Finished { result, verdict }) in finished.iter_mut().enumerate() {
        let is_chosen = Some(place) == best && result.exit_code == DONE;
        // The others are no longer needed.
        if best.is_some() && Some(place) != best {
            isolated::discard(&engine, result).await;
        }
        shown.push(RunAttempt {
            session_id: result.session_id.clone(),
            model: result.model.clone(),
            stop: result.stop.clone(),
            changes: result.changes.clone(),
            cost_nano_usd: result.cost_nano_usd,
            verdict: verdict.clone(),
            chosen: is_chosen,
            copy: result.isolation.as_ref().and_then(|isolation| isolation.copy.clone()),
        });
    }
    engine.shutdown().await;
    let is_offered = attempts.judge.is_none();
    let place = best.or_else(|| finished.iter().position(|one| one.result.exit_code == DONE));
    let place = place.unwrap_or(0).min(finished.len().saturating_sub(1));
    let mut result = finished.swap_remove(place).result;
    if best.is_none() && !is_offered && result.exit_code == DONE {
        reject(&mut result);
    }
    result.attempts = shown;
    if !is_quiet {
        report(&result.attempts, is_offered);
    }
    conclude(&out, &options, &result).await
}

/// Runs an attempt, and the judge on its result. Its number is `None` if nothing is to be printed.
async fn attempt(
    engine: &EngineHandle,
    options: Options,
    judge: Option<&str>,
    shown_as: Option<usize>,
) -> Finished {
    // Prints nothing itself: there is one result for all attempts.
    let (out, _) = Outgoing::channel();
    let result = carry_out(&out, engine, &options).await;
    let mut finished = Finished { result, verdict: None };
    if let Some(judge) = judge.filter(|_| finished.result.exit_code == DONE) {
        finished.verdict = Some(verdict(engine, &options, judge, &finished.result).await);
    }
    if let Some(place) = shown_as {
        let what = described(&finished.result, finished.verdict.as_ref());
        report_line(&visible_line(&format!("pintle: attempt {}: {what}", place + 1)));
    }
    finished
}

/// Runs the judge in an attempt's copy. An attempt without changes has none, and is judged in the project itself.
async fn verdict(
    engine: &EngineHandle,
    options: &Options,
    judge: &str,
    result: &RunResult,
) -> RunVerdict {
    let isolated = result.session_id.as_ref().and_then(|id| engine.store().isolated_of(id));
    let copy = isolated.and_then(|isolated| isolated.working_folder());
    let cwd = copy.filter(|copy| copy.is_dir()).unwrap_or_else(|| options.cwd.clone());
    match engine.run_local(judge, &cwd, &options.stop.signal).await {
        Ok(ran) => {
            let output = tail(ran.output.trim_end());
            let last = output.lines().last().unwrap_or_default().trim();
            let score = last.parse().ok().filter(|score: &f64| score.is_finite());
            RunVerdict { accepted: ran.is_success, score, output }
        }
        Err(error) => RunVerdict { accepted: false, score: None, output: error.to_string() },
    }
}

/// Returns a text's last characters.
fn tail(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(MAX_OUTPUT);
    text.chars().skip(skipped).collect()
}

/// Returns the best accepted attempt: the one with the highest score, then with the fewest changed lines, then the first.
fn best(finished: &[Finished]) -> Option<usize> {
    let accepted = finished.iter().enumerate().filter(|(_, one)| {
        one.result.exit_code == DONE && one.verdict.as_ref().is_some_and(|it| it.accepted)
    });
    let rank = |one: &Finished| {
        let score = one.verdict.as_ref().and_then(|verdict| verdict.score);
        let changes = &one.result.changes;
        (score.unwrap_or(f64::NEG_INFINITY), changes.added.saturating_add(changes.removed))
    };
    let order = |a: &Finished, b: &Finished| -> Ordering {
        let ((a_score, a_lines), (b_score, b_lines)) = (rank(a), rank(b));
        b_score.total_cmp(&a_score).then(a_lines.cmp(&b_lines))
    };
    accepted.min_by(|(_, a), (_, b)| order(a, b)).map(|(place, _)| place)
}

/// Records that the judge accepted no attempt.
fn reject(result: &mut RunResult) {
    result.status = RunStatus::Failed;
    result.exit_code = FAILED;
    "judge".clone_into(&mut result.stop);
    result.error = Some(TurnError {
        code: result.stop.clone(),
        message: "nothing was applied: the judge accepted no attempt".to_owned(),
        hint: Some("apply one with `pintle sessions apply ID`".to_owned()),
        retryable: false,
        http_status: None,
    });
}

/// Describes an attempt on one line.
fn described(result: &RunResult, verdict: Option<&RunVerdict>) -> String {
    let changes = &result.changes;
    let files = match changes.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let mut text = format!("{}, {files} +{} -{}", result.stop, changes.added, changes.removed);
    if let Some(verdict) = verdict {
        text.push_str(if verdict.accepted { ", accepted" } else { ", rejected" });
        if let Some(score) = verdict.score {
            let _ = write!(text, " (score {score})");
        }
    }
    text
}

/// Prints which attempt was applied, or how to apply one.
fn report(attempts: &[RunAttempt], is_offered: bool) {
    for (place, attempt) in attempts.iter().enumerate() {
        if attempt.chosen {
            report_line(&format!("pintle: applied attempt {}", place + 1));
        } else if is_offered && let (Some(_), Some(id)) = (&attempt.copy, &attempt.session_id) {
            report_line(&format!(
                "pintle: to apply attempt {}: pintle sessions apply {id}",
                place + 1
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::unstarted;

    /// Parses an attempt: exit code, verdict, score, number of changed lines.
    fn finished(text: &str) -> Finished {
        let words: Vec<&str> = text.split(' ').collect();
        let [code, verdict, score, lines] = words.as_slice() else { panic!("{text}") };
        let mut result = unstarted("done", code.parse().unwrap(), String::new(), None);
        result.changes.added = lines.parse().unwrap();
        let verdict = (*verdict != "-").then(|| RunVerdict {
            accepted: *verdict == "yes",
            score: score.parse().ok(),
            output: String::new(),
        });
        Finished { result, verdict }
    }

    #[test]
    fn the_best_accepted_attempt_is_chosen() {
        for (name, attempts, want) in [
            ("none accepted", &["0 no - 1", "1 yes - 1"][..], None),
            ("no judge", &["0 - - 1"], None),
            ("the only one accepted", &["0 no 9 1", "0 yes 1 9"], Some(1)),
            ("the highest score", &["0 yes 1 1", "0 yes 10 9", "0 yes 2 1"], Some(1)),
            ("negative scores", &["0 yes -3 1", "0 yes -1 1"], Some(1)),
            ("a score before none", &["0 yes - 1", "0 yes 0 9"], Some(1)),
            ("the fewest lines", &["0 yes - 9", "0 yes - 3", "0 yes - 5"], Some(1)),
            ("the first", &["0 yes 1 3", "0 yes 1 3"], Some(0)),
        ] {
            let all: Vec<Finished> = attempts.iter().map(|text| finished(text)).collect();
            assert_eq!(best(&all), want, "{name}");
        }
    }
}
