//! A server's life cycle: it is started at its first use, kept, and reconnected after a failure.
//!
//! State has one owner, the task that starts and watches the server; all other code reads it from a channel. Invariant: every wait for a
//! server is bounded, and when the last handle is gone, its process ends.

use super::client::{McpClient, McpClientError, PromptShape, ToolShape};
use super::definition::{Definition, Grant, OAuthClient, Origin, Transport, quoted};
use super::login::{
    Agreement, ClientSecrets, LoginPage, LoginTarget, Nobody, ServerLogins, missing_scopes,
};
use super::sdk::{self, Versions};
use pintle_base::text::visible::visible;
use pintle_exec::sandbox::Confinement;
use pintle_exec::{Environment, Process, Program, RunningProgram};
use pintle_os::pipe;
use pintle_protocol::mcp::{McpLoginState, McpServerState, McpStatus, McpTool};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The maximum number of lines of error output that are kept.
const MAX_STDERR_LINES: usize = 200;

/// The maximum length of such a line in bytes.
const MAX_STDERR_LINE: u64 = 4096;

/// The wait before the second start; it doubles with each one that fails.
const FIRST_BACKOFF: Duration = Duration::from_secs(1);

/// The longest wait before another start.
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// A call waits for the next start if that is due within this time.
const WORTH_WAITING: Duration = Duration::from_secs(5);

/// Where a server of a session runs.
#[derive(Debug, Clone)]
pub struct LaunchContext {
    /// The environment that starts its process.
    pub env: Arc<dyn Environment>,
    /// The session's working directory.
    pub cwd: PathBuf,
    /// True if the user trusts the project there. If not, programs start in a separate directory: many run files found in their starting
    /// directory.
    pub is_trusted: bool,
    /// The confinement of a server that runs in the sandbox, or the reason why there is none and no server may run.
    pub confinement: Result<Option<Arc<Confinement>>, String>,
}

impl LaunchContext {
    /// Returns the launch context for a server at a URL, before a turn has examined the directory. No program starts there.
    pub fn before_a_turn(env: &Arc<dyn Environment>, cwd: &Path) -> Self {
        Self {
            env: Arc::clone(env),
            cwd: cwd.to_owned(),
            is_trusted: false,
            confinement: Err("it starts with the session's first turn".to_owned()),
        }
    }
}

/// The sources of values in definitions.
#[async_trait::async_trait]
pub trait Values: Send + Sync + std::fmt::Debug {
    /// Expands variables in a definition's text.
    ///
    /// # Errors
    /// A message for the user about the missing value.
    fn expand(&self, text: &str, origin: &Origin) -> Result<String, String>;

    /// Returns the value of a variable or a header: like [`Values::expand`], and also from the sources allowed for keys.
    ///
    /// # Errors
    /// A message for the user about the missing value.
    async fn value(&self, text: &str, origin: &Origin) -> Result<String, String>;

    /// Returns the variables that every server sees in addition to its configured ones.
    fn base(&self) -> Vec<(String, String)>;

    /// Returns a separate, writable directory for a server's caches.
    fn cache(&self, server: &str) -> Option<PathBuf>;
}

/// A server's state.
#[derive(Debug, Clone)]
pub enum State {
    /// The server has not been used yet.
    Idle,
    /// The server is starting.
    Starting,
    /// The server is connected.
    Ready {
        /// The connection.
        link: Arc<dyn McpClient>,
        /// The server's tools, including any left out by the definition.
        tools: Arc<[ToolShape]>,
        /// The server's prompts.
        prompts: Arc<[PromptShape]>,
    },
    /// The server could not be started, or the connection was closed.
    Failed {
        /// The reason.
        error: McpClientError,
        /// The earliest retry time.
        not_before: Instant,
    },
}

/// A server's state, for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The server has not been used yet.
    Idle,
    /// The server is starting.
    Starting,
    /// The server is connected.
    Ready,
    /// The server could not be started, or the connection was closed.
    Failed(String),
}

/// A server.
#[derive(Debug)]
pub struct Server {
    definition: Definition,
    shared: Arc<Shared>,
    /// Ends the process and the task with the last handle.
    _guard: DropGuard,
}

/// The last lines of a server's error output.
type Lines = Arc<Mutex<VecDeque<String>>>;

