//! Clients of an engine's WebSocket: one that waits for each message, bytes by hand, and Node's own, which nobody here wrote.

use super::program::{Framing, Program};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

/// Far more than anything here takes; what hangs fails instead of waiting for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Header lines of every handshake.
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// A client that waits for each message.
pub(crate) struct Web {
    socket: WebSocket<TcpStream>,
    ids: u64,
}

impl Web {
    pub(crate) fn connect(port: u16, token: &str) -> Self {
        let stream = stream(port);
        let mut request = format!("ws://127.0.0.1:{port}/").into_client_request().unwrap();
        request.headers_mut().insert("Authorization", format!("Bearer {token}").parse().unwrap());
        let (socket, _) = client(request, stream).unwrap();
        Self { socket, ids: 0 }
    }

    /// Connects as VS Code does to an agent host.
    pub(crate) fn try_ahp(port: u16, token: &str) -> Result<Self, String> {
        let request = format!("ws://127.0.0.1:{port}/?tkn={token}").into_client_request().unwrap();
        let connected = client(request, stream(port)).map_err(|error| error.to_string());
        connected.map(|(socket, _)| Self { socket, ids: 0 })
    }

    pub(crate) fn initialize(&mut self) {
        let params = json!({"protocol": {"name": "pintle", "versions": ["2.0"]}, "capabilities": {"approvals": {}}});
        assert!(self.ask("initialize", params).get("protocol").is_some());
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.ids += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params});
        self.send(&request.to_string());
        self.ids
    }

    /// Sends a request and returns its result or error. Messages before it are dropped.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut answer = self.until(|message| message["id"] == id && message["method"].is_null());
        let key = if answer.get("error").is_some() { "error" } else { "result" };
        answer[key].take()
    }

    /// The next message; `None` when the engine has closed the connection.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(other) => panic!("{other:?}"),
            }
        }
    }

    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().unwrap();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Reads up to the frame that closes the connection.
    pub(crate) fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            if let Message::Close(frame) = self.socket.read().unwrap() {
                return frame;
            }
        }
    }

    /// Goes without a word, as a browser that is killed does.
    pub(crate) fn vanish(self) {
        self.socket.get_ref().shutdown(Shutdown::Both).unwrap();
    }
}

fn stream(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// A connection whose bytes are written by hand.
pub(crate) struct Raw(pub(crate) TcpStream);

impl Raw {
    pub(crate) fn silent(port: u16) -> Self {
        Self(stream(port))
    }

    /// Sends a handshake with these header lines, and returns the head of the answer.
    pub(crate) fn shake(&mut self, target: &str, lines: &str) -> String {
        let request = format!("GET {target} HTTP/1.1\r\n{lines}{UPGRADE}\r\n");
        self.0.write_all(request.as_bytes()).unwrap();
        self.head()
    }

    /// Reads up to the end of a head.
    pub(crate) fn head(&mut self) -> String {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && self.0.read(&mut byte).unwrap() == 1 {
            head.push(byte[0]);
        }
        String::from_utf8(head).unwrap()
    }

    /// A connection whose handshake is done.
    pub(crate) fn open(port: u16, token: &str) -> Self {
        let mut raw = Self::silent(port);
        let lines = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
        let head = raw.shake("/", &lines);
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        raw
    }

    /// The opcode and the payload of the next frame; `None` at the end of the connection.
    pub(crate) fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).ok()?;
        let length = match head[1] {
            126 => {
                let mut bytes = [0; 2];
                self.0.read_exact(&mut bytes).ok()?;
                usize::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                self.0.read_exact(&mut bytes).ok()?;
                usize::try_from(u64::from_be_bytes(bytes)).unwrap()
            }
            short => usize::from(short),
        };
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload).ok()?;
        Some((head[0] % 16, payload))
    }
}

/// The bit of a frame whose payload is masked.
const MASKED: u8 = 0x80;

/// A frame of a client, masked with zeros.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        length @ 0..=125 => bytes.push(MASKED | u8::try_from(length).unwrap()),
        length => {
            bytes.push(MASKED | 0x7e);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Node's own WebSocket with its messages as lines; `None` where this Node has none.
pub(crate) fn node(port: u16, token: &str) -> Option<Program> {
    const BRIDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/websocket.mjs");
    let flag = "--experimental-websocket";
    let known = Command::new("node").args([flag, "-e", "WebSocket.name"]).output();
    if !known.is_ok_and(|known| known.status.success()) {
        super::skipped("this Node has no WebSocket");
        return None;
    }
    let mut command = Command::new("node");
    command.args([flag, "--no-warnings", BRIDGE, &format!("ws://127.0.0.1:{port}/"), token]);
    Some(Program::start(command, Framing::Lines))
}
