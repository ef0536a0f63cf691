//! Converts web pages to Markdown.
//!
//! A page may be hostile: a tree a million elements deep, or formatting that multiplies. It is therefore rewritten first, in one pass: well
//! nested, with few element types, without scripts and decoration. Invariant: the converter's input is at most `MAX_DEPTH` deep and has at
//! most `MAX_TAGS` tags, each of them closed.

/// Deeper elements lose their tags and keep their text.
const MAX_DEPTH: usize = 100;

/// Further tags are lost, their text is kept.
const MAX_TAGS: usize = 200_000;

/// Elements whose content is no text of the page, or no markup. Where they cannot be nested, the first end tag ends them.
const DROPPED: [(&str, Nesting); 20] = [
    ("script", Nesting::Never),
    ("style", Nesting::Never),
    ("textarea", Nesting::Never),
    ("xmp", Nesting::Never),
    ("iframe", Nesting::Never),
    ("noembed", Nesting::Never),
    ("noframes", Nesting::Never),
    ("noscript", Nesting::Never),
    ("title", Nesting::Never),
    ("svg", Nesting::Counted),
    ("math", Nesting::Counted),
    ("template", Nesting::Counted),
    ("nav", Nesting::Counted),
    ("select", Nesting::Counted),
    ("button", Nesting::Counted),
    ("canvas", Nesting::Counted),
    ("object", Nesting::Counted),
    ("audio", Nesting::Counted),
    ("video", Nesting::Counted),
    ("dialog", Nesting::Counted),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Never,
    Counted,
}

/// Elements that stay. All others lose their tags.
const KEPT: [&str; 49] = [
    "a",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "br",
    "caption",
    "center",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "img",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "s",
    "section",
    "strong",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "tt",
    "ul",
    "dir",
];

const VOID: [&str; 3] = ["br", "hr", "img"];

const INLINE: [&str; 10] = ["a", "b", "code", "del", "em", "i", "s", "strong", "tt", "summary"];

/// The elements closed by an element's start: the open element, unless one of the others is open inside it.
const IMPLIED: [(&[&str], &[&str], &[&str]); 5] = [
    (&["li"], &["li"], &["ul", "ol", "dir"]),
    (&["dt", "dd"], &["dt", "dd"], &["dl"]),
    (&["td", "th"], &["td", "th"], &["table"]),
    (&["tr"], &["tr"], &["table"]),
    (&["tbody", "thead", "tfoot"], &["tbody", "thead", "tfoot"], &["table"]),
];

/// Converts a page. It never fails: input that is not HTML is returned as text.
pub fn to_markdown(html: &str) -> String {
    let page = Rewriter::new(html).run();
    let body = htmd::convert(&page.html).unwrap_or_else(|_| page.html.clone());
    let body = tidy(&body);
    let has_heading = body.lines().any(|line| line.starts_with("# "));
    match page.title {
        Some(title) if !has_heading => format!("# {title}\n\n{body}"),
        Some(_) | None => body,
    }
}

/// Without space at the ends of lines, and without more than one empty line in a row.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim().lines() {
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy
}

struct Page {
    html: String,
    title: Option<String>,
}

/// Rewrites a page.
struct Rewriter<'a> {
    rest: &'a str,
    out: String,
    /// Open elements.
    open: Vec<&'static str>,
    tags: usize,
    title: Option<String>,
}

impl<'a> Rewriter<'a> {
    fn new(html: &'a str) -> Self {
        Self {
            rest: html,
            out: String::with_capacity(html.len()),
            open: Vec::new(),
            tags: 0,
            title: None,
        }
    }

    fn run(mut self) -> Page {
        while let Some((text, rest)) = self.rest.split_once('<') {
            self.out.push_str(text);
            self.rest = rest;
            self.markup();
        }
        self.out.push_str(self.rest);
        while let Some(name) = self.open.pop() {
            self.end(name);
        }
        Page { html: self.out, title: self.title }
    }

    /// Takes what follows a `<`.
    fn markup(&mut self) {
        match self.rest.as_bytes().first() {
            Some(b'!') if self.rest.starts_with("!--") => self.skip_past("-->"),
            Some(b'!' | b'?') => self.skip_past(">"),
            Some(b'/') => {
                let name = name_at(self.rest.get(1..).unwrap_or_default());
                self.skip_past(">");
                if let Some(name) = kept(&name) {
                    self.close(name);
                }
            }
            Some(letter) if letter.is_ascii_alphabetic() => self.start(),
            Some(_) | None => self.out.push_str("&lt;"),
        }
    }

    fn skip_past(&mut self, end: &str) {
        self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
    }

