//! What happens when a provider fails: asked again while that may help, nothing said twice to the model, no half call run, and
//! the session usable whatever the end. Waits are those of the script, so that nothing here sleeps.

use crate::scenarios::{full, requests, told_with};
use crate::support::stage::Setup;
use expect_test::expect;
use pintle_protocol::approval::PermissionMode;
use std::time::Duration;

#[test]
fn a_failure_before_anything_was_shown_costs_no_step() {
    full(
        "fail overloaded come back later\nfail network the connection broke\nsay here I am",
        "prompt hi | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            retry 1 of 3 in 0 ms, overloaded: come back later
            retry 2 of 3 in 0 ms, network: the connection broke
            started   #2 message running ""
            completed #2 message completed "here I am"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi""#]],
    );
}

#[test]
fn a_reply_that_was_cut_is_said_anew_and_the_half_is_forgotten() {
    full(
        "think hm + say half a sen + fail network the connection broke\nsay whole",
        "prompt hi | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            started   #2 reasoning running ""
            completed #2 reasoning completed "hm"
            started   #3 message running ""
            completed #3 message cancelled "half a sen"
            step 1 cut
            retry 1 of 3 in 0 ms, network: the connection broke
            started   #4 message running ""
            completed #4 message completed "whole"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "hi""#]],
    );
}

