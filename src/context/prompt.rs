//! The system prompt, in layers. Its bytes stay the same for a whole session, so that provider caches hit.

/// The first layer: who the model is here and how it should work.
const BASE: &str = include_str!("prompts/base.md");

/// The second: how to use the tools of a profile, by its name.
const PROFILES: [(&str, &str); 4] = [
    ("pi", include_str!("prompts/pi.md")),
    ("anthropic", include_str!("prompts/anthropic.md")),
    ("openai", include_str!("prompts/openai.md")),
    ("gemini", include_str!("prompts/gemini.md")),
];

/// When to give work away, where there are sub-agents.
const AGENTS: &str = include_str!("prompts/agents.md");

/// What a sub-agent is told besides.
const SUBAGENT: &str = include_str!("prompts/subagent.md");

/// The facts of the environment layer.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// The working directory.
    pub cwd: &'a str,
    /// The operating system.
    pub os: &'a str,
    /// The shell that runs commands.
    pub shell: &'a str,
    /// The model, as `provider/id`.
    pub model: &'a str,
    /// The profile of its tools, by name.
    pub profile: &'a str,
    /// It can make sub-agents.
    pub has_agents: bool,
    /// It works for another session.
    pub is_subagent: bool,
    /// Today, in milliseconds since 1970.
    pub now_ms: u64,
}

/// The system prompt.
pub fn system(around: &Surroundings<'_>) -> String {
    let date = i64::try_from(around.now_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map(|time| time.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    let environment = format!(
        "<environment>\nworking directory: {}\nplatform: {}\nshell: {}\ndate: {date}\nmodel: {}\n</environment>",
        around.cwd, around.os, around.shell, around.model,
    );
    let profile = PROFILES.iter().find(|(name, _)| *name == around.profile);
    let layers = [
        Some(BASE),
        profile.map(|(_, text)| *text),
        around.has_agents.then_some(AGENTS),
        around.is_subagent.then_some(SUBAGENT),
        Some(environment.as_str()),
    ];
    let layers: Vec<&str> = layers.into_iter().flatten().map(str::trim_end).collect();
    layers.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn each_profile_is_told_of_its_own_tools_and_nothing_changes_by_itself() {
        let around = |profile, is_subagent: bool| Surroundings {
            cwd: "/w",
            os: "linux",
            shell: "/bin/sh",
            model: "x/y",
            profile,
            has_agents: !is_subagent,
            is_subagent,
            now_ms: 1_700_000_000_000,
        };
        for (profile, names, other) in [
            ("pi", ["`edit`", "`write`"], "apply_patch"),
            ("anthropic", ["`edit_file`", "`spawn_agent`"], "apply_patch"),
            ("openai", ["`apply_patch`", "`spawn_agent`"], "edit_file"),
            ("gemini", ["`edit_file`", "`read_many_files`"], "apply_patch"),
        ] {
            let text = system(&around(profile, false));
            assert!(names.iter().all(|name| text.contains(name)), "{profile}: {text}");
            assert!(!text.contains(other), "{profile}");
            assert_eq!(text, system(&around(profile, false)), "{profile}");
            let text = system(&around(profile, true));
            assert!(text.contains("work for another agent"), "{profile}");
            assert!(!text.contains("spawn_agent"), "{profile}");
        }
        let text = system(&around("pi", false));
        let (_, environment) = text.split_once("<environment>").unwrap();
        expect![[r"

            working directory: /w
            platform: linux
            shell: /bin/sh
            date: 2023-11-14
            model: x/y
            </environment>
        "]]
        .assert_eq(environment);
    }
}
