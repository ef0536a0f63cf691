//! The agent's undecided changes, as diagnostics, code lenses and code actions. Pure.
//!
//! The engine counts a change's lines in the file as last seen, and the user may have typed since. So a change is shown at its text's
//! current position, as near to its lines as it is found; its buttons name the change, not the lines.

use super::actions::{SOURCE, includes};
use super::arguments;
use ls_types as lsp;
use pintle_base::text::visible::visible;
use pintle_protocol::review::{Hunk, HunkKind, HunkState};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The maximum number of lines that a diagnostic shows of the text before a change.
const MAX_OLD_LINES: usize = 20;

/// Maximum number of lines, to either side, in which a change's text is looked for.
const MAX_DISTANCE: usize = 5000;

/// Returns a change's lines in a text; the lines of the engine's list if there is no text, or if it no longer contains the change's text.
pub(super) fn place(hunk: &Hunk, text: Option<&str>) -> lsp::Range {
    if hunk.kind != HunkKind::Lines {
        return lines(0, 0);
    }
    let start = usize::try_from(hunk.after.start.saturating_sub(1)).unwrap_or(usize::MAX);
    let count = usize::try_from(hunk.after.count).unwrap_or(usize::MAX);
    let Some(text) = text else { return lines(start, count) };
    let present: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = hunk.new_text.lines().collect();
    let is_at = |start: usize| present.get(start..).is_some_and(|rest| rest.starts_with(&wanted));
    let found = if wanted.is_empty() {
        None
    } else {
        let nearest = (0..=MAX_DISTANCE).flat_map(|distance| {
            [start.checked_sub(distance), start.checked_add(distance)].into_iter().flatten()
        });
        nearest.into_iter().find(|start| is_at(*start))
    };
    let last = present.len().saturating_sub(1);
    let at = found.unwrap_or_else(|| start.min(last));
    lines(at, count.min(present.len().saturating_sub(at)))
}

fn lines(start: usize, count: usize) -> lsp::Range {
    let line = |line: usize| lsp::Position::new(u32::try_from(line).unwrap_or(u32::MAX), 0);
    lsp::Range::new(line(start), line(start.saturating_add(count)))
}

/// Returns the diagnostic that shows a change.
pub(super) fn diagnostic(hunk: &Hunk, text: Option<&str>) -> lsp::Diagnostic {
    let mut message = match hunk.kind {
        HunkKind::Lines => format!("pintle changed this: {}", counts(hunk)),
        HunkKind::File if hunk.before.count == 0 => "pintle wrote this file".to_owned(),
        HunkKind::File if hunk.after.count == 0 => "pintle deleted this file".to_owned(),
        HunkKind::File => "pintle changed this file".to_owned(),
        HunkKind::Mode => "pintle changed the mode bits of this file".to_owned(),
    };
    match hunk.state {
        HunkState::Modified => message.push_str(", edited since"),
        HunkState::Conflict => message.push_str(", not undone: contains your lines"),
        _ => {}
    }
    if hunk.waiting.is_some() {
        message.push_str(", waiting for the running call to end");
    }
    if hunk.kind == HunkKind::Lines && !hunk.old_text.is_empty() {
        message.push_str("\nbefore:");
        for line in hunk.old_text.lines().take(MAX_OLD_LINES) {
            let _ = write!(message, "\n{line}");
        }
        let more = hunk.old_text.lines().count().saturating_sub(MAX_OLD_LINES);
        if more > 0 {
            let _ = write!(message, "\n… and {more} more lines");
        }
    }
    lsp::Diagnostic {
        range: place(hunk, text),
        severity: Some(lsp::DiagnosticSeverity::INFORMATION),
        code: Some(lsp::NumberOrString::String(hunk.id.to_string())),
        source: Some(SOURCE.to_owned()),
        message: visible(&message).into_owned(),
        ..lsp::Diagnostic::default()
    }
}

fn counts(hunk: &Hunk) -> String {
    format!("+{} \u{2212}{}", hunk.after.count, hunk.before.count)
}

/// Returns the command argument for deciding about a change as it is shown.
fn argument(hunk: &Hunk) -> Value {
    json!({"hunk": hunk.id, "changedSeq": hunk.changed_seq})
}

/// Returns two code lenses above each change.
pub(super) fn lenses(hunks: &[&Hunk], text: Option<&str>) -> Vec<lsp::CodeLens> {
    let each = hunks.iter().flat_map(|hunk| {
        let at = place(hunk, text).start;
        let keep = match hunk.kind {
            HunkKind::Lines => format!("Keep {}", counts(hunk)),
            HunkKind::File | HunkKind::Mode => "Keep".to_owned(),
        };
        [(keep, arguments::KEEP), ("Undo".to_owned(), arguments::UNDO)].map(|(title, command)| {
            let arguments = Some(vec![argument(hunk)]);
            lsp::CodeLens {
                range: lsp::Range::new(at, at),
                command: Some(lsp::Command::new(title, command.to_owned(), arguments)),
                data: None,
            }
        })
    });
    each.collect()
}

