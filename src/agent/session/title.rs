//! What a session is called: named by a person at any time, or once by a model beside everything else.
//!
//! Invariants: a model never changes what a person said; asking one delays no turn, and does not outlive the session.

use super::Session;
use crate::agent::command::Reply;
use crate::agent::error::{Error, ErrorKind};
use crate::context::title;
use crate::llm::{self, BlockStart, Delta, Message, ModelRef, Provider, Request};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use pintle_protocol::content::{Content, Usage};
use pintle_protocol::event::Event;
use pintle_protocol::session::{SessionUpdated, TitledBy};
use std::sync::Arc;
use std::time::Duration;

/// How long a model may take. Nobody waits for it, but one that hangs must not keep `pintle run` from its end.
const TITLE_TIMEOUT: Duration = Duration::from_secs(20);

/// The most that a model may say: far more than a title, since some think first.
const MAX_TOKENS: u32 = 2_048;

/// What a model answered, and what that took.
pub(super) type Answered = Result<(String, Usage), String>;

/// Whether a model is to name the session, and the request that does.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// No model has named it yet, and no person has said anything about its name.
    pub(super) is_due: bool,
    /// The request, if it was sent; it ends with the session.
    pub(super) asked: FuturesUnordered<BoxFuture<'static, Answered>>,
}

impl Session {
    /// Gives the session the title that a person wants.
    pub(super) fn update_title(&mut self, wanted: &str, reply: Reply<Option<String>>) {
        let title = title::one_line(wanted);
        let count = title.chars().count();
        if count > title::MAX_GIVEN_CHARS {
            let what = format!("the title has {count} characters");
            let hint = format!("use at most {}", title::MAX_GIVEN_CHARS);
            let _ = reply.send(Err(Error::new(ErrorKind::Invalid, what).hint(hint)));
            return;
        }
        let title = (!title.is_empty()).then_some(title);
        if title == self.settings.title && !self.naming.is_due && self.naming.asked.is_empty() {
            let _ = reply.send(Ok(title));
            return;
        }
        let updated = SessionUpdated {
            title: title.clone(),
            by: TitledBy::Person,
            usage: None,
            cost_nano_usd: None,
        };
        match self.append(None, Event::SessionUpdated(updated), None) {
            Ok(record) => {
                self.naming = Naming::default();
                self.settings.title.clone_from(&title);
                let _ = reply.send(Ok(title));
                self.keep_title();
                self.hand_on(&record);
                self.tell_if_idle();
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Asks a model for a title, if one is to give it.
    pub(super) fn begin_naming(&mut self) {
        let Some(model) = self.services.title_model.clone().filter(|_| self.naming.is_due) else {
            return;
        };
        let super::Phase::Idle(state) = &self.phase else { return };
        let Some(text) = title::request(&state.conversation.messages) else { return };
        self.naming.is_due = false;
        match self.services.models.provider(&model) {
            Ok(provider) => self.naming.asked.push(Box::pin(async move {
                let asked = tokio::time::timeout(TITLE_TIMEOUT, ask(provider, &model, text)).await;
                match asked {
                    Ok(answered) => answered.map_err(|error| error.message),
                    Err(_) => Err(format!("no answer within {} s", TITLE_TIMEOUT.as_secs())),
                }
            })),
            Err(error) => tracing::debug!("session {} gets no title: {error}", self.id),
        }
    }

    /// Takes a model's title.
    pub(super) fn named(&mut self, answered: Answered) {
        match answered {
            Ok((said, usage)) => self.take_title(&said, usage),
            Err(error) => tracing::debug!("session {} gets no title: {error}", self.id),
        }
        self.tell_if_idle();
    }

    fn take_title(&mut self, said: &str, usage: Usage) {
        let model = self.services.title_model.as_ref();
        let price = model.and_then(|model| self.services.models.model(model)?.price);
        let cost_nano_usd = price.map(|price| price.nano_usd(&usage));
        self.total.add(usage, cost_nano_usd);
        let Some(title) = title::tidy(said) else {
            tracing::debug!("session {} gets no title: {said:?} is none", self.id);
            return;
        };
        let updated = SessionUpdated {
            title: Some(title.clone()),
            by: TitledBy::Model,
            usage: Some(usage),
            cost_nano_usd,
        };
        match self.append(None, Event::SessionUpdated(updated), None) {
            Ok(record) => {
                self.settings.title = Some(title);
                self.keep_title();
                self.hand_on(&record);
            }
            Err(error) => self.warn_transiently(&error),
        }
    }

    /// Shows the title in lists. The journal has it, so a failure is made good when the session is opened again.
    fn keep_title(&self) {
        if let Err(error) = self.journal.keep_title(self.settings.title.as_deref()) {
            tracing::warn!("lists show an old title: {error}");
        }
    }
}

/// Asks once: a session without a title is no harm.
async fn ask(
    provider: Arc<dyn Provider>,
    model: &ModelRef,
    text: String,
) -> Result<(String, Usage), llm::Error> {
    let request = Request {
        model: model.id.clone(),
        origin: model.origin(),
        system: title::INSTRUCTIONS.into(),
        messages: Arc::new(vec![Arc::new(Message::User(vec![Content::text(text)]))]),
        tools: Arc::new([]),
        effort: model.effort,
        max_output_tokens: Some(MAX_TOKENS),
        cache_key: None,
        trace: llm::Trace::default(),
    };
    let mut deltas = provider.stream(request).await?;
    let (mut said, mut texts, mut usage) = (String::new(), Vec::new(), Usage::default());
    while let Some(delta) = deltas.next().await {
        match delta? {
            Delta::Start { index, block: BlockStart::Text } => texts.push(index),
            Delta::Text { index, text } if texts.contains(&index) => said.push_str(&text),
            Delta::Usage(counted) => usage = counted,
            Delta::Start { .. }
            | Delta::Text { .. }
            | Delta::Arguments { .. }
            | Delta::Opaque { .. }
            | Delta::End { .. }
            | Delta::Tier(_)
            | Delta::Stop(_) => {}
        }
    }
    Ok((said, usage))
}
