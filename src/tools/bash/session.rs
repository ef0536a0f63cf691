//! Commands as codex runs them: one that is still running after a while becomes a background job, which is a *session* to the model. Its
//! number is that of the job.

use super::{Call, with_unsaved};
use crate::arguments::Arguments;
use crate::job::{self, INTERRUPTS, MAX_SETTLING, QUIET};
use crate::jobs::JobView;
use crate::schema::Builtin;
use crate::{Access, Folders, Prepared, Profile, Tool, ToolContext, failure, success};
use pintle_base::text::truncate::Limits;
use pintle_exec::{CommandEvent, Mark, RunningCommand};
use pintle_protocol::content::Content;
use pintle_protocol::ids::JobId;
use pintle_protocol::item::{JobEnd, JobRef, Location, ToolKind, ToolResult};
use serde_json::Value;
use std::time::Duration;

/// The time after which a command's output so far is returned: the default, the shortest and the longest.
const YIELD: [Duration; 3] =
    [Duration::from_secs(10), Duration::from_millis(250), Duration::from_secs(30)];

/// The same for a call that types, without the default.
const TYPING_YIELD: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];

/// The same for a call that only waits. The shortest time is the default.
const WAITING_YIELD: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(5)];

/// The most tokens of a result, which is also the default.
const MAX_TOKENS: u64 = 10_000;

/// The bytes that count as a token.
const BYTES_PER_TOKEN: u64 = 4;

/// How long a call waits for its command, and how much of the output it returns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Yield {
    after: Option<Duration>,
    pub(super) longest: MaxTokens,
}

/// The longest output that the model wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaxTokens(u64);

impl MaxTokens {
    fn read(arguments: &mut Arguments) -> Result<Self, String> {
        let given = arguments.optional_count("maxTokens", 1)?;
        Ok(Self(given.unwrap_or(MAX_TOKENS).min(MAX_TOKENS)))
    }

    fn bytes(self) -> usize {
        usize::try_from(self.0 * BYTES_PER_TOKEN).unwrap_or(usize::MAX)
    }

    /// Returns these limits, and not more than the model wants.
    pub(super) fn within(self, limits: Limits) -> Limits {
        Limits { max_bytes: limits.max_bytes.min(self.bytes()), ..limits }
    }
}

impl Yield {
    /// Reads how a call is to be answered. A command that is called to run in the background yields at once.
    pub(super) fn read(arguments: &mut Arguments, in_background: bool) -> Result<Self, String> {
        let [_, shortest, longest] = YIELD;
        let after = arguments.optional_milliseconds("yieldMs")?;
        let after = after.map(|after| after.clamp(shortest, longest));
        let longest = MaxTokens::read(arguments)?;
        Ok(Self { after: if in_background { Some(shortest) } else { after }, longest })
    }
}

/// Returns the default limits of a result. Lines do not count.
pub(super) fn default_limits() -> Limits {
    let max_bytes = MaxTokens(MAX_TOKENS).bytes();
    Limits { max_lines: max_bytes, max_bytes }
}

/// Returns the lines before a command's output.
pub(super) fn header(state: &str, output_bytes: u64) -> String {
    let tokens = output_bytes.div_ceil(BYTES_PER_TOKEN);
    format!("{state}\nOriginal token count: {tokens}\nOutput:\n")
}

impl Call {
    /// Runs the command until it ends or the call must return. In that case it continues as a job.
    pub(super) async fn run_as_session(
        &self,
        ctx: &ToolContext,
        mut command: RunningCommand,
        yields: Yield,
    ) -> ToolResult {
        let folder = ctx.env.canonicalize(&ctx.cwd).await.unwrap_or_else(|_| ctx.cwd.clone());
        let unsaved = ctx.env.unsaved(&folder);
        let output = command.output.clone();
        let settles = command.terminal.is_some() && yields.after.is_none();
        let is_over = async {
            let settled = async {
                if settles {
                    output.settled(Mark::default(), QUIET).await;
                } else {
                    std::future::pending::<()>().await;
                }
            };
            let [default, ..] = YIELD;
            let _ = tokio::time::timeout(yields.after.unwrap_or(default), settled).await;
        };
        let mut is_over = std::pin::pin!(is_over);
        let mut is_stopping = false;
        loop {
            tokio::select! {
                biased;
                () = ctx.cancel.cancelled(), if !is_stopping => {
                    is_stopping = true;
                    command.cancel.cancel();
                }
                event = command.next() => match event {
                    CommandEvent::Printed(text) => ctx.progress.text(text),
                    CommandEvent::Ended(ran) => {
                        let result = self.result(ctx, ran);
                        return with_unsaved(result, &unsaved);
                    }
                },
                () = &mut is_over, if !is_stopping => break,
            }
        }
        match ctx.jobs.start(command, self.title()).await {
            Ok(job) => {
                let result = show(ctx, job, self.limits(ctx)).await;
                with_unsaved(result, &unsaved)
            }
            Err(message) => failure(format!("{message} The command was stopped.")),
        }
    }
}

