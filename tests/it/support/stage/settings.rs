//! How a stage is set up where a row needs it otherwise.

use pintle::agent::{QUESTION_TIMEOUT, Toolbox};
use pintle::tools::Profile;
use std::time::Duration;

/// What differs from row to row.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// The client answers questions of the model.
    pub(crate) can_answer: bool,
    /// The tools that speak with the person are there.
    pub(crate) has_person: bool,
    /// How long a person may take.
    pub(crate) question_timeout: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self { can_answer: false, has_person: false, question_timeout: QUESTION_TIMEOUT }
    }
}

impl Setup {
    pub(super) fn tools(&self) -> Toolbox {
        let mut tools = [Profile::Pi.tools(), Profile::agents().into()].concat();
        if self.has_person {
            tools.extend(Profile::person());
        }
        tools.into()
    }
}
