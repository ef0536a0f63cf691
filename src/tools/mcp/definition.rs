//! A server definition: how the server is reached, and its limits. Pure.
//!
//! The form is the one used by other programs: an object `mcpServers` with a table for each name. An invalid table is reported, and the
//! others are used.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The default timeout for starting a server and listing its tools.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The default timeout of a call since its last progress.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);

/// Maximum number of servers that one place may define.
const MAX_SERVERS: usize = 100;

/// A server as it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The server's name, unique in a session.
    pub name: String,
    /// The transport to the server.
    pub transport: Transport,
    /// Where the definition comes from.
    pub origin: Origin,
    /// True if the server is used.
    pub is_enabled: bool,
    /// The process limits; for stdio servers only.
    pub limits: ProcessLimits,
    /// The only tools to use; all when `None`.
    pub only: Option<Vec<String>>,
    /// The disabled tools.
    pub without: Vec<String>,
    /// The timeout for starting and listing tools.
    pub start_timeout: Duration,
    /// The timeout of a call since its last progress.
    pub call_timeout: Duration,
}

/// A server's process limits. Only the user settings widen them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// True if the process runs in the sandbox.
    pub sandbox: bool,
    /// True if the sandboxed process may use the network.
    pub network: bool,
}

/// The transport to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that communicates over its streams.
    Stdio {
        /// The program's path, or a name in `PATH`.
        command: String,
        /// The program's arguments.
        arguments: Vec<String>,
        /// The program's variables, with the sources of their values.
        variables: BTreeMap<String, String>,
        /// The working directory, if it differs from the session's.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// The headers of each request, with the sources of their values.
        headers: BTreeMap<String, String>,
        /// The OAuth client for a login.
        oauth: OAuthClient,
    },
}

/// The OAuth client for logins to an HTTP server. Servers that register clients by themselves need none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthClient {
    /// The client id, if the client is registered with the server, or the URL of the client's metadata document.
    pub id: Option<String>,
    /// How tokens are obtained.
    pub grant: Grant,
    /// Where the client secret comes from.
    pub secret: Option<String>,
    /// The organization's identity provider, for `Grant::Enterprise`.
    pub identity: Option<IdentityProvider>,
    /// The scopes to request, if they differ from the server's.
    pub scopes: Vec<String>,
    /// The local port to which the browser returns, if the server requires a specific one.
    pub callback_port: Option<u16>,
    /// The user agrees to the addresses of this machine and of private networks that the server names for its login.
    pub private_addresses: bool,
}

/// How tokens for an HTTP server are obtained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// By a login of the user in a browser.
    #[default]
    AuthorizationCode,
    /// With the client id and the client secret alone, at each start of the server.
    ClientCredentials,
    /// With a token from the organization's identity provider, at each start of the server (enterprise-managed authorization).
    Enterprise,
}

/// An organization's identity provider, which grants access to servers in place of separate logins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IdentityProvider {
    /// Its issuer identifier, as in its metadata.
    #[schemars(extend("examples" = ["https://idp.example.com"]))]
    pub issuer: String,
    /// Its token endpoint.
    #[schemars(extend("examples" = ["https://idp.example.com/token"]))]
    pub token_url: String,
    /// The client id, as registered with it.
    pub client_id: String,
    /// The client secret.
    pub client_secret: Option<String>,
    /// The ID token or refresh token with which you are signed in there: `!COMMAND`, `file:PATH` or `keyring:SERVICE/USER`.
    pub token: String,
    /// The kind of token: `id_token` or `refresh_token`. By default `id_token`.
    pub token_type: IdentityToken,
}

/// An identity token's kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdentityToken {
    /// An OpenID Connect ID token.
    #[default]
    IdToken,
    /// A refresh token.
    RefreshToken,
}

/// Where a server definition comes from, which determines the variables its values may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The user's config file.
    User,
    /// A file in a project that the user trusts.
    Project(PathBuf),
    /// A client, for its session; its values are used literally.
    Client,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User => f.write_str("your settings"),
            Self::Project(path) => write!(f, "{}", path.display()),
            Self::Client => f.write_str("the session's client"),
        }
    }
}

