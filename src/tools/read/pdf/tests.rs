use crate::tests::{Scene, text};
use crate::{Profile, Read, Settings};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pintle_protocol::content::Content;
use pintle_testing::pdf;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn pages_are_lines_of_text() {
    let long = "x".repeat(2100);
    let lines: Vec<String> = (1..=2500).map(|line| format!("line {line}")).collect();
    let lines = lines.join("\n");
    let bomb = pdf::stream("/Filter /FlateDecode", &pdf::zeros(1 << 30));
    let text_page = pdf::stream("", &pdf::content(b"still here"));
    let scene = Scene::with(&[
        ("a.pdf", &pdf::with_text(&["One\nand two", "", "Grüße"])),
        ("named.txt", &pdf::with_text(&["One"])),
        ("text.pdf", b"only text\n"),
        ("mention.md", b"It begins with:\n%PDF-1.7\n"),
        ("long.pdf", &pdf::with_text(&[&long])),
        ("many.pdf", &pdf::with_text(&[&lines])),
        ("bomb.pdf", &pdf::with_contents(&[bomb, text_page])),
        ("scan.pdf", &pdf::with_text(&["", ""])),
        ("secret.pdf", &pdf::with_trailer(&[], "/Encrypt 9 0 R")),
        ("cut.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Cat"),
        ("huge.pdf", &[b"%PDF-1.7\n".to_vec(), vec![0; 32 * 1024 * 1024]].concat()),
    ]);
    let broken = format!("[page 1 of 1]\n{}\n{}", "x".repeat(2000), "x".repeat(100));
    for (name, path, range, want) in [
        (
            "pages",
            "a.pdf",
            None,
            "[page 1 of 3]\nOne\nand two\n[page 2 of 3: no text]\n[page 3 of 3]\nGrüße",
        ),
        ("by content", "named.txt", None, "[page 1 of 1]\nOne"),
        ("not by name", "text.pdf", None, "only text"),
        ("a text about documents", "mention.md", None, "It begins with:\n%PDF-1.7"),
        (
            "some lines",
            "a.pdf",
            Some((2, 2)),
            "One\nand two\n\n[3 more lines in file. Use offset=4 to continue.]",
        ),
        (
            "lines past the end",
            "a.pdf",
            Some((9, 1)),
            "error: Offset 9 is beyond end of file (6 lines total)",
        ),
        ("a long line", "long.pdf", None, broken.as_str()),
        (
            "a page of a gigabyte",
            "bomb.pdf",
            None,
            "[page 1 of 2: its content is missing, damaged or too large]\n[page 2 of 2]\nstill here",
        ),
        (
            "no text",
            "scan.pdf",
            None,
            "error: Cannot read scan.pdf: it is a PDF document of 2 pages without a text layer, as scans are: run OCR first, such as with `ocrmypdf`, or convert its pages to images, such as with `pdftoppm`",
        ),
        (
            "encrypted",
            "secret.pdf",
            None,
            "error: Cannot read secret.pdf: it is an encrypted PDF document: make a decrypted copy first, such as with `qpdf --decrypt`",
        ),
        (
            "truncated",
            "cut.pdf",
            None,
            "error: Cannot read cut.pdf: it is a damaged PDF document (failed parsing cross reference table): repair a copy first, such as with `qpdf` or `mutool clean`",
        ),
        (
            "too large",
            "huge.pdf",
            None,
            "error: Cannot read huge.pdf: it is a PDF document of more than 32.0MB: extract the pages you need first, such as with `qpdf --pages`",
        ),
    ] {
        let mut arguments = json!({"path": path});
        if let Some((offset, limit)) = range {
            arguments["offset"] = json!(offset);
            arguments["limit"] = json!(limit);
        }
        let result = scene.call(&Read(Profile::Pi), arguments).await;
        assert_eq!(text(&result).trim_end(), want, "{name}");
        let should_fail = want.starts_with("error: ");
        assert_eq!(result.is_error, should_fail, "{name}");
    }
    let result = scene.call(&Read(Profile::Pi), json!({"path": "many.pdf"})).await;
    let notice = "\nline 1999\n\n[Showing lines 1-2000 of 2501. Use offset=2001 to continue.]";
    assert!(text(&result).ends_with(notice), "{}", text(&result));
    let result = scene.call(&Read(Profile::Anthropic), json!({"file_path": "a.pdf"})).await;
    assert!(text(&result).starts_with("     1\t[page 1 of 3]\n     2\tOne\n"), "{}", text(&result));
}

