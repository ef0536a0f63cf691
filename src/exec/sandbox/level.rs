//! The sandbox level: the parts that the kernel enforces, and a description of the gaps.

use super::Network;
use serde::{Deserialize, Serialize};

/// The level in force for a command, or possible on this machine.
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that is enforced or not")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// The Landlock ABI version; 0 if the kernel has none.
    pub landlock: u32,
    /// System calls are filtered.
    pub seccomp: bool,
    /// The command has its own users, processes, mounts, network, host name and inter-process communication.
    pub namespaces: bool,
    /// True if the kernel was asked to report file changes and does not, so that no file is protected by its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unwatched: bool,
    /// A profile of `sandbox-exec` confines it, on macOS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_seatbelt: bool,
    /// The step at which the namespaces failed, with the kernel's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespaces_failed: Option<String>,
}

/// The grade to which a confinement is enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Too little to rely on.
    None,
    /// Files cannot be changed outside, and there is no network; the gaps are listed.
    #[default]
    Partial,
    /// The confinement is enforced completely.
    Full,
}

/// The first version of Landlock's interface that keeps signals and abstract sockets inside.
const SCOPES: u32 = 6;
/// The first version that limits truncation.
const TRUNCATE: u32 = 3;

impl Level {
    /// Returns the level's grade.
    pub fn grade(&self) -> Grade {
        match (self.seccomp, self.namespaces, self.landlock) {
            // It has not been tested yet.
            _ if self.has_seatbelt => Grade::Partial,
            (true, true, 1..) if !self.is_unwatched => Grade::Full,
            (true, true, _) | (true, false, 1..) => Grade::Partial,
            (true, false, 0) | (false, ..) => Grade::None,
        }
    }

    /// Returns true if everything is enforced.
    pub fn is_full(&self) -> bool {
        self.grade() == Grade::Full
    }

    /// Returns true if only a part is enforced.
    pub fn is_partial(&self) -> bool {
        self.grade() == Grade::Partial
    }

    /// Returns true if too little is enforced to rely on.
    pub fn is_none(&self) -> bool {
        self.grade() == Grade::None
    }

    /// Describes the gaps between this level and the full one.
    pub fn gaps(&self, network: &Network) -> Vec<String> {
        if self.has_seatbelt {
            return [
                "this sandbox is untested",
                "commands see all processes on the machine",
                "process counts and file sizes are unlimited",
                "commands reach no network at all, not even allowed hosts",
            ]
            .map(str::to_owned)
            .into();
        }
        let mut gaps = Vec::new();
        let mut gap = |is_open: bool, text: &str| {
            if is_open {
                gaps.push(text.to_owned());
            }
        };
        gap(!self.seccomp, "commands can make any system call, including tracing and mounting");
        let no_landlock = self.landlock == 0;
        gap(no_landlock && !self.namespaces, "commands can write everywhere and read hidden files");
        gap(
            self.is_unwatched,
            "commands can create files that control other programs, such as .envrc, and change those in subdirectories",
        );
        if !self.namespaces {
            gap(true, "commands can change file modes and times outside the workspace");
            gap(
                true,
                "a program that renames files during checks can write to protected paths inside the workspace",
            );
            gap(true, "commands can connect to socket files such as docker.sock and ssh-agent");
            gap(true, "commands see the names of hidden files and all processes on the machine");
            gap(true, "process counts are limited only per user");
            gap(self.landlock < TRUNCATE, "commands can truncate files outside the workspace");
            gap(true, "commands can read hidden files inside the workspace");
            gap(self.landlock < SCOPES, "commands can signal processes outside the sandbox");
            let is_closed = *network != Network::Open;
            gap(is_closed, "commands reach no network at all, not even allowed hosts");
        }
        let shares_sockets = !self.namespaces || *network == Network::Open;
        gap(shares_sockets && self.landlock < SCOPES, "commands can connect to abstract sockets");
        gaps
    }

    /// Returns the level in one line, such as `full: Landlock 7, seccomp, namespaces`.
    pub fn summary(&self) -> String {
        let grade = match self.grade() {
            Grade::Full => "full",
            Grade::Partial => "partial",
            Grade::None => "none",
        };
        if self.has_seatbelt {
            return format!("{grade}: Seatbelt (untested)");
        }
        let landlock = match self.landlock {
            0 => "no Landlock".to_owned(),
            abi => format!("Landlock {abi}"),
        };
        let seccomp = if self.seccomp { "seccomp" } else { "no seccomp" };
        let unwatched = if self.is_unwatched { ", no reports of changes" } else { "" };
        let namespaces = match (&self.namespaces_failed, self.namespaces) {
            (_, true) => "namespaces".to_owned(),
            (Some(reason), false) => format!("no namespaces ({reason})"),
            (None, false) => "no namespaces".to_owned(),
        };
        format!("{grade}: {landlock}, {seccomp}, {namespaces}{unwatched}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades() {
        use Grade::{Full, None, Partial};
        // Landlock, seccomp, namespaces.
        for (landlock, seccomp, namespaces, want) in [
            (7, true, true, Full),
            (1, true, true, Full),
            (0, true, true, Partial),
            (7, true, false, Partial),
            (0, true, false, None),
            (7, false, true, None),
            (0, false, false, None),
        ] {
            let level = Level { landlock, seccomp, namespaces, ..Level::default() };
            assert_eq!(level.grade(), want, "{level:?}");
            assert_eq!(
                level.is_full(),
                level.gaps(&Network::None).is_empty() && landlock > 0,
                "{level:?}"
            );
            let unwatched = Level { is_unwatched: true, ..level };
            assert_eq!(unwatched.grade(), want.min(Partial), "{unwatched:?}");
        }
    }
}
