//! Every key of `config.toml`: one type, from which the reader, the JSON Schema, the guide and the messages follow.
//!
//! Editors and the guide show the doc comments here. A key without a default needs an example. Add a key here and use it in the code that
//! assembles the engine; `UPDATE_EXPECT=1` on the tests of `config` writes the rest.
//!
//! Serializing covers the values that a running engine keeps: a skipped field takes effect at once. See `live`.

use super::Source;
use super::values::{self, NanoUsd, PruneAbove, Seconds, Setting, TextFile, Tokens};
use crate::config::providers::{PROFILE_NAMES, ProviderEntry};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::hook::{HookPoint, OnFailure};
use pintle_tools::mcp;
use pintle_tools::permissions::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// The settings of pintle's `config.toml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// The default model: PROVIDER/ID or PROVIDER/ID:EFFORT.
    #[schemars(example = &"anthropic/claude-sonnet-4-6:high")]
    pub model: Option<Setting<String>>,
    /// The model that continues a turn if the model is overloaded, unreachable or gone. By default the turn ends.
    #[schemars(example = &"openai/gpt-5.4")]
    pub fallback_model: Option<Setting<String>>,
    /// The permission mode, "read-only", "ask", "auto-edit" or "full". If it is set here, it is also the widest mode that clients can set; if
    /// not, they can set any. See `pintle help permissions`.
    #[schemars(with = "String", extend("default" = "ask", "enum" = PermissionMode::NAMES.map(|(name, _)| name)))]
    pub permission_mode: Setting<PermissionMode>,
    /// Retries of a request to a provider after a transient failure; 0 never retries.
    #[schemars(extend("default" = 3))]
    pub retries: Option<Setting<u32>>,
    /// The total time that a request may wait for its retries, in seconds. Raise it for a provider that asks to wait minutes.
    #[schemars(extend("default" = 150))]
    pub retry_wait_s: Option<Seconds>,
    /// How long to wait for the first byte of a reply, in seconds. A local model may need a while to read a long prompt.
    #[schemars(extend("default" = 300))]
    pub model_start_timeout_s: Option<Seconds>,
    /// How long a connection may be silent during a reply before the request is sent again, in seconds.
    #[schemars(extend("default" = 120))]
    pub model_idle_timeout_s: Option<Seconds>,
    /// PEM certificates to trust in addition to the system's, such as a company proxy's authority; relative to this file.
    #[schemars(example = &"ca.pem")]
    pub extra_ca_file: Option<TextFile>,
    /// A certificate and its key in PEM, for servers that require one; relative to this file.
    #[schemars(example = &"client.pem")]
    pub client_certificate_file: Option<TextFile>,
    /// How long a call waits for your permission before it is denied, in seconds.
    #[schemars(extend("default" = 86400))]
    pub approval_timeout_s: Option<Seconds>,
    /// How long a question from the model waits before its first option is taken as the answer, in seconds.
    #[schemars(extend("default" = 600))]
    pub question_timeout_s: Option<Seconds>,
    /// Text to add to the system prompt of every session.
    #[schemars(example = &"Answer in British English.")]
    pub instructions: Option<String>,
    /// A file with more such text; relative to this file.
    #[schemars(example = &"style.md")]
    pub instructions_file: Option<TextFile>,
    /// A file with instructions that replace the built-in ones, which describe the engine's role and way of working; relative to this file.
    #[schemars(example = &"prompt.md")]
    pub system_prompt_file: Option<TextFile>,
    /// More files in the models.json format, such as "~/.pi/agent/models.json". Changes take effect with the next turn.
    #[serde(skip_serializing)]
    #[schemars(extend("default" = []))]
    pub models_files: Vec<String>,
    /// The tools that the model can call.
    pub tools: ToolSettings,
    /// Limits of one turn, which ends gracefully at the first one reached. Sub-agents share its cost and tokens.
    pub limits: LimitSettings,
    /// How a conversation that becomes too long is shortened.
    pub context: ContextSettings,
    /// A check that runs once after a reply's edits; the model reads its output.
    pub lint: LintSettings,
    /// The model that generates session titles after the first turn.
    pub title: TitleSettings,
    /// How long sessions are kept. Without these limits nothing is deleted; see `pintle sessions prune`.
    pub sessions: SessionSettings,
    /// Where tools act; see `pintle help remote`.
    pub environment: EnvironmentSettings,
    /// Rules that allow, ask about or deny calls in any permission mode; see `pintle help permissions`.
    #[schemars(
        example = json!({ "decision": "deny", "argv": ["git", "push", "**"] }),
        example = json!({ "decision": "allow", "argv": ["git", "commit", "**"], "flags": ["--amend"], "sandbox": "off" }),
        example = json!({ "decision": "ask", "kind": "network", "host": "*.example.com" }),
        example = json!({ "decision": "ask", "tool": "edit", "path": "migrations/**" })
    )]
    pub rules: Vec<Rule>,
    /// A command that runs at a certain point, and can change or deny what follows; see `pintle help hooks`.
    pub hooks: Vec<HookSettings>,
    /// An MCP (Model Context Protocol) server; see `pintle help servers`. Values of `env` and `headers` may be keys: "file:PATH",
    /// "keyring:SERVICE/USER" or "!COMMAND".
    #[schemars(
        with = "BTreeMap<String, mcp::Table>",
        example = json!({ "time": {
            "command": "uvx", "args": ["mcp-server-time"], "env": { "TZ": "${TZ:-UTC}" }, "cwd": ".", "enabled": true,
            "tools": ["get_current_time"], "disabled_tools": ["convert_time"], "startup_timeout_s": 60, "timeout_s": 300,
            "sandbox": true, "network": true,
        } }),
        example = json!({ "issues": {
            "url": "https://mcp.example.com/mcp", "headers": { "X-Team": "$TEAM" },
            "oauth": { "client_id": "my-app", "client_secret": "keyring:issues/me", "scopes": ["read"], "callback_port": 8123, "private_addresses": false },
        } }),
        example = json!({ "intranet": {
            "url": "https://intranet.example.com/mcp",
            "oauth": { "client_id": "my-app", "grant": "enterprise", "identity": {
                "issuer": "https://idp.example.com", "token_url": "https://idp.example.com/token", "client_id": "pintle",
                "client_secret": "keyring:idp/me", "token": "!sso id-token", "token_type": "id_token",
            } },
        } })
    )]
    pub mcp_servers: Map<String, Value>,
    /// Other programs' name for `mcp_servers`.
    #[serde(rename = "mcpServers")]
    #[schemars(skip)]
    pub other_servers: Map<String, Value>,
    /// An additional provider, or changes to a built-in one; see `pintle help providers`. Changes take effect with the next turn.
    #[serde(skip_serializing)]
    #[schemars(extend("propertyNames" = { "examples": ["local"] }))]
    pub providers: BTreeMap<String, ProviderEntry>,
}

