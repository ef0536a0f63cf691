//! The program: parses arguments, builds the engine, runs one frontend over it, maps the outcome to an exit code.
//!
//! [`main`] is the process, with its arguments, standard streams and signals. [`serve`] runs a frontend inside another program.
//!
//! One thread polls everything that waits for models, commands and users: a current-thread runtime saves the hops between threads, which
//! cost more than the work, and memory. Computing and blocking work runs on tokio's blocking threads.

mod args;
mod assemble;
mod attach;
mod batch;
mod chat;
mod completions;
mod copy;
mod doctor;
mod help;
mod layout;
mod login;
mod man;
mod mcp;
mod models;
mod piped;
mod policy;
mod policy_file;
mod prompt;
mod recording;
mod replay;
mod rpc;
mod run;
mod schema;
mod secrets;
mod sessions;
mod shared;
mod signals;
mod streams;
mod trust;

use anyhow::Context;
use args::{Args, Sessions, Task};
use clap::Parser;
use pintle_agent::{Engine, EngineHandle, Services};
use pintle_base::ambient::{Ambient, Secrets};
use pintle_base::text::credentials;
use pintle_base::text::screen;
use pintle_base::transport::codec::Framing;
use pintle_base::transport::{Transport, stdio};
use pintle_exec::sandbox;
use pintle_frontend::listen::{self, Speaks};
use pintle_frontend::{Ended, Scope, acp, ahp, demo, lsp, mcp as mcp_server, native, pi};
use pintle_os::process;
use pintle_os::signals::FileSize;
use pintle_protocol::session::SessionConfig;
use pintle_session::store::Store;
use signals::Signals;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use streams::Streams;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// The exit code for wrong usage or settings.
pub const USAGE: u8 = 2;

/// The shortest time for which a question of a shared engine waits for a client that is gone: it may be connecting again.
const MIN_ABSENCE: Duration = Duration::from_secs(1);

/// The time to wait for blocking threads when the program ends. None of them has anything to lose.
const THREADS_TIMEOUT: Duration = Duration::from_millis(100);

/// Runs the program, and returns its exit code.
pub fn main() -> ExitCode {
    // Before anything else: the command supervisor is single-threaded, and has no part of the engine.
    if let Some(code) = sandbox::become_supervisor(std::env::args_os().skip(1)) {
        return ExitCode::from(code);
    }
    process::hide();
    let ambient = Ambient::system();
    log_to_stderr(&ambient);
    if std::env::args_os().len() == 1 {
        return explain();
    }
    let argv = args::rpc::mode(std::env::args_os().collect());
    let args = match Args::try_parse_from(&argv) {
        Ok(args) => args,
        Err(error) => args::suggest::improve(error, &argv).exit(),
    };
    let secrets = ambient.secrets().clone();
    match start(args, ambient, Streams::Process) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let error = format!("pintle: {error:#}\n");
            let _ = LogWriter(secrets).write_all(error.as_bytes());
            ExitCode::from(USAGE)
        }
    }
}

/// Serves one client over the given streams, like the program on stdin and stdout, and returns the exit code. The first argument is the
/// program's name. Nothing is logged, and cancelling `stop` acts like SIGTERM. Threads that read and watch the streams may outlive the call;
/// they end when the other end is closed or the streams are shut down.
///
/// # Errors
/// If the arguments or settings are invalid, or name a command that does not serve a single client.
pub fn serve(
    arguments: Vec<OsString>,
    ambient: Ambient,
    input: File,
    output: File,
    stop: CancellationToken,
) -> anyhow::Result<u8> {
    let args = Args::try_parse_from(args::rpc::mode(arguments))?;
    anyhow::ensure!(
        args.task.serves_one_client(),
        "this command cannot run inside another process"
    );
    start(args, ambient, Streams::Given { input, output, stop })
}

