//! The config file and the models files, pure: text in, settings and warnings out.

use super::context::{self, ContextSettings};
use super::environment::{self, EnvironmentLayer};
use super::hooks::{self, HookSettings};
use super::limits::{self, LimitSettings};
use super::lint::{self, LintSettings};
use super::node::Node;
use super::providers::{Form, Reader, texts};
use super::sessions::{self, SessionSettings};
use super::title::{self, TitleSettings};
use super::tools::{self, ToolSettings};
use super::unknown::unknown;
use super::{Error, ProviderEntry};
use pintle_base::ambient::{Ambient, Secret};
use pintle_protocol::approval::PermissionMode;
use pintle_tools::mcp::{self, Definition};
use pintle_tools::permissions::{Origin, Rule};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use toml::{Table, Value};

/// The settings of a config file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FileSettings {
    pub(super) model: Option<String>,
    pub(super) retries: Option<u32>,
    pub(super) permission_mode: Option<PermissionMode>,
    pub(super) rules: Vec<Rule>,
    pub(super) instructions: Option<String>,
    pub(super) instructions_file: Option<String>,
    pub(super) system_prompt_file: Option<String>,
    pub(super) extra_ca_file: Option<String>,
    pub(super) client_certificate_file: Option<String>,
    /// The texts of those files.
    pub(super) extra_ca: Option<String>,
    pub(super) client_certificate: Option<Secret>,
    /// The text of that file.
    pub(super) base_prompt: Option<String>,
    pub(super) providers: BTreeMap<String, ProviderEntry>,
    pub(super) models_files: Vec<String>,
    pub(super) environment: EnvironmentLayer,
    pub(super) tools: ToolSettings,
    pub(super) limits: LimitSettings,
    pub(super) context: ContextSettings,
    pub(super) lint: LintSettings,
    pub(super) title: TitleSettings,
    pub(super) sessions: SessionSettings,
    pub(super) hooks: Vec<HookSettings>,
    pub(super) servers: Vec<Definition>,
    pub(super) approval_timeout: Option<Duration>,
    pub(super) question_timeout: Option<Duration>,
    pub(super) model_start_timeout: Option<Duration>,
    pub(super) model_idle_timeout: Option<Duration>,
    pub(super) warnings: Vec<String>,
}

/// Reads a config file's text. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(text: &str, path: &Path, ambient: &Ambient) -> Result<FileSettings, Error> {
    let place = path.display();
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        // The line itself is not quoted, because it may hold a key.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let (line, column) = (before.split('\n').count(), before.rsplit('\n').next());
        let column = column.unwrap_or_default().chars().count() + 1;
        let what = error.message().trim_end();
        Error::new(format!("{place} is not valid TOML: {what}, at line {line} column {column}"))
    })?;
    let mut settings = FileSettings::default();
    for (key, value) in table {
        match key.as_str() {
            "model" => settings.model = Some(text_of(&value, &key, path)?),
            "retries" => {
                let count = value.as_integer().and_then(|count| u32::try_from(count).ok());
                let want = "a whole number, 0 for never";
                settings.retries = Some(count.ok_or_else(|| wrong(path, &key, want))?);
            }
            "instructions" => settings.instructions = Some(text_of(&value, &key, path)?),
            "instructions_file" => {
                settings.instructions_file = Some(text_of(&value, &key, path)?);
            }
            "system_prompt_file" => {
                settings.system_prompt_file = Some(text_of(&value, &key, path)?);
            }
            "extra_ca_file" => settings.extra_ca_file = Some(text_of(&value, &key, path)?),
            "client_certificate_file" => {
                settings.client_certificate_file = Some(text_of(&value, &key, path)?);
            }
            "permission_mode" => settings.permission_mode = Some(mode_of(&value, path)?),
            "rules" => settings.rules = rules_of(value, path)?,
            "environment" => {
                settings.environment = environment::parse(value, path, &mut settings.warnings)?;
            }
            "context" => settings.context = context::parse(value, path, &mut settings.warnings)?,
            "limits" => settings.limits = limits::parse(value, path, &mut settings.warnings)?,
            "hooks" => settings.hooks = hooks::parse(&value, path, &mut settings.warnings)?,
            "approval_timeout_s" => {
                settings.approval_timeout = Some(seconds_of(&value, &key, path)?);
            }
            "question_timeout_s" => {
                settings.question_timeout = Some(seconds_of(&value, &key, path)?);
            }
            "model_start_timeout_s" => {
                settings.model_start_timeout = Some(seconds_of(&value, &key, path)?);
            }
            "model_idle_timeout_s" => {
                settings.model_idle_timeout = Some(seconds_of(&value, &key, path)?);
            }
            "sessions" => {
                settings.sessions = sessions::parse(value, path, &mut settings.warnings)?;
            }
            "lint" => settings.lint = lint::parse(value, path, &mut settings.warnings)?,
            "title" => settings.title = title::parse(value, path, &mut settings.warnings)?,
            "tools" => settings.tools = tools::parse(value, path, &mut settings.warnings)?,
            "providers" => {
                let value = to_json(&value);
                let mut reader = Reader { form: Form::Toml, ambient, warnings: Vec::new() };
                settings.providers = reader.providers(&Node::new(&value, key, path))?;
                settings.warnings.append(&mut reader.warnings);
            }
            "mcp_servers" | "mcpServers" => {
                let json = to_json(&value);
                let table = json.as_object();
                let table = table.ok_or_else(|| wrong(path, &key, "tables: [mcp_servers.NAME]"))?;
                let (servers, problems) = mcp::parse(table, &mcp::Origin::User);
                settings.servers.extend(servers);
                let told = problems.into_iter().map(|problem| format!("{place}: {problem}"));
                settings.warnings.extend(told);
            }
            "models_files" => {
                let value = to_json(&value);
                settings.models_files = texts(&Node::new(&value, key, path))?;
            }
            _ => settings.warnings.push(unknown(path, &key)),
        }
    }
    Ok(settings)
}

