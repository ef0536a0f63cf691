//! `pintle help`: the guides, which are part of the program, and command help.
//!
//! A guide is a Markdown page in this directory. It is printed unchanged to a pipe, so that editors can show it, and formatted for a
//! terminal.

use crate::cli::args::{Args, Help};
use crate::cli::layout::Layout;
use clap::CommandFactory;
use pintle_base::ambient::Ambient;
use pintle_os::terminal;
use serde_json::json;
use std::io::{self, IsTerminal, Write};

/// A guide.
struct Topic {
    /// The name under which `pintle help` prints it.
    name: &'static str,
    /// The line that describes it in the list of topics.
    summary: &'static str,
    /// The page, in Markdown.
    text: &'static str,
}

/// The guides, in the order in which a newcomer reads them.
const TOPICS: [Topic; 18] = [
    Topic {
        name: "configuration",
        summary: "config.toml: every setting with its default",
        text: include_str!("configuration.md"),
    },
    Topic {
        name: "providers",
        summary: "providers, models, keys, clouds and local servers",
        text: include_str!("providers.md"),
    },
    Topic {
        name: "logins",
        summary: "logging in to providers, and where logins are stored",
        text: include_str!("logins.md"),
    },
    Topic {
        name: "permissions",
        summary: "permission modes, rules, trust and limitations",
        text: include_str!("permissions.md"),
    },
    Topic {
        name: "sandbox",
        summary: "what confined commands can do, by kernel support",
        text: include_str!("sandbox.md"),
    },
    Topic {
        name: "secrets",
        summary: "provider keys: sources, visibility and redaction",
        text: include_str!("secrets.md"),
    },
    Topic {
        name: "hooks",
        summary: "programs that deny or change the agent's calls",
        text: include_str!("hooks.md"),
    },
    Topic {
        name: "servers",
        summary: "MCP servers: their tools and resources",
        text: include_str!("servers.md"),
    },
    Topic {
        name: "context",
        summary: "model input: AGENTS.md, rules, skills, prompts",
        text: include_str!("context.md"),
    },
    Topic {
        name: "review",
        summary: "sessions, rewind and fork; keeping and undoing changes",
        text: include_str!("review.md"),
    },
    Topic {
        name: "remote",
        summary: "working on another machine or in a container",
        text: include_str!("remote.md"),
    },
    Topic {
        name: "editors",
        summary: "Neovim, VS Code and the Agent Client Protocol",
        text: include_str!("editors.md"),
    },
    Topic {
        name: "chatting",
        summary: "pintle chat: keys, questions and commands in a terminal",
        text: include_str!("chatting.md"),
    },
    Topic {
        name: "pi",
        summary: "clients, sessions and settings of the Pi coding agent",
        text: include_str!("pi.md"),
    },
    Topic {
        name: "scripting",
        summary: "pintle run in scripts and CI: formats, limits, exit codes",
        text: include_str!("scripting.md"),
    },
    Topic {
        name: "batches",
        summary: "many tasks in parallel: lists, results, budgets, shards",
        text: include_str!("batches.md"),
    },
    Topic {
        name: "installing",
        summary: "files of a release, upgrades, uninstalling, where data lives",
        text: include_str!("installing.md"),
    },
    Topic {
        name: "troubleshooting",
        summary: "common problems and fixes",
        text: include_str!("troubleshooting.md"),
    },
];

/// Prints the topic list, a guide, or a command's help.
pub(crate) fn run(wanted: &Help, ambient: &Ambient) -> anyhow::Result<u8> {
    let text = match wanted.words.as_slice() {
        [] if wanted.json => list_as_json(),
        [] => list(),
        [name] if page(name).is_some() => {
            let page = page(name).unwrap_or_default();
            layout(ambient).map_or_else(|| page.to_owned(), |layout| layout.page(page))
        }
        words => return command(words),
    };
    printed(io::stdout().write_all(text.as_bytes()))
}

/// Returns the topics with their summaries.
pub(crate) fn topics() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOPICS.iter().map(|topic| (topic.name, topic.summary))
}

/// Returns a topic's page.
pub(crate) fn page(name: &str) -> Option<&'static str> {
    TOPICS.iter().find(|topic| topic.name == name).map(|topic| topic.text)
}

/// Returns the text under a second-level heading of a page.
pub(crate) fn section<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let mut sections = page.split("\n## ").skip(1);
    sections.find_map(|section| section.strip_prefix(name)?.strip_prefix('\n'))
}

/// Returns the layout for stdout; `None` if stdout is not a terminal.
fn layout(ambient: &Ambient) -> Option<Layout> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let columns = terminal::columns().map_or(0, usize::from);
    let is_dumb = ambient.var("TERM") == Some("dumb");
    let is_styled = !is_dumb && ambient.var("NO_COLOR").is_none_or(str::is_empty);
    Some(Layout::new(columns, is_styled))
}

fn list() -> String {
    let row = |Topic { name, summary, .. }: &Topic| format!("  {name:<17}{summary}");
    let rows: Vec<String> = TOPICS.iter().map(row).collect();
    format!(
        "Guides (print one with `pintle help TOPIC`):\n\n{}\n\n\
         `pintle help COMMAND` prints the options of a command; `pintle --help` lists the commands.\n",
        rows.join("\n")
    )
}

/// Returns the list for editors: one JSON object per line.
fn list_as_json() -> String {
    let row = |Topic { name, summary, .. }: &Topic| json!({ "topic": name, "summary": summary });
    let rows: Vec<String> = TOPICS.iter().map(|topic| row(topic).to_string()).collect();
    rows.join("\n") + "\n"
}

/// Prints a command's help, such as that of `sessions rewind`; the same as its flag `--help`.
fn command(words: &[String]) -> anyhow::Result<u8> {
    let all = Args::command();
    let named = words.iter().try_fold(&all, |at, word| at.find_subcommand(word));
    anyhow::ensure!(named.is_some(), unknown(words));
    let line = ["pintle"].into_iter().chain(words.iter().map(String::as_str)).chain(["--help"]);
    match all.clone().try_get_matches_from(line) {
        Err(help) => printed(help.print()),
        Ok(_) => Ok(0),
    }
}

/// Converts the outcome of printing to an exit code. It is not an error if the reader stops early: `pintle help pi | head`.
fn printed(ended: io::Result<()>) -> anyhow::Result<u8> {
    match ended {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        ended => Ok(ended.map(|()| 0)?),
    }
}

/// Returns the error for a topic that does not exist, with the nearest one and all of them.
fn unknown(words: &[String]) -> String {
    const SIMILAR: f64 = 0.75;
    let wanted = words.join(" ");
    let commands = Args::command();
    let commands: Vec<&str> = commands.get_subcommands().map(clap::Command::get_name).collect();
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    let names = topics.iter().chain(&commands);
    let near = names
        .map(|name| (strsim::jaro_winkler(&wanted.to_lowercase(), name), *name))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    let near = near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!(
        "unknown help topic or command `{wanted}`{near}\n  topics: {}\n  commands: {}",
        topics.join(", "),
        commands.join(", ")
    )
}

#[cfg(test)]
mod tests;
