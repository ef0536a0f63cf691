//! The console of this process.

use std::io;
use winapi_util::{HandleRef, console};
use windows_sys::Win32::Globalization::{CP_OEMCP, MultiByteToWideChar};
use windows_sys::Win32::System::Console::{
    ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT,
};

/// Returns the console's width in columns; `None` if stdout is not a console.
pub fn columns() -> Option<u16> {
    let info = console::screen_buffer_info(HandleRef::stdout()).ok()?;
    let window = info.window_rect();
    u16::try_from(i32::from(window.right) - i32::from(window.left) + 1).ok()
}

/// Returns a decoder for the OEM code page, which console programs use unless they choose UTF-8: 850 in western Europe, 936 in China. Bytes that the code page lacks become U+FFFD or `?`.
pub fn code_page() -> Option<fn(&[u8]) -> String> {
    Some(from_code_page)
}

#[expect(unsafe_code, reason = "the system's interface for code pages")]
fn from_code_page(bytes: &[u8]) -> String {
    let Ok(length) = i32::try_from(bytes.len()) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    // A character takes at least one byte, and at most two units.
    let mut wide = vec![0_u16; bytes.len().saturating_mul(2)];
    let room = i32::try_from(wide.len()).unwrap_or(i32::MAX);
    // Safety: both buffers are as long as stated.
    let written = unsafe {
        MultiByteToWideChar(CP_OEMCP, 0, bytes.as_ptr(), length, wide.as_mut_ptr(), room)
    };
    match usize::try_from(written).ok().and_then(|written| wide.get(..written)) {
        Some(text) if !text.is_empty() => String::from_utf16_lossy(text),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
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

    /// Turns the echo off. Input that was not read stays, as with [`Self::new`].
    ///
    /// # Errors
    /// Stdin is no console.
    pub fn keeping_input() -> io::Result<Self> {
        Self::new()
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = console::set_mode(HandleRef::stdin(), self.before);
    }
}