impl Settings {
    /// Returns the files that settings refer to, by key.
    pub(super) fn text_files(&mut self) -> [(&'static str, &mut Option<TextFile>); 4] {
        [
            ("extra_ca_file", &mut self.extra_ca_file),
            ("client_certificate_file", &mut self.client_certificate_file),
            ("system_prompt_file", &mut self.system_prompt_file),
            ("instructions_file", &mut self.instructions_file),
        ]
    }

    /// Returns the instructions for every session: `instructions`, then the content of `instructions_file`.
    pub fn all_instructions(&self) -> Option<String> {
        let named = self.instructions_file.as_ref().map(|file| file.text.expose());
        let parts: Vec<&str> = self.instructions.as_deref().into_iter().chain(named).collect();
        Some(parts.join("\n\n")).filter(|text| !text.trim().is_empty())
    }
}

/// The table `[tools]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that a person switches")]
pub struct ToolSettings {
    /// The tool style: pi, anthropic, openai, gemini, qwen, kimi, glm, deepseek or mistral. By default the model's name decides.
    #[schemars(extend("enum" = PROFILE_NAMES), example = &"anthropic")]
    pub profile: Option<String>,
    /// The files that the model must read before changing them: "overwrite" for files that it replaces or removes, "always" for all, or "never".
    #[schemars(extend("default" = "overwrite", "enum" = ["overwrite", "always", "never"]))]
    pub read_first: Option<String>,
    /// Whether the model has a tool that fetches web pages; each host requires permission.
    pub web_fetch: bool,
    /// Whether that tool may fetch from this machine and from private networks.
    pub web_fetch_private: bool,
    /// Whether the model's provider may search the web for it. See "Web search" in `pintle help permissions`.
    pub web_search: bool,
    /// The only tools that models see, by name, with * for any text. A name includes the tools of other styles with the same purpose. By
    /// default models see all.
    #[schemars(example = ["read", "grep", "find"])]
    pub allow: Option<Vec<String>>,
    /// The time limit of a command if the model gives none, in seconds. By default that of the maker's agent: none in the style pi, 120 in
    /// anthropic, 10 in openai, 300 in gemini.
    #[schemars(example = 300)]
    pub command_timeout_s: Option<Seconds>,
    /// The longest time limit that a model can give, in seconds.
    #[schemars(extend("default" = 600))]
    pub max_command_timeout_s: Option<Seconds>,
    /// The maximum length of a command's output or of a file that is read, in lines. By default each style has limits that suit its
    /// models.
    #[schemars(example = 1000)]
    pub max_output_lines: Option<NonZeroUsize>,
    /// The maximum size of such a result, and of searches and lists, in bytes: 1000 to 55000.
    #[serde(deserialize_with = "values::output_bytes")]
    #[schemars(range(min = 1000, max = 55000), example = 40000)]
    pub max_output_bytes: Option<usize>,
    /// Whether to withhold images from the model.
    pub block_images: bool,
    /// The maximum width and height of an image, in pixels. Larger ones are scaled down.
    #[schemars(extend("default" = 2000))]
    pub max_image_side: Option<NonZeroU32>,
    /// The maximum size of an image, in bytes of base64.
    #[schemars(extend("default" = 4_718_592))]
    pub max_image_bytes: Option<NonZeroUsize>,
}

/// The table `[limits]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LimitSettings {
    /// The maximum number of model replies.
    #[schemars(extend("default" = 200))]
    pub steps: Option<NonZeroU32>,
    /// How often a reply that was cut off at its length limit is continued automatically.
    #[schemars(extend("default" = 3))]
    pub continuations: Option<u32>,
    /// How many calls are compared to find a model that repeats itself: 4 to 1000, or 0 for no check.
    #[serde(deserialize_with = "values::loop_window")]
    #[schemars(extend("default" = 10, "anyOf" = [{ "const": 0 }, { "minimum": 4, "maximum": 1000 }]))]
    pub loop_window: Option<u32>,
    /// How deeply sub-agents can be nested: 1 lets no sub-agent start others; 0 disables sub-agents.
    #[schemars(extend("default" = 1))]
    pub subagent_depth: Option<u32>,
    /// The maximum number of turns per session.
    #[schemars(example = 100)]
    pub turns: Option<NonZeroU64>,
    /// The maximum cost, in US dollars. It requires a model with a known price.
    #[schemars(example = 2.0)]
    pub cost_usd: Option<NanoUsd>,
    /// The maximum number of tool calls, excluding those of sub-agents.
    #[schemars(example = 500)]
    pub tool_calls: Option<NonZeroU64>,
    /// The maximum number of tokens, input and output together.
    #[schemars(example = 2_000_000)]
    pub tokens: Option<NonZeroU64>,
    /// The maximum duration, in seconds; checked between replies.
    #[schemars(example = 3600)]
    pub seconds: Option<NonZeroU64>,
}

