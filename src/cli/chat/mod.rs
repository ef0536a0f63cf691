//! `chat`, and `attach SESSION`: a session of the shared engine in this terminal, line by line, or for lines that a program writes.
//!
//! The parts: [`view`] decides about output and messages; [`editor`] reads lines in a terminal and prints above them; without an editor
//! (a pipe, `TERM=dumb`), lines are read and printed as they come.

mod cards;
mod commands;
mod complete;
mod editor;
mod hunks;
pub(crate) mod look;
mod reply;
mod requests;
mod rules;
mod status;
mod view;
mod wire;

use crate::cli::attach::ENGINE_GONE;
use anyhow::Context as _;
use complete::Tree;
use editor::{Around, Editor};
use look::{DEFAULT_COLUMNS, Look};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_os::signals::Requests;
use pintle_os::socket::Client;
use pintle_os::terminal;
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::{SessionConfig, SessionCreateParams, SessionOpenParams};
use pintle_protocol::subscription::EventFilter;
use serde_json::Value;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use view::{Out, Reader, View};

/// The session to show.
pub(crate) use view::Target;

/// Capacity for lines that were typed and not yet taken: a user types one, a pipe waits.
const LINES: usize = 16;

/// The history file in the data directory.
const HISTORY: &str = "chat-history";

/// The exit code of a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// User input.
#[derive(Debug)]
enum Input {
    /// A line, from the draft with this number.
    Line { text: String, draft: Option<u64> },
    /// Ctrl-C.
    Interrupt,
}

/// The source of lines and the target of text.
enum Terminal {
    Editor(Editor),
    Plain,
}

/// A stored session, which gets these settings.
pub(crate) fn stored(session_id: SessionId, config: SessionConfig) -> Target {
    let params = SessionOpenParams {
        session_id,
        subscribe: None,
        from_seq: None,
        tail: None,
        cwd: None,
        config,
        filter: EventFilter::default(),
    };
    Target::Stored(Box::new(params))
}

/// A new session in a directory.
pub(crate) fn new(cwd: &str, config: SessionConfig) -> Target {
    let cwd = Some(cwd.to_owned());
    Target::New(Box::new(SessionCreateParams { cwd, config, ..SessionCreateParams::default() }))
}

/// Shows a session until the user leaves, the input ends, or the engine goes away.
///
/// # Errors
/// Fails if the engine goes away while a message is being sent.
pub(crate) async fn run(
    socket: Client,
    target: Target,
    data: &Path,
    ambient: &Ambient,
) -> anyhow::Result<u8> {
    let (read, mut write) = socket.into_split()?;
    let mut messages = BufReader::new(read);
    let mut signals = Requests::new()?;
    let client = format!("terminal-{}", std::process::id());
    let reader = if io::stdin().is_terminal() { Reader::User } else { Reader::Program };
    let look = look(ambient);
    let tree = Tree { cwd: ambient.start_dir()?, home: ambient.home() };
    let files = Tree { cwd: tree.cwd.clone(), home: tree.home.clone() };
    let (mut view, mut out) = View::new(target, client, reader, look);
    let (input, mut typed) = mpsc::channel(LINES);
    let terminal = Terminal::new(data, tree, look, input, ambient)?;
    let mut has_input = true;
    let mut is_typed = false;
    let mut message = Vec::new();
    let code = loop {
        // What keys mean is up to date when a user sees the text.
        terminal.surround(&view);
        if let Some(code) = carry_out(out, &terminal, &mut write, &mut is_typed).await? {
            break code;
        }
        out = tokio::select! {
            read = messages.read_until(b'\n', &mut message), if !terminal.is_behind() => {
                if read.unwrap_or_default() == 0 {
                    let gone = "! the engine exited; attach again to continue\n";
                    terminal.print(gone.to_owned());
                    break ENGINE_GONE;
                }
                let taken = serde_json::from_slice::<Value>(&message);
                message.clear();
                view.resized(columns());
                taken.map(|message| view.message(&message, terminal.draft())).unwrap_or_default()
            }
            () = terminal.printed(), if terminal.is_behind() => Vec::new(),
            input = typed.recv(), if has_input => match input {
                Some(Input::Line { text, draft }) => {
                    is_typed = true;
                    view.typed(&text, draft, &files.images(&text))
                }
                Some(Input::Interrupt) => view.interrupted(),
                None => {
                    has_input = false;
                    view.ended()
                }
            },
            code = signals.next() => match code {
                INTERRUPTED => view.interrupted(),
                code => break code,
            },
        };
    };
    if let Terminal::Editor(editor) = terminal {
        editor.leave();
    }
    Ok(code)
}

