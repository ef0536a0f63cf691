//! The client goes back in the history, forks it, names places.

use super::{SUBSCRIBED, Stage};
use crate::support::render::text_of;
use pintle_agent::{ForkSession, OpenConfig};
use pintle_protocol::files::{ChangedBy, FileRecord, FilesChanged, RewindScope};
use pintle_protocol::history::{
    HistoryPoint, OutlineEntry, SessionLabelParams, SessionMergeParams, SessionRewindParams,
};
use pintle_protocol::ids::ItemId;
use pintle_protocol::methods::{SessionLabel, SessionMerge, SessionRewind};

impl Stage {
    /// Does one step about the history: `back #1` (before that message), `back-both #1` (the files as well), `back-told #1` (the model is told what is left), `cat PATH`, `look-back #1` (only say what that would do), `to SEQ`, `forth` (where the last
    /// going back began),
    /// `label #1 NAME`, `tree`, `outline`, `fork`, `fork #1` (the steps after it are about the fork), `merge` (they are about the other one again).
    /// Says whether it was one.
    pub(super) async fn act_on_history(&mut self, verb: &str, rest: &str, step: &str) -> bool {
        match verb {
            "back" | "back-both" | "back-told" | "look-back" | "to" | "forth" => {
                let to = match verb {
                    "to" => seq(rest),
                    "forth" => seq(&self.left.to_string()),
                    _ => self.before(rest),
                };
                let dry_run = verb == "look-back";
                let scope = match verb {
                    "back-both" => RewindScope::Both,
                    _ => RewindScope::Conversation,
                };
                let summarize = verb == "back-told";
                let defaults = SessionRewindParams::default();
                let rewind = SessionRewindParams { to, scope, summarize, dry_run, ..defaults };
                let told = self.session.call::<SessionRewind>(rewind).await;
                let told = told.map(|result| {
                    self.left = result.from_seq;
                    let dropped: Vec<_> =
                        result.dropped.iter().map(|id| self.name(id.as_str())).collect();
                    let restored = result.restored.len();
                    let input = text_of(&result.input);
                    format!("without {}; {restored} again; {input}.", dropped.join(" "))
                });
                self.note(told, step);
            }
            "label" => {
                let (item, label) = rest.split_once(' ').unwrap_or((rest, ""));
                let (at, label) = (self.before(item), Some(label.to_owned()));
                let params = SessionLabelParams { at, label, ..SessionLabelParams::default() };
                let named = self.session.call::<SessionLabel>(params).await;
                self.note(named.map(|_| "named".to_owned()), step);
            }
            "cat" => {
                let text = self.env.text(rest);
                self.seen.push(format!("{rest} is {text:?}"));
            }
            "tree" => {
                let told = self.engine.tree(self.session.id.clone()).await.unwrap();
                for node in told.nodes {
                    let mark = if node.is_current { "" } else { " (beside)" };
                    let label = node.label.map(|label| format!(" [{label}]")).unwrap_or_default();
                    let depth = if node.parent_seq.is_some() { "after another" } else { "first" };
                    self.seen.push(format!("node {:?} {depth}{label}{mark}", node.text));
                }
            }
            "outline" => {
                let outline = self.engine.outline(self.session.id.clone()).await.unwrap();
                for OutlineEntry { seq, kind, text, from, is_current, .. } in outline {
                    let from = from.map(|_| " from another session").unwrap_or_default();
                    let mark = if is_current { "" } else { " (beside)" };
                    let text = text.unwrap_or_default();
                    self.seen.push(format!("section {seq} {kind:?} {text:?}{from}{mark}"));
                }
            }
            "fork" => {
                let at = (!rest.is_empty()).then(|| self.before(rest));
                let (of, title) = (self.session.id.clone(), None);
                let fork =
                    ForkSession { of, at, title, config: OpenConfig::default(), cause: None };
                match self.engine.fork(fork).await {
                    Ok(session) => {
                        self.note(Ok("made".to_owned()), step);
                        self.forked.push(std::mem::replace(&mut self.session, session));
                        self.naming = self.session.id.clone();
                        self.subscribe(SUBSCRIBED).await;
                    }
                    Err(error) => self.note(Err(error), step),
                }
            }
            "merge" | "merge-into-self" => {
                let fork = self.session.id.clone();
                if verb == "merge" {
                    self.session = self.forked.pop().unwrap();
                    self.naming = self.session.id.clone();
                    self.subscribe_from(SUBSCRIBED, None).await;
                }
                let params = SessionMergeParams { session_id: None, fork_id: fork };
                let merged = self.session.call::<SessionMerge>(params).await;
                let told = merged.map(|result| {
                    self.left = result.from_seq;
                    let [dropped, added] = [result.dropped.len(), result.added.len()];
                    format!("{dropped} items dropped, {added} added")
                });
                self.note(told, step);
            }
            _ => return false,
        }
        true
    }

    /// The place before the message with this short name.
    fn before(&self, name: &str) -> HistoryPoint {
        let names = self.names.get(&self.session.id).into_iter().flatten();
        let id = names.clone().find(|(_, known)| *known == name).map(|(id, _)| id.as_str());
        HistoryPoint { item_id: Some(ItemId::new(id.unwrap_or(name))), ..HistoryPoint::default() }
    }
}

fn seq(text: &str) -> HistoryPoint {
    HistoryPoint { seq: Some(text.parse().unwrap()), ..HistoryPoint::default() }
}

/// What was changed in which files, and by whom.
pub(super) fn changed(changed: &FilesChanged) -> String {
    let how = |change: &FileRecord| match (&change.before, &change.after) {
        (None, _) => "new",
        (Some(_), None) => "gone",
        (Some(_), Some(_)) => "changed",
    };
    let files = changed.changes.iter().map(|change| format!("{} {}", change.path, how(change)));
    let by = match &changed.by {
        ChangedBy::Call { .. } => "a call",
        ChangedBy::Other {} => "somebody else",
        ChangedBy::Rewind { .. } => "going back",
        ChangedBy::Review {} => "a decision",
    };
    format!("files: {} by {by}", files.collect::<Vec<_>>().join(", "))
}
