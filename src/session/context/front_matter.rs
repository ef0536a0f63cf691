//! The front matter of a Markdown file: `key: value` lines between two lines of `---`. Pure.
//!
//! It supports the forms that rules, skills, prompts and agents use: plain and quoted texts, lists on one line or with one item per line,
//! blocks after `|` and `>`. Values nested below a key are ignored. Invariant: a file without front matter is all body.
//!
//! It is not a YAML reader: users write `globs: *.ts`, which YAML rejects, and the YAML readers for Rust are no longer maintained.

use std::iter::Peekable;

/// A front matter's fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter(Vec<(String, Value)>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<String>),
}

/// A line with its number.
type Line<'a> = (usize, &'a str);

/// Splits a file into its front matter and its body.
///
/// # Errors
/// The front matter has no end, or a line in it is not `key: value`.
///
/// # Example
///
/// ```
/// use pintle_session::context::front_matter::parse;
///
/// let (head, body) = parse("---\ndescription: Rust style\nglobs: *.rs, build/**\n---\nUse `?`.\n")?;
/// assert_eq!(head.text("description"), Some("Rust style"));
/// assert_eq!(head.list("globs"), Some(vec!["*.rs".to_owned(), "build/**".to_owned()]));
/// assert_eq!(body, "Use `?`.\n");
/// # Ok::<(), String>(())
/// ```
pub fn parse(text: &str) -> Result<(FrontMatter, &str), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rest = text;
    let mut head = Vec::new();
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let is_mark = line.trim_end() == "---";
        match (head.is_empty(), is_mark) {
            (true, false) => return Ok((FrontMatter::default(), text)),
            (true, true) => head.push((1, "")),
            (false, true) => {
                return Ok((FrontMatter(fields(head.into_iter().skip(1))?), after));
            }
            (false, false) if after.is_empty() && !rest.contains('\n') => {
                return Err("its front matter is not closed with `---`".to_owned());
            }
            (false, false) => head.push((head.len() + 1, line.trim_end())),
        }
        rest = after;
    }
}

impl FrontMatter {
    /// Returns a text. The last one of a key counts; an empty one is `None`.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
            Value::List(_) => None,
        }
    }

    /// Returns a list; a text is split at commas. `None` if the key is missing.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        Some(match self.get(key)? {
            Value::Text(text) => split(text),
            Value::List(items) => items.iter().flat_map(|item| split(item)).collect(),
        })
    }

    /// Returns a boolean; `None` for anything else.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.text(key)? {
            "true" | "True" | "yes" => Some(true),
            "false" | "False" | "no" => Some(false),
            _ => None,
        }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

fn fields<'a>(lines: impl Iterator<Item = Line<'a>>) -> Result<Vec<(String, Value)>, String> {
    let mut fields = Vec::new();
    let mut lines = lines.peekable();
    while let Some((number, line)) = lines.next() {
        if line.is_empty() || line.starts_with([' ', '\t', '#']) {
            continue;
        }
        let is_key = |key: &&str| {
            let is_of_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            !key.is_empty() && key.chars().all(is_of_key)
        };
        let (key, raw) = line
            .split_once(':')
            .map(|(key, raw)| (key.trim_end(), raw))
            .filter(|(key, raw)| is_key(key) && (raw.is_empty() || raw.starts_with([' ', '\t'])))
            .ok_or_else(|| format!("line {number} of its front matter is not `key: value`"))?;
        let raw = raw.trim();
        let value = match raw.strip_prefix(['|', '>']) {
            Some(rest) if rest.trim_matches(['+', '-']).is_empty() => {
                Value::Text(block(&mut lines, raw.starts_with('|')))
            }
            _ if raw.is_empty() || raw.starts_with('#') => below(&mut lines),
            _ => value_of(raw, &mut lines),
        };
        fields.push((key.to_owned(), value));
    }
    Ok(fields)
}

/// Parses a value that starts on its key's line.
fn value_of<'a>(raw: &str, lines: &mut Peekable<impl Iterator<Item = Line<'a>>>) -> Value {
    let mut whole = raw.to_owned();
    while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with([' ', '\t'])) {
        whole.push(' ');
        whole.push_str(line.trim());
    }
    let inner = whole.strip_prefix('[').and_then(|inner| inner.trim_end().strip_suffix(']'));
    match inner {
        Some(inner) => Value::List(split(inner)),
        None => Value::Text(scalar(&whole)),
    }
}

/// Reads the value below a key: a list, or a nested value, which is ignored.
fn below<'a>(lines: &mut Peekable<impl Iterator<Item = Line<'a>>>) -> Value {
    let mut items = Vec::new();
    let is_below = |(_, line): &Line<'_>| {
        line.is_empty() || line.starts_with([' ', '\t']) || *line == "-" || line.starts_with("- ")
    };
    while let Some((_, line)) = lines.next_if(is_below) {
        if let Some(item) = line.trim().strip_prefix('-') {
            items.push(scalar(item.trim()));
        }
    }
    items.retain(|item| !item.is_empty());
    if items.is_empty() { Value::Text(String::new()) } else { Value::List(items) }
}

