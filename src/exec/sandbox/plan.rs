//! The mounts of a confined command, planned: pure.
//!
//! Of two entries the one with the longer path decides, so the steps go from short paths to long ones.

use super::Confinement;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The view of a path for a confined command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// The real content, which may be changed.
    Write,
    /// The real content, as a mount of its own, so that it cannot be renamed: a protected path lies below it.
    Pin,
    /// The real content, unchangeable.
    Read,
    /// An empty folder that the command may fill.
    Empty,
    /// Nothing that can be read.
    Hide,
}

/// Folders that programs write to as they please, and which hold sockets of others.
pub(super) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The folder of sockets and locks of running services.
pub(super) const RUN: &str = "/run";

/// Parts of it without which programs or names are not found on some systems.
const RUN_NEEDED: [&str; 3] =
    ["/run/current-system", "/run/opengl-driver", "/run/systemd/resolve/stub-resolv.conf"];

/// Returns the steps in their order. The paths of the confinement are canonical and exist; `sockets` are those of others.
pub(super) fn steps(confinement: &Confinement, sockets: &[PathBuf]) -> Vec<(PathBuf, Step)> {
    let mut steps = BTreeMap::new();
    let mut add = |path: &Path, step: Step| {
        let known = steps.entry(path.to_path_buf()).or_insert(step);
        *known = step.max(*known);
    };
    for needed in RUN_NEEDED {
        add(Path::new(needed), Step::Read);
    }
    for path in &confinement.writable {
        add(path, Step::Write);
    }
    for path in &confinement.readable {
        add(path, Step::Read);
    }
    for path in &confinement.hidden {
        add(path, Step::Hide);
    }
    for path in &confinement.protected {
        let is_root = |above: &&Path| confinement.writable.iter().any(|root| root == above);
        if !path.ancestors().skip(1).any(|above| is_root(&above)) {
            continue;
        }
        add(path, Step::Read);
        for above in path.ancestors().skip(1).take_while(|above| !is_root(above)) {
            add(above, Step::Pin);
        }
    }
    for path in sockets {
        let decides = |root: &&PathBuf| path.starts_with(root);
        let is_own = confinement.writable.iter().any(|root| decides(&root));
        if !is_own {
            add(path, Step::Hide);
        }
    }
    for folder in TEMPORARY.iter().chain([&RUN]) {
        if !confinement.writable.iter().any(|root| root == Path::new(folder)) {
            add(Path::new(folder), Step::Empty);
        }
    }
    let mut steps: Vec<_> = steps.into_iter().collect();
    steps.sort_by_key(|(path, _)| path.components().count());
    steps
}

/// Paths of listening sockets in the kernel's table.
pub(super) fn sockets(table: &str) -> Vec<PathBuf> {
    /// Far more than a machine has; a hostile one costs no more than this.
    const MAX: usize = 256;
    let hidden_anyway = |path: &str| {
        let folders = TEMPORARY.iter().chain([&RUN, &"/dev", &"/var/run"]);
        folders.into_iter().any(|folder| Path::new(path).starts_with(folder))
    };
    // Num RefCount Protocol Flags Type St Inode Path: the path is the rest of the line.
    let paths = table.lines().skip(1).filter_map(|line| {
        let at = line.find(" /")?;
        line.get(at + 1..)
    });
    let mut paths: Vec<_> = paths.filter(|path| !hidden_anyway(path)).map(PathBuf::from).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(MAX);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(confinement: &Confinement, sockets: &[&str]) -> Vec<(String, Step)> {
        let sockets: Vec<PathBuf> = sockets.iter().map(PathBuf::from).collect();
        let steps = steps(confinement, &sockets).into_iter();
        let usual = ["/tmp", "/var/tmp", "/run"];
        steps
            .map(|(path, step)| (path.to_string_lossy().into_owned(), step))
            .filter(|(path, _)| !usual.contains(&path.as_str()) && !path.starts_with("/run/"))
            .collect()
    }

    #[test]
    fn the_longer_path_comes_later() {
        use Step::{Hide, Pin, Read, Write};
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let confinement = Confinement {
            writable: paths(&["/home/me/work", "/tmp/other"]),
            protected: paths(&["/home/me/work/.git/hooks", "/elsewhere"]),
            hidden: paths(&["/home/me/.ssh", "/home/me/data"]),
            readable: paths(&["/home/me/data/session"]),
            ..Confinement::default()
        };
        let want = [
            ("/tmp/other", Write),
            ("/var/lib/db.sock", Hide),
            ("/home/me/.ssh", Hide),
            ("/home/me/data", Hide),
            ("/home/me/work", Write),
            ("/home/me/data/session", Read),
            ("/home/me/work/.git", Pin),
            ("/home/me/work/.git/hooks", Read),
        ];
        let got = planned(&confinement, &["/var/lib/db.sock", "/home/me/work/own.sock"]);
        let mut got: Vec<_> = got.iter().map(|(path, step)| (path.as_str(), *step)).collect();
        got.sort_by_key(|(path, _)| want.iter().position(|(wanted, _)| wanted == path));
        assert_eq!(got, want);
        let all = steps(&confinement, &[]);
        let depths: Vec<_> = all.iter().map(|(path, _)| path.components().count()).collect();
        assert!(depths.is_sorted());
    }

    #[test]
    fn the_table_of_sockets() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 21 /var/lib/my db.sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 22 @abstract\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 23\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 24 /run/docker.sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 25 /var/lib/my db.sock\n";
        assert_eq!(sockets(table), [PathBuf::from("/var/lib/my db.sock")]);
    }
}
