//! Source of a text in a settings file: a literal, variables, or a reference to a stored key. Pure.
//!
//! A variable is looked up when the text is needed, so an unset variable affects only its users.

use pintle_base::ambient::{Ambient, Secret};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::path::{Path, PathBuf};

/// Source of a key or of a header's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextSource {
    /// A text with `$NAME` or `${NAME}` for variables.
    Text(Secret),
    /// A command whose output is the text, or one of [`KEY_FILE`] and [`KEYRING`] with its argument.
    Fetched(String),
}

/// Prefix of a text stored in a file: `file:~/.keys/openai`.
pub const KEY_FILE: &str = "file:";

/// Prefix of a text stored in the system's keyring: `keyring:SERVICE/USER`.
pub const KEYRING: &str = "keyring:";

impl TextSource {
    /// Parses a settings file value; `None` for a blank command, for a file without its path, and for a keyring entry without service and
    /// user.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix(KEY_FILE) {
            let is_usable = path.starts_with(['/', '~']) || Path::new(path).is_absolute();
            return is_usable.then(|| Self::Fetched(text.to_owned()));
        }
        if let Some(entry) = text.strip_prefix(KEYRING) {
            let (service, user) = entry.split_once('/')?;
            return (!service.is_empty() && !user.is_empty())
                .then(|| Self::Fetched(text.to_owned()));
        }
        match text.strip_prefix('!').map(str::trim) {
            Some("") => None,
            Some(command) => Some(Self::Fetched(command.to_owned())),
            None => Some(Self::Text(Secret::new(text))),
        }
    }

    /// Returns the file that contains the text, if it is stored in one.
    pub fn file(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self {
            Self::Text(_) => None,
            Self::Fetched(source) => source.strip_prefix(KEY_FILE).map(|path| in_home(path, home)),
        }
    }
}

impl<'de> Deserialize<'de> for TextSource {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let want = match text.as_str() {
            _ if text.starts_with(KEY_FILE) => "a path that starts with / or ~/ after file:",
            _ if text.starts_with(KEYRING) => "SERVICE/USER after keyring:",
            _ => "a command after the !",
        };
        Self::parse(&text).ok_or_else(|| D::Error::custom(want))
    }
}

/// Expands a path that may begin with `~/`.
pub fn in_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, _) => PathBuf::from(path),
    }
}

/// Expands the variables in a text. `$$` is a dollar sign, `$!` an exclamation mark.
///
/// # Errors
/// Name of a variable that is not set.
pub fn fill(text: &str, ambient: &Ambient) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        filled.push_str(before);
        let name_end =
            behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        let braced = behind.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, after) = match (behind.chars().next(), braced) {
            (Some(mark @ ('$' | '!')), _) => {
                filled.push(mark);
                rest = behind.get(1..).unwrap_or_default();
                continue;
            }
            (_, Some((name, after))) => (name, after),
            (Some(first), None) if first.is_ascii_alphabetic() || first == '_' => {
                behind.split_at(name_end)
            }
            _ => {
                filled.push('$');
                rest = behind;
                continue;
            }
        };
        filled.push_str(ambient.var(name).ok_or_else(|| name.to_owned())?.trim());
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Returns the variables in a text, by name.
pub fn variables(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('$') {
        let name_end =
            behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        let braced = behind.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let is_mark = behind.starts_with(['$', '!']);
        let (name, after) = match braced {
            Some(found) => found,
            None if is_mark => ("", behind.get(1..).unwrap_or_default()),
            None => behind.split_at(name_end),
        };
        names.extend(Some(name).filter(|name| !name.is_empty()));
        rest = after;
    }
    names
}

/// Returns the variable that makes up the whole text, as `$NAME` or `${NAME}`.
pub fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    Some(name).filter(|name| !name.is_empty() && is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ambient() -> Ambient {
        Ambient::fixed([("KEY", "k"), ("A_1", "a\n")].map(|(n, v)| (n.to_owned(), v.to_owned())))
    }

    #[test]
    fn variables_stand_for_their_values() {
        for (text, want) in [
            ("plain", Ok("plain")),
            ("$KEY", Ok("k")),
            ("Bearer ${KEY}", Ok("Bearer k")),
            ("$KEY-$A_1.", Ok("k-a.")),
            ("${KEY}${A_1}", Ok("ka")),
            ("$$KEY costs $5 and $!", Ok("$KEY costs $5 and !")),
            ("$", Ok("$")),
            ("${KEY", Ok("${KEY")),
            ("ä$KEYä", Ok("äkä")),
            ("$NO", Err("NO")),
            ("x ${NO}", Err("NO")),
        ] {
            assert_eq!(
                fill(text, &ambient()),
                want.map(str::to_owned).map_err(str::to_owned),
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_that_is_one_variable_is_known() {
        for (text, want) in [
            ("$KEY", Some("KEY")),
            ("${KEY}", Some("KEY")),
            ("KEY", None),
            ("Bearer $KEY", None),
            ("$KEY$KEY", None),
            ("$$", None),
            ("$", None),
        ] {
            assert_eq!(variable(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_fetched_is_told_from_a_text() {
        let text = |text: &str| Some(TextSource::Text(Secret::new(text)));
        for (said, want) in [
            ("!pass show x ", Some(TextSource::Fetched("pass show x".to_owned()))),
            ("file:~/.key", Some(TextSource::Fetched("file:~/.key".to_owned()))),
            ("file:key", None),
            ("keyring:pintle/me", Some(TextSource::Fetched("keyring:pintle/me".to_owned()))),
            ("keyring:pintle", None),
            ("! ", None),
            ("KEY", text("KEY")),
            ("key", text("key")),
            ("", text("")),
        ] {
            assert_eq!(TextSource::parse(said), want, "{said}");
        }
        assert_eq!(format!("{:?}", TextSource::parse("sk-1")), "Some(Text(***))");
    }
}
