//! The engine: which sessions are open, and the tasks that run them.

mod auth;
mod checkpoints;
mod export;
mod fork;
mod indexing;
mod isolated;
mod keyed;
mod opening;
mod reopen;
mod resources;
mod stored;
mod user_shell;

pub use stored::PageRange;
pub use user_shell::UserShellRun;

pub use resources::{DecideContent, ResourceChange, ResourceStat};

use crate::command::{
    COMMAND_CAPACITY, Command, OpenConfig, Reply, SessionHandle, SettingsCommand,
};
use crate::engine::indexing::Indexing;
use crate::engine::opening::Opening;
use crate::error::{Action, Error, ErrorKind, Hint};
use crate::isolation;
use crate::project::{self, NotAgreed};
use crate::requests::{CreateSession, ForkSession, REQUEST_CAPACITY, Request, SessionFactory};
use crate::services::Services;
use crate::session::{Lineage, Session, Settings, check_tools, given_title, parse_model};
use crate::turn::context::TurnState;
use crate::turn::limits::Limits;
use crate::workspace;
use pintle_base::ambient::Ambient;
use pintle_exec::editor::Editors;
use pintle_os::names;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{AgentRole, Cause, Event, EventRecord, SessionCreated};
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::methods::{NamedPrompt, PromptListResult};
use pintle_protocol::models::ModelsListResult;
use pintle_protocol::trust::{SeenFile, TrustResult};
use pintle_session::history::recovery::Earlier;
use pintle_session::pi::Imported;
use pintle_session::store::{Entry, FORMAT_VERSION, Header, Journal, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The open sessions. Run it alongside the frontends.
#[derive(Debug)]
pub struct Engine {
    services: Arc<Services>,
    requests: mpsc::Receiver<Request>,
    sessions: SessionFactory,
    open: BTreeMap<SessionId, SessionHandle>,
    tasks: JoinSet<SessionId>,
    /// Who waits until no session is open.
    emptiness: Vec<oneshot::Sender<()>>,
    indexing: Indexing,
}

/// An engine handle. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EngineHandle {
    services: Arc<Services>,
    requests: mpsc::Sender<Request>,
}

/// A finished command of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalRun {
    /// True if the exit code is 0.
    pub is_success: bool,
    /// The last part of the output, stdout and stderr interleaved.
    pub output: String,
}

