use crate::tests::{Scene, text};
use crate::{Profile, Read, Settings};
use ::image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_base::image::Limits;
use pintle_protocol::content::Content;
use pintle_protocol::item::ToolResult;
use serde_json::json;
use std::io::Cursor;
use std::sync::Arc;

fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let pixels =
        RgbImage::from_fn(width, height, |x, y| Rgb([x.to_le_bytes()[0], y.to_le_bytes()[0], 7]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(pixels).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Returns the note, then media type and size of each image.
fn shown(result: &ToolResult) -> String {
    let pictures = result.content.iter().filter_map(|content| match content {
        Content::Text { .. } | Content::Document { .. } => None,
        Content::Image { mime_type, data } => {
            let picture = ::image::load_from_memory(&STANDARD.decode(data).unwrap()).unwrap();
            Some(format!(" + {mime_type} {}x{}", picture.width(), picture.height()))
        }
    });
    text(result).replace("<image>", "") + &pictures.collect::<String>()
}

#[tokio::test]
async fn content_decides_what_is_a_picture() {
    let png = picture(30, 20, ImageFormat::Png);
    let scene = Scene::with(&[
        ("a.png", &png),
        ("named.txt", &png),
        ("a.jpg", &picture(30, 20, ImageFormat::Jpeg)),
        ("a.gif", &picture(30, 20, ImageFormat::Gif)),
        ("a.webp", &picture(30, 20, ImageFormat::WebP)),
        ("wide.png", &picture(2500, 10, ImageFormat::Png)),
        ("text.png", b"only text\n"),
        ("broken.png", &png[..png.len() / 2]),
        ("empty.jpg", b"\xff\xd8\xff"),
    ]);
    for (name, path, want) in [
        ("PNG", "a.png", "[a.png: image/png, 30 x 20 pixels] + image/png 30x20"),
        ("PNG named .txt", "named.txt", "[named.txt: image/png, 30 x 20 pixels] + image/png 30x20"),
        ("JPEG", "a.jpg", "[a.jpg: image/jpeg, 30 x 20 pixels] + image/jpeg 30x20"),
        ("GIF", "a.gif", "[a.gif: image/gif, 30 x 20 pixels] + image/gif 30x20"),
        ("WebP", "a.webp", "[a.webp: image/webp, 30 x 20 pixels] + image/webp 30x20"),
        ("text named .png", "text.png", "only text"),
    ] {
        let result = scene.call(&Read(Profile::Pi), json!({"path": path})).await;
        assert_eq!(shown(&result).trim_end(), want, "{name}");
    }
    let result = scene.call(&Read(Profile::Pi), json!({"path": "wide.png"})).await;
    let want = "[wide.png: image/png, 2500 x 10 pixels, shown at 2000 x 8. \
                Multiply coordinates by 1.25 to get original coordinates]";
    assert!(shown(&result).starts_with(want), "{}", shown(&result));
    assert!(shown(&result).ends_with(" 2000x8"), "{}", shown(&result));
    for path in ["broken.png", "empty.jpg"] {
        let result = scene.call(&Read(Profile::Pi), json!({"path": path})).await;
        let want = format!("error: Cannot show {path}: it is a corrupt or truncated image (");
        assert!(shown(&result).starts_with(&want), "{}", shown(&result));
    }
}

#[tokio::test]
async fn settings_switch_pictures_off_or_make_them_smaller() {
    let mut scene = Scene::with(&[("a.png", &picture(300, 200, ImageFormat::Png))]);
    let rows = [
        (
            "smaller",
            Settings {
                image_limits: Limits { max_side: 30, ..Limits::default() },
                ..Settings::default()
            },
            "[a.png: image/png, 300 x 200 pixels, shown at 30 x 20. \
             Multiply coordinates by 10.00 to get original coordinates] + image/png 30x20",
        ),
        (
            "off",
            Settings { block_images: true, ..Settings::default() },
            "[a.png is an image (image/png, SIZE); reading images is disabled]",
        ),
        (
            "no room",
            Settings {
                image_limits: Limits { max_base64_bytes: 10, ..Limits::default() },
                ..Settings::default()
            },
            "error: Cannot show a.png: it does not fit into the limit of 10 bytes at any size: \
             make a smaller copy first",
        ),
    ];
    let bytes = pintle_base::text::truncate::size(scene.get("a.png").len() as u64);
    for (name, settings, want) in rows {
        scene.ctx.settings = Arc::new(settings);
        let result = scene.call(&Read(Profile::Pi), json!({"path": "a.png"})).await;
        assert_eq!(shown(&result).replace(&bytes, "SIZE"), want, "{name}");
    }
    scene.ctx.cancel.cancel();
    let result = scene.call(&Read(Profile::Pi), json!({"path": "a.png"})).await;
    assert_eq!(shown(&result), "error: Operation aborted");
}
