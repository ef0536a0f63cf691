//! `pintle man`: the manual pages of all commands, as files.
//!
//! clap_mangen renders the parts that `--help` shows. Exit codes, files and variables are copied from the guides, so that they are described
//! only once.
#![expect(
    clippy::disallowed_methods,
    reason = "writes the pages to the directory that the user named"
)]

mod guide;

use crate::cli::args::{self, Args};
use crate::cli::help;
use anyhow::Context as _;
use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use jiff::Timestamp;
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use std::io::Write as _;

/// Sections taken from guides: the page, its heading, the guide, and the guide's section; `None` is the part before the first section.
const SECTIONS: [(&str, &str, &str, Option<&str>); 6] = [
    ("pintle", "EXIT STATUS", "scripting", Some("Exit codes")),
    ("pintle", "ENVIRONMENT", "configuration", Some("Environment variables")),
    ("pintle", "FILES", "configuration", None),
    ("pintle-run", "EXIT STATUS", "scripting", Some("Exit codes")),
    ("pintle-batch", "EXIT STATUS", "batches", Some("Exit codes")),
    ("pintle-sessions", "EXIT STATUS", "review", Some("Exit codes")),
];

/// A rendered page.
struct Page {
    /// File name, such as `pintle-run.1`.
    file: String,
    text: Vec<u8>,
}

/// Writes the pages and prints their number.
///
/// # Errors
/// The directory or a page cannot be written.
pub(crate) fn run(wanted: &args::Man, ambient: &Ambient) -> anyhow::Result<u8> {
    let folder = &wanted.directory;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let pages = pages(&date(ambient))?;
    for page in &pages {
        let path = folder.join(&page.file);
        std::fs::write(&path, &page.text)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    writeln!(screen::out(), "{} manual pages written to {}", pages.len(), folder.display())?;
    Ok(0)
}

/// Returns the pages' date: `SOURCE_DATE_EPOCH`, for reproducible builds, or today.
fn date(ambient: &Ambient) -> String {
    let given = ambient.var("SOURCE_DATE_EPOCH").and_then(|seconds| seconds.parse().ok());
    let given = given.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let now = || {
        let now_ms = i64::try_from(ambient.now_ms()).unwrap_or_default();
        Timestamp::from_millisecond(now_ms).unwrap_or_default()
    };
    given.unwrap_or_else(now).strftime("%Y-%m-%d").to_string()
}

/// Renders the pages of all commands.
fn pages(date: &str) -> anyhow::Result<Vec<Page>> {
    let mut command = Args::command();
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, None, date, &mut pages)?;
    Ok(pages)
}

fn add_pages(
    command: &Command,
    parent: Option<&str>,
    date: &str,
    pages: &mut Vec<Page>,
) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    pages.push(page(command, name, parent, date)?);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        add_pages(sub, Some(name), date, pages)?;
    }
    Ok(())
}

fn page(command: &Command, name: &str, parent: Option<&str>, date: &str) -> anyhow::Result<Page> {
    let version = env!("CARGO_PKG_VERSION");
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let man = Man::new(command.clone().mut_args(with_values).override_usage(usage))
        .title(name.to_uppercase())
        .date(date)
        .source(format!("pintle {version}"))
        .manual("User Commands");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut text)?;
    }
    let mut roff = Roff::new();
    if let Some(notes) = command.get_after_help() {
        notes_section(&notes.to_string(), &mut roff);
    }
    for (_, heading, topic, section) in SECTIONS.iter().filter(|(page, ..)| *page == name) {
        roff.control("SH", [*heading]);
        if parent.is_none() && *heading == "EXIT STATUS" {
            roff.text([roman("These are the exit codes of "), bold("pintle run"), roman(".")]);
            roff.control("PP", []);
        }
        guide::section(topic, *section, &mut roff);
    }
    see_also(command, parent, &mut roff);
    roff.to_writer(&mut text)?;
    Ok(Page { file: format!("{name}.1"), text })
}

