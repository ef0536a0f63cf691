use crate::tests::{Scene, text};
use crate::{Profile, Read};
use pintle_testing::pdf;
use serde_json::json;

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
