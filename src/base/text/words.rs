//! Names in running text.

/// Returns true if a text contains a name that is not a part of a longer one. Letters, digits and `_` are parts of names.
///
/// # Example
///
/// ```
/// use pintle_base::text::words::contains_name;
///
/// assert!(contains_name("unknown field `store`", "store"));
/// assert!(!contains_name("unknown field `store_all`", "store"));
/// ```
pub fn contains_name(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (text.get(..at), text.get(at + name.len()..));
            !before.is_some_and(|before| before.ends_with(is_part))
                && !after.is_some_and(|after| after.starts_with(is_part))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_a_whole() {
        for (text, name, want) in [
            ("store", "store", true),
            ("'store'.", "store", true),
            ("restore, store", "store", true),
            ("stores", "store", false),
            ("a_store", "store", false),
            ("préstore", "store", false),
            ("tools.1", "tools", true),
            ("any", "", false),
        ] {
            assert_eq!(contains_name(text, name), want, "{text:?} {name:?}");
        }
    }
}
