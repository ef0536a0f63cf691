//! The level of a log line.

use std::fmt;

/// A level. Levels are ordered by their weight: `debug` is the least.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Level(&'static str);

const LEVELS: [&str; 5] = ["debug", "info", "notice", "warning", "error"];

impl Level {
    /// Reads a level, in any case; `warn` is `warning`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = if text == "warn" { "warning" } else { text.as_str() };
        LEVELS.iter().find(|level| **level == text).map(|level| Self(level))
    }

    /// The number that syslog gives it.
    pub fn syslog(self) -> u8 {
        match self.0 {
            "debug" => 7,
            "info" => 6,
            "notice" => 5,
            "warning" => 4,
            _ => 3,
        }
    }

    /// Whether somebody should be woken up.
    pub fn wakes(self) -> bool {
        self.0 == "error"
    }
}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let place = |level: &Self| LEVELS.iter().position(|name| *name == level.0);
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Level({})", self.0)
    }
}
