//! Splits a command into words like a shell. Pure.

/// Splits a command into words as a shell does: quotes and backslashes keep a space in a word. Nothing is expanded.
///
/// # Errors
/// There is no word, or a quote is not closed.
pub fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (Some('"') | None, '\\') => {
                let next = characters.next().ok_or("a trailing backslash escapes nothing")?;
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, character) if character.is_whitespace() => words.extend(word.take()),
            (_, character) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} is not closed"));
    }
    words.extend(word);
    if words.is_empty() {
        return Err("specify a command, such as 'ssh host'".to_owned());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, want) in [
            ("ssh host", Ok(vec!["ssh", "host"])),
            ("  a\t b ", Ok(vec!["a", "b"])),
            ("docker exec -i 'my box'", Ok(vec!["docker", "exec", "-i", "my box"])),
            (r#"sh -c "a \"b\" c" '' x\ y"#, Ok(vec!["sh", "-c", "a \"b\" c", "", "x y"])),
            (r"'a\b'", Ok(vec![r"a\b"])),
            ("a 'b", Err("the quote ' is not closed")),
            (r"a \", Err("a trailing backslash escapes nothing")),
            (" ", Err("specify a command, such as 'ssh host'")),
        ] {
            let got = split_words(text);
            let want = want.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(got, want.map_err(str::to_owned), "{text}");
        }
    }
}
