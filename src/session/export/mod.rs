//! Exports a stored session: as Markdown, as one HTML page, as a Pi session file, or as the journal's events.
//!
//! Each format is a pure function from an event to the text that it adds, so a session of any length needs only enough memory for its
//! longest event. No file is opened here: the store reads, and the caller writes or, for [`Growing`], the store. The output contains only
//! data from the events. The module is above `store`, since a sub-agent's session is rendered inside its parent's.

mod growing;
mod html;
mod markdown;
pub mod phrases;
mod timeline;

pub use growing::Growing;
pub use phrases::end_of_item;

use crate::history;
use crate::pi;
use crate::store::{self, Entries, Store};
use pintle_base::text::credentials;
use pintle_protocol::ids::SessionId;
use std::io::{self, Write};
use timeline::{TimelineEntry, Totals};

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One self-contained page.
    Html,
    /// Text with headings and fences.
    Markdown,
    /// The events, one per line, as sent over the wire.
    Json,
    /// A session file of Pi, version 3.
    Pi,
}

impl Format {
    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json | Self::Pi => "jsonl",
        }
    }
}

/// The reason why a session was not exported.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session could not be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The text could not be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// The maximum depth at which sessions of sub-agents are rendered inside each other; deeper ones are only named.
const MAX_DEPTH: usize = 4;

/// Writes a session in a format.
///
/// # Errors
/// The session cannot be read, or `out` cannot be written.
pub fn write(
    store: &Store,
    session: &SessionId,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let out: &mut dyn Write = &mut Redacting(out);
    let title = || title(store, session);
    match format {
        Format::Json => {
            for event in store.texts(session)? {
                writeln!(out, "{}", event?)?;
            }
            Ok(())
        }
        Format::Pi => {
            let branch_points = pi::BranchPoints::read(store, session)?;
            let entries = store.entries(session)?;
            let mut writer = pi::Writer::new(branch_points);
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
            render(store, session, title()?, &mut page, out)
        }
        Format::Html => render(store, session, title()?, &mut html::Page::default(), out),
    }
}

/// A writer that redacts credentials. An export takes a session out of the user's directory, so apparent credentials are redacted in it,
/// but kept in the session itself and in the model's view. Each chunk is written at once, and contains every credential in full.
struct Redacting<'a>(&'a mut dyn Write);

impl Write for Redacting<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(piece) {
            Ok(text) => self.0.write_all(credentials::redact(text).as_bytes())?,
            Err(_) => self.0.write_all(piece)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a file name for an exported session.
///
/// # Errors
/// The session cannot be read.
pub fn file_name(store: &Store, session: &SessionId, format: Format) -> Result<String, Error> {
    /// The number of id characters that distinguish a day's sessions: an id starts with the time and ends with random digits.
    const ID_CHARS: usize = 13;
    const MAX_SLUG_CHARS: usize = 48;
    let title = title(store, session)?.unwrap_or_default();
    let mut slug = String::new();
    for c in title.chars().take(MAX_SLUG_CHARS) {
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

/// Returns the title that lists show.
fn title(store: &Store, session: &SessionId) -> Result<Option<String>, Error> {
    Ok(store.summary(session)?.title)
}

/// A format that renders a session event by event. Each function appends to a text.
trait Renderer {
    /// Writes the part before the first event.
    fn begin(&mut self, head: &Head, text: &mut String);
    /// Writes an entry of the timeline.
    fn entry(&mut self, entry: &TimelineEntry, text: &mut String);
    /// Writes the part before a sub-agent's events.
    fn begin_nested(&mut self, head: &Head, text: &mut String);
    /// Writes the part behind them.
    fn end_nested(&mut self, totals: &Totals, text: &mut String);
    /// Writes the part behind the last event.
    fn end(&mut self, totals: &Totals, text: &mut String);
}

/// The facts about a session that precede its events.
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

fn render(
    store: &Store,
    session: &SessionId,
    title: Option<String>,
    renderer: &mut dyn Renderer,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let entries = history::current_entries(store, session)?;
    let mut text = String::new();
    renderer.begin(&Head::new(&entries, title), &mut text);
    let mut parents = vec![session.clone()];
    let totals = render_events(store, entries, renderer, &mut parents, &mut text, out)?;
    renderer.end(&totals, &mut text);
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Renders a session's events, with each sub-agent's events at its end.
fn render_events(
    store: &Store,
    entries: Entries,
    renderer: &mut dyn Renderer,
    parents: &mut Vec<SessionId>,
    text: &mut String,
    out: &mut dyn Write,
) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    for entry in entries {
        let entry = entry?;
        let Some(record) = &entry.record else { continue };
        totals.take(record);
        if let Some(shown) = timeline::entry(record) {
            renderer.entry(&shown, text);
            if let Some(agent) = shown.subagent() {
                nested(store, agent, renderer, parents, text, out)?;
            }
        }
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    for item in totals.open_items() {
        let shown = TimelineEntry::unfinished(&item);
        renderer.entry(&shown, text);
        if let Some(agent) = shown.subagent() {
            nested(store, agent, renderer, parents, text, out)?;
        }
    }
    Ok(totals)
}

fn nested(
    store: &Store,
    agent: &SessionId,
    renderer: &mut dyn Renderer,
    parents: &mut Vec<SessionId>,
    text: &mut String,
    out: &mut dyn Write,
) -> Result<(), Error> {
    // A journal may name any session, itself too, and a sub-agent's session may be gone.
    if parents.len() > MAX_DEPTH || parents.contains(agent) {
        return Ok(());
    }
    let Ok(entries) = history::current_entries(store, agent) else { return Ok(()) };
    let title = store.summary(agent).ok().and_then(|summary| summary.title);
    renderer.begin_nested(&Head::new(&entries, title), text);
    parents.push(agent.clone());
    let totals = render_events(store, entries, renderer, parents, text, out)?;
    parents.pop();
    renderer.end_nested(&totals, text);
    Ok(())
}

#[cfg(test)]
mod tests;
