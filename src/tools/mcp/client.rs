//! A server connection, as seen by other modules.

use pintle_protocol::content::Content;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// A connection to a server. Dropping it ends it.
#[async_trait::async_trait]
pub trait McpClient: Send + Sync + std::fmt::Debug {
    /// Returns the server's reported name and version, and the negotiated protocol version.
    fn about(&self) -> String;

    /// Returns the server's instructions for a model, unchanged.
    fn instructions(&self) -> Option<String>;

    /// Returns true if the server may announce changes to its tools.
    fn tells_changes(&self) -> bool;

    /// Returns true if it has resources.
    fn has_resources(&self) -> bool;

    /// Returns the skipped parts of the server's messages, worded for users, such as tools without a name.
    fn left_out(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lists the server's tools.
    async fn tools(&self) -> Result<Vec<ToolShape>, McpClientError>;

    /// Calls a tool. Dropping the future makes the server stop the call.
    async fn call(&self, call: CallRequest) -> Result<Outcome, McpClientError>;

    /// Lists the server's resources; empty if it supports none.
    async fn resources(&self) -> Result<Vec<ResourceShape>, McpClientError>;

    /// Reads a resource.
    async fn read(&self, uri: &str) -> Result<Vec<ResourceText>, McpClientError>;

    /// Lists the server's prompts; empty if it supports none.
    async fn prompts(&self) -> Result<Vec<PromptShape>, McpClientError>;

    /// Fills in a prompt, and returns its messages' texts.
    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<Content>, McpClientError>;

    /// Returns true once the connection has ended.
    fn is_closed(&self) -> bool;

    /// Waits until the server's tools or prompts have changed, or the connection has ended, in which case it returns false. Cancel-safe.
    async fn changed(&self) -> bool;
}

/// Why a server failed a request. The text is for users and models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpClientError {
    /// The server's error message.
    #[error("it returned an error: {0}")]
    Said(String),
    /// The connection has ended.
    #[error("the connection was closed")]
    Closed,
    /// The server did not answer in time.
    #[error("it did not respond within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// The user has to log in first.
    #[error("it requires a login")]
    Login(String),
    /// The server answered the newest versions' first request with a response other than an error, which no version allows.
    #[error("the response matches no supported protocol version")]
    Old,
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

/// A tool as described by its server.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolShape {
    /// The tool's name at the server.
    pub name: String,
    /// The server's description of the tool.
    pub description: String,
    /// The argument schema.
    pub schema: Map<String, Value>,
    /// True if the server claims that the tool changes nothing. A hint for users; no decision depends on it.
    pub read_only_hint: Option<bool>,
}

/// A resource as described by its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceShape {
    /// The resource's address.
    pub uri: String,
    /// The resource's name.
    pub name: String,
    /// The resource's description.
    pub description: Option<String>,
    /// The resource's media type.
    pub mime_type: Option<String>,
    /// `uri` is a template with places to fill in.
    pub is_template: bool,
}

/// A part of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    /// The part's address.
    pub uri: String,
    /// The part's content.
    pub content: Content,
}

/// A prompt as described by its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptShape {
    /// The prompt's name.
    pub name: String,
    /// The prompt's description.
    pub description: Option<String>,
    /// The prompt's arguments, in order, and whether each is required.
    pub arguments: Vec<(String, bool)>,
}

/// A tool call.
#[derive(Debug)]
pub struct CallRequest {
    /// The tool's name at the server.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// The timeout since the call's last progress.
    pub timeout: Duration,
    /// Receives progress lines.
    pub progress: mpsc::Sender<String>,
    /// Receives the server's questions to the user during the call.
    pub questions: mpsc::Sender<Elicitation>,
}

/// A call's result.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The content, for the model.
    pub content: Vec<Content>,
    /// The result as a value, if the server provides one.
    pub structured: Option<Value>,
    /// True if the server reported a failure.
    pub is_error: bool,
}

/// A server's question to the user.
#[derive(Debug)]
pub struct Elicitation {
    /// The server's words.
    pub message: String,
    /// The answer schema, an object of plain fields; `None` if a page is to be opened.
    pub schema: Option<Map<String, Value>>,
    /// The page to open.
    pub url: Option<String>,
    /// Receives the answer.
    pub reply: oneshot::Sender<Answer>,
}

/// The user's answer to an [`Elicitation`].
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// These values; `None` for a page.
    Accept(Option<Value>),
    /// No.
    Decline,
    /// The question was not answered.
    Cancel,
}
