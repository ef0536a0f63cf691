//! The one session that a client has open, and how it comes to another one: made, opened by its file, taken over from Pi, forked.
//!
//! Invariant: the session before stays open until the next one is, so a command that fails changes nothing.

use super::line::QueueMode;
use super::mirror::Mirror;
use super::models::{self, Named};
use super::printing::Printing;
use super::translator::Translator;
use super::{Dialect, Options, variables};
use crate::agent::{
    Command, CreateSession, EngineHandle, Error, ErrorKind, ExtraVariables, ForkSession,
    OpenConfig, SessionHandle, SettingsCommand, Snapshot, Subscriber, SubscriptionCommand,
};

use crate::pi::{self, Apis};
use crate::store::Store;
use pintle_protocol::history::HistoryPoint;
use pintle_protocol::ids::{ItemId, SessionId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The longest id of a session file that is taken over.
const MOST_ID_CHARS: usize = 64;

/// The session that is open.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) handle: SessionHandle,
    pub(super) mirror: Mirror,
    pub(super) translator: Translator,
    pub(super) cwd: PathBuf,
    pub(super) model: String,
    /// The variables that its commands see.
    pub(super) variables: ExtraVariables,
    /// The last event that was told.
    pub(super) seq: u64,
    /// The calls that run, with what they have printed.
    pub(super) printing: Printing,
}

impl OpenSession {
    /// Has the session's commands see its model and its file as they are now.
    pub(super) async fn tell_commands(&mut self, dialect: Dialect) {
        let (id, file) = (self.handle.id.as_str(), self.mirror.path());
        let given = variables::given(dialect, id, file, &self.model);
        if given != self.variables {
            self.variables = ExtraVariables::clone(&given);
            let config = OpenConfig { variables: Some(given), ..OpenConfig::default() };
            // One that is closed runs no commands.
            let _ = self.handle.ask(|reply| SettingsCommand::Configure { config, reply }).await;
        }
    }
}

/// The session with which a client begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Start {
    /// A new one.
    #[default]
    New,
    /// The one whose file is the newest of this folder.
    Continue,
    /// That of this file, or whose id begins so.
    Open(String),
    /// That of this very id; a new one if there is none.
    Id(String),
    /// A copy of that of this file, or whose id begins so.
    Fork(String),
}

/// The subscriber, and the number of messages that are read at once.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) subscriber: Subscriber,
    pub(super) steering: QueueMode,
    pub(super) follow_up: QueueMode,
}

/// Makes and opens sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) engine: EngineHandle,
    pub(super) options: Options,
}

impl Sessions {
    /// The session to begin with.
    pub(super) async fn start(&self, watching: &Watching) -> Result<OpenSession, Error> {
        match &self.options.start {
            Start::New => self.create(None, None, watching).await,
            Start::Continue => match self.files().pop() {
                Some(path) => self.open_path(&path, watching).await,
                None => self.create(None, None, watching).await,
            },
            Start::Open(named) => self.open_path(&self.path_of(named)?, watching).await,
            Start::Id(id) if !is_id(id) => {
                let message = format!("Invalid session id: {id}");
                Err(Error::new(ErrorKind::Invalid, message)
                    .hint("it has letters, digits, - and _, at most 64 of them"))
            }
            Start::Id(id) => match self.path_of(id) {
                Ok(path) => self.open_path(&path, watching).await,
                Err(_) => self.open_or_create(id, watching).await,
            },
            Start::Fork(named) => {
                let path = self.path_of(named)?;
                let of = self.find(&self.read(&path).await?).await?.handle;
                self.fork(&of.id, None, Some(path.display().to_string()), watching).await
            }
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        let folder = self.options.session_dir.as_deref();
        folder.map(|folder| crate::store::beside::files(folder, ".jsonl")).unwrap_or_default()
    }

    /// The file that is named, or whose session's id begins so.
    fn path_of(&self, named: &str) -> Result<PathBuf, Error> {
        if named.contains('/') || Path::new(named).extension().is_some() {
            return Ok(self.options.cwd.join(named));
        }
        let is_it = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.split_once('_').is_some_and(|(_, id)| id.starts_with(named))
        };
        self.files().into_iter().find(is_it).ok_or_else(|| {
            let message = format!("No session found matching '{named}'");
            Error::new(ErrorKind::NotFound, message)
        })
    }

