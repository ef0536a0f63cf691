//! The review of one file: its baseline, its content, and the hunks between them.
//!
//! Invariant: the open hunks are the difference of baseline and content.

use super::content::{Author, Content, line_changes, lines_of};
use super::fold::fold;
use super::hunk::{Ids, Lineage, Tracked};
use super::past::Past;
use super::rematch::{Run, rematch, runs};
use super::user_lines::UserLines;
use pintle_base::text::line_diff::{Change, Lean, carried};
use pintle_protocol::ids::HunkId;
use pintle_protocol::review::{HunkKind, HunkState, Maker};
use std::collections::BTreeSet;
use std::ops::Range;

/// A file that the agent changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileReview {
    /// The content before the agent's first change, with the user's edits since.
    pub(super) origin: Option<Content>,
    /// The same, with the kept changes.
    pub(super) baseline: Option<Content>,
    /// Its content.
    pub(super) now: Option<Content>,
    /// Lines that the user wrote into hunks.
    pub(super) user_lines: UserLines,
    /// Its earlier states.
    pub(super) past: Past,
    /// Open hunks in file order; a hunk for a mode change is the last.
    pub(super) open: Vec<Tracked>,
    /// All hunks that were open once.
    pub(super) closed: Vec<Tracked>,
}

/// Hunks that the user's edit changed, removed or brought back.
#[derive(Debug, Default)]
pub(super) struct UserEdits {
    pub(super) modified: Vec<HunkId>,
    pub(super) undone: Vec<HunkId>,
    pub(super) reopened: Vec<HunkId>,
}

