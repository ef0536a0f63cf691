//! The command line.
#![expect(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "clap prints these comments verbatim in --help"
)]

pub(crate) mod batch;
mod completions;
mod delivery;
mod heading;
pub(crate) mod history;
pub(crate) mod listen;
pub(crate) mod rpc;
mod run;
mod safety;
mod sessions;
pub(crate) mod suggest;
mod values;

pub(crate) use completions::{Complete, Completions, Man, Shell};
pub(crate) use delivery::Delivery;
pub(crate) use run::{Output, Replay, Run};
pub(crate) use safety::{READING_TOOLS, Safety};
pub(crate) use sessions::{
    Archiving, Deletion, Exporting, Importing, Listing, Pruning, Search, Sessions, Showing, Stored,
};

pub(crate) use values::Values;

use crate::cli::policy_file::PolicyFile;
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use pintle_agent::config::{self, Flags};
use pintle_base::transport::codec::Framing;
use pintle_llm::Api;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::auth::AuthMethod;
use pintle_tools::PROFILES;
use std::path::PathBuf;

/// A headless coding-agent engine for editors and scripts.
#[derive(Debug, Parser)]
#[command(
    name = "pintle",
    version,
    about,
    disable_help_subcommand = true,
    after_help = "`pintle help` lists the guides, such as configuration, permissions and scripting; `pintle help TOPIC` prints one."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Serve JSON-RPC 2.0 over stdio or sockets
    #[command(after_help = "Guide: pintle help editors")]
    Serve(Serve),
    /// Chat in the terminal: a new session in this directory, or a stored one
    #[command(
        after_help = "Sessions are those of the shared engine, which is started if none is running: editors can show the same session. `/help` lists the commands and keys.

Guide: pintle help chatting"
    )]
    Chat(Box<Attach>),
    /// Connect to the shared engine, or show one of its sessions
    #[command(
        after_help = "The engine is started if none is running. With SESSION, a terminal shows that session, as `pintle chat` does; each line that a program writes is a message for the agent.

Guide: pintle help editors"
    )]
    Attach(Box<Attach>),
    /// Serve Pi's RPC over stdio, for clients of the Pi coding agent
    #[command(after_help = "`pintle --mode rpc` is the same command.

Guide: pintle help pi")]
    Rpc(Box<rpc::Rpc>),
    /// Serve the Agent Client Protocol over stdio (Zed, JetBrains, …)
    #[command(after_help = "Guide: pintle help editors")]
    Acp(Acp),
    /// Serve the Agent Host Protocol over stdio
    #[command(
        after_help = "VS Code connects to a WebSocket instead: `pintle serve --listen ws://…`.

Guide: pintle help editors"
    )]
    Ahp(Ahp),
    /// Serve the Language Server Protocol over stdio (Helix, Emacs, …)
    #[command(after_help = "Guide: pintle help editors")]
    Lsp(Lsp),
    /// Run one task non-interactively and print the answer
    #[command(after_help = "Guide: pintle help scripting")]
    Run(Box<Run>),
    /// Run many tasks in parallel; rerun to resume
    #[command(
        after_help = "Guide: pintle help batches",
        args_conflicts_with_subcommands = true,
        subcommand_negates_reqs = true
    )]
    Batch(Box<batch::Batch>),
    /// Print a stored session as `run --format events` did
    #[command(after_help = "Guide: pintle help scripting")]
    Replay(Replay),
    /// Watch the engine fix a failing test; no model, key or network
    Demo(Demo),
    /// List known models with their context windows and prices
    #[command(after_help = "Guide: pintle help providers")]
    Models(ListModels),
    /// Serve the engine over MCP on stdio, or manage MCP servers
    #[command(after_help = "Guide: pintle help servers", args_conflicts_with_subcommands = true)]
    Mcp(Box<McpTask>),
    /// Log in to a provider, or list logins
    #[command(after_help = "Guide: pintle help logins")]
    Login(Login),
    /// Log out of a provider
    #[command(after_help = "Guide: pintle help logins")]
    Logout(Logout),
    /// List, search, rewind, fork, review, export and delete sessions
    #[command(after_help = "Guide: pintle help review")]
    Sessions {
        #[command(subcommand)]
        task: Sessions,
    },
    /// Trust a project: use its instructions, rules, skills and prompts
    #[command(after_help = "Guide: pintle help permissions")]
    Trust(Trust),
    /// Explain and test permission decisions
    #[command(after_help = "Guide: pintle help permissions")]
    Policy {
        #[command(subcommand)]
        task: Policy,
    },
    /// Show the system prompt and tools of a new session
    #[command(after_help = "Guide: pintle help context")]
    Prompt {
        #[command(subcommand)]
        task: Prompt,
    },
    /// Print protocol schemas, types and clients, or config.toml's schema
    #[command(after_help = "Formats:
  json-schema  JSON Schema 2020-12 of every type and method
  openrpc      OpenRPC 1.4 document
  typescript   client in TypeScript, with types
  python       client in Python, with types
  lua          types as LuaCATS annotations
  script       JSON Schema 2020-12 of the files of --script")]
    Schema {
        /// Print this format
        #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
        format: SchemaFormat,
        /// Print the JSON Schema (draft-07) of config.toml, for completion in editors
        #[arg(long, conflicts_with = "format")]
        config: bool,
    },
    /// Check settings, keys, and what this machine supports
    #[command(after_help = "Guide: pintle help troubleshooting")]
    Doctor(Box<Doctor>),
    /// Print a script that completes commands in a shell
    #[command(after_help = completions::INSTALLATION)]
    Completions(Completions),
    /// Print completions for a script of `completions`
    #[command(hide = true)]
    Complete(Complete),
    /// Write the manual pages to a directory
    #[command(after_help = "Example:
  pintle man ~/.local/share/man/man1