    fn config(&self) -> OpenConfig {
        OpenConfig {
            model: self.options.model.clone(),
            permission_mode: Some(self.engine.default_permission_mode()),
            ..OpenConfig::default()
        }
    }

    /// Makes a session; with this model, if one is named.
    pub(super) async fn create(
        &self,
        parent: Option<String>,
        model: Option<String>,
        watching: &Watching,
    ) -> Result<OpenSession, Error> {
        let handle = self.engine.create(self.new_session(None, model)).await?;
        self.adopt(handle, parent, watching).await
    }

    fn new_session(&self, id: Option<SessionId>, model: Option<String>) -> CreateSession {
        let config = self.config();
        let config = OpenConfig {
            model: model.or(config.model),
            system_prompt: self.options.system_prompt.clone(),
            ..config
        };
        CreateSession {
            id,
            cwd: self.options.cwd.to_string_lossy().into_owned(),
            title: self.options.name.clone(),
            config,
            ..CreateSession::default()
        }
    }

    /// Opens the session with this id, or makes it.
    async fn open_or_create(&self, id: &str, watching: &Watching) -> Result<OpenSession, Error> {
        let id = SessionId::new(id.to_owned());
        let handle = if self.store().folder(&id).is_ok() {
            self.engine.open(id, self.config()).await?
        } else {
            self.engine.create(self.new_session(Some(id), None)).await?
        };
        self.adopt(handle, None, watching).await
    }

    /// Opens the session of a file: of ours, or of Pi's, which is taken over.
    pub(super) async fn open_path(
        &self,
        path: &Path,
        watching: &Watching,
    ) -> Result<OpenSession, Error> {
        let text = self.read(path).await?;
        let Found { mut handle, is_new } = self.find(&text).await?;
        let mut mirror = self.mirror(&handle, None).await?;
        if let Err(why) = mirror.write_to(path.to_owned()) {
            tracing::warn!("{}: {why}; it is left as it is", path.display());
            // What it says now is something else than the one in the journal.
            if !is_new {
                handle = self.import(&text, None).await?;
            }
            mirror = self.mirror(&handle, Some(path.display().to_string())).await?;
            self.name_file(&mut mirror);
        }
        self.watch(handle, mirror, watching).await
    }

    /// The session that a file is of.
    async fn find(&self, text: &str) -> Result<Found, Error> {
        let head = text.lines().next().unwrap_or_default();
        let head: serde_json::Value = serde_json::from_str(head).unwrap_or_default();
        let id = head.get("id").and_then(serde_json::Value::as_str).filter(|id| is_id(id));
        if let Some(id) = id {
            let id = SessionId::new(id.to_owned());
            if self.store().folder(&id).is_ok() {
                let handle = self.engine.open(id, self.config()).await?;
                return Ok(Found { handle, is_new: false });
            }
        }
        Ok(Found { handle: self.import(text, id).await?, is_new: true })
    }

    async fn read(&self, path: &Path) -> Result<String, Error> {
        let bytes = self.engine.read_local(path).await.map_err(|_| {
            let message = format!("Session file not found: {}", path.display());
            Error::new(ErrorKind::NotFound, message)
        })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        pi::read(&text).map_err(|_| {
            let message = format!("Session file is not a valid pi session: {}", path.display());
            Error::new(ErrorKind::Invalid, message)
        })?;
        Ok(text)
    }

