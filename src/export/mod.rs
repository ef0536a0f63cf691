//! A stored session as a text for other eyes: Markdown, one HTML page, or the journal's own events.
//!
//! Each format is a pure function from an event to the text that it adds, so a session of any length passes through
//! in the memory of its longest event. Nothing here opens files: the store reads, the caller writes. What is written is what the
//! events hold, and nothing else of the machine.
//!
//! A session is exported one event at a time: the store reads a line, this turns it into text, the caller writes. So a session of any
//! length needs the memory of its longest event. It stands above `store`, since a sub-agent's session is drawn inside its parent's.

mod html;
mod markdown;
mod story;
mod words;

pub use words::end_of_item;

use crate::history;
use crate::pi;
use crate::store::{self, Entries, Store};
use pintle_protocol::ids::SessionId;
use std::io::{self, Write};
use story::{Story, Told};

/// The format of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One page that needs nothing beside it.
    Html,
    /// Text with headings and fences.
    Markdown,
    /// The events, one a line, as they went over the wire.
    Json,
    /// A session file of Pi's, version 3.
    Pi,
}

impl Format {
    /// The ending of a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json | Self::Pi => "jsonl",
        }
    }
}

/// Why a session was not exported.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The text could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Sub-agents of sub-agents are drawn inside each other so far; deeper ones are named.
const MOST_NESTED: usize = 4;

/// Writes a session in a format.
///
/// # Errors
/// The session cannot be read, or `out` took no more.
pub fn write(
    store: &Store,
    session: &SessionId,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let title = || title(store, session);
    match format {
        Format::Json => {
            for entry in store.entries(session)? {
                writeln!(out, "{}", entry?.wire)?;
            }
            Ok(())
        }
        Format::Pi => {
            let mut ways = pi::Ways::default();
            for entry in store.entries(session)? {
                ways.take(&entry?);
            }
            let entries = store.entries(session)?;
            let mut writer = pi::Writer::new(ways);
            let mut text = String::new();
            writer.begin(entries.header(), &mut text);
            for entry in entries {
                writer.entry(&entry?, &mut text);
                out.write_all(text.as_bytes())?;
                text.clear();
            }
            writer.end(&mut text);
            Ok(out.write_all(text.as_bytes())?)
        }
        Format::Markdown => {
            let mut page = markdown::Page::default();
            draw(store, session, title()?, &mut page, out)
        }
        Format::Html => draw(store, session, title()?, &mut html::Page::default(), out),
    }
}

/// The name of an exported session's file.
///
/// # Errors
/// The session cannot be read.
pub fn file_name(store: &Store, session: &SessionId, format: Format) -> Result<String, Error> {
    /// Enough of an id to tell a day's sessions apart: the beginning is their time, the end is chance.
    const ID_CHARS: usize = 13;
    const MOST_SLUG_CHARS: usize = 48;
    let title = title(store, session)?.unwrap_or_default();
    let mut slug = String::new();
    for c in title.chars().take(MOST_SLUG_CHARS) {
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = match slug.trim_end_matches('-') {
        "" => String::new(),
        slug => format!("{slug}-"),
    };
    let id: String = session.as_str().chars().take(ID_CHARS).collect();
    Ok(format!("pintle-{slug}{id}.{}", format.ending()))
}

/// The title that a list shows.
fn title(store: &Store, session: &SessionId) -> Result<Option<String>, Error> {
    Ok(store.summary(session)?.title)
}

/// A format that draws what happened, a piece at a time. Each function adds to the end of a text.
trait Drawing {
    /// What stands before the first event.
    fn begin(&mut self, head: &Head, text: &mut String);
    /// The text that an event adds.
    fn told(&mut self, told: &Told, text: &mut String);
    /// What stands before the events of a sub-agent's session.
    fn begin_nested(&mut self, head: &Head, text: &mut String);
    /// What stands behind them.
    fn end_nested(&mut self, story: &Story, text: &mut String);
    /// What stands behind the last event.
    fn end(&mut self, story: &Story, text: &mut String);
}

/// What is known of a session before its first event.
#[derive(Debug)]
struct Head {
    session: SessionId,
    title: Option<String>,
    cwd: String,
    created_ms: u64,
}

impl Head {
    fn new(entries: &Entries, title: Option<String>) -> Self {
        let header = entries.header();
        Self {
            session: header.session_id.clone(),
            title,
            cwd: header.cwd.clone(),
            created_ms: header.created_ms,
        }
    }

    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("A session without a title")
    }
}

fn draw(
    store: &Store,
    session: &SessionId,
    title: Option<String>,
    drawing: &mut dyn Drawing,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let entries = history::current_entries(store, session)?;
    let mut text = String::new();
    drawing.begin(&Head::new(&entries, title), &mut text);
    let mut above = vec![session.clone()];
    let story = tell(store, entries, drawing, &mut above, &mut text, out)?;
    drawing.end(&story, &mut text);
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Draws the events of a session, those of its sub-agents where they ended.
fn tell(
    store: &Store,
    entries: Entries,
    drawing: &mut dyn Drawing,
    above: &mut Vec<SessionId>,
    text: &mut String,
    out: &mut dyn Write,
) -> Result<Story, Error> {
    let mut story = Story::default();
    for entry in entries {
        let entry = entry?;
        let Some(record) = &entry.record else { continue };
        story.take(record);
        if let Some(told) = story::told(record) {
            drawing.told(&told, text);
            if let Some(agent) = told.subagent() {
                nested(store, agent, drawing, above, text, out)?;
            }
        }
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    for item in story.open_items() {
        let told = Told::unfinished(&item);
        drawing.told(&told, text);
        if let Some(agent) = told.subagent() {
            nested(store, agent, drawing, above, text, out)?;
        }
    }
    Ok(story)
}

fn nested(
    store: &Store,
    agent: &SessionId,
    drawing: &mut dyn Drawing,
    above: &mut Vec<SessionId>,
    text: &mut String,
    out: &mut dyn Write,
) -> Result<(), Error> {
    // A journal may name anything, itself too; and a sub-agent's may be gone.
    if above.len() > MOST_NESTED || above.contains(agent) {
        return Ok(());
    }
    let Ok(entries) = history::current_entries(store, agent) else { return Ok(()) };
    let title = store.summary(agent).ok().and_then(|summary| summary.title);
    drawing.begin_nested(&Head::new(&entries, title), text);
    above.push(agent.clone());
    let story = tell(store, entries, drawing, above, text, out)?;
    above.pop();
    drawing.end_nested(&story, text);
    Ok(())
}

#[cfg(test)]
mod tests;
