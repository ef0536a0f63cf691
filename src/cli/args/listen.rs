//! The sockets of `serve --listen`: which there are, and which are refused.

use super::{Values, heading};
use crate::cli::shared::Places;
use clap::ValueHint;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Options for an engine that several clients share.
#[derive(Debug, clap::Args)]
pub(crate) struct Listen {
    /// Serve all clients of a socket instead of stdio: unix:PATH or ws://127.0.0.1:PORT (0 for a free port); the socket of `pintle attach`, used if no value is given, is always open; repeatable
    #[arg(id = "listen", long = "listen", value_name = "SOCKET", num_args = 0..=1, default_missing_value = "", value_parser = parse_socket, add = Values::Socket, help_heading = heading::SOCKETS)]
    sockets: Vec<Socket>,
    /// Exit after this many seconds without clients and open sessions
    #[arg(long, value_name = "SECONDS", requires = "listen", help_heading = heading::SOCKETS)]
    pub(crate) idle_exit: Option<u64>,
    /// With ws://: accept web pages of this origin, such as https://editor.example; repeatable
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "listen", value_parser = parse_origin, value_hint = ValueHint::Url, help_heading = heading::SOCKETS)]
    pub(crate) origins: Vec<String>,
    /// With ws://: accept requests for this host, such as localhost:9000 for a forwarded port; without PORT, for every port; repeatable
    #[arg(long = "allow-host", value_name = "HOST[:PORT]", requires = "listen", value_parser = parse_host, value_hint = ValueHint::Hostname, help_heading = heading::SOCKETS)]
    pub(crate) hosts: Vec<String>,
    /// Keep the token in this file so that clients can reconnect after a restart; created if missing, readable only by you
    #[arg(long, value_name = "FILE", requires = "listen", help_heading = heading::SOCKETS)]
    pub(crate) token_file: Option<PathBuf>,
}

/// The options that do not require a separate engine for a client: these, and the trust that each client brings along.
pub(crate) const OPTIONS: [&str; 6] =
    ["--listen", "--idle-exit", "--allow-origin", "--allow-host", "--token-file", "--trust"];

/// A socket to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Socket {
    Usual,
    Unix(PathBuf),
    Web(SocketAddr),
}

impl Listen {
    /// Returns true if the engine is to listen.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.sockets.is_empty()
    }

    /// Returns the sockets.
    ///
    /// # Errors
    /// Two of a kind are named, or origins without a socket that pages could connect to.
    pub(crate) fn places(&self) -> anyhow::Result<Places> {
        let mut places = Places { token_file: self.token_file.clone(), ..Places::default() };
        for socket in &self.sockets {
            let is_second = match socket {
                Socket::Usual => false,
                Socket::Unix(path) => places.unix.replace(path.clone()).is_some(),
                Socket::Web(address) => places.websocket.replace(*address).is_some(),
            };
            if is_second {
                anyhow::bail!(
                    "--listen was passed twice for the same kind of socket\n  pass at most one unix: and one ws:// socket"
                );
            }
        }
        if !self.origins.is_empty() && places.websocket.is_none() {
            anyhow::bail!(
                "--allow-origin requires a WebSocket\n  add --listen ws://127.0.0.1:PORT"
            );
        }
        if !self.hosts.is_empty() && places.websocket.is_none() {
            anyhow::bail!("--allow-host requires a WebSocket\n  add --listen ws://127.0.0.1:PORT");
        }
        Ok(places)
    }
}

fn parse_socket(text: &str) -> Result<Socket, String> {
    const EXPECTED: &str = "expected unix:PATH, ws://127.0.0.1:PORT, or no value";
    if text.is_empty() {
        return Ok(Socket::Usual);
    }
    if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
        return Ok(Socket::Unix(path.into()));
    }
    let Some(place) = text.strip_prefix("ws://") else { return Err(EXPECTED.to_owned()) };
    let place = place.strip_suffix('/').unwrap_or(place);
    let named = place.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let place = named.as_deref().unwrap_or(place);
    match place.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(Socket::Web(address)),
        Ok(address) => Err(format!(
            "{} is reachable from other machines, and the connection is not encrypted; use ws://127.0.0.1:PORT, with a tunnel such as `ssh -L` for remote access",
            address.ip()
        )),
        Err(_) => Err(EXPECTED.to_owned()),
    }
}

fn parse_origin(text: &str) -> Result<String, String> {
    let host = text.split_once("://").map(|(_, host)| host);
    let is_origin =
        host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*', '?', '#', '@']));
    if text == "null" || is_origin {
        return Ok(text.to_owned());
    }
    Err("expected the scheme, host and port of a page, such as https://editor.example, or null"
        .to_owned())
}

fn parse_host(text: &str) -> Result<String, String> {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        Some(_) | None => (text, None),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    let is_name = !name.is_empty() && !name.contains(['/', '*', '?', '#', '@', ' ']);
    let is_name =
        is_name && (!name.contains(':') || (name.starts_with('[') && name.ends_with(']')));
    if is_port && is_name {
        return Ok(text.to_owned());
    }
    Err("expected a host name with an optional port, such as localhost:9000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sockets_of_this_machine_are_taken() {
        let web = |text: &str| Ok(Socket::Web(text.parse().unwrap()));
        for (text, want) in [
            ("", Ok(Socket::Usual)),
            ("unix:/run/a.sock", Ok(Socket::Unix("/run/a.sock".into()))),
            ("ws://127.0.0.1:0", web("127.0.0.1:0")),
            ("ws://localhost:4242/", web("127.0.0.1:4242")),
            ("ws://[::1]:4242", web("[::1]:4242")),
            ("ws://127.9.9.9:1", web("127.9.9.9:1")),
            ("ws://0.0.0.0:1", Err("0.0.0.0 is reachable")),
            ("ws://[::]:1", Err(":: is reachable")),
            ("ws://192.0.2.1:1", Err("192.0.2.1 is reachable")),
            ("ws://127.0.0.1", Err("expected unix:PATH, ws://")),
            ("ws://example.org:80", Err("expected unix:PATH, ws://")),
            ("wss://127.0.0.1:1", Err("expected unix:PATH, ws://")),
            ("unix:", Err("expected unix:PATH, ws://")),
            ("/run/a.sock", Err("expected unix:PATH, ws://")),
        ] {
            match (parse_socket(text), want) {
                (Err(got), Err(want)) => assert!(got.starts_with(want), "{text}: {got}"),
                (got, want) => assert_eq!(got, want.map_err(str::to_owned), "{text}"),
            }
        }
        for (text, is_origin) in [
            ("https://editor.example", true),
            ("vscode-webview://1a2b", true),
            ("http://localhost:3000", true),
            ("null", true),
            ("*", false),
            ("https://*.example", false),
            ("https://editor.example/", false),
            ("editor.example", false),
            ("https://", false),
        ] {
            assert_eq!(parse_origin(text).is_ok(), is_origin, "{text}");
        }
        for (text, is_host) in [
            ("localhost:9000", true),
            ("localhost", true),
            ("box.example", true),
            ("[::1]:9000", true),
            ("[::1]", true),
            ("", false),
            (":9000", false),
            ("localhost:", false),
            ("localhost:0", false),
            ("localhost:90000", false),
            ("http://localhost:9000", false),
            ("*", false),
            ("::1", false),
        ] {
            assert_eq!(parse_host(text).is_ok(), is_host, "{text}");
        }
    }
}