/// Waits for a command that outlived its call, and types into it.
#[derive(Debug, Clone, Copy)]
pub struct WriteStdin(pub Profile);

impl Tool for WriteStdin {
    shaped!(Builtin::JobWrite);

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn prepare(&self, arguments: Value, _folders: &Folders) -> Result<Box<dyn Prepared>, String> {
        let mut arguments = Arguments::new(self.0.row(Builtin::JobWrite), arguments)?;
        let id = JobId::new(arguments.filled_text("id")?);
        let typed = arguments.optional_text("input")?.unwrap_or_default();
        let given = arguments.optional_milliseconds("waitMs")?;
        let [shortest, longest] = if typed.is_empty() { WAITING_YIELD } else { TYPING_YIELD };
        let wait = given.map(|given| given.clamp(shortest, longest));
        let longest = MaxTokens::read(&mut arguments)?;
        Ok(Box::new(Continued { tool: *self, id, typed, wait, longest }))
    }
}

#[derive(Debug)]
struct Continued {
    tool: WriteStdin,
    id: JobId,
    typed: String,
    wait: Option<Duration>,
    longest: MaxTokens,
}

#[async_trait::async_trait]
impl Prepared for Continued {
    fn title(&self) -> String {
        let (name, session) = (self.tool.name(), number(&self.id));
        if self.typed.is_empty() {
            return format!("{name}: {session}");
        }
        format!("{name}: {session}: {}", job::shown_keys(&self.typed))
    }

    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn access(&self) -> Access {
        job::access(&self.id, &self.typed)
    }

    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult {
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => failure("Operation aborted"),
            done = self.go_on(ctx) => done.unwrap_or_else(failure),
        }
    }
}

impl Continued {
    async fn go_on(&self, ctx: &ToolContext) -> Result<ToolResult, String> {
        let session = number(&self.id);
        let known = ctx.jobs.look(&self.id).await;
        let job = known.map_err(|_| {
            format!("No command has the session ID {session}. It may have ended with an earlier session.")
        })?;
        let before = job.output.after(job.mark).mark;
        let is_interrupt = self.typed.chars().all(|key| INTERRUPTS.contains(&key));
        match &job.terminal {
            _ if self.typed.is_empty() || job.end.is_some() => {}
            Some(terminal) => terminal.type_text(&self.typed).await?,
            None if is_interrupt => drop(ctx.jobs.stop(&self.id).await?),
            None => {
                let shell = self.tool.0.row(Builtin::Shell);
                let tty = shell.theirs("tty").unwrap_or("tty");
                return Err(format!(
                    "The command of session {session} has no terminal, so nothing can be typed. Stop it with \\u0003, and call {} again with `{tty}`.",
                    shell.name
                ));
            }
        }
        let [default, _] = WAITING_YIELD;
        if job.end.is_none() {
            let _ = match self.wait {
                Some(wait) => tokio::time::timeout(wait, job.output.ended()).await,
                None if self.typed.is_empty() => {
                    tokio::time::timeout(default, job.output.ended()).await
                }
                None => tokio::time::timeout(MAX_SETTLING, job.output.settled(before, QUIET)).await,
            };
        }
        let limits = self.longest.within(ctx.settings.limits(default_limits()));
        Ok(show(ctx, ctx.jobs.look(&self.id).await?, limits).await)
    }
}

/// Returns a job's number, which is its session's.
fn number(id: &JobId) -> &str {
    id.as_str().strip_prefix("job-").unwrap_or(id.as_str())
}

/// Shows the output since the model's last look.
async fn show(ctx: &ToolContext, job: JobView, limits: Limits) -> ToolResult {
    let state = match &job.end {
        None => format!("Process running with session ID {}", number(&job.id)),
        Some((end, details)) => format!("Process {}", job::ended(*end, details)),
    };
    let shown = job::take_new(ctx, &job, limits).await;
    let mut result = success(format!("{}{}", header(&state, shown.bytes), shown.text));
    let notices = shown.notices.iter().map(|notice| Content::text(format!("[{notice}]")));
    result.content.extend(notices);
    result.details = shown.details;
    result.is_error = match &job.end {
        Some((JobEnd::Exited, details)) => details.exit_code != Some(0),
        Some((JobEnd::Stopped, _)) | None => false,
        Some(_) => true,
    };
    let (job_id, item_id, has_ended) = (job.id, job.item_id, job.end.is_some());
    result.details.jobs = vec![JobRef { job_id, item_id, has_ended }];
    result
}
