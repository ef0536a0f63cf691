//! The MCP servers of the settings: where their values come from, and `pintle mcp`, which lists and tries them.

use pintle::agent::SharedServers;
use pintle::ambient::Ambient;
use pintle::config::{Config, TextSource};
use pintle::llm::credentials::Printer;
use pintle::mcp::{Origin, Pool, Values, expand};
use pintle::models::KeyFetcher;
use std::path::PathBuf;
use std::sync::Arc;

/// The variables that a server sees beside those that it is given, as far as they are set: what programs need to be found and to
/// write as the user reads.
const BASE: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TERM", "SYSTEMROOT"];

/// The values of the user's own settings, of this process's variables and of keys.
#[derive(Debug)]
struct OwnValues {
    ambient: Ambient,
    keys: KeyFetcher,
    /// The folder of data, where servers have caches.
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
            Some(_) => format!("`${{{name}}}` is a key of a provider, which {origin} is not given"),
            None => format!("the variable `{name}`, which {origin} names, is not set"),
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
        pintle::disk::create_private_folder(&folder).is_ok().then_some(folder)
    }
}

/// The servers of the settings, for the engine.
pub(crate) fn servers(config: &Config, ambient: &Ambient) -> SharedServers {
    let here = crate::assemble::this_machine(ambient);
    let values = OwnValues {
        ambient: ambient.clone(),
        keys: KeyFetcher::new(here, ambient.secrets()),
        data: config.folders.data.clone(),
    };
    SharedServers {
        pool: Arc::new(Pool::new(Arc::new(values))),
        definitions: config.servers.clone().into(),
        only: config.tools.allow.clone().map(Into::into),
    }
}
