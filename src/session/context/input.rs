//! Attachments of a message as the model reads them, and the files that a text mentions. Pure.
//!
//! Invariant: each block is enclosed in tags with its kind and its origin.

use super::{tag, tag_exact};
use pintle_protocol::content::{Content, Diagnostic, Input, LineRange, Severity};

/// How many files may be read per message.
pub const MAX_MENTIONS: usize = 32;

/// The maximum size of a selection.
const MAX_SELECTION_BYTES: usize = 64 * 1024;

/// The maximum number of diagnostics that are listed; further ones are counted.
const MAX_DIAGNOSTICS: usize = 100;

/// Converts blocks without reading anything: for input without files and calls.
pub fn plain(content: &[Input]) -> Vec<Content> {
    content.iter().map(block).collect()
}

fn block(input: &Input) -> Content {
    match input {
        Input::Text { text, .. } => Content::text(text.clone()),
        Input::File { path, range } => {
            file(path, *range, "[not read: the message was interrupted]")
        }
        Input::Selection { path, range, text } => {
            let text = super::documents::cut(text, MAX_SELECTION_BYTES, path);
            Content::text(tag_exact("selection", &attributes(path, &lines(Some(*range))), &text))
        }
        Input::Diagnostics { path, items } => diagnostics(path, items),
        Input::Image { mime_type, data } => {
            Content::Image { mime_type: mime_type.clone(), data: data.clone() }
        }
        // Its content is read with the message.
        Input::Document { name, .. } => Content::text(format!("[document {name}]")),
    }
}

/// Returns a file's text, or the reason why there is none.
pub fn file(path: &str, range: Option<LineRange>, text: &str) -> Content {
    Content::text(tag_exact("file", &attributes(path, &lines(range)), text))
}

fn attributes<'a>(path: &'a str, lines: &'a str) -> Vec<(&'static str, &'a str)> {
    let mut attributes = vec![("path", path)];
    attributes.extend((!lines.is_empty()).then_some(("lines", lines)));
    attributes
}

fn lines(range: Option<LineRange>) -> String {
    match range {
        None => String::new(),
        Some(LineRange { start, end }) if start == end => start.to_string(),
        Some(LineRange { start, end }) => format!("{start}-{end}"),
    }
}

fn diagnostics(path: &str, items: &[Diagnostic]) -> Content {
    let line = |item: &Diagnostic| {
        let severity = match item.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        };
        let source = item.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        format!("line {}: {severity}{source}: {}", item.line, item.message.trim())
    };
    let mut lines: Vec<String> = items.iter().take(MAX_DIAGNOSTICS).map(line).collect();
    if items.len() > MAX_DIAGNOSTICS {
        lines.push(format!("[and {} more]", items.len() - MAX_DIAGNOSTICS));
    }
    if lines.is_empty() {
        lines.push("[no diagnostics]".to_owned());
    }
    Content::text(tag("diagnostics", &[("path", path)], &lines.join("\n")))
}