/// Prints an overview for a user who typed only the program's name.
fn explain() -> ExitCode {
    let text = include_str!("explain.txt");
    if std::io::stdin().is_terminal() {
        let _ = screen::out().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ = screen::err()
        .write_all(b"pintle: no command given; for JSON-RPC over stdio, run: pintle serve\n");
    ExitCode::from(USAGE)
}

/// Stderr, with keys and whatever looks like a credential replaced: logs are shown, kept by editors, and sent with reports.
#[derive(Debug, Clone)]
struct LogWriter(Secrets);

impl Write for LogWriter {
    /// Takes one event, which the formatter writes at once. A log that cannot be written is left out: the formatter would panic in the task
    /// that logs, such as a session whose disk is full.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let text = self.0.redact(&text);
        let _ = screen::err().write_all(credentials::redact(&text).as_bytes());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = screen::err().flush();
        Ok(())
    }
}

fn log_to_stderr(ambient: &Ambient) {
    let level = ambient.var("PINTLE_LOG").and_then(|level| level.parse().ok());
    let writer = LogWriter(ambient.secrets().clone());
    // Messages of libraries are shown only if a log was requested: the program itself prints everything that the user needs.
    let is_asked_for = level.is_some();
    let is_shown =
        move |event: &tracing::Metadata<'_>| is_asked_for || event.target().starts_with("pintle");
    tracing_subscriber::fmt()
        .with_max_level(level.unwrap_or(tracing::Level::WARN))
        .with_writer((move || writer.clone()).with_filter(is_shown))
        .with_ansi(false)
        .with_target(false)
        .init();
}

fn start(args: Args, ambient: Ambient, streams: Streams) -> anyhow::Result<u8> {
    match args.task {
        Task::Serve(serve) if serve.listen.is_wanted() => in_runtime(|| listen(serve, ambient)),
        Task::Chat(task) => show_session(&task.settings, task.session.as_deref(), &ambient),
        Task::Attach(task) => match task.session {
            Some(session) => show_session(&task.settings, Some(&session), &ambient),
            None => attach_to(&task.settings, Speaks::Native, &["--trust"], &ambient),
        },
        Task::Acp(task) if task.attach => {
            let speaks = Speaks::Acp { client_terminals: !task.no_client_terminals };
            attach_to(
                &task.settings,
                speaks,
                &["--attach", "--no-client-terminals", "--trust"],
                &ambient,
            )
        }
        Task::Lsp(task) if task.attach => {
            attach_to(&task.settings, Speaks::Lsp, &["--attach", "--stdio", "--trust"], &ambient)
        }
        Task::Ahp(task) if task.attach => {
            attach_to(&task.settings, Speaks::Ahp, &["--attach", "--trust"], &ambient)
        }
        Task::Ahp(task) => {
            refuse_terminal(
                &streams,
                "`ahp` reads the Agent Host Protocol from stdin, but stdin is a terminal\n  for VS Code, run: pintle serve --listen ws://127.0.0.1:PORT",
            )?;
            in_runtime(|| serve_ahp(task, ambient, streams))
        }
        Task::Serve(serve) => {
            refuse_terminal(
                &streams,
                "`serve` reads JSON-RPC from stdin, but stdin is a terminal\n  try: pintle demo\n  or:   printf '{\"id\":1,\"method\":\"ping\"}\\n' | pintle serve",
            )?;
            in_runtime(|| serve_stdio(serve, ambient, streams))
        }
        Task::Rpc(task) if task.attach => attach_pi(&task, ambient),
        Task::Rpc(task) => in_runtime(|| serve_pi(task, ambient, streams)),
        Task::Acp(task) => {
            refuse_terminal(
                &streams,
                "`acp` reads the Agent Client Protocol from stdin, but stdin is a terminal\n  start it from an editor: see editors/README.md",
            )?;
            in_runtime(|| serve_acp(task, ambient, streams))
        }
        Task::Lsp(task) => {
            refuse_terminal(
                &streams,
                "`lsp` reads the Language Server Protocol from stdin, but stdin is a terminal\n  start it from an editor: see `pintle help editors`",
            )?;
            in_runtime(|| serve_lsp(task, ambient, streams))
        }
        Task::Run(task) => in_runtime(|| run::run(*task, ambient)),
        Task::Batch(task) => match task.task {
            Some(args::batch::BatchTask::Merge(merge)) => batch::merge::run(&merge, &ambient),
            Some(args::batch::BatchTask::Schema) => batch::print_schema(),
            None if task.worker => in_runtime(|| batch::worker::run(*task, ambient)),
            None => in_runtime(|| batch::run(*task, ambient)),
        },
        Task::Replay(wanted) => replay::run(&wanted, &ambient),
        Task::Demo(wanted) => in_runtime(|| run_demo(wanted, ambient)),
        Task::Models(wanted) => in_runtime(async move || {
            let _file_size = FileSize::new()?;
            models::run(&wanted, &ambient)
        }),
        Task::Mcp(wanted) => match wanted.task {
            Some(task) => in_runtime(|| mcp::run(task, ambient)),
            None if streams.are_terminal() => anyhow::bail!(
                "`mcp` reads the Model Context Protocol from stdin, but stdin is a terminal\n  start it from another agent: see `pintle help servers`\n  or run: pintle mcp list"
            ),
            None => in_runtime(|| serve_mcp(wanted.settings, ambient, streams)),
        },
        Task::Login(wanted) => in_runtime(|| login::run(wanted, ambient)),
        Task::Logout(wanted) => in_runtime(|| login::log_out(wanted, ambient)),
        Task::Sessions { task: Sessions::History(task) } => {
            in_runtime(|| work_in_session(task, ambient))
        }
        Task::Sessions { task: Sessions::Stored(task) } => sessions::run(task, &ambient),
        Task::Trust(wanted) => in_runtime(async move || {
            let _file_size = FileSize::new()?;
            trust::run(&wanted, &ambient).await
        }),
        Task::Policy { task } => in_runtime(|| policy::run(task, ambient)),
        Task::Prompt { task: args::Prompt::Show(wanted) } => {
            in_runtime(|| prompt::run(*wanted, ambient))
        }
        Task::Schema { format, config } => schema::run((!config).then_some(format)),
        Task::Doctor(wanted) if wanted.secrets => {
            in_runtime(|| async move { secrets::run(&ambient).await })
        }
        Task::Doctor(wanted) => doctor::run(&wanted, &ambient),
        Task::Completions(wanted) => completions::print_script(&wanted, &ambient),
        Task::Complete(wanted) => completions::print_completions(wanted, &ambient),
        Task::Man(wanted) => man::run(&wanted, &ambient),
        Task::Help(wanted) => help::run(&wanted, &ambient),
    }
}

