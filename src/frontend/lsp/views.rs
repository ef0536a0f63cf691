//! Files that the client shows in addition to the user's: the session's transcript, which grows, changes that are too long for a message
//! box, and messages that the user writes, for which the protocol has no input box.
//!
//! They are in a directory that only the user can access, which is removed when the connection ends.

use super::actions;
use super::arguments::Message;
use super::documents::OpenDocuments;
use super::effects::{Effects, Outcome};
use super::wire::{self, file_path};
use crate::rpc::HandlerResult;
use ls_types as lsp;
use pintle_agent::{EngineHandle, Error, Transcript};
use pintle_base::private_files;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The line below the user's message starts with this.
const END_OF_DRAFT: &str = "<!-- This message goes to pintle";

/// Files for the client to show.
#[derive(Debug)]
pub(super) struct Views {
    engine: EngineHandle,
    /// The client opens documents that are named to it.
    pub(super) can_show: bool,
    folder: Option<TempDir>,
    count: u64,
    transcript: Option<Following>,
    /// Messages that the user writes, oldest first.
    drafts: Vec<Draft>,
}

/// The session's transcript.
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

/// A message that the user writes in a document.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    path: PathBuf,
    /// The place that it is about.
    about: Option<(lsp::Uri, Option<lsp::Range>)>,
}

impl Views {
    pub(super) fn new(engine: EngineHandle) -> Self {
        let (folder, transcript, drafts) = (None, None, Vec::new());
        Self { engine, can_show: false, folder, count: 0, transcript, drafts }
    }

