//! The user's edits to proposed files, applied after the call.

use super::ToolContext;
use super::change::{Shows, change_of, encoded, explain, text_of, update};
use pintle_base::text::lines::{self, Ending};
use pintle_base::text::merge::{Labels, merge};
use pintle_exec::{Decide, Rewrite};
use pintle_os::names;
use pintle_protocol::approval::ProposalEdit;
use pintle_protocol::diff::FileChange;
use std::path::Path;

/// Applies an edit to the file that the call has written. Where the file differs from the proposal that the user saw, the edit is merged.
/// Returns the change, or `None` if the user changed nothing.
///
/// # Errors
/// Fails if the edit overlaps such a difference, or if the file cannot be written. The message is for users and models.
pub async fn edit_proposal(
    ctx: &ToolContext,
    edit: &ProposalEdit,
) -> Result<Option<FileChange>, String> {
    let path = Path::new(&edit.path);
    let shown = names::shown(path);
    let decide = || -> Decide {
        let (edit, path, shown) = (edit.clone(), path.to_path_buf(), shown.to_string());
        Box::new(move |before| {
            let before = before.ok_or_else(|| format!("{shown} was deleted in the meantime."))?;
            let decoded = text_of(&shown, &before.content)?;
            let (bom, body) = lines::split_bom(&decoded.text);
            let edited = format!(
                "{bom}{}",
                merged(&edit, body).ok_or_else(|| {
                    format!("{shown} differs from the proposal in the lines that the user edited.")
                })?
            );
            let content = encoded(&shown, &edited, decoded.encoding)?;
            let change = change_of(&path, Some(&before.content), &content);
            Ok(Rewrite { content: content.into(), change })
        })
    };
    let updated = update(ctx, path, Shows::Part, decide).await;
    updated.map(|updated| updated.change).map_err(|error| explain(&shown, &error))
}

/// Returns the text with the edit, in its own line endings, or `None` if both changed the same lines.
fn merged(edit: &ProposalEdit, text: &str) -> Option<String> {
    let ends = Ending::first_of(text);
    let as_there = |text: &str| {
        let (_, text) = lines::split_bom(text);
        ends.applied_to(&lines::to_lf(text)).into_owned()
    };
    let (proposed, edited) = (as_there(&edit.proposed), as_there(&edit.text));
    // Without an edit, mixed line endings stay.
    if proposed == edited {
        return Some(text.to_owned());
    }
    let labels = Labels { ours: "user", base: "proposal", theirs: "file" };
    let merged = merge(&proposed, &edited, text, labels);
    merged.conflicts.is_empty().then_some(merged.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_version_is_merged_with_the_file_as_it_is() {
        for (name, proposed, text, file, want) in [
            ("as proposed", "a\nb\n", "a\nB\n", "a\nb\n", Some("a\nB\n")),
            ("nothing edited", "a\nb\n", "a\nb\n", "a\nb\nc\n", Some("a\nb\nc\n")),
            ("another line differs", "a\nb\nc\n", "a\nb\nC\n", "A\nb\nc\n", Some("A\nb\nC\n")),
            ("the same line differs", "a\nb\n", "a\nB\n", "a\nbeta\n", None),
            ("all of it is removed", "a\n", "", "a\n", Some("")),
            ("a client without CR", "a\nb\n", "a\nB\n", "a\r\nb\r\n", Some("a\r\nB\r\n")),
            ("a client with CR", "a\r\nb\r\n", "a\r\nB\r\n", "a\nb\n", Some("a\nB\n")),
            ("a client with a mark", "\u{feff}a\n", "\u{feff}A\n", "a\n", Some("A\n")),
        ] {
            let edit = ProposalEdit {
                path: "/w/a".to_owned(),
                proposed: proposed.to_owned(),
                text: text.to_owned(),
            };
            assert_eq!(merged(&edit, file).as_deref(), want, "{name}");
        }
    }
}
