//! PDF documents for `read`: the document if the model accepts it, and its text layer, as the lines of a text file in which a line with its
//! number begins each page.

use super::{Page, explain};
use crate::{Settings, ToolContext, failure, success, unless_cancelled};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_base::pdf;
use pintle_exec::{Error, Lines, Window};
use pintle_protocol::content::Content;
use pintle_protocol::item::ToolResult;
use std::path::Path;
use std::sync::Arc;

/// The maximum size of a document that is passed on as a document, since it is part of each further request. With base64, two thirds
/// of the limit of a request.
const MAX_DOCUMENT_BYTES: u64 = 10 * 1024 * 1024;

/// The maximum number of pages of such a document, whatever the settings allow: that of Anthropic, the lowest.
const MAX_DOCUMENT_PAGES: u64 = 100;

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
        let (shared, cancel) = (Arc::clone(&bytes), ctx.cancel.clone());
        // Takes long, so it runs outside of the async executor.
        let reading = move || pdf::text(shared, || cancel.is_cancelled());
        Ok((bytes, tokio::task::spawn_blocking(reading).await))
    };
    let (bytes, text) = match unless_cancelled(&ctx.cancel, work).await {
        Ok((bytes, Ok(text))) => (bytes, text),
        Ok((_, Err(_))) => return failure(format!("Cannot read {written}: reading it failed")),
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
        // The model may see the images of the pages.
        Err(error @ pdf::Error::NoText(pages)) => (pages, refused(&error)),
        Err(error) => return refused(&error),
    };
    let is_whole = page.offset.is_none() && page.limit.is_none();
    if is_whole && is_accepted(&ctx.settings, file.size, pages) {
        return document(written, pages, &bytes, &shown);
    }
    shown
}

/// Returns true if the model reads such a document itself.
fn is_accepted(settings: &Settings, bytes: u64, pages: usize) -> bool {
    let max_pages = settings.max_document_pages.unwrap_or_default().min(MAX_DOCUMENT_PAGES);
    !settings.block_images && bytes <= MAX_DOCUMENT_BYTES && pages as u64 <= max_pages
}

/// Returns the document, with the text that is shown to other models.
fn document(written: &str, pages: usize, bytes: &[u8], shown: &ToolResult) -> ToolResult {
    let mut result = success(format!("[{written}: PDF document, {}]", pdf::counted(pages)));
    let name = Path::new(written).file_name().unwrap_or_default();
    result.content.push(Content::Document {
        mime_type: "application/pdf".to_owned(),
        data: STANDARD.encode(bytes),
        name: name.to_string_lossy().into_owned(),
        pages: pages as u64,
        text: Content::texts(&shown.content),
    });
    result
}

#[cfg(test)]
mod tests;
