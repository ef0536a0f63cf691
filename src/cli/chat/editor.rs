//! The line editor: reads lines with history and completion, and prints above the line that is being typed.
//!
//! One thread reads, and one prints. Invariants: text is printed in its order, and only while a line is being read, through the editor,
//! which draws the line again below it; or after the last line was read. The reader waits with the next line until the chat has taken the
//! one before.

use super::Input;
use super::commands;
use super::complete::{self, Tree};
use super::look::{self, Ink, Look};
use super::view::Known;
use anyhow::Context as _;
use pintle_base::private_files;
use pintle_os::terminal::Silent;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Context, Event, EventContext,
    EventHandler, ExternalPrinter, Helper, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};

/// The prompt. In front of an answer, it is drawn as [`ASKING`], which has the same width.
const PROMPT: &str = "> ";
const ASKING: &str = "? ";

/// The number of messages that the history keeps.
const HISTORY: usize = 1000;

/// The size of waiting text at which no more messages are taken from the engine, in bytes: the terminal is slow, or its user reads a list.
const MAX_BACKLOG: usize = 1024 * 1024;

/// How long the editor may take to print the rest.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// Moves the cursor up and down again, so that the editor redraws its line in place.
const REDRAW: &str = "\u{1b}[A\n";

/// A line editor.
pub(super) struct Editor {
    shared: Arc<Shared>,
    print: Sender<Text>,
    printer: JoinHandle<()>,
    resume: Sender<String>,
    /// True if the line is not in the screen's first row any more, where [`REDRAW`] would move it down.
    has_printed: Cell<bool>,
    /// Keys that are typed between two lines are not echoed, and the editor reads them later.
    _silent: Silent,
}

/// Something to print.
enum Text {
    Lines(String),
    /// The state line or the prompt has changed.
    Redraw,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The size of the text that waits to be printed, in bytes.
    backlog: AtomicUsize,
    /// Notified when some of it was printed.
    printed: Notify,
}

#[derive(Default)]
struct State {
    /// Text and state around the line.
    around: Around,
    /// The line that is being typed, by its number: a line that was emptied is another one afterwards.
    draft: u64,
    has_draft: bool,
    gate: Gate,
}

/// Text and state around the line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) state_line: String,
    /// True if the line is an answer.
    pub(super) is_asking: bool,
    /// True if a turn runs.
    pub(super) is_busy: bool,
    pub(super) known: Arc<Known>,
}

/// The state of printing.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the line")]
struct Gate {
    /// True while a line is being read.
    is_open: bool,
    /// The text that the editor has not printed yet. It takes the next one only after that.
    printing: Option<String>,
    /// True if the next drawing follows a key rather than a printed text.
    is_keyed: bool,
    /// True if the next drawing follows a list of candidates.
    is_listing: bool,
    /// The number of times that it was closed.
    closed: u64,
    /// True if everything was handed to the editor, and nothing more comes.
    is_drained: bool,
    /// True if no more lines are read: text goes to the terminal directly.
    is_over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the editor can print, and hands it the text. Returns the text that is left to print once no more lines are read.
    fn print(&self, text: &str, printer: &mut impl ExternalPrinter) -> Option<String> {
        let mut state = self.state();
        while !state.gate.is_over && (!state.gate.is_open || state.gate.printing.is_some()) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.gate.is_over {
            return Some(state.gate.printing.take().unwrap_or_default() + text);
        }
        state.gate.printing = Some(text.to_owned());
        let closed = state.gate.closed;
        // The editor takes one text at a time, and must be able to draw until it takes this one.
        drop(state);
        let is_taken = printer.print(text.to_owned()).is_ok();
        let mut state = self.state();
        if !is_taken || state.gate.closed != closed {
            // The line has ended meanwhile, so the text went to the terminal directly.
            state.gate.printing = None;
        }
        None
    }