/// Refuses a command whose client writes to stdin if stdin is a terminal.
///
/// # Errors
/// `message`, for the user.
fn refuse_terminal(streams: &Streams, message: &str) -> anyhow::Result<()> {
    anyhow::ensure!(!streams.are_terminal(), "{message}");
    Ok(())
}

/// Runs on one thread: an engine waits nearly all of its time, and a second thread would only add hops. Computing and blocking work goes to
/// tokio's blocking threads.
fn in_runtime<F>(work: impl FnOnce() -> F) -> anyhow::Result<u8>
where
    F: Future<Output = anyhow::Result<u8>>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(512 * 1024)
        .build()?;
    let ended = runtime.block_on(work());
    runtime.shutdown_timeout(THREADS_TIMEOUT);
    ended
}

async fn serve_stdio(serve: args::Serve, ambient: Ambient, streams: Streams) -> anyhow::Result<u8> {
    let framing = serve.framing();
    serve_client(&serve.settings, ambient, streams, framing, |transport, handle, cwd, stop| {
        native::serve(transport, handle, native::Options { cwd, stop, scope: Scope::Alone })
    })
    .await
}

/// Waits for services, which may need a connection to another machine, unless a signal arrives first; then there are none.
fn unless_stopped(
    assembled: impl Future<Output = anyhow::Result<Services>>,
    signals: &mut Signals,
) -> impl Future<Output = anyhow::Result<Option<Services>>> {
    let (assembled, stop) = (Box::pin(assembled), signals.token());
    async move {
        tokio::select! {
            services = assembled => services.map(Some),
            () = stop.cancelled() => Ok(None),
            _ = signals.run() => Ok(None),
        }
    }
}

