use super::*;
use ::image::{Rgba, RgbaImage};
use proptest::prelude::*;

/// A picture that does not compress well: each pixel is another colour.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut number = 1_u32;
    let pixels = RgbImage::from_fn(width, height, |_, _| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [red, green, blue, _] = (number >> 3).to_be_bytes();
        Rgb([red, green, blue])
    });
    pixels.into()
}

/// The left half is red, the right half blue.
fn halves(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, _| {
        if x < width / 2 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) }
    })
    .into()
}

fn bytes_of(picture: &DynamicImage, format: Format) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format.decoder()).unwrap();
    bytes.into_inner()
}

fn fitted(format: Format, bytes: &[u8], limits: Limits) -> Result<Fitted, Error> {
    fit(format, bytes.to_vec(), limits, || false)
}

/// Puts EXIF data with an orientation behind the first mark of a JPEG.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat()
}

/// A PNG that claims a size and has next to no data.
fn png_bomb(width: u32, height: u32) -> Vec<u8> {
    let chunk = |name: &[u8], data: &[u8]| {
        let mut crc = u32::MAX;
        for byte in name.iter().chain(data) {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length, name, data, &(!crc).to_be_bytes()].concat()
    };
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let empty = [0x78, 0x9c, 0x03, 0, 0, 0, 0, 1];
    [
        &b"\x89PNG\r\n\x1a\n"[..],
        &chunk(b"IHDR", &header),
        &chunk(b"IDAT", &empty),
        &chunk(b"IEND", b""),
    ]
    .concat()
}

#[test]
fn content_decides_the_format() {
    for format in [Format::Png, Format::Jpeg, Format::Gif, Format::WebP] {
        let bytes = bytes_of(&halves(4, 4), format);
        assert_eq!(Format::detect(&bytes), Some(format));
        assert_eq!(Format::detect(&bytes[..3]), (format == Format::Jpeg).then_some(format));
    }
    assert_eq!(Format::detect(b"RIFF\0\0\0\0WAVE"), None);
    assert_eq!(Format::detect(b"text"), None);
}

#[test]
fn a_picture_that_fits_is_left_as_it_is() {
    for format in [Format::Png, Format::Jpeg, Format::Gif, Format::WebP] {
        for size in [(1, 1), (40, 20), (2000, 2)] {
            let bytes = bytes_of(&halves(size.0, size.1), format);
            let want = Fitted { format, bytes: bytes.clone(), size, original: size };
            assert_eq!(fitted(format, &bytes, Limits::default()), Ok(want), "{format:?} {size:?}");
        }
    }
}

#[test]
fn a_large_picture_is_made_to_fit() {
    let limits = |max_side, max_base64_bytes| Limits { max_side, max_base64_bytes };
    for (name, picture, format, limits, want) in [
        ("too wide", halves(300, 100), Format::Png, limits(200, 100_000), Ok((200, 66))),
        ("too high", halves(100, 300), Format::Jpeg, limits(200, 100_000), Ok((66, 200))),
        (
            "a strip stays visible",
            halves(1000, 1),
            Format::WebP,
            limits(200, 100_000),
            Ok((200, 1)),
        ),
        ("a GIF", halves(300, 300), Format::Gif, limits(200, 100_000), Ok((200, 200))),
        (
            "too many bytes for PNG",
            noise(200, 200),
            Format::Png,
            limits(200, 100_000),
            Ok((200, 200)),
        ),
        (
            "too many bytes at any quality",
            noise(200, 200),
            Format::Png,
            limits(200, 20_000),
            Ok((150, 150)),
        ),
        ("far too many bytes", noise(200, 200), Format::Png, limits(200, 6_000), Ok((100, 100))),
        (
            "no room at all",
            noise(200, 200),
            Format::Png,
            limits(200, 100),
            Err(Error::DoesNotFit(100)),
        ),
    ] {
        let bytes = bytes_of(&picture, format);
        let got = fitted(format, &bytes, limits);
        assert_eq!(got.as_ref().map(|got| got.size), want.as_ref().copied(), "{name}");
        let Ok(got) = got else { continue };
        assert_eq!(got.original, (picture.width(), picture.height()), "{name}");
        assert!(base64_len(got.bytes.len()) <= limits.max_base64_bytes, "{name}");
        let again =
            ::image::load_from_memory_with_format(&got.bytes, got.format.decoder()).unwrap();
        assert_eq!((again.width(), again.height()), got.size, "{name}");
    }
}

#[test]
fn the_smaller_format_wins() {
    let limits = Limits { max_side: 100, ..Limits::default() };
    for (name, picture, want) in
        [("flat areas", halves(400, 400), Format::Png), ("noise", noise(400, 400), Format::Jpeg)]
    {
        let got = fitted(Format::Png, &bytes_of(&picture, Format::Png), limits).unwrap();
        assert_eq!(got.format, want, "{name}");
    }
}

#[test]
fn a_picture_is_turned_upright() {
    // Where the red half is, seen from the top left corner.
    for (orientation, size, red, blue) in [
        (1, (40, 20), (2, 10), (37, 10)),
        (2, (40, 20), (37, 10), (2, 10)),
        (3, (40, 20), (37, 10), (2, 10)),
        (6, (20, 40), (10, 2), (10, 37)),
        (8, (20, 40), (10, 37), (10, 2)),
    ] {
        let bytes = with_orientation(&bytes_of(&halves(40, 20), Format::Jpeg), orientation);
        let got = fitted(Format::Jpeg, &bytes, Limits::default()).unwrap();
        assert_eq!((got.size, got.original), (size, size), "orientation {orientation}");
        let shown = ::image::load_from_memory(&got.bytes).unwrap().into_rgb8();
        assert!(shown.get_pixel(red.0, red.1).0[0] > 200, "orientation {orientation}");
        assert!(shown.get_pixel(blue.0, blue.1).0[2] > 200, "orientation {orientation}");
    }
}