/// Carries out the view's requests. Returns the exit code if the chat has ended.
async fn carry_out(
    out: Vec<Out>,
    terminal: &Terminal,
    write: &mut (impl AsyncWrite + Unpin),
    is_typed: &mut bool,
) -> anyhow::Result<Option<u8>> {
    let mut given_back = String::new();
    for out in out {
        match out {
            Out::Print(text) => {
                let is_read = terminal.print(text);
                if !is_read {
                    return Ok(Some(0));
                }
            }
            Out::Send(message) => send(write, &message).await?,
            Out::GiveBack(text) => given_back = text,
            Out::Leave(code) => return Ok(Some(code)),
        }
    }
    if let Terminal::Editor(editor) = terminal
        && std::mem::take(is_typed)
    {
        editor.resume(given_back);
    }
    Ok(None)
}

async fn send(write: &mut (impl AsyncWrite + Unpin), message: &Value) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    write.write_all(&line).await.context("lost the connection to the engine")
}

impl Terminal {
    fn new(
        data: &Path,
        tree: Tree,
        look: Look,
        input: mpsc::Sender<Input>,
        ambient: &Ambient,
    ) -> anyhow::Result<Self> {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if is_terminal && !is_dumb(ambient) {
            // A terminal that the editor cannot use still has lines.
            if let Ok(editor) = Editor::start(data.join(HISTORY), tree, look, input.clone()) {
                return Ok(Self::Editor(editor));
            }
        }
        read_lines(input)?;
        Ok(Self::Plain)
    }

    /// Prints text that has been made visible. Returns false if the reader is gone.
    fn print(&self, text: String) -> bool {
        match self {
            Self::Editor(editor) => {
                editor.print(text);
                true
            }
            Self::Plain => {
                let mut stdout = screen::out();
                let printed = stdout.raw().write_all(text.as_bytes());
                printed.and_then(|()| stdout.flush()).is_ok()
            }
        }
    }

    /// Returns true while too much text waits to be printed.
    fn is_behind(&self) -> bool {
        matches!(self, Self::Editor(editor) if editor.is_behind())
    }

    /// Waits until some text was printed. Cancel-safe.
    async fn printed(&self) {
        match self {
            Self::Editor(editor) => editor.printed().await,
            Self::Plain => std::future::pending().await,
        }
    }

    fn surround(&self, view: &View) {
        if let Self::Editor(editor) = self {
            editor.surround(Around {
                state_line: view.state_line(),
                is_asking: view.is_asking(),
                is_busy: view.is_busy(),
                known: Arc::clone(view.known()),
            });
        }
    }

    fn draft(&self) -> Option<u64> {
        match self {
            Self::Editor(editor) => editor.draft(),
            Self::Plain => None,
        }
    }
}

/// Reads stdin on a separate thread, since reading a terminal blocks.
fn read_lines(input: mpsc::Sender<Input>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("input".to_owned());
    let read = move || {
        for line in io::stdin().lock().lines() {
            let Ok(text) = line else { return };
            if input.blocking_send(Input::Line { text, draft: None }).is_err() {
                return;
            }
        }
    };
    thread.spawn(read).map(drop)
}

/// Returns how the chat looks on this stdout.
fn look(ambient: &Ambient) -> Look {
    let is_coloured = ambient.var("NO_COLOR").is_none_or(str::is_empty);
    let is_styled = io::stdout().is_terminal() && is_coloured && !is_dumb(ambient);
    Look { columns: columns(), is_styled }
}

fn is_dumb(ambient: &Ambient) -> bool {
    ambient.var("TERM") == Some("dumb")
}

fn columns() -> usize {
    terminal::columns().map_or(DEFAULT_COLUMNS, usize::from)
}
