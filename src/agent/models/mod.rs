//! Resolves a model name to a provider: the user's entries override the catalogue, keys come from variables or commands, and tools from the
//! profile of the model's family.
//!
//! Nothing here knows sessions. `llm` builds the requests, `config` reads the settings.

mod auth;
mod configured;
mod keys;
mod known;
mod secrets;
mod source;
mod toolbox;

pub use auth::{LoginRequest, ShowPrompt};
pub use configured::ConfiguredModels;
pub use keys::KeyFetcher;
pub use known::built_in;
pub use secrets::register as register_secrets;
pub use source::{ModelSource, Models};
pub use toolbox::{Extras, Toolbox};
