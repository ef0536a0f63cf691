//! Prompts in files, called by name as `/name arguments`: parsing and expanding a call. Pure.
//!
//! Invariant: arguments are inserted unchanged; variables in them are not expanded.

use super::front_matter;
use std::ops::Range;
use std::path::Path;

/// The directory for prompts, in a project's directory.
pub const FOLDER: &str = ".pintle/prompts";

/// A prompt in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The name by which it is called.
    pub name: String,
    /// Its purpose.
    pub description: Option<String>,
    /// A hint about its arguments, for users.
    pub argument_hint: Option<String>,
    /// The prompt, with variables.
    pub body: String,
}

/// Reads a prompt's file.
///
/// # Errors
/// Its front matter is invalid.
pub fn parse(path: &Path, text: &str) -> Result<Template, String> {
    let (head, body) = front_matter::parse(text)?;
    let first =
        body.lines().find(|line| !line.trim().is_empty()).map(|line| super::in_a_line(line, 80));
    Ok(Template {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        description: head.text("description").map(str::to_owned).or(first),
        argument_hint: head.text("argument-hint").map(str::to_owned),
        body: body.trim().to_owned(),
    })
}

/// Returns the name and arguments from a message that may call a prompt.
pub fn call(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c));
    (!name.is_empty() && !name.starts_with('.') && is_name(name))
        .then_some((name, arguments.trim()))
}

/// Returns the prompt with its variables replaced by arguments: `$1`, `$@`, `$ARGUMENTS`, `${@:2}`, `${@:2:1}`. Without variables, the
/// arguments are appended, so that none is lost.
///
/// # Example
///
/// ```
/// use pintle_session::context::templates::{call, expand};
///
/// let (name, arguments) = call("/review src/main.rs 'error handling'").unwrap();
/// assert_eq!(name, "review");
/// assert_eq!(
///     expand("Review $1. Pay attention to $2.", arguments),
///     "Review src/main.rs. Pay attention to error handling."
/// );
/// ```
pub fn expand(body: &str, arguments: &str) -> String {
    let ranges = ranges(arguments);
    let mut text = String::new();
    let mut rest = body;
    let mut has_variable = false;
    while let Some((before, behind)) = rest.split_once('$') {
        text.push_str(before);
        if let Some((value, after)) = variable(behind, arguments, &ranges) {
            text.push_str(&value);
            has_variable = true;
            rest = after;
        } else {
            text.push('$');
            rest = behind;
        }
    }
    text.push_str(rest);
    if !has_variable && !arguments.is_empty() {
        text.push_str("\n\n");
        text.push_str(arguments);
    }
    text
}

/// Returns the variable's value at this position, and the text after it.
fn variable<'a>(
    behind: &'a str,
    arguments: &str,
    ranges: &[Range<usize>],
) -> Option<(String, &'a str)> {
    if let Some(after) = behind.strip_prefix('@').or_else(|| behind.strip_prefix("ARGUMENTS")) {
        return Some((arguments.to_owned(), after));
    }
    if let Some(inner) = behind.strip_prefix("{@:") {
        let (range, after) = inner.split_once('}')?;
        let (first, count) = match range.split_once(':') {
            Some((first, count)) => (first, Some(count.parse::<usize>().ok()?)),
            None => (range, None),
        };
        let first = first.parse::<usize>().ok()?.max(1) - 1;
        let last = match count {
            Some(count) => first.saturating_add(count).min(ranges.len()),
            None => ranges.len(),
        };
        let value = match (ranges.get(first), last.checked_sub(1).and_then(|last| ranges.get(last)))
        {
            (Some(begin), Some(end)) if last > first => arguments.get(begin.start..end.end),
            _ => None,
        };
        return Some((value.unwrap_or_default().to_owned(), after));
    }
    let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    let (number, after) = behind.split_at(digits);
    let number = number.parse::<usize>().ok()?.checked_sub(1)?;
    let value = ranges.get(number).and_then(|range| arguments.get(range.clone()));
    Some((unquoted(value.unwrap_or_default()).to_owned(), after))
}

