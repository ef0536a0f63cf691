//! The demo: the real engine, loop, tools, files and processes on a small project, with a model whose
//! replies are taken from a script. A client in the same process steers it over the native protocol.

mod narration;

use crate::client::Scope;
use crate::native::{self, Options};
use bytes::Bytes;
use narration::Narration;
use pintle_agent::EngineHandle;
use pintle_base::transport::{Incoming, Outgoing, envelope, memory};
use pintle_protocol::PROTOCOL_VERSION;
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::capability::{ClientCapabilities, Supported};
use pintle_protocol::content::Input;
use pintle_protocol::event::{AnyRecord, Event, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::methods::{
    ApprovalRequest, Empty, Exit, Initialize, InitializeParams, Notification, PeerInfo,
    ProtocolOffer, Request, SessionCreate, SessionCreateParams, SessionEvent, Shutdown, TurnStart,
    TurnStartParams, WhenBusy,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The project's files, by name.
pub const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("slug.sh", include_str!("project/slug.sh")),
    ("test.sh", include_str!("project/test.sh")),
];

/// The prompt.
const PROMPT: &str = "The test fails. Find out why, fix the code, and run the test.";

/// A run of the demo.
#[derive(Debug, Clone)]
pub struct Demo {
    /// The working directory; the project is in its subdirectory `project`.
    pub folder: PathBuf,
    /// Prints protocol messages instead of a narration.
    pub shows_json: bool,
    /// The time between pieces of text, so that a viewer can follow.
    pub delay: Duration,
}

/// The program's exit codes for the demo.
const DONE: u8 = 0;
const FAILED: u8 = 1;

impl Demo {
    /// Returns the directory with the project's copy.
    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Returns the model's replies, as a script.
    pub fn script(&self) -> String {
        let delay = format!("\"delayMs\": {}", self.delay.as_millis());
        include_str!("script.json").replacen("\"delayMs\": 0", &delay, 1)
    }

    /// Runs it and returns the exit code: 0 when the project's test passes at the end.
    pub async fn run(
        &self,
        out: Outgoing,
        engine: EngineHandle,
        stop: CancellationToken,
        hangup: CancellationToken,
    ) -> u8 {
        let (transport, client) = memory::pair();
        let served = native::serve(
            transport,
            engine,
            Options { cwd: self.project(), stop, scope: Scope::Alone },
        );
        let memory::Client { to_engine, from_engine } = client;
        let mut client = Client {
            demo: self,
            out,
            to_engine: Some(to_engine),
            narration: Narration::new(self.project()),
            ids: 0,
            end: None,
            has_passed: false,
        };
        let shown = async {
            client.run(from_engine).await;
            let has_passed = client.has_passed;
            let end = client.end.take();
            drop(client.to_engine.take());
            (end, has_passed)
        };
        let ((end, has_passed), _) = tokio::select! {
            both = async { tokio::join!(shown, served) } => both,
            () = hangup.cancelled() => return FAILED,
        };
        client.out.flushed().await;
        match end {
            Some(TurnCompleted { status: TurnStatus::Completed, .. }) if has_passed => DONE,
            _ => FAILED,
        }
    }
}

/// The client that steers the engine.
struct Client<'a> {
    demo: &'a Demo,
    out: Outgoing,
    to_engine: Option<mpsc::Sender<Incoming>>,
    narration: Narration,
    ids: u64,
    end: Option<TurnCompleted>,
    /// The last command that ran ended with code 0.
    has_passed: bool,
}

impl Client<'_> {
    async fn run(&mut self, mut from_engine: mpsc::Receiver<pintle_base::transport::Frame>) {
        let opening = Narration::opening(PROMPT);
        self.narrate(&opening).await;
        self.request::<Initialize>(InitializeParams {
            protocol: ProtocolOffer {
                name: pintle_protocol::PROTOCOL_NAME.to_owned(),
                versions: vec![PROTOCOL_VERSION.to_owned()],
            },
            client: PeerInfo { name: "pintle-demo".to_owned(), version: None, id: None },
            capabilities: ClientCapabilities {
                approvals: Some(Supported {}),
                ..ClientCapabilities::default()
            },
        })
        .await;
        self.request::<SessionCreate>(SessionCreateParams::default()).await;
        self.request::<TurnStart>(TurnStartParams {
            limits: None,
            session_id: None,
            input: vec![Input::text(PROMPT)],
            when_busy: WhenBusy::Reject,
            traceparent: None,
            key: None,
            output_schema: None,
        })
        .await;
        while let Some(frame) = from_engine.recv().await {
            let message = frame.message;
            if self.demo.shows_json {
                self.print(message.clone()).await;
            }
            let Ok(message) = serde_json::from_slice::<Value>(&message) else { continue };
            self.received(message).await;
        }
    }

    async fn received(&mut self, mut message: Value) {
        let params = message.get_mut("params").map(Value::take).unwrap_or_default();
        let id = message.get("id").cloned();
        match message.get("method").and_then(Value::as_str) {
            Some(SessionEvent::METHOD) => {
                if let Ok(record) = serde_json::from_value::<AnyRecord>(params) {
                    let text = self.narration.event(&record);
                    self.narrate(&text).await;
                    if let AnyRecord::Durable(record) = record {
                        self.watch(record.event).await;
                    }
                }
            }
            Some(ApprovalRequest::METHOD) => {
                if let (Ok(approval), Some(id)) = (serde_json::from_value::<Approval>(params), id) {
                    self.answer(&approval, &id).await;
                }
            }
            _ => {
                if let Some(error) = message.get("error") {
                    self.narrate(&format!("The engine rejected the request: {error}\n")).await;
                    drop(self.to_engine.take());
                }
            }
        }
    }

    async fn watch(&mut self, event: Event) {
        match event {
            Event::ItemCompleted { item: Item { body: ItemBody::ToolCall(call), .. } } => {
                if let Some(code) = call.output.and_then(|output| output.details.exit_code) {
                    self.has_passed = code == 0;
                }
            }
            Event::TurnCompleted(end) => {
                self.end = Some(end);
                self.request::<Shutdown>(Empty {}).await;
                self.notify::<Exit>(Empty {}).await;
            }
            _ => {}
        }
    }

    /// Allows every call: the script's calls are known.
    async fn answer(&mut self, approval: &Approval, id: &Value) {
        let text = Narration::approval(approval);
        self.narrate(&text).await;
        let answer =
            ApprovalAnswer { option_id: Some("allow".to_owned()), ..ApprovalAnswer::default() };
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": answer }).to_string().into_bytes())
            .await;
    }

    async fn request<R: Request>(&mut self, params: R::Params) {
        self.ids += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.ids, "method": R::METHOD, "params": params });
        self.send(message.to_string().into_bytes()).await;
    }

    async fn notify<N: Notification>(&mut self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(envelope::notification(N::METHOD, &params)).await;
    }

    async fn send(&mut self, message: Vec<u8>) {
        if self.demo.shows_json {
            self.print(message.clone()).await;
        }
        if let Some(to_engine) = &self.to_engine {
            let _ = to_engine.send(Incoming::Message(message)).await;
        }
    }

    /// Prints a part of the narration, unless protocol messages are shown.
    async fn narrate(&mut self, text: &str) {
        if !self.demo.shows_json && !text.is_empty() {
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                self.print(line.as_bytes().to_vec()).await;
            }
        }
    }

    async fn print(&mut self, line: impl Into<Bytes>) {
        let line = line.into();
        if let Some(room) = self.out.reserve(line.len()).await {
            self.out.send(room, line);
        }
    }
}
