//! The one model on the stage, whatever a session calls it.

use pintle_agent::models::ModelSource;
use pintle_llm::catalog::Model;
use pintle_llm::{Error, ModelRef, Provider};
use std::sync::Arc;

/// The window of the model on the stage, in tokens; only what reports its use comes near its end.
const WINDOW: u64 = 100_000;

/// One model for every name.
pub(crate) struct OnlyModel(pub(crate) Arc<dyn Provider>);

impl ModelSource for OnlyModel {
    fn provider(&self, _: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        Ok(Arc::clone(&self.0))
    }

    fn model(&self, model: &ModelRef) -> Option<Model> {
        Some(Model {
            update: None,
            provider: model.provider.clone(),
            id: model.id.clone(),
            name: None,
            api: None,
            window: Some(WINDOW),
            max_output: None,
            price: None,
            cutoff: None,
            vision: None,
            reasoning: None,
            profile: None,
            source: String::new(),
            checked: String::new(),
        })
    }
}
