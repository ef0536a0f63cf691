//! Places of a history as a person names them, found among the nodes of its tree: pure.

use crate::args::history::Place;
use pintle_protocol::history::{HistoryNode, HistoryPoint};
use pintle_protocol::ids::SessionId;

/// The point that is meant.
///
/// # Errors
/// There is none, or several.
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
                    "there is no prompt #{number}: the session has {}\n  `pintle sessions tree {id}` shows them",
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
                    "no place of the session has the label `{label}`\n  `pintle sessions tree {id}` shows the labels"
                ),
                several => {
                    let seqs: Vec<_> = several.iter().map(|node| node.seq.to_string()).collect();
                    anyhow::bail!(
                        "{} places have the label `{label}`: name one by its number: {}",
                        several.len(),
                        seqs.join(", ")
                    )
                }
            }
        }
    }
}

fn point(node: &HistoryNode) -> HistoryPoint {
    match &node.item_id {
        // A message of a person stands for the place before it, where it can be said anew.
        Some(id) => HistoryPoint { item_id: Some(id.clone()), ..HistoryPoint::default() },
        None => HistoryPoint { seq: Some(node.seq), ..HistoryPoint::default() },
    }
}
