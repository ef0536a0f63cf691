//! Requests with a key that make a session: repeated, they return it, and a different request with the same key is refused.

use super::Engine;
use crate::background::in_background;
use crate::command::OpenConfig;
use crate::error::Error;
use crate::session::parse_model;
use pintle_protocol::event::{Cause, Event, SessionCreated};
use pintle_protocol::ids::SessionId;

/// What a request wants, as far as the session's first event records it.
#[derive(Debug)]
pub(super) enum Wanted {
    /// A new session.
    Create { cwd: String, title: Option<String>, config: Box<OpenConfig> },
    /// A fork of this session.
    Fork(SessionId),
}

impl Wanted {
    pub(super) fn create(cwd: &str, title: Option<&String>, config: &OpenConfig) -> Self {
        let (cwd, title) = (cwd.to_owned(), title.cloned());
        Self::Create { cwd, title, config: Box::new(config.clone()) }
    }

    /// Returns true if a session can be the result of this request. What the request leaves open may have had other defaults then.
    fn is(&self, created: &SessionCreated) -> bool {
        let of = created.forked_from.as_ref().map(|from| &from.session_id);
        match self {
            Self::Fork(wanted) => of == Some(wanted),
            Self::Create { cwd, title, config } => {
                let OpenConfig { model, mode, system_prompt, tools, .. } = config.as_ref();
                let prompt = system_prompt.as_ref().filter(|text| !text.trim().is_empty());
                of.is_none()
                    && *cwd == created.cwd
                    && *title == created.title
                    && prompt == created.system_prompt.as_ref()
                    && *tools == created.tools
                    && model.as_ref().is_none_or(|model| is_model(model, &created.model))
                    && mode.is_none_or(|mode| mode == created.mode)
            }
        }
    }
}

fn is_model(named: &str, created: &str) -> bool {
    parse_model(named).is_ok_and(|named| named.to_string() == created)
}

impl Engine {
    /// Returns the session that an earlier request with the same key created.
    ///
    /// # Errors
    /// The earlier request was a different one.
    pub(super) async fn made_with(
        &self,
        cause: Option<&Cause>,
        wanted: Wanted,
    ) -> Result<Option<SessionId>, Error> {
        let Some(key) = cause.and_then(|cause| cause.key.clone()) else { return Ok(None) };
        let (store, named) = (self.services.store.clone(), key.clone());
        let made = in_background(move || {
            let Some(id) = store.made_with(&named) else { return Ok(None) };
            let first = store.entries(&id)?.next().transpose()?;
            let event = first.and_then(|first| first.record).map(|record| record.event);
            let is_it = match event {
                Some(Event::SessionCreated(created)) => wanted.is(&created),
                Some(_) | None => true,
            };
            Ok(Some((id, is_it)))
        });
        match made.await? {
            None => Ok(None),
            Some((id, true)) => Ok(Some(id)),
            Some((_, false)) => Err(Error::other_request(&key)),
        }
    }
}
