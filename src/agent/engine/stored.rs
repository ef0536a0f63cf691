//! Queries about stored sessions: lists, searches, pages, items, trees, outputs, deletion. No session needs to be open.

use crate::background::in_background;
use crate::engine::EngineHandle;
use crate::error::{Action, Error, ErrorKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_base::image::Format;
use pintle_base::pdf;
use pintle_exec::Lines;
use pintle_llm::ModelRef;
use pintle_os::names;
use pintle_protocol::content::{Input, LineRange};
use pintle_protocol::history::{ItemAt, OutlineEntry, SessionTreeResult};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::search::{SessionSearchParams, SessionSearchResult};
use pintle_protocol::usage::UsageReadResult;
use pintle_session::history::items::Items;
use pintle_session::history::{items, outline, tree, usage};
use pintle_session::store::artifacts::Piece;
use pintle_session::store::{Cursor, Entry, Filter, Page};

/// Which events of a session a page contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageRange {
    /// The first ones after this number.
    After(u64),
    /// The last ones before this number.
    Before(u64),
}

impl EngineHandle {
    /// Lists stored sessions, newest first, from the previous page's end; returns this page's end.
    ///
    /// # Errors
    /// The data directory cannot be read.
    pub async fn list(
        &self,
        filter: Filter,
        cursor: Option<String>,
        limit: usize,
    ) -> Result<(Vec<SessionSummary>, Option<String>), Error> {
        let filter = Filter { cwd: filter.cwd.map(names::given), ..filter };
        let store = self.services().store.clone();
        let list = move || store.list(&filter, cursor.map(Cursor).as_ref(), limit);
        let (sessions, next) = in_background(list).await?;
        Ok((sessions, next.map(|cursor| cursor.0)))
    }

    /// Searches the conversations and actions of stored sessions.
    ///
    /// # Errors
    /// The index cannot be used, or the cursor is invalid.
    pub async fn search(
        &self,
        wanted: SessionSearchParams,
        limit: usize,
    ) -> Result<SessionSearchResult, Error> {
        let wanted = SessionSearchParams { cwd: wanted.cwd.map(names::given), ..wanted };
        let store = self.services().store.clone();
        let found = in_background(move || {
            if let Some(id) = &wanted.session_id {
                store.folder(id)?;
            }
            store.search(&wanted, limit)
        });
        let found = found.await?;
        if found.behind > 0 {
            self.index_due();
        }
        Ok(found)
    }

    /// Deletes a stored session with its sub-agents' sessions. Returns all deleted ids, the requested one last.
    ///
    /// # Errors
    /// The session does not exist, one of them is open, or the data directory cannot be written.
    pub async fn delete(&self, id: SessionId) -> Result<Vec<SessionId>, Error> {
        let store = self.services().store.clone();
        let wanted = id.clone();
        in_background(move || store.delete(&wanted)).await
    }

    /// Archives or unarchives a stored session.
    ///
    /// # Errors
    /// The session does not exist, or the data directory cannot be written.
    pub async fn archive(&self, id: SessionId, archived: bool) -> Result<(), Error> {
        let store = self.services().store.clone();
        in_background(move || store.archive(&id, archived)).await
    }

