//! Files below a directory that a call reads as a whole, such as the files searched by a search: the call itself lists none of them.

use super::decide::Judge;
use super::places::{Zone, has_secret_name};
use super::rules::Match;
use super::{CheckedPath, Compiled, Context, Decision, Kind, Places, Sandbox};
use pintle_protocol::approval::PermissionMode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decides about the files below an allowed call's directories.
#[derive(Debug)]
pub struct FilesBelow {
    tool: String,
    mode: PermissionMode,
    is_trusted: bool,
    sandbox: Sandbox,
    places: Arc<Places>,
    /// The rules that apply.
    rules: Vec<Compiled>,
    folders: Vec<PathBuf>,
    /// True if the directories may contain more secrets than files with secret names.
    may_hold_secrets: bool,
}

impl FilesBelow {
    /// Copies the inputs from the decision about the call itself.
    pub fn new(
        tool: &str,
        folders: &[CheckedPath],
        (mode, is_trusted, sandbox): (PermissionMode, bool, Sandbox),
        places: Arc<Places>,
        rules: Vec<Compiled>,
    ) -> Self {
        let folders: Vec<PathBuf> = folders.iter().map(|path| path.resolved.clone()).collect();
        let may_hold_secrets = folders.iter().any(|folder| places.may_hold_secrets(folder));
        let tool = tool.to_owned();
        Self { tool, mode, is_trusted, sandbox, places, rules, folders, may_hold_secrets }
    }

    /// Returns true for a file that the call must not read although its directory was allowed: a secret file, or one that a rule denies or
    /// asks about. A rule that asks about the directory itself was answered with it. `path` is canonical.
    pub fn leaves_out(&self, path: &Path) -> bool {
        let Self { tool, mode, is_trusted, sandbox, places, rules, folders, may_hold_secrets } =
            self;
        let is_secret = has_secret_name(path)
            || (*may_hold_secrets && matches!(places.zone(path), Zone::Secret(_)));
        let restricts = |rule: &Compiled| {
            let covers = |path: &Path| rule.matches_path(Kind::Read, tool, path) == Match::Yes;
            let was_answered =
                || folders.iter().any(|folder| path.starts_with(folder) && covers(folder));
            rule.is_about_files(Kind::Read, tool)
                && covers(path)
                && match rule.rule.decision {
                    Decision::Allow => false,
                    Decision::Ask => !was_answered(),
                    Decision::Deny => true,
                }
        };
        if !is_secret && !rules.iter().any(restricts) {
            return false;
        }
        let ctx =
            Context { mode: *mode, is_trusted: *is_trusted, sandbox: *sandbox, places, rules };
        Judge { tool, ctx: &ctx }.read_file(path).decision != Decision::Allow
    }
}