/// The table `[context]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextSettings {
    /// Whether to prune old results and then summarize when the context window fills up. If false, only on request.
    #[schemars(extend("default" = true))]
    pub automatic: Option<bool>,
    /// The size below which no result is pruned: a share of the context window, or tokens such as "80k".
    #[schemars(extend("default" = "60%"))]
    pub prune_above: Option<PruneAbove>,
    /// The tokens that stay free for the reply, such as 16384 or "16k".
    #[schemars(extend("default" = 16384))]
    pub reserve: Option<Tokens>,
    /// The tokens at the conversation's end that are kept verbatim, such as 20000 or "20k".
    #[schemars(extend("default" = 20000))]
    pub keep_recent_tokens: Option<Tokens>,
    /// The model that writes summaries. By default the session's model.
    #[schemars(example = &"anthropic/claude-haiku-4-5")]
    pub summary_model: Option<String>,
}

/// The table `[lint]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LintSettings {
    /// The command; the changed files are appended to it. By default none runs.
    #[schemars(example = &"ruff check")]
    pub command: Option<String>,
    /// The files to check, such as `["*.py"]`; empty for every file.
    #[schemars(extend("default" = []), example = ["*.py"])]
    pub globs: Vec<String>,
    /// The time limit of the command, in seconds.
    #[schemars(extend("default" = 60))]
    pub timeout_s: Option<Seconds>,
    /// How long to wait for an editor's diagnostics of a changed file, in milliseconds: 0 to 60000.
    #[serde(deserialize_with = "values::wait_ms")]
    #[schemars(range(max = 60000), extend("default" = 1500))]
    pub wait_ms: Option<u64>,
}

