//! Providers and models as settings files describe them: a value in, entries and warnings out. Pure.
//!
//! Every field of the catalogue can be set here, under the catalogue's names or those of Pi's `models.json`. `models`
//! overlays these entries on the catalogue, field by field.
//!
//! A user's rows use the catalogue's own types, which is why `config` may import `llm`. `models/known` lays them over the catalogue
//! field by field; nothing else knows that there are two.

use super::node::Node;
use super::pi;
use super::text_source::{KEY_FILE, KEYRING, TextSource};
use super::{Error, ModelEntry, PriceEntry, ProviderEntry};
use pintle_base::ambient::Ambient;
use pintle_llm::catalog::{Auth, Dialect, Login, NotDialect, Returns, is_confidential};
use pintle_llm::{Api, Effort};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// The names of the tool profiles that a model may be assigned.
pub(crate) const PROFILE_NAMES: [(&str, &str); 9] = [
    ("pi", "pi"),
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("gemini", "gemini"),
    ("qwen", "qwen"),
    ("kimi", "kimi"),
    ("glm", "glm"),
    ("deepseek", "deepseek"),
    ("mistral", "mistral"),
];

const RETURNS: [(&str, Returns); 2] = [("tokens", Returns::Tokens), ("key", Returns::Key)];

const AUTHS: [(&str, Auth); 4] = [
    ("bearer", Auth::Bearer),
    ("x-api-key", Auth::XApiKey),
    ("api-key", Auth::ApiKey),
    ("x-goog-api-key", Auth::XGoogApiKey),
];

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `config.toml`, with pintle's own names only.
    Toml,
    /// A `models.json`, which may have been written for Pi.
    Json,
}

/// The state of reading one file.
pub(super) struct Reader<'a> {
    pub(super) form: Form,
    pub(super) ambient: &'a Ambient,
    pub(super) warnings: Vec<String>,
}

