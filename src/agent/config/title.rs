//! The table `[title]` of the config file: the model that writes session titles.

use super::Error;
use super::file::{flag_of, text_of, wrong};
use super::unknown::unknown;
use std::path::Path;
use toml::Value;

/// Settings for session titles. Without a model, the beginning of the first prompt serves as the title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TitleSettings {
    /// The model, as `provider/id[:effort]`.
    pub model: Option<String>,
    /// Disables generated titles although a model is set.
    pub is_off: bool,
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<TitleSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "title", "a table: [title]"));
    };
    let mut set = TitleSettings::default();
    for (key, value) in table {
        let at = format!("title.{key}");
        match key.as_str() {
            "model" => set.model = Some(text_of(&value, &at, path)?),
            "enabled" => set.is_off = !flag_of(&value, &at, path)?,
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(set)
}
