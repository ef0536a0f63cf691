//! The rights of a session in words for its model: the permission mode, the sandbox for commands, and the presence of somebody to ask. Pure.

use pintle_protocol::approval::PermissionMode;

/// The commands that run in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confined {
    /// None: there is no sandbox.
    None,
    /// Those that nobody was asked about.
    Unasked,
    /// All of them.
    All,
}

/// The rights of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// The permission mode.
    pub mode: PermissionMode,
    /// The commands that run in the sandbox.
    pub confined: Confined,
    /// Somebody can answer a request for permission.
    pub is_attended: bool,
}

impl Rights {
    /// Describes them, a point a line.
    pub fn told(&self) -> String {
        let Self { mode, confined, is_attended } = self;
        let otherwise = if *is_attended {
            "is shown to the person, who allows or denies it"
        } else {
            "is denied, since nobody can be asked"
        };
        let mode = match mode {
            PermissionMode::ReadOnly => {
                "Mode: read-only. Reading in the working directory and commands that are known to change nothing run by \
                 themselves. Everything else is denied."
                    .to_owned()
            }
            PermissionMode::Ask => format!(
                "Mode: ask. Reading in the working directory and commands that are known to change nothing run by themselves. \
                 Every other call {otherwise}."
            ),
            PermissionMode::AutoEdit => {
                let commands = match confined {
                    Confined::None => "and commands that are known to change nothing",
                    Confined::Unasked | Confined::All => "and commands in the sandbox",
                };
                format!(
                    "Mode: auto-edit. Reading and changing files in the working directory {commands} run by themselves. Every \
                     other call {otherwise}."
                )
            }
            PermissionMode::Full => {
                "Mode: full. Calls run by themselves unless a rule of the person says otherwise. Be the more careful."
                    .to_owned()
            }
        };
        let sandbox = match confined {
            Confined::None => return format!("- {mode}\n- Commands run without a sandbox."),
            Confined::Unasked => "Commands that nobody was asked about run",
            Confined::All => "All commands run",
        };
        let outside = match confined {
            Confined::Unasked if *is_attended => {
                " Calling the same command once more asks the person to run it outside; do that only if it needs that."
            }
            _ => "",
        };
        format!(
            "- {mode}\n- {sandbox} in a sandbox: they can write in the working directory and in temporary folders, cannot read files \
             with secrets, and reach no network but hosts that were allowed. A command that the sandbox stopped says so in its \
             result.{outside}"
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
            told.push(Rights { mode, confined, is_attended }.told());
        }
        expect![[r"
            - Mode: read-only. Reading in the working directory and commands that are known to change nothing run by themselves. Everything else is denied.
            - All commands run in a sandbox: they can write in the working directory and in temporary folders, cannot read files with secrets, and reach no network but hosts that were allowed. A command that the sandbox stopped says so in its result.

            - Mode: ask. Reading in the working directory and commands that are known to change nothing run by themselves. Every other call is shown to the person, who allows or denies it.
            - Commands that nobody was asked about run in a sandbox: they can write in the working directory and in temporary folders, cannot read files with secrets, and reach no network but hosts that were allowed. A command that the sandbox stopped says so in its result. Calling the same command once more asks the person to run it outside; do that only if it needs that.

            - Mode: auto-edit. Reading and changing files in the working directory and commands that are known to change nothing run by themselves. Every other call is denied, since nobody can be asked.
            - Commands run without a sandbox.

            - Mode: auto-edit. Reading and changing files in the working directory and commands in the sandbox run by themselves. Every other call is shown to the person, who allows or denies it.
            - Commands that nobody was asked about run in a sandbox: they can write in the working directory and in temporary folders, cannot read files with secrets, and reach no network but hosts that were allowed. A command that the sandbox stopped says so in its result. Calling the same command once more asks the person to run it outside; do that only if it needs that.

            - Mode: full. Calls run by themselves unless a rule of the person says otherwise. Be the more careful.
            - Commands run without a sandbox."]].assert_eq(&told.join("\n\n"));
    }
}
