//! The meaning of a path for permissions: a secret, a file that others obey, the workspace, or elsewhere. Pure: paths
//! come resolved.

use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The places that matter, all canonical.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The working directory and its additional directories.
    pub roots: Vec<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The engine's own folders and files: its data, its configuration.
    pub private: Vec<PathBuf>,
    /// Exceptions to `private`: long outputs of this session, skills.
    pub readable: Vec<PathBuf>,
}

/// The zone of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// In the workspace.
    Inside,
    /// In the workspace, which is a home folder or a folder above the engine's data: too wide for a grant.
    Wide,
    /// Elsewhere.
    Outside,
    /// A file that other programs obey, with what it is.
    Protected(&'static str),
    /// A secret, with what it is.
    Secret(&'static str),
}

/// Files and folders below the home folder that hold secrets.
const SECRETS: &[(&str, &str)] = &[
    (".ssh", "SSH keys"),
    (".aws", "AWS credentials"),
    (".azure", "Azure credentials"),
    (".gnupg", "GnuPG keys"),
    (".netrc", "passwords"),
    (".pgpass", "passwords"),
    (".my.cnf", "passwords"),
    (".git-credentials", "git credentials"),
    (".config/git/credentials", "git credentials"),
    (".config/gh", "GitHub credentials"),
    (".config/hub", "GitHub credentials"),
    (".config/glab-cli", "GitLab credentials"),
    (".config/gcloud", "Google Cloud credentials"),
    (".config/op", "1Password"),
    (".config/rclone", "rclone credentials"),
    (".kube", "Kubernetes credentials"),
    (".docker/config.json", "Docker credentials"),
    (".npmrc", "npm credentials"),
    (".pypirc", "PyPI credentials"),
    (".cargo/credentials", "crates.io credentials"),
    (".cargo/credentials.toml", "crates.io credentials"),
    (".gem/credentials", "RubyGems credentials"),
    (".terraform.d/credentials.tfrc.json", "Terraform credentials"),
    (".vault-token", "a Vault token"),
    (".password-store", "passwords"),
    (".local/share/keyrings", "a keyring"),
    (".local/share/kwalletd", "a keyring"),
    (".mozilla", "a browser's profile"),
    (".thunderbird", "a mail program's profile"),
    (".config/google-chrome", "a browser's profile"),
    (".config/chromium", "a browser's profile"),
    (".config/BraveSoftware", "a browser's profile"),
    (".config/microsoft-edge", "a browser's profile"),
    (".config/vivaldi", "a browser's profile"),
    ("Library/Keychains", "a keyring"),
    ("Library/Application Support/Google/Chrome", "a browser's profile"),
    ("Library/Application Support/Firefox", "a browser's profile"),
    ("Library/Cookies", "a browser's profile"),
    (".claude/.credentials.json", "another agent's credentials"),
    (".codex/auth.json", "another agent's credentials"),
    (".pi/agent/auth.json", "another agent's credentials"),
    (".local/share/opencode/auth.json", "another agent's credentials"),
];

/// Files of the system that hold secrets.
const SYSTEM_SECRETS: &[(&str, &str)] = &[
    ("/etc/shadow", "password hashes"),
    ("/etc/shadow-", "password hashes"),
    ("/etc/gshadow", "password hashes"),
    ("/etc/sudoers", "the rules of sudo"),
    ("/etc/sudoers.d", "the rules of sudo"),
    ("/etc/ssl/private", "private keys"),
    ("/root/.ssh", "SSH keys"),
    ("/run/secrets", "secrets of a container"),
    ("/var/run/secrets", "secrets of a container"),
    ("/dev/mem", "memory"),
    ("/proc/kcore", "memory"),
    ("/run/docker.sock", "control over containers"),
    ("/var/run/docker.sock", "control over containers"),
];

/// Names of private keys, wherever they are.
const KEY_NAMES: [&str; 5] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519_sk"];

/// Entries of `/proc/PID` that show another process's memory, variables or files.
const PROCESS_SECRETS: [&str; 8] = ["environ", "mem", "maps", "smaps", "fd", "root", "cwd", "auxv"];

/// Names of folders whose content other programs obey.
const PROTECTED_FOLDERS: &[(&str, &str)] = &[
    (".git", "git runs what is in there"),
    (".pintle", "pintle's own settings of the project"),
    (".claude", "settings of an agent"),
    (".codex", "settings of an agent"),
    (".gemini", "settings of an agent"),
    (".pi", "settings of an agent"),
    (".agents", "settings of an agent"),
    (".cursor", "settings of an agent"),
    (".vscode", "an editor runs tasks in there"),
    (".idea", "an editor runs tasks in there"),
    (".zed", "an editor runs tasks in there"),
    (".nvim", "an editor runs what is in there"),
    (".devcontainer", "an editor runs what is in there"),
    (".husky", "git hooks"),
    (".githooks", "git hooks"),
    (".circleci", "the pipeline of a CI service"),
    (".buildkite", "the pipeline of a CI service"),
    (".woodpecker", "the pipeline of a CI service"),
    (".ci", "the pipeline of a CI service"),
];

/// Paths of two parts whose content other programs obey.
const PROTECTED_PAIRS: &[(&str, &str, &str)] = &[
    (".github", "workflows", "the pipeline of a CI service"),
    (".github", "actions", "the pipeline of a CI service"),
    (".github", "copilot-instructions.md", "instructions for agents"),
    (".gitea", "workflows", "the pipeline of a CI service"),
    (".forgejo", "workflows", "the pipeline of a CI service"),
    (".cargo", "config", "cargo runs programs that it names"),
    (".cargo", "config.toml", "cargo runs programs that it names"),
    (".config", "autostart", "started with the desktop"),
    (".config", "systemd", "started by the system"),
    (".config", "fish", "a shell's start file"),
    (".config", "git", "settings of git"),
    (".config", "nvim", "an editor runs what is in there"),
    (".local", "bin", "programs that a shell finds"),
];

/// Names of files that other programs obey.
const PROTECTED_FILES: &[(&str, &str)] = &[
    (".envrc", "direnv runs it"),
    (".gitmodules", "settings of git"),
    (".gitattributes", "settings of git"),
    (".gitconfig", "settings of git"),
    (".mcp.json", "programs that agents start"),
    ("agents.md", "instructions for agents"),
    ("agents.override.md", "instructions for agents"),
    ("claude.md", "instructions for agents"),
    ("claude.local.md", "instructions for agents"),
    ("gemini.md", "instructions for agents"),
    (".cursorrules", "instructions for agents"),
    (".windsurfrules", "instructions for agents"),
    (".clinerules", "instructions for agents"),
    (".gitlab-ci.yml", "the pipeline of a CI service"),
    (".travis.yml", "the pipeline of a CI service"),
    (".drone.yml", "the pipeline of a CI service"),
    ("jenkinsfile", "the pipeline of a CI service"),
    ("azure-pipelines.yml", "the pipeline of a CI service"),
    ("bitbucket-pipelines.yml", "the pipeline of a CI service"),
    (".pre-commit-config.yaml", "git hooks"),
    ("lefthook.yml", "git hooks"),
    (".npmrc", "settings of npm"),
    (".yarnrc", "settings of yarn"),
    (".yarnrc.yml", "settings of yarn"),
    (".flake8", "configuration of a linter"),
    (".pylintrc", "configuration of a linter"),
    ("ruff.toml", "configuration of a linter"),
    (".ruff.toml", "configuration of a linter"),
    ("clippy.toml", "configuration of a linter"),
    (".clippy.toml", "configuration of a linter"),
    ("biome.json", "configuration of a linter"),
    (".rubocop.yml", "configuration of a linter"),
    (".golangci.yml", "configuration of a linter"),
    (".bashrc", "a shell's start file"),
    (".bash_profile", "a shell's start file"),
    (".bash_login", "a shell's start file"),
    (".bash_logout", "a shell's start file"),
    (".bash_aliases", "a shell's start file"),
    (".profile", "a shell's start file"),
    (".zshrc", "a shell's start file"),
    (".zshenv", "a shell's start file"),
    (".zprofile", "a shell's start file"),
    (".zlogin", "a shell's start file"),
    (".zlogout", "a shell's start file"),
    (".cshrc", "a shell's start file"),
    (".tcshrc", "a shell's start file"),
    (".kshrc", "a shell's start file"),
    (".inputrc", "a shell's start file"),
    (".xprofile", "a start file of the desktop"),
    (".xinitrc", "a start file of the desktop"),
    (".pam_environment", "variables of every program"),
    (".vimrc", "an editor runs it"),
    (".exrc", "an editor runs it"),
    (".nvimrc", "an editor runs it"),
    (".nvim.lua", "an editor runs it"),
    (".lazy.lua", "an editor runs it"),
    (".dir-locals.el", "an editor runs it"),
    (".gdbinit", "a debugger runs it"),
    (".lldbinit", "a debugger runs it"),
    (".tmux.conf", "a terminal runs it"),
    ("authorized_keys", "people who may log in"),
    ("mise.toml", "mise runs it"),
    (".mise.toml", "mise runs it"),
];

/// Beginnings of names of files that other programs obey.
const PROTECTED_PREFIXES: &[(&str, &str)] = &[
    (".eslintrc", "configuration of a linter"),
    ("eslint.config.", "configuration of a linter"),
    (".prettierrc", "configuration of a linter"),
    ("prettier.config.", "configuration of a linter"),
    (".stylelintrc", "configuration of a linter"),
];

impl Places {
    /// The zone of a canonical path.
    pub fn zone(&self, path: &Path) -> Zone {
        if let Some(what) = self.secret(path) {
            return Zone::Secret(what);
        }
        let root = self.root_of(path);
        // Only names below the workspace count: a project may lie below a folder called `.claude`.
        let below = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        if let Some(what) = protected(below) {
            return Zone::Protected(what);
        }
        match root {
            None => Zone::Outside,
            Some(root) if self.is_wide(root) => Zone::Wide,
            Some(_) => Zone::Inside,
        }
    }

    /// Returns true if secret places can lie below a folder. Keys that are known by their names can lie anywhere.
    pub fn may_hold_secrets(&self, folder: &Path) -> bool {
        let in_home = self.home.as_deref().is_some_and(|home| {
            home.starts_with(folder)
                || folder.strip_prefix(home).is_ok_and(|rest| {
                    SECRETS.iter().any(|(name, _)| Path::new(name).starts_with(rest))
                })
        });
        in_home
            || SYSTEM_SECRETS.iter().any(|(path, _)| Path::new(path).starts_with(folder))
            || self.private.iter().any(|private| private.starts_with(folder))
            || folder.starts_with("/proc")
    }

    /// True if the path is in one of the workspace's folders.
    pub fn is_inside(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

    /// The paths that a confined command may not read.
    pub fn hidden(&self) -> Vec<PathBuf> {
        let of_home =
            self.home.iter().flat_map(|home| SECRETS.iter().map(|(name, _)| home.join(name)));
        let of_system = SYSTEM_SECRETS.iter().map(|(path, _)| PathBuf::from(path));
        of_home.chain(of_system).chain(self.private.iter().cloned()).collect()
    }

    /// The paths at the top of the workspace's folders that a confined command may not change.
    pub fn protected(&self) -> Vec<PathBuf> {
        let folders = PROTECTED_FOLDERS.iter().map(|(name, _)| (*name).to_owned());
        let pairs = PROTECTED_PAIRS.iter().map(|(first, second, _)| format!("{first}/{second}"));
        let files = PROTECTED_FILES.iter().map(|(name, _)| (*name).to_owned());
        // The list is in lower case; the files are not.
        let written = [
            "AGENTS.md",
            "AGENTS.override.md",
            "CLAUDE.md",
            "CLAUDE.local.md",
            "GEMINI.md",
            "Jenkinsfile",
        ];
        let names: Vec<String> =
            folders.chain(pairs).chain(files).chain(written.map(str::to_owned)).collect();
        self.roots.iter().flat_map(|root| names.iter().map(move |name| root.join(name))).collect()
    }

    fn root_of(&self, path: &Path) -> Option<&PathBuf> {
        // The innermost one: names are judged from there.
        let roots = self.roots.iter().filter(|root| path.starts_with(root));
        roots.max_by_key(|root| root.components().count())
    }

    /// A home folder, the root, and each folder above the engine's own files are too wide for grants.
    fn is_wide(&self, root: &Path) -> bool {
        root.parent().is_none()
            || self.home.as_ref().is_some_and(|home| home.starts_with(root))
            || self.private.iter().any(|private| private.starts_with(root) && private != root)
    }

    fn secret(&self, path: &Path) -> Option<&'static str> {
        if self.readable.iter().any(|readable| path.starts_with(readable)) {
            return None;
        }
        if self.private.iter().any(|private| path.starts_with(private)) {
            return Some("pintle's own data and configuration");
        }
        let folded = fold(path);
        let in_home = self.home.as_ref().and_then(|home| {
            let rest = folded.strip_prefix(&fold(home))?.strip_prefix('/')?;
            SECRETS.iter().find(|(secret, _)| is_at_or_below(rest, secret))
        });
        let in_system = SYSTEM_SECRETS.iter().find(|(secret, _)| is_at_or_below(&folded, secret));
        if let Some((_, what)) = in_home.or(in_system) {
            return Some(what);
        }
        let mut parts = folded.split('/').skip(1);
        if parts.next() == Some("proc") {
            let owner = parts.next().unwrap_or_default();
            let is_process = owner == "self"
                || owner == "thread-self"
                || (!owner.is_empty() && owner.chars().all(|c| c.is_ascii_digit()));
            let entry =
                parts.find(|part| *part != "task" && !part.chars().all(|c| c.is_ascii_digit()));
            if is_process && entry.is_some_and(|entry| PROCESS_SECRETS.contains(&entry)) {
                return Some("the memory, variables or files of a process");
            }
        }
        has_key_name(path).then_some("a private key")
    }
}

/// Returns true for a file that has the name of a private key.
pub(super) fn has_key_name(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    // A search asks for each of its files, and hardly a name is not ASCII.
    match name.to_str().filter(|name| name.is_ascii()) {
        Some(name) => {
            let name = name.trim_end_matches([' ', '.']);
            KEY_NAMES.iter().any(|key| key.eq_ignore_ascii_case(name))
        }
        None => KEY_NAMES.contains(&fold(Path::new(name)).as_str()),
    }
}

/// The thing that a path below the workspace is to other programs, if it is one that they obey.
pub fn protected(below: &Path) -> Option<&'static str> {
    let folded = fold(below);
    let parts: Vec<&str> = folded.split('/').filter(|part| !part.is_empty()).collect();
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1).copied().unwrap_or_default();
        let folder = PROTECTED_FOLDERS.iter().find(|(name, _)| name == part);
        let pair =
            PROTECTED_PAIRS.iter().find(|(first, second, _)| first == part && *second == next);
        let what = folder.map(|(_, what)| *what).or(pair.map(|(_, _, what)| *what));
        if what.is_some() {
            return what;
        }
    }
    let name = parts.last().copied().unwrap_or_default();
    let file = PROTECTED_FILES.iter().find(|(file, _)| *file == name);
    let begun = PROTECTED_PREFIXES.iter().find(|(beginning, _)| name.starts_with(beginning));
    file.or(begun).map(|(_, what)| *what)
}