    /// Takes a session of Pi's over, under its own id if that is free.
    async fn import(&self, text: &str, id: Option<&str>) -> Result<SessionHandle, Error> {
        let ambient = self.engine.ambient().clone();
        let id = id.map_or_else(|| ambient.new_id(), str::to_owned);
        let id = SessionId::new(id);
        let (store, text, new) = (self.store(), text.to_owned(), id.clone());
        in_background(move || {
            let read = pi::read(&text)
                .map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
            let imported = pi::import(&read, None, &mut || ambient.new_id());
            imported.keep(&store, &new)?;
            Ok(())
        })
        .await?;
        self.engine.open(id, self.config()).await
    }

    /// Makes a session that begins with the history of another one, before a message if one is named.
    pub(super) async fn fork(
        &self,
        of: &SessionId,
        before: Option<ItemId>,
        parent: Option<String>,
        watching: &Watching,
    ) -> Result<OpenSession, Error> {
        let at = before.map(|id| HistoryPoint { item_id: Some(id), ..HistoryPoint::default() });
        let fork = ForkSession { of: of.clone(), at, title: None, config: self.config() };
        let handle = self.engine.fork(fork).await?;
        self.adopt(handle, parent, watching).await
    }

    async fn adopt(
        &self,
        handle: SessionHandle,
        parent: Option<String>,
        watching: &Watching,
    ) -> Result<OpenSession, Error> {
        let mut mirror = self.mirror(&handle, parent).await?;
        self.name_file(&mut mirror);
        self.watch(handle, mirror, watching).await
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

    /// Names the session's file as Pi does, if there is to be one.
    fn name_file(&self, mirror: &mut Mirror) {
        let Some(folder) = &self.options.session_dir else { return };
        if let Err(error) = mirror.write_to(folder.join(mirror.file_name())) {
            tracing::error!("the session has no file: {error}");
        }
    }

    async fn watch(
        &self,
        handle: SessionHandle,
        mut mirror: Mirror,
        watching: &Watching,
    ) -> Result<OpenSession, Error> {
        let Watching { subscriber, steering, follow_up } = watching;
        let subscriber = subscriber.clone();
        let subscribe =
            |reply| SubscriptionCommand::Subscribe { subscriber, from_seq: None, reply };
        let Snapshot { seq, title, model, cwd, .. } = handle.ask(subscribe).await?;
        mirror.catch_up(seq);
        let values = [("steerMode", steering), ("followUpMode", follow_up)];
        let values = values.map(|(id, mode)| (id.to_owned(), mode.name().to_owned()));
        let values = BTreeMap::from(values);
        handle.ask(|reply| SettingsCommand::SetOptions { values, reply }).await?;
        let level = Named::read(&model).level.to_owned();
        let mut open = OpenSession {
            translator: Translator::new(self.options.dialect, self.apis(), title, level),
            handle,
            mirror,
            cwd: PathBuf::from(cwd),
            model,
            variables: ExtraVariables::default(),
            seq,
            printing: Printing::default(),
        };
        open.tell_commands(self.options.dialect).await;
        Ok(open)
    }

    /// Closes a session, and names what nobody sent. One in which nobody said anything is not kept.
    pub(super) async fn close(&self, open: &OpenSession) {
        for text in open.translator.queue.unsent() {
            tracing::warn!("no prompt came after this message, so it was not sent: {text}");
        }
        let _ = open.handle.ask(|reply| Command::Close { reply }).await;
        if open.mirror.is_empty() {
            let (store, id) = (self.store(), open.handle.id.clone());
            let deleted = in_background(move || Ok(store.delete(&id)?)).await;
            if let Err(error) = deleted {
                tracing::debug!("{error}");
            }
        }
    }

    fn apis(&self) -> Apis {
        models::apis(&self.engine.models())
    }

    fn store(&self) -> Store {
        self.engine.store().clone()
    }
}

/// The session that a file is of.
struct Found {
    handle: SessionHandle,
    /// It was taken over just now.
    is_new: bool,
}

fn is_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !id.is_empty() && id.len() <= MOST_ID_CHARS && id.chars().all(is_plain)
}

/// Does blocking work of the store on a thread for it.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::new(ErrorKind::Internal, error.to_string())).flatten()
}
