//! The text layer of PDF documents, page by page: pure functions on bytes. Nothing is rendered, and images are not looked at.
//!
//! Invariant: whatever the bytes are, [`text`] returns in bounded time. A document is read on a separate thread with limits for everything that
//! it can make grow; the thread is given up when it takes too long or panics.

mod characters;
mod font;
mod page;

use crate::text::truncate::size;
use lopdf::{DecompressError, Document, LoadOptions, Object, ObjectId};
use page::Reader;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The maximum size of a document, in bytes.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The number of bytes at a file's beginning that contain the header.
const HEAD_BYTES: usize = 1024;

/// The maximum time for a document: a thousand pages of text take a few seconds.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The interval between two checks for cancellation.
const TICK: Duration = Duration::from_millis(20);

/// The stack of the reading thread. A hundred nested arrays, the maximum in a document, take a few megabytes in debug builds.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// The maximum size of a stream when decompressed: those of maps and drawings are a few megabytes.
const MAX_STREAM_BYTES: usize = 8 * 1024 * 1024;

/// The maximum size of a decompressed stream of objects. The library parses it as a whole, and each of its bytes can be a value.
const MAX_OBJECT_STREAM_BYTES: usize = 4 * 1024 * 1024;

/// The maximum size of all cross-reference streams, each of which becomes a table in memory.
const MAX_REFERENCE_BYTES: usize = 16 * 1024 * 1024;

/// The maximum number of values in a document, each of which takes about a hundred bytes of memory. Lower in tests, whose debug build takes
/// seconds for a million.
const MAX_VALUES: usize = if cfg!(test) { 40_000 } else { 4_000_000 };

/// The maximum number of words in a file, each of which may become a value.
const MAX_WORDS: usize = 4_000_000;

/// The maximum length of the text of all pages, in bytes.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// The maximum length of a line, in characters. Longer lines, which pages hardly have, are broken, since tools cut them.
const MAX_LINE_CHARS: usize = 2000;

/// The text layer of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The number of pages.
    pub pages: usize,
    /// The text of each page from the first on; `None` if a page's content is damaged or too large. Fewer than `pages` if
    /// the text exceeds the limits.
    pub texts: Vec<Option<String>>,
}

impl Text {
    /// Joins the pages, each after a line with its number. No line is longer than 2,000 characters.
    pub fn in_lines(&self) -> String {
        let Self { pages, texts } = self;
        let mut lines = String::new();
        for (number, text) in (1..).zip(texts) {
            let note = match text.as_deref() {
                None => ": its content is missing, damaged or too large",
                Some("") => ": no text",
                Some(_) => "",
            };
            let _ = writeln!(lines, "[page {number} of {pages}{note}]");
            for line in text.iter().flat_map(|text| text.lines()) {
                for (at, character) in line.chars().enumerate() {
                    if at > 0 && at % MAX_LINE_CHARS == 0 {
                        lines.push('\n');
                    }
                    lines.push(character);
                }
                lines.push('\n');
            }
        }
        if texts.len() < *pages {
            let (next, limit) = (texts.len() + 1, size(MAX_TEXT_BYTES as u64));
            let _ = writeln!(
                lines,
                "[pages {next} to {pages} omitted: the document exceeds the limit of {limit} of text; extract them to another file first, such as with `qpdf --pages`]"
            );
        }
        lines
    }
}

/// The reason why a document has no readable text. The message follows a path and the word `it`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The document needs a password, or restricts its use with an empty one.
    #[error(
        "is an encrypted PDF document: make a decrypted copy first, such as with `qpdf --decrypt`"
    )]
    Encrypted,
    /// The file is larger than [`MAX_BYTES`].
    #[error(
        "is a PDF document of more than {}: extract the pages you need first, such as with `qpdf --pages`",
        size(MAX_BYTES)
    )]
    TooLarge,
    /// The document's structure cannot be read.
    #[error(
        "is a damaged PDF document ({0}): repair a copy first, such as with `qpdf` or `mutool clean`"
    )]
    Broken(String),
    /// Reading the document takes too much memory or time.
    #[error(
        "is a PDF document that takes too much {0} to read: extract the pages you need first, such as with `qpdf --pages`"
    )]
    TooComplex(&'static str),
    /// No page has text.
    #[error(
        "is a PDF document of {} without a text layer, as scans are: run OCR first, such as with `ocrmypdf`, or convert its pages to images, such as with `pdftoppm`",
        counted(*.0)
    )]
    NoText(usize),
    /// The caller stopped waiting.
    #[error("was not read: operation aborted")]
    Cancelled,
}

