//! Merges a fork: its conversation becomes a branch of the session that it was forked from.
//!
//! Invariants: all of it is journaled, or nothing; the fork is only read; no file changes.

use super::{Phase, Session};
use crate::background::in_background;
use crate::command::{Record, Reply};
use crate::error::{Action, Error, ErrorKind};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::history::{HistoryRewound, MergedFrom, SessionMergeResult};
use pintle_protocol::ids::SessionId;
use pintle_session::history::fork::moved;
use pintle_session::history::{merge, recovery, tree};
use pintle_session::store::{Entry, Store, artifacts};
use std::sync::Arc;

impl Session {
    /// Takes a fork back.
    pub(super) async fn merge(&mut self, fork: SessionId, reply: Reply<SessionMergeResult>) {
        let mut records = Vec::new();
        let _ = reply.send(self.try_merge(fork, &mut records).await);
        // Even after a partial failure, journaled events are published.
        for record in records {
            self.publish(&record);
        }
    }

    async fn try_merge(
        &mut self,
        fork: SessionId,
        records: &mut Vec<Arc<Record>>,
    ) -> Result<SessionMergeResult, Error> {
        if let Phase::Running(running) = &self.phase {
            let busy = ErrorKind::Busy(running.turn_id.clone());
            let hint = "interrupt it, or merge when it has ended";
            return Err(Error::new(busy, "a turn is running").hint(hint));
        }
        let entries = in_background(self.log.journal.reader()).await?;
        let (store, now_ms) = (self.services.store.clone(), self.services.ambient.now_ms());
        let theirs = entries_of_fork(store, &fork, &self.log.id.clone(), now_ms).await?;
        let branch = merge::branch(&entries, &theirs);
        let to_seq = branch.after;
        let Some(last) = branch.new.last() else {
            let what = format!("session {fork} has nothing that is not already in this one");
            return Err(Error::new(ErrorKind::Invalid, what).hint(Action::GoTo(to_seq)));
        };
        self.ask_to_switch(None).await?;
        let (store, from) = (self.services.store.clone(), fork.clone());
        let folder = self.log.journal.folder().to_owned();
        in_background(move || artifacts::copy(&store.folder(&from)?, &folder)).await?;

        let from_seq = self.log.journal.last_seq();
        let (dropped, restored) = tree::difference(&entries, from_seq, to_seq);
        let copied_seq = from_seq + 1 + branch.new.len() as u64;
        let rewound = HistoryRewound {
            to_seq,
            dropped: dropped.clone(),
            restored: restored.clone(),
            merged: Some(MergedFrom { session_id: fork, seq: last.seq, copied_seq }),
        };
        records.extend(self.append_branch(rewound, &branch.new)?);
        let mut added = Vec::new();
        for record in &*records {
            if let Event::ItemCompleted { item } = &record.value.event {
                added.push(item.id.clone());
            }
            if let Event::PlanUpdated(plan) = &record.value.event {
                self.view.plan = plan.clone();
            }
        }
        let entries = in_background(self.log.journal.reader()).await?;
        records.extend(self.rebuild_view(&tree::on_path(entries, copied_seq))?);
        Ok(SessionMergeResult { to_seq, from_seq, copied_seq, dropped, restored, added })
    }

    /// Appends a separate branch to the journal, all of it or nothing.
    fn append_branch(
        &mut self,
        rewound: HistoryRewound,
        branch: &[&Entry],
    ) -> Result<Vec<Arc<Record>>, Error> {
        let record = |ts_ms, turn_id, cause, event| EventRecord {
            session_id: self.log.id.clone(),
            seq: 0,
            ts_ms,
            turn_id,
            cause,
            event,
        };
        let (now_ms, cause) = (self.services.ambient.now_ms(), self.log.cause.clone());
        let begin = record(now_ms, None, cause, Event::HistoryRewound(rewound));
        let copied = branch.iter().filter_map(|entry| {
            let EventRecord { ts_ms, turn_id, cause, event, .. } = entry.record.clone()?;
            let event = moved(event, &self.log.id);
            Some((record(ts_ms, turn_id, cause, event), entry.private.as_deref()))
        });
        let mut all: Vec<_> = std::iter::once((begin, None)).chain(copied).collect();
        for (seq, (record, _)) in (self.log.journal.last_seq() + 1..).zip(&mut all) {
            record.seq = seq;
        }
        let lines = all.iter().map(|(record, private)| (record, *private));
        let written = self.log.journal.append_all(lines)?;
        let records = all.into_iter().zip(written);
        Ok(records.map(|((value, _), json)| Arc::new(Record::new(value, json))).collect())
    }
}

/// Returns a fork's entries, with no open items.
async fn entries_of_fork(
    store: Store,
    fork: &SessionId,
    of: &SessionId,
    now_ms: u64,
) -> Result<Vec<Entry>, Error> {
    let id = fork.clone();
    let read = move || {
        let entries: Vec<Entry> = store.entries(&id)?.collect::<Result<_, _>>()?;
        let state = recovery::read(&entries, now_ms);
        Ok((entries, state))
    };
    let (entries, state) = in_background(read).await?;
    let from = state.created.and_then(|created| created.forked_from);
    if from.is_none_or(|from| from.session_id != *of) {
        let what = format!("session {fork} is not a fork of session {of}");
        return Err(Error::new(ErrorKind::Invalid, what).hint(Action::Fork));
    }
    let is_end = |(_, event): &(_, Event)| matches!(event, Event::TurnCompleted(_));
    if state.closing.iter().any(is_end) {
        let what = format!("a turn of session {fork} has not ended");
        let hint =
            "merge when it has ended; if its engine was killed, opening the session ends the turn";
        return Err(Error::new(ErrorKind::Invalid, what).hint(hint));
    }
    Ok(entries)
}
