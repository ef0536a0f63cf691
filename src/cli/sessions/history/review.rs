//! The review at a terminal: hunks as text, decisions about them, and the agent's work as a patch.

use super::super::terminal::one_line;
use super::{FAILED, NOTHING, OpenSession, print};
use crate::cli::args::history::Target;
use pintle_agent::SubscriptionCommand;
use pintle_base::text::screen;
use pintle_base::text::terminal::shown;
use pintle_protocol::ids::HunkId;
use pintle_protocol::methods::{ReviewDecide, ReviewList, ReviewPatch};
use pintle_protocol::review::{
    Effect, Hunk, HunkKind, HunkState, Outcome, ReviewAction, ReviewDecideParams,
    ReviewDecideResult, ReviewListParams, ReviewPatchParams, ReviewTarget,
};
use std::io::Write;

impl OpenSession<'_> {
    pub(super) async fn patch(&self, open: bool) -> anyhow::Result<u8> {
        let patch = self.call::<ReviewPatch>(ReviewPatchParams { session_id: None, open }).await?;
        let mut err = screen::err();
        for path in &patch.left_out {
            let path = one_line(path);
            writeln!(
                err,
                "pintle: not in the patch, since outside the session's directory: {path}"
            )?;
        }
        if patch.text.is_empty() {
            let what = if open { "no open hunks" } else { "no changes by the agent remain" };
            writeln!(err, "pintle: the patch is empty: {what} in the session's directory")?;
            return Ok(NOTHING);
        }
        screen::content().write_all(patch.text.as_bytes())?;
        Ok(0)
    }

    async fn hunks(&self) -> anyhow::Result<Vec<Hunk>> {
        Ok(self.call::<ReviewList>(ReviewListParams::default()).await?.hunks)
    }

    /// Returns the session's directory, with a slash after it: paths inside are shown without it.
    async fn root(&self) -> anyhow::Result<String> {
        let cwd = self.ask(|reply| SubscriptionCommand::Snapshot { reply }).await?.cwd;
        Ok(format!("{}/", cwd.trim_end_matches('/')))
    }

    pub(super) async fn review(&self, is_json: bool) -> anyhow::Result<u8> {
        let hunks = self.hunks().await?;
        let mut lines = Vec::new();
        if is_json {
            for hunk in &hunks {
                lines.push(screen::escaped(&serde_json::to_string(hunk)?));
            }
        } else if hunks.is_empty() {
            writeln!(screen::err(), "pintle: no open hunks")?;
            return Ok(NOTHING);
        } else {
            let root = self.root().await?;
            for hunk in &hunks {
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.extend(drawn(hunk, &root));
            }
        }
        print(&lines)?;
        Ok(0)
    }

    async fn target(&self, target: &Target) -> anyhow::Result<ReviewTarget> {
        Ok(match (&target.file, &target.hunk) {
            (Some(file), _) => ReviewTarget::File { path: self.path(file).await? },
            (None, Some(hunk)) => {
                ReviewTarget::Hunk { hunk: HunkId::new(hunk.as_str()), changed_seq: None }
            }
            (None, None) => ReviewTarget::All,
        })
    }

    pub(super) async fn keep(&self, target: &Target) -> anyhow::Result<u8> {
        let target = self.target(target).await?;
        self.decide(ReviewAction::Keep { target }).await
    }

    pub(super) async fn undo(&self, target: &Target, discard_edits: bool) -> anyhow::Result<u8> {
        let target = self.target(target).await?;
        self.decide(ReviewAction::Undo { target, discard_edits }).await
    }

    pub(super) async fn revert(&self, decision: u64) -> anyhow::Result<u8> {
        self.decide(ReviewAction::Revert { decision }).await
    }

    async fn decide(&self, action: ReviewAction) -> anyhow::Result<u8> {
        let decide = ReviewDecideParams { session_id: None, action };
        let ReviewDecideResult { seq, decision, .. } = self.call::<ReviewDecide>(decide).await?;
        let root = self.root().await?;
        let (mut done, mut told) = (Vec::new(), Vec::new());
        for part in &decision.parts {
            let name = format!("{}  {}", part.hunk, short(&part.path, &root));
            if part.outcome == Outcome::Applied {
                done.push(format!("{}  {name}", effect(part.effect)));
                continue;
            }
            if let Some(cause) = &part.cause {
                let (cause, id, hunk) = (one_line(cause), &self.session.id, &part.hunk);
                told.push(format!("pintle: kept, since it may be yours: {name} (cause {cause})"));
                told.push(format!("to undo it anyway: pintle sessions undo {id} --hunk {hunk}"));
                continue;
            }
            told.push(format!("pintle: conflict, kept: {name}"));
            told.extend(part.conflict.iter().map(|text| shown(text).trim_end().to_owned()));
        }
        if !done.is_empty() {
            let id = &self.session.id;
            done.push(format!("to revert: pintle sessions revert {id} {seq}"));
        }
        print(&done)?;
        for line in &told {
            writeln!(screen::err(), "{line}")?;
        }
        Ok(if told.is_empty() { 0 } else { FAILED })
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Keep => "kept",
        Effect::Undo => "undone",
        Effect::Reopen => "reopened",
        Effect::Comment => "commented",
        Effect::Withdraw => "comment withdrawn",
    }
}

fn short(path: &str, root: &str) -> String {
    one_line(path.strip_prefix(root).unwrap_or(path))
}

/// Formats a hunk: its place, its name, the added and the removed lines.
fn drawn(hunk: &Hunk, root: &str) -> Vec<String> {
    let path = short(&hunk.path, root);
    let place = match hunk.kind {
        HunkKind::Lines => format!("{path}:{}", hunk.after.start),
        HunkKind::File => format!("{path} (whole file)"),
        HunkKind::Mode => format!("{path} (file mode)"),
    };
    let state = match hunk.state {
        HunkState::Pending => "",
        HunkState::Modified => "  edited by you",
        HunkState::Conflict => "  conflict",
        HunkState::Kept => "  kept",
        HunkState::Undone => "  undone",
        HunkState::Absorbed => "  part of another",
        HunkState::Gone => "  gone",
    };
    let cause = hunk.cause.as_ref().map(|cause| format!("  cause {}", one_line(cause)));
    let mut lines = vec![format!("{}  {place}{state}{}", hunk.id, cause.unwrap_or_default())];
    for (mark, text) in [('-', &hunk.old_text), ('+', &hunk.new_text)] {
        lines.extend(text.lines().map(|line| format!("{mark}{}", shown(line))));
    }
    lines.extend(hunk.comments.iter().map(|comment| format!("# {}", one_line(&comment.text))));
    lines
}
