//! What finding hunks costs in a large file:
//!
//! ```text
//! cargo bench -- review
//! ```
//!
//! A file of 20,000 lines in which the agent changed 200 places. The aim is 20 ms for each line of the table; medians of some
//! rounds.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time"
)]

use crate::report::{self, Aim, row};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::review::{Maker, ReviewAction, ReviewTarget};
use pintle_session::review::{Author, Content, Review, Since};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LINES: usize = 20_000;
const HUNKS: usize = 200;
const ROUNDS: usize = 21;
const AIM_MS: f64 = 20.0;
const PATH: &str = "/work/big.rs";

/// A file whose lines repeat as those of sources do; every so many lines are changed.
fn file(every: Option<usize>) -> Content {
    let mut text = String::new();
    for line in 0..LINES {
        let is_changed = every.is_some_and(|every| line % every == every / 2);
        if is_changed {
            writeln!(text, "    let changed_{line} = compute(\"by the agent\", {line});").unwrap();
        } else {
            match line % 5 {
                0 => writeln!(text, "fn function_{line}(value: usize) -> usize {{").unwrap(),
                1 => writeln!(text, "    let doubled = value * 2;").unwrap(),
                2 => writeln!(text, "    doubled + {}", line % 97).unwrap(),
                3 => text.push_str("}\n"),
                _ => text.push('\n'),
            }
        }
    }
    Content::text(&text)
}

fn measure(name: &str, mut run: impl FnMut()) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times.get(ROUNDS / 2).unwrap().as_secs_f64() * 1000.0;
    row(&format!("{name}, median"), "ms", median, Aim::Most(AIM_MS), None);
}

pub(crate) fn run() {
    report::head(&format!("review: {HUNKS} hunks in a file of {LINES} lines"));
    let (before, after) = (file(None), file(Some(LINES / HUNKS)));
    let agent = Author::Agent(Maker {
        turn_id: TurnId::new("t1"),
        item_id: ItemId::new("i1"),
        while_ran: None,
    });
    let mut review = Review::new();
    measure("the agent's change, with its hunks", || {
        review = Review::new();
        review.changed(1, PATH, Some(before.clone()), Some(after.clone()), &agent);
        assert_eq!(black_box(review.hunks()).len(), HUNKS);
    });
    let text = String::from_utf8(after.bytes.to_vec()).unwrap();
    let typed = Content::text(&text.replacen("doubled + 2\n", "doubled + 2 // mine\n", 1));
    measure("a person's edit beside them", || {
        let mut review = review.clone();
        review.changed(2, PATH, Some(after.clone()), Some(typed.clone()), &Author::User);
        assert_eq!(black_box(review.hunks()).len(), HUNKS);
    });
    let present = |_: &str| Some(after.clone());
    measure("undo of one hunk, planned and done", || {
        let mut review = review.clone();
        let hunk = review.hunks().first().unwrap().id.clone();
        let target = ReviewTarget::Hunk { hunk, changed_seq: None };
        let plan =
            review.plan(&ReviewAction::Undo { target, discard_edits: false }, &present).unwrap();
        review.record(2, &plan.decision);
        assert_eq!(black_box(review.hunks()).len(), HUNKS - 1);
    });
    measure("keep of all", || {
        let mut review = review.clone();
        let plan =
            review.plan(&ReviewAction::Keep { target: ReviewTarget::All }, &present).unwrap();
        review.record(2, &plan.decision);
        assert!(black_box(review.hunks()).is_empty());
    });
    measure("the patch", || {
        assert!(!black_box(review.patch("/work", Since::Start)).text.is_empty());
    });
}
