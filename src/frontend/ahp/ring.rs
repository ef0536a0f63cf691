//! The numbers of actions, and the last ones for clients that come back. Pure.

use super::wire;
use ahp_types::actions::{ActionEnvelope, ActionOrigin, StateAction};
use std::collections::{BTreeSet, VecDeque};

/// The number of actions that are kept: minutes of streaming, for a client that lost its connection for seconds.
const MAX_ACTIONS: usize = 4096;

/// Maximum size of the kept actions, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The last actions of all channels.
#[derive(Debug, Default)]
pub(super) struct Ring {
    /// The last action's number.
    seq: u64,
    kept: VecDeque<(ActionEnvelope, usize)>,
    bytes: usize,
}

impl Ring {
    /// Returns the last action's number.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Numbers an action. Returns it as clients receive it.
    pub(super) fn push(
        &mut self,
        channel: String,
        action: StateAction,
        origin: Option<ActionOrigin>,
    ) -> bytes::Bytes {
        self.seq += 1;
        let server_seq = self.seq;
        let envelope =
            ActionEnvelope { channel, action, server_seq, origin, rejection_reason: None };
        let message = wire::action(&envelope);
        self.bytes += message.len();
        self.kept.push_back((envelope, message.len()));
        while self.kept.len() > MAX_ACTIONS || self.bytes > MAX_BYTES {
            let Some((_, size)) = self.kept.pop_front() else { break };
            self.bytes -= size;
        }
        message
    }

    /// Returns the actions on these channels after a number; `None` if some are gone, or if the number belongs to another host.
    pub(super) fn after(
        &self,
        seq: u64,
        channels: &BTreeSet<String>,
    ) -> Option<Vec<ActionEnvelope>> {
        let first = self.kept.front().map_or(self.seq + 1, |(first, _)| first.server_seq);
        if seq > self.seq || seq + 1 < first {
            return None;
        }
        let later = self.kept.iter().map(|(envelope, _)| envelope);
        let wanted = later
            .filter(|envelope| envelope.server_seq > seq && channels.contains(&envelope.channel));
        Some(wanted.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ahp_types::actions::{SessionReadyAction, SessionTitleChangedAction};

    fn ready() -> StateAction {
        StateAction::SessionReady(SessionReadyAction {})
    }

    #[test]
    fn what_a_client_missed_is_kept_for_a_while() {
        let mut ring = Ring::default();
        let wanted = BTreeSet::from(["a".to_owned()]);
        assert_eq!(ring.after(0, &wanted), Some(Vec::new()));
        assert_eq!(ring.after(1, &wanted), None, "a number of another host");
        for _ in 0..MAX_ACTIONS {
            ring.push("a".to_owned(), ready(), None);
            ring.push("b".to_owned(), ready(), None);
        }
        let last = ring.seq();
        let numbers = |seq: u64| -> Option<Vec<u64>> {
            let found = ring.after(seq, &wanted)?;
            Some(found.iter().map(|envelope| envelope.server_seq).collect())
        };
        assert_eq!(numbers(last), Some(Vec::new()));
        assert_eq!(numbers(last - 4), Some(vec![last - 3, last - 1]));
        assert_eq!(numbers(0), None, "the first are gone");
        assert!(numbers(last - MAX_ACTIONS as u64).is_some());
        assert!(numbers(last - MAX_ACTIONS as u64 - 1).is_none());

        let mut ring = Ring::default();
        for _ in 0..3 {
            let title = "x".repeat(MAX_BYTES / 2);
            let action = StateAction::SessionTitleChanged(SessionTitleChangedAction { title });
            ring.push("a".to_owned(), action, None);
        }
        assert!(ring.after(1, &wanted).is_none() && ring.after(2, &wanted).is_some());
    }
}
