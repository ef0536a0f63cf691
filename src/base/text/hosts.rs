//! Hosts as rules name them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

/// The port of `http` that a rule may leave out.
pub const HTTP_PORT: u16 = 80;

/// The port of `https`, and of a tunnel, that a rule may leave out.
pub const HTTPS_PORT: u16 = 443;

/// A host and port of a connection.
///
/// Names are in lower case, without a trailing dot. Addresses are canonical: `[::ffff:7f00:1]` is `127.0.0.1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPort {
    name: String,
    port: u16,
    usual_port: u16,
}

impl HostPort {
    /// Creates a host from a name or address, with or without brackets for IPv6. A rule may leave out `usual_port`.
    pub fn new(name: &str, port: u16, usual_port: u16) -> Self {
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let name = match bare.parse::<IpAddr>() {
            Ok(address) => address_name(address),
            Err(_) => bare.strip_suffix('.').unwrap_or(bare).to_ascii_lowercase(),
        };
        Self { name, port, usual_port }
    }

    /// A host by an address.
    pub fn of_address(address: IpAddr, port: u16, usual_port: u16) -> Self {
        Self { name: address_name(address), port, usual_port }
    }

    /// Parses `NAME` or `NAME:PORT`. `None` if the port is not a number.
    pub fn parse(text: &str, usual_port: u16) -> Option<Self> {
        match text.rsplit_once(':').filter(|_| !text.ends_with(']')) {
            Some((name, port)) => Some(Self::new(name, port.parse().ok()?, usual_port)),
            None => Some(Self::new(text, usual_port, usual_port)),
        }
    }

    /// Returns the name, an IPv6 address without brackets.
    pub fn name(&self) -> &str {
        self.name.trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the same port at an address.
    #[must_use]
    pub fn at(&self, address: IpAddr) -> Self {
        Self::of_address(address, self.port, self.usual_port)
    }

    /// Returns the address if the name is one.
    pub fn address(&self) -> Option<IpAddr> {
        self.name().parse().ok()
    }

    /// Returns true if an allow rule with this pattern covers the host. A pattern without a port covers the usual port.
    pub fn is_allowed_by(&self, pattern: &str) -> bool {
        let pattern = normal(pattern);
        matches(&pattern, &self.with_port())
            || (self.port == self.usual_port && matches(&pattern, &self.name))
    }

    /// Returns true if a deny rule with this pattern covers the host. A pattern without a port covers every port.
    pub fn is_restricted_by(&self, pattern: &str) -> bool {
        let pattern = normal(pattern);
        matches(&pattern, &self.with_port()) || matches(&pattern, &self.name)
    }

    fn with_port(&self) -> String {
        format!("{}:{}", self.name, self.port)
    }
}

/// Returns a pattern as names are compared with it: in lower case, and without the trailing dot of its name.
fn normal(pattern: &str) -> String {
    let (name, port) = match pattern.rsplit_once(':') {
        Some((name, port)) if name.ends_with('.') => (name, Some(port)),
        _ => (pattern, None),
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
}

fn address_name(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Returns true if a URL leads to this machine. Such a request uses no proxy.
pub fn leads_to_loopback(url: &str) -> bool {
    let Some(host) = host_of(url) else { return false };
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let here = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| here(address.to_canonical()))
        || short_address(&name).is_some_and(|address| here(address.into()))
}

/// Returns a URL's host, without brackets for IPv6.
pub fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let place = rest.split(['/', '\\', '?', '#']).next()?;
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    match place.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => place.split(':').next(),
    }
}

/// Parses the other IPv4 forms that URLs allow: one to four numbers, each decimal, octal (`0177`) or hexadecimal (`0x7f`), the last of
/// which fills the remaining bytes.
///
/// Source: url.spec.whatwg.org/#ipv4-parser, 2026-11.
fn short_address(name: &str) -> Option<Ipv4Addr> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    let numbers: Vec<u64> = name.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|number| *number > 255) {
        return None;
    }
    let room = 8 * (4 - first.len());
    if *last >> room != 0 {
        return None;
    }
    let high = first.iter().fold(0, |all, number| (all << 8) | number);
    let bits = if first.is_empty() { *last } else { (high << room) | last };
    u32::try_from(bits).ok().map(Ipv4Addr::from_bits)
}

/// Formats the host as rules write it, without the usual port.
impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.port != self.usual_port {
            write!(f, ":{}", self.port)?;
        }
        Ok(())
    }
}

/// Matches text against a pattern in which `*` matches any characters.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece).and_then(|at| rest.get(at + piece.len()..)) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_hosts() {
        // The pattern, the host, and whether a rule with it allows and restricts.
        for (pattern, host, allows, restricts) in [
            ("docs.rs", "docs.rs:443", true, true),
            ("docs.rs:443", "docs.rs:443", true, true),
            ("Docs.RS", "DOCS.rs.:443", true, true),
            ("docs.rs.", "docs.rs:443", true, true),
            ("Docs.RS.:8443", "docs.rs:8443", true, true),
            ("*.example.com.", "a.example.com.:443", true, true),
            ("docs.rs", "docs.rs:8443", false, true),
            ("docs.rs:8443", "docs.rs:8443", true, true),
            ("docs.rs:8443", "docs.rs:443", false, false),
            ("docs.rs", "evil-docs.rs:443", false, false),
            ("docs.rs", "docs.rs.evil.com:443", false, false),
            ("*.example.com", "a.b.example.com:443", true, true),
            ("*.example.com", "example.com:443", false, false),
            ("*.example.com", "a.example.com:22", false, true),
            ("*.example.com:*", "a.example.com:22", true, true),
            ("*", "anything:1", true, true),
            ("127.0.0.1:80", "[::ffff:127.0.0.1]:80", true, true),
            ("[::1]", "[0:0:0:0:0:0:0:1]:443", true, true),
            ("127.0.0.1", "127.1:443", false, false),
            ("", "docs.rs:443", false, false),
        ] {
            let host = HostPort::parse(host, 443).unwrap();
            let got = (host.is_allowed_by(pattern), host.is_restricted_by(pattern));
            assert_eq!(got, (allows, restricts), "{pattern} {host}");
        }
    }

    #[test]
    fn hosts_are_read_and_shown() {
        for (text, want) in [
            ("docs.rs", Some("docs.rs")),
            ("Docs.rs.:443", Some("docs.rs")),
            ("localhost:8080", Some("localhost:8080")),
            ("[::1]", Some("[::1]")),
            ("[0::1]:80", Some("[::1]:80")),
            ("docs.rs:https", None),
            ("docs.rs:99999", None),
        ] {
            let host = HostPort::parse(text, 443).map(|host| host.to_string());
            assert_eq!(host.as_deref(), want, "{text}");
        }
    }
}
