//! Resolves a model's name to a provider that answers: the user's entries over the catalogue, keys and the commands
//! that print them, and the tools in the profile of the model's family.
//!
//! Nothing here knows sessions. `llm` decides the requests, `config` the settings.

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
pub use secrets::register as register_secrets;
pub use source::{ModelSource, Models};
pub use toolbox::{Extras, Toolbox};
