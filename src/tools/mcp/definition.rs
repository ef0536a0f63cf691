//! The definition of a server: how it is reached, and its limits. Pure.
//!
//! The form is the one that other programs use: an object `mcpServers` with a table for each name. A table that makes no sense is told,
//! and the others are used.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The default time that a server has to start and to list its tools.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The default time that a call has, since its last progress.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);

/// The maximum number of servers in one place.
const MAX_SERVERS: usize = 100;

/// A server as it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name, unique in a session.
    pub name: String,
    /// The way to it.
    pub transport: Transport,
    /// Who defined it.
    pub origin: Origin,
    /// It is used.
    pub is_enabled: bool,
    /// The limits of its process; of a stdio server alone.
    pub limits: ProcessLimits,
    /// The only tools to use; all when `None`.
    pub only: Option<Vec<String>>,
    /// The tools that are not used.
    pub without: Vec<String>,
    /// The time that it has to start and to list its tools.
    pub start_timeout: Duration,
    /// The time that a call has, since its last progress.
    pub call_timeout: Duration,
}

/// The limits of a server's process. Only the user's own settings widen them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// It runs in the sandbox.
    pub sandbox: bool,
    /// It reaches the network from there.
    pub network: bool,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that speaks on its streams.
    Stdio {
        /// Its path, or a name in `PATH`.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// The variables that it is given, with the sources of their values.
        variables: BTreeMap<String, String>,
        /// The working directory, where it is not the session's.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// The headers of each request, with the sources of their values.
        headers: BTreeMap<String, String>,
        /// The client that a login is made for.
        oauth: OAuthClient,
    },
}

/// The client that a login at an HTTP server is made for. Servers that register clients by themselves need nothing of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuthClient {
    /// Its id, where it is registered with the server.
    pub id: Option<String>,
    /// The source of its secret.
    pub secret: Option<String>,
    /// The scopes to ask for, where they are not those that the server names.
    pub scopes: Vec<String>,
    /// The port of this machine to which the browser returns, where the server wants a certain one.
    pub callback_port: Option<u16>,
    /// The user agrees to the addresses of this machine and of private networks that the server names for its login.
    pub private_addresses: bool,
}

/// Who defined a server: it decides what its values may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The user's config file.
    User,
    /// A file of a project that a person trusts.
    Project(PathBuf),
    /// A client, for its session; its values stand for themselves.
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
    /// The command line or address, as it was written.
    pub fn target(&self) -> String {
        match &self.transport {
            Transport::Stdio { command, arguments, .. } => {
                let words = std::iter::once(command).chain(arguments);
                words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Transport::Http { url, .. } => url.clone(),
        }
    }

    /// Returns true if a person can log in to it: it is reached by an address, and no header of its settings logs in.
    pub fn has_login(&self) -> bool {
        matches!(self.transport, Transport::Http { .. }) && !self.has_own_login()
    }

    /// Returns true if its headers log in to it, so that no stored login is sent.
    pub fn has_own_login(&self) -> bool {
        let Transport::Http { headers, .. } = &self.transport else { return false };
        headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Returns true if this tool is used.
    pub fn uses(&self, tool: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == tool))
            && !self.without.iter().any(|name| name == tool)
    }
}

/// A word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+$%{}".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Reads the servers of an object, by name, and what is wrong with others.
pub fn parse(servers: &Map<String, Value>, origin: &Origin) -> (Vec<Definition>, Vec<String>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if servers.len() > MAX_SERVERS {
        problems
            .push(format!("only the first {MAX_SERVERS} of {} servers are used", servers.len()));
    }
    for (name, value) in servers.iter().take(MAX_SERVERS) {
        match definition(name, value, origin, &mut problems) {
            Ok(definition) => found.push(definition),
            Err(wrong) => problems.push(format!("the server `{name}` is not used: {wrong}")),
        }
    }
    (found, problems)
}