#[test]
fn a_half_call_never_runs() {
    full(
        "bash fail + fail protocol the stream was cut\nbash make\nsay done",
        "prompt go | idle",
        expect![[r#"
            > prompt go: Started
            accepted Prompt "go"
            turn started
            completed #1 user "go"
            started   #2 call bash pending
            completed #2 call bash cancelled
            step 1 cut
            retry 1 of 3 in 0 ms, protocol: the stream was cut
            started   #3 call bash pending
            updated   #3 call bash: make pending
            step 2 ToolUse
            updated   #3 call bash: make running
            completed #3 call bash: make completed = "made\n"
            started   #4 message running ""
            completed #4 message completed "done"
            step 3 EndTurn
            turn Completed EndTurn after 3 steps
            --- the model read
            user "go"
            assistant bash {"command":"make"}
            result of bash "made\n""#]],
    );
}

#[test]
fn after_the_last_retry_the_turn_fails_and_the_session_goes_on() {
    full(
        "fail timeout a\nfail timeout b\nfail timeout c\nfail timeout d\nsay better now",
        "prompt hi | idle | prompt again | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            retry 1 of 3 in 0 ms, timeout: a
            retry 2 of 3 in 0 ms, timeout: b
            retry 3 of 3 in 0 ms, timeout: c
            turn Failed after 1 steps timeout: d
            > prompt again: Started
            accepted Prompt "again"
            turn started
            completed #2 user "again"
            started   #3 message running ""
            completed #3 message completed "better now"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi"
            user "again""#]],
    );
}

#[test]
fn what_cannot_pass_is_not_asked_again() {
    full(
        "fail auth no such key\nfail billing the account is empty\nfail invalidRequest no such field\nsay fixed",
        "prompt a | idle | prompt b | idle | prompt c | idle | prompt d | idle",
        expect![[r#"
            > prompt a: Started
            accepted Prompt "a"
            turn started
            completed #1 user "a"
            turn Failed after 1 steps auth: no such key
            > prompt b: Started
            accepted Prompt "b"
            turn started
            completed #2 user "b"
            turn Failed after 1 steps billing: the account is empty
            > prompt c: Started
            accepted Prompt "c"
            turn started
            completed #3 user "c"
            turn Failed after 1 steps invalidRequest: no such field
            > prompt d: Started
            accepted Prompt "d"
            turn started
            completed #4 user "d"
            started   #5 message running ""
            completed #5 message completed "fixed"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "a"
            user "b"
            user "c"
            user "d""#]],
    );
}

#[test]
fn a_wait_that_is_too_long_is_told_and_not_waited_for() {
    full(
        "fail rateLimit slow down + after 61000\nsay later",
        "prompt hi | idle | prompt again | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            turn Failed after 1 steps rateLimit: slow down
            > prompt again: Started
            accepted Prompt "again"
            turn started
            completed #2 user "again"
            started   #3 message running ""
            completed #3 message completed "later"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi"
            user "again""#]],
    );
}

#[test]
fn an_interrupt_ends_the_wait() {
    full(
        "fail rateLimit slow down + after 59000\nsay alive",
        "prompt hi | until retry | stop | idle | prompt again | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            retry 1 of 3 in 59000 ms, rateLimit: slow down
            > stop: stopping, 0 returned
            turn Interrupted after 1 steps
            > prompt again: Started
            accepted Prompt "again"
            turn started
            completed #2 user "again"
            started   #3 message running ""
            completed #3 message completed "alive"
            step 1 EndTurn
            turn Completed EndTurn after 1 steps
            --- the model read
            user "hi"
            user "again""#]],
    );
}

#[test]
fn a_steer_waits_for_the_reply_that_was_asked_anew() {
    full(
        "fail overloaded busy + after 1\ngate g + say first\nsay second",
        "prompt hi | until retry | gate g | steer also this | open g | idle",
        expect![[r#"
            > prompt hi: Started
            accepted Prompt "hi"
            turn started
            completed #1 user "hi"
            retry 1 of 3 in 1 ms, overloaded: busy
            > steer also this: accepted
            accepted Steer "also this"
            started   #2 message running ""
            completed #2 message completed "first"
            step 1 EndTurn
            completed #3 user "also this"
            started   #4 message running ""
            completed #4 message completed "second"
            step 2 EndTurn
            turn Completed EndTurn after 2 steps
            --- the model read
            user "hi"
            assistant "first"
            user "also this""#]],
    );
}

#[test]
fn clients_are_told_once_that_a_model_is_silent() {
    for (name, model, steps) in [
        ("before its first word", "hang", "prompt a | until modelSilent | stop | idle"),
        ("in the middle", "say half + hang", "prompt a | until modelSilent | stop | idle"),
    ] {
        let setup = Setup { silence: Duration::from_millis(20), ..Setup::default() };
        let told = told_with(setup, PermissionMode::Full, model, steps);
        let line = "told modelSilent: script has sent nothing for 0.02 s";
        assert_eq!(told.lines().filter(|told| *told == line).count(), 1, "{name}: {told}");
    }
    let told = told_with(Setup::default(), PermissionMode::Full, "say hi", "prompt a | idle");
    assert!(!told.contains("modelSilent"), "{told}");
}

#[test]
fn a_fallback_continues_a_turn_whose_model_is_unavailable_once_a_turn() {
    let busy = "fail overloaded busy\n".repeat(4);
    let cut = "say half + fail network broke\n".repeat(4);
    let takes_over =
        "notice modelFallback: script/test is unavailable: script/other continues the turn";
    for (name, model, commands, want, told) in [
        ("overloaded", format!("{busy}say here"), "prompt a | idle", "test×4 other", takes_over),
        ("in a reply", format!("{cut}say here"), "prompt a | idle", "test×4 other", takes_over),
        (
            "the same turn",
            format!("{busy}bash make\nsay here"),
            "prompt a | idle",
            "test×4 other×2",
            takes_over,
        ),
        (
            "the next turn",
            format!("{busy}say here\nsay again"),
            "prompt a | idle | prompt b | idle",
            "test×4 other test",
            takes_over,
        ),
        ("both", format!("{busy}{busy}"), "prompt a | idle", "test×4 other×4", "turn Failed"),
        ("no key", "fail auth no key".to_owned(), "prompt a | idle", "test", "turn Failed"),
    ] {
        let setup = || Setup { fallback_model: Some("script/other"), ..Setup::default() };
        let asked = requests(setup(), &model, commands);
        let mut origins: Vec<(String, usize)> = Vec::new();
        for request in asked {
            let origin = request.origin.as_str().trim_start_matches("script/").to_owned();
            match origins.last_mut().filter(|(last, _)| *last == origin) {
                Some((_, count)) => *count += 1,
                None => origins.push((origin, 1)),
            }
        }
        let shown = origins.iter().map(|(origin, count)| match count {
            1 => origin.clone(),
            count => format!("{origin}×{count}"),
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), want, "{name}");
        let got = told_with(setup(), PermissionMode::Full, &model, commands);
        assert!(got.contains(told), "{name}: {got}");
        assert_eq!(got.matches("modelFallback").count(), usize::from(name != "no key"), "{got}");
    }
}