Guide: pintle help installing")]
    Man(Man),
    /// Print a guide, the list of guides, or the help of a command
    Help(Help),
}

impl Task {
    /// Returns true if the task starts an engine for a single client on the given streams.
    pub(crate) fn serves_one_client(&self) -> bool {
        match self {
            Self::Serve(task) => !task.listen.is_wanted(),
            Self::Rpc(task) => !task.attach,
            Self::Acp(task) => !task.attach,
            Self::Ahp(task) => !task.attach,
            Self::Lsp(task) => !task.attach,
            Self::Mcp(task) => task.task.is_none(),
            Self::Attach(_)
            | Self::Chat(_)
            | Self::Run(_)
            | Self::Batch(_)
            | Self::Replay(_)
            | Self::Demo(_)
            | Self::Models(_)
            | Self::Login(_)
            | Self::Logout(_)
            | Self::Sessions { .. }
            | Self::Trust(_)
            | Self::Policy { .. }
            | Self::Prompt { .. }
            | Self::Schema { .. }
            | Self::Doctor(_)
            | Self::Completions(_)
            | Self::Complete(_)
            | Self::Man(_)
            | Self::Help(_) => false,
        }
    }
}

/// A format of `pintle schema`, which its help describes.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum SchemaFormat {
    #[default]
    JsonSchema,
    Openrpc,
    Typescript,
    Python,
    Lua,
    Script,
}

/// The options of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Check that the model's server responds, accepts the key and has the model
    #[arg(long, conflicts_with = "secrets")]
    pub(crate) online: bool,
    /// Plant keys in a temporary home directory, let a scripted model hunt for them, and search everything it leaves behind
    #[arg(long)]
    pub(crate) secrets: bool,
}

