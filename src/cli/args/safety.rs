//! Options that set how far the project is trusted.

use super::{Permission, SandboxChoice, Settings, heading};
use crate::cli::policy_file::PolicyFile;
use anyhow::ensure;
use std::path::PathBuf;

/// The tools of an untrusted run without a tool list: reading tools, and the to-do list. A name includes the tools of other
/// profiles with the same purpose.
pub(crate) const READING_TOOLS: [&str; 5] = ["read", "grep", "find", "recall", "todo_write"];

/// Options for projects that are not trusted.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Safety {
    /// Treat the project as untrusted code, even if you trusted it: ignore its instructions and permissions, change nothing, run commands without network, and offer only read-only tools or those of --tools
    #[arg(long, conflicts_with_all = ["trust", "web_fetch", "web_search"], help_heading = heading::PERMISSIONS)]
    untrusted: bool,
    /// Read permission_mode, tools and additional [[rules]] from this file
    #[arg(long, value_name = "FILE", help_heading = heading::PERMISSIONS)]
    policy: Option<PathBuf>,
}

impl Safety {
    /// Applies a run's options to its settings.
    ///
    /// # Errors
    /// As [`Self::apply`]; also if a stored session is to be continued, whose instructions may come from the project.
    pub(crate) fn apply_to_run(
        &self,
        settings: &mut Settings,
        session: Option<&str>,
    ) -> anyhow::Result<()> {
        ensure!(
            !self.untrusted || session.is_none(),
            "--untrusted requires a new session, since a stored one keeps its initial instructions: remove --session"
        );
        self.apply(settings)
    }

    /// Puts these options into the settings.
    ///
    /// # Errors
    /// Other options allow what these deny, or the policy is none.
    pub(crate) fn apply(&self, settings: &mut Settings) -> anyhow::Result<()> {
        if let Some(path) = &self.policy {
            let policy = PolicyFile::read(path)?;
            ensure!(
                settings.permission.is_none() || policy.permission.is_none(),
                "--permission and `permission_mode` in {} both set the mode: remove one",
                path.display()
            );
            ensure!(
                !(self.untrusted && policy.allows()),
                "--untrusted conflicts with an allow rule in {}: remove one",
                path.display()
            );
            settings.permission = settings.permission.or(policy.permission);
            settings.policy = Some(policy);
        }
        if !self.untrusted {
            return Ok(());
        }
        ensure!(
            matches!(settings.permission, None | Some(Permission::ReadOnly)),
            "--untrusted is read-only: remove the permission mode, or set it to read-only"
        );
        ensure!(
            settings.sandbox != Some(SandboxChoice::Off),
            "--untrusted runs every command in the sandbox: remove --sandbox off"
        );
        settings.permission = Some(Permission::ReadOnly);
        settings.is_untrusted = true;
        Ok(())
    }
}
