//! A report as JUnit's XML, which every CI shows as tests: each finding is a test that failed, and a run without findings one that passed. Pure.

use pintle_protocol::run::{Finding, FindingSeverity, RunResult};
use std::fmt::Write;

/// Returns the report.
pub(super) fn text(result: &RunResult) -> String {
    let findings = &result.findings;
    let is_failure = |finding: &&Finding| finding.severity != FindingSeverity::Note;
    let failures = findings.iter().filter(is_failure).count();
    let is_broken = result.error.is_some();
    let cases = findings.len().max(1);
    let seconds = result.duration_ms / 1000;
    let millis = result.duration_ms % 1000;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pintle\" tests=\"{0}\" failures=\"{failures}\" errors=\"{1}\" time=\"{seconds}.{millis:03}\">\n  \
         <testsuite name=\"pintle\" tests=\"{0}\" failures=\"{failures}\" errors=\"{1}\" skipped=\"0\" time=\"{seconds}.{millis:03}\">\n",
        cases + usize::from(is_broken && !findings.is_empty()),
        u8::from(is_broken),
    );
    for finding in findings {
        case(&mut text, finding);
    }
    if let Some(error) = &result.error {
        let _ = writeln!(
            text,
            "    <testcase classname=\"pintle\" name=\"run\"><error message=\"{}\" type=\"{}\"/></testcase>",
            escaped(&error.message),
            escaped(&error.code)
        );
    } else if findings.is_empty() {
        text.push_str("    <testcase classname=\"pintle\" name=\"no findings\"/>\n");
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(text: &mut String, finding: &Finding) {
    let Finding { path, line, severity, rule, message, fix, .. } = finding;
    let place = super::markdown::place(finding);
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\"",
        escaped(path),
        escaped(&format!("{rule} at {place}")),
        escaped(path)
    );
    if let Some(line) = line {
        let _ = write!(text, " line=\"{line}\"");
    }
    let severity = match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        // Something to know fails no test.
        FindingSeverity::Note => {
            let _ = writeln!(text, "><system-out>{}</system-out></testcase>", escaped(message));
            return;
        }
    };
    let fix = fix.as_ref().map(|fix| format!("\nInstead:\n{fix}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "><failure message=\"{}\" type=\"{severity}\">{}</failure></testcase>",
        escaped(message.lines().next().unwrap_or_default()),
        escaped(&format!("{place}: {message}{fix}"))
    );
}

/// Returns a text for XML 1.0, in an attribute or between tags. Characters that XML cannot have are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(char));
            }
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_text_of_a_model_leaves_its_place() {
        assert_eq!(escaped("a\"b' <c>&\n\u{1b}]]>"), "a&quot;b' &lt;c&gt;&amp;&#10;\u{fffd}]]&gt;");
    }
}
