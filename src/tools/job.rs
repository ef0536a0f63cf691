//! `job`: manages background commands.

use crate::arguments::Arguments;
use crate::bash::{notice, whole};
use crate::jobs::JobView;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::truncate::{self, Limits};
use pintle_os::names;
use pintle_protocol::ids::JobId;
use pintle_protocol::item::{JobEnd, JobRef, Location, ToolDetails, ToolKind, ToolResult};
use serde_json::Value;
use std::time::Duration;

/// Reads, lists and stops background jobs: in one tool, or in a tool for each.
#[derive(Debug, Clone, Copy)]
pub struct JobControl(pub Profile, pub Builtin);

/// The maximum time to wait for output in one call.
const MAX_WAIT_SECONDS: u64 = 120;

/// How long the tool waits if the model gives no time.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);

impl Tool for JobControl {
    shaped!(|tool| tool.1);

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(self.1), arguments)?;
        let action = arguments.text("action")?;
        let id = arguments.optional_text("id")?;
        let wait = self.wait(&mut arguments)?;
        let missing = || {
            let shown = arguments.shown("id");
            format!("{shown} is missing: `{action}` requires a job, such as \"job-1\"")
        };
        let named = |id: Option<String>| {
            id.filter(|id| !id.trim().is_empty()).map(JobId::new).ok_or_else(missing)
        };
        let call = match action.as_str() {
            "list" => Call::List,
            "read" => Call::Read(named(id)?, wait),
            "stop" => Call::Stop(named(id)?),
            other => {
                return Err(format!(
                    "`action` must be \"read\", \"list\" or \"stop\", not {other:?}"
                ));
            }
        };
        Ok(Box::new(Titled {
            tool: self.0.row(self.1).name,
            shows_action: self.1 == Builtin::Job,
            call,
        }))
    }
}

impl JobControl {
    /// Returns how long to wait for something new.
    fn wait(self, arguments: &mut Arguments) -> Result<Duration, String> {
        let max = Duration::from_secs(MAX_WAIT_SECONDS);
        if self.1 == Builtin::Job {
            let wait = arguments.optional_seconds("wait")?.unwrap_or_default();
            return Ok(Duration::try_from_secs_f64(wait).unwrap_or(max).min(max));
        }
        let blocks = arguments.optional_flag("block")?.unwrap_or(true);
        let wait = arguments.optional_milliseconds("waitMs")?.unwrap_or(DEFAULT_WAIT);
        Ok(if blocks { wait.min(max) } else { Duration::ZERO })
    }
}

#[derive(Debug)]
struct Titled {
    tool: &'static str,
    shows_action: bool,
    call: Call,
}

#[derive(Debug)]
enum Call {
    List,
    Read(JobId, Duration),
    Stop(JobId),
}

#[async_trait::async_trait]
impl Prepared for Titled {
    fn title(&self) -> String {
        let action =
            |action: &str| if self.shows_action { format!("{action} ") } else { String::new() };
        match &self.call {
            Call::List => format!("{}: list", self.tool),
            Call::Read(id, _) => format!("{}: {}{id}", self.tool, action("read")),
            Call::Stop(id) => format!("{}: {}{id}", self.tool, action("stop")),
        }
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A job belongs to the model: inspecting or ending it needs no permission beyond that for its command.
    fn access(&self) -> Access {
        Access::Engine
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        let work = async {
            match self.call {
                Call::List => list(ctx).await,
                Call::Read(id, wait) => read(ctx, &id, wait).await,
                Call::Stop(id) => stop(ctx, &id).await,
            }
        };
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => failure("Operation aborted"),
            done = work => done.unwrap_or_else(failure),
        }
    }
}

async fn list(ctx: &ToolContext) -> Result<ToolResult, String> {
    let jobs = ctx.jobs.list().await?;
    if jobs.is_empty() {
        return Ok(success("(no jobs)"));
    }
    let lines = jobs.iter().map(|job| {
        let fresh = job.output.after(job.position);
        let unread = match fresh.missed_bytes + fresh.text.len() as u64 {
            0 => "nothing new".to_owned(),
            bytes => format!("{} new", truncate::size(bytes)),
        };
        format!("{}: {} ({}, {unread})", job.id, job.title, state(job))
    });
    Ok(success(lines.collect::<Vec<_>>().join("\n")))
}

async fn read(ctx: &ToolContext, id: &JobId, wait: Duration) -> Result<ToolResult, String> {
    let job = ctx.jobs.look(id).await?;
    if !wait.is_zero() && job.end.is_none() {
        // With or without new output, the present state is shown.
        let _ = tokio::time::timeout(wait, job.output.news(job.position)).await;
    }
    Ok(show(ctx, ctx.jobs.look(id).await?).await)
}

async fn stop(ctx: &ToolContext, id: &JobId) -> Result<ToolResult, String> {
    let job = ctx.jobs.stop(id).await?;
    Ok(show(ctx, job).await)
}

/// Shows the new output and marks it as read.
async fn show(ctx: &ToolContext, job: JobView) -> ToolResult {
    let fresh = job.output.after(job.position);
    ctx.jobs.seen(&job.id, fresh.position, job.end.is_some()).await;
    let mut shown = truncate::tail(&fresh.text, Limits::default());
    let record = &mut shown.record;
    record.total_lines = fresh.total_lines;
    record.total_bytes = fresh.missed_bytes + fresh.text.len() as u64;
    let path = fresh.full_output_path.map(|path| names::shown(&path).into_owned());
    let mut parts = Vec::new();
    if !shown.text.is_empty() {
        parts.push(shown.text.trim_end_matches('\n').to_owned());
    }
    let full = whole(path.as_deref(), fresh.is_file_full, ctx.env.as_ref());
    if fresh.missed_bytes > 0 {
        let missed = truncate::size(fresh.missed_bytes);
        parts.push(format!(
            "[{missed} printed before this since the last read are not kept here.{full}]"
        ));
    } else if let Some(notice) = notice(&shown, &full) {
        parts.push(format!("[{notice}]"));
    }
    let nothing = if shown.text.is_empty() { "nothing new, " } else { "" };
    parts.push(format!("[{}: {nothing}{}]", job.id, state(&job)));
    let mut result = success(parts.join("\n\n"));
    if let Some((_, details)) = &job.end {
        result.details = ToolDetails { truncation: None, ..details.clone() };
    }
    result.details.truncation = shown.is_cut().then_some(shown.record);
    result.details.full_output_path = path;
    let (job_id, item_id, has_ended) = (job.id, job.item_id, job.end.is_some());
    result.details.jobs = vec![JobRef { job_id, item_id, has_ended }];
    result
}

/// Describes a job's state: `running for 3 seconds`.
fn state(job: &JobView) -> String {
    let seconds = job.ran.as_secs();
    match &job.end {
        None => format!("running for {seconds} seconds"),
        Some((end, details)) => format!("{} after {seconds} seconds", ended(*end, details)),
    }
}

/// Describes how a job ended: `exited with code 1`.
pub fn ended(end: JobEnd, details: &ToolDetails) -> String {
    match end {
        JobEnd::Exited => format!("exited with code {}", details.exit_code.unwrap_or_default()),
        JobEnd::Signalled => {
            format!("killed by signal {}", details.signal.as_deref().unwrap_or("unknown"))
        }
        JobEnd::TimedOut => "stopped at its time limit".to_owned(),
        JobEnd::Stopped => "stopped".to_owned(),
        JobEnd::SessionEnded => {
            "stopped because the session was closed or the engine exited".to_owned()
        }
        JobEnd::Failed => "could not be started".to_owned(),
    }
}
