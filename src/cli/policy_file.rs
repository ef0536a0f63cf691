//! The file of `--policy`: the permissions of one run, separate from the user's configuration.

use crate::cli::args::Permission;
use anyhow::{Context, bail};
use clap::ValueEnum;
use pintle_base::private_files;
use pintle_tools::permissions::{Decision, Origin, Rule};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The maximum size of the file.
const MAX_BYTES: u64 = 1024 * 1024;

/// The file's content. An unknown key is an error: a misspelled restriction would not restrict.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    permission_mode: Option<String>,
    tools: Option<Vec<String>>,
    #[serde(default)]
    rules: Vec<Rule>,
}

/// The permissions of one run.
#[derive(Debug, Clone)]
pub(crate) struct PolicyFile {
    /// The permission mode, if the file sets one.
    pub(crate) permission: Option<Permission>,
    /// The tools that the model sees; all available ones by default.
    pub(crate) tools: Option<Vec<String>>,
    /// Rules in addition to those of the configuration.
    pub(crate) rules: Vec<Rule>,
}

impl PolicyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not a policy.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let name = || format!("--policy: {}", path.display());
        let text = private_files::read_to_string(path, MAX_BYTES).with_context(name)?;
        Self::parse(&text).with_context(name)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let Content { permission_mode, tools, rules } = toml::from_str(text)?;
        let permission = match permission_mode {
            Some(mode) => match Permission::from_str(&mode, false) {
                Ok(permission) => Some(permission),
                Err(_) => bail!(
                    "unknown `permission_mode` `{mode}`; expected read-only, ask, edit or full"
                ),
            },
            None => None,
        };
        for (at, rule) in rules.iter().enumerate() {
            // The directories do not affect whether the rule is valid.
            rule.compile(Origin::Policy, &[PathBuf::from("/")], None)
                .with_context(|| format!("rule {}", at + 1))?;
        }
        Ok(Self { permission, tools, rules })
    }

    /// Returns true if a rule allows something.
    pub(crate) fn allows(&self) -> bool {
        self.rules.iter().any(|rule| rule.decision == Decision::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_policy_is_an_error_that_names_the_place() {
        for (text, want) in [
            ("permission_mode = \"everything\"", "unknown `permission_mode` `everything`"),
            ("permission = \"full\"", "unknown field `permission`"),
            ("[[rules]]\ndecision = \"deny\"", "rule 1"),
            ("[[rules]]\ndecision = \"deny\"\nargs = [\"x\"]", "unknown field `args`"),
            ("[[rules]]\ndecision = \"deny\"\nargv = [\"**\", \"x\"]", "rule 1"),
            ("[[rules]]\ndecision = \"deny\"\nargv = [\"x\"]\nsandbox = \"off\"", "rule 1"),
            ("[[rules]]\ndecision = \"allow\"\nargv = [\"x\"]\nsandbox = \"on\"", "expected `off`"),
            ("[[rules", "rules"),
        ] {
            let error = PolicyFile::parse(text).unwrap_err();
            assert!(format!("{error:#}").contains(want), "{text}: {error:#}");
        }
        let policy = PolicyFile::parse(
            "permission_mode = \"edit\"\ntools = [\"read\"]\n[[rules]]\ndecision = \"allow\"\nargv = [\"make\", \"**\"]\n",
        )
        .unwrap();
        assert_eq!(policy.permission, Some(Permission::AutoEdit));
        assert!(policy.allows() && policy.tools.is_some_and(|tools| tools == ["read"]));
    }
}
