//! A path's meaning for permissions: a secret, a file that other programs obey, the workspace, or elsewhere. Pure: paths are already
//! resolved.

use super::names::{Folded, OBEYED_NAMES, OUTPUT, SECRET_NAMES, is_output};
use super::rules::{Compiled, Origin};
use super::spelling::{fold_text, is_below_in_any_spelling, without_private};
use super::table::VARIABLES;
use super::{Decision, Kind};
use std::path::{Component, Path, PathBuf};

/// The places that matter, all canonical.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The working directory and its additional directories.
    pub roots: Vec<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The engine's private directories and files: its data, its configuration.
    pub private: Vec<PathBuf>,
    /// Exceptions to `private`: long outputs of this session, skills.
    pub readable: Vec<PathBuf>,
    /// The workspace's directories that are the engine's own copies of projects: private files surround them, and none is in them.
    pub copies: Vec<PathBuf>,
    /// `.env` and its like are ordinary files, as in `full` mode.
    pub opens_variables: bool,
    /// Names that differ in case or composition may be one file, depending on [`IGNORES_CASE`](super::IGNORES_CASE).
    pub ignores_case: bool,
}

/// A path's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// In the workspace.
    Inside,
    /// In the workspace, which is a home directory or a directory above the engine's data: too wide for a grant.
    Wide,
    /// Elsewhere.
    Outside,
    /// A file that other programs obey, with its description.
    Protected(&'static str),
    /// A secret, with its description.
    Secret(&'static str),
}

/// Entries of `/proc/PID` that show another process's memory, variables or files.
const PROCESS_SECRETS: [&str; 8] = ["environ", "mem", "maps", "smaps", "fd", "root", "cwd", "auxv"];

impl Places {
    /// Returns a canonical path's zone.
    pub fn zone(&self, path: &Path) -> Zone {
        if let Some(what) = self.secret(path) {
            return Zone::Secret(what);
        }
        let root = self.root_of(path);
        // Only names below the workspace count: a project may lie below a directory called `.claude`.
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

    /// Returns true if secret places can lie below a directory. Files that are secret by their names can lie anywhere.
    pub fn may_hold_secrets(&self, folder: &Path) -> bool {
        let text = fold(folder);
        let holds = |path: Folded<'_>| SECRET_NAMES.reach_below(path);
        self.folded(&text, holds)
            || self.home.as_deref().is_some_and(|home| self.is_below(home, folder))
            || self.private.iter().any(|private| self.is_below(private, folder))
            || folder.starts_with("/proc")
    }

    /// Returns true if the path is in one of the workspace's directories.
    pub fn is_inside(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

    /// Returns the paths that a confined command may not read, whether they exist or not. More are found in [`Places::listed`], and by
    /// their names in the workspace.
    pub fn hidden(&self) -> Vec<PathBuf> {
        let root = PathBuf::from(ROOTS_HOME);
        let homes = self.home.iter().chain((self.home.as_ref() != Some(&root)).then_some(&root));
        let mut paths: Vec<PathBuf> = homes
            .flat_map(|home| SECRET_NAMES.places(Some(home)))
            .chain(SECRET_NAMES.places(None))
            .collect();
        paths.extend(self.private.iter().cloned());
        paths.sort();
        paths.dedup();
        paths
    }

    /// Returns the directories whose entries have to be checked for secret files, since their names are only partly known.
    pub fn listed(&self) -> Vec<PathBuf> {
        SECRET_NAMES.listed(self.home.as_deref())
    }

    /// Returns the secret paths that rules of the user name for a tool, so that commands may read them too.
    pub fn opened(&self, rules: &[Compiled], tool: &str) -> Vec<PathBuf> {
        let of_user =
            rules.iter().filter(|rule| matches!(rule.origin, Origin::User | Origin::Policy));
        let allow = of_user.filter(|rule| rule.rule.decision == Decision::Allow);
        let read = allow.filter(|rule| rule.is_about_files(Kind::Read, tool));
        let paths = read.filter_map(Compiled::fixed_path);
        paths
            .filter(|path| matches!(self.zone(path), Zone::Secret(_)))
            .map(Path::to_owned)
            .collect()
    }

    /// Returns true for a file of the workspace that a confined command may not change or make without a question.
    pub fn is_kept_from_commands(&self, path: &Path) -> bool {
        let Some(below) = self.root_of(path).and_then(|root| path.strip_prefix(root).ok()) else {
            return false;
        };
        let text = fold(below);
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let path = Folded { parts: &parts, home: None, is_absolute: false };
        OBEYED_NAMES.anywhere(path).is_some() && !is_output(&parts)
    }

    fn root_of(&self, path: &Path) -> Option<&PathBuf> {
        // The innermost one: names are judged from there.
        let roots = self.roots.iter().filter(|root| path.starts_with(root));
        roots.max_by_key(|root| root.components().count())
    }

    /// Returns true for directories that are too wide for grants: a home directory, the root, and each directory above the engine's private
    /// files.
    fn is_wide(&self, root: &Path) -> bool {
        root.parent().is_none()
            || self.home.as_ref().is_some_and(|home| self.is_below(home, root))
            || self.private.iter().any(|private| self.is_below(private, root) && private != root)
    }

    /// Returns true if `path` is `folder` or below it, in any spelling if file systems ignore case. For restrictions only.
    fn is_below(&self, path: &Path, folder: &Path) -> bool {
        path.starts_with(folder) || (self.ignores_case && is_below_in_any_spelling(path, folder))
    }

    fn secret(&self, path: &Path) -> Option<&'static str> {
        if self.readable.iter().any(|readable| path.starts_with(readable)) {
            return None;
        }
        let is_copy = self.copies.iter().any(|copy| path.starts_with(copy));
        if !is_copy && self.private.iter().any(|private| self.is_below(path, private)) {
            return Some("pintle's data and configuration");
        }
        let folded = fold(path);
        let what = self.folded(&folded, |path| SECRET_NAMES.find(path));
        if let Some(what) = what.filter(|what| !self.opens_variables || *what != VARIABLES) {
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
                return Some("a process's memory, variables or files");
            }
        }
        None
    }

    /// Calls `find` with a folded path's names.
    fn folded<T>(&self, folded: &str, find: impl FnOnce(Folded<'_>) -> T) -> T {
        let parts: Vec<&str> = folded.split('/').filter(|part| !part.is_empty()).collect();
        let own = self.home.as_ref().and_then(|home| {
            let home = fold(home);
            let mut names = home.split('/').filter(|part| !part.is_empty());
            let count = names.clone().count();
            parts.iter().take(count).copied().eq(names.by_ref()).then_some(count)
        });
        let home = own.or(match parts.as_slice() {
            ["root", ..] => Some(1),
            ["home" | "users", _, ..] => Some(2),
            _ => None,
        });
        let is_absolute = folded.starts_with('/');
        let parts = if is_absolute && home.is_none() { without_private(&parts) } else { &parts };
        find(Folded { parts, home, is_absolute })
    }
}

/// The table's names as patterns that match in any directory, or from the root if they begin with `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    /// Files that others obey.
    pub obeyed: Vec<String>,
    /// Directories for dependencies and build output, where commands create such files.
    pub output: Vec<String>,
    /// Secret files.
    pub secret: Vec<String>,
    /// Exceptions to these.
    pub open: Vec<String>,
}

/// Returns the table's names as patterns.
pub fn patterns() -> Patterns {
    let (secret, open) = SECRET_NAMES.patterns();
    let (obeyed, _) = OBEYED_NAMES.patterns();
    Patterns {
        obeyed,
        output: OUTPUT.iter().map(|name| format!("{name}/")).collect(),
        secret,
        open,
    }
}

/// The home directory of user 0.
const ROOTS_HOME: &str = "/root";

/// Returns true for a file that is secret by its name, in any directory.
pub(super) fn has_secret_name(path: &Path) -> bool {
    let text = fold(path);
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let is_absolute = text.starts_with('/');
    SECRET_NAMES.anywhere(Folded { parts: &parts, home: None, is_absolute }).is_some()
}

/// Returns how other programs obey a path below the workspace, if they do.
pub fn protected(below: &Path) -> Option<&'static str> {
    let text = fold(below);
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let home = match parts.as_slice() {
        ["root", ..] => Some(1),
        ["home" | "users", _, ..] => Some(2),
        _ => None,
    };
    let is_absolute = text.starts_with('/');
    OBEYED_NAMES.find(Folded { parts: &parts, home: home.filter(|_| is_absolute), is_absolute })
}