/// The tasks of all servers of a pool, which end with it.
#[derive(Debug, Clone, Default)]
struct Tasks(Arc<Mutex<JoinSet<()>>>);

impl Tasks {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }
}

/// The data that a server's task shares with its handles.
#[derive(Debug)]
struct Shared {
    definition: Definition,
    launch: LaunchContext,
    values: Arc<dyn Values>,
    logins: ServerLogins,
    tasks: Tasks,
    state: watch::Sender<State>,
    stderr: Lines,
    failures: Mutex<u32>,
    ended: CancellationToken,
}

/// Returns an unused server's state, for clients.
pub(super) fn idle(definition: &Definition) -> McpServerState {
    McpServerState {
        name: definition.name.clone(),
        target: definition.target(),
        origin: definition.origin.to_string(),
        status: McpStatus::Idle,
        message: None,
        login: definition.has_login().then_some(McpLoginState::Possible),
        about: None,
        tools: Vec::new(),
        problems: Vec::new(),
        stderr: Vec::new(),
    }
}

impl Server {
    /// Creates a server that is not started yet.
    fn new(definition: Definition, launch: LaunchContext, pool: &Pool) -> Arc<Self> {
        let ended = CancellationToken::new();
        let shared = Arc::new(Shared {
            definition: definition.clone(),
            launch,
            values: Arc::clone(&pool.values),
            logins: pool.logins.clone(),
            tasks: pool.tasks.clone(),
            state: watch::Sender::new(State::Idle),
            stderr: Lines::default(),
            failures: Mutex::default(),
            ended: ended.clone(),
        });
        Arc::new(Self { definition, shared, _guard: ended.drop_guard() })
    }

    /// Returns the server's definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the current state.
    pub fn state(&self) -> State {
        self.shared.state.borrow().clone()
    }

    /// Returns the current state, for users.
    pub fn status(&self) -> Status {
        match &*self.shared.state.borrow() {
            State::Idle => Status::Idle,
            State::Starting => Status::Starting,
            State::Ready { .. } => Status::Ready,
            State::Failed { error, .. } => Status::Failed(self.explain(error)),
        }
    }

    /// Reports each state change.
    pub fn changes(&self) -> watch::Receiver<State> {
        self.shared.state.subscribe()
    }

