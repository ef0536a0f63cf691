//! Detects content types by the first bytes, never by name.

use super::encoding;

/// A content type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text, as far as one can see.
    Text,
    /// Not text, with a description: `PNG image`, `ELF program`, `binary file`.
    Binary(&'static str),
}

/// Signatures of binary files.
const MAGIC: [(&[u8], &str); 15] = [
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\x7fELF", "ELF program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\x00asm", "WebAssembly module"),
    (b"SQLite format 3\x00", "SQLite database"),
];

/// Tells the kind from the first bytes of a file; 4,100 are enough.
pub fn kind(head: &[u8]) -> Kind {
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Kind::Binary("WebP image");
    }
    // The first box of such a file contains its brand.
    if head.get(4..8) == Some(b"ftyp") {
        match head.get(8..12) {
            Some(b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1") => {
                return Kind::Binary("HEIC image");
            }
            Some(b"avif" | b"avis") => return Kind::Binary("AVIF image"),
            Some(b"qt  ") => return Kind::Binary("QuickTime video"),
            Some(_) => return Kind::Binary("MP4 video"),
            None => {}
        }
    }
    // `BZh` may also begin a word; in an archive a level and a fixed block mark follow.
    let known = MAGIC.iter().find(|(magic, _)| {
        head.starts_with(magic) && (*magic != b"BZh" || head.get(4..6) == Some(b"1A"))
    });
    match known {
        Some((_, name)) => Kind::Binary(name),
        None if encoding::utf16(head).is_some() => Kind::Text,
        None if head.contains(&0) => Kind::Binary("binary file"),
        None => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        for (name, head, want) in [
            ("empty", &b""[..], Kind::Text),
            ("text", b"hello", Kind::Text),
            ("png", b"\x89PNG\r\n\x1a\n\0\0", Kind::Binary("PNG image")),
            ("webp", b"RIFF\x01\x02\x03\x04WEBPVP8 ", Kind::Binary("WebP image")),
            ("heic", b"\0\0\0\x18ftypheic\0\0\0\0", Kind::Binary("HEIC image")),
            ("avif", b"\0\0\0\x20ftypavif\0\0\0\0", Kind::Binary("AVIF image")),
            ("a video", b"\0\0\0\x18ftypisom\0\0\0\0", Kind::Binary("MP4 video")),
            ("a NUL anywhere", b"abc\0def", Kind::Binary("binary file")),
            ("latin-1 is text", b"caf\xe9", Kind::Text),
            ("a word like a magic", b"BZh is a word", Kind::Text),
            ("bzip2", b"BZh91AY&SY", Kind::Binary("bzip2 archive")),
        ] {
            assert_eq!(kind(head), want, "{name}");
        }
    }
}