/// The table `[title]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TitleSettings {
    /// Whether to generate titles with that model.
    #[schemars(extend("default" = true))]
    pub enabled: Option<bool>,
    /// The model. Without one, the beginning of the first prompt becomes the title, and nothing is sent.
    #[schemars(example = &"anthropic/claude-haiku-4-5")]
    pub model: Option<String>,
}

/// The table `[sessions]`. Zero would delete all sessions; `pintle sessions delete` is the command for that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionSettings {
    /// The number of days to keep a session after its last change.
    #[schemars(example = 90)]
    pub keep_days: Option<NonZeroU32>,
    /// The number of newest sessions to keep.
    #[schemars(example = 1000)]
    pub keep_count: Option<NonZeroU32>,
    /// The maximum size of all sessions together, in MiB; the oldest are deleted first.
    #[schemars(example = 2000)]
    pub max_mb: Option<NonZeroU32>,
}

/// The table `[environment]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EnvironmentSettings {
    /// A command prefix that reaches another machine or container, such as `["ssh", "host"]`; empty for this machine.
    #[schemars(extend("default" = []), example = ["ssh", "host"])]
    pub wrap: Setting<Vec<String>>,
    /// Whether to forbid all changes and commands.
    #[schemars(extend("default" = false))]
    pub read_only: Setting<bool>,
    /// The shell that runs commands, by its absolute path. By default bash, else /bin/sh; on Windows the bash of Git, else PowerShell.
    #[serde(deserialize_with = "values::shell")]
    #[schemars(extend("pattern" = r"^(/|[A-Za-z]:[/\\])"), example = &"/bin/zsh")]
    pub shell: Option<PathBuf>,
    /// Shell code that runs before each command, in the same shell.
    #[schemars(example = &"ulimit -v 8000000")]
    pub command_prefix: Option<String>,
    /// The environment variables visible to commands: "filtered" for all but secrets, "all", "core" for those required by most programs, or
    /// "none".
    #[schemars(extend("default" = "filtered"))]
    pub variables: Variables,
}

/// Environment variables visible to commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Variables {
    /// All except apparent secrets.
    #[default]
    Filtered,
    /// All.
    All,
    /// Only those required by most programs, such as `PATH`.
    Core,
    /// None.
    None,
}

impl Variables {
    /// Returns the value in the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filtered => "filtered",
            Self::All => "all",
            Self::Core => "core",
            Self::None => "none",
        }
    }
}

/// A table of `[[hooks]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookSettings {
    /// The point at which it runs.
    #[schemars(example = &"beforeToolCall")]
    pub point: HookPoint,
    /// The command.
    #[serde(deserialize_with = "values::command")]
    #[schemars(example = &"~/bin/check-command")]
    pub command: String,
    /// The tools whose calls it sees, including tools with the same purpose; * matches any text. By default all.
    #[schemars(example = ["bash"])]
    pub tools: Option<Vec<String>>,
    /// The time limit, in seconds.
    #[schemars(extend("default" = 60))]
    pub timeout_s: Option<Seconds>,
    /// Behavior on failure: "closed" denies, "open" does not.
    #[serde(default)]
    #[schemars(extend("default" = "closed"))]
    pub on_failure: OnFailure,
}

/// Overrides a setting with a higher layer's value, if it has one.
pub(super) fn override_with<T, S: From<Setting<T>>>(
    setting: &mut S,
    value: Option<T>,
    source: Source,
) {
    if let Some(value) = value {
        *setting = Setting { value, source }.into();
    }
}
