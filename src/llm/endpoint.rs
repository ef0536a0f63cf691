//! Endpoints: URL and credentials of a provider, from the catalogue, the environment and the user's settings.
//!
//! Base URL rule: a chat base ends in its version (`https://host/v1`), an Anthropic base is the root (`https://host`). Both are accepted
//! with or without the version, a slash at the end or the entire path.

use super::aws::{self, Signing};
use super::catalog::{self, Api, Auth, Dialect, Verbosity};
use super::cloud::{self, Cloud};
use super::error::{Error, ErrorKind};
use super::omissions::Omissions;
use super::request::Effort;
use super::{gemini, responses};
use pintle_base::ambient::{Ambient, Secret};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A server of a provider.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The provider's name, for messages.
    pub name: String,
    /// The wire API.
    pub api: Api,
    /// The base URL, in any of the accepted forms.
    pub base_url: String,
    /// Key; `None` for servers that need none.
    pub key: Option<Secret>,
    /// The signer for requests without a key, as Amazon requires.
    pub signing: Option<Signing>,
    /// Variable that contains the key, for hints.
    pub key_var: Option<String>,
    /// Additional headers; one named `authorization` or `x-api-key` replaces the key's header.
    pub headers: Vec<(String, Secret)>,
    /// The header for the key; `None` for the API's default.
    pub auth: Option<Auth>,
    /// The server's dialect.
    pub dialect: Dialect,
    /// True if its models accept images; `None` decides by the model's name.
    pub takes_images: Option<bool>,
    /// Fields to merge into each request's body, such as routing options: objects are merged, `null` removes a field,
    /// any other value replaces it.
    pub extra_body: Map<String, Value>,
    /// The maximum number of output tokens, for requests that set none.
    pub max_output_tokens: Option<u32>,
    /// The value sent for each effort; `None` sends no effort. Efforts that are not listed are sent by name.
    pub efforts: BTreeMap<Effort, Option<Effort>>,
    /// The optional fields that the server has refused; shared by all copies.
    pub(super) omissions: Arc<Omissions>,
}

/// Source of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyFrom {
    Environment,
    Elsewhere,
}

