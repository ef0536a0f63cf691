//! A git repository's state: its branch, the number of changes, the last commits. Pure.
//!
//! Invariant: git runs only if the repository's config sets no program. `git status` runs the filters set there, and a directory that came
//! as an archive may set anything. Hooks and monitors are switched off by flags.

/// Returns the branch in a `HEAD` file, or a commit's first digits if there is none.
pub fn branch(head: &str) -> Option<String> {
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
        }
        None if head.len() >= 40 && head.chars().all(|c| c.is_ascii_hexdigit()) => {
            Some(format!("none, at commit {}", head.get(..12).unwrap_or(head)))
        }
        None => None,
    }
    .filter(|name| !name.is_empty())
}

/// Returns the directory to which a `.git` file refers.
pub fn git_folder(text: &str) -> Option<&str> {
    Some(text.strip_prefix("gitdir:")?.trim()).filter(|path| !path.is_empty())
}

/// Returns true if a repository's settings specify no program that git would start: no filters, no includes, no commands to fetch missing
/// content.
pub fn is_harmless(config: &str) -> bool {
    let config = config.to_ascii_lowercase();
    let words = ["filter", "include", "partialclone", "promisor", "sshcommand", "worktreeconfig"];
    !words.iter().any(|word| config.contains(word))
}

/// The command that lists changes.
pub const STATUS: &str = "git --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null status --porcelain \
    --no-renames --ignore-submodules=all";

/// The command that lists the last commits.
pub const LOG: &str =
    "git --no-optional-locks -c core.fsmonitor=false log -5 --format=%s --no-show-signature";

/// The repository at the session's start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The branch.
    pub branch: Option<String>,
    /// The output of [`STATUS`].
    pub status: Option<String>,
    /// The output of [`LOG`].
    pub log: Option<String>,
}

impl Snapshot {
    /// Returns the prompt layer; `None` without git output.
    pub fn layer(&self) -> Option<String> {
        let mut lines = Vec::new();
        if let Some(status) = &self.status {
            let is_untracked = |line: &&str| line.starts_with("??");
            let lines_of = || status.lines().filter(|line| !line.is_empty());
            let untracked = lines_of().filter(is_untracked).count();
            let changed = lines_of().count() - untracked;
            lines.push(format!("changed files: {changed}, untracked: {untracked}"));
        }
        let subjects: Vec<String> = self
            .log
            .iter()
            .flat_map(|log| log.lines())
            .filter(|line| !line.trim().is_empty())
            .map(|line| format!("- {}", super::in_a_line(line, 120)))
            .collect();
        if !subjects.is_empty() {
            lines.push(format!("last commits:\n{}", subjects.join("\n")));
        }
        (!lines.is_empty()).then(|| {
            let head =
                "The repository state when this session began; check again before you rely on it.";
            super::tag("git", &[], &format!("{head}\n{}", lines.join("\n")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_what_head_names() {
        for (head, want) in [
            ("ref: refs/heads/main\n", Some("main")),
            ("ref: refs/heads/fix/one\n", Some("fix/one")),
            ("ref: refs/remotes/x", Some("refs/remotes/x")),
            ("0123456789abcdef0123456789abcdef01234567\n", Some("none, at commit 0123456789ab")),
            ("ref:", None),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(branch(head).as_deref(), want, "{head}");
        }
    }

    #[test]
    fn git_is_not_asked_where_it_would_start_programs() {
        for (config, want) in [
            ("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@x:y.git\n", true),
            ("", true),
            ("[Filter \"x\"]\n\tclean = ./evil\n", false),
            ("[include]\n\tpath = ../evil\n", false),
            ("[includeIf \"gitdir:.\"]\n", false),
            ("[core]\n\tsshCommand = ./evil\n", false),
            ("[remote \"o\"]\n\tpromisor = true\n", false),
            ("[extensions]\n\tworktreeConfig = true\n", false),
        ] {
            assert_eq!(is_harmless(config), want, "{config}");
        }
    }

    #[test]
    fn a_snapshot_counts_and_lists() {
        let all = Snapshot {
            branch: Some("main".to_owned()),
            status: Some(" M a\nA  b\n?? c\n".to_owned()),
            log: Some("third\nsecond\n\n".to_owned()),
        };
        expect_test::expect![[r"
            <git>
            The repository state when this session began; check again before you rely on it.
            changed files: 2, untracked: 1
            last commits:
            - third
            - second
            </git>"]]
        .assert_eq(&all.layer().unwrap());
        let clean = Snapshot { status: Some(String::new()), ..Snapshot::default() };
        assert!(clean.layer().unwrap().contains("changed files: 0, untracked: 0"));
        assert_eq!(Snapshot::default().layer(), None);
        assert_eq!(git_folder("gitdir: ../.git/worktrees/x\n"), Some("../.git/worktrees/x"));
        assert_eq!(git_folder("what"), None);
    }
}
