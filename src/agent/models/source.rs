//! The interface between the agent and models: providers and model metadata, independent of their source.

use pintle_llm::catalog::{self, Model};
use pintle_llm::{Error, ModelRef, Provider};
use pintle_protocol::event::Notice;
use pintle_protocol::models::ModelsListResult;
use std::fmt;
use std::sync::Arc;

/// Provides providers and model metadata.
pub trait ModelSource: Send + Sync {
    /// Returns a model's provider.
    ///
    /// # Errors
    /// The provider is unknown, or its key is missing; the hint lists the variable to set.
    fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error>;

    /// Returns the known facts about a model.
    fn model(&self, model: &ModelRef) -> Option<Model> {
        catalog::model(&model.provider, &model.id).cloned()
    }

    /// Returns true if the provider of this model can search the web for it.
    fn searches_web(&self, _: &ModelRef) -> bool {
        false
    }

    /// Returns true if the provider of this model accepts PDF documents for it.
    fn takes_documents(&self, _: &ModelRef) -> bool {
        false
    }

    /// Reloads changed settings and returns the problems that have not been reported.
    fn refresh(&self) -> Vec<Notice> {
        Vec::new()
    }

    /// Returns all providers and models that are currently known by name.
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

/// A shared [`ModelSource`]. Cheap to clone.
#[derive(Clone)]
pub struct Models(Arc<dyn ModelSource>);

impl Models {
    /// Wraps a source.
    pub fn new(source: impl ModelSource + 'static) -> Self {
        Self(Arc::new(source))
    }

    /// Shares a source.
    pub fn shared<S: ModelSource + 'static>(source: Arc<S>) -> Self {
        Self(source)
    }

    /// Returns a model's provider.
    ///
    /// # Errors
    /// The provider is unknown, or its key is missing.
    pub fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        self.0.provider(model)
    }

    /// Returns the known facts about a model.
    pub fn model(&self, model: &ModelRef) -> Option<Model> {
        self.0.model(model)
    }

    /// Returns true if the provider of this model can search the web for it.
    pub fn searches_web(&self, model: &ModelRef) -> bool {
        self.0.searches_web(model)
    }

    /// Returns true if the provider of this model accepts PDF documents for it.
    pub fn takes_documents(&self, model: &ModelRef) -> bool {
        self.0.takes_documents(model)
    }

    /// Reloads changed settings and returns the problems that have not been reported. Cheap if nothing changed.
    pub fn refresh(&self) -> Vec<Notice> {
        self.0.refresh()
    }

    /// Returns all providers and models that are currently known by name.
    pub fn list(&self) -> ModelsListResult {
        self.0.list()
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Models")
    }
}
