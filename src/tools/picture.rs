//! An external image, in the form that a model may see.

use super::Settings;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_base::image::{self, Format};
use pintle_protocol::content::Content;
use tokio_util::sync::CancellationToken;

/// The maximum length of an image in base64.
const MAX_BASE64_BYTES: usize = 32 * 1024 * 1024;

/// Returns an image, given in base64, within the image limits, or a message that explains why it is not shown.
pub async fn picture(settings: &Settings, cancel: &CancellationToken, data: &str) -> Content {
    let left_out = |why: &str| Content::text(format!("[an image was omitted: {why}]"));
    if settings.block_images {
        return left_out("reading images is disabled");
    }
    if data.len() > MAX_BASE64_BYTES {
        return left_out("it is too large");
    }
    let Ok(bytes) = STANDARD.decode(data.trim()) else {
        return left_out("its data is not valid base64");
    };
    let Some(format) = Format::detect(&bytes) else {
        return left_out("it is not a PNG, JPEG, GIF or WebP");
    };
    let (limits, cancel) = (settings.image_limits, cancel.clone());
    let fitting = move || image::fit(format, bytes, limits, || cancel.is_cancelled());
    // Decoding takes long, so it runs outside of the async executor.
    match tokio::task::spawn_blocking(fitting).await {
        Ok(Ok(fitted)) => Content::Image {
            mime_type: fitted.format.mime_type().to_owned(),
            data: STANDARD.encode(fitted.bytes),
        },
        Ok(Err(error)) => left_out(&format!("it {error}")),
        Err(_) => left_out("decoding it failed"),
    }
}
