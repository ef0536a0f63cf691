//! Named agents: Markdown files with instructions for a sub-agent. Pure.

use super::{front_matter, in_a_line, tag};
use std::path::Path;

/// The directories for named agents, in a project's directory; if several define a name, the first one counts.
pub const FOLDERS: [&str; 2] = [".pintle/agents", ".claude/agents"];

/// The maximum length of a description in the index.
const DESCRIPTION_CHARS: usize = 500;

/// A named agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAgent {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// The model that it requests.
    pub model: Option<String>,
    /// The tools that it may use, as listed in its file; `None` allows all.
    pub tools: Option<Vec<String>>,
    /// Its instructions.
    pub instructions: String,
}

/// Reads an agent's file. Without a name in its front matter, the agent is named after the file.
///
/// # Errors
/// The front matter is invalid, or the file has no instructions.
pub fn parse(path: &Path, text: &str) -> Result<NamedAgent, String> {
    let (head, body) = front_matter::parse(text)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if body.trim().is_empty() {
        return Err(
            "it has no text below its front matter; add the agent's instructions there".to_owned()
        );
    }
    let tools = head.list("tools").filter(|tools| !tools.iter().any(|tool| tool == "*"));
    Ok(NamedAgent {
        name: in_a_line(head.text("name").unwrap_or(&stem), 64),
        description: in_a_line(head.text("description").unwrap_or_default(), DESCRIPTION_CHARS),
        model: head.text("model").filter(|model| *model != "inherit").map(str::to_owned),
        tools,
        instructions: body.trim().to_owned(),
    })
}

/// Returns the named-agent index, for the prompt of sessions that can start sub-agents.
pub fn layer(agents: &[NamedAgent]) -> Option<String> {
    let lines: Vec<String> = agents
        .iter()
        .map(|agent| {
            let colon = if agent.description.is_empty() { "" } else { ": " };
            format!("- {}{colon}{}", agent.name, agent.description)
        })
        .collect();
    (!lines.is_empty()).then(|| {
        let head =
            "Sub-agents with special instructions; pass a name to the tool that starts sub-agents.";
        tag("agents", &[], &format!("{head}\n{}", lines.join("\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_who_the_agent_is() {
        let full = "---\nname: critic\ndescription: Reads with care\nmodel: x/y\ntools: Read, Grep\n---\nBe strict.\n";
        let agent = parse(Path::new("/w/.pintle/agents/c.md"), full).unwrap();
        let tools = Some(vec!["Read".to_owned(), "Grep".to_owned()]);
        let want = NamedAgent {
            name: "critic".to_owned(),
            description: "Reads with care".to_owned(),
            model: Some("x/y".to_owned()),
            tools,
            instructions: "Be strict.".to_owned(),
        };
        assert_eq!(agent, want);
        for (name, text, want) in [
            ("all tools", "---\ntools: '*'\n---\nx", Ok(None)),
            ("tools not named", "x", Ok(None)),
            ("no tools", "---\ntools: []\n---\nx", Ok(Some(0))),
            ("no instructions", "---\nname: a\n---\n", Err(())),
            ("a broken head", "---\nname: a\n", Err(())),
        ] {
            let got = parse(Path::new("/a.md"), text);
            let got = got.map(|agent| agent.tools.map(|tools| tools.len())).map_err(drop);
            assert_eq!(got, want, "{name}");
        }
        assert_eq!(parse(Path::new("/a.md"), "---\nmodel: inherit\n---\nx").unwrap().model, None);
    }
}
