//! A worker: one engine that runs one task after another, as `pintle run` does. It reads orders on stdin, one JSON object per line, and
//! writes for each the lines of `pintle run --format events`: a header once the session exists, `step.completed` events, the result.
//!
//! When its input ends, it stops the running task, in order, and exits: so no worker outlives the batch, however that ends.

use super::folder::Results;
use super::list::RunLimits;
use crate::cli::args::batch::{Batch, FindingsFile};
use crate::cli::signals::Signals;
use crate::cli::{assemble, beside};
use anyhow::Context;
use pintle_agent::{Engine, EngineHandle};
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_base::transport::codec::Framing;
use pintle_base::transport::{Incoming, Outgoing, Transport, stdio};
use pintle_exec::{Environment, FileKind};
use pintle_frontend::run::{
    self, Attached, Destination, EventFilter, FailureConditions, Format, Limits, Options, Output,
    Report, SessionOptions, Stop, USAGE, unstarted,
};
use pintle_os::streams;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::isolation::IsolationRequest;
use pintle_protocol::plan::WorkMode;
use pintle_protocol::run::RunLine;
use pintle_tools::ReportFinding;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time that a task gets to end in order.
pub(super) const END_TIMEOUT: Duration = Duration::from_secs(10);

/// The first line of a worker.
pub(super) const READY: &str = r#"{"type":"ready"}"#;

/// A task for a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) prompt: String,
    /// The working directory, relative to the batch's.
    pub(super) dir: Option<PathBuf>,
    pub(super) model: Option<String>,
    pub(super) mode: Option<WorkMode>,
    pub(super) isolation: Option<IsolationRequest>,
    /// Relative to the working directory.
    pub(super) attach: Vec<PathBuf>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) output_schema: Option<Value>,
    pub(super) require_changes: bool,
    pub(super) fail_on_denied: bool,
    pub(super) limits: RunLimits,
    /// Where the patch goes, absolute.
    pub(super) patch: PathBuf,
    /// The directory for reports, absolute.
    pub(super) findings: PathBuf,
    /// Where stderr goes, absolute.
    pub(super) log: PathBuf,
}

/// Serves orders until the end of stdin or a signal.
pub(crate) async fn run(mut task: Batch, ambient: Ambient) -> anyhow::Result<u8> {
    task.safety.apply(&mut task.settings)?;
    // As in `run`: there is no user to ask.
    task.settings.usual_permission = Some(PermissionMode::AutoEdit);
    let mut signals = Signals::new()?;
    let here = ambient.base_dir(task.directory.as_deref())?;
    let results = Results::at(here.join(task.out.as_deref().context("a worker needs --out")?));
    let _at_work = results.work()?;
    let mut services = assemble::services(&task.settings, &ambient).await?;
    let tools = assemble::usual_tools(&task.settings);
    let finding = ReportFinding::default();
    if !task.report.is_empty() {
        services.tools.toolbox = assemble::with_findings(services.tools.toolbox, finding.clone());
    }
    services.defaults.limits.are_told = true;
    let env = Arc::clone(&services.env);
    let named = task.directory.as_deref();
    let base = assemble::working_folder(&task.settings, &ambient, env.as_ref(), named).await?;
    let stdin = streams::take_stdin()?;
    let transport = stdio::open(stdin, streams::take_stdout()?, Some(Framing::Ndjson))?;
    let (engine, handle) = Engine::new(services);
    let (stop, stop_code) = (signals.token(), signals.shared_code());
    let worker = Worker {
        engine: handle,
        env,
        base,
        tools,
        is_untrusted: task.settings.is_untrusted,
        reports: task.report,
        finding,
        out: transport.outgoing.clone(),
        stop_code,
    };
    let served = beside(engine, worker.serve(transport, stop));
    tokio::select! {
        served = served => served?,
        code = signals.run() => return Ok(code),
    }
    Ok(if signals.token().is_cancelled() { signals.code() } else { 0 })
}

struct Worker {
    engine: EngineHandle,
    env: Arc<dyn Environment>,
    /// The directory that task directories are relative to.
    base: PathBuf,
    /// Tools for a task without a tool list; `None` for all.
    tools: Option<Vec<String>>,
    is_untrusted: bool,
    reports: Vec<FindingsFile>,
    finding: ReportFinding,
    out: Outgoing,
    stop_code: Arc<AtomicU8>,
}

