//! A report as Markdown, for comments and summaries. Pure; texts of the model are escaped, so that they contain no mentions, images, links
//! or markup.

use pintle_protocol::run::{Finding, FindingSeverity, RunResult};
use std::fmt::Write;

/// Maximum number of findings in one text. Source: GitHub comments are limited to 65,536 characters, and more would not be read.
const MAX_FINDINGS: usize = 100;

/// The most characters of a message or a fix.
const MAX_CHARS: usize = 2000;

/// Returns the report.
pub(super) fn text(result: &RunResult) -> String {
    let mut text = String::from("## pintle\n\n");
    let count = |severity, noun| {
        let found = result.findings.iter().filter(|finding| finding.severity == severity);
        counted(found.count(), noun)
    };
    let _ = writeln!(
        text,
        "{}: {}, {}, {}. {} changed (+{} −{}).",
        escaped(&result.stop),
        count(FindingSeverity::Error, "error"),
        count(FindingSeverity::Warning, "warning"),
        count(FindingSeverity::Note, "note"),
        counted(result.changes.files.len(), "file"),
        result.changes.added,
        result.changes.removed
    );
    if let Some(error) = &result.error {
        let _ = writeln!(text, "\nThe task failed: {}", escaped(&cut(&error.message)));
    }
    let mut findings: Vec<&Finding> = result.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in findings.iter().take(MAX_FINDINGS) {
        let severity = match finding.severity {
            FindingSeverity::Error => "error",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Note => "note",
        };
        let _ = writeln!(
            text,
            "\n### {severity}: {}\n\n{}\n\n{}",
            escaped(&finding.rule),
            code(&place(finding)),
            escaped(&cut(&finding.message))
        );
        if let Some(fix) = &finding.fix {
            let fix = cut(fix);
            let fence = "`".repeat(longest_run(&fix).max(2) + 1);
            let _ = writeln!(text, "\n{fence}suggestion\n{}\n{fence}", fix.trim_end_matches('\n'));
        }
    }
    if let Some(rest) = findings.len().checked_sub(MAX_FINDINGS).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "\n{} more omitted.", counted(rest, "finding"));
    }
    text
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Returns a finding's place, as editors and terminals link it.
pub(super) fn place(finding: &Finding) -> String {
    match (finding.line, finding.end_line) {
        (Some(line), Some(end)) if end > line => format!("{}:{line}-{end}", finding.path),
        (Some(line), _) => format!("{}:{line}", finding.path),
        (None, _) => finding.path.clone(),
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(MAX_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// Returns a text as code on one line.
fn code(text: &str) -> String {
    let text: String =
        text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect();
    let fence = "`".repeat(longest_run(&text) + 1);
    format!("{fence} {text} {fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

/// Returns a text without markup and without mentions.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // An entity, since a mention is found in the text behind Markdown.
            '@' => out.push_str("<span>@</span>"),
            '\n' => out.push_str("  \n"),
            '\t' => out.push(' '),
            char if char.is_control() => out.push('\u{fffd}'),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|'
            | '~' | '-' | '.' | ':' | '=' => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::finding_at;

    #[test]
    fn texts_of_the_model_are_no_markup() {
        let text = "![x](http://evil/?leak) @all <script> #1\n\n# Big\n```";
        let html = {
            let escaped = escaped(text);
            let mut html = String::new();
            pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&escaped));
            html
        };
        for bad in ["<img", "<a ", "<script", "<h1", "<code"] {
            assert!(!html.contains(bad), "{html}");
        }
    }

    #[test]
    fn places_and_fences_hold_what_they_are_given() {
        let mut finding = finding_at("a`b.rs", 3);
        assert_eq!(code(&place(&finding)), "`` a`b.rs:3 ``");
        finding.end_line = Some(5);
        assert_eq!(place(&finding), "a`b.rs:3-5");
        finding.line = None;
        assert_eq!(place(&finding), "a`b.rs");
    }
}
