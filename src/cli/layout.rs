//! Lays Markdown out for a terminal: wrapped to its width, headings and code set off with SGR sequences. Pure.
//!
//! Serves the guides of `pintle help` and a chat's replies. Other markup is printed as text.
#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds of Markdown elements are laid out")]

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthChar;

/// The widest line of text; longer ones are hard to read.
const MAX_COLUMNS: usize = 100;

/// The assumed width if the terminal reports none.
const DEFAULT_COLUMNS: usize = 80;

/// The narrowest layout; a narrower terminal wraps by itself.
const MIN_COLUMNS: usize = 40;

/// The narrowest layout of a message.
const MIN_REPLY_COLUMNS: usize = 16;

/// A space at which no line is broken; it is printed as any other.
const FIRM_SPACE: char = '\u{a0}';

/// The longest piece of code that is kept on one line.
const MAX_FIRM: usize = 32;

/// The space between table columns.
const GUTTER: usize = 2;

/// The width below which a column of a table is not made narrower.
const MIN_CELL: usize = 8;

/// The indentation of code in a guide; in a reply, from which code is copied, there is none.
const GUIDE_CODE_INDENT: usize = 4;

/// A layout: the width, whether SGR sequences are used, and the kind of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    columns: usize,
    is_styled: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A guide, whose links lead to other guides.
    Guide,
    /// A model's message.
    Reply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Style {
    #[default]
    Plain,
    Strong,
    Emphasis,
    Code,
    Title,
    Dim,
    Struck,
}

impl Style {
    /// Returns the SGR sequence's parameter.
    fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Strong => "1",
            Self::Emphasis => "3",
            Self::Code => "36",
            Self::Title => "1;4",
            Self::Dim => "2",
            Self::Struck => "9",
        }
    }
}

/// A text with the style of each character.
type Styled = Vec<(char, Style)>;

impl Layout {
    /// The Markdown extensions that are laid out.
    pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_STRIKETHROUGH);

    /// Creates a layout with this many columns; 0 means an unknown width.
    pub(super) fn new(columns: usize, is_styled: bool) -> Self {
        let columns = if columns == 0 { DEFAULT_COLUMNS } else { columns };
        Self { columns: columns.clamp(MIN_COLUMNS, MAX_COLUMNS), is_styled, kind: Kind::Guide }
    }

    /// Creates a layout for a model's message, which may be narrower.
    pub(super) fn for_reply(columns: usize, is_styled: bool) -> Self {
        let columns = columns.clamp(MIN_REPLY_COLUMNS, MAX_COLUMNS);
        Self { columns, is_styled, kind: Kind::Reply }
    }

    /// Lays a page out.
    pub(super) fn page(self, markdown: &str) -> String {
        let mut page = Page::new(self);
        for event in Parser::new_ext(markdown, Self::OPTIONS) {
            page.take(event);
        }
        page.flush();
        page.out
    }
}

struct Page {
    layout: Layout,
    out: String,
    /// The inline text that is being read.
    text: Styled,
    styles: Vec<Style>,
    /// The next item numbers of the open lists; `None` for lists without numbers.
    lists: Vec<Option<u64>>,
    /// Marker for a list item whose first line is not written yet.
    mark: Option<String>,
    /// The last block that was written belongs to a list.
    is_behind_item: bool,
    /// A code block's lines.
    code: Option<String>,
    /// The open link's target, and where its text begins.
    link: Option<(String, usize)>,
    /// A table's rows.
    table: Vec<Vec<Styled>>,
    /// The number of open quotations.
    quotes: usize,
}

