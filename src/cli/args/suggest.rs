//! Suggestions for misspelled options.
//!
//! clap suggests the option with the most letters in common at the beginning, which is `--mode` for `--modle`. Here the fewest typing
//! errors decide, and swapping two letters is one error.

use super::Args;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory};
use std::ffi::OsString;

/// The maximum number of typing errors in an option, for each three of its letters.
const ERRORS_PER_THREE: usize = 1;

/// Options of earlier versions, with their present names.
const RENAMED: [(&str, &str); 4] = [
    ("attach", "file"),
    ("linger", "idle-exit"),
    ("max-wall", "timeout"),
    ("task-max-wall", "task-timeout"),
];

/// Commands of earlier versions, with their present names.
const RENAMED_COMMANDS: [(&str, &str); 1] = [("anchors", "outline")];

/// Improves an error about an unknown option or command: suggests the most similar option, or the command's present name.
pub(crate) fn improve(mut error: Error, argv: &[OsString]) -> Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg)
        && let Some(given) = given.strip_prefix("--")
        && let mut command = command(argv)
        && let Some(option) = nearest(&command, given)
    {
        // The original usage shows the option that clap suggests.
        error.insert(ContextKind::Usage, ContextValue::StyledStr(command.render_usage()));
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{option}")));
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand)
        && let Some((_, present)) = RENAMED_COMMANDS.iter().find(|(earlier, _)| earlier == given)
    {
        let present = ContextValue::Strings(vec![(*present).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, present);
    }
    error
}

/// Returns the command given by the arguments.
fn command(argv: &[OsString]) -> Command {
    let mut command = Args::command();
    command.build();
    for word in argv.iter().skip(1).filter_map(|word| word.to_str()) {
        let Some(next) = command.find_subcommand(word) else { continue };
        command = next.clone();
    }
    command
}

/// Returns the command's option with an earlier name, else the one with the fewest typing errors; of several, one with the same length.
fn nearest(command: &Command, given: &str) -> Option<String> {
    let options = command.get_arguments().filter(|option| !option.is_hide_set());
    let names: Vec<&str> = options
        .flat_map(|option| option.get_long_and_visible_aliases().unwrap_or_default())
        .collect();
    let renamed = RENAMED.iter().find(|(old, new)| *old == given && names.contains(new));
    if let Some((_, new)) = renamed {
        return Some((*new).to_owned());
    }
    let ranked = names.into_iter().map(|name| {
        let errors = strsim::osa_distance(given, name);
        (errors, name.len().abs_diff(given.len()), name)
    });
    let (errors, _, name) = ranked.min()?;
    (errors <= (given.len() * ERRORS_PER_THREE).div_ceil(3)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn the_nearest_option_or_the_present_name_is_suggested() {
        for (line, want) in [
            ("run --modle x", Some("--model")),
            ("run --mdoe x", Some("--mode")),
            ("run --permision full", Some("--permission")),
            ("run --fil x", Some("--file")),
            ("run --max-step 3", Some("--max-steps")),
            ("run --no-aply", Some("--no-apply")),
            ("sessions list --directry x", Some("--directory")),
            ("batch x.jsonl --job 3", Some("--jobs")),
            ("serve --lisen x", Some("--listen")),
            ("run --attach x", Some("--file")),
            ("run --max-wall 3", Some("--timeout")),
            ("batch x.jsonl --task-max-wall 3", Some("--task-timeout")),
            ("serve --linger 3", Some("--idle-exit")),
            ("sessions anchors 01a2027b", Some("outline")),
            ("run --quux", None),
        ] {
            let argv: Vec<OsString> =
                ["pintle"].into_iter().chain(line.split(' ')).map(OsString::from).collect();
            let error = Args::try_parse_from(&argv).unwrap_err();
            let got = improve(error, &argv);
            let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand];
            let got = suggested.iter().find_map(|kind| got.get(*kind)).map(|value| match value {
                ContextValue::String(text) => text.clone(),
                ContextValue::Strings(texts) => texts.join(" "),
                other => format!("{other:?}"),
            });
            assert_eq!(got.as_deref(), want, "{line}");
        }
    }
}
