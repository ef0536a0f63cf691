//! Pictures made fit for a model: pure functions on bytes.
//!
//! Invariant: nothing is decoded before its header was read and its size found acceptable, and the result was decoded
//! whole, so no provider is sent an image that it cannot read.

use ::image::codecs::jpeg::JpegEncoder;
use ::image::codecs::png::{CompressionType, FilterType, PngEncoder};
use ::image::metadata::Orientation;
use ::image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits as DecodeLimits, Rgb,
    RgbImage, imageops,
};
use std::io::Cursor;

/// The maximum memory for decoding. An image of 100 million pixels with transparency takes 400 MB.
const MAX_DECODED_BYTES: u64 = 512 * 1024 * 1024;

/// The maximum number of pixels. More take long to decode and to scale, however few bits each has.
const MAX_PIXELS: u64 = 120_000_000;

/// Qualities of JPEG that are tried, the best first.
const QUALITIES: [u8; 4] = [85, 70, 55, 40];

/// The scales to try, in percent of the size that fits.
const SCALES: [u32; 5] = [100, 75, 50, 35, 25];

/// A format that models take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
    /// `image/gif`
    Gif,
    /// `image/webp`
    WebP,
}

impl Format {
    /// Tells the format from the first bytes of a file.
    pub fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// The media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    fn decoder(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::WebP => ImageFormat::WebP,
        }
    }
}

/// The limits that an image must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Width and height, in pixels.
    pub max_side: u32,
    /// The size in base64, which is what providers count, in bytes.
    pub max_base64_bytes: usize,
}

impl Default for Limits {
    /// 2,000 pixels, 4.5 MB.
    fn default() -> Self {
        Self { max_side: 2000, max_base64_bytes: 4_718_592 }
    }
}

/// Width and height in pixels, in the displayed orientation.
pub type Size = (u32, u32);

/// An image within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// The format of `bytes`.
    pub format: Format,
    /// The encoded image, unchanged if it already fitted.
    pub bytes: Vec<u8>,
    /// Its size.
    pub size: Size,
    /// The original size.
    pub original: Size,
}

/// The reason why there is no image. The text follows a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The image cannot be decoded.
    #[error("is a corrupt or truncated image ({0})")]
    Broken(String),
    /// The image would need too much memory.
    #[error("has {} x {} pixels, too many to decode: make a smaller copy first", .0.0, .0.1)]
    TooLarge(Size),
    /// The image cannot be made small enough.
    #[error("does not fit into the limit of {0} bytes at any size: make a smaller copy first")]
    DoesNotFit(usize),
    /// Nobody waits for it any more.
    #[error("was not decoded: operation aborted")]
    Cancelled,
}

/// Scales an image to the limits, rotated according to its EXIF data. `is_cancelled` is checked between the steps.
///
/// # Errors
/// See [`Error`].
pub fn fit(
    format: Format,
    bytes: Vec<u8>,
    limits: Limits,
    is_cancelled: impl Fn() -> bool,
) -> Result<Fitted, Error> {
    let (picture, orientation) = decode(format, &bytes)?;
    let original = (picture.width(), picture.height());
    let is_upright = orientation == Orientation::NoTransforms;
    let is_small = original.0.max(original.1) <= limits.max_side;
    if is_upright && is_small && base64_len(bytes.len()) <= limits.max_base64_bytes {
        return Ok(Fitted { format, bytes, size: original, original });
    }
    drop(bytes);
    let mut picture = eight_bit(picture);
    picture.apply_orientation(orientation);
    let original = (picture.width(), picture.height());
    let whole = within(original, limits.max_side);
    for scale in SCALES {
        let size = (scaled(whole.0, scale), scaled(whole.1, scale));
        if is_cancelled() {
            return Err(Error::Cancelled);
        }
        if size != (picture.width(), picture.height()) {
            picture = picture.resize_exact(size.0, size.1, imageops::FilterType::Triangle);
        }
        if let Some((format, bytes)) = encode(&picture, limits, &is_cancelled)? {
            return Ok(Fitted { format, bytes, size, original });
        }
    }
    Err(Error::DoesNotFit(limits.max_base64_bytes))
}

