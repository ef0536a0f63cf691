//! The open changes as a numbered list, and decisions about them by number. Pure.

use super::commands::{Hunks, Verdict};
use super::look::{Ink, Look};
use pintle_protocol::review::{
    Hunk, HunkKind, HunkState, Outcome, ReviewAction, ReviewDecision, ReviewTarget,
};
use std::fmt::Write as _;

/// The number of lines that are shown of a hunk.
const MAX_LINES: usize = 40;

/// The hunks that were listed last.
#[derive(Debug, Default)]
pub(super) struct Listed {
    hunks: Vec<Hunk>,
}

impl Listed {
    /// Takes a new list, and returns its text.
    pub(super) fn list(&mut self, hunks: Vec<Hunk>, cwd: &str, look: Look) -> String {
        self.hunks = hunks;
        if self.hunks.is_empty() {
            return "no open changes\n".to_owned();
        }
        let mut text = String::new();
        let mut file = "";
        for (at, hunk) in self.hunks.iter().enumerate() {
            if hunk.path != file {
                file = &hunk.path;
                let _ = writeln!(text, "{}", look.paint(Ink::Bold, relative(file, cwd)));
            }
            let number = look.paint(Ink::Bold, &format!("{:>3}", at + 1));
            let _ = writeln!(text, "{number}  {}", look.paint(Ink::Place, &place(hunk)));
            text += &look.diff(&diff(hunk), "     ", MAX_LINES);
        }
        let _ = writeln!(
            text,
            "{}",
            look.paint(Ink::Dim, "/keep N… or /undo N… decides; `all` means all of them.")
        );
        text
    }

    /// Returns the actions of a decision, or why there are none.
    pub(super) fn decide(
        &self,
        verdict: Verdict,
        hunks: &Hunks,
    ) -> Result<Vec<ReviewAction>, String> {
        let action = |target| match verdict {
            Verdict::Keep => ReviewAction::Keep { target },
            Verdict::Undo => ReviewAction::Undo { target, discard_edits: false },
        };
        let numbers = match hunks {
            Hunks::All => return Ok(vec![action(ReviewTarget::All)]),
            Hunks::Numbers(numbers) => numbers,
        };
        let target = |number: &usize| {
            let hunk = number.checked_sub(1).and_then(|at| self.hunks.get(at));
            hunk.map(|hunk| {
                action(ReviewTarget::Hunk {
                    hunk: hunk.id.clone(),
                    changed_seq: Some(hunk.changed_seq),
                })
            })
            .ok_or_else(|| match self.hunks.len() {
                0 => "run /review first, which numbers the changes".to_owned(),
                count => format!("there is no change {number}: /review listed {count}"),
            })
        };
        numbers.iter().map(target).collect()
    }
}

/// Returns what a decision did; `None` if it did nothing.
pub(super) fn decided(decision: &ReviewDecision) -> Option<String> {
    let verb = match decision.action {
        ReviewAction::Keep { .. } => "kept",
        ReviewAction::Undo { .. } => "undid",
        ReviewAction::Revert { .. } => "reopened",
        ReviewAction::Comment { .. } => "commented on",
    };
    let applied = decision.parts.iter().filter(|part| part.outcome == Outcome::Applied);
    match applied.count() {
        0 => None,
        1 => Some(format!("{verb} 1 change")),
        count => Some(format!("{verb} {count} changes")),
    }
}

/// Returns a path as seen from the working directory.
pub(super) fn relative<'a>(path: &'a str, cwd: &str) -> &'a str {
    let rest = path.strip_prefix(cwd).and_then(|rest| rest.strip_prefix(['/', '\\']));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(path)
}