/// Runs an engine for a single client until the client disconnects or a signal arrives.
async fn serve_client<F>(
    settings: &args::Settings,
    ambient: Ambient,
    streams: Streams,
    framing: Option<Framing>,
    frontend: impl FnOnce(Transport, EngineHandle, PathBuf, CancellationToken) -> F,
) -> anyhow::Result<u8>
where
    F: Future<Output = Ended> + Send + 'static,
{
    let mut signals = streams.signals()?;
    let assembled = unless_stopped(assemble::services(settings, &ambient), &mut signals).await?;
    let Some(services) = assembled else { return Ok(signals.code()) };
    let cwd = assemble::served_folder(settings, &ambient, services.env.as_ref()).await?;
    let transport = streams.open(framing)?;
    let (engine, handle) = Engine::new(services);
    let served = beside(engine, frontend(transport, handle, cwd, signals.token()));
    let ended = tokio::select! {
        ended = served => ended?,
        code = signals.run() => return Ok(code),
    };
    prune(settings, &ambient);
    Ok(exit_code(ended, &signals))
}

/// Serves a socket's clients.
async fn listen(serve: args::Serve, ambient: Ambient) -> anyhow::Result<u8> {
    let mut signals = Signals::new()?;
    let config = assemble::load_config(&serve.settings, &ambient)?;
    let assembled = assemble::services(&serve.settings, &ambient);
    let assembled = unless_stopped(assembled, &mut signals).await?;
    let Some(mut services) = assembled else { return Ok(signals.code()) };
    // A client that is gone may come back.
    let args::listen::Listen { idle_exit, ref origins, ref hosts, .. } = serve.listen;
    let idle_exit = idle_exit.map(Duration::from_secs);
    // An engine that ends by itself waits no longer for an answer than for clients.
    let absence = idle_exit.map_or(services.timeouts.question, |idle_exit| {
        services.timeouts.question.min(idle_exit.max(MIN_ABSENCE))
    });
    services.timeouts.absence = Some(absence);
    services.store = services.store.of_shared_engine();
    let cwd = assemble::served_folder(&serve.settings, &ambient, services.env.as_ref()).await?;
    let options = given_options(&args::listen::OPTIONS);
    let places = serve.listen.places()?;
    let listening = shared::Listening::begin(&config.folders.data, places, options, &ambient)?;
    let shared::Listening { sockets, address, ended } = listening;
    ambient.secrets().add(&address.token);
    let mut stdout = pintle_os::streams::take_stdout()?;
    // The reader may be gone.
    let _ = stdout.write_all(address.announcement(&config.folders.data).as_bytes());
    drop(stdout);
    let (engine, handle) = Engine::new(services);
    let options = listen::Options {
        token: address.token,
        origins: origins.clone(),
        hosts: hosts.clone(),
        cwd,
        idle_exit,
        stop: signals.token(),
    };
    let served = beside(engine, listen::serve(sockets, handle, options));
    let code = tokio::select! {
        served = served => exit_code(served??, &signals),
        code = signals.run() => code,
    };
    drop(ended);
    prune(&serve.settings, &ambient);
    Ok(code)
}

/// Becomes a client of the shared engine.
fn attach_to(
    settings: &args::Settings,
    speaks: Speaks,
    own: &[&str],
    ambient: &Ambient,
) -> anyhow::Result<u8> {
    if std::io::stdin().is_terminal() {
        anyhow::bail!(
            "`attach` reads a client's messages from stdin, but stdin is a terminal\n  to start a session here, run: pintle chat\n  to show one, run: pintle attach SESSION (`pintle sessions list` lists them)"
        );
    }
    let config = assemble::load_config(settings, ambient)?;
    let trust = assemble::trusted(settings, ambient);
    let data = &config.folders.data;
    let socket = attach::open(data, &given_options(own), speaks, trust, ambient)?;
    attach::pass_on(&socket)
}

/// Becomes a client of the shared engine that speaks Pi's RPC.
fn attach_pi(task: &args::rpc::Rpc, ambient: Ambient) -> anyhow::Result<u8> {
    task.check()?;
    let mut set_up = rpc::set_up(task, ambient)?;
    let cwd = assemble::folder(&set_up.ambient.current_dir()?)?;
    let preferences = set_up.preferences(task, &cwd)?;
    let speaks = Speaks::Pi(Box::new(preferences));
    let trust = assemble::trusted(&set_up.settings, &set_up.ambient);
    let options = given_options(&args::rpc::OF_THE_CLIENT);
    let socket = attach::open(&set_up.data()?, &options, speaks, trust, &set_up.ambient)?;
    attach::pass_on(&socket)
}

