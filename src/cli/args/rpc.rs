//! The arguments of `pintle rpc`: those that clients pass to Pi, and pintle's additions.
//!
//! Flags without a meaning here are accepted and ignored, so that clients that pass them still start.

use super::{Settings, Values, heading};
use clap::{ValueEnum, ValueHint};
use pintle_frontend::pi::{Dialect, Start};
use std::ffi::OsString;
use std::path::PathBuf;

/// The options that require a separate engine.
const OF_AN_OWN_ENGINE: [&str; 11] = [
    "no_session",
    "api_key",
    "system_prompt",
    "tools",
    "exclude_tools",
    "no_tools",
    "skill",
    "no_skills",
    "prompt_template",
    "no_prompt_templates",
    "no_context_files",
];

/// The options that concern only this client, and not an engine that it starts for all clients.
pub(crate) const OF_THE_CLIENT: [&str; 25] = [
    "--attach",
    "--trust",
    "--pi-dialect",
    "--provider",
    "--model",
    "--thinking",
    "--models",
    "--append-system-prompt",
    "--session",
    "--session-id",
    "--fork",
    "-c",
    "--continue",
    "--session-dir",
    "--name",
    "-e",
    "--extension",
    "--no-extensions",
    "--theme",
    "--no-themes",
    "--no-mcp",
    "--approve",
    "--no-approve",
    "--offline",
    "--verbose",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Rpc {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Connect to the shared engine of `pintle attach`, whose clients see the same sessions
    #[arg(long, conflicts_with_all = OF_AN_OWN_ENGINE)]
    pub(crate) attach: bool,
    /// Speak the protocol of this Pi version: current (0.87 and later) or legacy (0.73 and earlier)
    #[arg(long, value_name = "DIALECT", default_value = "current", hide_possible_values = true)]
    pi_dialect: DialectName,
    /// Set the provider for a --model without one
    #[arg(long, value_name = "NAME", add = Values::Provider, help_heading = heading::MODEL)]
    pub(crate) provider: Option<String>,
    /// Use this API key for that provider, in this run
    #[arg(long, value_name = "KEY", help_heading = heading::MODEL)]
    pub(crate) api_key: Option<String>,
    /// Set the reasoning effort: off, minimal, low, medium, high, xhigh or max
    #[arg(long, value_name = "LEVEL", add = Values::ThinkingLevel, help_heading = heading::MODEL)]
    pub(crate) thinking: Option<String>,
    /// Let clients cycle through these models, separated by commas; * matches any text
    #[arg(long, value_name = "MODELS", value_delimiter = ',', add = Values::Model, help_heading = heading::MODEL)]
    pub(crate) models: Vec<String>,
    /// Replace the built-in instructions of new sessions with this text or file
    #[arg(long, value_name = "TEXT", value_hint = ValueHint::FilePath, help_heading = heading::INSTRUCTIONS)]
    pub(crate) system_prompt: Option<String>,
    /// Append this text or file to the instructions; repeatable
    #[arg(long, value_name = "TEXT", value_hint = ValueHint::FilePath, help_heading = heading::INSTRUCTIONS)]
    pub(crate) append_system_prompt: Vec<String>,
    #[command(flatten)]
    pub(crate) tools: ToolChoice,
    /// Open the session with this file, id or id prefix
    #[arg(long, value_name = "PATH|ID", group = "begin", add = Values::SessionOrFile, help_heading = heading::SESSIONS)]
    session: Option<String>,
    /// Open the session with this id, or create it
    #[arg(long, value_name = "ID", group = "begin", add = Values::SessionId, help_heading = heading::SESSIONS)]
    session_id: Option<String>,
    /// Open a copy of this session
    #[arg(long, value_name = "PATH|ID", group = "begin", add = Values::SessionOrFile, help_heading = heading::SESSIONS)]
    fork: Option<String>,
    /// Open the newest session of this directory
    #[arg(short, long, group = "begin", help_heading = heading::SESSIONS)]
    r#continue: bool,
    /// Use this directory for session files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = heading::SESSIONS)]
    pub(crate) session_dir: Option<PathBuf>,
    /// Do not store the session
    #[arg(long, help_heading = heading::SESSIONS)]
    pub(crate) no_session: bool,
    /// Set the title of new sessions
    #[arg(long, value_name = "NAME", help_heading = heading::SESSIONS)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) resources: Resources,
    #[command(flatten)]
    passed_over: PassedOver,
    #[arg(hide = true)]
    messages: Vec<String>,
}

/// The tools that the model sees.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolChoice {
    /// Offer only these tools, separated by commas; * matches any text, -NAME removes a tool, +NAME is ignored
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', allow_hyphen_values = true, help_heading = heading::TOOLS)]
    pub(crate) tools: Option<Vec<String>>,
    /// Offer all tools except these
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', help_heading = heading::TOOLS)]
    pub(crate) exclude_tools: Vec<String>,
    /// Offer no tools
    #[arg(long, alias = "no-builtin-tools", help_heading = heading::TOOLS)]
    pub(crate) no_tools: bool,
}