/// Returns a path as file systems that ignore case, or compose characters, compare it: so `.GIT` is `.git`. Characters that some file
/// systems ignore are left out.
fn fold(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::RootDir => text.push('/'),
            Component::Normal(name) => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                let name = fold_text(&name.to_string_lossy());
                // Windows and some network file systems drop these.
                text.push_str(name.trim_end_matches([' ', '.']));
            }
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => {}
        }
    }
    text
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
            copies: vec![PathBuf::from("/home/u/.local/share/pintle/isolated/s/project")],
            readable: vec![
                PathBuf::from("/home/u/.local/share/pintle/sessions/s/artifacts"),
                PathBuf::from("/home/u/.config/pintle/skills"),
            ],
            opens_variables: false,
            ignores_case: false,
        }
    }

    #[test]
    fn zones() {
        use Zone::{Inside, Outside, Wide};
        let rows: Vec<(&str, Zone)> = vec![
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
            ("/home/u/.config/pintle/config.toml", Zone::Secret("pintle's data and configuration")),
            ("/home/u/.config/pintle/skills/x/SKILL.md", Outside),
            ("/home/u/.local/share/pintle/sessions/s/artifacts/1.txt", Outside),
            ("/home/u/.local/share/pintle/isolated/s/project/src/main.rs", Outside),
            ("/home/u/.local/share/pintle/isolated/s/project/.env", Zone::Secret(VARIABLES)),
            (
                "/home/u/.local/share/pintle/isolated/s/isolation.json",
                Zone::Secret("pintle's data and configuration"),
            ),
            (
                "/home/u/.local/share/pintle/isolated/t/project/src/main.rs",
                Zone::Secret("pintle's data and configuration"),
            ),
            (
                "/home/u/.local/share/pintle/sessions/t/journal.jsonl",
                Zone::Secret("pintle's data and configuration"),
            ),
            ("/proc/self/environ", Zone::Secret("a process's memory, variables or files")),
            ("/proc/12/task/12/mem", Zone::Secret("a process's memory, variables or files")),
            ("/proc/cpuinfo", Outside),
            ("/w/.git/hooks/pre-commit", Zone::Protected("git runs its contents")),
            ("/w/.GIT/hooks/pre-commit", Zone::Protected("git runs its contents")),
            ("/w/.g\u{200c}it/config", Zone::Protected("git runs its contents")),
            ("/w/.git", Zone::Protected("git runs its contents")),
            ("/w/.gitignore", Inside),
            ("/w/sub/.vscode/tasks.json", Zone::Protected("an editor runs tasks from it")),
            ("/w/.github/workflows/ci.yml", Zone::Protected("a CI pipeline")),
            ("/w/.github/README.md", Inside),
            ("/w/sub/AGENTS.md", Zone::Protected("instructions for agents")),
            ("/w/.envrc", Zone::Protected("direnv runs it")),
            ("/w/.eslintrc.json", Zone::Protected("a linter's configuration")),
            ("/home/u/.bashrc", Zone::Protected("a shell startup file")),
            ("/w/package.json", Inside),
            ("/w/.env", Zone::Secret("variables with keys")),
            ("/w/app/.env.local", Zone::Secret("variables with keys")),
            ("/w/.ENV.Production", Zone::Secret("variables with keys")),
            ("/w/.env.example", Inside),
            ("/w/.env.local.example", Inside),
            ("/w/.env.template", Inside),
            ("/w/.env.sample", Inside),
            ("/w/src/env.ts", Inside),
            ("/w/environment.md", Inside),
        ];
        for (path, zone) in rows {
            assert_eq!(places(&["/w", "/extra"]).zone(Path::new(path)), zone, "{path}");
        }
        for root in ["/", "/home", "/home/u", "/home/u/.local/share"] {
            let path = Path::new(root).join("a/b");
            assert_eq!(places(&[root]).zone(&path), Wide, "{root}");
        }
        // A project below a directory with such a name is judged from its own root on.
        let nested = places(&["/w/.claude/worktrees/a"]);
        assert_eq!(nested.zone(Path::new("/w/.claude/worktrees/a/src/x")), Inside);
    }

    #[test]
    fn files_that_others_obey_are_known_by_their_names() {
        for name in [
            "claude_desktop_config.json",
            ".qodo/agents/a.toml",
            ".refact/integrations.d/a.yaml",
            ".direnvrc",
            "tools/bazel",
            ".octaverc",
            "startup.m",
            ".proverc",
            ".merlin",
            ".lsp/config.edn",
            ".qlty/qlty.toml",
            ".pr_agent.toml",
            ".devcontainer.json",
            "x.code-workspace",
            "lefthook.yaml",
            ".lefthook-local.toml",
            ".config/lefthook.yml",
            ".windsurf/rules/x.md",
            "QWEN.md",
            "CRUSH.md",
            "WARP.md",
            "opencode.json",
            "opencode.jsonc",
            ".crush.json",
            ".golangci.yaml",
            ".golangci.json",
            "biome.jsonc",
            ".eslintrc",
            ".eslintrc.cjs",
            "eslint.config.mts",
            ".prettierrc.mjs",
            "prettier.config.ts",
            "dprint.jsonc",
            ".stylelintrc.yaml",
            ".oxlintrc.json",
            ".roo/rules/a.md",
            ".roomodes",
            ".clinerules/a.md",
            ".kilocode/rules/a.md",
            ".junie/guidelines.md",
            ".amazonq/rules/a.md",
            ".kiro/steering/a.md",
            ".trae/rules/a.md",
            ".augment/rules/a.md",
            ".aider.conf.yml",
            ".goosehints",
            ".github/instructions/a.instructions.md",
            ".github/prompts/a.prompt.md",
            ".github/agents/a.agent.md",
            ".cursor/rules/a.mdc",
            "mise.local.toml",
            ".mise/config.toml",
            ".config/mise/config.toml",
            ".tool-versions",
            ".envrc",
            "rust-toolchain.toml",
            ".cargo/config.toml",
            ".nvmrc",
            ".mvn/maven.config",
            "gradlew",
            "gradle/wrapper/gradle-wrapper.properties",
            ".bazelrc",
            ".pnpmfile.cjs",
            "bunfig.toml",
            ".yarn/releases/yarn.cjs",
            ".yarnrc.yml",
            ".overcommit.yml",
            "captainhook.json",
            ".lintstagedrc.js",
            ".simple-git-hooks.json",
            ".husky/pre-commit",
            ".pre-commit-config.yml",
            "commitlint.config.js",
            ".gitlab-ci.yaml",
            ".cirrus.yml",
            "appveyor.yml",
            "cloudbuild.yaml",
            ".woodpecker.yml",
            ".drone.star",
            "bitrise.yml",
            "azure-pipelines-release.yml",
            ".tekton/a.yaml",
            "Jenkinsfile.release",
            ".run/a.run.xml",
            "a.iml",
            "a.sublime-project",
            ".fleet/run.json",
            ".zed/tasks.json",
            ".helix/languages.toml",
            ".vimrc",
            ".lvimrc",
            ".dir-locals.el",
            ".clangd",
            ".clang-tidy",
            ".rubocop.yml",
            ".php-cs-fixer.dist.php",
            "phpstan.neon.dist",
            ".swiftlint.yml",
            ".pylintrc",
            "mypy.ini",
            ".gdbinit",
            ".zshrc",
            ".tmux.conf",
            "authorized_keys",
            ".hg/hgrc",
            ".jj/repo/config.toml",
            "renovate.json5",
            ".mcp.json",
            ".vscode/mcp.json",
            "hie.yaml",
            ".bsp/sbt.json",
            ".solargraph.yml",
            "atlantis.yaml",
            ".actrc",
            ".arclint",
        ] {
            for path in [
                format!("/w/{name}"),
                format!("/w/packages/a/{name}"),
                format!("/w/{}", name.to_ascii_uppercase()),
            ] {
                let zone = places(&["/w"]).zone(Path::new(&path));
                assert!(matches!(zone, Zone::Protected(_)), "{path}: {zone:?}");
                assert!(places(&["/w"]).is_kept_from_commands(Path::new(&path)), "{path}");
            }
        }
        for name in [
            "package.json",
            "Makefile",
            "Cargo.toml",
            "build.rs",
            "src/main.rs",
            "README.md",
            ".gitignore",
            ".github/ISSUE_TEMPLATE/bug.md",
            "docs/agents.txt",
            "vite.config.ts",
            "jest.config.js",
            "model.pth",
            "src/mise/mod.rs",
            "config/app.yaml",
            "pyproject.toml",
            "tsconfig.json",
            "justfile",
            "tests/githooks.rs",
        ] {
            let path = format!("/w/{name}");
            assert_eq!(places(&["/w"]).zone(Path::new(&path)), Zone::Inside, "{path}");
        }
        // In directories for dependencies and build output, tools ask and commands are free.
        for name in [
            "node_modules/a/.eslintrc",
            "target/package/a/.github/workflows/ci.yml",
            ".venv/lib/site-packages/a/.flake8",
        ] {
            let path = format!("/w/{name}");
            assert!(matches!(places(&["/w"]).zone(Path::new(&path)), Zone::Protected(_)), "{path}");
            assert!(!places(&["/w"]).is_kept_from_commands(Path::new(&path)), "{path}");
        }
    }

    #[test]
    fn secret_files_are_known_by_their_places_and_names() {
        for name in [
            ".claude.json.backup",
            ".mcp-auth/x/tokens.json",
            ".ngc/config",
            "clearml.conf",
            ".comet.config",
            ".mlflow/credentials",
            ".config/dvc/config",
            "work/rootkey.csv",
            "work/ci_accessKeys.csv",
            ".b2_account_info",
            ".config/onedrive/refresh_token",
            ".koyeb.yaml",
            "work/terraform.tfstate.17.backup",
            ".dockerconfigjson",
            ".tsh/keys/a",
            ".okta/okta.yaml",
            ".google_authenticator",
            ".android/adbkey",
            ".packagecloud",
            ".cloudsmith/credentials.ini",
            ".hgrc",
            ".w3m/cookie",
            ".jira.d/config.yml",
            ".semgrep/settings.yml",
            ".lnd/admin.macaroon",
            ".steampipe/config/aws.spc",
            ".gemini/oauth_creds.json",
            ".config/github-copilot/apps.json",
            ".config/containers/auth.json",
            ".m2/settings.xml",
            ".cache/huggingface/token",
            ".config/sops/age/keys.txt",
            ".bash_history",
            ".zsh_history",
            ".psql_history",
            ".node_repl_history",
            ".local/share/fish/fish_history",
            ".qwen/oauth_creds.json",
            ".claude.json",
            ".codex/auth.json",
            ".local/share/amp/secrets.json",
            ".config/goose/secrets.yaml",
            ".continue/config.yaml",
            ".oci/config",
            ".config/doctl/config.yaml",
            ".config/hcloud/cli.toml",
            ".fly/config.yml",
            ".config/.wrangler/config/default.toml",
            ".docker/config.json",
            ".dockercfg",
            ".kube/config",
            ".config/helm/registry/config.json",
            ".terraform.d/credentials.tfrc.json",
            ".terraformrc",
            ".vault-token",
            ".pypirc",
            ".config/pypoetry/auth.toml",
            ".gem/credentials",
            ".gradle/gradle.properties",
            ".config/NuGet/NuGet.Config",
            ".config/composer/auth.json",
            ".hex/hex.config",
            ".config/dart/pub-tokens.json",
            ".pgpass",
            ".my.cnf",
            ".mylogin.cnf",
            ".config/rclone/rclone.conf",
            ".password-store/a.gpg",
            ".config/op/config",
            ".config/Bitwarden CLI/data.json",
            ".authinfo",
            ".msmtprc",
            ".git-credentials",
            ".gitcookies",
            ".config/tea/config.yml",
            ".config/google-chrome-beta/Default/Cookies",
            ".librewolf/a/cookies.sqlite",
            ".thunderbird/a/key4.db",
            ".local/share/keyrings/login.keyring",
            ".Xauthority",
            ".databrickscfg",
            ".config/solana/id.json",
            ".viminfo",
            ".lesshst",
            ".config/Code/User/globalStorage/state.vscdb",
            ".snowsql/config",
            ".s3cfg",
            ".boto",
            ".factory/auth.encrypted",
            ".vast_api_key",
            ".claude/projects/a/b.jsonl",
            ".codex/sessions/a.jsonl",
            ".mc/config.json",
            ".netlify/config.json",
            ".condarc",
            ".config/fish/fish_variables",
            ".config/httpie/sessions/a.json",
        ] {
            for home in ["/home/u", "/root", "/Users/x"] {
                let path = format!("{home}/{name}");
                let zone = places(&["/w"]).zone(Path::new(&path));
                assert!(matches!(zone, Zone::Secret(_)), "{path}: {zone:?}");
            }
        }
        for name in [
            "id_ed25519_work",
            "id_work",
            "deploy_rsa",
            "id_rsa.bak",
            "server.pem",
            "tls.key",
            "a.p12",
            "a.pfx",
            "b.kdbx",
            "release.jks",
            "upload.keystore",
            "me.ppk",
            "AuthKey_X.p8",
            "client_secret_1.json",
            "service-account-prod.json",
            "prod.env",
            ".env",
            ".env.production.local",
            ".env_prod",
            ".dev.vars",
            ".htpasswd",
            ".netrc",
            "home.ovpn",
            "terraform.tfstate",
            "kubeconfig",
            "prod.kubeconfig",
            ".vault_pass.txt",
            "host.keytab",
            ".streamlit/secrets.toml",
            "config/master.key",
            ".python_history",
            "auth.json",
            "credentials.json",
            "secrets.yaml",
            "local.settings.json",
            "app-firebase-adminsdk-1.json",
            "key.properties",
            "wg0.conf",
            "cookies.txt",
            ".aws/credentials",
            ".dvc/config.local",
        ] {
            for path in [format!("/w/{name}"), format!("/w/a/b/{name}")] {
                let zone = places(&["/w"]).zone(Path::new(&path));
                assert!(matches!(zone, Zone::Secret(_)), "{path}: {zone:?}");
                assert!(has_secret_name(Path::new(&path)), "{path}");
            }
        }
        for name in [
            "id_rsa.pub",
            "id_map.rs",
            "cacert.pem",
            "certs/root.pem",
            "public.pem",
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.production.example",
            "example.env",
            "monkey.rs",
            "src/key.rs",
            "keys.md",
            "environment.ts",
            "history.txt",
            "credentials.rs",
            "secrets.py",
            "auth.ts",
        ] {
            let path = format!("/w/{name}");
            assert_eq!(places(&["/w"]).zone(Path::new(&path)), Zone::Inside, "{path}");
        }
        assert_eq!(places(&["/w"]).zone(Path::new("/etc/ssl/certs/a.pem")), Zone::Outside);
    }
}