/// Shows a session of the shared engine here, or a new one in this directory.
fn show_session(
    settings: &args::Settings,
    session: Option<&str>,
    ambient: &Ambient,
) -> anyhow::Result<u8> {
    let config = assemble::load_config(settings, ambient)?;
    let data = &config.folders.data;
    let chosen = SessionConfig { model: settings.model.clone(), ..SessionConfig::default() };
    let target = match session {
        Some(session) => {
            let session_id = sessions::named(&Store::new(data), session, ambient)?;
            chat::stored(session_id, chosen)
        }
        None => chat::new(&assemble::folder(&ambient.start_dir()?)?.to_string_lossy(), chosen),
    };
    let trust = assemble::trusted(settings, ambient);
    // The model is the session's.
    let mut options = given_options(&["--trust", "--model"]);
    if let Some(at) = options.iter().position(|option| Some(option.as_str()) == session) {
        options.remove(at);
    }
    let socket = attach::open(data, &options, Speaks::Native, trust, ambient)?;
    in_runtime(async || chat::run(socket, target, data, ambient).await)
}

/// Returns the options after the command, as given, without those in `own` and their values.
fn given_options(own: &[&str]) -> Vec<String> {
    let mut given = Vec::new();
    let mut is_own = false;
    for argument in args::rpc::mode(std::env::args_os().collect()).into_iter().skip(2) {
        let argument = argument.to_string_lossy().into_owned();
        let name = argument.split('=').next().unwrap_or_default();
        if argument.starts_with('-') {
            is_own = own.contains(&name);
        }
        if !is_own {
            given.push(argument);
        }
    }
    given
}

/// Returns a connection's exit code.
fn exit_code(ended: Ended, signals: &Signals) -> u8 {
    match ended {
        Ended::EndOfInput | Ended::Exit | Ended::HungUp => 0,
        Ended::ExitInHaste => 1,
        Ended::Stopped => signals.code(),
    }
}

/// Speaks Pi's RPC.
async fn serve_pi(
    task: Box<args::rpc::Rpc>,
    ambient: Ambient,
    streams: Streams,
) -> anyhow::Result<u8> {
    task.check()?;
    let mut signals = streams.signals()?;
    let mut set_up = rpc::set_up(&task, ambient)?;
    let assembled = unless_stopped(rpc::services(&task, &set_up), &mut signals).await?;
    let Some(services) = assembled else { return Ok(signals.code()) };
    let cwd =
        assemble::working_folder(&set_up.settings, &set_up.ambient, services.env.as_ref(), None);
    let cwd = cwd.await?;
    let preferences = set_up.preferences(&task, &cwd)?;
    let options = pi::Options { cwd, preferences, stop: signals.token(), scope: Scope::Alone };
    let framing = Some(Framing::Lines);
    let transport = streams.open(framing)?;
    let (engine, handle) = Engine::new(services);
    let served = beside(engine, pi::serve(transport, handle, options));
    let ended = tokio::select! {
        ended = served => ended?,
        code = signals.run() => return Ok(code),
    };
    prune(&set_up.settings, &set_up.ambient);
    match ended {
        Ok(ended) => Ok(exit_code(ended, &signals)),
        Err(error) => Err(match &error.hint {
            Some(hint) => anyhow::anyhow!("{error}\n  {hint}"),
            None => anyhow::anyhow!("{error}"),
        }),
    }
}

/// Speaks the Agent Client Protocol.
async fn serve_acp(task: args::Acp, ambient: Ambient, streams: Streams) -> anyhow::Result<u8> {
    let client_terminals = !task.no_client_terminals;
    serve_client(
        &task.settings,
        ambient,
        streams,
        Some(Framing::Ndjson),
        |transport, handle, cwd, stop| {
            let options = acp::Options { cwd, stop, client_terminals, scope: Scope::Alone };
            acp::serve(transport, handle, options)
        },
    )
    .await
}