impl Definition {
    /// Returns the command line or address, as it was written.
    pub fn target(&self) -> String {
        match &self.transport {
            Transport::Stdio { command, arguments, .. } => {
                let words = std::iter::once(command).chain(arguments);
                words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Transport::Http { url, .. } => url.clone(),
        }
    }

    /// Returns true if the user can log in to the server: it is reached by an address, and its settings contain neither a header that logs
    /// in nor a grant without a login.
    pub fn has_login(&self) -> bool {
        let is_http = matches!(self.transport, Transport::Http { .. });
        is_http && !self.has_own_login() && !self.gets_tokens_at_start()
    }

    /// Returns true if its headers log in to it, so that no stored login is sent.
    pub fn has_own_login(&self) -> bool {
        let Transport::Http { headers, .. } = &self.transport else { return false };
        headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Returns true if each start of the server gets a token without a login of the user.
    pub fn gets_tokens_at_start(&self) -> bool {
        let Transport::Http { oauth, .. } = &self.transport else { return false };
        oauth.grant != Grant::AuthorizationCode
    }

    /// Returns true if this tool is used.
    pub fn uses(&self, tool: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == tool))
            && !self.without.iter().any(|name| name == tool)
    }
}

/// Returns a word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+$%{}".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A problem in a server definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The server's name; `None` if it concerns all of them.
    pub server: Option<String>,
    /// The problem, with the server's name.
    pub message: String,
}

/// Parses the servers in an object, by name, and returns problems with others as messages.
pub fn parse(servers: &Map<String, Value>, origin: &Origin) -> (Vec<Definition>, Vec<String>) {
    let (found, problems) = parse_named(servers, origin);
    (found, problems.into_iter().map(|problem| problem.message).collect())
}

/// Parses the servers in an object, by name, and returns problems with others, each with its server.
pub fn parse_named(
    servers: &Map<String, Value>,
    origin: &Origin,
) -> (Vec<Definition>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if servers.len() > MAX_SERVERS {
        let message = format!("only the first {MAX_SERVERS} of {} servers are used", servers.len());
        problems.push(Problem { server: None, message });
    }
    for (name, value) in servers.iter().take(MAX_SERVERS) {
        let mut messages = Vec::new();
        match definition(name, value, origin, &mut messages) {
            Ok(definition) => found.push(definition),
            Err(wrong) => messages.push(format!("ignored the server `{name}`: {wrong}")),
        }
        let of_server = |message| Problem { server: Some(name.clone()), message };
        problems.extend(messages.into_iter().map(of_server));
    }
    (found, problems)
}

/// A server as described in a settings file. Alternative key names used by other programs are accepted too.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Table {
    /// The program that speaks on its streams: its path, or a name in `PATH`.
    command: Option<String>,
    /// The program's arguments.
    args: Vec<String>,
    /// The program's variables.
    env: BTreeMap<String, String>,
    /// The working directory. By default the session's.
    cwd: Option<PathBuf>,
    /// The server's address, for streamable HTTP.
    url: Option<String>,
    /// The headers of each request to that address.
    headers: BTreeMap<String, String>,
    /// The OAuth client for logins there. Servers that register clients by themselves need none of it.
    oauth: OAuthTable,
    /// The transport, stdio or http. By default `command` and `url` decide.
    #[serde(rename = "type")]
    #[schemars(skip)]
    kind: Option<String>,
    /// Whether the server is used. By default true.
    enabled: Option<bool>,
    /// Whether the server is disabled.
    #[schemars(skip)]
    disabled: Option<bool>,
    /// The only tools to use. By default all.
    tools: Option<Vec<String>>,
    /// The disabled tools.
    disabled_tools: Vec<String>,
    /// The timeout for starting and listing tools, in seconds. By default 60.
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", range(min = 0, max = 86400))]
    startup_timeout_s: Option<Duration>,
    /// The timeout of a call since its last progress, in seconds. By default 300.
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "f64", range(min = 0, max = 86400))]
    timeout_s: Option<Duration>,
    /// Whether the process runs in the sandbox. By default true.
    sandbox: Option<bool>,
    /// Whether the sandboxed process may use the network. By default true.
    network: Option<bool>,
}

