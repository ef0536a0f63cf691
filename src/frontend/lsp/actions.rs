//! Code actions: each is a command that sends a message about a place to the agent. Also the blocks of such a message. Pure.

use super::commands::{self, Message};
use super::documents::range as text_range;
use crate::text::positions;
use ls_types as lsp;
use pintle_protocol::content::{Diagnostic, Input, LineRange, Severity};
use serde_json::{Value, json};

/// The source of this server's own diagnostics.
pub(super) const SOURCE: &str = "pintle";

/// The code actions of a selection: title, kind, message.
const OF_SELECTIONS: [(&str, Option<lsp::CodeActionKind>, &str); 3] = [
    ("Explain with pintle", None, "Explain this code. Change nothing."),
    (
        "Refactor with pintle",
        Some(lsp::CodeActionKind::REFACTOR_REWRITE),
        "Refactor this code so that it is easier to read. Its behavior stays as it is.",
    ),
    (
        "Add a test with pintle",
        None,
        "Add a test for this code, in the style of the project's tests.",
    ),
];

/// Returns the code actions of a place. `has_kinds` is false for clients that take commands alone.
pub(super) fn actions(params: &lsp::CodeActionParams, has_kinds: bool) -> lsp::CodeActionResponse {
    let lsp::CodeActionParams { text_document: document, range, context, .. } = params;
    let mut found = Vec::new();
    let mut add = |title: &str, kind: Option<lsp::CodeActionKind>, argument: Value, diagnostics| {
        let wanted = |kind: &lsp::CodeActionKind| {
            context.only.as_ref().is_none_or(|only| only.iter().any(|only| includes(only, kind)))
        };
        let is_wanted = match &kind {
            Some(kind) => wanted(kind),
            None => context.only.is_none(),
        };
        if !is_wanted {
            return;
        }
        let title = title.to_owned();
        let arguments = Some(vec![argument]);
        let command = lsp::Command::new(title.clone(), commands::PROMPT.to_owned(), arguments);
        found.push(if has_kinds {
            lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                title,
                kind,
                diagnostics,
                command: Some(command),
                ..lsp::CodeAction::default()
            })
        } else {
            lsp::CodeActionOrCommand::Command(command)
        });
    };
    let of_others = |diagnostic: &&lsp::Diagnostic| diagnostic.source.as_deref() != Some(SOURCE);
    let diagnostics: Vec<_> = context.diagnostics.iter().filter(of_others).cloned().collect();
    if let Some(first) = diagnostics.first() {
        let (range, text) = match diagnostics.len() {
            1 => (first.range, "Fix this problem."),
            _ => (*range, "Fix these problems."),
        };
        let argument =
            json!({"text": text, "uri": document.uri, "range": range, "diagnostics": diagnostics});
        let kind = Some(lsp::CodeActionKind::QUICKFIX);
        add("Fix with pintle", kind, argument, Some(diagnostics));
    }
    if range.start != range.end {
        for (title, kind, text) in OF_SELECTIONS {
            let argument = json!({"text": text, "uri": document.uri, "range": range});
            add(title, kind, argument, None);
        }
    }
    found
}

