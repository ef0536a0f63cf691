//! Variables in definitions, in the form that other programs use: `${NAME}` and `${NAME:-default}`. Pure.

/// Expands variables. Any other dollar sign is kept.
///
/// # Errors
/// A variable that has no value.
pub fn expand(text: &str, value_of: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((inner, after)) = behind.split_once('}') else {
            filled.push_str("${");
            rest = behind;
            continue;
        };
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            filled.push_str("${");
            rest = behind;
            continue;
        }
        match value_of(name).filter(|value| !value.is_empty() || default.is_none()) {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(default.ok_or_else(|| name.to_owned())?),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_for_their_values_or_defaults() {
        let value_of = |name: &str| match name {
            "A" => Some("a".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, want) in [
            ("plain $A", Ok("plain $A")),
            ("${A}-${A}", Ok("a-a")),
            ("${env:A}", Ok("a")),
            ("${B:-b}", Ok("b")),
            ("${B:-}", Ok("")),
            ("${EMPTY:-b}", Ok("b")),
            ("x${EMPTY}y", Ok("xy")),
            ("${B}", Err("B")),
            ("${A", Ok("${A")),
            ("${workspace folder}", Ok("${workspace folder}")),
            ("${}", Ok("${}")),
        ] {
            let got = expand(text, value_of);
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{text}");
        }
    }
}
