//! How commands, checks and servers are confined under a turn's permissions.

use super::Permissions;
use super::sandbox_settings::{confinement, only_reading};
use super::site::Site;
use crate::grants::Grants;
use crate::turn::action::resolve;
use pintle_exec::sandbox::{Confinement, Hosts, Names, Network};
use pintle_protocol::approval::PermissionMode;
use pintle_tools::permissions::hosts::HostPatterns;
use pintle_tools::permissions::{CallDecision, Compiled, InSandbox, Part, Sandbox};
use std::sync::Arc;

/// The tool name that host rules use for the user's check command.
const CHECK: &str = "lint";

/// Programs that run others with more rights.
const RAISING: [&str; 6] = ["sudo", "doas", "su", "pkexec", "run0", "sg"];

/// How the user's check command runs after edits.
#[derive(Debug)]
pub(crate) enum CheckRun {
    Free,
    Confined(Arc<Confinement>),
    /// The check is skipped: the edits were not reviewed, and nothing confines their effects.
    Withheld,
}

impl Permissions {
    /// Returns how a tool's command is confined, with the hosts currently allowed by rules and grants; `None` if it runs unconfined. A
    /// command that ran without approval in a mode that asks can change nothing and reaches no host.
    pub(crate) fn confinement(
        &self,
        verdict: &CallDecision,
        tool: &str,
        grants: &Grants,
    ) -> Option<Arc<Confinement>> {
        let gathered = self.gathered.get().filter(|_| verdict.is_confined())?;
        let without_removed = grants.without_removed(&gathered.rules).map(|rules| {
            Arc::new(confinement(&gathered.places, &rules, gathered.sandbox, self.mode))
        });
        let confinement = without_removed.unwrap_or_else(|| Arc::clone(&gathered.confinement));
        Some(if verdict.in_sandbox == InSandbox::ReadOnly {
            Arc::new(only_reading(&confinement))
        } else {
            with_hosts(confinement, tool, &grants.apply(&gathered.rules))
        })
    }

    /// Returns the programs that rules deny, for a command outside the sandbox. Empty if the command asks for more rights: the kernel gives
    /// none to a process whose calls are reported.
    pub(crate) fn denied_programs(&self, verdict: &CallDecision) -> Names {
        let raises = |part: &Part| {
            let name = part.subject.split(' ').next().unwrap_or_default();
            RAISING.contains(&name.rsplit('/').next().unwrap_or_default())
        };
        let gathered = self.gathered.get().filter(|_| !verdict.is_confined());
        let names = gathered.map(|gathered| &gathered.confinement.names);
        let names = names.filter(|names| names.judges_programs());
        names.filter(|_| !verdict.parts.iter().any(raises)).cloned().unwrap_or_default()
    }

    /// Returns how the engine's read-only commands are confined, which is the same in every mode; `None` without a sandbox.
    pub(crate) async fn confinement_for_reading(&self, site: Site<'_>) -> Option<Confinement> {
        let gathered = self.gathered(site).await;
        let of_commands =
            (gathered.sandbox != Sandbox::Missing).then_some(&gathered.confinement)?;
        Some(only_reading(of_commands))
    }

    /// Returns how the session's MCP servers are confined; `None` without a sandbox.
    pub(crate) async fn confinement_of_servers(&self, site: Site<'_>) -> Option<Arc<Confinement>> {
        let gathered = self.gathered(site).await;
        if gathered.sandbox == Sandbox::Missing {
            return None;
        }
        let mut confinement = Arc::clone(&gathered.confinement);
        if let Some(artifacts) = site.artifacts {
            // That of one session: sessions may share a server.
            let own = resolve(site.env, artifacts).await;
            Arc::make_mut(&mut confinement).readable.retain(|path| *path != own);
        }
        Some(confinement)
    }

    /// Returns how the user's check command runs after edits: it may execute code that the model has just written.
    pub(crate) fn check_run(&self) -> CheckRun {
        let Some(gathered) = self.gathered.get() else { return CheckRun::Free };
        match (self.mode, gathered.sandbox) {
            (PermissionMode::Full, sandbox) if sandbox != Sandbox::Required => CheckRun::Free,
            (_, Sandbox::Partial | Sandbox::Full | Sandbox::Required) => CheckRun::Confined(
                with_hosts(Arc::clone(&gathered.confinement), CHECK, &gathered.rules),
            ),
            // The user has approved each edit.
            (PermissionMode::Ask | PermissionMode::ReadOnly, Sandbox::Missing) => CheckRun::Free,
            (PermissionMode::AutoEdit | PermissionMode::Full, Sandbox::Missing) => {
                CheckRun::Withheld
            }
        }
    }
}

/// Adds the hosts that rules allow.
fn with_hosts(
    mut confinement: Arc<Confinement>,
    tool: &str,
    rules: &[Compiled],
) -> Arc<Confinement> {
    let HostPatterns { allowed, restricted } = HostPatterns::gather(rules, tool);
    if !allowed.is_empty() {
        let hosts = Hosts { allowed, restricted };
        Arc::make_mut(&mut confinement).network = Network::Hosts(hosts);
    }
    confinement
}
