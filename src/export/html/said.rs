//! A model's Markdown as markup of our own: what it wrote as HTML is shown as text, and of its links only those to http and
//! https stay links.

use super::code;
use super::text::{clean, push};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

/// Adds a Markdown text.
pub(super) fn markdown(out: &mut String, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let text = clean(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let safe = Safe { events: Parser::new_ext(&text, options), ends: Vec::new() };
    pulldown_cmark::html::push_html(out, safe);
}

/// Events of which each is safe to be written as HTML.
struct Safe<'a> {
    events: Parser<'a>,
    /// What the ends of the open links and pictures are written as.
    ends: Vec<CowStr<'a>>,
}

impl<'a> Iterator for Safe<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        Some(match self.events.next()? {
            // Entities may spell what the text itself may not hold.
            // Of mathematics and footnotes there is none: they are not switched on.
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
            Event::Start(Tag::Image { dest_url, .. }) => self.picture(&dest_url),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                Event::InlineHtml(self.ends.pop().unwrap_or_else(|| "".into()))
            }
            // Where columns stand is said with styles, which the page's policy does not let through.
            Event::Start(Tag::Table(columns)) => {
                Event::Start(Tag::Table(vec![pulldown_cmark::Alignment::None; columns.len()]))
            }
            // A list that begins elsewhere than at 1 is fine; headings get no names of their own.
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
            self.ends.push(elsewhere(to).into());
            return Event::InlineHtml("".into());
        }
        self.ends.push("</a>".into());
        Event::InlineHtml(anchor(to).into())
    }

    /// A picture from elsewhere is not loaded; whoever wants to see it follows the link.
    fn picture(&mut self, to: &str) -> Event<'a> {
        if !is_web(to) {
            self.ends.push(format!("]{}", elsewhere(to)).into());
            return Event::InlineHtml("[picture: ".into());
        }
        self.ends.push("]</a>".into());
        Event::InlineHtml(format!("{}[picture: ", anchor(to)).into())
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
    push(&mut html, to);
    html.push_str("\">");
    html
}

/// An address that is no link here, behind the words that led to it.
fn elsewhere(to: &str) -> String {
    let mut html = String::new();
    if !to.is_empty() {
        html.push_str(" <span class=\"soft\">(");
        push(&mut html, to);
        html.push_str(")</span>");
    }
    html
}
