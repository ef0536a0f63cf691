//! What an editor finds wrong in files: kept for a session within bounds, and looked at by the turn after its edits.
//!
//! The session writes the reports, the turn only looks. Invariant: nothing waits for an editor that has never told anything, nor
//! longer than the setting says, nor after the turn was stopped.

use super::error::{Error, ErrorKind};
use super::feed::SubscriberId;
use super::turn::TurnContext;
use crate::context::diagnostics::{fresh, told};
use pintle_protocol::content::Severity;
use pintle_protocol::diagnostics::EditorDiagnostic;
use pintle_protocol::diff::FileChange;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long an editor's report of a changed file is waited for, where no setting says.
pub const REPORT_WAIT: Duration = Duration::from_millis(1500);

/// Files that are kept; the one that was reported longest ago goes first.
const MOST_FILES: usize = 512;

/// Items of a file that are kept, the worst first.
const MOST_ITEMS: usize = 200;

/// Characters of a message, a source or a code that are kept.
const MOST_CHARS: usize = 1_000;

/// Bytes of all that is kept.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// All that an editor finds wrong in a file.
#[derive(Debug, Clone)]
pub struct DiagnosticsReport {
    /// The file, absolute or from the working directory.
    pub path: String,
    /// The version of its text.
    pub version: Option<i64>,
    /// What is wrong.
    pub items: Vec<EditorDiagnostic>,
}

/// What is known of the files of a session.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Who reports; `None` as long as nobody did.
    by: Option<SubscriberId>,
    files: BTreeMap<PathBuf, Arc<Report>>,
    /// Counts reports.
    serial: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Report {
    serial: u64,
    version: Option<i64>,
    items: Vec<EditorDiagnostic>,
    bytes: usize,
}

impl Reports {
    /// Takes a report.
    pub(super) fn take(&mut self, by: SubscriberId, cwd: &Path, report: DiagnosticsReport) {
        let DiagnosticsReport { path, version, items } = report;
        let path = cwd.join(path);
        self.by = Some(by);
        let known = self.files.get(&path).and_then(|known| known.version);
        if matches!((known, version), (Some(known), Some(version)) if version < known) {
            return;
        }
        self.serial += 1;
        let items = bounded(items);
        let bytes = path.as_os_str().len() + items.iter().map(size).sum::<usize>();
        let report = Arc::new(Report { serial: self.serial, version, items, bytes });
        self.bytes += bytes;
        if let Some(old) = self.files.insert(path, report) {
            self.bytes -= old.bytes;
        }
        while self.files.len() > MOST_FILES || (self.bytes > MOST_BYTES && self.files.len() > 1) {
            let oldest = self.files.iter().min_by_key(|(_, report)| report.serial);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else { break };
            if let Some(old) = self.files.remove(&path) {
                self.bytes -= old.bytes;
            }
        }
    }

    /// Forgets all of them where whoever reported is gone.
    pub(super) fn keep_if(&mut self, is_there: impl FnOnce(SubscriberId) -> bool) {
        if self.by.is_some_and(|by| !is_there(by)) {
            *self = Self::default();
        }
    }

    fn serial_of(&self, path: &Path) -> u64 {
        self.files.get(path).map_or(0, |report| report.serial)
    }

    fn items_of(&self, path: &Path) -> Vec<EditorDiagnostic> {
        self.files.get(path).map(|report| report.items.clone()).unwrap_or_default()
    }
}

fn bounded(mut items: Vec<EditorDiagnostic>) -> Vec<EditorDiagnostic> {
    items.sort_by_key(|item| match item.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Information => 2,
        Severity::Hint => 3,
    });
    items.truncate(MOST_ITEMS);
    for item in &mut items {
        for text in [Some(&mut item.message), item.source.as_mut(), item.code.as_mut()] {
            let Some(text) = text else { continue };
            if let Some((end, _)) = text.char_indices().nth(MOST_CHARS) {
                text.truncate(end);
                text.push('…');
            }
        }
    }
    items
}

fn size(item: &EditorDiagnostic) -> usize {
    let texts = [Some(&item.message), item.source.as_ref(), item.code.as_ref()];
    size_of::<EditorDiagnostic>() + texts.into_iter().flatten().map(String::len).sum::<usize>()
}

/// Refuses what makes no sense.
pub(super) fn check(report: &DiagnosticsReport) -> Result<(), Error> {
    let invalid = |what: String, hint: &str| Err(Error::new(ErrorKind::Invalid, what).hint(hint));
    if report.path.trim().is_empty() {
        let hint = "name a file by its path, absolute or from the working directory";
        return invalid("the path is empty".to_owned(), hint);
    }
    let mut ranges = report.items.iter().map(|item| item.range);
    match ranges.find(|range| !crate::context::input::is_range(*range)) {
        None => Ok(()),
        Some(range) => invalid(
            format!("there are no lines {} to {}", range.start, range.end),
            "count lines from 1, and let the last not come before the first",
        ),
    }
}

/// What a turn remembers of the files that it changed.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// How often files had been reported when the batch began, and what was known then.
    before: Option<Before>,
    /// What the model knows to be wrong in the files that it changed.
    known: BTreeMap<PathBuf, Vec<EditorDiagnostic>>,
    /// Endings of names for which a report was waited for in vain: a file that no editor looks at must not cost a wait each time.
    silent: BTreeSet<String>,
}

#[derive(Debug)]
struct Before {
    serial: u64,
    files: BTreeMap<PathBuf, Arc<Report>>,
}

impl Watched {
    /// Takes note of how things stand before a batch of calls.
    pub(super) fn begin(&mut self, ctx: &TurnContext) {
        let reports = ctx.reports.borrow();
        self.before = reports
            .by
            .is_some()
            .then(|| Before { serial: reports.serial, files: reports.files.clone() });
    }

