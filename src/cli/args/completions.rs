//! The options of `completions`, `complete` and `man`.

use clap::{ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// The way to install each script.
pub(super) const INSTALLATION: &str = "To install:
  bash        Add to ~/.bashrc: eval \"$(pintle completions bash)\"
  zsh         Add to ~/.zshrc, after compinit: eval \"$(pintle completions zsh)\"
  fish        Run: pintle completions fish > ~/.config/fish/completions/pintle.fish
  powershell  Add to $PROFILE: pintle completions powershell | Out-String | Invoke-Expression
  nushell     Run: mkdir $nu.user-autoload-dirs.0; pintle completions nushell | save -f ($nu.user-autoload-dirs.0 | path join pintle.nu)

Guide: pintle help installing";

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// Shell
    pub(crate) shell: Shell,
    /// Complete this program, a name or an absolute path; the script starts it to look up values [default: as this one was started]
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandName)]
    pub(crate) program: Option<String>,
}

/// A shell with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "pwsh")]
    Powershell,
    #[value(alias = "nu")]
    Nushell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Complete {
    /// Complete a word that is not begun: shells that drop empty arguments cannot pass it
    #[arg(long)]
    pub(crate) next: bool,
    /// Program and its arguments up to the cursor
    #[arg(last = true, value_name = "WORD")]
    pub(crate) words: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Directory, created if missing
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}