    /// Returns the last lines that it wrote to its error output.
    pub fn stderr(&self) -> Vec<String> {
        let lines = self.shared.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// Returns the current state, for clients, without problems.
    pub(super) fn report(&self) -> McpServerState {
        let base = McpServerState { stderr: self.stderr(), ..idle(&self.definition) };
        match self.state() {
            State::Idle => base,
            State::Starting => McpServerState { status: McpStatus::Starting, ..base },
            State::Ready { link, tools, .. } => {
                let used = tools.iter().filter(|tool| self.definition.uses(&tool.name));
                let tools = used.map(|tool| McpTool {
                    name: tool.name.clone(),
                    description: tool.description.clone(),
                    read_only_hint: tool.read_only_hint,
                });
                McpServerState {
                    status: McpStatus::Ready,
                    about: Some(link.about()),
                    tools: tools.collect(),
                    ..base
                }
            }
            State::Failed { error, .. } => {
                let is_wanted = matches!(error, McpClientError::Login(_));
                McpServerState {
                    status: McpStatus::Failed,
                    message: Some(self.explain(&error)),
                    login: base
                        .login
                        .map(|login| if is_wanted { McpLoginState::Wanted } else { login }),
                    ..base
                }
            }
        }
    }

    /// Initiates the start, unless the server runs, or failed so recently that it is too early to retry.
    pub fn start(&self) {
        let is_due = |state: &State| match state {
            State::Idle => true,
            State::Starting | State::Ready { .. } => false,
            State::Failed { not_before, .. } => Instant::now() >= *not_before,
        };
        let begins = self.shared.state.send_if_modified(|state| {
            let is_due = is_due(state);
            if is_due {
                *state = State::Starting;
            }
            is_due
        });
        if begins {
            let shared = Arc::clone(&self.shared);
            self.shared.tasks.spawn(async move {
                let unfinished = Unfinished(&shared);
                shared.serve().await;
                drop(unfinished);
            });
        }
    }

    /// Forgets a failure, so that the next use starts it at once.
    pub fn forget_failure(&self) {
        self.shared.state.send_if_modified(|state| {
            let is_failed = matches!(state, State::Failed { .. });
            if is_failed {
                *state = State::Idle;
            }
            is_failed
        });
    }

    /// Starts the server if needed, and waits until it is connected, until it fails, or until the deadline. If it failed a moment ago, it
    /// is tried once more after its back-off.
    ///
    /// # Errors
    /// The reason why there is no connection.
    pub async fn link(&self, deadline: Instant) -> Result<Arc<dyn McpClient>, McpClientError> {
        let worth_waiting = deadline.min(Instant::now() + WORTH_WAITING);
        match self.settled(deadline).await {
            Err((_, not_before)) if not_before < worth_waiting => {
                tokio::time::sleep_until(not_before).await;
                self.settled(deadline).await.map_err(|(error, _)| error)
            }
            settled => settled.map_err(|(error, _)| error),
        }
    }

    /// Starts the server if needed, and waits for the outcome. An error comes with the earliest retry time.
    async fn settled(
        &self,
        deadline: Instant,
    ) -> Result<Arc<dyn McpClient>, (McpClientError, Instant)> {
        self.start();
        let mut changes = self.changes();
        let is_settled = |state: &State| match state {
            State::Idle | State::Starting => false,
            // After a connection ends, its outcome is known in a moment.
            State::Ready { link, .. } => !link.is_closed(),
            State::Failed { .. } => true,
        };
        let state = match timeout_at(deadline, changes.wait_for(is_settled)).await {
            Ok(Ok(state)) => state.clone(),
            Ok(Err(_)) => return Err((McpClientError::Closed, deadline)),
            Err(_) => {
                let error = McpClientError::Failed("it is still starting".to_owned());
                return Err((error, deadline));
            }
        };
        match state {
            State::Ready { link, .. } => Ok(link),
            State::Failed { error, not_before } => Err((error, not_before)),
            State::Idle | State::Starting => Err((McpClientError::Closed, deadline)),
        }
    }

    /// Logs in to the server, if it is reached over HTTP, on a page that is passed to `show`. Its next start uses the login. `scopes`, if
    /// any, are requested in place of those of its definition. A login that exists keeps its scopes.
    ///
    /// # Errors
    /// The server has no login, it or the user refused, or the login could not be stored.
    pub async fn log_in(
        &self,
        scopes: &[String],
        show: &mut (dyn FnMut(LoginPage) + Send),
    ) -> Result<(), McpClientError> {
        self.log_in_asking(scopes, show, Arc::new(Nobody)).await
    }

    /// Like [`Server::log_in`], and asks before an address of this machine or of a private network is, which the server names.
    ///
    /// # Errors
    /// As of [`Server::log_in`].
    pub async fn log_in_asking(
        &self,
        scopes: &[String],
        show: &mut (dyn FnMut(LoginPage) + Send),
        agreement: Arc<dyn Agreement>,
    ) -> Result<(), McpClientError> {
        let (url, oauth) = self.address()?;
        let mut client = oauth.clone();
        if !scopes.is_empty() {
            client.scopes = scopes.to_vec();
        }
        if self.definition.has_own_login() {
            let message = "its settings contain an `Authorization` header, which replaces a login";
            return Err(McpClientError::Failed(message.to_owned()));
        }
        if self.definition.gets_tokens_at_start() {
            let message = "its `oauth.grant` needs no login: each start gets a token";
            return Err(McpClientError::Failed(message.to_owned()));
        }
        let secrets = self.shared.client_secrets(&client).await?;
        // The server's refusal contains where to log in, and for which scopes.
        let refused = self.link(Instant::now() + self.definition.start_timeout).await;
        let challenge = match &refused {
            Err(McpClientError::Login(challenge)) => Some(challenge.as_str()),
            Ok(_) | Err(_) => None,
        };
        let wanted = LoginTarget {
            url: &url,
            client: &client,
            secret: secrets.client.as_deref(),
            challenge: challenge.filter(|challenge| !challenge.is_empty()),
        };
        self.shared.logins.log_in(&wanted, show, agreement).await?;
        self.forget_failure();
        Ok(())
    }

    /// Removes the server's login. Returns true if there was one.
    ///
    /// # Errors
    /// The server is not reached over HTTP, or the logins cannot be changed.
    pub async fn log_out(&self) -> Result<bool, McpClientError> {
        let (url, _) = self.address()?;
        let removed = self.shared.logins.log_out(&url).await;
        removed.map_err(|error| McpClientError::Failed(error.to_string()))
    }

    fn address(&self) -> Result<(String, &OAuthClient), McpClientError> {
        match &self.definition.transport {
            Transport::Http { url, oauth, .. } => Ok((self.shared.expand(url)?, oauth)),
            Transport::Stdio { .. } => Err(McpClientError::Failed(
                "only servers with a `url` support logins; for a command, set a key in `env`"
                    .to_owned(),
            )),
        }
    }

    /// Describes a failure for the user: the last lines of the server's error output, and the next step.
    pub fn explain(&self, error: &McpClientError) -> String {
        let name = &self.definition.name;
        let mut text = format!("the MCP server `{name}` is not usable: {error}");
        if let McpClientError::Login(challenge) = error {
            // Servers from a client are known only by their address.
            let (wanted, target) = (&self.definition, self.definition.target());
            let named = quoted(if wanted.origin == Origin::Client { &target } else { name });
            text = if wanted.has_own_login() {
                format!("{text}, and refuses the `Authorization` of {}", wanted.origin)
            } else if wanted.gets_tokens_at_start() {
                format!(
                    "{text}: its token was refused or has expired; restart the server to get a new one"
                )
            } else {
                let scopes = missing_scopes(challenge);
                let scopes = scopes.map(|scopes| format!(" --scopes '{scopes}'"));
                format!("{text}: run `pintle mcp login {named}{}`", scopes.unwrap_or_default())
            };
        }
        if let (
            McpClientError::Closed | McpClientError::Failed(_) | McpClientError::Timeout(_),
            last,
        ) = (error, self.stderr())
            && !last.is_empty()
        {
            let shown = last.len().saturating_sub(3);
            let lines: Vec<&str> = last.iter().skip(shown).map(String::as_str).collect();
            text = format!("{text}. It wrote: {}", lines.join(" / "));
        }
        text
    }
}

/// A connected server.
struct Connected {
    link: Arc<dyn McpClient>,
    /// Ends with the connection.
    driver: sdk::Driver,
    tools: Arc<[ToolShape]>,
    prompts: Arc<[PromptShape]>,
    process: Option<Process>,
}

/// Marks a server as failed if its task ends without reporting how.
struct Unfinished<'a>(&'a Shared);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if matches!(*self.0.state.borrow(), State::Failed { .. }) {
            return;
        }
        let error = McpClientError::Closed;
        self.0.set(State::Failed { error, not_before: Instant::now() + MAX_BACKOFF });
    }
}

