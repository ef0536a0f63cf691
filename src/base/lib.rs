//! What all of pintle builds on: text, images, PDF documents, private files, the process's surroundings, and the bytes between processes.
//!
//! Nothing here knows models, tools or sessions.

pub mod ambient;
pub mod image;
pub mod network;
pub mod oauth_redirect;
pub mod pdf;
pub mod private_files;
pub mod text;
pub mod transport;