    /// Takes the line after a change.
    fn line_changed(&self, line: &str) {
        let mut state = self.state();
        if line.is_empty() && state.has_draft {
            state.draft += 1;
        }
        state.has_draft = !line.is_empty();
        state.gate.is_listing = false;
        state.gate.is_open = true;
        self.changed.notify_all();
    }

    /// Records that the next drawing follows a key.
    fn key_pressed(&self) {
        self.state().gate.is_keyed = true;
    }

    /// Returns what to draw. A drawing that follows neither a key nor a list of candidates follows a printed text.
    fn draws(&self) -> Around {
        let mut state = self.state();
        let is_keyed = std::mem::take(&mut state.gate.is_keyed);
        if std::mem::take(&mut state.gate.is_listing) {
            state.gate.is_open = true;
        } else if !is_keyed {
            state.gate.printing = None;
        }
        self.changed.notify_all();
        state.around.clone()
    }

    /// Lets no text be printed while candidates are listed.
    fn lists(&self) {
        let mut state = self.state();
        state.gate.is_open = false;
        state.gate.is_listing = true;
    }

    /// Lets no text be printed until the next line is read.
    fn close(&self) {
        let mut state = self.state();
        state.gate.is_open = false;
        state.gate.closed += 1;
    }

    /// Ends the line. Returns its number, and whether it was an answer.
    fn submitted(&self) -> (u64, bool) {
        self.close();
        let mut state = self.state();
        let submitted = (state.draft, state.around.is_asking);
        state.draft += 1;
        state.has_draft = false;
        submitted
    }

    /// Ends reading. Text that is left goes to the editor as long as it reads and takes it.
    fn end(&self) {
        let state = self.state();
        let is_left = |state: &mut State| {
            state.gate.is_open && !(state.gate.is_drained && state.gate.printing.is_none())
        };
        let waited = self.changed.wait_timeout_while(state, LEAVE_TIMEOUT, is_left);
        waited.unwrap_or_else(PoisonError::into_inner).0.gate.is_over = true;
        self.changed.notify_all();
    }
}

impl Editor {
    /// Starts to read lines. The history is kept in a private file.
    ///
    /// # Errors
    /// Stdin or stdout is not a terminal that the editor supports.
    pub(super) fn start(
        history: PathBuf,
        tree: Tree,
        look: Look,
        input: mpsc::Sender<Input>,
    ) -> anyhow::Result<Self> {
        let silent = Silent::keeping_input().context("cannot turn off the terminal's echo")?;
        let config = Config::builder()
            .auto_add_history(false)
            .history_ignore_space(true)
            .max_history_size(HISTORY)?
            .completion_type(CompletionType::List)
            // What is drawn decides about colours itself.
            .color_mode(ColorMode::Forced)
            .build();
        let mut editor = rustyline::Editor::<Drawn, FileHistory>::with_config(config)?;
        let shared = Arc::new(Shared::default());
        editor.set_helper(Some(Drawn { shared: Arc::clone(&shared), tree, look }));
        bind(&mut editor, &shared, &input);
        // Without a history, lines are still read.
        let _ = open_history(&history).map(|()| editor.load_history(&history));
        let mut printer = editor.create_external_printer()?;
        let (print, texts) = channel();
        let printer = std::thread::Builder::new().name("printer".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || print_all(&texts, &shared, &mut printer)
        })?;
        let (resume, resumed) = channel();
        std::thread::Builder::new().name("input".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || read_all(&mut editor, &history, &shared, &input, &resumed)
        })?;
        Ok(Self { shared, print, printer, resume, has_printed: Cell::new(false), _silent: silent })
    }

    /// Prints lines above the line that is being typed.
    pub(super) fn print(&self, lines: String) {
        self.has_printed.set(true);
        self.shared.backlog.fetch_add(lines.len(), Ordering::Relaxed);
        let _ = self.print.send(Text::Lines(lines));
    }

    /// Returns true while too much text waits to be printed.
    pub(super) fn is_behind(&self) -> bool {
        self.shared.backlog.load(Ordering::Relaxed) > MAX_BACKLOG
    }

    /// Waits until some text was printed. Cancel-safe.
    pub(super) async fn printed(&self) {
        self.shared.printed.notified().await;
    }

    /// Sets the text and state around the line.
    pub(super) fn surround(&self, around: Around) {
        let mut state = self.shared.state();
        let is_drawn = (&state.around.state_line, state.around.is_asking)
            != (&around.state_line, around.is_asking);
        state.around = around;
        drop(state);
        if is_drawn && self.has_printed.get() {
            let _ = self.print.send(Text::Redraw);
        }
    }

    /// Returns the number of the line that is being typed; `None` if it is empty.
    pub(super) fn draft(&self) -> Option<u64> {
        let state = self.shared.state();
        state.has_draft.then_some(state.draft)
    }

    /// Lets the next line be read, which begins with this text.
    pub(super) fn resume(&self, text: String) {
        let _ = self.resume.send(text);
    }

    /// Prints the rest and gives the terminal back.
    pub(super) fn leave(self) {
        let Self { shared, print, printer, resume: _resume, _silent, .. } = self;
        let is_reading = shared.state().gate.is_open;
        drop(print);
        shared.end();
        let mut stdout = std::io::stdout();
        if is_reading {
            // The line is not needed any more, nor are pasted texts marked.
            let _ = stdout.write_all(b"\r\x1b[J\x1b[?2004l");
        }
        let _ = printer.join();
        let _ = stdout.flush();
    }
}