/// Compares a folded path with a folder of a table, which may hold upper case.
fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.split_at_checked(folder.len()).is_some_and(|(start, rest)| {
        start.eq_ignore_ascii_case(folder) && (rest.is_empty() || rest.starts_with('/'))
    })
}

/// A path as file systems that ignore case, or compose characters, compare it: so `.GIT` is `.git`. Characters that
/// some file systems ignore are left out.
fn fold(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::RootDir => text.push('/'),
            Component::Normal(name) => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                let name = name.to_string_lossy();
                // A command names thousands of paths, and hardly a name is not ASCII.
                let name = if name.is_ascii() {
                    name.to_ascii_lowercase()
                } else {
                    name.nfkc().filter(|c| !is_ignored(*c)).flat_map(char::to_lowercase).collect()
                };
                // Windows and some network file systems drop these.
                text.push_str(name.trim_end_matches([' ', '.']));
            }
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => {}
        }
    }
    text
}

/// Characters that HFS+ leaves out of a name's comparison.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(roots: &[&str]) -> Places {
        Places {
            roots: roots.iter().map(PathBuf::from).collect(),
            home: Some(PathBuf::from("/home/u")),
            private: ["/home/u/.local/share/pintle", "/home/u/.config/pintle"]
                .map(PathBuf::from)
                .into(),
            readable: vec![
                PathBuf::from("/home/u/.local/share/pintle/sessions/s/artifacts"),
                PathBuf::from("/home/u/.config/pintle/skills"),
            ],
        }
    }

    #[test]
    fn zones() {
        use Zone::{Inside, Outside, Wide};
        let rows: [(&str, Zone); 34] = [
            ("/w/src/main.rs", Inside),
            ("/w", Inside),
            ("/w2/a", Outside),
            ("/extra/a", Inside),
            ("/etc/passwd", Outside),
            ("/etc/shadow", Zone::Secret("password hashes")),
            ("/home/u/notes", Outside),
            ("/home/u/.ssh", Zone::Secret("SSH keys")),
            ("/home/u/.ssh/id_rsa", Zone::Secret("SSH keys")),
            ("/home/u/.SSH/config", Zone::Secret("SSH keys")),
            ("/home/u/.sshx/config", Outside),
            ("/home/u/.aws/credentials", Zone::Secret("AWS credentials")),
            ("/w/deploy/id_ed25519", Zone::Secret("a private key")),
            (
                "/home/u/.config/pintle/config.toml",
                Zone::Secret("pintle's own data and configuration"),
            ),
            ("/home/u/.config/pintle/skills/x/SKILL.md", Outside),
            ("/home/u/.local/share/pintle/sessions/s/artifacts/1.txt", Outside),
            (
                "/home/u/.local/share/pintle/sessions/t/journal.jsonl",
                Zone::Secret("pintle's own data and configuration"),
            ),
            ("/proc/self/environ", Zone::Secret("the memory, variables or files of a process")),
            ("/proc/12/task/12/mem", Zone::Secret("the memory, variables or files of a process")),
            ("/proc/cpuinfo", Outside),
            ("/w/.git/hooks/pre-commit", Zone::Protected("git runs what is in there")),
            ("/w/.GIT/hooks/pre-commit", Zone::Protected("git runs what is in there")),
            ("/w/.g\u{200c}it/config", Zone::Protected("git runs what is in there")),
            ("/w/.git", Zone::Protected("git runs what is in there")),
            ("/w/.gitignore", Inside),
            ("/w/sub/.vscode/tasks.json", Zone::Protected("an editor runs tasks in there")),
            ("/w/.github/workflows/ci.yml", Zone::Protected("the pipeline of a CI service")),
            ("/w/.github/README.md", Inside),
            ("/w/sub/AGENTS.md", Zone::Protected("instructions for agents")),
            ("/w/.envrc", Zone::Protected("direnv runs it")),
            ("/w/.eslintrc.json", Zone::Protected("configuration of a linter")),
            ("/home/u/.bashrc", Zone::Protected("a shell's start file")),
            ("/w/package.json", Inside),
            ("/w/.env", Inside),
        ];
        for (path, zone) in rows {
            assert_eq!(places(&["/w", "/extra"]).zone(Path::new(path)), zone, "{path}");
        }
        for root in ["/", "/home", "/home/u", "/home/u/.local/share"] {
            let path = Path::new(root).join("a/b");
            assert_eq!(places(&[root]).zone(&path), Wide, "{root}");
        }
        // A project below a folder with such a name is judged from its own root on.
        let nested = places(&["/w/.claude/worktrees/a"]);
        assert_eq!(nested.zone(Path::new("/w/.claude/worktrees/a/src/x")), Inside);
    }
}
