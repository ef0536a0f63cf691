//! The table `[tools]` of the config file.

use super::Error;
use super::file::{flag_of, seconds_of, text_of, wrong};
use super::unknown::unknown;
use std::path::Path;
use std::time::Duration;
use toml::Value;

/// Settings of tools. `None` and false keep the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that a person switches")]
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
    /// Lets providers that can search the web do so for their models.
    pub web_search: bool,
    /// The tools that models see, as names with * for any text; all by default.
    pub allow: Option<Vec<String>>,
    /// The time limit of a command for which the model gives none.
    pub command_timeout: Option<Duration>,
    /// The longest time limit that a model can give.
    pub max_command_timeout: Option<Duration>,
    /// The maximum length of a command's output or of a file that is read, in lines.
    pub max_output_lines: Option<usize>,
    /// The maximum size of such a result, in bytes.
    pub max_output_bytes: Option<usize>,
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
            "web_search" => set.web_search = flag_of(&value, &at, path)?,
            "allow" => set.allow = Some(names_of(&value, &at, path)?),
            "command_timeout_s" => set.command_timeout = Some(seconds_of(&value, &at, path)?),
            "max_command_timeout_s" => {
                set.max_command_timeout = Some(seconds_of(&value, &at, path)?);
            }
            "max_output_lines" => set.max_output_lines = Some(count_of(&value, &at, path)?),
            "max_output_bytes" => set.max_output_bytes = Some(bytes_of(&value, &at, path)?),
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(set)
}

/// A list of names.
fn names_of(value: &Value, key: &str, path: &Path) -> Result<Vec<String>, Error> {
    let names = value.as_array().map(|names| {
        names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    let want = "a list of names in quotes, with * for any text";
    names.flatten().ok_or_else(|| wrong(path, key, want))
}

/// A size that leaves room for a notice and a few lines.
fn bytes_of(value: &Value, key: &str, path: &Path) -> Result<usize, Error> {
    let bytes = value.as_integer().filter(|bytes| (1_000..=55_000).contains(bytes));
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| wrong(path, key, "a number of bytes from 1000 to 55000"))
}

/// A whole number of at least 1.
fn count_of<T: TryFrom<i64>>(value: &Value, key: &str, path: &Path) -> Result<T, Error> {
    value
        .as_integer()
        .filter(|&number| number > 0)
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| wrong(path, key, "a whole number from 1 on"))
}
