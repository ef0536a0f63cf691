//! The proxies set in the environment, for messages and `pintle doctor`. Pure.
//!
//! The HTTP client reads the same variables itself. Invariant: proxy credentials are never shown.

use crate::ambient::Ambient;
use crate::text::hosts::{host_of, leads_to_loopback};

/// The variables, in lower case as curl reads them; each may also be in capitals.
pub const VARIABLES: [&str; 4] = ["https_proxy", "http_proxy", "all_proxy", "no_proxy"];

/// The proxies that the environment sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    http: Option<String>,
    https: Option<String>,
    all: Option<String>,
    no: Vec<String>,
}

/// Returns a variable's value, given its name in lower case, and the spelling under which it is set.
pub fn variable<'a>(ambient: &'a Ambient, name: &str) -> Option<(String, &'a str)> {
    let names = [name.to_owned(), name.to_uppercase()];
    names.into_iter().find_map(|name| {
        let value = ambient.var(&name).filter(|value| !value.trim().is_empty())?;
        Some((name, value))
    })
}

/// Returns a proxy's address without its name and password.
pub fn shown(proxy: &str) -> String {
    let (scheme, rest) = proxy.split_once("://").unwrap_or(("http", proxy));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    format!("{scheme}://{}", rest.trim_end_matches('/'))
}

impl Proxies {
    /// Reads the environment.
    pub fn from_env(ambient: &Ambient) -> Self {
        let set = |name: &str| variable(ambient, name).map(|(_, value)| value.trim().to_owned());
        let no = set("no_proxy").unwrap_or_default();
        Self {
            http: set("http_proxy"),
            https: set("https_proxy"),
            all: set("all_proxy"),
            no: no.split(',').map(|host| host.trim().to_lowercase()).collect(),
        }
    }

    /// Returns the proxy for a URL, in printable form.
    pub fn for_url(&self, url: &str) -> Option<String> {
        let (scheme, _) = url.split_once("://")?;
        let host = host_of(url)?;
        if leads_to_loopback(url) || self.no.iter().any(|pattern| is_excepted(host, pattern)) {
            return None;
        }
        let own = if scheme.eq_ignore_ascii_case("https") { &self.https } else { &self.http };
        own.as_ref().or(self.all.as_ref()).map(|proxy| shown(proxy))
    }
}

/// Returns true if `no_proxy` excepts a host by this entry: the host itself or a domain around it.
fn is_excepted(host: &str, pattern: &str) -> bool {
    let host = host.to_lowercase();
    let pattern = pattern.trim_start_matches("*.").trim_start_matches('.');
    pattern == "*"
        || (!pattern.is_empty()
            && (host == pattern
                || host.strip_suffix(pattern).is_some_and(|before| before.ends_with('.'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables, URL, proxy.
    type Row<'a> = (&'a [(&'a str, &'a str)], &'a str, Option<&'a str>);

    #[test]
    fn a_request_has_the_proxy_of_its_scheme_unless_it_stays_here() {
        let both =
            [("HTTPS_PROXY", "http://u:p@proxy.test:3128/"), ("http_proxy", "plain.test:80")];
        let all = [("ALL_PROXY", "socks5h://socks.test:1080")];
        let except = |list| [("HTTPS_PROXY", "http://proxy.test:3128"), ("NO_PROXY", list)];
        let rows: [Row<'_>; 22] = [
            (&[], "https://api.test/v1", None),
            (&both, "https://api.test/v1", Some("http://proxy.test:3128")),
            (&both, "http://api.test/v1", Some("http://plain.test:80")),
            (&both, "http://localhost:11434/v1", None),
            (&both, "http://LOCALHOST:11434/v1", None),
            (&both, "http://127.0.0.1:11434/v1", None),
            (&both, "http://127.8.8.8/v1", None),
            (&both, "http://[::1]:8080/v1", None),
            // Forms that the client reads as an address of this machine.
            (&both, "http://127.1:11434/v1", None),
            (&both, "http://0x7f000001/v1", None),
            (&both, "http://2130706433/v1", None),
            (&both, "http://[::ffff:127.0.0.1]/v1", None),
            (&both, "http://0.0.0.0:8080/v1", None),
            (&both, "https://localhost.test/v1", Some("http://proxy.test:3128")),
            (&all, "https://api.test", Some("socks5h://socks.test:1080")),
            (&all, "http://127.0.0.1:1", None),
            (&except("api.test"), "https://api.test/v1", None),
            (&except(".test"), "https://api.test/v1", None),
            (&except("other.test, *.API.test"), "https://a.api.test/v1", None),
            (&except("pi.test"), "https://api.test/v1", Some("http://proxy.test:3128")),
            (&except("*"), "https://api.test/v1", None),
            (&[("HTTPS_PROXY", " ")], "https://api.test/v1", None),
        ];
        for (vars, url, want) in rows {
            let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let proxies = Proxies::from_env(&Ambient::fixed(vars));
            assert_eq!(proxies.for_url(url).as_deref(), want, "{url}");
            let here =
                ["localhost:", "LOCALHOST", "127.", "[::1]", "0x7f", "2130706433", "0.0.0.0"];
            let is_here = here.iter().any(|part| url.contains(part));
            assert_eq!(leads_to_loopback(url), is_here, "{url}");
        }
    }
}
