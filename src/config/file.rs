//! The config file, pure: text in, settings and warnings out.

use super::Error;
use super::environment::{self, Said};
use super::limits::{self, LimitSettings};
use super::tools::{self, ToolSettings};
use crate::ambient::{Ambient, Secret};
use pintle_protocol::approval::PermissionMode;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// A provider as the config file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderEntry {
    /// Its base URL; `None` takes the one of the provider of that name.
    pub base_url: Option<String>,
    /// The wire API it speaks, by name.
    pub api: Option<String>,
    /// Its key.
    pub key: Option<Secret>,
    /// The command that prints its key.
    pub key_command: Option<String>,
    /// The variable that the key was to come from, when that is not set.
    pub missing_key_var: Option<String>,
    /// More headers to send.
    pub headers: Vec<(String, Secret)>,
    /// Whether its models take pictures; `None` goes by their names.
    pub takes_images: Option<bool>,
}

/// What a config file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileSettings {
    pub(super) model: Option<String>,
    pub(super) retries: Option<u32>,
    pub(super) permission_mode: Option<PermissionMode>,
    pub(super) providers: BTreeMap<String, ProviderEntry>,
    pub(super) environment: Said,
    pub(super) tools: ToolSettings,
    pub(super) limits: LimitSettings,
    pub(super) warnings: Vec<String>,
}

/// The names of the wire APIs that `api` takes.
const APIS: &[&str] = &["chat", "messages", "responses", "gemini"];

/// Reads a config file's text. A key that means nothing is a warning, a value of the wrong kind an error.
pub(super) fn parse(text: &str, path: &Path, ambient: &Ambient) -> Result<FileSettings, Error> {
    let place = path.display();
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        Error::new(format!("{place} is not valid TOML: {}", error.to_string().trim_end()))
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
            "permission_mode" => settings.permission_mode = Some(mode_of(&value, path)?),
            "environment" => {
                settings.environment = environment::parse(value, path, &mut settings.warnings)?;
            }
            "limits" => settings.limits = limits::parse(value, path, &mut settings.warnings)?,
            "tools" => settings.tools = tools::parse(value, path, &mut settings.warnings)?,
            "providers" => {
                let Value::Table(providers) = value else {
                    return Err(wrong(path, "providers", "a table such as [providers.local]"));
                };
                for (name, entry) in providers {
                    let entry = provider(&name, entry, path, ambient, &mut settings.warnings)?;
                    settings.providers.insert(name, entry);
                }
            }
            _ => settings.warnings.push(format!("{place}: `{key}` means nothing and is ignored")),
        }
    }
    Ok(settings)
}

fn provider(
    name: &str,
    entry: Value,
    path: &Path,
    ambient: &Ambient,
    warnings: &mut Vec<String>,
) -> Result<ProviderEntry, Error> {
    let Value::Table(entry) = entry else {
        return Err(wrong(path, &format!("providers.{name}"), "a table"));
    };
    let mut provider = ProviderEntry {
        base_url: None,
        api: None,
        key: None,
        key_command: None,
        missing_key_var: None,
        headers: Vec::new(),
        takes_images: None,
    };
    for (key, value) in entry {
        let at = format!("providers.{name}.{key}");
        match key.as_str() {
            "base_url" => provider.base_url = Some(text_of(&value, &at, path)?),
            "api" => {
                let api = text_of(&value, &at, path)?;
                if !APIS.contains(&api.as_str()) {
                    return Err(wrong(path, &at, &format!("one of {}", APIS.join(", "))));
                }
                provider.api = Some(api);
            }
            "key" => {
                let text = text_of(&value, &at, path)?;
                match (text.strip_prefix('!'), resolve(&text, ambient)) {
                    (Some(command), _) if command.trim().is_empty() => {
                        return Err(wrong(path, &at, "a command behind the !"));
                    }
                    (Some(command), _) => provider.key_command = Some(command.trim().to_owned()),
                    (None, Ok(key)) => provider.key = Some(key),
                    (None, Err(variable)) => provider.missing_key_var = Some(variable),
                }
            }
            "vision" => provider.takes_images = Some(flag_of(&value, &at, path)?),
            "headers" => {
                let Value::Table(headers) = value else {
                    return Err(wrong(path, &at, "a table of texts"));
                };
                for (header, value) in headers {
                    let at = format!("{at}.{header}");
                    let value = resolve(&text_of(&value, &at, path)?, ambient).map_err(|var| {
                        Error::new(format!(
                            "{}: `{at}` names {var}, which is not set",
                            path.display()
                        ))
                    })?;
                    provider.headers.push((header, value));
                }
            }
            _ => warnings.push(format!("{}: `{at}` means nothing and is ignored", path.display())),
        }
    }
    Ok(provider)
}

/// A value as written, or, behind a `$`, the variable of that name.
fn resolve(text: &str, ambient: &Ambient) -> Result<Secret, String> {
    match text.strip_prefix('$') {
        None => Ok(Secret::new(text)),
        Some(name) => ambient.var(name).map(Secret::new).ok_or_else(|| name.to_owned()),
    }
}

pub(super) fn text_of(value: &Value, key: &str, path: &Path) -> Result<String, Error> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(path, key, "a text in quotes"))
}

pub(super) fn flag_of(value: &Value, key: &str, path: &Path) -> Result<bool, Error> {
    value.as_bool().ok_or_else(|| wrong(path, key, "true or false"))
}

fn mode_of(value: &Value, path: &Path) -> Result<PermissionMode, Error> {
    PermissionMode::deserialize(value.clone())
        .map_err(|_| wrong(path, "permission_mode", "\"ask\" or \"full\""))
}

pub(super) fn wrong(path: &Path, key: &str, want: &str) -> Error {
    Error::new(format!("{}: `{key}` must be {want}", path.display()))
}
