//! Describes a session's rights for its model: the permission mode, the sandbox for commands, and whether approvals can be requested. Pure.

use pintle_protocol::approval::PermissionMode;

/// The commands that run in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confined {
    /// None: there is no sandbox.
    None,
    /// Commands that run without approval.
    Unasked,
    /// All of them.
    All,
}

/// A session's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The permission mode.
    pub mode: PermissionMode,
    /// The commands that run in the sandbox.
    pub confined: Confined,
    /// True if permission requests can be answered.
    pub is_attended: bool,
}

impl Rights {
    /// Describes them, a point a line.
    pub fn describe(&self) -> String {
        let Self { mode, confined, is_attended } = self;
        let otherwise = if *is_attended {
            "is shown to the user, who allows or denies it"
        } else {
            "is denied, since no user can be asked"
        };
        let mode = match mode {
            PermissionMode::ReadOnly => {
                "Mode: read-only. Reading in the working directory and commands known to change nothing run without approval. Everything else is denied."
                    .to_owned()
            }
            PermissionMode::Ask => format!(
                "Mode: ask. Reading in the working directory and commands known to change nothing run without approval. Every other call {otherwise}."
            ),
            PermissionMode::AutoEdit => {
                let commands = match confined {
                    Confined::None => "and commands known to change nothing",
                    Confined::Unasked | Confined::All => "and commands in the sandbox",
                };
                format!(
                    "Mode: auto-edit. Reading and changing files in the working directory {commands} run without approval. Every other call {otherwise}."
                )
            }
            PermissionMode::Full => {
                "Mode: full. Calls run without approval unless a rule requires it. Be especially careful."
                    .to_owned()
            }
        };
        let sandbox = match confined {
            Confined::None => return format!("- {mode}\n- Commands run without a sandbox."),
            Confined::Unasked => "Commands that run without approval run",
            Confined::All => "All commands run",
        };
        let outside = match confined {
            Confined::Unasked if *is_attended => {
                " Calling the same command again asks the user to run it outside the sandbox; do so only if that is necessary."
            }
            _ => "",
        };
        format!(
            "- {mode}\n- {sandbox} in a sandbox: they can write in the working directory and in temporary directories, cannot read files with secrets, and reach only allowed network hosts. If the sandbox blocked something, the result says so.{outside}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn each_mode_says_what_runs_and_what_does_not() {
        let mut told = Vec::new();
        for (mode, confined, is_attended) in [
            (PermissionMode::ReadOnly, Confined::All, false),
            (PermissionMode::Ask, Confined::Unasked, true),
            (PermissionMode::AutoEdit, Confined::None, false),
            (PermissionMode::AutoEdit, Confined::Unasked, true),
            (PermissionMode::Full, Confined::None, true),
        ] {
            told.push(Rights { mode, confined, is_attended }.describe());
        }
        expect![[r"
            - Mode: read-only. Reading in the working directory and commands known to change nothing run without approval. Everything else is denied.
            - All commands run in a sandbox: they can write in the working directory and in temporary directories, cannot read files with secrets, and reach only allowed network hosts. If the sandbox blocked something, the result says so.

            - Mode: ask. Reading in the working directory and commands known to change nothing run without approval. Every other call is shown to the user, who allows or denies it.
            - Commands that run without approval run in a sandbox: they can write in the working directory and in temporary directories, cannot read files with secrets, and reach only allowed network hosts. If the sandbox blocked something, the result says so. Calling the same command again asks the user to run it outside the sandbox; do so only if that is necessary.

            - Mode: auto-edit. Reading and changing files in the working directory and commands known to change nothing run without approval. Every other call is denied, since no user can be asked.
            - Commands run without a sandbox.

            - Mode: auto-edit. Reading and changing files in the working directory and commands in the sandbox run without approval. Every other call is shown to the user, who allows or denies it.
            - Commands that run without approval run in a sandbox: they can write in the working directory and in temporary directories, cannot read files with secrets, and reach only allowed network hosts. If the sandbox blocked something, the result says so. Calling the same command again asks the user to run it outside the sandbox; do so only if that is necessary.

            - Mode: full. Calls run without approval unless a rule requires it. Be especially careful.
            - Commands run without a sandbox."]].assert_eq(&told.join("\n\n"));
    }
}
