//! A writer of small PDF documents for tests.

use std::fmt::Write as _;

/// Returns a document with these objects, numbered from 1. The first one is the catalog.
pub fn document(objects: &[Vec<u8>]) -> Vec<u8> {
    with_trailer(objects, "")
}

/// Returns a document with these objects and additional trailer entries.
pub fn with_trailer(objects: &[Vec<u8>], entries: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (count, start) = (objects.len() + 1, file.len());
    let trailer = format!("<< /Size {count} /Root 1 0 R {entries} >>");
    let end = format!("xref\n0 {count}\n{table}trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n");
    file.extend(end.bytes());
    file
}

/// Returns a stream object: its dictionary entries, without the length, and its bytes.
pub fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let mut object = format!("<< /Length {} {entries} >>\nstream\n", bytes.len()).into_bytes();
    object.extend(bytes);
    object.extend(b"\nendstream");
    object
}

/// Returns a document with a page per content, and `F1` as the font of each: Helvetica in `WinAnsiEncoding`.
pub fn with_contents(contents: &[Vec<u8>]) -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    document(&objects(font, contents))
}

/// Returns the objects of such a document with another font, which has the number 3. Pages and contents begin at 4, in turn.
pub fn objects(font: &str, contents: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let numbers = (0..contents.len()).map(|page| 4 + 2 * page);
    let kids: Vec<String> = numbers.map(|number| format!("{number} 0 R")).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} /Resources << /Font << /F1 3 0 R >> >> >>",
            kids.join(" "),
            contents.len()
        )
        .into_bytes(),
        font.as_bytes().to_vec(),
    ];
    for (page, content) in contents.iter().enumerate() {
        let content_number = 5 + 2 * page;
        let entries = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content_number} 0 R >>"
        );
        objects.push(entries.into_bytes());
        objects.push(content.clone());
    }
    objects
}

/// Returns a document with a page per text, which shows its lines. Characters are limited to Latin-1.
pub fn with_text(texts: &[&str]) -> Vec<u8> {
    let contents: Vec<Vec<u8>> =
        texts.iter().map(|text| stream("", &content(&latin1(text)))).collect();
    with_contents(&contents)
}

/// Returns page content that shows lines of codes.
pub fn content(lines: &[u8]) -> Vec<u8> {
    let mut content = b"BT /F1 12 Tf 14 TL 72 770 Td".to_vec();
    for line in lines.split(|byte| *byte == b'\n') {
        content.extend(b" (");
        for byte in line {
            if b"()\\".contains(byte) {
                content.push(b'\\');
            }
            content.push(*byte);
        }
        content.extend(b") Tj T*");
    }
    content.extend(b" ET");
    content
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect()
}

/// Returns compressed data, for the filter `FlateDecode`, of at least `bytes` zeros: about a thousandth as long.
pub fn zeros(bytes: usize) -> Vec<u8> {
    // A block with fixed codes: a zero, then copies of 258 zeros, each 13 bits: 8 copies repeat every 13 bytes.
    let mut bits = vec![true, true, false];
    bits.extend([false, false, true, true, false, false, false, false]);
    for _ in 0..16 {
        bits.extend([true, true, false, false, false, true, false, true]);
        bits.extend([false; 5]);
    }
    let bytes_of = |bits: &[bool]| -> Vec<u8> {
        let byte =
            |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        bits.chunks_exact(8).map(byte).collect()
    };
    let start = bytes_of(&bits);
    let (first, rest) = start.split_at(2);
    let (period, _) = rest.split_at(13);
    let mut data = b"\x78\x9c".to_vec();
    data.extend(first);
    for _ in 0..=bytes / (8 * 258) {
        data.extend(period);
    }
    data
}