/// Returns the arguments, one a word or a quoted text.
pub fn split_arguments(arguments: &str) -> Vec<String> {
    let words = ranges(arguments).into_iter().filter_map(|range| arguments.get(range));
    words.map(|word| unquoted(word).to_owned()).collect()
}

/// Returns the argument ranges. White space separates them, except within quotes at the start of one.
fn ranges(arguments: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(rest) = arguments.get(at..) {
        let start = at + (rest.len() - rest.trim_start().len());
        let Some(rest) = arguments.get(start..).filter(|rest| !rest.is_empty()) else { break };
        let closing = ['"', '\''].into_iter().find_map(|mark| {
            let end = rest.strip_prefix(mark)?.find(mark)? + 2;
            let is_whole = rest.get(end..)?.chars().next().is_none_or(char::is_whitespace);
            is_whole.then_some(end)
        });
        let end = closing.or_else(|| rest.find(char::is_whitespace)).unwrap_or(rest.len());
        ranges.push(start..start + end);
        at = start + end;
    }
    ranges
}

fn unquoted(text: &str) -> &str {
    let inner = |mark| text.strip_prefix(mark)?.strip_suffix(mark);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_begins_with_a_slash_may_call_a_prompt() {
        for (text, want) in [
            ("/review", Some(("review", ""))),
            ("  /review a b \n", Some(("review", "a b"))),
            ("/fix-it\nline one\nline two", Some(("fix-it", "line one\nline two"))),
            ("/git:commit now", Some(("git:commit", "now"))),
            ("see /review", None),
            ("/usr/bin/env fails", None),
            ("/", None),
            ("/ review", None),
            ("//comment", None),
            ("/../x", None),
            ("", None),
        ] {
            assert_eq!(call(text), want, "{text:?}");
        }
    }

    #[test]
    fn variables_take_arguments_as_they_were_typed() {
        for (body, arguments, want) in [
            ("Fix $1 in $2.", "bug a.rs", "Fix bug in a.rs."),
            ("Fix $1 in $2.", "bug", "Fix bug in ."),
            ("[$1]", "'two words' more", "[two words]"),
            ("[$@]", "'two words' more", "['two words' more]"),
            ("[$ARGUMENTS]", "a  b\nc", "[a  b\nc]"),
            ("[${@:2}]", "a b  c", "[b  c]"),
            ("[${@:2:1}]", "a b c", "[b]"),
            ("[${@:1:9}]", "a b", "[a b]"),
            ("[${@:5}]", "a b", "[]"),
            ("[${@:2:0}]", "a b", "[]"),
            ("$1 and $10", "a", "a and "),
            ("$1", "$2 x", "$2"),
            ("don't $1", "it's fine", "don't it's"),
            ("costs $ 5 and $x and ${y}", "", "costs $ 5 and $x and ${y}"),
            ("$0", "a", "$0\n\na"),
            ("No variables", "but these", "No variables\n\nbut these"),
            ("No variables", "", "No variables"),
            ("ä$1ö", "ü", "äüö"),
        ] {
            assert_eq!(expand(body, arguments), want, "{body} {arguments}");
        }
    }

    #[test]
    fn a_file_says_what_it_is_for() {
        for (text, want) in [
            (
                "---\ndescription: d\nargument-hint: <file>\n---\nDo $1",
                (Some("d"), Some("<file>"), "Do $1"),
            ),
            ("\nDo it.\nWell.", (Some("Do it."), None, "Do it.\nWell.")),
            ("", (None, None, "")),
        ] {
            let got = parse(Path::new("/w/.pintle/prompts/x.md"), text).unwrap();
            let said =
                (got.description.as_deref(), got.argument_hint.as_deref(), got.body.as_str());
            assert_eq!((got.name.as_str(), said), ("x", want), "{text}");
        }
    }
}
