//! PDF documents for `read`: their text layer, as the lines of a text file in which a line with its number begins each page.

use super::{Page, explain};
use crate::{ToolContext, failure, unless_cancelled};
use pintle_base::pdf;
use pintle_exec::{Error, Lines, Window};
use pintle_protocol::item::ToolResult;
use std::path::Path;

/// Reads lines of the text of a document. `file` is what is known of its file.
pub(super) async fn read(
    ctx: &ToolContext,
    page: &Page,
    path: &Path,
    file: Lines,
    window: Window,
) -> ToolResult {
    let written = &page.path.text;
    let refused = |error: &pdf::Error| failure(format!("Cannot read {written}: it {error}"));
    if file.size > pdf::MAX_BYTES {
        return refused(&pdf::Error::TooLarge);
    }
    let work = async {
        let bytes = ctx.env.read(path).await?;
        let cancel = ctx.cancel.clone();
        let reading = move || pdf::text(bytes, || cancel.is_cancelled());
        // Takes long, so it runs outside of the async executor.
        Ok(tokio::task::spawn_blocking(reading).await)
    };
    let text = match unless_cancelled(&ctx.cancel, work).await {
        Ok(Ok(Ok(text))) => text.in_lines(),
        Ok(Ok(Err(pdf::Error::Cancelled))) | Err(Error::Cancelled) => {
            return failure("Operation aborted");
        }
        Ok(Ok(Err(error))) => return refused(&error),
        Ok(Err(_)) => return failure(format!("Cannot read {written}: reading it failed")),
        Err(error) => return failure(explain(written, &error, page.profile)),
    };
    match Lines::read(text.as_bytes(), file.version, window) {
        Ok(lines) => page.show(lines, window),
        Err(error) => failure(explain(written, &Error::from_io(path, &error), page.profile)),
    }
}

#[cfg(test)]
mod tests;
