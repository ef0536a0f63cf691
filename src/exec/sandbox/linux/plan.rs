//! The mount plan of a confined command: pure.
//!
//! If two entries match, the one with the longer path decides, so the steps go from short paths to long ones.

use super::Confinement;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a confined command sees a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// The real content, which may be changed.
    Write,
    /// The real content, as a separate mount, so that it cannot be renamed: a protected path lies below it.
    Pin,
    /// A symbolic link, mounted over itself so that it cannot be removed or replaced.
    Link,
    /// The real content, unchangeable.
    Read,
    /// An empty directory that the command may fill.
    Empty,
    /// No readable content.
    Hide,
}

/// Directories that any program writes to, and which contain other programs' sockets.
pub(super) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// The directory for sockets and locks of running services.
pub(super) const RUN: &str = "/run";

/// Parts of it without which programs or names are not found on some systems.
const RUN_NEEDED: [&str; 3] =
    ["/run/current-system", "/run/opengl-driver", "/run/systemd/resolve/stub-resolv.conf"];

/// Returns the steps in order. The confinement's paths are canonical and exist; `sockets` belong to other programs.
///
/// Those are hidden wherever they are: a command started by the engine listens in a separate network, which has another table.
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
    for path in confinement.protected.iter().chain(&confinement.links) {
        let is_root = |above: &&Path| confinement.writable.iter().any(|root| root == above);
        if !path.ancestors().skip(1).any(|above| is_root(&above)) {
            continue;
        }
        let is_link = confinement.links.contains(path);
        add(path, if is_link { Step::Link } else { Step::Read });
        for above in path.ancestors().skip(1).take_while(|above| !is_root(above)) {
            add(above, Step::Pin);
        }
    }
    for path in sockets {
        add(path, Step::Hide);
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

/// Returns paths of listening sockets in the kernel's table. A relative one means those of `in_workspace` that end with it.
pub(super) fn sockets(table: &str, confinement: &Confinement) -> Vec<PathBuf> {
    /// Far more than a normal machine has; bounds the cost of a hostile one.
    const MAX: usize = 256;
    let in_workspace = &confinement.sockets;
    let hidden_anyway = |path: &Path| {
        let folders = TEMPORARY.iter().chain([&RUN, &"/dev", &"/var/run"]);
        let roots = confinement.writable.iter().chain(&confinement.readable);
        folders.into_iter().any(|folder| path.starts_with(folder))
            && !roots.into_iter().any(|root| path.starts_with(root))
    };
    // The columns are Num RefCount Protocol Flags Type St Inode Path, and the path extends to the end of the line.
    let paths = table.lines().skip(1).filter_map(|line| {
        let mut rest = line;
        for _ in 0..7 {
            rest = rest.trim_start().split_once(' ')?.1;
        }
        Some(rest.trim_start()).filter(|path| !path.is_empty() && !path.starts_with('@'))
    });
    let mut paths: Vec<PathBuf> = paths
        .flat_map(|path| {
            if path.starts_with('/') {
                return vec![PathBuf::from(path)];
            }
            let path = path.trim_start_matches("./");
            in_workspace.iter().filter(|found| found.ends_with(path)).cloned().collect()
        })
        .filter(|path| !hidden_anyway(path))
        .collect();
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
        use Step::{Hide, Link, Pin, Read, Write};
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let confinement = Confinement {
            writable: paths(&["/home/me/work", "/tmp/other"]),
            protected: paths(&["/home/me/work/.git/hooks", "/elsewhere"]),
            hidden: paths(&["/home/me/.ssh", "/home/me/data"]),
            readable: paths(&["/home/me/data/session"]),
            links: paths(&["/home/me/work/AGENTS.md"]),
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
            ("/home/me/work/AGENTS.md", Link),
            ("/home/me/work/others.sock", Hide),
        ];
        let got = planned(&confinement, &["/var/lib/db.sock", "/home/me/work/others.sock"]);
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
        let table = format!(
            "{table}\
            0000000000000000: 00000002 00000000 00010000 0001 01 26 /tmp/work/own.sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 27 run/relative.sock\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 28 ./dotted.sock\n"
        );
        let path = |path: &str| PathBuf::from(path);
        let confinement = Confinement {
            writable: vec![path("/tmp/work")],
            sockets: ["run/relative.sock", "sub/dotted.sock", "unrelated.sock"]
                .map(|name| path("/tmp/work").join(name))
                .into(),
            ..Confinement::default()
        };
        let want = [
            "/tmp/work/own.sock",
            "/tmp/work/run/relative.sock",
            "/tmp/work/sub/dotted.sock",
            "/var/lib/my db.sock",
        ];
        assert_eq!(sockets(&table, &confinement), want.map(PathBuf::from));
    }
}
