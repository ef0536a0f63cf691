//! Finds the likely reason for a confined command's failure, from its exit code and last output.
//!
//! The kernel does not report the denied call, so the program's messages are the only evidence. Best effort: a program that prints nothing,
//! or fails for an unrelated reason with the same message, is misjudged.

use pintle_os::process::signal_name;
use serde::{Deserialize, Serialize};

/// The kind of access that the sandbox denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Denial {
    /// Writing outside the workspace, or to a protected path.
    Write,
    /// Reading a hidden file, or writing if the kernel does not distinguish the two.
    Access,
    /// A connection.
    Network,
    /// A system call, such as those of tracing and mounting.
    Call,
    /// More processes, memory, file size or temporary space than the limits.
    Limit,
}

/// Messages of the C library and of common programs for each denial, lower case; the first match decides.
const WORDS: [(&str, Denial); 23] = [
    ("read-only file system", Denial::Write),
    ("erofs", Denial::Write),
    ("network is unreachable", Denial::Network),
    ("could not resolve host", Denial::Network),
    ("could not resolve hostname", Denial::Network),
    ("temporary failure in name resolution", Denial::Network),
    ("temporary failure resolving", Denial::Network),
    ("name or service not known", Denial::Network),
    ("getaddrinfo", Denial::Network),
    ("enotfound", Denial::Network),
    ("eai_again", Denial::Network),
    ("failed to lookup address", Denial::Network),
    ("dns error", Denial::Network),
    ("file size limit exceeded", Denial::Limit),
    ("file too large", Denial::Limit),
    ("resource temporarily unavailable", Denial::Limit),
    ("cannot allocate memory", Denial::Limit),
    ("no space left on device", Denial::Limit),
    ("operation not permitted", Denial::Call),
    ("eperm", Denial::Call),
    ("permission denied", Denial::Access),
    ("eacces", Denial::Access),
    ("device or resource busy", Denial::Write),
];

/// How many bytes of the output's end are searched, since messages come last.
const TAIL_BYTES: usize = 4096;

/// The exit code of a shell whose program was ended by a signal is this and the signal's number.
const BY_SIGNAL: i32 = 128;

/// Returns the denial that explains this failure, if any. `code` is the exit code, or 128 plus the signal number. A refused host is known
/// for certain, and everything else guessed.
pub fn denial(code: i32, output: &str, was_host_refused: bool) -> Option<Denial> {
    if code == 0 {
        return None;
    }
    if was_host_refused {
        return Some(Denial::Network);
    }
    match signal_name(code - BY_SIGNAL) {
        Some("SIGSYS") => return Some(Denial::Call),
        Some("SIGXFSZ" | "SIGXCPU") => return Some(Denial::Limit),
        Some(_) | None => {}
    }
    let start =
        pintle_base::text::truncate::border_before(output, output.len().saturating_sub(TAIL_BYTES));
    let end = output.get(start..).unwrap_or_default().to_ascii_lowercase();
    WORDS.iter().find(|(words, _)| end.contains(words)).map(|(_, denial)| *denial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_codes() {
        let long = format!("Permission denied\n{}", "x".repeat(2 * TAIL_BYTES));
        for (code, output, want) in [
            (0, "touch: cannot touch '/x': Read-only file system", None),
            (1, "touch: cannot touch '/x': Read-only file system", Some(Denial::Write)),
            (1, "bash: line 1: /etc/x: Permission denied", Some(Denial::Access)),
            (6, "curl: (6) Could not resolve host: example.org", Some(Denial::Network)),
            (101, "error: failed to lookup address information", Some(Denial::Network)),
            (1, "npm error code EAI_AGAIN", Some(Denial::Network)),
            (1, "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted", Some(Denial::Call)),
            (254, "bash: fork: retry: Resource temporarily unavailable", Some(Denial::Limit)),
            (101, "test result: FAILED. 1 passed; 1 failed", None),
            (127, "bash: no-such: command not found", None),
            (1, long.as_str(), None),
        ] {
            assert_eq!(denial(code, output, false), want, "{code} {output}");
            let want = (code != 0).then_some(Denial::Network);
            assert_eq!(denial(code, output, true), want, "{code} {output}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn signals_of_limits_and_filters_are_told() {
        assert_eq!(denial(153, "", false), Some(Denial::Limit));
        assert_eq!(denial(159, "", false), Some(Denial::Call));
    }
}
