//! Converts arguments that a family structures differently into our structure. Arguments that cannot be understood are left unchanged:
//! reading them then fails with a message that identifies them.

use serde_json::{Map, Value, json};

/// A command that is written as a list of words, as for `execvp`: a shell's script, or else the words quoted.
pub(super) fn command(given: &mut Map<String, Value>) {
    let names = ["command", "cmd"];
    let Some(name) = names.into_iter().find(|name| given.contains_key(*name)) else { return };
    let Some(Value::Array(words)) = given.get(name) else { return };
    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
    let line = match words.as_deref() {
        Some([shell, flag, script])
            if ["bash", "sh", "zsh", "/bin/bash", "/bin/sh"].contains(shell)
                && ["-c", "-lc", "-ec"].contains(flag) =>
        {
            (*script).to_owned()
        }
        Some(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        None => return,
    };
    given.insert(name.to_owned(), Value::String(line));
}

/// Returns a word as the shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,@%~=:".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A search that answers with paths unless something else is asked for.
pub(super) fn files_by_default(given: &mut Map<String, Value>) {
    if given.get("output_mode").is_none_or(Value::is_null) {
        given.insert("output_mode".to_owned(), json!("files_with_matches"));
    }
}

/// Converts Gemini's search: case-insensitive unless requested otherwise, and names alone are one of our modes.
pub(super) fn gemini_search(given: &mut Map<String, Value>) {
    let is_true = |value: Option<Value>| match value {
        Some(Value::Bool(flag)) => flag,
        Some(Value::String(text)) => text.trim().eq_ignore_ascii_case("true"),
        _ => false,
    };
    let is_case_sensitive = is_true(given.remove("case_sensitive"));
    given.insert("ignoreCase".to_owned(), Value::Bool(!is_case_sensitive));
    if is_true(given.remove("names_only")) {
        given.insert("mode".to_owned(), json!("files_with_matches"));
    }
}

/// Extracts an address from a request in natural language.
pub(super) fn address_in_prompt(given: &mut Map<String, Value>) {
    let Some(Value::String(prompt)) = given.get("prompt") else { return };
    let is_address = |word: &&str| word.starts_with("https://") || word.starts_with("http://");
    let mut words = prompt.split(|c: char| c.is_whitespace() || "<>\"'`()[]".contains(c));
    let Some(address) = words.find(is_address) else { return };
    let address = address.trim_end_matches([',', '.', ';']).to_owned();
    given.insert("url".to_owned(), Value::String(address));
}

/// A session, by its number: the job with that number.
pub(super) fn session(given: &mut Map<String, Value>) {
    let Some(session) = given.remove("session_id") else { return };
    let number = match &session {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().trim_start_matches("job-").to_owned(),
        _ => return drop(given.insert("session_id".to_owned(), session)),
    };
    given.insert("id".to_owned(), Value::String(format!("job-{number}")));
}

/// A job to read.
pub(super) fn read_job(given: &mut Map<String, Value>) {
    given.insert("action".to_owned(), json!("read"));
}

/// A job to type into.
pub(super) fn write_job(given: &mut Map<String, Value>) {
    given.insert("action".to_owned(), json!("write"));
}

/// A job to stop.
pub(super) fn stop_job(given: &mut Map<String, Value>) {
    given.insert("action".to_owned(), json!("stop"));
}