/// Returns true if a file that begins with these bytes is a PDF document. Bytes before the header, which some programs
/// write, are ignored unless they are text: a text may mention the header.
pub fn is_pdf(head: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    let beginning = head.get(..HEAD_BYTES).unwrap_or(head);
    match memchr::memmem::find(beginning, HEADER) {
        Some(0) => true,
        // A document has binary data near its header. The last character of `head` may be cut.
        Some(_) => std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some()),
        None => false,
    }
}

/// The media type of PDF documents.
pub const MIME_TYPE: &str = "application/pdf";

/// Returns true if data in base64 is a PDF document, by its media type or its beginning.
pub fn is_document(mime_type: &str, data: &str) -> bool {
    const HEADER: &str = "JVBERi";
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(MIME_TYPE) || data.trim_start().starts_with(HEADER)
}

/// Formats a page count: `1 page`, `2 pages`.
pub fn counted(pages: usize) -> String {
    if pages == 1 { "1 page".to_owned() } else { format!("{pages} pages") }
}

/// Extracts a document's text. `is_cancelled` is checked every few milliseconds. Blocks until done.
///
/// # Errors
/// See [`Error`].
pub fn text(
    bytes: impl AsRef<[u8]> + Send + 'static,
    is_cancelled: impl Fn() -> bool,
) -> Result<Text, Error> {
    if bytes.as_ref().len() as u64 > MAX_BYTES {
        return Err(Error::TooLarge);
    }
    let stop = Arc::new(AtomicBool::new(false));
    // One result.
    let (sender, receiver) = mpsc::sync_channel(1);
    let reading = {
        let stop = Arc::clone(&stop);
        move || {
            // An error means that the caller has given up.
            let _ = sender.send(read(bytes.as_ref(), &stop));
        }
    };
    // Never joined: a hostile document must not delay the caller beyond the time limit.
    std::thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(reading)
        .map_err(|_| Error::TooComplex("memory"))?;
    let mut waited = Duration::ZERO;
    let error = loop {
        match receiver.recv_timeout(TICK) {
            Ok(result) => return result,
            // The reader panicked.
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Broken("its structure is invalid".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => waited += TICK,
        }
        if is_cancelled() {
            break Error::Cancelled;
        }
        if waited >= MAX_TIME {
            break Error::TooComplex("time");
        }
    };
    stop.store(true, Ordering::Relaxed);
    Err(error)
}

fn read(bytes: &[u8], stop: &Arc<AtomicBool>) -> Result<Text, Error> {
    let names = Names::count(bytes);
    // The library decompresses encrypted documents at once, beyond the limits of `keep`.
    if names.encrypt > 0 {
        return Err(Error::Encrypted);
    }
    // The library parses an object as a whole before its values can be counted.
    if words(bytes, MAX_WORDS) == MAX_WORDS {
        return Err(Error::TooComplex("memory"));
    }
    let max_bytes =
        MAX_OBJECT_STREAM_BYTES.min(MAX_REFERENCE_BYTES / names.cross_references.max(1));
    let mut document = load(bytes, stop, max_bytes, false)?;
    let mut pages = page_ids(&document);
    if pages.is_empty() {
        // The references may be wrong: search for the objects instead.
        document = load(bytes, stop, max_bytes, true)?;
        pages = page_ids(&document);
    }
    if pages.is_empty() {
        return Err(Error::Broken("it has no pages".to_owned()));
    }
    let mut reader = Reader::new(&document, stop);
    let (mut texts, mut length) = (Vec::new(), 0);
    for page in &pages {
        let text = reader.page(*page);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        length += text.as_ref().map_or(0, String::len);
        if length > MAX_TEXT_BYTES || reader.is_exhausted() {
            break;
        }
        texts.push(text);
    }
    if texts.is_empty() {
        return Err(Error::TooComplex("memory"));
    }
    let count = pages.len();
    if texts.iter().flatten().all(String::is_empty) {
        if texts.iter().any(Option::is_none) {
            let reason = "the content of its pages is missing, invalid or too large";
            return Err(Error::Broken(reason.to_owned()));
        }
        return Err(Error::NoText(count));
    }
    Ok(Text { pages: count, texts })
}

/// The pages in order. A tree that leads to a page twice is a loop.
fn page_ids(document: &Document) -> Vec<ObjectId> {
    let mut seen = HashSet::new();
    document.page_iter().filter(|id| seen.insert(*id)).collect()
}

/// Counts the words of a file that may become values, up to a limit. Words in streams count too, since only the library knows where a stream
/// begins; compressed data has about one word in twenty bytes.
fn words(bytes: &[u8], limit: usize) -> usize {
    let mut count = 0;
    let mut is_in_word = false;
    for byte in bytes {
        match byte {
            b'(' | b'<' | b'/' => {
                count += 1;
                // The characters after it belong to the same value.
                is_in_word = true;
            }
            b'[' | b'{' => {
                count += 1;
                is_in_word = false;
            }
            b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b')' | b'>' | b']' | b'}' | b'%' => {
                is_in_word = false;
            }
            _ if !is_in_word => {
                count += 1;
                is_in_word = true;
            }
            _ => {}
        }
        if count == limit {
            break;
        }
    }
    count
}

/// Names that matter before a document is loaded.
#[derive(Debug, Default)]
struct Names {
    encrypt: usize,
    cross_references: usize,
}

impl Names {
    /// Counts relevant names in a document, escaped or not. They are never compressed.
    fn count(bytes: &[u8]) -> Self {
        let mut names = Self::default();
        for at in memchr::memchr_iter(b'/', bytes) {
            let rest = bytes.get(at + 1..).unwrap_or_default();
            match name(rest).as_slice() {
                b"Encrypt" => names.encrypt += 1,
                b"XRef" => names.cross_references += 1,
                _ => {}
            }
        }
        names
    }
}

/// Returns the name at the beginning of some bytes, or the first characters of a long one.
fn name(bytes: &[u8]) -> Vec<u8> {
    const MAX_CHARS: usize = 8;
    let mut name = Vec::new();
    let mut rest = bytes;
    while name.len() < MAX_CHARS {
        let Some((&byte, after)) = rest.split_first() else { break };
        rest = after;
        match byte {
            b'#' => {
                let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    Some(escaped) => {
                        name.push(escaped);
                        rest = after.get(2..).unwrap_or_default();
                    }
                    None => name.push(byte),
                }
            }
            b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'(' | b')' | b'<' | b'>' | b'['
            | b']' | b'{' | b'}' | b'/' | b'%' => break,
            _ => name.push(byte),
        }
    }
    name
}

