//! PDF documents for `read`: the document if the model accepts it, and its text layer, as the lines of a text file in which a line with its
//! number begins each page.

use super::{Page, explain};
use crate::{ToolContext, document, failure, success, unless_cancelled};
use pintle_base::pdf;
use pintle_exec::{Error, Lines, Window};
use pintle_protocol::content::Content;
use pintle_protocol::item::ToolResult;
use std::path::Path;
use std::sync::Arc;

/// Reads a document, or lines of its text. `file` describes its file.
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
        let bytes: Arc<[u8]> = ctx.env.read(path).await?.into();
        let text = document::read(Arc::clone(&bytes), &ctx.cancel).await;
        Ok((bytes, text))
    };
    let (bytes, text) = match unless_cancelled(&ctx.cancel, work).await {
        Ok(read) => read,
        Err(error) => return failure(explain(written, &error, page.profile)),
    };
    let (pages, shown) = match text {
        Ok(text) => match Lines::read(text.in_lines().as_bytes(), file.version, window) {
            Ok(lines) => (text.pages, page.show(lines, window)),
            Err(error) => {
                return failure(explain(written, &Error::from_io(path, &error), page.profile));
            }
        },
        Err(pdf::Error::Cancelled) => return failure("Operation aborted"),
        // The model may see page images.
        Err(error @ pdf::Error::NoText(pages)) => (pages, refused(&error)),
        Err(error) => return refused(&error),
    };
    let is_whole = page.offset.is_none() && page.limit.is_none();
    if is_whole && document::is_accepted(&ctx.settings, file.size, pages) {
        let mut result = success(format!("[{written}: PDF document, {}]", pdf::counted(pages)));
        let name = Path::new(written).file_name().unwrap_or_default().to_string_lossy();
        let text = Content::texts(&shown.content);
        result.content.push(document::content(&name, pages, &bytes, text));
        return result;
    }
    shown
}

#[cfg(test)]
mod tests;
