//! A picture that came from outside, as a model may see it.

use super::ToolContext;
use crate::image::{self, Format};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_protocol::content::Content;

/// The maximum length of a picture in base64.
const MAX_BASE64_BYTES: usize = 32 * 1024 * 1024;

/// Returns a picture within the limits of images, or words where it cannot be shown. `kind` is what its sender calls it.
pub async fn picture(ctx: &ToolContext, kind: &str, data: &str) -> Content {
    let said = |what: &str| Content::text(format!("[an image ({kind}) {what}]"));
    if ctx.settings.block_images {
        return said("that is left out, since reading images is disabled");
    }
    if data.len() > MAX_BASE64_BYTES {
        return said("that is left out: it is too large");
    }
    let Ok(bytes) = STANDARD.decode(data.trim()) else {
        return said("that is left out: it is no base64");
    };
    let Some(format) = Format::of(&bytes) else {
        return said("that is left out: it is no PNG, JPEG, GIF or WebP");
    };
    let (limits, cancel) = (ctx.settings.image_limits, ctx.cancel.clone());
    let fitting = move || image::fit(format, bytes, limits, || cancel.is_cancelled());
    // Decoding takes long, so it runs outside of the async executor.
    match tokio::task::spawn_blocking(fitting).await {
        Ok(Ok(fitted)) => Content::Image {
            mime_type: fitted.format.mime_type().to_owned(),
            data: STANDARD.encode(fitted.bytes),
        },
        Ok(Err(error)) => said(&format!("that cannot be shown: it {error}")),
        Err(_) => said("that cannot be shown: decoding it failed"),
    }
}
