//! Files that the client shows beside its own: the session's transcript, which grows, changes that are too long for a message box, and
//! messages that a person writes, for which the protocol has no input box.
//!
//! They are in a folder for the user alone, which is removed at the end of the connection.

use super::actions;
use super::commands::{Message, SessionCommand, no_session};
use super::driver::{Driver, Outcome};
use super::start::file_path;
use super::wire::{self, HandlerResult};
use futures_util::future::FutureExt;
use ls_types as lsp;
use pintle_agent::{Error, Transcript};
use pintle_base::disk;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The beginning of the line behind a message that a person writes.
const END_OF_DRAFT: &str = "<!-- This message goes to pintle";

/// Files for the client to show.
#[derive(Debug, Default)]
pub(super) struct Views {
    folder: Option<TempDir>,
    count: u64,
    transcript: Option<Following>,
    /// Messages that a person writes, oldest first.
    drafts: Vec<Draft>,
}

/// The transcript of the session.
#[derive(Debug)]
struct Following {
    session: SessionId,
    path: PathBuf,
    /// `None` while it is written.
    transcript: Option<Transcript>,
    /// Events that it lacks.
    events: Vec<EventRecord>,
    /// Requests that wait until it is written.
    asking: Vec<Id>,
}

/// A message that a person writes in a document.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    path: PathBuf,
    /// The place that it is about.
    about: Option<(lsp::Uri, Option<lsp::Range>)>,
}

impl Views {
    /// Returns the path of a new file.
    fn file(&mut self, name: &str, ending: &str) -> HandlerResult<PathBuf> {
        let folder = if let Some(folder) = &self.folder {
            folder
        } else {
            let made = disk::temporary_folder("pintle-lsp-");
            let hint = "set TMPDIR to a writable directory";
            let made = made.map_err(|error| {
                wire::failed(&format!("failed to create a directory for documents: {error}"), hint)
            })?;
            self.folder.insert(made)
        };
        self.count += 1;
        Ok(folder.path().join(format!("{name}-{}.{ending}", self.count)))
    }

    /// Returns the message that is written in a document.
    pub(super) fn draft(&self, uri: &lsp::Uri) -> Option<&Draft> {
        let path = file_path(uri)?;
        self.drafts.iter().find(|draft| draft.path == path)
    }

    /// Forgets the transcript, whose session is left.
    pub(super) fn forget_transcript(&mut self) {
        self.transcript = None;
    }
}

impl Driver {
    /// Shows the transcript of the session. The response follows when it is written.
    pub(super) fn show_transcript(&mut self, id: &Id) -> HandlerResult<()> {
        let session = self.session.as_ref().ok_or_else(no_session)?.id.clone();
        if self.views.transcript.is_none() {
            let path = self.views.file("transcript", "md")?;
            let transcript = Some(Transcript::new(session.clone(), path.clone()));
            let (events, asking) = (Vec::new(), Vec::new());
            let following = Following { session, path, transcript, events, asking };
            self.views.transcript = Some(following);
        }
        if let Some(following) = &mut self.views.transcript {
            following.asking.push(id.clone());
        }
        self.grow_transcript();
        Ok(())
    }

    /// Notes an event of the session that its transcript lacks.
    pub(super) fn note_for_transcript(&mut self, record: &EventRecord) {
        let Some(following) = &mut self.views.transcript else { return };
        if matches!(record.event, Event::ItemStarted { .. } | Event::ItemUpdated { .. }) {
            return;
        }
        following.events.push(record.clone());
        self.grow_transcript();
    }

    fn grow_transcript(&mut self) {
        let Some(following) = &mut self.views.transcript else { return };
        let Some(transcript) = following.transcript.take() else { return };
        let events = std::mem::take(&mut following.events);
        let (session, engine) = (following.session.clone(), self.opener.engine.clone());
        let growing = async move { Outcome::Grown(session, engine.grow(transcript, events).await) };
        self.running.push(growing.boxed());
    }

    pub(super) fn grown(&mut self, session: &SessionId, grown: Result<Transcript, Error>) {
        let Some(following) = &mut self.views.transcript else { return };
        if following.session != *session {
            return;
        }
        let asking = std::mem::take(&mut following.asking);
        let path = following.path.clone();
        let response = match grown {
            Ok(transcript) => {
                following.transcript = Some(transcript);
                Ok(json!({"uri": lsp::Uri::from_file_path(&path)}))
            }
            Err(error) => {
                self.views.transcript = None;
                let text = wire::with_hint(&error.message, error.hint.as_ref());
                if asking.is_empty() {
                    let text = format!("pintle: the transcript is no longer updated: {text}");
                    self.send_all([wire::show(lsp::MessageType::WARNING, &text)]);
                }
                Err(wire::refused(&error))
            }
        };
        if response.is_ok() && !asking.is_empty() {
            self.show_file(&path, None);
        }
        for id in asking {
            self.respond(&id, response.clone());
        }
        if self.views.transcript.as_ref().is_some_and(|following| !following.events.is_empty()) {
            self.grow_transcript();
        }
    }

    /// Has the client show a file, or tells the person its path.
    pub(super) fn show_file(&mut self, path: &Path, at: Option<lsp::Range>) {
        let uri = lsp::Uri::from_file_path(path).filter(|_| self.offers.show_document);
        let message = if let Some(uri) = uri {
            self.views.count += 1;
            let take_focus = Some(true);
            let params = lsp::ShowDocumentParams { uri, external: None, take_focus, selection: at };
            let id = format!("show-{}", self.views.count);
            envelope::request(&id, "window/showDocument", &params)
        } else {
            let text = format!("pintle: see the file {}", path.display());
            wire::show(lsp::MessageType::INFO, &text)
        };
        self.send_all([message]);
    }

