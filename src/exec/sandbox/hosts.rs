//! The hosts that a confined command reaches, decided from patterns. Pure.

use crate::addresses::is_public;
use pintle_base::text::hosts::HostPort;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// The hosts that a confined command reaches. A host that no pattern allows is refused.
///
/// Addresses that are not public are refused, too, unless an allowed pattern without `*` names them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hosts {
    /// Patterns of hosts that are allowed, as in rules: `docs.rs`, `*.example.com`, `127.0.0.1:8080`.
    pub allowed: Vec<String>,
    /// Patterns of hosts that are refused although an allowed pattern covers them, each with a reason.
    #[serde(default)]
    pub restricted: Vec<(String, String)>,
}

/// Why a host is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No pattern allows it.
    NotAllowed,
    /// Restricted by a pattern, with its reason.
    Restricted(String),
    /// The name resolves to an address of this machine or of a private network.
    Private(IpAddr),
}

/// A host refused to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedHost {
    /// The host as written in a rule: with its port, if that is not the default.
    pub host: String,
    /// The reason.
    pub reason: Refusal,
}

/// The message for the client, for a model that reads its output, and for the user who may add a rule.
impl fmt::Display for RefusedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, reason } = self;
        write!(f, "The sandbox refused the connection to {host}: ")?;
        match reason {
            Refusal::NotAllowed => write!(
                f,
                "no rule allows this host. The user can add one to config.toml: decision = \"allow\", host = \"{host}\"."
            ),
            Refusal::Restricted(by) => write!(f, "{by} restricts it."),
            Refusal::Private(address) => write!(
                f,
                "its address {address} is not public. Only a rule for the address itself allows it: decision = \"allow\", host = \"{}\".",
                self.rule_for(*address)
            ),
        }
    }
}

impl RefusedHost {
    /// Returns the host for a rule that allows an address.
    fn rule_for(&self, address: IpAddr) -> String {
        // The port is left out only if it is the usual one.
        let port = HostPort::parse(&self.host, 0).map_or(0, |host| host.port());
        HostPort::of_address(address, port, 0).to_string()
    }
}

/// The names and addresses of the loopback that programs connect to.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

