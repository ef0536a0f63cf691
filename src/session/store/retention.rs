//! Retention: finds stored sessions that exceed the configured limits. They are read from the directories; the plan is a pure function.
//!
//! Invariant: a session that is open, has a label, or was changed within a day stays, whatever the limits. Sub-agents' sessions are kept
//! and deleted with their parents.
//!
//! Sessions to delete are planned from lists and checked in their directories: a list may be out of date, so a session's journal supplies
//! its age and labels, and its lock is tried; the plan is then made again.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::header::FILE;
use super::lock::{self, Holder};
use super::{Error, Filter, Store, list};
use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

pub(super) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The file in the data directory that records when the last check ran.
const STAMP: &str = "pruned";

/// The maximum size of that file.
const MAX_STAMP_BYTES: u64 = 1024;

/// The limits of stored sessions. A limit that is `None` deletes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// The maximum age since the last change, in days.
    pub days: Option<u64>,
    /// How many of the newest sessions to keep.
    pub count: Option<usize>,
    /// The maximum total size, in bytes.
    pub bytes: Option<u64>,
}

/// A stored session with those of its sub-agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The session.
    pub session_id: SessionId,
    /// Its title, as in lists.
    pub title: Option<String>,
    /// When any of them last changed, in milliseconds since 1970.
    pub updated_ms: u64,
    /// Their size on the disk, in bytes.
    pub bytes: u64,
    /// The reason why it stays regardless of the limits, if any.
    pub exemption: Option<Exemption>,
    /// The session and its sub-agents' sessions, with their directories.
    members: Vec<(SessionId, PathBuf)>,
}

impl Family {
    /// Reads age, lock and labels from the directories: a list may be out of date, and has neither locks nor labels.
    fn refresh(&mut self) {
        for (id, folder) in &self.members {
            if let Some(now) = list::summary(folder) {
                self.updated_ms = self.updated_ms.max(now.updated_ms);
            }
            if lock::lock(folder, id, Holder::Alone).is_err() {
                self.exemption = Some(Exemption::Open);
            } else if self.exemption.is_none() && is_labelled(&folder.join(FILE)) {
                self.exemption = Some(Exemption::Labelled);
            }
        }
    }
}

/// The reason why a session stays regardless of the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exemption {
    /// The session is open in some process.
    Open,
    /// An event in it has a label.
    Labelled,
}

/// The reason why a session is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The session is too old.
    Days,
    /// There are too many.
    Count,
    /// All together are too large.
    Bytes,
}

/// Returns the sessions to delete, the oldest first, each with the reason.
pub fn plan(families: &[Family], policy: &Policy, now_ms: u64) -> Vec<(Family, Reason)> {
    let mut newest: Vec<&Family> = families.iter().collect();
    newest.sort_by(|a, b| (b.updated_ms, &b.session_id).cmp(&(a.updated_ms, &a.session_id)));
    let mut bytes: u64 = newest.iter().map(|family| family.bytes).sum();
    let mut count = newest.len();
    let mut deletions = Vec::new();
    for family in newest.into_iter().rev() {
        let age_ms = now_ms.saturating_sub(family.updated_ms);
        if family.exemption.is_some() || age_ms < DAY_MS {
            continue;
        }
        let reason = if policy.days.is_some_and(|days| age_ms > days.saturating_mul(DAY_MS)) {
            Reason::Days
        } else if policy.count.is_some_and(|most| count > most) {
            Reason::Count
        } else if policy.bytes.is_some_and(|most| bytes > most) {
            Reason::Bytes
        } else {
            continue;
        };
        count -= 1;
        bytes -= family.bytes;
        deletions.push((family.clone(), reason));
    }
    deletions
}

impl Store {
    /// Returns the sessions that exceed a policy, the oldest first. Only their journals are read.
    ///
    /// # Errors
    /// The sessions directory exists and cannot be read.
    pub fn exceeding(&self, policy: &Policy, now_ms: u64) -> Result<Vec<(Family, Reason)>, Error> {
        let mut families = self.families()?;
        let mut checked = HashSet::new();
        loop {
            let deletions = plan(&families, policy, now_ms);
            let new: HashSet<SessionId> = deletions
                .iter()
                .map(|(family, _)| family.session_id.clone())
                .filter(|id| checked.insert(id.clone()))
                .collect();
            if new.is_empty() {
                return Ok(deletions);
            }
            // A session that stays makes others exceed the limits, so the plan is made again.
            for family in families.iter_mut().filter(|family| new.contains(&family.session_id)) {
                family.refresh();
            }
        }
    }

    /// Returns every session with those of its sub-agents, from the lists.
    fn families(&self) -> Result<Vec<Family>, Error> {
        let filter = Filter { subagents: true, ..Filter::default() };
        let (all, _) = self.list(&filter, None, usize::MAX)?;
        let known: HashSet<&SessionId> = all.iter().map(|session| &session.session_id).collect();
        let parents: HashMap<&SessionId, &SessionId> = all
            .iter()
            .filter_map(|session| Some((&session.session_id, &session.parent.as_ref()?.session_id)))
            .filter(|(_, parent)| known.contains(parent))
            .collect();
        let mut families: BTreeMap<&SessionId, Family> = BTreeMap::new();
        for session in &all {
            let mut head = &session.session_id;
            // A journal may name any parent, itself too.
            for _ in 0..parents.len() {
                head = parents.get(head).copied().unwrap_or(head);
            }
            let family = families.entry(head).or_insert_with(|| Family {
                session_id: head.clone(),
                title: None,
                updated_ms: 0,
                bytes: 0,
                exemption: None,
                members: Vec::new(),
            });
            if *head == session.session_id {
                family.title.clone_from(&session.title);
            }
            let folder = PathBuf::from(&session.path);
            family.updated_ms = family.updated_ms.max(session.updated_ms);
            family.bytes += bytes(&folder);
            family.members.push((session.session_id.clone(), folder));
        }
        Ok(families.into_values().collect())
    }

