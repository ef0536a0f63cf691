//! Scenarios at the engine's border: a script of model replies and a client's steps in, a transcript out. After each,
//! the session is opened again from its journal and must tell the model the same story.

mod ends;
mod messages;
mod permissions;
mod stops;

use crate::support::HANG;
use crate::support::stage::{Setup, Stage};
use expect_test::{Expect, expect};
use pintle_llm::Request;
use pintle_protocol::approval::PermissionMode;

pub(crate) fn check(mode: PermissionMode, model: &str, steps: &str, want: &Expect) {
    check_with(Setup::default(), mode, model, steps, want);
}

pub(crate) fn check_with(
    setup: Setup,
    mode: PermissionMode,
    model: &str,
    steps: &str,
    want: &Expect,
) {
    want.assert_eq(&told_with(setup, mode, model, steps));
}

/// Plays the steps and opens the session again; the transcript.
pub(crate) fn told_with(setup: Setup, mode: PermissionMode, model: &str, steps: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = tempfile::tempdir().unwrap();
    let is_reopened = setup.is_reopened;
    let played = async {
        let mut stage = Stage::set_up(data.path(), model, mode, setup).await;
        for step in steps.split(" | ") {
            let done = tokio::time::timeout(HANG, stage.act(step.trim())).await;
            assert!(done.is_ok(), "`{step}` hangs after:\n{}", stage.transcript());
        }
        let transcript = stage.transcript();
        if is_reopened {
            stage.check_reopening(data.path()).await;
        }
        transcript
    };
    let played = async { tokio::time::timeout(HANG, played).await };
    runtime.block_on(played).unwrap_or_else(|_| panic!("the scenario hangs"))
}

/// Plays a scenario and returns the requests to models, in order.
pub(crate) fn requests(setup: Setup, model: &str, steps: &str) -> Vec<Request> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let mut stage = Stage::set_up(data.path(), model, PermissionMode::Full, setup).await;
        for step in steps.split(" | ") {
            tokio::time::timeout(HANG, stage.act(step.trim())).await.unwrap();
        }
        stage.script.requests()
    })
}

pub(crate) fn full(model: &str, steps: &str, want: Expect) {
    check(PermissionMode::Full, model, steps, &want);
}

pub(crate) fn ask(model: &str, steps: &str, want: Expect) {
    check(PermissionMode::Ask, model, steps, &want);
}