/// The options of every command that uses a model.
#[derive(Debug, Clone, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Settings {
    /// Use this model: PROVIDER/ID or PROVIDER/ID:EFFORT, such as openai/gpt-5.4:high
    #[arg(long, value_name = "MODEL", add = Values::Model, help_heading = heading::MODEL)]
    pub(crate) model: Option<String>,
    /// Continue a turn with this model if the other one is overloaded, unreachable or gone
    #[arg(long, value_name = "MODEL", add = Values::Model, help_heading = heading::MODEL)]
    pub(crate) fallback_model: Option<String>,
    /// Set the permission mode, and the widest one that clients may choose: read-only; ask: prompt before edits and commands; auto-edit: edit the workspace freely, run commands in the sandbox; full: never prompt
    #[arg(long, value_name = "MODE", hide_possible_values = true, help_heading = heading::PERMISSIONS)]
    pub(crate) permission: Option<Permission>,
    /// Send requests to this server instead of the provider's
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, help_heading = heading::MODEL)]
    pub(crate) base_url: Option<String>,
    /// Set that server's API: chat (OpenAI Chat Completions), messages (Anthropic Messages), responses (OpenAI Responses) or gemini (Google Gemini)
    #[arg(long, value_name = "API", value_parser = PossibleValuesParser::new(Api::NAMES.iter().map(|(name, _)| *name)), hide_possible_values = true, help_heading = heading::MODEL)]
    pub(crate) api: Option<String>,
    /// Run tools through this command prefix: 'ssh HOST', 'docker exec -i BOX'
    #[arg(long, value_name = "CMD ARGS", value_parser = parse_words, value_hint = ValueHint::CommandString, help_heading = heading::PERMISSIONS)]
    pub(crate) wrap: Option<Words>,
    /// Change no files and run no commands
    #[arg(long, help_heading = heading::PERMISSIONS)]
    pub(crate) read_only: bool,
    /// Sandbox commands: auto (as far as the kernel can), required (refuse to start without a full sandbox; run every command in it) or off
    #[arg(long, value_name = "SANDBOX", hide_possible_values = true, help_heading = heading::PERMISSIONS)]
    pub(crate) sandbox: Option<SandboxChoice>,
    /// Trust the project in this directory (by default the current one) for this run: use its instructions, rules, skills and prompts; repeatable
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".", value_hint = ValueHint::DirPath, help_heading = heading::PERMISSIONS)]
    pub(crate) trust: Vec<PathBuf>,
    /// Let the model fetch web pages; each host requires approval
    #[arg(long, help_heading = heading::PERMISSIONS)]
    pub(crate) web_fetch: bool,
    /// Let the provider search the web for the model, without approval (Anthropic, OpenAI, Google)
    #[arg(long, help_heading = heading::PERMISSIONS)]
    pub(crate) web_search: bool,
    /// Answer from recorded traffic and send nothing: from a file in request order, from a directory by request content
    #[arg(long, value_name = "FILE|DIR/", conflicts_with_all = ["record", "script"], help_heading = heading::MODEL)]
    pub(crate) replay: Option<PathBuf>,
    /// Record all model traffic, without headers and keys, to a file, or to a directory if the path ends with a slash
    #[arg(long, value_name = "FILE|DIR/", conflicts_with = "script", help_heading = heading::MODEL)]
    pub(crate) record: Option<PathBuf>,
    /// Set the tool style: pi, anthropic, openai, gemini, qwen, kimi, glm, deepseek or mistral [default: by model name]
    #[arg(long, value_name = "PROFILE", value_parser = PossibleValuesParser::new(PROFILES.map(|(name, _)| name)), hide_possible_values = true, help_heading = heading::MODEL)]
    pub(crate) profile: Option<String>,
    /// Answer from a script of replies, to test clients; see `pintle help scripting`
    #[arg(long, value_name = "FILE", help_heading = heading::MODEL)]
    pub(crate) script: Option<PathBuf>,
    /// Models files of another program.
    #[arg(skip)]
    pub(crate) models_files: Vec<PathBuf>,
    /// The project is code from strangers.
    #[arg(skip)]
    pub(crate) is_untrusted: bool,
    /// The file of `--policy`.
    #[arg(skip)]
    pub(crate) policy: Option<PolicyFile>,
    /// A folder that nothing may change, whatever else is allowed.
    #[arg(skip)]
    pub(crate) kept_tree: Option<PathBuf>,
    /// The folders of the one task that is to run, beside the current one; `None` where others run beside it or after it.
    #[arg(skip)]
    pub(crate) one_task: Option<Vec<PathBuf>>,
    /// The permission mode where nothing sets one.
    #[arg(skip)]
    pub(crate) usual_permission: Option<PermissionMode>,
}

/// The words of a command.
#[derive(Debug, Clone)]
pub(crate) struct Words(Vec<String>);