    /// Returns the data directory's size in bytes: sessions, index and everything else.
    pub fn bytes(&self) -> u64 {
        self.sessions.parent().map_or(0, bytes)
    }

    /// Returns a session directory's size in bytes.
    pub fn session_bytes(&self, folder: &str) -> u64 {
        bytes(Path::new(folder))
    }

    /// Returns true if the last check was at least a day ago, and records this one.
    pub fn is_prune_due(&self, now_ms: u64) -> bool {
        let Some(data) = self.sessions.parent() else { return false };
        if !self.sessions.is_dir() {
            return false;
        }
        let stamp = data.join(STAMP);
        let last = private_files::read_to_string(&stamp, MAX_STAMP_BYTES)
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok());
        // After the clock was set back, a stamp may lie in the future; it is ignored.
        if last.is_some_and(|last| last <= now_ms && now_ms - last < DAY_MS) {
            return false;
        }
        // If it cannot be written, nothing can be deleted either.
        private_files::write_private(&stamp, format!("{now_ms}\n").as_bytes()).is_ok()
    }
}

/// Returns a directory's size in bytes, without following links. Unreadable files do not count.
pub(super) fn bytes(folder: &Path) -> u64 {
    let mut sum = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => sum += meta.len(),
                Err(_) => {}
            }
        }
    }
    sum
}

/// Returns true if an event in a journal has a label. Events of other types are not parsed.
fn is_labelled(journal: &Path) -> bool {
    const MARK: &str = "\"type\":\"label.changed\"";
    let Ok(file) = private_files::open(journal) else { return false };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut labels: HashMap<u64, bool> = HashMap::new();
    loop {
        line.clear();
        match private_files::read_line(&mut reader, &mut line) {
            Ok(0) | Err(_) => return labels.values().any(|is_set| *is_set),
            Ok(_) => {}
        }
        if memchr::memmem::find(&line, MARK.as_bytes()).is_none() {
            continue;
        }
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&line) else { continue };
        let Some(event) = value.get("event") else { continue };
        if event.get("type").is_some_and(|kind| kind == "label.changed") {
            let seq = event.get("seq").and_then(serde_json::Value::as_u64).unwrap_or(0);
            labels.insert(seq, event.get("label").is_some_and(serde_json::Value::is_string));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 100 * DAY_MS;

    fn family(name: &str, days: u64, bytes: u64, exemption: Option<Exemption>) -> Family {
        let updated_ms = NOW - days * DAY_MS;
        let session_id = SessionId::new(name);
        Family { session_id, title: None, updated_ms, bytes, exemption, members: Vec::new() }
    }

    #[test]
    fn what_goes_is_the_oldest_and_never_what_is_held_or_of_today() {
        let open = Some(Exemption::Open);
        let labelled = Some(Exemption::Labelled);
        let five = [
            family("today", 0, 10, None),
            family("two", 2, 10, None),
            family("five", 5, 10, None),
            family("nine", 9, 10, None),
            family("ninety", 90, 10, None),
        ];
        let exemption = [
            family("open", 90, 50, open),
            family("named", 80, 50, labelled),
            family("free", 70, 5, None),
        ];
        let policy = |days, count, bytes| Policy { days, count, bytes };
        for (name, families, policy, want) in [
            ("nothing is set", &five[..], Policy::default(), ""),
            ("by age", &five, policy(Some(5), None, None), "ninety nine"),
            ("by number", &five, policy(None, Some(3), None), "ninety nine"),
            ("by room", &five, policy(None, None, Some(25)), "ninety nine five"),
            ("together", &five, policy(Some(60), Some(3), Some(25)), "ninety nine five"),
            (
                "not what is of today",
                &five,
                policy(Some(1), Some(1), Some(1)),
                "ninety nine five two",
            ),
            (
                "not what is held, though it counts",
                &exemption,
                policy(Some(1), Some(1), Some(1)),
                "free",
            ),
            ("all fits", &five, policy(Some(100), Some(5), Some(50)), ""),
            ("none are there", &[], policy(Some(1), Some(1), Some(1)), ""),
        ] {
            let deletions = plan(families, &policy, NOW);
            let names: Vec<&str> =
                deletions.iter().map(|(session, _)| session.session_id.as_str()).collect();
            assert_eq!(names.join(" "), want, "{name}");
        }
        let reasons: Vec<Reason> = plan(&five, &policy(Some(60), Some(3), Some(25)), NOW)
            .into_iter()
            .map(|(_, reason)| reason)
            .collect();
        assert_eq!(reasons, [Reason::Days, Reason::Count, Reason::Bytes]);
    }
}