impl Endpoint {
    /// Creates an endpoint that is not in the catalogue.
    pub fn new(name: impl Into<String>, api: Api, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            api,
            base_url: base_url.into(),
            key: None,
            signing: None,
            key_var: None,
            headers: Vec::new(),
            auth: None,
            dialect: Dialect::PLAIN,
            takes_images: None,
            omissions: Arc::default(),
            extra_body: Map::new(),
            max_output_tokens: None,
            efforts: BTreeMap::new(),
        }
    }

    /// Returns the value to send for this effort.
    pub(super) fn effort(&self, effort: Effort) -> Option<Effort> {
        self.efforts.get(&effort).copied().unwrap_or(Some(effort))
    }

    /// Resolves a provider by name, with its key and base URL from the environment. A base URL given here takes
    /// precedence over the variable, the variable over the catalogue.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a name that is not in the catalogue, [`ErrorKind::Auth`] when the provider
    /// requires a key and there is none. At another base URL the key is optional.
    pub fn resolve(name: &str, ambient: &Ambient, base_url: Option<&str>) -> Result<Self, Error> {
        Self::find(name, ambient, base_url, KeyFrom::Environment)
    }

    /// Like [`Endpoint::resolve`], for a key from another source; no key is looked up.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a name that is not in the catalogue, [`ErrorKind::Auth`] for a URL that
    /// depends on an unset variable.
    pub fn place(name: &str, ambient: &Ambient, base_url: Option<&str>) -> Result<Self, Error> {
        Self::find(name, ambient, base_url, KeyFrom::Elsewhere)
    }

    fn find(
        name: &str,
        ambient: &Ambient,
        base_url: Option<&str>,
        key_from: KeyFrom,
    ) -> Result<Self, Error> {
        let entry = catalog::find(name).ok_or_else(|| {
            let names = catalog::providers().iter().map(|entry| entry.name.as_str());
            let names: Vec<_> = names.collect();
            Error::new(ErrorKind::InvalidRequest, format!("unknown provider `{name}`"))
                .hint(format!("the known ones are {}", names.join(", ")))
        })?;
        let of_variable = || {
            let variable = entry.base_url_var.as_deref()?;
            let value = ambient.var(variable).filter(|value| !value.trim().is_empty())?;
            Some(if variable == OLLAMA_HOST { ollama_url(value) } else { value.to_owned() })
        };
        let moved = base_url.map(str::to_owned).or_else(of_variable);
        let moved = moved.as_deref();
        let set = entry.key_vars.iter().find_map(|var| Some((var, ambient.var(var)?)));
        let key = set.map(|(_, key)| Secret::new(key.trim()));
        if let Some(key) = &key {
            ambient.secrets().add(key.expose());
        }
        let key_var = set.map(|(var, _)| var).or(entry.key_vars.first()).cloned();
        let key_var = key_var.filter(|_| key_from == KeyFrom::Environment);
        let auth = match &key_var {
            Some(variable) if variable == ANTHROPIC_AUTH_TOKEN => Some(Auth::Bearer),
            Some(_) | None => entry.auth,
        };
        let is_amazon = entry.dialect.cloud == Some(Cloud::Bedrock);
        let profile = if is_amazon { aws::Profile::read(ambient) } else { aws::Profile::default() };
        let region = || {
            let vars = ["AWS_REGION", "AWS_DEFAULT_REGION"];
            vars.iter().find_map(|var| ambient.var(var)).or(profile.region.as_deref())
        };
        let lookup = |var: &str| match var {
            "AWS_REGION" if is_amazon => region(),
            var => ambient.var(var),
        };
        let is_at_home = moved.is_none_or(|moved| moved == entry.base_url);
        let base_url = fill_in(moved.unwrap_or(&entry.base_url), name, lookup);
        let signing = (key.is_none() && key_from == KeyFrom::Environment).then(|| {
            let place = base_url.as_deref().ok().and_then(aws::region_of_host).or_else(region);
            Signing::find(ambient, &profile, place.unwrap_or("us-east-1").to_owned())
        });
        let signing = signing.flatten().filter(|_| is_amazon);
        if let (Some(var), None, None, None) = (&key_var, &key, &signing, moved) {
            let or = if is_amazon {
                " or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (`aws configure export-credentials --format env` prints those of a profile)"
            } else {
                ""
            };
            return Err(Error::new(ErrorKind::Auth, format!("no key for {name}")).log_in(
                name,
                Some(format!("set {var}{or}, or give the base URL of your own server")),
            ));
        }
        let base_url = cloud::vertex_host(&base_url?);
        Ok(Self {
            key,
            signing,
            key_var,
            auth,
            headers: entry
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), Secret::new(value.clone())))
                .collect(),
            dialect: Dialect {
                // Another server may reject unknown fields, as Azure's dated versions do.
                prompt_cache_key: entry.dialect.prompt_cache_key && is_at_home,
                custom_tools: entry.dialect.custom_tools && is_at_home,
                web_search: entry.dialect.web_search && is_at_home,
                documents: entry.dialect.documents && is_at_home,
                effort_updates: entry.dialect.effort_updates && is_at_home,
                verbosity: if is_at_home { entry.dialect.verbosity } else { Verbosity::Unset },
                ..entry.dialect
            },
            ..Self::new(name, entry.api, base_url)
        })
    }

    /// Returns the request URL; if it ends in the model name, without that.
    pub fn url(&self) -> String {
        match self.dialect.cloud {
            Some(cloud) => with_scheme(cloud.root(self.base_url.trim())),
            None => url(self.api, &self.base_url),
        }
    }

    /// Returns the model list URL; `None` for clouds, which have none there.
    pub fn models_url(&self) -> Option<String> {
        if self.dialect.cloud.is_some() {
            return None;
        }
        let url = self.url();
        let (path, query) =
            url.split_once('?').map_or((url.as_str(), ""), |(path, query)| (path, query));
        let ends = ["/chat/completions", "/responses", "/messages", "/models"];
        let root = ends.iter().find_map(|end| path.strip_suffix(end))?;
        let sign = if query.is_empty() { "" } else { "?" };
        Some(format!("{root}/models{sign}{query}"))
    }

    /// Returns the request URL for this model: `{model}` in the base URL is replaced with its id.
    pub(super) fn request_url(&self, model: &str) -> String {
        if let Some(url) = self.cloud_url(model) {
            return url;
        }
        let url = self.url().replace("{model}", model);
        if self.api != Api::Gemini {
            return url;
        }
        let model = model.strip_prefix("models/").unwrap_or(model);
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        let more = if query.is_empty() { String::new() } else { format!("&{query}") };
        format!("{path}/{model}:streamGenerateContent?alt=sse{more}")
    }

    /// Returns the URL for a cloud with a special one.
    fn cloud_url(&self, model: &str) -> Option<String> {
        let cloud = self.dialect.cloud?;
        let (base, query) = self.base_url.trim().split_once('?').unwrap_or((&self.base_url, ""));
        let url = cloud.url(self.api, &with_scheme(cloud.root(base.trim())), model)?;
        let sign = if url.contains('?') { '&' } else { '?' };
        Some(if query.is_empty() { url } else { format!("{url}{sign}{query}") })
    }

    /// Returns the URL for messages: without query, user and password, which may be keys.
    pub fn shown_url(&self) -> String {
        let url = self.url();
        let url = url.split('?').next().unwrap_or(&url);
        match url.split_once("://") {
            Some((scheme, rest)) => {
                let host = rest.find('/').unwrap_or(rest.len());
                let user = rest.get(..host).and_then(|rest| rest.rfind('@')).map_or(0, |at| at + 1);
                format!("{scheme}://{}", rest.get(user..).unwrap_or(rest))
            }
            None => url.to_owned(),
        }
    }

    /// Returns true if the provider can search the web for this model in addition to function calls.
    pub fn searches_web(&self, model: &str) -> bool {
        let is_able = match self.for_model(model).api {
            Api::Messages => true,
            // Older OpenAI models use an earlier form of the tool; Google's before the third generation do not support functions with it.
            Api::Responses => responses::is_since_gpt_5(model),
            Api::Gemini => gemini::is_third(model),
            Api::Chat => false,
        };
        self.dialect.web_search && is_able
    }

    /// Returns true if this model accepts images. An unknown model is assumed to: most accept them, and others report an error.
    pub(super) fn takes_images(&self, model: &str) -> bool {
        let known = || catalog::takes_images(&self.name, model);
        self.takes_images.or_else(known).unwrap_or(true)
    }

    /// Returns true if the provider accepts PDF documents for this model.
    pub fn takes_documents(&self, model: &str) -> bool {
        self.dialect.documents && self.takes_images(model)
    }

    /// Returns the endpoint adapted to a model: a cloud has several APIs.
    pub(super) fn for_model(&self, model: &str) -> Self {
        let api = self.dialect.cloud.map_or(self.api, |cloud| cloud.api(self.api, model));
        Self { api, ..self.clone() }
    }

    /// Returns the headers for a request with this body and URL, including the signature.
    pub(super) fn signed_headers(&self, url: &str, body: &Value) -> Vec<(String, Secret)> {
        let mut headers = self.request_headers();
        let is_given = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if let Some(signing) = self.signing.as_ref().filter(|_| !is_given) {
            let bytes = serde_json::to_vec(body).unwrap_or_default();
            headers.extend(signing.headers(url, &bytes));
        }
        headers
    }

    /// Returns the request headers, including the key.
    pub fn request_headers(&self) -> Vec<(String, Secret)> {
        let mut headers = Vec::new();
        let own =
            |name: &str| self.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let is_framed = self.dialect.cloud.is_some_and(|cloud| cloud.is_framed(self.api));
        if is_framed {
            let frames = Secret::new("application/vnd.amazon.eventstream");
            headers.push(("accept".to_owned(), frames));
        }
        let is_wrapped = self.dialect.cloud.is_some();
        if self.api == Api::Messages && !is_wrapped && !own("anthropic-version") {
            headers.push(("anthropic-version".to_owned(), Secret::new("2023-06-01")));
        }
        let is_given = ["authorization", "x-api-key", "api-key", "x-goog-api-key"]
            .iter()
            .any(|name| own(name));
        if let Some(key) = self.key.as_ref().filter(|_| !is_given) {
            let auth = self.auth.unwrap_or(match self.api {
                Api::Messages if is_wrapped => Auth::Bearer,
                Api::Messages => Auth::XApiKey,
                Api::Gemini => Auth::XGoogApiKey,
                Api::Chat | Api::Responses => Auth::Bearer,
            });
            let value = match auth {
                Auth::Bearer => Secret::new(format!("Bearer {}", key.expose())),
                Auth::XApiKey | Auth::ApiKey | Auth::XGoogApiKey => key.clone(),
            };
            headers.push((auth.header().to_owned(), value));
        }
        headers.extend(self.headers.iter().cloned());
        headers
    }
}

