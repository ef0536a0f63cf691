//! PDF documents in the form that a model may see: as documents if the model accepts them, else as text with page numbers.

use super::Settings;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_base::pdf::{self, Error, Text, counted};
use pintle_protocol::content::Content;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The maximum size of a document that is passed on as a document, since it is part of each further request. With base64, two thirds
/// of the limit of a request.
const MAX_DOCUMENT_BYTES: u64 = 10 * 1024 * 1024;

/// The maximum number of pages of such a document, whatever the settings allow: that of Anthropic, the lowest.
const MAX_DOCUMENT_PAGES: u64 = 100;

/// Returns true if the model reads such a document itself.
pub(super) fn is_accepted(settings: &Settings, bytes: u64, pages: usize) -> bool {
    let max_pages = settings.max_document_pages.unwrap_or_default().min(MAX_DOCUMENT_PAGES);
    !settings.block_images && bytes <= MAX_DOCUMENT_BYTES && pages as u64 <= max_pages
}

/// Returns a document with the text that is shown to other models.
pub(super) fn content(name: &str, pages: usize, bytes: &[u8], text: String) -> Content {
    Content::Document {
        mime_type: pdf::MIME_TYPE.to_owned(),
        data: STANDARD.encode(bytes),
        name: name.to_owned(),
        pages: pages as u64,
        text,
    }
}

/// Extracts a document's text on a blocking thread.
pub(super) async fn read(bytes: Arc<[u8]>, cancel: &CancellationToken) -> Result<Text, Error> {
    let cancel = cancel.clone();
    let reading = move || pdf::text(bytes, || cancel.is_cancelled());
    let failed = || Error::Broken("reading it failed".to_owned());
    tokio::task::spawn_blocking(reading).await.unwrap_or_else(|_| Err(failed()))
}

/// Returns a document that a server or client sent in base64, or a message that explains why it is not shown.
pub async fn document(
    settings: &Settings,
    cancel: &CancellationToken,
    name: &str,
    data: &str,
) -> Vec<Content> {
    let left_out =
        |why: &str| vec![Content::text(format!("[the document {name} was omitted: it {why}]"))];
    let max_base64 = usize::try_from(pdf::MAX_BYTES / 3 * 4 + 4).unwrap_or(usize::MAX);
    if data.len() > max_base64 {
        return left_out(&Error::TooLarge.to_string());
    }
    let Ok(bytes) = STANDARD.decode(data.trim()) else {
        return left_out("is not valid base64");
    };
    let bytes: Arc<[u8]> = bytes.into();
    let size = bytes.len() as u64;
    let (pages, text) = match read(Arc::clone(&bytes), cancel).await {
        Ok(text) => (text.pages, text.in_lines()),
        // The model may see page images.
        Err(error @ Error::NoText(pages)) if is_accepted(settings, size, pages) => {
            (pages, format!("[it {error}]"))
        }
        Err(error) => return left_out(&error.to_string()),
    };
    let head = format!("[{name}: PDF document, {}]", counted(pages));
    if is_accepted(settings, size, pages) {
        vec![Content::text(head), content(name, pages, &bytes, text)]
    } else {
        vec![Content::text(format!("{head}\n\n{text}"))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_testing::pdf as made;

    #[tokio::test]
    async fn a_model_sees_a_document_or_its_text() {
        let plain = Settings::default();
        let able = Settings { max_document_pages: Some(9), ..Settings::default() };
        let two = STANDARD.encode(made::with_text(&["One", "two"]));
        let scan = STANDARD.encode(made::with_text(&[""]));
        let text = "[page 1 of 2]\nOne\n[page 2 of 2]\ntwo\n";
        for (name, settings, data, want, is_document) in [
            ("text", &plain, &two, format!("[a.pdf: PDF document, 2 pages]\n\n{text}"), false),
            ("document", &able, &two, "[a.pdf: PDF document, 2 pages]".to_owned(), true),
            (
                "a scan as a document",
                &able,
                &scan,
                "[a.pdf: PDF document, 1 page]".to_owned(),
                true,
            ),
            (
                "a scan as text",
                &plain,
                &scan,
                "[the document a.pdf was omitted: it is a PDF document of 1 page without"
                    .to_owned(),
                false,
            ),
            (
                "no base64",
                &able,
                &"%%%".to_owned(),
                "[the document a.pdf was omitted: it is not valid base64]".to_owned(),
                false,
            ),
            (
                "too large",
                &able,
                &"A".repeat(48 << 20),
                "[the document a.pdf was omitted: it is a PDF document of more than".to_owned(),
                false,
            ),
        ] {
            let got = document(settings, &CancellationToken::new(), "a.pdf", data).await;
            let said = got[0].as_text().unwrap();
            assert!(said.starts_with(&want), "{name}: {said}");
            match &got[1..] {
                [] => assert!(!is_document, "{name}"),
                [Content::Document { data: sent, text: shown, .. }] if is_document => {
                    assert_eq!(sent, data, "{name}");
                    assert!(shown.starts_with(text) || name.contains("scan"), "{name}: {shown}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
