//! Finds the history points that a user refers to, among the tree's nodes.

use crate::cli::args::history::{Place, Range};
use pintle_protocol::history::{HistoryNode, HistoryPoint};
use pintle_protocol::ids::SessionId;
use pintle_session::history::tree;
use pintle_session::store::{Entry, Store};

/// Returns the point that the user means.
///
/// # Errors
/// Fails if there is none, or several.
pub(super) fn find(
    nodes: &[HistoryNode],
    place: &Place,
    id: &SessionId,
) -> anyhow::Result<HistoryPoint> {
    match place {
        Place::Seq(seq) => Ok(HistoryPoint { seq: Some(*seq), ..HistoryPoint::default() }),
        Place::Prompt(number) => {
            let prompts: Vec<_> = nodes.iter().filter(|node| node.item_id.is_some()).collect();
            match number.checked_sub(1).and_then(|at| prompts.get(at)) {
                Some(node) => Ok(point(node)),
                None => anyhow::bail!(
                    "no prompt #{number}: the session has {}\n  run `pintle sessions tree {id}` to list them",
                    prompts.len()
                ),
            }
        }
        Place::Label(label) => {
            let is_it = |node: &&HistoryNode| node.label.as_deref() == Some(label.as_str());
            let named: Vec<_> = nodes.iter().filter(is_it).collect();
            match named.as_slice() {
                [node] => Ok(point(node)),
                [] => anyhow::bail!(
                    "unknown label `{label}`\n  run `pintle sessions tree {id}` to list the labels"
                ),
                several => {
                    let seqs: Vec<_> = several.iter().map(|node| node.seq.to_string()).collect();
                    anyhow::bail!(
                        "{} events have the label `{label}`: use one of their numbers: {}",
                        several.len(),
                        seqs.join(", ")
                    )
                }
            }
        }
    }
}

/// Returns the event numbers before and after a part of a session.
///
/// # Errors
/// Fails if one of its ends does not exist, or if the session cannot be read.
pub(crate) fn range(store: &Store, id: &SessionId, wanted: &Range) -> anyhow::Result<(u64, u64)> {
    let Range { from, to } = wanted;
    if from.is_none() && to.is_none() {
        return Ok((0, u64::MAX));
    }
    let entries: Vec<Entry> = store.entries(id)?.collect::<Result<_, _>>()?;
    let nodes = tree::nodes(&entries);
    let seq = |place: &Place| -> anyhow::Result<u64> {
        let point = find(&nodes, place, id)?;
        Ok(tree::find(&entries, &point).map_err(anyhow::Error::msg)?.seq)
    };
    let from = from.as_ref().map(seq).transpose()?.unwrap_or(0);
    let to = to.as_ref().map(seq).transpose()?.unwrap_or(u64::MAX);
    anyhow::ensure!(from <= to, "--from (event {from}) is after --to (event {to})");
    Ok((from, to.saturating_add(1)))
}

fn point(node: &HistoryNode) -> HistoryPoint {
    match &node.item_id {
        // A user message denotes the place before it, so that the user can send another.
        Some(id) => HistoryPoint { item_id: Some(id.clone()), ..HistoryPoint::default() },
        None => HistoryPoint { seq: Some(node.seq), ..HistoryPoint::default() },
    }
}