/// The variable with a token for Anthropic's API or a gateway, which is sent as a bearer token instead of a key.
const ANTHROPIC_AUTH_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";

/// The variable that Ollama's programs use to find the server: a URL, or a host with or without a port.
const OLLAMA_HOST: &str = "OLLAMA_HOST";

/// Returns the base URL of the server in `OLLAMA_HOST`. Source: Ollama's `envconfig`, which uses other ports if a scheme is given.
fn ollama_url(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']);
    let (scheme, rest, port) = match host.split_once("://") {
        Some(("https", rest)) => ("https", rest, "443"),
        Some(("http", rest)) => ("http", rest, "80"),
        Some((_, rest)) => ("http", rest, "11434"),
        None => ("http", host, "11434"),
    };
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, port) = match place.rsplit_once(':') {
        Some((name, named))
            if !named.is_empty()
                && named.bytes().all(|c| c.is_ascii_digit())
                && !name.ends_with(':') =>
        {
            (name, named)
        }
        Some((name, "")) => (name, port),
        Some(_) | None => (place, port),
    };
    // A listen address is not an address to connect to.
    let name = match name {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" | "::" => "[::1]",
        name => name,
    };
    let path = path.trim_matches('/');
    let path = if path.is_empty() { "v1".to_owned() } else { format!("{path}/v1") };
    format!("{scheme}://{name}:{port}/{path}")
}