/// The skills, prompts and documents that are used.
#[derive(Debug, clap::Args)]
pub(crate) struct Resources {
    /// Add a skill: its directory, its SKILL.md, or a directory of skills; repeatable
    #[arg(long, value_name = "PATH", help_heading = heading::INSTRUCTIONS)]
    pub(crate) skill: Vec<PathBuf>,
    /// Use only the skills added with --skill
    #[arg(long, help_heading = heading::INSTRUCTIONS)]
    pub(crate) no_skills: bool,
    /// Add a prompt template: its file, or a directory of them; repeatable
    #[arg(long, value_name = "PATH", help_heading = heading::INSTRUCTIONS)]
    pub(crate) prompt_template: Vec<PathBuf>,
    /// Use only the prompts added with --prompt-template
    #[arg(long, help_heading = heading::INSTRUCTIONS)]
    pub(crate) no_prompt_templates: bool,
    /// Ignore AGENTS.md and similar files
    #[arg(long, help_heading = heading::INSTRUCTIONS)]
    pub(crate) no_context_files: bool,
}

/// Flags that have a meaning only in Pi: extensions, themes, trust.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of another program")]
struct PassedOver {
    #[arg(short, long, hide = true, value_name = "PATH")]
    extension: Vec<String>,
    #[arg(long, hide = true)]
    no_extensions: bool,
    #[arg(long, hide = true, value_name = "PATH")]
    theme: Vec<String>,
    #[arg(long, hide = true)]
    no_themes: bool,
    #[arg(long, hide = true)]
    no_mcp: bool,
    #[arg(long, hide = true)]
    approve: bool,
    #[arg(long, hide = true)]
    no_approve: bool,
    #[arg(long, hide = true)]
    offline: bool,
    #[arg(long, hide = true)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DialectName {
    Current,
    Legacy,
}

impl Rpc {
    /// Refuses the arguments that Pi refuses.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            !self.messages.iter().any(|message| message.starts_with('@')),
            "@file arguments are not supported in RPC mode"
        );
        for message in &self.messages {
            tracing::warn!("`{message}` was not sent: RPC mode reads messages from stdin");
        }
        if !self.passed_over.extension.is_empty() {
            tracing::warn!("--extension is not supported; ignored");
        }
        Ok(())
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.pi_dialect {
            DialectName::Current => Dialect::Current,
            DialectName::Legacy => Dialect::Legacy,
        }
    }

    /// The session to begin with.
    pub(crate) fn start(&self) -> Start {
        match (&self.session, &self.session_id, &self.fork) {
            (Some(named), ..) => Start::Open(named.clone()),
            (None, Some(id), _) => Start::Id(id.clone()),
            (None, None, Some(named)) => Start::Fork(named.clone()),
            (None, None, None) if self.r#continue => Start::Continue,
            (None, None, None) => Start::New,
        }
    }
}

/// Reads `--mode rpc`, as clients call Pi, as the command `rpc`: without a command, or behind that one.
pub(crate) fn mode(args: Vec<OsString>) -> Vec<OsString> {
    let is_command = args.get(1).is_some_and(|arg| arg == "rpc");
    let is_flag = |arg: &OsString| arg.to_string_lossy().starts_with('-');
    if !is_command && !args.get(1).is_some_and(is_flag) {
        return args;
    }
    let at = args.iter().position(|arg| arg == "--mode" || arg == "--mode=rpc");
    let Some(at) = at else { return args };
    let width = match (args.get(at), args.get(at + 1)) {
        (Some(arg), _) if arg == "--mode=rpc" => 1,
        (_, Some(value)) if value == "rpc" => 2,
        _ => return args,
    };
    let mut args = args;
    args.drain(at..at + width);
    if !is_command {
        args.insert(1, OsString::from("rpc"));
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_of_pi_is_a_command_here() {
        for (args, want) in [
            ("pintle --mode rpc", "pintle rpc"),
            ("pintle --mode=rpc --no-session", "pintle rpc --no-session"),
            ("pintle --provider x --model y --mode rpc -c", "pintle rpc --provider x --model y -c"),
            ("pintle --mode json", "pintle --mode json"),
            ("pintle run --mode plan", "pintle run --mode plan"),
            ("pintle rpc", "pintle rpc"),
            ("pintle rpc --mode rpc --no-session", "pintle rpc --no-session"),
            ("pintle rpc --no-session --mode=rpc", "pintle rpc --no-session"),
            ("pintle rpc --mode json", "pintle rpc --mode json"),
            ("pintle --help", "pintle --help"),
            ("pintle --mode", "pintle --mode"),
        ] {
            let args = mode(args.split(' ').map(OsString::from).collect());
            let got: Vec<String> =
                args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            assert_eq!(got.join(" "), want);
        }
    }
}
