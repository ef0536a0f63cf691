//! What commands may do under a session's permissions, as sandbox settings. Pure.

use pintle_exec::sandbox::{Confinement, Grade, JudgeNames, NamePatterns, Names};
use pintle_os::System;
use pintle_protocol::approval::PermissionMode;
use pintle_tools::permissions::rules::{DeniedPrograms, RestrictedFiles};
use pintle_tools::permissions::{Compiled, Places, Sandbox, Zone, places};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name under which rules about files see commands.
const COMMANDS: &str = "bash";

/// Files that commands cannot access, by name.
struct ByName {
    places: Arc<Places>,
    /// Secret files that commands may read.
    readable: Vec<PathBuf>,
    programs: DeniedPrograms,
    files: RestrictedFiles,
}

impl ByName {
    /// File rules apply in the workspace: other paths that a command may write, such as `/dev/null`, are exempt.
    fn is_in_workspace(&self, path: &Path) -> bool {
        self.places.roots.iter().any(|root| path != root && path.starts_with(root))
    }
}

impl JudgeNames for ByName {
    fn is_secret(&self, path: &Path) -> bool {
        let is_secret = matches!(self.places.zone(path), Zone::Secret(_))
            && !self.readable.iter().any(|open| path == open);
        is_secret || (self.is_in_workspace(path) && self.files.keeps_from_reading(COMMANDS, path))
    }

    fn is_obeyed(&self, path: &Path) -> bool {
        self.places.is_kept_from_commands(path)
            || (self.is_in_workspace(path) && self.files.keeps_from_writing(COMMANDS, path))
    }

    fn judges_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    fn denies_program(&self, words: &[String]) -> bool {
        self.programs.deny(COMMANDS, words)
    }

    fn denied_names(&self) -> Vec<String> {
        self.programs.names()
    }
}

/// Returns the same names as patterns.
fn patterns() -> NamePatterns {
    let places::Patterns { obeyed, output, secret, open } = places::patterns();
    NamePatterns { obeyed, output, secret, open }
}

/// Returns how commands are confined: changes only in the workspace, and none in read-only mode; no secrets, no network by default, and
/// never less than the level that the decision relied on.
pub(super) fn confinement(
    places: &Arc<Places>,
    rules: &[Compiled],
    sandbox: Sandbox,
    mode: PermissionMode,
) -> Confinement {
    let roots = places.roots.clone();
    let opened = places.opened(rules, COMMANDS);
    let names = Names::new(
        ByName {
            places: Arc::clone(places),
            readable: opened.clone(),
            programs: DeniedPrograms::select(rules, COMMANDS),
            files: RestrictedFiles::select(rules, COMMANDS),
        },
        places.hidden().into_iter().filter(|path| !opened.contains(path)).collect(),
        places.listed(),
    );
    // Only a profile of `sandbox-exec` takes them as a text.
    let names =
        if System::CURRENT == System::MacOs { names.with_patterns(patterns()) } else { names };
    let (writable, read_only) = match mode {
        PermissionMode::ReadOnly => (Vec::new(), roots),
        PermissionMode::Ask | PermissionMode::AutoEdit | PermissionMode::Full => {
            (roots, Vec::new())
        }
    };
    Confinement {
        writable,
        names,
        hidden: places.private.clone(),
        readable: read_only
            .into_iter()
            .chain(places.readable.iter().cloned())
            .chain(opened.iter().cloned())
            .collect(),
        minimum: match sandbox {
            Sandbox::Missing | Sandbox::Partial => Grade::Partial,
            Sandbox::Full | Sandbox::Required => Grade::Full,
        },
        ..Confinement::default()
    }
}

/// Returns the same confinement without writable paths.
pub(super) fn only_reading(confinement: &Confinement) -> Confinement {
    let Confinement { writable, readable, .. } = confinement;
    let readable = writable.iter().chain(readable).cloned().collect();
    Confinement { writable: Vec::new(), protected: Vec::new(), readable, ..confinement.clone() }
}
