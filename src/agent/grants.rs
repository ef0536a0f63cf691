//! What the user's answers to approvals have changed about a session's rules. Pure; the session owns it.

use pintle_tools::permissions::{Compiled, Origin};
use std::collections::BTreeSet;

/// Rules that answers added, and rules that the user took back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants {
    rules: Vec<Compiled>,
    /// Rules that the running turn has read from files and the user has removed since.
    removed: Vec<Compiled>,
    /// Commands that failed in the sandbox in this turn: the same command again is to run outside.
    unconfined: BTreeSet<String>,
}

impl Grants {
    /// Returns the rules in force: the granted ones, and the rules from files without those removed since.
    pub(crate) fn apply(&self, read: &[Compiled]) -> Vec<Compiled> {
        self.standing(read).chain(&self.rules).cloned().collect()
    }

    /// Returns the rules from files without those removed since; `None` if none was removed.
    pub(crate) fn without_removed(&self, read: &[Compiled]) -> Option<Vec<Compiled>> {
        (!self.removed.is_empty()).then(|| self.standing(read).cloned().collect())
    }

    fn standing<'a>(&self, read: &'a [Compiled]) -> impl Iterator<Item = &'a Compiled> {
        read.iter().filter(|rule| !self.removed.iter().any(|removed| removed.is_same(rule)))
    }

    /// Returns the granted rules.
    pub(crate) fn rules(&self) -> &[Compiled] {
        &self.rules
    }

    /// Adds rules.
    pub(crate) fn add(&mut self, rules: Vec<Compiled>) {
        self.rules.extend(rules);
    }

    /// Removes a rule added by an answer. The running turn may have read it from a file.
    pub(crate) fn remove(&mut self, rule: Compiled) {
        self.rules.retain(|known| !known.is_same(&rule));
        self.removed.push(rule);
    }

    /// Forgets what held for the turn before. The new one reads permanent answers again.
    pub(crate) fn begin_turn(&mut self) {
        self.rules.retain(|rule| rule.origin == Origin::GrantedForSession);
        self.removed.clear();
        self.unconfined.clear();
    }

    /// Notes that a command failed because of the sandbox.
    pub(crate) fn note_sandbox_failure(&mut self, command: &str) {
        self.unconfined.insert(command.to_owned());
    }

    /// True if this command failed in the sandbox before.
    pub(crate) fn failed_in_sandbox(&self, command: &str) -> bool {
        self.unconfined.contains(command)
    }
}
