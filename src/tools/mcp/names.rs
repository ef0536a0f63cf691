//! The names of server tools for models: `mcp__SERVER__TOOL`, with the characters and length that every provider accepts. Pure.

use ring::digest;
use std::fmt::Write as _;

/// The maximum length that every provider takes.
const MAX_NAME: usize = 64;

/// The beginning of all of them, which no tool of this program has.
const PREFIX: &str = "mcp__";

/// Returns a tool's name for models, different from all taken names: a name that had to be changed ends in a digest of the original.
pub fn public_name(server: &str, tool: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let plain = format!("{PREFIX}{}__{}", safe(server), safe(tool));
    let is_same = safe(server) == server && safe(tool) == tool && !tool.is_empty();
    if is_same && plain.len() <= MAX_NAME && !is_taken(&plain) {
        return plain;
    }
    let mut name = plain.clone();
    for round in 0..u32::MAX {
        let mark = mark(&format!("{server}\0{tool}\0{round}"));
        let kept: String = plain.chars().take(MAX_NAME - mark.len() - 1).collect();
        name = format!("{kept}_{mark}");
        if !is_taken(&name) {
            break;
        }
    }
    name
}

fn safe(name: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect()
}

/// Six hexadecimal digits.
fn mark(text: &str) -> String {
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    digest.as_ref().iter().take(3).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_unlike_each_other() {
        let long = "x".repeat(80);
        let mut taken: Vec<String> = Vec::new();
        for (server, tool, plain) in [
            ("git", "status", Some("mcp__git__status")),
            ("git", "status", None),
            ("git", "sta.tus", None),
            ("git", "sta tus", None),
            ("my server", "read", None),
            ("a", long.as_str(), None),
            ("b", long.as_str(), None),
            ("a", "bash", Some("mcp__a__bash")),
            ("a", "", None),
            ("é", "ü", None),
        ] {
            let name = public_name(server, tool, |name| taken.iter().any(|other| other == name));
            if let Some(plain) = plain {
                assert_eq!(name, plain);
            }
            assert!(name.len() <= 64 && name.starts_with("mcp__"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            assert!(!taken.contains(&name), "{name}");
            taken.push(name);
        }
        // The same name is the same in each session.
        assert_eq!(public_name("é", "ü", |_| false), taken[9]);
    }
}