impl EngineHandle {
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// Returns the time, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.services.ambient.now_ms()
    }

    /// Returns the clock and the id source.
    pub fn ambient(&self) -> &Ambient {
        &self.services.ambient
    }

    /// Returns the stored sessions.
    pub fn store(&self) -> &Store {
        &self.services.store
    }

    /// Returns the known providers and models.
    pub fn models(&self) -> ModelsListResult {
        self.services.models.list()
    }

    /// Returns the default model, for sessions that do not request one.
    pub fn default_model(&self) -> Option<&str> {
        self.services.defaults.model.as_deref()
    }

    /// Checks that a model is usable with the current settings: its provider is known and has its key.
    ///
    /// # Errors
    /// The model is not usable; the hint lists the missing parts.
    pub fn check_model(&self, model: &str) -> Result<(), Error> {
        let model = parse_model(model)?;
        // Listing reloads the settings, and leaves their problems for the next turn to report.
        self.services.models.list();
        self.services.models.provider(&model).map(drop).map_err(Error::from)
    }

    /// Returns the default permission mode, for sessions that do not request one.
    pub fn default_permission_mode(&self) -> PermissionMode {
        self.services.permissions.default_mode
    }

    /// Trusts the projects in these resolved directories while the engine runs.
    pub fn trust_for_now(&self, folders: Vec<PathBuf>) {
        self.services.permissions.answers.trust_for_now(folders);
    }

    /// Returns true if a conversation that nears the window limit is compacted automatically.
    pub fn compacts_by_itself(&self) -> bool {
        self.services.defaults.compaction.is_automatic
    }

    /// Reads a file on this machine, wherever tools run.
    ///
    /// # Errors
    /// The file cannot be read.
    pub async fn read_local(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let read = self.services.here.read(path).await;
        read.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))
    }

    /// Writes a file on this machine, wherever tools run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub async fn write_local(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        let written = self.services.here.write(path, content).await;
        written.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))
    }

    /// Appends to a file on this machine, creating it if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub async fn append_local(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        let wrong = |error: pintle_exec::Error| Error::new(ErrorKind::Invalid, error.to_string());
        let here = &self.services.here;
        let mut all = match here.stat(path).await {
            Ok(_) => here.read(path).await.map_err(wrong)?,
            Err(pintle_exec::Error::NotFound(_)) => Vec::new(),
            Err(error) => return Err(wrong(error)),
        };
        all.extend(content);
        here.write(path, all).await.map_err(wrong)
    }

    /// Runs a user's command on this machine, outside of the sandbox.
    ///
    /// # Errors
    /// The command cannot be started.
    pub async fn run_local(
        &self,
        line: &str,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Result<LocalRun, Error> {
        let command = pintle_exec::Command::new(line, cwd, "user");
        let ran = self.services.here.exec(command, cancel, &mut |_| {}).await;
        let ran = ran.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        Ok(LocalRun { is_success: ran.end == pintle_exec::End::Exited(0), output: ran.tail })
    }

    /// Creates a session.
    ///
    /// # Errors
    /// The id is in use, the working directory or the model is invalid, the project cannot be isolated, or the data directory cannot be
    /// written.
    pub async fn create(&self, mut create: CreateSession) -> Result<SessionHandle, Error> {
        let prepared = isolation::prepare(self.services(), &mut create).await?;
        let created = self.request(|reply| Request::Create(Box::new(create), reply)).await;
        if let Some(prepared) = prepared
            && !created.as_ref().is_ok_and(|created| created.id == *prepared.session())
        {
            prepared.discard().await;
        }
        created
    }

    /// Opens a stored session, or returns the open one.
    ///
    /// # Errors
    /// The session does not exist, is open in another process, or cannot be read.
    pub async fn open(&self, id: SessionId, config: OpenConfig) -> Result<SessionHandle, Error> {
        self.request(|reply| Request::Open(id, config, reply)).await
    }

    /// Creates a session that starts with another session's history, and opens it.
    ///
    /// # Errors
    /// The other session or the point in it does not exist, or the data directory cannot be written.
    pub async fn fork(&self, fork: ForkSession) -> Result<SessionHandle, Error> {
        self.ask_to_fork(&fork).await?;
        self.request(|reply| Request::Fork(Box::new(fork), reply)).await
    }

    /// Returns the editors' documents and terminals; `None` if the files are on another machine.
    pub fn editors(&self) -> Option<&Editors> {
        self.services.editors.as_ref()
    }

    /// Returns the canonical path of a file that may not exist yet.
    ///
    /// # Errors
    /// The path cannot be resolved.
    pub async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        let found = self.services.env.canonicalize(path).await;
        found.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))
    }

    /// Returns the prompts that can be called in a working directory, from the current files.
    pub async fn prompts(&self, cwd: &str) -> PromptListResult {
        let Services { env, personal, .. } = &*self.services;
        project::prompts(env.as_ref(), personal, Path::new(cwd)).await
    }

    /// Returns the skills that can be called in a directory.
    pub async fn skills(&self, cwd: &str) -> Vec<NamedPrompt> {
        let Services { env, personal, .. } = &*self.services;
        project::skills(env.as_ref(), personal, Path::new(cwd)).await
    }

    /// Lists the files that configure the engine in the project around a directory.
    pub async fn orders(&self, cwd: &str) -> TrustResult {
        let Services { env, personal, .. } = &*self.services;
        project::trust(env.as_ref(), personal, Path::new(cwd)).await
    }

    /// Agrees to project files as the user saw them.
    ///
    /// # Errors
    /// A file has changed since, the project is not trusted, or the agreement cannot be saved. Nothing is agreed to in these cases.
    pub async fn agree(&self, cwd: &str, seen: Vec<SeenFile>) -> Result<TrustResult, Error> {
        let Services { env, personal, .. } = &*self.services;
        let agreed = project::agree(env.as_ref(), personal, Path::new(cwd), seen).await;
        agreed.map_err(|refusal| {
            let hint = match &refusal {
                NotAgreed::Untrusted(_) => {
                    "run `pintle trust` in that directory to trust it and these files as they are"
                }
                NotAgreed::Changed(_) => "reread the files with `trust/read`",
                NotAgreed::NotSaved(_) => {
                    "free disk space, or make the directory of `trust.toml` writable"
                }
            };
            let kind = match &refusal {
                NotAgreed::Untrusted(_) | NotAgreed::Changed(_) => ErrorKind::Conflict,
                NotAgreed::NotSaved(_) => ErrorKind::Internal,
            };
            Error::new(kind, refusal.to_string()).hint(Hint::Text(hint.to_owned()))
        })
    }

    /// Closes every session in order.
    pub async fn shutdown(&self) {
        let (tx, rx) = oneshot::channel();
        if self.requests.send(Request::Shutdown(tx)).await.is_ok() {
            let _ = rx.await;
        }
    }

    /// Waits until no session is open.
    pub async fn when_empty(&self) {
        let (tx, rx) = oneshot::channel();
        if self.requests.send(Request::WhenEmpty(tx)).await.is_ok() {
            let _ = rx.await;
        }
    }

    /// Starts the work that the first session would wait for. A busy engine ignores this: its sessions wait for the work then.
    pub fn prepare(&self) {
        let _ = self.requests.try_send(Request::Prepare);
    }

    /// Triggers indexing.
    pub(super) fn index_due(&self) {
        let _ = self.requests.try_send(Request::IndexDue);
    }

    async fn request<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, Error> {
        let gone = || Error::new(ErrorKind::Internal, "the engine has ended");
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Engine {
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// Returns an engine without sessions, and a handle to it.
    pub fn new(services: Services) -> (Self, EngineHandle) {
        let (tx, requests) = mpsc::channel(REQUEST_CAPACITY);
        let services = Arc::new(services);
        let sessions = SessionFactory(tx.downgrade());
        let handle = EngineHandle { services: Arc::clone(&services), requests: tx };
        let (open, tasks) = (BTreeMap::new(), JoinSet::new());
        let indexing = Indexing::new(services.store.clone());
        (
            Self { services, requests, sessions, open, tasks, emptiness: Vec::new(), indexing },
            handle,
        )
    }

    /// Serves until every handle is gone, then closes the open sessions.
    pub async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                Some(ended) = self.tasks.join_next() => self.forget(ended),
                () = self.indexing.next() => {}
                request = self.requests.recv() => match request {
                    Some(Request::Create(create, reply)) => {
                        // If the requester is gone, no one else will close the session.
                        if let Err(Ok(handle)) = reply.send(self.create(*create).await) {
                            let (reply, _) = oneshot::channel();
                            let _ = handle.tell(Command::Close { reply }).await;
                        }
                    }
                    Some(Request::Open(id, config, reply)) => {
                        let _ = reply.send(self.open(&id, config).await);
                    }
                    Some(Request::Fork(fork, reply)) => {
                        let _ = reply.send(self.fork(*fork).await);
                    }
                    Some(Request::IndexDue) => self.indexing.due(),
                    Some(Request::Prepare) => self.prepare().await,
                    Some(Request::WhenEmpty(done)) => {
                        self.emptiness.push(done);
                        self.tell_when_empty();
                    }
                    Some(Request::Shutdown(done)) => {
                        self.close_all().await;
                        let _ = done.send(());
                    }
                    None => break,
                },
            }
        }
        self.close_all().await;
    }

    fn forget(&mut self, ended: Result<SessionId, tokio::task::JoinError>) {
        match ended {
            Ok(id) => {
                self.open.remove(&id);
            }
            Err(error) => {
                tracing::error!("a session task failed: {error}");
                self.open.retain(|_, handle| !handle.commands.is_closed());
            }
        }
        self.tell_when_empty();
    }

    fn tell_when_empty(&mut self) {
        if self.open.is_empty() {
            for done in self.emptiness.drain(..) {
                let _ = done.send(());
            }
        }
    }

    async fn close_all(&mut self) {
        for (_, handle) in std::mem::take(&mut self.open) {
            let (reply, _) = oneshot::channel();
            let _ = handle.tell(Command::Close { reply }).await;
        }
        while let Some(ended) = self.tasks.join_next().await {
            self.forget(ended);
        }
    }

    async fn create(&mut self, create: CreateSession) -> Result<SessionHandle, Error> {
        let CreateSession {
            id,
            cwd,
            title,
            config,
            parent,
            role,
            limits,
            budget,
            blobs,
            cause,
            ..
        } = create;
        let cwd = names::given(cwd);
        let title = title.map(|title| given_title(&title)).transpose()?.flatten();
        let wanted = keyed::Wanted::create(&cwd, title.as_ref(), &config);
        if let Some(made) = self.made_with(cause.as_ref(), wanted).await? {
            return self.open(&made, OpenConfig::default()).await;
        }
        self.check_folders(&cwd, &config).await?;
        let wanted_mode = config.permission_mode;
        let mut settings = self.settings(config, title, parent.is_some(), role)?;
        if let Some(tools) = &settings.tools {
            check_tools(&self.services, &settings, tools)?;
        }
        if let Some(limits) = limits {
            settings.limits = self.services.defaults.limits.and(limits);
            settings.limits.turns = None;
        }
        settings.lineage.share(budget, blobs);
        settings.isolation = self.isolation_at(&cwd).await?;
        let created_ms = self.services.ambient.now_ms();
        let session_id = match id {
            Some(id) if self.services.store.folder(&id).is_ok() => {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!("session {id} already exists"),
                ));
            }
            Some(id) => id,
            None => SessionId::new(self.services.ambient.new_id()),
        };
        let mut journal = self.services.store.draft(&Header {
            journal: "pintle".to_owned(),
            version: FORMAT_VERSION,
            session_id,
            cwd: cwd.clone(),
            created_ms,
        })?;
        let created = Event::SessionCreated(SessionCreated {
            cwd,
            model: settings.model.to_string(),
            permission_mode: settings.permission_mode,
            mode: settings.mode,
            title: settings.title.clone(),
            parent,
            role: settings.role.clone(),
            system_prompt: settings.system_prompt.clone(),
            tools: settings.tools.clone(),
            forked_from: None,
        });
        self.append(&mut journal, None, created, cause.clone())?;
        // Before the session is there: a key that leads nowhere is forgotten, a session without its key would be made twice.
        if let Some(key) = cause.and_then(|cause| cause.key) {
            self.services.store.keep_key(&key, &journal.header().session_id)?;
        }
        journal.publish()?;
        let kept = settings.permission_mode;
        let handle = self.spawn(journal, settings, TurnState::default(), Earlier::default());
        if wanted_mode.is_some_and(|wanted| wanted > kept) {
            // The session reports that it keeps the stricter mode.
            let config = OpenConfig { permission_mode: wanted_mode, ..OpenConfig::default() };
            handle.ask(|reply| SettingsCommand::Configure { config, reply }).await?;
        }
        Ok(handle)
    }

    /// Queries the kernel for the sandbox that sessions report for their commands.
    async fn prepare(&self) {
        if self.services.env.is_this_machine() {
            self.services.permissions.sandbox.level().await;
        }
    }

    async fn check_folders(&self, cwd: &str, config: &OpenConfig) -> Result<(), Error> {
        let env = self.services.env.as_ref();
        self.prepare().await;
        workspace::check(env, "working directory", Path::new(cwd))
            .await
            .map_err(|error| error.at("/cwd"))?;
        workspace::check_all(env, config.additional.as_ref()).await
    }

    fn settings(
        &self,
        config: OpenConfig,
        title: Option<String>,
        is_subagent: bool,
        role: Option<AgentRole>,
    ) -> Result<Settings, Error> {
        let model = config.model.or_else(|| self.services.defaults.model.clone());
        let model = model.ok_or_else(|| {
            Error::new(ErrorKind::Config, "no model is set").hint(Action::NameModel)
        })?;
        Ok(Settings {
            model: parse_model(&model)?,
            permission_mode: config
                .permission_mode
                .unwrap_or(self.services.permissions.default_mode)
                .min(self.services.permissions.ceiling),
            mode: config.mode.unwrap_or_default(),
            title,
            // The code that creates or opens a sub-agent's session knows its depth.
            limits: if is_subagent {
                Limits { subagent_depth: 0, turns: None, ..self.services.defaults.limits }
            } else {
                self.services.defaults.limits
            },
            compaction: self.services.defaults.compaction,
            lineage: Lineage::new(is_subagent),
            role,
            tools: config.tools,
            servers: config.servers.unwrap_or_default(),
            system_prompt: config.system_prompt.filter(|text| !text.trim().is_empty()),
            variables: config.variables.unwrap_or_default(),
            additional: config.additional.unwrap_or_default(),
            trace: config.trace.unwrap_or_default(),
            // The code that creates or opens a session looks for it.
            isolation: None,
        })
    }

    fn append(
        &self,
        journal: &mut Journal,
        turn_id: Option<TurnId>,
        event: Event,
        cause: Option<Cause>,
    ) -> Result<Entry, Error> {
        let record = EventRecord {
            session_id: journal.header().session_id.clone(),
            seq: journal.last_seq() + 1,
            ts_ms: self.services.ambient.now_ms(),
            turn_id,
            cause,
            event,
        };
        journal.append(&record, None)?;
        Ok(Entry::written(record))
    }

    fn spawn(
        &mut self,
        journal: Journal,
        settings: Settings,
        state: TurnState,
        earlier: Earlier,
    ) -> SessionHandle {
        let (commands_tx, commands) = mpsc::channel(COMMAND_CAPACITY);
        let id = journal.header().session_id.clone();
        let (services, sessions) = (Arc::clone(&self.services), self.sessions.clone());
        let task = Session::serve(services, sessions, journal, settings, state, earlier, commands);
        self.tasks.spawn(task);
        let handle = SessionHandle::new(id.clone(), commands_tx);
        self.open.insert(id, handle.clone());
        handle
    }
}

/// Stores an imported session, with the state from which it is opened.
///
/// # Errors
/// The store cannot be written.
pub fn save_imported(
    store: &Store,
    imported: Imported,
    id: &SessionId,
) -> Result<(), pintle_session::store::Error> {
    imported.save(store, id, |mut opening: Opening| opening.saved_state())
}
