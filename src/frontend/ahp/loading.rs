//! Sessions that are made or opened, read from their beginning, and then followed; and the work that waits for that.

use super::config;
use super::host::{AhpHost, Done, session_of};
use super::session::{Loaded, Open, Origin, Work, key_of};
use super::state::Channels;
use super::translator::Translator;
use super::wire::reason;
use crate::client;
use futures_util::future::FutureExt;
use pintle_agent::{
    CreateSession, EngineHandle, Error, EventSelection, NewFolder, OpenConfig, PageRange,
    SessionHandle, Subscriber,
};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionResult;

/// The number of events that are read at once.
const PAGE: usize = 500;

impl AhpHost {
    /// Queues work in a session, after work that was queued before.
    pub(super) fn work(&mut self, session: &SessionId, work: Work) {
        if let Some(open) = self.sessions.get_mut(session) {
            open.works.push_back(work);
            self.go_on(session);
        }
    }

    /// Begins the next work of a session. One that is not open is opened first.
    pub(super) fn go_on(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        if open.is_working || open.loading.is_some() || open.works.is_empty() {
            return;
        }
        let Some(handle) = open.handle.clone().filter(|handle| !handle.is_closed()) else {
            return self.load(session);
        };
        let Some(Work { origin, make }) = open.works.pop_front() else { return };
        open.is_working = true;
        let client = origin.as_ref().map(|origin| origin.client_id.clone());
        let (work, session) = (make(handle.for_client(client)), session.clone());
        let origin = origin.map(Box::new);
        self.running.push(work.map(|outcome| Done::Worked { session, origin, outcome }).boxed());
    }

    /// Opens a session and reads its history; makes it if it is only a draft.
    pub(super) fn load(&mut self, session: &SessionId) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        if open.loading.is_some() {
            return;
        }
        open.loading = Some(Vec::new());
        let create = open.is_draft.then(|| CreateSession {
            id: Some(session.clone()),
            cwd: open.channels.cwd.clone(),
            config: open.settings.configuration(),
            ..CreateSession::default()
        });
        let (engine, subscriber) =
            (self.engine.clone(), self.subscriber.subscriber(EventSelection::default()));
        let again = OpenConfig {
            additional: open.settings.directories(),
            cwd: Some(NewFolder::IfGone(self.cwd.clone())),
            ..OpenConfig::default()
        };
        let session = session.clone();
        let loading = async move {
            let loaded =
                load(&engine, session.clone(), create, again, subscriber).await.map(Box::new);
            Done::Loaded { session, loaded }
        };
        self.running.push(loading.boxed());
    }

    pub(super) fn loaded(&mut self, session: &SessionId, loaded: Result<Box<Loaded>, Error>) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let later = open.loading.take().unwrap_or_default();
        let Loaded { handle, snapshot, records } = match loaded {
            Ok(loaded) => *loaded,
            Err(error) => return self.not_loaded(session, &error),
        };
        open.handle = Some(handle);
        if std::mem::take(&mut open.is_draft) {
            // Its clients see all of it happen.
            for record in records {
                self.take_record(session, &record);
            }
        } else {
            open.read(&snapshot, &records);
        }
        for feed in later {
            if session_of(&feed).as_ref() == Some(session) {
                self.take_event(session, &feed);
            } else {
                self.take_subagent_event(session, &feed);
            }
        }
        self.tell_terminals();
        self.extend(session);
        self.look_at_review(session);
        self.waited_for(session);
        self.go_on(session);
    }

    fn take_record(&mut self, session: &SessionId, record: &EventRecord) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        open.seen = record.seq;
        open.settings.apply(record);
        let actions = open.translator.durable(record, &mut open.channels);
        self.emit(session, actions);
    }

    /// Reports to the callers that the session cannot be opened, and why.
    fn not_loaded(&mut self, session: &SessionId, error: &Error) {
        let reason = reason(error);
        if let Some(open) = self.sessions.get_mut(session) {
            let works = std::mem::take(&mut open.works);
            let is_draft = open.is_draft;
            for origin in works.into_iter().filter_map(|work| work.origin) {
                self.refused(session, origin, reason.clone());
            }
            if !is_draft {
                self.sessions.remove(session);
            }
        }
        self.waited_for(session);
    }

    /// Work has ended.
    pub(super) fn worked(
        &mut self,
        session: &SessionId,
        origin: Option<Origin>,
        outcome: Result<(), String>,
    ) {
        if let Some(open) = self.sessions.get_mut(session) {
            open.is_working = false;
        }
        match (origin, outcome) {
            (Some(origin), Err(reason)) => self.refused(session, origin, reason),
            (Some(origin), Ok(())) if key_of(&origin.action).is_none() => {
                self.show_done(session, &origin);
            }
            (Some(_) | None, _) => {}
        }
        self.go_on(session);
    }

    /// Refuses an action whose event will not come.
    fn refused(&mut self, session: &SessionId, origin: Origin, reason: String) {
        if let Some(open) = self.sessions.get_mut(session) {
            open.expected.retain(|(_, expected)| !expected.is(&origin));
        }
        self.reject(origin, reason);
    }
}

impl Open {
    /// Reads the history. No part of the session has been shown yet.
    fn read(&mut self, snapshot: &SessionResult, records: &[EventRecord]) {
        let created_ms = records.first().map_or(0, |record| record.ts_ms);
        let title = records.iter().find_map(|record| match &record.event {
            Event::SessionCreated(created) => created.title.clone(),
            _ => None,
        });
        let settings = config::state(snapshot.permission_mode, snapshot.mode);
        let id = self.channels.id.clone();
        let title = title.unwrap_or_default();
        self.channels = Channels::new(id, &snapshot.cwd, &title, created_ms, settings);
        self.show_directories();
        self.translator = Translator::new(&self.channels.id);
        for record in records {
            self.settings.apply(record);
            for (channel, action) in self.translator.durable(record, &mut self.channels) {
                self.channels.apply(&channel, &action);
            }
        }
        let settings = &mut self.settings;
        settings.model.clone_from(&snapshot.model);
        (settings.permission_mode, settings.mode) = (snapshot.permission_mode, snapshot.mode);
        self.seen = snapshot.seq;
        self.is_announced = true;
        // From now on, the chat's list entry is sent to clients.
        let Channels { session, chat, .. } = &mut self.channels;
        if let Some(shown) = session.chats.first_mut() {
            shown.title.clone_from(&session.title);
            shown.status = chat.status;
            shown.modified_at.clone_from(&chat.modified_at);
        }
    }
}

async fn load(
    engine: &EngineHandle,
    session: SessionId,
    create: Option<CreateSession>,
    again: OpenConfig,
    subscriber: Subscriber,
) -> Result<Loaded, Error> {
    let begin = |handle: SessionHandle| {
        let subscriber = subscriber.clone();
        async move { client::subscribe(&handle, subscriber, None).await }
    };
    let (handle, snapshot) = match create {
        Some(create) => {
            let handle = engine.create(create).await?;
            let snapshot = begin(handle.clone()).await?;
            (handle, snapshot)
        }
        None => client::open(engine, session.clone(), again, begin).await?,
    };
    let mut records = Vec::new();
    let mut after = 0;
    while after < snapshot.seq {
        let (page, _) = engine.page(session.clone(), PageRange::After(after), PAGE).await?;
        if page.last <= after {
            break;
        }
        after = page.last;
        let read = page.events.iter().filter_map(|json| serde_json::from_str(json.get()).ok());
        records.extend(read.filter(|record: &EventRecord| record.seq <= snapshot.seq));
    }
    Ok(Loaded { handle, snapshot, records })
}