fn definition(
    name: &str,
    value: &Value,
    origin: &Origin,
    problems: &mut Vec<String>,
) -> Result<Definition, String> {
    let table = value.as_object().ok_or("it must be a table")?;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err("its name must be a word".to_owned());
    }
    let (mut command, mut url, mut kind, mut cwd) = (None, None, None, None);
    let (mut arguments, mut variables, mut headers) =
        (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let (mut is_enabled, mut only, mut without) = (true, None, Vec::new());
    let (mut start_timeout, mut call_timeout) = (START_TIMEOUT, CALL_TIMEOUT);
    let mut oauth = OAuthClient::default();
    let mut limits = ProcessLimits { sandbox: true, network: true };
    let is_users = *origin == Origin::User;
    for (key, value) in table {
        match key.as_str() {
            "command" => command = Some(text(key, value)?),
            "args" => arguments = texts(key, value)?,
            "env" => variables = pairs(key, value)?,
            "cwd" => cwd = Some(PathBuf::from(text(key, value)?)),
            "url" | "httpUrl" | "serverUrl" => url = Some(text(key, value)?),
            "headers" | "http_headers" => headers = pairs(key, value)?,
            "oauth" => oauth = oauth_client(name, value, is_users, problems)?,
            "type" | "transport" => kind = Some(text(key, value)?),
            "enabled" => is_enabled = flag(key, value)?,
            "disabled" => is_enabled = !flag(key, value)?,
            "tools" | "enabled_tools" => only = Some(texts(key, value)?),
            "disabled_tools" => without = texts(key, value)?,
            "startup_timeout_s" | "startup_timeout_sec" => start_timeout = seconds(key, value)?,
            "timeout_s" | "tool_timeout_sec" => call_timeout = seconds(key, value)?,
            "sandbox" if is_users => limits.sandbox = flag(key, value)?,
            "network" if is_users => limits.network = flag(key, value)?,
            "sandbox" | "network" => problems.push(format!(
                "`{key}` of the server `{name}` is ignored: only your own config file sets it"
            )),
            _ => problems.push(format!("`{key}` of the server `{name}` is unknown and is ignored")),
        }
    }
    let is_http = match kind.as_deref() {
        None => url.is_some(),
        Some("stdio") => false,
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => true,
        Some("sse") => {
            return Err(
                "`sse` is the transport of 2024, which is not spoken here: most servers offer `http` at an address of its own"
                    .to_owned(),
            );
        }
        Some(other) => return Err(format!("`type` is `{other}` and may be `stdio` or `http`")),
    };
    let transport = match (is_http, command, url) {
        (_, Some(_), Some(_)) => return Err("it has both `command` and `url`".to_owned()),
        (true, _, Some(url)) => {
            if !url.starts_with("https://") && !url.starts_with("http://") {
                return Err("`url` must begin with https:// or http://".to_owned());
            }
            Transport::Http { url, headers, oauth }
        }
        (false, Some(command), _) if !command.trim().is_empty() => {
            Transport::Stdio { command, arguments, variables, cwd }
        }
        (true, ..) => return Err("`url` is missing".to_owned()),
        (false, ..) => return Err("`command` or `url` is missing".to_owned()),
    };
    Ok(Definition {
        name: name.to_owned(),
        transport,
        origin: origin.clone(),
        is_enabled,
        limits,
        only,
        without,
        start_timeout,
        call_timeout,
    })
}

fn oauth_client(
    server: &str,
    value: &Value,
    is_users: bool,
    problems: &mut Vec<String>,
) -> Result<OAuthClient, String> {
    let table = value.as_object().ok_or("`oauth` must be a table")?;
    let mut client = OAuthClient::default();
    for (key, value) in table {
        match key.as_str() {
            "client_id" | "clientId" => client.id = Some(text(key, value)?),
            "client_secret" | "clientSecret" => client.secret = Some(text(key, value)?),
            "scopes" => client.scopes = texts(key, value)?,
            "callback_port" | "callbackPort" => {
                let port = value.as_u64().and_then(|port| u16::try_from(port).ok());
                let port = port.filter(|port| *port > 0);
                client.callback_port =
                    Some(port.ok_or_else(|| format!("`{key}` must be a port, from 1 to 65535"))?);
            }
            "private_addresses" if is_users => {
                client.private_addresses =
                    value.as_bool().ok_or_else(|| format!("`{key}` must be true or false"))?;
            }
            _ => problems
                .push(format!("`oauth.{key}` of the server `{server}` is unknown and is ignored")),
        }
    }
    if client.secret.is_some() && client.id.is_none() {
        return Err("`oauth` has a client's secret and lacks its `client_id`".to_owned());
    }
    Ok(client)
}

fn text(key: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` must be a text"))
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().and_then(|list| {
        list.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    list.ok_or_else(|| format!("`{key}` must be a list of texts"))
}

fn pairs(key: &str, value: &Value) -> Result<BTreeMap<String, String>, String> {
    let table = value.as_object().and_then(|table| {
        let pairs = table.iter();
        pairs.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    });
    table.ok_or_else(|| format!("`{key}` must be a table of texts"))
}

fn flag(key: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("`{key}` must be true or false"))
}

fn seconds(key: &str, value: &Value) -> Result<Duration, String> {
    let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.filter(|time| !time.is_zero() && *time <= Duration::from_secs(86400));
    seconds.ok_or_else(|| format!("`{key}` must be a number of seconds above 0, at most 86400"))
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
                Err("lacks its `client_id`"),
            ),
            (
                "oauth port",
                json!({"url": "https://a", "oauth": {"callback_port": 0}}),
                Err("from 1 to 65535"),
            ),
            ("sse", json!({"type": "sse", "url": "http://a"}), Err("the transport of 2024")),
            ("odd", json!({"type": "ws", "url": "ws://a"}), Err("may be `stdio` or `http`")),
            ("neither", json!({}), Err("`command` or `url` is missing")),
            ("both", json!({"command": "x", "url": "http://a"}), Err("both")),
            (
                "no list",
                json!({"command": "x", "args": "y"}),
                Err("`args` must be a list of texts"),
            ),
            ("no table", json!("npx"), Err("must be a table")),
            ("no time", json!({"command": "x", "timeout_s": 0}), Err("above 0")),
            ("file", json!({"url": "file:///etc/passwd"}), Err("must begin with https://")),
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
        }
    }

    #[test]
    fn tools_are_chosen_by_name() {
        let table = json!({"a": {"command": "x", "tools": ["r", "w"], "disabled_tools": ["w"]}});
        let (found, _) = parse(table.as_object().unwrap(), &Origin::Client);
        assert_eq!(["r", "w", "x"].map(|tool| found[0].uses(tool)), [true, false, false]);
    }
}
