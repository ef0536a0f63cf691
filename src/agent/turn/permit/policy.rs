//! The engine's permissions and its sandbox.

use pintle_exec::Environment;
use pintle_exec::sandbox::{self, Grade, Level};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::session::{SandboxGrade, SandboxState};
use pintle_tools::permissions::{Rule, Sandbox};
use pintle_tools::trust::Answers;
use std::path::PathBuf;
use tokio::sync::OnceCell;

/// The engine's permissions, which no session, client or project can exceed.
#[derive(Debug)]
pub struct PermissionPolicy {
    /// The default mode, for sessions that do not request one.
    pub default_mode: PermissionMode,
    /// The mode given on the command line, for sessions that it opens.
    pub named_mode: Option<PermissionMode>,
    /// The widest mode that a session can have.
    pub ceiling: PermissionMode,
    /// Describes the flag or file that sets the ceiling.
    pub ceiling_source: String,
    /// The rules from the user configuration.
    pub rules: Vec<Rule>,
    /// The rules of this run's policy.
    pub policy_rules: Vec<Rule>,
    /// The engine's private files and directories, which no tool reads or changes.
    pub private: Vec<PathBuf>,
    /// The directory among them that contains the copies in which isolated sessions work; `None` if no session is isolated.
    pub isolated: Option<PathBuf>,
    /// Exceptions to these: the user's skills.
    pub readable: Vec<PathBuf>,
    /// The sandbox for commands.
    pub sandbox: SandboxPolicy,
    /// The lasting answers of the user.
    pub answers: Answers,
}

/// The requested sandbox, and the level that this machine enforces.
#[derive(Debug, Default)]
pub struct SandboxPolicy {
    /// The program that confines commands; `None` if there is no sandbox.
    program: Option<PathBuf>,
    /// Commands run in a full sandbox or not at all.
    is_required: bool,
    level: OnceCell<Level>,
}

impl SandboxPolicy {
    /// Returns a sandbox that the program applies.
    pub fn new(program: Option<PathBuf>, is_required: bool) -> Self {
        Self { program, is_required, level: OnceCell::new() }
    }

    /// Returns the level that this machine enforces, or `None` without a sandbox. The kernel is queried once.
    pub async fn level(&self) -> Option<&Level> {
        let program = self.program.as_ref()?;
        Some(self.level.get_or_init(|| sandbox::probe(program)).await)
    }

    /// Returns the sandbox as shown to clients, or `None` without a sandbox or before [`Self::level`] has queried the kernel.
    pub(crate) fn shown(&self) -> Option<SandboxState> {
        let level = self.level.get()?;
        Some(SandboxState {
            grade: match level.grade() {
                Grade::None => SandboxGrade::None,
                Grade::Partial => SandboxGrade::Partial,
                Grade::Full => SandboxGrade::Full,
            },
            level: level.summary(),
            gaps: level.gaps(&sandbox::Network::None),
            required: self.is_required,
        })
    }

    /// Returns the sandbox that decisions can rely on.
    async fn state(&self) -> Sandbox {
        match self.level().await.map(Level::grade) {
            _ if self.is_required => Sandbox::Required,
            None | Some(Grade::None) => Sandbox::Missing,
            Some(Grade::Partial) => Sandbox::Partial,
            Some(Grade::Full) => Sandbox::Full,
        }
    }
}

impl PermissionPolicy {
    /// Returns the sandbox for commands in an environment.
    pub(super) async fn sandbox_in(&self, env: &dyn Environment) -> Sandbox {
        // Commands on a remote machine are confined by that machine's operator.
        if env.is_this_machine() { self.sandbox.state().await } else { Sandbox::Missing }
    }

    /// Returns a policy that sets no ceiling, has no rules and trusts every workspace.
    pub fn open(default_mode: PermissionMode) -> Self {
        Self {
            default_mode,
            named_mode: None,
            ceiling: PermissionMode::Full,
            ceiling_source: String::new(),
            rules: Vec::new(),
            policy_rules: Vec::new(),
            private: Vec::new(),
            isolated: None,
            readable: Vec::new(),
            sandbox: SandboxPolicy::default(),
            answers: Answers::trust_all(),
        }
    }
}
