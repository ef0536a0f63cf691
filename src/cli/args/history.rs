//! The command line for a stored session's history and for the review of the agent's changes.

use super::Values;
use clap::{Subcommand, ValueEnum, ValueHint};
use pintle_protocol::files::RewindScope;
use pintle_protocol::isolation::OnConflict;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum History {
    /// Draw a session's history tree: prompts, turn ends, labels and the current point
    #[command(
        after_help = "Lines of the current branch, which the model sees, start with *. Examples:
  pintle sessions tree 01a2027b
  pintle sessions tree 01a2027b --json | jq -r 'select(.label) | .label'"
    )]
    Tree(Tree),
    /// List points for --from and --to of `show` and `search`: starts, summaries, labels, merged forks
    #[command(after_help = "Examples:
  pintle sessions outline 01a2027b
  pintle sessions show 01a2027b --from works
  pintle sessions search parser --session 01a2027b --from 42 --to works")]
    Outline(Outline),
    /// Rewind a session to an earlier point, or forward again
    #[command(
        after_help = "Files that you have changed since are kept, unless listed after --overwrite. Examples:
  pintle sessions rewind 01a2027b --to=#2 --dry-run    # preview
  pintle sessions rewind 01a2027b --to=#2 --scope both
  pintle sessions rewind 01a2027b --to works --scope files --overwrite src/a.rs"
    )]
    Rewind(Rewinding),
    /// Create a session from another one's history, and print its id
    #[command(after_help = "The original session is unchanged, and may be open. Examples:
  pintle sessions fork 01a2027b --to=#3
  pintle run \"Try another way\" --session $(pintle sessions fork 01a2027b)")]
    Fork(Forking),
    /// Merge a fork's conversation into the session it was created from, as a branch
    #[command(
        after_help = "The fork and all files are unchanged; a fork that has grown can be merged again. Example:
  pintle sessions merge $(pintle sessions fork 01a2027b)"
    )]
    Merge(Merging),
    /// Label a point of a session for `--to`; `prune` keeps labelled sessions
    #[command(after_help = "Examples:
  pintle sessions label 01a2027b --to 42 works
  pintle sessions label 01a2027b --to works --remove")]
    Label(Labelling),
    /// Print the agent's changes as a patch for `git apply` in the session's directory
    #[command(after_help = "The patch excludes your own edits. Examples:
  pintle sessions patch 01a2027b > agent.patch
  pintle sessions patch 01a2027b --open | git apply --check")]
    Patch(Patching),
    /// Apply an isolated session's changes to your files
    #[command(after_help = "The changes become open hunks, so `undo` reverts them. Examples:
  pintle sessions apply 01a2027b
  pintle sessions apply 01a2027b --on-conflict refuse")]
    Apply(Applying),
    /// Remove an isolated session's copy, with all unapplied changes
    #[command(after_help = "Example:
  pintle sessions discard 01a2027b")]
    Discard(Discarding),
    /// List open hunks: changes by the agent that are not yet accepted
    #[command(after_help = "Examples:
  pintle sessions review 01a2027b
  pintle sessions review 01a2027b --json | jq -r .path | sort -u")]
    Review(Reviewing),
    /// Accept hunks without changing the files
    #[command(after_help = "Examples:
  pintle sessions keep 01a2027b --file src/a.rs
  pintle sessions keep 01a2027b --all")]
    Keep(Deciding),
    /// Undo hunks, keeping lines that you added to them as a conflict
    #[command(after_help = "Examples:
  pintle sessions undo 01a2027b --hunk 12.1
  pintle sessions undo 01a2027b --file src/a.rs --discard-edits")]
    Undo(Undoing),
    /// Undo a keep or an undo
    #[command(after_help = "Example:
  pintle sessions revert 01a2027b 57    # the number printed by keep and undo")]
    Revert(Reverting),
}

/// The session, and where its files are.
#[derive(Debug, clap::Args)]
pub(crate) struct Subject {
    /// Session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(add = Values::Session)]
    pub(crate) id: String,
    /// Access the session's files through this command, as in `pintle run --wrap`
    #[arg(long, value_name = "CMD ARGS", value_parser = super::parse_words, value_hint = ValueHint::CommandString)]
    pub(crate) wrap: Option<super::Words>,
}

impl History {
    pub(crate) fn subject(&self) -> &Subject {
        match self {
            Self::Tree(Tree { subject, .. })
            | Self::Outline(Outline { subject, .. })
            | Self::Rewind(Rewinding { subject, .. })
            | Self::Fork(Forking { subject, .. })
            | Self::Merge(Merging { subject })
            | Self::Label(Labelling { subject, .. })
            | Self::Patch(Patching { subject, .. })
            | Self::Apply(Applying { subject, .. })
            | Self::Discard(Discarding { subject })
            | Self::Review(Reviewing { subject, .. })
            | Self::Keep(Deciding { subject, .. })
            | Self::Undo(Undoing { deciding: Deciding { subject, .. }, .. })
            | Self::Revert(Reverting { subject, .. }) => subject,
        }
    }

    /// Returns the command line's settings.
    pub(crate) fn settings(&self) -> super::Settings {
        super::Settings { wrap: self.subject().wrap.clone(), ..super::Settings::default() }
    }
}

/// A place of a history, as it is named on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before the prompt with this number, from 1.
    Prompt(usize),
    /// After the event with this number.
    Seq(u64),
    /// The place with this label.
    Label(String),
}

