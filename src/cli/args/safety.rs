//! The options that say how far the project is to be believed.

use super::{Permission, SandboxChoice, Settings};
use crate::cli::policy_file::PolicyFile;
use anyhow::ensure;
use std::path::PathBuf;

/// The tools of a run for code from strangers that names none: those that only read, and the model's own list of tasks. A name also stands
/// for the tools of other profiles with the same purpose.
pub(crate) const READING_TOOLS: [&str; 5] = ["read", "grep", "find", "recall", "todo_write"];

/// The options that say how far the project is to be believed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Safety {
    /// Take the project for code from strangers, also where it is trusted: nothing in it instructs the model or allows anything, nothing is
    /// changed, commands have no network, and the tools are those that --tools names, by default those that only read
    #[arg(long, conflicts_with_all = ["trust", "web_fetch", "web_search"])]
    untrusted: bool,
    /// Take the permission mode, the tools and more rules from this file: permission_mode, tools and [[rules]]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

impl Safety {
    /// Puts the options of a run into its settings.
    ///
    /// # Errors
    /// As [`Self::apply`], or a stored session is to be continued, whose instructions may be those of the project.
    pub(crate) fn apply_to_run(
        &self,
        settings: &mut Settings,
        session: Option<&str>,
    ) -> anyhow::Result<()> {
        ensure!(
            !self.untrusted || session.is_none(),
            "--untrusted begins a new session, since a stored one keeps the instructions that it began with: leave out --session"
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
                "--permission and `permission_mode` of {} both name a mode: leave out one",
                path.display()
            );
            ensure!(
                !(self.untrusted && policy.allows()),
                "--untrusted allows nothing, and a rule of {} does: leave out one",
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
            "--untrusted only reads: leave out the permission mode, or name read-only"
        );
        ensure!(
            settings.sandbox != Some(SandboxChoice::Off),
            "--untrusted runs every command in the sandbox: leave out --sandbox off"
        );
        settings.permission = Some(Permission::ReadOnly);
        settings.is_untrusted = true;
        Ok(())
    }
}
