//! Search results of a provider's tool, as a readable list.

use super::decode::text;
use serde_json::Value;

/// Lists the pages that were found, by title and address as far as they are known, and the texts.
pub(super) fn sources<'a>(found: impl Iterator<Item = &'a Value>) -> String {
    let line = |source: &Value| {
        let address = text(source, "url").or(text(source, "uri"));
        let title = ["title", "name", "text"].iter().find_map(|key| text(source, key));
        match (title.filter(|title| !title.is_empty()), address) {
            (Some(title), Some(address)) => Some(format!("{title}\n  {address}")),
            (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
            (None, None) => None,
        }
    };
    found.filter_map(line).collect::<Vec<_>>().join("\n")
}
