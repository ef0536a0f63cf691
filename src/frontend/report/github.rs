//! A report as annotations of GitHub Actions, and the step summary. Pure.
//!
//! Source: the workflow commands of GitHub Actions, and `@actions/core`, which escapes as its runner unescapes.

use super::markdown;
use pintle_base::text::visible::visible_line;
use pintle_protocol::run::{Finding, FindingSeverity, RunResult};

/// The most annotations of a level that a step shows; GitHub drops the others without a word.
const MAX_OF_LEVEL: usize = 10;

/// Returns the lines that a step prints, at most ten of each level; a last one counts the rest.
pub(crate) fn annotations(findings: &[Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = 0;
    for severity in [FindingSeverity::Error, FindingSeverity::Warning, FindingSeverity::Note] {
        let of_level: Vec<&Finding> =
            findings.iter().filter(|finding| finding.severity == severity).collect();
        lines.extend(of_level.iter().take(MAX_OF_LEVEL).map(|finding| annotation(finding)));
        rest += of_level.len().saturating_sub(MAX_OF_LEVEL);
    }
    if rest > 0 {
        lines.push(format!(
            "pintle: {rest} more findings are not annotated; see the summary and other reports"
        ));
    }
    lines
}

/// Returns the step summary.
pub(crate) fn summary(result: &RunResult) -> String {
    markdown::text(result)
}

fn annotation(finding: &Finding) -> String {
    let Finding { path, line, end_line, severity, rule, message, .. } = finding;
    let level = match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Note => "notice",
    };
    let mut properties = vec![format!("file={}", property(path))];
    if let Some(line) = line {
        properties.push(format!("line={line}"));
        properties.push(format!("endLine={}", end_line.unwrap_or(*line)));
    }
    properties.push(format!("title={}", property(rule)));
    format!("::{level} {}::{}", properties.join(","), data(message))
}

/// Escapes a command's message. The output may also be a terminal, which would obey other control characters in it.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    visible_line(&text).into_owned()
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::finding_at;

    #[test]
    fn no_text_of_a_model_is_a_command_or_moves_a_cursor() {
        let mut finding = finding_at("a,b:c.rs", 2);
        "x\n::error::y\r\u{1b}[2J 100 %".clone_into(&mut finding.message);
        assert_eq!(
            annotations(&[finding]),
            [
                "::warning file=a%2Cb%3Ac.rs,line=2,endLine=2,title=unused::x%0A::error::y%0D␛[2J 100 %25"
            ]
        );
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let findings: Vec<Finding> = (1..=13).map(|line| finding_at("a.rs", line)).collect();
        let lines = annotations(&findings);
        assert_eq!(lines.len(), 11);
        assert!(lines.last().unwrap().starts_with("pintle: 3 more findings"), "{lines:?}");
    }
}
