//! The environment and the directories in which a session's calls act.

use crate::workspace::Workspace;
use pintle_exec::Environment;
use std::path::{Path, PathBuf};

/// Where calls act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) env: &'a dyn Environment,
    pub(crate) cwd: &'a Path,
    pub(crate) additional: &'a [PathBuf],
    pub(crate) home: Option<&'a Path>,
    /// The directory for long outputs, which the session may read.
    pub(crate) artifacts: Option<&'a Path>,
}

impl<'a> From<&'a Workspace> for Site<'a> {
    fn from(workspace: &'a Workspace) -> Self {
        Self {
            env: workspace.env.as_ref(),
            cwd: &workspace.folders.cwd,
            additional: &workspace.additional,
            home: workspace.folders.home.as_deref(),
            artifacts: Some(&workspace.artifacts),
        }
    }
}
