//! The system prompt, in layers; later layers take precedence. The same facts always give the same bytes.

use super::rights::Rights;
use super::tag;
use pintle_base::text::gaps;
use pintle_os::names;
use std::fmt;
use std::path::PathBuf;

/// The engine's instructions in parts, in order: texts with gaps. The part `style` depends on the model family.
const PARTS: [(&str, &str); 7] = [
    ("preamble", include_str!("prompts/role.md")),
    ("work", include_str!("prompts/work.md")),
    ("tools", include_str!("prompts/editing.md")),
    ("style", ""),
    ("subagents", include_str!("prompts/agents.md")),
    ("permissions", include_str!("prompts/permissions.md")),
    ("answers", include_str!("prompts/answers.md")),
];

/// The parts that a text of the user's does not replace.
const FACTS: [&str; 1] = ["permissions"];

/// The part `style`, by the profile's name; every other profile has that of open models.
const STYLES: [(&str, &str); 3] = [
    ("anthropic", include_str!("prompts/families/anthropic.md")),
    ("openai", include_str!("prompts/families/openai.md")),
    ("gemini", include_str!("prompts/families/gemini.md")),
];
const OPEN_STYLE: &str = include_str!("prompts/families/open.md");

/// The separator between two parts.
pub const BETWEEN: &str = "\n\n";

/// Facts for the environment layer.
#[derive(Clone, Copy)]
pub struct EnvironmentFacts<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// The additional directories.
    pub additional: &'a [PathBuf],
    /// The operating system.
    pub os: &'a str,
    /// The operating system's version, if known.
    pub os_version: Option<&'a str>,
    /// The shell that runs commands.
    pub shell: &'a str,
    /// The model, as `provider/id`.
    pub model: &'a str,
    /// The model's knowledge cutoff (a month), if known.
    pub cutoff: Option<&'a str>,
    /// The tool profile's name.
    pub profile: &'a str,
    /// Returns the session's tool for a purpose, both by name; `None` if there is none.
    pub tool: &'a dyn Fn(&str) -> Option<String>,
    /// The session's rights.
    pub rights: Rights,
    /// The session works for another session.
    pub is_subagent: bool,
    /// The git repository's directory, if there is one.
    pub repository: Option<&'a str>,
    /// The repository's branch.
    pub branch: Option<&'a str>,
    /// The current time, in milliseconds since 1970.
    pub now_ms: u64,
}

/// Layers from files and from users.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The user's replacement for the engine's instructions on role and tools.
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
    /// Instructions of the named agent that the session runs.
    pub role: Option<String>,
    /// Instructions from the user's settings, then those of the session.
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

impl fmt::Debug for EnvironmentFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvironmentFacts").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

impl EnvironmentFacts<'_> {
    fn has_agents(&self) -> bool {
        ["spawn_agent", "run_agent"].iter().any(|purpose| (self.tool)(purpose).is_some())
    }

    /// Returns the text for a gap in the engine's instructions.
    fn gap(&self, name: &str) -> Option<String> {
        let is_attended = self.rights.is_attended && !self.is_subagent;
        let flag = |is_set: bool| is_set.then(String::new);
        match name {
            "subagent" => flag(self.is_subagent),
            "attended" => flag(is_attended),
            "unattended" => flag(!is_attended && !self.is_subagent),
            "permissions" => Some(self.rights.describe()),
            purpose => (self.tool)(purpose),
        }
    }

    /// Returns a part of the engine's instructions; `None` if all of it is about features that the session lacks.
    fn part(&self, name: &str, text: &str) -> Option<String> {
        if name == "subagents" && !self.has_agents() {
            return None;
        }
        let style = STYLES.iter().find(|(profile, _)| *profile == self.profile);
        let text = if name == "style" { style.map_or(OPEN_STYLE, |(_, text)| text) } else { text };
        Some(gaps::fill(text, |gap| self.gap(gap)))
    }
}

/// Returns the system prompt's sections, in order, with unique names.
pub fn sections(facts: &EnvironmentFacts<'_>, layers: &Layers) -> Vec<Section> {
    let role = layers.role.as_deref().map(|text| tag("instructions", &[], text));
    let instructions =
        layers.instructions.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let instructions: Vec<String> =
        instructions.map(|text| tag("user_instructions", &[], text)).collect();
    let instructions = (!instructions.is_empty()).then(|| instructions.join(BETWEEN));
    let own = PARTS.iter().filter_map(|(name, text)| match &layers.base {
        Some(base) if *name == "preamble" => Some((*name, Some(base.clone()))),
        Some(_) if !FACTS.contains(name) => None,
        Some(_) | None => Some((*name, facts.part(name, text))),
    });
    let agents = layers.agents.clone().filter(|_| facts.has_agents());
    let rest = [
        ("environment", Some(environment(facts))),
        ("git", layers.git.clone()),
        ("documents", layers.documents.clone()),
        ("rules", layers.rules.clone()),
        ("skills", layers.skills.clone()),
        ("agents", agents),
        ("instructions", role),
        ("user_instructions", instructions),
    ];
    let sections = own.chain(rest).filter_map(|(name, text)| Some((name, text?)));
    let sections = sections.map(|(name, text)| (name, text.trim_end().to_owned()));
    let sections = sections.filter(|(_, text)| !text.is_empty());
    sections.map(|(name, text)| Section { name, text }).collect()
}

