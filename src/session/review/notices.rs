//! News of a review for the model: collected as they happen, reported once.
//!
//! A decision that is reverted before it was reported leaves no news. Invariant: [`Notices`] follow from the events alone.

use super::file::{FileReview, UserEdits};
use super::hunk::{Tracked, span};
use pintle_protocol::diff::Side;
use pintle_protocol::ids::HunkId;
use pintle_protocol::review::{
    Comment, Effect, HunkState, LineSpan, NoteEntry, NoteKind, ReviewNote,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The maximum number of lines of a text; the file has the others.
const MAX_LINES: usize = 60;

/// News that were not reported yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Notices(Vec<Notice>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    seq: u64,
    path: String,
    hunk: HunkId,
    kind: NoteKind,
    /// The comment, or the text that was undone.
    text: String,
    /// Lines of the hunk that a comment is about.
    lines: Option<LineSpan>,
}

impl Notices {
    /// Adds a user's edit of a file.
    pub(super) fn user_edits(
        &mut self,
        seq: u64,
        path: &str,
        file: &FileReview,
        edits: &UserEdits,
    ) {
        for id in edits.modified.iter().filter(|id| !edits.undone.contains(id)) {
            let Some(hunk) = file.find(id) else { continue };
            // The content is read when it is reported, so one notice per hunk suffices.
            self.0.retain(|notice| notice.hunk != hunk.id || notice.kind != NoteKind::Modified);
            self.add(seq, path, hunk, NoteKind::Modified, "");
        }
        for hunk in edits.undone.iter().filter_map(|id| file.find(id)) {
            self.0.retain(|notice| notice.hunk != hunk.id || notice.kind != NoteKind::Modified);
            self.add(seq, path, hunk, NoteKind::Undone, &hunk.new_text);
        }
        for hunk in edits.reopened.iter().filter_map(|id| file.find(id)) {
            let count = self.0.len();
            self.0.retain(|notice| notice.hunk != hunk.id || notice.kind != NoteKind::Undone);
            if self.0.len() == count {
                self.add(seq, path, hunk, NoteKind::Reopened, "");
            }
        }
    }

    /// Adds a decision that closed or opened a hunk.
    pub(super) fn decision(&mut self, seq: u64, path: &str, effect: Effect, hunk: &Tracked) {
        match effect {
            Effect::Keep => self.add(seq, path, hunk, NoteKind::Kept, ""),
            Effect::Undo => self.add(seq, path, hunk, NoteKind::Undone, &hunk.new_text),
            Effect::Reopen => self.add(seq, path, hunk, NoteKind::Reopened, ""),
            Effect::Comment | Effect::Withdraw => {}
        }
    }

    /// Adds a user's comment.
    pub(super) fn comment(&mut self, seq: u64, path: &str, hunk: &Tracked, comment: &Comment) {
        self.add(seq, path, hunk, NoteKind::Comment, &comment.text);
        if let Some(notice) = self.0.last_mut().filter(|_| comment.side == Side::New) {
            notice.lines = comment.lines;
        }
    }

    /// Drops the notices of two decisions of which one undid the other before it was reported.
    pub(super) fn decision_reverted(&mut self, by: u64, decision: u64) {
        if self.0.iter().any(|notice| notice.seq == decision) {
            self.0.retain(|notice| notice.seq != decision && notice.seq != by);
        }
    }

    pub(super) fn reported(&mut self, seqs: &[u64]) {
        self.0.retain(|notice| !seqs.contains(&notice.seq));
    }

    fn add(&mut self, seq: u64, path: &str, hunk: &Tracked, kind: NoteKind, text: &str) {
        self.0.push(Notice {
            seq,
            path: path.to_owned(),
            hunk: hunk.id.clone(),
            kind,
            text: text.to_owned(),
            lines: None,
        });
    }

    pub(super) fn pending_note(&self, files: &BTreeMap<String, FileReview>) -> ReviewNote {
        let mut seqs: Vec<u64> = self.0.iter().map(|notice| notice.seq).collect();
        seqs.sort_unstable();
        seqs.dedup();
        let entries = self.0.iter().filter_map(|notice| {
            let hunk = files.get(&notice.path)?.find(&notice.hunk)?;
            let mut lines = span(&hunk.new);
            let mut text = notice.text.clone();
            match notice.kind {
                // A hunk that was kept or undone since has its own notice.
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
            Some(NoteEntry { path: notice.path.clone(), lines, what: notice.kind, text })
        });
        ReviewNote { seqs, entries: entries.collect() }
    }
}

fn is_open(hunk: &Tracked) -> bool {
    matches!(hunk.state, HunkState::Pending | HunkState::Modified | HunkState::Conflict)
}

/// Returns the note as text for a model; empty without news.
pub fn render(note: &ReviewNote) -> String {
    let mut out = String::new();
    for NoteEntry { path, lines, what: kind, text } in &note.entries {
        let position = match lines.count {
            0 | 1 => format!("{path}:{}", lines.start),
            _ => format!("{path}:{}-{}", lines.start, lines.start + lines.count - 1),
        };
        let head = match kind {
            NoteKind::Kept => "kept",
            NoteKind::Undone => "undone, these lines are gone",
            NoteKind::Modified if text.is_empty() => "edited by hand, your lines are gone",
            NoteKind::Modified => "edited by hand, now reads",
            NoteKind::Reopened => "no longer decided",
            NoteKind::Comment => "comment",
        };
        let _ = write!(out, "{position} {head}");
        if text.is_empty() {
            out.push('\n');
            continue;
        }
        out.push_str(":\n");
        for line in text.lines().take(MAX_LINES) {
            let _ = writeln!(out, "    {line}");
        }
        let more = text.lines().count().saturating_sub(MAX_LINES);
        if more > 0 {
            let _ = writeln!(out, "    [{more} more lines]");
        }
    }
    out
}
