//! The MCP servers of the settings: where their values come from, and `pintle mcp`, which lists and tries them.

use crate::cli::args::{Mcp, McpList, McpLogin, McpLogout, McpTest};
use crate::cli::signals::Signals;
use crate::cli::{assemble, login};
use pintle_agent::SharedServers;
use pintle_agent::config::{Config, TextSource};
use pintle_agent::models::KeyFetcher;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_llm::credentials::Printer;
use pintle_llm::login::Prompt;
use pintle_os::signals::FileSize;
use pintle_protocol::mcp::{McpServerState, McpStatus};
use pintle_tools::mcp::{
    Agreement, LoginPage, LoginTarget, OAuthClient, Origin, Pool, Server, ServerLogins, Values,
    expand, report,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::Instant;

/// Variables that a server sees in addition to those in its settings, if they are set: those needed to find programs and to write in the
/// user's locale.
const BASE: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TERM", "SYSTEMROOT"];

/// The values from the user's settings, from this process's variables and from keys.
#[derive(Debug)]
struct OwnValues {
    ambient: Ambient,
    keys: KeyFetcher,
    /// The data directory, where servers have caches.
    data: PathBuf,
}

#[async_trait::async_trait]
impl Values for OwnValues {
    fn expand(&self, text: &str, origin: &Origin) -> Result<String, String> {
        if *origin == Origin::Client {
            return Ok(text.to_owned());
        }
        let is_withheld = |name: &str, value: &str| {
            *origin != Origin::User && self.ambient.secrets().hides(name, value)
        };
        let value_of = |name: &str| {
            let value = self.ambient.var(name)?;
            (!is_withheld(name, value)).then(|| value.to_owned())
        };
        expand(text, value_of).map_err(|name| match self.ambient.var(&name) {
            Some(_) => format!("`${{{name}}}` is a provider key, which is not passed to {origin}"),
            None => format!("the variable `{name}` used by {origin} is not set"),
        })
    }

    async fn value(&self, text: &str, origin: &Origin) -> Result<String, String> {
        match TextSource::parse(text) {
            Some(TextSource::Fetched(source)) if *origin == Origin::User => {
                let fetched = self.keys.print(&source).await;
                let key = fetched.map_err(|error| error.to_string())?;
                Ok(key.expose().to_owned())
            }
            Some(_) | None => self.expand(text, origin),
        }
    }

    fn base(&self) -> Vec<(String, String)> {
        let set = BASE.iter().filter_map(|&name| Some((name, self.ambient.var(name)?)));
        set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn cache(&self, server: &str) -> Option<PathBuf> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name: String = server.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
        let folder = self.data.join("mcp").join(name);
        pintle_base::private_files::create_private_folder(&folder).is_ok().then_some(folder)
    }
}

/// Returns the configured servers, for the engine.
pub(crate) fn servers(config: &Config, ambient: &Ambient) -> SharedServers {
    let here = crate::cli::assemble::this_machine(ambient);
    let values = OwnValues {
        ambient: ambient.clone(),
        keys: KeyFetcher::new(here, ambient.secrets()),
        data: config.folders.data.clone(),
    };
    let logins = ServerLogins::in_folder(
        &config.folders.data,
        ambient.secrets(),
        assemble::network(config, ambient),
    );
    SharedServers {
        pool: Arc::new(Pool::new(Arc::new(values), logins)),
        definitions: config.servers.clone().into(),
        only: config.settings.tools.allow.clone().map(Into::into),
    }
}

/// Logs in to a server or out of it; lists or tries the current directory's servers. The exit code is 0, or 2 if a server cannot be used.
pub(crate) async fn run(task: Mcp, ambient: Ambient) -> anyhow::Result<u8> {
    let _file_size = FileSize::new()?;
    let (settings, is_json) = match &task {
        Mcp::List(McpList { settings, json }) | Mcp::Test(McpTest { settings, json, .. }) => {
            (settings, *json)
        }
        Mcp::Login(wanted) => return log_in(wanted, &ambient).await,
        Mcp::Logout(wanted) => return log_out(wanted, &ambient).await,
    };
    let config = assemble::load_config(settings, &ambient)?;
    let services = assemble::services(settings, &ambient).await?;
    let cwd = ambient.current_dir()?;
    let (servers, problems) = services.mcp_servers(&cwd).await;
    let mut err = screen::err();
    for problem in problems {
        writeln!(err, "pintle: {problem}")?;
    }
    let print = |state: &McpServerState, text: String| {
        let json = || screen::escaped(&serde_json::to_string(state).unwrap_or_default());
        let line = if is_json { json() } else { text };
        writeln!(screen::out(), "{}", line.trim_end())
    };
    let name = match &task {
        Mcp::List(_) => {
            for server in &servers {
                let state = report(server);
                let McpServerState { name, target, origin, .. } = &state;
                print(&state, format!("{name:<20}{target}   ({origin})"))?;
            }
            for off in config.servers.iter().filter(|server| !server.is_enabled && !is_json) {
                writeln!(screen::out(), "{:<20}{}   (disabled)", off.name, off.target())?;
            }
            if servers.is_empty() {
                let file = config.folders.config_file.display();
                writeln!(
                    err,
                    "pintle: no servers configured; add them to {file} (see `pintle help servers`)"
                )?;
            }
            return Ok(0);
        }
        Mcp::Test(wanted) => wanted.server.as_deref(),
        Mcp::Login(_) | Mcp::Logout(_) => None,
    };
    let wanted: Vec<&Arc<Server>> = servers
        .iter()
        .filter(|known| name.is_none_or(|name| known.definition().name == name))
        .collect();
    if let (Some(name), true) = (name, wanted.is_empty()) {
        writeln!(
            err,
            "pintle: unknown server `{name}`; `pintle mcp list` lists the configured ones"
        )?;
        return Ok(2);
    }
    let mut code = 0;
    for server in wanted {
        let definition = server.definition();
        let link = server.link(Instant::now() + definition.start_timeout).await;
        let resources = match &link {
            Ok(link) => link.resources().await.map(|all| all.len()),
            Err(_) => Ok(0),
        };
        let state = report(server);
        if state.status != McpStatus::Ready {
            code = 2;
        }
        print(&state, tried(&state, resources.unwrap_or_default()))?;
    }
    Ok(code)
}

/// The user at the terminal.
struct Terminal;

#[async_trait::async_trait]
impl Agreement for Terminal {
    async fn agrees(&self, url: &str) -> bool {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() {
            return false;
        }
        let question = format!(
            "The server refers to {url}, which is on this machine or a private network. Contact it? [y/N] "
        );
        let asked = tokio::task::spawn_blocking(move || {
            let mut err = screen::err();
            write!(err, "{question}").and_then(|()| err.flush())?;
            let mut answer = String::new();
            std::io::stdin().read_line(&mut answer).map(|_| answer)
        });
        let answer = asked.await.ok().and_then(Result::ok).unwrap_or_default();
        matches!(answer.trim(), "y" | "Y" | "yes")
    }
}

/// Logs in to a server.
async fn log_in(wanted: &McpLogin, ambient: &Ambient) -> anyhow::Result<u8> {
    let McpLogin { at: wanted, scopes } = wanted;
    let server = named(wanted, ambient).await?;
    let mut signals = Signals::new()?;
    let mut show = |LoginPage { url, expires_in }: LoginPage| {
        login::show(&Prompt { url, code: None, expires_in: Some(expires_in) });
    };
    let logins = logins(wanted, ambient)?;
    let client = OAuthClient { scopes: scopes.clone(), ..OAuthClient::default() };
    let target =
        LoginTarget { url: &wanted.server, client: &client, secret: None, challenge: None };
    let agreement = Arc::new(Terminal);
    let logging_in = async {
        match &server {
            Some(server) => server.log_in_asking(scopes, &mut show, agreement).await,
            None => logins.log_in(&target, &mut show, agreement).await,
        }
    };
    let done = tokio::select! {
        done = logging_in => done,
        code = signals.run() => return Ok(code),
    };
    done.map_err(|error| anyhow::anyhow!("failed to log in to `{}`: {error}", wanted.server))?;
    writeln!(screen::out(), "logged in to {}", wanted.server)?;
    Ok(0)
}

/// Removes the login to a server.
async fn log_out(wanted: &McpLogout, ambient: &Ambient) -> anyhow::Result<u8> {
    let removed = match named(wanted, ambient).await? {
        Some(server) => server.log_out().await.map_err(anyhow::Error::from),
        None => logins(wanted, ambient)?.log_out(&wanted.server).await.map_err(anyhow::Error::from),
    };
    let removed = removed.map_err(|error| anyhow::anyhow!("`{}`: {error}", wanted.server))?;
    let text = if removed { "logged out of" } else { "not logged in to" };
    writeln!(screen::out(), "{text} {}", wanted.server)?;
    Ok(0)
}

/// Returns the configured server of this name or at this address; `None` for another address. Prints problems of the configuration.
async fn named(wanted: &McpLogout, ambient: &Ambient) -> anyhow::Result<Option<Arc<Server>>> {
    let services = assemble::services(&wanted.settings, ambient).await?;
    let (servers, problems) = services.mcp_servers(&ambient.current_dir()?).await;
    for problem in problems {
        writeln!(screen::err(), "pintle: {problem}")?;
    }
    let is_wanted = |server: &Arc<Server>| {
        let definition = server.definition();
        definition.name == wanted.server || definition.target() == wanted.server
    };
    let found = servers.into_iter().find(is_wanted);
    let is_address = ["https://", "http://"].iter().any(|start| wanted.server.starts_with(start));
    if found.is_none() && !is_address {
        anyhow::bail!(
            "unknown server `{}`: use a name from `pintle mcp list` or a URL",
            wanted.server
        );
    }
    Ok(found)
}

fn logins(wanted: &McpLogout, ambient: &Ambient) -> anyhow::Result<ServerLogins> {
    let config = assemble::load_config(&wanted.settings, ambient)?;
    let network = assemble::network(&config, ambient);
    Ok(ServerLogins::in_folder(&config.folders.data, ambient.secrets(), network))
}

/// Describes a try's outcome.
fn tried(state: &McpServerState, resources: usize) -> String {
    let McpServerState { name, target, message, about, tools, problems, stderr, .. } = state;
    let mut text = format!("{name}: {target}\n");
    match (about, message) {
        (Some(about), _) => {
            let _ = writeln!(text, "  {about}: {} tools, {resources} resources", tools.len());
        }
        (None, message) => {
            let _ = writeln!(text, "  {}", message.as_deref().unwrap_or("did not start in time"));
        }
    }
    for tool in tools {
        let about = tool.description.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  {:<24} {about}", tool.name);
    }
    for problem in problems {
        let _ = writeln!(text, "  ! {problem}");
    }
    for line in stderr {
        let _ = writeln!(text, "  stderr: {line}");
    }
    text
}