impl Shared {
    /// Starts the server and watches it until the connection was closed.
    async fn serve(&self) {
        let limit = self.definition.start_timeout;
        let started = tokio::select! {
            biased;
            () = self.ended.cancelled() => return,
            started = timeout(limit, self.connect()) => started,
        };
        let error = match started.unwrap_or(Err(McpClientError::Timeout(limit))) {
            Ok(Connected { link, driver, tools, prompts, process }) => {
                let ready =
                    |tools, prompts| State::Ready { link: Arc::clone(&link), tools, prompts };
                self.set(ready(tools, prompts));
                let began = Instant::now();
                tokio::select! {
                    biased;
                    () = self.ended.cancelled() => {}
                    () = driver => {}
                    () = self.watch(&*link, &ready) => {}
                }
                // With the last handle to the connection, the program's input is closed.
                self.set(State::Starting);
                drop(link);
                if began.elapsed() > MAX_BACKOFF {
                    self.failed_before(|failures| *failures = 0);
                }
                match process {
                    Some(process) => self.end(process).await,
                    None => McpClientError::Closed,
                }
            }
            Err(error) => error,
        };
        let failures = self.failed_before(|failures| {
            *failures += 1;
            *failures
        });
        let wait = FIRST_BACKOFF.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
        self.set(State::Failed { error, not_before: Instant::now() + wait.min(MAX_BACKOFF) });
    }

