//! Replacing a file, if it is still what it was seen to be: the one way in which the engine itself changes files outside of tools.

use crate::exec::{After, Before, Environment, Error, Rewrites};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Writes or removes a file, if `is_expected` says of its present content (`None` where there is none) that it may go.
///
/// # Errors
/// The file has changed meanwhile, or it could not be written.
pub(in crate::agent) async fn replace_if(
    env: &dyn Environment,
    path: &Path,
    is_expected: impl FnOnce(Option<&[u8]>) -> bool + Send + 'static,
    after: After,
) -> Result<(), Error> {
    let decide = Box::new(move |present: Vec<Option<Before>>| {
        let present = present.into_iter().next().flatten().map(|present| present.content);
        if !is_expected(present.as_deref()) {
            return Err("it has changed meanwhile".to_owned());
        }
        Ok(Rewrites { after: vec![after], changes: Vec::new() })
    });
    let paths = [path.to_path_buf()];
    env.update_all(&paths, decide, &CancellationToken::new()).await.map(drop)
}