/// The OAuth client, as described in a settings file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct OAuthTable {
    /// The client id, if the client is registered with the server, or the URL of the client's metadata document.
    client_id: Option<String>,
    /// How tokens are obtained: `authorization_code`, by a login in a browser; `client_credentials`, with `client_id` and `client_secret`
    /// alone; or `enterprise`, with a token from `identity`. By default `authorization_code`.
    grant: Grant,
    /// The client secret.
    client_secret: Option<String>,
    /// The organization's identity provider, for the grant `enterprise`; only in your config file.
    identity: Option<IdentityProvider>,
    /// The scopes to request. By default the server's.
    scopes: Vec<String>,
    /// The local port to which the browser returns, if the server requires a specific one.
    #[serde(deserialize_with = "port")]
    #[schemars(range(min = 1))]
    callback_port: Option<u16>,
    /// Whether the server may name addresses of this machine and of private networks for its login. By default false.
    private_addresses: bool,
}

/// The names of keys in the files of other programs, with ours.
const NAMES: [(&str, &str); 10] = [
    ("httpUrl", "url"),
    ("serverUrl", "url"),
    ("http_headers", "headers"),
    ("transport", "type"),
    ("enabled_tools", "tools"),
    ("startup_timeout_sec", "startup_timeout_s"),
    ("tool_timeout_sec", "timeout_s"),
    ("clientId", "client_id"),
    ("clientSecret", "client_secret"),
    ("callbackPort", "callback_port"),
];

/// Gives keys our names; of two with the same meaning the last one wins.
fn renamed(table: &Map<String, Value>) -> Map<String, Value> {
    let rows = table.iter().map(|(key, value)| {
        let ours = NAMES.iter().find(|(theirs, _)| theirs == key).map(|(_, ours)| *ours);
        (ours.unwrap_or(key).to_owned(), value.clone())
    });
    rows.collect()
}

/// Parses a table. Keys that are unknown, or allowed only in the user settings, are reported and ignored.
fn table(
    name: &str,
    value: &Value,
    is_users: bool,
    problems: &mut Vec<String>,
) -> Result<Table, String> {
    let mut rows = renamed(value.as_object().ok_or("it must be a table")?);
    if !is_users {
        for key in ["sandbox", "network"].into_iter().filter(|key| rows.contains_key(*key)) {
            problems.push(format!(
                "ignored `{key}` of the server `{name}`: it is only allowed in your config file"
            ));
        }
        rows.retain(|key, _| !["sandbox", "network"].contains(&key.as_str()));
    }
    if let Some(Value::Object(oauth)) = rows.get_mut("oauth") {
        *oauth = renamed(oauth);
        for key in ["private_addresses", "identity"] {
            if !is_users && oauth.shift_remove(key).is_some() {
                problems.push(format!(
                    "ignored `oauth.{key}` of the server `{name}`: it is only allowed in your config file"
                ));
            }
        }
    }
    let mut note = |path: serde_ignored::Path<'_>| problems.push(unknown(&path.to_string(), name));
    let reader = serde_ignored::Deserializer::new(Value::Object(rows), &mut note);
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let message = error.inner().to_string();
        let (_, want) = message.split_once(", expected ").unwrap_or(("", &message));
        let want = match want {
            "a string" | "path string" => "a text",
            "a boolean" => "true or false",
            "a sequence" => "a list of strings",
            "a map" => "a table of strings",
            "struct OAuthTable" => "a table",
            other => other,
        };
        format!("`{}` must be {want}", error.path())
    })
}

/// Returns the settings that the grant `enterprise` lacks.
fn missing_for_enterprise(oauth: &OAuthTable) -> Vec<&'static str> {
    let identity = oauth.identity.clone().unwrap_or_default();
    [
        ("client_id", oauth.client_id.as_deref().unwrap_or_default()),
        ("identity.issuer", &identity.issuer),
        ("identity.token_url", &identity.token_url),
        ("identity.client_id", &identity.client_id),
        ("identity.token", &identity.token),
    ]
    .iter()
    .filter(|(_, value)| value.is_empty())
    .map(|(key, _)| *key)
    .collect()
}

fn unknown(key: &str, server: &str) -> String {
    format!("ignored the unknown key `{key}` of the server `{server}`")
}

