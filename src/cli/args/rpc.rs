//! The arguments of `pintle rpc`: those that clients pass to Pi, and our own.
//!
//! Flags that have no meaning here are accepted and ignored, so that a client that passes them starts all the same.

use super::Settings;
use clap::ValueEnum;
use pintle_frontend::pi::{Dialect, Start};
use std::ffi::OsString;
use std::path::PathBuf;

/// The options that only an engine of one's own can have.
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

/// The options that are the client's own, and none of an engine that it starts for all.
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
    /// Be a client of the engine that several clients share, see `pintle attach`: other clients see the same sessions
    #[arg(long, conflicts_with_all = OF_AN_OWN_ENGINE)]
    pub(crate) attach: bool,
    /// The version of Pi that the client was written for: current (0.87 and later) or legacy (0.73 and before)
    #[arg(long, value_name = "DIALECT", default_value = "current")]
    pi_dialect: DialectName,
    /// The provider of the model that --model names by its id alone
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// The key of that provider, for this run
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
    /// The reasoning effort: off, minimal, low, medium, high, xhigh or max
    #[arg(long, value_name = "LEVEL")]
    pub(crate) thinking: Option<String>,
    /// The models that a client cycles through, with * for any text, separated by commas
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    /// Instructions in the place of the engine's own, for new sessions: a text or a file
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,
    /// Instructions beside the engine's own: a text or a file; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Vec<String>,
    #[command(flatten)]
    pub(crate) tools: ToolChoice,
    /// Open the session of this file, or with this id or beginning of an id
    #[arg(long, value_name = "PATH|ID", group = "begin")]
    session: Option<String>,
    /// Open the session with this id; create it if there is none
    #[arg(long, value_name = "ID", group = "begin")]
    session_id: Option<String>,
    /// Open a copy of this session
    #[arg(long, value_name = "PATH|ID", group = "begin")]
    fork: Option<String>,
    /// Open the newest session of this folder
    #[arg(short, long, group = "begin")]
    r#continue: bool,
    /// The folder of session files
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// Store no session
    #[arg(long)]
    pub(crate) no_session: bool,
    /// The title of new sessions
    #[arg(long, value_name = "NAME")]
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
    /// Only these tools, with * for any text, separated by commas; -NAME removes one, +NAME changes nothing
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) tools: Option<Vec<String>>,
    /// All tools but these
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(crate) exclude_tools: Vec<String>,
    /// No tools
    #[arg(long, alias = "no-builtin-tools")]
    pub(crate) no_tools: bool,
}

/// The skills, prompts and documents that are used.
#[derive(Debug, clap::Args)]
pub(crate) struct Resources {
    /// A skill: its folder, its SKILL.md, or a folder of skills; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) skill: Vec<PathBuf>,
    /// No skills but those that --skill names
    #[arg(long)]
    pub(crate) no_skills: bool,
    /// A prompt that can be called: its file, or a folder of such files; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) prompt_template: Vec<PathBuf>,
    /// No prompts but those that --prompt-template names
    #[arg(long)]
    pub(crate) no_prompt_templates: bool,
    /// No AGENTS.md and the like
    #[arg(long)]
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
            tracing::warn!("`{message}` is not sent: in RPC mode messages come on stdin");
        }
        if !self.passed_over.extension.is_empty() {
            tracing::warn!("--extension has no meaning here");
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
