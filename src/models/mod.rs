//! From a model's name to a provider that answers: the user's rows over the catalogue's, keys and the commands that print them, and the
//! tools in the shape that the model's family is used to.
//!
//! Nothing here knows a session. What is sent is decided in `llm`, what is set in `config`.

mod configured;
mod key_command;
mod known;
mod source;
mod toolbox;

pub use configured::ConfiguredModels;
pub use key_command::KeyCommands;
pub use source::{ModelSource, Models};
pub use toolbox::Toolbox;