fn definition(
    name: &str,
    value: &Value,
    origin: &Origin,
    problems: &mut Vec<String>,
) -> Result<Definition, String> {
    let table = table(name, value, *origin == Origin::User, problems)?;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err("its name must not be empty or contain control characters".to_owned());
    }
    let oauth = table.oauth;
    if oauth.client_secret.is_some() && oauth.client_id.is_none() {
        return Err("`oauth` has a client secret but no `client_id`".to_owned());
    }
    if oauth.grant == Grant::ClientCredentials && oauth.client_secret.is_none() {
        return Err(
            "`oauth.grant` is `client_credentials`, which requires `client_id` and `client_secret`"
                .to_owned(),
        );
    }
    if oauth.grant == Grant::Enterprise {
        let missing = missing_for_enterprise(&oauth);
        if !missing.is_empty() {
            let missing: Vec<String> = missing.iter().map(|key| format!("`{key}`")).collect();
            return Err(format!(
                "`oauth.grant` is `enterprise`, which also requires {}",
                missing.join(", ")
            ));
        }
    }
    let is_http = match table.kind.as_deref() {
        None => table.url.is_some(),
        Some("stdio") => false,
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => true,
        Some("sse") => {
            return Err(
                "`sse` is the transport of 2024, which is not supported: most servers also offer `http`, at another URL"
                    .to_owned(),
            );
        }
        Some(other) => return Err(format!("`type` is `{other}`; expected `stdio` or `http`")),
    };
    let transport = match (is_http, table.command, table.url) {
        (_, Some(_), Some(_)) => return Err("it has both `command` and `url`".to_owned()),
        (true, _, Some(url)) => {
            if !url.starts_with("https://") && !url.starts_with("http://") {
                return Err("`url` must start with https:// or http://".to_owned());
            }
            let oauth = OAuthClient {
                id: oauth.client_id,
                grant: oauth.grant,
                secret: oauth.client_secret,
                identity: oauth.identity,
                scopes: oauth.scopes,
                callback_port: oauth.callback_port,
                private_addresses: oauth.private_addresses,
            };
            Transport::Http { url, headers: table.headers, oauth }
        }
        (false, Some(command), _) if !command.trim().is_empty() => Transport::Stdio {
            command,
            arguments: table.args,
            variables: table.env,
            cwd: table.cwd,
        },
        (true, ..) => return Err("`url` is missing".to_owned()),
        (false, ..) => return Err("`command` or `url` is missing".to_owned()),
    };
    Ok(Definition {
        name: name.to_owned(),
        transport,
        origin: origin.clone(),
        is_enabled: table.enabled.unwrap_or(true) && table.disabled != Some(true),
        limits: ProcessLimits {
            sandbox: table.sandbox.unwrap_or(true),
            network: table.network.unwrap_or(true),
        },
        only: table.tools,
        without: table.disabled_tools,
        start_timeout: table.startup_timeout_s.unwrap_or(START_TIMEOUT),
        call_timeout: table.timeout_s.unwrap_or(CALL_TIMEOUT),
    })
}