/// Reads the indented lines below a `|`, unchanged, or below a `>`, as one line.
fn block<'a>(lines: &mut Peekable<impl Iterator<Item = Line<'a>>>, keeps_lines: bool) -> String {
    let is_in = |(_, line): &Line<'_>| line.is_empty() || line.starts_with([' ', '\t']);
    let mut all = Vec::new();
    while let Some((_, line)) = lines.next_if(is_in) {
        all.push(line);
    }
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let margin = all.iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let joint = if keeps_lines { "\n" } else { " " };
    let texts: Vec<&str> = all.iter().map(|line| line.get(margin..).unwrap_or_default()).collect();
    texts.join(joint).trim_end().to_owned()
}

/// Returns a text without its quotes, or without the comment behind it.
fn scalar(text: &str) -> String {
    let quoted = |mark: char| {
        let inner = text.strip_prefix(mark)?;
        let end = inner.rfind(mark)?;
        let behind = inner.get(end + 1..)?.trim();
        (behind.is_empty() || behind.starts_with('#')).then(|| inner.get(..end))?
    };
    if let Some(inner) = quoted('\'') {
        return inner.replace("''", "'");
    }
    if let Some(inner) = quoted('"') {
        let mut plain = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => plain.push('\n'),
                    Some('t') => plain.push('\t'),
                    Some(other) => plain.push(other),
                    None => {}
                },
                (c, false) => plain.push(c),
            }
        }
        return plain;
    }
    text.split(" #").next().unwrap_or_default().trim_end().to_owned()
}

/// Splits a text at commas outside of quotes and braces.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut quote, mut depth) = (None, 0_usize);
    for c in text.chars() {
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() && part.trim().is_empty() => quote = Some(c),
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if quote.is_none() && depth == 0 => {
                parts.push(scalar(part.trim()));
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(scalar(part.trim()));
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_and_a_body_are_told_apart() {
        for (name, text, want) in [
            ("no head", "# Title\n", Ok((None, "# Title\n"))),
            ("a head", "---\nname: a\n---\nbody\n", Ok((Some("a"), "body\n"))),
            ("a mark of its order", "\u{feff}---\nname: a\n---\nbody", Ok((Some("a"), "body"))),
            ("Windows line ends", "---\r\nname: a\r\n---\r\nbody", Ok((Some("a"), "body"))),
            ("no body", "---\nname: a\n---", Ok((Some("a"), ""))),
            ("an empty head", "---\n---\nbody", Ok((None, "body"))),
            (
                "a rule further down",
                "text\n---\nname: a\n---\n",
                Ok((None, "text\n---\nname: a\n---\n")),
            ),
            ("nothing", "", Ok((None, ""))),
            ("no end", "---\nname: a\n", Err("its front matter is not closed with `---`")),
            ("only its begin", "---", Err("its front matter is not closed with `---`")),
            (
                "no key",
                "---\nname: a\nwhat\n---\n",
                Err("line 3 of its front matter is not `key: value`"),
            ),
        ] {
            let parsed = parse(text);
            let got = parsed.as_ref().map(|(head, body)| (head.text("name"), *body));
            assert_eq!(got.map_err(String::as_str), want, "{name}");
        }
    }

    #[test]
    fn values_come_in_the_forms_that_people_write() {
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |items: &[&str]| Value::List(items.iter().map(|&i| i.to_owned()).collect());
        for (raw, want) in [
            ("k: plain text", text("plain text")),
            ("k: use it: always", text("use it: always")),
            ("k: a # remark", text("a")),
            ("k: a#b", text("a#b")),
            ("k: \"a: \\\"b\\\"\\n\" # remark", text("a: \"b\"\n")),
            ("k: 'it''s'", text("it's")),
            ("k: \"open", text("\"open")),
            ("k:", text("")),
            ("k: *.ts", text("*.ts")),
            ("k: [a, 'b, c', \"d\"]", list(&["a", "b, c", "d"])),
            ("k: [a,\n  b]", list(&["a", "b"])),
            ("k: []", list(&[])),
            ("k:\n  - a\n  - 'b'\n", list(&["a", "b"])),
            ("k:\n- a\n- b", list(&["a", "b"])),
            ("k: |\n  a\n    b\n\n  c\n", text("a\n  b\n\nc")),
            ("k: >-\n  a\n  b\n", text("a b")),
            ("k: a\n  b", text("a b")),
            ("k:\n  nested: x\n", text("")),
        ] {
            let (head, _) = parse(&format!("---\n{raw}\nlast: 1\n---\n")).unwrap();
            assert_eq!(head.get("k"), Some(&want), "{raw}");
            assert_eq!(head.text("last"), Some("1"), "{raw}");
        }
    }

    #[test]
    fn texts_are_lists_and_flags_where_those_are_wanted() {
        let head = "---\na: '*.ts, src/**/*.{js,jsx}'\nb: [x]\nc: true\nd: maybe\ne:\nc: no\n---\n";
        let (head, _) = parse(head).unwrap();
        for (key, want) in [
            ("a", Some(vec!["*.ts", "src/**/*.{js,jsx}"])),
            ("b", Some(vec!["x"])),
            ("e", Some(vec![])),
            ("z", None),
        ] {
            let want = want.map(|items| items.into_iter().map(str::to_owned).collect());
            assert_eq!(head.list(key), want, "{key}");
        }
        for (key, want) in [("c", Some(false)), ("d", None), ("z", None)] {
            assert_eq!(head.flag(key), want, "{key}");
        }
    }
}