/// The syntax that a `models.json` may use beyond JSON: comments and trailing commas, nothing else of JSON5.
const MODELS_SYNTAX: jsonc_parser::ParseOptions = jsonc_parser::ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads the text of a `models.json`, with comments and trailing commas.
pub(super) fn parse_models(
    text: &str,
    path: &Path,
    ambient: &Ambient,
) -> Result<(BTreeMap<String, ProviderEntry>, Vec<String>), Error> {
    let text = text.trim_start_matches('\u{feff}');
    let value: serde_json::Value = jsonc_parser::parse_to_serde_value(text, &MODELS_SYNTAX)
        .map_err(|error| Error::new(format!("{} is not valid JSON: {error}", path.display())))?;
    let mut reader = Reader { form: Form::Json, ambient, warnings: Vec::new() };
    let mut providers = BTreeMap::new();
    let top = Node::new(&value, "", path);
    let want = "{ \"providers\": { … } }";
    if !value.is_object() {
        return Err(Error::new(format!("{} must be {want}", path.display())));
    }
    for (key, node) in top.fields(want)? {
        match key {
            "providers" => providers = reader.providers(&node)?,
            "$schema" => {}
            _ => reader.warnings.push(node.means_nothing()),
        }
    }
    Ok((providers, reader.warnings))
}

/// Converts a TOML value to JSON; a date or a number that JSON cannot express becomes a value that no caller accepts.
fn to_json(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

pub(super) fn text_of(value: &Value, key: &str, path: &Path) -> Result<String, Error> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(path, key, "a text in quotes"))
}

pub(super) fn flag_of(value: &Value, key: &str, path: &Path) -> Result<bool, Error> {
    value.as_bool().ok_or_else(|| wrong(path, key, "true or false"))
}

/// A duration of at least one second.
pub(super) fn seconds_of(value: &Value, key: &str, path: &Path) -> Result<Duration, Error> {
    let seconds = value.as_integer().filter(|seconds| *seconds > 0);
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let want = "a whole number of seconds from 1 on";
    seconds.map(Duration::from_secs).ok_or_else(|| wrong(path, key, want))
}

fn mode_of(value: &Value, path: &Path) -> Result<PermissionMode, Error> {
    PermissionMode::deserialize(value.clone()).map_err(|_| {
        let names = PermissionMode::NAMES.map(|(name, _)| format!("\"{name}\""));
        wrong(path, "permission_mode", &format!("one of {}", names.join(", ")))
    })
}

/// The rules of `[[rules]]`. A rule that is wrong is an error: left out, it would not restrict.
fn rules_of(value: Value, path: &Path) -> Result<Vec<Rule>, Error> {
    let place = path.display();
    let Value::Array(rows) = value else {
        return Err(wrong(path, "rules", "a list of tables, each written as [[rules]]"));
    };
    let mut rules = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let problem = |message: String| Error::new(format!("{place}: rule {}: {message}", at + 1));
        let rule: Rule = row
            .try_into()
            .map_err(|error: toml::de::Error| problem(error.message().trim_end().to_owned()))?;
        rule.compile(Origin::User, &[], None).map_err(|error| problem(error.to_string()))?;
        rules.push(rule);
    }
    Ok(rules)
}

pub(super) fn wrong(path: &Path, key: &str, want: &str) -> Error {
    Error::new(format!("{}: `{key}` must be {want}", path.display()))
}