    /// Returns a new file's path.
    fn file(&mut self, name: &str, ending: &str) -> HandlerResult<PathBuf> {
        let folder = if let Some(folder) = &self.folder {
            folder
        } else {
            let made = private_files::temporary_folder("pintle-lsp-");
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

    /// Shows a session's transcript. The response follows once the file is written.
    pub(super) fn show_transcript(
        &mut self,
        id: &Id,
        session: &SessionId,
    ) -> HandlerResult<Effects> {
        if self.transcript.is_none() {
            let (session, path) = (session.clone(), self.file("transcript", "md")?);
            let transcript = Some(Transcript::new(session.clone(), path.clone()));
            let (events, asking) = (Vec::new(), Vec::new());
            self.transcript = Some(Following { session, path, transcript, events, asking });
        }
        if let Some(following) = &mut self.transcript {
            following.asking.push(id.clone());
        }
        Ok(self.grow())
    }

    /// Adds an event to the transcript.
    pub(super) fn push_event(&mut self, record: &EventRecord) -> Effects {
        let Some(following) = &mut self.transcript else { return Effects::default() };
        if matches!(record.event, Event::ItemStarted { .. } | Event::ItemUpdated { .. }) {
            return Effects::default();
        }
        following.events.push(record.clone());
        self.grow()
    }

    fn grow(&mut self) -> Effects {
        let Some(following) = &mut self.transcript else { return Effects::default() };
        let Some(transcript) = following.transcript.take() else { return Effects::default() };
        let events = std::mem::take(&mut following.events);
        let (session, engine) = (following.session.clone(), self.engine.clone());
        Effects::work(async move { Outcome::Grown(session, engine.grow(transcript, events).await) })
    }

    pub(super) fn grown(
        &mut self,
        session: &SessionId,
        grown: Result<Transcript, Error>,
    ) -> Effects {
        let mut effects = Effects::default();
        let Some(following) = &mut self.transcript else { return effects };
        if following.session != *session {
            return effects;
        }
        let asking = std::mem::take(&mut following.asking);
        let path = following.path.clone();
        let response = match grown {
            Ok(transcript) => {
                following.transcript = Some(transcript);
                if !asking.is_empty() {
                    effects.message(self.show(&path, None));
                }
                Ok(json!({"uri": lsp::Uri::from_file_path(&path)}))
            }
            Err(error) => {
                self.transcript = None;
                let text = wire::with_hint(&error.message, error.hint.as_ref());
                if asking.is_empty() {
                    let text = format!("pintle: the transcript is no longer updated: {text}");
                    effects.message(wire::show(lsp::MessageType::WARNING, &text));
                }
                Err(wire::refused(&error))
            }
        };
        for id in asking {
            effects.response(id, response.clone());
        }
        if self.transcript.as_ref().is_some_and(|following| !following.events.is_empty()) {
            effects.extend(self.grow());
        }
        effects
    }

    /// Asks the client to show a file, or reports its path to the user.
    fn show(&mut self, path: &Path, at: Option<lsp::Range>) -> Vec<u8> {
        let Some(uri) = lsp::Uri::from_file_path(path).filter(|_| self.can_show) else {
            let text = format!("pintle: see the file {}", path.display());
            return wire::show(lsp::MessageType::INFO, &text);
        };
        self.count += 1;
        let take_focus = Some(true);
        let params = lsp::ShowDocumentParams { uri, external: None, take_focus, selection: at };
        envelope::request(&format!("show-{}", self.count), "window/showDocument", &params)
    }

    /// Writes a long change to a file, to show it before this request is sent again.
    pub(super) fn write_change(&mut self, text: String, id: String) -> Effects {
        let path = self.file("change", "diff");
        let engine = self.engine.clone();
        Effects::work(async move {
            let written = match path {
                Ok(path) => engine
                    .write_local(&path, text.into_bytes())
                    .await
                    .map(|()| path)
                    .map_err(|error| error.message),
                Err(error) => Err(error.message().to_owned()),
            };
            Outcome::ChangeWritten(written, id)
        })
    }

    pub(super) fn change_written(&mut self, written: Result<PathBuf, String>) -> Vec<u8> {
        match written {
            Ok(path) => self.show(&path, None),
            Err(why) => {
                let text = format!("pintle cannot show the change: {why}");
                wire::show(lsp::MessageType::ERROR, &text)
            }
        }
    }

    /// Writes a document in which the user writes a message, about a place if one is given. It already contains `text`. The response follows
    /// once the document is written.
    pub(super) fn begin_draft(
        &mut self,
        id: Option<Id>,
        about: Option<(lsp::Uri, Option<lsp::Range>)>,
        text: &str,
    ) -> HandlerResult<Effects> {
        let path = self.file("message", "md")?;
        let place = about.as_ref().map(|(uri, range)| place(uri, *range)).unwrap_or_default();
        let content = format!(
            "{text}\n\n{END_OF_DRAFT}{place}. Write it above this line; then run the code action “{}” here, or the command \
             `pintle.send`. -->\n",
            actions::SEND_TITLE
        );
        let draft = Draft { path, about };
        let engine = self.engine.clone();
        Ok(Effects::work(async move {
            let written = engine.write_local(&draft.path, content.into_bytes()).await;
            Outcome::DraftWritten(id, written.map(|()| draft))
        }))
    }

    pub(super) fn draft_written(
        &mut self,
        id: Option<Id>,
        written: Result<Draft, Error>,
    ) -> Effects {
        let mut effects = Effects::default();
        let result = match written {
            Ok(draft) => {
                let uri = lsp::Uri::from_file_path(&draft.path);
                effects.message(self.show(&draft.path, Some(lsp::Range::default())));
                self.drafts.push(draft);
                Ok(json!({"uri": uri}))
            }
            Err(error) => Err(wire::refused(&error)),
        };
        if let Some(id) = id {
            effects.response(id, result);
        }
        effects
    }

    /// Reads the message in a document, by default the newest.
    pub(super) fn read_draft(
        &self,
        id: &Id,
        uri: Option<&lsp::Uri>,
        documents: &OpenDocuments,
    ) -> HandlerResult<Effects> {
        let draft = match uri {
            Some(uri) => self.draft(uri),
            None => self.drafts.last(),
        };
        let none = || {
            let hint = "start one with the command `pintle.ask`";
            wire::failed("no message is being written there", hint)
        };
        let draft = draft.ok_or_else(none)?.clone();
        let shown = lsp::Uri::from_file_path(&draft.path).and_then(|uri| documents.text(&uri));
        let (id, engine) = (id.clone(), self.engine.clone());
        Ok(Effects::work(async move {
            let text = match shown {
                Some(text) => Ok(text.as_str().to_owned()),
                None => engine
                    .read_local(&draft.path)
                    .await
                    .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            };
            Outcome::DraftRead(id, draft, text)
        }))
    }

    /// Returns the message read from a document, and forgets the document.
    pub(super) fn take_draft(
        &mut self,
        draft: &Draft,
        text: Result<String, Error>,
    ) -> HandlerResult<Message> {
        let text = text.map_err(|error| wire::refused(&error))?;
        let text = written(&text).to_owned();
        if text.is_empty() {
            let hint = "write the message above the marked line, then send it again";
            return Err(wire::failed("the message is empty", hint));
        }
        self.drafts.retain(|known| known.path != draft.path);
        let (uri, range) = draft.about.clone().unzip();
        Ok(Message { text, uri, range: range.flatten(), diagnostics: Vec::new() })
    }
}

/// Returns the user's text above the line that ends a message.
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
