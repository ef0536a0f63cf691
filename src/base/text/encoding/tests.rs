use super::*;

fn utf16_of(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[test]
fn the_bytes_tell_the_encoding_and_come_back() {
    let (le, be) = (u16::to_le_bytes, u16::to_be_bytes);
    let russian =
        encoding_rs::WINDOWS_1251.encode("Привет, мир. Это просто текст.\n").0.into_owned();
    let japanese = encoding_rs::SHIFT_JIS.encode("これは日本語のテキストです。\n").0.into_owned();
    let chinese = encoding_rs::GB18030.encode("这是一个中文文本文件。\n").0.into_owned();
    let rows: [(&str, Vec<u8>, &str, &str); 14] = [
        ("empty", vec![], "UTF-8", ""),
        ("ASCII", b"a\n".to_vec(), "UTF-8", "a\n"),
        ("UTF-8", "é\n".into(), "UTF-8", "é\n"),
        ("UTF-8 with a mark", b"\xef\xbb\xbfa".to_vec(), "UTF-8", "\u{feff}a"),
        ("UTF-16LE with a mark", utf16_of("\u{feff}é😀\r\n", le), "UTF-16LE", "\u{feff}é😀\r\n"),
        ("UTF-16BE with a mark", utf16_of("\u{feff}é\r\n", be), "UTF-16BE", "\u{feff}é\r\n"),
        ("UTF-16LE without", utf16_of("some text\n", le), "UTF-16LE", "some text\n"),
        ("UTF-16BE without", utf16_of("some text\n", be), "UTF-16BE", "some text\n"),
        ("Latin-1", b"caf\xe9 cr\xe8me\n".to_vec(), "windows-1252", "café crème\n"),
        ("every high byte", (0x80..=0xff).collect(), "windows-1252", ""),
        ("Cyrillic", russian, "windows-1251", "Привет, мир. Это просто текст.\n"),
        ("Japanese", japanese, "Shift_JIS", "これは日本語のテキストです。\n"),
        ("Chinese", chinese, "GBK", "这是一个中文文本文件。\n"),
        (
            "one bad byte among good ones",
            ["é è à ".as_bytes(), &[0xff]].concat(),
            "UTF-8 with damaged bytes",
            "é è à \u{10ffff}",
        ),
    ];
    for (name, bytes, encoding, text) in rows {
        let got = decode(&bytes).unwrap_or_else(|_| panic!("{name}"));
        if name != "every high byte" {
            assert_eq!(got.text, text, "{name}");
            assert_eq!(got.encoding.to_string(), encoding, "{name}");
        }
        assert_eq!(got.encoding.encode(got.text), Ok(bytes), "{name}");
    }
}

#[test]
fn content_that_would_not_round_trip_is_not_text() {
    let (le, mark) = (u16::to_le_bytes, [0xff, 0xfe]);
    for (name, bytes) in [
        ("zeros", b"a\0b\xff".to_vec()),
        ("half a unit", [&mark[..], b"a\0b"].concat()),
        ("half a pair", [&mark[..], &le(0xd800), &le(0x61)].concat()),
        ("UTF-32", vec![0xff, 0xfe, 0, 0, 0x61, 0, 0, 0xff]),
    ] {
        assert_eq!(decode(&bytes), Err(NotText), "{name}");
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_named() {
    let got = Encoding::Legacy(WINDOWS_1252).encode("a测b".into());
    assert_eq!(got, Err(Unencodable('测')));
    assert_eq!(Encoding::Legacy(WINDOWS_1252).encode("é€".into()), Ok(vec![0xe9, 0x80]));
}

#[test]
fn reading_replaces_what_is_damaged() {
    assert_eq!(decode_lossy(b"caf\xe9\n"), "café\n");
    assert_eq!(decode_lossy("é è à".as_bytes()), "é è à");
    assert_eq!(decode_lossy(b"\xc3\xa9 \xc3\xa8 \xff"), "é è \u{fffd}");
    assert_eq!(raw::shown(&raw::decode(b"\xc3\xa9\xff")), "é\u{fffd}");
}

proptest::proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn decoded_text_encodes_to_the_same_bytes(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        if let Ok(decoded) = decode(&bytes) {
            proptest::prop_assert_eq!(decoded.encoding.encode(decoded.text), Ok(bytes));
        }
    }
}
