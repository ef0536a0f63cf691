//! Rules of a project: Markdown files, each with the condition under which the model reads it. Pure.
//!
//! Invariant: a rule applies in exactly one way: always, when one of its paths is touched, or when the model asks for it.

use super::conversation::from_engine;
use super::documents::cut;
use super::{front_matter, in_a_line, tag};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use pintle_os::names;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The directories for rules, in a project's directory; if several define a name, the first one counts.
pub const FOLDERS: [&str; 2] = [".pintle/rules", ".autocoderrules"];

/// The maximum size of one rule.
const MAX_BYTES: usize = 16 * 1024;

/// The maximum size of all rules in the prompt.
const MAX_ALL_BYTES: usize = 32 * 1024;

/// The maximum length of a description in the index.
const DESCRIPTION_CHARS: usize = 300;

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name: that of its file.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its subject.
    pub description: String,
    /// The condition under which the model reads it.
    pub when: When,
    /// Its text.
    pub text: String,
}

/// The condition under which the model reads a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Always in the prompt.
    Always,
    /// A tool call touches one of these paths.
    Touched(Vec<String>),
    /// The model reads the file itself; the prompt has only its name.
    OnRequest,
}

/// A rule that applies once one of its paths is touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRule {
    /// Its file.
    pub path: PathBuf,
    /// The paths that it is about.
    pub globs: Vec<String>,
}

/// Reads a rule's file.
///
/// # Errors
/// Its front matter or one of its globs is invalid.
pub fn parse(path: &Path, text: &str) -> Result<Rule, String> {
    let (head, body) = front_matter::parse(text)?;
    let globs = head.list("globs").unwrap_or_default();
    matcher(&globs)?;
    let when = match (head.flag("alwaysApply"), globs.is_empty()) {
        (Some(true), _) => When::Always,
        (_, false) => When::Touched(globs),
        (_, true) => When::OnRequest,
    };
    Ok(Rule {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        path: path.to_owned(),
        description: head.text("description").unwrap_or_default().to_owned(),
        when,
        text: body.trim().to_owned(),
    })
}

/// Returns the rules for the prompt.
pub fn layer(rules: &[Rule]) -> Option<String> {
    let (mut parts, mut remaining) = (Vec::new(), MAX_ALL_BYTES);
    for rule in rules.iter().filter(|rule| rule.when == When::Always && !rule.text.is_empty()) {
        let max_bytes = remaining.min(MAX_BYTES);
        remaining = remaining.saturating_sub(rule.text.len().min(max_bytes));
        parts.push(part(&rule.path, &rule.text, max_bytes));
    }
    let on_request: Vec<String> = rules
        .iter()
        .filter(|rule| rule.when == When::OnRequest)
        .map(|rule| {
            let description = in_a_line(&rule.description, DESCRIPTION_CHARS);
            let colon = if description.is_empty() { "" } else { ": " };
            format!("- {} ({}){colon}{description}", rule.name, names::shown(&rule.path))
        })
        .collect();
    if !on_request.is_empty() {
        parts.push(format!(
            "Read one of these files before you work on its subject:\n{}",
            on_request.join("\n")
        ));
    }
    (!parts.is_empty())
        .then(|| tag("rules", &[], &format!("Rules of this project.\n{}", parts.join("\n"))))
}

/// Returns the message about rules that start to apply: each with its file and its text.
pub fn message(rules: &[(PathBuf, String)]) -> String {
    let parts: Vec<String> = rules
        .iter()
        .map(|(path, text)| {
            let body = front_matter::parse(text).map_or(text.as_str(), |(_, body)| body);
            part(path, body.trim(), MAX_BYTES)
        })
        .collect();
    from_engine(format_args!(
        "the project has rules for files that you have just touched. Follow them, also for changes you have already made.\n{}",
        parts.join("\n")
    ))
}

fn part(path: &Path, text: &str, max_bytes: usize) -> String {
    let path = names::shown(path);
    tag("rule", &[("path", &path)], &cut(text, max_bytes, &path))
}

