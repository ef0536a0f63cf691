//! Configured hooks: the points at which each is called, and the behavior when it fails.

use crate::clients::SubscriberId;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle_base::text::tool_names::allows;
use pintle_protocol::hook::{HookPoint, OnFailure};
use std::time::Duration;

/// The default time limit of a hook.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(60);

/// A hook.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Where it runs.
    pub points: Vec<HookPoint>,
    /// Only for calls of these tools.
    pub tools: Option<ToolNames>,
    /// The time limit.
    pub timeout: Duration,
    /// The decision when it fails.
    pub on_failure: OnFailure,
    /// Its kind.
    pub runner: Runner,
}

/// The program or client that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runner {
    /// A command of the user, on this machine.
    Command(String),
    /// A client.
    Client(SubscriberId),
}

/// Tool name globs, each of which also matches every tool with the same purpose as the listed one.
#[derive(Debug, Clone)]
pub struct ToolNames {
    names: Vec<String>,
    globs: GlobSet,
}

impl ToolNames {
    /// Compiles the globs.
    ///
    /// # Errors
    /// A name is not a valid glob; the message identifies it.
    pub fn new(names: &[String]) -> Result<Self, String> {
        Ok(Self { names: names.to_vec(), globs: globs_of(names)? })
    }

    fn is_match(&self, tool: &str) -> bool {
        self.globs.is_match(tool) || allows(&self.names, tool)
    }
}

/// Returns a matcher for tool names or paths.
///
/// # Errors
/// A pattern is invalid; the message identifies it.
pub fn globs_of(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).build();
        set.add(glob.map_err(|error| format!("`{pattern}` is not a valid pattern: {error}"))?);
    }
    set.build().map_err(|error| format!("the patterns are invalid: {error}"))
}

impl Hook {
    pub(crate) fn is_for(&self, point: HookPoint, tool: Option<&str>) -> bool {
        self.points.contains(&point)
            && match (&self.tools, tool) {
                (Some(names), Some(tool)) => names.is_match(tool),
                (Some(_) | None, None) | (None, Some(_)) => true,
            }
    }

    pub(crate) fn name(&self) -> String {
        match &self.runner {
            Runner::Command(line) => line.lines().next().unwrap_or_default().to_owned(),
            Runner::Client(_) => "of a client".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_tools_with_the_same_purpose() {
        for (names, tool, want) in [
            (&["bash"][..], "bash", true),
            (&["bash"], "shell", true),
            (&["edit"], "apply_patch", true),
            (&["*sh"], "bash", true),
            (&["read"], "write", false),
            (&["mine"], "mine", true),
        ] {
            let owned: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(ToolNames::new(&owned).unwrap().is_match(tool), want, "{names:?} {tool}");
        }
        assert!(ToolNames::new(&["[".to_owned()]).is_err());
    }
}