fn place(text: &str) -> Result<Place, String> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix('#') {
        let number = number.parse().ok().filter(|number| *number > 0);
        let wrong = || "expected a prompt number, such as #2".to_owned();
        return number.map(Place::Prompt).ok_or_else(wrong);
    }
    if text.is_empty() {
        return Err("expected an event number, a label, or a prompt such as #2".to_owned());
    }
    if text.chars().all(|c| c.is_ascii_digit()) {
        return text.parse().map(Place::Seq).map_err(|_| "no such event".to_owned());
    }
    Ok(Place::Label(text.to_owned()))
}

/// Parses a label: a name that `--to` cannot take for something else.
fn label(text: &str) -> Result<String, String> {
    match place(text) {
        Ok(Place::Label(label)) => Ok(label),
        Ok(Place::Prompt(_) | Place::Seq(_)) => {
            Err("a label must not be a number: use a name with a letter in it".to_owned())
        }
        Err(_) => Err("use a name with a letter in it that does not start with #".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tree {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Print each prompt and labelled point as a JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Outline {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Applying {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// If you have changed the same lines, write both versions with conflict markers, or change nothing
    #[arg(long, value_name = "mark|refuse", default_value = "mark", hide_possible_values = true)]
    on_conflict: ConflictChoice,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ConflictChoice {
    Mark,
    Refuse,
}

impl Applying {
    pub(crate) fn on_conflict(&self) -> OnConflict {
        match self.on_conflict {
            ConflictChoice::Mark => OnConflict::Mark,
            ConflictChoice::Refuse => OnConflict::Refuse,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Discarding {
    #[command(flatten)]
    pub(crate) subject: Subject,
}

/// A part of a session's history.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Range {
    /// Start after event SEQ or label LABEL, or before prompt #N (write --from=#N)
    #[arg(long, value_name = "SEQ|LABEL|#N", value_parser = place)]
    pub(crate) from: Option<Place>,
    /// Stop at this point
    #[arg(long, value_name = "SEQ|LABEL|#N", value_parser = place)]
    pub(crate) to: Option<Place>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rewinding {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Rewind to after event SEQ or label LABEL, or before prompt #N (write --to=#N, since shells read # as a comment)
    #[arg(long, value_name = "SEQ|LABEL|#N", value_parser = place)]
    pub(crate) to: Place,
    /// Rewind the conversation (what the model sees), the files, or both
    #[arg(long, value_name = "SCOPE", default_value = "conversation", hide_possible_values = true)]
    pub(crate) scope: ScopeName,
    /// Print what would happen, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Restore these files even though you have changed them
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) overwrite: Vec<PathBuf>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ScopeName {
    Conversation,
    Files,
    Both,
}

impl ScopeName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Files => "files",
            Self::Both => "both",
        }
    }
}

impl From<ScopeName> for RewindScope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::Conversation => Self::Conversation,
            ScopeName::Files => Self::Files,
            ScopeName::Both => Self::Both,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Forking {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// End the copied history here, as in `rewind` [default: the end]
    #[arg(long, value_name = "SEQ|LABEL|#N", value_parser = place)]
    pub(crate) to: Option<Place>,
    /// Set the new session's directory [default: the original's, or the current one if that is gone]
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Merging {
    #[command(flatten)]
    pub(crate) subject: Subject,
}

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("called").args(["name", "remove"]).required(true)))]
pub(crate) struct Labelling {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Label event SEQ, the point with label LABEL, or prompt #N (write --to=#N)
    #[arg(long, value_name = "SEQ|LABEL|#N", value_parser = place)]
    pub(crate) to: Place,
    /// Label, at most 200 characters
    #[arg(value_parser = label)]
    pub(crate) name: Option<String>,
    /// Remove the label
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Patching {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Include only the open hunks
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reviewing {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Print each hunk as a JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Deciding {
    #[command(flatten)]
    pub(crate) subject: Subject,
    #[command(flatten)]
    pub(crate) target: Target,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Target {
    /// All open hunks of this file
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
    /// One hunk, by its id in `review`
    #[arg(long, value_name = "HUNK")]
    pub(crate) hunk: Option<String>,
    /// All open hunks
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Undoing {
    #[command(flatten)]
    pub(crate) deciding: Deciding,
    /// Also undo lines that you added to the hunks
    #[arg(long)]
    pub(crate) discard_edits: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reverting {
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Number printed by `keep` or `undo`
    pub(crate) decision: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_an_event_a_prompt_or_a_label() {
        for (text, want) in [
            ("#2", Ok(Place::Prompt(2))),
            ("0", Ok(Place::Seq(0))),
            (" 42 ", Ok(Place::Seq(42))),
            ("works", Ok(Place::Label("works".to_owned()))),
            ("4 eyes", Ok(Place::Label("4 eyes".to_owned()))),
            ("-1", Ok(Place::Label("-1".to_owned()))),
            ("#0", Err("such as #2")),
            ("#two", Err("such as #2")),
            ("#", Err("such as #2")),
            (" ", Err("expected an event number")),
            ("99999999999999999999", Err("no such event")),
        ] {
            match (place(text), want) {
                (Ok(place), Ok(want)) => assert_eq!(place, want, "{text}"),
                (Err(error), Err(want)) => assert!(error.contains(want), "{text}: {error}"),
                (got, want) => panic!("{text}: {got:?}, not {want:?}"),
            }
        }
        assert_eq!(label(" works "), Ok("works".to_owned()));
        for text in ["12", "#3", "#x", " "] {
            assert!(label(text).unwrap_err().contains("a name with a letter"), "{text}");
        }
    }
}
