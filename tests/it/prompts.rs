//! The input of a model before the first word of a person, as `pintle prompt show` prints it: for every profile, with every option.

use crate::support::program::Place;
use pintle_tools::{PROFILES, Profile};
use serde_json::Value;
use std::collections::BTreeSet;

/// The parts of the engine's own instructions.
const OWN: [&str; 7] =
    ["preamble", "work", "tools", "style", "subagents", "permissions", "answers"];

/// A prompt as it was shown.
struct Shown {
    /// The names and texts of the parts.
    parts: Vec<(String, String)>,
    tokens: u64,
    tools: Vec<(String, String)>,
}

fn show(place: &Place, args: &[&str]) -> Shown {
    let args = [&["prompt", "show", "--json", "--model", "any/model"], args].concat();
    let out = place.command(&args).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    let shown: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{said}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let parts = shown["system"].as_array().unwrap();
    let own = parts.iter().filter(|part| OWN.contains(&part["name"].as_str().unwrap()));
    Shown {
        tokens: own.map(|part| part["tokens"].as_u64().unwrap()).sum(),
        parts: parts.iter().map(|part| (text(&part["name"]), text(&part["text"]))).collect(),
        tools: shown["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| (text(&tool["name"]), text(&tool["description"])))
            .collect(),
    }
}

/// The names in backticks of a text that are those of some family's tool.
fn tools_named_in<'a>(text: &'a str, names: &BTreeSet<String>) -> BTreeSet<&'a str> {
    text.split('`').skip(1).step_by(2).filter(|name| names.contains(*name)).collect()
}

fn names_of_all(profile: Profile) -> Vec<String> {
    profile.all().iter().map(|tool| tool.name().to_owned()).collect()
}

#[test]
fn no_prompt_names_what_its_session_lacks() {
    let agent = "---\ndescription: Reads with care\n---\nBe strict.\n";
    let place = Place::new(&[("AGENTS.md", "Use tabs.\n"), (".pintle/agents/critic.md", agent)]);
    let names: BTreeSet<String> =
        PROFILES.iter().flat_map(|(_, profile)| names_of_all(*profile)).collect();
    let read_only: &[&str] = &["--permission", "read-only"];
    let policy = place.folder().join("policy.toml");
    std::fs::write(&policy, "tools = [\"read\", \"grep\"]\n").unwrap();
    let policy = policy.to_str().unwrap();
    let options: [&[&str]; 6] = [
        &[],
        &["--unattended"],
        read_only,
        &["--permission", "full", "--sandbox", "off", "--unattended"],
        &["--web-fetch"],
        &["--policy", policy],
    ];
    for (name, _) in PROFILES {
        for option in options {
            let shown = show(&place, &[&["--profile", name], option].concat());
            let has: BTreeSet<&str> = shown.tools.iter().map(|(name, _)| name.as_str()).collect();
            let descriptions = shown.tools.iter().map(|(_, text)| text);
            for text in shown.parts.iter().map(|(_, text)| text).chain(descriptions) {
                // A tool that does several things names them in backticks.
                let actions = ["read", "write", "list", "wait"];
                for tool in tools_named_in(text, &names) {
                    let is_there = has.contains(tool) || actions.contains(&tool);
                    assert!(is_there, "{name} {option:?} names {tool}: {text}");
                }
                assert!(!text.contains("[[") && !text.contains("]]"), "{name} {option:?}: {text}");
            }
            let is_whole = option.first() != Some(&"--policy");
            let wanted = if is_whole { 800..=2_500 } else { 600..=2_500 };
            assert!(wanted.contains(&shown.tokens), "{name} {option:?}: {} tokens", shown.tokens);
            let part = |part: &str| {
                let found = shown.parts.iter().find(|(name, _)| name == part);
                found.map(|(_, text)| text.as_str()).unwrap_or_default()
            };
            let is_unattended = option.contains(&"--unattended");
            assert_eq!(
                part("preamble").contains("This run is unattended"),
                is_unattended,
                "{name}"
            );
            assert_eq!(part("permissions").contains("read-only"), option == read_only, "{name}");
            assert!(part("environment").contains("any/model"), "{name}");
            let fetches =
                shown.tools.iter().any(|(_, text)| text.starts_with("Fetches a web page"));
            assert_eq!(fetches, option.contains(&"--web-fetch"), "{name} {option:?}");
        }
    }
}

#[test]
fn a_part_a_tool_and_the_sizes_are_printed() {
    let place = Place::new(&[]);
    let said = |args: &[&str]| {
        let args = [&["prompt", "show", "--model", "any/model"], args].concat();
        let out = place.command(&args).output().unwrap();
        let (out, err) = (String::from_utf8(out.stdout), String::from_utf8(out.stderr));
        (out.unwrap(), err.unwrap())
    };
    let (all, _) = said(&[]);
    assert!(all.contains("You are a coding agent.") && all.contains("  tool bash\n"), "{all}");
    let (part, _) = said(&["--part", "permissions"]);
    assert!(part.starts_with("# Permissions\n") && !part.contains("# Answers"), "{part}");
    let (tool, _) = said(&["--profile", "kimi", "--part", "Read"]);
    assert!(tool.starts_with("Read\n") && tool.contains("\"line_offset\""), "{tool}");
    let (_, wrong) = said(&["--part", "poem"]);
    assert!(wrong.contains("unknown part `poem`") && wrong.contains("preamble"), "{wrong}");
    // Nothing of it is kept.
    let out = place.command(&["sessions", "list"]).output().unwrap();
    let listed = String::from_utf8(out.stdout).unwrap();
    assert_eq!(listed, "");
}
