//! The news of a review for the model: collected as it happens, given out once.
//!
//! A verdict that is reverted before it was told leaves nothing to tell. Invariant: what [`Notices`] hold follows from the
//! events alone.

use super::file::{ByHand, FileReview};
use super::hunk::{Tracked, span};
use pintle_protocol::diff::Side;
use pintle_protocol::ids::HunkId;
use pintle_protocol::review::{
    Comment, Effect, HunkState, LineSpan, NoteEntry, NoteKind, ReviewNote,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lines of a text that are told; the file has the others.
const MOST_LINES: usize = 60;

/// News that has not been told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Notices(Vec<Notice>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    seq: u64,
    path: String,
    hunk: HunkId,
    what: NoteKind,
    /// The comment, or what was undone.
    text: String,
    /// Lines of the hunk that a comment is about.
    lines: Option<LineSpan>,
}

impl Notices {
    /// A person edited a file.
    pub(super) fn by_hand(&mut self, seq: u64, path: &str, file: &FileReview, by_hand: &ByHand) {
        for id in by_hand.modified.iter().filter(|id| !by_hand.undone.contains(id)) {
            let Some(hunk) = file.find(id) else { continue };
            // What a hunk reads is told as it is by then, so once is enough.
            self.0.retain(|known| known.hunk != hunk.id || known.what != NoteKind::Modified);
            self.add(seq, path, hunk, NoteKind::Modified, "");
        }
        for hunk in by_hand.undone.iter().filter_map(|id| file.find(id)) {
            self.0.retain(|known| known.hunk != hunk.id || known.what != NoteKind::Modified);
            self.add(seq, path, hunk, NoteKind::Undone, &hunk.new_text);
        }
    }

    /// A verdict closed or opened a hunk.
    pub(super) fn verdict(&mut self, seq: u64, path: &str, effect: Effect, hunk: &Tracked) {
        match effect {
            Effect::Keep => self.add(seq, path, hunk, NoteKind::Kept, ""),
            Effect::Undo => self.add(seq, path, hunk, NoteKind::Undone, &hunk.new_text),
            Effect::Reopen => self.add(seq, path, hunk, NoteKind::Reopened, ""),
            Effect::Comment | Effect::Withdraw => {}
        }
    }

    /// A person said something.
    pub(super) fn comment(&mut self, seq: u64, path: &str, hunk: &Tracked, comment: &Comment) {
        self.add(seq, path, hunk, NoteKind::Comment, &comment.text);
        if let Some(notice) = self.0.last_mut().filter(|_| comment.side == Side::New) {
            notice.lines = comment.lines;
        }
    }

    /// A verdict was undone by another one. Where it was not told yet, there is nothing to tell of both.
    pub(super) fn reverted(&mut self, by: u64, verdict: u64) {
        if self.0.iter().any(|notice| notice.seq == verdict) {
            self.0.retain(|notice| notice.seq != verdict && notice.seq != by);
        }
    }

    pub(super) fn told(&mut self, seqs: &[u64]) {
        self.0.retain(|notice| !seqs.contains(&notice.seq));
    }

    fn add(&mut self, seq: u64, path: &str, hunk: &Tracked, what: NoteKind, text: &str) {
        self.0.push(Notice {
            seq,
            path: path.to_owned(),
            hunk: hunk.id.clone(),
            what,
            text: text.to_owned(),
            lines: None,
        });
    }

    pub(super) fn note(&self, files: &BTreeMap<String, FileReview>) -> ReviewNote {
        let mut seqs: Vec<u64> = self.0.iter().map(|notice| notice.seq).collect();
        seqs.sort_unstable();
        seqs.dedup();
        let entries = self.0.iter().filter_map(|notice| {
            let hunk = files.get(&notice.path)?.find(&notice.hunk)?;
            let mut lines = span(&hunk.new);
            let mut text = notice.text.clone();
            match notice.what {
                // What was kept or undone since is told as that.
                NoteKind::Modified if !is_open(hunk) => return None,
                NoteKind::Modified => text.clone_from(&hunk.new_text),
                NoteKind::Comment => {
                    if let Some(about) = notice.lines {
                        lines.start += about.start.saturating_sub(1);
                        lines.count = about.count;
                    }
                }
                NoteKind::Kept | NoteKind::Undone | NoteKind::Reopened => {}
            }
            Some(NoteEntry { path: notice.path.clone(), lines, what: notice.what, text })
        });
        ReviewNote { seqs, entries: entries.collect() }
    }
}

fn is_open(hunk: &Tracked) -> bool {
    matches!(hunk.state, HunkState::Pending | HunkState::Modified | HunkState::Conflict)
}

/// The note as text for a model. Empty when there is nothing to tell.
pub fn render(note: &ReviewNote) -> String {
    let mut out = String::new();
    for NoteEntry { path, lines, what, text } in &note.entries {
        let place = match lines.count {
            0 | 1 => format!("{path}:{}", lines.start),
            _ => format!("{path}:{}-{}", lines.start, lines.start + lines.count - 1),
        };
        let head = match what {
            NoteKind::Kept => "kept",
            NoteKind::Undone => "undone, these lines are gone",
            NoteKind::Modified if text.is_empty() => "edited by hand, your lines are gone",
            NoteKind::Modified => "edited by hand, now reads",
            NoteKind::Reopened => "no longer decided",
            NoteKind::Comment => "comment",
        };
        let _ = write!(out, "{place} {head}");
        if text.is_empty() {
            out.push('\n');
            continue;
        }
        out.push_str(":\n");
        for line in text.lines().take(MOST_LINES) {
            let _ = writeln!(out, "    {line}");
        }
        let more = text.lines().count().saturating_sub(MOST_LINES);
        if more > 0 {
            let _ = writeln!(out, "    [{more} more lines]");
        }
    }
    out
}
