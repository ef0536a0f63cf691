//! JSON with comments and trailing commas to plain JSON: pure.
//!
//! What is taken out becomes spaces, so that line and column of an error are those of the file.

/// The same text as strict JSON, byte for byte in the same place.
pub(super) fn strict(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes();
    // Where the last comma stands that nothing but space and comments follows, and what stands before it.
    let mut comma = None;
    let mut last = b'[';
    while let Some(first) = rest.first() {
        let (length, is_kept) = match (first, rest.get(1)) {
            (b'"', _) => (string_length(rest), true),
            (b'/', Some(b'/')) => (rest.iter().position(|byte| *byte == b'\n'), false),
            (b'/', Some(b'*')) => (comment_length(rest), false),
            _ => (Some(1), true),
        };
        let (piece, behind) = rest.split_at(length.unwrap_or(rest.len()).max(1));
        if is_kept {
            match first {
                b',' => {
                    let is_first = matches!(last, b'[' | b'{' | b',' | b':');
                    comma = Some(out.len()).filter(|_| !is_first);
                }
                b'}' | b']' => {
                    if let Some(at) = comma.take().and_then(|at| out.get_mut(at)) {
                        *at = b' ';
                    }
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => comma = None,
            }
            if !first.is_ascii_whitespace() {
                last = *first;
            }
            out.extend_from_slice(piece);
        } else {
            out.extend(piece.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
        }
        rest = behind;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// The length of the string that the text begins with; `None` when it does not end.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map(|end| end + 2)
}

fn comment_length(text: &[u8]) -> Option<usize> {
    let inside = text.get(2..)?;
    inside.windows(2).position(|pair| pair == b"*/").map(|end| end + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_become_spaces() {
        for (text, want) in [
            ("{}", "{}"),
            ("{\"a\":1,}", "{\"a\":1 }"),
            ("[1,2, ]", "[1,2  ]"),
            ("[1, // one\n]", "[1        \n]"),
            ("[1 /* a, b */, 2]", "[1           , 2]"),
            ("[1, /* a\nb */ ]", "[1      \n     ]"),
            (
                "{\"u\": \"http://x\", \"c\": \"/* no */,]\"}",
                "{\"u\": \"http://x\", \"c\": \"/* no */,]\"}",
            ),
            (r#"["\"//", "\\",]"#, r#"["\"//", "\\" ]"#),
            ("\u{feff}[\"ä\"] // ö", "[\"ä\"]      "),
            ("[1,,]", "[1,,]"),
            ("{,}", "{,}"),
            ("[1] , ]", "[1]   ]"),
            ("[1] /", "[1] /"),
            ("[\"open", "[\"open"),
            ("[1] /* open", "[1]        "),
            ("", ""),
        ] {
            assert_eq!(strict(text), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_json_stays_as_it_is(texts: Vec<String>, numbers: Vec<i32>) {
            let text = serde_json::json!({"texts": texts, "numbers": numbers}).to_string();
            proptest::prop_assert_eq!(strict(&text), text);
        }

        #[test]
        fn any_text_keeps_its_length(text in r#"[\[\]{},:"/*\\a \nä]{0,40}"#) {
            proptest::prop_assert_eq!(strict(&text).len(), text.len());
        }
    }

    #[test]
    fn an_error_stands_where_it_is_in_the_file() {
        let error =
            serde_json::from_str::<serde_json::Value>(&strict("{ // one\n/* two\n*/ \"a\": x }"));
        assert!(error.unwrap_err().to_string().ends_with("at line 3 column 9"));
    }
}