    /// Reads a stored session's events without opening it; also returns the last event's number.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn page(
        &self,
        id: SessionId,
        range: PageRange,
        limit: usize,
    ) -> Result<(Page, u64), Error> {
        let store = self.services().store.clone();
        in_background(move || {
            let page = match range {
                PageRange::After(after) => store.page(&id, after, limit)?,
                PageRange::Before(before) => store.page_before(&id, before, limit)?,
            };
            let last = store.page_before(&id, u64::MAX, 1)?.last;
            Ok((page, last))
        })
        .await
    }

    /// Reads the last items between two events.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn items(
        &self,
        id: SessionId,
        after: u64,
        before: u64,
        limit: usize,
    ) -> Result<Items, Error> {
        let store = self.services().store.clone();
        in_background(move || items::page(&store, &id, after, before, limit)).await
    }

    /// Reads one item.
    ///
    /// # Errors
    /// The session or the item does not exist, or cannot be read.
    pub async fn item(&self, id: SessionId, item_id: ItemId) -> Result<ItemAt, Error> {
        let store = self.services().store.clone();
        let wanted = item_id.clone();
        let found = in_background(move || items::find(&store, &id, &wanted)).await?;
        found.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("the session has no item {item_id}"))
                .hint(Action::ListItems)
        })
    }

    /// Returns a session's working directory.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn cwd_of(&self, id: SessionId) -> Result<String, Error> {
        let store = self.services().store.clone();
        in_background(move || Ok(store.entries(&id)?.header().cwd.clone())).await
    }

    /// Returns the points between which items can be listed and searched.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn outline(&self, id: SessionId) -> Result<Vec<OutlineEntry>, Error> {
        let store = self.services().store.clone();
        let read = move || {
            let entries: Vec<Entry> = store.entries(&id)?.collect::<Result<_, _>>()?;
            Ok(outline::outline(&entries))
        };
        in_background(read).await
    }

    /// Returns a session's token usage and cost.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn usage(&self, id: SessionId) -> Result<UsageReadResult, Error> {
        let store = self.services().store.clone();
        let read = move || {
            let entries: Vec<Entry> = store.entries(&id)?.collect::<Result<_, _>>()?;
            Ok(usage::count(&entries))
        };
        let mut counted = in_background(read).await?;
        let models = &self.services().models;
        usage::add_uncached(&mut counted, |used| {
            let model: ModelRef = used.model.parse().ok()?;
            let price = models.model(&model)?.price?;
            Some(price.without_cache(&used.count.usage, used.count.cost_nano_usd?))
        });
        Ok(counted)
    }

    /// Returns the history tree with all branches.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub async fn tree(&self, id: SessionId) -> Result<SessionTreeResult, Error> {
        let store = self.services().store.clone();
        let read = move || {
            let entries: Vec<Entry> = store.entries(&id)?.collect::<Result<_, _>>()?;
            let leaf_seq = entries.last().map_or(0, |entry| entry.seq);
            Ok(SessionTreeResult { nodes: tree::nodes(&entries), leaf_seq })
        };
        in_background(read).await
    }

    /// Keeps data with a session, and returns the input that attaches it to a message. It is stored as a file if the tools can read the files
    /// of this machine, and else is part of the input itself.
    ///
    /// # Errors
    /// The session does not exist, the disk failed, or tools act elsewhere and the data is neither text, an image nor a PDF document with text.
    pub async fn keep_input(
        &self,
        id: &SessionId,
        name: &'static str,
        bytes: Vec<u8>,
    ) -> Result<Input, Error> {
        let bytes = self.redacted(bytes);
        if !self.services().env.is_this_machine() {
            return input_of(name, bytes).await;
        }
        let (store, id) = (self.services().store.clone(), id.clone());
        let path = in_background(move || store.keep_input(&id, name, &bytes)).await?;
        Ok(Input::File { path: path.to_string_lossy().into_owned(), range: None })
    }

    /// Returns an input with data of this machine, for tools that act elsewhere.
    ///
    /// # Errors
    /// The data is neither text, an image nor a PDF document with text.
    pub async fn inline_input(&self, name: &str, bytes: Vec<u8>) -> Result<Input, Error> {
        input_of(name, self.redacted(bytes)).await
    }

    /// Replaces the known secrets in text.
    fn redacted(&self, bytes: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(bytes) {
            Ok(text) => self.services().ambient.secrets().redact(&text).into_owned().into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }

    /// Reads a piece of a long output of a session, open or not.
    ///
    /// # Errors
    /// The session or the output does not exist or cannot be read.
    pub async fn output(
        &self,
        id: SessionId,
        name: String,
        offset: u64,
        max_bytes: u64,
    ) -> Result<Piece, Error> {
        let store = self.services().store.clone();
        in_background(move || store.output(&id, &name, offset, max_bytes)).await
    }
}

/// Returns data as an input that needs no file.
async fn input_of(name: &str, bytes: Vec<u8>) -> Result<Input, Error> {
    if let Some(format) = Format::detect(&bytes) {
        let data = STANDARD.encode(&bytes);
        return Ok(Input::Image { mime_type: format.mime_type().to_owned(), data });
    }
    let refused = |what: String| {
        Error::new(ErrorKind::Invalid, what).hint("copy it to the machine that the tools run on")
    };
    let text = if pdf::is_pdf(bytes.get(..Lines::HEAD_BYTES).unwrap_or(&bytes)) {
        // Takes long, so it runs outside of the async executor.
        match tokio::task::spawn_blocking(move || pdf::text(bytes, || false)).await {
            Ok(Ok(text)) => text.in_lines(),
            Ok(Err(error)) => return Err(refused(format!("{name}: it {error}"))),
            Err(_) => return Err(refused(format!("{name}: reading it failed"))),
        }
    } else {
        let what = || format!("the content of {name} is neither text, an image nor a PDF document");
        String::from_utf8(bytes).map_err(|_| refused(what()))?
    };
    let range = LineRange { start: 1, end: (text.lines().count() as u64).max(1) };
    Ok(Input::Selection { path: name.to_owned(), range, text })
}