/// Returns the system prompt.
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
        facts
            .additional
            .iter()
            .map(|folder| format!("additional directory: {}", names::shown(folder))),
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
    use crate::context::rights::Confined;
    use expect_test::expect;
    use pintle_protocol::approval::PermissionMode;

    fn names(profile: &str) -> &'static [(&'static str, &'static str)] {
        match profile {
            "openai" => &[
                ("shell", "exec_command"),
                ("patch", "apply_patch"),
                ("spawn_agent", "spawn_agent"),
                ("wait_agents", "wait_agent"),
            ],
            _ => &[
                ("shell", "Bash"),
                ("edit", "Edit"),
                ("write", "Write"),
                ("run_agent", "Agent"),
                ("ask", "Ask"),
            ],
        }
    }

    fn with_facts<T>(
        profile: &str,
        (is_subagent, is_attended): (bool, bool),
        with: impl FnOnce(&EnvironmentFacts<'_>) -> T,
    ) -> T {
        let tool = |purpose: &str| {
            let is_missing = is_subagent
                && matches!(purpose, "ask" | "spawn_agent" | "wait_agents" | "run_agent");
            let found = names(profile).iter().find(|(known, _)| *known == purpose && !is_missing);
            found.map(|(_, name)| (*name).to_owned())
        };
        with(&EnvironmentFacts {
            cwd: "/w/a",
            additional: &[],
            os: "linux",
            os_version: Some("Debian 12"),
            shell: "/bin/sh",
            model: "x/y",
            cutoff: Some("2026-01"),
            profile,
            tool: &tool,
            rights: Rights { mode: PermissionMode::Ask, confined: Confined::Unasked, is_attended },
            is_subagent,
            repository: Some("/w"),
            branch: Some("main"),
            now_ms: 1_700_000_000_000,
        })
    }

    #[test]
    fn each_profile_is_told_of_its_own_tools_and_nothing_changes_by_itself() {
        let none = Layers::default();
        for (profile, named, other) in [
            ("pi", ["`Edit`", "`Write`"], "apply_patch"),
            ("anthropic", ["`Edit`", "`Agent`"], "apply_patch"),
            ("openai", ["`apply_patch`", "`spawn_agent`"], "`Edit`"),
        ] {
            let text = |kind| with_facts(profile, kind, |facts| system(&sections(facts, &none)));
            let attended = text((false, true));
            assert!(named.iter().all(|name| attended.contains(name)), "{profile}: {attended}");
            assert!(!attended.contains(other), "{profile}");
            assert_eq!(attended, text((false, true)), "{profile}");
            assert!(attended.contains("The user follows your work"), "{profile}");
            let unattended = text((false, false));
            assert!(unattended.contains("This run is unattended"), "{profile}");
            assert!(!unattended.contains("The user follows"), "{profile}");
            assert!(!unattended.contains("`Ask`"), "{profile}");
            let subagent = text((true, true));
            assert!(subagent.contains("Another agent gave you this task"), "{profile}");
            assert!(!subagent.contains("spawn_agent"), "{profile}");
            assert!(!subagent.contains("The user follows"), "{profile}");
            for text in [attended, unattended, subagent] {
                assert_eq!(gaps::gaps(&text), Vec::<&str>::new(), "{profile}");
                assert!(!text.contains("[[") && !text.contains("\n\n\n"), "{profile}: {text}");
            }
        }
    }

    #[test]
    fn a_text_of_the_users_takes_the_place_of_all_but_facts() {
        let base = Some("You are a poet.".to_owned());
        let layers = Layers { base, ..Layers::default() };
        let found = with_facts("pi", (true, true), |facts| sections(facts, &layers));
        let names: Vec<&str> = found.iter().map(|section| section.name).collect();
        assert_eq!(names, ["preamble", "permissions", "environment"]);
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
        let text = with_facts("pi", (false, true), |facts| system(&sections(facts, &layers)));
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
        let text = with_facts("pi", (true, true), |facts| system(&sections(facts, &layers)));
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