/// Returns the paths that a text may mention: words after an `@` at the start of a word, or the quoted text after it. They need not be file
/// paths. Brackets belong to a word if it contains both: `@app/[id]/page.tsx`, but `(@src/a.rs)`.
pub fn mentions(text: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        let begins = before.is_none_or(|c: char| c.is_whitespace() || "([{<\"'`,;".contains(c));
        before = Some(c);
        if c != '@' || !begins {
            continue;
        }
        let rest = text.get(at + 1..).unwrap_or_default();
        let path = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().filter(|path| !path.contains('\n')),
            None => rest
                .split(|c: char| c.is_whitespace() || "\"'`<>|".contains(c))
                .next()
                .and_then(|word| word.get(..balanced(word))),
        };
        let path = path.unwrap_or_default().trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if !path.is_empty() && paths.len() < MAX_MENTIONS && !paths.iter().any(|p| p == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Returns a word's length up to its first unmatched bracket.
fn balanced(word: &str) -> usize {
    let mut open = Vec::new();
    for (at, c) in word.char_indices() {
        match c {
            '(' | '[' | '{' => open.push((at, c)),
            ')' | ']' | '}' => match open.pop() {
                Some((_, '(')) if c == ')' => {}
                Some((_, '[')) if c == ']' => {}
                Some((_, '{')) if c == '}' => {}
                Some((first, _)) => return first,
                None => return at,
            },
            _ => {}
        }
    }
    open.first().map_or(word.len(), |(first, _)| *first)
}

/// Returns a mention up to its first bracket, for `@src/a.rs(line 3)`; `None` if there is no bracket, or nothing before it.
pub fn before_brackets(mention: &str) -> Option<&str> {
    let (before, _) = mention.split_once(['(', '[', '{'])?;
    Some(before).filter(|before| !before.is_empty())
}

/// Returns true for a valid range of lines.
pub fn is_range(range: LineRange) -> bool {
    range.start >= 1 && range.end >= range.start
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn files_are_mentioned_behind_an_at() {
        for (text, want) in [
            ("look at @src/a.rs please", vec!["src/a.rs"]),
            ("@a and @b, and @a again.", vec!["a", "b"]),
            ("(@src/a.rs) and `@b.rs`", vec!["src/a.rs", "b.rs"]),
            ("is it @README.md?", vec!["README.md"]),
            ("@\"with blank.txt\" x", vec!["with blank.txt"]),
            ("mail me@example.org", vec![]),
            ("@", vec![]),
            ("@@x", vec!["@x"]),
            ("zeile\n@ä.txt", vec!["ä.txt"]),
            ("@.hidden/x.", vec![".hidden/x"]),
            ("@\"open\nend\"", vec![]),
            ("see @app/[locale]/(auth)/page.tsx.", vec!["app/[locale]/(auth)/page.tsx"]),
            ("(see @app/[id]/a.ts)", vec!["app/[id]/a.ts"]),
            ("[@a.rs](b)", vec!["a.rs"]),
            ("{@a/{b}/c}", vec!["a/{b}/c"]),
            ("@a[b", vec!["a"]),
            ("@[id].ts", vec!["[id].ts"]),
            ("@(x", vec![]),
            ("@a.rs(3)", vec!["a.rs(3)"]),
        ] {
            assert_eq!(mentions(text), want, "{text}");
        }
        assert_eq!(before_brackets("a.rs(3)"), Some("a.rs"));
        assert_eq!(before_brackets("a.rs"), None);
        assert_eq!(before_brackets("[id].ts"), None);
        let many: Vec<String> = (0..99).map(|n| format!("@f{n}")).collect();
        assert_eq!(mentions(&many.join(" ")).len(), MAX_MENTIONS);
    }

    #[test]
    fn each_block_says_what_it_is() {
        let range = LineRange { start: 3, end: 4 };
        let diagnostic = |severity, source: Option<&str>| Diagnostic {
            line: 7,
            severity,
            message: "no such name\n".to_owned(),
            source: source.map(str::to_owned),
        };
        let blocks = [
            Input::text("why?"),
            Input::Selection { path: "a.rs".to_owned(), range, text: "fn x() {\n}\n".to_owned() },
            Input::Diagnostics {
                path: "a \"b\".rs".to_owned(),
                items: vec![
                    diagnostic(Severity::Error, Some("rustc")),
                    diagnostic(Severity::Hint, None),
                ],
            },
            Input::Diagnostics { path: "c.rs".to_owned(), items: Vec::new() },
            Input::File { path: "d.rs".to_owned(), range: Some(LineRange { start: 2, end: 2 }) },
        ];
        let lines: Vec<String> = plain(&blocks)
            .into_iter()
            .map(|content| match content {
                Content::Text { text } | Content::Document { text, .. } => text,
                Content::Image { .. } => "<image>".to_owned(),
            })
            .collect();
        expect![[r#"
            why?
            <selection path="a.rs" lines="3-4">
            fn x() {
            }
            </selection>
            <diagnostics path="a &quot;b&quot;.rs">
            line 7: error (rustc): no such name
            line 7: hint: no such name
            </diagnostics>
            <diagnostics path="c.rs">
            [no diagnostics]
            </diagnostics>
            <file path="d.rs" lines="2">
            [not read: the message was interrupted]
            </file>"#]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn what_is_too_much_is_cut_and_said_so() {
        let range = LineRange { start: 1, end: 9 };
        let text = "x".repeat(MAX_SELECTION_BYTES + 1);
        let cut = plain(&[Input::Selection { path: "a".to_owned(), range, text }]);
        assert!(
            format!("{cut:?}").contains("cut: these are the first 64.0KB of 64.0KB of a"),
            "{cut:?}"
        );
        let item = Diagnostic {
            line: 1,
            severity: Severity::Error,
            message: "m".to_owned(),
            source: None,
        };
        let items = vec![item; MAX_DIAGNOSTICS + 5];
        let cut = plain(&[Input::Diagnostics { path: "a".to_owned(), items }]);
        assert!(format!("{cut:?}").contains("[and 5 more]"), "{cut:?}");
    }
}
