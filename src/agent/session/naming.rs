//! Asks a model to name the session.
//!
//! Invariant: the request delays no turn, and does not outlive the session.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use pintle_llm::{self as llm, ModelRef, Provider, Request, one_shot};
use pintle_protocol::content::Usage;
use pintle_session::context::title;
use std::sync::Arc;
use std::time::Duration;

/// The time limit for the model. No turn waits for it, but a hanging model must not delay the exit of `pintle run`.
const TITLE_TIMEOUT: Duration = Duration::from_secs(20);

/// The output limit for the model: far more than a title, since some models think first.
const MAX_TOKENS: u32 = 2_048;

/// A model's answer and its use, or the reason why there is none.
pub(super) type Answered = Result<(String, Usage), String>;

/// A session's naming by a model: whether it is due, and the request.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// True while no model has named the session and the user has not set or cleared its name.
    pub(super) is_due: bool,
    /// The request, if it was sent; it ends with the session.
    pub(super) requests: FuturesUnordered<BoxFuture<'static, Answered>>,
}

impl Naming {
    pub(super) fn new(is_due: bool) -> Self {
        Self { is_due, ..Self::default() }
    }

    /// Asks a model for a title.
    pub(super) fn request(&mut self, provider: Arc<dyn Provider>, model: ModelRef, text: String) {
        self.requests.push(Box::pin(async move {
            let asked = tokio::time::timeout(TITLE_TIMEOUT, ask(provider, &model, &text)).await;
            match asked {
                Ok(answered) => answered.map_err(|error| error.message),
                Err(_) => Err(format!("no answer within {} s", TITLE_TIMEOUT.as_secs())),
            }
        }));
    }

    /// Waits for the model's answer; never completes if no request is running. Cancel-safe.
    pub(super) async fn next(&mut self) -> Answered {
        match self.requests.next().await {
            Some(answered) => answered,
            None => std::future::pending().await,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.requests.is_empty()
    }
}

/// Sends a single request: a session without a title is harmless.
async fn ask(
    provider: Arc<dyn Provider>,
    model: &ModelRef,
    text: &str,
) -> Result<(String, Usage), llm::Error> {
    let request = one_shot::request(model, title::INSTRUCTIONS, text, MAX_TOKENS);
    let mut deltas = provider.stream(Request { effort: model.effort, ..request }).await?;
    let mut answer = one_shot::Answer::default();
    while let Some(delta) = deltas.next().await {
        answer.push(delta?);
    }
    Ok((answer.text, answer.usage))
}