    fn start(&mut self) {
        let name = name_at(self.rest);
        self.rest = self.rest.get(name.len()..).unwrap_or_default();
        let attributes = self.attributes();
        if let Some((name, nesting)) = DROPPED.iter().find(|(dropped, _)| *dropped == name) {
            let content = self.take_element(name, *nesting);
            if *name == "title" && self.title.is_none() {
                let words: Vec<&str> = content.split_whitespace().collect();
                self.title = Some(words.join(" ")).filter(|title| !title.is_empty());
            }
            return;
        }
        let Some(name) = kept(&name) else { return };
        self.end_implied(name);
        if self.open.len() >= MAX_DEPTH || self.tags >= MAX_TAGS {
            return;
        }
        self.tags += 1;
        self.out.push('<');
        self.out.push_str(name);
        for (attribute, value) in attributes {
            let is_wanted = match (name, attribute.as_str()) {
                ("a", "href") => !value.trim_start().starts_with("javascript:"),
                ("img", "src") => !value.trim_start().starts_with("data:"),
                ("img", "alt") | ("code" | "pre", "class") | ("ol", "start") => true,
                _ => false,
            };
            if is_wanted {
                self.out.push_str(&format_attribute(&attribute, value));
            }
        }
        self.out.push('>');
        if !VOID.contains(&name) {
            self.open.push(name);
        }
    }

    /// Consumes attributes up to the tag's end.
    fn attributes(&mut self) -> Vec<(String, &'a str)> {
        let mut attributes = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if self.rest.is_empty() {
                return attributes;
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                return attributes;
            }
            // A name has at least one character, so that this ends.
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/');
            let after = self.rest.get(first..).unwrap_or_default();
            let end = first + after.find(is_end).unwrap_or(after.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest.trim_start();
            let value = if let Some(rest) = self.rest.strip_prefix('=') {
                self.rest = rest.trim_start();
                self.value()
            } else {
                ""
            };
            attributes.push((name.to_ascii_lowercase(), value));
        }
    }

    fn value(&mut self) -> &'a str {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let (value, rest) = if let Some(quote) = quote {
            let inner = self.rest.get(1..).unwrap_or_default();
            inner.split_once(quote).unwrap_or((inner, ""))
        } else {
            let end = self.rest.find(|c: char| c.is_ascii_whitespace() || c == '>');
            self.rest.split_at(end.unwrap_or(self.rest.len()))
        };
        self.rest = rest;
        value
    }

    /// Consumes an element up to its end tag and returns its content.
    fn take_element(&mut self, name: &str, nesting: Nesting) -> &'a str {
        let whole = self.rest;
        let mut depth = 1_usize;
        while let Some((_, rest)) = self.rest.split_once('<') {
            let content = whole.get(..whole.len() - rest.len() - 1).unwrap_or_default();
            let (is_end, tag) = rest.strip_prefix('/').map_or((false, rest), |tag| (true, tag));
            self.rest = rest;
            if !is_tag(tag, name) {
                continue;
            }
            if is_end {
                depth -= 1;
            } else if nesting == Nesting::Counted {
                depth += 1;
            }
            if depth == 0 {
                self.skip_past(">");
                return content;
            }
        }
        self.rest = "";
        whole
    }

    /// Closes elements that this start tag closes implicitly.
    fn end_implied(&mut self, name: &str) {
        let ended = IMPLIED.iter().find(|(starts, ..)| starts.contains(&name)).and_then(
            |(_, ends, barriers)| {
                let inner = self
                    .open
                    .iter()
                    .rev()
                    .find(|open| ends.contains(open) || barriers.contains(open));
                inner.filter(|open| ends.contains(open)).copied()
            },
        );
        // A block ends a paragraph; so does another paragraph.
        let block = self.open.iter().rev().find(|open| !INLINE.contains(open)).copied();
        let is_block = !INLINE.contains(&name) && !matches!(name, "br" | "img");
        let ended = ended.or(block.filter(|block| is_block && *block == "p"));
        let ended = ended.or((name == "a" && self.open.contains(&"a")).then_some("a"));
        if let Some(ended) = ended {
            self.close(ended);
        }
    }

    /// Closes an open element and all elements inside it.
    fn close(&mut self, name: &str) {
        if !self.open.contains(&name) {
            return;
        }
        while let Some(open) = self.open.pop() {
            self.end(open);
            if open == name {
                return;
            }
        }
    }

    fn end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }
}

fn kept(name: &str) -> Option<&'static str> {
    KEPT.into_iter().find(|kept| *kept == name)
}

fn format_attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", value.replace('"', "&quot;"))
}

/// Returns the tag name at this position, in lower case.
fn name_at(tag: &str) -> String {
    let end = tag.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'));
    tag.get(..end.unwrap_or(tag.len())).unwrap_or_default().to_ascii_lowercase()
}

/// Returns true if a tag of this name begins here.
fn is_tag(tag: &str, name: &str) -> bool {
    tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && tag
            .as_bytes()
            .get(name.len())
            .is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'))
}

#[cfg(test)]
mod tests;
