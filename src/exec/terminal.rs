//! Terminals for commands.
//!
//! A command that runs in a [`Terminal`] can be typed into, and its screen can be read.

mod paint;

pub use paint::Painting;

use avt::observer::Transcript;
use pintle_os::pipe::Sender;
use pintle_os::pty::{Control, MAX_LINE_BYTES};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// A terminal's width in columns.
pub const COLUMNS: u16 = 120;

/// A terminal's height in rows.
pub(crate) const ROWS: u16 = 30;

/// Variables that replace those for unattended commands.
pub(crate) const VARIABLES: [(&str, &str); 2] =
    [("TERM", "xterm-256color"), ("GIT_TERMINAL_PROMPT", "1")];

/// Variables removed in a terminal, where programs can open an editor.
pub(crate) const UNSET: [&str; 3] = ["EDITOR", "VISUAL", "GIT_EDITOR"];

/// The timeout for typing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Shells whose commands can be analyzed.
const SHELLS: [&str; 8] = ["ash", "bash", "dash", "ksh", "mksh", "sh", "yash", "zsh"];

/// A terminal for a command. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Terminal(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// `None` before the command has started and after it has ended.
    opened: Mutex<Option<Arc<Opened>>>,
    /// True if an unfinished line was typed.
    is_mid_line: AtomicBool,
    /// True if the user has typed since the model last read the output.
    has_user_typed: AtomicBool,
    /// `None` unless the command is running.
    screen: Mutex<Option<Screen>>,
}

#[derive(Debug)]
struct Opened {
    keyboard: tokio::sync::Mutex<Sender>,
    control: Control,
}

/// A terminal's foreground program, which reads the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Foreground {
    /// The program's file name, if known.
    pub program: Option<String>,
    /// The working directory, if it is a shell whose commands can be analyzed.
    pub shell_in: Option<PathBuf>,
    /// True if an unfinished line was typed.
    pub is_mid_line: bool,
}

impl PartialEq for Terminal {
    /// Returns true if both are the same terminal.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Terminal {}

impl Terminal {
    pub(crate) fn open(&self, keyboard: Sender, control: Control) {
        *self.screen() = Screen::new();
        let opened = Opened { keyboard: tokio::sync::Mutex::new(keyboard), control };
        *self.0.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(opened));
    }

    fn screen(&self) -> MutexGuard<'_, Option<Screen>> {
        self.0.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds output; returns the lines that it scrolled off the screen.
    pub(crate) fn push(&self, bytes: &[u8]) -> String {
        self.screen().as_mut().map(|screen| screen.push(bytes)).unwrap_or_default()
    }

    /// Returns the lines left on the screen, and discards it.
    pub(crate) fn finish(&self) -> String {
        self.screen().take().map(Screen::finish).unwrap_or_default()
    }

    /// Returns the screen's text without trailing empty lines; `None` if the command is not running.
    pub fn shown(&self) -> Option<String> {
        self.screen().as_ref().map(Screen::shown)
    }

    /// Returns the screen with its styles; `None` if the command is not running.
    pub fn painting(&self) -> Option<Painting> {
        self.screen().as_ref().map(|screen| paint::painting(&screen.terminal))
    }

    pub(crate) fn close(&self) {
        *self.0.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn opened(&self) -> Option<Arc<Opened>> {
        self.0.opened.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the program in the foreground; `None` if the command is not running.
    pub fn foreground(&self) -> Option<Foreground> {
        let (program, folder) = self.opened()?.control.foreground().unzip();
        let name = program.as_deref().and_then(Path::file_name);
        let program = name.map(|name| name.to_string_lossy().into_owned());
        let is_shell = |name: &String| SHELLS.contains(&name.as_str());
        let shell_in = folder.filter(|_| program.as_ref().is_some_and(is_shell));
        let is_mid_line = self.0.is_mid_line.load(Ordering::Relaxed);
        Some(Foreground { program, shell_in, is_mid_line })
    }

    /// Types text for the user. The model learns that the user has typed when it next reads the output, but not the text: unless the
    /// program shows it, it can be a password.
    ///
    /// # Errors
    /// Those of [`type_text`](Self::type_text).
    pub async fn type_for_user(&self, text: &str) -> Result<(), String> {
        let typed = self.type_text(text).await;
        self.0.has_user_typed.store(true, Ordering::Relaxed);
        typed
    }

    /// Returns true if the user has typed since the last call.
    pub fn take_user_typed(&self) -> bool {
        self.0.has_user_typed.swap(false, Ordering::Relaxed)
    }

    /// Types text. A line feed presses Enter.
    ///
    /// # Errors
    /// The command is not running or does not read its input, or a line is too long. The error is a message.
    pub async fn type_text(&self, text: &str) -> Result<(), String> {
        let opened = self.opened().ok_or("the command has ended")?;
        let mut typed = text.replace("\r\n", "\r").replace('\n', "\r");
        if self.screen().as_ref().is_some_and(Screen::has_application_keys) {
            for key in ['A', 'B', 'C', 'D', 'H', 'F'] {
                typed = typed.replace(&format!("\u{1b}[{key}"), &format!("\u{1b}O{key}"));
            }
        }
        let longest = typed.split('\r').map(str::len).max().unwrap_or_default();
        if longest > MAX_LINE_BYTES && opened.control.collects_lines() {
            return Err(format!(
                "a line of the input has {longest} bytes, and the terminal takes at most {MAX_LINE_BYTES} in a line. Nothing was typed. Write the text to a file, and have the program read that."
            ));
        }
        let mut keyboard = opened.keyboard.lock().await;
        let mut rest = typed.as_bytes();
        let done = timeout(PATIENCE, async {
            while !rest.is_empty() {
                let written = keyboard.write(rest).await?;
                rest = rest.get(written..).unwrap_or_default();
            }
            io::Result::Ok(())
        });
        let done = done.await;
        let is_mid_line = |typed: &str| !typed.ends_with(['\r', '\u{3}', '\u{4}', '\u{15}']);
        if !typed.is_empty() {
            self.0.is_mid_line.store(is_mid_line(&typed), Ordering::Relaxed);
        }
        match done {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("failed to type into the terminal: {error}")),
            Err(_) => Err(format!(
                "the program does not read its input: {} of {} bytes were typed. Try again later, or stop the job.",
                typed.len() - rest.len(),
                typed.len()
            )),
        }
    }
}

/// A terminal's screen.
struct Screen {
    terminal: avt::Terminal,
    transcript: Transcript,
    /// An incomplete character.
    incomplete: Vec<u8>,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("incomplete", &self.incomplete).finish_non_exhaustive()
    }
}

