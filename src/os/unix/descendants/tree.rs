//! Families of processes, from rows that a system lists. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// A process that is not a zombie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pid: i32,
    /// The parent process; another one than at the start if that has ended.
    pub(super) parent: i32,
    /// When it was started, in units of the system.
    pub(super) started: u64,
    /// Its numbers, on systems that have them.
    pub(super) identity: Option<Identity>,
}

/// Numbers that the system gives to no other process until it restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) own: u64,
    /// The parent's process number, even if the parent has exited.
    pub(super) parent: u64,
}

/// Returns the processes that are members by themselves, those with a remembered identity, and all their descendants.
pub(super) fn family(
    rows: impl Iterator<Item = Row>,
    remembered: &BTreeSet<u64>,
    is_member: impl Fn(&Row) -> bool,
) -> BTreeSet<i32> {
    let is_remembered = |row: &Row| {
        row.identity.is_some_and(|identity| {
            remembered.contains(&identity.own) || remembered.contains(&identity.parent)
        })
    };
    let mut found = BTreeSet::new();
    let mut all = Vec::new();
    for row in rows {
        if is_remembered(&row) || is_member(&row) {
            found.insert(row.pid);
        }
        all.push(row);
    }
    // A child may have cleared its environment.
    with_descendants(&all, found)
}

/// Adds the children, and theirs.
pub(super) fn with_descendants(rows: &[Row], mut found: BTreeSet<i32>) -> BTreeSet<i32> {
    let numbers = |found: &BTreeSet<i32>| -> BTreeSet<u64> {
        let members = rows.iter().filter(|row| found.contains(&row.pid));
        members.filter_map(|row| Some(row.identity?.own)).collect()
    };
    loop {
        let before = found.len();
        let known = numbers(&found);
        let is_child = |row: &&Row| {
            let started_by = row.identity.map(|identity| identity.parent);
            found.contains(&row.parent) || started_by.is_some_and(|by| known.contains(&by))
        };
        let children: Vec<i32> = rows.iter().filter(is_child).map(|row| row.pid).collect();
        found.extend(children);
        if found.len() == before {
            return found;
        }
    }
}

/// Returns true if the process or one of its ancestors is among these.
pub(super) fn is_below(rows: &[Row], process: i32, among: &BTreeSet<i32>) -> bool {
    let parents: BTreeMap<i32, i32> = rows.iter().map(|row| (row.pid, row.parent)).collect();
    // The root is its own parent on some systems.
    let mut seen = BTreeSet::new();
    let mut next = Some(process);
    while let Some(pid) = next.filter(|pid| seen.insert(*pid)) {
        if among.contains(&pid) {
            return true;
        }
        next = parents.get(&pid).copied();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of `ps`, each `PID PARENT` and, on macOS, `OWN STARTED_BY`.
    fn rows(text: &str) -> Vec<Row> {
        let row = |line: &str| {
            let numbers: Vec<u64> =
                line.split_whitespace().map(|number| number.parse().unwrap()).collect();
            let pid = |place: usize| i32::try_from(numbers[place]).unwrap();
            let identity = numbers.get(2).map(|own| Identity { own: *own, parent: numbers[3] });
            Row { pid: pid(0), parent: pid(1), started: 0, identity }
        };
        text.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
    }

    #[test]
    fn a_family_is_what_was_marked_or_remembered_and_all_below() {
        let linux = "
            1 0
            10 1
            11 10
            12 11
            20 1
            21 20";
        // Process 12 lost its parent 11, and 13 its parents 14 and 11.
        let macos = "
            1 0 1 0
            10 1 100 1
            12 1 102 101
            13 1 103 104
            20 1 200 1
            21 20 201 200";
        for (name, text, marked, remembered, want) in [
            ("nothing", linux, &[][..], &[][..], &[][..]),
            ("a tree", linux, &[10], &[], &[10, 11, 12]),
            ("a mark below", linux, &[11], &[], &[11, 12]),
            ("numbers that Linux does not have", linux, &[21], &[1], &[21]),
            ("a tree of macOS", macos, &[20], &[], &[20, 21]),
            ("what lost its parent, by the parent's number", macos, &[], &[101], &[12]),
            ("a remembered process itself", macos, &[], &[103], &[13]),
            ("one whose parent was never seen is not found", macos, &[10], &[100], &[10]),
            ("a mark and a number", macos, &[21], &[101, 104], &[12, 13, 21]),
        ] {
            let remembered = remembered.iter().copied().collect();
            let found =
                family(rows(text).into_iter(), &remembered, |row| marked.contains(&row.pid));
            assert_eq!(found.into_iter().collect::<Vec<_>>(), want, "{name}");
        }
    }

    #[test]
    fn a_process_is_below_itself_and_its_ancestors() {
        let rows = rows("0 0\n1 0\n10 1\n11 10\n20 1");
        for (process, among, want) in
            [(11, 11, true), (11, 10, true), (11, 1, true), (11, 20, false), (99, 1, false)]
        {
            assert_eq!(
                is_below(&rows, process, &BTreeSet::from([among])),
                want,
                "{process} {among}"
            );
        }
    }
}
