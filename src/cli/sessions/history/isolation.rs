//! Applies an isolated session's changes, or discards them.

use super::super::terminal::one_line;
use super::{NOTHING, OpenSession, print, refused};
use pintle_agent::EngineHandle;
use pintle_base::text::screen;
use pintle_frontend::run::APPLY_CONFLICT;
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::{ApplyOutcome, IsolationApplyParams, OnConflict};
use pintle_protocol::methods::IsolationApply;
use std::io::Write;

impl OpenSession<'_> {
    /// Applies the changes that were not applied before, and prints the outcome for each file.
    pub(super) async fn apply(&self, on_conflict: OnConflict, is_json: bool) -> anyhow::Result<u8> {
        let params = IsolationApplyParams { session_id: None, on_conflict };
        let result = self.call::<IsolationApply>(params).await?;
        if is_json {
            print(&[screen::escaped(&serde_json::to_string(&result)?)])?;
        } else {
            let line = |outcome: ApplyOutcome, path: &str| {
                let what = match outcome {
                    ApplyOutcome::Applied => "applied  ",
                    ApplyOutcome::Unchanged => "unchanged",
                    ApplyOutcome::Conflict => "conflict ",
                    ApplyOutcome::Kept => "kept     ",
                };
                format!("{what}  {}", one_line(path))
            };
            let lines: Vec<String> =
                result.files.iter().map(|file| line(file.outcome, &file.path)).collect();
            print(&lines)?;
        }
        if result.files.is_empty() {
            writeln!(screen::err(), "pintle: nothing to apply")?;
            return Ok(NOTHING);
        }
        let is_conflict = |outcome| matches!(outcome, ApplyOutcome::Conflict | ApplyOutcome::Kept);
        let is_clean = !result.files.iter().any(|file| is_conflict(file.outcome));
        if !result.applied {
            writeln!(screen::err(), "pintle: nothing was applied, because of the conflicts")?;
        }
        Ok(if is_clean { 0 } else { APPLY_CONFLICT })
    }
}

/// Removes a session's copy without opening the session.
pub(super) async fn discard(engine: &EngineHandle, id: SessionId) -> anyhow::Result<u8> {
    engine.discard_isolation(id.clone()).await.map_err(|error| refused(error, &id))?;
    Ok(0)
}
