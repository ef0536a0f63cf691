//! The secrets known to this process: provider keys, by variable name and by value.
//!
//! Every source of keys registers them here: the settings at startup, an endpoint when it is resolved, a command that printed one. Every
//! exit consults this list: commands receive no variable with a known name or value, and known values are redacted before text is stored,
//! sent or logged. Nothing is ever removed, since a replaced key may still be in a file.

use memchr::memmem::Finder;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The text that replaces a secret.
pub const REDACTED: &str = "***";

/// The minimum length of a value, in bytes. Shorter ones would be found in text that has nothing to do with them.
pub const MIN_SECRET_BYTES: usize = 8;

/// Values that people give to servers that want any key, and that mean something else elsewhere.
const PLACEHOLDERS: [&str; 10] = [
    "lm-studio",
    "not-needed",
    "no-key-needed",
    "no-key-required",
    "sk-no-key-required",
    "placeholder",
    "anything",
    "your-api-key",
    "undefined",
    "api-key-not-set",
];

/// Known secrets. Cheap to clone; clones share them. Prints no value.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    names: BTreeSet<String>,
    /// The longest first, so that a secret within another one leaves nothing of it.
    values: Vec<Value>,
}

/// A secret, with what finds it in a text: made once, since each piece of a reply is looked through.
struct Value {
    text: String,
    finder: Finder<'static>,
}

impl Value {
    fn is_in(&self, text: &str) -> bool {
        text.len() >= self.text.len() && self.finder.find(text.as_bytes()).is_some()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("names", &self.known().names).finish_non_exhaustive()
    }
}

impl Secrets {
    /// Adds a variable name whose value is a secret.
    pub fn add_name(&self, name: &str) {
        if !self.known().names.contains(name) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).names.insert(name.to_owned());
        }
    }

    /// Adds a secret, and that of an `Authorization` header without its scheme. Short values and placeholders are left out.
    pub fn add(&self, value: &str) {
        let value = value.trim();
        let value = ["Bearer ", "bearer ", "Basic ", "token "]
            .iter()
            .find_map(|scheme| value.strip_prefix(scheme))
            .unwrap_or(value)
            .trim();
        let is_placeholder = PLACEHOLDERS.iter().any(|known| value.eq_ignore_ascii_case(known));
        if value.len() < MIN_SECRET_BYTES || is_placeholder {
            return;
        }
        // The JSON form of the value, if it differs.
        let escaped = serde_json::to_string(value).unwrap_or_default();
        let escaped = escaped.trim_matches('"');
        for value in [value, escaped] {
            if self.known().values.iter().any(|known| known.text == value) {
                continue;
            }
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            let at = known.values.partition_point(|other| other.text.len() >= value.len());
            let finder = Finder::new(value.as_bytes()).into_owned();
            known.values.insert(at, Value { text: value.to_owned(), finder });
        }
    }

    /// Returns true for a variable that is known by its name, or whose value holds a known secret.
    pub fn hides(&self, name: &str, value: &str) -> bool {
        let known = self.known();
        known.names.contains(name) || known.values.iter().any(|secret| secret.is_in(value))
    }

    /// The names of variables that hold secrets.
    pub fn names(&self) -> Vec<String> {
        self.known().names.iter().cloned().collect()
    }

    /// Returns true if no value is known, so that nothing needs to be looked through.
    pub fn are_unknown(&self) -> bool {
        self.known().values.is_empty()
    }

    /// Returns true if a text holds a known secret.
    pub fn are_in(&self, text: &str) -> bool {
        self.known().values.iter().any(|secret| secret.is_in(text))
    }

    /// Replaces known secrets in a text.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut redacted = Cow::Borrowed(text);
        for secret in &self.known().values {
            if secret.is_in(&redacted) {
                redacted = Cow::Owned(redacted.replace(&secret.text, REDACTED));
            }
        }
        redacted
    }

    /// Returns the length of the longest suffix of `text` that a secret may start with.
    fn unfinished(&self, text: &str) -> usize {
        let begins = |Value { text: secret, .. }: &Value| {
            let longest = (secret.len() - 1).min(text.len());
            (1..=longest).rev().find(|length| {
                let end = text.as_bytes().get(text.len() - length..);
                end == secret.as_bytes().get(..*length)
            })
        };
        self.known().values.iter().filter_map(begins).max().unwrap_or(0)
    }

    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces secrets in a text that comes in pieces, of which one may end within a secret.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    secrets: Secrets,
    /// The last bytes of the previous chunk, which may start a secret.
    held: String,
}

impl Redactor {
    /// A redactor of these secrets.
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, held: String::new() }
    }

    /// Takes the next piece, and returns what of the text is decided.
    pub fn push<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(piece);
        if !self.held.is_empty() {
            self.held.push_str(piece);
            text = Cow::Owned(std::mem::take(&mut self.held));
        }
        if self.secrets.are_in(&text) {
            text = Cow::Owned(self.secrets.redact(&text).into_owned());
        }
        let held = self.secrets.unfinished(&text);
        if held == 0 {
            return text;
        }
        // A beginning of ASCII or of whole characters: an end of the text that is equal to it begins at a character.
        let (decided, held) = text.split_at(text.len() - held);
        held.clone_into(&mut self.held);
        Cow::Owned(decided.to_owned())
    }

    /// Nothing more will come; returns the rest.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let secrets = Secrets::default();
        secrets.add_name("LOCAL_KEY");
        for value in ["sk-planted-1234", "Bearer tok-ünlang-99", "  sk-planted-1234-longer\n"] {
            secrets.add(value);
        }
        secrets
    }

    #[test]
    fn known_values_are_replaced_wherever_they_stand() {
        let secrets = secrets();
        for short in ["short", "lm-studio", "", "LM-Studio"] {
            secrets.add(short);
        }
        for (text, want) in [
            ("nothing", "nothing"),
            ("a sk-planted-1234 b sk-planted-1234-longer", "a *** b ***"),
            ("tok-ünlang-99", "***"),
            ("short lm-studio", "short lm-studio"),
            (r#"{"key":"sk-planted-1234"}"#, r#"{"key":"***"}"#),
        ] {
            assert_eq!(secrets.redact(text), want);
            assert_eq!(secrets.are_in(text), text != want);
        }
        assert!(!format!("{secrets:?}").contains("planted"));
    }

    #[test]
    fn variables_are_known_by_name_and_by_value() {
        let secrets = secrets();
        for (name, value, want) in [
            ("LOCAL_KEY", "x", true),
            ("OTHER", "https://u:sk-planted-1234@h", true),
            ("OTHER", "x", false),
            ("LOCAL_KEY_FILE", "/x", false),
        ] {
            assert_eq!(secrets.hides(name, value), want, "{name}={value}");
        }
    }

    #[test]
    fn no_cut_between_pieces_hides_a_secret() {
        let text = "a sk-planted-1234 b tok-ünlang-99 sk-plant";
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for first in &cuts {
            for second in cuts.iter().filter(|second| *second >= first) {
                let mut redactor = Redactor::new(secrets());
                let pieces = [&text[..*first], &text[*first..*second], &text[*second..]];
                let mut got = String::new();
                for piece in pieces {
                    got.push_str(&redactor.push(piece));
                }
                got.push_str(&redactor.finish());
                assert_eq!(got, "a *** b *** sk-plant", "{first} {second}");
            }
        }
    }
}