impl Worker {
    async fn serve(self, mut transport: Transport, stop: CancellationToken) {
        send(&self.out, READY.to_owned()).await;
        // An order that arrived before the last task was entirely over.
        let mut early = None;
        loop {
            let order = if let Some(order) = early.take() {
                read(order)
            } else {
                tokio::select! {
                    order = transport.incoming.recv() => order.and_then(read),
                    () = stop.cancelled() => None,
                }
            };
            let Some(order) = order else { break };
            let stop = stop.child_token();
            let mut ran = Box::pin(self.carry_out(order, stop.clone(), transport.hangup.clone()));
            tokio::select! {
                () = &mut ran => continue,
                came = transport.incoming.recv() => early = came,
            }
            if early.is_some() {
                // The batch has the result; little remains to be done for the task.
                ran.await;
                continue;
            }
            stop.cancel();
            if tokio::time::timeout(END_TIMEOUT, ran).await.is_err() {
                tracing::warn!("the task did not end within {} s", END_TIMEOUT.as_secs());
            }
            break;
        }
        self.engine.shutdown().await;
        self.out.flushed().await;
    }

    async fn carry_out(&self, order: Order, stop: CancellationToken, hangup: CancellationToken) {
        let options = match self.options(order, stop, hangup).await {
            Ok(options) => options,
            Err(error) => {
                let result = unstarted("usage", USAGE, format!("{error:#}"), None);
                let line = RunLine::Result(Box::new(result));
                return send(&self.out, serde_json::to_string(&line).unwrap_or_default()).await;
            }
        };
        run::run(self.out.clone(), self.engine.clone(), options).await;
    }

    /// Redirects stderr to the task's log, and checks the paths that the order names.
    async fn options(
        &self,
        order: Order,
        stop: CancellationToken,
        hangup: CancellationToken,
    ) -> anyhow::Result<Options> {
        let mut log = OpenOptions::new();
        log.create(true).append(true);
        let log = private_files::open_private(&order.log, &mut log)
            .with_context(|| format!("the log {}", order.log.display()))?;
        streams::redirect_stderr(&log).context("cannot redirect stderr to the log")?;
        let cwd = match &order.dir {
            Some(dir) => self.folder(dir).await?,
            None => self.base.clone(),
        };
        self.finding.begin();
        let report = |wanted: &FindingsFile| Report {
            format: wanted.format(),
            to: Some(Destination::File(order.findings.join(wanted.name()))),
        };
        let mut tools = order.tools.or_else(|| self.tools.clone());
        if let Some(tools) = tools.as_mut().filter(|_| !self.reports.is_empty()) {
            tools.push(ReportFinding::NAME.to_owned());
        }
        let attach: Vec<PathBuf> = order.attach.iter().map(|path| cwd.join(path)).collect();
        for path in &attach {
            let stat = self.env.stat(path).await;
            let is_file = stat.is_ok_and(|stat| stat.kind == FileKind::File);
            anyhow::ensure!(is_file, "`attach`: no such file: {}", path.display());
        }
        Ok(Options {
            cwd,
            prompt: order.prompt,
            attach: attach.into_iter().map(Attached::File).collect(),
            piped: None,
            session: SessionOptions {
                mode: order.mode,
                model: order.model,
                tools,
                isolation: order.isolation,
                applies: true,
                ..SessionOptions::default()
            },
            limits: Limits {
                turn: order.limits.turn,
                wall: order.limits.wall.map(Duration::from_secs),
                idle: order.limits.idle.map(Duration::from_secs),
            },
            output_schema: order.output_schema,
            failures: FailureConditions {
                fail_on_denied: order.fail_on_denied,
                require_changes: order.require_changes,
                is_untrusted: self.is_untrusted,
            },
            output: Output {
                format: Format::Events,
                events: EventFilter::new(&["step.completed".to_owned()])?,
                patch: Some(Destination::File(order.patch)),
                reports: self.reports.iter().map(report).collect(),
                is_terminal: false,
                is_quiet: false,
            },
            copy: None,
            keeps_engine: true,
            stop: Stop { signal: stop, signal_code: Arc::clone(&self.stop_code), hangup },
        })
    }

    async fn folder(&self, dir: &Path) -> anyhow::Result<PathBuf> {
        let named = self.base.join(dir);
        let shown = || format!("`dir`: {}", named.display());
        let folder = self.env.canonicalize(&named).await.with_context(shown)?;
        let stat = self.env.stat(&folder).await.with_context(shown)?;
        anyhow::ensure!(stat.kind == FileKind::Folder, "not a directory: {}", shown());
        Ok(folder)
    }
}

/// Returns an order; `None` if the message is not one.
fn read(came: Incoming) -> Option<Order> {
    match came {
        Incoming::Message(line) => serde_json::from_slice(&line)
            .inspect_err(|error| tracing::error!("invalid order on stdin: {error}"))
            .ok(),
        Incoming::TooLarge => {
            tracing::error!("order too large");
            None
        }
        Incoming::Broken(_) => None,
    }
}

async fn send(out: &Outgoing, line: String) {
    if let Some(room) = out.reserve(line.len()).await {
        out.send(room, line.into_bytes());
    }
}