fn place(hunk: &Hunk) -> String {
    let place = match hunk.kind {
        HunkKind::Lines => format!("line {}", hunk.after.start),
        HunkKind::File => "whole file".to_owned(),
        HunkKind::Mode => "file mode".to_owned(),
    };
    let state = match hunk.state {
        HunkState::Modified => ", edited by you",
        HunkState::Conflict => ", in conflict with your edits",
        _ => "",
    };
    let cause = hunk.cause.as_ref().map(|cause| format!(", author {cause}")).unwrap_or_default();
    format!("{place}{state}{cause}")
}

fn diff(hunk: &Hunk) -> String {
    let mut text = String::new();
    for (mark, lines) in [('-', &hunk.old_text), ('+', &hunk.new_text)] {
        for line in lines.lines() {
            let _ = writeln!(text, "{mark}{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hunk(id: &str, path: &str, new: &str) -> Hunk {
        serde_json::from_value(json!({
            "id": id, "path": path, "kind": "lines", "state": "pending", "before": {"start": 1, "count": 1},
            "after": {"start": 3, "count": 1}, "oldText": "old\n", "newText": new, "changedSeq": 7, "madeBy": [],
        }))
        .unwrap()
    }

    #[test]
    fn changes_are_numbered_and_decided_by_number() {
        let look = Look { columns: 80, is_styled: false };
        let mut listed = Listed::default();
        let numbers = |numbers: &[usize]| Hunks::Numbers(numbers.to_vec());
        assert_eq!(
            listed.decide(Verdict::Keep, &numbers(&[1])),
            Err("run /review first, which numbers the changes".to_owned())
        );
        let text = listed.list(
            vec![
                hunk("a", "/w/src/a.rs", "new\u{7}\n"),
                hunk("b", "/w/src/a.rs", ""),
                hunk("c", "/x/b", "n"),
            ],
            "/w",
            look,
        );
        assert_eq!(
            text,
            "src/a.rs\n  1  line 3\n     -old\n     +new␇\n  2  line 3\n     -old\n/x/b\n  3  line 3\n     -old\n     +n\n\
             /keep N… or /undo N… decides; `all` means all of them.\n"
        );
        assert_eq!(
            json!(listed.decide(Verdict::Undo, &numbers(&[3, 1])).unwrap()),
            json!([
                {"type": "undo", "target": {"type": "hunk", "hunk": "c", "changedSeq": 7}, "discardEdits": false},
                {"type": "undo", "target": {"type": "hunk", "hunk": "a", "changedSeq": 7}, "discardEdits": false},
            ])
        );
        assert_eq!(
            json!(listed.decide(Verdict::Keep, &Hunks::All).unwrap()),
            json!([{"type": "keep", "target": {"type": "all"}}])
        );
        assert_eq!(
            listed.decide(Verdict::Keep, &numbers(&[1, 4])),
            Err("there is no change 4: /review listed 3".to_owned())
        );
        assert_eq!(listed.list(Vec::new(), "/w", look), "no open changes\n");
    }

    #[test]
    fn decisions_are_counted_by_their_effect() {
        let part = |outcome: &str| json!({"hunk": "h", "path": "/w/a", "effect": "keep", "outcome": outcome});
        for (action, parts, want) in [
            ("keep", vec![part("applied")], Some("kept 1 change")),
            (
                "undo",
                vec![part("applied"), part("conflict"), part("applied")],
                Some("undid 2 changes"),
            ),
            ("undo", vec![part("conflict")], None),
        ] {
            let decision =
                json!({"action": {"type": action, "target": {"type": "all"}}, "parts": parts});
            let decision = serde_json::from_value(decision).unwrap();
            assert_eq!(decided(&decision).as_deref(), want, "{action}");
        }
    }

    #[test]
    fn paths_are_shown_from_the_working_directory() {
        for (path, cwd, want) in [
            ("/w/a", "/w", "a"),
            ("/wide/a", "/w", "/wide/a"),
            ("/w", "/w", "/w"),
            ("C:\\w\\a", "C:\\w", "a"),
        ] {
            assert_eq!(relative(path, cwd), want);
        }
    }
}
