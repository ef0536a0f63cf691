//! The command line.
#![expect(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "clap prints these comments verbatim in --help"
)]

pub(crate) mod batch;
mod delivery;
pub(crate) mod history;
pub(crate) mod listen;
pub(crate) mod rpc;
mod run;
mod safety;
mod sessions;
pub(crate) mod suggest;

pub(crate) use delivery::Delivery;
pub(crate) use run::{Output, Replay, Run};
pub(crate) use safety::{READING_TOOLS, Safety};
pub(crate) use sessions::{
    Archiving, Deletion, Exporting, Importing, Listing, Pruning, Search, Sessions, Showing, Stored,
};

use crate::cli::policy_file::PolicyFile;
use clap::{Parser, Subcommand, ValueEnum};
use pintle_agent::config::{self, Flags};
use pintle_base::transport::codec::Framing;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::auth::AuthMethod;
use std::path::PathBuf;

/// A headless coding-agent engine, steered by editors and scripts.
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
    /// Speak JSON-RPC 2.0 on stdin and stdout: a message a line, or Content-Length headers
    #[command(after_help = "Guide: pintle help editors")]
    Serve(Serve),
    /// Speak JSON-RPC 2.0 with the engine that several editors and terminals share, or show one of its sessions; it is started where there is none
    #[command(after_help = "Guide: pintle help editors")]
    Attach(Box<Attach>),
    /// Speak Pi's RPC on stdin and stdout, for clients of the Pi coding agent; also `pintle --mode rpc`
    #[command(after_help = "Guide: pintle help pi")]
    Rpc(Box<rpc::Rpc>),
    /// Speak the Agent Client Protocol on stdin and stdout, for Zed, JetBrains and other editors that know it
    #[command(after_help = "Guide: pintle help editors")]
    Acp(Acp),
    /// Speak the Agent Host Protocol on stdin and stdout, as `serve --listen ws://…` does with VS Code
    #[command(after_help = "Guide: pintle help editors")]
    Ahp(Ahp),
    /// Speak the Language Server Protocol on stdin and stdout, for Helix, Emacs, Kakoune, Sublime and other editors with a client of it
    #[command(after_help = "Guide: pintle help editors")]
    Lsp(Lsp),
    /// Do one task in the current folder and print the answer; it never asks and never waits for a person
    #[command(after_help = "Guide: pintle help scripting")]
    Run(Box<Run>),
    /// Do a list of tasks, several at a time; started again, it goes on where it was
    #[command(
        after_help = "Guide: pintle help batches",
        args_conflicts_with_subcommands = true,
        subcommand_negates_reqs = true
    )]
    Batch(Box<batch::Batch>),
    /// Print the events of a stored session again, as `run --format events` printed them
    #[command(after_help = "Guide: pintle help scripting")]
    Replay(Replay),
    /// Watch the engine fix a failing test in a small project. No model, no key, no network
    Demo(Demo),
    /// List the models that are known by name, with windows and prices: built-in ones and your own
    #[command(after_help = "Guide: pintle help providers")]
    Models(ListModels),
    /// Be a server of the Model Context Protocol on stdin and stdout, which lends the engine to other agents; with a command, list, try
    /// and log in to the servers whose tools sessions have
    #[command(after_help = "Guide: pintle help servers", args_conflicts_with_subcommands = true)]
    Mcp(Box<McpTask>),
    /// Log in to a provider, or list who is logged in where
    #[command(after_help = "Guide: pintle help logins")]
    Login(Login),
    /// Remove the stored login of a provider
    #[command(after_help = "Guide: pintle help logins")]
    Logout(Logout),
    /// Manage stored sessions: list, show, search, rewind, fork, review, export, import, archive, delete, verify
    #[command(after_help = "Guide: pintle help review")]
    Sessions {
        #[command(subcommand)]
        task: Sessions,
    },
    /// Trust the project in the current folder, so that its instructions, rules, skills and prompts are used
    #[command(after_help = "Guide: pintle help permissions")]
    Trust(Trust),
    /// Show what the permissions say about a command, rows of commands, or a stored session
    #[command(after_help = "Guide: pintle help permissions")]
    Policy {
        #[command(subcommand)]
        task: Policy,
    },
    /// Show what a new session would send to its model
    #[command(after_help = "Guide: pintle help context")]
    Prompt {
        #[command(subcommand)]
        task: Prompt,
    },
    /// Print the protocol as JSON Schema, as an OpenRPC document, or as types and a client; or the schema of scripts or of config.toml
    Schema {
        /// The format
        #[arg(long, value_enum, default_value_t)]
        format: SchemaFormat,
        /// Print the JSON Schema (draft-07) of config.toml, with which editors complete it
        #[arg(long, conflicts_with = "format")]
        config: bool,
    },
    /// Print what is configured, which keys are there, and what this machine can do
    #[command(after_help = "Guide: pintle help troubleshooting")]
    Doctor(Box<Doctor>),
    /// Print a guide, the list of guides, or the options of a command
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
            | Self::Help(_) => false,
        }
    }
}