#[tokio::test]
async fn a_model_that_accepts_documents_gets_them_with_their_text() {
    let (short, scan) = (pdf::with_text(&["One", "two"]), pdf::with_text(&[""]));
    let large = [pdf::with_text(&["One"]), vec![b' '; 10 * 1024 * 1024]].concat();
    let mut scene = Scene::with(&[
        ("a/short.pdf", &short),
        ("scan.pdf", &scan),
        ("large.pdf", &large),
        ("secret.pdf", &pdf::with_trailer(&[], "/Encrypt 9 0 R")),
    ]);
    let accepts = |pages| Settings { max_document_pages: Some(pages), ..Settings::default() };
    let blocked = Settings { block_images: true, ..accepts(2) };
    let (none, whole) = (Settings::default(), json!({}));
    let as_text = "[page 1 of 2]\nOne\n[page 2 of 2]\ntwo";
    let in_short = Some((&short, 2, as_text));
    let of_scan = "error: Cannot read scan.pdf: it is a PDF document of 1 page";
    for (name, settings, path, range, want, document) in [
        (
            "accepted",
            &accepts(2),
            "a/short.pdf",
            &whole,
            "[a/short.pdf: PDF document, 2 pages]",
            in_short,
        ),
        ("not accepted", &none, "a/short.pdf", &whole, as_text, None),
        ("too many pages", &accepts(1), "a/short.pdf", &whole, as_text, None),
        ("no images", &blocked, "a/short.pdf", &whole, as_text, None),
        (
            "some lines",
            &accepts(2),
            "a/short.pdf",
            &json!({"offset": 3}),
            "[page 2 of 2]\ntwo",
            None,
        ),
        ("too large", &accepts(2), "large.pdf", &whole, "[page 1 of 1]\nOne", None),
        (
            "a scan",
            &accepts(2),
            "scan.pdf",
            &whole,
            "[scan.pdf: PDF document, 1 page]",
            Some((&scan, 1, &of_scan[7..])),
        ),
        ("a scan as text", &none, "scan.pdf", &whole, of_scan, None),
        (
            "encrypted",
            &accepts(2),
            "secret.pdf",
            &whole,
            "error: Cannot read secret.pdf: it is an encrypted",
            None,
        ),
    ] {
        scene.ctx.settings = Arc::new(settings.clone());
        let mut arguments = range.clone();
        arguments["path"] = json!(path);
        let mut result = scene.call(&Read(Profile::Pi), arguments).await;
        let got = result.content.iter().position(|block| matches!(block, Content::Document { .. }));
        let got = got.map(|at| result.content.remove(at));
        assert!(text(&result).starts_with(want), "{name}: {}", text(&result));
        let Some((bytes, count, start)) = document else {
            assert_eq!(got, None, "{name}");
            continue;
        };
        let Some(Content::Document { mime_type, data, name: file, pages, text }) = got else {
            panic!("{name}: no document");
        };
        assert_eq!((mime_type.as_str(), pages), ("application/pdf", count), "{name}");
        assert_eq!(STANDARD.decode(data).unwrap(), *bytes, "{name}");
        assert!(text.starts_with(start), "{name}: {text}");
        assert!(path.ends_with(&file) && !file.contains('/'), "{name}: {file}");
    }
}