impl FileReview {
    pub(super) fn new(content: Option<Content>) -> Self {
        Self {
            origin: content.clone(),
            baseline: content.clone(),
            now: content,
            user_lines: UserLines::default(),
            past: Past::default(),
            open: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Changes the file's content.
    pub(super) fn change(
        &mut self,
        seq: u64,
        after: Option<Content>,
        author: &Author,
        ids: &mut Ids,
    ) -> UserEdits {
        if after == self.now {
            return UserEdits::default();
        }
        if *author == Author::User
            && let Some(edits) = self.go_back(seq, after.as_ref())
        {
            return edits;
        }
        self.remember();
        let edits = line_changes(self.now.as_ref(), after.as_ref());
        let (mut base_map, mut inside, mut modified) = (Vec::new(), Vec::new(), Vec::new());
        if *author == Author::User {
            let (now, after, own) = (self.now.as_ref(), after.as_ref(), &self.user_lines.all);
            let folded = fold(self.baseline.as_ref(), now, after, &edits, own);
            modified = self.modified_by(&folded.inside, &folded.restored, after);
            self.origin = if self.origin == self.baseline {
                folded.content.clone()
            } else {
                fold(self.origin.as_ref(), now, after, &edits, own).content
            };
            (self.baseline, base_map, inside) = (folded.content, folded.map, folded.inside);
        }
        if *author == Author::User {
            self.user_lines.write(&edits, inside.into_iter().map(|edit| edit.new));
        } else {
            let (old, new) = (lines_of(self.now.as_ref()), lines_of(after.as_ref()));
            self.user_lines.follow(&edits, &old, &new);
        }
        self.now = after;
        self.carry(&base_map, &edits);
        for hunk in self.open.iter_mut().filter(|hunk| modified.contains(&hunk.id)) {
            hunk.state = HunkState::Modified;
        }
        let maker = match author {
            Author::Agent(maker) => Some(maker),
            Author::User | Author::Rewind => None,
        };
        let gone = if *author == Author::User { HunkState::Undone } else { HunkState::Gone };
        let undone = self.settle(seq, maker, gone, *author == Author::Rewind, ids);
        let undone = if gone == HunkState::Undone { undone } else { Vec::new() };
        UserEdits { modified, undone, reopened: Vec::new() }
    }

    /// Returns the open hunks that the user's edits changed.
    fn modified_by(
        &self,
        inside: &[Change],
        restored: &[Range<usize>],
        after: Option<&Content>,
    ) -> Vec<HunkId> {
        let mode = |content: Option<&Content>| content.map(|content| content.mode);
        let is_modified = |hunk: &&Tracked| match hunk.kind {
            HunkKind::File => true,
            HunkKind::Mode => mode(self.now.as_ref()) != mode(after),
            HunkKind::Lines => inside
                .iter()
                .map(|edit| &edit.old)
                .chain(restored)
                .any(|lines| lines.start <= hunk.new.end && hunk.new.start <= lines.end),
        };
        self.open.iter().filter(is_modified).map(|hunk| hunk.id.clone()).collect()
    }

    /// Moves the hunks along with the lines.
    pub(super) fn carry(&mut self, base_map: &[Change], now_map: &[Change]) {
        for hunk in self.open.iter_mut().chain(&mut self.closed) {
            hunk.old = carried(base_map, &hunk.old, Lean::After);
            hunk.new = carried(now_map, &hunk.new, Lean::After);
        }
    }

    /// Finds the hunks again and gives each its id; with `is_return` removed hunks may return. Returns the hunks that were removed, closed
    /// with the state `gone`.
    pub(super) fn settle(
        &mut self,
        seq: u64,
        maker: Option<&Maker>,
        gone: HunkState,
        is_return: bool,
        ids: &mut Ids,
    ) -> Vec<HunkId> {
        let previous = std::mem::take(&mut self.open);
        let runs = runs(self.baseline.as_ref(), self.now.as_ref());
        let matched = rematch(&previous, &runs);
        let (old_lines, new_lines) =
            (lines_of(self.baseline.as_ref()), lines_of(self.now.as_ref()));
        let text = |lines: &[&str], range: &Range<usize>| {
            lines.get(range.clone()).unwrap_or_default().concat()
        };
        let mut open = Vec::with_capacity(runs.len());
        for ((run, identity), from) in runs.iter().zip(&matched.identity).zip(&matched.from) {
            let texts = (text(&old_lines, &run.old), text(&new_lines, &run.new));
            let same = identity.and_then(|at| previous.get(at));
            let from: Vec<&Tracked> = from.iter().filter_map(|at| previous.get(*at)).collect();
            let undone = [(run.new.clone(), texts.0.as_str())];
            let has_person = self.would_lose_user_lines(&undone);
            let contents =
                (run.kind != HunkKind::Lines).then(|| (self.baseline.clone(), self.now.clone()));
            let back = (same.is_none() && is_return)
                .then(|| take_returned(&mut self.closed, run, &texts, contents.as_ref()))
                .flatten();
            let (id, born) = match same.or(back.as_ref()) {
                Some(same) => (same.id.clone(), same.born),
                None => ids.next(seq),
            };
            let facts = RunFacts {
                seq,
                maker,
                id,
                born,
                run,
                texts,
                contents,
                same,
                back,
                from,
                has_person,
            };
            open.push(hunk(facts));
        }
        let mut removed = Vec::new();
        for (at, mut hunk) in previous.into_iter().enumerate() {
            if matched.identity.contains(&Some(at)) {
                continue;
            }
            hunk.changed_seq = seq;
            if let Some(into) =
                matched.absorbed.get(at).copied().flatten().and_then(|at| open.get_mut(at))
            {
                into.comments.append(&mut hunk.comments);
                hunk.state = HunkState::Absorbed;
                hunk.lineage.absorbed_by = Some(into.id.clone());
            } else {
                hunk.state = gone;
                removed.push(hunk.id.clone());
            }
            self.closed.push(hunk);
        }
        self.open = open;
        removed
    }
}

impl FileReview {
    /// Returns true if replacing these lines by these texts, all at once, would remove some that the user wrote.
    pub(super) fn would_lose_user_lines(&self, undone: &[(Range<usize>, &str)]) -> bool {
        let UserLines { inside, all } = &self.user_lines;
        if undone.iter().any(|(lines, _)| inside.overlap_with(lines)) {
            return true;
        }
        let own: Vec<usize> =
            undone.iter().flat_map(|(lines, _)| all.among(lines)).flatten().collect();
        if own.is_empty() {
            return false;
        }
        // The difference may have been read so that a line which stays counts as removed here and inserted there.
        let lines = lines_of(self.now.as_ref());
        let stays = |at: &usize| !undone.iter().any(|(lines, _)| lines.contains(at));
        let kept = lines.iter().enumerate().filter(|(at, _)| stays(at)).map(|(_, line)| *line);
        let restored = undone.iter().flat_map(|(_, text)| text.split_inclusive('\n'));
        let left: BTreeSet<&str> =
            kept.chain(restored).map(|line| line.trim_end_matches('\n')).collect();
        own.into_iter()
            .filter_map(|at| lines.get(at))
            .any(|line| !left.contains(line.trim_end_matches('\n')))
    }
}

/// Takes a removed hunk that a rewind or a decision brings back.
fn take_returned(
    closed: &mut Vec<Tracked>,
    run: &Run,
    texts: &(String, String),
    contents: Option<&Contents>,
) -> Option<Tracked> {
    let at = closed.iter().rposition(|hunk| {
        matches!(hunk.state, HunkState::Gone | HunkState::Absorbed)
            && hunk.kind == run.kind
            && hunk.old.start == run.old.start
            && (&hunk.old_text, &hunk.new_text) == (&texts.0, &texts.1)
            && hunk.contents.as_ref() == contents
    })?;
    Some(closed.remove(at))
}

type Contents = (Option<Content>, Option<Content>);

fn modes(contents: Option<&Contents>) -> Option<(Option<u32>, Option<u32>)> {
    let mode = |content: &Option<Content>| content.as_ref().map(|content| content.mode);
    contents.map(|(before, after)| (mode(before), mode(after)))
}

/// A run of changed lines, and the facts about it.
struct RunFacts<'a> {
    seq: u64,
    maker: Option<&'a Maker>,
    id: HunkId,
    born: (u64, u32),
    run: &'a Run,
    texts: (String, String),
    contents: Option<Contents>,
    same: Option<&'a Tracked>,
    back: Option<Tracked>,
    from: Vec<&'a Tracked>,
    has_person: bool,
}

fn hunk(facts: RunFacts<'_>) -> Tracked {
    let RunFacts { seq, maker, id, born, run, contents, same, back, from, has_person, .. } = facts;
    let (old_text, new_text) = facts.texts;
    let is_unchanged = |hunk: &Tracked| {
        from.len() == 1
            && hunk.kind == run.kind
            && (&hunk.old_text, &hunk.new_text) == (&old_text, &new_text)
            && match run.kind {
                HunkKind::Lines => true,
                HunkKind::File => hunk.contents == contents,
                HunkKind::Mode => modes(hunk.contents.as_ref()) == modes(contents.as_ref()),
            }
    };
    let unchanged = same.filter(|hunk| is_unchanged(hunk));
    let mut made_by: Vec<Maker> = Vec::new();
    let makers = from.iter().copied().chain(&back).flat_map(|hunk| &hunk.made_by);
    for maker in makers.chain(maker.filter(|_| unchanged.is_none())) {
        if !made_by.contains(maker) {
            made_by.push(maker.clone());
        }
    }
    let is_edited = has_person || from.iter().any(|hunk| hunk.state != HunkState::Pending);
    let state = match unchanged {
        Some(hunk) => hunk.state,
        None if is_edited => HunkState::Modified,
        None => HunkState::Pending,
    };
    let agent_text = if state == HunkState::Pending {
        new_text.clone()
    } else {
        from.iter().map(|hunk| hunk.agent_text.as_str()).collect()
    };
    let earlier = same.or(back.as_ref());
    Tracked {
        id,
        born,
        kind: run.kind,
        state,
        old: run.old.clone(),
        new: run.new.clone(),
        old_text,
        new_text,
        agent_text,
        changed_seq: unchanged.map_or(seq, |hunk| hunk.changed_seq),
        made_by,
        comments: earlier.map(|hunk| hunk.comments.clone()).unwrap_or_default(),
        decided: None,
        lineage: Lineage {
            part_of: earlier.and_then(|hunk| hunk.lineage.part_of.clone()),
            absorbed_by: None,
        },
        contents,
    }
}
