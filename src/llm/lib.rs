//! Models: one canonical conversation in, one stream of deltas out.
//!
//! A [`Provider`] turns a [`Request`] into a stream of [`Delta`]s. It does not know about running tools, sessions or clients. Each wire API
//! is a pure encoder and a pure decoder in a separate directory; `catalog` has the data about servers. A [`Wire`] carries the bytes: only
//! `http` opens sockets, `cassette` replays and records. `connect` combines an [`Endpoint`] with a wire; `login` stores and renews provider
//! tokens; `script` is the only fake model, which needs neither.
//!
//! A reply flows from `wire` bytes to `sse` events to a decoder's deltas to an [`Accumulator`], without anything that waits or spawns in
//! between; `remote` is the stream that drives it.

mod anthropic;
pub mod aws;
mod call_ids;
pub mod cassette;
pub mod catalog;
mod chat;
mod classify;
pub mod cloud;
#[cfg(test)]
mod conformance;
pub mod credentials;
mod decode;
pub mod delta;
mod documents;
mod effort_updates;
mod encode;
pub mod endpoint;
pub mod error;
#[cfg(test)]
mod fixtures;
mod gemini;
mod halves;
#[cfg(test)]
mod handoff;
pub mod http;
pub mod invariants;
mod limits;
pub mod local;
pub mod login;
pub mod message;
pub mod messages;
mod omissions;
pub mod one_shot;
mod output_schema;
mod parameters;
mod reasoning;
#[cfg(test)]
mod recorded;
mod remote;
pub mod request;
mod responses;
pub mod script;
#[cfg(test)]
mod searches;
mod sources;
pub mod sse;
#[cfg(test)]
mod strict;
pub mod text_tools;
mod trace;
mod vision;
pub mod wire;

pub use catalog::Api;
pub use chat::REASONING_CONTENT;
pub use delta::{Accumulator, BlockStart, Delta, ProviderCall, Tier};
pub use endpoint::Endpoint;
pub use error::{Error, ErrorKind};
pub use local::ServedWindow;
pub use message::{Assistant, AssistantBlock, Message, Opaque, ToolResult};
pub use messages::Messages;
pub use omissions::Omission;
pub use remote::connect;
pub use request::{BuiltIn, Effort, ModelRef, Request, ToolSpec};
pub use script::Script;
pub use trace::Trace;
pub use wire::Wire;

use futures_util::stream::BoxStream;

/// A model's reply as it arrives. It ends after [`Delta::Stop`] or after one error; a stream that ends without either was cut, which the
/// provider reports as an error.
///
/// Reading until the stream ends, rather than dropping it at the stop, keeps the connection for the next request. Must not be polled after
/// it ended. Taking the next delta is cancel-safe.
pub type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// Model behind a wire API.
///
/// Dropping the stream, or the future that creates it, cancels the request and closes the connection.
#[async_trait::async_trait]
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// Sends the request and returns the reply's stream once the provider has begun to answer.
    ///
    /// # Errors
    /// Any failure before the first byte of the reply, typed by [`ErrorKind`].
    async fn stream(&self, request: Request) -> Result<DeltaStream, Error>;

    /// Returns what the server has refused since the last call. The requests were sent again without it.
    fn take_omissions(&self) -> Vec<Omission> {
        Vec::new()
    }

    /// Returns the context size of this model on a local server; `None` if it is unknown.
    async fn served_window(&self, _model: &str) -> Option<ServedWindow> {
        None
    }
}
