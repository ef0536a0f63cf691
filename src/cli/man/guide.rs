//! Renders guide sections as roff: paragraphs and tables only.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the sections use few kinds of Markdown elements"
)]

use crate::cli::help;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Adds a guide's section, or without a name the tables before the first section.
pub(super) fn section(topic: &str, name: Option<&str>, roff: &mut Roff) {
    let page = help::page(topic).unwrap_or_default();
    let text = match name {
        Some(name) => help::section(page, name).unwrap_or_default(),
        None => page.split("\n## ").next().unwrap_or_default(),
    };
    let mut writer = Writer { only_tables: name.is_none(), ..Writer::default() };
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        writer.take(event, roff);
    }
}

#[derive(Default)]
struct Writer {
    only_tables: bool,
    /// Something is written: a section does not begin with a paragraph macro.
    has_begun: bool,
    text: Vec<Inline>,
    /// Header cells of the table, and cells of the current row.
    header: Vec<Vec<Inline>>,
    row: Vec<Vec<Inline>>,
    is_emphasis: bool,
    /// The topic to which the open link leads.
    topic: Option<String>,
}

impl Writer {
    fn take(&mut self, event: Event<'_>, roff: &mut Roff) {
        match event {
            Event::Text(text) if self.is_emphasis => self.text.push(italic(&*text)),
            Event::Text(text) => self.text.push(roman(&*text)),
            Event::Code(text) => self.text.push(bold(&*text)),
            Event::SoftBreak | Event::HardBreak => self.text.push(roman(" ")),
            Event::Start(Tag::Emphasis) => self.is_emphasis = true,
            Event::End(TagEnd::Emphasis) => self.is_emphasis = false,
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.topic = dest_url.strip_suffix(".md").map(str::to_owned);
            }
            Event::End(TagEnd::Link) => {
                if let Some(topic) = self.topic.take() {
                    self.text.extend([
                        roman(" ("),
                        bold(format!("pintle help {topic}")),
                        roman(")"),
                    ]);
                }
            }
            Event::Start(Tag::Heading { .. } | Tag::Paragraph | Tag::TableCell) => {
                self.text.clear();
            }
            Event::End(TagEnd::Paragraph) if !self.only_tables => {
                if std::mem::replace(&mut self.has_begun, true) {
                    roff.control("PP", []);
                }
                roff.text(std::mem::take(&mut self.text));
            }
            Event::End(TagEnd::TableCell) => self.row.push(std::mem::take(&mut self.text)),
            Event::End(TagEnd::TableHead) => self.header = std::mem::take(&mut self.row),
            Event::End(TagEnd::TableRow) => self.end_row(roff),
            _ => {}
        }
    }

    /// Writes a row: the first cell as a term, the second as its description, the others in parentheses with their headers.
    fn end_row(&mut self, roff: &mut Roff) {
        let mut cells = std::mem::take(&mut self.row).into_iter().zip(self.header.clone());
        let Some((term, _)) = cells.next() else { return };
        let mut body = cells.next().map(|(cell, _)| cell).unwrap_or_default();
        for (cell, header) in cells.filter(|(cell, _)| !cell.is_empty()) {
            body.push(roman(" ("));
            body.extend(header);
            body.push(roman(": "));
            body.extend(cell);
            body.push(roman(")"));
        }
        self.has_begun = true;
        roff.control("TP", []);
        roff.text(term);
        roff.text(body);
    }
}
