//! Keys that a person has given to Pi (`auth.json` in its folder). Pure.
//!
//! Invariant: what is said about the file holds nothing of a key. Subscriptions (`oauth`) are Pi's own and are left to it.
//! Source: Pi 0.73.1, docs/providers.md.

use crate::ambient::Ambient;
use serde_json::Value;

/// The keys of providers, by their names, and what a person should know.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// The keys, each with its provider's name.
    pub keys: Vec<(String, String)>,
    /// The entries that are not used, and why.
    pub warnings: Vec<String>,
}

/// Reads the file's text. A key may be a variable's name; one that a command prints is not taken.
pub fn read(text: &str, ambient: &Ambient) -> Keys {
    let mut found = Keys::default();
    let providers = match serde_json::from_str(text) {
        Ok(Value::Object(providers)) => providers,
        Ok(_) => {
            found.warnings.push("it is no object of providers; it is not used".to_owned());
            return found;
        }
        // Its own words could show what it has read.
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let what = format!("no JSON at line {line} column {column}; it is not used");
            found.warnings.push(what);
            return found;
        }
    };
    for (provider, entry) in providers {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let why = match (text("type"), text("key")) {
            ("oauth", _) => "is a subscription, which only Pi can use",
            ("api_key", "") => "has no key",
            ("api_key", key) if key.starts_with('!') => {
                "has a command in the place of its key: put it into models.json as `apiKey`"
            }
            ("api_key", key) => {
                let key = ambient.var(key).unwrap_or(key);
                found.keys.push((provider, key.to_owned()));
                continue;
            }
            _ => "is of a type that is not known",
        };
        found.warnings.push(format!("`{provider}` {why}; it is not used"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_what_is_none_is_named() {
        let vars = [("MY_KEY".to_owned(), "from the variable".to_owned())];
        let ambient = Ambient::fixed(vars);
        for (text, keys, warnings) in [
            ("{}", "", ""),
            (r#"{"openai":{"type":"api_key","key":"sk-1"}}"#, "openai=sk-1", ""),
            (r#"{"openai":{"type":"api_key","key":"MY_KEY"}}"#, "openai=from the variable", ""),
            (
                r#"{"a":{"type":"oauth","access":"x"},"b":{"type":"api_key","key":"k"}}"#,
                "b=k",
                "`a` is a subscription, which only Pi can use; it is not used",
            ),
            (
                r#"{"a":{"type":"api_key"},"b":{"type":"new"},"c":5,"d":{"type":"api_key","key":"!pass d"}}"#,
                "",
                "`a` has no key; it is not used\n`b` is of a type that is not known; it is not used\n`c` is of a type that is not known; it is not used\n`d` has a command in the place of its key: put it into models.json as `apiKey`; it is not used",
            ),
            (r#"["sk-1"]"#, "", "it is no object of providers; it is not used"),
            (r#"{"a":sk-1}"#, "", "no JSON at line 1 column 6; it is not used"),
        ] {
            let found = read(text, &ambient);
            let got: Vec<String> =
                found.keys.iter().map(|(provider, key)| format!("{provider}={key}")).collect();
            assert_eq!(
                (got.join(" "), found.warnings.join("\n")),
                (keys.to_owned(), warnings.to_owned()),
                "{text}"
            );
        }
    }
}
