//! Converts a response's bytes to text: type, charset, Markdown. Pure.

use super::net::{Answer, Failure};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use pintle_base::pdf;
use pintle_base::text::html;
use pintle_base::text::sniff::{self, Kind};
use pintle_base::text::terminal::Cleaner;
use std::sync::Arc;

/// How many bytes of a page are searched for a charset declaration, as in browsers.
const CHARSET_WITHIN: usize = 1024;

/// A page as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) url: String,
    pub(super) mime_type: String,
    /// The received body's size.
    pub(super) bytes: u64,
    /// Without NULs and terminal escapes. For a document, its text layer.
    pub(super) text: String,
    /// The document that the page is, and its number of pages.
    pub(super) document: Option<(Arc<[u8]>, usize)>,
}

/// Returns the type, if it is not text.
pub(super) fn refused(content_type: &str) -> Option<&str> {
    let mime_type = essence(content_type);
    let (kind, name) = mime_type.split_once('/').unwrap_or((mime_type, ""));
    let is_text = kind.eq_ignore_ascii_case("text")
        || [
            "json",
            "xml",
            "javascript",
            "ecmascript",
            "yaml",
            "toml",
            "sql",
            "graphql",
            "ndjson",
            "jsonl",
        ]
        .iter()
        .any(|format| names_format(name, format));
    // Without a specific type, the content decides.
    let is_open =
        mime_type.is_empty() || mime_type.eq_ignore_ascii_case("application/octet-stream");
    (!is_text && !is_open && !is_document(content_type)).then_some(mime_type)
}

/// Returns true for the media type of PDF documents.
pub(super) fn is_document(content_type: &str) -> bool {
    essence(content_type).eq_ignore_ascii_case(pdf::MIME_TYPE)
}

/// `json`, `x-json` and `vnd.some+json` are all JSON.
fn names_format(name: &str, format: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("x-").unwrap_or(&name);
    name == format || name.strip_suffix(format).is_some_and(|front| front.ends_with('+'))
}

/// Type and subtype, without parameters.
fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// Converts an answer to text. `is_cancelled` is checked while a document is read.
///
/// # Errors
/// The answer is neither text nor a readable document.
pub(super) fn page(answer: Answer, is_cancelled: impl Fn() -> bool) -> Result<Page, Failure> {
    if pdf::is_pdf(&answer.body) || answer.content_type.as_deref().is_some_and(is_document) {
        return pdf_page(answer, is_cancelled);
    }
    let Answer { url, content_type, body } = answer;
    let declared = content_type.as_deref().map(essence).unwrap_or_default().to_ascii_lowercase();
    let encoding = encoding(content_type.as_deref(), &body);
    let is_wide = encoding.is_some_and(|encoding| !encoding.is_ascii_compatible());
    if !is_wide && let Kind::Binary(what) = sniff::kind(&body) {
        return Err(Failure::new(format!("it is a {what}, not text")));
    }
    let encoding = encoding.unwrap_or(match std::str::from_utf8(&body) {
        Ok(_) => UTF_8,
        Err(_) => WINDOWS_1252,
    });
    let (text, ..) = encoding.decode(&body);
    let mut cleaner = Cleaner::default();
    let text = cleaner.push(text.as_bytes()) + cleaner.finish();
    let is_unsaid = declared.is_empty() || declared == "application/octet-stream";
    let is_html = match declared.as_str() {
        "text/html" | "application/xhtml+xml" => true,
        _ => is_unsaid && looks_like_html(&text),
    };
    let mime_type = match (is_unsaid, is_html) {
        (false, _) => declared,
        (true, true) => "text/html".to_owned(),
        (true, false) => "text/plain".to_owned(),
    };
    let text = if is_html { html::to_markdown(&text) } else { text };
    let text = text.trim_end().to_owned();
    Ok(Page { url, mime_type, bytes: body.len() as u64, text, document: None })
}

/// Reads the text layer of a document. One without text is only for models that accept the document itself.
fn pdf_page(answer: Answer, is_cancelled: impl Fn() -> bool) -> Result<Page, Failure> {
    let Answer { url, body, .. } = answer;
    let bytes: Arc<[u8]> = body.into();
    let (pages, text) = match pdf::text(Arc::clone(&bytes), is_cancelled) {
        Ok(text) => (text.pages, text.in_lines().trim_end().to_owned()),
        Err(pdf::Error::NoText(pages)) => (pages, String::new()),
        Err(error) => return Err(Failure::new(format!("it {error}"))),
    };
    let mime_type = pdf::MIME_TYPE.to_owned();
    let size = bytes.len() as u64;
    Ok(Page { url, mime_type, bytes: size, text, document: Some((bytes, pages)) })
}