/// Replaces variable names in braces with their values, `{A|B}` with the first one set; `{model}` stays.
fn fill_in<'a>(
    base_url: &str,
    provider: &str,
    lookup: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, Error> {
    let mut filled = String::new();
    let mut rest = base_url;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, behind)) = behind.split_once('}') else { break };
        filled.push_str(before);
        rest = behind;
        match name.split('|').find_map(&lookup) {
            _ if name == "model" => filled.push_str("{model}"),
            Some(value) => filled.push_str(value.trim()),
            None => {
                let name = name.replace('|', " or ");
                let message = format!("the URL of {provider} depends on {name}, which is not set");
                return Err(Error::new(ErrorKind::Auth, message)
                    .hint(format!("set {name}, or give the whole base URL")));
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn url(api: Api, base: &str) -> String {
    let base = base.trim();
    let (base, query) = base.split_once('?').map_or((base, ""), |(base, query)| (base, query));
    let base = with_scheme(base.trim_end_matches('/'));
    let mut url = match api {
        Api::Messages => {
            let root = base.strip_suffix("/messages").unwrap_or(&base);
            let root = root.strip_suffix("/v1").unwrap_or(root).trim_end_matches('/');
            format!("{root}/v1/messages")
        }
        Api::Chat if base.ends_with("/chat/completions") => base,
        Api::Chat if has_version(&base) => format!("{base}/chat/completions"),
        Api::Chat => format!("{base}/v1/chat/completions"),
        Api::Responses if base.ends_with("/responses") => base,
        Api::Responses if has_version(&base) => format!("{base}/responses"),
        Api::Responses => format!("{base}/v1/responses"),
        Api::Gemini if base.ends_with("/models") => base,
        Api::Gemini if has_version(&base) => format!("{base}/models"),
        Api::Gemini => format!("{base}/v1beta/models"),
    };
    if !query.is_empty() {
        url.push('?');
        url.push_str(query);
    }
    url
}

fn with_scheme(base: &str) -> String {
    if base.contains("://") {
        base.to_owned()
    } else if is_local(base) {
        format!("http://{base}")
    } else {
        format!("https://{base}")
    }
}

/// Returns true for a host on the local network, which most likely has no TLS.
fn is_local(base: &str) -> bool {
    let host = base.split(['/', ':']).next().unwrap_or(base);
    host == "localhost" || base.starts_with("[::1]") || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Returns true if a segment of the path looks like `v1` or `v1beta`.
fn has_version(base: &str) -> bool {
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    path.split('/').skip(1).any(|part| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_is_found_where_its_own_variable_says() {
        for (host, want) in [
            ("box", "http://box:11434/v1"),
            ("box:1234", "http://box:1234/v1"),
            (":1234", "http://127.0.0.1:1234/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0:1234", "http://127.0.0.1:1234/v1"),
            ("[::]:1234", "http://[::1]:1234/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
            ("http://box", "http://box:80/v1"),
            ("https://box", "https://box:443/v1"),
            ("https://box:8443/", "https://box:8443/v1"),
            ("http://box:1234/ollama", "http://box:1234/ollama/v1"),
            (" \"box\" ", "http://box:11434/v1"),
        ] {
            assert_eq!(ollama_url(host), want, "{host}");
        }
        for (vars, want) in [
            (&[][..], "http://localhost:11434/v1"),
            (&[("OLLAMA_HOST", "")], "http://localhost:11434/v1"),
            (&[("OLLAMA_HOST", "box")], "http://box:11434/v1"),
        ] {
            let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let found = Endpoint::resolve("ollama", &Ambient::fixed(vars), None).unwrap();
            assert_eq!(found.base_url, want);
        }
    }

    #[test]
    fn an_auth_token_is_no_api_key() {
        for (vars, header, value) in [
            (&[("ANTHROPIC_API_KEY", "k")][..], "x-api-key", "k"),
            (&[("ANTHROPIC_AUTH_TOKEN", "t")], "authorization", "Bearer t"),
            (&[("ANTHROPIC_AUTH_TOKEN", "t"), ("ANTHROPIC_API_KEY", "k")], "x-api-key", "k"),
        ] {
            let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let found = Endpoint::resolve("anthropic", &Ambient::fixed(vars), None).unwrap();
            let headers = found.request_headers();
            let keys: Vec<_> = headers
                .iter()
                .filter(|(name, _)| ["x-api-key", "authorization"].contains(&name.as_str()))
                .map(|(name, value)| (name.as_str(), value.expose()))
                .collect();
            assert_eq!(keys, [(header, value)]);
        }
    }

    #[test]
    fn any_form_of_base_url_leads_to_the_right_place() {
        for (api, base, want) in [
            (Api::Chat, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            (Api::Chat, "https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
            (Api::Chat, "https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
            (Api::Chat, "http://h:8/v1/chat/completions", "http://h:8/v1/chat/completions"),
            (Api::Chat, "http://h/chat/completions", "http://h/chat/completions"),
            (Api::Chat, "https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions"),
            (Api::Chat, "https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
            (Api::Chat, "https://h/openai", "https://h/openai/v1/chat/completions"),
            (Api::Chat, "https://v1.example.com", "https://v1.example.com/v1/chat/completions"),
            (Api::Chat, "localhost:11434", "http://localhost:11434/v1/chat/completions"),
            (Api::Chat, "127.0.0.1:80/v1", "http://127.0.0.1:80/v1/chat/completions"),
            (Api::Chat, "h.example?k=1", "https://h.example/v1/chat/completions?k=1"),
            (Api::Messages, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (Api::Messages, "https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
            (Api::Messages, "https://h/v1", "https://h/v1/messages"),
            (Api::Messages, "https://h/v1/messages", "https://h/v1/messages"),
            (Api::Messages, " https://h/anthropic/ ", "https://h/anthropic/v1/messages"),
            (Api::Responses, "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
            (Api::Responses, "localhost:1", "http://localhost:1/v1/responses"),
            (Api::Responses, "https://h/codex/responses", "https://h/codex/responses"),
            (Api::Gemini, "https://h", "https://h/v1beta/models"),
            (Api::Gemini, "https://h/v1beta/", "https://h/v1beta/models"),
            (Api::Gemini, "https://h/v1/publishers/x/models", "https://h/v1/publishers/x/models"),
        ] {
            assert_eq!(url(api, base), want, "{base}");
        }
        for (base, model, want) in [
            ("h.test", "g-3", "https://h.test/v1beta/models/g-3:streamGenerateContent?alt=sse"),
            (
                "h.test?k=1",
                "models/g",
                "https://h.test/v1beta/models/g:streamGenerateContent?alt=sse&k=1",
            ),
        ] {
            assert_eq!(Endpoint::new("own", Api::Gemini, base).request_url(model), want);
        }
    }

    #[test]
    fn the_environment_gives_key_and_place() {
        let none = Ambient::fixed([]);
        let error = Endpoint::resolve("openai", &none, None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Auth);
        assert!(error.hint.unwrap().contains("OPENAI_API_KEY"));
        assert!(
            Endpoint::resolve("nobody", &none, None).unwrap_err().hint.unwrap().contains("groq")
        );
        assert!(Endpoint::resolve("ollama", &none, None).unwrap().key.is_none());
        assert!(Endpoint::resolve("openai", &none, Some("localhost:1")).unwrap().key.is_none());

        let vars = [("ANTHROPIC_API_KEY", "k-1\n"), ("ANTHROPIC_BASE_URL", "http://proxy/")];
        let ambient = Ambient::fixed(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let endpoint = Endpoint::resolve("anthropic", &ambient, None).unwrap();
        assert_eq!(endpoint.url(), "http://proxy/v1/messages");
        let headers = endpoint.request_headers();
        assert!(headers.iter().any(|(name, key)| name == "x-api-key" && key.expose() == "k-1"));
        assert!(!format!("{endpoint:?}").contains("k-1"));
        let endpoint = Endpoint::resolve("anthropic", &ambient, Some("http://mine")).unwrap();
        assert_eq!(endpoint.url(), "http://mine/v1/messages");
    }

    #[test]
    fn a_url_in_a_message_holds_no_key() {
        let endpoint = Endpoint::new("own", Api::Chat, "https://me:secret@h.test/a@b/v1?key=k");
        assert_eq!(endpoint.url(), "https://me:secret@h.test/a@b/v1/chat/completions?key=k");
        assert_eq!(endpoint.shown_url(), "https://h.test/a@b/v1/chat/completions");
    }

    #[test]
    fn clouds_are_where_their_variables_say() {
        let vars = [
            ("AZURE_OPENAI_API_KEY", "k"),
            ("AZURE_OPENAI_RESOURCE", "mine"),
            ("AWS_BEARER_TOKEN_BEDROCK", "b"),
            ("AWS_REGION", "eu-central-1"),
        ];
        let ambient = Ambient::fixed(vars.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let deployments = "https://h/openai/deployments/{model}/chat/completions?api-version=1";
        for (name, base_url, url, header) in [
            (
                "azure",
                None,
                "https://mine.openai.azure.com/openai/v1/chat/completions",
                ("api-key", "k"),
            ),
            (
                "azure",
                Some(deployments),
                "https://h/openai/deployments/m/chat/completions?api-version=1",
                ("api-key", "k"),
            ),
            (
                "bedrock",
                None,
                "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions",
                ("authorization", "Bearer b"),
            ),
            (
                "azure",
                Some("https://{AZURE_OPENAI_RESOURCE}.openai.azure.com/openai/v1"),
                "https://mine.openai.azure.com/openai/v1/chat/completions",
                ("api-key", "k"),
            ),
        ] {
            let endpoint = Endpoint::resolve(name, &ambient, base_url).unwrap();
            assert_eq!(endpoint.request_url("m"), url);
            let headers = endpoint.request_headers();
            let headers: Vec<_> =
                headers.iter().map(|(name, key)| (name.as_str(), key.expose())).collect();
            assert_eq!(headers, [header], "{name}");
        }
        let key = [("AZURE_OPENAI_API_KEY".to_owned(), "k".to_owned())];
        let error = Endpoint::resolve("azure", &Ambient::fixed(key), None).unwrap_err();
        assert_eq!(error.hint.unwrap(), "set AZURE_OPENAI_RESOURCE, or give the whole base URL");
    }

    #[test]
    fn a_cache_key_is_told_where_it_is_known() {
        let key = ("OPENAI_API_KEY".to_owned(), "k".to_owned());
        for (var, base_url, want) in [
            (None, None, true),
            (None, Some("https://api.openai.com/v1"), true),
            (None, Some("https://proxy.test/v1"), false),
            (Some("https://proxy.test/v1"), None, false),
        ] {
            let var = var.map(|url| ("OPENAI_BASE_URL".to_owned(), url.to_owned()));
            let ambient = Ambient::fixed([key.clone()].into_iter().chain(var));
            let endpoint = Endpoint::resolve("openai", &ambient, base_url).unwrap();
            assert_eq!(endpoint.dialect.prompt_cache_key, want, "{base_url:?}");
        }
    }

    #[test]
    fn a_header_of_the_users_takes_the_place_of_the_key() {
        let mut endpoint = Endpoint::new("own", Api::Chat, "http://h");
        endpoint.key = Some(Secret::new("k"));
        endpoint.headers = vec![("Authorization".to_owned(), Secret::new("Basic x"))];
        let headers = endpoint.request_headers();
        assert_eq!(headers.len(), 1);
    }
}