fn parse_words(text: &str) -> Result<Words, String> {
    config::split_words(text).map(Words)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxChoice {
    Auto,
    Required,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Permission {
    ReadOnly,
    Ask,
    #[value(alias = "edit")]
    AutoEdit,
    Full,
}

impl Settings {
    pub(crate) fn flags(&self) -> Flags {
        Flags {
            model: self.model.clone(),
            fallback_model: self.fallback_model.clone(),
            permission_mode: self.permission.map(|permission| match permission {
                Permission::ReadOnly => PermissionMode::ReadOnly,
                Permission::Ask => PermissionMode::Ask,
                Permission::AutoEdit => PermissionMode::AutoEdit,
                Permission::Full => PermissionMode::Full,
            }),
            profile: self.profile.clone(),
            base_url: self.base_url.clone(),
            api: self.api.clone(),
            wrap: self.wrap.as_ref().map(|words| words.0.clone()),
            read_only: self.read_only,
            web_fetch: self.web_fetch,
            web_search: self.web_search,
            models_files: self.models_files.clone(),
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Set the message framing: ndjson (one message per line) or lsp (Content-Length headers) [default: by first byte]
    #[arg(long, value_name = "FRAMING", hide_possible_values = true)]
    framing: Option<FramingName>,
    #[command(flatten)]
    pub(crate) listen: listen::Listen,
}

/// The options of `attach` and `chat`.
#[derive(Debug, clap::Args)]
pub(crate) struct Attach {
    /// Session to show: an id, an id prefix, or `last` for the newest in this directory
    #[arg(add = Values::Session)]
    pub(crate) session: Option<String>,
    /// The options of the engine, where none listens yet
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ahp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Connect to the shared engine, starting it if needed
    #[arg(long)]
    pub(crate) attach: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Connect to the shared engine, starting it if needed
    #[arg(long)]
    pub(crate) attach: bool,
    /// Use stdio, the only transport; some editors pass this to every server
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Acp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Connect to the shared engine, starting it if needed
    #[arg(long)]
    pub(crate) attach: bool,
    /// Run commands in the engine even if the editor offers terminals
    #[arg(long)]
    pub(crate) no_client_terminals: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FramingName {
    Ndjson,
    Lsp,
}

impl Serve {
    pub(crate) fn framing(&self) -> Option<Framing> {
        self.framing.map(|name| match name {
            FramingName::Ndjson => Framing::Ndjson,
            FramingName::Lsp => Framing::Headers,
        })
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Login {
    /// Provider; if omitted, list the logins
    #[arg(add = Values::LoginProvider)]
    pub(crate) provider: Option<String>,
    /// Log in by entering a code on a web page, on any device
    #[arg(long, group = "way", requires = "provider")]
    device: bool,
    /// Log in with a browser on this machine
    #[arg(long, group = "way", requires = "provider")]
    browser: bool,
    /// Store a key: prompt for it on a terminal, else read the first line of stdin
    #[arg(long, group = "way", requires = "provider")]
    key: bool,
}

impl Login {
    /// Returns the way to log in, if one is named.
    pub(crate) fn method(&self) -> Option<AuthMethod> {
        let named = [
            (self.device, AuthMethod::Device),
            (self.browser, AuthMethod::Browser),
            (self.key, AuthMethod::Key),
        ];
        named.into_iter().find(|(is_named, _)| *is_named).map(|(_, method)| method)
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Logout {
    /// Provider
    #[arg(add = Values::StoredLogin)]
    pub(crate) provider: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    /// Directory [default: the enclosing git repository, else the current directory]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
    /// Revoke the trust
    #[arg(long)]
    pub(crate) revoke: bool,
    /// List trusted directories and permanent permission answers
    #[arg(long, conflicts_with_all = ["folder", "revoke"])]
    pub(crate) list: bool,
    /// Remove a rule added by a permanent answer, as `--list` prints it
    #[arg(long, value_name = "RULE", conflicts_with_all = ["folder", "revoke", "list"])]
    pub(crate) forget: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Print the decision about a command, part by part, and the rule that would allow it
    Explain {
        /// Command, as one argument
        #[arg(value_hint = ValueHint::CommandString)]
        command: String,
        #[command(flatten)]
        place: Place,
    },
    /// Check a file of expected decisions; exit with 1 if any differs
    Test {
        /// File with one row per line: `allow`, `ask` or `deny`, then a command
        file: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Print what the current permissions would decide about each call of a stored session
    Replay {
        /// Session: an id, an id prefix, or `last` for the newest in this directory
        #[arg(add = Values::Session)]
        session: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Prompt {
    /// Print the system prompt, and the token counts of its parts and of each tool
    Show(Box<ShowPrompt>),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowPrompt {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print one part only: a part of the system prompt, `tools`, or a tool by name
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(crate) part: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show an unattended session, such as that of `pintle run`
    #[arg(long)]
    pub(crate) unattended: bool,
}

/// The conditions for a session that has not been created.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) safety: Safety,
    /// Use this directory for the session
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListModels {
    /// List only models whose name contains this
    #[arg(add = Values::Model)]
    pub(crate) name: Option<String>,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
    /// List the providers instead, with their URLs and whether their keys are set
    #[arg(long)]
    pub(crate) providers: bool,
    /// Install a newer catalog, which takes effect at the next start
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "json", "providers", "reset"])]
    pub(crate) update: Option<PathBuf>,
    /// Remove an installed catalog
    #[arg(long, conflicts_with_all = ["name", "json", "providers"])]
    pub(crate) reset: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpTask {
    #[command(subcommand)]
    pub(crate) task: Option<Mcp>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Mcp {
    /// List the servers without starting them
    List(McpList),
    /// Start a server as a session would, and print its tools and resources
    Test(McpTest),
    /// Log in to an HTTP server with a browser on this machine
    Login(McpLogin),
    /// Log out of a server
    Logout(McpLogout),
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpList {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpTest {
    /// Server name; if omitted, test all servers
    #[arg(add = Values::McpServer)]
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpLogin {
    #[command(flatten)]
    pub(crate) at: McpLogout,
    /// Request these scopes, in addition to those of the current login, instead of those set by the server or its settings
    #[arg(long, value_delimiter = ' ')]
    pub(crate) scopes: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpLogout {
    /// Server name or URL
    #[arg(value_name = "SERVER|URL", add = Values::McpServer)]
    pub(crate) server: String,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Help {
    /// Topic or command; if omitted, list the topics
    #[arg(value_name = "TOPIC|COMMAND", add = Values::Topic)]
    pub(crate) words: Vec<String>,
    /// Print the list of topics as JSON lines
    #[arg(long, conflicts_with = "words")]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Print the protocol messages in both directions instead of the narration
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the project directory
    #[arg(long)]
    pub(crate) keep: bool,
}
