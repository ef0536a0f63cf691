//! Equivalent tool names. Pure.
//!
//! Model families use different names for the same tool, and files, rules and options may use any of them: a name matches every tool with
//! the same purpose.

/// Returns true if the list in a file includes the tool.
pub fn allows(named: &[String], tool: &str) -> bool {
    named.iter().any(|name| is_same(name, tool) || is_with(name, tool))
}

/// Returns true if one of the names matches the tool: its name, an equivalent tool's name, or a pattern with `*`.
pub fn names_tool(named: &[String], tool: &str) -> bool {
    allows(named, tool) || named.iter().any(|name| is_like(name, tool))
}

/// Returns true if both names are of equivalent tools.
pub fn is_same(name: &str, tool: &str) -> bool {
    let (name, tool) = (plain(name), plain(tool));
    let has = |group: &&&[&str]| group.contains(&name.as_str());
    name == tool || SAME.iter().find(has).is_some_and(|group| group.contains(&tool.as_str()))
}

/// Matches a name with `*` for any text.
fn is_like(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some(at) = name.find(part) else { return false };
        name = name.get(at + part.len()..).unwrap_or_default();
    }
    name.ends_with(last)
}

/// Who may run commands may look after the background jobs that they become.
fn is_with(name: &str, tool: &str) -> bool {
    is_same(name, SHELL) && is_same(tool, JOB)
}

const SHELL: &str = "bash";
const JOB: &str = "job";

/// Equivalent names, in lower case and without punctuation.
const SAME: [&[&str]; 14] = [
    &[
        "read",
        "readfile",
        "readmanyfiles",
        "view",
        "viewimage",
        "readimage",
        "readmediafile",
        "cat",
    ],
    &["write", "writefile", "create"],
    &[
        "edit",
        "editfile",
        "multiedit",
        "applypatch",
        "replace",
        "strreplace",
        "strreplacefile",
        "searchreplace",
    ],
    &[
        SHELL,
        "shell",
        "shellcommand",
        "execcommand",
        "runcommand",
        "runshellcommand",
        "execute",
        "executecommand",
    ],
    &[
        JOB,
        "taskoutput",
        "taskstop",
        "bashoutput",
        "killshell",
        "killbash",
        "joboutput",
        "jobkill",
        "writestdin",
        "taskinput",
    ],
    &["grep", "grepsearch", "grepfiles", "search", "searchfiles", "searchfilecontent"],
    &["find", "glob", "ls", "listdir", "listfiles", "listdirectory"],
    &["webfetch", "fetch", "fetchurl"],
    &["websearch", "googlewebsearch", "searchweb"],
    &["todowrite", "todo", "todolist", "settodolist", "writetodos", "updateplan"],
    &["askuser", "askuserquestion", "requestuserinput"],
    &["exitplan", "exitplanmode"],
    &["spawnagent", "agent", "task", "subagent", "invokeagent"],
    &["wait", "waitagent"],
];

fn plain(name: &str) -> String {
    // `Bash(git:*)` names a tool and its permitted arguments.
    let name = name.split('(').next().unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_tools_that_do_the_same() {
        for (named, tool, want) in [
            ("Read", "read", true),
            ("Read", "read_many_files", true),
            ("Read", "write", false),
            ("Edit", "apply_patch", true),
            ("Bash(git:*)", "shell", true),
            ("bash", "job", true),
            ("Glob", "list_dir", true),
            ("WebFetch", "web_fetch", true),
            ("apply_patch", "edit_file", true),
            ("edit", "replace", true),
            ("bash", "run_shell_command", true),
            ("shell", "TaskOutput", true),
            ("job", "bash", false),
            ("Task", "invoke_agent", true),
            ("update_plan", "TodoWrite", true),
            ("mcp__x", "read", false),
        ] {
            assert_eq!(allows(&[named.to_owned()], tool), want, "{named} {tool}");
        }
        assert!(!allows(&[], "read"));
        for (named, tool, want) in [
            ("gr*", "grep", true),
            ("*", "write", true),
            ("*file*", "read_many_files", true),
            ("r*d*s", "read_many_files", true),
            ("r*d*s", "read_file", false),
            ("bash", "shell", true),
            ("find", "grep", false),
        ] {
            assert_eq!(names_tool(&[named.to_owned()], tool), want, "{named} {tool}");
        }
    }
}