/// Returns the commands about the changes in a range, and about all changes of the file if it has several.
pub(super) fn actions(
    params: &lsp::CodeActionParams,
    hunks: &[&Hunk],
    text: Option<&str>,
) -> Vec<(lsp::Command, Vec<lsp::Diagnostic>)> {
    let only = params.context.only.as_ref();
    if !only.is_none_or(|only| only.iter().any(|kind| includes(kind, &KIND))) {
        return Vec::new();
    }
    let touched: Vec<&&Hunk> =
        hunks.iter().filter(|hunk| touches(&place(hunk, text), &params.range)).collect();
    let mut found = Vec::new();
    for hunk in &touched {
        let what = match (hunk.kind, touched.len()) {
            (HunkKind::Lines, 1) => "change here".to_owned(),
            (HunkKind::Lines, _) => {
                format!("change of line {}", place(hunk, text).start.line.saturating_add(1))
            }
            (HunkKind::File | HunkKind::Mode, _) => "change of this file".to_owned(),
        };
        for (verb, command) in VERBS {
            let title = format!("{verb} pintle's {what}");
            let arguments = Some(vec![argument(hunk)]);
            let command = lsp::Command::new(title, command.to_owned(), arguments);
            found.push((command, vec![diagnostic(hunk, text)]));
        }
    }
    if hunks.len() > 1 && !touched.is_empty() {
        for (verb, command) in VERBS {
            let title = format!("{verb} all {} of pintle's changes in this file", hunks.len());
            let arguments = Some(vec![json!({"uri": params.text_document.uri})]);
            found.push((lsp::Command::new(title, command.to_owned(), arguments), Vec::new()));
        }
    }
    found
}

/// The code action kind.
pub(super) const KIND: lsp::CodeActionKind = lsp::CodeActionKind::QUICKFIX;

const VERBS: [(&str, &str); 2] = [("Keep", arguments::KEEP), ("Undo", arguments::UNDO)];

/// Returns true if two ranges share a line. The first one ends before its last line's first character.
fn touches(change: &lsp::Range, selected: &lsp::Range) -> bool {
    let last = change.end.line.saturating_sub(1).max(change.start.line);
    change.start.line <= selected.end.line && selected.start.line <= last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(start: u64, new_text: &str, old_text: &str) -> Hunk {
        let count = |text: &str| text.lines().count();
        serde_json::from_value(json!({
            "id": "h1", "path": "/a", "kind": "lines", "state": "pending",
            "before": {"start": start, "count": count(old_text)},
            "after": {"start": start, "count": count(new_text)},
            "oldText": old_text, "newText": new_text, "changedSeq": 7, "madeBy": [],
        }))
        .unwrap()
    }

    #[test]
    fn a_change_is_shown_where_its_text_stands_now() {
        for (name, start, new_text, text, want) in [
            ("where it was made", 2, "b\nc\n", Some("a\nb\nc\nd\n"), (1, 3)),
            ("closed files", 2, "b\nc\n", None, (1, 3)),
            ("lines typed above", 2, "b\n", Some("new\nnew\na\nb\n"), (3, 4)),
            ("lines removed above", 4, "b\n", Some("b\n"), (0, 1)),
            ("the nearest of several", 3, "b\n", Some("b\nx\ny\nb\n"), (3, 4)),
            ("no end of line", 2, "b\n", Some("a\nb"), (1, 2)),
            ("lines that were removed", 2, "", Some("a\nb\n"), (1, 1)),
            ("removed at the end", 9, "", Some("a\nb\n"), (1, 1)),
            ("edited inside", 2, "b\n", Some("a\nB\nc\n"), (1, 2)),
            ("an empty document", 2, "b\n", Some(""), (0, 0)),
        ] {
            let range = place(&hunk(start, new_text, "old\n"), text);
            assert_eq!((range.start.line, range.end.line), want, "{name}");
        }
    }

    #[test]
    fn a_diagnostic_shows_what_was_there_before() {
        let old: Vec<String> = (0..25).map(|line| format!("old {line}")).collect();
        let old = old.join("\n");
        let message = diagnostic(&hunk(1, "new\u{202e}\n", &old), None).message;
        assert!(message.starts_with("pintle changed this: +1 \u{2212}25\nbefore:\nold 0\nold 1\n"));
        assert!(message.ends_with("\nold 19\n… and 5 more lines"), "{message}");
    }

    #[test]
    fn actions_are_about_the_changes_in_the_selection() {
        let (one, two) = (hunk(1, "a\n", "x\n"), hunk(3, "c\n", ""));
        let text = "a\nb\nc\n";
        let (here, all) = ("pintle's change here", "all 2 of pintle's changes in this file");
        let (first, second) = ("pintle's change of line 1", "pintle's change of line 3");
        for (name, from, to, only, want) in [
            ("one", 0, 0, None, vec![here, all]),
            ("both", 0, 2, None, vec![first, second, all]),
            ("none", 1, 1, None, vec![]),
            ("another kind", 0, 0, Some("refactor"), vec![]),
            ("their kind", 2, 2, Some("quickfix"), vec![here, all]),
        ] {
            let context = json!({"diagnostics": [], "only": only.map(|only: &str| [only])});
            let at = |line: u32| json!({"line": line, "character": 0});
            let params = json!({"textDocument": {"uri": "file:///a"}, "context": context,
                "range": {"start": at(from), "end": at(to)}});
            let params = serde_json::from_value(params).unwrap();
            let found = actions(&params, &[&one, &two], Some(text));
            let titles: Vec<&str> =
                found.iter().map(|(command, _)| command.title.as_str()).collect();
            let want =
                want.iter().flat_map(|what| ["Keep", "Undo"].map(|verb| format!("{verb} {what}")));
            assert_eq!(titles, want.collect::<Vec<_>>(), "{name}");
        }
    }
}
