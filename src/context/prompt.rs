//! The system prompt, in layers; later layers take precedence. The same facts always give the same bytes.

use super::tag;
use std::path::PathBuf;

/// The first layer: the model's role and way of working.
const BASE: &str = include_str!("prompts/base.md");

/// The second layer: instructions for the tools of a profile, by its name.
const PROFILES: [(&str, &str); 4] = [
    ("pi", include_str!("prompts/pi.md")),
    ("anthropic", include_str!("prompts/anthropic.md")),
    ("openai", include_str!("prompts/openai.md")),
    ("gemini", include_str!("prompts/gemini.md")),
];

/// The separator between two parts.
pub const BETWEEN: &str = "\n\n";

/// Instructions for delegating work to sub-agents.
const AGENTS: &str = include_str!("prompts/agents.md");

/// The additional section of a sub-agent's prompt.
const SUBAGENT: &str = include_str!("prompts/subagent.md");

/// The facts of the environment layer.
#[derive(Debug, Clone)]
pub struct EnvironmentFacts<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// The directories of the work beside it.
    pub additional: &'a [PathBuf],
    /// The operating system.
    pub os: &'a str,
    /// The version of the operating system, if known.
    pub os_version: Option<&'a str>,
    /// The shell that runs commands.
    pub shell: &'a str,
    /// The model, as `provider/id`.
    pub model: &'a str,
    /// The month of the model's knowledge cutoff, if known.
    pub cutoff: Option<&'a str>,
    /// The profile of its tools, by name.
    pub profile: &'a str,
    /// The session can start sub-agents.
    pub has_agents: bool,
    /// The session works for another session.
    pub is_subagent: bool,
    /// The folder of the git repository, if there is one.
    pub repository: Option<&'a str>,
    /// The branch of the repository.
    pub branch: Option<&'a str>,
    /// The current time, in milliseconds since 1970.
    pub now_ms: u64,
}

/// The layers that come from files and from people.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The user's text in the place of the engine's own instructions for role and tools.
    pub base: Option<String>,
    /// The repository at the session's start.
    pub git: Option<String>,
    /// Documents for agents.
    pub documents: Option<String>,
    /// Rules that always apply, and an index of the others.
    pub rules: Option<String>,
    /// The index of skills.
    pub skills: Option<String>,
    /// The index of named agents.
    pub agents: Option<String>,
    /// The instructions of the named agent that the session runs.
    pub role: Option<String>,
    /// The instructions of the user's settings, then those of the session.
    pub instructions: Vec<String>,
}

/// A part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// Its text, without a line end.
    pub text: String,
}

/// Returns the sections of the system prompt, in order, with unique names.
pub fn sections(facts: &EnvironmentFacts<'_>, layers: &Layers) -> Vec<Section> {
    let profile = PROFILES.iter().find(|(name, _)| *name == facts.profile);
    let role = layers.role.as_deref().map(|text| tag("instructions", &[], text));
    let instructions =
        layers.instructions.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let instructions: Vec<String> =
        instructions.map(|text| tag("user_instructions", &[], text)).collect();
    let instructions = (!instructions.is_empty()).then(|| instructions.join(BETWEEN));
    let environment = environment(facts);
    let sections = [
        ("preamble", Some(layers.base.as_deref().unwrap_or(BASE))),
        ("environment", Some(environment.as_str())),
        ("git", layers.git.as_deref()),
        ("tools", profile.filter(|_| layers.base.is_none()).map(|(_, text)| *text)),
        ("subagents", facts.has_agents.then_some(AGENTS)),
        ("subagent", facts.is_subagent.then_some(SUBAGENT)),
        ("documents", layers.documents.as_deref()),
        ("rules", layers.rules.as_deref()),
        ("skills", layers.skills.as_deref()),
        ("agents", layers.agents.as_deref().filter(|_| facts.has_agents)),
        ("instructions", role.as_deref()),
        ("user_instructions", instructions.as_deref()),
    ];
    let sections = sections.into_iter().filter_map(|(name, text)| Some((name, text?.trim_end())));
    sections.map(|(name, text)| Section { name, text: text.to_owned() }).collect()
}

/// The system prompt.
pub fn system(sections: &[Section]) -> String {
    let texts: Vec<&str> = sections.iter().map(|section| section.text.as_str()).collect();
    texts.join(BETWEEN) + "\n"
}

