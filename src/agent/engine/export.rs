//! Exports sessions as text for clients: into the response, or into a file on the machine where the session's tools run.
//!
//! Invariant: nothing outside the session's working directory is written, and no existing file is overwritten without a request.

use crate::engine::EngineHandle;
use crate::error::{Error, ErrorKind};
use pintle_exec::Environment;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::export::{ExportFormat, SessionExportParams, SessionExportResult};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::ItemBody;
use pintle_session::export::{self, Format, Growing as Transcript};
use pintle_session::history;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The longest text in one answer, in bytes: it is held in memory, and the connection waits until it is sent.
const MOST_ANSWERED: usize = 16 * 1024 * 1024;

/// The longest text for a file, in bytes: it is held in memory until it is written.
const MOST_WRITTEN: usize = 512 * 1024 * 1024;

impl EngineHandle {
    /// Exports a stored session, open or not.
    ///
    /// # Errors
    /// The session does not exist, cannot be read, or is too long for a response; or the file must not or cannot be written.
    pub async fn export(
        &self,
        id: SessionId,
        params: SessionExportParams,
    ) -> Result<SessionExportResult, Error> {
        let env = &self.services().env;
        let store = self.services().store.clone();
        let path = match &params.path {
            None => None,
            Some(path) => {
                let (store, id) = (store.clone(), id.clone());
                let cwd = blocking(move || Ok(store.summary(&id)?.cwd)).await?;
                let path = within(env.as_ref(), Path::new(&cwd), Path::new(path)).await?;
                if !params.overwrite && env.stat(&path).await.is_ok() {
                    let message = format!("{} already exists", path.display());
                    return Err(Error::new(ErrorKind::Invalid, message)
                        .hint("choose another path, or set overwrite to true"));
                }
                Some(path)
            }
        };
        let format = match params.format {
            ExportFormat::Html => Format::Html,
            ExportFormat::Md => Format::Markdown,
            ExportFormat::Json => Format::Json,
            ExportFormat::Pi => Format::Pi,
        };
        let most = if path.is_some() { MOST_WRITTEN } else { MOST_ANSWERED };
        let text = blocking(move || {
            let mut text = Limited { text: Vec::new(), most };
            match export::write(&store, &id, format, &mut text) {
                Ok(()) => Ok(text.text),
                Err(export::Error::Store(error)) => Err(error.into()),
                Err(export::Error::Write(_)) => Err(too_long(most)),
            }
        })
        .await?;
        let bytes = text.len() as u64;
        let Some(path) = path else {
            let text =
                String::from_utf8(text).map_err(|error| Error::internal(error.to_string()))?;
            return Ok(SessionExportResult { text: Some(text), path: None, bytes });
        };
        let written = env.write(&path, text).await;
        written
            .map_err(|error| Error::internal(format!("failed to export the session: {error}")))?;
        let path = Some(path.display().to_string());
        Ok(SessionExportResult { text: None, path, bytes })
    }

    /// Appends new events to a session's transcript, or starts it.
    ///
    /// # Errors
    /// The session cannot be read or the file cannot be written.
    pub async fn grow(
        &self,
        mut transcript: Transcript,
        events: Vec<EventRecord>,
    ) -> Result<Transcript, Error> {
        let store = self.services().store.clone();
        blocking(move || match transcript.grow(&store, &events) {
            Ok(()) => Ok(transcript),
            Err(export::Error::Store(error)) => Err(error.into()),
            Err(export::Error::Write(error)) => Err(Error::new(
                ErrorKind::Invalid,
                format!("failed to write the transcript: {error}"),
            )),
        })
        .await
    }

    /// Returns a session's user messages, oldest first, without those on abandoned branches.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn messages(&self, id: SessionId) -> Result<Vec<(ItemId, Vec<Input>)>, Error> {
        let store = self.services().store.clone();
        blocking(move || {
            let mut messages = Vec::new();
            for entry in history::current_entries(&store, &id)? {
                if let Some(Event::ItemCompleted { item }) =
                    entry?.record.map(|record| record.event)
                    && let ItemBody::UserMessage(message) = item.body
                {
                    messages.push((item.id, message.content));
                }
            }
            Ok(messages)
        })
        .await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::internal(format!("exporting the session: {error}"))).flatten()
}

fn too_long(most: usize) -> Error {
    let message = format!("the export exceeds {} MiB", most / 1024 / 1024);
    Error::new(ErrorKind::Invalid, message)
        .hint("write it to a file with `path`, or use `pintle sessions export`")
}

/// Returns the path with symbolic links resolved, if it is within the working directory.
async fn within(env: &dyn Environment, cwd: &Path, path: &Path) -> Result<PathBuf, Error> {
    let refused = |error: pintle_exec::Error| Error::new(ErrorKind::Invalid, error.to_string());
    let root = env.canonicalize(cwd).await.map_err(refused)?;
    let whole = env.canonicalize(&root.join(path)).await.map_err(refused)?;
    if whole == root || !whole.starts_with(&root) {
        let message =
            format!("{} is not inside the session's directory {}", whole.display(), root.display());
        return Err(Error::new(ErrorKind::Invalid, message)
            .hint("choose a file in that directory, or omit `path` to receive the text"));
    }
    Ok(whole)
}

/// A text that may grow so far.
struct Limited {
    text: Vec<u8>,
    most: usize,
}

impl Write for Limited {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.text.len() + piece.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