/// Appends possible values to an option's text, as in `--help`. clap_mangen's lists cause warnings in mandoc.
fn with_values(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    let shown: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    let takes_value = arg.get_num_args().is_some_and(|number| number.takes_values());
    if arg.is_hide_possible_values_set() || shown.is_empty() || !takes_value {
        return arg;
    }
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let help = format!("{help} [possible values: {}]", shown.join(", "));
    arg.hide_possible_values(true).help(help.trim_start().to_owned())
}

/// Adds the text after a command's options. Indented lines are examples and stay as they are.
fn notes_section(notes: &str, roff: &mut Roff) {
    let mut is_example = false;
    let lines = notes.lines().filter(|line| !line.is_empty() && guide_named(line).is_none());
    for (at, line) in lines.enumerate() {
        if at == 0 {
            roff.control("SH", ["NOTES"]);
        }
        let was_example = std::mem::replace(&mut is_example, line.starts_with("  "));
        match (was_example, is_example) {
            (false, true) => _ = roff.control("nf", []),
            (true, false) => _ = roff.control("fi", []),
            (true, true) | (false, false) => {}
        }
        roff.text(with_code(line));
    }
    if is_example {
        roff.control("fi", []);
    }
}

/// Returns the topic if a help line refers to a guide.
fn guide_named(line: &str) -> Option<&str> {
    line.strip_prefix("Guide: pintle help ")
}

/// Returns a text whose parts between backticks are bold.
fn with_code(text: &str) -> Vec<Inline> {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { roman(part) } else { bold(part) }).collect()
}

/// Adds the related pages and guides.
fn see_also(command: &Command, parent: Option<&str>, roff: &mut Roff) {
    roff.control("SH", ["SEE ALSO"]);
    let Some(parent) = parent else {
        let pages = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        references(pages.filter_map(Command::get_display_name), roff);
        roff.control("PP", []);
        roff.text([roman("The guides are printed by "), bold("pintle help"), roman(" TOPIC:")]);
        for (topic, summary) in help::topics() {
            roff.control("TP", []);
            roff.text([bold(topic)]);
            roff.text([roman(summary)]);
        }
        return;
    };
    references([parent], roff);
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some(topic) = notes.lines().find_map(guide_named) {
        roff.control("PP", []);
        roff.text([roman("Guide: "), bold(format!("pintle help {topic}"))]);
    }
}

fn references<'a>(pages: impl IntoIterator<Item = &'a str>, roff: &mut Roff) {
    let mut line = Vec::new();
    for page in pages {
        if !line.is_empty() {
            line.push(roman(", "));
        }
        line.extend([bold(page), roman("(1)")]);
    }
    roff.text(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> Vec<(String, String)> {
        let pages = pages("2026-01-02").unwrap();
        pages.into_iter().map(|page| (page.file, String::from_utf8(page.text).unwrap())).collect()
    }

    #[test]
    fn every_shown_command_has_a_page() {
        let files: BTreeSet<String> = all().into_iter().map(|(file, _)| file).collect();
        for file in ["pintle.1", "pintle-run.1", "pintle-sessions-list.1", "pintle-mcp-login.1"] {
            assert!(files.contains(file), "{file}: {files:?}");
        }
        assert!(!files.contains("pintle-complete.1"));
    }

    #[test]
    fn each_named_section_exists() {
        let pages = all();
        for (name, heading, ..) in SECTIONS {
            let page = pages.iter().find(|(file, _)| *file == format!("{name}.1"));
            let (_, text) = page.unwrap();
            let section = text.split(&format!(".SH \"{heading}\"\n")).nth(1);
            let section = section.or_else(|| text.split(&format!(".SH {heading}\n")).nth(1));
            let section = section.unwrap().split(".SH").next().unwrap();
            assert!(
                section.matches(".TP").count() >= 2 || name == "pintle-sessions",
                "{name} {section}"
            );
            assert!(section.trim().len() > 80, "{name}: {section}");
        }
    }
}