fn environment(facts: &EnvironmentFacts<'_>) -> String {
    let date = i64::try_from(facts.now_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map(|time| time.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    let repository = match (facts.repository, facts.branch) {
        (None, _) => "no".to_owned(),
        (Some(folder), None) => folder.to_owned(),
        (Some(folder), Some(branch)) => format!("{folder}, branch {branch}"),
    };
    let cutoff = facts.cutoff.map(|month| format!("\nknowledge up to: {month}"));
    let version = facts.os_version.map(|version| format!(" ({version})")).unwrap_or_default();
    let mut folders = vec![facts.cwd.to_owned()];
    folders.extend(
        facts.additional.iter().map(|folder| format!("additional directory: {}", folder.display())),
    );
    let folders = folders.join("\n");
    let body = format!(
        "working directory: {folders}\ngit repository: {repository}\nplatform: {}{version}\nshell: {}\ndate: {date}\nmodel: {}{}",
        facts.os,
        facts.shell,
        facts.model,
        cutoff.unwrap_or_default(),
    );
    tag("environment", &[], &body)
}

/// Returns the name and version in an `os-release` file.
pub fn os_version(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let value = value.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| super::in_a_line(value, 80))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn facts(profile: &str, is_subagent: bool) -> EnvironmentFacts<'_> {
        EnvironmentFacts {
            cwd: "/w/a",
            additional: &[],
            os: "linux",
            os_version: Some("Debian 12"),
            shell: "/bin/sh",
            model: "x/y",
            cutoff: Some("2026-01"),
            profile,
            has_agents: !is_subagent,
            is_subagent,
            repository: Some("/w"),
            branch: Some("main"),
            now_ms: 1_700_000_000_000,
        }
    }

    #[test]
    fn each_profile_is_told_of_its_own_tools_and_nothing_changes_by_itself() {
        let none = Layers::default();
        for (profile, names, other) in [
            ("pi", ["`edit`", "`write`"], "apply_patch"),
            ("anthropic", ["`edit_file`", "`spawn_agent`"], "apply_patch"),
            ("openai", ["`apply_patch`", "`spawn_agent`"], "edit_file"),
            ("gemini", ["`edit_file`", "`read_many_files`"], "apply_patch"),
        ] {
            let text = system(&sections(&facts(profile, false), &none));
            assert!(names.iter().all(|name| text.contains(name)), "{profile}: {text}");
            assert!(!text.contains(other), "{profile}");
            assert_eq!(text, system(&sections(&facts(profile, false), &none)), "{profile}");
            let text = system(&sections(&facts(profile, true), &none));
            assert!(text.contains("work for another agent"), "{profile}");
            assert!(!text.contains("spawn_agent"), "{profile}");
        }
    }

    #[test]
    fn a_text_of_the_users_takes_the_place_of_role_and_tools() {
        let base = Some("You are a poet.".to_owned());
        let found = sections(&facts("pi", true), &Layers { base, ..Layers::default() });
        let names: Vec<&str> = found.iter().map(|section| section.name).collect();
        assert_eq!(names, ["preamble", "environment", "subagent"]);
        assert_eq!(found[0].text, "You are a poet.");
    }

    #[test]
    fn layers_come_in_their_order() {
        let some = |text: &str| Some(text.to_owned());
        let layers = Layers {
            base: None,
            git: some("GIT"),
            documents: some("DOCUMENTS"),
            rules: some("RULES"),
            skills: some("SKILLS"),
            agents: some("AGENTS"),
            role: some("ROLE"),
            instructions: vec!["OWN".to_owned(), " ".to_owned(), "THIS SESSION".to_owned()],
        };
        let text = system(&sections(&facts("pi", false), &layers));
        let (_, behind) = text.split_once("<environment>").unwrap();
        let lines: Vec<&str> = behind.lines().filter(|line| !line.starts_with("- ")).collect();
        expect![[r"

            working directory: /w/a
            git repository: /w, branch main
            platform: linux (Debian 12)
            shell: /bin/sh
            date: 2023-11-14
            model: x/y
            knowledge up to: 2026-01
            </environment>

            GIT

            Changing files:

            Sub-agents:

            DOCUMENTS

            RULES

            SKILLS

            AGENTS

            <instructions>
            ROLE
            </instructions>

            <user_instructions>
            OWN
            </user_instructions>

            <user_instructions>
            THIS SESSION
            </user_instructions>"]]
        .assert_eq(&lines.join("\n"));
        let text = system(&sections(&facts("pi", true), &layers));
        assert!(!text.contains("AGENTS\n"), "who makes no sub-agents is not told of any");
    }

    #[test]
    fn the_system_is_named_where_it_names_itself() {
        for (text, want) in [
            ("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n", Some("Debian GNU/Linux 12")),
            ("PRETTY_NAME='A'\n", Some("A")),
            ("PRETTY_NAME=\n", None),
            ("NAME=x\n", None),
        ] {
            assert_eq!(os_version(text).as_deref(), want, "{text}");
        }
    }
}
