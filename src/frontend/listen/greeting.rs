//! The first line on a socket: the client sends the engine's token, its protocol and its directory. A WebSocket request, which carries
//! the token itself, may come in its place.

use crate::pi;
use pintle_base::text::credentials;
use pintle_os::socket::Stream;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io;
use std::path::PathBuf;

/// The maximum length of the line, in bytes. Instructions of a client of Pi's may be long.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// The first line of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Greeting {
    /// The token from the file that names the engine's socket.
    pub token: String,
    /// The protocol for the following bytes.
    pub speaks: Speaks,
    /// The default working directory for sessions.
    pub cwd: PathBuf,
    /// Resolved project directories that the client's user trusts; the engine trusts them as long as it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trust: Vec<PathBuf>,
}

/// A protocol on a socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Speaks {
    /// The native protocol.
    Native,
    /// The Agent Host Protocol.
    Ahp,
    /// The Agent Client Protocol.
    Acp {
        /// Runs commands in the client's terminals, if it offers them.
        client_terminals: bool,
    },
    /// The Language Server Protocol.
    Lsp,
    /// Pi's RPC.
    Pi(Box<pi::Preferences>),
}

impl Greeting {
    /// Returns the line, with its end.
    pub fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(&json!({ "attach": self })).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

#[derive(Deserialize)]
struct Line {
    attach: Greeting,
}

/// A greeting, and the bytes that were read after it.
#[derive(Debug)]
pub(super) struct Greeted {
    pub(super) greeting: Greeting,
    pub(super) rest: Vec<u8>,
}

/// The first bytes of a client.
#[derive(Debug)]
pub(super) enum First {
    /// The greeting.
    Greeted(Greeted),
    /// A WebSocket request starts with this.
    Request(Vec<u8>),
}

/// Before a request for a WebSocket.
const REQUEST: &[u8] = b"GET ";

/// Reads the first line and checks its token, unless it is a request's.
///
/// # Errors
/// Returns a message for the client if there is no such line, or the token differs.
pub(super) async fn first(stream: &Stream, token: &str) -> Result<First, String> {
    let mut bytes = Vec::new();
    let mut searched = 0;
    let end = loop {
        if bytes.starts_with(REQUEST) {
            return Ok(First::Request(bytes));
        }
        let new = bytes.get(searched..).unwrap_or_default();
        if let Some(end) = new.iter().position(|&byte| byte == b'\n') {
            break searched + end;
        }
        searched = bytes.len();
        if bytes.len() > MAX_LINE_BYTES {
            return Err("invalid handshake; connect with `pintle attach`".to_owned());
        }
        stream.readable().await.map_err(|error| error.to_string())?;
        match stream.try_read_buf(&mut bytes) {
            Ok(0) => return Err("the connection closed before the handshake".to_owned()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.to_string()),
        }
    };
    let rest = bytes.split_off(end + 1);
    let line: Line = serde_json::from_slice(&bytes)
        .map_err(|error| format!("invalid handshake: {error}; connect with `pintle attach`"))?;
    if !credentials::is_same(&line.attach.token, token) {
        return Err("wrong token; connect with `pintle attach`".to_owned());
    }
    Ok(First::Greeted(Greeted { greeting: line.attach, rest }))
}

/// Sends a client the reason why it is not served.
pub(super) async fn refuse(stream: &Stream, why: &str) {
    let error = json!({ "code": -32000, "message": why, "data": { "code": "notAttached" } });
    let refusal = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    if stream.writable().await.is_ok() {
        let _ = stream.try_write(format!("{refusal}\n").as_bytes());
    }
}

// A named pipe of Windows has no other end without a name.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    async fn greeted(stream: &Stream, token: &str) -> Result<Greeted, String> {
        match first(stream, token).await? {
            First::Greeted(greeted) => Ok(greeted),
            First::Request(bytes) => Err(format!("a request of {} bytes", bytes.len())),
        }
    }

    #[tokio::test]
    async fn only_a_greeting_with_the_token_is_taken() {
        let greeting = |token: &str| Greeting {
            token: token.to_owned(),
            speaks: Speaks::Acp { client_terminals: true },
            cwd: "/w".into(),
            trust: Vec::new(),
        };
        let good = [&greeting("secret").line()[..], b"{\"id\":1}\n"].concat();
        for (bytes, want) in [
            (good, Ok(b"{\"id\":1}\n".to_vec())),
            (greeting("guessed").line(), Err("wrong token")),
            (greeting("secre").line(), Err("wrong token")),
            (b"{\"id\":1,\"method\":\"ping\"}\n".to_vec(), Err("invalid handshake: ")),
            (b"GET / HTTP/1.1\r\n".to_vec(), Err("a request of 16 bytes")),
            (b"{\"attach\":".to_vec(), Err("the connection closed")),
            (vec![b'x'; MAX_LINE_BYTES + 1], Err("invalid handshake; connect")),
        ] {
            let (mut client, engine) = Stream::pair().unwrap();
            // The engine stops reading at its limit.
            let writing = async move { drop(client.write_all(&bytes).await) };
            let (got, ()) = tokio::join!(
                async {
                    let got = greeted(&engine, "secret").await.map(|greeted| greeted.rest);
                    drop(engine);
                    got
                },
                writing
            );
            match want {
                Ok(rest) => assert_eq!(got.unwrap(), rest),
                Err(why) => assert!(got.unwrap_err().starts_with(why), "{why}"),
            }
        }
    }

    #[tokio::test]
    async fn a_greeting_says_which_folders_its_client_trusts() {
        let line = |more: &str| {
            format!(r#"{{"attach":{{"token":"t","speaks":"native","cwd":"/w"{more}}}}}"#)
        };
        for (name, more, want) in [
            ("one of a version before", "", &[][..]),
            ("one that trusts", r#","trust":["/w","/v"]"#, &["/w", "/v"]),
            ("one of a later version", r#","trust":[],"color":"red""#, &[]),
        ] {
            let (mut client, engine) = Stream::pair().unwrap();
            client.write_all(format!("{}\n", line(more)).as_bytes()).await.unwrap();
            let greeting = greeted(&engine, "t").await.unwrap().greeting;
            let want: Vec<PathBuf> = want.iter().map(PathBuf::from).collect();
            assert_eq!(greeting.trust, want, "{name}");
        }
        let (cwd, trust) = (PathBuf::from("/w"), vec![PathBuf::from("/w")]);
        let greeting = Greeting { token: "t".to_owned(), speaks: Speaks::Native, cwd, trust };
        let (mut client, engine) = Stream::pair().unwrap();
        client.write_all(&greeting.line()).await.unwrap();
        assert_eq!(greeted(&engine, "t").await.unwrap().greeting, greeting);
    }
}
