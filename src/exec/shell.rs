//! The shell that runs commands: its language, and how to start it. Pure.

mod find;

pub(crate) use find::{Choice, find};

use pintle_os::System;
use std::path::Path;

/// A shell language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The POSIX shell language and its relatives: sh, bash, zsh.
    #[default]
    Bourne,
    /// PowerShell 7 and later.
    PowerShell,
    /// Windows PowerShell 5.1, which has neither `&&` nor `||`.
    WindowsPowerShell,
}

/// How a shell is started for a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The shell and its arguments.
    pub(super) argv: Vec<String>,
    /// Variables that carry a long command in parts. The shell unsets them before running it.
    pub(super) variables: Vec<(String, String)>,
}

/// The longest argument with which a shell is started on Unix. Linux takes 128 KB (`MAX_ARG_STRLEN`).
pub(super) const MAX_ARGUMENT_BYTES: usize = 100 * 1024;

/// The longest command passed as an argument on Windows. A command line has at most 32,767 UTF-16 units, including escaped quotes.
const MAX_LINE_BYTES: usize = 12_000;

/// The prefix of variables with parts of a long command on Windows. A variable has at most 32,767 UTF-16 units.
const PART: &str = "PINTLE_COMMAND_";

/// Returns true for a variable that holds a part of a long command.
pub(super) fn is_part(variable: &str) -> bool {
    variable.starts_with(PART)
}

/// Sets up PowerShell: UTF-8 output, and no progress bars, which would end up in the output.
const POWER_SHELL_START: &str = "try { [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false) } catch { }; \
                                 $OutputEncoding = [Text.UTF8Encoding]::new($false); \
                                 $ProgressPreference = 'SilentlyContinue'";

/// Makes PowerShell exit with the last exit code. By default, it exits with 1 on any failure.
const POWER_SHELL_END: &str =
    "if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }";

impl Dialect {
    /// Detects a shell's language by its program name.
    pub fn detect(shell: &Path) -> Self {
        let text = shell.to_string_lossy().to_lowercase();
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        match name.strip_suffix(".exe").unwrap_or(name) {
            "pwsh" | "pwsh-preview" => Self::PowerShell,
            "powershell" => Self::WindowsPowerShell,
            _ => Self::Bourne,
        }
    }

    /// Returns the language's name, as models know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bourne => "bash",
            Self::PowerShell => "PowerShell 7",
            Self::WindowsPowerShell => "Windows PowerShell 5.1",
        }
    }

    /// Returns how the shell is started for a command on this system.
    pub(super) fn start(self, shell: &str, line: &str) -> Start {
        self.start_on(System::CURRENT, shell, line)
    }

    fn start_on(self, system: System, shell: &str, line: &str) -> Start {
        match (self, system) {
            (Self::Bourne, System::Linux | System::MacOs) => {
                Start { argv: in_arguments(shell, line), variables: Vec::new() }
            }
            (Self::Bourne, System::Windows) => {
                let (line, variables) = in_variables(line, |names| {
                    let parts: Vec<String> =
                        names.iter().map(|name| format!("${{{name}}}")).collect();
                    format!("eval \"unset {}\n{}\"", names.join(" "), parts.concat())
                });
                // The trailing space makes sure that the argument is quoted. MSYS would otherwise interpret quotes and patterns in it.
                let argv = [shell, "-c", &format!("{line}\n ")].map(str::to_owned).to_vec();
                Start { argv, variables }
            }
            (Self::PowerShell | Self::WindowsPowerShell, _) => {
                // A blank line, since the last line of the command may end with a backtick.
                let whole = format!("{line}\n\n{POWER_SHELL_END}");
                let (line, variables) = in_variables(&whole, |names| {
                    let list = |prefix: &str, between: &str| {
                        let names: Vec<String> =
                            names.iter().map(|name| format!("{prefix}{name}")).collect();
                        names.join(between)
                    };
                    let (parts, gone) = (list("$env:", " + "), list("Env:", ", "));
                    format!("$command = {parts}; Remove-Item {gone}; Invoke-Expression $command")
                });
                let script = format!("{POWER_SHELL_START}\n{line}");
                let argv = [shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", &script];
                Start { argv: argv.map(str::to_owned).to_vec(), variables }
            }
        }
    }
}

