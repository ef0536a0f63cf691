//! Rules and places that decisions depend on, gathered once per turn.

use super::policy::PermissionPolicy;
use super::sandbox_settings::confinement;
use super::site::Site;
use crate::project::{Personal, ProjectFiles};
use crate::turn::action::{resolve, resolve_all};
use crate::workspace;
use pintle_exec::sandbox::Confinement;
use pintle_os::names;
use pintle_protocol::approval::PermissionMode;
use pintle_tools::permissions::rules::{self, OfProject};
use pintle_tools::permissions::{Compiled, Decision, IGNORES_CASE, Origin, Places, Rule, Sandbox};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rules and places, once the workspace's directories are resolved.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) places: Arc<Places>,
    pub(super) rules: Vec<Compiled>,
    pub(super) is_trusted: bool,
    pub(super) sandbox: Sandbox,
    /// The confinement of sandboxed commands, without hosts.
    pub(super) confinement: Arc<Confinement>,
    /// Warnings about rules, for the user.
    pub(super) problems: Vec<String>,
}

impl Gathered {
    /// Resolves the places, and reads and compiles the rules.
    pub(super) async fn load(
        policy: &PermissionPolicy,
        mode: PermissionMode,
        site: Site<'_>,
    ) -> Self {
        let places = places(policy, mode, site).await;
        let home = places.home.as_deref();
        let workspace = places.roots.first().cloned().unwrap_or_default();
        let (is_trusted, answers) = policy.answers.about(&workspace).await;
        let own = policy.rules.iter().map(|rule| (Origin::User, rule.clone()));
        let of_policy = policy.policy_rules.iter().map(|rule| (Origin::Policy, rule.clone()));
        let mut compiler = Compiler::default();
        for (path, rules) in project_rules(policy, site, home).await {
            compiler.add_project_file(&names::shown(&path), rules);
        }
        let of_project = std::mem::take(&mut compiler.rules);
        for (origin, rule) in own.chain(of_policy).chain(answers) {
            compiler.add(origin, &rule, &places);
        }
        let Compiler { mut rules, problems } = compiler;
        rules.extend(of_project);
        let sandbox = policy.sandbox_in(site.env).await;
        let places = Arc::new(places);
        let confinement = Arc::new(confinement(&places, &rules, sandbox, mode));
        Self { places, rules, is_trusted, sandbox, confinement, problems }
    }
}

/// Resolves the workspace's directories and the engine's files.
async fn places(policy: &PermissionPolicy, mode: PermissionMode, site: Site<'_>) -> Places {
    let env = site.env;
    let roots = workspace::roots(env, site.cwd, site.additional).await;
    let isolated = match policy.isolated.as_deref().filter(|_| env.is_this_machine()) {
        Some(isolated) => env.canonicalize(isolated).await.ok(),
        None => None,
    };
    // On another machine these directories are not the engine's.
    let (private, readable) = if env.is_this_machine() {
        (policy.private.as_slice(), policy.readable.as_slice())
    } else {
        (&[][..], &[][..])
    };
    let named = site.home.into_iter().chain(site.artifacts).map(Path::to_owned);
    let named: Vec<PathBuf> = named.chain(private.iter().chain(readable).cloned()).collect();
    let mut resolved = resolve_all(env, &named).await.into_iter();
    let home = site.home.and_then(|_| resolved.next());
    let artifacts = site.artifacts.and_then(|_| resolved.next());
    let copies = roots.iter().filter(|root| is_copy(root, isolated.as_deref())).cloned().collect();
    Places {
        roots,
        copies,
        home,
        private: resolved.by_ref().take(private.len()).collect(),
        readable: artifacts.into_iter().chain(resolved).collect(),
        opens_variables: mode == PermissionMode::Full,
        ignores_case: IGNORES_CASE,
    }
}

/// Returns true for a directory of the workspace in a session's own directory below `isolated`.
fn is_copy(root: &Path, isolated: Option<&Path>) -> bool {
    let below = isolated.and_then(|isolated| root.strip_prefix(isolated).ok());
    below.is_some_and(|below| below.components().count() > 1)
}

/// Compiled rules, and the problems with the others.
///
/// Invariant: an invalid rule never allows more. Every call asks until a restricting rule is fixed.
#[derive(Default)]
struct Compiler {
    rules: Vec<Compiled>,
    problems: Vec<String>,
}

impl Compiler {
    /// Adds a project file's rules, or the reason why it is invalid.
    fn add_project_file(&mut self, path: &str, rules: Result<OfProject, String>) {
        match rules {
            Ok(OfProject { rules, ignored }) => {
                self.rules.extend(rules);
                self.problems.extend(ignored.iter().map(|part| format!("{path}: {part}")));
            }
            Err(reason) => self.ask_about_all(&format!("{path}: {reason}")),
        }
    }

    fn add(&mut self, origin: Origin, rule: &Rule, places: &Places) {
        match rule.compile(origin, &places.roots, places.home.as_deref()) {
            Ok(compiled) => self.rules.push(compiled),
            Err(error) if rule.decision == Decision::Allow => {
                tracing::warn!("ignored the rule {rule}: {error}");
            }
            Err(error) => self.ask_about_all(&format!("the rule `{rule}` is invalid: {error}")),
        }
    }

    fn ask_about_all(&mut self, problem: &str) {
        self.problems.push(format!("{problem}; until it is fixed, every call requires approval"));
        self.rules.extend(rules::asking_about_all());
    }
}

/// Returns the project rules by file, or the reason why a file is invalid.
async fn project_rules(
    policy: &PermissionPolicy,
    site: Site<'_>,
    home: Option<&Path>,
) -> Vec<(PathBuf, Result<OfProject, String>)> {
    let personal = Personal { answers: policy.answers.clone(), ..Personal::default() };
    let files = ProjectFiles::load(site.env, &personal, site.cwd).await;
    let mut found = Vec::new();
    for (folder, text) in files.permissions().await {
        let resolved = resolve(site.env, &folder).await;
        let rules = text.and_then(|text| rules::of_project(&text, &resolved, home));
        found.push((folder.join(rules::PROJECT_FILE), rules));
    }
    found
}