impl Page {
    fn new(layout: Layout) -> Self {
        Self {
            layout,
            out: String::new(),
            text: Styled::new(),
            styles: Vec::new(),
            lists: Vec::new(),
            mark: None,
            is_behind_item: false,
            code: None,
            link: None,
            table: Vec::new(),
            quotes: 0,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.style()),
            },
            Event::Code(code) => self.push_code(&code),
            Event::SoftBreak | Event::HardBreak => self.push(" ", Style::Plain),
            Event::InlineHtml(text) => self.push(&text, Style::Plain),
            Event::Html(text) => self.code.get_or_insert_default().push_str(&text),
            Event::TaskListMarker(is_done) => {
                self.push(if is_done { "[x] " } else { "[ ] " }, Style::Plain);
            }
            Event::Rule => {
                self.block();
                let rule = vec![('\u{2500}', Style::Dim); self.layout.columns];
                self.line("", &rule);
            }
            // Extensions that are not enabled.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.styles.push(match level {
                HeadingLevel::H1 => Style::Title,
                _ => Style::Strong,
            }),
            Tag::Strong => self.styles.push(Style::Strong),
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            Tag::Strikethrough => self.styles.push(Style::Struck),
            Tag::BlockQuote(_) => self.quotes += 1,
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                self.block();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                // An item's text precedes its nested list.
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number += 1;
                        mark
                    }
                    _ => "- ".to_owned(),
                };
                self.mark = Some(mark);
            }
            Tag::Link { dest_url, .. } => {
                self.link = Some((dest_url.into_string(), self.text.len()));
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                self.styles.pop();
                let width = width(&self.text);
                self.flush();
                if !self.layout.is_styled {
                    let line = if level == HeadingLevel::H1 { "=" } else { "-" };
                    self.out.push_str(&line.repeat(width));
                    self.out.push('\n');
                }
            }
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::CodeBlock | TagEnd::HtmlBlock => {
                let code = self.code.take().unwrap_or_default();
                let code_indent = match self.layout.kind {
                    Kind::Guide => GUIDE_CODE_INDENT,
                    Kind::Reply => 0,
                };
                let indent = " ".repeat(self.indent() + code_indent);
                for line in code.lines() {
                    let styled: Styled = line.chars().map(|c| (c, Style::Code)).collect();
                    self.line(&indent, &styled);
                }
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Link => self.close_link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                if let Some(row) = self.table.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.close_table(),
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push(&mut self, text: &str, style: Style) {
        self.text.extend(text.chars().map(|c| (c, style)));
    }

    fn push_code(&mut self, code: &str) {
        let firm = code.replace(' ', &FIRM_SPACE.to_string());
        let code = if code.len() <= MAX_FIRM { &firm } else { code };
        if self.layout.is_styled {
            // Code in a heading is part of the heading.
            self.push(code, self.styles.last().copied().unwrap_or(Style::Code));
        } else {
            self.push(&format!("`{code}`"), Style::Code);
        }
    }

    /// Returns the text indentation of the innermost list item, in columns.
    fn indent(&self) -> usize {
        self.lists.iter().map(|list| if list.is_some() { 3 } else { 2 }).sum()
    }

    /// Separates a block from the one before it.
    fn block(&mut self) {
        self.is_behind_item = false;
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes the inline text that was read, wrapped.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return;
        }
        // List items follow each other without an empty line.
        if self.mark.is_none() || !self.is_behind_item {
            self.block();
        }
        self.is_behind_item = !self.lists.is_empty();
        let quote = "\u{2502} ".repeat(self.quotes);
        let indent = self.indent();
        let rest = format!("{quote}{}", " ".repeat(indent));
        let mut lead = match self.mark.take() {
            Some(mark) => format!("{quote}{}{mark}", " ".repeat(indent.saturating_sub(mark.len()))),
            None => rest.clone(),
        };
        for line in wrapped(&text, self.layout.columns.saturating_sub(indent + 2 * self.quotes)) {
            self.line(&lead, &line);
            lead.clone_from(&rest);
        }
    }

    /// Writes one line.
    fn line(&mut self, lead: &str, text: &[(char, Style)]) {
        if text.is_empty() {
            self.out.push('\n');
            return;
        }
        self.out.push_str(lead);
        let mut current = Style::Plain;
        for (c, style) in text {
            if *style != current && self.layout.is_styled {
                if current != Style::Plain {
                    self.out.push_str("\u{1b}[0m");
                }
                if *style != Style::Plain {
                    self.out.push_str("\u{1b}[");
                    self.out.push_str(style.sgr());
                    self.out.push('m');
                }
                current = *style;
            }
            self.out.push(if *c == FIRM_SPACE { ' ' } else { *c });
        }
        if current != Style::Plain {
            self.out.push_str("\u{1b}[0m");
        }
        self.out.push('\n');
    }

    /// Writes a link's target after its text. A link that is named after a topic becomes the command that prints it.
    fn close_link(&mut self) {
        let Some((target, from)) = self.link.take() else { return };
        let text: String = self.text.iter().skip(from).map(|(c, _)| c).collect();
        if self.layout.kind == Kind::Reply {
            if !text.contains(&target) {
                self.push(&format!(" ({target})"), Style::Dim);
            }
            return;
        }
        let path = target.trim_start_matches("../").trim_start_matches("./");
        let path = path.split('#').next().unwrap_or_default();
        let place = match path.strip_suffix(".md") {
            _ if path.is_empty() => return,
            Some(topic) if !target.contains('/') => format!("pintle help {topic}"),
            _ => path.to_owned(),
        };
        if place.ends_with(&format!(" {text}")) {
            self.text.truncate(from);
            self.push_code(&place);
        } else if !text.contains(&place) {
            self.push(&format!(" ({place})"), Style::Plain);
        }
    }

    fn close_table(&mut self) {
        let mut rows = std::mem::take(&mut self.table);
        // A table whose head is empty has no head.
        if rows.first().is_some_and(|head| head.iter().all(Vec::is_empty)) {
            rows.remove(0);
        } else if let Some(head) = rows.first_mut() {
            head.iter_mut().flatten().for_each(|(_, style)| *style = Style::Strong);
        }
        let widths = widths(&rows, self.layout.columns);
        self.block();
        for row in &rows {
            let cells: Vec<Vec<Styled>> =
                row.iter().zip(&widths).map(|(cell, width)| wrapped(cell, *width)).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or_default();
            for at in 0..height {
                let mut line = Styled::new();
                for (cell, width) in cells.iter().zip(&widths) {
                    let part = cell.get(at).map(Vec::as_slice).unwrap_or_default();
                    line.extend_from_slice(part);
                    let pad = (width + GUTTER).saturating_sub(self::width(part));
                    line.extend(std::iter::repeat_n((' ', Style::Plain), pad));
                }
                while line.last().is_some_and(|(c, _)| *c == ' ') {
                    line.pop();
                }
                self.line("", &line);
            }
        }
    }
}