impl PathRule {
    /// Returns true if the rule is about a path, relative to the project's root.
    pub fn is_about(&self, path: &Path) -> bool {
        matcher(&self.globs).is_ok_and(|globs| globs.is_match(path))
    }
}

/// Compiles globs. A glob without a slash matches names in any directory; one with a slash matches paths from the root.
fn matcher(globs: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let pattern = match glob.trim_start_matches("./").strip_prefix('/') {
            Some(from_root) => from_root.to_owned(),
            None if glob.trim_end_matches('/').contains('/') => {
                glob.trim_start_matches("./").to_owned()
            }
            None => format!("**/{glob}"),
        };
        let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern };
        let built = GlobBuilder::new(&pattern).literal_separator(true).build();
        set.add(built.map_err(|error| format!("the glob `{glob}`: {}", error.kind()))?);
    }
    set.build().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_when_it_is_told() {
        let touched = |globs: &[&str]| When::Touched(globs.iter().map(|&g| g.to_owned()).collect());
        for (name, text, want) in [
            ("without a head", "Be kind.", Ok(When::OnRequest)),
            ("always", "---\nalwaysApply: true\n---\nBe kind.", Ok(When::Always)),
            (
                "always, whatever the globs",
                "---\nalwaysApply: true\nglobs: '*.rs'\n---\n",
                Ok(When::Always),
            ),
            (
                "by paths",
                "---\nglobs: *.rs, src/**\nalwaysApply: false\n---\n",
                Ok(touched(&["*.rs", "src/**"])),
            ),
            ("by description", "---\ndescription: d\n---\n", Ok(When::OnRequest)),
            (
                "a broken glob",
                "---\nglobs: 'a['\n---\n",
                Err("the glob `a[`: unclosed character class; missing ']'"),
            ),
        ] {
            let got = parse(Path::new("/w/r/kind.md"), text);
            let got = got.map(|rule| rule.when);
            assert_eq!(
                got.as_ref().map_err(String::as_str),
                want.as_ref().map_err(|e| *e),
                "{name}"
            );
        }
    }

    #[test]
    fn globs_are_about_paths_from_the_root() {
        for (glob, path, want) in [
            ("**/*.py", "main.py", true),
            ("**/*.py", "a/b/main.py", true),
            ("*.py", "a/main.py", true),
            ("*.py", "main.pyc", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("./src/**", "src/a/b.rs", true),
            ("/src/*.rs", "src/a.rs", true),
            ("/*.rs", "src/a.rs", false),
            ("docs/", "docs/a/b.md", true),
            ("*.{js,ts}", "x/a.ts", true),
            ("Makefile", "sub/Makefile", true),
        ] {
            let rule = PathRule { path: PathBuf::new(), globs: vec![glob.to_owned()] };
            assert_eq!(rule.is_about(Path::new(path)), want, "{glob} {path}");
        }
    }

    #[test]
    fn the_prompt_has_what_always_holds_and_names_the_rest() {
        let rule = |name: &str, head: &str, body: &str| {
            let text = format!("---\n{head}\n---\n{body}\n");
            parse(&Path::new("/w/.pintle/rules").join(name), &text).unwrap()
        };
        let rules = [
            rule("all.md", "alwaysApply: true", "Be kind."),
            rule("rs.md", "globs: '*.rs'", "No unwrap."),
            rule("db.md", "description: When the\n  schema changes", "Migrate."),
        ];
        expect_test::expect![[r#"
            <rules>
            Rules of this project.
            <rule path="/w/.pintle/rules/all.md">
            Be kind.
            </rule>
            Read one of these files before you work on its subject:
            - db (/w/.pintle/rules/db.md): When the schema changes
            </rules>"#]]
        .assert_eq(&layer(&rules).unwrap());
        assert_eq!(layer(&rules[1..2]), None);
        let message = message(&[(
            PathBuf::from("/w/rs.md"),
            "---\nglobs: '*.rs'\n---\nNo unwrap.".to_owned(),
        )]);
        assert!(message.ends_with("<rule path=\"/w/rs.md\">\nNo unwrap.\n</rule>"), "{message}");
    }
}