impl Hosts {
    /// Decides about a host by its name.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub fn check(&self, host: &HostPort) -> Result<(), Refusal> {
        self.check_restrictions(host)?;
        let is_allowed = self.allowed.iter().any(|pattern| host.is_allowed_by(pattern));
        if is_allowed { Ok(()) } else { Err(Refusal::NotAllowed) }
    }

    /// Returns those of a host's addresses that may be connected to.
    ///
    /// # Errors
    /// The reason why none of them may be.
    pub fn reachable(&self, host: &HostPort, found: &[IpAddr]) -> Result<Vec<SocketAddr>, Refusal> {
        let mut refusal = None;
        let mut reachable = Vec::new();
        for address in found.iter().map(IpAddr::to_canonical) {
            match self.check_address(host, address) {
                Ok(()) => reachable.push(SocketAddr::new(address, host.port())),
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        match refusal {
            Some(refusal) if reachable.is_empty() => Err(refusal),
            _ => Ok(reachable),
        }
    }

    fn check_address(&self, host: &HostPort, address: IpAddr) -> Result<(), Refusal> {
        self.check_restrictions(&host.at(address))?;
        let is_named = self.names(&host.at(address))
            || (address.is_loopback() && host.name() == LOOPBACK[0] && self.names(host));
        if is_public(address) || is_named { Ok(()) } else { Err(Refusal::Private(address)) }
    }

    fn check_restrictions(&self, host: &HostPort) -> Result<(), Refusal> {
        let mut restricted = self.restricted.iter();
        match restricted.find(|(pattern, _)| host.is_restricted_by(pattern)) {
            Some((_, by)) => Err(Refusal::Restricted(by.clone())),
            None => Ok(()),
        }
    }

    /// Returns true if a pattern names this host itself, and not many.
    fn names(&self, host: &HostPort) -> bool {
        let mut literal = self.allowed.iter().filter(|pattern| !pattern.contains('*'));
        literal.any(|pattern| host.is_allowed_by(pattern))
    }

    /// Returns the value of `NO_PROXY`: the command's loopback, except for names and addresses by which a pattern allows the machine's
    /// loopback.
    pub fn outside_of_proxy(&self) -> String {
        let is_allowed = |name: &str| {
            self.allowed.iter().any(|pattern| {
                let port = pattern.rsplit_once(':').filter(|_| !pattern.ends_with(']'));
                HostPort::new(port.map_or(pattern, |(host, _)| host), 0, 0).name() == name
            })
        };
        let kept = LOOPBACK.into_iter().filter(|name| !is_allowed(name));
        kept.collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(allowed: &[&str], restricted: &[&str]) -> Hosts {
        let own = |text: &&str| (*text).to_owned();
        Hosts {
            allowed: allowed.iter().map(own).collect(),
            restricted: restricted.iter().map(|text| (own(text), "a rule".to_owned())).collect(),
        }
    }

    #[test]
    fn hosts_get_the_decision_of_the_table() {
        const PUBLIC: &[&str] = &["93.184.216.34"];
        type Texts = &'static [&'static str];
        // Patterns that allow, patterns that restrict, the host, its addresses, and the decision.
        let rows: &[(Texts, Texts, &str, Texts, &str)] = &[
            (&[], &[], "docs.rs", PUBLIC, "not allowed"),
            (&["docs.rs"], &[], "docs.rs", PUBLIC, "93.184.216.34:443"),
            (&["docs.rs"], &[], "DOCS.RS.", PUBLIC, "93.184.216.34:443"),
            (&["docs.rs"], &[], "docs.rs:444", PUBLIC, "not allowed"),
            (&["docs.rs:444"], &[], "docs.rs:444", PUBLIC, "93.184.216.34:444"),
            (&["*.rs"], &[], "docs.rs", PUBLIC, "93.184.216.34:443"),
            (&["*"], &["docs.rs"], "docs.rs", PUBLIC, "restricted"),
            (&["*"], &["docs.rs"], "docs.rs:444", PUBLIC, "restricted"),
            (&["docs.rs"], &["*"], "docs.rs", PUBLIC, "restricted"),
            (&["docs.rs"], &["evil.com"], "docs.rs", PUBLIC, "93.184.216.34:443"),
            // A restricted address is not reached by a name.
            (&["*"], &["93.184.216.34"], "docs.rs", PUBLIC, "restricted"),
            (&["*"], &["93.184.216.34"], "[::ffff:93.184.216.34]", PUBLIC, "restricted"),
            // A private address needs an explicit pattern, or is refused.
            (&["*"], &[], "127.0.0.1:8080", &["127.0.0.1"], "private 127.0.0.1"),
            (&["127.*"], &[], "127.0.0.1:8080", &["127.0.0.1"], "private 127.0.0.1"),
            (&["127.0.0.1:8080"], &[], "127.0.0.1:8080", &["127.0.0.1"], "127.0.0.1:8080"),
            (&["127.0.0.1:8080"], &[], "127.0.0.1:8081", &["127.0.0.1"], "not allowed"),
            (&["127.0.0.1"], &[], "127.0.0.1:8080", &["127.0.0.1"], "not allowed"),
            (&["*:8080"], &[], "localhost:8080", &["::1", "127.0.0.1"], "private ::1"),
            (&["localhost:8080"], &[], "localhost:8080", &["127.0.0.1"], "127.0.0.1:8080"),
            // An unknown party's host name may resolve to any address.
            (&["evil.com"], &[], "evil.com", &["127.0.0.1"], "private 127.0.0.1"),
            (&["evil.com"], &[], "evil.com", &["169.254.169.254"], "private 169.254.169.254"),
            (&["evil.com"], &[], "evil.com", &["::ffff:10.0.0.1"], "private 10.0.0.1"),
            (&["evil.com"], &[], "evil.com", &["10.0.0.1", "93.184.216.34"], "93.184.216.34:443"),
            (&["localhost:8080"], &[], "localhost:8080", &["10.0.0.1"], "private 10.0.0.1"),
            // But both the name and the address may be named.
            (&["nas.lan", "10.0.0.1"], &[], "nas.lan", &["10.0.0.1"], "10.0.0.1:443"),
            (&["nas.lan", "10.0.0.1:22"], &[], "nas.lan", &["10.0.0.1"], "private 10.0.0.1"),
            (&["[fd00::1]"], &[], "[fd00::1]", &["fd00::1"], "[fd00::1]:443"),
            (&["[::1]:80"], &[], "[0:0::1]:80", &["::1"], "[::1]:80"),
            (&["224.0.0.1"], &[], "224.0.0.2", &["224.0.0.2"], "not allowed"),
            (&["*"], &[], "224.0.0.2", &["224.0.0.2"], "private 224.0.0.2"),
        ];
        for (allowed, restricted, host, found, want) in rows {
            let hosts = hosts(allowed, restricted);
            let host = HostPort::parse(host, 443).unwrap();
            let found: Vec<IpAddr> = found.iter().map(|text| text.parse().unwrap()).collect();
            let decided = hosts.check(&host).and_then(|()| hosts.reachable(&host, &found));
            let got = match decided {
                Ok(reachable) => reachable.iter().map(SocketAddr::to_string).collect(),
                Err(Refusal::NotAllowed) => "not allowed".to_owned(),
                Err(Refusal::Restricted(_)) => "restricted".to_owned(),
                Err(Refusal::Private(address)) => format!("private {address}"),
            };
            assert_eq!(&got, want, "{allowed:?} {restricted:?} {host}");
        }
    }

    #[test]
    fn the_commands_own_loopback_needs_no_proxy() {
        for (allowed, want) in [
            (&["docs.rs", "*:80"][..], "localhost,127.0.0.1,::1"),
            (&["127.0.0.1:8080"], "localhost,::1"),
            (&["localhost", "[::1]:80"], "127.0.0.1"),
            (&["localhost:*", "127.0.0.1"], "::1"),
        ] {
            assert_eq!(hosts(allowed, &[]).outside_of_proxy(), want, "{allowed:?}");
        }
    }
}
