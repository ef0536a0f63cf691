//! The config file and the models files, pure: text in, settings and warnings out.

use super::document::{Document, Step, below, item, path_of};
use super::pi::{Form, Translation};
use super::{Error, ProviderEntry, Settings};
use pintle_base::ambient::Ambient;
use pintle_llm::catalog::{Dialect, NotDialect};
use pintle_protocol::hook::HookPoint;
use pintle_tools::mcp::{self, Definition};
use pintle_tools::permissions::Origin;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Providers of a file, by name.
pub(super) type Providers = BTreeMap<String, ProviderEntry>;

/// Content of a config file.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub(super) settings: Settings,
    pub(super) servers: Vec<Definition>,
    pub(super) warnings: Vec<String>,
}

/// Reads a config file's text. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(text: &str, path: &Path, ambient: &Ambient) -> Result<ConfigFile, Error> {
    let mut document = Document::toml(text, path)?;
    let mut content = document.value();
    translate(&mut document, &mut content, Form::Toml, ambient)?;
    let mut settings: Settings = document.read(content, &[])?;
    finish(&mut document, path, &mut settings.providers)?;
    // An invalid rule is an error: if it were skipped, it would not restrict anything.
    for (index, rule) in settings.rules.iter().enumerate() {
        // The directories do not affect whether the rule is valid.
        rule.compile(Origin::User, &[PathBuf::from("/")], None).map_err(|error| {
            let rule = item(&path_of(["rules"]), index);
            document.error(&rule, &format!("rule {}: {error}", index + 1))
        })?;
    }
    for (index, hook) in settings.hooks.iter().enumerate() {
        let is_of_call = matches!(hook.point, HookPoint::BeforeToolCall | HookPoint::AfterToolCall);
        if hook.tools.is_some() && !is_of_call {
            let tools = below(&item(&path_of(["hooks"]), index), "tools");
            document.warn_of(&tools, "has no effect at this point and is ignored");
        }
    }
    let mut servers = Vec::new();
    for (key, table) in
        [("mcp_servers", &settings.mcp_servers), ("mcpServers", &settings.other_servers)]
    {
        let (found, problems) = mcp::parse_named(table, &mcp::Origin::User);
        servers.extend(found);
        for mcp::Problem { server, message } in problems {
            let at = path_of([key]).into_iter().chain(server.map(Step::Key));
            document.warn(&at.collect::<Vec<_>>(), &message);
        }
    }
    Ok(ConfigFile { settings, servers, warnings: document.into_warnings() })
}

/// The content of a `models.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ModelsFile {
    providers: Providers,
    #[serde(rename = "$schema")]
    _schema: IgnoredAny,
}

/// Reads the text of a `models.json`, with comments and trailing commas.
pub(super) fn parse_models(
    text: &str,
    path: &Path,
    ambient: &Ambient,
) -> Result<(Providers, Vec<String>), Error> {
    let mut document = Document::json(text.trim_start_matches('\u{feff}'), path)?;
    let mut content = document.value();
    if !content.is_object() {
        return Err(document.error(&[], "the file must be { \"providers\": { … } }"));
    }
    translate(&mut document, &mut content, Form::Json, ambient)?;
    let mut file: ModelsFile = document.read(content, &[])?;
    finish(&mut document, path, &mut file.providers)?;
    Ok((file.providers, document.into_warnings()))
}

fn translate(
    document: &mut Document<'_>,
    content: &mut Value,
    form: Form,
    ambient: &Ambient,
) -> Result<(), Error> {
    Translation { document, form, ambient }.providers(content)
}

/// Checks the fields of dialects, and notes the file in each entry.
fn finish(
    document: &mut Document<'_>,
    file: &Path,
    providers: &mut Providers,
) -> Result<(), Error> {
    for (name, provider) in providers {
        let path = path_of(["providers", name]);
        check(document, &path, &mut provider.dialect)?;
        for (key, models) in
            [("models", &mut provider.models), ("modelOverrides", &mut provider.overrides)]
        {
            let path = below(&path, key);
            let is_list = document.is_list(&path);
            for (index, model) in models.iter_mut().enumerate() {
                let path = if is_list { item(&path, index) } else { below(&path, &model.id) };
                check(document, &path, &mut model.dialect)?;
                model.files = vec![file.to_owned()];
            }
        }
        provider.models.append(&mut provider.overrides);
        provider.files = vec![file.to_owned()];
    }
    Ok(())
}

/// Checks the fields unknown to the types of this module: dialect fields stay, others are warnings.
fn check(
    document: &mut Document<'_>,
    path: &[Step],
    dialect: &mut Map<String, Value>,
) -> Result<(), Error> {
    for (key, value) in std::mem::take(dialect) {
        let path = below(path, &key);
        match Dialect::PLAIN.with(&key, &value) {
            Ok(_) => _ = dialect.insert(key, value),
            Err(NotDialect::Unknown) => document.unknown(&path),
            Err(NotDialect::Wants(want)) => return Err(document.wrong(&path, &want)),
        }
    }
    Ok(())
}
