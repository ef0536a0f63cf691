//! The head of a Markdown file that describes it: `key: value` lines between two lines of `---`. Pure.
//!
//! It reads the forms that rules, skills, prompts and agents are written in: texts plain or in quotes, lists on one line or
//! one item a line, blocks behind `|` and `>`. It is no YAML reader, since those refuse `globs: *.ts`, as people write it.
//! What stands nested under a key is passed over. Invariant: a file without a head is all body.
//!
//! Why our own reader: these heads are lines of `key: value`, and people write `globs: *.ts`, which is not YAML. The YAML readers would
//! refuse it, and are no longer maintained.

use std::iter::Peekable;

/// The fields of a head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter(Vec<(String, Value)>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<String>),
}

/// A line with its number.
type Line<'a> = (usize, &'a str);

/// Splits a file into what its head says and its body.
///
/// # Errors
/// The head has no end, or a line in it is no `key: value`.
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
                return Err("its head begins with `---` and has no `---` at its end".to_owned());
            }
            (false, false) => head.push((head.len() + 1, line.trim_end())),
        }
        rest = after;
    }
}

impl FrontMatter {
    /// A text; the last of a name counts, and an empty one is none.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
            Value::List(_) => None,
        }
    }

    /// A list; a text is one with commas. `None` when the key is not there at all.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        Some(match self.get(key)? {
            Value::Text(text) => split(text),
            Value::List(items) => items.iter().flat_map(|item| split(item)).collect(),
        })
    }

    /// True or false; anything else is neither.
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
        let (key, said) = line
            .split_once(':')
            .map(|(key, said)| (key.trim_end(), said))
            .filter(|(key, said)| is_key(key) && (said.is_empty() || said.starts_with([' ', '\t'])))
            .ok_or_else(|| format!("line {number} of its head is no `key: value`"))?;
        let said = said.trim();
        let value = match said.strip_prefix(['|', '>']) {
            Some(rest) if rest.trim_matches(['+', '-']).is_empty() => {
                Value::Text(block(&mut lines, said.starts_with('|')))
            }
            _ if said.is_empty() || said.starts_with('#') => below(&mut lines),
            _ => value_of(said, &mut lines),
        };
        fields.push((key.to_owned(), value));
    }
    Ok(fields)
}

/// A value that begins behind its key.
fn value_of<'a>(said: &str, lines: &mut Peekable<impl Iterator<Item = Line<'a>>>) -> Value {
    let mut whole = said.to_owned();
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

/// The value below a key: a list, or something nested that nobody reads.
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

/// The indented lines below a `|`, as they are, or below a `>`, as one line.
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

/// A text without its quotes, or without the remark behind it.
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

/// The parts between commas that stand in no quotes and no braces.
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
            (
                "no end",
                "---\nname: a\n",
                Err("its head begins with `---` and has no `---` at its end"),
            ),
            (
                "only its begin",
                "---",
                Err("its head begins with `---` and has no `---` at its end"),
            ),
            ("no key", "---\nname: a\nwhat\n---\n", Err("line 3 of its head is no `key: value`")),
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
        for (said, want) in [
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
            let (head, _) = parse(&format!("---\n{said}\nlast: 1\n---\n")).unwrap();
            assert_eq!(head.get("k"), Some(&want), "{said}");
            assert_eq!(head.text("last"), Some("1"), "{said}");
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
