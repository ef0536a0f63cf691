//! The console of this process.

use std::io;
use winapi_util::{HandleRef, console};
use windows_sys::Win32::System::Console::{
    ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT,
};

/// Returns the width of the console that stdout is, in columns; `None` if it is none.
pub fn columns() -> Option<u16> {
    let info = console::screen_buffer_info(HandleRef::stdout()).ok()?;
    let window = info.window_rect();
    u16::try_from(i32::from(window.right) - i32::from(window.left) + 1).ok()
}

/// Disables echo on stdin's console until it is dropped. Ctrl-C is read like other keys, so that it does not end the program before echo is
/// enabled again.
#[derive(Debug)]
pub struct Silent {
    before: u32,
}

impl Silent {
    /// Turns the echo off.
    ///
    /// # Errors
    /// Stdin is no console.
    pub fn new() -> io::Result<Self> {
        const OFF: u32 = ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT | ENABLE_PROCESSED_INPUT;
        let before = console::mode(HandleRef::stdin())?;
        console::set_mode(HandleRef::stdin(), before & !OFF)?;
        Ok(Self { before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = console::set_mode(HandleRef::stdin(), self.before);
    }
}
