//! A report as SARIF 2.1.0, the format that code hosts and editors show findings from. Pure.
//!
//! Source: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>, read 2026-11-25.

use pintle_protocol::run::{Finding, FindingSeverity, RunResult};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the report.
pub(super) fn text(result: &RunResult) -> String {
    let rules: BTreeSet<&str> =
        result.findings.iter().map(|finding| finding.rule.as_str()).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule })).collect();
    let results: Vec<Value> = result.findings.iter().map(finding).collect();
    let report = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "pintle",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": result.exit_code == 0,
                "exitCode": result.exit_code,
                "exitCodeDescription": result.stop,
            }],
            // Columns are not reported, and texts of fixes are whole lines.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&report).unwrap_or_default();
    text.push('\n');
    text
}

fn finding(finding: &Finding) -> Value {
    let Finding { path, line, end_line, severity, rule, message, fix } = finding;
    let level = match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Note => "note",
    };
    let artifact = json!({ "uri": uri(path) });
    let region = line.map(|line| json!({"startLine": line, "endLine": end_line.unwrap_or(line)}));
    let mut location = json!({ "artifactLocation": artifact });
    if let (Some(region), Some(location)) = (&region, location.as_object_mut()) {
        location.insert("region".to_owned(), region.clone());
    }
    let mut result = json!({
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": location}],
    });
    if let (Some(fix), Some(line), Some(result)) = (fix, line, result.as_object_mut()) {
        // The lines including the last line break: from the first column to the first column of the following line.
        let whole = json!({
            "startLine": line,
            "startColumn": 1,
            "endLine": end_line.unwrap_or(*line) + 1,
            "endColumn": 1,
        });
        let mut text = fix.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let replacement = json!({"deletedRegion": whole, "insertedContent": {"text": text}});
        let change = json!({"artifactLocation": artifact, "replacements": [replacement]});
        result.insert("fixes".to_owned(), json!([{"artifactChanges": [change]}]));
    }
    result
}

/// Returns a relative path as a reference to a URI: everything but unreserved characters and slashes is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references_to_uris() {
        assert_eq!(uri("a b/ä#%.rs"), "a%20b/%C3%A4%23%25.rs");
    }
}
