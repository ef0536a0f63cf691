//! The shell blocks of the README and of the scripting guide are run as they stand there, and do what the text says.

use crate::support::program::Place;
use std::path::PathBuf;
use std::process::Command;

const README: &str = include_str!("../../README.md");
const SCRIPTING: &str = include_str!("../../src/cli/help/scripting.md");
const HOOKS: &str = include_str!("../../src/cli/help/hooks.md");

/// The blocks of a page that are in this language, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// Runs a block in a shell that finds this build as `pintle`.
fn run(place: &Place, block: &str) -> (i32, String) {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_pintle"));
    let path = std::env::var("PATH").unwrap_or_default();
    let out = Command::new("sh")
        .args(["-c", block])
        .current_dir(place.project())
        .env_remove("ANTHROPIC_API_KEY")
        .env("PATH", format!("{}:{path}", binary.parent().unwrap().display()))
        .env("PINTLE_HOME", place.home())
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].concat();
    (out.status.code().unwrap(), String::from_utf8(said).unwrap())
}

#[test]
fn the_two_commands_are_there() {
    let first = blocks(README, "sh").remove(0);
    let commands: Vec<&str> =
        first.lines().map(|line| line.split('#').next().unwrap().trim()).collect();
    assert_eq!(commands, ["cargo run -- demo", "tests/all.sh"]);
    // `cargo run -- demo` is this program with this argument.
    let place = Place::new(&[]);
    let (code, said) = run(&place, "pintle demo");
    assert_eq!((code, said), (0, include_str!("../golden/demo.txt").to_owned()));
}

#[test]
fn a_session_by_hand_is_answered() {
    let place = Place::new(&[]);
    let (code, said) = run(&place, blocks(SCRIPTING, "sh").last().unwrap());
    assert_eq!(code, 0, "{said}");
    let lines: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answers: Vec<&serde_json::Value> =
        lines.iter().filter(|line| line.get("result").is_some()).map(|line| &line["id"]).collect();
    assert_eq!(answers, [1, 2, 3]);
    assert!(said.contains(r#""disposition":"started""#), "{said}");
    assert!(said.contains("Hello from a script."), "{said}");
    let kinds: Vec<&str> =
        lines.iter().filter_map(|line| line["params"]["event"]["type"].as_str()).collect();
    assert!(kinds.contains(&"turn.completed"), "{kinds:?}");
}

#[test]
fn a_real_model_in_three_lines_says_what_is_missing_without_one() {
    let place = Place::new(&[]);
    let block = &blocks(README, "sh")[1];
    let keyless: String = block.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let (code, said) = run(&place, &keyless);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("no key for anthropic; set ANTHROPIC_API_KEY"), "{said}");
    // With a key, the first two lines say that all is well.
    let with_key: String = block.lines().take(2).map(|line| format!("{line}\n")).collect();
    let (code, said) = run(&place, &with_key);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("at https://api.anthropic.com/v1/messages"), "{said}");
}

#[test]
fn the_hook_of_the_guide_denies_what_it_says() {
    let place = Place::new(&[]);
    let hook = blocks(HOOKS, "sh").remove(0);
    let reads = |command: &str| {
        let call = serde_json::json!({"point": "beforeToolCall", "call": {"arguments": {"command": command}}});
        run(&place, &format!("cat > hook <<'END'\n{hook}END\nprintf '%s\\n' '{call}' | sh hook"))
    };
    let denied = "{\"decision\": \"deny\", \"reason\": \"only users push\"}\n";
    assert_eq!(reads("cd x && git push"), (0, denied.to_owned()));
    assert_eq!(reads("git status"), (0, String::new()));
}

#[test]
fn the_readme_stays_short() {
    assert!(README.lines().count() <= 150);
}