impl Screen {
    /// Returns an empty screen. It is never `None`, since the size is not zero.
    fn new() -> Option<Self> {
        let terminal = avt::Terminal::new(COLUMNS.into(), ROWS.into()).ok()?;
        Some(Self { terminal, transcript: Transcript::new(), incomplete: Vec::new() })
    }

    /// Adds output; returns the lines that it scrolled off the screen.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.incomplete.extend_from_slice(bytes);
        let taken = complete(&self.incomplete);
        let rest = self.incomplete.split_off(taken);
        let text = String::from_utf8_lossy(&self.incomplete).into_owned();
        self.incomplete = rest;
        lines(&self.terminal.feed_with(text.as_str(), &mut self.transcript))
    }

    /// Returns true if the program expects application cursor keys.
    fn has_application_keys(&self) -> bool {
        self.terminal.cursor_key_app_mode()
    }

    /// Returns the text without trailing empty lines.
    fn shown(&self) -> String {
        let mut rows = self.terminal.screen().text();
        for row in &mut rows {
            row.truncate(row.trim_end().len());
        }
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows.join("\n")
    }

    /// Returns the remaining lines.
    fn finish(self) -> String {
        lines(&self.transcript.finish(&self.terminal))
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Returns the number of bytes before an incomplete character at the end.
fn complete(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(4);
    let start = (1..=longest).find(|back| {
        bytes.get(bytes.len() - back).is_some_and(|byte| *byte & 0b1100_0000 != 0b1000_0000)
    });
    let Some(back) = start else { return bytes.len() };
    let first = bytes.get(bytes.len() - back).copied().unwrap_or_default();
    let wanted = match first {
        0b1100_0000..=0b1101_1111 => 2,
        0b1110_0000..=0b1110_1111 => 3,
        0b1111_0000..=0b1111_0111 => 4,
        _ => 1,
    };
    if back < wanted { bytes.len() - back } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_shows_what_a_terminal_would() {
        let many: String =
            (1..=40).flat_map(|line| [format!("line {line}"), "\r\n".to_owned()]).collect();
        for (name, output, left, shown) in [
            ("nothing", "", "", ""),
            ("a prompt", ">>> ", "", ">>>"),
            ("colors", "\u{1b}[31mred\u{1b}[0m\r\n", "", "red"),
            ("progress", "10 %\r20 %\r", "", "20 %"),
            ("redrawn by a line editor", ">>> 1\u{1b}[1G>>> 1+\u{1b}[1G>>> 1+1", "", ">>> 1+1"),
            ("an echoed correction", "lx\u{8} \u{8}s", "", "ls"),
            ("wide characters", "漢字|\r\n", "", "漢字|"),
            ("a cleared screen", "before\r\n\u{1b}[H\u{1b}[2Jafter", "before\n", "after"),
            ("another screen", "before\r\n\u{1b}[?1049h\u{1b}[Hin vim", "", "in vim"),
            ("and back", "before\r\n\u{1b}[?1049hvim\u{1b}[?1049l", "", "before"),
            ("a flood", &many, "line 1\n…line 11\n", "line 12\n…line 40"),
        ] {
            // In one piece, and byte by byte.
            for size in [output.len().max(1), 1] {
                let mut screen = Screen::new().unwrap();
                let pieces = output.as_bytes().chunks(size);
                let gone: String = pieces.map(|piece| screen.push(piece)).collect();
                let is = |text: &str, want: &str| match want.split_once('…') {
                    Some((first, last)) => text.starts_with(first) && text.ends_with(last),
                    None => text == want,
                };
                assert!(is(&gone, left), "{name}: {gone:?}");
                assert!(is(&screen.shown(), shown), "{name}: {:?}", screen.shown());
            }
        }
    }

    #[test]
    fn a_character_waits_for_its_rest_and_other_bytes_do_not() {
        for (bytes, want) in [
            (&b""[..], 0),
            (b"ab", 2),
            ("aä".as_bytes(), 3),
            (b"a\xc3", 1),
            (b"a\xf0\x9f\xa6", 1),
            ("🦀".as_bytes(), 4),
            (b"\x80\x80\x80\x80\x80", 5),
            (b"a\xff", 2),
        ] {
            assert_eq!(complete(bytes), want, "{bytes:?}");
        }
    }
}
