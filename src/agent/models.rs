//! From a model's name to something that answers: the one place where settings, catalogue and wire meet.

use crate::llm::{Error, ModelRef, Provider};
use std::fmt;
use std::sync::Arc;

/// Finds what answers for a model.
pub trait ModelSource: Send + Sync {
    /// The provider of a model.
    ///
    /// # Errors
    /// It is not known, or there is no key for it; the hint says what to set.
    fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error>;
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
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Models")
    }
}
