//! Skills: directories with a `SKILL.md` of instructions. The prompt lists them, and the model reads the files itself. Pure.

use super::{enclosed, front_matter, in_a_line, tag};
use pintle_os::names;
use std::path::{Path, PathBuf};

/// The directories for skills, in a project's directory; if several define a name, the first one counts.
pub const FOLDERS: [&str; 3] = [".pintle/skills", ".agents/skills", ".claude/skills"];

/// The file that makes a directory a skill.
pub const FILE: &str = "SKILL.md";

/// The maximum length of a description in the index.
const DESCRIPTION_CHARS: usize = 1024;

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// Its `SKILL.md`.
    pub path: PathBuf,
}

/// Reads the front matter of a `SKILL.md`. Without a name in it, the skill is named after its directory.
///
/// # Errors
/// The front matter is invalid, or has no description.
pub fn parse(path: &Path, text: &str) -> Result<Skill, String> {
    let (head, _) = front_matter::parse(text)?;
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let description = head.text("description").ok_or(
        "it has no `description` in its front matter; begin the file with `---`, `description: …`, `---`",
    )?;
    Ok(Skill {
        name: in_a_line(head.text("name").unwrap_or(&folder), 64),
        description: in_a_line(description, DESCRIPTION_CHARS),
        path: path.to_owned(),
    })
}

/// The prefix by which a user calls a skill.
pub const CALL: &str = "skill:";

/// Returns a skill that a user called, with the arguments behind its name. Pi's clients know this form.
pub fn call(skill: &Skill, text: &str, arguments: &str) -> String {
    let body = front_matter::parse(text).map_or(text, |(_, body)| body).trim();
    let body = enclosed("skill", body);
    let Skill { name, path, .. } = skill;
    let folder = names::shown(path.parent().unwrap_or(path));
    let mut message = format!(
        "<skill name=\"{name}\" location=\"{}\">\nPaths in it are relative to {folder}.\n\n{body}\n</skill>",
        names::shown(path),
    );
    if !arguments.is_empty() {
        message.push_str("\n\n");
        message.push_str(arguments);
    }
    message
}

/// Returns the index for the prompt.
pub fn layer(skills: &[Skill]) -> Option<String> {
    let lines: Vec<String> = skills
        .iter()
        .map(|Skill { name, description, path }| {
            format!("- {name} ({}): {description}", names::shown(path))
        })
        .collect();
    (!lines.is_empty()).then(|| {
        let head = "Descriptions of how to do certain tasks. If one matches the task, read its file first; paths in it are relative to its directory.";
        tag("skills", &[], &format!("{head}\n{}", lines.join("\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_has_a_name_and_says_what_it_is_for() {
        for (name, text, want) in [
            (
                "named by its folder",
                "---\ndescription: Makes PDFs\n---\nbody",
                Ok(("pdf", "Makes PDFs")),
            ),
            (
                "named by itself",
                "---\nname: paper\ndescription: >\n  Makes\n  PDFs\n---\n",
                Ok(("paper", "Makes PDFs")),
            ),
            ("without a description", "---\nname: paper\n---\n", Err("it has no `description`")),
            ("without a head", "Makes PDFs", Err("it has no `description`")),
            ("broken", "---\nname: paper\n", Err("its front matter is not closed")),
        ] {
            let got = parse(Path::new("/w/.pintle/skills/pdf/SKILL.md"), text);
            match (got, want) {
                (Ok(skill), Ok(want)) => {
                    assert_eq!((skill.name.as_str(), skill.description.as_str()), want, "{name}");
                }
                (Err(got), Err(want)) => assert!(got.starts_with(want), "{name}: {got}"),
                (got, want) => panic!("{name}: {got:?} instead of {want:?}"),
            }
        }
    }

    #[test]
    fn the_index_names_the_file_to_read() {
        let skill =
            parse(Path::new("/s/pdf/SKILL.md"), "---\ndescription: Makes PDFs\n---").unwrap();
        let told = layer(&[skill]).unwrap();
        assert!(told.contains("\n- pdf (/s/pdf/SKILL.md): Makes PDFs\n"), "{told}");
        assert_eq!(layer(&[]), None);
    }
}