/// Returns the length of that many bytes in base64.
pub fn base64_len(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

fn decode(format: Format, bytes: &[u8]) -> Result<(DynamicImage, Orientation), Error> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format.decoder());
    let mut limits = DecodeLimits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| broken(&error, (0, 0)))?;
    let size = decoder.dimensions();
    let pixels = u64::from(size.0) * u64::from(size.1);
    if pixels > MAX_PIXELS || decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(Error::TooLarge(size));
    }
    // Unreadable EXIF data is as good as none.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| broken(&error, size))?;
    Ok((picture, orientation))
}

fn broken(error: &ImageError, size: Size) -> Error {
    match error {
        ImageError::Limits(_) => Error::TooLarge(size),
        ImageError::Decoding(_)
        | ImageError::Encoding(_)
        | ImageError::Parameter(_)
        | ImageError::Unsupported(_)
        | ImageError::IoError(_) => Error::Broken(error.to_string()),
    }
}

/// Converts to eight bits per channel, which is all a model sees, and to as few channels as needed.
fn eight_bit(picture: DynamicImage) -> DynamicImage {
    let color = picture.color();
    if color.has_alpha() {
        let pixels = picture.into_rgba8();
        if pixels.pixels().any(|pixel| pixel.0[3] != u8::MAX) {
            return pixels.into();
        }
        DynamicImage::from(pixels).into_rgb8().into()
    } else if color.has_color() {
        picture.into_rgb8().into()
    } else {
        picture.into_luma8().into()
    }
}

/// The largest size of the same shape within a square.
fn within((width, height): Size, max_side: u32) -> Size {
    let longest = width.max(height);
    if longest <= max_side {
        return (width, height);
    }
    let fitted = |side: u32| {
        let side = u64::from(side) * u64::from(max_side) / u64::from(longest.max(1));
        u32::try_from(side).unwrap_or(max_side).max(1)
    };
    (fitted(width), fitted(height))
}

fn scaled(side: u32, hundredths: u32) -> u32 {
    (side.saturating_mul(hundredths) / 100).max(1)
}

/// The smaller of PNG and JPEG if it fits, else JPEG with ever less quality.
fn encode(
    picture: &DynamicImage,
    limits: Limits,
    is_cancelled: impl Fn() -> bool,
) -> Result<Option<(Format, Vec<u8>)>, Error> {
    let fits = |bytes: &[u8]| base64_len(bytes.len()) <= limits.max_base64_bytes;
    let opaque = on_white(picture);
    let mut best = (Format::Png, png(picture)?);
    for quality in QUALITIES {
        if is_cancelled() {
            return Err(Error::Cancelled);
        }
        let bytes = jpeg(&opaque, quality)?;
        if bytes.len() < best.1.len() {
            best = (Format::Jpeg, bytes);
        }
        if fits(&best.1) {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

fn png(picture: &DynamicImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive);
    picture.write_with_encoder(encoder).map_err(|error| Error::Broken(error.to_string()))?;
    Ok(bytes)
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    picture.write_with_encoder(encoder).map_err(|error| Error::Broken(error.to_string()))?;
    Ok(bytes)
}

/// Replaces transparency, which JPEG does not support, with white.
fn on_white(picture: &DynamicImage) -> DynamicImage {
    let DynamicImage::ImageRgba8(pixels) = picture else { return picture.clone() };
    let mut page = RgbImage::new(pixels.width(), pixels.height());
    for (under, over) in page.pixels_mut().zip(pixels.pixels()) {
        let [red, green, blue, alpha] = over.0;
        let mixed = |channel: u8| {
            let white = u16::from(u8::MAX) * u16::from(u8::MAX - alpha);
            u8::try_from((u16::from(channel) * u16::from(alpha) + white) / u16::from(u8::MAX))
                .unwrap_or(u8::MAX)
        };
        *under = Rgb([mixed(red), mixed(green), mixed(blue)]);
    }
    page.into()
}

#[cfg(test)]
mod tests;
