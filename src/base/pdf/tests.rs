use super::*;
use pintle_testing::{chance, pdf};
use proptest::prelude::*;

/// The text of each page, or the error.
fn pages(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let text = text(bytes.to_vec(), || false)?;
    assert_eq!(text.pages, text.texts.len());
    Ok(text.texts.into_iter().map(|text| text.unwrap_or_else(|| "unreadable".to_owned())).collect())
}

fn content(operations: &str) -> Vec<u8> {
    pdf::stream("", operations.as_bytes())
}

#[test]
fn text_is_read_page_by_page() {
    let identity =
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 6 0 R >>";
    let differences = "<< /Type /Font /Subtype /Type1 /BaseFont /CMR10 \
        /Encoding << /Type /Encoding /Differences [1 /fi /ff 3 /udieresis] >> >>";
    let map = "begincodespacerange <0000> <ffff> endcodespacerange \
        beginbfchar <0003> <00660069> endbfchar beginbfrange <0010> <0020> <0061> endbfrange";
    let with_map = |font: &str, shown: &str| {
        let mut objects = pdf::objects(font, &[content(shown)]);
        objects.push(pdf::stream("", map.as_bytes()));
        pdf::document(&objects)
    };
    let form = |shown: &str, form: &str| {
        let mut objects = pdf::objects("<< /Type /Font /Subtype /Type1 >>", &[content(shown)]);
        objects[1] = b"<< /Type /Pages /Kids [4 0 R] /Count 1 /Resources << /Font << /F1 3 0 R >> \
            /XObject << /X 6 0 R >> >> >>"
            .to_vec();
        let entries = "/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -50]";
        objects.push(pdf::stream(entries, form.as_bytes()));
        pdf::document(&objects)
    };
    let one = |operations: &str| pdf::with_contents(&[content(operations)]);
    for (name, document, want) in [
        (
            "two pages",
            pdf::with_text(&["One\nand two", "Grüße (€5?)\\"]),
            vec!["One\nand two", "Grüße (?5?)\\"],
        ),
        ("a page without text", pdf::with_text(&["", "x"]), vec!["", "x"]),
        ("kerning", one("BT /F1 10 Tf [(W) 80 (ord) -250 (s)] TJ ET"), vec!["Word s"]),
        ("words at positions", one("BT /F1 10 Tf (a) Tj 20 0 Td (b) Tj ET"), vec!["a b"]),
        (
            "lines at positions",
            one("BT /F1 10 Tf (a) Tj 0 -12 Td (b) Tj 0 -40 Td (c) Tj ET"),
            vec!["a\nb\n\nc"],
        ),
        ("an index", one("BT /F1 10 Tf (x) Tj /F1 6 Tf 3 Ts (2) Tj ET"), vec!["x2"]),
        (
            "a scaled page",
            one("0.1 0 0 0.1 0 0 cm BT /F1 100 Tf (a) Tj 50 0 Td (b) Tj 0 -120 Td (c) Tj ET"),
            vec!["ab\nc"],
        ),
        (
            "line operators",
            one("BT /F1 9 Tf 10 TL (a) Tj (b) ' 1 1 (c) \" T* (d) Tj ET"),
            vec!["a\nb\nc\nd"],
        ),
        (
            "a restored state",
            one("q BT /F1 9 Tf ET Q BT (lost) Tj /F1 9 Tf (kept) Tj ET"),
            vec!["kept"],
        ),
        (
            "ligatures",
            with_map(differences, "BT /F1 9 Tf (\\001le o\\002er f\\003r) Tj ET"),
            vec!["file offer für"],
        ),
        ("a map", with_map(identity, "BT /F1 9 Tf <000300100011ffff> Tj ET"), vec!["fiab"]),
        ("a form", form("BT /F1 9 Tf (a) Tj ET /X Do", "BT /F1 9 Tf (b) Tj ET"), vec!["a\n\nb"]),
        ("a form in itself", form("/X Do", "BT /F1 9 Tf (a) Tj ET /X Do /X Do"), vec!["*"]),
        ("controls", one("BT /F1 9 Tf (a\\000\\033[31mb) Tj ET"), vec!["a[31mb"]),
        (
            "numbers out of range",
            one(
                "BT /F1 9999999999.5 Tf 9999999999.5 0 0 9999999999.5 0 0 Tm (a) Tj 9999999999.5 9999999999.5 Td (b) Tj ET",
            ),
            vec!["*"],
        ),
        ("unfinished content", one("BT /F1 9 Tf (a) Tj (b"), vec!["a"]),
        (
            "bytes before the header",
            [b"\xff\xfe junk\n".to_vec(), pdf::with_text(&["x"])].concat(),
            vec!["x"],
        ),
    ] {
        let got = pages(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        let fits = |(got, want): (&String, &&str)| *want == "*" || got == want;
        let is_same = got.len() == want.len() && got.iter().zip(&want).all(fits);
        assert!(is_same, "{name}: {got:?}, not {want:?}");
    }
}

#[test]
fn what_cannot_be_read_has_a_reason() {
    let whole = pdf::with_text(&["One", "two"]);
    let bomb = pdf::stream("/Filter /FlateDecode", &pdf::zeros(1 << 30));
    let mut looping = pdf::objects("<< >>", &[pdf::stream("", b"")]);
    looping[1] = b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 /Parent 2 0 R >>".to_vec();
    let object_stream =
        pdf::stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", &pdf::zeros(1 << 30));
    let mut deep = pdf::objects("<< >>", &[pdf::stream("", b"")]);
    deep.push(b"[".repeat(1_000_000));
    let mut many = pdf::objects("<< >>", &[pdf::stream("", b"")]);
    many.push([b"[".to_vec(), b"1 ".repeat(MAX_VALUES + 1), b"]".to_vec()].concat());
    let endless = b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\nxref\n0 1\n0000000000 65535 f \ntrailer << /Size 1 /Root 1 0 R /Prev 45 >>\nstartxref\n45\n%%EOF";
    for (name, document, want) in [
        (
            "encrypted",
            pdf::with_trailer(&[], "/Encrypt << /Filter /Standard >>"),
            "is an encrypted PDF",
        ),
        (
            "encrypted, with an escape",
            pdf::with_trailer(&[], "/E#6Ecrypt 1 0 R"),
            "is an encrypted PDF",
        ),
        (
            "without text",
            pdf::with_contents(&[content("0 0 10 10 re f")]),
            "is a PDF document of 1 page without",
        ),
        ("cut in half", whole[..whole.len() / 2].to_vec(), "is a damaged PDF"),
        ("the header only", b"%PDF-1.4".to_vec(), "is a damaged PDF"),
        (
            "a page of a gigabyte",
            pdf::with_contents(&[bomb]),
            "is a damaged PDF document (the content of its pages is missing, invalid or too large)",
        ),
        (
            "objects of a gigabyte",
            pdf::document(&[object_stream]),
            "is a PDF document that takes too much memory",
        ),
        ("a loop of pages", pdf::document(&looping), "is a damaged PDF document (it has no pages)"),
        ("a loop of references", endless.to_vec(), "is a damaged PDF"),
        ("too many values", pdf::document(&many), "is a PDF document that takes too much memory"),
        (
            "too many words in one object",
            pdf::document(&[[b"[".to_vec(), b"/".repeat(MAX_WORDS), b"]".to_vec()].concat()]),
            "is a PDF document that takes too much memory",
        ),
        ("deep arrays", pdf::document(&deep), "is a PDF document of 1 page without"),
        ("too large", vec![b' '; 32 * 1024 * 1024 + 1], "is a PDF document of more than 32.0MB"),
    ] {
        let got = pages(&document);
        let message = got.as_ref().err().map(ToString::to_string).unwrap_or_default();
        assert!(message.starts_with(want), "{name}: {got:?}");
    }
}

#[test]
fn an_unreadable_page_does_not_hide_the_others() {
    let bomb = pdf::stream("/Filter /FlateDecode", &pdf::zeros(1 << 30));
    let text = pdf::stream("", &pdf::content(b"still here"));
    let got = pages(&pdf::with_contents(&[bomb, text])).unwrap();
    assert_eq!(got, ["unreadable", "still here"]);
}

#[test]
fn words_that_may_become_values_are_counted() {
    for (text, want) in [
        (&b""[..], 0),
        (b"1 0 obj", 3),
        (b"[1 2.5 -3]", 4),
        (b"[[][]]", 3),
        (b"<< /Kids[1 0 R]/A(b)/C<00> >>", 11),
        (b"////", 4),
        (b"()()", 2),
        (b"1\n2\r3\x004", 4),
        (b"1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", 12),
    ] {
        assert_eq!(words(text, 12), want, "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn a_cancelled_call_returns() {
    // Long enough for the first check.
    let mut content = pdf::content(b"x");
    content.extend(b" 1 0 0 1 0 0 cm".repeat(400_000));
    let document = pdf::with_contents(&[pdf::stream("", &content)]);
    assert_eq!(text(document, || true), Err(Error::Cancelled));
}

#[test]
fn content_tells_a_document() {
    for (name, head, want) in [
        ("at the beginning", &b"%PDF-1.7\n"[..], true),
        ("after binary data", b"\n\xff\xfe\n%PDF-1.7\n", true),
        ("before binary data", b"\n%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", true),
        ("in a text", b"A document begins with %PDF-1.7.\n", false),
        ("in a text that was cut", b"It begins with %PDF-1.7 \xc3", false),
        ("elsewhere", b"PDF", false),
    ] {
        assert_eq!(is_pdf(head), want, "{name}");
    }
    let late = [vec![0xff; 1020], b"%PDF-1.7".to_vec()].concat();
    assert!(!is_pdf(&late));
}

#[test]
fn a_document_is_known_by_its_type_or_its_beginning() {
    for (mime_type, data, want) in [
        ("application/pdf", "", true),
        ("Application/PDF; version=1.7", "", true),
        ("", "JVBERi0xLjc=", true),
        ("application/octet-stream", "\nJVBERi0xLjc=", true),
        ("image/png", "iVBORw0", false),
        ("", "", false),
    ] {
        assert_eq!(is_document(mime_type, data), want, "{mime_type} {data}");
    }
}

proptest! {
    #![proptest_config(chance::cases(500))]

    #[test]
    fn no_change_of_a_document_makes_it_panic_or_hang(
        which in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..20),
    ) {
        let map = "beginbfchar <01> <0041> endbfchar beginbfrange <02> <90> [<0042>] endbfrange";
        let font = "<< /Type /Font /Subtype /Type0 /ToUnicode 6 0 R /DescendantFonts [<< /DW 5 /W [1 [2 3] 4 9 5] >>] >>";
        let mut mapped = pdf::objects(font, &[pdf::stream("", &pdf::content(b"\x01\x02\x03"))]);
        mapped.push(pdf::stream("", map.as_bytes()));
        let mut document = match which {
            0 => pdf::with_text(&["One\nand two", "Grüße"]),
            1 => pdf::document(&mapped),
            2 => pdf::with_contents(&[pdf::stream("/Filter /FlateDecode", &pdf::zeros(10_000))]),
            _ => pdf::document(&[pdf::stream("/Type /ObjStm /N 2 /First 8", b"1 0 2 9 << /Type /Catalog /Pages 2 0 R >> << /Type /Pages /Kids [] >>")]),
        };
        for (place, byte, kind) in changes {
            let at = place.index(document.len());
            match kind {
                0 => document[at] = byte,
                1 => document[at] = b"0123456789<>[]/() \n"[usize::from(byte) % 19],
                2 => document.truncate(at.max(1)),
                _ => document.insert(at, byte),
            }
        }
        // A panic of the reader would be reported as an invalid structure.
        let stop = Arc::new(AtomicBool::new(false));
        let _ = read(&document, &stop);
    }
}
