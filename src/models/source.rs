//! What answers for a model and what is known of it, for all who do not care where that is from.

use crate::llm::catalog::{self, Model};
use crate::llm::{Error, ModelRef, Provider};
use pintle_protocol::event::Notice;
use pintle_protocol::models::ModelsListResult;
use std::fmt;
use std::sync::Arc;

/// Finds what answers for a model.
pub trait ModelSource: Send + Sync {
    /// The provider of a model.
    ///
    /// # Errors
    /// It is not known, or there is no key for it; the hint says what to set.
    fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error>;

    /// What is known of a model.
    fn model(&self, model: &ModelRef) -> Option<Model> {
        catalog::model(&model.provider, &model.id).cloned()
    }

    /// Looks whether the settings have changed; returns what a person should know and has not been told.
    fn refresh(&self) -> Vec<Notice> {
        Vec::new()
    }

    /// All providers and models that are known by name, as they are now.
    fn list(&self) -> ModelsListResult {
        super::known::built_in()
    }
}

impl<F> ModelSource for F
where
    F: Fn(&ModelRef) -> Result<Arc<dyn Provider>, Error> + Send + Sync,
{
    fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        self(model)
    }
}

/// A [`ModelSource`] to pass around. Cheap to clone.
#[derive(Clone)]
pub struct Models(Arc<dyn ModelSource>);

impl Models {
    /// Wraps a source.
    pub fn new(source: impl ModelSource + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// The provider of a model.
    ///
    /// # Errors
    /// It is not known, or there is no key for it.
    pub fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        self.0.provider(model)
    }

    /// What is known of a model.
    pub fn model(&self, model: &ModelRef) -> Option<Model> {
        self.0.model(model)
    }

    /// Looks whether the settings have changed; returns what a person should know and has not been told. Cheap where
    /// nothing has.
    pub fn refresh(&self) -> Vec<Notice> {
        self.0.refresh()
    }

    /// All providers and models that are known by name, as they are now.
    pub fn list(&self) -> ModelsListResult {
        self.0.list()
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Models")
    }
}