fn looks_like_html(text: &str) -> bool {
    let start = text.trim_start().get(..15).unwrap_or_default().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Returns the declared encoding: that of a byte order mark, or else of the header, or else of the page itself.
fn encoding(content_type: Option<&str>, body: &[u8]) -> Option<&'static Encoding> {
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let named = || Encoding::for_label(charset(content_type?)?.as_bytes());
    let inside = || {
        let start = body.get(..body.len().min(CHARSET_WITHIN)).unwrap_or_default();
        let start = String::from_utf8_lossy(start).to_ascii_lowercase();
        let is_xml = start.trim_start().starts_with("<?xml");
        let label = charset(&start).or_else(|| after(&start, "encoding=").filter(|_| is_xml))?;
        // A page that was readable so far is not in a two-byte encoding that it may declare.
        Encoding::for_label(label.as_bytes())
            .map(|named| if named.is_ascii_compatible() { named } else { UTF_8 })
    };
    let is_markup = || body.trim_ascii_start().starts_with(b"<");
    marked.or_else(named).or_else(|| if is_markup() { inside() } else { None })
}

fn charset(text: &str) -> Option<&str> {
    after(text, "charset=").or_else(|| after(text, "Charset=")).or_else(|| after(text, "CHARSET="))
}

/// Returns the word after a name, with or without quotes.
fn after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    let rest = rest.trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':'));
    rest.get(..end.unwrap_or(rest.len())).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_taken() {
        for (content_type, want) in [
            ("text/html; charset=utf-8", None),
            ("TEXT/Plain", None),
            ("application/json", None),
            ("application/vnd.api+json", None),
            ("application/x-yaml", None),
            ("image/svg+xml", None),
            ("application/octet-stream", None),
            ("", None),
            ("application/pdf", None),
            ("Application/PDF; x=1", None),
            ("image/png; x=1", Some("image/png")),
            ("application/zip", Some("application/zip")),
            ("nonsense", Some("nonsense")),
        ] {
            assert_eq!(refused(content_type), want, "{content_type}");
        }
    }

    #[test]
    fn bytes_become_text() {
        type Row<'a> = (&'a str, Option<&'a str>, &'a [u8], Result<(&'a str, &'a str), &'a str>);
        let utf16: Vec<u8> = "\u{feff}\u{e4}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let rows: [Row<'_>; 14] = [
            ("UTF-8", Some("text/plain"), "\u{e4}".as_bytes(), Ok(("text/plain", "\u{e4}"))),
            ("the header names it", Some("text/plain; charset=\"ISO-8859-1\""), b"\xe4", Ok(("text/plain", "\u{e4}"))),
            ("Japanese", Some("text/plain;charset=Shift_JIS"), b"\x93\xfa", Ok(("text/plain", "\u{65e5}"))),
            ("the page names it", Some("text/html"), b"<meta charset='koi8-r'><p>\xc1", Ok(("text/html", "\u{430}"))),
            (
                "the page names it the old way",
                Some("text/html"),
                b"<META http-equiv=Content-Type content=\"text/html; charset=windows-1251\"><p>\xe0",
                Ok(("text/html", "\u{430}")),
            ),
            ("XML names it", Some("text/xml"), b"<?xml version=\"1.0\" encoding=\"latin1\"?><a>\xe4</a>", Ok(("text/xml", "<?xml version=\"1.0\" encoding=\"latin1\"?><a>\u{e4}</a>"))),
            ("nobody names it", Some("text/plain"), b"\xe4\x80", Ok(("text/plain", "\u{e4}\u{20ac}"))),
            ("a mark goes before the header", Some("text/plain; charset=latin1"), &utf16, Ok(("text/plain", "\u{e4}"))),
            ("a name that is none", Some("text/plain; charset=klingon"), "\u{e4}".as_bytes(), Ok(("text/plain", "\u{e4}"))),
            ("a page without a type", None, b"<!DOCTYPE html><h1>x</h1>", Ok(("text/html", "# x"))),
            ("text without a type", None, b"x <html>", Ok(("text/plain", "x <html>"))),
            ("JSON stays as it is", Some("application/json"), b"{\"a\": [1,2]}\n", Ok(("application/json", "{\"a\": [1,2]}"))),
            ("no escapes", Some("text/plain"), b"\x1b[31mred\x1b[0m", Ok(("text/plain", "red"))),
            ("a program that calls itself text", Some("text/plain"), b"\x7fELF\0\0", Err("it is a ELF program, not text")),
        ];
        for (name, content_type, body, want) in rows {
            let answer = Answer {
                url: "http://x/".to_owned(),
                content_type: content_type.map(str::to_owned),
                body: body.to_vec(),
            };
            let got = page(answer, || false)
                .map(|page| (page.mime_type, page.text))
                .map_err(|error| error.to_string());
            let want = want
                .map(|(mime_type, text)| (mime_type.to_owned(), text.to_owned()))
                .map_err(str::to_owned);
            assert_eq!(got, want, "{name}");
        }
    }
}
