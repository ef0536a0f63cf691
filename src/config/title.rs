//! The table `[title]` of the config file: which model names sessions.

use super::Error;
use super::file::{flag_of, text_of, wrong};
use std::path::Path;
use toml::Value;

/// Who names sessions. Without a model nobody is asked, and the beginning of the first prompt serves as a title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TitleSettings {
    /// The model, as `provider/id[:effort]`.
    pub model: Option<String>,
    /// It is not asked all the same.
    pub is_off: bool,
}

/// Reads the table. A key that means nothing is a warning, a value of the wrong kind an error.
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
            _ => warnings.push(format!("{}: `{at}` means nothing and is ignored", path.display())),
        }
    }
    Ok(set)
}