#[test]
fn transparency_is_kept_or_becomes_white() {
    let glass: DynamicImage = RgbaImage::from_fn(300, 300, |x, y| {
        if x < 150 {
            Rgba([0, 0, 0, 0])
        } else {
            Rgba([u8::try_from(x * y % 256).unwrap(), 9, 9, 255])
        }
    })
    .into();
    let bytes = bytes_of(&glass, Format::Png);
    let limits = Limits { max_side: 200, max_base64_bytes: 8_000 };
    let got = fitted(Format::Png, &bytes, limits).unwrap();
    assert_eq!(got.format, Format::Jpeg);
    let shown = ::image::load_from_memory(&got.bytes).unwrap().into_rgb8();
    assert!(shown.get_pixel(5, 5).0.iter().all(|&channel| channel > 240));

    let flat: DynamicImage = RgbaImage::from_pixel(300, 300, Rgba([9, 9, 9, 100])).into();
    let got = fitted(Format::Png, &bytes_of(&flat, Format::Png), limits).unwrap();
    let shown = ::image::load_from_memory(&got.bytes).unwrap().into_rgba8();
    assert_eq!((got.format, shown.get_pixel(5, 5).0), (Format::Png, [9, 9, 9, 100]));
}

#[test]
fn bombs_and_broken_files_are_refused() {
    let whole = bytes_of(&noise(50, 50), Format::Png);
    let gif = [
        &b"GIF89a\xff\xff\xff\xff\x80\0\0"[..],
        &[0; 6],
        b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\0\x3b",
    ]
    .concat();
    let jpeg = b"\xff\xd8\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\x03\x01\x11\0\x02\x11\x01\x03\x11\x01\xff\xda\0\x0c\x03\x01\0\x02\x11\x03\x11\0\x3f\0";
    for (name, format, bytes, want) in [
        ("a PNG bomb", Format::Png, png_bomb(60_000, 60_000), "60000 x 60000 pixels, too many"),
        ("a GIF bomb", Format::Gif, gif, "65535 x 65535 pixels, too many"),
        ("a JPEG bomb", Format::Jpeg, jpeg.to_vec(), "65500 x 65500 pixels, too many"),
        (
            "a PNG cut off",
            Format::Png,
            whole[..whole.len() / 2].to_vec(),
            "is a corrupt or truncated image",
        ),
        (
            "a PNG of which only the mark is left",
            Format::Png,
            whole[..8].to_vec(),
            "is a corrupt or truncated image",
        ),
        (
            "a small PNG with wrong data",
            Format::Png,
            png_bomb(8, 8),
            "is a corrupt or truncated image",
        ),
        (
            "a JPEG that is none",
            Format::Jpeg,
            b"\xff\xd8\xff\xe0 hello".to_vec(),
            "is a corrupt or truncated image",
        ),
        (
            "a WebP that is none",
            Format::WebP,
            b"RIFF\xff\xff\xff\xffWEBPVP8 ".to_vec(),
            "is a corrupt or truncated image",
        ),
    ] {
        let error = fitted(format, &bytes, Limits::default()).unwrap_err().to_string();
        assert!(error.contains(want), "{name}: {error}");
    }
}

#[test]
fn a_cancelled_image_is_abandoned() {
    let bytes = bytes_of(&noise(300, 300), Format::Png);
    let limits = Limits { max_side: 100, ..Limits::default() };
    assert_eq!(fit(Format::Png, bytes, limits, || true), Err(Error::Cancelled));
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(200))]

    /// Whatever is in a file, there is a picture that fits or an error.
    #[test]
    fn changed_bytes_never_break_anything(
        at in proptest::collection::vec((0_usize..700, any::<u8>()), 0..12),
        which in 0_usize..4,
    ) {
        let format = [Format::Png, Format::Jpeg, Format::Gif, Format::WebP][which];
        let mut bytes = bytes_of(&noise(12, 12), format);
        for (place, byte) in at {
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        let limits = Limits { max_side: 10, max_base64_bytes: 2_000 };
        if let Ok(fitted) = fitted(format, &bytes, limits) {
            prop_assert!(fitted.size.0 <= 10 && fitted.size.1 <= 10);
        }
    }
}

#[test]
fn a_picture_of_too_many_pixels_is_refused_by_its_header() {
    // 400 million pixels of one bit each: 50 MB decoded, and eight times that to be scaled.
    let chunk = |kind: &[u8], data: &[u8]| {
        let named = [kind, data].concat();
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [length.as_slice(), &named, &crc32fast::hash(&named).to_be_bytes()].concat()
    };
    let side = 20_000_u32.to_be_bytes();
    let header = [side.as_slice(), &side, &[1, 0, 0, 0, 0]].concat();
    let bytes =
        [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &header), chunk(b"IDAT", &[])].concat();
    let got = fitted(Format::Png, &bytes, Limits::default());
    assert_eq!(got, Err(Error::TooLarge((20_000, 20_000))));
}
