//! Code actions: each is a command that sends a message about a place to the agent. Also the blocks of such a message. Pure.

use super::arguments::{self, Message};
use super::documents::range as text_range;
use ls_types as lsp;
use pintle_base::text::positions;
use pintle_protocol::content::{Diagnostic, Input, LineRange, Severity};
use serde_json::{Value, json};

/// The source name of this server's diagnostics.
pub(super) const SOURCE: &str = "pintle";

/// The code actions of a selection: title, kind, message.
const OF_SELECTIONS: [(&str, Option<lsp::CodeActionKind>, &str); 3] = [
    ("Explain with pintle", None, "Explain this code. Do not change anything."),
    (
        "Refactor with pintle",
        Some(lsp::CodeActionKind::REFACTOR_REWRITE),
        "Refactor this code so that it is easier to read. Do not change its behavior.",
    ),
    (
        "Add a test with pintle",
        None,
        "Add a test for this code, in the style of the project's tests.",
    ),
];

/// Title of the action and the code lens that send a message.
pub(super) const SEND_TITLE: &str = "Send to pintle";

/// The code actions of a place.
pub(super) struct Found<'a> {
    only: Option<&'a [lsp::CodeActionKind]>,
    diagnostics: &'a [lsp::Diagnostic],
    /// False for clients that take commands alone.
    has_kinds: bool,
    actions: lsp::CodeActionResponse,
}

impl<'a> Found<'a> {
    pub(super) fn new(context: &'a lsp::CodeActionContext, has_kinds: bool) -> Self {
        let only = context.only.as_deref();
        Self { only, diagnostics: &context.diagnostics, has_kinds, actions: Vec::new() }
    }

    pub(super) fn into_response(self) -> lsp::CodeActionResponse {
        self.actions
    }

    /// Adds an action, unless the client wants others only.
    pub(super) fn add(
        &mut self,
        kind: Option<lsp::CodeActionKind>,
        command: lsp::Command,
        diagnostics: Option<Vec<lsp::Diagnostic>>,
    ) {
        let is_wanted = match (&kind, self.only) {
            (Some(kind), Some(only)) => only.iter().any(|only| includes(only, kind)),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        if !is_wanted {
            return;
        }
        self.actions.push(if self.has_kinds {
            lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                title: command.title.clone(),
                kind,
                diagnostics,
                command: Some(command),
                ..lsp::CodeAction::default()
            })
        } else {
            lsp::CodeActionOrCommand::Command(command)
        });
    }

    /// Adds the action that sends the message in a document.
    pub(super) fn add_send(&mut self, uri: &lsp::Uri) {
        self.add(None, send(uri), None);
    }

    /// Adds the actions that send a message about the place. `asks` adds the one whose message the user writes.
    pub(super) fn add_messages(&mut self, params: &lsp::CodeActionParams, asks: bool) {
        let lsp::CodeActionParams { text_document: document, range, .. } = params;
        let prompt = |title: &str, argument: Value| {
            lsp::Command::new(title.to_owned(), arguments::PROMPT.to_owned(), Some(vec![argument]))
        };
        let of_others =
            |diagnostic: &&lsp::Diagnostic| diagnostic.source.as_deref() != Some(SOURCE);
        let diagnostics: Vec<_> = self.diagnostics.iter().filter(of_others).cloned().collect();
        if let Some(first) = diagnostics.first() {
            let (range, text) = match diagnostics.len() {
                1 => (first.range, "Fix this problem."),
                _ => (*range, "Fix these problems."),
            };
            let argument = json!({"text": text, "uri": document.uri, "range": range, "diagnostics": diagnostics});
            let kind = Some(lsp::CodeActionKind::QUICKFIX);
            self.add(kind, prompt("Fix with pintle", argument), Some(diagnostics));
        }
        if range.start != range.end {
            for (title, kind, text) in OF_SELECTIONS {
                let argument = json!({"text": text, "uri": document.uri, "range": range});
                self.add(kind, prompt(title, argument), None);
            }
        }
        if asks {
            let arguments = vec![json!({"uri": document.uri, "range": range})];
            let title = "Ask pintle about this…".to_owned();
            let ask = lsp::Command::new(title, arguments::ASK.to_owned(), Some(arguments));
            self.add(None, ask, None);
        }
    }
}

/// Returns the command that sends the message in a document.
pub(super) fn send(uri: &lsp::Uri) -> lsp::Command {
    let arguments = Some(vec![json!({"uri": uri})]);
    lsp::Command::new(SEND_TITLE.to_owned(), arguments::SEND.to_owned(), arguments)
}

/// Returns true if a kind equals another, or is a part of it: `refactor` includes `refactor.rewrite`.
pub(super) fn includes(whole: &lsp::CodeActionKind, kind: &lsp::CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(whole.as_str());
    rest.is_some_and(|rest| whole.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
}

/// Returns a message's blocks: its text, and the place that it is about. `path` is its document's path, `shown` the document's text if it
/// is open.
pub(super) fn input(message: Message, path: Option<String>, shown: Option<&str>) -> Vec<Input> {
    let mut input = vec![Input::text(message.text)];
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

/// Returns the selected text, or the whole line of a position.
fn selection(path: String, mut range: lsp::Range, shown: &str) -> Input {
    if range.start == range.end {
        range.start.character = 0;
        range.end.character = u32::MAX;
    }
    let text = shown.get(positions::bytes(shown, text_range(range))).unwrap_or_default().to_owned();
    Input::Selection { path, range: lines(range), text }
}

/// Returns the lines that a range touches. One that ends before the first character of a line does not touch that line.
pub(super) fn lines(range: lsp::Range) -> LineRange {
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
        let params: lsp::CodeActionParams = serde_json::from_value(params).unwrap();
        let mut found = Found::new(&params.context, true);
        found.add_messages(&params, false);
        let titles = found.into_response().into_iter().map(|action| match action {
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