/// Speaks the Model Context Protocol, as a server.
async fn serve_mcp(
    settings: args::Settings,
    ambient: Ambient,
    streams: Streams,
) -> anyhow::Result<u8> {
    serve_client(
        &settings,
        ambient,
        streams,
        Some(Framing::Ndjson),
        |transport, handle, cwd, stop| {
            mcp_server::serve(transport, handle, mcp_server::Options { cwd, stop })
        },
    )
    .await
}

/// Speaks the Language Server Protocol.
async fn serve_lsp(task: args::Lsp, ambient: Ambient, streams: Streams) -> anyhow::Result<u8> {
    serve_client(
        &task.settings,
        ambient,
        streams,
        Some(Framing::Headers),
        |transport, handle, cwd, stop| {
            lsp::serve(transport, handle, lsp::Options { cwd, stop, scope: Scope::Alone })
        },
    )
    .await
}

/// Speaks the Agent Host Protocol.
async fn serve_ahp(task: args::Ahp, ambient: Ambient, streams: Streams) -> anyhow::Result<u8> {
    serve_client(
        &task.settings,
        ambient,
        streams,
        Some(Framing::Ndjson),
        |transport, handle, cwd, stop| ahp::serve(transport, handle, ahp::Options { cwd, stop }),
    )
    .await
}

/// Runs a command about the history or review of a session: with an engine, and without a model.
async fn work_in_session(task: args::history::History, ambient: Ambient) -> anyhow::Result<u8> {
    let mut signals = Signals::new()?;
    let settings = task.settings();
    let assembled = unless_stopped(assemble::services(&settings, &ambient), &mut signals).await?;
    let Some(services) = assembled else { return Ok(signals.code()) };
    let (engine, handle) = Engine::new(services);
    let worked = beside(engine, sessions::history::run(task, handle, ambient, signals.token()));
    let code = tokio::select! {
        code = worked => code??,
        code = signals.run() => code,
    };
    Ok(if code == pintle_frontend::run::STOPPED { signals.code() } else { code })
}

/// Deletes the sessions that exceed the configured limits, once their engine has closed.
fn prune(settings: &args::Settings, ambient: &Ambient) {
    if let Ok(config) = assemble::load_config(settings, ambient) {
        sessions::prune_if_due(&config, ambient);
    }
}

/// Runs a frontend alongside the engine, each as a task, so that sessions and frontends take turns. Dropping the future ends both at once.
async fn beside<T: Send + 'static>(
    engine: Engine,
    frontend: impl Future<Output = T> + Send + 'static,
) -> anyhow::Result<T> {
    let mut engines = JoinSet::new();
    engines.spawn(engine.run());
    let mut frontends = JoinSet::new();
    frontends.spawn(frontend);
    let ended = frontends.join_next().await.context("the frontend never ran")??;
    // When its last handle is dropped, the engine closes its open sessions and ends.
    while engines.join_next().await.is_some() {}
    Ok(ended)
}

async fn run_demo(wanted: args::Demo, ambient: Ambient) -> anyhow::Result<u8> {
    let mut signals = Signals::new()?;
    let folder = pintle_base::private_files::temporary_folder("pintle-demo-")?;
    let root = assemble::folder(folder.path())?;
    let stdout: File = pintle_os::streams::take_stdout()?;
    let is_watched = stdout.is_terminal();
    let (out, hangup) = stdio::open_lines(stdout)?;
    let demo = demo::Demo {
        folder: root,
        shows_json: wanted.json,
        delay: if is_watched { Duration::from_millis(15) } else { Duration::ZERO },
    };
    let (engine, handle) = Engine::new(assemble::demo_services(&ambient, &demo)?);
    let stop = signals.token();
    let shown = beside(engine, async move { demo.run(out, handle, stop, hangup).await });
    let code = tokio::select! {
        code = shown => code?,
        code = signals.run() => code,
    };
    if wanted.keep {
        let kept = folder.keep();
        let text = format!("Project kept in {}\n", kept.join("project").display());
        screen::err().write_all(text.as_bytes())?;
    }
    Ok(code)
}
