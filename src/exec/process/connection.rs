//! A program that stays connected to another place, and serves one request after the other there.
//!
//! The program is a command prefix followed by a shell; the requests are defined in `wrapped`. Invariant: a connection serves one caller at a
//! time, who may send several requests at once. A future dropped in between takes the connection with it, so the answer to one request is
//! never read as that of the next.

use super::envelope::Envelope;
use super::{
    Drains, Event, Family, GRACE, Launch, Leftover, READ_BYTES, Running, START_TIMEOUT, Started,
    at, read,
};
use crate::capture::Capture;
use crate::{Command, End, Error, Ran};
use pintle_os::pipe;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The maximum size of a program's error output that is kept.
const MAX_COMPLAINT_BYTES: usize = 64 * 1024;

/// A connection that waits for a request.
#[derive(Debug)]
pub(crate) struct Connection {
    /// First, because it is dropped first.
    family: Family,
    child: Started,
    input: pipe::Sender,
    output: pipe::Receiver,
    complaints: Complaints,
    idle_since: Instant,
}

/// Requests that were answered.
#[derive(Debug)]
pub(crate) struct Exchanged {
    /// An answer and its output for each request, in order. If the output exceeded the limit, the last answer is incomplete.
    pub(crate) answers: Vec<(Envelope, Vec<u8>)>,
    /// `None` if the output exceeded the limit.
    pub(crate) connection: Option<Connection>,
}

/// A connection that ended before its request was answered.
#[derive(Debug)]
pub(crate) struct Lost {
    /// The program's last error output.
    pub(crate) said: String,
    /// The other end had taken the request.
    pub(crate) has_begun: bool,
}

/// A command that is to run at the other end.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    pub(crate) command: &'a Command,
    /// The request that starts it.
    pub(crate) request: Vec<u8>,
    pub(crate) mark: String,
    /// The directory for long outputs if the command specifies none.
    pub(crate) temporary: &'a Path,
}

impl Connection {
    /// Starts a program, sends it a script and waits until it is ready.
    pub(crate) async fn open(
        launch: &Launch,
        script: &[u8],
        ready: Envelope,
    ) -> Result<Self, Lost> {
        let start = Self::start(launch).await;
        let connection =
            start.map_err(|error| Lost { said: error.to_string(), has_begun: false })?;
        let is_ready = |envelope: &Envelope| !envelope.is_on_the_way();
        let exchanged = connection.exchange_until(script, vec![ready], u64::MAX, is_ready).await?;
        let lost = Lost { said: String::new(), has_begun: true };
        exchanged.connection.ok_or(lost)
    }

    async fn start(launch: &Launch) -> io::Result<Self> {
        let (stdin, input) = pipe::input()?;
        let (output, stdout) = pipe::wide_output()?;
        let (errors, stderr) = pipe::output()?;
        let child = Started::new(launch, [&stdin, &stdout, &stderr].map(pipe::borrow)).await?;
        let mut family = child.family(String::new());
        family.is_below_leader();
        let complaints = Complaints::collect(errors);
        Ok(Self { family, child, input, output, complaints, idle_since: Instant::now() })
    }

    /// How long the connection has been idle.
    pub(crate) fn idle(&self) -> Duration {
        self.idle_since.elapsed()
    }

    /// Returns false if the program has ended, or printed without being asked.
    pub(crate) fn is_open(&self) -> bool {
        matches!(pipe::read_now(&self.output, &mut [0]), Ok(None))
    }

    /// Sends requests, of which the last may have an input, and waits for the answers. `max_bytes` limits their output together.
    pub(crate) async fn exchange(
        self,
        requests: &[u8],
        envelopes: Vec<Envelope>,
        max_bytes: u64,
    ) -> Result<Exchanged, Lost> {
        self.exchange_until(requests, envelopes, max_bytes, Envelope::is_over).await
    }

    async fn exchange_until(
        mut self,
        requests: &[u8],
        envelopes: Vec<Envelope>,
        max_bytes: u64,
        is_enough: impl Fn(&Envelope) -> bool,
    ) -> Result<Exchanged, Lost> {
        self.family.is_armed = true;
        let mut answers: Vec<(Envelope, Vec<u8>)> =
            envelopes.into_iter().map(|envelope| (envelope, Vec::new())).collect();
        let (mut answered, mut total) = (0, 0);
        let (input, pipe, child) = (&mut self.input, &mut self.output, &mut self.child);
        let mut is_sent = false;
        let send = async {
            // A program that has ended closes its end; its own message is more useful than this error.
            is_sent = input.write_all(requests).await.is_ok();
            std::future::pending::<()>().await;
        };
        let receive = async {
            let mut buffer = vec![0; READ_BYTES];
            let mut enough_at = None;
            loop {
                let event = tokio::select! {
                    read = read(Some(pipe), &mut buffer) => Event::Output(read),
                    ended = child.wait(), if enough_at.is_none() => Event::Exited(ended),
                    () = at(enough_at) => Event::Enough,
                };
                let mut after;
                let mut bytes = match event {
                    Event::Output(Ok(read @ 1..)) => buffer.get(..read).unwrap_or_default(),
                    // The last output is still in the pipe.
                    Event::Exited(_) => {
                        enough_at = Some(Instant::now() + GRACE);
                        continue;
                    }
                    _ => return false,
                };
                while let Some((envelope, output)) = answers.get_mut(answered) {
                    let printed = envelope.push(bytes);
                    total += printed.len() as u64;
                    output.extend(printed);
                    if !is_enough(envelope) {
                        break;
                    }
                    after = envelope.take_after();
                    bytes = &after;
                    answered += 1;
                }
                if answered == answers.len() || total > max_bytes {
                    return true;
                }
            }
        };
        let is_answered = tokio::select! {
            biased;
            is_answered = receive => is_answered,
            () = send => false,
        };
        if !is_answered {
            let said = self.complaints.said().await;
            let first = answers.first().map(|(envelope, _)| envelope);
            let before = || first.map(Envelope::before).unwrap_or_default();
            let has_begun = first.is_some_and(|envelope| !envelope.is_on_the_way());
            let said = if said.is_empty() { before() } else { said };
            return Err(Lost { said, has_begun });
        }
        let is_whole = is_sent && total <= max_bytes;
        answers.truncate(answered.max(1));
        let connection = is_whole.then(|| self.rest());
        Ok(Exchanged { answers, connection })
    }

