//! Editor diagnostics after a batch of edits: new ones are reported to the model.
//!
//! Invariant: nothing waits for an editor that has never sent a report, nor longer than the configured time, nor after the turn was
//! stopped.

use crate::turn::context::TurnContext;
use crate::turn::diagnostics::Report;
use pintle_os::names;
use pintle_protocol::diagnostics::EditorDiagnostic;
use pintle_protocol::diff::FileChange;
use pintle_session::context::diagnostics::{self, fresh};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Diagnostics of the files changed by a turn.
#[derive(Debug, Default)]
pub(crate) struct EditFeedback {
    /// The count of reports when the batch began, and the reports at that time.
    before: Option<Before>,
    /// The diagnostics that the model knows, of the files that it changed.
    known: BTreeMap<PathBuf, Vec<EditorDiagnostic>>,
    /// File extensions for which no report arrived: a file that no editor checks must not cost a wait each time.
    silent: BTreeSet<String>,
}

#[derive(Debug)]
struct Before {
    serial: u64,
    files: BTreeMap<PathBuf, Arc<Report>>,
}

impl EditFeedback {
    /// Records the diagnostics before a batch of calls.
    pub(crate) fn begin(&mut self, ctx: &TurnContext) {
        let reports = ctx.checks.reports.borrow();
        self.before = reports
            .by
            .is_some()
            .then(|| Before { serial: reports.serial, files: reports.files.clone() });
    }

    /// Checks the files after a batch, and waits briefly for the editor's reports about the changed files. New diagnostics in these files
    /// and in those of earlier batches are reported to the model.
    pub(crate) async fn end(
        &mut self,
        ctx: &TurnContext,
        changes: &[FileChange],
    ) -> Option<String> {
        let before = self.before.take()?;
        let changed: Vec<PathBuf> =
            changes.iter().map(|change| ctx.workspace.folders.cwd.join(&change.path)).collect();
        for path in &changed {
            let known = || before.files.get(path).map(|report| report.items.clone());
            self.known.entry(path.clone()).or_insert_with(|| known().unwrap_or_default());
        }
        self.wait(ctx, &changed, before.serial).await;
        if ctx.cancel.is_cancelled() {
            return None;
        }
        let reports = ctx.checks.reports.borrow();
        let mut new = Vec::new();
        for (path, known) in &mut self.known {
            let now = reports.items_of(path);
            let found: Vec<EditorDiagnostic> = fresh(known, &now).into_iter().cloned().collect();
            *known = now;
            if !found.is_empty() {
                new.push((names::shown(path).into_owned(), found));
            }
        }
        (!new.is_empty()).then(|| diagnostics::message(&new))
    }

    async fn wait(&mut self, ctx: &TurnContext, changed: &[PathBuf], serial: u64) {
        let wanted: Vec<&PathBuf> =
            changed.iter().filter(|path| !self.silent.contains(&ending(path))).collect();
        if wanted.is_empty() || ctx.checks.settings.report_wait.is_zero() {
            return;
        }
        let mut reports = ctx.checks.reports.clone();
        let all =
            reports.wait_for(|reports| wanted.iter().all(|path| reports.serial_of(path) > serial));
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return,
            // An error means that the session is gone.
            _ = all => return,
            () = tokio::time::sleep(ctx.checks.settings.report_wait) => {}
        }
        let reports = ctx.checks.reports.borrow();
        let silent = wanted.iter().filter(|path| reports.serial_of(path) <= serial);
        self.silent.extend(silent.map(|path| ending(path)));
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default()
}
