//! Canonical requests, which are the same for two runs of one task. Pure.
//!
//! These are replaced: the run's directory paths, today's date, UUIDs (numbered in order of appearance) and the session directory.
//! Everything else counts: one changed line in a prompt makes a different request.

use pintle_os::names;
use ring::digest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The rules by which requests are made canonical.
#[derive(Debug, Clone, Default)]
pub struct Canonical {
    /// Texts and their replacements, the longest first.
    replaced: Vec<(String, String)>,
}

/// The sessions directory in the data directory, whose subdirectories are named after projects, times and ids.
const SESSIONS: &str = "{data}/sessions/";

impl Canonical {
    /// Replaces directory paths with their names in braces, and these dates.
    pub fn new(folders: &[(&str, &Path)], dates: &[String]) -> Self {
        let mut replaced: Vec<(String, String)> = Vec::new();
        for (name, folder) in folders {
            // Models see paths in another form than the system on Windows.
            for text in [folder.to_string_lossy(), names::shown(folder)] {
                // The root is part of every path.
                if text.len() > 1 && !replaced.iter().any(|(known, _)| *known == text) {
                    replaced.push((text.into_owned(), format!("{{{name}}}")));
                }
            }
        }
        replaced.extend(dates.iter().map(|date| (date.clone(), "{today}".to_owned())));
        replaced.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self { replaced }
    }

    /// Returns the canonical form of a body, with its fields in the order of their names.
    pub(super) fn canonicalize(&self, body: &Value) -> Value {
        let mut ids = BTreeMap::new();
        self.value(body, &mut ids)
    }

    fn value(&self, value: &Value, ids: &mut BTreeMap<String, usize>) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text, ids)),
            Value::Array(items) => items.iter().map(|item| self.value(item, ids)).collect(),
            Value::Object(fields) => {
                let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
                let entry =
                    |(name, field): (&String, &Value)| (name.clone(), self.value(field, ids));
                Value::Object(sorted.into_iter().map(entry).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&self, text: &str, ids: &mut BTreeMap<String, usize>) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.replaced {
            if text.contains(from.as_str()) {
                text = whole_paths(&text, from, to);
            }
        }
        numbered(&without_session(&text), ids)
    }
}

/// Replaces a path only in full: `/work/a` is not part of `/work/ab`.
fn whole_paths(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        let goes_on = after.starts_with(|next: char| next.is_alphanumeric() || "-_".contains(next));
        out.push_str(before);
        out.push_str(if goes_on { from } else { to });
        rest = after;
    }
    out + rest
}

/// Replaces the names of project and session directories in the data directory.
fn without_session(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SESSIONS) {
        out.push_str(before);
        out.push_str(SESSIONS);
        let mut names = after.splitn(3, '/');
        rest = match (names.next(), names.next(), names.next()) {
            (Some(_), Some(_), Some(below)) => {
                out.push_str("{session}/");
                below
            }
            _ => after,
        };
    }
    out + rest
}

/// The length of UUIDs.
const UUID: usize = 36;

/// Replaces each UUID with its number among the request's UUIDs.
fn numbered(text: &str, ids: &mut BTreeMap<String, usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dash) = rest.find('-') {
        let candidate = dash.checked_sub(8).and_then(|from| rest.get(from..from + UUID));
        if let Some(id) = candidate.filter(|candidate| is_uuid(candidate)) {
            let next = ids.len() + 1;
            let number = *ids.entry(id.to_owned()).or_insert(next);
            out.push_str(rest.get(..dash - 8).unwrap_or_default());
            let _ = write!(out, "{{id {number}}}");
            rest = rest.get(dash - 8 + UUID..).unwrap_or_default();
        } else {
            out.push_str(rest.get(..=dash).unwrap_or_default());
            rest = rest.get(dash + 1..).unwrap_or_default();
        }
    }
    out + rest
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// Returns a request's key, derived from its path and canonical body: 32 hexadecimal digits.
pub(super) fn key(path: &str, body: &Value) -> String {
    let text = format!("{path}\n{body}");
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    digest.as_ref().iter().take(16).fold(String::new(), |mut key, byte| {
        let _ = write!(key, "{byte:02x}");
        key
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn two_runs_of_one_task_send_the_same() {
        let of = |root: &str, date: &str, body: &Value| {
            let root = Path::new(root);
            let (cwd, data) = (root.join("p"), root.join("d"));
            let folders: [(&str, &Path); 3] =
                [("folder", &cwd), ("data", &data), ("folder", Path::new("/"))];
            Canonical::new(&folders, &[date.to_owned()]).canonicalize(body)
        };
        let first = json!({"model": "m", "input": [
            {"b": "in /x/p and /x/p/a and /x/pq on 2026-11-25", "a": 1},
            "/x/d/sessions/x-p/20261125T085825Z_01a211ed-7ab2-71f7-b686-aa3dfff9ac69/out/1.txt",
            "01a211ed-7ab2-71f7-b686-aa3dfff9ac69 a-b 01a211ed-9dfe-7591-823d-1cf4d16c74e6",
            "01a211ed-9dfe-7591-823d-1cf4d16c74e6 ä-01a211ed-7ab2-71f7-b686",
        ]});
        expect_test::expect![[r#"{"input":[{"a":1,"b":"in {folder} and {folder}/a and /x/pq on {today}"},"{data}/sessions/{session}/out/1.txt","{id 1} a-b {id 2}","{id 2} ä-01a211ed-7ab2-71f7-b686"],"model":"m"}"#]]
            .assert_eq(&of("/x", "2026-11-25", &first).to_string());
        let second = json!({"input": [
            {"a": 1, "b": "in /long/er/p and /long/er/p/a and /x/pq on 2027-01-02"},
            "/long/er/d/sessions/y/z_00000000-0000-7000-8000-000000000001/out/1.txt",
            "00000000-0000-7000-8000-000000000001 a-b 00000000-0000-7000-8000-000000000002",
            "00000000-0000-7000-8000-000000000002 ä-01a211ed-7ab2-71f7-b686",
        ], "model": "m"});
        let keys = [
            key("/v1", &of("/x", "2026-11-25", &first)),
            key("/v1", &of("/long/er", "2027-01-02", &second)),
            key("/v2", &of("/x", "2026-11-25", &first)),
        ];
        assert_eq!((keys[0] == keys[1], keys[0] == keys[2], keys[0].len()), (true, false, 32));
    }
}
