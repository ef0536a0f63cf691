//! The README's shell blocks are run as they stand there, and do what it says.

use crate::support::program::Place;
use std::path::PathBuf;
use std::process::Command;

/// The `sh` blocks of the README, in order.
fn blocks() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1);
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
    let first = blocks().remove(0);
    let commands: Vec<&str> =
        first.lines().map(|line| line.split('#').next().unwrap().trim()).collect();
    assert_eq!(commands, ["cargo run -- demo", "tests/all.sh"]);
    // `cargo run -- demo` is this program with this argument.
    let place = Place::new(&[]);
    let (code, said) = run(&place, "pintle demo");
    assert_eq!((code, said), (0, include_str!("../golden/demo.txt").to_owned()));
}

#[test]
fn a_session_by_hand_is_answered_as_the_readme_says() {
    let place = Place::new(&[]);
    let (code, said) = run(&place, &blocks()[1]);
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
    let block = &blocks()[2];
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
