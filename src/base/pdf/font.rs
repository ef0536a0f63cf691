//! Page fonts: they map strings to text and widths. Outlines are not read.

use super::characters::{Characters, number};
use lopdf::{Dictionary, Document, Encoding, Object};
use std::collections::HashMap;

/// The maximum size of a `ToUnicode` map. A map of all characters of a font takes about a megabyte.
const MAX_MAP_BYTES: usize = 2 * 1024 * 1024;

/// The width of glyphs that have none, in ems: about the average of Latin text.
const AVERAGE_WIDTH: f64 = 0.5;

/// A font's characters and widths.
pub(super) struct Font<'a> {
    decoder: Decoder<'a>,
    /// True if codes have two bytes by default.
    is_composite: bool,
    /// Widths in ems, by code.
    widths: HashMap<u32, f64>,
    default_width: f64,
}

enum Decoder<'a> {
    Map(Characters),
    Table(Encoding<'a>),
    /// The codes are glyph numbers, whose characters only the font knows.
    Unknown,
}

impl<'a> Font<'a> {
    /// Reads a font dictionary. Missing and damaged parts are replaced by defaults.
    pub(super) fn read(font: &'a Dictionary, document: &'a Document) -> Self {
        let subtype = font.get(b"Subtype").and_then(Object::as_name).unwrap_or_default();
        let is_composite = subtype == b"Type0";
        let map = font.get_deref(b"ToUnicode", document).and_then(Object::as_stream);
        let map = map.and_then(|stream| stream.get_plain_content_with_limit(MAX_MAP_BYTES));
        let decoder = match map {
            Ok(map) => Decoder::Map(Characters::parse(&map)),
            // With a map, the library would expand it.
            Err(_) if !font.has(b"ToUnicode") => {
                let encoding = font.get_font_encoding_with_limit(document, MAX_MAP_BYTES);
                match encoding {
                    Ok(Encoding::OneByteEncoding(_)) if is_composite => Decoder::Unknown,
                    Ok(encoding) => Decoder::Table(encoding),
                    Err(_) => Decoder::Unknown,
                }
            }
            Err(_) => Decoder::Unknown,
        };
        let mut read = Self {
            decoder,
            is_composite,
            widths: HashMap::new(),
            default_width: if is_composite { 1.0 } else { AVERAGE_WIDTH },
        };
        if is_composite {
            read.composite_widths(font, document);
        } else {
            // Type 3 fonts define their own glyph unit.
            let unit = match font.get_deref(b"FontMatrix", document).and_then(Object::as_array) {
                Ok(matrix) if subtype == b"Type3" => matrix.first().map_or(0.001, float),
                _ => 0.001,
            };
            read.simple_widths(font, document, unit);
        }
        read
    }

    fn simple_widths(&mut self, font: &Dictionary, document: &Document, unit: f64) {
        let first = font.get_deref(b"FirstChar", document).and_then(Object::as_i64);
        let first = u32::try_from(first.unwrap_or_default()).unwrap_or_default();
        let Ok(widths) = font.get_deref(b"Widths", document).and_then(Object::as_array) else {
            return;
        };
        for (code, width) in (first..).zip(widths.iter().take(256)) {
            let width = document.dereference(width).map_or(0.0, |(_, width)| float(width));
            self.widths.insert(code, width * unit);
        }
    }

    fn composite_widths(&mut self, font: &Dictionary, document: &Document) {
        let descendants = font.get_deref(b"DescendantFonts", document).and_then(Object::as_array);
        let Ok(Some(descendant)) = descendants.map(|fonts| fonts.first()) else { return };
        let Ok((_, Object::Dictionary(descendant))) = document.dereference(descendant) else {
            return;
        };
        if let Ok(width) = descendant.get_deref(b"DW", document) {
            self.default_width = float(width) * 0.001;
        }
        let Ok(widths) = descendant.get_deref(b"W", document).and_then(Object::as_array) else {
            return;
        };
        let mut items = widths.iter();
        // `first [w1 w2 …]` or `first last w`.
        while let (Some(first), Some(second)) = (items.next(), items.next()) {
            let Some(first) = code(first) else { return };
            match document.dereference(second) {
                Ok((_, Object::Array(widths))) => {
                    for (code, width) in (first..=u32::from(u16::MAX)).zip(widths) {
                        self.widths.insert(code, float(width) * 0.001);
                    }
                }
                Ok((_, last)) => {
                    let (Some(last), Some(width)) = (code(last), items.next()) else { return };
                    for code in first..=last {
                        self.widths.insert(code, float(width) * 0.001);
                    }
                }
                Err(_) => return,
            }
        }
    }

    /// Appends a string's text to `text`, and returns its widths in ems, by glyph.
    pub(super) fn write(&self, bytes: &[u8], text: &mut String) -> Vec<Glyph> {
        if let Decoder::Table(encoding) = &self.decoder {
            // An unknown encoding has no characters.
            let _ = encoding.write_to_string(bytes, text);
        }
        let mut glyphs = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = match &self.decoder {
                _ if !self.is_composite => 1,
                Decoder::Map(map) => map.code_length(rest).unwrap_or(2),
                Decoder::Table(_) | Decoder::Unknown => 2,
            };
            let (code, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let is_space = code == b" ";
            let code = number(code);
            if let Decoder::Map(map) = &self.decoder {
                map.write(code, text);
            }
            let width = self.widths.get(&code).copied().unwrap_or(self.default_width);
            glyphs.push(Glyph { width, is_space });
        }
        glyphs
    }
}

/// A shown glyph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyph {
    /// Its width in ems.
    pub(super) width: f64,
    /// True for the single-byte code 32, to which the word spacing is added.
    pub(super) is_space: bool,
}

/// Returns a number, or zero.
pub(super) fn float(object: &Object) -> f64 {
    let number = object.as_float().map_or(0.0, f64::from);
    if number.is_finite() { number } else { 0.0 }
}

fn code(object: &Object) -> Option<u32> {
    object.as_i64().ok().and_then(|code| u16::try_from(code).ok()).map(u32::from)
}
