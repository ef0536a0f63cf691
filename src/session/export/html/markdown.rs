//! A model's Markdown as HTML: raw HTML in it is shown as text, and only links to http and https stay links.

use super::code;
use super::text::{self, clean};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

/// Adds a Markdown text.
pub(super) fn push(out: &mut String, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let text = clean(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let safe = Safe { events: Parser::new_ext(&text, options), ends: Vec::new() };
    pulldown_cmark::html::push_html(out, safe);
}

/// Events that are safe to be written as HTML.
struct Safe<'a> {
    events: Parser<'a>,
    /// Closing tags of the open links and images, as HTML.
    ends: Vec<CowStr<'a>>,
}

impl<'a> Iterator for Safe<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        Some(match self.events.next()? {
            // Entities may spell characters that the text itself must not contain.
            // Mathematics and footnotes are not enabled.
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => Event::Text(cleaned(text)),
            Event::Code(text) => Event::Code(cleaned(text)),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Start(Tag::CodeBlock(kind)) => self.code(&kind),
            Event::Start(Tag::Link { dest_url, .. }) => self.link(&dest_url),
            Event::Start(Tag::Image { dest_url, .. }) => self.image(&dest_url),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                Event::InlineHtml(self.ends.pop().unwrap_or_else(|| "".into()))
            }
            // Alignments of columns are written as styles, which the page's policy blocks.
            Event::Start(Tag::Table(columns)) => {
                Event::Start(Tag::Table(vec![pulldown_cmark::Alignment::None; columns.len()]))
            }
            // Lists may start with any number; headings get no ids.
            Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
                level,
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            Event::TaskListMarker(is_done) => Event::Text(if is_done { "☑ " } else { "☐ " }.into()),
            plain @ (Event::Start(_)
            | Event::End(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule) => plain,
        })
    }
}

fn cleaned(text: CowStr<'_>) -> CowStr<'_> {
    match clean(&text) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(clean) => clean.into(),
    }
}

impl<'a> Safe<'a> {
    fn code(&mut self, kind: &CodeBlockKind) -> Event<'a> {
        let mut text = String::new();
        for event in self.events.by_ref() {
            if event == Event::End(TagEnd::CodeBlock) {
                break;
            }
            if let Event::Text(piece) = event {
                text.push_str(&piece);
            }
        }
        let language = match kind {
            CodeBlockKind::Indented => "",
            CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
        };
        let mut html = String::new();
        code::block(&mut html, language, &text);
        Event::Html(html.into())
    }

    fn link(&mut self, to: &str) -> Event<'a> {
        if !is_web(to) {
            self.ends.push(unlinked(to).into());
            return Event::InlineHtml("".into());
        }
        self.ends.push("</a>".into());
        Event::InlineHtml(anchor(to).into())
    }

    /// Images are not loaded; a link leads to them.
    fn image(&mut self, to: &str) -> Event<'a> {
        if !is_web(to) {
            self.ends.push(format!("]{}", unlinked(to)).into());
            return Event::InlineHtml("[image: ".into());
        }
        self.ends.push("]</a>".into());
        Event::InlineHtml(format!("{}[image: ", anchor(to)).into())
    }
}

fn is_web(to: &str) -> bool {
    let begins = |scheme: &str| {
        to.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

fn anchor(to: &str) -> String {
    let mut html = "<a rel=\"noopener noreferrer nofollow\" href=\"".to_owned();
    text::push(&mut html, to);
    html.push_str("\">");
    html
}

/// Returns an address that is not linked, to append to its text.
fn unlinked(to: &str) -> String {
    let mut html = String::new();
    if !to.is_empty() {
        html.push_str(" <span class=\"soft\">(");
        text::push(&mut html, to);
        html.push_str(")</span>");
    }
    html
}
