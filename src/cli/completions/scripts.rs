//! Shell scripts. Each defines a function, registers it for the program, and calls the program to look up values.

use crate::cli::args::Shell;
use anyhow::ensure;
use std::path::Path;

/// Returns a shell's script for this program, a name or an absolute path.
///
/// # Errors
/// `program` has no file name or contains control characters.
pub(super) fn script(shell: Shell, program: &str) -> anyhow::Result<String> {
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let is_usable = !name.is_empty() && !program.chars().any(char::is_control);
    ensure!(is_usable, "{program:?} cannot be completed: pass a program name to --program");
    // Functions of two programs have different names.
    let id: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let (template, quote): (&str, fn(&str) -> String) = match shell {
        Shell::Bash => (include_str!("scripts/pintle.bash"), quoted_for_sh),
        Shell::Zsh => (include_str!("scripts/pintle.zsh"), quoted_for_sh),
        Shell::Fish => (include_str!("scripts/pintle.fish"), quoted_for_fish),
        Shell::Powershell => (include_str!("scripts/pintle.ps1"), quoted_for_powershell),
        Shell::Nushell => (include_str!("scripts/pintle.nu"), quoted_for_nushell),
    };
    // The first line of an installed file, which zsh does not parse as code.
    let text = template.replace("#compdef @NAME@", &format!("#compdef {name}"));
    let text = text.replace("@ID@", &id).replace("@NAME@", &quote(name));
    Ok(text.replace("@PROGRAM@", &quote(program)))
}

/// Quotes a word for bash and zsh.
fn quoted_for_sh(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn quoted_for_fish(word: &str) -> String {
    format!("'{}'", word.replace('\\', r"\\").replace('\'', r"\'"))
}

fn quoted_for_powershell(word: &str) -> String {
    format!("'{}'", word.replace('\'', "''"))
}

fn quoted_for_nushell(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', r"\\").replace('"', "\\\""))
}