    fn failed_before<T>(&self, act: impl FnOnce(&mut u32) -> T) -> T {
        act(&mut self.failures.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, state: State) {
        self.state.send_replace(state);
    }

    /// Reads the tools and prompts again whenever they change, until the connection ends.
    async fn watch(
        &self,
        link: &dyn McpClient,
        ready: &(dyn Fn(Arc<[ToolShape]>, Arc<[PromptShape]>) -> State + Send + Sync),
    ) {
        while link.changed().await {
            if let Ok(tools) = link.tools().await {
                let prompts = link.prompts().await.unwrap_or_default();
                self.set(ready(tools.into(), prompts.into()));
            }
            // A server may announce changes at any rate: it is queried once a second.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Returns how a process ended whose connection has closed.
    async fn end(&self, mut process: Process) -> McpClientError {
        let ended = timeout(Duration::from_millis(500), process.wait()).await;
        process.stop().await;
        match ended {
            Ok(Ok(status)) => McpClientError::Failed(format!("its process ended ({status})")),
            Ok(Err(_)) | Err(_) => McpClientError::Closed,
        }
    }

    async fn connect(&self) -> Result<Connected, McpClientError> {
        match self.connect_with(Versions::All).await {
            Err(McpClientError::Old | McpClientError::Closed) => {
                self.connect_with(Versions::WithHandshake).await
            }
            connected => connected,
        }
    }

    async fn connect_with(&self, versions: Versions) -> Result<Connected, McpClientError> {
        let ((link, driver), process) = match &self.definition.transport {
            Transport::Stdio { .. } => {
                let RunningProgram { mut process, stdin, stdout, stderr } = self.start().await?;
                self.tasks.spawn(take_lines(stderr, Arc::clone(&self.stderr)));
                let connecting = sdk::over_streams(stdout, stdin, Some(&self.launch.cwd), versions);
                // If a program exits at once, its error is more informative than that of a closed connection.
                let link = match connecting.await {
                    Ok(link) => link,
                    Err(error) => {
                        let ended = timeout(Duration::from_millis(500), process.wait()).await;
                        process.stop().await;
                        return Err(match ended {
                            // The newest versions' request ends some servers.
                            Ok(Ok(_)) if versions == Versions::All => McpClientError::Old,
                            Ok(Ok(status)) => {
                                McpClientError::Failed(format!("its process ended ({status})"))
                            }
                            Ok(Err(_)) | Err(_) => error,
                        });
                    }
                };
                (link, Some(process))
            }
            Transport::Http { url, headers, oauth } => {
                let url = self.expand(url)?;
                let headers = self.values(headers).await?;
                let login = if self.definition.has_own_login() {
                    None
                } else {
                    let secrets = self.client_secrets(oauth).await?;
                    self.logins.stored(&url, oauth, &secrets).await?
                };
                (
                    sdk::over_http(&url, &headers, login, versions, self.logins.network()).await?,
                    None,
                )
            }
        };
        let tools = link.tools().await?.into();
        // The tools are useful without prompts.
        let prompts = link.prompts().await.unwrap_or_default().into();
        Ok(Connected { link: Arc::new(link), driver, tools, prompts, process })
    }

    async fn start(&self) -> Result<RunningProgram, McpClientError> {
        let Transport::Stdio { command, arguments, variables, cwd } = &self.definition.transport
        else {
            return Err(McpClientError::Closed);
        };
        let mut confinement = match (&self.launch.confinement, self.definition.limits.sandbox) {
            (Ok(confinement), true) => confinement.clone(),
            (Ok(_), false) => None,
            (Err(reason), _) => return Err(McpClientError::Failed(reason.clone())),
        };
        let mut all = self.values.base();
        let cache = self.values.cache(&self.definition.name);
        let neutral = cache.clone().filter(|_| !self.launch.is_trusted);
        if let Some(cache) = cache {
            // Where npx, uvx and others store downloads: their default location is not writable in the sandbox.
            for name in ["XDG_CACHE_HOME", "npm_config_cache", "UV_CACHE_DIR", "PIP_CACHE_DIR"] {
                all.push((name.to_owned(), cache.to_string_lossy().into_owned()));
            }
            all.push((
                "UV_TOOL_DIR".to_owned(),
                cache.join("tools").to_string_lossy().into_owned(),
            ));
            if let Some(confinement) = &mut confinement {
                let confinement = Arc::make_mut(confinement);
                confinement.writable.push(cache);
            }
        }
        if let Some(confinement) = &mut confinement
            && self.definition.limits.network
        {
            Arc::make_mut(confinement).network = pintle_exec::sandbox::Network::Open;
        }
        all.extend(self.values(variables).await?);
        let mut words = Vec::new();
        for argument in arguments {
            words.push(self.expand(argument)?);
        }
        let cwd = match cwd {
            Some(cwd) => self.launch.cwd.join(self.expand(&cwd.to_string_lossy())?),
            None => neutral.unwrap_or_else(|| self.launch.cwd.clone()),
        };
        let program = Program {
            command: self.expand(command)?,
            arguments: words,
            cwd,
            variables: all,
            owner: format!("mcp-{}", self.definition.name.replace('-', "_")),
            confinement,
        };
        let started = self.launch.env.start(program).await;
        started.map_err(|error| McpClientError::Failed(error.to_string()))
    }

    fn expand(&self, text: &str) -> Result<String, McpClientError> {
        self.values.expand(text, &self.definition.origin).map_err(McpClientError::Failed)
    }

    async fn client_secrets(&self, client: &OAuthClient) -> Result<ClientSecrets, McpClientError> {
        let mut values = [None, None, None];
        let identity = client.identity.as_ref().filter(|_| client.grant == Grant::Enterprise);
        let sources = [
            client.secret.as_deref(),
            identity.and_then(|identity| identity.client_secret.as_deref()),
            identity.map(|identity| identity.token.as_str()),
        ];
        for (value, source) in values.iter_mut().zip(sources) {
            let Some(source) = source else { continue };
            let found = self.values.value(source, &self.definition.origin).await;
            *value = Some(found.map_err(McpClientError::Failed)?);
        }
        let [client, identity_client, identity_token] = values;
        Ok(ClientSecrets { client, identity_client, identity_token })
    }

    async fn values(
        &self,
        pairs: &BTreeMap<String, String>,
    ) -> Result<Vec<(String, String)>, McpClientError> {
        let mut values = Vec::new();
        for (name, text) in pairs {
            let value = self.values.value(text, &self.definition.origin).await;
            values.push((name.clone(), value.map_err(McpClientError::Failed)?));
        }
        Ok(values)
    }
}

/// Keeps the last lines that a server writes to its error output, until it closes it.
async fn take_lines(stderr: pipe::Receiver, lines: Lines) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        // A line without an end is cut into several.
        let read = (&mut reader).take(MAX_STDERR_LINE).read_until(b'\n', &mut line).await;
        if !read.is_ok_and(|read| read > 0) {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let text = visible(text.trim_end()).into_owned();
        if text.is_empty() {
            continue;
        }
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MAX_STDERR_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}

/// The servers shared by all sessions that mean the same one.
#[derive(Debug)]
pub struct Pool {
    values: Arc<dyn Values>,
    logins: ServerLogins,
    tasks: Tasks,
    servers: Mutex<Vec<Weak<Server>>>,
}

impl Pool {
    /// Creates a pool without servers.
    pub fn new(values: Arc<dyn Values>, logins: ServerLogins) -> Self {
        Self { values, logins, tasks: Tasks::default(), servers: Mutex::default() }
    }

    /// Returns the server for a definition in a launch context, which lives as long as a handle to it exists.
    pub fn server(&self, definition: Definition, launch: LaunchContext) -> Arc<Server> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers.retain(|server| server.strong_count() > 0);
        let is_http = matches!(definition.transport, Transport::Http { .. });
        let is_same = |server: &Arc<Server>| {
            let other = &server.shared.launch;
            let is_same = other.cwd == launch.cwd
                && other.is_trusted == launch.is_trusted
                && other.confinement == launch.confinement
                && Arc::ptr_eq(&other.env, &launch.env);
            server.definition == definition && (is_http || is_same)
        };
        if let Some(server) = servers.iter().filter_map(Weak::upgrade).find(is_same) {
            return server;
        }
        let server = Server::new(definition, launch, self);
        servers.push(Arc::downgrade(&server));
        server
    }
}
