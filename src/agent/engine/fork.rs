//! Forks a session: copies its history up to a point, under a new id.
//!
//! Invariants: the original session is only read, open or not, here or in another process; its usage is not counted here; the copy ends in
//! a valid state, at any point.

use crate::background::in_background;
use crate::command::{OpenConfig, SessionHandle};
use crate::engine::keyed::Wanted;
use crate::engine::{Engine, EngineHandle};
use crate::error::{Action, Error, ErrorKind};
use crate::hooks::{Hooks, Ran};
use crate::requests::ForkSession;
use crate::session::clients::hook_denied;
use crate::session::given_title;
use pintle_protocol::event::{Cause, Event, EventRecord, SessionCreated};
use pintle_protocol::history::{ForkedFrom, HistoryPoint};
use pintle_protocol::hook::{HookPoint, HookRun};
use pintle_protocol::ids::SessionId;
use pintle_session::history::fork::{belongs_to_history, interrupted, is_history, moved};
use pintle_session::history::{recovery, tree};
use pintle_session::store::{Entry, FORMAT_VERSION, Header, Journal, Store};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl EngineHandle {
    /// Asks the configured hooks whether a session may be forked. They run in the requester's task.
    pub(super) async fn ask_to_fork(&self, fork: &ForkSession) -> Result<(), Error> {
        let (services, point) = (self.services(), HookPoint::SessionFork);
        let list = &services.hooks;
        if !list.iter().any(|hook| hook.is_for(point, None)) {
            return Ok(());
        }
        let (store, of) = (services.store.clone(), fork.of.clone());
        let cwd = in_background(move || store.summary(&of)).await?.cwd;
        let hooks = Hooks {
            list: Arc::clone(list),
            here: Arc::clone(&services.here),
            cwd: cwd.clone().into(),
            owner: fork.of.as_str().to_owned(),
            clients: None,
        };
        let run = HookRun {
            point,
            session_id: fork.of.clone(),
            turn_id: None,
            cwd,
            input: None,
            images: Vec::new(),
            system: None,
            conversation: None,
            to_seq: fork.at.as_ref().and_then(|at| at.seq),
            call: None,
            result: None,
            response: None,
            messages: None,
            open_todos: None,
        };
        let Ran { ruling, notices, .. } = hooks.run(run, &CancellationToken::new()).await;
        for notice in notices {
            tracing::warn!("{}", notice.message);
        }
        ruling.denied.map_or(Ok(()), |reason| Err(hook_denied(&reason)))
    }
}

impl Engine {
    pub(super) async fn fork(&mut self, fork: ForkSession) -> Result<SessionHandle, Error> {
        let ForkSession { of, at, title, config, cause } = fork;
        let title = title.map(|title| given_title(&title)).transpose()?.flatten();
        config.check_open()?;
        if let Some(made) = self.made_with(cause.as_ref(), Wanted::Fork(of.clone())).await? {
            return self.open(&made, config).await;
        }
        let ambient = self.services().ambient.clone();
        let id = SessionId::new(ambient.new_id());
        let (store, source) = (self.services().store.clone(), of.clone());
        let own = in_background(move || Ok(store.entries(&source)?.header().cwd.clone())).await?;
        let cwd = self.folder_of(&own, &config).await?;
        let (store, new) = (self.services().store.clone(), id.clone());
        let now_ms = ambient.now_ms();
        let made =
            move || copy(&store, &of, at.as_ref(), New { title, id: new, cwd, now_ms, cause });
        in_background(made).await??;
        let opened = self.open(&id, OpenConfig { cwd: None, ..config }).await;
        if opened.is_err() {
            let store = self.services().store.clone();
            if let Err(error) = in_background(move || store.delete(&id)).await {
                tracing::warn!("failed to remove a fork that cannot be opened: {error}");
            }
        }
        opened
    }
}

/// The session that a fork makes.
struct New {
    title: Option<String>,
    id: SessionId,
    cwd: String,
    now_ms: u64,
    cause: Option<Cause>,
}

/// Copies a session's history into a new journal.
fn copy(
    store: &Store,
    of: &SessionId,
    at: Option<&HistoryPoint>,
    New { title, id: new, cwd, now_ms, cause }: New,
) -> Result<Result<(), Error>, pintle_session::store::Error> {
    let entries: Vec<Entry> = store.entries(of)?.collect::<Result<_, _>>()?;
    let last = entries.last().map_or(0, |entry| entry.seq);
    let seq = match at.map(|at| tree::find(&entries, at)) {
        None => last,
        Some(Ok(place)) => place.seq,
        Some(Err(refused)) => {
            return Ok(Err(Error::no_point(&refused, Action::ListHistory, "/at")));
        }
    };
    let Some(created) = recovery::read(&entries, now_ms).created else {
        let what = format!("the journal of session {of} has no creation entry");
        return Ok(Err(Error::new(ErrorKind::Invalid, what)));
    };
    let entries = tree::on_path(entries, seq);
    let closing = recovery::read(&entries, now_ms).closing;
    let copied: Vec<Entry> = entries.into_iter().filter(belongs_to_history).collect();
    let closing: Vec<_> = closing.into_iter().filter(|(_, event)| is_history(event)).collect();

    let header = Header {
        journal: "pintle".to_owned(),
        version: FORMAT_VERSION,
        session_id: new.clone(),
        cwd: cwd.clone(),
        created_ms: now_ms,
    };
    let mut journal = store.draft(&header)?;
    let copied_seq = 1 + (copied.len() + closing.len()) as u64;
    let forked_from = Some(ForkedFrom { session_id: of.clone(), seq, copied_seq });
    let created = SessionCreated { cwd, title, parent: None, forked_from, ..created };
    let key = cause.as_ref().and_then(|cause| cause.key.clone());
    let session_id = new.clone();
    let record = |ts_ms, turn_id, cause, event| EventRecord {
        session_id: session_id.clone(),
        seq: 0,
        ts_ms,
        turn_id,
        cause,
        event,
    };
    append(&mut journal, record(now_ms, None, cause, Event::SessionCreated(created)), None)?;
    for Entry { record: copied, private, .. } in copied {
        if let Some(EventRecord { ts_ms, turn_id, cause, event, .. }) = copied {
            let record = record(ts_ms, turn_id, without_key(cause), moved(event, &session_id));
            append(&mut journal, record, private.as_deref())?;
        }
    }
    for (turn_id, event) in closing {
        append(&mut journal, record(now_ms, turn_id, None, interrupted(event)), None)?;
    }
    journal.copy_outputs(&store.folder(of)?)?;
    if let Some(key) = key {
        store.keep_key(&key, &new)?;
    }
    journal.publish()?;
    Ok(Ok(()))
}

/// Who sent the request that a copied event follows from. Its key means a request to the session that it was copied from.
fn without_key(cause: Option<Cause>) -> Option<Cause> {
    let client_id = cause?.client_id?;
    Some(Cause { client_id: Some(client_id), key: None })
}

fn append(
    journal: &mut Journal,
    record: EventRecord,
    private: Option<&serde_json::value::RawValue>,
) -> Result<(), pintle_session::store::Error> {
    let seq = journal.last_seq() + 1;
    journal.append(&EventRecord { seq, ..record }, private)?;
    Ok(())
}
