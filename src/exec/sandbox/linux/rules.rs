//! Landlock: which files a command may change, and without namespaces also which it may read.
//!
//! A rule opens a directory with everything below; no rule can close a part of it again. So files inside a readable directory are hidden by
//! opening everything around them.
#![expect(clippy::disallowed_methods, reason = "exec is where folders are listed")]

use super::plan::TEMPORARY;
use super::wire::Failure;
use super::{Confinement, Network};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use nix::libc;
use std::io;
use std::path::{Path, PathBuf};

/// The newest interface whose rights are known here. On an older kernel the newer ones are left out.
const KNOWN: ABI = ABI::V6;

/// Devices that a command may write to.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Device and shared memory directories that a command with a separate `/dev` may change.
const DEVICE_FOLDERS: [&str; 2] = ["/dev/pts", "/dev/shm"];

/// Returns the kernel's Landlock ABI version; 0 if it has none.
#[expect(unsafe_code, reason = "the crate does not expose the version")]
pub(super) fn abi() -> u32 {
    const VERSION: libc::c_uint = 1;
    // Safety: with this flag the call takes no attributes and only returns a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

/// Restricts this process for good.
pub(super) fn restrict(confinement: &Confinement, has_namespaces: bool) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure {
        step: "Landlock".to_owned(),
        errno: None,
        message: error.to_string(),
    };
    let write = AccessFs::from_write(KNOWN);
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let handled = if has_namespaces { write } else { AccessFs::from_all(KNOWN) };
    let mut ruleset = ruleset.handle_access(handled).map_err(|error| failed(&error))?;
    if !has_namespaces && confinement.network != Network::Open {
        ruleset =
            ruleset.handle_access(AccessNet::from_all(KNOWN)).map_err(|error| failed(&error))?;
    }
    let ruleset = ruleset.scope(Scope::from_all(KNOWN)).map_err(|error| failed(&error))?;
    let mut ruleset = ruleset.create().map_err(|error| failed(&error))?;

    let mut open = |path: &Path, access: BitFlags<AccessFs>| -> Result<(), Failure> {
        // A path that is missing or cannot be opened is also unusable for the command.
        let Ok(descriptor) = PathFd::new(path) else { return Ok(()) };
        add(&mut ruleset, PathBeneath::new(descriptor, access & handled))
            .map_err(|error| failed(&error))
    };
    for path in &confinement.writable {
        open(path, AccessFs::from_all(KNOWN))?;
    }
    if has_namespaces {
        let folders = TEMPORARY.iter().chain(&DEVICE_FOLDERS);
        for path in folders {
            open(Path::new(path), AccessFs::from_all(KNOWN))?;
        }
    } else {
        if let Some(path) = confinement.temporary.folder() {
            open(path, AccessFs::from_all(KNOWN))?;
        }
        open(Path::new("/"), AccessFs::ReadDir.into())?;
        for path in visible(Path::new("/"), &confinement.hidden).iter().chain(&confinement.readable)
        {
            open(path, AccessFs::from_read(KNOWN))?;
        }
    }
    let device = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for path in DEVICES {
        open(Path::new(path), device)?;
    }
    ruleset.restrict_self().map(drop).map_err(|error| failed(&error))
}

fn add(
    ruleset: &mut RulesetCreated,
    rule: PathBeneath<PathFd>,
) -> Result<(), landlock::RulesetError> {
    ruleset.add_rule(rule).map(drop)
}

/// Returns the directories and files that together are everything below a directory except the hidden paths.
fn visible(folder: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| folder.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(folder)) {
        return vec![folder.to_path_buf()];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(io::Result::ok)
        // A link's target is opened by a separate rule.
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()))
        .flat_map(|entry| visible(&entry.path(), hidden))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everything_beside_what_is_hidden_is_visible() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["home/.ssh", "home/work/src", "home/data/session", "other"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("home/file"), "").unwrap();
        std::os::unix::fs::symlink(".ssh", root.join("home/link")).unwrap();
        let names = |hidden: &[&str]| -> BTreeSet<String> {
            let hidden: Vec<_> = hidden.iter().map(|path| root.join(path)).collect();
            let visible = visible(root, &hidden);
            let name =
                |path: &PathBuf| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            visible.iter().map(name).collect()
        };
        let set = |names: &[&str]| -> BTreeSet<String> {
            names.iter().map(|&name| name.to_owned()).collect()
        };
        assert_eq!(names(&[]), set(&[""]));
        assert_eq!(names(&["home/.ssh"]), set(&["home/data", "home/file", "home/work", "other"]));
        assert_eq!(
            names(&["home/.ssh", "home/data/session"]),
            set(&["home/file", "home/work", "other"])
        );
        assert_eq!(names(&["home"]), set(&["other"]));
    }
}