    /// Shows a long change, and asks about it again.
    pub(super) fn show_change(&mut self, text: String, number: u64) {
        let path = self.views.file("change", "diff");
        let engine = self.opener.engine.clone();
        let shown = async move {
            let written = match path {
                Ok(path) => engine
                    .write_local(&path, text.into_bytes())
                    .await
                    .map(|()| path)
                    .map_err(|error| error.message),
                Err(error) => Err(error.message().to_owned()),
            };
            Outcome::ChangeShown(written, number)
        };
        self.running.push(shown.boxed());
    }

    pub(super) fn change_shown(&mut self, written: Result<PathBuf, String>, number: u64) {
        match written {
            Ok(path) => self.show_file(&path, None),
            Err(why) => {
                let text = format!("pintle cannot show the change: {why}");
                self.send_all([wire::show(lsp::MessageType::ERROR, &text)]);
            }
        }
        let again = self.questions.again(number);
        self.send_all(again);
    }

    /// Shows a document for a person to write a message in, about a place if one is given. `text` is in it already. The response to a request
    /// follows when it is written.
    pub(super) fn begin_draft(
        &mut self,
        id: Option<Id>,
        about: Option<(lsp::Uri, Option<lsp::Range>)>,
        text: &str,
    ) -> HandlerResult<()> {
        let path = self.views.file("message", "md")?;
        let place = about.as_ref().map(|(uri, range)| place(uri, *range)).unwrap_or_default();
        let content = format!(
            "{text}\n\n{END_OF_DRAFT}{place}. Write it above this line; then run the code action “{}” here, or the command \
             `pintle.send`. -->\n",
            actions::SEND_TITLE
        );
        let draft = Draft { path, about };
        let engine = self.opener.engine.clone();
        let written = async move {
            let written = engine.write_local(&draft.path, content.into_bytes()).await;
            Outcome::DraftWritten(id, written.map(|()| draft))
        };
        self.running.push(written.boxed());
        Ok(())
    }

    pub(super) fn draft_written(&mut self, id: Option<Id>, written: Result<Draft, Error>) {
        let result = match written {
            Ok(draft) => {
                let uri = lsp::Uri::from_file_path(&draft.path);
                self.show_file(&draft.path, Some(lsp::Range::default()));
                self.views.drafts.push(draft);
                Ok(json!({"uri": uri}))
            }
            Err(error) => Err(wire::refused(&error)),
        };
        if let Some(id) = id {
            self.respond(&id, result);
        }
    }

    /// Reads the message in a document, the newest one's by default, and sends it.
    pub(super) fn send_draft(&mut self, id: &Id, uri: Option<&lsp::Uri>) -> HandlerResult<()> {
        let draft = match uri {
            Some(uri) => self.views.draft(uri),
            None => self.views.drafts.last(),
        };
        let none = || {
            let hint = "start one with the command `pintle.ask`";
            wire::failed("no message is being written there", hint)
        };
        let draft = draft.ok_or_else(none)?.clone();
        let shown = lsp::Uri::from_file_path(&draft.path).and_then(|uri| self.documents.text(&uri));
        let (id, engine) = (id.clone(), self.opener.engine.clone());
        let read = async move {
            let text = match shown {
                Some(text) => Ok(text.as_str().to_owned()),
                None => engine
                    .read_local(&draft.path)
                    .await
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            };
            Outcome::DraftRead(id, draft, text)
        };
        self.running.push(read.boxed());
        Ok(())
    }

    pub(super) fn draft_read(&mut self, id: Id, draft: &Draft, text: Result<String, Error>) {
        let text = match text {
            Ok(text) => written(&text).to_owned(),
            Err(error) => {
                return self.respond(&id, HandlerResult::<Value>::Err(wire::refused(&error)));
            }
        };
        if text.is_empty() {
            let hint = "write the message above the marked line, then send it again";
            let empty = wire::failed("the message is empty", hint);
            return self.respond(&id, HandlerResult::<Value>::Err(empty));
        }
        self.views.drafts.retain(|known| known.path != draft.path);
        let (uri, range) = match draft.about.clone() {
            Some((uri, range)) => (Some(uri), range),
            None => (None, None),
        };
        let message = Message { text, uri, range, diagnostics: Vec::new() };
        let input = self.input(message);
        self.carry_out(id, SessionCommand::Prompt(input));
    }
}

/// The text that a person has written above the line that ends a message.
fn written(text: &str) -> &str {
    let end = text.find(END_OF_DRAFT).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim()
}

fn place(uri: &lsp::Uri, range: Option<lsp::Range>) -> String {
    let path = file_path(uri).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy().replace("--", "\u{2013}");
    match range.map(actions::lines) {
        None => format!(" with {name}"),
        Some(lines) if lines.start == lines.end => format!(" with line {} of {name}", lines.start),
        Some(lines) => format!(" with lines {}\u{2013}{} of {name}", lines.start, lines.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_what_stands_above_its_last_line() {
        for (name, text, want) in [
            ("nothing", "\n\n<!-- This message goes to pintle. -->\n", ""),
            ("text", "why?\n\n<!-- This message goes to pintle with a. -->\n", "why?"),
            ("the line removed", "why?\nso\n", "why?\nso"),
            (
                "a comment of the person's",
                "<!-- x -->\n<!-- This message goes to pintle",
                "<!-- x -->",
            ),
        ] {
            assert_eq!(written(text), want, "{name}");
        }
    }
}
