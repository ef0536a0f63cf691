//! The client's open session, and the ways to open another one: new, from its file, imported from Pi, forked.
//!
//! Invariant: the previous session stays open until the next one is, so a failed command changes nothing.

use super::mirror::Mirror;
use super::models::{self, ModelName};
use super::printing::Printing;
use super::translator::Translator;
use super::{Dialect, Options, Preferences, variables};
use crate::client::{self, Client, Scope, snapshot, subscribe};
use pintle_agent::{
    CreateSession, Error, ErrorKind, EventSelection, ExtraVariables, Feed, ForkSession, NewFolder,
    OpenConfig, SessionHandle, SettingsCommand, save_imported,
};
use pintle_protocol::config::ConfigSetParams;
use pintle_protocol::history::HistoryPoint;
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::methods::ConfigSet;
use pintle_protocol::session::SessionResult;
use pintle_session::pi::{self, Apis};
use pintle_session::store::Store;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum length of an imported session's id.
const MAX_ID_CHARS: usize = 64;

/// The open session.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) handle: SessionHandle,
    pub(super) mirror: Mirror,
    pub(super) translator: Translator,
    pub(super) cwd: PathBuf,
    pub(super) model: String,
    /// The environment variables of its commands.
    pub(super) variables: ExtraVariables,
    /// The last event that was sent.
    pub(super) seq: u64,
    /// The running calls and their output.
    pub(super) printing: Printing,
}

impl OpenSession {
    /// Passes the current model and file to the session's commands.
    pub(super) async fn update_variables(&mut self, dialect: Dialect) {
        let (id, file) = (self.handle.id.as_str(), self.mirror.path());
        let variables = variables::of_session(dialect, id, file, &self.model);
        if variables != self.variables {
            self.variables = ExtraVariables::clone(&variables);
            let config = OpenConfig { variables: Some(variables), ..OpenConfig::default() };
            // A closed session runs no commands.
            let _ = self.handle.ask(|reply| SettingsCommand::Configure { config, reply }).await;
        }
    }
}

/// The session with which a client begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Start {
    /// A new session.
    #[default]
    New,
    /// The session in the directory's newest file.
    Continue,
    /// The session of this file, or with an id of this prefix.
    Open(String),
    /// The session with exactly this id; a new one if there is none.
    Id(String),
    /// A fork of the session of this file, or with an id of this prefix.
    Fork(String),
}

/// Creates and opens sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) client: Client,
    pub(super) options: Options,
}

impl Sessions {
    /// Opens the session to begin with.
    pub(super) async fn start(&self) -> Result<OpenSession, Error> {
        client::reopening(|| self.first()).await
    }