/// A form in which the protocol is printed.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum SchemaFormat {
    /// JSON Schema 2020-12 of every type and method
    #[default]
    JsonSchema,
    /// An OpenRPC 1.4 document
    Openrpc,
    /// A client in TypeScript, with the types
    Typescript,
    /// A client in Python, with the types
    Python,
    /// The types as LuaCATS annotations
    Lua,
    /// JSON Schema 2020-12 of the files of `--script`
    Script,
}

/// The options of `doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Ask the model's server: does it answer, does it take the key, does it have the model
    #[arg(long, conflicts_with = "secrets")]
    pub(crate) online: bool,
    /// Plant keys in a temporary home, let a scripted model look for them, and look for them in all that is left
    #[arg(long)]
    pub(crate) secrets: bool,
}

/// The options of every command that uses a model.
#[derive(Debug, Clone, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Settings {
    /// The model: PROVIDER/ID or PROVIDER/ID:EFFORT, such as openai/gpt-5.4:high
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The permission mode, and the widest that clients can set: read-only, ask (changes and commands ask), auto-edit
    /// or edit (edits in the workspace are free, and commands in the sandbox) or full (nothing asks)
    #[arg(long, value_name = "MODE")]
    pub(crate) permission: Option<Permission>,
    /// Send requests to this server, whatever the provider's name
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The wire API of that server: chat (OpenAI Chat Completions), messages (Anthropic Messages), responses (OpenAI
    /// Responses) or gemini (Google Gemini)
    #[arg(long, value_name = "API")]
    pub(crate) api: Option<String>,
    /// Run the tools behind this command prefix: 'ssh HOST', 'docker exec -i BOX'
    #[arg(long, value_name = "CMD ARGS", value_parser = parse_words)]
    pub(crate) wrap: Option<Words>,
    /// Change no file and run no command
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The sandbox for commands: auto (what the kernel can do), required (a full one or no start; every command runs in
    /// it), or off
    #[arg(long, value_name = "SANDBOX")]
    pub(crate) sandbox: Option<SandboxChoice>,
    /// Trust the project in this folder (by default the current one) for this run: use its instructions, rules, skills
    /// and prompts; may be repeated
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".")]
    pub(crate) trust: Vec<PathBuf>,
    /// Let the model fetch web pages; each host asks for permission
    #[arg(long)]
    pub(crate) web_fetch: bool,
    /// Let the model's provider search the web for it, where it can (Anthropic, OpenAI, Google); it does not ask for permission
    #[arg(long)]
    pub(crate) web_search: bool,
    /// Answer from recorded traffic; nothing is sent anywhere. From a file in the order of the requests, from a folder by what they say
    #[arg(long, value_name = "FILE|DIR/", conflicts_with_all = ["record", "script"])]
    pub(crate) replay: Option<PathBuf>,
    /// Record all traffic with the model, without headers and keys, in a file, or in a folder, whose path ends with a slash
    #[arg(long, value_name = "FILE|DIR/", conflicts_with = "script")]
    pub(crate) record: Option<PathBuf>,
    /// The shape of the tools: pi, anthropic, openai, gemini, qwen, kimi, glm, deepseek or mistral; by default the model's name decides
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
    /// Answer from a script of replies, for tests of clients: `pintle help scripting` has its format
    #[arg(long, value_name = "FILE")]
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
    config::words(text).map(Words)
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
    /// The framing of messages; by default the first byte decides
    #[arg(long, value_name = "FRAMING")]
    framing: Option<FramingName>,
    #[command(flatten)]
    pub(crate) listen: listen::Listen,
}