    /// Looks what came of a batch, and waits a little for what an editor says of the files that it changed. What is new in these,
    /// and in those of earlier batches, is told.
    pub(super) async fn end(
        &mut self,
        ctx: &TurnContext,
        changes: &[FileChange],
    ) -> Option<String> {
        let before = self.before.take()?;
        let changed: Vec<PathBuf> =
            changes.iter().map(|change| ctx.folders.cwd.join(&change.path)).collect();
        for path in &changed {
            let known = || before.files.get(path).map(|report| report.items.clone());
            self.known.entry(path.clone()).or_insert_with(|| known().unwrap_or_default());
        }
        self.wait(ctx, &changed, before.serial).await;
        if ctx.cancel.is_cancelled() {
            return None;
        }
        let reports = ctx.reports.borrow();
        let mut new = Vec::new();
        for (path, known) in &mut self.known {
            let now = reports.items_of(path);
            let found: Vec<EditorDiagnostic> = fresh(known, &now).into_iter().cloned().collect();
            *known = now;
            if !found.is_empty() {
                new.push((path.display().to_string(), found));
            }
        }
        (!new.is_empty()).then(|| told(&new))
    }

    async fn wait(&mut self, ctx: &TurnContext, changed: &[PathBuf], serial: u64) {
        let wanted: Vec<&PathBuf> =
            changed.iter().filter(|path| !self.silent.contains(&ending(path))).collect();
        if wanted.is_empty() || ctx.report_wait.is_zero() {
            return;
        }
        let mut reports = ctx.reports.clone();
        let all =
            reports.wait_for(|reports| wanted.iter().all(|path| reports.serial_of(path) > serial));
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => return,
            // An error says that the session is gone.
            _ = all => return,
            () = tokio::time::sleep(ctx.report_wait) => {}
        }
        let reports = ctx.reports.borrow();
        let silent = wanted.iter().filter(|path| reports.serial_of(path) <= serial);
        self.silent.extend(silent.map(|path| ending(path)));
    }
}

fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::content::LineRange;

    fn report(path: &str, version: Option<i64>, messages: &[String]) -> DiagnosticsReport {
        let item = |message: &String| EditorDiagnostic {
            range: LineRange { start: 1, end: 1 },
            severity: if message.starts_with('e') { Severity::Error } else { Severity::Hint },
            message: message.clone(),
            source: None,
            code: None,
        };
        let items = messages.iter().map(item).collect();
        DiagnosticsReport { path: path.to_owned(), version, items }
    }

    fn reports(all: impl IntoIterator<Item = DiagnosticsReport>) -> Reports {
        let mut reports = Reports::default();
        for report in all {
            reports.take(SubscriberId(1), Path::new("/w"), report);
        }
        reports
    }

    #[test]
    fn a_report_takes_the_place_of_the_one_before_unless_it_is_of_an_older_text() {
        let said = |text: &str| [text.to_owned()];
        for (name, versions, want) in [
            ("without versions", [None, None], "new"),
            ("newer", [Some(1), Some(2)], "new"),
            ("the same", [Some(2), Some(2)], "new"),
            ("older", [Some(2), Some(1)], "old"),
        ] {
            let [first, second] = versions;
            let reports = reports([
                report("a.rs", first, &said("old")),
                report("/w/a.rs", second, &said("new")),
            ]);
            assert_eq!(reports.items_of(Path::new("/w/a.rs"))[0].message, want, "{name}");
            assert_eq!(reports.files.len(), 1, "{name}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
        let long = "x".repeat(5_000);
        let many = reports((0..600).map(|n| report(&format!("{n}.rs"), None, &[])));
        assert_eq!(many.files.len(), MOST_FILES);
        assert!(many.files.contains_key(Path::new("/w/599.rs")));
        assert!(!many.files.contains_key(Path::new("/w/0.rs")));
        let mut messages = vec![long; 300];
        messages.push("error".to_owned());
        let heavy = reports((0..40).map(|n| report(&format!("{n}.rs"), None, &messages)));
        assert!(heavy.bytes <= MOST_BYTES && heavy.files.len() > 1, "{}", heavy.bytes);
        let items = heavy.items_of(Path::new("/w/39.rs"));
        assert_eq!((items.len(), items[0].message.as_str()), (MOST_ITEMS, "error"));
        assert_eq!(items[1].message.chars().count(), MOST_CHARS + 1);
        let counted: usize = heavy.files.values().map(|report| report.bytes).sum();
        assert_eq!(heavy.bytes, counted);
    }

    #[test]
    fn a_client_that_is_gone_is_not_waited_for() {
        let mut kept = reports([report("a.rs", None, &["e".to_owned()])]);
        kept.keep_if(|by| by == SubscriberId(1));
        assert_eq!(kept.files.len(), 1);
        kept.keep_if(|_| false);
        assert!(kept.by.is_none() && kept.files.is_empty() && kept.bytes == 0);
    }

    #[test]
    fn a_report_that_makes_no_sense_is_refused() {
        let mut backwards = report("a.rs", None, &["e".to_owned()]);
        backwards.items[0].range = LineRange { start: 3, end: 2 };
        for (name, report, want) in [
            ("an empty path", report(" ", None, &[]), Some("the path is empty")),
            ("lines that are none", backwards, Some("there are no lines 3 to 2")),
            ("nothing wrong", report("a.rs", None, &[]), None),
        ] {
            assert_eq!(check(&report).err().map(|error| error.message).as_deref(), want, "{name}");
        }
    }
}