/// Returns true if a kind is another one, or a part of it: `refactor` includes `refactor.rewrite`.
fn includes(whole: &lsp::CodeActionKind, kind: &lsp::CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(whole.as_str());
    rest.is_some_and(|rest| whole.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
}

/// Returns the blocks of a message: its text, and the place that it is about. `path` is that of its document, `shown` the document's text
/// where it is open.
pub(super) fn input(message: Message, path: Option<String>, shown: Option<&str>) -> Vec<Input> {
    let mut input = vec![Input::Text { text: message.text }];
    let Some(path) = path else { return input };
    if !message.diagnostics.is_empty() {
        let items = message.diagnostics.into_iter().map(diagnostic).collect();
        input.push(Input::Diagnostics { path: path.clone(), items });
    }
    input.push(match (message.range, shown) {
        (Some(range), Some(shown)) => selection(path, range, shown),
        (Some(range), None) => Input::File { path, range: Some(lines(range)) },
        (None, _) => Input::File { path, range: None },
    });
    input
}

/// The selected text, or the whole line of a position.
fn selection(path: String, mut range: lsp::Range, shown: &str) -> Input {
    if range.start == range.end {
        range.start.character = 0;
        range.end.character = u32::MAX;
    }
    let text = shown.get(positions::bytes(shown, text_range(range))).unwrap_or_default().to_owned();
    Input::Selection { path, range: lines(range), text }
}

/// The lines that a range touches. One that ends before the first character of a line does not touch that line.
fn lines(range: lsp::Range) -> LineRange {
    let is_before = range.end.character == 0 && range.end.line > range.start.line;
    let end = range.end.line - u32::from(is_before);
    LineRange { start: u64::from(range.start.line) + 1, end: u64::from(end) + 1 }
}

fn diagnostic(diagnostic: lsp::Diagnostic) -> Diagnostic {
    let severity = match diagnostic.severity {
        Some(lsp::DiagnosticSeverity::WARNING) => Severity::Warning,
        Some(lsp::DiagnosticSeverity::INFORMATION) => Severity::Information,
        Some(lsp::DiagnosticSeverity::HINT) => Severity::Hint,
        // The protocol leaves a missing severity to the reader.
        _ => Severity::Error,
    };
    Diagnostic {
        line: u64::from(diagnostic.range.start.line) + 1,
        severity,
        message: diagnostic.message,
        source: diagnostic.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(range: &Value, context: &Value) -> Vec<String> {
        let params =
            json!({"textDocument": {"uri": "file:///a"}, "range": range, "context": context});
        let params = serde_json::from_value(params).unwrap();
        let titles = actions(&params, true).into_iter().map(|action| match action {
            lsp::CodeActionOrCommand::CodeAction(action) => action.title,
            lsp::CodeActionOrCommand::Command(command) => command.title,
        });
        titles.collect()
    }

    #[test]
    fn actions_depend_on_the_place_and_on_the_kinds_that_are_wanted() {
        let at = |line: u32, to: u32| json!({"start": {"line": line, "character": 0}, "end": {"line": to, "character": 0}});
        let problem = |source: &str| json!({"range": at(1, 1), "message": "bad", "source": source});
        for (name, range, context, want) in [
            ("nothing", at(1, 1), json!({"diagnostics": []}), vec![]),
            ("a problem", at(1, 1), json!({"diagnostics": [problem("rustc")]}), vec!["Fix"]),
            ("our own mark", at(1, 1), json!({"diagnostics": [problem("pintle")]}), vec![]),
            (
                "a selection",
                at(1, 2),
                json!({"diagnostics": []}),
                vec!["Explain", "Refactor", "Add a test"],
            ),
            (
                "of a kind",
                at(1, 2),
                json!({"diagnostics": [problem("rustc")], "only": ["refactor"]}),
                vec!["Refactor"],
            ),
            ("of another kind", at(1, 2), json!({"diagnostics": [], "only": ["source"]}), vec![]),
        ] {
            let want: Vec<String> = want.iter().map(|what| format!("{what} with pintle")).collect();
            assert_eq!(titles(&range, &context), want, "{name}");
        }
    }

    #[test]
    fn selections_are_counted_in_utf_16_and_lines_from_one() {
        let text = "a\n😀 = \"x\"\nb\n";
        for (name, range, want) in [
            ("behind an emoji", [1, 2, 1, 4], (2, 2, " =")),
            ("whole lines", [1, 0, 2, 0], (2, 2, "😀 = \"x\"\n")),
            ("a position", [1, 3, 1, 3], (2, 2, "😀 = \"x\"")),
            ("beyond the end", [2, 0, 9, 0], (3, 9, "b\n")),
        ] {
            let [line, character, to_line, to_character] = range;
            let range = lsp::Range::new(
                lsp::Position::new(line, character),
                lsp::Position::new(to_line, to_character),
            );
            let want = Input::Selection {
                path: "/a".to_owned(),
                range: LineRange { start: want.0, end: want.1 },
                text: want.2.to_owned(),
            };
            assert_eq!(selection("/a".to_owned(), range, text), want, "{name}");
        }
    }
}