/// Returns a table's column widths: the natural ones, with the widest narrowed until they fit.
fn widths(rows: &[Vec<Styled>], columns: usize) -> Vec<usize> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let natural =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max();
    let mut widths: Vec<usize> = (0..count).map(|at| natural(at).unwrap_or_default()).collect();
    let room = columns.saturating_sub(GUTTER * count.saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > MIN_CELL => *widest -= 1,
            _ => break,
        }
    }
    widths
}

/// Returns a text's width in columns.
fn width(text: &[(char, Style)]) -> usize {
    text.iter().map(|(c, _)| c.width().unwrap_or_default()).sum()
}

/// Breaks a text at spaces into lines of at most `columns`; a longer word keeps its line to itself.
fn wrapped(text: &[(char, Style)], columns: usize) -> Vec<Styled> {
    let mut lines = vec![Styled::new()];
    for word in text.split(|(c, _)| *c == ' ').filter(|word| !word.is_empty()) {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.extend_from_slice(word);
        } else if width(line) + 1 + width(word) <= columns {
            // The space between two words of one style has that style too.
            let style = match (line.last(), word.first()) {
                (Some((_, one)), Some((_, other))) if one == other => *one,
                _ => Style::Plain,
            };
            line.push((' ', style));
            line.extend_from_slice(word);
        } else {
            lines.push(word.to_vec());
        }
    }
    lines
}