/// The options of `attach`.
#[derive(Debug, clap::Args)]
pub(crate) struct Attach {
    /// Show this session here, by its id or the beginning of it, or `last` for the newest of the folder: a line is a message for the agent, Ctrl-C stops its turn, Ctrl-D leaves
    pub(crate) session: Option<String>,
    /// The options of the engine, where none listens yet
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ahp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Connect to the engine that several clients share
    #[arg(long)]
    pub(crate) attach: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Be a client of the engine that other editors share, and start it where there is none
    #[arg(long)]
    pub(crate) attach: bool,
    /// Speak on stdin and stdout, the only way: some editors pass this to every server
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Acp {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Be a client of the engine that other editors share, and start it where there is none
    #[arg(long)]
    pub(crate) attach: bool,
    /// Run commands in the engine, even where the editor offers terminals of its own
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
    /// The provider; without one the list of logins
    pub(crate) provider: Option<String>,
    /// Enter a code on a page, with any device
    #[arg(long, group = "way", requires = "provider")]
    device: bool,
    /// Log in on a page in a browser on this machine
    #[arg(long, group = "way", requires = "provider")]
    browser: bool,
    /// Store a key: typed where stdin is a terminal, else the first line of stdin
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
    /// The provider
    pub(crate) provider: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Trust {
    /// The folder; by default the git repository around the current folder, else the current folder
    pub(crate) folder: Option<PathBuf>,
    /// Trust it no longer
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Print the trusted folders, and the answers that hold for always
    #[arg(long, conflicts_with_all = ["folder", "revoke"])]
    pub(crate) list: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Print the decision about a command, part by part, and the rule that would allow it
    Explain {
        /// The command, in one argument
        command: String,
        #[command(flatten)]
        place: Place,
    },
    /// Check rows of a file: `allow`, `ask` or `deny`, then a command; exits with 1 if a decision differs
    Test {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        place: Place,
    },
    /// Print what the permissions of today would have said to each call of a stored session
    Replay {
        /// A session id or its prefix, or `last` for the newest session of the folder
        session: String,
        #[command(flatten)]
        place: Place,
    },
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Prompt {
    /// Print the system prompt, and the tokens of each of its parts and of each tool
    Show(Box<ShowPrompt>),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowPrompt {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print one part alone: a part of the system prompt, `tools`, or a tool by its name
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    pub(crate) part: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// As for a session that nobody watches, such as that of `pintle run`
    #[arg(long)]
    pub(crate) unattended: bool,
}

/// The circumstances of a session that is not begun.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) safety: Safety,
    /// The folder of the session
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListModels {
    /// Only models with this in their name
    pub(crate) name: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the providers instead, with their URLs and whether their keys are set
    #[arg(long)]
    pub(crate) providers: bool,
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
    /// List the servers, without starting them
    List(McpList),
    /// Start a server as a session would, and print what it offers
    Test(McpTest),
    /// Log in to a server that is reached over HTTP, on a page in a browser of this machine
    Login(McpLogin),
    /// Remove the login to a server
    Logout(McpLogout),
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpList {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpTest {
    /// The server's name; all servers without one
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpLogin {
    #[command(flatten)]
    pub(crate) at: McpLogout,
    /// The scopes to ask for, in place of those that the server or its settings name
    #[arg(long, value_delimiter = ' ')]
    pub(crate) scopes: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpLogout {
    /// The server's name, or its address
    #[arg(value_name = "SERVER|URL")]
    pub(crate) server: String,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Help {
    /// The topic, or the command; without one the list of topics
    #[arg(value_name = "TOPIC|COMMAND")]
    pub(crate) words: Vec<String>,
    /// Print the list of topics, one JSON object a line
    #[arg(long, conflicts_with = "words")]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Print the lines of the protocol, in both directions, instead of a story
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the folder of the project
    #[arg(long)]
    pub(crate) keep: bool,
}