/// Creates the history's file if it is missing, readable only by its user.
fn open_history(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_private_folder(folder)?;
    }
    private_files::open_private(path, OpenOptions::new().append(true).create(true)).map(drop)
}

fn print_all(texts: &Receiver<Text>, shared: &Shared, printer: &mut impl ExternalPrinter) {
    while let Ok(first) = texts.recv() {
        let mut lines = String::new();
        for text in std::iter::once(first).chain(texts.try_iter()) {
            if let Text::Lines(more) = text {
                lines.push_str(&more);
            }
        }
        let text = if lines.is_empty() { REDRAW } else { &lines };
        if let Some(rest) = shared.print(text, printer) {
            let _ = std::io::stdout().write_all(rest.replace(REDRAW, "").as_bytes());
        }
        shared.backlog.fetch_sub(lines.len(), Ordering::Relaxed);
        shared.printed.notify_one();
    }
    let mut state = shared.state();
    state.gate.is_drained = true;
    shared.changed.notify_all();
    while !state.gate.is_over {
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    let rest = state.gate.printing.take().unwrap_or_default();
    let _ = std::io::stdout().write_all(rest.replace(REDRAW, "").as_bytes());
}

fn read_all(
    editor: &mut rustyline::Editor<Drawn, FileHistory>,
    history: &Path,
    shared: &Shared,
    input: &mpsc::Sender<Input>,
    resumed: &Receiver<String>,
) {
    let mut begun = String::new();
    loop {
        let read = editor.readline_with_initial(PROMPT, (&begun, ""));
        begun.clear();
        match read {
            Ok(line) => {
                let (draft, is_answer) = shared.submitted();
                let text = line.replace("\\\n", "\n");
                let is_kept = !is_answer && !commands::is_private(&text);
                if is_kept && editor.add_history_entry(&text).unwrap_or_default() {
                    let _ = editor.append_history(history);
                }
                if input.blocking_send(Input::Line { text, draft: Some(draft) }).is_err() {
                    return;
                }
                match resumed.recv() {
                    Ok(text) => begun = text,
                    Err(_) => return,
                }
            }
            Err(ReadlineError::Interrupted) => {
                shared.close();
                if input.blocking_send(Input::Interrupt).is_err() {
                    return;
                }
            }
            Err(_) => return shared.close(),
        }
    }
}

fn bind(
    editor: &mut rustyline::Editor<Drawn, FileHistory>,
    shared: &Arc<Shared>,
    input: &mpsc::Sender<Input>,
) {
    let key = |code, modifiers| Event::KeySeq(vec![KeyEvent(code, modifiers)]);
    let on = |does: KeyKind| {
        let handler = Keys { does, shared: Arc::clone(shared), input: input.clone() };
        EventHandler::Conditional(Box::new(handler))
    };
    editor.bind_sequence(key(KeyCode::Enter, Modifiers::NONE), on(KeyKind::Enter));
    editor.bind_sequence(key(KeyCode::Char('D'), Modifiers::CTRL), on(KeyKind::End));
    editor.bind_sequence(key(KeyCode::Char('C'), Modifiers::CTRL), on(KeyKind::Interrupt));
    // A suspended program of several threads returns in the wrong terminal mode.
    editor.bind_sequence(key(KeyCode::Char('Z'), Modifiers::CTRL), EventHandler::Simple(Cmd::Noop));
    editor.bind_sequence(key(KeyCode::Enter, Modifiers::ALT), EventHandler::Simple(Cmd::Newline));
}

/// A key with a special meaning.
struct Keys {
    does: KeyKind,
    shared: Arc<Shared>,
    input: mpsc::Sender<Input>,
}

#[derive(Clone, Copy)]
enum KeyKind {
    Enter,
    /// Leaves if the line is empty; otherwise it deletes a character.
    End,
    /// Clears the line if nothing runs; otherwise the chat decides, and the line stays.
    Interrupt,
}

impl ConditionalEventHandler for Keys {
    fn handle(
        &self,
        _: &Event,
        _: RepeatCount,
        _: bool,
        context: &EventContext<'_>,
    ) -> Option<Cmd> {
        match self.does {
            KeyKind::Enter => {
                self.shared.close();
                None
            }
            KeyKind::End => {
                if context.line().is_empty() {
                    self.shared.close();
                }
                None
            }
            KeyKind::Interrupt => {
                let is_busy = self.shared.state().around.is_busy;
                if !is_busy && !context.line().is_empty() {
                    return Some(Cmd::Kill(Movement::WholeBuffer));
                }
                // A full channel holds other interrupts.
                let _ = self.input.try_send(Input::Interrupt);
                Some(Cmd::Noop)
            }
        }
    }
}

/// Draws the prompt and the state line, and completes words.
struct Drawn {
    shared: Arc<Shared>,
    tree: Tree,
    look: Look,
}

impl Helper for Drawn {}

/// The state line below the line. It is not a suggestion, so no key inserts it.
struct StateLine(String);

impl Hint for StateLine {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Drawn {
    type Hint = StateLine;

    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<StateLine> {
        self.shared.line_changed(line);
        // Drawn by `highlight_hint`: only its height counts here.
        Some(StateLine("\n".to_owned()))
    }
}

impl Highlighter for Drawn {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.shared.draws().is_asking {
            return Cow::Owned(self.look.paint(Ink::Attention, ASKING));
        }
        Cow::Owned(self.look.paint(Ink::Bold, prompt))
    }

    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        look::typed(line)
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        // Moving the cursor draws nothing.
        if kind != CmdKind::MoveCursor {
            self.shared.key_pressed();
        }
        false
    }

    fn highlight_hint<'h>(&self, _: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\n{}", self.shared.state().around.state_line))
    }
}

impl Completer for Drawn {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let known = Arc::clone(&self.shared.state().around.known);
        self.shared.lists();
        let line = line.get(..at).unwrap_or_default();
        let (start, found) = complete::candidates(line, &known, &self.tree);
        let pair = |candidate: complete::Candidate| Pair {
            display: candidate.shown,
            replacement: candidate.text,
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Validator for Drawn {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let slashes = context.input().chars().rev().take_while(|c| *c == '\\').count();
        Ok(if slashes % 2 == 1 {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}
