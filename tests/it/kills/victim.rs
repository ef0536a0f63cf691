//! A client of a program that is killed at some moment: it asks and waits like any other, and learns that the program is gone.
//!
//! Invariant: all that the program wrote before it died is in `seen`, so what a person could know is known here.

use crate::support::HANG;
use crate::support::frames::Frames;
use crate::support::program::wait;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Milliseconds between checks whether the run has ended.
const LOOK_AGAIN: u16 = 50;

/// When the program is killed.
#[derive(Debug, Clone)]
pub(super) enum Moment {
    /// So long after it has written so many lines.
    Line { count: u64, then: Duration },
    /// So long after it was armed.
    Time(Duration),
    /// So long after a file whose name begins so was seen in a folder.
    Seen { prefix: &'static str, then: Duration },
    /// So long after one more change of the first file of the project was seen, which is as soon as anybody can see it.
    Changed { count: u64, then: Duration },
    /// When all was done.
    Never,
}

pub(super) struct Victim {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Lines until the end; 0 is for ever.
    left: Arc<AtomicU64>,
    then_us: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    ids: u64,
    frames: Frames,
    /// Every message that it wrote.
    pub(super) seen: Vec<Value>,
    /// How many lines and how much time it took since it was armed.
    armed: Option<(usize, Instant)>,
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Victim {
    pub(super) fn start(mut command: Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (tx, messages) = channel();
        let (left, then_us) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let is_over = Arc::new(AtomicBool::new(false));
        let pid = pid_of(&child);
        let (countdown, pause) = (Arc::clone(&left), Arc::clone(&then_us));
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let is_armed = countdown.load(Ordering::Relaxed) > 0;
                if is_armed && countdown.fetch_sub(1, Ordering::Relaxed) == 1 {
                    spin(Duration::from_micros(pause.load(Ordering::Relaxed)));
                    kill(pid);
                }
                // A line that the kill cut is no message.
                let Ok(message) = serde_json::from_slice(&line.unwrap()) else { break };
                if tx.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            stdin,
            messages,
            left,
            then_us,
            is_over,
            threads: vec![reader],
            ids: 0,
            frames: Frames::default(),
            seen: Vec::new(),
            armed: None,
        }
    }

    /// From now on it may die; the folders are those in which files lie beside others before they take their names.
    pub(super) fn arm(&mut self, moment: &Moment, folders: &[PathBuf]) {
        self.armed = Some((self.seen.len(), Instant::now()));
        let pid = pid_of(&self.child);
        match moment.clone() {
            Moment::Line { count, then } => {
                let micros = u64::try_from(then.as_micros()).unwrap();
                self.then_us.store(micros, Ordering::Relaxed);
                self.left.store(count.max(1), Ordering::Relaxed);
            }
            Moment::Time(after) => self.threads.push(std::thread::spawn(move || {
                spin(after);
                // Whoever is waited for is not reaped yet, so the number is still its own.
                kill(pid);
            })),
            Moment::Seen { prefix, then } => {
                self.kill_when(folders, then, move |name| name.starts_with(prefix));
            }
            Moment::Changed { count, then } => {
                let mut changes = 0;
                self.kill_when(folders.get(..1).unwrap(), then, move |name| {
                    changes += u64::from(name == "a.txt");
                    changes > count
                });
            }
            Moment::Never => {}
        }
    }

    /// Kills the program `then` after a matching entry in one of the folders was created, written or renamed into place.
    fn kill_when(
        &mut self,
        folders: &[PathBuf],
        then: Duration,
        mut is_wanted: impl FnMut(&str) -> bool + Send + 'static,
    ) {
        let (pid, is_over) = (pid_of(&self.child), Arc::clone(&self.is_over));
        let watch = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).unwrap();
        let changes =
            AddWatchFlags::IN_CREATE | AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_MOVED_TO;
        for folder in folders {
            watch.add_watch(folder, changes).unwrap();
        }
        self.threads.push(std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                poll(&mut [PollFd::new(watch.as_fd(), PollFlags::POLLIN)], LOOK_AGAIN).unwrap();
                let events = watch.read_events().unwrap_or_default();
                let mut names = events.iter().filter_map(|event| event.name.as_ref()?.to_str());
                if names.any(&mut is_wanted) {
                    spin(then);
                    return kill(pid);
                }
            }
        }));
    }

    /// Lines and time since it was armed.
    pub(super) fn spent(&self) -> (u64, Duration) {
        let (lines, began) = self.armed.unwrap();
        ((self.seen.len() - lines) as u64, began.elapsed())
    }

    /// Kills it, if nobody has, and takes all that it said.
    pub(super) fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        kill(pid_of(&self.child));
        drop(self.stdin.take());
        while self.next().is_some() {}
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
        wait(&mut self.child);
    }

    /// The next message; none when it is dead.
    pub(super) fn next(&mut self) -> Option<Value> {
        let message = self.messages.recv_timeout(HANG);
        match message {
            Ok(message) => {
                self.frames.received(&message);
                self.seen.push(message.clone());
                Some(message)
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                let last: Vec<_> = self.seen.iter().rev().take(5).map(Value::to_string).collect();
                panic!("nothing came; seen last: {last:#?}")
            }
        }
    }

    pub(super) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        loop {
            let message = self.next()?;
            if is_wanted(&message) {
                return Some(message);
            }
        }
    }

    /// Waits until so many events of this type have come in all.
    pub(super) fn events(&mut self, kind: &str, count: usize) -> Option<()> {
        let is_it = |message: &&Value| message["params"]["event"]["type"] == kind;
        while self.seen.iter().filter(is_it).count() < count {
            self.next()?;
        }
        Some(())
    }

    /// Sends a request, to wait for later.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Option<u64> {
        self.ids += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params});
        self.frames.sent(&request);
        let stdin = self.stdin.as_mut()?;
        writeln!(stdin, "{request}").ok()?;
        Some(self.ids)
    }

    /// Sends a request and returns its result.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        let id = self.request(method, params)?;
        let answer =
            self.until(|message| message["id"] == id && message.get("method").is_none())?;
        Some(answer["result"].clone())
    }

    pub(super) fn prompt(&mut self, text: &str) -> Option<Value> {
        let input = json!([{"type": "text", "text": text}]);
        self.ask("turn/start", json!({"input": input, "whenBusy": "queue"}))
    }
}

fn pid_of(child: &Child) -> nix::unistd::Pid {
    nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap())
}

fn kill(pid: nix::unistd::Pid) {
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
}

/// Waits with microsecond precision: sleeps for most of the time, then spins.
fn spin(time: Duration) {
    const LATE: Duration = Duration::from_millis(1);
    let began = Instant::now();
    std::thread::sleep(time.saturating_sub(LATE));
    while began.elapsed() < time {
        std::hint::spin_loop();
    }
}