/// The progress of loading a document. The library calls [`keep`], a plain function, on the thread that loads.
#[derive(Debug)]
struct Loading {
    values_left: usize,
    stop: Arc<AtomicBool>,
}

thread_local! {
    static LOADING: RefCell<Option<Loading>> = const { RefCell::new(None) };
}

fn load(
    bytes: &[u8],
    stop: &Arc<AtomicBool>,
    max_stream_bytes: usize,
    force_reconstruct: bool,
) -> Result<Document, Error> {
    let loading = Loading { values_left: MAX_VALUES, stop: Arc::clone(stop) };
    LOADING.set(Some(loading));
    let options = LoadOptions {
        filter: Some(keep),
        max_decompressed_size: Some(max_stream_bytes),
        force_reconstruct,
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options);
    let loading = LOADING.take();
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Cancelled);
    }
    if loading.is_some_and(|loading| loading.values_left == 0) {
        return Err(Error::TooComplex("memory"));
    }
    match document {
        Ok(document) if document.is_encrypted() => Err(Error::Encrypted),
        Ok(document) => Ok(document),
        Err(lopdf::Error::Decompress(DecompressError::MemoryLimitExceeded { .. })) => {
            Err(Error::TooComplex("memory"))
        }
        Err(error) => Err(Error::Broken(error.to_string())),
    }
}

/// Keeps an object while the document is within its limits.
fn keep(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    LOADING.with_borrow_mut(|loading| {
        let loading = loading.as_mut()?;
        loading.values_left = loading.values_left.saturating_sub(values(object));
        let goes_on = loading.values_left > 0 && !loading.stop.load(Ordering::Relaxed);
        goes_on.then(|| (id, object.clone()))
    })
}

/// Counts the values in an object. The library limits the depth.
fn values(object: &Object) -> usize {
    match object {
        Object::Array(items) => items.iter().map(values).sum::<usize>() + 1,
        Object::Dictionary(entries) => entries.iter().map(|(_, value)| values(value) + 1).sum(),
        Object::Stream(stream) => stream.dict.iter().map(|(_, value)| values(value) + 1).sum(),
        Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::String(..)
        | Object::Reference(_) => 1,
    }
}

#[cfg(test)]
mod tests;
