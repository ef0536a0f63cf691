//! Images for `read`: scaled down to the limits, with a note that gives the factor.

use crate::{ToolContext, failure, success, unless_cancelled};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_base::image::{self, Fitted, Format};
use pintle_base::text::truncate::size;
use pintle_exec::Error;
use pintle_protocol::content::Content;
use pintle_protocol::item::ToolResult;
use std::path::Path;

/// The maximum size of an image file.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Reads an image page at a path.
pub(super) async fn read(
    ctx: &ToolContext,
    page: &super::Page,
    path: &Path,
    format: Format,
    file_bytes: u64,
) -> ToolResult {
    let written = &page.path.text;
    let kind = format.mime_type();
    if ctx.settings.block_images {
        let bytes = size(file_bytes);
        return success(format!(
            "[{written} is an image ({kind}, {bytes}); reading images is disabled]"
        ));
    }
    if file_bytes > MAX_FILE_BYTES {
        let (bytes, max) = (size(file_bytes), size(MAX_FILE_BYTES));
        return failure(format!(
            "{written} is an image of {bytes}; the limit is {max}: make a smaller copy first"
        ));
    }
    let work = async {
        let bytes = ctx.env.read(path).await?;
        let (limits, cancel) = (ctx.settings.image_limits, ctx.cancel.clone());
        let fitting = move || image::fit(format, bytes, limits, || cancel.is_cancelled());
        // Decoding takes long, so it runs outside of the async executor.
        Ok(tokio::task::spawn_blocking(fitting).await)
    };
    match unless_cancelled(&ctx.cancel, work).await {
        Ok(Ok(Ok(fitted))) => show(written, format, &fitted),
        Ok(Ok(Err(image::Error::Cancelled))) | Err(Error::Cancelled) => {
            failure("Operation aborted")
        }
        Ok(Ok(Err(error))) => failure(format!("Cannot show {written}: it {error}")),
        Ok(Err(_)) => failure(format!("Cannot show {written}: decoding it failed")),
        Err(error) => failure(super::explain(written, &error, page.profile)),
    }
}

fn show(written: &str, given: Format, fitted: &Fitted) -> ToolResult {
    let Fitted { format, bytes, size: (width, height), original } = fitted;
    let what = format!("{written}: {}, {} x {} pixels", given.mime_type(), original.0, original.1);
    let note = if (*width, *height) == *original {
        format!("[{what}]")
    } else {
        let factor = f64::from(original.0.max(original.1)) / f64::from((*width).max(*height));
        format!(
            "[{what}, shown at {width} x {height}. Multiply coordinates by {factor:.2} to get original coordinates]"
        )
    };
    let mut result = success(note);
    let mime_type = format.mime_type().to_owned();
    result.content.push(Content::Image { mime_type, data: STANDARD.encode(bytes) });
    result
}

#[cfg(test)]
mod tests;
