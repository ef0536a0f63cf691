//! The environment variables that commands see.

/// Additional variables for commands, by name; they override all others.
pub type ExtraVariables = std::sync::Arc<[(String, String)]>;

/// The policy that selects environment variables for commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Policy {
    /// All except variables that look like secrets.
    #[default]
    Filtered,
    /// All.
    All,
    /// Only those needed by most programs or by a language's tools.
    Core,
    /// None.
    Nothing,
}

/// Words in names, between underscores, that suggest a secret: `TOKEN` is one of `GITHUB_TOKEN`, and none of `TOKENIZERS_PARALLELISM`.
const SECRET_WORDS: [&str; 12] = [
    "SECRET",
    "SECRETS",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "BEARER",
    "AUTHTOKEN",
];

/// Parts of names that suggest a secret, of two words.
const SECRET_PARTS: [&str; 8] = [
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "ENCRYPTION_KEY",
    "SIGNING_KEY",
    "MASTER_KEY",
    "DEPLOY_KEY",
    "AUTH_KEY",
];

/// Suffixes of names that probably contain a secret, without a preceding underscore: `PGPASSWORD`.
const SECRET_ENDINGS: [&str; 6] = ["PASSWORD", "PASSWD", "TOKEN", "SECRET", "APIKEY", "SSHPASS"];

/// Names that suggest a secret, and match no pattern above.
const SECRET_NAMES: [&str; 4] = ["MYSQL_PWD", "NPM_CONFIG__AUTH", "NPM_AUTH", "DOCKER_AUTH_CONFIG"];

/// Variables needed by most programs or by a language's tools.
const CORE: [&str; 39] = [
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
    // Windows.
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
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

/// Returns the variables a command sees, the fixed ones last.
///
/// # Example
///
/// ```
/// use pintle_exec::variables::{Policy, visible};
///
/// let all = [("HOME", "/home/user"), ("GITHUB_TOKEN", "ghp_1"), ("TOKENIZERS_PARALLELISM", "true")];
/// let seen = visible(all.into_iter(), Policy::Filtered);
/// let has = |name: &str| seen.iter().any(|(seen, _)| seen == name);
/// assert!(has("HOME") && has("TOKENIZERS_PARALLELISM"));
/// assert!(!has("GITHUB_TOKEN"));
/// ```
pub fn visible<'a>(
    all: impl Iterator<Item = (&'a str, &'a str)>,
    policy: Policy,
) -> Vec<(String, String)> {
    all.filter(|(name, _)| is_visible(name, policy))
        .chain(FIXED)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Returns the variables hidden from a command; `None` if the policy lists visible variables instead.
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
            let has_word = name.split('_').any(|word| SECRET_WORDS.contains(&word));
            let has_part = SECRET_PARTS.iter().any(|part| {
                let at = |index: usize| name.as_bytes().get(index).copied();
                name.match_indices(part).any(|(start, _)| {
                    let before = start.checked_sub(1).and_then(at);
                    let after = at(start + part.len());
                    before.is_none_or(|byte| byte == b'_') && after.is_none_or(|byte| byte == b'_')
                })
            });
            let has_ending = SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending));
            let is_known = SECRET_NAMES.contains(&name.as_str());
            !(has_word || has_part || has_ending || is_known)
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
            ("TOKEN", [false, true, false, false]),
            ("PASSWORD", [false, true, false, false]),
            ("SECRET", [false, true, false, false]),
            ("API_KEY", [false, true, false, false]),
            ("PGPASSWORD", [false, true, false, false]),
            ("MYSQL_PWD", [false, true, false, false]),
            ("SSHPASS", [false, true, false, false]),
            ("AWS_ACCESS_KEY_ID", [false, true, false, false]),
            ("AWS_SECRET_ACCESS_KEY", [false, true, false, false]),
            ("AWS_BEARER_TOKEN_BEDROCK", [false, true, false, false]),
            ("GITHUB_TOKEN", [false, true, false, false]),
            ("CI_JOB_TOKEN_2", [false, true, false, false]),
            ("SECRET_KEY_BASE", [false, true, false, false]),
            ("RAILS_MASTER_KEY", [false, true, false, false]),
            ("npm_config__authToken", [false, true, false, false]),
            ("NPM_CONFIG__AUTH", [false, true, false, false]),
            ("TOKENIZERS", [true, true, false, false]),
            ("TOKENIZERS_PARALLELISM", [true, true, false, false]),
            ("MAX_TOKENS", [true, true, false, false]),
            ("SSH_AUTH_SOCK", [true, true, false, false]),
            ("SSH_ASKPASS", [true, true, false, false]),
            ("GIT_ASKPASS", [true, true, false, false]),
            ("GPG_TTY", [true, true, false, false]),
            ("PWD", [true, true, false, false]),
            ("OLDPWD", [true, true, false, false]),
            ("KEYBOARD", [true, true, false, false]),
            ("XKB_DEFAULT_LAYOUT", [true, true, false, false]),
            ("AWS_REGION", [true, true, false, false]),
            ("AWS_PROFILE", [true, true, false, false]),
            ("PASSENGER_ROOT", [true, true, false, false]),
            ("BYPASS", [true, true, false, false]),
            ("MONKEY_PATCH", [true, true, false, false]),
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