    /// Puts the connection to rest until its next request.
    fn rest(mut self) -> Self {
        self.family.is_armed = false;
        self.idle_since = Instant::now();
        self
    }

    /// Runs a command at the other end. Returns the connection if it can take another one.
    pub(crate) async fn run(
        self,
        order: Order<'_>,
        drains: &Drains,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> (Result<Ran, Error>, Option<Self>) {
        let Order { command, request, mark, temporary } = order;
        let Self { mut family, child, mut input, output: pipe, mut complaints, .. } = self;
        let envelope = Envelope::new(&mark);
        family.mark = mark;
        family.is_armed = true;
        // The other end does not start the request before its line is complete.
        let is_sent = tokio::select! {
            _ = input.write_all(&request) => true,
            () = cancel.cancelled() => {
                return (Ok(never_run(command, temporary, End::Cancelled).await), None);
            }
            () = sleep(START_TIMEOUT) => false,
        };
        if !is_sent {
            let end = End::Exited(1);
            let checked = envelope.check(&end, command, "the connection accepts no requests");
            return (checked.and(Ok(never_run(command, temporary, end).await)), None);
        }
        let mut running = Running::new(family, child, pipe, command, temporary);
        // A command's timeout begins when the command does.
        running.deadline = running.deadline.map(|deadline| deadline + START_TIMEOUT);
        running.envelope = Some(envelope);
        running.input = Some(input);
        let end = running.finish(cancel, output).await;
        running.progress.flush(output);
        let is_reusable = running.is_reusable();
        let Running { family, child, input, pipe, envelope, mut capture, .. } = running;
        let is_on_the_way = envelope.as_ref().is_some_and(Envelope::is_on_the_way);
        let said = if is_on_the_way { complaints.said().await } else { String::new() };
        let end = end.unwrap_or_else(|error| End::Signalled(error.to_string()));
        let checked = envelope.map_or(Ok(()), |envelope| envelope.check(&end, command, &said));
        let pipe = pipe.filter(|_| !end.was_stopped());
        let ran = match (pipe, input.filter(|_| is_reusable)) {
            (Some(output), Some(input)) => {
                let idle_since = Instant::now();
                let connection = Self { family, child, input, output, complaints, idle_since };
                let ran = capture.finish(end).await;
                return (checked.map(|()| ran), Some(connection));
            }
            (Some(pipe), None) if checked.is_ok() => {
                let mut ran = capture.go_on(end).await;
                // From here, a connection that is held open looks like one that is slow to close.
                ran.background_output = None;
                let connection = Some((family, child, complaints));
                drains.add(&command.owner, Leftover { pipe, capture, connection });
                ran
            }
            (_, _) => {
                drop(family);
                capture.finish(end).await
            }
        };
        (checked.map(|()| ran), None)
    }
}

/// Returns the result for a command that was stopped before it started.
pub(crate) async fn never_run(command: &Command, temporary: &Path, end: End) -> Ran {
    Capture::new(command, temporary).finish(end).await
}

/// The error output of a program, which is read all the time: it would wait for its pipe.
#[derive(Debug)]
pub(super) struct Complaints {
    text: Arc<Mutex<Vec<u8>>>,
    /// The one reader.
    reader: JoinSet<()>,
}

impl Complaints {
    fn collect(mut pipe: pipe::Receiver) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let mut reader = JoinSet::new();
        let into = Arc::clone(&text);
        reader.spawn(async move {
            let mut buffer = vec![0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
                let mut text = into.lock().unwrap_or_else(PoisonError::into_inner);
                text.extend_from_slice(buffer.get(..read).unwrap_or_default());
                let over = text.len().saturating_sub(MAX_COMPLAINT_BYTES);
                text.drain(..over);
            }
        });
        Self { text, reader }
    }

    /// Returns the last text received, once the program has ended.
    async fn said(&mut self) -> String {
        // Another process may keep the stream open: ssh leaves a connection for the next program.
        let _ = timeout(GRACE, self.reader.join_next()).await;
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}
