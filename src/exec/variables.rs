//! The environment variables that commands see.

/// Additional variables for commands, by name; they override all others.
pub type ExtraVariables = std::sync::Arc<[(String, String)]>;

/// The policy that selects environment variables for commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Policy {
    /// All but those that look like secrets.
    #[default]
    Filtered,
    /// All.
    All,
    /// Only those that most programs, or the tools of a language, need.
    Core,
    /// None.
    Nothing,
}

/// Endings of names that are likely to hold a secret.
const SECRET: [&str; 6] =
    ["_API_KEY", "_SECRET", "_TOKEN", "_PASSWORD", "_CREDENTIAL", "_CREDENTIALS"];

/// Variables that most programs, or the tools of a language, need.
const CORE: [&str; 24] = [
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "LANG",
    "TERM",
    "TMPDIR",
    "LOGNAME",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "PYENV_ROOT",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "RBENV_ROOT",
    "GEM_HOME",
    "JAVA_HOME",
    "SDKMAN_DIR",
];

/// Variables set for every command, which runs unattended: no colours, no pagers, and an editor that fails at once,
/// so that `git commit` without a message ends with an error.
pub const FIXED: [(&str, &str); 9] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// The variables a command sees, the fixed ones last.
pub fn visible<'a>(
    all: impl Iterator<Item = (&'a str, &'a str)>,
    policy: Policy,
) -> Vec<(String, String)> {
    all.filter(|(name, _)| is_visible(name, policy))
        .chain(FIXED)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The variables that a command does not see, where those are the ones that look like secrets.
pub fn withheld<'a>(
    all: impl Iterator<Item = (&'a str, &'a str)>,
    policy: Policy,
) -> Option<Vec<String>> {
    match policy {
        Policy::Filtered | Policy::All => {}
        Policy::Core | Policy::Nothing => return None,
    }
    let hidden = all.map(|(name, _)| name).filter(|name| !is_visible(name, policy));
    Some(hidden.map(str::to_owned).collect())
}

fn is_visible(name: &str, policy: Policy) -> bool {
    match policy {
        Policy::All => true,
        Policy::Nothing => false,
        Policy::Core => CORE.contains(&name) || name.starts_with("LC_"),
        Policy::Filtered => {
            let name = name.to_ascii_uppercase();
            !SECRET.iter().any(|ending| name.ends_with(ending))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_here() {
        use Policy::{All, Core, Filtered, Nothing};
        // Name, then whether each policy shows it.
        for (name, policies) in [
            ("PATH", [true, true, true, false]),
            ("HOME", [true, true, true, false]),
            ("LC_ALL", [true, true, true, false]),
            ("GOPATH", [true, true, true, false]),
            ("CARGO_HOME", [true, true, true, false]),
            ("DISPLAY", [true, true, false, false]),
            ("OPENAI_API_KEY", [false, true, false, false]),
            ("aws_session_token", [false, true, false, false]),
            ("DB_PASSWORD", [false, true, false, false]),
            ("GOOGLE_APPLICATION_CREDENTIALS", [false, true, false, false]),
            ("TOKENIZERS", [true, true, false, false]),
        ] {
            let got = [Filtered, All, Core, Nothing].map(|policy| is_visible(name, policy));
            assert_eq!(got, policies, "{name}");
        }
    }

    #[test]
    fn fixed_ones_win() {
        let got = visible([("TERM", "xterm"), ("A", "1")].into_iter(), Policy::Filtered);
        let last = got.iter().rev().find(|(name, _)| name == "TERM");
        assert_eq!(last.map(|(_, value)| value.as_str()), Some("dumb"));
    }
}
