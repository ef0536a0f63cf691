//! `pintle sessions rewind`: previews the rewind, carries it out when the user agrees, and prints how to undo it.
//!
//! Invariant: without consent, or if nothing would change, the session and all files are left unchanged.

use super::super::terminal::one_line;
use super::{Consent, FAILED, NOTHING, OpenSession, STOPPED, place, print};
use crate::cli::args::history::Rewinding;
use pintle_base::text::screen;
use pintle_base::text::terminal::shown;
use pintle_protocol::content::Input;
use pintle_protocol::files::{FileAction, FileFate, FileOwner, RewindScope};
use pintle_protocol::history::{SessionRewindParams, SessionRewindResult};
use pintle_protocol::methods::SessionRewind;
use std::io::Write;

impl OpenSession<'_> {
    pub(super) async fn rewind(&self, wanted: &Rewinding) -> anyhow::Result<u8> {
        let id = &self.session.id;
        let to = place::find(&self.nodes().await?, &wanted.to, id)?;
        let mut overwrite = Vec::new();
        for path in &wanted.overwrite {
            overwrite.push(self.path(path).await?);
        }
        let rewind = SessionRewindParams {
            to,
            scope: wanted.scope.into(),
            overwrite,
            dry_run: true,
            ..SessionRewindParams::default()
        };
        let would = self.call::<SessionRewind>(rewind.clone()).await?;
        for path in &rewind.overwrite {
            anyhow::ensure!(
                would.files.iter().any(|fate| fate.path == *path),
                "invalid --overwrite {}: not one of the files to restore\n  use --dry-run with --scope files or both to list them",
                one_line(path)
            );
        }
        print(&preview(&would))?;
        if wanted.dry_run {
            return Ok(0);
        }
        let is_touched = |fate: &FileFate| {
            matches!(fate.action, FileAction::Restore | FileAction::Remove | FileAction::Failed)
        };
        let is_same = would.dropped.is_empty() && would.restored.is_empty();
        if is_same && !would.files.iter().any(is_touched) {
            writeln!(screen::err(), "pintle: nothing to change")?;
            return Ok(NOTHING);
        }
        if !wanted.yes {
            match self.consent("Rewind?").await? {
                Consent::Yes => {}
                Consent::Stopped => return Ok(STOPPED),
                Consent::No => {
                    writeln!(screen::err(), "Nothing changed.")?;
                    return Ok(NOTHING);
                }
            }
        }
        let rewind = SessionRewindParams { dry_run: false, ..rewind };
        let done = self.call::<SessionRewind>(rewind.clone()).await?;
        let mut said = Vec::new();
        // The preview showed the expected outcome; a file may have changed since, or not be writable.
        for fate in done.files.iter().filter(|fate| !would.files.contains(fate)) {
            said.push(format!("but {}", line(fate)));
        }
        let SessionRewindResult { to_seq, from_seq, input, files, .. } = &done;
        let is_files_alone = rewind.scope == RewindScope::Files;
        if is_files_alone {
            said.push(format!("restored the files to event {to_seq}, except those kept"));
        } else {
            said.push(format!("rewound to event {to_seq}"));
        }
        let message = input.iter().map(describe).collect::<Vec<_>>().join("\n");
        if !message.is_empty() && !is_files_alone {
            said.push("the prompt after this point, to send again:".to_owned());
            for line in message.lines() {
                said.push(format!("> {}", shown(line)));
            }
        }
        let scope = wanted.scope.name();
        said.push(format!("to undo: pintle sessions rewind {id} --to {from_seq} --scope {scope}"));
        print(&said)?;
        let has_failed = files.iter().any(|fate| fate.action == FileAction::Failed);
        Ok(if has_failed { FAILED } else { 0 })
    }
}

/// Describes a rewind that is not done yet, with the files sorted by whose work is in them.
fn preview(would: &SessionRewindResult) -> Vec<String> {
    let SessionRewindResult { to_seq, from_seq, dropped, restored, files, .. } = would;
    let mut lines = vec![format!("from event {from_seq} to event {to_seq}")];
    for (items, what) in [(dropped, "forgets"), (restored, "recalls")] {
        match items.len() {
            0 => {}
            1 => lines.push(format!("the model {what} 1 item")),
            count => lines.push(format!("the model {what} {count} items")),
        }
    }
    for (owner, title) in [
        (FileOwner::Agent, "changed only by the agent:"),
        (FileOwner::Other, "changed only by you, kept:"),
        (FileOwner::Conflict, "conflict, changed by both, kept unless listed after --overwrite:"),
    ] {
        let of: Vec<_> = files.iter().filter(|fate| fate.owner == owner).collect();
        if !of.is_empty() {
            lines.push(title.to_owned());
        }
        for fate in of {
            lines.push(format!("  {}", line(fate)));
        }
    }
    lines
}

fn line(fate: &FileFate) -> String {
    let path = one_line(&fate.path);
    match fate.action {
        FileAction::Restore => format!("restore  {path}"),
        FileAction::Remove => format!("remove   {path}"),
        FileAction::Leave => format!("keep     {path}"),
        FileAction::Lost => {
            format!("keep     {path} (its content then or now is too large to store)")
        }
        FileAction::Failed => format!("failed   {path} (cannot be read or restored)"),
    }
}

fn describe(input: &Input) -> String {
    match input {
        Input::Text { text, .. } => text.clone(),
        Input::File { path, .. }
        | Input::Selection { path, .. }
        | Input::Diagnostics { path, .. } => format!("[{path}]"),
        Input::Image { mime_type, .. } => format!("[image, {mime_type}]"),
        Input::Document { name, .. } => format!("[document, {name}]"),
    }
}