impl Reader<'_> {
    /// Reads the table of providers.
    pub(super) fn providers(
        &mut self,
        node: &Node<'_>,
    ) -> Result<BTreeMap<String, ProviderEntry>, Error> {
        let mut providers = BTreeMap::new();
        for (name, node) in node.fields("a table such as [providers.local]")? {
            if let Some(provider) = self.provider(&node)? {
                providers.insert(name.to_owned(), provider);
            }
        }
        Ok(providers)
    }

    /// Reads one provider; `None` if its wire API is not supported.
    fn provider(&mut self, node: &Node<'_>) -> Result<Option<ProviderEntry>, Error> {
        let mut provider =
            ProviderEntry { files: vec![node.file.to_owned()], ..ProviderEntry::default() };
        for (key, node) in node.fields("a table")? {
            match key {
                "base_url" | "baseUrl" => provider.base_url = Some(node.text()?.to_owned()),
                "base_url_var" => provider.base_url_var = Some(node.text()?.to_owned()),
                "api" => match self.api(&node)? {
                    Some(api) => provider.api = Some(api),
                    None => return Ok(None),
                },
                "key" | "apiKey" => provider.key = Some(self.source(&node)?),
                "key_vars" => provider.key_vars = texts(&node)?,
                "key_expires_s" => {
                    provider.key_expires = Some(Duration::from_secs(node.count()?));
                }
                "auth" => provider.auth = Some(node.one_of(&AUTHS)?),
                "authHeader" => {
                    provider.auth = node.flag()?.then_some(Auth::Bearer).or(provider.auth);
                }
                "headers" => provider.headers = self.headers(&node)?,
                "login" => provider.login = Some(self.login(&node)?),
                "vision" => provider.takes_images = Some(node.flag()?),
                "models" | "modelOverrides" => self.models(&node, &mut provider.models)?,
                "extra_body" => provider.extra_body.extend(map(&node)?),
                "compat" => {
                    let (dialect, body) = (&mut provider.dialect, &mut provider.extra_body);
                    pi::compat(&node, dialect, body, &mut self.warnings)?;
                }
                // The display name, which is not used.
                "name" if self.form == Form::Json => {}
                _ => self.dialect(key, &node, &mut provider.dialect)?,
            }
        }
        Ok(Some(provider))
    }

    /// Reads the login of a provider. Its endpoints get secrets, and so must be confidential.
    fn login(&mut self, node: &Node<'_>) -> Result<Login, Error> {
        let url = |node: &Node<'_>| {
            let is_url = |url: &&str| url.is_empty() || is_confidential(url);
            let url = node.text().ok().filter(is_url).map(str::to_owned);
            url.map(Some).ok_or_else(|| node.wrong("a URL with https, or one of this machine"))
        };
        let mut login = Login::default();
        for (key, node) in node.fields("a table such as { client_id = \"…\" }")? {
            match key {
                "client_id" => login.client_id = Some(node.text()?.to_owned()),
                "scope" => login.scope = Some(node.text()?.to_owned()),
                "device_url" => login.device_url = url(&node)?,
                "authorize_url" => login.authorize_url = url(&node)?,
                "token_url" => login.token_url = url(&node)?,
                "exchange_url" => login.exchange_url = url(&node)?,
                "returns" => login.returns = Some(node.one_of(&RETURNS)?),
                _ => self.warnings.push(node.means_nothing()),
            }
        }
        Ok(login)
    }

    /// Reads models from a list, each with its id, or from a table by id.
    fn models(&mut self, node: &Node<'_>, models: &mut Vec<ModelEntry>) -> Result<(), Error> {
        if node.value.is_object() {
            for (id, node) in node.fields("a table")? {
                models.extend(self.model(id, &node)?);
            }
            return Ok(());
        }
        for node in node.items("a list of models, or a table of them by id")? {
            let id = node.value.get("id").and_then(Value::as_str).unwrap_or_default();
            if id.is_empty() {
                return Err(node.wrong("a table with the model's `id`"));
            }
            models.extend(self.model(id, &node)?);
        }
        Ok(())
    }

    fn model(&mut self, id: &str, node: &Node<'_>) -> Result<Option<ModelEntry>, Error> {
        let mut model = ModelEntry {
            id: id.to_owned(),
            files: vec![node.file.to_owned()],
            ..ModelEntry::default()
        };
        for (key, node) in node.fields("a table")? {
            match key {
                "id" => {
                    node.text()?;
                }
                "name" => model.name = Some(node.text()?.to_owned()),
                "api" => match self.api(&node)? {
                    Some(api) => model.api = Some(api),
                    None => return Ok(None),
                },
                "window" | "contextWindow" => model.window = Some(node.count()?),
                "max_output" | "maxTokens" => {
                    let count = u32::try_from(node.count()?).ok();
                    model.max_output = Some(count.ok_or_else(|| node.wrong("a number of tokens"))?);
                }
                "price" | "cost" => model.price = self.price(&node)?,
                "vision" => model.vision = Some(node.flag()?),
                "input" => {
                    let kinds = texts(&node)?;
                    model.vision = Some(kinds.iter().any(|kind| kind == "image"));
                }
                "cutoff" => {
                    let month = node.text()?;
                    if !is_month(month) {
                        return Err(node.wrong("a month, such as 2026-01"));
                    }
                    model.cutoff = Some(month.to_owned());
                }
                "reasoning" => model.reasoning = Some(node.flag()?),
                "profile" => model.profile = Some(node.one_of(&PROFILE_NAMES)?.to_owned()),
                "efforts" | "thinkingLevelMap" => model.efforts = self.efforts(&node)?,
                "headers" => model.headers = self.headers(&node)?,
                "extra_body" => model.extra_body.extend(map(&node)?),
                "compat" => {
                    let (dialect, body) = (&mut model.dialect, &mut model.extra_body);
                    pi::compat(&node, dialect, body, &mut self.warnings)?;
                }
                _ => self.dialect(key, &node, &mut model.dialect)?,
            }
        }
        Ok(Some(model))
    }

    fn api(&mut self, node: &Node<'_>) -> Result<Option<Api>, Error> {
        let name = node.text()?;
        let known = Api::from_name(name).or_else(|| pi::api(name));
        if known.is_some() {
            return Ok(known);
        }
        let names: Vec<_> = Api::NAMES.iter().map(|(name, _)| *name).collect();
        let want = format!("one of {}", names.join(", "));
        match self.form {
            Form::Toml => Err(node.wrong(&want)),
            Form::Json => {
                let what = format!(
                    "is `{name}`, which is not supported, so the entry is ignored; expected {want}"
                );
                self.warnings.push(node.warn(&what));
                Ok(None)
            }
        }
    }

    fn source(&self, node: &Node<'_>) -> Result<TextSource, Error> {
        let text = node.text()?;
        let source = match self.form {
            Form::Toml => TextSource::parse(text),
            Form::Json => TextSource::parse_or_name(text, self.ambient),
        };
        let want = match text {
            _ if text.starts_with(KEY_FILE) => "a path from / or ~/ behind file:",
            _ if text.starts_with(KEYRING) => "SERVICE/USER behind keyring:",
            _ => "a command behind the !",
        };
        source.ok_or_else(|| node.wrong(want))
    }

    fn headers(&self, node: &Node<'_>) -> Result<Vec<(String, TextSource)>, Error> {
        let fields = node.fields("a table of texts")?;
        fields.iter().map(|(name, node)| Ok(((*name).to_owned(), self.source(node)?))).collect()
    }

    fn price(&mut self, node: &Node<'_>) -> Result<PriceEntry, Error> {
        let mut price = PriceEntry::default();
        for (key, node) in node.fields("a table such as { input = 1.0, output = 2.0 }")? {
            match key {
                "input" => price.input = Some(node.price()?),
                "output" => price.output = Some(node.price()?),
                "cache_read" | "cacheRead" => price.cache_read = Some(node.price()?),
                "cache_write" | "cacheWrite" => price.cache_write = Some(node.price()?),
                "web_search" | "webSearch" => price.web_search = Some(node.price()?),
                _ => self.warnings.push(node.means_nothing()),
            }
        }
        Ok(price)
    }

    /// Reads the value sent for each effort; `false` or `null` sends none.
    fn efforts(&mut self, node: &Node<'_>) -> Result<BTreeMap<Effort, Option<Effort>>, Error> {
        let mut efforts = BTreeMap::new();
        let names: Vec<_> = Effort::names().collect();
        let names = names.join(", ");
        for (key, node) in node.fields("a table of efforts")? {
            let said = if key == "off" { "none" } else { key };
            let Some(effort) = Effort::from_name(said) else {
                self.warnings
                    .push(node.warn(&format!("is not an effort; expected one of {names}")));
                continue;
            };
            match node.value {
                Value::Null | Value::Bool(false) => {
                    efforts.insert(effort, None);
                }
                Value::String(name) => match Effort::from_name(name) {
                    Some(other) => {
                        efforts.insert(effort, Some(other));
                    }
                    None => self.warnings.push(node.warn(&format!(
                        "has the unknown effort `{name}`; expected one of {names}"
                    ))),
                },
                Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(node.wrong("the name of an effort, or false for none"));
                }
            }
        }
        Ok(efforts)
    }

    fn dialect(
        &mut self,
        key: &str,
        node: &Node<'_>,
        dialect: &mut Vec<(String, Value)>,
    ) -> Result<(), Error> {
        match Dialect::PLAIN.with(key, node.value) {
            Ok(_) => dialect.push((key.to_owned(), node.value.clone())),
            Err(NotDialect::Unknown) => self.warnings.push(node.means_nothing()),
            Err(NotDialect::Wants(want)) => return Err(node.wrong(&want)),
        }
        Ok(())
    }
}

/// A table with values of any type.
pub(super) fn map(node: &Node<'_>) -> Result<Map<String, Value>, Error> {
    node.value.as_object().cloned().ok_or_else(|| node.wrong("a table"))
}

/// A list of texts.
pub(super) fn texts(node: &Node<'_>) -> Result<Vec<String>, Error> {
    let items = node.items("a list of texts")?;
    items.iter().map(|item| item.text().map(str::to_owned)).collect()
}

/// Returns true for a year and a month, such as `2025-03`.
fn is_month(text: &str) -> bool {
    let Some((year, month)) = text.split_once('-') else { return false };
    let number = |part: &str, digits: usize| {
        (part.len() == digits).then(|| part.parse::<u32>().ok()).flatten()
    };
    number(year, 4).is_some() && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
}