/// Splits a text into pieces of at most `max` bytes.
fn pieces(text: &str, max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = max.min(rest.len());
        let end = (0..=end).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(end);
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// Returns a Unix shell with its arguments for a command. A long one comes in pieces, which the shell puts together again.
fn in_arguments(shell: &str, line: &str) -> Vec<String> {
    if line.len() <= MAX_ARGUMENT_BYTES {
        return [shell, "-c", line].map(str::to_owned).to_vec();
    }
    let pieces = pieces(line, MAX_ARGUMENT_BYTES);
    let names: Vec<String> = (1..=pieces.len()).map(|number| format!("${{{number}}}")).collect();
    // The command itself has no arguments.
    let joined = format!("eval \"set --; {}\"", names.concat());
    let start = [shell, "-c", &joined, shell].map(str::to_owned);
    start.into_iter().chain(pieces.into_iter().map(str::to_owned)).collect()
}

/// Returns a command for Windows, and the variables that it is read from if it is long.
fn in_variables(
    line: &str,
    assemble: impl Fn(&[String]) -> String,
) -> (String, Vec<(String, String)>) {
    if line.len() <= MAX_LINE_BYTES {
        return (line.to_owned(), Vec::new());
    }
    let pieces = pieces(line, MAX_LINE_BYTES);
    let names: Vec<String> = (1..=pieces.len()).map(|number| format!("{PART}{number}")).collect();
    let line = assemble(&names);
    (line, names.into_iter().zip(pieces.into_iter().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_shell_tells_its_language() {
        for (shell, want) in [
            ("/bin/bash", Dialect::Bourne),
            ("/usr/bin/zsh", Dialect::Bourne),
            (r"C:\Program Files\Git\bin\bash.exe", Dialect::Bourne),
            ("/opt/powershell/bash", Dialect::Bourne),
            ("/usr/bin/pwsh", Dialect::PowerShell),
            (r"C:\Program Files\PowerShell\7\pwsh.exe", Dialect::PowerShell),
            (r"C:\Program Files\PowerShell\7-preview\PWSH-PREVIEW.EXE", Dialect::PowerShell),
            (
                r"C:\Windows\System32\WindowsPowerShell\v1.0\PowerShell.exe",
                Dialect::WindowsPowerShell,
            ),
            ("C:/Windows/System32/WindowsPowerShell/v1.0/powershell", Dialect::WindowsPowerShell),
        ] {
            assert_eq!(Dialect::detect(Path::new(shell)), want, "{shell}");
        }
    }

    #[test]
    fn a_command_is_one_argument() {
        let script = |line: &str| format!("{POWER_SHELL_START}\n{line}\n\n{POWER_SHELL_END}");
        let power_shell = |shell: &str, line: &str| {
            let script = script(line);
            [shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", &script]
                .map(str::to_owned)
                .to_vec()
        };
        let bourne = |line: &str| ["bash", "-c", line].map(str::to_owned).to_vec();
        for (dialect, system, shell, want) in [
            (Dialect::Bourne, System::Linux, "bash", bourne("echo 'a b'")),
            (Dialect::Bourne, System::MacOs, "bash", bourne("echo 'a b'")),
            (Dialect::Bourne, System::Windows, "bash", bourne("echo 'a b'\n ")),
            (Dialect::PowerShell, System::Linux, "pwsh", power_shell("pwsh", "echo 'a b'")),
            (Dialect::PowerShell, System::Windows, "pwsh", power_shell("pwsh", "echo 'a b'")),
            (Dialect::WindowsPowerShell, System::Windows, "ps", power_shell("ps", "echo 'a b'")),
        ] {
            let Start { argv, variables } = dialect.start_on(system, shell, "echo 'a b'");
            assert_eq!((argv, variables), (want, Vec::new()), "{dialect:?} on {system:?}");
        }
    }

    #[test]
    fn a_long_command_is_passed_in_pieces_and_none_is_too_long() {
        let line = format!("echo {}", "ü$`\"'\\".repeat(40_000));
        for (dialect, system) in [
            (Dialect::Bourne, System::Linux),
            (Dialect::Bourne, System::Windows),
            (Dialect::PowerShell, System::Windows),
            (Dialect::WindowsPowerShell, System::Windows),
        ] {
            let Start { argv, variables } = dialect.start_on(system, "shell", &line);
            let (pieces, limit): (Vec<&str>, usize) = if system == System::Windows {
                let all: usize = argv.iter().map(String::len).sum();
                assert!(all < 8_000, "{dialect:?}: {all}");
                for (name, _) in &variables {
                    // Read and removed.
                    assert!(argv.concat().matches(name.as_str()).count() > 1, "{name}");
                }
                (variables.iter().map(|(_, piece)| piece.as_str()).collect(), 32_767)
            } else {
                (argv[4..].iter().map(String::as_str).collect(), 128 * 1024)
            };
            assert!(pieces.iter().all(|piece| piece.len() < limit), "{dialect:?}");
            let whole = pieces.concat();
            let end = whole.strip_prefix(line.as_str()).map(str::trim);
            let want = if dialect == Dialect::Bourne { "" } else { POWER_SHELL_END };
            assert!(end == Some(want), "{dialect:?} on {system:?}: {end:?}");
        }
    }
}