    async fn first(&self) -> Result<OpenSession, Error> {
        match &self.options.preferences.start {
            Start::New => self.create(None, None).await,
            Start::Continue => match self.files().pop() {
                Some(path) => self.open_path(&path).await,
                None => self.create(None, None).await,
            },
            Start::Open(name) => match (self.path_of(name), self.without_file(name)) {
                (Ok(path), _) => self.open_path(&path).await,
                (Err(_), Some(id)) => {
                    let handle = self.client.engine.open(id, self.config()).await?;
                    self.adopt(handle, None, Origin::Opened).await
                }
                (Err(error), None) => Err(error),
            },
            Start::Id(id) if !is_id(id) => {
                let message = format!("Invalid session id: {id}");
                Err(Error::new(ErrorKind::Invalid, message)
                    .hint("use at most 64 letters, digits, - and _"))
            }
            Start::Id(id) => match self.path_of(id) {
                Ok(path) => self.open_path(&path).await,
                Err(_) => self.open_or_create(id).await,
            },
            Start::Fork(name) => {
                let path = match (self.path_of(name), self.without_file(name)) {
                    (Ok(path), _) => path,
                    (Err(_), Some(id)) => return self.fork(&id, None, None).await,
                    (Err(error), None) => return Err(error),
                };
                let parent = self.find(&self.read(&path).await?).await?.handle;
                self.fork(&parent.id, None, Some(path.display().to_string())).await
            }
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        let folder = self.options.preferences.session_dir.as_deref();
        folder
            .map(|folder| pintle_session::store::sidecar::files(folder, ".jsonl"))
            .unwrap_or_default()
    }

    /// Returns the named file, or the file of the session whose id has this prefix.
    fn path_of(&self, name: &str) -> Result<PathBuf, Error> {
        if name.contains('/') || Path::new(name).extension().is_some() {
            return Ok(self.options.cwd.join(name));
        }
        let is_it = |path: &PathBuf| {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            file.split_once('_').is_some_and(|(_, id)| id.starts_with(name))
        };
        self.files().into_iter().find(is_it).ok_or_else(|| {
            let message = format!("No session found matching '{name}'");
            Error::new(ErrorKind::NotFound, message)
        })
    }

    /// Returns the session whose id has this prefix. Sessions created by other frontends have no file.
    fn without_file(&self, name: &str) -> Option<SessionId> {
        let ids = self.store().ids().ok()?;
        let mut found =
            ids.into_iter().filter(|id| !name.is_empty() && id.as_str().starts_with(name));
        let first = found.next()?;
        (first.as_str() == name || found.next().is_none()).then_some(first)
    }

    fn config(&self) -> OpenConfig {
        OpenConfig {
            model: self.options.preferences.model.clone(),
            permission_mode: Some(self.client.engine.default_permission_mode()),
            cwd: Some(NewFolder::IfGone(self.options.cwd.clone())),
            ..OpenConfig::default()
        }
    }

    /// Creates a session, with this model if one is given.
    pub(super) async fn create(
        &self,
        parent: Option<String>,
        model: Option<String>,
    ) -> Result<OpenSession, Error> {
        let handle = self.client.engine.create(self.new_session(None, model)).await?;
        self.adopt(handle, parent, Origin::Made).await
    }

    fn new_session(&self, id: Option<SessionId>, model: Option<String>) -> CreateSession {
        let config = self.config();
        let config = OpenConfig {
            model: model.or(config.model),
            system_prompt: self.options.preferences.system_prompt.clone(),
            ..config
        };
        CreateSession {
            id,
            cwd: self.options.cwd.to_string_lossy().into_owned(),
            title: self.options.preferences.name.clone(),
            config,
            ..CreateSession::default()
        }
    }

    /// Opens the session with this id, or creates it.
    async fn open_or_create(&self, id: &str) -> Result<OpenSession, Error> {
        let id = SessionId::new(id.to_owned());
        if self.store().folder(&id).is_ok() {
            let handle = self.client.engine.open(id, self.config()).await?;
            return self.adopt(handle, None, Origin::Opened).await;
        }
        let handle = self.client.engine.create(self.new_session(Some(id), None)).await?;
        self.adopt(handle, None, Origin::Made).await
    }

    /// Opens a file's session: one of this engine's, or one of Pi's, which is imported.
    pub(super) async fn open_path(&self, path: &Path) -> Result<OpenSession, Error> {
        let text = match (self.read(path).await, self.unwritten(path)) {
            (Ok(text), _) => text,
            // Its file is created with the first message that is read.
            (Err(_), Some(id)) => {
                let handle = self.client.engine.open(id, self.config()).await?;
                let mut mirror = self.mirror(&handle, None).await?;
                if let Err(reason) = mirror.write_to(path.to_owned()) {
                    tracing::error!("the session has no file: {reason}");
                }
                return self.watch(handle, mirror, Origin::Opened).await;
            }
            (Err(error), None) => return Err(error),
        };
        let FileSession { mut handle, is_new } = self.find(&text).await?;
        let mut mirror = self.mirror(&handle, None).await?;
        if let Err(reason) = mirror.write_to(path.to_owned()) {
            tracing::warn!("{}: {reason}; the file is left unchanged", path.display());
            // The file's content has diverged from the journal.
            if !is_new {
                handle = self.import(&text, None).await?;
            }
            mirror = self.mirror(&handle, Some(path.display().to_string())).await?;
            self.name_file(&mut mirror);
        }
        self.watch(handle, mirror, Origin::Opened).await
    }

    /// Returns the session whose file would be at this path, if there is none yet.
    fn unwritten(&self, path: &Path) -> Option<SessionId> {
        if path.exists() {
            return None;
        }
        let (_, id) = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.split_once('_')?;
        let id = SessionId::new(id.to_owned());
        (is_id(id.as_str()) && self.store().folder(&id).is_ok()).then_some(id)
    }

    /// Opens the session to which a file belongs.
    async fn find(&self, text: &str) -> Result<FileSession, Error> {
        let head = text.lines().next().unwrap_or_default();
        let head: serde_json::Value = serde_json::from_str(head).unwrap_or_default();
        let id = head.get("id").and_then(serde_json::Value::as_str).filter(|id| is_id(id));
        if let Some(id) = id {
            let id = SessionId::new(id.to_owned());
            if self.store().folder(&id).is_ok() {
                let handle = self.client.engine.open(id, self.config()).await?;
                return Ok(FileSession { handle, is_new: false });
            }
        }
        Ok(FileSession { handle: self.import(text, id).await?, is_new: true })
    }

    async fn read(&self, path: &Path) -> Result<String, Error> {
        let bytes = self.client.engine.read_local(path).await.map_err(|_| {
            let message = format!("Session file not found: {}", path.display());
            Error::new(ErrorKind::NotFound, message)
        })?;
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        pi::check(&text).map_err(|_| {
            let message = format!("Session file is not a valid pi session: {}", path.display());
            Error::new(ErrorKind::Invalid, message)
        })?;
        Ok(text)
    }

    /// Imports a session of Pi's, under its own id if that is free.
    async fn import(&self, text: &str, id: Option<&str>) -> Result<SessionHandle, Error> {
        let ambient = self.client.engine.ambient().clone();
        let id = id.map_or_else(|| ambient.new_id(), str::to_owned);
        let id = SessionId::new(id);
        let (engine, text, new) = (self.client.engine.clone(), text.to_owned(), id.clone());
        in_background(move || {
            let read = pi::read(&text)
                .map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
            let imported = pi::import(&read, None, &mut || ambient.new_id());
            drop(read);
            Ok(save_imported(engine.store(), imported, &new)?)
        })
        .await?;
        self.client.engine.open(id, self.config()).await
    }

    /// Creates a session that begins with the history of another one, up to before a message if one is given.
    pub(super) async fn fork(
        &self,
        of: &SessionId,
        before: Option<ItemId>,
        parent: Option<String>,
    ) -> Result<OpenSession, Error> {
        let at = before.map(|id| HistoryPoint { item_id: Some(id), ..HistoryPoint::default() });
        let (of, config) = (of.clone(), self.config());
        let fork = ForkSession { of, at, title: None, config, cause: None };
        let handle = self.client.engine.fork(fork).await?;
        self.adopt(handle, parent, Origin::Made).await
    }

    async fn adopt(
        &self,
        handle: SessionHandle,
        parent: Option<String>,
        origin: Origin,
    ) -> Result<OpenSession, Error> {
        let mut mirror = self.mirror(&handle, parent).await?;
        self.name_file(&mut mirror);
        self.watch(handle, mirror, origin).await
    }

    async fn mirror(
        &self,
        handle: &SessionHandle,
        parent: Option<String>,
    ) -> Result<Mirror, Error> {
        let (store, id) = (self.store(), handle.id.clone());
        let apis = self.apis();
        in_background(move || Ok(Mirror::new(&store, &id, parent.as_deref(), apis)?)).await
    }

    /// Names the session's file as Pi does, if files are written.
    fn name_file(&self, mirror: &mut Mirror) {
        let Some(folder) = &self.options.preferences.session_dir else { return };
        if let Err(error) = mirror.write_to(folder.join(mirror.file_name())) {
            tracing::error!("the session has no file: {error}");
        }
    }

    async fn watch(
        &self,
        handle: SessionHandle,
        mut mirror: Mirror,
        origin: Origin,
    ) -> Result<OpenSession, Error> {
        let subscriber = self.client.subscriber(EventSelection::default());
        let before = snapshot(&handle).await?;
        // A client that joins during another client's turn receives the whole turn.
        let from = match &before.active_turn_id {
            None => before.seq,
            Some(turn) => {
                mirror.catch_up(before.seq);
                let from = mirror.before(turn).unwrap_or(before.seq);
                let missed = Feed::Lagged {
                    session_id: handle.id.clone(),
                    last_sent_seq: from,
                    head_seq: before.seq,
                };
                let is_told = from < before.seq && subscriber.feed.try_send(missed).is_ok();
                if is_told { from } else { before.seq }
            }
        };
        let subscribed = subscribe(&handle, subscriber, Some(before.seq)).await?;
        let SessionResult { title, model, cwd, queue, .. } = subscribed;
        mirror.catch_up(before.seq);
        mirror.return_from(from);
        let sets_modes = match (origin, self.options.scope) {
            (Origin::Made, _) | (_, Scope::Alone) => true,
            // How it reads its messages is also other clients' affair.
            (Origin::Opened, Scope::Shared) => false,
        };
        if sets_modes {
            let Preferences { steering, follow_up, .. } = &self.options.preferences;
            let values = [("steerMode", steering), ("followUpMode", follow_up)];
            let values = values.map(|(id, mode)| (id.to_owned(), mode.name().to_owned()));
            let values = BTreeMap::from(values);
            handle.call::<ConfigSet>(ConfigSetParams { session_id: None, values }).await?;
        }
        let level = ModelName::read(&model).level.to_owned();
        let dialect = self.options.preferences.dialect;
        let mut open = OpenSession {
            translator: Translator::new(dialect, self.apis(), title, level),
            handle,
            mirror,
            cwd: PathBuf::from(cwd),
            model,
            variables: ExtraVariables::default(),
            seq: from,
            printing: Printing::default(),
        };
        match before.active_turn_id {
            None => open.translator.queue.add_left(queue),
            Some(_) => open.translator.queue.replace(queue),
        }
        open.update_variables(dialect).await;
        Ok(open)
    }

    /// Closes a session, or leaves it to the other clients, and tidies up.
    pub(super) async fn close(&self, open: &OpenSession) {
        let _ = self.client.close(&open.handle).await;
        self.tidy(open).await;
    }

    /// Reports unsent messages. A session without messages, also unread ones, is deleted, unless another client has it open.
    pub(super) async fn tidy(&self, open: &OpenSession) {
        for text in open.translator.queue.unsent() {
            tracing::warn!("no prompt followed this message, so it was not sent: {text}");
        }
        if open.mirror.is_empty() && !open.translator.queue.has_left() {
            let (store, id) = (self.store(), open.handle.id.clone());
            let deleted = in_background(move || Ok(store.delete(&id)?)).await;
            if let Err(error) = deleted {
                tracing::debug!("{error}");
            }
        }
    }

    fn apis(&self) -> Apis {
        models::apis(&self.client.engine.models())
    }

    fn store(&self) -> Store {
        self.client.engine.store().clone()
    }
}

/// How a client's use of a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The client had it made.
    Made,
    /// The session existed before.
    Opened,
}

/// The session to which a file belongs.
struct FileSession {
    handle: SessionHandle,
    /// True if it was just imported.
    is_new: bool,
}

fn is_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !id.is_empty() && id.len() <= MAX_ID_CHARS && id.chars().all(is_plain)
}

/// Runs the store's blocking work on a separate thread.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::new(ErrorKind::Internal, error.to_string())).flatten()
}
