//! The session's title: set by the user at any time, or once by a model in the background.
//!
//! Invariants: a model never changes the user's title; the request delays no turn, and does not outlive the session.

use super::Session;
use crate::command::Reply;
use crate::error::{Error, ErrorKind};
use crate::session::naming::{Answered, Naming};
use crate::session::phase::Phase;
use pintle_protocol::content::Usage;
use pintle_protocol::event::Event;
use pintle_protocol::session::{
    SessionUpdateParams, SessionUpdateResult, SessionUpdated, TitledBy,
};
use pintle_session::context::title;

/// Returns a title from a client: one line, or none if it is empty.
///
/// # Errors
/// The title is too long.
pub(crate) fn given_title(text: &str) -> Result<Option<String>, Error> {
    let title = title::one_line(text);
    let count = title.chars().count();
    if count > title::MAX_GIVEN_CHARS {
        let what = format!("the title has {count} characters");
        let hint = format!("use at most {}", title::MAX_GIVEN_CHARS);
        return Err(Error::new(ErrorKind::Invalid, what).hint(hint).at("/title"));
    }
    Ok((!title.is_empty()).then_some(title))
}

impl Session {
    /// Sets the session's title as the user requests.
    pub(super) fn update_title(
        &mut self,
        params: SessionUpdateParams,
        reply: Reply<SessionUpdateResult>,
    ) {
        let Some(wanted) = params.title else {
            let hint = "send `title`: a text, or null to remove it";
            let _ = reply.send(Err(Error::new(ErrorKind::Invalid, "no change was given")
                .hint(hint)
                .at("/title")));
            return;
        };
        let title = match given_title(&wanted.unwrap_or_default()) {
            Ok(title) => title,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        if title == self.settings.title && !self.naming.is_due && self.naming.is_idle() {
            let _ = reply.send(Ok(SessionUpdateResult { title }));
            return;
        }
        let updated = SessionUpdated {
            title: title.clone(),
            by: TitledBy::User,
            usage: None,
            cost_nano_usd: None,
        };
        match self.log.append(None, Event::SessionUpdated(updated), None) {
            Ok(record) => {
                self.naming = Naming::default();
                self.settings.title.clone_from(&title);
                let _ = reply.send(Ok(SessionUpdateResult { title }));
                self.keep_title();
                self.publish(&record);
                self.answer_idle_waiters();
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Asks a model for a title, if one is to give it.
    pub(super) fn begin_naming(&mut self) {
        let Some(model) = self.services.model_policy.title.clone().filter(|_| self.naming.is_due)
        else {
            return;
        };
        let Phase::Idle(state) = &self.phase else { return };
        let Some(text) = title::request(&state.conversation.messages) else { return };
        self.naming.is_due = false;
        match self.services.models.provider(&model) {
            Ok(provider) => self.naming.request(provider, model, text),
            Err(error) => tracing::debug!("failed to name session {}: {error}", self.log.id),
        }
    }

    /// Takes a model's title.
    pub(super) fn named(&mut self, answered: Answered) {
        match answered {
            Ok((said, usage)) => self.take_title(&said, usage),
            Err(error) => tracing::debug!("failed to name session {}: {error}", self.log.id),
        }
        self.answer_idle_waiters();
    }

    fn take_title(&mut self, said: &str, usage: Usage) {
        let model = self.services.model_policy.title.as_ref();
        let price = model.and_then(|model| self.services.models.model(model)?.price);
        let cost_nano_usd = price.map(|price| price.nano_usd(&usage));
        self.consumed.total.add(usage, cost_nano_usd);
        let Some(title) = title::tidy(said) else {
            tracing::debug!("failed to name session {}: {said:?} is not a title", self.log.id);
            return;
        };
        let updated = SessionUpdated {
            title: Some(title.clone()),
            by: TitledBy::Model,
            usage: Some(usage),
            cost_nano_usd,
        };
        match self.log.append(None, Event::SessionUpdated(updated), None) {
            Ok(record) => {
                self.settings.title = Some(title);
                self.keep_title();
                self.publish(&record);
            }
            Err(error) => self.warn_transiently(&error),
        }
    }

    /// Shows the title in lists. The journal has it, so a failure is made good when the session is opened again.
    fn keep_title(&self) {
        if let Err(error) = self.log.journal.keep_title(self.settings.title.as_deref()) {
            tracing::warn!("failed to update the title in lists: {error}");
        }
    }
}
