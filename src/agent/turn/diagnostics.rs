//! An editor's diagnostics, kept for a session within limits.
//!
//! The session writes the reports; the turn only reads them (`edit_checks`).
//!
//! A report is a value in a `watch` channel rather than an event, since the next one replaces it; the part sent to the model is in the
//! journal.

use crate::clients::SubscriberId;
use crate::command::DiagnosticsReport;
use crate::error::{Error, ErrorKind};
use pintle_protocol::content::Severity;
use pintle_protocol::diagnostics::EditorDiagnostic;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The default time to wait for an editor's report of a changed file.
pub const REPORT_WAIT: Duration = Duration::from_millis(1500);

/// Maximum number of files to remember; the file with the oldest report is dropped first.
const MOST_FILES: usize = 512;

/// Items of a file that are kept, the worst first.
const MOST_ITEMS: usize = 200;

/// Characters of a message, a source or a code that are kept.
const MOST_CHARS: usize = 1_000;

/// The maximum size of all reports, in bytes.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Diagnostics for a session's files.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The client that reports; `None` as long as none did.
    pub(crate) by: Option<SubscriberId>,
    pub(crate) files: BTreeMap<PathBuf, Arc<Report>>,
    /// Counts reports.
    pub(crate) serial: u64,
    bytes: usize,
}

#[derive(Debug)]
pub(crate) struct Report {
    serial: u64,
    version: Option<i64>,
    pub(crate) items: Vec<EditorDiagnostic>,
    bytes: usize,
}

impl Reports {
    /// Takes a report.
    pub(crate) fn take(&mut self, by: SubscriberId, cwd: &Path, report: DiagnosticsReport) {
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

    /// Drops all diagnostics if their reporter has disconnected.
    pub(crate) fn keep_if(&mut self, is_there: impl FnOnce(SubscriberId) -> bool) {
        if self.by.is_some_and(|by| !is_there(by)) {
            *self = Self::default();
        }
    }

    pub(crate) fn serial_of(&self, path: &Path) -> u64 {
        self.files.get(path).map_or(0, |report| report.serial)
    }

    pub(crate) fn items_of(&self, path: &Path) -> Vec<EditorDiagnostic> {
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

/// Validates a report.
pub(crate) fn check(report: &DiagnosticsReport) -> Result<(), Error> {
    let invalid = |what: String, hint: &str| Err(Error::new(ErrorKind::Invalid, what).hint(hint));
    if report.path.trim().is_empty() {
        let hint = "specify a file by its path, absolute or relative to the working directory";
        return invalid("the path is empty".to_owned(), hint);
    }
    let mut ranges = report.items.iter().map(|item| item.range);
    match ranges.find(|range| !pintle_session::context::input::is_range(*range)) {
        None => Ok(()),
        Some(range) => invalid(
            format!("invalid line range {} to {}", range.start, range.end),
            "lines are counted from 1, and the last must not precede the first",
        ),
    }
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
            ("lines that are none", backwards, Some("invalid line range 3 to 2")),
            ("nothing wrong", report("a.rs", None, &[]), None),
        ] {
            assert_eq!(check(&report).err().map(|error| error.message).as_deref(), want, "{name}");
        }
    }
}
