//! Hooks as they are configured: the points where each is asked, and what holds when it fails.

use crate::agent::clients::SubscriberId;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
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
    pub tools: Option<GlobSet>,
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

/// A matcher for names of tools, or for paths.
///
/// # Errors
/// A pattern makes no sense; the message says which.
pub fn globs_of(patterns: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).build();
        set.add(glob.map_err(|error| format!("`{pattern}` is no pattern: {error}"))?);
    }
    set.build().map_err(|error| format!("the patterns make no sense: {error}"))
}

impl Hook {
    pub(in crate::agent) fn is_for(&self, point: HookPoint, tool: Option<&str>) -> bool {
        self.points.contains(&point)
            && match (&self.tools, tool) {
                (Some(names), Some(tool)) => names.is_match(tool),
                (Some(_) | None, None) | (None, Some(_)) => true,
            }
    }

    pub(in crate::agent) fn name(&self) -> String {
        match &self.runner {
            Runner::Command(line) => line.lines().next().unwrap_or_default().to_owned(),
            Runner::Client(_) => "of a client".to_owned(),
        }
    }
}