fn port<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u16>, D::Error> {
    let port = Value::deserialize(from)?.as_u64().and_then(|port| u16::try_from(port).ok());
    let port = port.filter(|port| *port > 0);
    port.map(Some).ok_or_else(|| D::Error::custom("a port, from 1 to 65535"))
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let seconds = Value::deserialize(from)?.as_f64();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero() && *time <= Duration::from_secs(86400));
    time.map(Some).ok_or_else(|| D::Error::custom("a number of seconds above 0, at most 86400"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn servers_are_read_in_the_usual_form_and_a_wrong_one_leaves_the_others() {
        let ok = json!({"command": "npx", "args": ["-y", "a b"], "env": {"A": "$B"}});
        for (name, value, want) in [
            ("stdio", ok.clone(), Ok("npx -y 'a b'")),
            ("typed", json!({"type": "stdio", "command": "x"}), Ok("x")),
            ("http", json!({"url": "https://a.b/mcp"}), Ok("https://a.b/mcp")),
            ("codex", json!({"url": "http://a", "http_headers": {"A": "b"}}), Ok("http://a")),
            ("vs code", json!({"type": "http", "url": "http://a"}), Ok("http://a")),
            (
                "oauth",
                json!({"url": "https://a", "oauth": {"clientId": "i", "callbackPort": 8123, "scopes": ["s"]}}),
                Ok("https://a"),
            ),
            (
                "oauth secret",
                json!({"url": "https://a", "oauth": {"client_secret": "s"}}),
                Err("no `client_id`"),
            ),
            (
                "oauth grant without a secret",
                json!({"url": "https://a", "oauth": {"client_id": "i", "grant": "client_credentials"}}),
                Err("requires `client_id` and `client_secret`"),
            ),
            (
                "oauth enterprise without a provider",
                json!({"url": "https://a", "oauth": {"client_id": "i", "grant": "enterprise", "identity": {"issuer": "https://i"}}}),
                Err("also requires `identity.token_url`, `identity.client_id`, `identity.token`"),
            ),
            (
                "oauth port",
                json!({"url": "https://a", "oauth": {"callback_port": 0}}),
                Err("from 1 to 65535"),
            ),
            ("sse", json!({"type": "sse", "url": "http://a"}), Err("the transport of 2024")),
            ("odd", json!({"type": "ws", "url": "ws://a"}), Err("expected `stdio` or `http`")),
            ("neither", json!({}), Err("`command` or `url` is missing")),
            ("both", json!({"command": "x", "url": "http://a"}), Err("both")),
            (
                "no list",
                json!({"command": "x", "args": "y"}),
                Err("`args` must be a list of strings"),
            ),
            ("no table", json!("npx"), Err("must be a table")),
            ("no time", json!({"command": "x", "timeout_s": 0}), Err("above 0")),
            ("file", json!({"url": "file:///etc/passwd"}), Err("must start with https://")),
        ] {
            let servers = [(name.to_owned(), value), ("fine".to_owned(), ok.clone())];
            let (found, problems) = parse(&servers.into_iter().collect(), &Origin::User);
            let is_there = found.iter().find(|server| server.name == name);
            match want {
                Ok(target) => {
                    assert_eq!(is_there.unwrap().target(), target, "{name}");
                    assert!(problems.is_empty(), "{name}: {problems:?}");
                }
                Err(words) => {
                    assert!(is_there.is_none(), "{name}");
                    assert!(problems[0].contains(words), "{name}: {problems:?}");
                }
            }
            assert!(found.iter().any(|server| server.name == "fine"), "{name}");
        }
    }

    #[test]
    fn only_the_users_own_settings_widen_what_a_server_may_do() {
        let table = json!({"a": {"command": "x", "sandbox": false, "network": false}});
        for (origin, want) in [
            (Origin::User, (false, false)),
            (Origin::Project(PathBuf::from("/w/.mcp.json")), (true, true)),
            (Origin::Client, (true, true)),
        ] {
            let (found, problems) = parse(table.as_object().unwrap(), &origin);
            let limits = found[0].limits;
            assert_eq!((limits.sandbox, limits.network), want, "{origin}");
            assert_eq!(problems.len(), if origin == Origin::User { 0 } else { 2 }, "{origin}");
            let identity = json!({"issuer": "https://i", "token": "${HOME}"});
            let oauth = json!({"private_addresses": true, "identity": identity});
            let table = json!({"a": {"url": "https://a", "oauth": oauth}});
            let (found, problems) = parse(table.as_object().unwrap(), &origin);
            let Transport::Http { oauth, .. } = &found[0].transport else { unreachable!() };
            let is_users = origin == Origin::User;
            assert_eq!((oauth.private_addresses, oauth.identity.is_some()), (is_users, is_users));
            for key in ["private_addresses", "identity"] {
                let told =
                    problems.iter().any(|problem| problem.contains(&format!("`oauth.{key}`")));
                assert_eq!(told, !is_users, "{origin}: {problems:?}");
            }
        }
    }

    #[test]
    fn tools_are_chosen_by_name() {
        let table = json!({"a": {"command": "x", "tools": ["r", "w"], "disabled_tools": ["w"]}});
        let (found, _) = parse(table.as_object().unwrap(), &Origin::Client);
        assert_eq!(["r", "w", "x"].map(|tool| found[0].uses(tool)), [true, false, false]);
    }
}
