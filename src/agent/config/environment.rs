//! The environment in which tools run, as the config file and the command line describe it: pure.
//!
//! `exec` creates the environment from this.

use super::file::{text_of, wrong};
use super::unknown::unknown;
use super::{Error, Setting, Source};
use std::path::{Path, PathBuf};
use toml::Value;

/// The environment in which tools run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentConfig {
    /// The command prefix that reaches another machine or container; empty for this machine.
    pub wrap: Setting<Vec<String>>,
    /// Forbids changes and commands.
    pub read_only: Setting<bool>,
    /// The shell for commands; `None` is bash, or `/bin/sh` where bash is missing.
    pub shell: Option<Setting<PathBuf>>,
    /// Shell code that runs before each command, in the same shell.
    pub command_prefix: Option<Setting<String>>,
    /// The environment variables that commands see.
    pub variables: Setting<Variables>,
}

/// The environment variables that commands see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Variables {
    /// All except those that look like secrets.
    #[default]
    Filtered,
    /// All.
    All,
    /// Only those that most programs need, such as `PATH`.
    Core,
    /// None.
    None,
}

/// The settings of one layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EnvironmentLayer {
    pub(super) wrap: Option<Vec<String>>,
    pub(super) read_only: Option<bool>,
    pub(super) shell: Option<PathBuf>,
    pub(super) command_prefix: Option<String>,
    pub(super) variables: Option<Variables>,
}

/// Reads the table `environment` of a config file.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<EnvironmentLayer, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "environment", "a table"));
    };
    let mut said = EnvironmentLayer::default();
    for (key, value) in table {
        let at = format!("environment.{key}");
        match key.as_str() {
            "wrap" => said.wrap = Some(words_of(&value, &at, path)?),
            "read_only" => {
                let flag = value.as_bool().ok_or_else(|| wrong(path, &at, "true or false"))?;
                said.read_only = Some(flag);
            }
            "shell" => {
                let shell = PathBuf::from(text_of(&value, &at, path)?);
                if !shell.is_absolute() {
                    return Err(wrong(path, &at, "an absolute path, such as \"/bin/zsh\""));
                }
                said.shell = Some(shell);
            }
            "command_prefix" => said.command_prefix = Some(text_of(&value, &at, path)?),
            "variables" => {
                said.variables = Some(match text_of(&value, &at, path)?.as_str() {
                    "filtered" => Variables::Filtered,
                    "all" => Variables::All,
                    "core" => Variables::Core,
                    "none" => Variables::None,
                    _ => {
                        let names = "\"filtered\", \"all\", \"core\" or \"none\"";
                        return Err(wrong(path, &at, names));
                    }
                });
            }
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(said)
}

fn words_of(value: &Value, at: &str, path: &Path) -> Result<Vec<String>, Error> {
    let words = value.as_array().map(|words| {
        let words = words.iter().map(|word| word.as_str().map(str::to_owned));
        words.collect::<Option<Vec<String>>>()
    });
    let want = "a list of texts, such as [\"ssh\", \"host\"]";
    words.flatten().ok_or_else(|| wrong(path, at, want))
}

/// Combines the layers; flags override the file.
pub(super) fn fold(
    flags: EnvironmentLayer,
    file: EnvironmentLayer,
    from_file: &impl Fn() -> Source,
) -> EnvironmentConfig {
    fn layer<T>(
        flag: Option<T>,
        name: &'static str,
        file: Option<T>,
        from_file: &impl Fn() -> Source,
    ) -> Option<Setting<T>> {
        let flag = flag.map(|value| Setting { value, source: Source::Flag(name) });
        flag.or_else(|| file.map(|value| Setting { value, source: from_file() }))
    }
    fn or_built_in<T: Default>(setting: Option<Setting<T>>) -> Setting<T> {
        setting.unwrap_or(Setting { value: T::default(), source: Source::BuiltIn })
    }
    EnvironmentConfig {
        wrap: or_built_in(layer(flags.wrap, "--wrap", file.wrap, from_file)),
        read_only: or_built_in(layer(flags.read_only, "--read-only", file.read_only, from_file)),
        shell: layer(flags.shell, "", file.shell, from_file),
        command_prefix: layer(flags.command_prefix, "", file.command_prefix, from_file),
        variables: or_built_in(layer(flags.variables, "", file.variables, from_file)),
    }
}

/// Splits a command into words as a shell does: quotes and backslashes keep a space in a word. Nothing is expanded.
///
/// # Errors
/// There is no word, or a quote is not closed.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (Some('"') | None, '\\') => {
                let next = characters.next().ok_or("there is nothing behind the last backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, character) if character.is_whitespace() => words.extend(word.take()),
            (_, character) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} is not closed"));
    }
    words.extend(word);
    if words.is_empty() {
        return Err("name a command, such as 'ssh host'".to_owned());
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, want) in [
            ("ssh host", Ok(vec!["ssh", "host"])),
            ("  a\t b ", Ok(vec!["a", "b"])),
            ("docker exec -i 'my box'", Ok(vec!["docker", "exec", "-i", "my box"])),
            (r#"sh -c "a \"b\" c" '' x\ y"#, Ok(vec!["sh", "-c", "a \"b\" c", "", "x y"])),
            (r"'a\b'", Ok(vec![r"a\b"])),
            ("a 'b", Err("the quote ' is not closed")),
            (r"a \", Err("there is nothing behind the last backslash")),
            (" ", Err("name a command, such as 'ssh host'")),
        ] {
            let got = words(text);
            let want = want.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(got, want.map_err(str::to_owned), "{text}");
        }
    }
}
