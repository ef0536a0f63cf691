//! Where tools act: one trait for every access to files and processes.
//!
//! A tool never touches the disk or a process itself; it asks an [`Environment`]. That may be this
//! machine ([`local`]), memory (tests), and later a container, an ssh host or an editor's buffers.

/// Files and processes, wherever they are.
#[async_trait::async_trait]
pub trait Environment: Send + Sync + std::fmt::Debug {}
