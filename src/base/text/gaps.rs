//! Templates for prompts and tool descriptions that leave out whatever a session lacks. Pure.
//!
//! `{name}` is a gap, filled with that value. `[[ … ]]` is a group, omitted entirely if one of its gaps has no value. `[[ … || … ]]` has
//! alternatives, of which the first without an empty gap is used. Groups do not nest. A gap name starts with a lowercase letter and
//! continues with letters, digits, `.`, `_` and `-`. With `?` in front, a gap only tests for a value and inserts nothing. All other braces
//! are text.

/// Returns the text with its gaps filled by `value`; `None` from it is an empty gap. Outside of groups an empty gap leaves nothing.
pub fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("[[") {
        let Some((group, after)) = behind.split_once("]]") else { break };
        filled.push_str(&piece(before, &value).0);
        let mut alternatives = group.split("||").map(|alternative| piece(alternative, &value));
        let whole = alternatives.find(|(_, is_whole)| *is_whole);
        filled.push_str(&whole.map(|(text, _)| text).unwrap_or_default());
        rest = after;
    }
    filled.push_str(&piece(rest, &value).0);
    filled
}

/// Returns the gap names of a template, without `?`.
pub fn gaps(text: &str) -> Vec<&str> {
    let parts = text.split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once('}').map(|(name, _)| name));
    names.filter(|name| is_name(name)).map(|name| name.trim_start_matches('?')).collect()
}

/// Fills a text without groups; false if one of its gaps is empty.
fn piece(text: &str, value: impl Fn(&str) -> Option<String>) -> (String, bool) {
    let (mut filled, mut is_whole) = (String::with_capacity(text.len()), true);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        let named = behind.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, after)) = named else {
            filled.push('{');
            rest = behind;
            continue;
        };
        match value(name.trim_start_matches('?')) {
            Some(value) if !name.starts_with('?') => filled.push_str(&value),
            Some(_) => {}
            None => is_whole = false,
        }
        rest = after;
    }
    filled.push_str(rest);
    (filled, is_whole)
}

fn is_name(text: &str) -> bool {
    let name = text.strip_prefix('?').unwrap_or(text);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_is_not_named() {
        let value = |name: &str| match name {
            "edit" => Some("edit_file".to_owned()),
            "lines" => Some("2,000".to_owned()),
            _ => None,
        };
        for (name, text, want) in [
            ("no gaps", "Reads {a file}, {\"a\": 1} and {}.", "Reads {a file}, {\"a\": 1} and {}."),
            ("a gap", "Use `{edit}`.", "Use `edit_file`."),
            ("an empty gap", "Use {write}.", "Use ."),
            ("a group", "Writes.[[ Else use {edit}.]] Done", "Writes. Else use edit_file. Done"),
            ("a group without its tool", "Writes.[[ Else use {write}.]]", "Writes."),
            ("one of two is missing", "A[[ {edit} or {write}]]", "A"),
            ("alternatives", "[[{write}||{edit}||x]]!", "edit_file!"),
            ("the last alternative", "[[{write}||as you like]]!", "as you like!"),
            ("a question", "[[{?edit}edits ]]ok[[{?write}writes]]", "edits ok"),
            ("an open group", "a [[ b {edit}", "a [[ b edit_file"),
            ("an open gap", "a {edit", "a {edit"),
            ("a number", "{lines} lines", "2,000 lines"),
        ] {
            assert_eq!(fill(text, value), want, "{name}");
        }
        assert_eq!(gaps("{a} [[{?b.c}]] { d } {E}"), ["a", "b.c"]);
    }
}
