//! Keys that the user gave to Pi (`auth.json` in its directory). Pure.
//!
//! Invariant: messages about the file contain no part of a key. Subscriptions (`oauth`) are left to Pi. Source: Pi 0.73.1,
//! docs/providers.md.

use pintle_base::ambient::Ambient;
use serde_json::Value;

/// Provider keys, by provider name, with warnings for the user.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// The keys, each with its provider's name.
    pub keys: Vec<(String, String)>,
    /// The entries that are not used, each with the reason.
    pub warnings: Vec<String>,
}

/// Parses the file's text. A key may be a variable name; commands that print keys are not supported.
pub fn read(text: &str, ambient: &Ambient) -> Keys {
    let mut keys = Keys::default();
    let providers = match serde_json::from_str(text) {
        Ok(Value::Object(providers)) => providers,
        Ok(_) => {
            keys.warnings.push("ignored: expected an object with providers".to_owned());
            return keys;
        }
        // The parser's message could contain a part of the file.
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let warning = format!("invalid JSON at line {line} column {column}; it is not used");
            keys.warnings.push(warning);
            return keys;
        }
    };
    for (provider, entry) in providers {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let problem = match (text("type"), text("key")) {
            ("oauth", _) => "is a subscription, which only Pi can use",
            ("api_key", "") => "has no key",
            ("api_key", key) if key.starts_with('!') => {
                "has a command instead of a key; put it into models.json as `apiKey`"
            }
            ("api_key", key) => {
                let key = ambient.var(key).unwrap_or(key);
                keys.keys.push((provider, key.to_owned()));
                continue;
            }
            _ => "is of an unknown type",
        };
        keys.warnings.push(format!("`{provider}` {problem}; it is not used"));
    }
    keys
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
                "`a` has no key; it is not used\n`b` is of an unknown type; it is not used\n`c` is of an unknown type; it is not used\n`d` has a command instead of a key; put it into models.json as `apiKey`; it is not used",
            ),
            (r#"["sk-1"]"#, "", "ignored: expected an object with providers"),
            (r#"{"a":sk-1}"#, "", "invalid JSON at line 1 column 6; it is not used"),
        ] {
            let read = read(text, &ambient);
            let got: Vec<String> =
                read.keys.iter().map(|(provider, key)| format!("{provider}={key}")).collect();
            assert_eq!(
                (got.join(" "), read.warnings.join("\n")),
                (keys.to_owned(), warnings.to_owned()),
                "{text}"
            );
        }
    }
}
