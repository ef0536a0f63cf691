//! The table `[tools]` of the config file.

use super::Error;
use super::file::{flag_of, text_of, wrong};
use std::path::Path;
use toml::Value;

/// Settings of tools. `None` and false keep the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// The name of the profile under which models see the tools.
    pub profile: Option<String>,
    /// The name of the rule that decides which changes require that the file was read before.
    pub read_first: Option<String>,
    /// Images are not read.
    pub block_images: bool,
    /// The maximum width and height of an image, in pixels.
    pub max_image_side: Option<u32>,
    /// The maximum size of an image, in bytes of base64.
    pub max_image_bytes: Option<usize>,
    /// Enables the tool that fetches web pages.
    pub web_fetch: bool,
    /// Allows that tool to fetch from this machine and from private networks.
    pub web_fetch_private: bool,
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<ToolSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "tools", "a table: [tools]"));
    };
    let mut set = ToolSettings::default();
    for (key, value) in table {
        let at = format!("tools.{key}");
        match key.as_str() {
            "profile" => set.profile = Some(text_of(&value, &at, path)?),
            "read_first" => set.read_first = Some(text_of(&value, &at, path)?),
            "block_images" => set.block_images = flag_of(&value, &at, path)?,
            "max_image_side" => set.max_image_side = Some(count_of(&value, &at, path)?),
            "max_image_bytes" => set.max_image_bytes = Some(count_of(&value, &at, path)?),
            "web_fetch" => set.web_fetch = flag_of(&value, &at, path)?,
            "web_fetch_private" => set.web_fetch_private = flag_of(&value, &at, path)?,
            _ => warnings.push(format!("{}: `{at}` is unknown and ignored", path.display())),
        }
    }
    Ok(set)
}

/// A whole number of at least 1.
fn count_of<T: TryFrom<i64>>(value: &Value, key: &str, path: &Path) -> Result<T, Error> {
    value
        .as_integer()
        .filter(|&number| number > 0)
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| wrong(path, key, "a whole number from 1 on"))
}
